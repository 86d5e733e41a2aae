//! Operations of a session, as a caller sends them.

use base::Error;
use database::Database;
use serde_json::Value;
use session::{Settings, dispatch, start};

use crate::{HostDatabase, NOW_MS, Stand, body};

/// Returns the database of a new session.
pub fn database() -> HostDatabase {
    let db = HostDatabase::new();
    start(&db, NOW_MS).unwrap();
    db
}

/// Returns the database of a session with tables of the test's own.
pub fn with(script: &str) -> HostDatabase {
    let db = database();
    db.script(script);
    db
}

/// Sends an operation under the default settings.
///
/// # Errors
/// The error that the caller would get.
pub fn operation<D: Database>(db: &D, sent: &str) -> Result<Value, Error> {
    let stand = Stand::new(&Settings::default());
    let answer = dispatch(&stand.session(db), sent)?;
    Ok(body(&answer))
}

/// Returns the result of an operation that succeeds.
pub fn call<D: Database>(db: &D, sent: &str) -> Value {
    let answer = operation(db, sent).unwrap_or_else(|error| panic!("{error}: {sent}"));
    assert_eq!(answer["success"], true);
    answer
}

/// Returns the error of an operation that fails.
pub fn fail<D: Database>(db: &D, sent: &str) -> Error {
    operation(db, sent).expect_err(sent)
}
