//! The life of a session with which a program began.

use std::cell::Cell;
use std::rc::Rc;

use base::{Error, Result};
use session::SessionError;

/// A check that the session with which a program began still exists.
#[derive(Debug)]
pub struct Lifetime {
    generation: Rc<Cell<u64>>,
    began_with: u64,
}

impl Lifetime {
    /// Returns the present life. `generation` rises when the session is deleted.
    pub fn of_present(generation: &Rc<Cell<u64>>) -> Self {
        Self {
            generation: Rc::clone(generation),
            began_with: generation.get(),
        }
    }

    /// Checks that the session was not deleted.
    ///
    /// # Errors
    /// [`SessionError::SessionDeleted`].
    pub fn check(&self) -> Result<()> {
        if self.generation.get() == self.began_with {
            return Ok(());
        }
        Err(Error::from(SessionError::SessionDeleted {
            what: "the program ran",
        }))
    }
}
