//! Parses the isolate's report of a run. Nothing in it is trusted, because a program may have
//! forged it.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::limits::{
    MAX_EXECUTION_LOG_CHARACTERS, MAX_EXECUTION_LOG_ENTRIES, MAX_EXECUTION_LOGS_CHARACTERS,
};

/// The report of a run that ended.
#[derive(Debug, Default, Deserialize)]
pub struct Report {
    /// The error that was thrown; nothing if the program succeeded.
    #[serde(default)]
    pub error: Option<ThrownError>,
    /// Log entries that were not sent before.
    #[serde(default)]
    pub logs: Vec<LogEntry>,
    /// The number of log entries that had no room.
    #[serde(default)]
    pub dropped: u64,
}

impl Report {
    /// Parses a report; returns `None` if the text is not one.
    pub fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

/// An error that a program threw, a rejection, or a limit that it reached.
#[derive(Debug, Default, Deserialize)]
pub struct ThrownError {
    /// The source of the error.
    #[serde(default)]
    pub kind: Kind,
    /// The error's name, or the type of a thrown value that is not an error.
    #[serde(default)]
    pub name: String,
    /// Its message.
    #[serde(default)]
    pub message: String,
    /// Its stack. The line numbers are those of the prepared program.
    #[serde(default)]
    pub stack: String,
    /// The code, if the runtime itself threw it.
    #[serde(default)]
    pub code: String,
    /// The text of a thrown value that is not an error.
    #[serde(default)]
    pub thrown: Option<String>,
    /// Code, hint and details of a failed helper.
    #[serde(default)]
    pub details: Option<Map<String, Value>>,
    /// The error of the failed helper that caused it.
    #[serde(default)]
    pub cause: Option<Map<String, Value>>,
}

/// The source of a failure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The program threw it.
    #[default]
    Runtime,
    /// A promise that nobody awaited was rejected with it.
    Rejection,
    /// A helper threw it and the program did not catch it.
    Tool,
    /// The result cannot be returned.
    Result,
    /// A limit ended the run.
    Halt,
}

/// A log entry: level, milliseconds since the start, text.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct LogEntry(pub String, pub u64, pub String);

/// The levels of a console.
pub const LEVELS: &[&str] = &["debug", "log", "info", "warn", "error"];

/// The log entries of a run, within their limits.
#[derive(Debug, Default)]
pub struct Logs {
    entries: Vec<Value>,
    characters: usize,
    dropped: u64,
}

impl Logs {
    /// Adds an entry and returns it, or returns nothing if there is no room.
    pub fn add(&mut self, entry: LogEntry) -> Option<&Value> {
        let LogEntry(level, at_ms, text) = entry;
        if self.entries.len() >= MAX_EXECUTION_LOG_ENTRIES
            || self.characters >= MAX_EXECUTION_LOGS_CHARACTERS
        {
            self.dropped += 1;
            return None;
        }
        let level = LEVELS
            .iter()
            .find(|known| **known == level)
            .copied()
            .unwrap_or("log");
        // The runtime has already cut a long text and added a mark. This cut is for forged entries.
        let text: String = text
            .chars()
            .take(MAX_EXECUTION_LOG_CHARACTERS + CUT_MARK_CHARACTERS)
            .collect();
        self.characters += text.chars().count();
        self.entries
            .push(serde_json::json!({ "level": level, "text": text, "atMs": at_ms }));
        self.entries.last()
    }

    /// Adds to the count of entries that had no room.
    pub fn drop_more(&mut self, count: u64) {
        self.dropped = self.dropped.saturating_add(count);
    }

    /// Returns the entries, with a last one that says how many were dropped.
    pub fn into_list(mut self, at_ms: u64) -> Vec<Value> {
        if self.dropped > 0 {
            let text = format!(
                "{} more log entries were dropped: a run keeps {MAX_EXECUTION_LOG_ENTRIES} of them and {MAX_EXECUTION_LOGS_CHARACTERS} characters",
                self.dropped
            );
            self.entries
                .push(serde_json::json!({ "level": "warn", "text": text, "atMs": at_ms }));
        }
        self.entries
    }
}

/// The length of the mark `… (2000000 characters)`, which the runtime adds to a text that it cut.
const CUT_MARK_CHARACTERS: usize = 40;

/// A position in a program. In a stack of the isolate it refers to the text that was sent, in a
/// message of the loader to the prepared module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// From 1.
    pub line: u32,
    /// From 1, in UTF-16 units.
    pub column: u32,
}

/// Returns all frames of a stack in the file `name`, innermost first.
pub fn frames<'a>(stack: &'a str, name: &'static str) -> impl Iterator<Item = Frame> + 'a {
    stack.lines().filter_map(move |line| {
        let frame = line.trim_start().strip_prefix("at ")?;
        let (_, place) = frame.rsplit_once(name)?;
        let mut numbers = place
            .split(|character: char| !character.is_ascii_digit())
            .filter(|digits| !digits.is_empty());
        Some(Frame {
            line: numbers.next()?.parse().ok()?,
            column: numbers.next()?.parse().ok()?,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forged_report_is_no_report() {
        for text in ["", "1", "\"x\"", "{", r#"{"logs":5}"#, r#"{"error":"x"}"#] {
            assert!(Report::parse(text).is_none(), "{text}");
        }
        assert!(Report::parse("{}").unwrap().error.is_none());
    }

    #[test]
    fn logs_keep_their_caps_and_count_the_rest() {
        let mut logs = Logs::default();
        for number in 0..MAX_EXECUTION_LOG_ENTRIES + 5 {
            logs.add(LogEntry("log".to_owned(), 0, number.to_string()));
        }
        logs.drop_more(10);
        let list = logs.into_list(7);
        assert_eq!(list.len(), MAX_EXECUTION_LOG_ENTRIES + 1);
        assert!(
            list.last().unwrap()["text"]
                .as_str()
                .unwrap()
                .starts_with("15 more log entries")
        );
    }

    #[test]
    fn a_long_entry_and_an_unknown_level_are_mended() {
        let mut logs = Logs::default();
        let entry = logs
            .add(LogEntry("shout".to_owned(), 3, "é".repeat(100_000)))
            .unwrap();
        assert_eq!(entry["level"], "log");
        assert!(entry["text"].as_str().unwrap().chars().count() < 2_100);
    }

    #[test]
    fn all_characters_together_have_a_cap() {
        let mut logs = Logs::default();
        let mut taken = 0;
        for _ in 0..100 {
            taken += usize::from(
                logs.add(LogEntry("log".to_owned(), 0, "x".repeat(2_000)))
                    .is_some(),
            );
        }
        assert_eq!(taken, MAX_EXECUTION_LOGS_CHARACTERS.div_ceil(2_000));
    }

    #[test]
    fn the_frames_of_the_program_are_found_innermost_first() {
        let stack = "TypeError: x\n    at async inner (program:12:34)\n    at async program:1:5";
        let found: Vec<Frame> = frames(stack, "program:").collect();
        let innermost = Frame {
            line: 12,
            column: 34,
        };
        assert_eq!((found.len(), found.first()), (2, Some(&innermost)));
        for forged in [
            "Error: program:5:5",
            "program:5 of 10",
            "at program:99999999999:1",
            "program:1",
        ] {
            assert_eq!(frames(forged, "program:").count(), 0, "{forged}");
        }
    }
}
