//! How often an edge may be taken: a sum of products, how often certain instructions run times what each run allows.

use super::graph::InstructionAddress;

/// What one run of an instruction allows.
#[derive(Debug, Clone, PartialEq)]
pub enum Factor {
    Fixed(f64),
    /// As many as these instructions insert.
    Inserted(Vec<InstructionAddress>),
    /// As many as these have inserted so far, where each round of a loop runs them and the instruction once: half of all on average.
    InsertedSoFar(Vec<InstructionAddress>),
}

/// Part of an allowance.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    pub places: Vec<InstructionAddress>,
    pub factor: Factor,
}

/// How often an edge may be taken.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Allowance {
    /// Once for each run of the program.
    pub once: bool,
    pub terms: Vec<Term>,
    /// Another bound of the same: the smaller one holds.
    pub otherwise: Option<Vec<Term>>,
    /// Rests on the limit that the gate gives every recursion, and is used only where nothing else ends a loop.
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
