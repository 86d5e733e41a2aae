//! Checks of the headers of a request: those that every request must have, and those that repeat
//! parts of the body.
//!
//! Source: the specification of 2026-07-28, Streamable HTTP, "Request Metadata" and "Server
//! Validation".

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::caller::Version;
use super::rpc::{Fault, INVALID_REQUEST};
use crate::failure::shorten;
use crate::parameter_headers;
use crate::protocol::HEADER_MISMATCH;

/// The content type of a response that is one message.
const JSON: &str = "application/json";
/// The content type of a response that is an event stream.
const EVENTS: &str = "text/event-stream";

/// The forms of response that a client accepts. The protocol requires both; a host that accepts
/// only one is served in that one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readable {
    /// JSON, or an event stream if there are notifications before the response.
    Either,
    /// JSON only, without notifications before the response.
    Json,
    /// An event stream only.
    Events,
}

/// The headers of a request, by their names in lower case.
pub trait Headers {
    /// Returns the value of a header.
    fn get(&self, name: &str) -> Option<String>;
}

/// Checks that the body is JSON, and returns the forms that the client accepts. A client without
/// `Accept` gets JSON.
///
/// # Errors
/// Status 415 for another content type, 406 if the client accepts neither form.
pub fn check_types(headers: &impl Headers) -> Result<Readable, Fault> {
    let content_type = headers.get("content-type").unwrap_or_default();
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    if !essence.eq_ignore_ascii_case(JSON) {
        return Err(Fault {
            status: 415,
            ..Fault::refused(INVALID_REQUEST, "content-type must be application/json")
        });
    }
    readable(headers).ok_or_else(|| {
        not_acceptable("accept must name application/json, text/event-stream or both")
    })
}

/// Returns the forms that the header `Accept` allows; none if it allows neither.
pub fn readable(headers: &impl Headers) -> Option<Readable> {
    let accept = headers.get("accept").unwrap_or_default();
    match (accepts(&accept, JSON), accepts(&accept, EVENTS)) {
        _ if accept.trim().is_empty() => Some(Readable::Json),
        (true, true) => Some(Readable::Either),
        (true, false) => Some(Readable::Json),
        (false, true) => Some(Readable::Events),
        (false, false) => None,
    }
}

/// Checks that the client accepts an event stream.
///
/// # Errors
/// Status 406.
pub fn check_events(headers: &impl Headers) -> Result<(), Fault> {
    let accept = headers.get("accept").unwrap_or_default();
    if accepts(&accept, EVENTS) {
        return Ok(());
    }
    Err(not_acceptable("accept must name text/event-stream"))
}

fn not_acceptable(problem: &str) -> Fault {
    Fault {
        status: 406,
        ..Fault::refused(INVALID_REQUEST, problem)
    }
}

fn accepts(accept: &str, wanted: &str) -> bool {
    let family = wanted.split('/').next().unwrap_or_default();
    accept.split(',').any(|range| {
        let mut parts = range.split(';').map(str::trim);
        let essence = parts.next().unwrap_or_default();
        let refused = parts.any(|part| matches!(part, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"));
        let named = essence.eq_ignore_ascii_case(wanted)
            || essence == "*/*"
            || essence.strip_suffix("/*") == Some(family);
        named && !refused
    })
}

/// Checks that the headers of a modern request match its body. `name` is the parameter that
/// `Mcp-Name` repeats, if the method has one.
///
/// # Errors
/// [`HEADER_MISMATCH`].
pub fn check_agreement(
    headers: &impl Headers,
    version: &str,
    method: &str,
    name: Option<&str>,
) -> Result<(), Fault> {
    agree(headers, "MCP-Protocol-Version", version, Form::Plain)?;
    agree(headers, "Mcp-Method", method, Form::Plain)?;
    match name {
        Some(name) => agree(headers, "Mcp-Name", name, Form::MayBeEncoded),
        None => Ok(()),
    }
}

/// Checks the headers that repeat parameters of a tool, as its schema demands.
///
/// # Errors
/// [`HEADER_MISMATCH`].
pub fn check_parameters(
    headers: &impl Headers,
    schema: &Value,
    arguments: &Value,
) -> Result<(), Fault> {
    let wanted = parameter_headers::headers(schema, arguments).map_err(mismatch)?;
    for (name, encoded) in &wanted {
        let value = decode(encoded).map_err(mismatch)?;
        agree(headers, name, &value, Form::Number)?;
    }
    // A header whose parameter is absent would mislead proxies about the call.
    for name in parameter_headers::names(schema) {
        let is_wanted = wanted.iter().any(|(known, _)| *known == name);
        if !is_wanted && headers.get(&name.to_ascii_lowercase()).is_some() {
            return Err(mismatch(format!(
                "the header {name} repeats a parameter that the body does not have"
            )));
        }
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// The plain value.
    Plain,
    /// The value may be in Base64.
    MayBeEncoded,
    /// The value may be in Base64, and numbers are compared as numbers.
    Number,
}

fn agree(headers: &impl Headers, name: &str, wanted: &str, form: Form) -> Result<(), Fault> {
    let given = headers
        .get(&name.to_ascii_lowercase())
        .ok_or_else(|| mismatch(format!("the header {name} is missing")))?;
    let given = match form {
        Form::Plain => given,
        Form::MayBeEncoded | Form::Number => {
            decode(&given).map_err(|problem| mismatch(format!("the header {name}: {problem}")))?
        }
    };
    let is_same = given == wanted || (form == Form::Number && same_number(&given, wanted));
    if is_same {
        return Ok(());
    }
    Err(mismatch(format!(
        "the header {name} is {:?}, but the body has {:?}",
        shorten(&given),
        shorten(wanted)
    )))
}

/// Returns true if a header and an integer of the body are the same number: `42.0` equals 42.
fn same_number(given: &str, wanted: &str) -> bool {
    let whole = given.split_once('.').map_or(given, |(whole, fraction)| {
        if fraction.bytes().all(|byte| byte == b'0') {
            whole
        } else {
            given
        }
    });
    matches!((whole.parse::<i64>(), wanted.parse::<i64>()), (Ok(one), Ok(other)) if one == other)
}

fn mismatch(problem: impl Into<String>) -> Fault {
    Fault::refused(HEADER_MISMATCH, problem)
}

/// Decodes a value that [`parameter_headers::encode_value`] has encoded.
fn decode(value: &str) -> Result<String, String> {
    let (open, close) = parameter_headers::SENTINEL;
    let inner = value
        .strip_prefix(open)
        .and_then(|rest| rest.strip_suffix(close));
    let Some(inner) = inner else {
        let is_plain = value
            .bytes()
            .all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
        return if is_plain {
            Ok(value.to_owned())
        } else {
            Err("it contains characters that a header cannot contain".to_owned())
        };
    };
    let bytes = STANDARD
        .decode(inner)
        .map_err(|_| "its Base64 is invalid".to_owned())?;
    String::from_utf8(bytes).map_err(|_| "its Base64 is not UTF-8".to_owned())
}

/// Returns the version that the header names, if it is one with sessions. Without the header it is
/// 2025-03-26, whose clients do not send it.
///
/// # Errors
/// The refusal of a version that is not supported.
pub fn legacy_version(headers: &impl Headers) -> Result<Version, Fault> {
    match headers.get("mcp-protocol-version") {
        None => Ok(Version::V20250326),
        Some(name) => match Version::parse(&name) {
            Some(version) if !version.is_modern() => Ok(version),
            _ => Err(Version::unsupported(&name)),
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    struct Said(Vec<(&'static str, String)>);

    impl Headers for Said {
        fn get(&self, name: &str) -> Option<String> {
            let found = self.0.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| value.clone())
        }
    }

    fn said(headers: &[(&'static str, &str)]) -> Said {
        let owned = headers
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()));
        Said(owned.collect())
    }

    fn types(content_type: &str, accept: &str) -> Result<Readable, u16> {
        let headers = said(&[("content-type", content_type), ("accept", accept)]);
        check_types(&headers).map_err(|fault| fault.status)
    }

    #[test]
    fn a_body_is_json_and_a_client_reads_one_form_at_least() {
        let both = "application/json, text/event-stream";
        for (accept, wanted) in [
            (both, Ok(Readable::Either)),
            (
                "text/event-stream;q=0.5,application/*",
                Ok(Readable::Either),
            ),
            ("*/*", Ok(Readable::Either)),
            ("", Ok(Readable::Json)),
            ("application/json", Ok(Readable::Json)),
            (
                "application/json, text/event-stream;q=0",
                Ok(Readable::Json),
            ),
            ("application/*;q=0.1, text/html", Ok(Readable::Json)),
            ("text/event-stream", Ok(Readable::Events)),
            ("text/*, application/json; q=0", Ok(Readable::Events)),
            ("text/html", Err(406)),
            ("*/*;q=0", Err(406)),
        ] {
            assert_eq!(
                types("Application/JSON; charset=utf-8", accept),
                wanted,
                "{accept}"
            );
        }
        for content_type in ["text/plain", ""] {
            assert_eq!(types(content_type, both), Err(415));
        }
        assert!(check_types(&said(&[("content-type", JSON)])) == Ok(Readable::Json));
    }

    fn agreement(headers: &[(&'static str, &str)], method: &str, name: Option<&str>) -> i64 {
        let outcome = check_agreement(&said(headers), "2026-07-28", method, name);
        outcome.map_or_else(|fault| fault.code, |()| 0)
    }

    #[test]
    fn headers_repeat_version_method_and_name() {
        let version = ("mcp-protocol-version", "2026-07-28");
        let call = ("mcp-method", "tools/call");
        let name = Some("db_query");
        assert_eq!(
            agreement(&[version, ("mcp-method", "tools/list")], "tools/list", None),
            0
        );
        assert_eq!(
            agreement(
                &[version, call, ("mcp-name", "db_query")],
                "tools/call",
                name
            ),
            0
        );
        assert_eq!(
            agreement(
                &[version, call, ("mcp-name", "=?base64?ZGJfcXVlcnk=?=")],
                "tools/call",
                name
            ),
            0
        );
        for headers in [
            vec![call, ("mcp-name", "db_query")],
            vec![version, ("mcp-name", "db_query")],
            vec![version, call],
            vec![version, call, ("mcp-name", "DB_QUERY")],
            vec![version, call, ("mcp-name", "=?base64?!!?=")],
            vec![version, call, ("mcp-name", "=?base64?/w==?=")],
            vec![version, call, ("mcp-name", "db_qu\u{e9}ry")],
            vec![
                ("mcp-protocol-version", "2026-07-28, 2026-07-28"),
                call,
                ("mcp-name", "db_query"),
            ],
        ] {
            assert_eq!(
                agreement(&headers, "tools/call", name),
                HEADER_MISMATCH,
                "{headers:?}"
            );
        }
    }

    fn parameters(headers: &[(&'static str, &str)], arguments: &Value) -> i64 {
        let schema = json!({"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "count": {"type": "integer", "x-mcp-header": "Count"}}});
        let outcome = check_parameters(&said(headers), &schema, arguments);
        outcome.map_or_else(|fault| fault.code, |()| 0)
    }

    #[test]
    fn headers_repeat_the_parameters_that_a_schema_marks() {
        let region = ("mcp-param-region", "us");
        assert_eq!(parameters(&[], &json!({})), 0);
        assert_eq!(parameters(&[], &json!({"region": null})), 0);
        assert_eq!(parameters(&[region], &json!({"region": "us"})), 0);
        assert_eq!(
            parameters(
                &[region, ("mcp-param-count", "42.0")],
                &json!({"region": "us", "count": 42})
            ),
            0
        );
        assert_eq!(parameters(&[], &json!({"region": "us"})), HEADER_MISMATCH);
        assert_eq!(
            parameters(&[region], &json!({"region": "eu"})),
            HEADER_MISMATCH
        );
        assert_eq!(parameters(&[region], &json!({})), HEADER_MISMATCH);
        assert_eq!(
            parameters(&[("mcp-param-count", "42.5")], &json!({"count": 42})),
            HEADER_MISMATCH
        );
    }

    #[test]
    fn a_request_without_version_is_of_the_first_one() {
        assert_eq!(legacy_version(&said(&[])).unwrap(), Version::V20250326);
        let newer = said(&[("mcp-protocol-version", "2025-11-25")]);
        assert_eq!(legacy_version(&newer).unwrap(), Version::V20251125);
        for name in ["2026-07-28", "1900-01-01"] {
            assert!(legacy_version(&said(&[("mcp-protocol-version", name)])).is_err());
        }
    }
}
