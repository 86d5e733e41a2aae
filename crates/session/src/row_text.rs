//! Makes SQL expressions that turn a row of a table into one text, so that SQLite encodes results
//! and Rust only passes them on.
//!
//! The JSON forms are those of [`sql_gate::value`]: a blob is `{"$blob":"<hex>"}`, which
//! [`sql_gate::value::finish`] converts to the wire format.

use sql_gate::RowShape;
use sql_gate::compose::{Part, quote_identifier};
use sql_gate::value::{joined, row_expression};

/// The form of a row's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowForm {
    /// `[v1,v2]`
    JsonArray,
    /// `{"name":v1}`
    JsonObject,
    /// `v1,v2` as SQL literals.
    SqlLiterals,
}

/// The columns of a row.
#[derive(Debug, Clone)]
pub struct RowText {
    names: Vec<String>,
    array: String,
    object: String,
    literals: String,
}

impl RowText {
    /// Makes the expressions for these columns, in this order.
    pub fn new(names: Vec<String>) -> Self {
        let values: Vec<String> = names.iter().map(|name| quote_identifier(name)).collect();
        Self {
            array: row_expression(&values, &names, RowShape::Array),
            object: row_expression(&values, &names, RowShape::Object),
            literals: joined(values.iter().map(|value| literal(value)).collect()),
            names,
        }
    }

    /// Returns the names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the expression for `[v1,v2,…]`.
    pub fn json_array(&self) -> Vec<Part<'_>> {
        vec![Part::Expression(&self.array)]
    }

    /// Returns the expression for `{"name":v1,…}`.
    pub fn json_object(&self) -> Vec<Part<'_>> {
        vec![Part::Expression(&self.object)]
    }

    /// Returns the expression for `v1,v2,…` as SQL literals.
    pub fn sql_literals(&self) -> Vec<Part<'_>> {
        vec![Part::Expression(&self.literals)]
    }
}

/// Returns the expression for one SQL literal. `quote()` ends a text at NUL, so a text with NUL is
/// written as a blob with a cast.
fn literal(value: &str) -> String {
    format!(
        "CASE WHEN typeof({value})='text' AND instr({value},char(0)) THEN 'CAST(X'''||hex({value})||''' AS TEXT)' ELSE quote({value}) END"
    )
}
