//! Remembers the programs of statements that an object has seen, so that the engine does not have
//! to explain a repeated statement again.
//!
//! A program depends only on the text and the schema: ANALYZE is rejected, so nothing else changes
//! how the engine compiles a statement. Every change of the schema, even one that is rolled back,
//! deletes all remembered programs. The b-trees that a program may open and write are judged again
//! each time, and so is the work that it would do, unless it is within the limit for any data.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::work::bytecode::program::Listing;
use sql_gate::limits::{
    MAX_REMEMBERED_INSTRUCTIONS, MAX_REMEMBERED_PROGRAM, MAX_REMEMBERED_PROGRAM_TEXT,
};

/// A compiled statement, as EXPLAIN shows it.
#[derive(Debug)]
pub(crate) struct Program {
    pub listing: Listing,
    /// True if its work can be more than one pass over one table, however small the database is.
    pub multiplies: bool,
    /// The verdict that holds for any data and parameters, once the program was judged for it.
    pub in_any_state: Cell<Option<GeneralVerdict>>,
}

impl Program {
    /// Makes a program that was not judged yet.
    pub fn new(listing: Listing, multiplies: bool) -> Self {
        Self {
            listing,
            multiplies,
            in_any_state: Cell::new(None),
        }
    }
}

/// A verdict on a statement that reads neither data nor parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GeneralVerdict {
    /// True if the statement is within the limit, whatever is stored.
    pub passes: bool,
    /// The limit on its work.
    pub max_query_work: u64,
    /// The limit on the steps of a recursion.
    pub max_recursive_rows: u64,
}

/// The remembered programs, by [`sql_gate::Bound::description_key`].
#[derive(Debug, Default)]
pub(crate) struct Programs {
    known: HashMap<String, Rc<Program>>,
    instructions: usize,
}

impl Programs {
    pub fn get(&self, key: &str) -> Option<Rc<Program>> {
        self.known.get(key).map(Rc::clone)
    }

    /// Remembers a program, unless it is long. A full map is cleared, which is cheaper than keeping
    /// track of the oldest entry.
    pub fn insert(&mut self, key: &str, program: &Rc<Program>) {
        let instructions = program.listing.len();
        let is_known = self.known.contains_key(key);
        if is_known
            || instructions > MAX_REMEMBERED_PROGRAM
            || key.len() > MAX_REMEMBERED_PROGRAM_TEXT
        {
            return;
        }
        if self.instructions + instructions > MAX_REMEMBERED_INSTRUCTIONS {
            self.clear();
        }
        self.instructions += instructions;
        self.known.insert(key.to_owned(), Rc::clone(program));
    }

    pub fn clear(&mut self) {
        self.known.clear();
        self.instructions = 0;
    }
}
