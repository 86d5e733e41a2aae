//! Errors that have nothing to do with a dialect, and words that are harmless. The responses for
//! dialects are in `tests/contract/dialects.json`.

use serde_json::json;

use super::{database, send};

/// An error that has nothing to do with a dialect has no such hint.
#[test]
fn an_error_of_another_kind_is_not_explained_with_a_dialect() {
    let db = database();
    for sql in [
        "SELECT x FROM WHERE x = 1",
        "SELECT (1",
        "SELECT 1 +",
        "INSERT INTO t VALUES",
        "SELECT title AS top, x FROM t GROUP",
        "SELECT 'SHOW TABLES, ILIKE, x::date' FROM t)",
        "CREATE TABLE v (",
    ] {
        let error = send(&db, sql, &json!([])).unwrap_err();
        assert_eq!(error.code(), "SYNTAX_ERROR", "{sql}");
        assert_eq!(error.hint(), None, "{sql}");
    }
}

/// Words of other databases that SQLite has, or accepts as names, do no harm.
#[test]
fn words_that_sqlite_takes_for_names_are_left_alone() {
    let db = database();
    for sql in [
        "SELECT x AS top, y AS interval, a AS array, b AS date FROM t",
        "SELECT concat_ws(',', x, y), string_agg(x, ',' ORDER BY x) FROM t",
        "SELECT x FROM t LIMIT 1, 1",
        "SELECT x ISNULL, y NOTNULL, x IS NOT DISTINCT FROM y FROM t",
        "SELECT count(*) FILTER (WHERE x > 1), sum(x) OVER w FROM t WINDOW w AS (ORDER BY id)",
        "SELECT * FROM t FULL JOIN u USING (id)",
        "SELECT doc ->> '$.name', doc -> 'name' FROM t",
        "CREATE TABLE show (describe TEXT, top INT, qualify TEXT, fetch TEXT)",
    ] {
        send(&db, sql, &json!([])).unwrap_or_else(|error| panic!("{sql}: {error}"));
    }
}

/// A word that a table may well have as a column is treated only as a missing column.
#[test]
fn a_missing_column_of_an_everyday_name_is_answered_with_the_columns() {
    let db = database();
    for sql in [
        "SELECT level, user FROM u",
        "SELECT date, x FROM u",
        "UPDATE u SET date = 1",
        "INSERT INTO u (timestamp) VALUES (1)",
        "SELECT x FROM u ORDER BY array",
        "SELECT total FROM u WHERE total > 1",
    ] {
        let error = send(&db, sql, &json!([])).unwrap_err();
        assert_eq!(error.code(), "NO_SUCH_COLUMN", "{sql}");
        let hint = error.hint().unwrap_or_default();
        assert!(hint.starts_with("the columns are: "), "{sql}: {hint}");
    }
}
