//! Prints the speed at which a response becomes tables on the host's SQLite: rows a second of
//! staging, beside batchInsert of the same records into an existing table. `cargo run --release
//! --example staging`
//!
//! `make bench` measures the same in Cloudflare's engine; this example is for work on staging
//! itself.

use std::time::Instant;

use base::Error;
use codemode_database::config::Config;
use database::Database;
use session::staging::{ResultOrigin, Threshold, stage, worth_staging};
use session::statement_cache::StatementCache;
use session::{self, Session, dispatch};

use test_support::HostDatabase;

const RECORDS: usize = 50_000;
const ROUNDS: usize = 5;

fn main() -> Result<(), Error> {
    let flat: Vec<String> = (0..RECORDS)
        .map(|id| format!(r#"{{"pmid":{id},"title":"Title of the paper number {id}","year":{},"score":{}.5}}"#, 1990 + id % 35, id % 100))
        .collect();
    let nested: Vec<String> = (0..RECORDS / 3)
        .map(|id| {
            format!(
                r#"{{"pmid":{id},"title":"Title of the paper number {id}","journal":{{"name":"Journal","issn":{{"print":"1234-5678"}}}},"mesh":["a","b"],"authors":[{{"name":"First {id}"}},{{"name":"Second {id}"}}]}}"#
            )
        })
        .collect();
    println!("{:<34} {:>9} {:>10} {:>12}", "", "bytes", "ms", "rows/s");
    let list = format!("[{}]", flat.join(","));
    measure("batchInsert, flat", RECORDS, list.len(), |db, config| {
        let session = session(db, config);
        let body = format!(r#"{{"operation":"batchInsert","table":"t","records":{list}}}"#);
        dispatch(&session, &body).map(drop)
    })?;
    let stages = [
        ("staging, flat", RECORDS, list.clone()),
        (
            "staging, nested, 2 tables",
            RECORDS / 3 * 3,
            format!(r#"{{"results":[{}]}}"#, nested.join(",")),
        ),
    ];
    for (name, rows, text) in &stages {
        measure(name, *rows, text.len(), |db, config| {
            let source = ResultOrigin {
                server: "pubs",
                tool: "search",
                arguments: "{}",
                mappings: None,
                name: None,
                brief: false,
            };
            stage(&session(db, config), &source, text).map(drop)
        })?;
    }
    let threshold = Threshold {
        bytes: usize::MAX,
        records: usize::MAX,
    };
    measure("worth_staging, flat", RECORDS, list.len(), |_, _| {
        if worth_staging(&list, &threshold) {
            return Err(Error::internal("nothing is worth that"));
        }
        Ok(())
    })
}

fn session<'a>(db: &'a HostDatabase, config: &'a Config) -> Session<'a, HostDatabase> {
    Session {
        db,
        settings: &config.session,
        now_ms: 0,
        name: "staging",
        cache: Box::leak(Box::new(StatementCache::default())),
        scope: None,
    }
}

/// Measures the best of several rounds, each in its own database.
fn measure(
    name: &str,
    rows: usize,
    bytes: usize,
    work: impl Fn(&HostDatabase, &Config) -> Result<(), Error>,
) -> Result<(), Error> {
    let config = Config::parse(|_| None)?;
    let mut best = f64::MAX;
    for _ in 0..ROUNDS {
        let db = HostDatabase::new();
        session::start(&db, 0)?;
        db.script("CREATE TABLE t (pmid INTEGER, title TEXT, year INTEGER, score REAL)");
        let begun = Instant::now();
        work(&db, &config)?;
        best = best.min(begun.elapsed().as_secs_f64());
        assert!(db.size_bytes() > 0);
    }
    println!(
        "{name:<34} {bytes:>9} {:>10.1} {:>12.0}",
        best * 1_000.0,
        rows as f64 / best
    );
    Ok(())
}
