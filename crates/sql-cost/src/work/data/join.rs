//! A join of stored tables and counted sub-queries, as it is counted.

use super::derived::Measured;

/// What the rows of a loop are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rows {
    /// Those of a stored table, by the root page of it or of one of its indexes.
    Stored(i64),
    /// The same, of which the statement makes an index.
    Indexed(i64),
    /// Those of a counted sub-query.
    Counted(Measured),
}

/// A condition of a join.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// How many of the tables it needs.
    pub tables: usize,
    /// It is what the last of them is looked up by.
    pub is_key: bool,
    /// It lets the rows of a sub-query be looked up, where the join is counted.
    pub is_equality: bool,
    pub text: String,
}

/// The join of a nest.
#[derive(Debug, Clone, PartialEq)]
pub struct Join {
    /// Its tables in their order, called `r0`, `r1` and so on.
    pub rows: Vec<Rows>,
    pub conditions: Vec<Condition>,
    /// The tables that are loops, the innermost last. The others are look-ups of one row.
    pub loops: Vec<usize>,
}

impl Join {
    /// The tables before the loop `depth`, with all that is known of their rows.
    pub fn before(&self, depth: usize) -> Option<Self> {
        let last = *self.loops.get(depth)?;
        let is_known = |condition: &&Condition| condition.tables <= last;
        Some(Self {
            rows: self.rows.get(..last)?.to_vec(),
            conditions: self.conditions.iter().filter(is_known).cloned().collect(),
            loops: self.loops.get(..depth)?.to_vec(),
        })
    }

    /// The rows that the loop `depth` goes through, before anything but its key is asked of them.
    pub fn visits(&self, depth: usize) -> Option<Self> {
        let last = *self.loops.get(depth)?;
        let is_known = |condition: &&Condition| {
            condition.tables <= last || (condition.is_key && condition.tables == last + 1)
        };
        Some(Self {
            rows: self.rows.get(..=last)?.to_vec(),
            conditions: self.conditions.iter().filter(is_known).cloned().collect(),
            loops: self.loops.get(..=depth)?.to_vec(),
        })
    }
}
