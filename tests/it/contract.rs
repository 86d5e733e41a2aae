//! The cases of `tests/contract/` against the session on the host's SQLite. The same files run
//! against the built Worker in workerd, so that a difference between the two engines fails a test.

use codemode_database::api::envelope;
use codemode_database::api::status::status;
use codemode_database::config::Config;
use serde_json::Value;
use session::{self};

use test_support::HostDatabase;

#[test]
fn every_contract_case_holds_on_the_host() {
    let mut failures = Vec::new();
    let mut steps = 0;
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/contract")).unwrap()
    {
        let path = entry.unwrap().path();
        let cases: Vec<Value> =
            serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        for case in &cases {
            let name = format!(
                "{}: {}",
                path.file_stem().unwrap().to_string_lossy(),
                case["name"].as_str().unwrap()
            );
            steps += run_case(&name, case, &mut failures);
        }
    }
    assert!(steps > 100, "the contract has {steps} steps");
    assert!(
        failures.is_empty(),
        "{} of {steps} steps failed:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

fn run_case(name: &str, case: &Value, failures: &mut Vec<String>) -> usize {
    let db = HostDatabase::new();
    session::start(&db, 0).unwrap();
    let config = Config::parse(|_| None).unwrap();
    let stand = test_support::Stand::new(&config.session)
        .at(0)
        .named("contract");
    let session = stand.session(&db);
    let steps = case["steps"].as_array().unwrap();
    for (index, step) in steps.iter().enumerate() {
        let body = step["sendText"]
            .as_str()
            .map_or_else(|| step["send"].to_string(), str::to_owned);
        let (code, text) = match session::dispatch(&session, &body) {
            Ok(answer) => (200, envelope::answered(&answer)),
            Err(error) => (status(&error), envelope::failure(&error)),
        };
        if let Some(complaint) = compare(step, code, &text) {
            failures.push(format!(
                "- {name}, step {}: {complaint}\n    sent {:.300}\n    got {code} {text:.700}",
                index + 1,
                body
            ));
        }
    }
    steps.len()
}

fn compare(step: &Value, status: u16, text: &str) -> Option<String> {
    let answer: Value = serde_json::from_str(text)
        .map_err(|error| format!("the result is not JSON: {error}"))
        .ok()?;
    let wanted_status = step["status"].as_u64().unwrap_or(200);
    if u64::from(status) != wanted_status {
        return Some(format!("status {wanted_status} expected"));
    }
    if let Some(code) = step.get("code")
        && answer["error"]["code"] != *code
    {
        return Some(format!("code {code} expected"));
    }
    for (part, whole) in [("expect", &answer), ("error", &answer["error"])] {
        for (field, wanted) in step[part].as_object().into_iter().flatten() {
            if !same(&whole[field], wanted) {
                return Some(format!("{part} {field} = {wanted}"));
            }
        }
    }
    if let Some(hint) = step["hint"].as_str()
        && !answer["error"]["hint"]
            .as_str()
            .is_some_and(|found| found.contains(hint))
    {
        return Some(format!("a hint with {hint:?} expected"));
    }
    if let Some(part) = step["contains"].as_str()
        && !text.contains(part)
    {
        return Some(format!("the text {part:?} expected"));
    }
    None
}

/// Compares two values with numbers compared by value, as JavaScript does: 2 and 2.0 are one
/// number.
fn same(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && b.iter()
                    .all(|(key, b)| a.get(key).is_some_and(|a| same(a, b)))
        }
        _ => found == wanted,
    }
}
