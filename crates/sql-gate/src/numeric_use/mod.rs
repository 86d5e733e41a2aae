//! Where a statement reads a column of texts as if it held numbers: `sum(x)`, `x > 10`, `ORDER BY x`.
//!
//! SQLite does not say that it compares texts or adds up what is no number. [`numeric_uses`] follows the columns that its caller names through
//! sub-queries, common table expressions, views, new names and functions that pass a value on. It decides nothing: a place that is missed changes
//! a notice alone. `reads` walks through the queries, `values` says what an expression is.

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

/// One place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumericUse {
    /// The column of texts.
    pub origin: Origin,
    /// How it is read.
    pub how: Manner,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Origin {
    /// The table.
    pub table: String,
    /// The column.
    pub column: String,
}

/// How a column is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Manner {
    /// `sum`, `avg` or `total`.
    Added,
    /// `min` or `max`, or the first of ORDER BY.
    Ordered,
    /// Made a number, by CAST or by arithmetic.
    Cast,
    /// Compared with a number.
    Compared,
    /// Compared with a date of ISO 8601.
    ComparedWithDate,
    /// Compared with a placeholder: its number from 1, and its name with prefix.
    ComparedWith(usize, String),
}

/// What a name behind FROM is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A table: its columns in order, each with whether it is one of the texts that are followed.
    Table(Vec<(String, bool)>),
    /// A view: the statement that makes it.
    View(String),
}

/// The tables and views of a database.
pub trait Sources {
    /// What a name is; `None` where it is neither.
    fn source(&self, name: &str) -> Option<Source>;
}

/// What a statement does with columns of texts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NumericUses {
    /// Where it reads them as numbers.
    pub uses: Vec<NumericUse>,
    /// Columns of which it takes the numbers alone, by `CAST(x AS NUMERIC) = x`.
    pub filtered: Vec<Origin>,
}

/// Finds the places of a statement.
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

/// The statement with a number behind each `?`.
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
