//! Lists the tables that the engine may open for the final text: every b-tree must belong to a
//! table that was judged.

use super::scope::Scope;
use super::tables::{Table, Tables};
use crate::layout::Layout;
use std::collections::HashSet;

/// The tables whose b-trees a statement may open, in lower case.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Fence {
    tables: HashSet<String>,
}

impl Fence {
    /// Collects the tables that the statement reads, the tables that it writes, and the tables that
    /// the engine reads because of foreign keys of the written ones.
    pub(super) fn of(
        layout: &Layout<'_>,
        scope: &Scope,
        tables: &Tables,
        defined: &[&Table],
    ) -> Self {
        let mut found: HashSet<String> = defined
            .iter()
            .map(|table| table.name.to_ascii_lowercase())
            .collect();
        for relation in &layout.facts.relations {
            let table = tables.find(&relation.name);
            if table.is_some_and(|table| scope.reads_whole(table)) {
                found.insert(relation.name.to_ascii_lowercase());
            }
        }
        let mut open: Vec<String> = layout
            .facts
            .targets
            .iter()
            .map(|target| target.name.to_ascii_lowercase())
            .collect();
        let mut seen = HashSet::new();
        while let Some(table) = open.pop() {
            if !seen.insert(table.clone()) {
                continue;
            }
            for key in tables.parents(&table) {
                found.insert(key.parent.to_ascii_lowercase());
            }
            // An action may change a referring table, and then the foreign keys of that table are
            // checked as well.
            open.extend(
                tables
                    .children(&table)
                    .map(|key| key.child.to_ascii_lowercase()),
            );
        }
        found.extend(seen);
        Self { tables: found }
    }

    /// Returns true if the table with this name may be opened.
    pub(crate) fn allows(&self, table: &str) -> bool {
        let folded = table.to_ascii_lowercase();
        // AUTOINCREMENT counts in `sqlite_sequence`, and no text can name that table.
        folded == "sqlite_sequence" || self.tables.contains(&folded)
    }
}
