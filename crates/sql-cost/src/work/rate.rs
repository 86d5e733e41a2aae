//! What each byte of a value costs, in units of 10 ns: what `work -- speed` measures (CONTRIBUTING.md), with a half more for a slower machine.

/// Bytes that cost nothing beyond their instruction.
pub const SHORT_BYTES: f64 = 100.0;

/// From one register to another.
pub const COPIED: f64 = 0.03;
/// Of values before the one that is read, whose pages are gone through.
pub const PASSED: f64 = 0.03;
/// Of the page that a visited row lies on.
pub const VISITED: f64 = 0.04;
/// From a page to a register.
pub const READ: f64 = 0.1;
/// With those of another value.
pub const COMPARED: f64 = 0.03;
/// To another type or encoding.
pub const CONVERTED: f64 = 0.2;
/// Into a table or index of the database.
pub const STORED: f64 = 0.8;
/// Out of one.
pub const DELETED: f64 = 0.1;
/// Into a table or index of the statement's own.
pub const KEPT: f64 = 0.2;
/// Into a sorter, with the comparisons of sorting.
pub const SORTED: f64 = 0.6;
/// As a key, with all the keys on the way through a b-tree.
pub const SEARCHED: f64 = 0.2;
/// With those of one other value, where letters are compared without case, or without blanks at the end.
pub const FOLDED: f64 = 0.6;
/// Into an aggregate.
pub const AGGREGATED: f64 = 0.1;
/// As JSON.
pub const PARSED: f64 = 1.0;
/// Into a full-text index.
pub const INDEXED: f64 = 10.0;

/// Returns the rate of a key with all the keys on the way through a b-tree of so many rows.
pub fn searched(folds: bool, rows: f64) -> f64 {
    if folds {
        FOLDED * rows.max(2.0).log2()
    } else {
        SEARCHED
    }
}
