//! Tables of cases: columns of texts that a statement reads as numbers.

use super::*;

/// `t` has the texts x and y and the number n, `u` the text w, and `v` is a view of `t`.
struct Fixed;

impl Sources for Fixed {
    fn source(&self, name: &str) -> Option<Source> {
        let columns = |list: &[(&str, bool)]| {
            let columns = list
                .iter()
                .map(|(name, is_text)| ((*name).to_owned(), *is_text));
            Source::Table(columns.collect())
        };
        match name.to_ascii_lowercase().as_str() {
            "t" => Some(columns(&[("n", false), ("x", true), ("y z", true)])),
            "u" => Some(columns(&[("w", true), ("n", false)])),
            "v" => Some(Source::View(
                "CREATE VIEW v(a, b) AS SELECT n, x FROM t".to_owned(),
            )),
            "s" => Some(Source::View(
                "CREATE VIEW s AS SELECT sum(x) AS x FROM t".to_owned(),
            )),
            "loop" => Some(Source::View(
                "CREATE VIEW loop AS SELECT * FROM loop".to_owned(),
            )),
            _ => None,
        }
    }
}

/// Returns the places as `table.column:manner`.
fn found(statement: &str) -> String {
    let found = numeric_uses(statement, &Fixed);
    let uses = found.uses.into_iter().map(|used| {
        let how = match used.how {
            NumericReading::Added => "added".to_owned(),
            NumericReading::Ordered => "ordered".to_owned(),
            NumericReading::Cast => "cast".to_owned(),
            NumericReading::Compared => "compared".to_owned(),
            NumericReading::ComparedWithDate => "date".to_owned(),
            NumericReading::ComparedWith(number, name) => format!("with {number}{name}"),
        };
        format!("{}.{}:{how}", used.origin.table, used.origin.column)
    });
    let filtered = found.filtered.into_iter();
    let filtered = filtered.map(|origin| format!("{}.{}:filtered", origin.table, origin.column));
    uses.chain(filtered).collect::<Vec<_>>().join(" ")
}

#[test]
fn columns_that_are_read_as_numbers_are_found() {
    for (statement, wanted) in [
        (
            "SELECT sum(x), avg( DISTINCT \"y z\" ) FROM t",
            "t.x:added t.y z:added",
        ),
        ("SELECT min(x), MAX(t.x) FROM t", "t.x:ordered"),
        ("SELECT max(a.x) FROM t AS a", "t.x:ordered"),
        (
            "SELECT total(a.x) FROM t a JOIN u ON u.n = a.n",
            "t.x:added",
        ),
        (
            "SELECT * FROM t WHERE x > 10 AND \"y z\" = -5",
            "t.x:compared t.y z:compared",
        ),
        ("SELECT * FROM t WHERE 10.5 <= x", "t.x:compared"),
        (
            "SELECT * FROM t WHERE x NOT BETWEEN 1 AND 2 OR [y z] IN ('a', 2)",
            "t.x:compared t.y z:compared",
        ),
        (
            "SELECT * FROM t WHERE x > ? AND \"y z\" < ?1 AND :n = x AND x < ?",
            "t.x:with 1?1 t.y z:with 1?1 t.x:with 0:n t.x:with 3?3",
        ),
        ("SELECT * FROM t ORDER BY x DESC LIMIT 5", "t.x:ordered"),
        ("SELECT [x] FROM t WHERE `x` <> 1", "t.x:compared"),
        ("UPDATE t SET n = 1 WHERE x > 5", "t.x:compared"),
        ("DELETE FROM t AS d WHERE d.x > 5", "t.x:compared"),
        ("INSERT INTO u SELECT sum(x), 1 FROM t", "t.x:added"),
        (
            "SELECT sum(CAST(x AS REAL)), sum(x * 1.0), -x FROM t",
            "t.x:cast",
        ),
        // Uses that do not read numbers, and columns that are not texts.
        (
            "SELECT count(x), sum(n), max(n) FROM t WHERE n > 5 AND x = 'a' AND x > n",
            "",
        ),
        (
            "SELECT * FROM t WHERE x LIKE 'a' AND length(x) > 5 AND x IN (SELECT w FROM u)",
            "",
        ),
        ("SELECT sum(x) FROM other", ""),
        ("SELECT", ""),
        ("", ""),
    ] {
        assert_eq!(found(statement), wanted, "{statement}");
    }
}

#[test]
fn a_column_is_followed_to_where_it_is_read() {
    for (statement, wanted) in [
        (
            "WITH c AS (SELECT x AS z FROM t) SELECT sum(z) FROM c",
            "t.x:added",
        ),
        (
            "WITH c(a, b) AS (SELECT n, x FROM t), d AS (SELECT * FROM c) SELECT sum(d.b), sum(a) FROM d",
            "t.x:added",
        ),
        ("SELECT sum(b), sum(a) FROM v", "t.x:added"),
        ("SELECT x FROM s", "t.x:added"),
        ("SELECT sum(z) FROM (SELECT x z FROM t)", "t.x:added"),
        ("SELECT sum(x) FROM (SELECT * FROM t)", "t.x:added"),
        (
            "SELECT sum(q.x) FROM (SELECT a.* FROM u JOIN t AS a) q",
            "t.x:added",
        ),
        (
            "SELECT sum(z) FROM (SELECT n AS z FROM t UNION ALL SELECT x FROM t)",
            "t.x:added",
        ),
        ("SELECT sum(coalesce(x, 0)) FROM t", "t.x:added"),
        (
            "SELECT sum(CASE WHEN n > 1 THEN x ELSE 0 END), avg(iif(n, x, 1)) FROM t",
            "t.x:added",
        ),
        ("SELECT sum(nullif(x, 'NA')), sum((x)) FROM t", "t.x:added"),
        ("SELECT max(x, 10) FROM t", "t.x:compared"),
        ("SELECT * FROM t WHERE (x, n) > (10, 1)", "t.x:compared"),
        ("SELECT * FROM t WHERE (n, x) > (?, ?)", "t.x:with 2?2"),
        (
            "SELECT * FROM t WHERE x > (SELECT avg(n) FROM u)",
            "t.x:compared",
        ),
        (
            "SELECT * FROM t WHERE x > 5 + 5 OR x = abs(-1)",
            "t.x:compared",
        ),
        ("SELECT * FROM t WHERE (SELECT x) > 5", "t.x:compared"),
        ("SELECT n, x FROM t ORDER BY 2 DESC", "t.x:ordered"),
        ("SELECT x AS n FROM t ORDER BY n", "t.x:ordered"),
        ("SELECT x AS z FROM t WHERE z > 5", "t.x:compared"),
        ("SELECT n AS x FROM t ORDER BY x", ""),
        ("SELECT n, x FROM t ORDER BY n, x", ""),
        (
            "SELECT n FROM t GROUP BY n HAVING max(x) > 5",
            "t.x:compared t.x:ordered",
        ),
        (
            "SELECT sum(x) OVER (ORDER BY n), lag(x) OVER (ORDER BY n) > 5 FROM t",
            "t.x:added t.x:compared",
        ),
        ("SELECT (SELECT sum(t.x) FROM u) FROM t", "t.x:added"),
        // The inner name hides the outer one.
        ("SELECT sum(x) FROM (SELECT 1 AS x)", ""),
        ("WITH t AS (SELECT 1 AS x) SELECT sum(x) FROM t", ""),
        ("SELECT sum(q.x) FROM t JOIN (SELECT 1 AS x) AS q", ""),
        ("SELECT sum(x) FROM loop", ""),
        // Only the numbers are selected.
        (
            "SELECT avg(x) FROM t WHERE CAST(x AS NUMERIC) = x",
            "t.x:added t.x:cast t.x:filtered",
        ),
    ] {
        assert_eq!(found(statement), wanted, "{statement}");
    }
}

#[test]
fn functions_windows_and_dates_are_looked_into() {
    for (statement, wanted) in [
        ("SELECT sum(trim(x)), avg(x || '') FROM t", "t.x:added"),
        ("SELECT avg(abs(x)), round(x, 1) FROM t", "t.x:cast"),
        (
            "SELECT n FROM t WHERE abs(x) > 10 OR sqrt(n) > 1",
            "t.x:cast",
        ),
        (
            "SELECT rank() OVER (PARTITION BY n ORDER BY x DESC, n) FROM t",
            "t.x:ordered",
        ),
        (
            "SELECT count(*) OVER w FROM t WINDOW w AS (ORDER BY x)",
            "t.x:ordered",
        ),
        (
            "SELECT n FROM t WHERE x >= '2025-01-01' AND x < '2026' AND n > '2025-01-01'",
            "t.x:date",
        ),
        (
            "SELECT n FROM t WHERE x BETWEEN '2025-01-01' AND '2025-12-31 23:59'",
            "t.x:date",
        ),
        ("SELECT sum(x || 'a'), sum(replace(x, ',', '')) FROM t", ""),
    ] {
        assert_eq!(found(statement), wanted, "{statement}");
    }
}

#[test]
fn changes_of_tables_are_seen() {
    let origin = |table: &str, column: &str| {
        Some(Origin {
            table: table.to_owned(),
            column: column.to_owned(),
        })
    };
    let owned = str::to_owned;
    for (statement, wanted) in [
        (
            "DROP TABLE IF EXISTS \"T\"",
            Some(TableChange::Forgotten(owned("T"))),
        ),
        (
            "CREATE TABLE t (x TEXT)",
            Some(TableChange::Forgotten(owned("t"))),
        ),
        ("CREATE TABLE IF NOT EXISTS t (x TEXT)", None),
        (
            "ALTER TABLE t RENAME TO [new name]",
            Some(TableChange::Renamed(owned("t"), owned("new name"))),
        ),
        (
            "ALTER TABLE t RENAME COLUMN x TO z",
            Some(TableChange::ColumnRenamed(
                owned("t"),
                owned("x"),
                owned("z"),
            )),
        ),
        (
            "ALTER TABLE t DROP x",
            Some(TableChange::ColumnDropped(owned("t"), owned("x"))),
        ),
        (
            "CREATE TABLE k AS SELECT n, x AS z, x || 'a' FROM t",
            Some(TableChange::Made(
                owned("k"),
                vec![None, origin("t", "x"), None],
            )),
        ),
        ("CREATE INDEX i ON t(x)", None),
        ("SELECT 1", None),
    ] {
        assert_eq!(table_change(statement, &Fixed), wanted, "{statement}");
    }
}
