//! The total cost of a session's operations; log lines have the cost of each operation.
//!
//! The sums are only in the memory of the object and restart with it: storing them would cost a
//! billed write for each operation. `since` in the reply is the time of their start.

use std::cell::RefCell;
use std::collections::BTreeMap;

use serde_json::{Value, json};

use base::time::iso8601;
use database::Counters;

/// A completed operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompletedOperation<'a> {
    /// The name of the operation.
    pub operation: &'a str,
    /// `OK`, or the code of its error.
    pub code: &'static str,
    /// The engine's counters.
    pub counters: Counters,
    /// The size of the request's body.
    pub bytes_in: u64,
    /// The size of the response's body.
    pub bytes_out: u64,
}

/// The sums so far.
#[derive(Debug, Default)]
pub struct Totals(RefCell<Sums>);

#[derive(Debug, Default)]
struct Sums {
    since_ms: Option<u64>,
    count: u64,
    failed: u64,
    counters: Counters,
    bytes_in: u64,
    bytes_out: u64,
    /// All codes are our own, so the map is as small as their list.
    codes: BTreeMap<&'static str, u64>,
}

impl Totals {
    /// Adds an operation that ended at `now_ms`.
    pub fn add(&self, now_ms: u64, finished: &CompletedOperation<'_>) {
        let mut sums = self.0.borrow_mut();
        sums.since_ms.get_or_insert(now_ms);
        sums.count += 1;
        sums.failed += u64::from(finished.code != "OK");
        sums.counters += finished.counters;
        sums.bytes_in += finished.bytes_in;
        sums.bytes_out += finished.bytes_out;
        *sums.codes.entry(finished.code).or_default() += 1;
    }

    /// Returns the sums for `getMetrics`, without those of the current request.
    pub fn to_json(&self) -> Value {
        let sums = self.0.borrow();
        json!({
            "since": sums.since_ms.map(iso8601),
            "count": sums.count,
            "failed": sums.failed,
            "rowsRead": sums.counters.rows_read,
            "rowsWritten": sums.counters.rows_written,
            "bytesIn": sums.bytes_in,
            "bytesOut": sums.bytes_out,
            "codes": sums.codes,
        })
    }
}
