//! Finds the places in which a statement reads a column of texts as if it contained numbers:
//! `sum(x)`, `x > 10`, `ORDER BY x`.
//!
//! SQLite does not report that it compares texts or adds up values that are not numbers.
//! [`numeric_uses`] follows the columns that its caller names through sub-queries, common table
//! expressions, views, new names and functions that pass a value on. It decides nothing: if it
//! misses a place, only a notice is missing. `reads` walks through the queries, and `values`
//! classifies expressions.

mod changes;
mod reads;
mod values;

#[cfg(test)]
mod tests;

use sqlite3_parser::Bump;
use sqlite3_parser::ast::Cmd;
use sqlite3_parser::dialect::TokenType as Kind;

use self::reads::Reads;
use super::lex;
use super::parse::parse;
use super::placeholders::placeholders;

pub use self::changes::{TableChange, table_change};
pub use self::values::is_iso_date;

/// A place in which a column of texts is read as numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumericUse {
    /// The column of texts.
    pub origin: Origin,
    /// The way in which it is read.
    pub how: NumericReading,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Origin {
    /// The table.
    pub table: String,
    /// The column.
    pub column: String,
}

/// A way in which a column is read as numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NumericReading {
    /// Added up, by `sum`, `avg` or `total`.
    Added,
    /// Put in order, by `min` or `max`, or as the first term of ORDER BY.
    Ordered,
    /// Converted to a number, by CAST or by arithmetic.
    Cast,
    /// Compared with a number.
    Compared,
    /// Compared with a date in ISO 8601 format.
    ComparedWithDate,
    /// Compared with a placeholder: its number from 1, and its name with prefix.
    ComparedWith(usize, String),
}

/// The definition of a name in FROM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A table: its columns in order, each with true if it is a column of texts to follow.
    Table(Vec<(String, bool)>),
    /// A view, by the statement that creates it.
    View(String),
}

/// The tables and views of a database.
pub trait Sources {
    /// Returns the table or view with this name, or `None` if there is none.
    fn source(&self, name: &str) -> Option<Source>;
}

/// The ways in which a statement uses columns of texts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NumericUses {
    /// The places that read them as numbers.
    pub uses: Vec<NumericUse>,
    /// Columns of which the statement selects only the numbers, by `CAST(x AS NUMERIC) = x`.
    pub filtered: Vec<Origin>,
}

/// Finds the places in a statement.
pub fn numeric_uses(statement: &str, sources: &dyn Sources) -> NumericUses {
    let Some(numbered) = numbered(statement) else {
        return NumericUses::default();
    };
    let arena = Bump::new();
    let Ok(command) = parse(&arena, &numbered) else {
        return NumericUses::default();
    };
    let mut reads = Reads::new(sources);
    match &command {
        Cmd::Stmt(statement) | Cmd::Explain(statement) | Cmd::ExplainQueryPlan(statement) => {
            reads.statement(statement);
        }
    }
    reads.found
}

/// Returns the statement with a number after each `?`.
fn numbered(statement: &str) -> Option<String> {
    let tokens = lex::tokens(statement).ok()?;
    let places = placeholders(statement, &tokens).unwrap_or_default().places;
    let mut out = String::with_capacity(statement.len());
    let mut from = 0;
    for token in tokens
        .iter()
        .filter(|token| token.kind == Kind::TK_VARIABLE)
    {
        if token.text(statement) != "?" {
            continue;
        }
        let place = places
            .binary_search_by_key(&token.start, |place| place.start)
            .ok()
            .and_then(|at| places.get(at))?;
        out.push_str(statement.get(from..token.end)?);
        out.push_str(&place.number.to_string());
        from = token.end;
    }
    out.push_str(statement.get(from..)?);
    Some(out)
}
