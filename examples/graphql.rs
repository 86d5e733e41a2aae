//! Prints how long the check of a generated GraphQL response takes, beside the time for merely
//! parsing its JSON: `cargo run --release --example graphql [-- MEGABYTES]`.

use std::fmt::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde::de::IgnoredAny;
use tools_graphql::{Check, Schema, check};

const ROUNDS: usize = 9;
const SCHEMA: &str = "type Query { targets(filter: String): [Target] } type Target { id: ID! sym: String name: String novelty: Float diseases: [Disease] } type Disease { name: String zscore: Float parent: Disease }";
const QUERY: &str = "query($f: String) { targets(filter: $f) { id sym name novelty diseases { n: name zscore parent { name } } } }";

fn main() -> ExitCode {
    let megabytes: usize = match std::env::args().nth(1).map(|text| text.parse()) {
        None => 10,
        Some(Ok(megabytes)) => megabytes,
        Some(Err(_)) => {
            eprintln!("usage: graphql [MEGABYTES]");
            return ExitCode::FAILURE;
        }
    };
    let Ok(schema) = Schema::from_sdl(SCHEMA) else {
        eprintln!("the schema of the example does not parse");
        return ExitCode::FAILURE;
    };
    for (name, every) in [("few nulls", 1_000), ("many nulls", 2)] {
        let response = answer(megabytes * 1_000_000, every);
        let request = Check {
            response: &response,
            query: Some(QUERY),
            schema: Some(&schema),
            ..Check::default()
        };
        let floor = median(|| serde_json::from_str::<IgnoredAny>(&response).is_ok());
        let time = median(|| check(&request).is_ok());
        let nulls = check(&request).map_or(0, |validation| validation.null_count);
        println!(
            "{name}: {:.1} MB with {nulls} nulls checked in {:.1} ms; reading the JSON alone takes {:.1} ms",
            response.len() as f64 / 1e6,
            time.as_secs_f64() * 1e3,
            floor.as_secs_f64() * 1e3,
        );
    }
    ExitCode::SUCCESS
}

/// Makes records with nested lists, of which one in `every` has nulls.
fn answer(bytes: usize, every: usize) -> String {
    let mut text = String::from(r#"{"data":{"targets":["#);
    let mut record = 0_usize;
    while text.len() < bytes {
        if record > 0 {
            text.push(',');
        }
        let name = if record.is_multiple_of(every) {
            "null".to_owned()
        } else {
            format!(r#""target number {record}, with a description of some length""#)
        };
        let _ = write!(
            text,
            r#"{{"id":"T{record}","sym":"SYM{record}","name":{name},"novelty":0.{record},"diseases":["#
        );
        for at in 0..5 {
            let comma = if at > 0 { "," } else { "" };
            let parent = if (record + at).is_multiple_of(every) {
                "null".to_owned()
            } else {
                format!(r#"{{"name":"disease {at}"}}"#)
            };
            let _ = write!(
                text,
                r#"{comma}{{"n":"disease \"{at}\" of {record}","zscore":{at}.25,"parent":{parent}}}"#
            );
        }
        text.push_str("]}");
        record += 1;
    }
    text.push_str("]}}");
    text
}

fn median(mut work: impl FnMut() -> bool) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let began = Instant::now();
            assert!(work());
            began.elapsed()
        })
        .collect();
    times.sort();
    times.get(ROUNDS / 2).copied().unwrap_or_default()
}
