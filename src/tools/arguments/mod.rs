//! Arguments against the schema of their tool.
//!
//! The schema comes from another server, so it is a claim and may be hostile. `prepare` bounds it and resolves its references,
//! `patterns` sets aside regular expressions that cannot be checked or cost too much, `cost` foresees the work of each check, and only
//! then `boon` is asked. Nothing is ever fetched, and nothing is coerced: a value fits as it is, or it is an issue.
//!
//! The server has the last word. A schema that cannot be used (invalid, remote references, references in a circle, too large, too much work
//! for these arguments) lets any object pass. Formats are checked for what no reading accepts, not to the letter of their RFC.

mod branches;
mod cost;
mod explain;
mod formats;
mod patterns;
mod prepare;
mod words;

use std::error::Error;

use boon::{Compiler, Draft, SchemaIndex, Schemas, UrlLoader};
use serde_json::{Value, json};

use crate::limits::MAX_JSON_DEPTH;
use prepare::Prepared;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// Where: `filters.year`; empty for the arguments as a whole.
    pub path: String,
    /// What.
    pub message: String,
    /// Nearest names, where a name is wrong; the value as it would fit, where only its writing is wrong.
    pub suggestions: Vec<String>,
}

impl Issue {
    /// As it stands in answers.
    pub fn to_json(&self) -> Value {
        json!({ "path": self.path, "message": self.message, "suggestions": self.suggestions })
    }

    fn whole(message: String) -> Self {
        Self {
            path: String::new(),
            message,
            suggestions: Vec::new(),
        }
    }

    /// The issue as a sentence. Messages about names hold the name; the others are said of their path.
    fn sentence(&self) -> String {
        let named = ["missing ", "unknown "]
            .iter()
            .any(|start| self.message.starts_with(start));
        match (named, self.path.as_str()) {
            (true, _) => self.message.clone(),
            (false, "") => format!("the arguments {}", self.message),
            (false, path) => format!("{path} {}", self.message),
        }
    }
}

/// The first issue in words, and how many more there are.
pub fn summary(issues: &[Issue]) -> String {
    match issues {
        [] => "the arguments do not fit the schema of the tool".to_owned(),
        [only] => only.sentence(),
        [first, rest @ ..] => format!("{}; and {} more", first.sentence(), rest.len()),
    }
}

/// Holds arguments against a schema once. Who checks often keeps a [`Checker`].
///
/// # Errors
/// All issues, up to [`crate::limits::MAX_ARGUMENT_ISSUES`].
pub fn check(schema: &Value, arguments: &Value) -> Result<(), Vec<Issue>> {
    Checker::new(schema).check(arguments)
}

/// A schema, ready for use: making it costs more than a check with it.
pub struct Checker {
    usable: Option<Usable>,
}

struct Usable {
    prepared: Prepared,
    schemas: Schemas,
    index: SchemaIndex,
}

impl Checker {
    /// Never fails: a schema that cannot be used is one that nothing is held against.
    pub fn new(schema: &Value) -> Self {
        let usable = prepare::prepare(schema).and_then(|prepared| {
            let (schemas, index) = compile(&prepared.document)?;
            Some(Usable {
                prepared,
                schemas,
                index,
            })
        });
        Self { usable }
    }

    /// Whether the schema can be used. If not, any object passes.
    pub fn is_usable(&self) -> bool {
        self.usable.is_some()
    }

    /// Holds arguments against the schema.
    ///
    /// # Errors
    /// All issues, up to [`crate::limits::MAX_ARGUMENT_ISSUES`].
    pub fn check(&self, arguments: &Value) -> Result<(), Vec<Issue>> {
        if !arguments.is_object() {
            let got = words::value(arguments);
            return Err(vec![Issue::whole(format!(
                "must be an object of parameters, not {got}"
            ))]);
        }
        if !within_depth(arguments, MAX_JSON_DEPTH) {
            return Err(vec![Issue::whole(format!(
                "must not nest deeper than {MAX_JSON_DEPTH} levels"
            ))]);
        }
        let Some(usable) = &self.usable else {
            return Ok(());
        };
        if !cost::is_bearable(&usable.prepared, arguments) {
            return Ok(());
        }
        let Err(error) = usable.schemas.validate(arguments, usable.index) else {
            return Ok(());
        };
        let issues = explain::issues(&error, &usable.prepared.document, arguments);
        if issues.is_empty() {
            Ok(())
        } else {
            Err(issues)
        }
    }
}

/// Where the schema is said to lie. Nothing is there, and nothing is fetched from there.
const LOCATION: &str = "https://schema.invalid/tool";

struct Refusing;

impl UrlLoader for Refusing {
    fn load(&self, url: &str) -> Result<Value, Box<dyn Error>> {
        Err(format!("{url} is not fetched").into())
    }
}

/// A schema that does not name its draft is read as the newest, and failing that as the older ones that are still written.
fn compile(document: &Value) -> Option<(Schemas, SchemaIndex)> {
    let drafts: &[Draft] = match document.get("$schema") {
        Some(_) => &[Draft::V2020_12],
        None => &[Draft::V2020_12, Draft::V7, Draft::V4],
    };
    drafts.iter().find_map(|draft| {
        let mut compiler = Compiler::new();
        compiler.set_default_draft(*draft);
        compiler.use_loader(Box::new(Refusing));
        compiler.enable_format_assertions();
        formats::register(&mut compiler);
        compiler.add_resource(LOCATION, document.clone()).ok()?;
        let mut schemas = Schemas::new();
        let index = compiler.compile(LOCATION, &mut schemas).ok()?;
        Some((schemas, index))
    })
}

/// Whether a value nests at most so deep.
fn within_depth(value: &Value, levels: usize) -> bool {
    let Some(below) = levels.checked_sub(1) else {
        return !(value.is_array() || value.is_object());
    };
    match value {
        Value::Array(items) => items.iter().all(|item| within_depth(item, below)),
        Value::Object(entries) => entries.values().all(|item| within_depth(item, below)),
        _ => true,
    }
}
