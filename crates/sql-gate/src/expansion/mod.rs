//! Measures a statement after each name in it is replaced by its definition, which is how SQLite
//! compiles it.
//!
//! SQLite copies the body of a view or common table expression to each place that names it, even
//! with MATERIALIZED. When it flattens a sub-query, it copies the expression of a column to each
//! place that names the column, and a VIRTUAL generated column is also computed in place. So a
//! chain of twenty views, each of which names the one before twice, becomes a million copies, and
//! compiling them takes minutes and gigabytes. This module computes the sizes from the syntax
//! alone, with saturating sums, before anything is compiled.
//!
//! The sizes are upper bounds: a column is looked up by its name alone, and the largest column with
//! that name counts.

mod columns;
mod schema;
mod walk;

use crate::SqlError;
use std::cell::Cell;
use std::rc::Rc;

use sqlite3_parser::ast::{Cmd, Stmt};

use crate::limits::{MAX_EXPRESSION_COPIES, MAX_REFERENCE_COPIES};
use base::{Error, Result};
pub use schema::check_in;
pub use schema::{Views, require_small};
pub(crate) use walk::Expansion;

/// The size of a compiled statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Size {
    /// The number of tables, views, common table expressions and sub-queries.
    pub references: u64,
    /// The number of parts of expressions.
    pub parts: u64,
}

impl Size {
    /// A size that is beyond every limit.
    pub const ENDLESS: Self = Self {
        references: u64::MAX,
        parts: u64::MAX,
    };
    const PART: Self = Self {
        references: 0,
        parts: 1,
    };
    const REFERENCE: Self = Self {
        references: 1,
        parts: 0,
    };

    fn plus(self, other: Self) -> Self {
        Self {
            references: self.references.saturating_add(other.references),
            parts: self.parts.saturating_add(other.parts),
        }
    }

    fn largest(self, other: Self) -> Self {
        Self {
            references: self.references.max(other.references),
            parts: self.parts.max(other.parts),
        }
    }

    /// Returns true if this size exceeds the written one by more copies than a statement may have.
    fn is_too_large(self, written: Self) -> bool {
        self.references.saturating_sub(written.references) > MAX_REFERENCE_COPIES
            || self.parts.saturating_sub(written.parts) > MAX_EXPRESSION_COPIES
    }
}

/// The definition of a name, measured.
#[derive(Debug, Clone, Default)]
pub struct Outline {
    /// The size that is compiled for each use of the name in FROM.
    pub size: Size,
    /// The part of that size that is in its own text.
    pub written: Size,
    /// The names of columns, in lower case and empty if a column has none, with the size of each
    /// column's expression.
    pub columns: Vec<(String, Size)>,
    /// True if there are columns that are not listed, because `*` takes them from a table.
    pub is_open: bool,
    /// The name in the definition that multiplies.
    pub blamed: Option<String>,
}

impl Outline {
    /// Returns true if the copies are more than the limits allow.
    pub fn is_too_large(&self) -> bool {
        self.size.is_too_large(self.written)
    }
}

/// The definitions of the schema's names.
pub trait Definitions {
    /// Returns the view, or the table with generated columns, with this name.
    fn relation(&self, name: &str) -> Option<Rc<Outline>>;

    /// Returns the current height of the tree, over all definitions that are being measured.
    fn height(&self) -> &Cell<usize>;
}

/// A schema that is not known: every name is a plain table.
#[derive(Default)]
pub struct PlainTables {
    height: Cell<usize>,
}

impl Definitions for PlainTables {
    fn relation(&self, _name: &str) -> Option<Rc<Outline>> {
        None
    }

    fn height(&self) -> &Cell<usize> {
        &self.height
    }
}

/// Refuses a statement that is too large to compile.
///
/// # Errors
/// `QUERY_TOO_EXPENSIVE`, naming the part that multiplies.
pub fn check(command: &Cmd<'_>, definitions: &dyn Definitions) -> Result<()> {
    let (Cmd::Stmt(statement) | Cmd::Explain(statement) | Cmd::ExplainQueryPlan(statement)) =
        command;
    let outline = Expansion::new(definitions).statement(statement);
    if outline.is_too_large() {
        return Err(too_large(&outline, None));
    }
    Ok(())
}

/// Returns the measured definition of a CREATE VIEW or CREATE TABLE of the schema, or `None` for
/// any other statement.
pub fn definition(command: &Cmd<'_>, definitions: &dyn Definitions) -> Option<Outline> {
    match command {
        Cmd::Stmt(statement @ (Stmt::CreateView { .. } | Stmt::CreateTable { .. })) => {
            Some(Expansion::new(definitions).statement(statement))
        }
        _ => None,
    }
}

/// Refuses a view, computed column, CHECK or index that is too large for any statement that would
/// use it. The query of a CREATE TABLE … AS SELECT runs only once, and is measured like any other
/// query.
///
/// # Errors
/// `QUERY_TOO_EXPENSIVE`.
fn check_definition(command: &Cmd<'_>, definitions: &dyn Definitions) -> Result<()> {
    let Cmd::Stmt(statement) = command else {
        return Ok(());
    };
    let size = Expansion::new(definitions).defined(statement);
    let what = match statement {
        Stmt::CreateView { .. } => "the view",
        Stmt::CreateIndex { .. } => "the index",
        _ => "an expression of the table",
    };
    if !size.is_too_large(Size::default()) {
        return Ok(());
    }
    let Size { references, parts } = size;
    Err(Error::from(SqlError::TooMuchWork {
        message: format!(
            "{what} would be refused whenever a statement uses it: after its names are replaced by their definitions it has {references} \
             references to tables and {parts} parts of expressions; the limits are {MAX_REFERENCE_COPIES} and {MAX_EXPRESSION_COPIES}"
        ),
        hint: "put a long list of values into rows of a table and write IN (SELECT …), and the result of a query of many parts into a table \
               (CREATE TABLE step AS SELECT …)"
            .to_owned(),
    }))
}

/// Returns the refusal of a statement, or of a view of the schema, that is too large to compile.
pub fn too_large(outline: &Outline, view: Option<&str>) -> Error {
    let blamed = match (view, &outline.blamed) {
        (Some(view), _) => format!("the view {view}"),
        (None, Some(name)) => name.clone(),
        (None, None) => "the statement".to_owned(),
    };
    let Size { references, parts } = outline.size;
    let many = |number: u64| match number {
        1_000_000.. => "more than a million".to_owned(),
        _ => number.to_string(),
    };
    let what = if references.saturating_sub(outline.written.references) > MAX_REFERENCE_COPIES {
        format!(
            "{blamed} becomes too large: after its names are replaced by their definitions it has {} references to tables and sub-queries, and \
             the limit is {MAX_REFERENCE_COPIES} more than the text contains",
            many(references)
        )
    } else {
        format!(
            "{blamed} becomes too large: after its columns are replaced by their expressions it has {} parts of expressions, and \
             the limit is {MAX_EXPRESSION_COPIES} more than the text contains",
            many(parts)
        )
    };
    let hint = match view {
        Some(view) => {
            format!("DROP VIEW {view} first; what it computes can be a table: CREATE TABLE … AS SELECT …")
        }
        None => "SQLite compiles a view or WITH query again wherever it is named, MATERIALIZED or not: write the inner result to a table \
                 once (CREATE TABLE step AS SELECT …) and read that table"
            .to_owned(),
    };
    Error::from(SqlError::TooMuchWork {
        message: what,
        hint,
    })
}
