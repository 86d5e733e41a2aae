//! Names do not matter: aliases, tables, columns and indexes may be called like the words of a
//! plan, or `rowid`.

use super::{check, passes, refused};

#[test]
fn an_alias_that_looks_like_a_plan_bounds_nothing() {
    check(&[
        refused(
            r#"SELECT count(*) FROM many "CONSTANT ROW a" JOIN many b ON b.k < "CONSTANT ROW a".k"#,
        ),
        refused(
            r#"SELECT count(*) FROM many "2-ROW VALUES CLAUSE", many "2 CONSTANT ROWS" WHERE "2-ROW VALUES CLAUSE".k <> "2 CONSTANT ROWS".k"#,
        ),
        refused(
            r#"SELECT count(*) FROM (SELECT 1 AS x) r, many "r USING x", many "r USING x (a=?)" WHERE "r USING x".k + r.x > "r USING x (a=?)".k"#,
        ),
        refused(
            r#"SELECT count(*) FROM many "a USING INTEGER PRIMARY KEY (rowid=?)", many "SEARCH b USING COVERING INDEX i (k=?)" WHERE "a USING INTEGER PRIMARY KEY (rowid=?)".k > "SEARCH b USING COVERING INDEX i (k=?)".k"#,
        ),
        refused(
            r#"SELECT count(*) FROM many "SCALAR SUBQUERY 1", many "USE TEMP B-TREE FOR ORDER BY" WHERE "SCALAR SUBQUERY 1".k <> "USE TEMP B-TREE FOR ORDER BY".k"#,
        ),
        refused(
            r#"SELECT count(*) FROM many "LIST SUBQUERY 2" JOIN many "CO-ROUTINE c" ON "LIST SUBQUERY 2".k > "CO-ROUTINE c".k"#,
        ),
        refused(
            r#"WITH "CONSTANT ROW" AS (SELECT k FROM many), "SCAN 1 CONSTANT ROW" AS (SELECT k FROM many) SELECT count(*) FROM "CONSTANT ROW" x, "SCAN 1 CONSTANT ROW" y WHERE x.k > y.k"#,
        ),
        refused(
            "SELECT count(*) FROM many \"a\nSCAN CONSTANT ROW\" JOIN many b ON b.k > \"a\nSCAN CONSTANT ROW\".k",
        ),
        refused(
            r#"SELECT count(*) FROM many "Rewind" JOIN many "Next 0 0 0" ON "Rewind".k > "Next 0 0 0".k"#,
        ),
        passes(
            r#"SELECT count(*) FROM many "CONSTANT ROW a" JOIN many b ON b.id = "CONSTANT ROW a".id"#,
        ),
        passes(
            r#"SELECT count(*) FROM (SELECT 1 AS x) r, many "r USING x" WHERE "r USING x".k > r.x"#,
        ),
        passes(
            r#"SELECT "SCAN x".k FROM many "SCAN x" JOIN plain "SCAN y" ON "SCAN y".code = "SCAN x".code"#,
        ),
    ]);
}

#[test]
fn a_table_column_or_index_that_looks_like_a_plan_bounds_nothing() {
    check(&[
        refused(
            r#"SELECT count(*) FROM "CONSTANT ROW" x JOIN "CONSTANT ROW" y ON y."a=?" > x."a=?""#,
        ),
        refused(
            r#"SELECT count(*) FROM "CONSTANT ROW" x, "CONSTANT ROW" y INDEXED BY "x (rowid=?)" WHERE y."a=?" > 0 AND x.id > 0"#,
        ),
        refused(
            r#"SELECT count(*) FROM "CONSTANT ROW" x JOIN "CONSTANT ROW" y ON y."rowid=?" = x."rowid=?""#,
        ),
        refused(r#"SELECT count(*) FROM "SCAN b" s, "MATERIALIZE x" m WHERE s.v <> m.v"#),
        refused(
            r#"SELECT count(*) FROM "SCAN b" "MATERIALIZE x", "MATERIALIZE x" "SCAN b" WHERE "SCAN b".v + "MATERIALIZE x".v > 0"#,
        ),
        passes(
            r#"SELECT count(*) FROM "CONSTANT ROW" x JOIN "CONSTANT ROW" y ON y."a=?" = x."a=?""#,
        ),
        passes(r#"SELECT count(*) FROM "SCAN b" s JOIN "MATERIALIZE x" m ON s.v = m.v"#),
    ]);
}

#[test]
fn rows_are_not_taken_from_a_column_called_rowid_or_from_the_distance_of_rowids() {
    check(&[
        refused("SELECT count(*) FROM own x JOIN own y ON y.rowid = x.rowid"),
        refused("SELECT count(*) FROM own x, own y WHERE x.v <> y.v"),
        refused("SELECT count(*) FROM own x, own y WHERE y.rowid IN (1, 2)"),
        refused("SELECT count(*) FROM sparse x, sparse y WHERE x.v > y.v"),
        passes("SELECT count(*) FROM own x JOIN own y ON y._rowid_ = x.v"),
        passes("SELECT rowid, count(*) FROM own GROUP BY rowid"),
        passes("SELECT count(*) FROM own x JOIN many y ON y.id = x.rowid"),
        passes(
            "SELECT count(*) FROM sparse x JOIN many m ON m.id = x.v JOIN sparse y ON y.id = x.id",
        ),
        passes("SELECT count(*) FROM many m JOIN sparse s ON s.id = m.id * 1000000007"),
    ]);
}
