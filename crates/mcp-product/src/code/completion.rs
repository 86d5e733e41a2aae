//! Completes arguments of the templates: paths of files.

use serde_json::{Value, json};

use super::CodeProduct;
use super::backend::CodeBackend;
use super::prompts::PROMPTS;
use super::resources::{TEMPLATE, TEMPLATE_PARTS};
use crate::completion::{argument_of, rendered};
use crate::limits::COMPLETED_PATHS;
use crate::prompts;
use crate::results::at;
use base::Result;
use mcp::server::ask::{Completion, CompletionTarget};
use mcp::server::{Fault, Outcome};

impl<B: CodeBackend> CodeProduct<B> {
    /// Completes an argument.
    ///
    /// # Errors
    /// [`Fault`] for an unknown prompt, template or argument.
    pub(super) async fn complete_argument(
        &self,
        asked: &Completion,
    ) -> std::result::Result<Outcome, Fault> {
        let arguments = match &asked.of {
            CompletionTarget::Prompt(name) => prompts::arguments_of(PROMPTS, name)
                .ok_or_else(|| Fault::params("Unknown prompt"))?,
            CompletionTarget::Template(uri) if uri == TEMPLATE => TEMPLATE_PARTS.to_vec(),
            CompletionTarget::Template(_) => {
                return Err(Fault::params("Unknown resource template"));
            }
        };
        let values = match argument_of(asked, &arguments)? {
            "path" => self.paths().await?,
            "workspace" => vec![self.terms.workspace.clone()],
            _ => Vec::new(),
        };
        Ok(Outcome::complete(rendered(&values, &asked.value)))
    }

    async fn paths(&self) -> Result<Vec<String>> {
        let body = json!({ "operation": "list_files", "limit": COMPLETED_PATHS });
        let said = self.operate(body.to_string()).await?;
        let read: Value = serde_json::from_str(&said).unwrap_or_default();
        let files = at(&read, "files").as_array().into_iter().flatten();
        Ok(files
            .filter_map(|file| at(file, "file_path").as_str().map(str::to_owned))
            .collect())
    }
}
