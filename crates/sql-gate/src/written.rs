//! Reports the changes that a statement would make, according to its text, for code that notifies
//! others of changes.

use crate::bound::Bound;
use crate::operations::{Explain, Kind, Operations, Role};

/// The changes that a statement would make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementChanges {
    /// True if definitions change, false if only rows do.
    pub schema: bool,
    /// The tables and views, as they are written, or `None` if the text does not name them.
    pub tables: Option<Vec<String>>,
    /// True if the statement may change or delete rows of these tables; then foreign keys and
    /// triggers can change other tables too.
    pub may_cascade: bool,
}

impl Bound {
    /// Returns the changes that the statement would make, or `None` if it only reads.
    pub fn written(&self) -> Option<StatementChanges> {
        let facts = self.facts();
        if facts.explain != Explain::No {
            return None;
        }
        Some(match facts.kind {
            Kind::Select => return None,
            Kind::Insert | Kind::Update | Kind::Delete => StatementChanges {
                schema: false,
                tables: named(facts, &[Role::Rows]),
                may_cascade: true,
            },
            Kind::CreateTable
            | Kind::CreateView
            | Kind::CreateVirtualTable { .. }
            | Kind::DropView => definition(named(facts, &[Role::Definition])),
            Kind::AlterTable => definition(named(facts, &[Role::Definition, Role::NewName])),
            Kind::CreateIndex => definition(named(facts, &[Role::IndexedTable])),
            // SQLite deletes the rows first, as DELETE does.
            Kind::DropTable => StatementChanges {
                may_cascade: true,
                ..definition(named(facts, &[Role::Definition]))
            },
            Kind::DropIndex | Kind::Other(_) => definition(None),
        })
    }
}

fn definition(tables: Option<Vec<String>>) -> StatementChanges {
    StatementChanges {
        schema: true,
        tables,
        may_cascade: false,
    }
}

fn named(facts: &Operations, roles: &[Role]) -> Option<Vec<String>> {
    let targets = facts.targets.iter();
    let names: Vec<String> = targets
        .filter(|target| roles.contains(&target.role))
        .map(|target| target.name.clone())
        .collect();
    (!names.is_empty()).then_some(names)
}
