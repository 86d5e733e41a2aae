//! The description of a join of stored tables and counted sub-queries whose rows are to be counted.

use super::derived::CountedSubQuery;

/// The source of the rows of a loop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rows {
    /// A stored table, by the root page of the table or of one of its indexes.
    Stored(i64),
    /// A stored table that the statement builds an index on.
    Indexed(i64),
    /// A counted sub-query.
    Counted(CountedSubQuery),
}

/// A condition of a join.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// The number of tables that it needs, in their order.
    pub tables: usize,
    /// True if the engine looks up rows of the last of those tables by this condition.
    pub is_key: bool,
    /// True if the rows of a sub-query can be looked up by it when the join is counted.
    pub is_equality: bool,
    pub text: String,
}

/// The join that nested loops compute.
#[derive(Debug, Clone, PartialEq)]
pub struct Join {
    /// Its tables in their order, named `r0`, `r1` and so on.
    pub rows: Vec<Rows>,
    pub conditions: Vec<Condition>,
    /// The tables that are loops, the innermost last. The others are look-ups of one row.
    pub loops: Vec<usize>,
}

impl Join {
    /// Returns the join of the tables before the loop `depth`, with all conditions on their rows.
    pub fn before(&self, depth: usize) -> Option<Self> {
        let last = *self.loops.get(depth)?;
        let is_known = |condition: &&Condition| condition.tables <= last;
        Some(Self {
            rows: self.rows.get(..last)?.to_vec(),
            conditions: self.conditions.iter().filter(is_known).cloned().collect(),
            loops: self.loops.get(..depth)?.to_vec(),
        })
    }

    /// Returns the join whose rows are those that the loop `depth` visits: they match its key, and
    /// its other conditions are not yet checked.
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
