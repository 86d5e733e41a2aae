//! Statements that write: the rows that they read count, and the rows that they write cost more.

use super::{check, passes, refused};

#[test]
fn deleting_a_parent_looks_for_its_children() {
    check(&[
        refused("DELETE FROM parents WHERE id > 0"),
        refused("DELETE FROM parents WHERE id IN (SELECT id FROM many)"),
        passes("DELETE FROM parents WHERE id = 5"),
        passes("DELETE FROM indexed_parents WHERE id <= 900"),
        passes("DELETE FROM children"),
    ]);
}

#[test]
fn a_write_counts_what_it_reads_for_each_row() {
    check(&[
        refused("UPDATE other SET q = m.k FROM many m WHERE m.n = other.few"),
        refused("UPDATE many SET n = (SELECT max(b.k) FROM many b WHERE b.n <> many.n)"),
        refused("DELETE FROM many WHERE NOT EXISTS (SELECT 1 FROM other o WHERE o.p + many.k < 0)"),
        refused("INSERT INTO other (p) SELECT a.k FROM many a, many b"),
        refused(
            "INSERT INTO plain SELECT a.id || '-' || b.id, 'y' FROM many a, many b WHERE a.flag = b.flag",
        ),
        refused(
            "INSERT INTO other (id, p) SELECT a.id % 100, b.k FROM many a, many b WHERE true ON CONFLICT DO NOTHING",
        ),
        refused("CREATE TABLE copy AS SELECT a.id AS a, b.id AS b FROM many a, many b"),
        passes("UPDATE other SET few = m.k FROM many m WHERE m.id = other.id AND m.id < 1000"),
        passes("UPDATE many SET n = n + 1"),
        passes("DELETE FROM many WHERE id IN (SELECT id FROM other)"),
        passes(
            "INSERT INTO sparse SELECT k * 3, n FROM many WHERE true ON CONFLICT (id) DO UPDATE SET v = excluded.v",
        ),
        passes("INSERT INTO plain SELECT 'd' || id, flag FROM many"),
        passes(
            "CREATE TABLE copy AS SELECT a.id, b.flag FROM many a JOIN plain b ON b.code = a.code",
        ),
        passes("CREATE INDEX many_k ON many (k)"),
    ]);
}

#[test]
fn rows_that_are_written_after_the_last_look_at_a_table_are_none_of_its_loop() {
    check(&[
        passes("UPDATE other SET few = few + 1 WHERE few > 3"),
        passes("UPDATE other SET p = p + 1, q = q + 1 WHERE p > 3 OR q > 3"),
        passes("INSERT INTO other (p, q) SELECT p, q FROM other"),
        passes("INSERT OR REPLACE INTO sparse SELECT id + 1, v FROM sparse"),
        passes("DELETE FROM other WHERE few > 3"),
        passes("DROP TABLE other"),
        passes("DROP TABLE words"),
        passes("DROP INDEX other_few"),
        passes("DROP VIEW pairs"),
        passes("ALTER TABLE other ADD COLUMN more TEXT"),
        passes("ALTER TABLE other RENAME TO another"),
        passes("ALTER TABLE other RENAME COLUMN few TO fewer"),
        passes("ALTER TABLE own DROP COLUMN v"),
    ]);
}

#[test]
fn a_full_text_index_counts_as_all_its_rows() {
    check(&[
        refused(
            "SELECT count(*) FROM many m, words w WHERE w.words MATCH 'alpha' AND m.k <> w.rowid",
        ),
        refused("SELECT count(*) FROM words a, words b WHERE a.body <> b.body"),
        passes("SELECT count(*) FROM words WHERE words MATCH 'alpha'"),
        passes(
            "SELECT rowid, body FROM words WHERE words MATCH 'word7 OR word8' ORDER BY rank LIMIT 5",
        ),
        passes(
            "SELECT m.code FROM words w JOIN many m ON m.id = w.rowid WHERE w.words MATCH 'alpha'",
        ),
        passes("INSERT INTO words (body) VALUES ('beta'), ('gamma')"),
    ]);
}
