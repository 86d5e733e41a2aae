//! Databases of the questions: what the planner is told of them, and rows of statements.

use agent_planner::{Column, Findings, Found, Join, Lookup, SampleValue, Schema, Table, lookup};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use serde_json::Value;

/// Values of a column that the planner sees at most.
const SAMPLES: usize = 3;

/// Different texts up to which a column counts as one of few values.
const DISTINCT: i64 = 30;

/// Rows of a table among which they are counted.
const SEEN_ROWS: i64 = 1_000;

/// Returns the schema of a database, as the planner gets it.
pub fn schema_of(database: &Connection) -> Schema {
    let names = texts(
        database,
        "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
    );
    let tables = names
        .into_iter()
        .map(|name| {
            let count: i64 = database
                .query_row(
                    &format!("SELECT COUNT(*) FROM {}", quoted(&name)),
                    [],
                    |row| row.get(0),
                )
                .unwrap();
            Table {
                columns: columns_of(database, &name),
                name,
                row_count: u64::try_from(count).ok(),
            }
        })
        .collect();
    Schema { tables }
}

fn columns_of(database: &Connection, table: &str) -> Vec<Column> {
    let mut statement = database
        .prepare("SELECT name, type, \"notnull\", pk FROM pragma_table_info(?1)")
        .unwrap();
    let columns = statement
        .query_map([table], |row| {
            let (name, declared_type): (String, String) = (row.get(0)?, row.get(1)?);
            let (not_null, key): (bool, i64) = (row.get(2)?, row.get(3)?);
            Ok((name, declared_type, not_null, key > 0))
        })
        .unwrap();
    columns
        .map(|column| {
            let (name, declared_type, not_null, primary_key) = column.unwrap();
            let references = database
                .query_row(
                    "SELECT \"table\", \"to\" FROM pragma_foreign_key_list(?1) WHERE \"from\" = ?2",
                    [table, &name],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .ok();
            Column {
                samples: samples(database, table, &name),
                few_values: has_few_values(database, table, &name),
                name,
                declared_type,
                primary_key,
                not_null,
                references,
                ..Column::default()
            }
        })
        .collect()
}

fn samples(database: &Connection, table: &str, column: &str) -> Vec<SampleValue> {
    let (table, column) = (quoted(table), quoted(column));
    let sql =
        format!("SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL LIMIT {SAMPLES}");
    let mut statement = database.prepare(&sql).unwrap();
    let rows = statement
        .query_map([], |row| {
            Ok(match row.get_ref(0)? {
                ValueRef::Integer(value) => Some(SampleValue::Integer(value)),
                ValueRef::Real(value) => Some(SampleValue::Real(value)),
                ValueRef::Text(value) => Some(SampleValue::Text(
                    String::from_utf8_lossy(value).into_owned(),
                )),
                _ => None,
            })
        })
        .unwrap();
    rows.filter_map(Result::unwrap).collect()
}

fn has_few_values(database: &Connection, table: &str, column: &str) -> bool {
    let (table, column) = (quoted(table), quoted(column));
    let rows = format!(
        "SELECT COUNT(*) FROM (SELECT 1 FROM {table} LIMIT {})",
        SEEN_ROWS + 1
    );
    let rows: i64 = database.query_row(&rows, [], |row| row.get(0)).unwrap();
    if rows > SEEN_ROWS {
        return false;
    }
    let sql =
        format!("SELECT COUNT(DISTINCT {column}) FROM {table} WHERE typeof({column}) = 'text'");
    let count: i64 = database.query_row(&sql, [], |row| row.get(0)).unwrap();
    (1..=DISTINCT).contains(&count)
}

/// Looks a question up in a database, as a session does.
pub fn learned(database: &Connection, schema: &Schema, question: &str) -> Schema {
    let asked = lookup(question, schema);
    let texts = serde_json::to_string(&asked.texts).unwrap();
    let equal = asked.columns.iter().map(|(table, column)| {
        let (of, name) = (quoted(table), quoted(column));
        let sql = format!(
            "SELECT DISTINCT {name} FROM {of} WHERE typeof({name}) = 'text' AND {name} COLLATE NOCASE IN (SELECT value FROM json_each(?1))"
        );
        let mut statement = database.prepare(&sql).unwrap();
        let values = statement.query_map([&texts], |row| row.get(0)).unwrap();
        Found {
            table: table.clone(),
            column: column.clone(),
            values: values.map(Result::unwrap).collect(),
        }
    });
    let findings = Findings {
        equal: equal.collect(),
        joins: joins(database, &asked),
        ..Findings::default()
    };
    let mut schema = schema.clone();
    schema.learn(&findings);
    schema
}

/// The pairs of columns of which the second is unique, and how many of 100 values of the first it
/// has.
fn joins(database: &Connection, asked: &Lookup) -> Vec<(Join, u8)> {
    let compared = asked.joins.iter().filter_map(|join| {
        let [(child, from), (parent, to)] = [&join.child, &join.parent]
            .map(|(table, column)| (quoted(table), quoted(column)));
        let sql = format!(
            "SELECT (SELECT COUNT({to}) = COUNT(DISTINCT {to}) FROM {parent}), COUNT(*), COALESCE(SUM(value IN (SELECT {to} FROM {parent})), 0)
             FROM (SELECT DISTINCT {from} AS value FROM {child} WHERE {from} IS NOT NULL)"
        );
        let counts = database.query_row(&sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
        let (is_unique, all, found): (bool, i64, i64) = counts.unwrap();
        let percent = found * 100 / all.max(1);
        (is_unique && all > 0).then(|| (join.clone(), u8::try_from(percent).unwrap()))
    });
    compared.collect()
}

fn texts(database: &Connection, sql: &str) -> Vec<String> {
    let mut statement = database.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The rows of a statement.
pub fn rows_of(database: &Connection, sql: &str) -> Result<Vec<Vec<Value>>, rusqlite::Error> {
    let mut statement = database.prepare(sql)?;
    let width = statement.column_count();
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let mut cells = Vec::new();
        for place in 0..width {
            cells.push(match row.get_ref(place)? {
                ValueRef::Null => Value::Null,
                ValueRef::Integer(value) => value.into(),
                ValueRef::Real(value) => value.into(),
                ValueRef::Text(value) | ValueRef::Blob(value) => {
                    String::from_utf8_lossy(value).into_owned().into()
                }
            });
        }
        found.push(cells);
    }
    Ok(found)
}

/// Everything that stands in the tables.
pub fn dump(database: &Connection) -> Vec<Vec<Value>> {
    schema_of(database)
        .tables
        .iter()
        .flat_map(|table| {
            rows_of(database, &format!("SELECT * FROM {}", quoted(&table.name))).unwrap()
        })
        .collect()
}

/// Returns true if the rows are the expected ones in any order, with each expected column somewhere
/// among those of the rows.
pub fn same_rows(expected: &[Vec<Value>], rows: &[Vec<Value>]) -> bool {
    let width = expected.first().map_or(0, Vec::len);
    let found = rows.first().map_or(0, Vec::len);
    if expected.len() != rows.len() || width > found {
        return false;
    }
    choose(expected, rows, &mut Vec::new(), width, found)
}

/// Tries which column of the rows stands for each expected one.
fn choose(
    expected: &[Vec<Value>],
    rows: &[Vec<Value>],
    chosen: &mut Vec<usize>,
    width: usize,
    found: usize,
) -> bool {
    if chosen.len() == width {
        let mut one: Vec<Vec<String>> = expected
            .iter()
            .map(|row| row.iter().map(cell).collect())
            .collect();
        let mut other: Vec<Vec<String>> = rows
            .iter()
            .map(|row| chosen.iter().map(|place| cell(&row[*place])).collect())
            .collect();
        one.sort();
        other.sort();
        return one == other;
    }
    for place in 0..found {
        if chosen.contains(&place) {
            continue;
        }
        let column = chosen.len();
        let mut one: Vec<String> = expected.iter().map(|row| cell(&row[column])).collect();
        let mut other: Vec<String> = rows.iter().map(|row| cell(&row[place])).collect();
        one.sort();
        other.sort();
        if one != other {
            continue;
        }
        chosen.push(place);
        if choose(expected, rows, chosen, width, found) {
            return true;
        }
        chosen.pop();
    }
    false
}

/// A cell as text; numbers to six digits.
fn cell(value: &Value) -> String {
    match value.as_f64() {
        Some(number) => format!("{number:.6}"),
        None => value.to_string(),
    }
}
