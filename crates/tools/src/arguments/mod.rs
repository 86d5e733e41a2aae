//! Arguments against the schema of their tool.
//!
//! The schema comes from another server, so it is a claim and may be hostile. `prepare` bounds it and takes out what cannot be checked
//! (`survey` knows where its schemas are, `weaken` what depends on them), `patterns` judges regular expressions, `cost` foresees the work
//! of each check, and only then `boon` is asked. `read` makes values of texts, `explain` and `branches` put errors into `words`. Nothing is ever
//! fetched, and nothing is coerced: a value fits as it is, or it is an issue.
//!
//! The server has the last word. What of a schema cannot be used (an unknown type, a reference to another document, an expression of other
//! syntax) lets everything pass in its place and nowhere else. A schema that cannot be used at all (another dialect, too large, references
//! in a circle, too much work for these arguments) lets any object pass. Formats are not checked: many servers do not, and those that do read them in
//! ways of their own. Where languages read an expression or a length differently, what one of them accepts passes.

mod branches;
mod cost;
mod decimal;
mod explain;
mod near;
mod patterns;
mod prepare;
mod read;
mod survey;
mod weaken;
mod words;

use std::error::Error;

use boon::{
    CompileError, Compiler, Draft, ErrorKind, SchemaIndex, Schemas, UrlLoader, ValidationError,
};
use serde_json::{Value, json};

use crate::limits::MAX_SCHEMA_ROUNDS;
use base::percent;
use patterns::Reading;
use prepare::Prepared;
pub use read::read;
use session::limits::MAX_JSON_DEPTH;

/// What stands in the place of issues beyond [`crate::limits::MAX_ARGUMENT_ISSUES`].
const NOT_LISTED: &str = "have more issues than are listed";

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
    /// As it stands in results.
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
        [first, .., last] if last.message == NOT_LISTED => {
            format!("{}; and more than can be listed", first.sentence())
        }
        [] => "the arguments do not fit the schema of the tool".to_owned(),
        [only] => only.sentence(),
        [first, rest @ ..] => format!("{}; and {} more", first.sentence(), rest.len()),
    }
}

/// Holds arguments against a schema once. Who checks often keeps a [`Checker`].
///
/// # Errors
/// All issues, up to [`crate::limits::MAX_ARGUMENT_ISSUES`]; where there are more, the last one says so.
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
    /// Never fails: a schema that cannot be used is one that nothing is checked against.
    pub fn new(schema: &Value) -> Self {
        Self {
            usable: prepare::prepare(schema, Reading::ONE).and_then(usable),
        }
    }

    /// Whether the schema can be used. If not, any object passes.
    pub fn is_usable(&self) -> bool {
        self.usable.is_some()
    }

    /// What it holds in memory, about. The library keeps each schema with its address, and each state of its expressions.
    pub fn bytes(&self) -> usize {
        self.usable
            .as_ref()
            .map_or(0, |usable| usable.prepared.bytes)
    }

    /// Holds arguments against the schema.
    ///
    /// # Errors
    /// All issues, up to [`crate::limits::MAX_ARGUMENT_ISSUES`]; where there are more, the last one says so.
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
        let refused = usable.check(arguments);
        let reading = Reading::of(arguments);
        if refused.is_ok() || reading == Reading::ONE {
            return refused;
        }
        // The server may read an expression otherwise, or count otherwise, and let them pass.
        prepare::prepare(&usable.prepared.document, reading)
            .and_then(self::usable)
            .map_or(Ok(()), |lax| lax.check(arguments))
    }
}

impl Usable {
    fn check(&self, arguments: &Value) -> Result<(), Vec<Issue>> {
        if !cost::is_bearable(&self.prepared, arguments) {
            return Ok(());
        }
        let Err(error) = self.schemas.validate(arguments, self.index) else {
            return Ok(());
        };
        let issues = explain::issues(&error, &self.prepared.document, arguments);
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

/// The schema as the library has it. What the library finds wrong with it is taken out, and it is asked again.
fn usable(mut prepared: Prepared) -> Option<Usable> {
    for _ in 0..MAX_SCHEMA_ROUNDS {
        match compile(&prepared.document) {
            Ok((schemas, index)) => {
                return Some(Usable {
                    prepared,
                    schemas,
                    index,
                });
            }
            Err(wrong) => prepared = prepared.without(&wrong)?,
        }
    }
    None
}

/// A schema that does not name its draft is read as the newest; what older drafts wrote otherwise, `prepare` has translated.
///
/// # Errors
/// The places that are wrong, each as the names that lead there; none where it is not a place.
fn compile(document: &Value) -> Result<(Schemas, SchemaIndex), Vec<Vec<String>>> {
    let mut compiler = Compiler::new();
    compiler.set_default_draft(Draft::V2020_12);
    compiler.use_loader(Box::new(Refusing));
    let mut schemas = Schemas::new();
    compiler
        .add_resource(LOCATION, document.clone())
        .map_err(|error| wrong_places(&error))?;
    let index = compiler
        .compile(LOCATION, &mut schemas)
        .map_err(|error| wrong_places(&error))?;
    Ok((schemas, index))
}

/// What of a document its metaschema refuses.
fn wrong_places(error: &CompileError) -> Vec<Vec<String>> {
    let CompileError::ValidationError { url, src } = error else {
        return Vec::new();
    };
    let fragment = url.split_once('#').map_or("", |(_, fragment)| fragment);
    let above = percent::decode(fragment).unwrap_or_default();
    let above = above
        .split('/')
        .skip(1)
        .map(|name| name.replace("~1", "/").replace("~0", "~"));
    let mut places = Vec::new();
    collect_places(src, &mut places);
    places.sort_unstable();
    places.dedup();
    places
        .into_iter()
        .map(|place| above.clone().chain(place).collect())
        .collect()
}

/// The places of an error's leaves. Of several forms, the one that was meant is the one that fits further.
fn collect_places(error: &ValidationError<'_, '_>, places: &mut Vec<Vec<String>>) {
    let here = || {
        let tokens = error.instance_location.tokens.iter();
        tokens.map(words::name).collect::<Vec<String>>()
    };
    match &error.kind {
        _ if error.causes.is_empty() => places.push(here()),
        ErrorKind::AnyOf | ErrorKind::OneOf(_) => {
            let here = here();
            let mut deeper = Vec::new();
            for cause in &error.causes {
                let mut of_form = Vec::new();
                collect_places(cause, &mut of_form);
                if !of_form.contains(&here) {
                    deeper.append(&mut of_form);
                }
            }
            if deeper.is_empty() {
                deeper.push(here);
            }
            places.append(&mut deeper);
        }
        _ => {
            for cause in &error.causes {
                collect_places(cause, places);
            }
        }
    }
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
