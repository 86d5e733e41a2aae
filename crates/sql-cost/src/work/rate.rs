//! The cost of a byte of a value, in units of 10 ns, as measured by `work -- speed`
//! (CONTRIBUTING.md), plus a half for slower machines. Each constant names the operation on the
//! byte.

/// Bytes of a value that cost nothing beyond the instruction.
pub const SHORT_BYTES: f64 = 100.0;

/// Copying from one register to another.
pub const COPIED: f64 = 0.03;
/// Passing over the values before the one that is read; their pages are read as well.
pub const PASSED: f64 = 0.03;
/// Visiting the page that a row is on.
pub const VISITED: f64 = 0.04;
/// Reading from a page to a register.
pub const READ: f64 = 0.1;
/// Comparing with another value.
pub const COMPARED: f64 = 0.03;
/// Converting to another type or encoding.
pub const CONVERTED: f64 = 0.2;
/// Storing into a table or index of the database.
pub const STORED: f64 = 0.8;
/// Deleting from a table or index of the database.
pub const DELETED: f64 = 0.1;
/// Storing into a table or index of the statement's own.
pub const KEPT: f64 = 0.2;
/// Inserting into a sorter, with the comparisons of sorting.
pub const SORTED: f64 = 0.6;
/// Comparing a key with all the keys on the way through a b-tree.
pub const SEARCHED: f64 = 0.2;
/// Comparing with one other value, ignoring case or blanks at the end.
pub const FOLDED: f64 = 0.6;
/// Adding to an aggregate.
pub const AGGREGATED: f64 = 0.1;
/// Parsing as JSON.
pub const PARSED: f64 = 1.0;
/// Adding to a full-text index.
pub const INDEXED: f64 = 10.0;

/// Returns the rate of a key that is compared with all the keys on the way through a b-tree of so
/// many rows.
pub fn searched(folds: bool, rows: f64) -> f64 {
    if folds {
        FOLDED * rows.max(2.0).log2()
    } else {
        SEARCHED
    }
}
