//! An object that ends at one of its statements, for tests only: compiled with the feature `fault-injection`. [`super::faults`] says when.

use std::cell::Cell;

thread_local! {
    /// How many statements run before the object ends, where a request has asked for that.
    static LEFT: Cell<Option<u32>> = const { Cell::new(None) };
}

/// The statement behind so many ends the object.
pub fn arm(statements: u32) {
    LEFT.set(Some(statements));
}

/// The request has ended before.
pub fn disarm() {
    LEFT.set(None);
}

/// A statement begins.
#[expect(clippy::panic, reason = "the panic is the point")]
pub fn statement() {
    match LEFT.take() {
        None => {}
        Some(0) => panic!("a test asked for an end at a statement"),
        Some(left) => LEFT.set(Some(left - 1)),
    }
}
