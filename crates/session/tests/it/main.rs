//! Sessions on real SQLite, and their persistent tables (`persistent`).

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at its first surprise; clippy.toml allows this in test functions, and here the helpers may, too"
)]

mod approved;
mod bulk_advice;
mod bulk_bodies;
mod bulk_csv;
mod bulk_encodings;
mod bulk_faults;
mod bulk_json;
mod bulk_layout;
mod bulk_readings;
mod bulk_types;
mod confirmation;
mod dump;
mod expiry;
mod explain_query;
mod export;
mod full;
mod inspect;
mod migrations;
mod paging;
mod persistent;
mod remembered;
mod repeated;
mod schema_room;
mod scoped_records;
mod staging;
mod staging_faults;
mod staging_random;
mod staging_sizes;
mod staging_tables;
mod state;
mod table_names;
mod watching;
mod weighed;

use base::Error;
use database::Database;
use serde_json::Value;
use session::Settings;
use session::bulk::{Destination, Format, Load, LoadRequest};

use test_support::HostDatabase;

pub use test_support::{NOW_MS, call, database, fail, operation, with};

/// Returns the default settings with some changed, by the names that a deployment uses.
pub fn settings(others: &[(&str, &str)]) -> Settings {
    let mut settings = Settings::default();
    for (name, value) in others {
        let number: u64 = value.parse().unwrap();
        match *name {
            "MAX_RESULT_ROWS" => settings.max_result_rows = number,
            "MAX_RESULT_BYTES" => settings.max_result_bytes = number as usize,
            "MAX_STAGED_ROWS" => settings.max_staged_rows = number,
            "MAX_STAGED_TABLES" => settings.max_staged_tables = number,
            other => panic!("no setting {other}"),
        }
    }
    settings
}

/// Inserts a batch of records into table t.
pub fn batch<D: Database>(db: &D, records: &str) -> Result<Value, Error> {
    operation(
        db,
        &format!(r#"{{"operation":"batchInsert","table":"t","records":{records}}}"#),
    )
}

/// Makes the request of a load.
pub fn request(table: &str, format: Format, destination: Destination) -> LoadRequest {
    LoadRequest::new(table, format, destination)
}

/// Loads a body that arrives in pieces of this size.
pub fn load_pieces<D: Database>(
    db: &D,
    request: LoadRequest,
    body: &[u8],
    piece_bytes: usize,
) -> Result<Value, Error> {
    let settings = Settings::default();
    let stand = test_support::Stand::new(&settings);
    let session = stand.session(db);
    let mut load = Load::new(session, request)?;
    for piece in body.chunks(piece_bytes) {
        load.feed(piece)?;
    }
    Ok(test_support::body(&load.finish()?))
}

/// Loads a body that arrives at once.
pub fn load<D: Database>(db: &D, request: LoadRequest, body: &[u8]) -> Result<Value, Error> {
    load_pieces(db, request, body, usize::MAX)
}

/// Loads JSON or NDJSON into a new table t.
pub fn create_from_json(db: &HostDatabase, body: &str) -> Result<Value, Error> {
    load(
        db,
        request("t", Format::Json, Destination::Create),
        body.as_bytes(),
    )
}

/// Loads CSV into a new table t.
pub fn create_from_csv(db: &HostDatabase, body: &[u8]) -> Result<Value, Error> {
    load(db, request("t", Format::Csv, Destination::Create), body)
}
