//! The names that a statement can use at one place: relations with their columns, and names that
//! look like words of a plan.

use super::super::analytic::random::Random;

/// A relation in scope.
#[derive(Debug, Clone)]
pub struct Relation {
    /// Its alias in the statement, quoted.
    pub alias: String,
    /// Its columns, quoted.
    pub columns: Vec<String>,
    /// True if it has a rowid.
    pub rowid: bool,
}

/// The relations that an expression may use, inner ones first.
pub type Scope = Vec<Relation>;

/// A relation that FROM can name.
#[derive(Debug, Clone)]
pub struct Source {
    /// Its name, quoted.
    pub name: String,
    /// Its columns, quoted.
    pub columns: Vec<String>,
    /// True if it has a rowid.
    pub rowid: bool,
}

impl Source {
    /// Makes a table or view.
    pub fn new(name: &str, columns: &[&str], rowid: bool) -> Self {
        Self {
            name: name.to_owned(),
            columns: columns.iter().map(|&column| column.to_owned()).collect(),
            rowid,
        }
    }
}

/// Returns a unique alias, which often looks like a line of EXPLAIN QUERY PLAN.
pub fn alias(random: &mut Random, number: usize) -> String {
    match random.below(12) {
        0 => format!("\"CONSTANT ROW {number}\""),
        1 => format!("\"r{number} USING x\""),
        2 => format!("\"SEARCH t{number} USING INTEGER PRIMARY KEY (rowid=?)\""),
        3 => format!("\"{number} USING COVERING INDEX i (a=?)\""),
        4 => format!("\"json_each VIRTUAL TABLE INDEX {number}:\""),
        _ => format!("n{number}"),
    }
}
