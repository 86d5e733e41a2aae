//! Asks the planner questions about databases and prints how many it answers right, refuses and
//! answers wrong, and how long it takes: `questions QUESTIONS.json FOLDER`. The file has a list of
//! `[question, statement with the expected rows]` for each database `FOLDER/NAME.sqlite`; without a
//! statement there is nothing to answer. `CODEMODE_PLANNER=1` prints those whose rows are wrong.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a program for developers, which stops at its first surprise"
)]
#![allow(dead_code, reason = "the tests use more of the shared file")]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use agent_planner::{Day, Plan, plan};
use rusqlite::{Connection, OpenFlags};
use support::{learned, rows_of, same_rows, schema_of};

#[path = "../tests/it/support.rs"]
mod support;

type Questions = BTreeMap<String, Vec<(String, Option<String>)>>;

#[derive(Default)]
struct Tally {
    right: usize,
    refused: usize,
    refused_on_purpose: usize,
    wrong: usize,
    times: Vec<Duration>,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (file, folder) = (arguments.next().unwrap(), arguments.next().unwrap());
    let questions: Questions =
        serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    println!(
        "| database | rows | questions | right | refused | refused on purpose | wrong | median ms | longest ms |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let mut wrong = 0;
    for (name, questions) in &questions {
        let path = format!("{folder}/{name}.sqlite");
        let database = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        let schema = schema_of(&database);
        let rows: u64 = schema
            .tables
            .iter()
            .filter_map(|table| table.row_count)
            .sum();
        let mut tally = Tally::default();
        for (question, truth) in questions {
            let begun = Instant::now();
            let learned = learned(&database, &schema, question);
            let planned = plan(question, &learned, Day::parse("2025-06-15").unwrap());
            tally.times.push(begun.elapsed());
            judge(&database, question, truth.as_deref(), &planned, &mut tally);
        }
        wrong += tally.wrong;
        tally.times.sort();
        let ms = |time: Option<&Duration>| time.map_or(0.0, |time| time.as_secs_f64() * 1e3);
        println!(
            "| {name} | {rows} | {} | {} | {} | {} | {} | {:.1} | {:.1} |",
            questions.len(),
            tally.right,
            tally.refused,
            tally.refused_on_purpose,
            tally.wrong,
            ms(tally.times.get(tally.times.len() / 2)),
            ms(tally.times.last())
        );
    }
    assert_eq!(wrong, 0, "questions with other rows");
}

fn judge(
    database: &Connection,
    question: &str,
    truth: Option<&str>,
    planned: &Plan,
    tally: &mut Tally,
) {
    let verbose = std::env::var("CODEMODE_PLANNER").is_ok();
    let Plan::Query {
        sql, explanation, ..
    } = planned
    else {
        match truth {
            Some(_) => tally.refused += 1,
            None => tally.refused_on_purpose += 1,
        }
        if verbose {
            println!("refused: {question}\n    {planned:?}");
        }
        return;
    };
    // Of a statement that changes rows the text is compared.
    let is_right = truth.is_some_and(|truth| {
        if !sql.starts_with("SELECT") {
            return sql == truth;
        }
        let expected = rows_of(database, truth).unwrap();
        rows_of(database, sql).is_ok_and(|rows| same_rows(&expected, &rows))
    });
    match is_right {
        true => tally.right += 1,
        false => {
            tally.wrong += 1;
            println!("WRONG: {question}\n    {sql}\n    {explanation}");
        }
    }
}
