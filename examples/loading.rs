//! Prints how long the load of a CSV of 30 MB into a new table takes on the host's SQLite: with
//! fields that are kept as they are, and with fields that are converted, beside a prepared INSERT
//! of the same fields as texts, like `.import` of the SQLite shell. `cargo run --release --example
//! loading`

use std::time::Instant;

use base::Error;
use codemode_database::config::Config;
use session::bulk::{Destination, Format, Load, LoadRequest, MissingWords};
use session::statement_cache::StatementCache;
use session::{self, Session};

use test_support::HostDatabase;

const BYTES: usize = 30_000_000;
/// The bytes that are passed to a load at once.
const PIECE_BYTES: usize = 64 * 1024;
const ROUNDS: usize = 5;

fn main() -> Result<(), Error> {
    let plain = file("id;name;amount;share;day;note\n", |id| {
        let (month, day) = (1 + id % 12, 1 + id % 28);
        format!(
            "{id};Name of the row {id};{}.{:02};{};2025-{month:02}-{day:02};a text\n",
            id % 9_973,
            id % 100,
            id % 101
        )
    });
    let noted = file("id;name;amount;share;day;note\n", |id| {
        let (month, day) = (1 + id % 12, 1 + id % 28);
        let share = if id % 50 == 0 {
            "NA".to_owned()
        } else {
            format!("{}%", id % 101)
        };
        format!(
            "{id};Name of the row {id};{}.{:03},{:02} €;{share};{day:02}.{month:02}.2025;a text\n",
            1 + id % 9,
            id % 1_000,
            id % 100
        )
    });
    println!(
        "{:<52} {:>9} {:>8}",
        "30 MB of CSV, the fastest of 5", "ms", "MB/s"
    );
    let floor = measure("prepared INSERT of the plain fields as texts", || {
        insert(&plain)
    })?;
    for (name, body, missing) in [
        ("load, plain fields", &plain, MissingWords::Usual),
        ("load, plain fields, null=", &plain, MissingWords::parse("")),
        (
            "load, fields of which half are converted",
            &noted,
            MissingWords::Usual,
        ),
    ] {
        let took = measure(name, || load(body, &missing))?;
        println!("{:<52} {:>9.2}", "  beside the INSERT", took / floor);
    }
    Ok(())
}

fn file(header: &str, row: impl Fn(usize) -> String) -> String {
    let mut body = String::with_capacity(BYTES + 200);
    body.push_str(header);
    let mut id = 0;
    while body.len() < BYTES {
        body.push_str(&row(id));
        id += 1;
    }
    body
}

fn measure(name: &str, run: impl Fn() -> Result<(), Error>) -> Result<f64, Error> {
    let mut fastest = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        run()?;
        fastest = fastest.min(start.elapsed().as_secs_f64());
    }
    let megabytes = BYTES as f64 / 1e6;
    println!(
        "{name:<52} {:>9.0} {:>8.1}",
        fastest * 1e3,
        megabytes / fastest
    );
    Ok(fastest)
}

fn load(body: &str, missing: &MissingWords) -> Result<(), Error> {
    let db = HostDatabase::new();
    session::start(&db, test_support::NOW_MS)?;
    let config = Config::parse(|_| None)?;
    let cache = StatementCache::default();
    let session = Session {
        db: &db,
        settings: &config.session,
        now_ms: test_support::NOW_MS,
        name: "loading",
        cache: &cache,
        scope: None,
    };
    let mut request = LoadRequest::new("t", Format::Csv, Destination::Create);
    request.reading.missing = missing.clone();
    let mut load = Load::new(session, request)?;
    for piece in body.as_bytes().chunks(PIECE_BYTES) {
        load.feed(piece)?;
    }
    load.finish().map(drop)
}

fn insert(body: &str) -> Result<(), Error> {
    insert_rows(body).map_err(|error| Error::internal(error.to_string()))
}

fn insert_rows(body: &str) -> Result<(), rusqlite::Error> {
    let connection = rusqlite::Connection::open_in_memory()?;
    connection.execute_batch(
        "BEGIN; CREATE TABLE t (id INTEGER, name TEXT, amount REAL, share INTEGER, day TEXT, note TEXT)",
    )?;
    let mut statement = connection.prepare("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)")?;
    for line in body.lines().skip(1) {
        for (index, field) in line.split(';').enumerate() {
            statement.raw_bind_parameter(index + 1, field)?;
        }
        statement.raw_execute()?;
    }
    drop(statement);
    connection.execute_batch("COMMIT")
}
