//! Checks of GraphQL results and queries, on a schema like those of Pharos and OpenTargets.
//!
//! `targets.graphql` is that schema; `targets.json` is the response of graphql-js to an
//! introspection of it.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test stops at its first surprise; clippy.toml allows this in test functions, and here the helpers may, too"
)]

mod answers;
mod coverage;
mod documents;
mod hostile;
mod meant;
mod queries;
mod reasons;
mod schemas;

use tools_graphql::{Check, Schema, Validation, check};

const SDL: &str = include_str!("targets.graphql");
const INTROSPECTION: &str = include_str!("targets.json");

/// Returns the schema read from each of its two forms.
fn schemas() -> [(&'static str, Schema); 2] {
    [
        ("definition", Schema::from_sdl(SDL).unwrap()),
        (
            "introspection",
            Schema::from_introspection(INTROSPECTION).unwrap(),
        ),
    ]
}

/// Checks a result without any other facts.
fn validate(response: &str) -> Validation {
    check(&Check {
        response,
        ..Check::default()
    })
    .unwrap()
}

/// Renders the issues, one line each: `severity CODE path xcount [extension code]: message`.
fn lines(validation: &Validation) -> Vec<String> {
    validation
        .issues
        .iter()
        .map(|issue| {
            let mut line = format!("{} {}", issue.severity.name(), issue.code.name());
            if let Some(path) = &issue.path {
                line += &format!(" {path}");
            }
            if let Some(count) = issue.count {
                line += &format!(" x{count}");
            }
            if let Some(code) = &issue.extension_code {
                line += &format!(" [{code}]");
            }
            line + ": " + &issue.message
        })
        .collect()
}
