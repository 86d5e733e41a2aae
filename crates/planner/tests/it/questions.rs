//! Questions as people write them, over databases with rows: the planner returns the right rows or refuses, and is never wrong.

use crate::support;

use cmdb_planner::{Day, Plan, plan};
use rusqlite::Connection;
use serde::Deserialize;
use serde_json::Value;

/// The share of questions with a result that the planner must have.
const LEAST_COVERAGE_PERCENT: usize = 85;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Book {
    today: String,
    schema: Vec<String>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    question: String,
    /// A statement by hand with the expected rows.
    truth: Option<String>,
    rows: Option<Vec<Vec<Value>>>,
    /// Whether no other column may stand beside the expected one.
    #[serde(default)]
    alone: bool,
    /// A statement by hand that changes the expected rows.
    writes: Option<String>,
    /// `cannot`, `ask` or, where either is right, `refuse`.
    refused: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Verdict {
    Right,
    Wrong,
    Refused,
}

fn books() -> Vec<(String, Book)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/planner");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let book =
                serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            (name, book)
        })
        .collect()
}

fn database(book: &Book) -> Connection {
    let database = Connection::open_in_memory().unwrap();
    // The rows that belong to a deleted one stay: what is judged is the statement.
    database.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    database.execute_batch(&book.schema.join("\n")).unwrap();
    database
}

fn judge(book: &Book, case: &Case, plan: &Plan) -> (Verdict, String) {
    let Plan::Query { sql, .. } = plan else {
        return (Verdict::Refused, format!("{plan:?}"));
    };
    let database = database(book);
    if case.refused.is_some() {
        return (Verdict::Wrong, sql.clone());
    }
    if let Some(writes) = &case.writes {
        let expected = self::database(book);
        expected.execute_batch(writes).unwrap();
        let run = database.execute(sql, []).map_err(|error| error.to_string());
        let right = run.is_ok() && support::dump(&database) == support::dump(&expected);
        return (
            if right {
                Verdict::Right
            } else {
                Verdict::Wrong
            },
            format!("{sql} -> {run:?}"),
        );
    }
    match support::rows_of(&database, sql) {
        Ok(rows) => {
            let expected = case.rows.as_deref().unwrap_or_default();
            let right = support::same_rows(expected, &rows)
                && (!case.alone || rows.iter().all(|row| row.len() == 1));
            let told = format!(
                "{sql}\n        -> {}",
                Value::from(
                    rows.iter()
                        .map(|row| Value::from(row.clone()))
                        .collect::<Vec<_>>()
                )
            );
            (
                if right {
                    Verdict::Right
                } else {
                    Verdict::Wrong
                },
                told,
            )
        }
        Err(error) => (Verdict::Wrong, format!("{sql}: {error}")),
    }
}

#[test]
fn questions_have_the_right_rows_or_are_refused() {
    let verbose = std::env::var("CODEMODE_PLANNER").is_ok();
    let (mut right, mut refused, mut wrong, mut kept) = (0, 0, Vec::new(), 0);
    for (name, book) in books() {
        let today = Day::parse(&book.today).unwrap();
        let schema = support::schema_of(&database(&book));
        for case in &book.cases {
            let plan = plan(&case.question, &schema, today);
            let (verdict, told) = judge(&book, case, &plan);
            let answerable = case.refused.is_none();
            match (verdict, answerable) {
                (Verdict::Right, _) => right += 1,
                (Verdict::Refused, true) => {
                    refused += 1;
                    if verbose {
                        println!("refused {name}: {}\n        {told}", case.question);
                    }
                }
                (Verdict::Refused, false) => {
                    let asked = matches!(plan, Plan::Ambiguous { .. });
                    let fits = match case.refused.as_deref() {
                        Some("ask") => asked,
                        _ => true,
                    };
                    if !fits && verbose {
                        println!("not asked back {name}: {}\n        {told}", case.question);
                    }
                    kept += 1;
                }
                (Verdict::Wrong, _) => {
                    wrong.push(format!("{name}: {}\n        {told}", case.question))
                }
            }
        }
    }
    let answerable = right + refused;
    println!(
        "{right} right, {refused} refused, {} wrong; {kept} refused on purpose",
        wrong.len()
    );
    assert!(wrong.is_empty(), "wrong:\n{}", wrong.join("\n"));
    assert!(
        right * 100 >= answerable * LEAST_COVERAGE_PERCENT,
        "{right} of {answerable}"
    );
}

#[test]
fn the_expected_rows_are_those_of_the_statements_by_hand() {
    for (name, book) in books() {
        let database = database(&book);
        for case in &book.cases {
            let Some(truth) = &case.truth else { continue };
            let rows = support::rows_of(&database, truth).unwrap();
            assert!(
                support::same_rows(case.rows.as_deref().unwrap_or_default(), &rows),
                "{name}: {}",
                case.question
            );
        }
    }
}
