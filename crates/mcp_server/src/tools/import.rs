//! Imports: rows from a text, or from a table of a staged result.

use serde_json::{Value, json};

use super::context::{Call, Given};
use crate::backend::Backend;
use crate::results::{Said, at};
use base::{Error, Result};
use mcp::server::Outcome;
use sql::compose::quote_identifier;

impl<B: Backend> Call<'_, B> {
    pub(super) async fn import(&self, given: &Given<'_>) -> Result<Outcome> {
        let arguments = &given.arguments;
        let table = arguments.text("table")?.unwrap_or_default();
        let conflict = arguments.text("onConflict")?;
        let (text, from) = (arguments.text("text")?, arguments.text("from")?);
        let said = match (text, from) {
            (Some(text), None) => {
                let format = arguments.text("format")?;
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
                let conflict = conflict.map_or_else(String::new, |conflict| {
                    format!("&onConflict={}", base::percent::encode(&conflict))
                });
                let query = format!("create=true{conflict}");
                self.backend
                    .load(&given.session, &table, &query, content_type, text)
                    .await?
            }
            (None, Some(from)) => self.copy(given, &table, &from, conflict.as_deref()).await?,
            _ => {
                return Err(Error::invalid_with_hint(
                    "db_import takes either text or from",
                    "text is the rows themselves, from the name of a table of a staged result",
                ));
            }
        };
        self.concluded(given, &said).await
    }

    /// Copies a table: into a new one, or into one that is there.
    async fn copy(
        &self,
        given: &Given<'_>,
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
        match Said::read(&created) {
            Said::Failure(error) if at(&error, "code") == "ALREADY_EXISTS" => {
                run(format!("INSERT{or} INTO {table} SELECT * FROM {from}")).await
            }
            Said::Failure(_) => Ok(created),
            Said::Success(_) => {
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
