//! Look-ups of texts among the values of columns.

use serde_json::{Value, json};

use super::{ask, whole_dump};
use test_support::with;

const PLACES: [(&str, &str); 3] = [
    ("customers", "name"),
    ("customers", "country"),
    ("notes", "body"),
];

fn looked_up(
    db: &test_support::HostDatabase,
    texts: &[&str],
    near: &[&str],
    scope: Value,
) -> Value {
    let columns = PLACES.map(|(table, column)| json!({"table": table, "column": column}));
    let body =
        json!({"do": "lookup", "columns": columns, "texts": texts, "near": near, "scope": scope});
    let found = ask(db, &body).unwrap();
    json!([found["equal"], found["near"], found["unread"]])
}

fn shop() -> test_support::HostDatabase {
    with(
        "CREATE TABLE customers (id INTEGER PRIMARY KEY, business_id TEXT, name TEXT, country TEXT COLLATE BINARY); \
         CREATE TABLE notes (business_id TEXT, body TEXT); \
         INSERT INTO customers VALUES (1, 'b1', 'Guns N'' Roses', 'Norway'), (2, 'b1', 'norway', 'NORWAY'), (3, 'b2', 'Oslo', 'Norway'), (4, 'b1', x'4f736c6f', 7), (5, 'b2', 'The Beatles', NULL); \
         INSERT INTO notes VALUES ('b1', printf('%.*c', 100000, 'x') || 'Norway'), ('b1', 'Norway')",
    )
}

#[test]
fn texts_are_found_whatever_the_case_of_their_letters() {
    let db = shop();
    let before = whole_dump(&db);
    let place = |index: usize, values: Value| json!({"table": PLACES[index].0, "column": PLACES[index].1, "values": values});
    for (texts, near, scope, expected) in [
        (
            vec!["NorWay", "roses"],
            vec![],
            Value::Null,
            json!([
                [
                    place(0, json!(["norway"])),
                    place(1, json!(["NORWAY", "Norway"])),
                    place(2, json!(["Norway"]))
                ],
                [],
                []
            ]),
        ),
        (
            vec!["oslo"],
            vec![],
            Value::Null,
            json!([[place(0, json!(["Oslo"]))], [], []]),
        ),
        (
            vec!["oslo", "the beatles"],
            vec![],
            json!({"column": "business_id", "value": "b1"}),
            json!([[], [], []]),
        ),
        (
            vec!["guns n' roses", "') OR 1=1 --"],
            vec![],
            Value::Null,
            json!([[place(0, json!(["Guns N' Roses"]))], [], []]),
        ),
        (
            vec![],
            vec!["Beatles", "Norwey"],
            Value::Null,
            json!([
                [],
                [
                    place(0, json!(["The Beatles", "norway"])),
                    place(1, json!(["NORWAY", "Norway"])),
                    place(2, json!(["Norway"]))
                ],
                []
            ]),
        ),
        (
            vec![],
            vec!["Beatles"],
            json!({"column": "business_id", "value": "b1"}),
            json!([[], [], []]),
        ),
    ] {
        assert_eq!(
            looked_up(&db, &texts, &near, scope.clone()),
            expected,
            "{texts:?} {near:?} {scope}"
        );
    }
    assert_eq!(whole_dump(&db), before);
}

#[test]
fn columns_beyond_the_budget_are_unread_and_the_first_ones_are_not() {
    let db = with(
        "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, country TEXT); CREATE TABLE notes (body TEXT); INSERT INTO notes VALUES ('Norway'); \
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1200000) INSERT INTO customers SELECT i, 'Norway', 'Norway' FROM n",
    );
    let place = |index: usize| json!({"table": PLACES[index].0, "column": PLACES[index].1});
    let found = looked_up(&db, &["norway"], &[], Value::Null);
    assert_eq!(found[2], json!([place(1)]));
    assert_eq!(found[0].as_array().unwrap().len(), 2, "{found}");
}

#[test]
fn fields_must_be_what_they_must_be() {
    let db = shop();
    for body in [
        json!({"do": "lookup", "columns": [{"table": "a"}], "texts": [], "near": []}),
        json!({"do": "lookup", "columns": [], "texts": "a", "near": []}),
        json!({"do": "lookup", "columns": [], "texts": []}),
    ] {
        assert_eq!(
            ask(&db, &body).unwrap_err().code(),
            "INVALID_ARGUMENT",
            "{body}"
        );
    }
}

/// Looks up "norway" in columns of the table `films`.
fn asked_of(db: &test_support::HostDatabase, columns: &[&str], near: &[&str]) -> Value {
    let columns: Vec<Value> = columns
        .iter()
        .map(|column| json!({"table": "films", "column": column}))
        .collect();
    let body = json!({"do": "lookup", "columns": columns, "texts": ["norway"], "near": near, "scope": null});
    ask(db, &body).unwrap()
}

#[test]
fn all_columns_of_a_table_are_found_in_one_scan_whatever_they_are_called() {
    let columns: Vec<String> = (0..97).map(|number| format!("c{number}")).collect();
    let names = [&["number", "value", "low's \"n\""][..]].concat();
    let mut all: Vec<&str> = names;
    all.extend(columns.iter().map(String::as_str));
    let declared: Vec<String> = all
        .iter()
        .map(|name| format!("\"{}\" TEXT", name.replace('"', "\"\"")))
        .collect();
    let values: Vec<String> = (0..100)
        .map(|number| match number % 3 {
            0 => "'NORWAY'".to_owned(),
            1 => format!("'Norwai {number}'"),
            _ => "NULL".to_owned(),
        })
        .collect();
    let db = with(&format!(
        "CREATE TABLE films ({}); INSERT INTO films VALUES ({})",
        declared.join(", "),
        values.join(", ")
    ));
    let found = asked_of(&db, &all, &["Norwey"]);
    let equal: Vec<&str> = found["equal"]
        .as_array()
        .unwrap()
        .iter()
        .map(|column| column["column"].as_str().unwrap())
        .collect();
    let expected: Vec<&str> = all.iter().step_by(3).copied().collect();
    assert_eq!(equal, expected);
    assert_eq!(found["near"].as_array().unwrap().len(), 34, "{found}");
    assert_eq!(found["unread"], json!([]));
    let twice = asked_of(&db, &["number", "value", "number"], &[]);
    assert_eq!(twice["equal"].as_array().unwrap().len(), 1, "{twice}");
}

#[test]
fn a_column_with_too_many_values_leaves_the_others_to_be_read() {
    let db = with(
        "CREATE TABLE films (code TEXT, kind TEXT, country TEXT); \
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 30000) \
         INSERT INTO films SELECT 'N' || i, 'n' || (i % 5), iif(i = 29999, 'Norway', 'Oslo') FROM n",
    );
    let found = asked_of(&db, &["code", "kind", "country"], &["norwey"]);
    assert_eq!(
        found["unread"],
        json!([{"table": "films", "column": "code"}]),
        "{found}"
    );
    let country = json!([{"table": "films", "column": "country", "values": ["Norway"]}]);
    assert_eq!(found["equal"], country);
    assert_eq!(found["near"], country);
}

#[test]
fn long_rows_and_many_columns_cost_their_work() {
    let columns: Vec<String> = (0..90).map(|number| format!("c{number}")).collect();
    let names: Vec<&str> = columns.iter().map(String::as_str).collect();
    let declared = columns.join(" TEXT, ");
    let db = with(&format!(
        "CREATE TABLE films (big TEXT, {declared} TEXT); \
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 40000) INSERT INTO films (c0, c89) SELECT 'Norway', 'Norway' FROM n"
    ));
    // As many of the first columns are read as the budget covers; a single long row leaves room for
    // none.
    let found = asked_of(&db, &names, &[]);
    let unread = found["unread"].as_array().unwrap().len();
    assert!((30..89).contains(&unread), "{unread}");
    assert_eq!(found["equal"].as_array().unwrap().len(), 1, "{found}");
    let long = with(&format!(
        "CREATE TABLE films (big BLOB, {declared} TEXT); \
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1400) INSERT INTO films (big, c0) SELECT zeroblob(1000000), 'Norway' FROM n"
    ));
    let found = asked_of(&long, &names, &[]);
    assert_eq!(found["unread"].as_array().unwrap().len(), 90, "{found}");
    assert_eq!(found["equal"], json!([]));
}

/// Returns the joins that are found between columns, each as `(percent, names)`.
fn joins_of(db: &test_support::HostDatabase, pairs: &[[(&str, &str); 2]], scope: Value) -> Value {
    let place = |(table, column): (&str, &str)| json!({"table": table, "column": column});
    let joins: Vec<Value> = pairs
        .iter()
        .map(|[child, parent]| json!({"child": place(*child), "parent": place(*parent)}))
        .collect();
    let body = json!({"do": "lookup", "columns": [], "texts": [], "near": [], "joins": joins, "scope": scope});
    let told = ask(db, &body).unwrap();
    let found = told["joins"].as_array().cloned().unwrap_or_default();
    let percents = found
        .iter()
        .map(|join| json!([join["child"]["column"], join["percent"]]));
    percents.collect()
}

#[test]
fn columns_are_joined_by_unique_values_that_the_scope_shows() {
    let db = with(
        "CREATE TABLE cards (business_id TEXT, code TEXT, artist TEXT, year INTEGER); CREATE TABLE sets (business_id TEXT, code TEXT, name TEXT, year INTEGER); \
         INSERT INTO sets VALUES ('b1', 'x', 'Ex', 1999), ('b1', 'y', 'Why', 1999), ('b2', 'z', 'Zed', 2001); \
         INSERT INTO cards VALUES ('b1', 'x', 'Ex', 1999), ('b1', 'x', 'Bo', 1999), ('b1', NULL, 'Cy', 2001), ('b2', 'z', 'Ex', 2001)",
    );
    let before = whole_dump(&db);
    let pairs = [
        [("cards", "code"), ("sets", "code")],
        [("cards", "artist"), ("sets", "name")],
        [("cards", "year"), ("sets", "year")],
    ];
    for (scope, expected) in [
        (Value::Null, json!([["code", 100], ["artist", 33]])),
        (
            json!({"column": "business_id", "value": "b1"}),
            json!([["code", 100], ["artist", 33]]),
        ),
        (
            json!({"column": "business_id", "value": "b2"}),
            json!([["code", 100], ["artist", 0], ["year", 100]]),
        ),
    ] {
        assert_eq!(joins_of(&db, &pairs, scope.clone()), expected, "{scope}");
    }
    assert_eq!(whole_dump(&db), before);
}

#[test]
fn large_tables_are_joined_within_the_budget() {
    let db = with(
        "CREATE TABLE cards (code TEXT); CREATE TABLE sets (code TEXT); \
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) INSERT INTO cards SELECT 'code ' || (i % 50000) FROM n; \
         INSERT INTO sets SELECT DISTINCT code FROM cards",
    );
    let pairs = [[("cards", "code"), ("sets", "code")]];
    assert_eq!(joins_of(&db, &pairs, Value::Null), json!([["code", 100]]));
}

#[test]
fn columns_of_tables_beyond_the_budget_are_not_joined() {
    let db = with(
        "CREATE TABLE cards (code TEXT); CREATE TABLE sets (code TEXT); INSERT INTO sets VALUES ('x'); \
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 600000) INSERT INTO cards SELECT 'x' FROM n",
    );
    let pairs = [[("cards", "code"), ("sets", "code")]];
    assert_eq!(joins_of(&db, &pairs, Value::Null), json!([]));
}
