//! Random results: whatever their shape, every value can be found in some table.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::database;
use super::staging::staged;
use test_support::HostDatabase;

/// xorshift64*: the same results in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound
    }
}

const KEYS: [&str; 16] = [
    "id", "ID", "name", "a", "a_b", "b", "data", "results", "items", "edges", "node", "key",
    "value", "row_id", "é 1", "",
];

/// Returns a value that can be recognised: each scalar of a result is different.
fn scalar(random: &mut Random, next: &mut u64) -> Value {
    *next += 1;
    match random.below(6) {
        0 => Value::from(*next),
        1 => Value::from(i64::MAX - i64::try_from(*next).unwrap()),
        2 => Value::from(*next as f64 + 0.5),
        3 => Value::from(format!("t{next}\"'\n🙂")),
        4 => Value::Null,
        _ => Value::from(format!("t{next}")),
    }
}

fn value(random: &mut Random, depth: u64, next: &mut u64) -> Value {
    if depth == 0 || random.below(100) < 40 {
        return scalar(random, next);
    }
    if random.below(2) == 0 {
        let items = (0..random.below(6))
            .map(|_| value(random, depth - 1, next))
            .collect();
        return Value::Array(items);
    }
    // Records of one list mostly have the same keys, and sometimes very many.
    let keys = if random.below(60) == 0 {
        130
    } else {
        random.below(7)
    };
    let mut object = Map::new();
    for number in 0..keys {
        let key = if keys > 100 {
            format!("k{number}")
        } else {
            KEYS[random.below(KEYS.len() as u64) as usize].to_owned()
        };
        object.insert(key, value(random, depth - 1, next));
    }
    Value::Object(object)
}

fn leaves(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| leaves(item, found)),
        Value::Object(object) => object.values().for_each(|item| leaves(item, found)),
        Value::Null => {}
        Value::Number(number) => found.push(number.to_string()),
        other => found.push(other.as_str().unwrap().to_owned()),
    }
}

/// Returns every value in every table, and the values within JSON.
fn stored(db: &HostDatabase) -> HashMap<String, usize> {
    let mut found = HashMap::new();
    let names = db.dump_rows(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'pubs\\_%' ESCAPE '\\'",
    );
    for name in names {
        let name = name.trim_matches('\'');
        let mut statement = db
            .connection()
            .prepare(&format!("SELECT * FROM \"{name}\""))
            .unwrap();
        let own = |name: &&str| ["row_id", "parent_row_id"].contains(name);
        let own_columns = statement
            .column_names()
            .take_while(|name| own(name))
            .count();
        let columns = statement.column_count();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            for column in own_columns..columns {
                let mut values = Vec::new();
                match row.get_ref(column).unwrap() {
                    rusqlite::types::ValueRef::Integer(number) => values.push(number.to_string()),
                    rusqlite::types::ValueRef::Real(number) => {
                        leaves(&Value::from(number), &mut values);
                        // A REAL column has whole numbers as reals.
                        values.push((number as i64).to_string());
                    }
                    rusqlite::types::ValueRef::Text(text) => {
                        let text = std::str::from_utf8(text).unwrap();
                        match serde_json::from_str::<Value>(text) {
                            Ok(json @ (Value::Array(_) | Value::Object(_))) => {
                                leaves(&json, &mut values)
                            }
                            _ => values.push(text.to_owned()),
                        }
                    }
                    _ => {}
                }
                values
                    .into_iter()
                    .for_each(|value| *found.entry(value).or_default() += 1);
            }
        }
    }
    found
}

#[test]
fn every_value_of_a_random_answer_is_found_again() {
    let mut random = Random(0x5EED);
    let (mut tables, mut values, mut folded) = (0, 0, 0);
    for round in 0..400 {
        let answer = value(&mut random, 7, &mut 0);
        let text = if round % 2 == 0 {
            answer.to_string()
        } else {
            serde_json::to_string_pretty(&answer).unwrap()
        };
        let db = database();
        let receipt = staged(&db, &text);
        tables += receipt["tables"].as_array().unwrap().len();
        folded += usize::from(receipt.to_string().contains("{\\\""));
        let stored = stored(&db);
        let mut wanted = Vec::new();
        leaves(&answer, &mut wanted);
        values += wanted.len();
        for leaf in wanted {
            assert!(
                stored.contains_key(&leaf),
                "round {round}: {leaf:?} of {text}\n{receipt:#}"
            );
        }
        // The result reference has the right numbers of rows.
        for table in receipt["tables"].as_array().unwrap() {
            let count = format!(
                "SELECT count(*) FROM \"{}\"",
                table["name"].as_str().unwrap()
            );
            assert_eq!(db.dump_rows(&count), [table["rows"].to_string()]);
        }
    }
    assert!(
        tables > 500 && values > 3_000 && folded > 10,
        "{tables} tables, {values} values, {folded} with JSON"
    );
}
