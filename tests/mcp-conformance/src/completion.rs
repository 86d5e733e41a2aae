//! Suggested values for arguments that a user is typing.

use mcp::server::ask::{Completion, CompletionTarget};
use mcp::server::{Fault, Outcome};
use serde_json::json;

use crate::instance::Instance;
use crate::outcome::{complete, not_known, unknown};
use crate::{prompts, resources};

/// The values for arguments of prompts.
const WORDS: &[&str] = &["paris", "park", "party", "test", "testing"];
/// The ids for the template.
const IDS: &[&str] = &["123", "124", "2"];

/// Returns the values that begin like the argument.
///
/// # Errors
/// A [`Fault`] if there is no such prompt, template or argument.
pub fn values(instance: &Instance, completion: &Completion) -> Result<Outcome, Fault> {
    let (parameters, values) = match &completion.of {
        CompletionTarget::Prompt(name) => (prompts::parameters(instance, name)?, WORDS),
        CompletionTarget::Template(uri) if uri == resources::TEMPLATE => (["id"].as_slice(), IDS),
        CompletionTarget::Template(uri) => {
            let known = std::iter::once(resources::TEMPLATE);
            return Err(unknown("template", uri, known));
        }
    };
    let names = completion.known.keys().chain([&completion.argument]);
    for name in names {
        if !parameters.contains(&name.as_str()) {
            let known = parameters.iter().copied();
            return Err(Fault::params(not_known("argument", name, known)));
        }
    }
    let values: Vec<&str> = values
        .iter()
        .copied()
        .filter(|value| value.starts_with(&completion.value))
        .collect();
    let total = values.len();
    Ok(complete(
        &json!({ "completion": { "values": values, "total": total, "hasMore": false } }),
    ))
}
