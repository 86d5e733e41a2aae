//! The journal of a run for its result: its calls and its log, within their limits.

use serde_json::{Value, json};

use super::report::{LogEntry, Logs};
use crate::limits::{MAX_EXECUTION_CALLS, MAX_PROGRESS_EVENTS};
use program::answered::ToolOutcomes;
use session::server_of;

/// The record of a run.
#[derive(Debug, Default)]
pub struct Journal {
    /// The results of server tools.
    pub answered: ToolOutcomes,
    calls: Vec<Value>,
    logs: Logs,
    progress: usize,
}

impl Journal {
    /// Returns the number of calls so far.
    pub fn calls(&self) -> usize {
        self.calls.len()
    }

    /// Records a call of an operation. `code` is the error code of a failed call.
    pub fn called(&mut self, operation: &str, code: Option<&str>, duration_ms: u64) -> Value {
        self.called_tool(server_of(operation), operation, code, duration_ms)
    }

    /// Records a call of any server's tool.
    pub fn called_tool(
        &mut self,
        server: &str,
        tool: &str,
        code: Option<&str>,
        duration_ms: u64,
    ) -> Value {
        let mut call = json!({
            "server": server, "tool": tool, "ok": code.is_none(), "durationMs": duration_ms,
        });
        if let (Some(code), Some(fields)) = (code, call.as_object_mut()) {
            fields.insert("code".to_owned(), code.into());
        }
        if self.calls.len() < MAX_EXECUTION_CALLS {
            self.calls.push(call.clone());
        }
        call
    }

    /// Adds a log entry, if there is room.
    pub fn log(&mut self, entry: LogEntry) -> Option<&Value> {
        self.logs.add(entry)
    }

    /// Counts entries that had no room in the isolate.
    pub fn dropped(&mut self, count: u64) {
        self.logs.drop_more(count);
    }

    /// Counts a progress event. Returns true if it may be sent.
    pub fn may_progress(&mut self) -> bool {
        self.progress += 1;
        self.progress <= MAX_PROGRESS_EVENTS
    }

    /// Returns the calls and the log in the form of the result.
    pub fn into_lists(self, at_ms: u64) -> (Vec<Value>, Vec<Value>) {
        (self.calls, self.logs.into_list(at_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_call_names_its_code() {
        let mut journal = Journal::default();
        assert_eq!(
            journal.called("getTables", None, 3),
            json!({ "server": "schema", "tool": "getTables", "ok": true, "durationMs": 3 })
        );
        assert_eq!(
            journal.called("query", Some("SYNTAX_ERROR"), 0)["code"],
            "SYNTAX_ERROR"
        );
    }

    #[test]
    fn calls_have_a_cap() {
        let mut journal = Journal::default();
        for _ in 0..MAX_EXECUTION_CALLS + 5 {
            journal.called("query", None, 0);
        }
        assert_eq!(journal.into_lists(0).0.len(), MAX_EXECUTION_CALLS);
    }
}
