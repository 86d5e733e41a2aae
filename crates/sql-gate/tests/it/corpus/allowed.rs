//! `tests/corpus/allowed.jsonl`: statements that models write and the policy allows pass, run, and
//! harm nothing.

use sql_gate::Policy;

use test_support::corpus::lines::{Line, corpus};
use test_support::corpus::victims::{Scope, Victims};

fn allowed() -> Vec<Line> {
    corpus("allowed.jsonl")
}

/// Returns true for an error that only the host's SQLite causes. It is built without mathematical
/// functions and DELETE … LIMIT; the tests in workerd run those statements.
fn is_the_hosts_fault(line: &Line, complaint: &str) -> bool {
    match line.needs.as_deref() {
        Some("math") => {
            complaint.contains("no such function") || complaint.contains("is not available")
        }
        Some("update_delete_limit") => complaint.contains("syntax error"),
        _ => false,
    }
}

#[test]
fn every_allowed_statement_passes_the_gate_and_runs() {
    let victims = Victims::new();
    let lines = allowed();
    assert!(lines.len() >= 250, "{}", lines.len());
    let mut failures = Vec::new();
    let mut ran = 0;
    for line in &lines {
        let outcome = victims.undone(|| {
            line.setup
                .iter()
                .for_each(|statement| victims.db.script(statement));
            let bound = victims
                .pass(&line.text(), &line.parameters(), &Policy::default())
                .map_err(|error| format!("{} {error}", error.code()))?;
            let scope = Scope::of(&bound);
            let before = victims.print_around(scope);
            victims.run(&bound).map_err(|error| error.message)?;
            if victims.print_around(scope) == before {
                Ok(())
            } else {
                Err("HARM".to_owned())
            }
        });
        match outcome {
            Ok(()) => ran += 1,
            Err(complaint) if is_the_hosts_fault(line, &complaint) => {}
            Err(complaint) => failures.push(format!("{complaint}: {}", line.shown())),
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {}:\n{}",
        failures.len(),
        lines.len(),
        failures.join("\n")
    );
    assert!(ran >= 250, "only {ran} ran");
}

#[test]
fn a_statement_out_of_a_code_fence_comes_with_a_notice() {
    for line in allowed().iter() {
        let reviewed = sql_gate::review(&line.text(), &Policy::default()).unwrap();
        assert_eq!(
            reviewed
                .notices()
                .iter()
                .any(|notice| notice.contains("code fence")),
            line.fenced,
            "{}",
            line.shown()
        );
    }
}
