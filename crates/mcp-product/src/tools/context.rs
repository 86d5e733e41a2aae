//! The context of a call: its caller, its settings, and the conversion of an object's response into
//! a result.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::arguments::Arguments;
use crate::McpServerError;
use crate::backend::Backend;
use crate::limits::STAGED_PIECE_CHARACTERS;
use crate::results::hints::with_rendered_notices;
use crate::results::tokens::estimate;
use crate::results::{self, ObjectResponse, at};
use crate::table::{Tool, ToolAction};
use crate::terms::Terms;
use base::names::check_name;
use base::{Error, Result};
use mcp::server::ask::ToolCall;
use mcp::server::{Outcome, Request};

/// Tokens of the parts around a result.
pub(super) const FRAME_TOKENS: usize = 200;

/// The context of a call.
pub struct Call<'a, B> {
    /// The interface to sessions and servers.
    pub backend: &'a B,
    /// The settings of the caller and the endpoint.
    pub terms: &'a Terms,
    /// The request.
    pub request: &'a Request<'a>,
}

/// A tool with its arguments and its session.
pub(super) struct ParsedCall<'a> {
    pub tool: &'static Tool,
    pub arguments: Arguments,
    pub session: String,
    pub call: &'a ToolCall,
    /// The basis of the deletion, once it is confirmed.
    pub basis: Option<String>,
}

impl ParsedCall<'_> {
    /// Returns the action and its arguments. A call of the session's own server `db` counts as the
    /// operation that it names.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] for an argument of the wrong type.
    pub fn meant(&self) -> Result<(ToolAction, Value)> {
        let parsed = |text: &str| serde_json::from_str(text).unwrap_or_default();
        if self.tool.does != ToolAction::Call {
            return Ok((self.tool.does, parsed(&self.arguments.body("", &[]))));
        }
        let server = self.arguments.text("server")?.unwrap_or_default();
        let tool = self.arguments.text("tool")?.unwrap_or_default();
        let operation = session::find(&tool).filter(|_| session::is_own_server(&server));
        Ok(match operation {
            Some((_, operation)) => {
                let arguments = self.arguments.get("args").map_or("{}", RawValue::get);
                (ToolAction::Operation(operation.name), parsed(arguments))
            }
            None => (ToolAction::Call, Value::Null),
        })
    }

    /// Returns the session, if the tool has one.
    pub fn session(&self) -> Option<&str> {
        self.tool.has_session().then_some(self.session.as_str())
    }
}

impl<B: Backend> Call<'_, B> {
    pub(super) fn read<'c>(
        &self,
        tool: &'static Tool,
        call: &'c ToolCall,
    ) -> Result<ParsedCall<'c>> {
        let arguments = Arguments::read(tool, &call.arguments)?;
        let session = match arguments.text("session")? {
            Some(session) => {
                check_name("session", &session)?;
                session
            }
            None => self.terms.session.clone(),
        };
        Ok(ParsedCall {
            tool,
            arguments,
            session,
            call,
            basis: None,
        })
    }

    /// Converts a response into a result.
    pub(super) async fn concluded(&self, given: &ParsedCall<'_>, said: &str) -> Result<Outcome> {
        match ObjectResponse::read(said) {
            ObjectResponse::Success(members) => self.shown(given, &members).await,
            ObjectResponse::Failure(error) => {
                Ok(results::failure(given.session(), &error, self.terms))
            }
        }
    }

    /// Renders a result with these members; if they are too large, a reference to a table that
    /// contains them.
    pub(super) async fn shown(&self, given: &ParsedCall<'_>, members: &str) -> Result<Outcome> {
        let session = given.session();
        let members = &*with_rendered_notices(members, self.terms.profile);
        if 2 * estimate(members) + FRAME_TOKENS <= self.terms.max_tokens {
            return Ok(Outcome::complete(results::structured(session, members)));
        }
        // Hosts do not ask the user before a read-only tool runs.
        if given.tool.hints().read_only {
            return Err(Error::from(McpServerError::ResultTooLarge {
                what: "the result",
                limit_tokens: self.terms.max_tokens,
                hint: r#"ask for less: {"operation":"query"} returns pages"#.to_owned(),
            }));
        }
        let staged = self.stage(given, members).await?;
        Ok(Outcome::complete(results::structured(
            Some(&given.session),
            &staged,
        )))
    }

    /// Stores a text in a table, in pieces.
    async fn stage(&self, given: &ParsedCall<'_>, members: &str) -> Result<String> {
        let text = format!("{{{members}}}");
        let table = format!("result_{:016x}", hash(&text));
        let create = json!({ "operation": "createTable", "name": table, "schema": "part INTEGER PRIMARY KEY, text TEXT" });
        let characters: Vec<char> = text.chars().collect();
        let records: Vec<Value> = characters
            .chunks(STAGED_PIECE_CHARACTERS)
            .enumerate()
            .map(|(part, piece)| json!({ "part": part, "text": piece.iter().collect::<String>() }))
            .collect();
        let parts = records.len();
        let insert = json!({ "operation": "batchInsert", "table": table, "records": records, "onConflict": "replace" });
        for body in [create, insert] {
            let said = self
                .backend
                .operate(&given.session, body.to_string())
                .await?;
            if let ObjectResponse::Failure(error) = ObjectResponse::read(&said) {
                return Err(Error::invalid(format!(
                    "the result is too large to show and could not be stored: {}",
                    at(&error, "message").as_str().unwrap_or_default()
                )));
            }
        }
        Ok(format!(
            r#""staged":true,"table":"{table}","rows":{parts},"hint":"The result is JSON text in pieces: SELECT json_extract(string_agg(text, '' ORDER BY part), '$.…') FROM {table}""#
        ))
    }
}

/// Renders the members of an object as JSON text.
pub(super) fn members_of(fields: &Value) -> String {
    let text = fields.to_string();
    let inner = text
        .strip_prefix('{')
        .and_then(|text| text.strip_suffix('}'));
    inner.unwrap_or_default().to_owned()
}

/// Returns the 64-bit FNV-1a hash (Fowler, Noll and Vo), which distinguishes texts but is not
/// secure.
pub(super) fn hash(text: &str) -> u64 {
    /// Both constants are part of the definition of the function.
    const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    text.bytes().fold(OFFSET_BASIS, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(PRIME)
    })
}
