//! The conversion of records into rows, for loads and for staging.
//!
//! Contents: `record` reads a record, `slot` is a column that records fill, `encode` makes chunks
//! of records, `insert` has the statements that insert a chunk, `owner` fills and checks the
//! tenant's column under a scope, `settled` decides how the texts of a column are read, `hex`
//! writes blobs as text.

mod encode;
mod hex;
mod insert;
mod owner;
mod record;
mod settled;
mod slot;

use base::{Error, Result};

pub(crate) use crate::readings::Kinds;
pub(crate) use encode::{Chunk, Encoder, Header, Shape, SlotUse, Target};
pub(crate) use hex::append as append_hex;
pub(crate) use insert::{ChunkText, Inserter, Outline, default_value};
pub(crate) use owner::Owner;
pub(crate) use record::{append_text as append_json_text, append_value as append_json_value};
pub(crate) use settled::ColumnReadings;
pub(crate) use slot::Slot;

/// The treatment of a row that violates a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnConflict {
    /// The whole load fails.
    #[default]
    Error,
    /// The row is skipped.
    Ignore,
    /// The row replaces the rows that it conflicts with.
    Replace,
}

impl OnConflict {
    /// Reads `onConflict`.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] for any other word.
    pub fn parse(text: Option<&str>) -> Result<Self> {
        match text {
            None | Some("error") => Ok(Self::Error),
            Some("ignore") => Ok(Self::Ignore),
            Some("replace") => Ok(Self::Replace),
            Some(other) => Err(Error::invalid(format!(
                "onConflict must be error, ignore or replace, not {other:?}"
            ))),
        }
    }
}
