//! The gate compares only the tokens of a second tokenizer. These tests check that its tokens
//! refuse no statement of any corpus, and that its parser's tree agrees with the gate about the
//! statements that pass.

use serde_json::Value;
use sql_gate::{self, Policy};
use sqlparser::keywords::ALL_KEYWORDS;

use test_support::analytic::{runaway, statements};
use test_support::corpus::lines::{corpus, harvested};
use test_support::corpus::second_parser::disagreement;

/// The result for a list of statements.
#[derive(Default)]
struct Outcome {
    let_through: usize,
    /// Statements refused because of their tokens alone.
    refused: Vec<String>,
    /// Statements whose tree disagrees with the gate.
    disagreed: Vec<String>,
}

impl Outcome {
    fn of(texts: impl Iterator<Item = String>) -> Self {
        let mut outcome = Self::default();
        for text in texts {
            match sql_gate::review(&text, &Policy::default()) {
                Ok(reviewed) => {
                    outcome.let_through += 1;
                    if let Some(other) = disagreement(&reviewed) {
                        outcome.disagreed.push(format!("{text:?}: {other}"));
                    }
                }
                Err(error) if error.details().get("reason") == Some(&"parsers_disagree".into()) => {
                    outcome.refused.push(text);
                }
                Err(_) => {}
            }
        }
        outcome
    }

    fn check(&self, at_least: usize) {
        assert!(self.let_through >= at_least, "only {}", self.let_through);
        assert!(self.refused.is_empty(), "{}", self.refused.join("\n"));
        assert!(self.disagreed.is_empty(), "{}", self.disagreed.join("\n"));
    }
}

#[test]
fn both_readings_agree_on_every_statement_of_the_corpora() {
    let ours = [corpus("allowed.jsonl"), corpus("hostile.jsonl")];
    let analytic = statements().into_iter().chain(runaway());
    let contract: Value = serde_json::from_str(include_str!(
        "../../../../../tests/contract/statements.json"
    ))
    .unwrap();
    let mut sent = Vec::new();
    statements_within(&contract, &mut sent);
    assert!(sent.len() >= 90, "{}", sent.len());
    let texts = ours.iter().flatten().map(|line| line.text());
    Outcome::of(
        texts
            .chain(analytic.map(|named| named.sql.to_owned()))
            .chain(sent),
    )
    .check(500);
}

#[test]
fn both_readings_agree_on_sqlites_own_test_suite() {
    Outcome::of(harvested().iter().map(|line| line.text())).check(40_000);
}

/// Words of other products may be names in SQLite. The tree is wrong about the few that
/// `second_parser` knows.
#[test]
fn a_word_of_another_product_is_a_name() {
    const TEMPLATES: [&str; 16] = [
        "INSERT INTO _ VALUES (1)",
        "INSERT INTO _ (a) SELECT 1",
        "INSERT OR REPLACE INTO _ DEFAULT VALUES",
        "UPDATE _ SET a = 1",
        "UPDATE _ AS x SET a = 1",
        "DELETE FROM _",
        "DELETE FROM _ WHERE a = 1",
        "WITH _ AS (SELECT 1) DELETE FROM t",
        "CREATE TABLE _ (a)",
        "CREATE INDEX _ ON t (a)",
        "CREATE INDEX i ON _ (a)",
        "CREATE VIEW _ AS SELECT 1",
        "ALTER TABLE _ ADD COLUMN a",
        "ALTER TABLE t RENAME TO _",
        "DROP TABLE _",
        "DROP VIEW _",
    ];
    let texts = TEMPLATES.iter().flat_map(|template| {
        ALL_KEYWORDS
            .iter()
            .map(|word| template.replacen('_', &word.to_lowercase(), 1))
    });
    Outcome::of(texts).check(10_000);
}

/// Collects every text under `sql`, at any depth.
fn statements_within(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Value::String(text) if name == "sql" => found.push(text.clone()),
                    other => statements_within(other, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| statements_within(item, found)),
        _ => {}
    }
}
