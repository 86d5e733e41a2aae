//! A panic of the object at one of its statements, for tests only: compiled with the feature
//! `fault-injection`. [`super::faults`] arms it.

use std::cell::Cell;

thread_local! {
    /// The number of statements that run before the panic; `None` if it is not armed.
    static LEFT: Cell<Option<u32>> = const { Cell::new(None) };
}

/// Makes the object panic at the statement after the next `statements`.
pub fn arm(statements: u32) {
    LEFT.set(Some(statements));
}

/// Cancels the panic, because the request has ended before.
pub fn disarm() {
    LEFT.set(None);
}

/// Counts a statement that begins, or panics.
#[expect(clippy::panic, reason = "the panic is the point")]
pub fn statement() {
    match LEFT.take() {
        None => {}
        Some(0) => panic!("a test asked for an end at a statement"),
        Some(left) => LEFT.set(Some(left - 1)),
    }
}
