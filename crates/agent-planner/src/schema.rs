//! The schema that the planner gets: tables, columns, keys, and the values that a question names.

/// The tables that a question may be about.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Schema {
    /// The tables, in any order. Their names must differ.
    pub tables: Vec<Table>,
}

/// A table or view.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// The name as declared.
    pub name: String,
    /// The columns in their order.
    pub columns: Vec<Column>,
    /// The number of rows, if it is known.
    pub row_count: Option<u64>,
}

/// A column.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Column {
    /// The name as declared.
    pub name: String,
    /// The declared type; empty if there is none.
    pub declared_type: String,
    /// True if it is part of the primary key.
    pub primary_key: bool,
    /// True if it is declared NOT NULL.
    pub not_null: bool,
    /// The table and column that a declared foreign key names.
    pub references: Option<(String, String)>,
    /// Some values of the column, none of them NULL. They show the kind of the values, and are used
    /// for nothing else.
    pub samples: Vec<SampleValue>,
    /// True if many rows share a few texts. A question for the values of such a column gets the
    /// different values.
    pub few_values: bool,
    /// The texts of the column that equal a text of the question, as a look-up found them.
    pub values: Vec<String>,
    /// Texts of the column that only resemble a text of the question.
    pub near: Vec<String>,
    /// Columns with unique values in which a look-up found values of this column.
    pub found_in: Vec<Reference>,
    /// True if the look-up did not read the column to its end, so that it may also have other
    /// values that the question names.
    pub unread: bool,
}

/// A value of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum SampleValue {
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Real(f64),
    /// A text.
    Text(String),
}

impl SampleValue {
    /// Returns the text; `None` for a number.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Integer(_) | Self::Real(_) => None,
        }
    }
}

/// Two columns whose values are compared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Join {
    /// The table and column that may refer.
    pub child: (String, String),
    /// The table and column that it may refer to.
    pub parent: (String, String),
}

/// A column whose values are unique and that has values of another one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reference {
    /// The table.
    pub table: String,
    /// The column.
    pub column: String,
    /// Of 100 different values of the other column, those that stand here.
    pub percent: u8,
}
