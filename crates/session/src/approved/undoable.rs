//! Whether what a statement changes can be put back.

use super::judged::Written;
use crate::limits::MAX_UNDO_ROWS;

/// Why not, as far as the tables alone say.
pub(super) fn obstacle(written: &Written) -> Option<String> {
    if let Some(obstacle) = &written.obstacle {
        return Some(obstacle.clone());
    }
    let mut relations = written.relations.iter();
    relations.find_map(|relation| relation.undo_obstacle())
}

/// Why not, where so many rows with images of so many bytes are more than is kept.
pub(super) fn too_much(rows: u64, bytes: u64, most_bytes: u64) -> Option<String> {
    if rows > MAX_UNDO_ROWS {
        return Some(format!(
            "it changes more than {MAX_UNDO_ROWS} rows, those that foreign keys change counted too"
        ));
    }
    (bytes > most_bytes).then(|| {
        format!("the rows before and after are more than the {most_bytes} bytes that are kept")
    })
}
