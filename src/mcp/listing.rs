//! `tools/list`, page by page.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::client::{Ask, Client, Repeat};
use super::exchange::Failure;
use super::protocol::ListParams;
use super::transport::{Clock, Http};
use crate::limits::{MAX_TOOL_LIST_BYTES, MAX_TOOL_PAGES, MAX_TOOLS};
use crate::tools::{Tool, parameter_headers};

/// The tools of a server.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Listing {
    /// In the server's order; the first of two with one name.
    pub tools: Vec<Tool>,
    /// How long the server says that the list holds.
    pub ttl_ms: Option<u64>,
    /// What was left out, and why.
    pub warnings: Vec<String>,
}

#[derive(Deserialize)]
struct Page<'a> {
    #[serde(borrow, default)]
    tools: Vec<&'a RawValue>,
    #[serde(rename = "nextCursor", default)]
    next_cursor: Option<String>,
    #[serde(rename = "ttlMs", default)]
    ttl_ms: Option<f64>,
}

#[derive(Deserialize)]
struct RawTool {
    name: String,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(rename = "inputSchema", default)]
    input_schema: Value,
    #[serde(rename = "outputSchema", default)]
    output_schema: Option<Value>,
    #[serde(default)]
    annotations: Option<Annotations>,
}

#[derive(Deserialize, Default)]
struct Annotations {
    #[serde(default)]
    title: Option<String>,
    #[serde(rename = "readOnlyHint", default)]
    read_only: Option<bool>,
    #[serde(rename = "idempotentHint", default)]
    idempotent: Option<bool>,
}

impl<H: Http, C: Clock> Client<'_, H, C> {
    /// All tools of the server.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn list_tools(&self) -> Result<Listing, Failure> {
        let mut listing = Listing::default();
        let mut cursor: Option<String> = None;
        let mut cursors = HashSet::new();
        let mut names = HashSet::new();
        let mut bytes = 0_usize;
        for _ in 0..MAX_TOOL_PAGES {
            let ask = Ask {
                method: "tools/list",
                name: None,
                headers: &[],
                params: |meta| ListParams {
                    cursor: cursor.as_deref(),
                    meta,
                },
                repeat: Repeat::Safe,
                progress: false,
            };
            let message = self.ask(&ask, &mut |_| {}).await?;
            let result = message.result()?.get();
            bytes += result.len();
            if bytes > MAX_TOOL_LIST_BYTES {
                return Err(Failure::TooLarge);
            }
            let page: Page<'_> = serde_json::from_str(result).map_err(|error| {
                Failure::Protocol(format!("the list of tools cannot be read: {error}"))
            })?;
            if page.ttl_ms.is_some() {
                listing.ttl_ms = page.ttl_ms.map(whole_milliseconds);
            }
            for tool in page.tools {
                listing.take(tool.get(), &mut names);
            }
            match page.next_cursor {
                // A cursor that comes twice would go round for ever.
                Some(next) if cursors.insert(next.clone()) => cursor = Some(next),
                _ => return Ok(listing),
            }
        }
        Ok(listing)
    }
}

impl Listing {
    fn take(&mut self, json: &str, names: &mut HashSet<String>) {
        if self.tools.len() >= MAX_TOOLS {
            return;
        }
        match read_tool(json) {
            Ok(tool) if names.insert(tool.name.clone()) => self.tools.push(tool),
            Ok(tool) => self
                .warnings
                .push(format!("the tool {} is listed twice", tool.name)),
            Err(warning) => self.warnings.push(warning),
        }
    }
}

fn read_tool(json: &str) -> Result<Tool, String> {
    let raw: RawTool = serde_json::from_str(json)
        .map_err(|error| format!("a tool of the list cannot be read: {error}"))?;
    if raw.name.is_empty() {
        return Err("a tool of the list has no name".to_owned());
    }
    parameter_headers::validate(&raw.input_schema)
        .map_err(|problem| format!("the tool {} is left out: {problem}", raw.name))?;
    let annotations = raw.annotations.unwrap_or_default();
    Ok(Tool {
        title: raw.title.or(annotations.title),
        description: raw.description.unwrap_or_default(),
        input_schema: raw.input_schema,
        output_schema: raw.output_schema.filter(Value::is_object),
        read_only: annotations.read_only.unwrap_or(false),
        idempotent: annotations.idempotent.unwrap_or(false),
        name: raw.name,
    })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates, which is what is wanted"
)]
fn whole_milliseconds(number: f64) -> u64 {
    number as u64
}
