//! The reasons why the changes of a statement cannot be undone.

use super::judged::WrittenTables;
use crate::limits::MAX_UNDO_ROWS;

/// Returns the reason why changes of these tables can never be undone, if there is one.
pub(super) fn obstacle(written: &WrittenTables) -> Option<String> {
    if let Some(obstacle) = &written.obstacle {
        return Some(obstacle.clone());
    }
    let mut relations = written.relations.iter();
    relations.find_map(|relation| relation.undo_obstacle())
}

/// Returns the reason if `rows` rows with `bytes` bytes of images exceed the limits.
pub(super) fn too_much(rows: u64, bytes: u64, most_bytes: u64) -> Option<String> {
    if rows > MAX_UNDO_ROWS {
        return Some(format!(
            "it changes more than {MAX_UNDO_ROWS} rows, including those that foreign keys change"
        ));
    }
    (bytes > most_bytes).then(|| {
        format!("the rows before and after take more than {most_bytes} bytes, which is the limit")
    })
}
