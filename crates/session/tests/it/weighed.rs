//! Every way to a caller's tables estimates the work of the caller's expressions: views, computed
//! columns, CHECKs, indexes on expressions. The limit is so low that a way without an estimate ends
//! quickly, too, and fails here.

mod writes;

use writes::WRITES;

use base::Error;
use base::formulas::Formulas;
use database::Database;
use futures::FutureExt as _;
use serde_json::{Value, json};
use session::Settings;
use session::bulk::{Destination, Format, Load, LoadRequest, insert_pieces, write_tables};
use session::dump::Dump;
use session::export::{Export, ExportFormat};
use session::persistent::{Persistent, persist};
use session::{Session, approved, dispatch, query};

use super::staging::{SEARCH, stage_with};
use super::{NOW_MS, with};
use crate::persistent::HostRemote;
use test_support::{HostDatabase, Stand};

const TOO_MUCH: &str = "QUERY_TOO_EXPENSIVE";

/// 30 ms.
const READ_LIMIT: u64 = 3_000_000;

/// A number of SQLite instructions that no request on these tables needs, including the verdict.
/// The expensive view alone needs millions.
const MOST_STEPS: u64 = 500_000;

/// A view and a column that need more, and others of the same kind that do not.
const READ: &str = "CREATE TABLE s (id INTEGER PRIMARY KEY, a TEXT); \
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) INSERT INTO s SELECT i, 'a' || i FROM n; \
    CREATE VIEW expensive_view AS SELECT max(p.a || q.a) AS a, count(*) AS b FROM s AS p, s AS q; \
    CREATE VIEW cheap_view AS SELECT id AS a, a AS b FROM s LIMIT 10; \
    CREATE TABLE expensive_column (id INTEGER PRIMARY KEY, a TEXT, b AS (instr(hex(zeroblob(20000)), hex(zeroblob(10000)) || a))); \
    CREATE TABLE cheap_column (id INTEGER PRIMARY KEY, a TEXT, b AS (upper(a))); \
    INSERT INTO expensive_column (a) SELECT a FROM s LIMIT 20; INSERT INTO cheap_column (a) SELECT a FROM s LIMIT 20";

fn limited<D: Database, T>(
    db: &D,
    max_query_work: u64,
    work: impl FnOnce(Session<'_, D>) -> Result<T, Error>,
) -> Result<T, Error> {
    let settings = Settings {
        max_query_work,
        ..Settings::default()
    };
    let stand = Stand::new(&settings);
    work(stand.session(db))
}

/// The access of an operation to a table.
enum Way {
    /// It reads rows: these bodies, with the table for @.
    Reads(&'static [&'static str]),
    /// It reads rows if that is not too much work, and otherwise says that it did not.
    Samples(&'static str),
    /// It writes rows: see [`WRITES`].
    Writes,
    /// It only reads the schema, or no table of the caller.
    Neither(&'static str),
}

/// Every operation has a row here.
const OPERATIONS: &[(&str, Way)] = &[
    (
        "exec",
        Way::Reads(&[
            r#"{"operation":"exec","sql":"SELECT b FROM @"}"#,
            r#"{"operation":"exec","sql":"CREATE TABLE copy AS SELECT b FROM @"}"#,
            r#"{"operation":"exec","sql":"INSERT INTO s (a) SELECT b FROM @"}"#,
            r#"{"operation":"exec","sql":"UPDATE s SET a = (SELECT max(b) FROM @)"}"#,
            r#"{"operation":"exec","sql":"DELETE FROM s WHERE a IN (SELECT b FROM @)"}"#,
        ]),
    ),
    (
        "query",
        Way::Reads(&[
            r#"{"operation":"query","sql":"SELECT b FROM @"}"#,
            r#"{"operation":"query","sql":"SELECT * FROM @"}"#,
            r#"{"operation":"query","sql":"SELECT count(b) FROM @"}"#,
            r#"{"operation":"query","sql":"SELECT 1 FROM @ WHERE b > 1"}"#,
            r#"{"operation":"query","sql":"SELECT 1 FROM @ ORDER BY b"}"#,
            r#"{"operation":"query","sql":"SELECT b FROM (SELECT * FROM @) LIMIT 10"}"#,
            r#"{"operation":"query","sql":"SELECT hex(zeroblob(3000)), b FROM @"}"#,
            r#"{"operation":"query","sql":"SELECT b FROM @","offset":15}"#,
        ]),
    ),
    (
        "preview",
        Way::Reads(&[r#"{"operation":"preview","sql":"SELECT b FROM @"}"#]),
    ),
    (
        "describeTable",
        Way::Samples(r#"{"operation":"describeTable","table":"@"}"#),
    ),
    (
        "queryStagedData",
        Way::Neither("it reads staged tables alone, see below"),
    ),
    (
        "explainQuery",
        Way::Neither(r#"{"operation":"explainQuery","sql":"SELECT b FROM @"}"#),
    ),
    ("batchInsert", Way::Writes),
    ("getMetrics", Way::Neither(r#"{"operation":"getMetrics"}"#)),
    (
        "getColumns",
        Way::Neither(r#"{"operation":"getColumns","table":"@"}"#),
    ),
    (
        "hasColumn",
        Way::Neither(r#"{"operation":"hasColumn","table":"@","column":"b"}"#),
    ),
    (
        "findColumn",
        Way::Neither(r#"{"operation":"findColumn","table":"@","semanticName":"b"}"#),
    ),
    ("getTables", Way::Neither(r#"{"operation":"getTables"}"#)),
    (
        "createTable",
        Way::Neither(r#"{"operation":"createTable","name":"fresh","schema":"a"}"#),
    ),
    (
        "dropTable",
        Way::Neither(r#"{"operation":"dropTable","table":"@"}"#),
    ),
    (
        "saveState",
        Way::Neither(r#"{"operation":"saveState","key":"k","value":1}"#),
    ),
    (
        "getState",
        Way::Neither(r#"{"operation":"getState","key":"k"}"#),
    ),
];

#[test]
fn every_operation_is_weighed_or_reads_no_rows() {
    for name in session::NAMES {
        assert!(
            OPERATIONS.iter().any(|(known, _)| known == name),
            "{name} has no row in this table"
        );
    }
    for kind in ["view", "column"] {
        for (cost, is_refused) in [("cheap", false), ("expensive", true)] {
            let table = format!("{cost}_{kind}");
            for (name, way) in OPERATIONS {
                // Each on a new database, because some of them change it.
                let run = |body: &str| {
                    let db = with(READ);
                    let body = body.replace('@', &table);
                    let (before, steps) = (rows_of(&db), db.steps());
                    let outcome = limited(&db, READ_LIMIT, |session| dispatch(&session, &body));
                    let steps = db.steps() - steps;
                    assert!(steps < MOST_STEPS, "{steps} steps: {body}");
                    if outcome.is_err() {
                        assert_eq!(rows_of(&db), before, "{body}");
                    }
                    (outcome.map(|answer| test_support::body(&answer)), body)
                };
                match way {
                    Way::Reads(bodies) => {
                        for body in *bodies {
                            let (outcome, body) = run(body);
                            expect(&outcome, is_refused, &body);
                        }
                    }
                    Way::Samples(body) => {
                        let (outcome, body) = run(body);
                        let described = outcome.unwrap_or_else(|error| panic!("{error}: {body}"));
                        assert_eq!(described["sampleRows"].is_null(), is_refused, "{described}");
                        assert_eq!(described["notice"].is_string(), is_refused, "{described}");
                        assert!(!described["columns"].as_array().unwrap().is_empty());
                    }
                    Way::Writes => assert!(WRITES.iter().any(|(write, _)| write == name)),
                    Way::Neither(body) if body.starts_with('{') => {
                        let (outcome, body) = run(body);
                        // A view is dropped like a table, and nothing else can fail.
                        outcome.unwrap_or_else(|error| panic!("{name}: {error}: {body}"));
                    }
                    Way::Neither(_) => {}
                }
            }
        }
    }
}

fn expect<T>(outcome: &Result<T, Error>, is_refused: bool, what: &str) {
    match outcome {
        Ok(_) => assert!(!is_refused, "not refused: {what}"),
        Err(error) => {
            assert!(is_refused, "{error}: {what}");
            assert_eq!(error.code(), TOO_MUCH, "{error}: {what}");
        }
    }
}

/// Returns the number of rows in each table.
fn rows_of(db: &HostDatabase) -> Vec<String> {
    let tables = db.dump_rows(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE '\\_%' ESCAPE '\\' ORDER BY name",
    );
    tables
        .iter()
        .map(|name| {
            format!(
                "{name} {:?}",
                db.dump_rows(&format!("SELECT count(*) FROM {}", name.trim_matches('\'')))
            )
        })
        .collect()
}

/// The ways to rows other than operations: streams, files, copies, and the requests of the database
/// agent.
#[test]
fn every_other_way_to_rows_is_weighed() {
    type Read = fn(Session<'_, HostDatabase>, &str) -> Result<(), Error>;
    let export = |session: Session<'_, HostDatabase>, table: &str, format: ExportFormat| {
        let mut export = Export::new(session, table, format, Formulas::Keep)?;
        while export.next_chunk()?.is_some() {}
        Ok(())
    };
    let reads: &[(&str, Read)] = &[
        ("stream", |session, table| {
            let request = format!(r#"{{"sql":"SELECT b FROM {table}"}}"#);
            let mut rows = session.stream(&query::Request::parse_stream(&request)?)?;
            while rows.next_chunk().is_some() {}
            Ok(())
        }),
        ("csv of a query", |session, table| {
            let request = format!(r#"{{"sql":"SELECT b FROM {table}"}}"#);
            let mut rows = session.stream(&query::Request::parse_stream(&request)?)?;
            while rows.next_csv(Formulas::Keep)?.is_some() {}
            Ok(())
        }),
        ("persist", |session, table| {
            let settings = Settings::default();
            let remote = HostRemote::new();
            let persistent = Persistent::new(&remote, "acme", &settings, NOW_MS);
            let body = json!({"table": table, "as": "kept"}).to_string();
            persist(&persistent, &session, &body)
                .now_or_never()
                .unwrap()
                .map(drop)
        }),
        ("run of an approval", |session, table| {
            let sql = format!("SELECT b FROM {table}");
            let sha256 = serve(&session, &json!({"do": "preview", "sql": sql}))?["sha256"].take();
            let run = json!({"do": "run", "approvalId": "a", "sha256": sha256, "sql": sql, "maxRows": 5, "keepUndoBytes": 0});
            serve(&session, &run).map(drop)
        }),
    ];
    for kind in ["view", "column"] {
        for (cost, is_refused) in [("cheap", false), ("expensive", true)] {
            let table = format!("{cost}_{kind}");
            for (name, read) in reads {
                let db = with(READ);
                let outcome = limited(&db, READ_LIMIT, |session| read(session, &table));
                expect(&outcome, is_refused, &format!("{name} of {table}"));
            }
            for format in [ExportFormat::Ndjson, ExportFormat::Csv, ExportFormat::Json] {
                let db = with(READ);
                let outcome = limited(&db, READ_LIMIT, |session| export(session, &table, format));
                expect(&outcome, is_refused, &format!("{format:?} of {table}"));
            }
        }
    }
    // Views are dumped as definitions, and computed columns are omitted.
    let db = with(READ);
    limited(&db, READ_LIMIT, |session| {
        let mut dump = Dump::new(session)?;
        while dump.next_chunk()?.is_some() {}
        Ok(())
    })
    .unwrap();
}

fn serve<D: Database>(session: &Session<'_, D>, body: &Value) -> Result<Value, Error> {
    const OWNER: approved::Owner<'static> = approved::Owner {
        tenant: "acme",
        place: approved::Place::Session("films"),
    };
    let request = approved::Request::parse(&body.to_string())?;
    let text = approved::serve(session, OWNER, &request)?;
    Ok(serde_json::from_str(&text).unwrap())
}

#[test]
fn a_schema_preview_leaves_out_what_is_too_much_work_and_says_so() {
    let db = with(READ);
    let told = limited(&db, READ_LIMIT, |session| {
        serve(
            &session,
            &json!({"do": "schema", "maxTables": 50, "maxBytes": 1_000_000}),
        )
    })
    .unwrap();
    let tables = told["tables"].as_array().unwrap();
    let table = |name: &str| tables.iter().find(|table| table["name"] == name).unwrap();
    assert_eq!(table("cheap_column")["columns"][2]["samples"][0], "A1");
    assert!(table("cheap_column")["notice"].is_null());
    assert!(table("expensive_column")["notice"].is_string());
    assert_eq!(
        table("expensive_column")["columns"][2]["samples"],
        json!([])
    );
    assert_eq!(table("expensive_column")["rowCount"], 20);
    assert!(table("expensive_view")["rowCount"].is_null());

    let place = |table: &str| json!({"table": table, "column": "b"});
    let places = ["cheap_column", "expensive_column", "expensive_view"].map(place);
    let body = json!({"do": "lookup", "columns": places, "texts": ["A1", "a1"], "near": []});
    let found = limited(&db, READ_LIMIT, |session| serve(&session, &body)).unwrap();
    assert_eq!(found["unread"], json!([places[1], places[2]]));
    assert_eq!(found["equal"][0]["values"], json!(["A1"]));
}

#[test]
fn a_staged_table_that_has_got_an_expensive_column_is_weighed() {
    for (expression, is_refused) in [
        ("upper(title)", false),
        (
            "instr(hex(zeroblob(20000)), hex(zeroblob(10000)) || title)",
            true,
        ),
    ] {
        let db = super::database();
        let staged = stage_with(&db, &[], &SEARCH, r#"[{"title":"a"},{"title":"b"}]"#).unwrap();
        let (id, table) = (
            &staged["dataAccessId"],
            staged["tables"][0]["name"].as_str().unwrap(),
        );
        db.script(&format!(
            "ALTER TABLE {table} ADD COLUMN b AS ({expression})"
        ));
        let body = json!({"operation": "queryStagedData", "id": id, "sql": format!("SELECT b FROM {table}")});
        let outcome = limited(&db, READ_LIMIT, |session| {
            dispatch(&session, &body.to_string())
        });
        expect(&outcome, is_refused, expression);
    }
}

/// Definitions that a row runs when it is written, with the expression for @.
const ROW_RUNS: &[(&str, &str)] = &[
    (
        "CHECK",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, CHECK (@ >= 0))",
    ),
    (
        "STORED",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b AS (@) STORED)",
    ),
    (
        "VIRTUAL under an index",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b AS (@)); CREATE INDEX i ON t (b)",
    ),
    (
        "VIRTUAL under a CHECK",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b AS (@), CHECK (b >= 0))",
    ),
    (
        "VIRTUAL that is NOT NULL",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b AS (@) NOT NULL)",
    ),
    (
        "index on an expression",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); CREATE INDEX i ON t (@)",
    ),
    (
        "unique index on an expression",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); CREATE UNIQUE INDEX i ON t (@, id)",
    ),
    (
        "partial index",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); CREATE INDEX i ON t (a) WHERE @ >= 0",
    ),
    (
        "without rowid",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, CHECK (@ >= 0)) WITHOUT ROWID",
    ),
    (
        "DEFAULT",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, d DEFAULT (instr(hex(zeroblob(400)), hex(randomblob(200)))))",
    ),
];

/// A table of 3,000 rows, and definitions on it.
const ROWS: &str = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); CREATE TABLE checked (id INTEGER PRIMARY KEY, a TEXT, \
    CHECK (instr(hex(zeroblob(400)), hex(zeroblob(200)) || a) >= 0)); CREATE VIEW w AS SELECT p.a FROM t AS p, t AS q WHERE p.a > q.a; \
    CREATE VIEW recursive AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000000) SELECT max(i) AS i FROM n; \
    CREATE VIEW long AS SELECT value FROM json_each('[' || replace(hex(zeroblob(200000)), '00', '1,') || '1]'); \
    CREATE TABLE x (id INTEGER PRIMARY KEY, a TEXT, b AS (instr(hex(zeroblob(400)), hex(zeroblob(200)) || a))); \
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000) INSERT INTO t SELECT i, 'a' || i FROM n; \
    INSERT INTO x (id, a) SELECT id, a FROM t; INSERT INTO checked SELECT id, a FROM t; \
    CREATE VIRTUAL TABLE over_view USING fts5(a, content='w'); CREATE VIRTUAL TABLE over_column USING fts5(b, content='x', content_rowid='id'); \
    CREATE VIRTUAL TABLE over_table USING fts5(a, content='t', content_rowid='id')";

/// Statements on [`ROWS`], with an expensive expression for @; true if the statement is refused.
const DEFINITIONS: &[(&str, bool)] = &[
    ("ALTER TABLE t ADD COLUMN c", false),
    (
        "ALTER TABLE t ADD COLUMN c DEFAULT 'x' NOT NULL CHECK (c <> a)",
        false,
    ),
    ("ALTER TABLE t ADD COLUMN c CHECK (@ >= 0)", true),
    (
        "ALTER TABLE t ADD c INT DEFAULT (1) CHECK (c > 0) CHECK (@ >= 0)",
        true,
    ),
    ("ALTER TABLE t ADD COLUMN c AS (@) NOT NULL", true),
    ("ALTER TABLE checked ADD COLUMN c", true),
    ("ALTER TABLE checked RENAME COLUMN a TO c", false),
    ("CREATE INDEX i ON t (a)", false),
    ("CREATE INDEX i ON t (upper(a))", false),
    ("CREATE INDEX i ON t (@)", true),
    ("CREATE INDEX i ON t (a) WHERE @ > 0", true),
    ("CREATE INDEX i ON x (b)", true),
    ("UPDATE checked SET a = a || 'x'", true),
    ("UPDATE t SET a = a || 'x'", false),
    ("REPLACE INTO checked SELECT * FROM t", true),
    ("INSERT INTO t (a) SELECT a FROM x WHERE b = 0", true),
    ("INSERT INTO t (a) SELECT a FROM x LIMIT 10", false),
    ("DELETE FROM x WHERE b > 0", true),
    ("SELECT count(*) FROM w", true),
    ("SELECT * FROM w ORDER BY 1 LIMIT 1", true),
    ("SELECT * FROM recursive", true),
    ("SELECT count(*) FROM long, long", true),
    ("SELECT hex(zeroblob(3000)) FROM w LIMIT 1", true),
    (
        "SELECT a FROM over_table WHERE over_table MATCH 'a7'",
        false,
    ),
    (
        "INSERT INTO over_table (over_table) VALUES ('rebuild')",
        false,
    ),
    ("INSERT INTO over_view (over_view) VALUES ('rebuild')", true),
    (
        "INSERT INTO over_view (over_view) VALUES ('integrity-check')",
        true,
    ),
    (
        "INSERT INTO over_column (over_column) VALUES ('rebuild')",
        true,
    ),
    ("SELECT count(*) FROM over_view", true),
    (
        "SELECT * FROM over_column WHERE over_column MATCH 'a'",
        true,
    ),
    (
        "SELECT count(*) FROM t WHERE id IN (SELECT rowid FROM over_view)",
        true,
    ),
    ("DELETE FROM over_column", true),
    ("DROP TABLE over_view", false),
    ("DROP TABLE over_column", false),
];

#[test]
fn definitions_and_full_text_tables_over_what_is_computed_are_weighed() {
    let expensive = "instr(hex(zeroblob(400)), hex(zeroblob(200)) || a)";
    for &(sql, is_refused) in DEFINITIONS {
        let db = with(ROWS);
        if sql.contains(" w ")
            || sql.contains("recursive")
            || sql.contains("long")
            || sql.ends_with(" w")
        {
            db.script("DROP TABLE over_view; DROP TABLE over_column");
        }
        let sql = sql.replace('@', expensive);
        let request = query::Request::parse_stream(&json!({"sql": sql}).to_string()).unwrap();
        let outcome = limited(&db, 3_000_000, |session| session.exec(&request));
        expect(&outcome, is_refused, &sql);
    }
    for (table, reads) in [
        ("over_table", true),
        ("over_view", false),
        ("over_column", false),
    ] {
        let db = with(ROWS);
        let body = json!({"operation": "describeTable", "table": table}).to_string();
        let answer = limited(&db, 3_000_000, |session| dispatch(&session, &body)).unwrap();
        assert_eq!(
            test_support::body(&answer)["rowCount"].is_number(),
            reads,
            "{table}"
        );
        let metrics = limited(&db, 3_000_000, |session| {
            dispatch(&session, r#"{"operation":"getMetrics"}"#)
        });
        let metrics = test_support::body(&metrics.unwrap());
        let uncounted = metrics["tablesWithMoreRows"].to_string();
        assert_eq!(uncounted.contains(table), !reads, "{metrics}");
    }
}

#[test]
fn an_undo_and_what_is_recorded_for_it_are_weighed() {
    let db = with(ROWS);
    let generous = 3_000_000_000;
    let sql = "DELETE FROM checked";
    let preview = json!({"do": "preview", "sql": sql});
    let sha256 =
        limited(&db, generous, |session| serve(&session, &preview)).unwrap()["sha256"].take();
    let run = json!({"do": "run", "approvalId": "a", "sha256": sha256, "sql": sql, "maxRows": 5, "keepUndoBytes": 1_000_000});
    let done = limited(&db, generous, |session| serve(&session, &run)).unwrap();
    assert_eq!(done["undo"]["available"], true, "{done}");
    let asked = json!({"do": "undoPreview", "approvalId": "a"});
    let sha256 =
        limited(&db, generous, |session| serve(&session, &asked)).unwrap()["sha256"].take();
    let undo = json!({"do": "undo", "approvalId": "a", "undoApprovalId": "u", "sha256": sha256});
    let outcome = limited(&db, 3_000_000, |session| serve(&session, &undo));
    expect(&outcome, true, "undo");
    assert_eq!(db.dump_rows("SELECT count(*) FROM checked"), ["0"]);
    let undone = limited(&db, generous, |session| serve(&session, &undo)).unwrap();
    assert_eq!(undone["undone"], true);
    assert_eq!(db.dump_rows("SELECT count(*) FROM checked"), ["3000"]);

    // The triggers read the computed column, which the statement itself does not.
    let sql = "DELETE FROM x WHERE id > 5";
    let preview = json!({"do": "preview", "sql": sql});
    let shown = limited(&db, 3_000_000, |session| serve(&session, &preview)).unwrap();
    assert_eq!(shown["affectedRows"], 2_995, "{shown}");
    assert_eq!(shown["undoable"], false, "{shown}");
    let run = json!({"do": "run", "approvalId": "b", "sha256": shown["sha256"], "sql": sql, "maxRows": 5, "keepUndoBytes": 1_000_000});
    let done = limited(&db, 3_000_000, |session| serve(&session, &run)).unwrap();
    assert_eq!(done["undo"]["available"], false, "{done}");
    assert_eq!(db.dump_rows("SELECT count(*) FROM x"), ["5"]);
}
