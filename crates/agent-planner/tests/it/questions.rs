//! Questions as people write them, over databases with rows: the planner returns the right rows or
//! refuses, and is never wrong.

use crate::support;

use agent_planner::{Day, Plan, plan};
use rusqlite::Connection;
use serde::Deserialize;
use serde_json::Value;

/// The share of questions with a result that the planner must have.
const LEAST_COVERAGE_PERCENT: usize = 85;
/// Questions and schemas that there must be.
const LEAST_QUESTIONS: usize = 120;
const LEAST_SCHEMAS: usize = 4;

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
    /// True if no other column may stand beside the expected one.
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

/// The tally of the questions of one schema.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    right: usize,
    refused: usize,
    wrong: usize,
    refused_on_purpose: usize,
}

impl Tally {
    fn count(&mut self, verdict: Verdict, is_answerable: bool) {
        let counted = match (verdict, is_answerable) {
            (Verdict::Right, _) => &mut self.right,
            (Verdict::Wrong, _) => &mut self.wrong,
            (Verdict::Refused, true) => &mut self.refused,
            (Verdict::Refused, false) => &mut self.refused_on_purpose,
        };
        *counted += 1;
    }

    fn plus(self, other: Self) -> Self {
        Self {
            right: self.right + other.right,
            refused: self.refused + other.refused,
            wrong: self.wrong + other.wrong,
            refused_on_purpose: self.refused_on_purpose + other.refused_on_purpose,
        }
    }

    fn questions(self) -> usize {
        self.right + self.refused + self.wrong + self.refused_on_purpose
    }

    fn row(self, name: &str) -> String {
        format!(
            "| {name} | {} | {} | {} | {} | {} |",
            self.questions(),
            self.right,
            self.refused,
            self.refused_on_purpose,
            self.wrong
        )
    }
}

/// The table of `docs/planner.md`.
fn table(tallies: &[(String, Tally)]) -> Vec<String> {
    let total = tallies
        .iter()
        .fold(Tally::default(), |sum, (_, tally)| sum.plus(*tally));
    let rows = tallies.iter().map(|(name, tally)| tally.row(name));
    rows.chain([total.row("all")]).collect()
}

#[test]
fn questions_have_the_right_rows_or_are_refused() {
    let verbose = std::env::var("CODEMODE_PLANNER").is_ok();
    let (mut wrong, mut tallies) = (Vec::new(), Vec::new());
    for (name, book) in books() {
        let today = Day::parse(&book.today).unwrap();
        let rows = database(&book);
        let schema = support::schema_of(&rows);
        let mut tally = Tally::default();
        for case in &book.cases {
            let learned = support::learned(&rows, &schema, &case.question);
            let plan = plan(&case.question, &learned, today);
            let (verdict, told) = judge(&book, case, &plan);
            tally.count(verdict, case.refused.is_none());
            let asked = matches!(plan, Plan::Ambiguous { .. });
            let note = match (verdict, case.refused.as_deref()) {
                (Verdict::Wrong, _) => {
                    wrong.push(format!("{name}: {}\n        {told}", case.question));
                    continue;
                }
                (Verdict::Refused, None) => "refused",
                (Verdict::Refused, Some("ask")) if !asked => "not asked back",
                _ => continue,
            };
            if verbose {
                println!("{note} {name}: {}\n        {told}", case.question);
            }
        }
        tallies.push((name, tally));
    }
    let table = table(&tallies);
    println!(
        "| schema | questions | right | refused | refused on purpose | wrong |\n{}",
        table.join("\n")
    );
    assert!(wrong.is_empty(), "wrong:\n{}", wrong.join("\n"));
    let total = tallies
        .iter()
        .fold(Tally::default(), |sum, (_, tally)| sum.plus(*tally));
    let answerable = total.right + total.refused;
    assert!(
        total.right * 100 >= answerable * LEAST_COVERAGE_PERCENT,
        "{} of {answerable}",
        total.right
    );
    assert!(
        total.questions() >= LEAST_QUESTIONS && tallies.len() >= LEAST_SCHEMAS,
        "there are fewer questions"
    );
    assert!(
        total.refused_on_purpose * 3 >= total.questions(),
        "a third of the questions must have no result"
    );
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/planner.md");
    let page = std::fs::read_to_string(page).unwrap();
    for row in table {
        assert!(page.contains(&row), "docs/planner.md lacks {row}");
    }
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
