use base::Error;
use sql_gate::SqlError;
use sql_gate::{self, Policy};

use super::bound;
use test_support::HostDatabase;

fn database() -> HostDatabase {
    let db = HostDatabase::new();
    session::start(&db, 0).unwrap();
    db.script(
        "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT UNIQUE, b);
         CREATE INDEX t_b ON t (b);
         CREATE TABLE child (t_id REFERENCES t (id) ON DELETE CASCADE);
         CREATE TABLE rowless (k PRIMARY KEY, v) WITHOUT ROWID;
         CREATE VIRTUAL TABLE notes USING fts5(body);
         CREATE VIEW v AS SELECT a FROM t",
    );
    db
}

fn guard(db: &HostDatabase, text: &str) -> Result<(), Error> {
    sql_cost::guard(db, &bound(text), &Policy::default())
}

#[test]
fn writes_to_the_users_own_tables_pass_the_fence() {
    let db = database();
    for text in [
        "INSERT INTO t (a, b) VALUES ('x', 1) ON CONFLICT (a) DO UPDATE SET b = b + 1",
        "REPLACE INTO rowless VALUES (1, 2)",
        "UPDATE t SET b = 2 WHERE a = 'x'",
        "DELETE FROM t",
        "DELETE FROM child WHERE t_id IN (SELECT id FROM t)",
        "INSERT INTO notes VALUES ('hello')",
        "INSERT INTO notes (notes) VALUES ('rebuild')",
        "CREATE TABLE made AS SELECT * FROM t",
        "CREATE INDEX made_i ON t (a, b)",
        "ALTER TABLE t RENAME COLUMN b TO c",
        "ALTER TABLE t ADD COLUMN d",
        "ALTER TABLE t DROP COLUMN b",
        "DROP VIEW v",
        "DROP TABLE notes",
        "DROP INDEX t_b",
        "DROP TABLE child",
        "INSERT INTO t (a) SELECT key FROM session_state",
    ] {
        if let Err(error) = guard(&db, text) {
            // The engine itself refuses to drop a column that has an index.
            assert!(
                text.contains("DROP COLUMN") && error.code() == "SQL_ERROR",
                "{text}: {error}"
            );
        }
    }
}

#[test]
fn writes_to_shadow_tables_are_refused_by_name_and_by_page() {
    let db = database();
    for text in [
        "DELETE FROM notes_data",
        "INSERT INTO notes_config VALUES ('k', 1)",
        "DROP TABLE notes_content",
        "ALTER TABLE notes_idx RENAME TO x",
        "CREATE INDEX i ON notes_docsize (id)",
    ] {
        assert!(
            guard(&db, text).is_err_and(|error| error.details()["reason"] == "shadow_table"),
            "{text}"
        );
    }
}

#[test]
fn the_fence_alone_refuses_what_the_parsers_would_have_missed() {
    // The text check is bypassed by asking the fence about statements of our own.
    let db = database();
    use sql_gate::compose::{Part, compose};
    for parts in [
        [Part::Sql("DELETE FROM "), Part::Identifier("session_state")],
        [
            Part::Sql("INSERT INTO execution_logs (message) VALUES ('x') -- "),
            Part::Identifier(""),
        ],
        [
            Part::Sql("DELETE FROM "),
            Part::Identifier("_codemode_migrations"),
        ],
        [Part::Sql("DELETE FROM "), Part::Identifier("notes_data")],
        [Part::Sql("DROP TABLE "), Part::Identifier("session_state")],
        [
            Part::Sql("CREATE INDEX i ON session_state "),
            Part::Sql("(value)"),
        ],
    ] {
        let outcome = sql_cost::guard(&db, &compose(&parts, Vec::new()), &Policy::default());
        // An index reads the table and writes a b-tree of its own, so only the text check refuses
        // it.
        let refused = matches!(&outcome, Err(error) if error.code() == "SQL_BLOCKED");
        assert!(
            refused || matches!(parts[0], Part::Sql(text) if text.starts_with("CREATE INDEX")),
            "{parts:?}: {outcome:?}"
        );
    }
}

#[test]
fn a_definition_may_write_the_schema_and_a_row_change_may_not() {
    let db = database();
    use sql_gate::compose::{Part, compose};
    let statement = compose(
        &[Part::Sql("DELETE FROM "), Part::Identifier("t")],
        Vec::new(),
    );
    assert!(sql_cost::guard(&db, &statement, &Policy::default()).is_ok());
    assert!(guard(&db, "CREATE TABLE x (a)").is_ok());
}

#[test]
fn nested_full_scans_are_counted_and_index_lookups_are_not() {
    let db = database();
    db.script("WITH r(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM r LIMIT 3000) INSERT INTO t (a, b) SELECT i, i FROM r");
    let policy = Policy {
        max_query_work: 10_000_000,
        ..Policy::default()
    };
    let judged =
        |text: &str| sql_cost::guard(&db, &bound(text), &policy).map_err(|error| error.code());
    assert_eq!(
        judged("SELECT count(*) FROM t x, t y WHERE x.b < y.b"),
        Err("QUERY_TOO_EXPENSIVE")
    );
    assert_eq!(
        judged("SELECT count(*) FROM v x, v y"),
        Err("QUERY_TOO_EXPENSIVE")
    );
    assert_eq!(
        judged("SELECT (SELECT count(*) FROM t y WHERE y.b < x.b) FROM t x"),
        Err("QUERY_TOO_EXPENSIVE")
    );
    assert_eq!(
        judged("WITH r(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM r) SELECT count(*) FROM r, t"),
        Err("QUERY_TOO_EXPENSIVE")
    );
    assert_eq!(
        judged("SELECT count(*) FROM (SELECT 1) t, (SELECT count(*) FROM main.t, main.t AS x) y"),
        Err("QUERY_TOO_EXPENSIVE")
    );
    assert_eq!(
        judged("SELECT count(*) FROM t x JOIN t y ON x.b = y.b"),
        Ok(())
    );
    assert_eq!(
        judged("SELECT count(*) FROM t x, t y WHERE x.id = y.id"),
        Ok(())
    );
    assert_eq!(
        judged("SELECT count(*) FROM t, (SELECT avg(b) m FROM t) WHERE b > m"),
        Ok(())
    );
    assert_eq!(judged("SELECT * FROM t, json_each('[1,2,3]')"), Ok(()));
}

#[test]
fn a_recursive_step_that_fans_out_is_refused_and_one_that_looks_up_is_not() {
    let db = database();
    db.script("WITH r(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM r LIMIT 500) INSERT INTO t (a, b) SELECT i, i FROM r");
    let judged = |text: &str| guard(&db, text).map_err(|error| error.code());
    assert_eq!(
        judged("WITH c(n) AS (SELECT 1 UNION ALL SELECT c.n FROM c, t) SELECT count(*) FROM c"),
        Err("QUERY_TOO_EXPENSIVE")
    );
    assert_eq!(
        judged(
            "WITH c(n) AS (SELECT 1 UNION ALL SELECT c.n FROM c, t LIMIT 1000) SELECT count(*) FROM c"
        ),
        Ok(())
    );
    assert_eq!(
        judged(
            "WITH c(n) AS (SELECT 1 UNION ALL SELECT t.id + 1 FROM c JOIN t ON t.id = c.n) SELECT count(*) FROM c"
        ),
        Ok(())
    );
    assert_eq!(
        judged("WITH c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c"),
        Ok(())
    );
}

#[test]
fn one_far_rowid_does_not_make_a_table_look_large() {
    let db = database();
    db.script("INSERT INTO t (id, a) VALUES (1, 'x'), (9000000000000000000, 'y')");
    assert_eq!(guard(&db, "SELECT count(*) FROM t x, t y, t z"), Ok(()));
}

#[test]
fn double_quoted_names_are_checked_where_sqlite_would_take_them_for_text() {
    let db = database();
    for text in [
        "SELECT \"A\" FROM t",
        "SELECT \"rowid\" FROM t",
        "SELECT x AS \"y\" FROM (SELECT \"a\" AS x FROM v) ORDER BY \"y\"",
        "SELECT \"notes\" FROM notes",
        "INSERT INTO t (a) VALUES (1) ON CONFLICT (\"a\") DO NOTHING",
    ] {
        assert_eq!(guard(&db, text), Ok(()), "{text}");
    }
    for text in [
        "SELECT \"nope\" FROM t",
        "UPDATE t SET a = \"hello world\"",
        "DELETE FROM t WHERE a = \"x\"",
        "SELECT * FROM t GROUP BY \"zz\"",
    ] {
        assert!(
            guard(&db, text).is_err_and(|error| matches!(
                error.of(),
                Some(SqlError::NoSuchColumn {
                    double_quoted: true,
                    ..
                })
            )),
            "{text}"
        );
    }
}

#[test]
fn a_cascade_within_one_table_is_bounded_by_its_rows() {
    let db = database();
    db.script(
        "CREATE TABLE tree (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES tree (id) ON DELETE CASCADE);
         CREATE INDEX tree_parent ON tree (parent);
         WITH r(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM r LIMIT 500) INSERT INTO tree SELECT i, nullif(i / 2, 0) FROM r",
    );
    for text in ["DELETE FROM tree WHERE id = 1", "DELETE FROM tree"] {
        guard(&db, text).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
}
