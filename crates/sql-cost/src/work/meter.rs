//! Limits the steps that the analysis of one statement may take.
//!
//! The verdict on a statement must be ready in a tenth of a second, whatever the statement is, so
//! every loop of the analysis takes its steps from one meter. It counts steps and not time, because
//! the clock of the platform stands still while a Worker computes. Once the meter is used up, each
//! loop ends at once, its result is ignored, and the statement is refused.

use std::cell::Cell;

/// The steps that the analysis of one statement may still take.
#[derive(Debug)]
pub struct Meter {
    most: u64,
    left: Cell<u64>,
}

impl Meter {
    pub fn new(most: u64) -> Self {
        Self {
            most,
            left: Cell::new(most),
        }
    }

    /// Takes steps, and returns false once they are used up.
    pub fn takes(&self, steps: usize) -> bool {
        let left = self.left.get().saturating_sub(steps as u64);
        self.left.set(left);
        left > 0
    }

    pub fn is_used_up(&self) -> bool {
        self.left.get() == 0
    }

    pub fn spent(&self) -> u64 {
        self.most - self.left.get()
    }
}
