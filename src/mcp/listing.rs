//! `tools/list`, page by page.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::client::{Client, list_ask};
use super::exchange::is_deeper_than;
use super::failure::{Failure, shorten};
use super::transport::{Clock, Http};
use crate::limits::{MAX_TOOL_LIST_BYTES, MAX_TOOL_PAGES, MAX_TOOL_SCHEMA_DEPTH, MAX_TOOLS};
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
struct RawTool<'a> {
    name: String,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(rename = "inputSchema", borrow, default)]
    input_schema: Option<&'a RawValue>,
    #[serde(rename = "outputSchema", borrow, default)]
    output_schema: Option<&'a RawValue>,
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
            let message = self.ask(&list_ask(cursor.as_deref()), &mut |_| {}).await?;
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
                if listing.tools.len() >= MAX_TOOLS {
                    return Ok(listing.cut(format!("it has more than {MAX_TOOLS} tools")));
                }
                listing.take(tool.get(), &mut names);
            }
            match page.next_cursor {
                None => return Ok(listing),
                Some(next) if cursors.insert(next.clone()) => cursor = Some(next),
                Some(_) => return Ok(listing.cut("a page leads to one before it".to_owned())),
            }
        }
        Ok(listing.cut(format!("it has more than {MAX_TOOL_PAGES} pages")))
    }
}

impl Listing {
    fn take(&mut self, json: &str, names: &mut HashSet<String>) {
        match read_tool(json, &mut self.warnings) {
            Ok(tool) if names.insert(tool.name.clone()) => self.tools.push(tool),
            Ok(tool) => self
                .warnings
                .push(format!("the tool {} is listed twice", tool.name)),
            Err(warning) => self.warnings.push(warning),
        }
    }

    /// The list as far as it was read.
    fn cut(mut self, reason: String) -> Self {
        self.warnings.push(format!(
            "the list of tools is cut after {} tools: {reason}",
            self.tools.len()
        ));
        self
    }
}

fn read_tool(json: &str, warnings: &mut Vec<String>) -> Result<Tool, String> {
    // serde takes a list for the fields of a structure, in their order.
    if !json.starts_with('{') {
        return Err("a tool of the list is no object".to_owned());
    }
    let raw: RawTool<'_> = serde_json::from_str(json)
        .map_err(|error| format!("a tool of the list cannot be read: {error}"))?;
    if raw.name.is_empty() {
        return Err("a tool of the list has no name".to_owned());
    }
    let mut schema = |field: &str, raw_schema: Option<&RawValue>| {
        read_schema(raw_schema?).unwrap_or_else(|problem| {
            warnings.push(format!(
                "the tool {} is taken without its {field}: {problem}",
                raw.name
            ));
            None
        })
    };
    // Nothing is held against a schema that is none.
    let input_schema = schema("inputSchema", raw.input_schema).unwrap_or_default();
    let output_schema = schema("outputSchema", raw.output_schema).filter(Value::is_object);
    parameter_headers::validate(&input_schema)
        .map_err(|problem| format!("the tool {} is left out: {problem}", raw.name))?;
    let annotations = raw.annotations.unwrap_or_default();
    Ok(Tool {
        title: raw.title.or(annotations.title),
        description: raw.description.unwrap_or_default(),
        input_schema,
        output_schema,
        read_only: annotations.read_only.unwrap_or(false),
        idempotent: annotations.idempotent.unwrap_or(false),
        name: raw.name,
    })
}

/// A schema, if it does not nest deeper than anything that reads it goes.
fn read_schema(raw: &RawValue) -> Result<Option<Value>, String> {
    if is_deeper_than(raw.get(), MAX_TOOL_SCHEMA_DEPTH) {
        return Err(format!(
            "it nests deeper than {MAX_TOOL_SCHEMA_DEPTH} levels"
        ));
    }
    serde_json::from_str(raw.get())
        .map(Some)
        .map_err(|error| shorten(&error.to_string()))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates, which is what is wanted"
)]
fn whole_milliseconds(number: f64) -> u64 {
    number as u64
}
