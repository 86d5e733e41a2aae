//! What the operations of a session have cost, as its log lines say it one by one.
//!
//! The sums are kept in the memory of the object and begin again with it: writing them down would cost a billed write for each
//! operation. `since` in the result says from when on they count.

use std::cell::RefCell;
use std::collections::BTreeMap;

use serde_json::{Value, json};

use base::time::iso8601;
use database::Counters;

/// One operation that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finished<'a> {
    /// Its name.
    pub operation: &'a str,
    /// `OK`, or the error's code.
    pub code: &'static str,
    /// The engine's counters.
    pub counters: Counters,
    /// Bytes of the request's body.
    pub bytes_in: u64,
    /// Bytes of the result's body.
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
    /// Only codes of ours come here, so the map is as small as their list.
    codes: BTreeMap<&'static str, u64>,
}

impl Totals {
    /// Adds an operation that ended at `now_ms`.
    pub fn add(&self, now_ms: u64, finished: &Finished<'_>) {
        let mut sums = self.0.borrow_mut();
        sums.since_ms.get_or_insert(now_ms);
        sums.count += 1;
        sums.failed += u64::from(finished.code != "OK");
        sums.counters += finished.counters;
        sums.bytes_in += finished.bytes_in;
        sums.bytes_out += finished.bytes_out;
        *sums.codes.entry(finished.code).or_default() += 1;
    }

    /// The sums as `getMetrics` answers them; those of the request that asks are not among them yet.
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
