//! Calls of tools: the call is parsed, a deletion is confirmed, and then the session's object runs
//! it.

use serde_json::{Value, json};

use super::context::{Call, ParsedCall, members_of};
use crate::McpServerError;
use crate::backend::{Backend, Removal, Subject};
use crate::confirmation::{self, Deleted, Deletion, Verdict};
use crate::results::tokens::estimate;
use crate::results::{self, ObjectResponse, at};
use crate::table::{TOOLS, Tool, ToolAction, listed};
use crate::terms::Terms;
use ::tools::request::SearchRequest;
use base::{Error, Result, nearest};
use mcp::server::ask::ToolCall;
use mcp::server::{Fault, Outcome};

/// Calls a tool.
///
/// # Errors
/// [`Fault`] for a tool that is not listed, and for a confirmation of another call. Everything else
/// is a result.
pub async fn call<B: Backend>(
    context: &Call<'_, B>,
    asked: &ToolCall,
) -> std::result::Result<Outcome, Fault> {
    let tool = find(context.terms, &asked.name)?;
    let given = match context.read(tool, asked) {
        Ok(given) => given,
        Err(error) => {
            let session = tool.has_session().then_some(context.terms.session.as_str());
            return Ok(results::failed(session, &error, context.terms));
        }
    };
    let mut given = given;
    let outcome = match context.confirm(&mut given).await? {
        Ok(Verdict::Ask(question)) => return Ok(question),
        Ok(Verdict::Confirmed) => context.perform(&given).await,
        Err(error) => Err(error),
    };
    Ok(outcome.unwrap_or_else(|error| results::failed(given.session(), &error, context.terms)))
}

fn find(terms: &Terms, name: &str) -> std::result::Result<&'static Tool, Fault> {
    if let Some(tool) = listed(terms.profile).find(|tool| tool.name == name) {
        return Ok(tool);
    }
    let is_elsewhere = TOOLS.iter().any(|tool| tool.name == name);
    let refusal = is_elsewhere.then(|| McpServerError::ToolNotInProfile { tool: shown(name) });
    Err(unknown(
        name,
        refusal,
        listed(terms.profile).map(|tool| tool.name),
    ))
}

/// Returns the name of a tool for an error, cut to a readable length.
pub(crate) fn shown(name: &str) -> String {
    base::text::first(name, base::limits::MAX_NAME_CHARACTERS)
}

/// Returns the fault for a tool that an endpoint does not list. `refusal` is the reason if another
/// endpoint lists it.
pub(crate) fn unknown<'n>(
    name: &str,
    refusal: Option<McpServerError>,
    listed: impl Iterator<Item = &'n str>,
) -> Fault {
    if let Some(refusal) = refusal {
        let error = Error::from(refusal);
        return Fault::params(format!("Unknown tool: {error}")).with(error.to_json());
    }
    let near = nearest(name, listed);
    let hint = near
        .first()
        .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    Fault::params(format!("Unknown tool: {}{hint}", shown(name)))
}

impl<B: Backend> Call<'_, B> {
    /// Decides if a call may delete something, and sets the basis that the decision is valid for.
    async fn confirm(
        &self,
        given: &mut ParsedCall<'_>,
    ) -> std::result::Result<Result<Verdict>, Fault> {
        if !self.terms.confirm {
            return Ok(Ok(Verdict::Confirmed));
        }
        let object = match self.object(given).await {
            Ok(Some(object)) => object,
            Ok(None) => return Ok(Ok(Verdict::Confirmed)),
            Err(error) => return Ok(Err(error)),
        };
        let basis = match self.basis_of(given, &object).await {
            Ok(basis) => basis,
            Err(error) => return Ok(Err(error)),
        };
        given.basis = Some(basis.clone());
        let argument = match given.arguments.text("confirm") {
            Ok(argument) => argument,
            Err(error) => return Ok(Err(error)),
        };
        let subject = Subject {
            session: given.session.clone(),
            tool: given.call.name.clone(),
            arguments: given.arguments.canonical(&["confirm"]),
            basis,
        };
        confirmation::decide(
            self.backend,
            self.request.caller,
            &self.request.inputs,
            argument.as_deref(),
            &subject,
            &object,
        )
        .await
    }

    async fn basis_of(&self, given: &ParsedCall<'_>, object: &Deletion) -> Result<String> {
        let (does, arguments) = given.meant()?;
        let removal = match does {
            ToolAction::DeleteSession => Removal::Session,
            _ if at(&arguments, "target").as_str() == Some("persistent") => {
                Removal::Persistent(&object.name)
            }
            ToolAction::Operation(_)
            | ToolAction::Execute
            | ToolAction::Search
            | ToolAction::Describe
            | ToolAction::Call
            | ToolAction::Import
            | ToolAction::AskDatabase
            | ToolAction::Decide
            | ToolAction::GetThread
            | ToolAction::GraphqlCheck => Removal::Table(&object.name),
        };
        self.backend.basis(&given.session, removal).await
    }

    /// Returns the object that a call would delete; none if it deletes nothing or the object does
    /// not exist.
    async fn object(&self, given: &ParsedCall<'_>) -> Result<Option<Deletion>> {
        let (does, arguments) = given.meant()?;
        let text = |name: &str| at(&arguments, name).as_str().map(str::to_owned);
        let target = text("target");
        let is_persistent = target.as_deref() == Some("persistent");
        let (table, view) = if is_persistent {
            (Deleted::PersistentTable, Deleted::PersistentView)
        } else {
            (Deleted::Table, Deleted::View)
        };
        let (what, name) = match does {
            ToolAction::DeleteSession => {
                return Ok(Some(Deletion {
                    what: Deleted::Session,
                    name: given.session.clone(),
                    rows: None,
                }));
            }
            ToolAction::Operation("dropTable") => (table, text("table")),
            ToolAction::Operation("exec") => {
                let statement = text("sql").unwrap_or_default();
                match sql_gate::destroyed(&statement).into_iter().next() {
                    Some(sql_gate::DroppedRelation { kind, name }) => {
                        let what = match kind {
                            sql_gate::RelationKind::Table => table,
                            sql_gate::RelationKind::View => view,
                        };
                        (what, Some(name))
                    }
                    None => return Ok(None),
                }
            }
            ToolAction::Operation(_)
            | ToolAction::Execute
            | ToolAction::Search
            | ToolAction::Describe
            | ToolAction::Call
            | ToolAction::Import
            | ToolAction::AskDatabase
            | ToolAction::Decide
            | ToolAction::GetThread
            | ToolAction::GraphqlCheck => return Ok(None),
        };
        let Some(name) = name else {
            return Ok(None);
        };
        let body = json!({ "operation": "describeTable", "table": name, "target": target });
        let described = self
            .backend
            .operate(&given.session, body.to_string())
            .await?;
        let rows = match ObjectResponse::read(&described) {
            // A missing object needs no confirmation: the call itself reports it.
            ObjectResponse::Failure(error) if at(&error, "code") == "NO_SUCH_TABLE" => {
                return Ok(None);
            }
            ObjectResponse::Failure(_) => None,
            ObjectResponse::Success(members) => {
                let description: Value =
                    serde_json::from_str(&format!("{{{members}}}")).unwrap_or_default();
                at(&description, "rowCount").as_u64()
            }
        };
        Ok(Some(Deletion { what, name, rows }))
    }

    async fn perform(&self, given: &ParsedCall<'_>) -> Result<Outcome> {
        match given.tool.does {
            ToolAction::Operation("query") => self.query(given).await,
            ToolAction::Operation(name) => self.operate(given, name).await,
            ToolAction::Execute => self.execute(given).await,
            ToolAction::Search => self.search(given).await,
            ToolAction::Describe => self.describe(given).await,
            ToolAction::Call => self.call_tool(given).await,
            ToolAction::Import => self.import(given).await,
            ToolAction::DeleteSession => {
                let body = self
                    .backend
                    .delete_session(&given.session, given.basis.as_deref())
                    .await?;
                self.concluded(given, &body).await
            }
            ToolAction::AskDatabase => self.ask_database(given).await,
            ToolAction::Decide => self.decide(given).await,
            ToolAction::GetThread => self.get_thread(given).await,
            ToolAction::GraphqlCheck => {
                let checked = tools_graphql::check_request(&given.arguments.body("", &[]))?;
                self.shown(given, &members_of(&checked)).await
            }
        }
    }

    async fn search(&self, given: &ParsedCall<'_>) -> Result<Outcome> {
        let mut request = SearchRequest::parse(&given.arguments.body("", &[]))?;
        loop {
            let found = self.backend.search(&request).await?;
            let members = members_of(&found);
            if request.limit <= 1 || 2 * estimate(&members) <= self.terms.max_tokens {
                return self.shown(given, &members).await;
            }
            // nextOffset is the beginning of the next page.
            request.limit /= 2;
        }
    }

    async fn describe(&self, given: &ParsedCall<'_>) -> Result<Outcome> {
        let text = |name: &str| given.arguments.text(name).map(Option::unwrap_or_default);
        let described = self
            .backend
            .describe(&text("server")?, &text("tool")?)
            .await?;
        self.shown(given, &members_of(&described)).await
    }
}
