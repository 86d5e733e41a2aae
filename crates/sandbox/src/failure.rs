//! The failure of a program: category, code, position in the text that the user sent, and a hint.
//!
//! A failed run is a result, not an error of the request, so its failures are not [`base::Error`]s.
//! Their codes are in [`CODES`]; a failed helper keeps the code that the HTTP contract has for it.

use base::Code;
use base::text;
use serde_json::{Map, Value, json};

use super::report::{Frame, Kind, ThrownError, frames};
use crate::limits::MAX_EXECUTION_LOG_CHARACTERS;
use program::answered::ToolOutcomes;
use program::{CompileError, Position, PreparedProgram, RuntimeFailure};

/// The category of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    /// The program never ran.
    Compile,
    /// It threw, or left something unfinished.
    Runtime,
    /// It did not end in time.
    Timeout,
    /// It reached another limit.
    Limit,
    /// A helper failed, and the program did not catch the error.
    Tool,
    /// The platform or the host failed.
    Internal,
}

impl Category {
    /// Returns the name of the category in a result.
    pub fn name(self) -> &'static str {
        match self {
            Self::Compile => "compile",
            Self::Runtime => "runtime",
            Self::Timeout => "timeout",
            Self::Limit => "limit",
            Self::Tool => "tool",
            Self::Internal => "internal",
        }
    }
}

/// Every code that is not part of the HTTP contract, with its category. A test compares the list
/// with `docs/programs.md`.
pub const CODES: &[(&str, Category)] = &[
    ("COMPILE_ERROR", Category::Compile),
    ("UNCAUGHT_EXCEPTION", Category::Runtime),
    ("UNHANDLED_REJECTION", Category::Runtime),
    ("RESULT_NOT_JSON", Category::Runtime),
    ("EXECUTION_HUNG", Category::Runtime),
    ("EXECUTION_TIMEOUT", Category::Timeout),
    ("EXECUTION_LIMIT", Category::Limit),
    ("EXECUTION_MEMORY", Category::Limit),
    ("CALL_LIMIT", Category::Limit),
    ("RESULT_TOO_LARGE", Category::Limit),
    ("NETWORK_UNAVAILABLE", Category::Tool),
    ("DATABASE_UNAVAILABLE", Category::Tool),
    ("EXECUTION_ABORTED", Category::Internal),
    ("SANDBOX_FAILED", Category::Internal),
    ("RESULT_LOST", Category::Internal),
];

/// Returns the category of a code. A code of the HTTP contract has the category `tool`.
fn category_of(code: &str) -> Category {
    CODES
        .iter()
        .find(|(known, _)| *known == code)
        .map_or(Category::Tool, |(_, category)| *category)
}

/// A failed run.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// The stable code.
    pub code: String,
    category: Category,
    name: String,
    message: String,
    hint: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
    pointer: Option<String>,
    /// The other fields of a failed helper's error.
    details: Box<Map<String, Value>>,
}

impl Failure {
    fn new(code: &str, name: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            category: category_of(code),
            name: name.to_owned(),
            message: message.into(),
            hint: None,
            line: None,
            column: None,
            pointer: None,
            details: Box::default(),
        }
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Returns the failure of a text that does not compile.
    pub fn compile(error: CompileError) -> Self {
        Self {
            hint: error.hint.as_deref().map(phrase),
            line: Some(error.line),
            column: Some(error.column),
            pointer: Some(error.pointer),
            ..Self::new("COMPILE_ERROR", "SyntaxError", error.message)
        }
    }

    /// Returns the failure of a program that did not end within the time that the request gave.
    pub fn timeout(timeout_ms: u32) -> Self {
        Self::new(
            "EXECUTION_TIMEOUT",
            "TimeoutError",
            format!("the program did not end within {timeout_ms} ms"),
        )
        .hint("do the work in SQL instead of loops, save progress with helpers.db.saveState and continue in another run, or send a larger timeoutMs")
    }

    /// Returns the failure of a program that did not respond when it was stopped. Only its calls
    /// are known.
    pub fn lost(timeout_ms: u32) -> Self {
        Self::new(
            "RESULT_LOST",
            "SandboxError",
            format!("the program ran, did not end within {timeout_ms} ms and did not respond when it was stopped; its result is lost, but the calls that it made are listed"),
        )
        .hint("data that its calls wrote is in the database; look for a loop that no helper call interrupts, or a regular expression that backtracks without end")
    }

    /// Returns the failure of a program whose client disconnected.
    pub fn aborted() -> Self {
        Self::new(
            "EXECUTION_ABORTED",
            "AbortError",
            "the client disconnected, so the program was stopped",
        )
    }

    /// Returns the failure of a result that could neither be returned nor stored in a table.
    pub fn unkept(error: &base::Error) -> Self {
        Self {
            category: Category::Limit,
            hint: Some("store data with helpers.db.batchInsert and return a summary".to_owned()),
            ..Self::new(
                "RESULT_TOO_LARGE",
                "ResultError",
                format!(
                    "the result is too large for the response and could not be kept in a table: {error}"
                ),
            )
        }
    }

    /// Returns the failure of a run whose session no longer exists.
    pub fn of_session(error: &base::Error) -> Self {
        Self {
            category: Category::Internal,
            hint: error.hint(),
            ..Self::new(error.code(), "SessionError", error.to_string())
        }
    }

    /// Returns the failure of a run whose isolate the platform ended or never started.
    pub fn platform(message: &str, started: bool, prepared: &PreparedProgram) -> Self {
        if let Some(failure) = early_error(message, prepared) {
            return failure;
        }
        if !started {
            return Self::new(
                "SANDBOX_FAILED",
                "SandboxError",
                "the program was never started: its isolate could not be created",
            )
            .hint("nothing of it ran, so it may be sent again");
        }
        if message.contains("had hung") {
            return Self::new(
                "EXECUTION_HUNG",
                "SandboxError",
                "the program awaits a promise that never settles",
            )
            .hint("look for new Promise(…) whose resolve is never called, or a promise that waits for itself");
        }
        if message.contains("CPU") {
            return limit_reached().hint(WORK_HINT);
        }
        if message.contains("memory") {
            return Self::new(
                "EXECUTION_MEMORY",
                "RangeError",
                "the program used more memory than its isolate has (128 MB)",
            )
            .hint("keep data in tables and read it in parts with helpers.db.stream");
        }
        Self::new(
            "RESULT_LOST",
            "SandboxError",
            "the program ran, but its isolate ended before it responded; its result is lost, but the calls that it made are listed",
        )
        .hint("data that its calls wrote is in the database; check it before sending the program again")
    }

    /// Returns the failure for the error that the program threw. `answered` holds the earlier
    /// results of server tools.
    pub fn thrown(
        thrown: ThrownError,
        prepared: &PreparedProgram,
        source: &str,
        answered: &ToolOutcomes,
    ) -> Self {
        let failure = match thrown.kind {
            Kind::Halt => halted(&thrown),
            Kind::Tool | Kind::Result => of_details(&thrown),
            Kind::Runtime | Kind::Rejection => uncaught(&thrown),
        };
        failure.at(&thrown, prepared, source, answered)
    }

    /// Adds the position, the line, and a hint that follows from them.
    fn at(
        mut self,
        thrown: &ThrownError,
        prepared: &PreparedProgram,
        source: &str,
        answered: &ToolOutcomes,
    ) -> Self {
        let place = frames(&thrown.stack, "program:")
            .find_map(|Frame { line, column }| prepared.place(line, column));
        if let Some(position) = place {
            self.line = Some(position.line);
            self.column = Some(position.column);
            self.pointer = program::pointer(source, position);
        }
        if self.category == Category::Runtime {
            self.explained(thrown, place, source, answered);
        }
        self
    }

    /// Adds a hint that follows from the text that was sent.
    fn explained(
        &mut self,
        thrown: &ThrownError,
        position: Option<Position>,
        source: &str,
        answered: &ToolOutcomes,
    ) {
        let failure = RuntimeFailure {
            name: &thrown.name,
            message: &thrown.message,
            position,
            answered,
        };
        if let Some(hint) = program::missing_server(source, &failure) {
            self.hint = Some(phrase(&hint));
            "SERVER_NOT_FOUND".clone_into(&mut self.code);
            self.category = category_of(&self.code);
        } else if self.hint.is_none() {
            self.hint = program::explain(source, &failure).as_deref().map(phrase);
        }
    }

    /// Returns the code for the log if it is one of [`CODES`] or of `product`. A program may throw
    /// one of our errors after changing its code.
    pub fn stable_code(&self, product: &[&[Code]]) -> &'static str {
        let own = CODES.iter().map(|(code, _)| *code);
        let others = product.iter().copied().flatten().map(|code| code.name);
        own.chain(others)
            .find(|code| *code == self.code)
            .unwrap_or("UNCAUGHT_EXCEPTION")
    }

    /// Returns the JSON object for the field `error`.
    pub fn to_json(&self) -> Value {
        let mut fields = (*self.details).clone();
        fields.insert("name".to_owned(), self.name.clone().into());
        fields.insert("message".to_owned(), self.message.clone().into());
        fields.insert("code".to_owned(), self.code.clone().into());
        fields.insert("category".to_owned(), self.category.name().into());
        for (name, number) in [("line", self.line), ("column", self.column)] {
            if let Some(number) = number {
                fields.insert(name.to_owned(), number.into());
            }
        }
        for (name, text) in [("pointer", &self.pointer), ("hint", &self.hint)] {
            if let Some(text) = text {
                fields.insert(name.to_owned(), text.clone().into());
            }
        }
        Value::Object(fields)
    }
}

const WORK_HINT: &str =
    "look for a loop or recursion without an end; aggregate in SQL instead of looping over rows";

fn limit_reached() -> Failure {
    Failure::new(
        "EXECUTION_LIMIT",
        "LimitError",
        "the program did more work than a run may: it looks like an endless loop or recursion",
    )
}

fn halted(thrown: &ThrownError) -> Failure {
    match thrown.code.as_str() {
        "EXECUTION_ABORTED" => Failure::aborted(),
        _ => limit_reached().hint(WORK_HINT),
    }
}

/// Returns the failure of a helper, with all fields of its error.
fn of_details(thrown: &ThrownError) -> Failure {
    let mut details = thrown.details.clone().unwrap_or_default();
    let mut text = |name: &str| match details.remove(name) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    let code = text("code").unwrap_or_else(|| "INTERNAL".to_owned());
    let hint = text("hint");
    let message = text("message").unwrap_or_else(|| thrown.message.clone());
    for name in ["name", "category", "line", "column", "pointer"] {
        // A syntax error of SQL has a position of its own. It is renamed, because these names hold
        // the position in the program.
        if let Some(value) = details.remove(name)
            && matches!(name, "line" | "column" | "pointer")
        {
            let mut own = String::from("sql");
            own.extend(name.chars().take(1).map(|first| first.to_ascii_uppercase()));
            own.extend(name.chars().skip(1));
            details.insert(own, value);
        }
    }
    Failure {
        hint,
        details: Box::new(details),
        ..Failure::new(&code, &thrown.name, message)
    }
}

fn uncaught(thrown: &ThrownError) -> Failure {
    let name = if thrown.name.is_empty() {
        "Error"
    } else {
        &thrown.name
    };
    if name == "RangeError" && thrown.message.contains("call stack") {
        return Failure::new(
            "EXECUTION_LIMIT",
            "RangeError",
            "the program's functions call each other endlessly: the call stack is full",
        )
        .hint("add a condition that ends the recursion, or use a loop with a list of the remaining work");
    }
    let code = if thrown.kind == Kind::Rejection {
        "UNHANDLED_REJECTION"
    } else {
        "UNCAUGHT_EXCEPTION"
    };
    let message = match (&thrown.thrown, thrown.message.is_empty()) {
        (Some(value), _) => format!(
            "the program threw a value that is not an Error: {}",
            text::first(value, MAX_EXECUTION_LOG_CHARACTERS)
        ),
        (None, true) => format!("{name} without a message"),
        (None, false) => text::first(&thrown.message, MAX_EXECUTION_LOG_CHARACTERS),
    };
    let mut failure = Failure::new(code, name, message);
    if let Some(cause) = &thrown.cause {
        failure.details.insert("cause".to_owned(), json!(cause));
    }
    if thrown.thrown.is_some() {
        failure = failure.hint("throw new Error(message) instead: it contains the position");
    } else if thrown.kind == Kind::Rejection {
        failure = failure.hint(
            "nothing awaited a promise that was rejected: put await before the call, or add .catch(…) after it",
        );
    }
    failure
}

/// Returns a sentence in the style of hints: no capital unless a name begins it, and no full stop
/// at the end.
fn phrase(sentence: &str) -> String {
    let sentence = sentence.strip_suffix('.').unwrap_or(sentence);
    let mut characters = sentence.chars();
    let (first, second) = (characters.next(), characters.clone().next());
    match (first, second) {
        (Some(first), Some(second)) if second.is_lowercase() || second == ' ' => {
            first.to_lowercase().chain(characters).collect()
        }
        _ => sentence.to_owned(),
    }
}

/// Returns the failure for an error that V8 reports before anything runs and the parser does not
/// find, such as a name that is declared twice.
fn early_error(message: &str, prepared: &PreparedProgram) -> Option<Failure> {
    let (_, rest) = message.split_once("SyntaxError: ")?;
    let Frame { line, column } = frames(rest, "program.js:").next()?;
    // In this message V8 counts columns from 0.
    let position = prepared.position(line, column + 1)?;
    let failure = Failure {
        line: Some(position.line),
        column: Some(position.column),
        pointer: prepared.pointer(position),
        ..Failure::new(
            "COMPILE_ERROR",
            "SyntaxError",
            rest.lines().next().unwrap_or_default(),
        )
    };
    let hint = if rest.contains("already been declared") {
        "declare each name once; assign to it without const or let afterwards"
    } else {
        "write this line as plain JavaScript in strict mode: it is run in that form after its types are removed"
    };
    Some(failure.hint(hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the failure for a message of the platform, for a program that had started or not.
    fn platform(message: &str, started: bool) -> Value {
        let prepared = program::prepare("let a = 1;\nlet a = 2;", program::Guards::On).unwrap();
        Failure::platform(message, started, &prepared).to_json()
    }

    #[test]
    fn a_program_that_never_started_is_told_from_one_whose_result_is_lost() {
        let never = platform("the isolate could not be made", false);
        assert_eq!(never["code"], "SANDBOX_FAILED");
        assert!(
            never["hint"]
                .as_str()
                .unwrap()
                .contains("may be sent again")
        );
        let lost = platform("Network connection lost.", true);
        assert_eq!(lost["code"], "RESULT_LOST");
        assert!(
            lost["hint"]
                .as_str()
                .unwrap()
                .contains("check it before sending the program again")
        );
        let silent = Failure::lost(500).to_json();
        assert_eq!(
            (&silent["code"], &silent["category"]),
            (&json!("RESULT_LOST"), &json!("internal"))
        );
        assert!(silent["message"].as_str().unwrap().contains("500 ms"));
    }

    #[test]
    fn the_limits_of_the_platform_are_limits_and_not_faults() {
        for (message, code, category) in [
            (
                "Worker exceeded CPU time limit.",
                "EXECUTION_LIMIT",
                "limit",
            ),
            ("Worker exceeded memory limit.", "EXECUTION_MEMORY", "limit"),
            (
                "your Worker's code had hung and would never",
                "EXECUTION_HUNG",
                "runtime",
            ),
        ] {
            let failure = platform(message, true);
            assert_eq!(
                (&failure["code"], &failure["category"]),
                (&json!(code), &json!(category))
            );
            assert!(failure["hint"].is_string(), "{code}");
        }
    }

    #[test]
    fn an_error_that_the_loader_finds_first_has_the_place_that_was_sent() {
        let message = "Failed to start Worker:\nUncaught SyntaxError: Identifier 'a' has already been declared\n  at program.js:2:4";
        let failure = platform(message, false);
        assert_eq!(
            (&failure["code"], &failure["line"], &failure["column"]),
            (&json!("COMPILE_ERROR"), &json!(2), &json!(5))
        );
        // A position outside of the program belongs to our code, and is never the program's fault.
        assert_eq!(
            platform("SyntaxError: x\n  at runtime.js:1:1", false)["code"],
            "SANDBOX_FAILED"
        );
    }

    #[test]
    fn hints_begin_small_and_end_without_a_stop() {
        for (sentence, wanted) in [
            (
                "The `(` is not closed: add `)`.",
                "the `(` is not closed: add `)`",
            ),
            (
                "A comma is missing. Or a quote.",
                "a comma is missing. Or a quote",
            ),
            ("JSX is not supported.", "JSX is not supported"),
            ("`rows[0]` is undefined", "`rows[0]` is undefined"),
            ("", ""),
        ] {
            assert_eq!(phrase(sentence), wanted);
        }
    }

    #[test]
    fn every_code_has_one_category() {
        for (index, (code, _)) in CODES.iter().enumerate() {
            assert!(
                CODES.iter().skip(index + 1).all(|(other, _)| other != code),
                "{code}"
            );
        }
    }
}
