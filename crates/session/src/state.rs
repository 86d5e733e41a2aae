//! saveState and getState: JSON values with keys.
//!
//! A value is stored as the text in which it arrived, so that every JSON value is returned
//! unchanged, including integers of 64 bits and more.

use base::CommonError;
use serde_json::value::RawValue;

use super::{Reply, Session};
use crate::limits::MAX_STATE_KEY_CHARACTERS;
use base::{Error, Result};
use database::limits::MAX_VALUE_BYTES;
use database::{Bind, Cell, Counters, Database, DatabaseExt};

/// The table of the values, which callers can read with SQL.
const TABLE: &str = "session_state";
const SAVE: &str = "INSERT INTO session_state (key, value, updated_at) VALUES (?, ?, ?) \
     ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at";
const GET: &str = "SELECT value FROM session_state WHERE key = ?";

/// Stores a value.
///
/// # Errors
/// [`CommonError::InvalidArgument`] for the key, [`CommonError::TooBig`] for the value, or the
/// engine's.
pub(super) fn save<D: Database>(
    session: &Session<'_, D>,
    key: &str,
    value: &RawValue,
) -> Result<Reply> {
    check_key(key)?;
    let text = value.get();
    if text.len() + key.len() > MAX_VALUE_BYTES {
        return Err(Error::from(CommonError::TooBig {
            message: format!(
                "the value has {} bytes as JSON; the limit is {MAX_VALUE_BYTES}",
                text.len()
            ),
            hint: "keep large data in a table and save its name".to_owned(),
        }));
    }
    let counters = session.db.run(
        SAVE,
        &[
            Bind::text(key),
            Bind::text(text),
            Bind::number(session.now_ms),
        ],
    )?;
    session.tell_written(false, false, &[TABLE.to_owned()]);
    Ok(Reply::new(serde_json::Value::Null, counters))
}

/// Returns the value of a key, or null if there is none.
///
/// # Errors
/// [`CommonError::InvalidArgument`] for the key, or the engine's.
pub(super) fn get<D: Database>(session: &Session<'_, D>, key: &str) -> Result<Reply> {
    check_key(key)?;
    let value = session
        .db
        .cell(GET, &[Bind::text(key)])?
        .map(Cell::into_text);
    let counters = Counters {
        rows_read: value.is_some().into(),
        rows_written: 0,
    };
    let value = value.unwrap_or_else(|| "null".to_owned());
    Ok(Reply::new(serde_json::Value::Null, counters).with_json("value", value))
}

fn check_key(key: &str) -> Result<()> {
    let characters = key.chars().count();
    if (1..=MAX_STATE_KEY_CHARACTERS).contains(&characters) && !key.contains('\0') {
        Ok(())
    } else {
        Err(Error::invalid(format!(
            "key must have 1 to {MAX_STATE_KEY_CHARACTERS} characters, none of them NUL"
        )))
    }
}
