//! The body of `POST /api/codemode/execute`.

use base::CommonError;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::limits::{
    DEFAULT_EXECUTION_TIMEOUT_MS, MAX_EXECUTION_TIMEOUT_MS, MAX_INLINE_RESULT_BYTES,
    MIN_INLINE_RESULT_BYTES,
};
use base::entries::Fields;
use base::known::{self, Given};
use base::names::check_name;
use base::{Error, Result};
use session::scope::ScopeRequest;
use tools::limits::{DEFAULT_HOST_CALL_TIMEOUT_MS, MAX_UPSTREAM_TIMEOUT_MS};

/// The isolate that runs a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Isolate {
    /// A new one, which is deleted afterwards.
    #[default]
    Fresh,
    /// The one that last ran the same code in the same session, with the globals that it left.
    Kept,
}

/// A program and how to run it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The program, as it was sent.
    pub code: String,
    /// The time for the program itself, without the time that the host takes for its calls.
    pub timeout_ms: u32,
    /// JSON text of `input`.
    pub input: String,
    /// The choice of its isolate.
    pub isolate: Isolate,
    /// The size above which a result becomes a table.
    pub max_result_bytes: usize,
    /// The scope of rows that every call of the program may read and change.
    pub scope: Option<ScopeRequest>,
    /// The JSON text of the tools that the caller runs itself.
    pub host_tools: Option<String>,
    /// The time that each call of such a tool may take.
    pub host_call_timeout_ms: u32,
}

/// The input of a program without one.
const NO_INPUT: &str = "null";

/// The fields of a body.
const FIELDS: &[&str] = &[
    "session",
    "code",
    "input",
    "timeoutMs",
    "maxResultBytes",
    "reuse",
    "scope",
    "hostTools",
    "hostCallTimeoutMs",
];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire<'a> {
    code: Option<serde_json::Value>,
    timeout_ms: Option<serde_json::Value>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    reuse: Option<serde_json::Value>,
    max_result_bytes: Option<serde_json::Value>,
    #[serde(borrow)]
    scope: Option<&'a RawValue>,
    #[serde(borrow)]
    host_tools: Option<&'a RawValue>,
    host_call_timeout_ms: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct SessionField {
    session: Option<serde_json::Value>,
}

impl Request {
    /// Returns true if the program is given an input.
    pub fn has_input(&self) -> bool {
        self.input != NO_INPUT
    }

    /// Returns the request of a body with these fields alone, which was parsed already: `input` is
    /// JSON text. Returns nothing if a field is wrong; [`Self::parse`] says what is.
    pub fn of_fields(
        code: String,
        input: Option<String>,
        timeout_ms: Option<f64>,
        max_result_bytes: Option<f64>,
    ) -> Option<Self> {
        if code.trim().is_empty() {
            return None;
        }
        Some(Self {
            code,
            timeout_ms: whole(
                timeout_ms,
                DEFAULT_EXECUTION_TIMEOUT_MS,
                1,
                MAX_EXECUTION_TIMEOUT_MS,
            )?,
            input: input.unwrap_or_else(|| NO_INPUT.to_owned()),
            isolate: Isolate::Fresh,
            max_result_bytes: whole(
                max_result_bytes,
                MAX_INLINE_RESULT_BYTES as u32,
                MIN_INLINE_RESULT_BYTES as u32,
                MAX_INLINE_RESULT_BYTES as u32,
            )? as usize,
            scope: None,
            host_tools: None,
            host_call_timeout_ms: DEFAULT_HOST_CALL_TIMEOUT_MS,
        })
    }

    /// Parses a body.
    ///
    /// # Errors
    /// [`CommonError::InvalidBody`] if it is not a JSON object, [`CommonError::InvalidArgument`]
    /// for a field that is missing or of the wrong type.
    pub fn parse(body: &str) -> Result<Self> {
        let wire: Wire<'_> = read(body)?;
        let fields: Fields<IgnoredAny> = read(body)?;
        let names = fields.0.iter().map(|(name, _)| name.as_str());
        known::check(Given::Field, names, FIELDS)?;
        let code = match wire.code {
            Some(serde_json::Value::String(code)) if !code.trim().is_empty() => code,
            Some(serde_json::Value::String(_)) => {
                return Err(Error::invalid("the field code is empty"));
            }
            Some(_) => return Err(Error::invalid("the field code must be a text")),
            None => {
                return Err(Error::invalid_with_hint(
                    "the field code is missing",
                    r#"send {"session":"my-session","code":"return await helpers.db.query('SELECT 1 AS one')"}"#,
                ));
            }
        };
        let isolate = match wire.reuse {
            None | Some(serde_json::Value::Null | serde_json::Value::Bool(false)) => Isolate::Fresh,
            Some(serde_json::Value::Bool(true)) => Isolate::Kept,
            Some(_) => return Err(Error::invalid("the field reuse must be true or false")),
        };
        let host_tools = wire.host_tools.map(RawValue::get);
        let host_tools = host_tools.filter(|list| *list != "null");
        if host_tools.is_some() && wire.scope.is_some_and(|scope| scope.get() != "null") {
            return Err(Error::invalid_with_hint(
                "hostTools and scope exclude each other: results of tools may become tables, which all tenants share",
                "leave one of them out",
            ));
        }
        Ok(Self {
            code,
            host_tools: host_tools.map(str::to_owned),
            host_call_timeout_ms: milliseconds(
                "hostCallTimeoutMs",
                wire.host_call_timeout_ms,
                DEFAULT_HOST_CALL_TIMEOUT_MS,
                MAX_UPSTREAM_TIMEOUT_MS,
            )?,
            timeout_ms: milliseconds(
                "timeoutMs",
                wire.timeout_ms,
                DEFAULT_EXECUTION_TIMEOUT_MS,
                MAX_EXECUTION_TIMEOUT_MS,
            )?,
            max_result_bytes: read_result_bytes(wire.max_result_bytes)?,
            input: wire
                .input
                .map_or_else(|| NO_INPUT.to_owned(), |input| input.get().to_owned()),
            isolate,
            scope: ScopeRequest::parse(wire.scope.map(RawValue::get))?,
        })
    }
}

/// Returns the session that a body names. The front Worker needs it to find the object.
///
/// # Errors
/// The errors of [`Request::parse`], and [`CommonError::InvalidArgument`] for a name that is not
/// valid.
pub fn session_of(body: &str) -> Result<String> {
    let named: SessionField = read(body)?;
    match named.session {
        Some(serde_json::Value::String(session)) => {
            check_name("session", &session)?;
            Ok(session)
        }
        Some(_) => Err(Error::invalid("the field session must be a text")),
        None => Err(Error::invalid_with_hint(
            "the field session is missing",
            "name the session whose database the program uses; a name that is not known yet begins a session",
        )),
    }
}

fn read_result_bytes(value: Option<serde_json::Value>) -> Result<usize> {
    let value = match value {
        None | Some(serde_json::Value::Null) => return Ok(MAX_INLINE_RESULT_BYTES),
        Some(value) => value,
    };
    value
        .as_u64()
        .and_then(|bytes| usize::try_from(bytes).ok())
        .filter(|bytes| (MIN_INLINE_RESULT_BYTES..=MAX_INLINE_RESULT_BYTES).contains(bytes))
        .ok_or_else(|| {
            Error::invalid(format!(
                "the field maxResultBytes must be a whole number from {MIN_INLINE_RESULT_BYTES} to {MAX_INLINE_RESULT_BYTES}"
            ))
        })
}

/// Parses the fields of an object. The check is necessary because serde would also accept a list.
fn read<'a, T: Deserialize<'a>>(body: &'a str) -> Result<T> {
    if !body.trim_start().starts_with('{') {
        return Err(not_an_object("it does not begin with {"));
    }
    serde_json::from_str(body).map_err(|error| not_an_object(&error.to_string()))
}

fn not_an_object(problem: &str) -> Error {
    Error::from(CommonError::InvalidBody {
        message: format!("the body is not a usable JSON object: {problem}"),
        hint: Some(r#"send {"session":"my-session","code":"return 1"}"#.to_owned()),
    })
}

fn milliseconds(
    field: &str,
    value: Option<serde_json::Value>,
    standard: u32,
    most: u32,
) -> Result<u32> {
    let value = match value {
        None | Some(serde_json::Value::Null) => return Ok(standard),
        Some(value) => value,
    };
    value
        .as_u64()
        .and_then(|ms| u32::try_from(ms).ok())
        .filter(|ms| (1..=most).contains(ms))
        .ok_or_else(|| {
            Error::invalid(format!(
                "the field {field} must be a whole number from 1 to {most}"
            ))
        })
}

/// Returns a whole number within limits, or the standard if there is none.
fn whole(value: Option<f64>, standard: u32, least: u32, most: u32) -> Option<u32> {
    let Some(value) = value else {
        return Some(standard);
    };
    let is_valid = value.fract() == 0.0 && value >= f64::from(least) && value <= f64::from(most);
    is_valid.then_some(value as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(body: &str, part: &str) {
        let error = Request::parse(body).unwrap_err();
        assert!(error.to_string().contains(part), "{body}: {error}");
    }

    #[test]
    fn what_is_left_out_has_its_default() {
        let request = Request::parse(r#"{"code":"return 1","session":"s"}"#).unwrap();
        assert_eq!(request.timeout_ms, DEFAULT_EXECUTION_TIMEOUT_MS);
        assert_eq!(request.input, "null");
        assert_eq!(request.isolate, Isolate::Fresh);
        assert_eq!(request.max_result_bytes, MAX_INLINE_RESULT_BYTES);
    }

    #[test]
    fn a_field_that_is_not_known_is_refused_with_the_nearest() {
        for (field, hint) in [
            ("timeout", "did you mean `timeoutMs`?"),
            ("sesion", "did you mean `session`?"),
            ("maxResultByte", "did you mean `maxResultBytes`?"),
            (
                "network",
                "the fields are session, code, input, timeoutMs, maxResultBytes, reuse, scope, hostTools, hostCallTimeoutMs",
            ),
            (
                "limits",
                "the fields are session, code, input, timeoutMs, maxResultBytes, reuse, scope, hostTools, hostCallTimeoutMs",
            ),
        ] {
            let body = format!(r#"{{"code":"1","session":"s","{field}":1}}"#);
            let error = Request::parse(&body).unwrap_err();
            assert_eq!(error.code(), "INVALID_ARGUMENT");
            assert_eq!(error.hint().as_deref(), Some(hint), "{field}");
        }
    }

    #[test]
    fn input_stays_the_text_that_was_sent() {
        let request =
            Request::parse(r#"{"code":"1","input":{"big": 12345678901234567890},"reuse":true}"#)
                .unwrap();
        assert_eq!(request.input, r#"{"big": 12345678901234567890}"#);
        assert_eq!(request.isolate, Isolate::Kept);
    }

    #[test]
    fn fields_of_the_wrong_type_are_named() {
        refused("[]", "not a usable JSON object");
        refused("{", "not a usable JSON object");
        refused("{}", "code is missing");
        refused(r#"{"code":" "}"#, "code is empty");
        refused(r#"{"code":1}"#, "code must be a text");
        refused(r#"{"code":"1","reuse":"yes"}"#, "reuse");
        for bytes in ["0", "-1", "1048577", "1.5", "\"5\""] {
            refused(
                &format!(r#"{{"code":"1","maxResultBytes":{bytes}}}"#),
                "maxResultBytes",
            );
        }
        for timeout in ["0", "-1", "300001", "1.5", "\"5\""] {
            refused(
                &format!(r#"{{"code":"1","timeoutMs":{timeout}}}"#),
                "timeoutMs",
            );
        }
    }

    #[test]
    fn the_session_is_a_usable_name() {
        assert_eq!(session_of(r#"{"session":"a:b","code":1}"#).unwrap(), "a:b");
        for body in ["{}", r#"{"session":1}"#, r#"{"session":"a/b"}"#, "1"] {
            assert!(session_of(body).is_err(), "{body}");
        }
    }
}
