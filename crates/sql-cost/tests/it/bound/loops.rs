//! Loops: OR terms and lists, JSON, views, window frames, sorters, coroutines, sub-queries for each
//! row, limits and recursion.

use super::{check, numbers, passes, refused};

#[test]
fn or_terms_and_lists_are_looked_up_for_each_outer_row() {
    let list: Vec<String> = (1..=800).map(|number| number.to_string()).collect();
    let list = list.join(",");
    check(&[
        refused("SELECT count(*) FROM many a JOIN other b ON b.few = a.n OR b.some = a.k"),
        refused("SELECT count(*) FROM many a, other b WHERE b.p > a.k - 2000000 OR b.q > a.k"),
        refused("SELECT count(*) FROM other a JOIN other b ON b.few = a.few OR b.few = a.few + 1"),
        passes("SELECT count(*) FROM many a JOIN other b ON b.p = a.k OR b.q = a.k"),
        passes("SELECT count(*) FROM many a LEFT JOIN other b ON b.id = a.id OR b.p = a.k"),
        refused("SELECT count(*) FROM many a JOIN many b ON b.rowid IN (SELECT id FROM other)"),
        refused(
            "SELECT count(*) FROM many a, many b WHERE b.rowid IN (SELECT c.id FROM many c WHERE c.k <> a.k)",
        ),
        refused(
            "SELECT count(*) FROM many a WHERE a.k NOT IN (SELECT b.k FROM many b WHERE b.id <> a.id)",
        ),
        refused(format!(
            "SELECT count(*) FROM many a, other b WHERE b.id IN ({list}) AND b.p <> a.k"
        )),
        refused(format!(
            "SELECT count(*) FROM many a CROSS JOIN other b WHERE b.some IN ({list})"
        )),
        passes("SELECT count(*) FROM many WHERE rowid IN (SELECT id FROM other)"),
        passes("SELECT count(*) FROM many WHERE k IN (SELECT p FROM other)"),
        passes(format!("SELECT count(*) FROM many WHERE id IN ({list})")),
        passes("SELECT count(*) FROM many a JOIN other b ON b.id IN (a.id, a.k, 7)"),
    ]);
}

#[test]
fn a_list_of_json_is_as_long_as_its_text_may_be() {
    check(&[
        refused(
            "SELECT count(*) FROM json_each('[' || replace(hex(zeroblob(400000)), '00', '1,') || '1]') WHERE value > 0",
        ),
        refused("SELECT count(*) FROM long_lists l, json_each(l.body) j WHERE j.value > 0"),
        refused(
            "SELECT count(*) FROM json_each((SELECT json_group_array(id) FROM many)) a, json_each((SELECT json_group_array(id) FROM many)) b WHERE a.value <> b.value",
        ),
        refused("SELECT count(*) FROM many m, json_each(?1) j WHERE j.value <> m.k")
            .with(numbers(2_000)),
        refused("SELECT count(*) FROM json_each(?1) a, json_tree(?1) b WHERE a.value <> b.id")
            .with(numbers(1_500)),
        passes("SELECT count(*) FROM many m, json_each(?1) j WHERE j.value = m.k").with(numbers(8)),
        passes("SELECT m.code FROM json_each(?1) j JOIN many m ON m.id = j.value")
            .with(numbers(2_000)),
        passes("SELECT l.id, j.value FROM lists l, json_each(l.body) j"),
        passes(
            "SELECT j.value, count(*) FROM lists l, json_each(l.body) j GROUP BY j.value ORDER BY 2 DESC LIMIT 10",
        ),
        passes("SELECT value FROM json_each('[1, 2, 3]') ORDER BY value DESC"),
    ]);
}

#[test]
fn what_stands_in_a_view_counts() {
    check(&[
        refused("SELECT count(*) FROM counted WHERE i > 0"),
        refused("SELECT count(*) FROM many m WHERE m.k IN (SELECT i FROM counted)"),
        refused("SELECT count(*) FROM pairs WHERE x <> y"),
        refused("SELECT max(n) FROM pairs_of_pairs"),
        refused("SELECT count(*) FROM keyed a, keyed b WHERE a.x <> b.x"),
        refused("SELECT max(rest) FROM around"),
        passes("SELECT x, y FROM pairs LIMIT 20"),
        passes("SELECT i FROM counted_a_little ORDER BY i DESC"),
        passes("SELECT count(*) FROM keyed WHERE x > 5"),
        passes("SELECT max(place) FROM ranked"),
    ]);
}

#[test]
fn a_window_that_steps_over_its_whole_frame_for_each_row_is_refused() {
    let frame = |function: &str, frame: &str| {
        format!("SELECT max(x) FROM (SELECT {function} OVER (ORDER BY id {frame}) AS x FROM many)")
    };
    let everything = "BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING";
    check(&[
        refused(frame(
            "sum(k)",
            &format!("ROWS {everything} EXCLUDE CURRENT ROW"),
        )),
        refused(frame(
            "max(k)",
            &format!("RANGE {everything} EXCLUDE GROUP"),
        )),
        refused(frame(
            "count(*)",
            &format!("GROUPS {everything} EXCLUDE TIES"),
        )),
        refused(frame(
            "max(k)",
            "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE TIES",
        )),
        refused(frame(
            "json_group_array(k)",
            "ROWS BETWEEN 2000 PRECEDING AND 1000 FOLLOWING EXCLUDE CURRENT ROW",
        )),
        refused(
            "SELECT max(x) FROM (SELECT sum(a.k) OVER (PARTITION BY a.n ORDER BY b.k) AS x FROM many a, many b)",
        ),
        passes(frame("sum(k)", &format!("ROWS {everything}"))),
        passes(frame("max(k)", "ROWS BETWEEN 5 PRECEDING AND 5 FOLLOWING")),
        passes(frame(
            "avg(k)",
            "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
        )),
        passes(frame("lag(k, 3)", "")),
        passes(
            "SELECT id, row_number() OVER (PARTITION BY flag ORDER BY k), first_value(k) OVER (PARTITION BY n ORDER BY id) FROM many",
        ),
    ]);
}

#[test]
fn sorters_and_distinct_count_what_goes_into_them() {
    check(&[
        refused("SELECT a.id FROM many a, many b ORDER BY a.k - b.k LIMIT 1"),
        refused("SELECT count(*) FROM (SELECT DISTINCT a.k, b.id FROM many a, many b)"),
        refused("SELECT count(DISTINCT a.k + b.k) FROM many a, many b"),
        refused("SELECT a.n, count(*) FROM many a, many b GROUP BY a.n"),
        refused("SELECT count(*) FROM (SELECT a.k FROM many a, many b UNION SELECT 1)"),
        passes("SELECT DISTINCT flag, n FROM many ORDER BY k DESC"),
        passes(
            "SELECT k % 10, count(DISTINCT flag), sum(n) FROM many GROUP BY 1 HAVING count(*) > 1 ORDER BY 2 DESC",
        ),
        passes("SELECT k FROM many UNION SELECT p FROM other ORDER BY 1"),
        passes("SELECT k FROM many EXCEPT SELECT p FROM other"),
    ]);
}

#[test]
fn what_runs_for_each_outer_row_is_multiplied_by_them() {
    check(&[
        refused("SELECT sum((SELECT count(*) FROM many b WHERE b.k > a.k)) FROM many a"),
        refused(
            "SELECT count(*) FROM many a WHERE NOT EXISTS (SELECT 1 FROM many b WHERE b.k < a.k - 2000000)",
        ),
        refused(
            "SELECT a.id FROM many a ORDER BY (SELECT max(b.k) FROM many b WHERE b.n <> a.n) LIMIT 1",
        ),
        refused(
            "SELECT count(*) FROM (SELECT a.k FROM many a, many b LIMIT 100000000) WHERE k > 0",
        ),
        refused(
            "SELECT count(*) FROM many a LEFT JOIN (SELECT k FROM many ORDER BY k LIMIT 2000) x ON x.k > a.k",
        ),
        refused(
            "WITH m AS MATERIALIZED (SELECT k FROM many) SELECT count(*) FROM m a, m b WHERE a.k * b.k = -1",
        ),
        refused(
            "SELECT CASE WHEN a.n >= 0 THEN (SELECT group_concat(b.k) FROM many b WHERE b.n >= a.n) END FROM many a",
        ),
        passes("SELECT sum((SELECT b.k FROM many b WHERE b.id = a.k)) FROM many a"),
        passes("SELECT count(*) FROM many a WHERE EXISTS (SELECT 1 FROM other b WHERE b.p = a.k)"),
        passes(
            "SELECT count(*), (SELECT max(k) FROM many), (SELECT count(*) FROM other) FROM many WHERE k > (SELECT avg(k) FROM many)",
        ),
        passes(
            "SELECT count(*) FROM (SELECT k FROM many ORDER BY k LIMIT 10) x, many m WHERE m.k > x.k",
        ),
        passes(
            "WITH best AS (SELECT n, max(k) AS k FROM many GROUP BY n) SELECT m.id FROM best b JOIN many m ON m.n = b.n AND m.k = b.k",
        ),
    ]);
}

#[test]
fn a_limit_with_a_number_bounds_a_product_and_nothing_else_does() {
    check(&[
        passes("SELECT a.id, b.id FROM many a, many b LIMIT 100"),
        passes("SELECT a.id, b.id FROM many a CROSS JOIN many b LIMIT 10 OFFSET 1000"),
        passes("SELECT count(*) FROM (SELECT 1 FROM many a, many b, many c LIMIT 5000)"),
        refused("SELECT a.id, b.id FROM many a, many b LIMIT 10 OFFSET 2000000"),
        refused("SELECT a.id, b.id FROM many a, many b LIMIT -1"),
        refused("SELECT a.id FROM many a, many b WHERE a.k + b.k < 0 LIMIT 1"),
    ]);
}

#[test]
fn a_recursion_counts_as_long_as_its_limit() {
    let recursion = |limit: &str| {
        format!(
            "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r {limit}) SELECT count(*) FROM r"
        )
    };
    check(&[
        passes(recursion("LIMIT 2000")),
        refused(recursion("")),
        refused(recursion("LIMIT 400000")),
        refused(recursion("LIMIT -1")),
        refused(recursion("LIMIT 10 OFFSET 500000")),
        refused(
            "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT r.i + m.n FROM r, many m LIMIT 1000000) SELECT count(*) FROM r",
        ),
        refused(
            "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT (SELECT count(*) FROM many WHERE k > r.i) + i FROM r LIMIT 2000) SELECT max(i) FROM r",
        ),
        refused(
            "WITH RECURSIVE a(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM a LIMIT 2000), b(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM b LIMIT 2000) SELECT count(*) FROM a, b WHERE a.i * b.i < 0",
        ),
        passes(
            "WITH RECURSIVE path(id) AS (SELECT 1 UNION SELECT m.k FROM path p JOIN many m ON m.id = p.id LIMIT 1000) SELECT count(*) FROM path",
        ),
        passes(
            "WITH RECURSIVE day(d) AS (SELECT 1 UNION ALL SELECT d + 1 FROM day LIMIT 365) SELECT d, count(m.id) FROM day LEFT JOIN many m ON m.k = d GROUP BY d",
        ),
    ]);
}
