//! SQLite's own test suite: the gate's parser can read it, and the statements that pass the gate
//! harm nothing.

use std::collections::HashMap;
use std::num::NonZero;
use std::thread;

use sql_gate::{self, Parameters, Policy};

use test_support::corpus::lines::{Line, harvested};
use test_support::corpus::victims::{Scope, Victims};

/// The share of SQLite's own statements that the parser must be able to read.
const ACCEPTED_SHARE: f64 = 0.995;

/// The number of statements that must do harm without the gate, so that the test proves that the
/// gate stops them. The search ends there.
const LEAST_DANGEROUS: usize = 1_000;

/// Returns a policy with small bounds. A statement of the suite reads few rows; the bounds stop
/// those that read many from taking the test's time.
fn policy() -> Policy {
    Policy {
        max_recursive_rows: 1_000,
        max_query_work: 10_000_000,
        ..Policy::default()
    }
}

#[test]
fn the_parser_reads_sqlites_own_test_suite() {
    let lines = harvested();
    assert!(lines.len() >= 40_000, "{}", lines.len());
    let (mut over_bounds, mut refused, mut let_through) = (0_usize, Vec::new(), 0_usize);
    for line in &lines {
        match sql_gate::review(&line.text(), &policy()) {
            Ok(_) => let_through += 1,
            Err(error) if error.code() == "TOO_BIG" => over_bounds += 1,
            Err(error) if error.code() == "SYNTAX_ERROR" => {
                refused.push(format!("{error}: {}", line.shown()))
            }
            Err(_) => {}
        }
    }
    let judged = lines.len() - over_bounds;
    let share = (judged - refused.len()) as f64 / judged as f64;
    println!(
        "{} statements, {over_bounds} over the bounds before the parser; of the other {judged} the parser reads {:.3} %, the gate lets {let_through} through",
        lines.len(),
        share * 100.0
    );
    assert!(share >= ACCEPTED_SHARE, "{share}:\n{}", refused.join("\n"));
}

#[test]
fn what_the_gate_lets_through_of_the_suite_harms_no_table_of_the_object() {
    let lines = harvested();
    let outcome = run_all(&lines, &Victims::new, str::to_owned);
    println!("{outcome:?}");
    assert!(
        outcome.ran >= 10_000 && outcome.written >= 5_000,
        "{outcome:?}"
    );
}

/// The same suite, aimed at the object's tables: the suite's tables get the names of the object's
/// own, which have the columns that the suite uses.
#[test]
fn the_suite_rewritten_against_the_tables_of_the_object_harms_none_of_them() {
    let lines = harvested();
    let make = || {
        let victims = Victims::new();
        victims.db.script(AIMED_TABLES);
        victims
    };
    let aimed = |text: &str| rename(text, &AIMS);
    let outcome = run_all(&lines, &make, aimed);
    let victims = make();
    define_tables(&victims, &lines);
    let untouched = victims.print();
    let texts = lines.iter().map(|line| aimed(&line.text()));
    let dangerous = texts
        .filter(|text| is_plain_write(text) && victims.is_harmed_by(text, &untouched))
        .take(LEAST_DANGEROUS)
        .count();
    println!("{outcome:?}");
    assert!(
        dangerous == LEAST_DANGEROUS,
        "only {dangerous} of its plain writes do harm when nobody stops them: the test proves nothing"
    );
}

/// Table names that the suite uses most.
const COMMON_TABLES: [&str; 24] = [
    "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9", "t10", "t", "t0", "t11", "t12", "x1",
    "x2", "x3", "test1", "test2", "a", "b", "c", "tbl", "log",
];

/// Names of the suite's tables, and the tables of the object that replace them.
const AIMS: [(&str, &str); 6] = [
    ("t1", "session_state"),
    ("t2", "execution_logs"),
    ("t3", "_codemode_meta"),
    ("t4", "_codemode_stage"),
    ("t", "session_state"),
    ("x1", "_codemode_migrations"),
];

/// The object's tables with the columns that the suite's tables have.
const AIMED_TABLES: &str = "
DROP TABLE session_state;
CREATE TABLE session_state(a, b, c, d, e, f, x, y, z, value TEXT);
INSERT INTO session_state(a, b, c, x) VALUES (1, 2, 3, 4), (5, 6, 7, 8);
DROP TABLE execution_logs;
CREATE TABLE execution_logs(a INTEGER PRIMARY KEY AUTOINCREMENT, b, c, d, x, y, z);
INSERT INTO execution_logs(b, c) VALUES (1, 2);
";

/// Returns true if a statement only writes rows, so that it may run without bounds.
fn is_plain_write(text: &str) -> bool {
    let start = text.trim_start().to_ascii_uppercase();
    [
        "INSERT INTO",
        "UPDATE ",
        "DELETE FROM",
        "REPLACE INTO",
        "DROP TABLE",
        "ALTER TABLE",
    ]
    .iter()
    .any(|word| start.starts_with(word))
        && !start.contains("SELECT")
}

/// Replaces whole words everywhere, also in quotes, which is as good an attack.
fn rename(text: &str, names: &[(&str, &str)]) -> String {
    let is_word =
        |character: char| character.is_alphanumeric() || character == '_' || character == '$';
    let mut renamed = String::with_capacity(text.len() * 2);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if is_word(first) {
            rest.find(|character| !is_word(character))
                .unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (piece, behind) = rest.split_at(length);
        renamed.push_str(
            names
                .iter()
                .find(|(name, _)| name.eq_ignore_ascii_case(piece))
                .map_or(piece, |(_, other)| other),
        );
        rest = behind;
    }
    renamed
}

#[derive(Debug, Default)]
struct Outcome {
    /// Refused by the gate.
    refused: usize,
    /// Allowed by the gate and refused by the engine, most often because a table does not exist.
    failed: usize,
    /// Allowed by the gate, and run to the end.
    ran: usize,
    /// Allowed by the gate, and not read-only for SQLite.
    written: usize,
}

impl Outcome {
    fn and(self, other: Self) -> Self {
        Self {
            refused: self.refused + other.refused,
            failed: self.failed + other.failed,
            ran: self.ran + other.ran,
            written: self.written + other.written,
        }
    }
}

/// Creates the tables that the suite uses most, so that its other statements have data to work on.
/// The first table with a name stays.
fn define_tables(victims: &Victims, lines: &[Line]) {
    for line in lines {
        let text = line.text();
        let words: Vec<String> = text
            .split(|character: char| !character.is_ascii_alphanumeric())
            .take(3)
            .map(str::to_ascii_lowercase)
            .collect();
        if !matches!(words.as_slice(), [create, table, name] if create == "create" && table == "table" && COMMON_TABLES.contains(&name.as_str()))
        {
            continue;
        }
        if let Ok(bound) = victims.pass(&text, &Parameters::None, &policy()) {
            // A table with that name may exist already.
            victims.run(&bound).unwrap_or_default();
        }
    }
}

/// Passes every statement through the gate, runs those that it allows, compares the tables, and
/// rolls back. Each core has a part of the suite and its own database.
fn run_all(
    lines: &[Line],
    make: &(impl Fn() -> Victims + Sync),
    change: impl Fn(&str) -> String + Sync,
) -> Outcome {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        let parts: Vec<_> = lines
            .chunks(lines.len().div_ceil(cores))
            .map(|part| {
                let change = &change;
                scope.spawn(move || {
                    let victims = make();
                    define_tables(&victims, lines);
                    run_part(&victims, part, change)
                })
            })
            .collect();
        parts
            .into_iter()
            .map(|part| {
                part.join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
            .fold(Outcome::default(), Outcome::and)
    })
}

fn run_part(victims: &Victims, lines: &[Line], change: &impl Fn(&str) -> String) -> Outcome {
    let mut outcome = Outcome::default();
    let untouched = victims.print();
    // Every statement is rolled back, so that all start from the same data.
    let mut before: HashMap<Scope, Vec<String>> = HashMap::new();
    for line in lines {
        let text = change(&line.text());
        let Ok(reviewed) = sql_gate::review(&text, &policy()) else {
            outcome.refused += 1;
            continue;
        };
        let parameters =
            Parameters::Positional(vec![serde_json::Value::Null; reviewed.parameter_count()]);
        victims.undone(
            || match victims.pass_reviewed(&reviewed, &parameters, &policy()) {
                Err(error)
                    if matches!(
                        error.code(),
                        "SQL_BLOCKED" | "TOO_BIG" | "QUERY_TOO_EXPENSIVE"
                    ) =>
                {
                    outcome.refused += 1;
                }
                Err(_) => outcome.failed += 1,
                Ok(bound) => {
                    // This is SQLite's own answer, not the gate's.
                    let scope = (!victims.is_read_only(&bound)).then(|| Scope::of(&bound));
                    if let Some(scope) = scope {
                        let look = || victims.print_around(scope);
                        before.entry(scope).or_insert_with(look);
                    }
                    match victims.run(&bound) {
                        Ok(_) => outcome.ran += 1,
                        Err(_) => outcome.failed += 1,
                    }
                    if let Some(scope) = scope {
                        outcome.written += 1;
                        assert_eq!(
                            Some(&victims.print_around(scope)),
                            before.get(&scope),
                            "HARM {}: {text}",
                            line.shown()
                        );
                    }
                }
            },
        );
    }
    assert_eq!(victims.print(), untouched, "HARM by a read");
    outcome
}
