//! Finds double-quoted names that name nothing in the statement. SQLite silently reads such a name
//! as a text.

use base::Result;
use sql_gate::bound::Bound;
use sql_gate::catalog::{self, Schema};
use sql_gate::explain;
use std::collections::HashSet;

/// Names that every table has.
const ROWID_NAMES: [&str; 3] = ["rowid", "oid", "_rowid_"];

/// Refuses a double-quoted name that is not a column, alias, table or common table expression of
/// the statement.
///
/// # Errors
/// `NO_SUCH_COLUMN` with the hint to use single quotes for text.
pub fn check(schema: &impl Schema, bound: &Bound) -> Result<()> {
    let facts = bound.facts();
    if facts.double_quoted.is_empty() {
        return Ok(());
    }
    let columns = catalog::columns_of_statement(schema, bound)?;
    let mut known: HashSet<String> = columns
        .iter()
        .map(|column| &column.name)
        .chain(&facts.visible_names)
        .map(|name| name.to_ascii_lowercase())
        .collect();
    known.extend(ROWID_NAMES.map(str::to_owned));
    for name in &facts.double_quoted {
        // Each name is checked once.
        let is_new = known.insert(name.to_ascii_lowercase());
        if is_new && !is_name_of_expression(bound.statement(), name) {
            return Err(explain::no_such_column(schema, name, bound, true));
        }
    }
    Ok(())
}

/// Returns true if the name may be that of an unnamed result column. SQLite names such a column
/// after its text, so `"count(*)"` may mean the `count(*)` of an inner query.
fn is_name_of_expression(statement: &str, name: &str) -> bool {
    let is_plain_word = name
        .chars()
        .all(|character| character.is_alphanumeric() || character == '_' || character == ' ');
    let bytes = statement.as_bytes();
    let is_quoted = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        before == Some(&b'"') && bytes.get(at + name.len()) == Some(&b'"')
    };
    !is_plain_word && statement.match_indices(name).any(|(at, _)| !is_quoted(at))
}
