//! Calls of tools: the call is parsed, a person is asked if files would change, the object of the
//! workspace runs the operation, and its response becomes a result within the size limit.

use serde_json::Value;
use serde_json::value::RawValue;

use super::CodeProduct;
use super::backend::CodeBackend;
use super::decision::Verdict;
use super::fit;
use super::given::{Done, Given, arguments_of};
use super::table::listed;
use crate::McpServerError;
use crate::results::{self, ObjectResponse, tokens};
use crate::tools::{shown, unknown};
use base::Result;
use code::Id;
use mcp::server::ask::ToolCall;
use mcp::server::{Fault, Outcome, Request};

/// The share of a result's tokens that the text of an error may take, as a divisor.
const PARTS_OF_TEXT: usize = 3;

impl<B: CodeBackend> CodeProduct<B> {
    /// Calls a tool.
    ///
    /// # Errors
    /// [`Fault`] for a tool that is not listed, and for a decision on another call. Everything else
    /// is a result.
    pub(super) async fn call_tool(
        &self,
        request: &Request<'_>,
        asked: &ToolCall,
    ) -> std::result::Result<Outcome, Fault> {
        let operation = self.find(&asked.name)?;
        let given = match read(operation, &asked.arguments) {
            Ok(given) => given,
            Err(error) => return Ok(self.failed(&error.to_json())),
        };
        let done = match self.decide(request, &given).await? {
            Ok(Verdict::Go) => self.perform(&given).await,
            Ok(Verdict::Ask(question)) => return Ok(question),
            Ok(Verdict::Said(said)) => self.shown(&given, &said),
            Err(error) => Err(error),
        };
        Ok(match done {
            Ok(Done::Shown { text, members }) => self.result(&text, &members),
            Ok(Done::Failure(error)) => self.failed(&error),
            Err(error) => self.failed(&error.to_json()),
        })
    }

    fn find(&self, name: &str) -> std::result::Result<Id, Fault> {
        if let Some(operation) =
            listed(self.terms.access).find(|tool| tool.declaration().name == name)
        {
            return Ok(operation);
        }
        let refusal = code::find(name)
            .is_some()
            .then(|| McpServerError::ToolWrites { tool: shown(name) });
        Err(unknown(
            name,
            refusal,
            listed(self.terms.access).map(|tool| tool.declaration().name),
        ))
    }

    pub(super) async fn perform(&self, given: &Given) -> Result<Done> {
        match fit::shrinks(given.operation) {
            None => {
                let said = self.operate(given.body()).await?;
                self.shown(given, &said)
            }
            Some(size) => self.shrinking(given, &size).await,
        }
    }

    /// Converts the response of the object into an outcome that fits into a result.
    pub(super) fn shown(&self, given: &Given, said: &str) -> Result<Done> {
        let members = match ObjectResponse::read(said) {
            ObjectResponse::Success(members) => members,
            ObjectResponse::Failure(error) => return Ok(Done::Failure(error)),
        };
        fit::fitted(given.operation, members, self.terms.max_tokens)
    }

    /// Renders a result that names the workspace.
    fn result(&self, text: &str, members: &str) -> Outcome {
        Outcome::complete(results::result(text, &self.structured(members), false))
    }

    /// Renders a failure as a result that names the workspace.
    fn failed(&self, error: &Value) -> Outcome {
        let error = results::shortened(error, self.terms.max_tokens, None);
        let text = tokens::cut(
            &results::failure_text(&error),
            self.terms.max_tokens / PARTS_OF_TEXT,
        );
        let structured = self.structured(&format!(r#""error":{error}"#));
        Outcome::complete(results::result(&text, &structured, true))
    }

    fn structured(&self, members: &str) -> String {
        let workspace = Value::from(self.terms.workspace.as_str());
        let comma = if members.is_empty() { "" } else { "," };
        format!(r#"{{"workspace":{workspace}{comma}{members}}}"#)
    }
}

fn read(operation: Id, arguments: &RawValue) -> Result<Given> {
    let arguments = arguments_of(operation, arguments)?;
    Ok(Given {
        operation,
        arguments,
    })
}
