//! Completes arguments of prompts and templates: names of sessions, tables and columns.

use serde_json::{Value, json};

use crate::backend::Backend;
use crate::limits::{LISTED_RESOURCES, MAX_COMPLETIONS};
use crate::prompts;
use crate::resources::table_names;
use crate::results::at;
use crate::terms::Terms;
use base::Result;
use base::names::check_name;
use mcp::server::ask::{Completion, CompletionTarget};
use mcp::server::{Fault, Outcome};

/// The templates whose parts can be completed, with the names of the parts.
const TEMPLATE_PARTS: [(&str, &[&str]); 2] = [
    ("db://{session}/schema", &["session"]),
    (
        "db://{session}/tables/{table}{?offset,limit}",
        &["session", "table", "offset", "limit"],
    ),
];

/// Completes an argument.
///
/// # Errors
/// [`Fault`] for an unknown prompt, template or argument.
pub async fn complete(
    backend: &impl Backend,
    terms: &Terms,
    asked: &Completion,
) -> std::result::Result<Outcome, Fault> {
    let arguments = match &asked.of {
        CompletionTarget::Prompt(name) => prompts::arguments_of(prompts::PROMPTS, name)
            .ok_or_else(|| Fault::params("Unknown prompt"))?,
        CompletionTarget::Template(uri) => TEMPLATE_PARTS
            .iter()
            .find(|(known, _)| known == uri)
            .map(|(_, parts)| parts.to_vec())
            .ok_or_else(|| Fault::params("Unknown resource template"))?,
    };
    let argument = argument_of(asked, &arguments)?;
    let known = |name: &str| asked.known.get(name).filter(|value| !value.is_empty());
    let session = known("session")
        .cloned()
        .unwrap_or_else(|| terms.session.clone());
    let is_session = check_name("session", &session).is_ok();
    let values = match argument {
        "session" => session_names(backend).await?,
        "table" if is_session => table_names(backend, &session).await?,
        "sql" if is_session => statements(backend, &session).await?,
        "column" if is_session => match known("table") {
            Some(table) => column_names(backend, &session, table).await?,
            None => Vec::new(),
        },
        _ => Vec::new(),
    };
    Ok(Outcome::complete(rendered(&values, &asked.value)))
}

/// Returns the argument to complete.
///
/// # Errors
/// [`Fault`] if it is none of these arguments.
pub(crate) fn argument_of<'a>(
    asked: &'a Completion,
    arguments: &[&str],
) -> std::result::Result<&'a str, Fault> {
    let argument = asked.argument.as_str();
    if arguments.contains(&argument) {
        return Ok(argument);
    }
    let problem = format!(
        "there is no such argument; the arguments are {}",
        arguments.join(", ")
    );
    Err(Fault::params(problem))
}

/// Renders the first values that begin with the typed text, followed by values that contain it.
pub(crate) fn rendered(values: &[String], written: &str) -> String {
    let written = written.to_lowercase();
    let begins = |value: &&String| value.to_lowercase().starts_with(&written);
    let has = |value: &&String| value.to_lowercase().contains(&written) && !begins(value);
    let found: Vec<&String> = values
        .iter()
        .filter(begins)
        .chain(values.iter().filter(has))
        .collect();
    let shown: Vec<&String> = found.iter().take(MAX_COMPLETIONS).copied().collect();
    let completion = json!({
        "values": shown, "total": found.len(), "hasMore": found.len() > MAX_COMPLETIONS,
    });
    format!(r#""completion":{completion}"#)
}

async fn session_names(backend: &impl Backend) -> Result<Vec<String>> {
    let body = backend.sessions(LISTED_RESOURCES, None).await?;
    let read: Value = serde_json::from_str(&body).unwrap_or_default();
    let sessions = at(&read, "sessions").as_array().into_iter().flatten();
    Ok(sessions
        .filter_map(|session| at(session, "name").as_str().map(str::to_owned))
        .collect())
}

async fn column_names(backend: &impl Backend, session: &str, table: &str) -> Result<Vec<String>> {
    let body = json!({ "operation": "getColumns", "table": table }).to_string();
    let said = backend.operate(session, body).await?;
    let read: Value = serde_json::from_str(&said).unwrap_or_default();
    let columns = at(&read, "columns").as_array().into_iter().flatten();
    Ok(columns
        .filter_map(|column| at(column, "name").as_str().map(str::to_owned))
        .collect())
}

/// Returns suggested queries: one for each table, with its columns.
async fn statements(backend: &impl Backend, session: &str) -> Result<Vec<String>> {
    /// Number of tables whose columns are read, because each takes a request.
    const MAX_TABLES: usize = 20;
    let mut statements = Vec::new();
    for table in table_names(backend, session)
        .await?
        .into_iter()
        .take(MAX_TABLES)
    {
        let columns = column_names(backend, session, &table).await?;
        statements.push(format!("SELECT {} FROM {table}", columns.join(", ")));
    }
    Ok(statements)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_alike_comes_first() {
        let values = ["films", "my_films", "Filmography", "people"].map(str::to_owned);
        assert_eq!(
            rendered(&values, "film"),
            r#""completion":{"values":["films","Filmography","my_films"],"total":3,"hasMore":false}"#
        );
        let many: Vec<String> = (0..150).map(|number| format!("t{number}")).collect();
        let read: Value = serde_json::from_str(&format!("{{{}}}", rendered(&many, ""))).unwrap();
        assert_eq!(
            at(at(&read, "completion"), "values")
                .as_array()
                .unwrap()
                .len(),
            100
        );
        assert_eq!(at(at(&read, "completion"), "hasMore"), true);
    }
}
