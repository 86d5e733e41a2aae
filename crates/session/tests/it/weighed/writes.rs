//! Rows that are written: each way to write them, and how their work adds up.

use super::*;

/// About 80 microseconds for each row.
pub(super) const EXPENSIVE: &str = "instr(hex(zeroblob(400)), hex(zeroblob(200)) || a)";
pub(super) const CHEAP: &str = "length(a)";

/// A limit within which 1,000 expensive rows fit, and 10,000 do not.
pub(super) const WRITE_LIMIT: u64 = 200_000_000;

pub(super) type Write = fn(&Session<'_, HostDatabase>, usize) -> Result<(), Error>;

pub(super) fn records(rows: usize) -> String {
    let records: Vec<String> = (1..=rows)
        .map(|id| format!(r#"{{"id":{id},"a":"x"}}"#))
        .collect();
    format!("[{}]", records.join(","))
}

pub(super) fn load(
    session: &Session<'_, HostDatabase>,
    format: Format,
    body: &str,
) -> Result<(), Error> {
    let request = LoadRequest::new("t", format, Destination::Existing);
    let mut load = Load::new(*session, request)?;
    for piece in body.as_bytes().chunks(10_000) {
        load.feed(piece)?;
    }
    load.finish().map(drop)
}

pub(super) const WRITES: &[(&str, Write)] = &[
    ("batchInsert", |session, rows| {
        let body = format!(
            r#"{{"operation":"batchInsert","table":"t","records":{}}}"#,
            records(rows)
        );
        dispatch(session, &body).map(drop)
    }),
    ("pieces of a program", |session, rows| {
        let ids: Vec<usize> = (1..=rows).collect();
        let pieces: Vec<&[usize]> = ids.chunks(1_000).collect();
        let counts: Vec<usize> = pieces.iter().map(|piece| piece.len()).collect();
        let lines: Vec<String> = pieces
            .iter()
            .map(|piece| {
                let rows: Vec<String> = piece.iter().map(|id| format!(r#"[{id},"x"]"#)).collect();
                format!("[{}]", rows.join(","))
            })
            .collect();
        let head = json!({"operation": "batchInsert", "table": "t", "columns": ["id", "a"], "counts": counts});
        insert_pieces(session, &format!("{head}\n{}", lines.join("\n"))).map(drop)
    }),
    ("load of NDJSON", |session, rows| {
        load(
            session,
            Format::Json,
            &records(rows).replace("},{", "}\n{").replace(['[', ']'], ""),
        )
    }),
    ("load of CSV", |session, rows| {
        let lines: Vec<String> = (1..=rows).map(|id| format!("{id},x\n")).collect();
        load(session, Format::Csv, &format!("id,a\n{}", lines.concat()))
    }),
];

/// Statements, whose values are known to be short.
pub(super) const STATEMENTS: &[(&str, Write)] = &[
    ("INSERT", |session, rows| {
        let sql = format!(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {rows}) INSERT INTO t (id, a) SELECT i, 'x' FROM n"
        );
        session
            .exec(&query::Request::parse_stream(
                &json!({"sql": sql}).to_string(),
            )?)
            .map(drop)
    }),
    ("UPSERT", |session, rows| {
        let sql = format!(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {rows}) INSERT INTO t (id, a) SELECT i, 'x' FROM n WHERE true \
                           ON CONFLICT (id) DO UPDATE SET a = excluded.a"
        );
        session
            .exec(&query::Request::parse_stream(
                &json!({"sql": sql}).to_string(),
            )?)
            .map(drop)
    }),
];

#[test]
pub(super) fn rows_that_are_written_are_weighed_together() {
    // A DEFAULT works on short values here: the test of statements covers it.
    for (what, definition) in ROW_RUNS.iter().filter(|(what, _)| *what != "DEFAULT") {
        for (expression, rows, is_refused) in [
            (CHEAP, 10_000, false),
            (EXPENSIVE, 1_000, false),
            (EXPENSIVE, 10_000, true),
        ] {
            for (name, write) in WRITES {
                let db = with(&definition.replace('@', expression));
                let outcome = limited(&db, WRITE_LIMIT, |session| write(&session, rows));
                expect(
                    &outcome,
                    is_refused,
                    &format!("{name}, {what}, {expression}, {rows} rows"),
                );
                let inserted = if is_refused { 0 } else { rows };
                assert_eq!(
                    db.dump_rows("SELECT count(*) FROM t"),
                    [inserted.to_string()]
                );
                assert_eq!(db.dump_rows("SELECT count(*) FROM _codemode_stage"), ["0"]);
            }
        }
    }
}

/// Each row looks up one parent. An estimate that assumes waiting children for each row would
/// refuse every load of a tree.
#[test]
pub(super) fn foreign_keys_refuse_no_load() {
    for definition in [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, parent INTEGER REFERENCES t (id))",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, parent INTEGER REFERENCES t (id)); CREATE INDEX i ON t (parent)",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); CREATE TABLE child (id INTEGER REFERENCES t (id))",
    ] {
        for (name, write) in WRITES {
            let db = with(definition);
            let outcome = limited(&db, WRITE_LIMIT, |session| write(&session, 10_000));
            expect(&outcome, false, &format!("{name}, {definition}"));
        }
    }
}

/// If children come before their parents, and no index leads from a parent to its children, the
/// engine searches all rows for each row that it writes. No estimate can know that, so the rows
/// that it has read are counted.
#[test]
pub(super) fn a_load_that_reads_too_many_rows_is_refused_on_the_way() {
    let deferred = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT REFERENCES t (b) DEFERRABLE INITIALLY DEFERRED, b TEXT UNIQUE)";
    for (what, next, definition, is_refused) in [
        ("parents first", -1, deferred.to_owned(), false),
        ("children first", 1, deferred.to_owned(), true),
        (
            "children first, with an index",
            1,
            format!("{deferred}; CREATE INDEX i ON t (a)"),
            false,
        ),
    ] {
        let rows = 5_000;
        let parent = |id: i64| match id + next {
            none if none < 1 || none > rows => String::new(),
            parent => format!("p{parent}"),
        };
        let lines: Vec<String> = (1..=rows)
            .map(|id| format!("{id},{},p{id}\n", parent(id)))
            .collect();
        let db = with(&definition);
        let outcome = limited(&db, 20_000_000, |session| {
            load(
                &session,
                Format::Csv,
                &format!("id,a,b\n{}", lines.concat()),
            )
        });
        expect(&outcome, is_refused, what);
        let loaded = if is_refused { 0 } else { rows };
        assert_eq!(
            db.dump_rows("SELECT count(*) FROM t"),
            [loaded.to_string()],
            "{what}"
        );
    }
}

/// The cost of rows that are read because a row replaces another one depends on the width of rows
/// in the tables that refer to it.
#[test]
pub(super) fn wide_rows_that_a_load_makes_the_engine_read_are_weighed() {
    let children = |bytes: usize, index: &str| {
        format!(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b);
             CREATE TABLE child (id INTEGER PRIMARY KEY, big TEXT, t INTEGER REFERENCES t (id) ON DELETE CASCADE); {index}
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300)
                 INSERT INTO t SELECT i, i, i FROM n;
             INSERT INTO child SELECT id, replace(hex(zeroblob({bytes} / 2)), '0', 'x'), 1 FROM t LIMIT 100"
        )
    };
    let own = |bytes: usize| {
        format!(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b INTEGER REFERENCES t (id) DEFERRABLE INITIALLY DEFERRED);
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100)
                 INSERT INTO t SELECT i, replace(hex(zeroblob({bytes} / 2)), '0', 'x'), 1 FROM n"
        )
    };
    let index = "CREATE INDEX i ON child (t);";
    for (what, definition, replaces, is_refused) in [
        ("wide children", children(40_000, ""), true, true),
        (
            "wide children that no row replaces",
            children(40_000, ""),
            false,
            false,
        ),
        (
            "wide children with an index",
            children(40_000, index),
            true,
            false,
        ),
        ("narrow children", children(40, ""), true, false),
        ("wide rows of its own", own(40_000), false, true),
        ("narrow rows of its own", own(40), false, false),
    ] {
        let db = with(&definition);
        let before = db.dump_rows("SELECT count(*) FROM t");
        let rows: Vec<Value> = (101..=300)
            .map(|id| json!({ "id": if replaces { id } else { id + 1_000 }, "a": "new", "b": 1 }))
            .collect();
        let body = json!({ "operation": "batchInsert", "table": "t", "records": rows, "onConflict": if replaces { "replace" } else { "error" } });
        let outcome = limited(&db, 20_000_000, |session| {
            dispatch(&session, &body.to_string())
        });
        expect(&outcome, is_refused, what);
        if is_refused {
            assert_eq!(db.dump_rows("SELECT count(*) FROM t"), before, "{what}");
        }
    }
}

/// Long keys with the same beginning are compared completely, one by one for each index.
#[test]
pub(super) fn long_texts_are_weighed_by_the_indexes_that_they_go_into() {
    let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT COLLATE NOCASE, b)";
    for (indexes, is_refused) in [(0, false), (1, false), (20, true)] {
        let made = (0..indexes).map(|index| format!("; CREATE INDEX i{index} ON t (a, id)"));
        let db = with(&format!("{table}{}", made.collect::<String>()));
        let text = "x".repeat(20_000);
        let lines: Vec<String> = (1..=100).map(|id| format!("{id},{text}{id}\n")).collect();
        let outcome = limited(&db, 50_000_000, |session| {
            load(&session, Format::Csv, &format!("id,a\n{}", lines.concat()))
        });
        expect(&outcome, is_refused, &format!("{indexes} indexes"));
        let loaded = if is_refused { 0 } else { 100 };
        assert_eq!(db.dump_rows("SELECT count(*) FROM t"), [loaded.to_string()]);
    }
}

#[test]
pub(super) fn rows_that_a_statement_writes_are_weighed() {
    for (what, definition) in ROW_RUNS {
        for (expression, rows, is_refused) in [(CHEAP, 500, false), (EXPENSIVE, 10_000, true)] {
            for (name, write) in STATEMENTS {
                let db = with(&definition.replace('@', expression));
                let outcome = limited(&db, 5_000_000, |session| write(&session, rows));
                expect(
                    &outcome,
                    is_refused,
                    &format!("{name}, {what}, {expression}"),
                );
                let inserted = if is_refused { 0 } else { rows };
                assert_eq!(
                    db.dump_rows("SELECT count(*) FROM t"),
                    [inserted.to_string()]
                );
            }
        }
    }
}

#[test]
pub(super) fn a_count_that_a_program_gets_wrong_lets_no_more_rows_in_than_were_weighed() {
    let db = with(&format!(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, CHECK ({EXPENSIVE} >= 0))"
    ));
    let rows: Vec<String> = (1..=1_000).map(|id| format!(r#"[{id},"x"]"#)).collect();
    let head =
        json!({"operation": "batchInsert", "table": "t", "columns": ["id", "a"], "counts": [2]});
    let body = format!("{head}\n[{}]", rows.join(","));
    limited(&db, WRITE_LIMIT, |session| insert_pieces(&session, &body)).unwrap();
    assert_eq!(db.dump_rows("SELECT count(*) FROM t"), ["2"]);
}

#[test]
pub(super) fn tables_that_are_made_with_their_rows_are_weighed_together() {
    let lines = |rows: usize| {
        let ids: Vec<String> = (1..=rows).map(|id| format!(r#"[{id},"x"]"#)).collect();
        format!("[{}]", ids.join(","))
    };
    for (tables, is_refused) in [(1, false), (10, true)] {
        let db = super::super::database();
        let wanted: Vec<Value> = (0..tables)
            .map(|table| {
                json!({"name": format!("t{table}"), "schema": format!("id INTEGER PRIMARY KEY, a TEXT CHECK ({EXPENSIVE} >= 0)"),
                       "columns": ["id", "a"], "counts": [1_000]})
            })
            .collect();
        let body = vec![lines(1_000); tables].join("\n");
        let body = format!("{}\n{body}", json!({"replace": false, "tables": wanted}));
        let outcome = limited(&db, WRITE_LIMIT, |session| write_tables(&session, &body));
        expect(&outcome, is_refused, &format!("{tables} tables"));
        let made = if is_refused { 0 } else { tables };
        assert_eq!(
            db.dump_rows(
                "SELECT count(*) FROM sqlite_schema WHERE name LIKE 't%' AND type = 'table'"
            ),
            [made.to_string()]
        );
    }
}
