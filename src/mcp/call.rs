//! `tools/call`, and what its result holds.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::client::{Ask, Client, Repeat};
use super::exchange::Depth;
use super::failure::{Failure, shorten};
use super::message::{Message, Notice, Progress};
use super::protocol::CallParams;
use super::transport::{Clock, Http};
use crate::tools::{Tool, parameter_headers};

/// The parts of a result, as JSON text.
#[derive(Debug, Deserialize)]
#[serde(expecting = "the result of a call")]
pub struct CallResult<'a> {
    #[serde(rename = "resultType", default)]
    kind: Option<String>,
    /// What the tool has to say, piece by piece.
    #[serde(borrow, default, deserialize_with = "pieces")]
    pub content: Vec<&'a RawValue>,
    /// The same as one JSON value.
    #[serde(rename = "structuredContent", borrow, default)]
    pub structured: Option<&'a RawValue>,
    /// The tool says that it failed.
    #[serde(rename = "isError", default)]
    pub is_error: Option<bool>,
}

/// Some servers send `null` beside structured content.
fn pieces<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<&'de RawValue>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

impl<'a> CallResult<'a> {
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
    /// Calls a tool. `arguments` are a JSON object that has been held against its schema.
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
                Repeat::Safe
            } else {
                Repeat::Unsafe
            },
            progress: true,
            depth: Depth::OfAll,
        };
        self.ask(&ask, &mut |notice| {
            if let Notice::Progress(seen) = notice {
                progress(seen);
            }
        })
        .await
    }
}
