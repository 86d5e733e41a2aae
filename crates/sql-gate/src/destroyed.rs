//! Lists the tables and views that a statement would drop, so that a confirmation can be asked for
//! before it runs.

use crate::Policy;
use crate::operations::StatementKind;
use crate::operations::{Kind, Role};
use crate::reviewed::review;

/// The kind of the dropped relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelationKind {
    /// A table, with its rows.
    Table,
    /// A view.
    View,
}

/// A table or view that a statement drops if it exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DroppedRelation {
    /// The kind that the statement names.
    pub kind: RelationKind,
    /// Its name as it is written, without quotes and without schema.
    pub name: String,
}

/// Returns the tables and views that a text drops when it runs. The gate itself reads the text, so
/// both judge the same statement; a text that the gate rejects drops nothing. A text without the
/// letters of DROP is not parsed.
pub fn destroyed(text: &str) -> Vec<DroppedRelation> {
    if text.len() > crate::limits::MAX_SQL_BYTES || !mentions_drop(text) {
        return Vec::new();
    }
    let Ok(reviewed) = review(text, &Policy::default()) else {
        return Vec::new();
    };
    // EXPLAIN QUERY PLAN of a DROP drops nothing.
    if reviewed.kind() != StatementKind::Schema {
        return Vec::new();
    }
    let kind = match reviewed.facts.kind {
        Kind::DropTable => RelationKind::Table,
        Kind::DropView => RelationKind::View,
        Kind::Select
        | Kind::Insert
        | Kind::Update
        | Kind::Delete
        | Kind::CreateTable
        | Kind::CreateIndex
        | Kind::CreateView
        | Kind::CreateVirtualTable { .. }
        | Kind::AlterTable
        | Kind::DropIndex
        | Kind::Other(_) => return Vec::new(),
    };
    let targets = reviewed.facts.targets.iter();
    targets
        .filter(|target| target.role == Role::Definition)
        .map(|target| DroppedRelation {
            kind,
            name: target.name.clone(),
        })
        .collect()
}

/// Returns true if the text contains the letters of DROP. SQLite has no other spelling of a
/// keyword.
fn mentions_drop(text: &str) -> bool {
    let keyword = b"drop";
    let mut windows = text.as_bytes().windows(keyword.len());
    windows.any(|window| window.eq_ignore_ascii_case(keyword))
}
