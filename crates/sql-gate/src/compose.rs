//! Composes our own SQL from fixed text and names. A name always becomes a quoted identifier.

use std::fmt::Write as _;
use std::rc::Rc;

use super::operations::{Explain, Kind, Operations};
use crate::bound::Bound;
use crate::operations::StatementKind;
use database::Bind;

pub use crate::quotes::{quote_identifier, quote_text};

/// A piece of a composed statement.
#[derive(Debug, Clone, Copy)]
pub enum Part<'a> {
    /// Fixed SQL.
    Sql(&'static str),
    /// A name, quoted.
    Identifier(&'a str),
    /// A text, quoted.
    Text(&'a str),
    /// The text of a column's DEFAULT, as the engine stores it in its schema. It passed the gate
    /// when the table was made.
    StoredDefault(&'a str),
    /// A statement that the engine stores in its schema; it creates a copy of the table.
    StoredDefinition(&'a str),
    /// An expression of ours over quoted names, as [`super::value`] makes them.
    Expression(&'a str),
    /// A number.
    Number(u64),
}

/// Joins the parts. The result is our own statement and does not pass the gate again, so the caller
/// must have checked the tables that it writes with [`super::require_writable_name`] and the second
/// fence (`sql_cost::guard`).
pub fn compose(parts: &[Part<'_>], binds: Vec<Bind>) -> Bound {
    let mut text = String::new();
    for part in parts {
        match part {
            Part::Sql(fixed) => text.push_str(fixed),
            Part::Identifier(name) => text.push_str(&quote_identifier(name)),
            Part::Text(value) => text.push_str(&quote_text(value)),
            Part::StoredDefault(piece)
            | Part::StoredDefinition(piece)
            | Part::Expression(piece) => text.push_str(piece),
            Part::Number(number) => {
                let _ = write!(text, "{number}");
            }
        }
    }
    // The second fence checks a statement of ours by this kind: only a definition may write the
    // schema.
    let kind = if text.starts_with("SELECT") || text.starts_with("WITH") {
        StatementKind::Read
    } else if text.starts_with("INSERT")
        || text.starts_with("REPLACE")
        || text.starts_with("DELETE")
        || text.starts_with("UPDATE")
    {
        StatementKind::Write
    } else {
        StatementKind::Schema
    };
    Bound::new(
        text,
        binds,
        kind,
        Rc::new(Operations::new(Kind::Other("composed"), Explain::No)),
    )
}

/// Returns the sum of the lengths of columns, as an expression whose depth is the logarithm of
/// their number. It reads no text; a number counts as 8 bytes.
pub fn total_length(names: &[String]) -> String {
    match names {
        [] => "0".to_owned(),
        [name] => {
            let name = quote_identifier(name);
            format!(
                "CASE WHEN typeof({name}) IN ('text', 'blob') THEN octet_length({name}) ELSE 8 END"
            )
        }
        _ => {
            let (left, right) = names.split_at(names.len() / 2);
            format!("({} + {})", total_length(left), total_length(right))
        }
    }
}
