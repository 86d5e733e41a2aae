//! Joins by a key and by columns with few values, estimated from counts of the data.

use super::{World, bound, check, passes, policy, refused};
use base::Error;

#[test]
fn a_join_on_few_values_is_refused_and_a_join_on_a_key_passes() {
    check(&[
        refused("SELECT count(*) FROM many a JOIN many b ON a.flag = b.flag"),
        refused("SELECT count(*) FROM many a JOIN many b USING (n)"),
        refused("SELECT count(*) FROM many a JOIN many b ON a.flag = b.flag AND a.n = b.n"),
        refused("SELECT count(*) FROM other a JOIN other b ON a.few = b.few"),
        refused("SELECT count(*) FROM plain a JOIN plain b ON a.flag = b.flag"),
        refused("SELECT count(*) FROM many a JOIN many b ON lower(a.flag) = lower(b.flag)"),
        refused(
            "SELECT count(*) FROM (SELECT flag, n FROM many) NATURAL JOIN (SELECT flag, code FROM many)",
        ),
        refused(
            "SELECT count(*) FROM many a JOIN other b ON b.id BETWEEN a.id - 2000 AND a.id + 2000",
        ),
        passes("SELECT count(*) FROM many a JOIN many b ON a.k = b.k"),
        passes("SELECT count(*) FROM many a JOIN many b ON a.code = b.code"),
        passes("SELECT count(*) FROM many a JOIN many b ON a.flag = b.flag AND a.k = b.k"),
        passes("SELECT count(*) FROM many a JOIN plain b USING (code)"),
        passes("SELECT count(*) FROM many a JOIN other b ON b.some = a.id"),
        passes("SELECT count(*) FROM other a JOIN other b ON a.some = b.some"),
        passes(
            "SELECT count(*) FROM many a JOIN many b ON b.id = a.k JOIN many c ON c.code = b.code",
        ),
    ]);
}

#[test]
fn outer_joins_count_as_inner_ones_and_their_rows_without_a_match() {
    check(&[
        refused("SELECT count(b.id) FROM many a LEFT JOIN many b ON b.flag = a.flag"),
        refused("SELECT count(b.id) FROM many a LEFT JOIN many b ON b.k > a.k"),
        refused("SELECT count(*) FROM many a RIGHT JOIN many b ON b.n = a.n"),
        refused("SELECT count(*) FROM many a FULL JOIN many b ON b.flag = a.flag"),
        refused("SELECT count(*) FROM many a FULL JOIN many b ON b.k < a.k"),
        passes("SELECT count(b.id) FROM many a LEFT JOIN many b ON b.k = a.k + 1"),
        passes("SELECT count(*) FROM many a LEFT JOIN other b ON b.id = a.id WHERE b.id IS NULL"),
        refused("SELECT count(*) FROM many a RIGHT JOIN many b ON b.k = a.k"),
        passes("SELECT count(*) FROM many a FULL JOIN other b ON b.id = a.id"),
    ]);
}

#[test]
fn equal_never_matches_null_and_is_does() {
    check(&[
        passes("SELECT count(*) FROM holes a JOIN holes b ON a.k = b.k"),
        passes("SELECT count(*) FROM bare_holes a JOIN bare_holes b ON a.k = b.k"),
        passes("SELECT count(*) FROM holes a LEFT JOIN bare_holes b ON a.k = b.k"),
        refused("SELECT count(*) FROM holes a JOIN holes b ON a.k IS b.k"),
        refused("SELECT count(*) FROM bare_holes a JOIN bare_holes b ON a.k IS b.k"),
        refused("SELECT count(*) FROM bare_holes a JOIN holes b ON a.k IS NOT DISTINCT FROM b.k"),
    ]);
}

/// Returns the gate's verdict on a text with the counts that the world remembers.
fn said(world: &World, text: &str) -> Result<(), Error> {
    world.guard(&bound(text, &[]))
}

#[test]
fn counts_that_are_remembered_follow_tables_that_grow() {
    for index in [
        "",
        "CREATE INDEX t_flag ON t (flag); CREATE INDEX t_k ON t (k)",
    ] {
        let world = World::empty();
        world.script(&format!(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, k INTEGER, flag INTEGER); {index}"
        ));
        let on_flag = "SELECT count(*) FROM t a JOIN t b ON b.flag = a.flag";
        let on_key = "SELECT count(*) FROM t a JOIN t b ON b.k = a.k";
        world.fill("INSERT INTO t (k, flag) SELECT i, i % 2 FROM series", 50);
        for text in [on_flag, on_key] {
            said(&world, text).unwrap_or_else(|error| panic!("{index}: {text}: {error}"));
        }
        // The rows are added in small steps, each of which the remembered counts could miss.
        for _ in 0..25 {
            world.fill(
                "INSERT INTO t (k, flag) SELECT (SELECT max(k) FROM t) + i, i % 2 FROM series",
                100,
            );
            let text = bound(on_flag, &[]);
            if said(&world, on_flag).is_ok() {
                let (taken, _) = world.truth(&text);
                assert!(
                    taken.opcodes < super::LIMIT,
                    "{index}: {} instructions pass",
                    taken.opcodes
                );
            }
        }
        assert_eq!(
            said(&world, on_flag).unwrap_err().code(),
            "QUERY_TOO_EXPENSIVE",
            "{index}"
        );
        let (taken, _) = world.truth(&bound(on_flag, &[]));
        assert!(taken.opcodes > super::LONG, "{index}: {taken:?}");
        said(&world, on_key).unwrap_or_else(|error| panic!("{index}: {on_key}: {error}"));
        // A refused statement passes after the values have changed.
        world.script("UPDATE t SET flag = k");
        said(&world, on_flag).unwrap_or_else(|error| panic!("{index}: {on_flag}: {error}"));
    }
}

#[test]
fn counts_follow_a_table_that_is_made_again_under_its_name() {
    let world = World::empty();
    let text = "SELECT count(*) FROM t a, t b WHERE a.v <> b.v";
    world.script("CREATE TABLE t (v INTEGER)");
    said(&world, text).unwrap();
    world.script("DROP TABLE t; CREATE TABLE filler (v); CREATE TABLE t (v INTEGER)");
    world.fill("INSERT INTO t SELECT i FROM series", super::ROWS);
    assert_eq!(
        said(&world, text).unwrap_err().code(),
        "QUERY_TOO_EXPENSIVE"
    );
    world.script("DELETE FROM t WHERE v > 20");
    said(&world, text).unwrap();
}

#[test]
fn remembered_counts_say_no_less_than_new_ones() {
    let world = World::new();
    for text in [
        "SELECT count(*) FROM many a JOIN many b ON a.flag = b.flag",
        "SELECT count(*) FROM other a JOIN other b ON a.few = b.few",
    ] {
        let bound = bound(text, &[]);
        let remembered = world.guard(&bound).unwrap_err();
        let again = world.guard(&bound).unwrap_err();
        let new = sql_cost::guard(&world.db, &bound, &policy()).unwrap_err();
        for error in [remembered, again] {
            assert_eq!(error.to_json(), new.to_json(), "{text}");
        }
    }
}
