//! The contents of a refusal: the table, the loop, and the cheaper way, which then works.

use serde_json::Value;

use super::{ROWS, World, bound};
use test_support::steps::End;

/// Returns the refusal of a statement, as its caller gets it.
fn refusal(world: &World, text: &str) -> Value {
    let error = world.guard(&bound(text, &[])).unwrap_err();
    assert_eq!(error.code(), "QUERY_TOO_EXPENSIVE", "{text}");
    error.to_json()
}

fn world() -> World {
    let world = World::empty();
    world.script(
        "CREATE TABLE visits (id INTEGER PRIMARY KEY, \"user name\" TEXT, is_new INTEGER); CREATE TABLE users (name TEXT, country TEXT)",
    );
    world.fill(
        "INSERT INTO visits SELECT i, 'u' || i, i % 2 FROM series",
        ROWS,
    );
    world.fill(
        "INSERT INTO users SELECT 'u' || i, 'c' || (i % 3) FROM series",
        ROWS,
    );
    world
}

/// Returns the statement in a hint, up to the next clause.
fn advised(hint: &str) -> String {
    let start = hint
        .find("CREATE INDEX")
        .unwrap_or_else(|| panic!("no index in {hint:?}"));
    hint.split_at(start)
        .1
        .split("; ")
        .next()
        .unwrap()
        .to_owned()
}

#[test]
fn a_scan_for_each_row_names_the_table_and_the_index_that_mends_it() {
    let texts = [
        // The engine makes no automatic index for sub-queries.
        "SELECT u.name, (SELECT count(*) FROM visits v WHERE v.\"user name\" = u.name) FROM users u",
        "SELECT count(*) FROM users u WHERE NOT EXISTS (SELECT 1 FROM visits v WHERE v.\"user name\" = u.name AND v.is_new = 5)",
        "UPDATE users SET country = (SELECT max(v.id) FROM visits v WHERE v.\"user name\" = users.name)",
    ];
    for text in texts {
        let world = world();
        let error = refusal(&world, text);
        let first = &error["loops"][0];
        assert_eq!(first["over"], "visits", "{error:#}");
        assert_eq!(first["rows"], ROWS, "{error:#}");
        assert!(first["visited"].as_u64() >= Some(ROWS * ROWS), "{error:#}");
        assert!(error["estimatedWork"].as_u64() > error["limit"].as_u64());
        assert!(
            error["plan"]
                .as_array()
                .is_some_and(|lines| !lines.is_empty())
        );
        let index = advised(error["hint"].as_str().unwrap());
        assert_eq!(
            index,
            "CREATE INDEX \"visits_user name\" ON \"visits\" (\"user name\")"
        );
        world.script(&index);
        let bound = bound(text, &[]);
        world
            .guard(&bound)
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        let (taken, _) = world.truth(&bound);
        assert!(
            taken.end == End::Finished && taken.opcodes < super::SHORT,
            "{text}: {taken:?}"
        );
    }
}

#[test]
fn a_key_of_few_values_is_told_to_aggregate_first_and_that_passes() {
    let world = world();
    for index in ["", "CREATE INDEX visits_is_new ON visits (is_new)"] {
        world.script(index);
        let error = refusal(
            &world,
            "SELECT a.is_new, count(*) FROM visits a JOIN visits b ON b.is_new = a.is_new GROUP BY 1",
        );
        let loops = error["loops"].as_array().unwrap();
        assert!(
            loops
                .iter()
                .any(|found| found["over"] == "visits" && found["rows"] == ROWS),
            "{error:#}"
        );
        let hint = error["hint"].as_str().unwrap();
        assert!(
            hint.contains("many rows of visits have the same key: aggregate visits"),
            "{hint}"
        );
        assert!(!hint.contains("CREATE INDEX"), "{hint}");
    }
    world.script(
        "CREATE TABLE by_is_new AS SELECT is_new, count(*) AS n FROM visits GROUP BY is_new",
    );
    let better = "SELECT a.is_new, sum(b.n) FROM visits a JOIN by_is_new b ON b.is_new = a.is_new GROUP BY 1";
    world.guard(&bound(better, &[])).unwrap();
    let within = "WITH b AS (SELECT is_new, count(*) AS n FROM visits GROUP BY is_new) SELECT a.is_new, sum(b.n) FROM visits a JOIN b ON b.is_new = a.is_new GROUP BY 1";
    world.guard(&bound(within, &[])).unwrap();
}

#[test]
fn a_product_is_told_to_join_on_equal_columns() {
    let world = world();
    let error = refusal(
        &world,
        "SELECT count(*) FROM visits a, users b WHERE a.\"user name\" < b.name",
    );
    let hint = error["hint"].as_str().unwrap();
    assert!(
        hint.contains("is read from end to end again and again") && hint.contains("LIMIT"),
        "{hint}"
    );
    let plan = error["plan"].to_string();
    assert!(plan.contains("SCAN a") && plan.contains("SCAN b"), "{plan}");
}

#[test]
fn work_without_a_bound_is_null() {
    let world = world();
    // The view is created without the gate, which gives every recursion a limit.
    world.script("CREATE VIEW endless AS WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT i FROM r");
    let text = "SELECT count(*) FROM endless";
    let error = refusal(&world, text);
    assert_eq!(error["estimatedWork"], Value::Null, "{error:#}");
    assert!(
        error["message"].as_str().unwrap().contains("is unbounded"),
        "{error:#}"
    );
    assert!(
        error["hint"].as_str().unwrap().contains("LIMIT"),
        "{error:#}"
    );
    let (taken, estimated) = world.truth(&bound(text, &[]));
    assert!(
        taken.end == End::Stopped && estimated == u64::MAX,
        "{taken:?}, estimate {estimated}"
    );
}
