//! Checks the arguments of a call against the schema of their tool, before the call.
//!
//! The schema comes from another server: it may be hostile, in an unknown dialect, or wrong.
//! Therefore nothing is fetched or compiled. `judge` walks schema and value together according to
//! `keywords`, with a budget of work. A verdict has three values: a part that cannot be checked is
//! *unknown*, and only a value that certainly fails is refused. `forms` explains choices,
//! `references` finds the targets of `$ref`, `words` puts findings into English, `read` parses the
//! arguments. Values are never converted.
//!
//! The server has the last word. Any object passes if the schema cannot be used as a whole (another
//! dialect, too large, too deep), or if the check exceeds its budget. Formats are not checked,
//! because servers interpret them in different ways. A string whose length or match depends on the
//! language passes if one language accepts it.

mod forms;
mod judge;
mod keywords;
mod near;
mod numbers;
mod patterns;
mod read;
mod references;
mod verdict;
mod words;

use serde_json::{Value, json};

use crate::limits::{MAX_ARGUMENT_ISSUES, MAX_TOOL_SCHEMA_BYTES};
use judge::Judge;
use mcp::limits::MAX_TOOL_SCHEMA_DEPTH;
pub use read::read;
use session::limits::MAX_JSON_DEPTH;

/// The message that replaces the issues beyond [`MAX_ARGUMENT_ISSUES`].
const NOT_LISTED: &str = "have more issues than are listed";

/// A problem of the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// The path of the value, as `filters.year`; empty for the arguments as a whole.
    pub path: String,
    /// The problem, as a predicate of the path.
    pub message: String,
    /// The nearest names, or the corrected value if only its notation is wrong.
    pub suggestions: Vec<String>,
}

impl Issue {
    /// Returns the issue as JSON for results.
    pub fn to_json(&self) -> Value {
        json!({ "path": self.path, "message": self.message, "suggestions": self.suggestions })
    }

    fn new(path: String, message: String, suggestions: Vec<String>) -> Self {
        Self {
            path,
            message,
            suggestions,
        }
    }

    fn whole(message: String) -> Self {
        Self::new(String::new(), message, Vec::new())
    }

    /// Returns the issue as a sentence. Messages about names contain the name; the others are
    /// predicates of the path.
    fn sentence(&self) -> String {
        let is_named = ["missing ", "unknown "]
            .iter()
            .any(|start| self.message.starts_with(start));
        match (is_named, self.path.as_str()) {
            (true, _) => self.message.clone(),
            (false, "") => format!("the arguments {}", self.message),
            (false, path) => format!("{path} {}", self.message),
        }
    }
}

/// Returns the first issue in words, and the number of the others.
pub fn summary(issues: &[Issue]) -> String {
    match issues {
        [first, .., last] if last.message == NOT_LISTED => {
            format!("{}; and more than can be listed", first.sentence())
        }
        [] => "the arguments do not fit the schema of the tool".to_owned(),
        [only] => only.sentence(),
        [first, rest @ ..] => format!("{}; and {} more", first.sentence(), rest.len()),
    }
}

/// Returns true if arguments are checked against the schema. If not, any object passes.
pub fn is_usable(schema: &Value) -> bool {
    let mut room = MAX_TOOL_SCHEMA_BYTES;
    schema.is_object()
        && references::draft(schema).is_some()
        && fits(schema, MAX_TOOL_SCHEMA_DEPTH, &mut room).is_some()
}

/// Checks arguments against a schema.
///
/// # Errors
/// All issues, up to [`MAX_ARGUMENT_ISSUES`]. If there are more, the last one says so.
pub fn check(schema: &Value, arguments: &Value) -> Result<(), Vec<Issue>> {
    if !arguments.is_object() {
        let got = words::value(arguments);
        let message = format!("must be an object of parameters, not {got}");
        return Err(vec![Issue::whole(message)]);
    }
    if fits(arguments, MAX_JSON_DEPTH, &mut { usize::MAX }).is_none() {
        return Err(vec![Issue::whole(words::too_deep())]);
    }
    if !is_usable(schema) {
        return Ok(());
    }
    let Some(mut issues) = Judge::new(schema).issues(schema, arguments) else {
        return Ok(());
    };
    if issues.len() > MAX_ARGUMENT_ISSUES {
        issues.truncate(MAX_ARGUMENT_ISSUES - 1);
        issues.push(Issue::whole(NOT_LISTED.to_owned()));
    }
    Err(issues)
}

/// Returns `None` for a value that nests deeper than `depth`, or has more than about `room` bytes
/// of JSON.
fn fits(value: &Value, depth: usize, room: &mut usize) -> Option<()> {
    let below = || depth.checked_sub(1);
    let bytes = match value {
        Value::String(text) => text.len() + 2,
        Value::Array(_) | Value::Object(_) => 2,
        _ => 4,
    };
    *room = room.checked_sub(bytes)?;
    match value {
        Value::Array(items) => {
            let below = below()?;
            items.iter().try_for_each(|item| fits(item, below, room))
        }
        Value::Object(entries) => {
            let below = below()?;
            entries.iter().try_for_each(|(name, item)| {
                *room = room.checked_sub(name.len() + 4)?;
                fits(item, below, room)
            })
        }
        _ => Some(()),
    }
}
