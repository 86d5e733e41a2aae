//! Loads CSV files on the host's SQLite, each into its own table, and prints one JSON line for
//! each: its columns, notices and rows, or the error. The paths are read from standard input, one a
//! line. `tests/corpus/loaded_files.py` compares the rows with those of other readers. `cargo run
//! --example load`

use std::io::{BufRead as _, Write as _};

use base::Error;
use codemode_database::config::Config;
use serde_json::{Value, json};
use session::bulk::{Destination, Format, Load, LoadRequest};
use session::statement_cache::StatementCache;
use session::{self, Session};

use test_support::HostDatabase;

/// The bytes that are passed to a load at once.
const PIECE_BYTES: usize = 64 * 1024;

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for path in std::io::stdin().lock().lines() {
        let path = path?;
        let bytes = std::fs::read(&path)?;
        let outcome = load(&path, &bytes)
            .unwrap_or_else(|error| json!({ "file": path, "error": error.to_json() }));
        writeln!(out, "{outcome}")?;
    }
    Ok(())
}

fn load(path: &str, bytes: &[u8]) -> Result<Value, Error> {
    let db = HostDatabase::new();
    session::start(&db, test_support::NOW_MS)?;
    let config = Config::parse(|_| None)?;
    let cache = StatementCache::default();
    let session = Session {
        db: &db,
        settings: &config.session,
        now_ms: test_support::NOW_MS,
        name: "loads",
        cache: &cache,
        scope: None,
    };
    let request = LoadRequest {
        decoders: test_support::text_decoder,
        ..LoadRequest::new("t", Format::Csv, Destination::Create)
    };
    let mut load = Load::new(session, request)?;
    for piece in bytes.chunks(PIECE_BYTES) {
        load.feed(piece)?;
    }
    let response = test_support::body(&load.finish()?);
    let query = r#"{"operation":"query","sql":"SELECT * FROM t ORDER BY rowid","rowFormat":"array","limit":10000}"#;
    let rows = test_support::body(&session::dispatch(&session, query)?);
    Ok(json!({
        "file": path,
        "columns": response.get("columns"),
        "notices": response.get("notices"),
        "rowsWritten": response.get("rowsWritten"),
        "rows": rows.get("results"),
    }))
}
