//! Texts that are looked up among the values of columns.

use serde_json::{Value, json};

use super::{ask, whole_dump};
use crate::session::with;

const PLACES: [(&str, &str); 3] = [
    ("customers", "name"),
    ("customers", "country"),
    ("notes", "body"),
];

fn looked_up(
    db: &crate::support::HostDatabase,
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

fn shop() -> crate::support::HostDatabase {
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
