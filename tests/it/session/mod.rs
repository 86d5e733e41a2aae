//! What a session does, on real SQLite.

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
mod export;
mod full;
mod inspect;
mod migrations;
mod paging;
mod remembered;
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

use codemode_database::base::Error;
use codemode_database::config::Config;
use codemode_database::database::Database;
use codemode_database::session::bulk::{Destination, Format, Load, LoadRequest};
use codemode_database::session::{dispatch, start};
use serde_json::Value;

use crate::support::HostDatabase;

pub use crate::support::NOW_MS;

/// A session's database, ready for use.
pub fn database() -> HostDatabase {
    let db = HostDatabase::new();
    start(&db, NOW_MS).unwrap();
    db
}

/// A database with tables of the test's own.
pub fn with(script: &str) -> HostDatabase {
    let db = database();
    db.script(script);
    db
}

/// The default settings.
pub fn config() -> Config {
    Config::parse(|_| None).unwrap()
}

/// What an operation answers or fails with.
pub fn operation<D: Database>(db: &D, body: &str) -> Result<Value, Error> {
    let config = config();
    let stand = crate::support::Stand::new(&config);
    let session = stand.session(db);
    let answer = dispatch(&session, body)?;
    Ok(crate::support::body(&answer))
}

/// The result of an operation that succeeds.
pub fn call<D: Database>(db: &D, body: &str) -> Value {
    let answer = operation(db, body).unwrap_or_else(|error| panic!("{error}: {body}"));
    assert_eq!(answer["success"], true);
    answer
}

/// The error of an operation that fails.
pub fn fail<D: Database>(db: &D, body: &str) -> Error {
    operation(db, body).expect_err(body)
}

/// A batch of records into table t.
pub fn batch<D: Database>(db: &D, records: &str) -> Result<Value, Error> {
    operation(
        db,
        &format!(r#"{{"operation":"batchInsert","table":"t","records":{records}}}"#),
    )
}

/// The request of a load.
pub fn request(table: &str, format: Format, destination: Destination) -> LoadRequest {
    LoadRequest::new(table, format, destination)
}

/// A load whose body arrives in pieces of so many bytes.
pub fn load_pieces<D: Database>(
    db: &D,
    request: LoadRequest,
    body: &[u8],
    piece_bytes: usize,
) -> Result<Value, Error> {
    let config = config();
    let stand = crate::support::Stand::new(&config);
    let session = stand.session(db);
    let mut load = Load::new(session, request)?;
    for piece in body.chunks(piece_bytes) {
        load.feed(piece)?;
    }
    Ok(crate::support::body(&load.finish()?))
}

/// A load whose body arrives at once.
pub fn load<D: Database>(db: &D, request: LoadRequest, body: &[u8]) -> Result<Value, Error> {
    load_pieces(db, request, body, usize::MAX)
}

/// JSON or NDJSON into the table t, which is made for it.
pub fn create_from_json(db: &HostDatabase, body: &str) -> Result<Value, Error> {
    load(
        db,
        request("t", Format::Json, Destination::Create),
        body.as_bytes(),
    )
}

/// CSV into the table t, which is made for it.
pub fn create_from_csv(db: &HostDatabase, body: &[u8]) -> Result<Value, Error> {
    load(db, request("t", Format::Csv, Destination::Create), body)
}
