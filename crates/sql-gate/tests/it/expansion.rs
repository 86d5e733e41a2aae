//! Statements that are small as text and enormous after their names are replaced by their
//! definitions.

use sql_gate::SqlError;
use std::cell::RefCell;
use std::time::Duration;

use base::Result;
use database::{Database, EngineError, Statement};
use serde_json::{Value, json};
use sql_gate::{self, Parameters, Policy};

use test_support::host::HostCursor;
use test_support::{HostDatabase, ProcessorTime};
use test_support::{call, operation};

/// A refusal takes well under 5 ms; the rest is room for a busy machine and an unoptimised build.
const SOON: Duration = Duration::from_millis(250);

/// SQLite, with a list of the statements that were opened: any other statement was not compiled.
struct Listening {
    inner: HostDatabase,
    opened: RefCell<Vec<String>>,
}

impl Database for Listening {
    type Cursor = HostCursor;

    fn open(&self, statement: Statement<'_>) -> Result<HostCursor, EngineError> {
        let text = match statement {
            Statement::Own(text, _) => text.to_owned(),
            Statement::Reviewed(reviewed) => reviewed.text().to_owned(),
        };
        self.opened.borrow_mut().push(text);
        self.inner.open(statement)
    }

    fn transaction(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        self.inner.transaction(work)
    }

    fn size_bytes(&self) -> u64 {
        self.inner.size_bytes()
    }
}

fn database() -> Listening {
    let inner = HostDatabase::new();
    session::start(&inner, 0).unwrap();
    inner.script(
        "CREATE TABLE t (i, j); CREATE TABLE other (i); INSERT INTO t VALUES (1, 2);
         CREATE VIRTUAL TABLE notes USING fts5(body)",
    );
    Listening {
        inner,
        opened: RefCell::default(),
    }
}

/// Returns views of a doubling chain, created without the gate, as an older version allowed them.
fn with_view_bomb(levels: usize) -> Listening {
    let db = database();
    db.inner.script("CREATE VIEW v0 AS SELECT i AS x FROM t");
    for level in 1..=levels {
        db.inner.script(&format!(
            "CREATE VIEW v{level} AS SELECT p.x FROM v{0} p, v{0} q",
            level - 1
        ));
    }
    db
}

/// Returns the gate's verdict. No part of a refused statement may have reached the engine, and the
/// verdict must come soon.
fn gate(db: &Listening, text: &str) -> Result<()> {
    db.opened.borrow_mut().clear();
    let began = ProcessorTime::start();
    let verdict = sql_gate::review(text, &Policy::default())
        .and_then(|reviewed| reviewed.bind(&Parameters::None))
        .and_then(|bound| sql_cost::guard(db, &bound, &Policy::default()));
    if verdict.is_err() {
        assert!(
            began.elapsed() < SOON,
            "{:?}: {}",
            began.elapsed(),
            start(text)
        );
        for opened in db.opened.borrow().iter() {
            assert!(
                opened.starts_with("SELECT") && opened.contains("FROM sqlite_schema"),
                "{opened}"
            );
        }
    }
    verdict
}

/// Returns enough of a text to recognize it.
fn start(text: &str) -> String {
    text.chars().take(400).collect()
}

fn refused(db: &Listening, text: &str) -> String {
    match gate(db, text) {
        Err(error) if matches!(error.of(), Some(SqlError::TooMuchWork { .. })) => {
            assert_eq!(error.code(), "QUERY_TOO_EXPENSIVE");
            format!("{error}; {}", error.hint().unwrap_or_default())
        }
        other => panic!("{other:?}: {}", start(text)),
    }
}

/// Returns `a0` and `levels` expressions after it, each made from the one before by `step`.
fn chain(levels: usize, first: &str, step: &str) -> String {
    let mut list = vec![format!("a0 AS ({first})")];
    for level in 1..=levels {
        let body = step.replace("PREV", &format!("a{}", level - 1));
        list.push(format!("a{level} AS {body}"));
    }
    format!("WITH {}", list.join(", "))
}

const FIRST: &str = "SELECT 1 AS x";
const DOUBLE: &str = "(SELECT p.x FROM PREV p, PREV q)";

#[test]
fn a_chain_of_names_that_doubles_is_refused_wherever_it_stands() {
    let db = database();
    let bomb = chain(20, FIRST, DOUBLE);
    for text in [
        format!("{bomb} SELECT count(*) FROM a20"),
        format!("EXPLAIN QUERY PLAN {bomb} SELECT count(*) FROM a20"),
        format!("SELECT * FROM ({bomb} SELECT x FROM a20)"),
        format!("SELECT 1 UNION ALL SELECT * FROM ({bomb} SELECT x FROM a20)"),
        format!("SELECT i FROM t WHERE EXISTS ({bomb} SELECT 1 FROM a20)"),
        format!("SELECT i FROM t WHERE i IN ({bomb} SELECT x FROM a20)"),
        format!("{bomb} SELECT i FROM t WHERE i IN a20"),
        format!("{bomb} SELECT i FROM t WHERE i IN 'a20'"),
        format!("SELECT ({bomb} SELECT x FROM a20)"),
        format!("SELECT i FROM t ORDER BY ({bomb} SELECT x FROM a20)"),
        format!("SELECT i FROM t LIMIT ({bomb} SELECT x FROM a20)"),
        format!("SELECT i FROM t JOIN other o ON o.i = ({bomb} SELECT x FROM a20)"),
        format!("VALUES (({bomb} SELECT x FROM a20))"),
        format!("CREATE VIEW made AS {bomb} SELECT x FROM a20"),
        format!("CREATE TABLE made AS {bomb} SELECT x FROM a20"),
        format!("INSERT INTO t (i) {bomb} SELECT x FROM a20"),
        format!("{bomb} INSERT INTO t (i) SELECT x FROM a20"),
        format!("INSERT INTO t (i) VALUES (({bomb} SELECT x FROM a20))"),
        format!("INSERT INTO t (i) VALUES (1) RETURNING ({bomb} SELECT x FROM a20)"),
        format!("{bomb} UPDATE t SET j = 1 FROM a20 WHERE a20.x = t.i"),
        format!("UPDATE t SET j = ({bomb} SELECT x FROM a20)"),
        format!("{bomb} DELETE FROM t WHERE i IN (SELECT x FROM a20)"),
        chain(20, FIRST, "MATERIALIZED (SELECT p.x FROM PREV p, PREV q)")
            + " SELECT count(*) FROM a20",
        chain(
            20,
            FIRST,
            "NOT MATERIALIZED (SELECT p.x FROM PREV p, PREV q)",
        ) + " SELECT count(*) FROM a20",
        chain(12, FIRST, "(SELECT p.x FROM PREV p, PREV q, PREV r)") + " SELECT 1 FROM a12",
        chain(
            3,
            FIRST,
            &format!("(SELECT 1 AS x FROM {})", ["PREV"; 30].join(" JOIN ")),
        ) + " SELECT 1 FROM a3",
        chain(20, FIRST, "(SELECT x FROM PREV UNION SELECT x FROM PREV)") + " SELECT 1 FROM a20",
        chain(20, FIRST, "(SELECT x FROM 'PREV' WHERE x IN PREV)") + " SELECT 1 FROM a20",
        chain(
            20,
            FIRST,
            "(SELECT x FROM (SELECT x FROM PREV) WHERE EXISTS (SELECT 1 FROM [PREV]))",
        ) + " SELECT 1 FROM a20",
        chain(
            20,
            FIRST,
            "(SELECT (SELECT x FROM PREV) + (SELECT x FROM `PREV`) AS x)",
        ) + " SELECT 1 FROM a20",
        chain(
            20,
            FIRST,
            "(WITH inside AS (SELECT * FROM PREV) SELECT p.x FROM inside p, inside q)",
        ) + " SELECT 1 FROM A20",
        chain(
            20,
            FIRST,
            "(SELECT p.x FROM (PREV p JOIN PREV q) WHERE p.x > (SELECT max(x) FROM PREV))",
        ) + " SELECT 1 FROM a20",
    ] {
        let said = refused(&db, &text);
        assert!(said.contains("CREATE TABLE step AS SELECT"), "{said}");
    }
    // The first name that is too large is named, not the last one.
    let said = refused(&db, &format!("{bomb} SELECT count(*) FROM a20"));
    assert!(said.starts_with("a9 becomes too large"), "{said}");
}

#[test]
fn the_order_of_a_with_clause_does_not_matter() {
    let db = database();
    let mut names: Vec<String> = (1..=20)
        .rev()
        .map(|level| format!("a{level} AS (SELECT p.x FROM a{0} p, a{0} q)", level - 1))
        .collect();
    names.push("a0 AS (SELECT 1 AS x)".to_owned());
    refused(&db, &format!("WITH {} SELECT 1 FROM a20", names.join(", ")));
    // A chain as long as a text can hold, in reverse order: recursing into it would overflow the
    // stack.
    let mut names: Vec<String> = (1..=1_000)
        .rev()
        .map(|level| format!("a{level} AS (SELECT * FROM a{})", level - 1))
        .collect();
    names.push("a0 AS (SELECT 1 AS x)".to_owned());
    refused(
        &db,
        &format!("WITH {} SELECT 1 FROM a1000", names.join(", ")),
    );
}

#[test]
fn columns_that_are_copied_into_expressions_are_counted_as_well() {
    let db = database();
    for text in [
        chain(20, "SELECT i AS x FROM t", "(SELECT x + x AS x FROM PREV)") + " SELECT x FROM a20",
        chain(20, "SELECT i FROM t", "(SELECT i || i AS i FROM PREV)") + " SELECT i FROM a20",
        chain(20, FIRST, "(SELECT max(x, x) AS x FROM PREV)") + " SELECT * FROM a20",
        chain(
            8,
            FIRST,
            &format!("(SELECT max({}) AS x FROM PREV)", ["x"; 50].join(",")),
        ) + " SELECT * FROM a8",
        chain(
            20,
            FIRST,
            "(SELECT (SELECT 1 FROM t) + x + x AS x FROM PREV)",
        ) + " SELECT x FROM a20",
        chain(
            20,
            "SELECT i AS x FROM t",
            "(SELECT x + 1 AS x FROM PREV WHERE x > x)",
        )
        .replace("x + 1", "x + x")
            + " SELECT 1 FROM a20 ORDER BY x",
        "SELECT x + x FROM ".to_owned()
            + &"(SELECT x + x AS x FROM ".repeat(20)
            + "(SELECT i AS x FROM t)"
            + &")".repeat(20),
        "WITH a0(x) AS (SELECT i FROM t)".to_owned()
            + &(1..=20)
                .map(|level| format!(", a{level}(x) AS (SELECT x+x FROM a{})", level - 1))
                .collect::<String>()
            + " SELECT x FROM a20",
        // SQLite names a column without alias after its text.
        "SELECT \"i+i\" + \"i+i\" FROM (SELECT i+i FROM t)".replace("SELECT i+i FROM t", &{
            let mut inner = "SELECT i+i FROM t".to_owned();
            for _ in 0..18 {
                inner = format!("SELECT \"i+i\" + \"i+i\" AS \"i+i\" FROM ({inner})");
            }
            inner
        }),
    ] {
        refused(&db, &text);
    }
    let generated = |levels: usize| {
        let columns: Vec<String> = (1..=levels)
            .map(|level| format!("c{level} AS (c{0} + c{0})", level - 1))
            .collect();
        format!("CREATE TABLE made (c0 INTEGER, {})", columns.join(", "))
    };
    refused(&db, &generated(18));
    gate(&db, &generated(8)).unwrap();
    // An expression that the text of the table allows is counted again if a query names it.
    db.inner.script(&generated(12));
    refused(&db, "SELECT c12 + c12 + c12 + c12 FROM made");
    refused(
        &db,
        "CREATE INDEX made_i ON made (c12, c11, c12 + c12 + c12)",
    );
    refused(
        &db,
        "ALTER TABLE made ADD COLUMN c13 AS (c12 + c12 + c12 + c12)",
    );
    gate(&db, "SELECT c3 + c4 FROM made").unwrap();
}

#[test]
fn views_are_counted_by_what_they_stand_for() {
    let db = with_view_bomb(18);
    for text in [
        "SELECT count(*) FROM v18",
        "SELECT count(*) FROM main.v18",
        "SELECT count(*) FROM 'V18'",
        "SELECT 1 FROM t WHERE i IN v18",
        "SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM v18)",
        "EXPLAIN QUERY PLAN SELECT * FROM v18",
        "CREATE VIEW v19 AS SELECT * FROM v18",
        "CREATE TABLE made AS SELECT * FROM v18",
        "INSERT INTO t (i) SELECT x FROM v18",
        "INSERT INTO v18 VALUES (1)",
        "DELETE FROM v18",
        "UPDATE v18 SET x = 1",
        "UPDATE t SET i = 1 FROM v18",
        "WITH v18 AS (SELECT * FROM v17) SELECT * FROM v18",
        "SELECT * FROM v7 AS a, v7 AS b, v7 AS c",
        "CREATE VIEW made AS SELECT * FROM v7, v6, v5, v7",
        "WITH a0 AS (SELECT x FROM v6), a1 AS (SELECT p.x FROM a0 p, a0 q), a2 AS (SELECT p.x FROM a1 p, a1 q) SELECT * FROM a2",
    ] {
        refused(&db, text);
    }
    let said = refused(&db, "SELECT count(*) FROM v18");
    assert!(said.starts_with("v8 becomes too large"), "{said}");
    // A common table expression hides the view, but a name with a schema means the view.
    gate(&db, "WITH v18 AS (SELECT 1 AS x) SELECT * FROM v18").unwrap();
    refused(&db, "WITH v18 AS (SELECT 1 AS x) SELECT * FROM main.v18");
    gate(&db, "SELECT v3.x FROM v3").unwrap();
}

#[test]
fn a_view_that_becomes_a_bomb_later_is_refused_where_it_is_used() {
    let db = database();
    for level in 0..8 {
        db.inner.script(&format!(
            "CREATE VIEW w{level} AS SELECT p.x FROM base{level} p, base{level} q; CREATE TABLE base{level} (x)"
        ));
    }
    gate(&db, "SELECT * FROM w7").unwrap();
    for level in 1..8 {
        db.inner.script(&format!("DROP TABLE base{level}"));
    }
    for level in 1..8 {
        let text = format!(
            "CREATE VIEW base{level} AS SELECT a.x FROM w{0} a, w{0} b",
            level - 1
        );
        db.inner.script(&text);
    }
    refused(&db, "SELECT * FROM w7");
    refused(&db, "CREATE VIEW made AS SELECT * FROM w7");
}

#[test]
fn what_makes_sqlite_compile_every_view_asks_to_drop_the_large_ones_first() {
    let db = with_view_bomb(18);
    for text in [
        "ALTER TABLE other RENAME TO another",
        "ALTER TABLE other RENAME COLUMN i TO k",
        "ALTER TABLE t DROP COLUMN j",
        "SELECT name FROM pragma_table_list",
        "SELECT name FROM pragma_table_info('v18')",
        "SELECT s.name, x.name FROM sqlite_schema s, pragma_table_xinfo(s.name) x",
    ] {
        let said = refused(&db, text);
        assert!(said.contains("DROP VIEW v"), "{said}");
    }
}

#[test]
fn a_session_with_a_bomb_can_be_used_and_repaired() {
    let db = with_view_bomb(18);
    let began = ProcessorTime::start();
    let ask = |body: Value| call(&db, &body.to_string());
    let exec = |sql: &str| ask(json!({ "operation": "exec", "sql": sql }));
    exec("INSERT INTO t VALUES (3, 4)");
    exec("CREATE INDEX t_i ON t (i)");
    exec("DELETE FROM t WHERE i = 3");
    exec("INSERT INTO notes VALUES ('text')");
    ask(json!({ "operation": "batchInsert", "table": "other", "records": [{ "i": 1 }] }));
    let tables = ask(json!({ "operation": "getTables" }));
    assert_eq!(tables["tables"].as_array().map(Vec::len), Some(22));
    ask(json!({ "operation": "getMetrics" }));
    ask(json!({ "operation": "describeTable", "table": "t" }));
    for body in [
        json!({ "operation": "describeTable", "table": "v18" }),
        json!({ "operation": "getColumns", "table": "v18" }),
        json!({ "operation": "query", "sql": "SELECT * FROM v18" }),
        json!({ "operation": "query", "sql": "SELECT \"wrong\" FROM v18" }),
    ] {
        let error = operation(&db, &body.to_string()).unwrap_err();
        assert_eq!(error.code(), "QUERY_TOO_EXPENSIVE", "{body}");
    }
    let error = operation(
        &db,
        r#"{"operation":"query","sql":"SELECT wrong FROM other"}"#,
    )
    .unwrap_err();
    assert_eq!(error.code(), "NO_SUCH_COLUMN");
    for level in (0..=18).rev() {
        exec(&format!("DROP VIEW v{level}"));
    }
    exec("DROP TABLE t");
    exec("ALTER TABLE other RENAME TO another");
    assert!(began.elapsed() < 8 * SOON, "{:?}", began.elapsed());
}

#[test]
fn honest_statements_pass() {
    let db = database();
    db.inner.script(
        "CREATE VIEW plain AS SELECT i, j FROM t; CREATE VIEW twice AS SELECT a.i, b.j FROM plain a JOIN plain b ON a.i = b.i;
         CREATE VIEW four AS SELECT a.i, b.j FROM twice a JOIN twice b ON a.i = b.i",
    );
    let subqueries = vec!["((SELECT max(i) FROM t), 1)"; 600].join(", ");
    for text in [
        "SELECT * FROM four".to_owned(),
        "WITH a AS (SELECT * FROM four), b AS (SELECT * FROM a) SELECT * FROM a, b".to_owned(),
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT 10) SELECT * FROM r a, r b, r c".to_owned(),
        // A long text is not a copy.
        format!("INSERT INTO t (i, j) VALUES {subqueries}"),
        // Each is named once: however long the chain is, nothing multiplies.
        chain(40, FIRST, "(SELECT x + 1 AS x FROM PREV)") + " SELECT x FROM a40",
        chain(60, FIRST, "(SELECT x FROM PREV)") + " SELECT x FROM a60",
        // A bomb that the statement does not name is not compiled.
        chain(20, FIRST, DOUBLE) + " SELECT 1",
        // The inner name hides the outer one.
        "WITH a AS (SELECT 1 AS x) SELECT * FROM (WITH a AS (SELECT 2 AS x) SELECT * FROM a), a".to_owned(),
        "ALTER TABLE other RENAME TO another".to_owned(),
        "SELECT name FROM pragma_table_list".to_owned(),
    ] {
        if let Err(error) = gate(&db, &text) {
            panic!("{error}: {}", start(&text));
        }
    }
}

#[test]
fn shadow_tables_are_told_without_compiling_a_view() {
    let inner = HostDatabase::new();
    session::start(&inner, 0).unwrap();
    inner.script(
        r#"CREATE TABLE plain_data (a); CREATE TABLE docs (id INTEGER PRIMARY KEY, body);
           CREATE VIRTUAL TABLE notes USING fts5(body);
           CREATE VIRTUAL TABLE "odd 'name' using" /* USING fts4 */ USING FTS5 (body, content='');
           CREATE VIRTUAL TABLE outside USING "fts5"(body, content='docs', content_rowid='id');
           CREATE TABLE notes_other (a); CREATE TABLE outside_content (a);
           CREATE TABLE withrowid (a PRIMARY KEY, without TEXT); CREATE TABLE rowless (a PRIMARY KEY) WITHOUT ROWID;
           CREATE VIEW seen AS SELECT * FROM docs"#,
    );
    let listed = inner.dump_rows(
        "SELECT name, type, wr FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite%' ORDER BY name",
    );
    let expected: Vec<&str> = listed
        .iter()
        .filter(|row| row.contains("'shadow'"))
        .filter_map(|row| row.split('\'').nth(1))
        .collect();
    assert!(expected.len() >= 9, "{expected:?}");
    let tables = call(&inner, r#"{"operation":"getTables"}"#);
    let names: Vec<&str> = tables["tables"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    for row in &listed {
        let name = session::inspect::load_table(
            &inner,
            &row.split("|")
                .next()
                .unwrap()
                .trim_matches('\'')
                .replace("''", "'"),
        );
        let Ok(table) = name else { continue };
        let kind = format!("{:?}", table.kind);
        let known = match kind.as_str() {
            "WithoutRowid" => ("'table'", "1"),
            "Table" => ("'table'", "0"),
            "View" => ("'view'", "0"),
            "Virtual" => ("'virtual'", "0"),
            _ => ("'shadow'", ""),
        };
        assert!(
            row.contains(known.0) && row.ends_with(known.1),
            "{row}: {kind}"
        );
        assert_eq!(
            names.contains(&table.name.as_str()),
            kind != "Shadow" && !sql_gate::is_internal_name(&table.name),
            "{row}"
        );
    }
}
