//! Imports rows from a text, or from a table of a staged result.

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::context::{Call, ParsedCall};
use crate::backend::Backend;
use crate::results::hints::of_load;
use crate::results::{self, ObjectResponse, at};
use base::{Error, Result};
use mcp::server::Outcome;
use sql_gate::compose::quote_identifier;

/// Returns the arguments that control how a text is read, as parameters of the load.
fn reading(arguments: &Arguments) -> Result<Vec<(&'static str, String)>> {
    let mut found = Vec::new();
    for name in ["delimiter", "decimal", "dates"] {
        if let Some(value) = arguments.text(name)? {
            found.push((name, value));
        }
    }
    if let Some(words) = arguments.get("null") {
        let words = serde_json::from_str::<Words>(words.get()).map_err(|_| {
            Error::invalid_with_hint(
                "the argument null must be a list of texts",
                r#"send the words for a missing value: ["NA", "-999"]; with an empty list there are none"#,
            )
        })?;
        found.push((
            "null",
            match words {
                Words::List(words) => words.join(","),
                Words::Text(words) => words,
            },
        ));
    }
    Ok(found)
}

/// Words for a missing value: a list, or the text of the load's parameter.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Words {
    List(Vec<String>),
    Text(String),
}

/// Refuses names that the URL of a load cannot have, and names that no table can have.
fn check_table(table: &str) -> Result<()> {
    match table.trim() {
        "" => Err(Error::invalid_with_hint(
            "the argument table is empty",
            "name the table that the rows go into; it is created where it is missing",
        )),
        "." | ".." => Err(Error::invalid_with_hint(
            format!("a table cannot be named {table:?}"),
            "choose a name of letters, digits and underscores",
        )),
        _ => Ok(()),
    }
}

/// Adapts the refusal of a load to the arguments: over HTTP the text is a body.
fn in_words_of_arguments(mut error: Value) -> Value {
    if let Some(fields) = error.as_object_mut()
        && let Some(Value::String(message)) = fields.get_mut("message")
    {
        *message = of_load(message);
    }
    error
}

impl<B: Backend> Call<'_, B> {
    pub(super) async fn import(&self, given: &ParsedCall<'_>) -> Result<Outcome> {
        let arguments = &given.arguments;
        let table = arguments.text("table")?.unwrap_or_default();
        let conflict = arguments.text("onConflict")?;
        let (text, from) = (arguments.text("text")?, arguments.text("from")?);
        let said = match (text, from) {
            (Some(text), None) => {
                let format = arguments
                    .text("format")?
                    .map(|name| name.to_ascii_lowercase());
                let content_type = match format.as_deref() {
                    None => "text/plain",
                    Some("csv") => "text/csv",
                    Some("tsv") => "text/tab-separated-values",
                    Some("ndjson") => "application/x-ndjson",
                    Some("json") => "application/json",
                    Some(_) => {
                        let problem = "the argument format must be csv, tsv, ndjson or json";
                        return Err(Error::invalid(problem));
                    }
                };
                let mut query = vec!["create=true".to_owned()];
                for (name, value) in reading(arguments)? {
                    query.push(format!("{name}={}", base::percent::encode(&value)));
                }
                query
                    .extend(conflict.map(|conflict| {
                        format!("onConflict={}", base::percent::encode(&conflict))
                    }));
                check_table(&table)?;
                let said = self
                    .loaded(given, &table, &query, content_type, text)
                    .await?;
                if let ObjectResponse::Failure(error) = ObjectResponse::read(&said) {
                    let error = in_words_of_arguments(error);
                    return Ok(results::failure(given.session(), &error, self.terms));
                }
                said
            }
            (None, Some(from)) => {
                if let Some((name, _)) = reading(arguments)?.first() {
                    return Err(Error::invalid_with_hint(
                        format!("the argument {name} is for text only"),
                        "leave it out with from: the table has its values already",
                    ));
                }
                self.copy(given, &table, &from, conflict.as_deref()).await?
            }
            _ => {
                return Err(Error::invalid_with_hint(
                    "db_import needs either text or from",
                    "text contains the rows, from is the name of a table of a staged result",
                ));
            }
        };
        self.concluded(given, &said).await
    }

    /// Loads a text into a new or an existing table.
    async fn loaded(
        &self,
        given: &ParsedCall<'_>,
        table: &str,
        query: &[String],
        content_type: &'static str,
        text: String,
    ) -> Result<String> {
        let session = &given.session;
        let whole = query.join("&");
        let said = self
            .backend
            .load(session, table, &whole, content_type, text.clone())
            .await?;
        match ObjectResponse::read(&said) {
            ObjectResponse::Failure(error) if at(&error, "code") == "ALREADY_EXISTS" => {
                let into = query.get(1..).unwrap_or_default().join("&");
                self.backend
                    .load(session, table, &into, content_type, text)
                    .await
            }
            ObjectResponse::Failure(_) | ObjectResponse::Success(_) => Ok(said),
        }
    }

    /// Copies a table into a new or an existing table.
    async fn copy(
        &self,
        given: &ParsedCall<'_>,
        table: &str,
        from: &str,
        conflict: Option<&str>,
    ) -> Result<String> {
        let (table, from) = (quote_identifier(table), quote_identifier(from));
        let or = match conflict {
            None | Some("error") => "",
            Some("ignore") => " OR IGNORE",
            Some("replace") => " OR REPLACE",
            Some(_) => {
                let problem = "the argument onConflict must be error, ignore or replace";
                return Err(Error::invalid(problem));
            }
        };
        let run = |sql: String| {
            let body = json!({ "operation": "exec", "sql": sql }).to_string();
            self.backend.operate(&given.session, body)
        };
        let created = run(format!("CREATE TABLE {table} AS SELECT * FROM {from}")).await?;
        match ObjectResponse::read(&created) {
            ObjectResponse::Failure(error) if at(&error, "code") == "ALREADY_EXISTS" => {
                run(format!("INSERT{or} INTO {table} SELECT * FROM {from}")).await
            }
            ObjectResponse::Failure(_) => Ok(created),
            ObjectResponse::Success(_) => {
                let count = json!({ "operation": "query", "rowFormat": "array",
                    "sql": format!("SELECT count(*) FROM {table}") });
                let counted = self
                    .backend
                    .operate(&given.session, count.to_string())
                    .await?;
                let counted: Value = serde_json::from_str(&counted).unwrap_or_default();
                let rows = counted.pointer("/results/0/0").cloned().unwrap_or_default();
                Ok(json!({ "success": true, "rowsWritten": rows }).to_string())
            }
        }
    }
}
