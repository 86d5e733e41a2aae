//! Evidence for a question: the values of the tables that match texts in it. They are looked up
//! before a writer begins.
//!
//! The planner decides which texts to look up in which columns. The session compares them with the
//! values, under the scope and within a budget. Columns that were not read completely are listed,
//! so that no writer concludes from a missing match that the value does not exist.

use agent_planner::{Findings, Found, Join, Lookup, Schema};
use serde_json::{Value, json};

/// The field of a schema that holds the results of the look-up.
const FOUND: &str = "found";

/// The prefix of the names of tables that hold the result of an earlier question; digits of a hash
/// follow it.
const RESULT_TABLE: &str = "result_";

/// Removes the tables with results of earlier questions from a schema, unless the question names
/// one.
pub(crate) fn hide_results(schema: &mut Value, question: &str) {
    let is_result = |name: &str| {
        let digits = name.strip_prefix(RESULT_TABLE);
        digits.is_some_and(|digits| {
            digits.len() >= 8 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
        })
    };
    if let Some(tables) = schema.get_mut("tables").and_then(Value::as_array_mut) {
        tables.retain(|table| {
            let name = table
                .get("name")
                .and_then(Value::as_str)
                .unwrap_or_default();
            !is_result(name) || question.contains(name)
        });
    }
}

/// Returns the request that looks up a question; `None` if there is nothing to look up.
pub(crate) fn request(asked: &Lookup, near: &[String]) -> Option<Value> {
    let is_empty = asked.columns.is_empty() || asked.texts.is_empty() && near.is_empty();
    let columns: Vec<Value> = asked.columns.iter().map(place).collect();
    let joins = asked.joins.iter();
    let joins =
        joins.map(|join| json!({ "child": place(&join.child), "parent": place(&join.parent) }));
    let joins: Vec<Value> = joins.collect();
    (!is_empty || !joins.is_empty()).then(|| {
        json!({ "do": "lookup", "columns": columns, "texts": asked.texts, "near": near, "joins": joins })
    })
}

fn place((table, column): &(String, String)) -> Value {
    json!({ "table": table, "column": column })
}

/// Adds the results of a look-up to the schema. Without a response, all of its columns are listed
/// as unread.
pub(crate) fn add(schema: &mut Value, asked: &Lookup, told: Option<Value>) {
    let mut told = told.unwrap_or_else(|| {
        let unread: Vec<Value> = asked.columns.iter().map(place).collect();
        json!({ "unread": unread })
    });
    let left_out = asked.left_out.iter().map(place);
    if let Some(unread) = told.get_mut("unread").and_then(Value::as_array_mut) {
        unread.extend(left_out);
    }
    let Some(fields) = schema.as_object_mut() else {
        return;
    };
    match fields.get_mut(FOUND).and_then(Value::as_object_mut) {
        // The second look-up returns only values that resemble a text.
        Some(found) => {
            let near = told.get("near").cloned().unwrap_or_default();
            found.insert("near".to_owned(), near);
        }
        None => {
            fields.insert(FOUND.to_owned(), told);
        }
    }
}

/// Returns the values that equal a text of the question, and those that only resemble one, as the
/// prompt lists them.
pub(crate) fn told(schema: &Value) -> Option<Value> {
    let found = schema.get(FOUND)?;
    let has = |name: &str| {
        found
            .get(name)
            .and_then(Value::as_array)
            .is_some_and(|list| !list.is_empty())
    };
    (has("equal") || has("near"))
        .then(|| json!({ "equal": found.get("equal"), "near": found.get("near") }))
}

/// Adds the results of the look-up to the planner's schema.
pub(crate) fn learn(planned: &mut Schema, schema: &Value) {
    let list = |name: &str| {
        let list = schema.get(FOUND).and_then(|found| found.get(name));
        list.and_then(Value::as_array).into_iter().flatten()
    };
    let text = |value: &Value, name: &str| {
        value
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let named = |place: &Value| (text(place, "table"), text(place, "column"));
    let values = |found: &Value| Found {
        table: text(found, "table"),
        column: text(found, "column"),
        values: found
            .get("values")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|value| value.as_str().map(str::to_owned))
            .collect(),
    };
    planned.learn(&Findings {
        equal: list("equal").map(values).collect(),
        near: list("near").map(values).collect(),
        unread: list("unread").map(&named).collect(),
        joins: list("joins")
            .filter_map(|found| {
                let end = |name: &str| found.get(name).map(&named);
                let percent = found.get("percent").and_then(Value::as_u64)?;
                let join = Join {
                    child: end("child")?,
                    parent: end("parent")?,
                };
                Some((join, u8::try_from(percent).ok()?))
            })
            .collect(),
    });
}
