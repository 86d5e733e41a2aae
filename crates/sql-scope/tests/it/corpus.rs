//! `tests/corpus/scope.jsonl`: statements under a row scope, with the rows that they must return
//! and leave, or the reason of the refusal. `tests/worker/scope.test.mjs` runs the same lines in
//! workerd.

use serde::Deserialize;
use serde_json::{Value, json};
use sql_gate::REASONS;

use test_support::{HostDatabase, Stand};

/// Tables, and rows of several tenants.
const SETUP: &str = include_str!("../../../../tests/corpus/scope.sql");

/// Tables with the tenant's column.
const SCOPED: [&str; 9] = [
    "customers",
    "orders",
    "items",
    "\"odd \"\"name\"",
    "Straße",
    "replacing",
    "parents",
    "children",
    "computed",
];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    sql: String,
    #[serde(rename = "note")]
    _note: String,
    #[serde(default)]
    params: Value,
    /// The rows that it returns.
    rows: Option<Vec<Value>>,
    /// True if the engine chooses their order.
    #[serde(default)]
    unordered: bool,
    /// The table that it writes, and the tenant's rows of it afterwards.
    table: Option<String>,
    after: Option<Vec<Value>>,
    /// The code of the engine's own refusal.
    error: Option<String>,
    /// The reason for which the wall refuses it.
    reason: Option<String>,
}

fn lines() -> Vec<Line> {
    include_str!("../../../../tests/corpus/scope.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

fn strangers(db: &HostDatabase) -> Vec<String> {
    let mut rows = Vec::new();
    for table in SCOPED {
        rows.extend(db.dump_rows(&format!(
            "SELECT '{}', * FROM {table} WHERE business_id IS NOT 'acme' COLLATE BINARY",
            table.replace('\'', "''")
        )));
    }
    for table in ["countries", "secrets", "shared", "docs"] {
        rows.extend(db.dump_rows(&format!("SELECT '{table}', * FROM {table}")));
    }
    rows.sort_unstable();
    rows
}

fn check(line: &Line) -> Result<(), String> {
    let db = HostDatabase::new();
    session::start(&db, 0).unwrap();
    db.script(SETUP);
    let stand = Stand::new(&session::Settings::default()).at(0);
    let session = stand.session(&db);
    let send = |sql: &str, params: &Value, scope: Value| {
        let body = json!({ "operation": "exec", "sql": sql, "params": params, "rowFormat": "array", "scope": scope });
        match session::dispatch(&session, &body.to_string()) {
            Ok(answer) => Ok(test_support::body(&answer)),
            Err(error) => Err(error),
        }
    };
    let before = strangers(&db);
    let scope = json!({ "value": "acme", "readable": ["countries"] });
    let outcome = send(&line.sql, &line.params, scope);
    if strangers(&db) != before {
        return Err(format!("rows of others changed: {:#?}", strangers(&db)));
    }
    match (outcome, &line.reason, &line.error) {
        (Err(error), Some(reason), _)
            if error.details().get("reason") == Some(&reason.as_str().into()) =>
        {
            Ok(())
        }
        (Err(error), None, Some(code)) if error.code() == code => Ok(()),
        (Ok(answer), None, None) => {
            if let Some(wanted) = &line.rows {
                let mut rows = answer["results"].as_array().cloned().unwrap_or_default();
                let mut wanted = wanted.clone();
                if line.unordered {
                    rows.sort_by_key(Value::to_string);
                    wanted.sort_by_key(Value::to_string);
                }
                if rows != wanted {
                    return Err(format!("{rows:?} instead of {wanted:?}"));
                }
            }
            let (Some(table), Some(after)) = (&line.table, &line.after) else {
                return Ok(());
            };
            let own = format!("SELECT * FROM {table} WHERE business_id = 'acme' ORDER BY 1, 2, 3");
            let found = send(&own, &Value::Null, Value::Null).unwrap();
            if found["results"].as_array() == Some(after) {
                Ok(())
            } else {
                Err(format!("left {} instead of {after:?}", found["results"]))
            }
        }
        (Ok(answer), ..) => Err(format!("gave {answer}")),
        (Err(error), ..) => Err(format!(
            "{error} {:?} ({:?})",
            error.details(),
            error.hint()
        )),
    }
}

#[test]
fn every_statement_under_a_scope_gives_the_tenants_rows_or_is_refused() {
    let lines = lines();
    let refused = lines.iter().filter(|line| line.reason.is_some()).count();
    assert!(
        lines.len() >= 200 && refused >= 80,
        "{} {refused}",
        lines.len()
    );
    let complaints: Vec<String> = lines
        .iter()
        .filter_map(|line| Some(format!("{}\n    {}", line.sql, check(line).err()?)))
        .collect();
    assert!(
        complaints.is_empty(),
        "{} of {}:\n{}",
        complaints.len(),
        lines.len(),
        complaints.join("\n")
    );
}

#[test]
fn every_reason_of_the_wall_is_met_in_the_corpus() {
    let lines = lines();
    for reason in REASONS.iter().filter(|name| name.starts_with("scope_")) {
        assert!(
            lines
                .iter()
                .any(|line| line.reason.as_deref() == Some(reason)),
            "no statement is refused for {reason}"
        );
    }
}
