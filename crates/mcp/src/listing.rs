//! `tools/list`, page by page. Invalid entries are left out with a warning; valid entries are kept.

use std::collections::HashSet;

use serde::de::{DeserializeOwned, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::client::{Client, list_ask};
use super::failure::{Failure, shorten};
use super::message::Message;
use super::protocol::METHOD_NOT_FOUND;
use crate::limits::{
    MAX_LIST_WARNINGS, MAX_SHOWN_VALUE_CHARACTERS, MAX_TOOL_LIST_BYTES, MAX_TOOL_NAME_CHARACTERS,
    MAX_TOOL_PAGES, MAX_TOOL_SCHEMA_DEPTH, MAX_TOOLS,
};
use crate::{Tool, parameter_headers};
use base::json::is_deeper_than;
use net::secrets::STRUCK_OUT;
use net::transport::{Clock, Http};

/// The reason given in a warning if the list was cut because of its bytes, and not because of a
/// number of tools or pages.
const TOO_LARGE: &str = "it exceeds the size limit";

/// The tools of a server.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Listing {
    /// The tools in the server's order. If two have the same name, the first is kept.
    pub tools: Vec<Tool>,
    /// The time for which the list is valid according to the server.
    pub ttl_ms: Option<u64>,
    /// The first warnings about entries left out, and the number of the others.
    pub warnings: Vec<String>,
}

#[derive(Deserialize)]
#[serde(expecting = "a page of tools")]
struct Page<'a> {
    #[serde(borrow, default, deserialize_with = "first_entries")]
    tools: Vec<&'a RawValue>,
    #[serde(rename = "nextCursor", borrow, default)]
    next_cursor: Option<&'a RawValue>,
    #[serde(rename = "ttlMs", borrow, default)]
    ttl_ms: Option<&'a RawValue>,
}

/// Reads one entry more than a list may have, so that the caller can detect a list that is too
/// long. Further entries are not stored, because an entry may be a single byte of text, and there
/// could be millions.
fn first_entries<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<&'de RawValue>, D::Error> {
    struct FirstEntries;

    impl<'de> Visitor<'de> for FirstEntries {
        type Value = Vec<&'de RawValue>;

        fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            formatter.write_str("a list of tools")
        }

        /// Accepts `null`, which some libraries write for an empty list.
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(Vec::new())
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut entries = Vec::new();
            while entries.len() <= MAX_TOOLS {
                let Some(entry) = list.next_element()? else {
                    return Ok(entries);
                };
                entries.push(entry);
            }
            while list.next_element::<IgnoredAny>()?.is_some() {}
            Ok(entries)
        }
    }

    deserializer.deserialize_any(FirstEntries)
}

/// A tool as JSON. The other fields may have any type; a field of the wrong type is ignored.
#[derive(Deserialize)]
#[serde(expecting = "a tool")]
struct RawTool<'a> {
    name: String,
    #[serde(borrow, default)]
    title: Option<&'a RawValue>,
    #[serde(borrow, default)]
    description: Option<&'a RawValue>,
    #[serde(rename = "inputSchema", borrow, default)]
    input_schema: Option<&'a RawValue>,
    #[serde(rename = "outputSchema", borrow, default)]
    output_schema: Option<&'a RawValue>,
    #[serde(borrow, default)]
    annotations: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
struct Annotations<'a> {
    #[serde(borrow, default)]
    title: Option<&'a RawValue>,
    #[serde(rename = "readOnlyHint", borrow, default)]
    read_only: Option<&'a RawValue>,
    #[serde(rename = "idempotentHint", borrow, default)]
    idempotent: Option<&'a RawValue>,
}

/// Returns a value if it has the wanted type.
fn lenient<T: DeserializeOwned>(raw: Option<&RawValue>) -> Option<T> {
    serde_json::from_str(raw?.get()).ok()
}

impl<H: Http, C: Clock> Client<'_, H, C> {
    /// Lists all tools of the server.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn list_tools(&self) -> Result<Listing, Failure> {
        let mut reading = Reading::default();
        let mut cursor: Option<Cursor> = None;
        let mut cursors = HashSet::new();
        let mut bytes = 0_usize;
        for _ in 0..MAX_TOOL_PAGES {
            let message = match self.page(cursor.as_ref()).await {
                Ok(message) => message,
                // If the page for an empty cursor is refused, there was no such page.
                Err(_) if cursor.as_ref().is_some_and(Cursor::is_empty) => {
                    return Ok(reading.done());
                }
                Err(failure) if self.has_no_tools(&failure).await => return Ok(reading.done()),
                Err(Failure::TooLarge) => return Err(Failure::ListTooLarge),
                Err(failure) => return Err(failure),
            };
            let result = message.result()?.get();
            bytes += result.len();
            let page: Page<'_> = serde_json::from_str(result).map_err(|error| {
                Failure::Protocol(format!(
                    "the list of tools cannot be read: {}",
                    shorten(&error.to_string())
                ))
            })?;
            if let Some(ttl_ms) = lenient::<f64>(page.ttl_ms) {
                reading.listing.ttl_ms = Some(whole_milliseconds(ttl_ms));
            }
            // A server that ignores an empty cursor sends its first page again.
            if cursor.as_ref().is_some_and(Cursor::is_empty) && reading.has_all(&page.tools) {
                return Ok(reading.done());
            }
            for entry in page.tools {
                if reading.entries >= MAX_TOOLS {
                    return Ok(reading.cut(&format!("it has more than {MAX_TOOLS} tools")));
                }
                reading.bytes += entry.get().len();
                if reading.bytes > MAX_TOOL_LIST_BYTES {
                    return Ok(reading.cut(TOO_LARGE));
                }
                reading.take(entry.get());
            }
            let Some(next) = page.next_cursor.and_then(Cursor::read) else {
                return Ok(reading.done());
            };
            if bytes > MAX_TOOL_LIST_BYTES {
                return Ok(reading.cut(TOO_LARGE));
            }
            // An empty cursor means the end to some libraries, and a page to others: a request
            // shows which.
            if !cursors.insert(next.json.get().to_owned()) {
                return Ok(if next.is_empty() {
                    reading.done()
                } else {
                    reading.cut("the cursor of a page refers to an earlier page")
                });
            }
            cursor = Some(next);
        }
        Ok(reading.cut(&format!("it has more than {MAX_TOOL_PAGES} pages")))
    }

    /// Requests one page. A cursor that is not a string is sent back unchanged; if the server
    /// refuses it, as a string; if that fails too, the failure names the cursor.
    async fn page(&self, cursor: Option<&Cursor>) -> Result<Message, Failure> {
        let ask = async |cursor| self.ask(&list_ask(cursor), &mut |_| {}).await;
        let json = cursor.map(|cursor| &*cursor.json);
        let refused = match ask(json).await {
            Err(failure @ Failure::Refused { .. }) => failure,
            other => return other,
        };
        let Some(cursor) = cursor.filter(|cursor| !cursor.is_text()) else {
            return Err(refused);
        };
        let text = Value::from(cursor.json.get()).to_string();
        let text = RawValue::from_string(text).ok();
        match ask(text.as_deref()).await {
            Err(Failure::Refused { message, .. }) => Err(Failure::Protocol(format!(
                "the cursor of the next page of tools is {}, which is not a string, and the server refuses it: {message}",
                shown(cursor.json.get())
            ))),
            other => other,
        }
    }
}

/// The cursor of a next page, as its server wrote it.
struct Cursor {
    json: Box<RawValue>,
}

impl Cursor {
    /// Reads a cursor; none if there is no next page, that is for `null` or `false`.
    fn read(json: &RawValue) -> Option<Self> {
        let json = json.to_owned();
        (!matches!(json.get(), "null" | "false")).then_some(Self { json })
    }

    fn is_text(&self) -> bool {
        self.json.get().starts_with('"')
    }

    fn is_empty(&self) -> bool {
        self.json.get() == r#""""#
    }
}

impl<H: Http, C: Clock> Client<'_, H, C> {
    /// Returns true if the refusal to list tools means that the server has none: it has declared
    /// none, or does not know the method although it speaks the protocol.
    async fn has_no_tools(&self, failure: &Failure) -> bool {
        let session = self.connection.session();
        if session.is_some_and(|session| !session.has_tools) && knows_no_list(failure) {
            return true;
        }
        let Failure::Refused {
            code: METHOD_NOT_FOUND,
            ..
        } = failure
        else {
            return false;
        };
        self.connection.era().is_some() || self.discovers().await
    }
}

/// Returns true if a failure may mean that the server does not know the method.
fn knows_no_list(failure: &Failure) -> bool {
    let (Failure::Status { status, .. } | Failure::Refused { status, .. }) = failure else {
        return false;
    };
    matches!(status, 200..=299 | 400 | 404 | 405 | 410 | 422 | 501)
}

/// A list while it is read.
#[derive(Default)]
struct Reading {
    listing: Listing,
    names: HashSet<String>,
    /// The number of entries, valid or not.
    entries: usize,
    /// The bytes of these entries.
    bytes: usize,
    /// The number of warnings that are not kept.
    more_warnings: usize,
}

impl Reading {
    /// Returns true if each of these entries has a name that was listed before.
    fn has_all(&self, entries: &[&RawValue]) -> bool {
        entries.iter().all(|entry| {
            let read = serde_json::from_str::<RawTool<'_>>(entry.get());
            read.is_ok_and(|tool| self.names.contains(&tool.name))
        })
    }

    fn take(&mut self, json: &str) {
        self.entries += 1;
        let mut warnings = Vec::new();
        match read_tool(json, &mut warnings) {
            Ok(tool) if self.names.insert(tool.name.clone()) => self.listing.tools.push(tool),
            Ok(tool) => warnings.push(format!("the tool {} is listed twice", shown(&tool.name))),
            Err(warning) => warnings.push(warning),
        }
        for warning in warnings {
            self.warn(warning);
        }
    }

    fn warn(&mut self, warning: String) {
        if self.listing.warnings.len() < MAX_LIST_WARNINGS {
            self.listing.warnings.push(warning);
        } else {
            self.more_warnings += 1;
        }
    }

    fn done(mut self) -> Listing {
        if self.more_warnings > 0 {
            self.listing.warnings.push(format!(
                "{} more of its tools are invalid",
                self.more_warnings
            ));
        }
        self.listing
    }

    /// Returns the part of the list that was read.
    fn cut(self, reason: &str) -> Listing {
        let mut listing = self.done();
        let tools = match listing.tools.len() {
            1 => "1 tool".to_owned(),
            count => format!("{count} tools"),
        };
        listing
            .warnings
            .push(format!("the list of tools is cut after {tools}: {reason}"));
        listing
    }
}

/// Returns a name for the log, on one line.
fn shown(name: &str) -> String {
    let start: String = name.chars().take(MAX_SHOWN_VALUE_CHARACTERS).collect();
    let cut = if start.len() < name.len() { "…" } else { "" };
    format!("{}{cut}", shorten(&start))
}

fn read_tool(json: &str, warnings: &mut Vec<String>) -> Result<Tool, String> {
    // serde would read a list as the fields of a structure in their order.
    if !json.starts_with('{') {
        return Err("a tool of the list is not an object".to_owned());
    }
    let raw: RawTool<'_> = serde_json::from_str(json).map_err(|error| {
        format!(
            "a tool of the list cannot be read: {}",
            shorten(&error.to_string())
        )
    })?;
    if raw.name.is_empty() {
        return Err("a tool of the list has no name".to_owned());
    }
    if raw.name.contains(STRUCK_OUT) {
        // Nobody could call the tool by its redacted name.
        return Err("a tool whose name contains a secret of the server is left out".to_owned());
    }
    let name = shown(&raw.name);
    if raw.name.chars().count() > MAX_TOOL_NAME_CHARACTERS {
        return Err(format!(
            "the tool {name} is left out: its name has more than {MAX_TOOL_NAME_CHARACTERS} characters"
        ));
    }
    let mut schema = |field: &str, raw_schema: Option<&RawValue>| {
        read_schema(raw_schema?).unwrap_or_else(|problem| {
            warnings.push(format!(
                "the tool {name} is used without its {field}: {problem}"
            ));
            None
        })
    };
    // Without a schema nothing is checked.
    let input_schema = schema("inputSchema", raw.input_schema).unwrap_or_default();
    let output_schema = schema("outputSchema", raw.output_schema).filter(Value::is_object);
    parameter_headers::validate(&input_schema)
        .map_err(|problem| format!("the tool {name} is left out: {}", shorten(&problem)))?;
    let annotations = annotations_of(raw.annotations);
    Ok(Tool {
        title: lenient(raw.title).or_else(|| lenient(annotations.title)),
        description: lenient(raw.description).unwrap_or_default(),
        input_schema,
        output_schema,
        // A tool counts as safe only if its annotations say so.
        read_only: lenient(annotations.read_only).unwrap_or(false),
        idempotent: lenient(annotations.idempotent).unwrap_or(false),
        name: raw.name,
    })
}

fn annotations_of(raw: Option<&RawValue>) -> Annotations<'_> {
    raw.filter(|raw| raw.get().starts_with('{'))
        .and_then(|raw| serde_json::from_str(raw.get()).ok())
        .unwrap_or_default()
}

/// Reads a schema, unless it nests deeper than its readers can go.
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
