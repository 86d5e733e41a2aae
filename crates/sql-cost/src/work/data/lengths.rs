//! The lengths of stored values: the longest value of a column, and the sum of all.

/// The lengths of the values of a column, in bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lengths {
    pub longest: f64,
    pub all: f64,
}

/// The precision with which lengths are determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Derived from the size of the database.
    Database,
    /// Measured column by column.
    Columns,
}
