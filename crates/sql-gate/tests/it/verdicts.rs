use base::Error;
use sql_gate::SqlError;
use sql_gate::{Policy, Profile, REASONS, StatementKind, review as review_with};

use super::{bound, reason, review};

fn allowed(text: &str, kind: StatementKind) {
    match review(text) {
        Ok(reviewed) => assert_eq!(reviewed.kind(), kind, "{text}"),
        Err(error) => panic!("{text}: {error} ({:?})", error.hint()),
    }
}

#[test]
fn the_allowed_kinds_pass() {
    for text in [
        "SELECT 1",
        "VALUES (1), (2)",
        "WITH a AS (SELECT 1) SELECT * FROM a",
        "SELECT x IS y, a << 2, b NOTNULL FROM t",
    ] {
        allowed(text, StatementKind::Read);
    }
    for text in [
        "INSERT INTO t VALUES (1)",
        "REPLACE INTO t VALUES (1)",
        "INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET b = excluded.b RETURNING *",
        "WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x",
        "UPDATE t SET a = 1 FROM u WHERE t.id = u.id",
        "DELETE FROM t WHERE a ORDER BY b LIMIT 3",
    ] {
        allowed(text, StatementKind::Write);
    }
    for text in [
        "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT) STRICT, WITHOUT ROWID",
        "CREATE TABLE IF NOT EXISTS t AS SELECT 1 AS a",
        "CREATE UNIQUE INDEX i ON t (lower(a)) WHERE a IS NOT NULL",
        "CREATE VIEW v AS SELECT 1",
        "CREATE VIRTUAL TABLE f USING fts5(a, b, tokenize = 'porter unicode61')",
        "CREATE VIRTUAL TABLE f USING fts5(a, content='', contentless_delete=1)",
        "ALTER TABLE t RENAME TO u",
        "ALTER TABLE t ADD COLUMN c TEXT DEFAULT 'x'",
        "DROP TABLE IF EXISTS t",
        "DROP INDEX i",
        "DROP VIEW v",
    ] {
        allowed(text, StatementKind::Schema);
    }
    allowed("EXPLAIN QUERY PLAN SELECT 1", StatementKind::QueryPlan);
}

#[test]
fn what_is_not_allowed_is_refused_by_its_rule() {
    for (expected, text) in [
        ("pragma", "PRAGMA foreign_keys = off"),
        ("pragma", "EXPLAIN QUERY PLAN PRAGMA table_info(t)"),
        ("pragma", "SELECT * FROM pragma_function_list"),
        ("pragma", "SELECT 1 WHERE 'x' IN pragma_database_list"),
        ("attach", "ATTACH 'x' AS y"),
        ("attach", "DETACH y"),
        ("transaction", "BEGIN"),
        ("transaction", "END"),
        ("transaction", "SAVEPOINT a"),
        ("maintenance", "VACUUM INTO 'x'"),
        ("maintenance", "ANALYZE"),
        ("maintenance", "REINDEX"),
        (
            "trigger",
            "CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; END",
        ),
        ("trigger", "DROP TRIGGER x"),
        ("temporary", "CREATE TEMP TABLE t (a)"),
        ("temporary", "CREATE TABLE temp.t (a)"),
        ("temporary", "SELECT * FROM temp.t"),
        ("schema_name", "SELECT * FROM other.t"),
        (
            "virtual_table",
            "CREATE VIRTUAL TABLE r USING rtree(id, a, b)",
        ),
        ("table_function", "SELECT * FROM dbstat"),
        ("table_function", "SELECT * FROM generate_series(1, 3)"),
        ("explain", "EXPLAIN SELECT 1"),
        ("function", "SELECT load_extension('x')"),
        ("function", "SELECT \"load_extension\"('x')"),
        ("function", "CREATE TABLE t (a DEFAULT (sqlite_version()))"),
        (
            "internal_table",
            "INSERT INTO session_state VALUES (1, 2, 3)",
        ),
        ("internal_table", "DELETE FROM [Execution_Logs]"),
        (
            "internal_table",
            "CREATE TABLE t (a REFERENCES session_state(key))",
        ),
        ("internal_table", "CREATE INDEX i ON session_state (value)"),
        ("internal_table", "ALTER TABLE t RENAME TO session_state"),
        (
            "internal_table",
            "CREATE VIRTUAL TABLE f USING fts5(v, Conten=\"session_state\")",
        ),
        ("internal_name", "UPDATE sqlite_schema SET sql = ''"),
        ("internal_name", "SELECT * FROM sqlite_stat1"),
        ("internal_name", "SELECT * FROM _cf_KV"),
        ("internal_name", "CREATE TABLE _codemode_x (a)"),
        (
            "internal_name",
            "CREATE VIRTUAL TABLE _codemode USING fts5(a)",
        ),
        ("internal_name", "ALTER TABLE t RENAME TO _CF"),
        ("function", "SELECT RAISE(IGNORE)"),
        ("reserved_name", "CREATE TABLE json_each (a)"),
        ("reserved_name", "CREATE VIEW pragma_table_list AS SELECT 1"),
        ("multiple_statements", "SELECT 1; SELECT 2"),
        ("empty", "/* nothing */"),
        ("ambiguous_text", "DELETE FROM session_state\u{feff}"),
        ("ambiguous_text", "SELECT $a(1)"),
        ("ambiguous_text", "SELECT 1\0; DROP TABLE t"),
    ] {
        assert_eq!(reason(text), expected, "{text}");
        assert!(REASONS.contains(&expected), "{expected}");
    }
}

#[test]
fn every_refusal_names_the_allowed_way() {
    for text in [
        "PRAGMA x",
        "BEGIN",
        "VACUUM",
        "SELECT nosuch(1)",
        "CREATE TEMP TABLE t (a)",
        "DELETE FROM session_state",
        "",
    ] {
        let hint = review(text).err().and_then(|error| error.hint());
        assert!(hint.is_some_and(|hint| hint.len() > 10), "{text}");
    }
}

#[test]
fn a_common_table_expression_does_not_hide_the_table_that_is_written() {
    assert_eq!(
        reason("WITH t AS (SELECT 1) DELETE FROM session_state"),
        "internal_table"
    );
    assert_eq!(
        reason(
            "WITH session_state AS (SELECT 1) INSERT INTO session_state SELECT * FROM session_state"
        ),
        "internal_table"
    );
}

#[test]
fn a_nearly_right_function_is_suggested() {
    let hint = review("SELECT substrng('abc', 1)")
        .err()
        .and_then(|error| error.hint())
        .unwrap();
    assert!(hint.contains("substr"), "{hint}");
}

#[test]
fn a_function_that_is_not_there_is_missing_and_no_attack() {
    for text in [
        "SELECT nosuch(1)",
        "SELECT a FROM t WHERE a REGEXP 'x'",
        "CREATE TABLE t (a DEFAULT (now()))",
    ] {
        let error = review(text).unwrap_err();
        assert_eq!(error.code(), "NO_SUCH_FUNCTION", "{text}");
        assert!(error.hint().is_some(), "{text}");
    }
}

#[test]
fn the_second_reading_does_not_take_a_name_for_a_statement() {
    allowed(
        "WITH replace AS (SELECT 1 AS x), \"delete\" AS (SELECT 2) SELECT * FROM replace, \"delete\"",
        StatementKind::Read,
    );
    allowed(
        "WITH x(a) AS (SELECT 1) REPLACE INTO t SELECT a FROM x",
        StatementKind::Write,
    );
    allowed(
        "EXPLAIN QUERY PLAN WITH x AS (SELECT 1) DELETE FROM t",
        StatementKind::QueryPlan,
    );
}

#[test]
fn the_strict_profile_also_refuses_drop_and_alter() {
    let strict = Policy {
        profile: Profile::Strict,
        ..Policy::default()
    };
    for (text, expected) in [
        ("DROP TABLE t", "drop_in_strict_profile"),
        ("ALTER TABLE t ADD COLUMN b", "alter_in_strict_profile"),
    ] {
        assert!(
            review_with(text, &strict).is_err_and(|error| error.details()["reason"] == expected),
            "{text}"
        );
    }
    assert!(review_with("CREATE TABLE t (a)", &strict).is_ok());
}

#[test]
fn a_recursion_that_may_have_ended_at_its_limit_is_told() {
    let endless =
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r";
    let notice = bound(endless).notice(1_000_000).unwrap();
    assert!(notice.contains("after 1000000 rows"), "{notice}");
    assert_eq!(bound(endless).notice(999_999), None);
    let longer = endless.replace("FROM r)", "FROM r LIMIT 5000000)");
    assert!(bound(&longer).notice(1_000_000).is_some());
    for own in [
        endless.replace("FROM r)", "FROM r LIMIT 10)"),
        "SELECT 1".to_owned(),
    ] {
        assert_eq!(bound(&own).notice(u64::MAX), None, "{own}");
    }
}

#[test]
fn a_fence_is_opened_only_around_text_that_is_no_statement() {
    assert_eq!(
        review("Sure!\n```sql\nSELECT 1;\n```").unwrap().notices(),
        ["the statement was taken out of the code fence around it"]
    );
    assert!(review("SELECT '```'").unwrap().notices().is_empty());
    assert_eq!(
        reason("```sql\nDELETE FROM session_state\n```"),
        "internal_table"
    );
    let refused = review("Here is no code at all");
    assert!(refused.is_err_and(|error| error.code() == "SYNTAX_ERROR"));
}

#[test]
fn a_syntax_error_tells_line_and_column_in_characters() {
    let Err(Ok(SqlError::SyntaxError {
        line,
        column,
        pointer,
        ..
    })) = review("SELECT 'é',\n  FROM t").map_err(Error::into_problem)
    else {
        panic!("a syntax error")
    };
    assert_eq!((line, column), (2, 3));
    assert_eq!(pointer, "  FROM t\n  ^");
}
