//! Double-quoted names that match nothing, which SQLite silently reads as text.

use crate::catalog::{self, Schema};
use crate::{Bound, explain};
use base::Result;

/// Names that every table has.
const ROWID_NAMES: [&str; 3] = ["rowid", "oid", "_rowid_"];

/// Refuses a double-quoted name that is no column, alias, table or common table expression of the statement.
///
/// # Errors
/// `NO_SUCH_COLUMN` with the hint to use single quotes for text.
pub fn check(schema: &impl Schema, bound: &Bound) -> Result<()> {
    let facts = bound.facts();
    if facts.double_quoted.is_empty() {
        return Ok(());
    }
    let columns = catalog::columns_of_statement(schema, bound)?;
    for name in &facts.double_quoted {
        let known = columns
            .iter()
            .any(|column| column.name.eq_ignore_ascii_case(name))
            || facts
                .visible_names
                .iter()
                .any(|visible| visible.eq_ignore_ascii_case(name))
            || ROWID_NAMES
                .iter()
                .any(|rowid| rowid.eq_ignore_ascii_case(name))
            || is_name_of_expression(bound.statement(), name);
        if !known {
            return Err(explain::no_such_column(schema, name, bound, true));
        }
    }
    Ok(())
}

/// SQLite names an unnamed result column after its text, so `"count(*)"` may mean the `count(*)` of an inner query.
fn is_name_of_expression(statement: &str, name: &str) -> bool {
    let is_plain_word = name
        .chars()
        .all(|character| character.is_alphanumeric() || character == '_' || character == ' ');
    !is_plain_word && statement.replace(&format!("\"{name}\""), "").contains(name)
}
