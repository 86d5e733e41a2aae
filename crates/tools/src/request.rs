//! Requests to tools: the body of `POST /proxy`, and the operations of programs.

use base::CommonError;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::limits::{DEFAULT_LISTED_TOOLS, MAX_LISTED_TOOLS, MAX_SEARCH_CHARACTERS};
use base::entries::Entries;
use base::known::{self, Given};
use base::{Error, Result};
use session::staging::check_name;

/// The choice between tables and data for a result.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Stage {
    /// Tables only if it is large.
    #[default]
    WhenLarge,
    /// Always tables, with this name if one is given.
    Always(Option<String>),
    /// Never tables.
    Never,
}

/// The requested form of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReturnFormat {
    /// The data of the tool, after checks and staging.
    #[default]
    Data,
    /// The result of the protocol, unchanged.
    Raw,
}

/// A call of a tool.
#[derive(Debug, Clone)]
pub struct ToolCall {
    /// The server's name.
    pub server: String,
    /// The tool's name.
    pub tool: String,
    /// The arguments, a JSON object.
    pub arguments: Box<RawValue>,
    /// The choice between tables and data.
    pub stage: Stage,
    /// The requested form of the response.
    pub format: ReturnFormat,
}

#[derive(Deserialize)]
struct RawCall<'a> {
    #[serde(default)]
    server: Option<Value>,
    #[serde(default)]
    tool: Option<Value>,
    #[serde(borrow, default)]
    args: Option<&'a RawValue>,
    #[serde(default)]
    session: Option<Value>,
    #[serde(default)]
    stage: Option<Value>,
    #[serde(rename = "returnFormat", default)]
    format: Option<Value>,
}

/// A body of `POST /proxy`.
#[derive(Debug, Clone)]
pub struct ProxyRequest {
    /// The session, if one is named.
    pub session: Option<String>,
    /// The call.
    pub call: ToolCall,
}

impl ProxyRequest {
    /// Reads a body.
    ///
    /// # Errors
    /// [`CommonError::InvalidBody`] or [`CommonError::InvalidArgument`] with the name of the field.
    pub fn parse(body: &str) -> Result<Self> {
        let wrong = |problem: String| {
            Error::from(CommonError::InvalidBody {
                message: format!("the body is not a usable JSON object: {problem}"),
                hint: Some(r#"send {"server":"…","tool":"…","args":{…},"session":"…"}"#.to_owned()),
            })
        };
        // serde would also accept a list of the fields in order.
        if !body.trim_start().starts_with('{') {
            return Err(wrong("it does not begin with {".to_owned()));
        }
        check_fields(body).map_err(|unknown| match unknown {
            Unknown::RawCall(problem) => wrong(problem),
            Unknown::Field(error) => error,
        })?;
        let body: RawCall<'_> =
            serde_json::from_str(body).map_err(|error| wrong(error.to_string()))?;
        let session = optional_text("session", body.session)?;
        if let Some(session) = &session {
            base::names::check_name("session", session)?;
        }
        let call = ToolCall {
            server: text("server", body.server)?,
            tool: text("tool", body.tool)?,
            arguments: arguments(body.args)?,
            stage: stage(body.stage)?,
            format: format(body.format)?,
        };
        if call.format == ReturnFormat::Raw && matches!(call.stage, Stage::Always(_)) {
            return Err(Error::invalid_with_hint(
                "a result in the server's own form cannot be staged",
                "leave out returnFormat, or stage",
            ));
        }
        Ok(Self { session, call })
    }

    /// Returns the call of a request that names no session, if it needs none.
    ///
    /// # Errors
    /// [`CommonError::InvalidArgument`] for a server of the session, and for a result that should
    /// become tables of a session.
    pub fn without_session(self) -> Result<ToolCall> {
        let missing = if session::is_own_server(&self.call.server) {
            format!("{} belongs to a session", self.call.server)
        } else if matches!(self.call.stage, Stage::Always(_)) {
            "stage makes tables in a session".to_owned()
        } else {
            return Ok(self.call);
        };
        Err(Error::invalid_with_hint(
            format!("the field session is missing: {missing}"),
            r#"name one: {"session":"…"}"#,
        ))
    }
}

/// The fields of a body of `POST /proxy`. The call of a program begins with `operation`.
const FIELDS: &[&str] = &[
    "server",
    "tool",
    "args",
    "session",
    "stage",
    "returnFormat",
    "operation",
];

enum Unknown {
    RawCall(String),
    Field(Error),
}

/// Refuses an unknown field as a mistake: `stge` would have no effect, and its sender would search
/// for the table.
fn check_fields(body: &str) -> std::result::Result<(), Unknown> {
    let fields: Entries<String, &RawValue> =
        serde_json::from_str(body).map_err(|error| Unknown::RawCall(error.to_string()))?;
    let unknown = fields
        .0
        .iter()
        .find(|(name, _)| !FIELDS.contains(&name.as_str()));
    let Some((name, _)) = unknown else {
        return Ok(());
    };
    let known: Vec<&str> = FIELDS
        .iter()
        .copied()
        .filter(|name| *name != "operation")
        .collect();
    Err(Unknown::Field(known::unknown(
        Given::Field,
        name,
        &known,
        "; arguments of the tool go into args",
    )))
}

/// Returns the session that a body of `POST /proxy` names.
///
/// # Errors
/// As [`ProxyRequest::parse`].
pub fn session_of(body: &str) -> Result<Option<String>> {
    ProxyRequest::parse(body).map(|request| request.session)
}

fn arguments(raw: Option<&RawValue>) -> Result<Box<RawValue>> {
    let text = match raw.map(RawValue::get) {
        None | Some("null") => "{}",
        Some(text) if text.starts_with('{') => text,
        Some(_) => {
            return Err(Error::invalid_with_hint(
                "the field args must be an object",
                r#"send the arguments by name: {"query":"…"}"#,
            ));
        }
    };
    RawValue::from_string(text.to_owned())
        .map_err(|error| Error::body(format!("the field args is not JSON: {error}")))
}

fn stage(value: Option<Value>) -> Result<Stage> {
    match value {
        None | Some(Value::Null) => Ok(Stage::WhenLarge),
        Some(Value::Bool(true)) => Ok(Stage::Always(None)),
        Some(Value::Bool(false)) => Ok(Stage::Never),
        // Check the name before the call, whose result would be lost otherwise.
        Some(Value::String(name)) => check_name(&name).map(|()| Stage::Always(Some(name))),
        Some(_) => Err(Error::invalid(
            "stage must be true, false or the name of a table",
        )),
    }
}

fn format(value: Option<Value>) -> Result<ReturnFormat> {
    match value.as_ref().map(Value::as_str) {
        // The envelope is made later, together with the data.
        None | Some(Some("data" | "envelope")) => Ok(ReturnFormat::Data),
        Some(Some("raw")) => Ok(ReturnFormat::Raw),
        Some(None) if value == Some(Value::Null) => Ok(ReturnFormat::Data),
        Some(_) => Err(Error::invalid(
            "returnFormat must be \"data\", \"envelope\" or \"raw\"",
        )),
    }
}

fn text(name: &str, value: Option<Value>) -> Result<String> {
    optional_text(name, value)?
        .filter(|text| !text.is_empty())
        .ok_or_else(|| Error::invalid(format!("the field {name} is missing")))
}

fn optional_text(name: &str, value: Option<Value>) -> Result<Option<String>> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(Error::invalid(format!("the field {name} must be a text"))),
    }
}

/// A search, or a list if there are no words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchRequest {
    /// The words.
    pub query: String,
    /// The only server to search, if set.
    pub server: Option<String>,
    /// The number of tools on one page.
    pub limit: usize,
    /// The number of tools before the page.
    pub offset: usize,
}

impl SearchRequest {
    /// Reads the query string of `GET /tools`.
    ///
    /// # Errors
    /// [`CommonError::InvalidArgument`].
    pub fn from_parameters(parameter: impl Fn(&str) -> Result<Option<String>>) -> Result<Self> {
        let number = |name: &str| -> Result<Option<u64>> {
            parameter(name)?
                .map(|text| {
                    text.parse().map_err(|_| {
                        Error::invalid(format!("{name} must be a whole number of 0 or more"))
                    })
                })
                .transpose()
        };
        Self::checked(
            parameter("query")?.unwrap_or_default(),
            parameter("server")?.filter(|server| !server.is_empty()),
            number("limit")?,
            number("offset")?,
        )
    }

    /// Reads the body of a program's call.
    ///
    /// # Errors
    /// [`CommonError::InvalidArgument`].
    pub fn parse(body: &str) -> Result<Self> {
        #[derive(Deserialize)]
        struct Search {
            #[serde(default)]
            query: Option<String>,
            #[serde(default)]
            server: Option<String>,
            #[serde(default)]
            limit: Option<u64>,
            #[serde(default)]
            offset: Option<u64>,
        }
        let body: Search = serde_json::from_str(body).map_err(|_| {
            Error::invalid_with_hint(
                "the words of a search must be a text, limit and offset whole numbers",
                "search(\"words\", {limit: 20, offset: 0})",
            )
        })?;
        Self::checked(
            body.query.unwrap_or_default(),
            body.server,
            body.limit,
            body.offset,
        )
    }

    fn checked(
        query: String,
        server: Option<String>,
        limit: Option<u64>,
        offset: Option<u64>,
    ) -> Result<Self> {
        if query.chars().nth(MAX_SEARCH_CHARACTERS).is_some() {
            return Err(Error::invalid(format!(
                "a search has at most {MAX_SEARCH_CHARACTERS} characters"
            )));
        }
        let limit = match limit {
            None => DEFAULT_LISTED_TOOLS,
            Some(wanted) => usize::try_from(wanted)
                .ok()
                .filter(|wanted| (1..=MAX_LISTED_TOOLS).contains(wanted))
                .ok_or_else(|| {
                    Error::invalid(format!("limit must be between 1 and {MAX_LISTED_TOOLS}"))
                })?,
        };
        let offset = usize::try_from(offset.unwrap_or(0)).unwrap_or(usize::MAX);
        Ok(Self {
            query,
            server,
            limit,
            offset,
        })
    }
}

/// A server and perhaps a tool, named in the body of a program's call.
#[derive(Debug, Clone, Deserialize)]
pub struct ToolReference {
    /// The server.
    pub server: String,
    /// The tool.
    #[serde(default)]
    pub tool: String,
}

impl ToolReference {
    /// Reads a body.
    ///
    /// # Errors
    /// [`CommonError::InvalidArgument`].
    pub fn parse(body: &str) -> Result<Self> {
        serde_json::from_str(body).map_err(|_| {
            Error::invalid("server and tool must be texts, as in describe(\"pubs\", \"search\")")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(body: &str) -> Result<ProxyRequest> {
        ProxyRequest::parse(body)
    }

    #[test]
    fn arguments_stay_as_they_were_written() {
        let request = parse(
            r#"{"server":"pubs","tool":"get","args":{"id": 9007199254740993},"session":"s","stage":"genes"}"#,
        )
        .unwrap();
        assert_eq!(request.call.arguments.get(), r#"{"id": 9007199254740993}"#);
        assert_eq!(request.session.as_deref(), Some("s"));
        assert_eq!(request.call.stage, Stage::Always(Some("genes".to_owned())));
    }

    #[test]
    fn what_is_left_out_has_a_meaning() {
        let request = parse(r#"{"server":"pubs","tool":"get","args":null}"#).unwrap();
        assert_eq!(request.call.arguments.get(), "{}");
        assert_eq!(request.session, None);
        assert_eq!(request.call.stage, Stage::WhenLarge);
        assert_eq!(request.call.format, ReturnFormat::Data);
    }

    #[test]
    fn unusable_fields_are_named() {
        for (body, part) in [
            (r#"{"tool":"x"}"#, "server"),
            (r#"{"server":"x"}"#, "tool"),
            (r#"{"server":1,"tool":"x"}"#, "server"),
            (r#"{"server":"x","tool":"x","args":[1]}"#, "args"),
            (r#"{"server":"x","tool":"x","stage":1}"#, "stage"),
            (r#"{"server":"x","tool":"x","stage":" "}"#, "stage"),
            (r#"{"server":"x","tool":"x","stage":"---"}"#, "stage"),
            (
                r#"{"server":"x","tool":"x","stage":true,"returnFormat":"raw"}"#,
                "staged",
            ),
            (
                r#"{"server":"x","tool":"x","returnFormat":"xml"}"#,
                "returnFormat",
            ),
            (r#"{"server":"x","tool":"x","session":"a b"}"#, "session"),
            (r#"{"server":"x","tool":"x","stge":true}"#, "stge"),
            ("[]", "JSON object"),
        ] {
            let error = parse(body).unwrap_err();
            assert!(error.to_string().contains(part), "{body}: {error}");
        }
    }

    #[test]
    fn what_needs_a_session_is_refused_without_one_before_the_call() {
        for body in [
            r#"{"server":"db","tool":"query","args":{"sql":"SELECT 1"}}"#,
            r#"{"server":"x","tool":"x","stage":true}"#,
            r#"{"server":"x","tool":"x","stage":"papers"}"#,
        ] {
            let error = parse(body).unwrap().without_session().unwrap_err();
            assert!(error.to_string().contains("session is missing"), "{error}");
        }
        for body in [
            r#"{"server":"x","tool":"x"}"#,
            r#"{"server":"x","tool":"x","stage":false}"#,
        ] {
            assert!(parse(body).unwrap().without_session().is_ok(), "{body}");
        }
    }

    #[test]
    fn a_search_is_bounded() {
        assert_eq!(
            SearchRequest::parse("{}").unwrap(),
            SearchRequest {
                limit: DEFAULT_LISTED_TOOLS,
                ..SearchRequest::default()
            }
        );
        for body in [
            r#"{"limit":0}"#,
            r#"{"limit":201}"#,
            r#"{"offset":-1}"#,
            r#"{"query":5}"#,
            &format!(r#"{{"query":"{}"}}"#, "x".repeat(501)),
        ] {
            assert_eq!(
                SearchRequest::parse(body).unwrap_err().code(),
                "INVALID_ARGUMENT",
                "{body}"
            );
        }
    }
}
