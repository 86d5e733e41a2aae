//! Allowances: bounds on how often an edge may be taken. An allowance is a sum of products. Each
//! product is the number of runs of certain instructions, times the number that one run allows.

use super::graph::InstructionAddress;

/// The number that one run of an instruction allows.
#[derive(Debug, Clone, PartialEq)]
pub enum Factor {
    Fixed(f64),
    /// As many as these instructions insert.
    Inserted(Vec<InstructionAddress>),
    /// As many as these instructions have inserted so far. Each round of a loop runs them and the
    /// instruction once, so the average is half of all.
    InsertedSoFar(Vec<InstructionAddress>),
}

/// One product of an allowance.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    pub places: Vec<InstructionAddress>,
    pub factor: Factor,
}

/// A bound on how often an edge may be taken.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Allowance {
    /// True if the edge may be taken once for each run of the program.
    pub once: bool,
    pub terms: Vec<Term>,
    /// Another bound of the same edge; the smaller one applies.
    pub otherwise: Option<Vec<Term>>,
    /// True if the bound is the limit that the gate sets for every recursion. It is used only if
    /// nothing else ends a loop.
    pub of_recursion: bool,
}

impl Allowance {
    pub fn times(places: Vec<InstructionAddress>, factor: f64) -> Self {
        Self {
            terms: vec![Term {
                places,
                factor: Factor::Fixed(factor),
            }],
            ..Self::default()
        }
    }
}
