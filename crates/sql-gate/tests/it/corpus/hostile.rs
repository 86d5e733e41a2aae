//! `tests/corpus/hostile.jsonl`: every statement is refused, and those that do harm without the
//! gate do none with it.

use sql_gate::SqlError;
use std::collections::BTreeMap;
use std::sync::mpsc;
use std::time::Duration;

use base::Error;
use sql_gate::{self, Parameters, Policy, REASONS};

use test_support::corpus::lines::{Line, corpus};
use test_support::corpus::victims::Victims;

/// The statement is refused, or bounded so that it ends.
const BOUNDED: &str = "BOUNDED";

/// Codes for a name that the engine does not know.
const ABSENT: [&str; 2] = ["NO_SUCH_TABLE", "SQL_ERROR"];

/// Reasons of `SQL_BLOCKED` that need another profile or operation, or a disagreement of the
/// parsers that nobody has found.
const REASONS_ELSEWHERE: [&str; 4] = [
    "alter_in_strict_profile",
    "drop_in_strict_profile",
    "parsers_disagree",
    "read_only_operation",
];

fn small_policy() -> Policy {
    Policy {
        max_recursive_rows: 1_000,
        max_query_work: 10_000_000_000,
        ..Policy::default()
    }
}

fn hostile() -> Vec<Line> {
    corpus("hostile.jsonl")
}

fn reason(error: &Error) -> Option<&'static str> {
    match error.of() {
        Some(SqlError::SqlBlocked { reason, .. }) => Some(reason),
        _ => None,
    }
}

/// Returns the refusal of the statement. If the corpus says that the named thing does not exist,
/// the engine may refuse it.
fn refusal(victims: &Victims, line: &Line) -> Option<Error> {
    line.setup
        .iter()
        .for_each(|statement| victims.db.script(statement));
    let bound = match victims.pass(&line.text(), &Parameters::None, &Policy::default()) {
        Ok(bound) => bound,
        Err(error) => return Some(error),
    };
    let is_absent = line
        .expect
        .iter()
        .any(|code| ABSENT.contains(&code.as_str()));
    let before = victims.print();
    let complaint = if is_absent {
        victims.run(&bound).err()
    } else {
        None
    };
    assert_eq!(victims.print(), before, "HARM {}", line.shown());
    complaint.map(|complaint| sql_gate::explain::explain(&victims.db, &complaint, &bound))
}

#[test]
fn the_hostile_corpus_has_what_it_promises() {
    let lines = hostile();
    assert!(lines.len() >= 300, "{}", lines.len());
    let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
    for line in &lines {
        *classes.entry(&line.class).or_default() += 1;
    }
    assert!(classes.len() >= 30, "{classes:?}");
    assert!(lines.iter().filter(|line| line.engine_executes).count() >= 200);
    assert!(lines.iter().filter(|line| line.harms).count() >= 100);
}

#[test]
fn every_hostile_statement_is_refused_with_the_code_and_reason_of_its_class() {
    let victims = Victims::new();
    let mut failures = Vec::new();
    for line in hostile().iter().filter(|line| line.expect != [BOUNDED]) {
        match victims.undone(|| refusal(&victims, line)) {
            None => failures.push(format!("LET THROUGH {}", line.shown())),
            Some(error) if !line.expect.iter().any(|code| code == error.code()) => {
                failures.push(format!("{} {error} {}", error.code(), line.shown()))
            }
            Some(error) if line.reason.is_some() && reason(&error) != line.reason.as_deref() => {
                failures.push(format!(
                    "{:?} instead of {:?} {}",
                    reason(&error),
                    line.reason,
                    line.shown()
                ));
            }
            Some(_) => {}
        }
    }
    assert!(
        failures.is_empty(),
        "{} statements:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn a_refusal_names_the_allowed_way() {
    let victims = Victims::new();
    for line in hostile().iter().filter(|line| !line.work) {
        if let Err(error) = victims.pass(&line.text(), &Parameters::None, &small_policy())
            && reason(&error).is_some()
        {
            assert!(
                error.hint().is_some_and(|hint| !hint.is_empty()),
                "{} has no hint",
                line.shown()
            );
        }
    }
}

#[test]
fn every_reason_to_block_is_met_in_the_corpus() {
    let lines = hostile();
    for reason in REASONS
        .iter()
        .filter(|reason| !REASONS_ELSEWHERE.contains(reason) && !reason.starts_with("scope_"))
    {
        assert!(
            lines
                .iter()
                .any(|line| line.reason.as_deref() == Some(reason)),
            "no hostile statement is refused for {reason}"
        );
    }
}

#[test]
fn without_the_gate_the_marked_statements_do_change_tables_of_the_object() {
    let victims = Victims::new();
    let harmless: Vec<String> = hostile()
        .iter()
        .filter(|line| line.harms && line.setup.is_empty())
        // The host's SQLite is built without DELETE … LIMIT.
        .filter(|line| !line.text().contains("LIMIT 1"))
        .filter(|line| !victims.is_harmed_by(&line.text(), &victims.print()))
        .map(Line::shown)
        .collect();
    assert!(
        harmless.is_empty(),
        "the victims notice nothing of:\n{}",
        harmless.join("\n")
    );
}

#[test]
fn endless_statements_end_at_the_row_bound() {
    let policy = small_policy();
    for line in hostile()
        .into_iter()
        .filter(|line| line.expect == [BOUNDED])
    {
        let shown = line.shown();
        let (done, ended) = mpsc::channel();
        std::thread::spawn(move || {
            let victims = Victims::new();
            for statement in &line.setup {
                let bound = victims.pass(statement, &Parameters::None, &policy).unwrap();
                victims.run(&bound).unwrap();
            }
            let before = victims.print();
            let parameters = Parameters::from_json(Some(serde_json::json!([-1])));
            let parameters = if line.text().contains('?') {
                parameters.unwrap()
            } else {
                Parameters::None
            };
            if let Ok(bound) = victims.pass(&line.text(), &parameters, &policy) {
                // It may fail or return rows; only its end matters.
                drop(victims.run(&bound));
            }
            let unharmed = victims.print() == before;
            // After the timeout, nobody receives the result.
            done.send(unharmed).unwrap_or_default();
        });
        assert_eq!(
            ended.recv_timeout(Duration::from_secs(60)),
            Ok(true),
            "{shown} did not end, or did harm"
        );
    }
}
