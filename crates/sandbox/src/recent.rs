//! A cache of prepared programs: a program that an agent sends again, for example with other input,
//! is not parsed again.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use crate::limits::{MAX_REMEMBERED_PROGRAM_BYTES, MAX_REMEMBERED_PROGRAMS};
use program::{CompileError, Guards, PreparedProgram, prepare};

/// The text and the module of the last programs, the most recent one last.
#[derive(Debug, Default)]
pub struct RecentPrograms(RefCell<VecDeque<(String, Rc<PreparedProgram>)>>);

impl RecentPrograms {
    /// Returns the prepared form of a program.
    ///
    /// # Errors
    /// The errors of [`prepare`].
    pub fn prepare(&self, code: &str) -> Result<Rc<PreparedProgram>, CompileError> {
        let mut programs = self.0.borrow_mut();
        if let Some(index) = programs.iter().position(|(known, _)| known == code)
            && let Some(found) = programs.remove(index)
        {
            let prepared = Rc::clone(&found.1);
            programs.push_back(found);
            return Ok(prepared);
        }
        let prepared = Rc::new(prepare(code, Guards::On)?);
        if code.len() <= MAX_REMEMBERED_PROGRAM_BYTES {
            if programs.len() >= MAX_REMEMBERED_PROGRAMS {
                programs.pop_front();
            }
            programs.push_back((code.to_owned(), Rc::clone(&prepared)));
        }
        Ok(prepared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_was_prepared_lately_is_not_prepared_again() {
        let recent = RecentPrograms::default();
        let first = recent.prepare("return 1").unwrap();
        assert!(Rc::ptr_eq(&first, &recent.prepare("return 1").unwrap()));
        assert!(!Rc::ptr_eq(&first, &recent.prepare("return 2").unwrap()));
    }

    #[test]
    fn the_oldest_goes_and_a_large_one_is_not_kept() {
        let recent = RecentPrograms::default();
        let first = recent.prepare("return 0").unwrap();
        for number in 1..=MAX_REMEMBERED_PROGRAMS {
            recent.prepare(&format!("return {number}")).unwrap();
        }
        assert!(!Rc::ptr_eq(&first, &recent.prepare("return 0").unwrap()));
        let large = format!("return '{}'", "x".repeat(MAX_REMEMBERED_PROGRAM_BYTES));
        let once = recent.prepare(&large).unwrap();
        assert!(!Rc::ptr_eq(&once, &recent.prepare(&large).unwrap()));
    }

    #[test]
    fn what_cannot_run_is_not_remembered() {
        let recent = RecentPrograms::default();
        assert!(recent.prepare("let = = 1").is_err());
        assert!(recent.0.borrow().is_empty());
    }
}
