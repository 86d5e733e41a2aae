//! `tools/call` and its result.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::client::{Ask, Client, RetrySafety, Sessions};
use super::expected::Depth;
use super::failure::{Failure, shorten};
use super::message::{Message, Notice, Progress};
use super::protocol::CallParams;
use crate::{Tool, parameter_headers};
use net::transport::{Clock, Http};

/// The parts of a result, as JSON text.
#[derive(Debug, Deserialize)]
#[serde(expecting = "the result of a call")]
pub struct CallResult<'a> {
    #[serde(rename = "resultType", default)]
    kind: Option<String>,
    /// Some servers send `null` beside structured content.
    #[serde(borrow, default)]
    content: Option<Vec<&'a RawValue>>,
    /// The same content as one JSON value.
    #[serde(rename = "structuredContent", borrow, default)]
    pub structured: Option<&'a RawValue>,
    /// True if the tool reports that it failed.
    #[serde(rename = "isError", default)]
    pub is_error: Option<bool>,
}

impl<'a> CallResult<'a> {
    /// Returns the content blocks of the result.
    pub fn content(&self) -> &[&'a RawValue] {
        self.content.as_deref().unwrap_or_default()
    }

    fn says_nothing(&self) -> bool {
        let structured = self.structured.is_some_and(|value| value.get() != "null");
        self.content.is_none() && !structured && self.is_error != Some(true)
    }

    /// Reads the result of a call.
    ///
    /// # Errors
    /// [`Failure::Protocol`], [`Failure::InputRequired`].
    pub fn read(message: &'a Message) -> Result<Self, Failure> {
        let result: Self = serde_json::from_str(message.result()?.get()).map_err(|error| {
            Failure::Protocol(format!(
                "the result of the call cannot be read: {}",
                shorten(&error.to_string())
            ))
        })?;
        match result.kind.as_deref() {
            // The protocol requires content. Without any, a response cannot be distinguished from
            // one with a misspelt field.
            None | Some("complete") if result.says_nothing() => Err(Failure::Protocol(
                "the result of the call has neither content nor structuredContent".to_owned(),
            )),
            None | Some("complete") => Ok(result),
            Some("input_required") => Err(Failure::InputRequired),
            Some(other) => Err(Failure::Protocol(format!(
                "the result of the call is of the type {}",
                shorten(other)
            ))),
        }
    }
}

impl<H: Http, C: Clock> Client<'_, H, C> {
    /// Calls a tool. `arguments` are a JSON object that has been checked against its schema.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn call_tool(
        &self,
        tool: &Tool,
        arguments: &RawValue,
        headers: &[(String, String)],
        progress: &mut impl FnMut(Progress),
    ) -> Result<Message, Failure> {
        let ask = Ask {
            method: "tools/call",
            name: Some(parameter_headers::encode_value(&tool.name)),
            headers,
            params: |meta| CallParams {
                name: &tool.name,
                arguments,
                meta,
            },
            repeat: if tool.read_only || tool.idempotent {
                RetrySafety::Safe
            } else {
                RetrySafety::Unsafe
            },
            progress: true,
            depth: Depth::OfAll,
            // If the arguments name a session, an error about a session means that one.
            sessions: if arguments.get().to_ascii_lowercase().contains("session") {
                Sessions::OfTheTool
            } else {
                Sessions::OfTheProtocol
            },
        };
        self.ask(&ask, &mut |notice| {
            if let Notice::Progress(seen) = notice {
                progress(seen);
            }
        })
        .await
    }
}
