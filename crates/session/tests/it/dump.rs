//! Dumps: a fresh SQLite that reads one has the same contents as the session.

use rusqlite::Connection;
use session::Settings;
use session::dump::Dump;

use super::{call, with};
use test_support::HostDatabase;

fn dump(db: &HostDatabase) -> String {
    let settings = Settings::default();
    let stand = test_support::Stand::new(&settings).at(0).named("n");
    let session = stand.session(db);
    let mut dump = Dump::new(session).unwrap();
    let mut all = Vec::new();
    while let Some(chunk) = dump.next_chunk().unwrap() {
        all.extend(chunk);
    }
    String::from_utf8(all).unwrap()
}

/// Returns a plain SQLite database without any of our limits, after it has read the dump.
fn restored(db: &HostDatabase) -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    let text = dump(db);
    connection
        .execute_batch(&text)
        .unwrap_or_else(|error| panic!("{error} in:\n{text}"));
    connection
}

/// Returns every value of a query with its type, exactly.
fn values(connection: &Connection, sql: &str) -> Vec<String> {
    let mut statement = connection
        .prepare(sql)
        .unwrap_or_else(|error| panic!("{error}: {sql}"));
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| {
        Ok((0..columns)
            .map(|index| format!("{:?}", row.get_ref(index).unwrap()))
            .collect::<Vec<_>>()
            .join("|"))
    });
    rows.unwrap().map(Result::unwrap).collect()
}

fn same(db: &HostDatabase, queries: &[&str]) {
    let copy = restored(db);
    for sql in queries {
        let expected = values(db.connection(), sql);
        assert!(!expected.is_empty(), "{sql} shows something");
        assert_eq!(values(&copy, sql), expected, "{sql}");
    }
}

#[test]
fn every_kind_of_value_survives() {
    let db = with("CREATE TABLE t (v)");
    db.script(
        "INSERT INTO t VALUES (NULL), (9223372036854775807), (-9223372036854775808), (0), (0.1), (1e300), (5e-324), (1.7976931348623157e308), (9e999), (-9e999), (1.0), (123456789.123456789),
         (''), ('it''s'), ('line\nfeed\r\n'), ('semi;colon -- /*'), ('{\"$blob\":\"AA==\"}'), ('9.0e+999'), (x''), (x'00ff27'), ('é😀'), ('a' || char(0) || 'b'), (char(0)), ('''' || char(0) || ''''), ('5'), ('1.0')",
    );
    same(&db, &["SELECT typeof(v), v, hex(v) FROM t"]);
}

#[test]
fn random_reals_survive_exactly() {
    let db = with("CREATE TABLE t (v REAL)");
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    for _ in 0..3_000 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let real = f64::from_bits(state);
        if real.is_finite() {
            db.connection()
                .execute("INSERT INTO t VALUES (?)", [real])
                .unwrap();
        }
    }
    same(&db, &["SELECT v FROM t"]);
}

#[test]
fn tables_indexes_views_and_constraints_survive() {
    let db = with(
        "CREATE TABLE \"child \"\"x\"\"\" (id INTEGER PRIMARY KEY AUTOINCREMENT, p TEXT REFERENCES parent (id), g AS (id * 2) STORED);
         CREATE TABLE parent (id TEXT PRIMARY KEY) WITHOUT ROWID;
         CREATE TABLE s (a INTEGER CHECK (a > 0), b TEXT UNIQUE) STRICT;
         CREATE INDEX \"child index\" ON \"child \"\"x\"\"\" (p DESC) WHERE p IS NOT NULL;
         CREATE VIEW late AS SELECT * FROM early_table;
         CREATE TABLE early_table (x); INSERT INTO early_table VALUES (1);
         INSERT INTO parent VALUES ('a'); INSERT INTO \"child \"\"x\"\"\" (p) VALUES ('a'), (NULL), ('a'); DELETE FROM \"child \"\"x\"\"\" WHERE id = 3; INSERT INTO s VALUES (1, 'u')",
    );
    call(
        &db,
        r#"{"operation":"saveState","key":"k","value":{"a":1}}"#,
    );
    same(
        &db,
        &[
            "SELECT * FROM \"child \"\"x\"\"\"",
            "SELECT * FROM parent",
            "SELECT * FROM s",
            "SELECT * FROM late",
            "SELECT * FROM session_state",
            "SELECT seq FROM sqlite_sequence WHERE name LIKE 'child%'",
            "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE '\\_codemode%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, name",
        ],
    );
    assert!(!dump(&db).contains("_codemode"));
}

#[test]
fn full_text_indexes_survive() {
    let db = with(
        "CREATE VIRTUAL TABLE own USING fts5(title, body, tokenize = 'porter');
         INSERT INTO own (rowid, title, body) VALUES (7, 'running', 'dogs'), (9, 'cats', 'sleep');
         CREATE TABLE docs (t); INSERT INTO docs VALUES ('zero'), ('one'), ('two'); DELETE FROM docs WHERE t = 'zero';
         CREATE VIRTUAL TABLE other USING fts5(t, content = 'docs'); INSERT INTO other (other) VALUES ('rebuild');
         CREATE VIRTUAL TABLE none USING fts5(t, content = ''); INSERT INTO none (rowid, t) VALUES (1, 'gone')",
    );
    same(
        &db,
        &[
            "SELECT rowid, * FROM own WHERE own MATCH 'run'",
            "SELECT rowid, t FROM other WHERE other MATCH 'two'",
            "SELECT rowid, t FROM docs",
        ],
    );
    assert!(dump(&db).contains("-- the full-text index none does not store its texts"));
}

#[test]
fn full_text_indexes_over_what_is_gone_or_comes_later_are_read_back() {
    let db = with(
        "CREATE TABLE lost (t); CREATE VIRTUAL TABLE of_lost USING fts5(t, content='lost'); DROP TABLE lost;
         CREATE TABLE other (x); CREATE VIRTUAL TABLE of_other USING fts5(t, content = other); INSERT INTO other VALUES ('a');
         CREATE TABLE docs (id INTEGER PRIMARY KEY, t); INSERT INTO docs VALUES (3, 'word');
         CREATE VIRTUAL TABLE of_view USING fts5(t, content='seen', content_rowid='id');
         CREATE VIEW seen AS SELECT id, t FROM docs;
         INSERT INTO of_view (of_view) VALUES ('rebuild')",
    );
    same(
        &db,
        &[
            "SELECT rowid FROM of_view WHERE of_view MATCH 'word'",
            "SELECT x FROM other",
        ],
    );
    let text = dump(&db);
    for lost in ["of_lost", "of_other"] {
        assert!(
            text.contains(&format!(
                "-- the table with the texts of the full-text index {lost} is missing"
            )),
            "{text}"
        );
        assert!(!text.contains(&format!("INSERT INTO \"{lost}\"")), "{text}");
    }
}

#[test]
fn many_rows_and_columns_survive() {
    let names: Vec<String> = (0..100).map(|number| format!("c{number}")).collect();
    let db = with(&format!(
        "CREATE TABLE wide ({}); CREATE TABLE long (n, t)",
        names.join(",")
    ));
    db.script(&format!(
        "INSERT INTO wide VALUES ({})",
        (0..100)
            .map(|number| format!("'{number}'"))
            .collect::<Vec<_>>()
            .join(",")
    ));
    db.script("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 12345) INSERT INTO long SELECT i, 'row ' || i FROM r");
    same(
        &db,
        &["SELECT * FROM wide", "SELECT n, t FROM long ORDER BY n"],
    );
}

#[test]
fn an_empty_session_is_a_valid_dump() {
    let db = with("");
    let copy = restored(&db);
    assert_eq!(values(&copy, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name").len(), 2);
}

#[test]
fn rows_whose_text_is_longer_than_the_engine_makes_survive() {
    let db = with("CREATE TABLE t (n, a)");
    db.script("INSERT INTO t VALUES (1, 'small'), (9223372036854775807, replace(printf('%1990000s', ''), ' ', '''')), (-9e999, zeroblob(1900000)), (0.1, replace(printf('%1500000s', ''), ' ', char(0))), ('it''s', NULL)");
    same(
        &db,
        &["SELECT typeof(n), n, typeof(a), length(CAST(a AS BLOB)), a FROM t"],
    );
}
