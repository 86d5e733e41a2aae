//! Images: exact copies of rows before and after a statement. `relation` describes a table, `text`
//! has SQL over images, `triggers` record changes, `changes` reads the recorded changes, `shown`
//! renders rows for people.

mod changes;
mod relation;
mod shown;
mod text;
mod triggers;

pub(super) use changes::{Change, Counted, bytes, changes, count, forget};
pub(super) use relation::{Relation, touched};
pub(super) use shown::{Shown, ShownRow, first_rows, row_now, sample, shown_row};
pub(super) use text::{Images, ROW, Side, sizes};
pub(super) use triggers::{
    Operation, OverLimit, Recording, RecordingLimits, is_too_much, recording, with_pragma,
};
