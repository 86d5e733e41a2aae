//! The choice of the tables that a prompt describes. If all tables fit into the tokens for them,
//! the prompt describes all. Otherwise those that share words with the question come first, each
//! with the tables that it refers to, until the tokens are spent. The names of the other tables are
//! listed if there is still room.

use serde_json::{Map, Value};

use crate::limits::BYTES_OF_A_TOKEN;
use crate::words;
use base::words as names;

/// The weight of a word in the name of a table. A word among the values of a column weighs 1.
const TABLE_WEIGHT: u32 = 4;
/// The weight of a word in the name of a column.
const COLUMN_WEIGHT: u32 = 2;
/// Names of hidden tables that a writer sees: enough to notice that an import lacks its column.
const MAX_HIDDEN: usize = 5;

/// Returns the names of tables that no business can see, because they have no column for the
/// business and are not listed as global.
pub fn hidden(schema: &Value) -> Vec<&str> {
    let names = schema.get("hidden").and_then(Value::as_array);
    let names = names.into_iter().flatten();
    names.filter_map(Value::as_str).take(MAX_HIDDEN).collect()
}

/// Returns the tables of a schema that a question is about: `{tables, otherTables?,
/// hiddenTables?}`.
pub fn relevant(schema: &Value, question: &str, limit_tokens: usize) -> Value {
    let empty = Vec::new();
    let tables = schema
        .get("tables")
        .and_then(Value::as_array)
        .unwrap_or(&empty);
    let limit_bytes = limit_tokens.saturating_mul(BYTES_OF_A_TOKEN);
    let wanted: Vec<String> = words::of(question).map(|word| stem(&word)).collect();
    let mut order: Vec<(u32, usize)> = tables
        .iter()
        .enumerate()
        .map(|(at, table)| (score(table, &wanted) + found_in(schema, table), at))
        .collect();
    order.sort_by_key(|(score, at)| (std::cmp::Reverse(*score), *at));
    let ranked = with_references(tables, &order);

    let mut spent = 0;
    let mut chosen = Vec::new();
    let mut others = Vec::new();
    for at in ranked {
        let Some(table) = tables.get(at) else {
            continue;
        };
        let bytes = table.to_string().len();
        if spent + bytes <= limit_bytes {
            spent += bytes;
            chosen.push(table.clone());
        } else if let Some(name) = table.get("name").and_then(Value::as_str)
            && spent + name.len() <= limit_bytes
        {
            spent += name.len();
            others.push(name);
        }
    }
    let mut told = Map::new();
    told.insert("tables".to_owned(), chosen.into());
    for (name, names) in [("otherTables", others), ("hiddenTables", hidden(schema))] {
        if !names.is_empty() {
            told.insert(name.to_owned(), names.into());
        }
    }
    Value::Object(told)
}

/// Returns the positions of the tables in their order, and directly after each table those that it
/// refers to.
fn with_references(tables: &[Value], order: &[(u32, usize)]) -> Vec<usize> {
    let position = |name: &str| {
        tables
            .iter()
            .position(|table| table.get("name").and_then(Value::as_str) == Some(name))
    };
    let mut ranked = Vec::with_capacity(tables.len());
    for (score, at) in order {
        let mut add = |at: usize| {
            if !ranked.contains(&at) {
                ranked.push(at);
            }
        };
        add(*at);
        if *score == 0 {
            continue;
        }
        let columns = tables.get(*at).and_then(|table| table.get("columns"));
        for column in columns.and_then(Value::as_array).into_iter().flatten() {
            let target = column.pointer("/references/table").and_then(Value::as_str);
            if let Some(at) = target.and_then(position) {
                add(at);
            }
        }
    }
    ranked
}

/// Returns the score of a table for the columns that contain values of the question.
fn found_in(schema: &Value, table: &Value) -> u32 {
    let found = schema.pointer("/found/equal").and_then(Value::as_array);
    let of = |found: &&Value| found.get("table") == table.get("name");
    let columns = found.into_iter().flatten().filter(of).count();
    u32::try_from(columns)
        .unwrap_or(u32::MAX)
        .saturating_mul(COLUMN_WEIGHT)
}

fn score(table: &Value, wanted: &[String]) -> u32 {
    let hits = |name: &str| {
        let words: Vec<String> = names::split(name).iter().map(|word| stem(word)).collect();
        let count = wanted.iter().filter(|word| words.contains(word)).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    let name = table
        .get("name")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let mut score = hits(name).saturating_mul(TABLE_WEIGHT);
    let columns = table.get("columns").and_then(Value::as_array);
    for column in columns.into_iter().flatten() {
        let name = column
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        score = score.saturating_add(hits(name).saturating_mul(COLUMN_WEIGHT));
        let values = column.get("distinct").and_then(Value::as_array);
        let words = values.into_iter().flatten().filter_map(Value::as_str);
        score = score.saturating_add(words.map(hits).max().unwrap_or(0));
    }
    score
}

/// Returns the singular of a word.
fn stem(word: &str) -> String {
    names::singular(word).unwrap_or_else(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn table(name: &str, columns: &[(&str, Option<&str>)]) -> Value {
        let columns: Vec<Value> = columns
            .iter()
            .map(|(name, references)| {
                json!({ "name": name, "references": references.map(|table| json!({ "table": table, "column": "id" })) })
            })
            .collect();
        json!({ "name": name, "columns": columns })
    }

    fn names_of(chosen: &Value) -> Vec<&str> {
        let tables = chosen["tables"].as_array().expect("tables");
        tables
            .iter()
            .map(|table| table["name"].as_str().expect("a name"))
            .collect()
    }

    #[test]
    fn hidden_tables_are_named_and_some_names_are_enough() {
        let names: Vec<String> = (0..100).map(|at| format!("t{at}")).collect();
        let schema = json!({ "tables": [table("a", &[])], "hidden": names });
        let told = relevant(&schema, "what is there?", 1_000);
        assert_eq!(told["hiddenTables"], json!(["t0", "t1", "t2", "t3", "t4"]));
        let without = json!({ "tables": [table("a", &[])] });
        assert_eq!(relevant(&without, "", 1_000).get("hiddenTables"), None);
    }

    #[test]
    fn all_tables_are_told_where_they_fit() {
        let schema = json!({ "tables": [table("a", &[]), table("b", &[])] });
        assert_eq!(names_of(&relevant(&schema, "anything", 1_000)), ["a", "b"]);
    }

    #[test]
    fn of_many_those_with_the_words_of_the_question_are_told_with_what_they_refer_to() {
        let mut tables: Vec<Value> = (0..100)
            .map(|at| table(&format!("filler_{at}"), &[("x", None), ("y", None)]))
            .collect();
        tables.push(table("people", &[("id", None)]));
        tables.push(table(
            "purchases",
            &[("id", None), ("person", Some("people"))],
        ));
        let schema = json!({ "tables": tables });
        let chosen = relevant(&schema, "How many purchases were there?", 60);
        assert_eq!(names_of(&chosen), ["purchases", "people"]);
        assert!(
            chosen["otherTables"]
                .as_array()
                .is_some_and(|others| !others.is_empty())
        );
        assert!(chosen.to_string().len() <= 60 * BYTES_OF_A_TOKEN + 200);
    }
}
