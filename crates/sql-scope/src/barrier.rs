//! Decides if the engine might compute an expression that can fail on a row before it compares the
//! row's tenant.
//!
//! The tenant's predicate comes first in every WHERE, and SQLite evaluates the terms of a WHERE in
//! their order, with two exceptions. A term is evaluated earlier if all its columns are in the
//! index that is used and other terms need the row (`whereLoopAddBtree` and
//! `sqlite3WhereCodeOneLoopStart` in where.c and wherecode.c), and the terms of an OR that is split
//! by indexes come before the others. So the tables are materialized, which is a barrier for the
//! planner, in two cases: if an index without the tenant's column contains a column that is read by
//! an expression that can fail, and if there is an OR. The planner then knows less about the
//! tenant's rows, but nothing about the rows of others.

use database::Bind;

use super::scope::Scope;
use super::syntax::Syntax;
use super::tables::{Table, Tables};
use crate::layout::Layout;
use sql_gate::limits::ENGINE_PATTERN_BYTES;

/// The risk that an expression fails on a row of another tenant. It decides if the definitions must
/// be a barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Risk {
    /// Nothing can fail, or the order is certain.
    None,
    /// Only a pattern that is too long can fail. The pattern consists of literals, which have this
    /// many bytes in total, and of parameters.
    Pattern(usize),
    /// Something can fail.
    Certain,
}

impl Risk {
    /// Returns true if a barrier is needed with the parameters of a call.
    pub(super) fn is_barrier(self, binds: &[Bind]) -> bool {
        match self {
            Self::None => false,
            Self::Certain => true,
            Self::Pattern(literal) => {
                let of_texts = binds.iter().map(|bind| match bind {
                    Bind::Text(text) => text.len(),
                    Bind::Blob(bytes) => bytes.len(),
                    Bind::Null | Bind::Real(_) => 0,
                });
                literal.saturating_add(of_texts.sum()) > ENGINE_PATTERN_BYTES
            }
        }
    }
}

/// Returns true if the indexes of the tables have to be known.
pub(super) fn needs_indexes(syntax: &Syntax, scoped: &[&Table]) -> bool {
    !syntax.fallible.is_empty() || syntax.pattern_bytes.is_some() || has_generated(scoped)
}

/// Returns true if a table has a generated column. Its expression is computed wherever the column
/// is used.
fn has_generated(scoped: &[&Table]) -> bool {
    scoped
        .iter()
        .any(|table| table.columns.iter().any(|column| column.generated))
}

/// Returns the risk of a statement.
pub(super) fn risk(
    layout: &Layout<'_>,
    syntax: &Syntax,
    scope: &Scope,
    tables: &Tables,
    scoped: &[&Table],
) -> Risk {
    let lacking = |matters: &dyn Fn(Option<&str>) -> bool| {
        scoped
            .iter()
            .any(|table| tables.has_index_without(&table.name, &scope.column, matters))
    };
    let can_be_early = |matters: &dyn Fn(Option<&str>) -> bool| syntax.or || lacking(matters);
    if !syntax.fallible.is_empty() || has_generated(scoped) {
        let columns = Columns::of(layout, syntax, scoped);
        // Every index has the rowid, and therefore a column that is an alias of it.
        let has_key = scoped.iter().any(|table| {
            let mut keys = table.columns.iter().filter(|column| column.key);
            let key = keys.next().filter(|_| keys.next().is_none());
            key.is_some_and(|key| columns.has(&key.name))
                && tables.has_any_index_without(&table.name, &scope.column)
        });
        if has_key || can_be_early(&|column| column.is_none_or(|name| columns.has(name))) {
            return Risk::Certain;
        }
    }
    match syntax.pattern_bytes {
        Some(bytes) if can_be_early(&|_| true) => Risk::Pattern(bytes),
        _ => Risk::None,
    }
}

/// The columns that expressions which can fail may read.
enum Columns<'a> {
    All,
    Named(&'a [String]),
}

impl<'a> Columns<'a> {
    fn of(layout: &Layout<'_>, syntax: &'a Syntax, scoped: &[&Table]) -> Self {
        let fallible = &syntax.fallible;
        if has_generated(scoped) || fallible.iter().any(|name| name == "*") {
            return Self::All;
        }
        // The statement may give a name to something else. Then the name can mean any column that
        // the statement reads.
        let facts = layout.facts;
        let is_given = |name: &String| {
            facts
                .visible_names
                .iter()
                .any(|visible| visible.eq_ignore_ascii_case(name))
        };
        let is_flat = facts.selects <= 1 && facts.ctes.is_empty();
        if is_flat && !fallible.iter().any(is_given) {
            return Self::Named(fallible);
        }
        if syntax.star {
            Self::All
        } else {
            Self::Named(&syntax.names)
        }
    }

    fn has(&self, column: &str) -> bool {
        match self {
            Self::All => true,
            Self::Named(names) => names.iter().any(|name| name.eq_ignore_ascii_case(column)),
        }
    }
}
