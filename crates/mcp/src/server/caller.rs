//! The protocol version and the capabilities of a client. In the modern version each request states
//! them; in the older versions the client states them once.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::rpc::{Fault, INVALID_PARAMS};
use super::talk::{LogLevel, ProgressToken};
use crate::failure::shorten;
use crate::protocol::{BATCHING_VERSION, LEGACY_VERSION, MODERN_VERSION, UNSUPPORTED_VERSION};
use base::json::Object;

/// A protocol version that is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// 2024-11-05 over Streamable HTTP, for clients that know no later version. They send no
    /// version header.
    V20241105,
    /// 2025-03-26, the only one with batches.
    V20250326,
    /// 2025-06-18.
    V20250618,
    /// 2025-11-25, the first version in which a stream begins with an event that only has an id.
    V20251125,
    /// 2026-07-28, without sessions.
    V20260728,
}

impl Version {
    const NAMES: [(&'static str, Self); 5] = [
        (MODERN_VERSION, Self::V20260728),
        (LEGACY_VERSION, Self::V20251125),
        ("2025-06-18", Self::V20250618),
        (BATCHING_VERSION, Self::V20250326),
        ("2024-11-05", Self::V20241105),
    ];

    /// Parses the name of a version.
    pub fn parse(name: &str) -> Option<Self> {
        let found = Self::NAMES.iter().find(|(known, _)| *known == name);
        found.map(|(_, version)| *version)
    }

    /// Returns the name of the version.
    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(_, version)| *version == self);
        found.map_or(MODERN_VERSION, |(name, _)| name)
    }

    /// Returns the names of all versions, the newest first.
    pub fn names() -> Vec<&'static str> {
        Self::NAMES.iter().map(|(name, _)| *name).collect()
    }

    /// Returns true if the version has no sessions.
    pub fn is_modern(self) -> bool {
        self == Self::V20260728
    }

    /// Chooses the version of a session: the one that the client proposes, or the newest with
    /// sessions.
    pub fn agreed(proposed: &str) -> Self {
        let known = Self::parse(proposed).filter(|version| !version.is_modern());
        known.unwrap_or(Self::V20251125)
    }

    /// Returns the refusal of a version that is not supported.
    pub fn unsupported(requested: &str) -> Fault {
        let data = json!({ "supported": Self::names(), "requested": shorten(requested) });
        Fault::refused(UNSUPPORTED_VERSION, "unsupported protocol version").with(data)
    }
}

/// The capabilities of a client.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Capabilities(Value);

impl Capabilities {
    /// Parses a JSON object.
    pub fn parse(json: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(json).ok()?;
        value.is_object().then_some(Self(value))
    }

    /// Returns the capabilities as the client wrote them.
    pub fn json(&self) -> &Value {
        &self.0
    }

    /// Returns true if the client can show a form. If it names no mode of elicitation, it supports
    /// forms.
    pub fn has_forms(&self) -> bool {
        let modes = self.0.get("elicitation").and_then(Value::as_object);
        modes.is_some_and(|modes| modes.contains_key("form") || !modes.contains_key("url"))
    }

    /// Returns true if the client has a capability of this name.
    pub fn has(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(Value::is_object)
    }

    /// Returns true if the client can respond to a request of this method.
    pub fn allow(&self, method: &str) -> bool {
        match method {
            "elicitation/create" => self.has_forms(),
            "sampling/createMessage" => self.has("sampling"),
            "roots/list" => self.has("roots"),
            _ => false,
        }
    }
}

/// The client of a request.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The protocol version in force.
    pub version: Version,
    /// The capabilities of the client.
    pub capabilities: Capabilities,
}

/// The fields of `params._meta` that are used.
#[derive(Debug, Default, Deserialize)]
#[serde(expecting = "an object")]
struct RawMeta<'a> {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion", borrow, default)]
    version: Option<Cow<'a, str>>,
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities", borrow, default)]
    capabilities: Option<&'a RawValue>,
    #[serde(rename = "io.modelcontextprotocol/logLevel", borrow, default)]
    log_level: Option<Cow<'a, str>>,
    #[serde(rename = "progressToken", borrow, default)]
    progress_token: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(expecting = "an object")]
struct WithMeta<'a> {
    #[serde(rename = "_meta", borrow, default)]
    meta: Option<&'a RawValue>,
}

/// The content of `params._meta`.
#[derive(Debug, Default)]
pub struct Meta<'a> {
    raw: RawMeta<'a>,
    stands: bool,
}

impl<'a> Meta<'a> {
    /// Reads the content.
    ///
    /// # Errors
    /// [`INVALID_PARAMS`] for a field of the wrong type.
    pub fn read(params: Option<&'a RawValue>) -> Result<Self, Fault> {
        let wrong = |error: serde_json::Error| {
            let words = shorten(&error.to_string());
            Fault::refused(INVALID_PARAMS, format!("params._meta: {words}"))
        };
        let Some(params) = params else {
            return Ok(Self::default());
        };
        let with: WithMeta<'_> = serde_json::from_str(params.get()).map_err(wrong)?;
        let Some(meta) = with.meta else {
            return Ok(Self::default());
        };
        if !meta.get().starts_with('{') {
            let problem = "params._meta must be an object";
            return Err(Fault::refused(INVALID_PARAMS, problem));
        }
        Ok(Self {
            raw: serde_json::from_str(meta.get()).map_err(wrong)?,
            stands: true,
        })
    }

    /// Returns the protocol version of the request.
    pub fn version(&self) -> Option<&str> {
        self.raw.version.as_deref()
    }

    /// Returns the token that notifications of progress repeat.
    ///
    /// # Errors
    /// [`INVALID_PARAMS`] for a token that is neither a string nor a number.
    pub fn progress_token(&self) -> Result<Option<ProgressToken>, Fault> {
        let Some(raw) = self.raw.progress_token else {
            return Ok(None);
        };
        let token = ProgressToken::read(raw);
        let problem = "params._meta.progressToken must be a short string or a number";
        token
            .map(Some)
            .ok_or_else(|| Fault::refused(INVALID_PARAMS, problem))
    }

    /// Returns the lowest log level that the request wants, or none.
    ///
    /// # Errors
    /// [`INVALID_PARAMS`] for an unknown level.
    pub fn log_level(&self) -> Result<Option<LogLevel>, Fault> {
        let Some(name) = &self.raw.log_level else {
            return Ok(None);
        };
        level_of(name).map(Some)
    }

    /// Returns the client of a request of the modern version.
    ///
    /// # Errors
    /// [`INVALID_PARAMS`] if a required field is missing, -32022 for a version that is not
    /// supported.
    pub fn modern_caller(&self) -> Result<Caller, Fault> {
        let missing = |field: &str| {
            let problem = if self.stands {
                format!("params._meta lacks the field {field}")
            } else {
                format!(
                    "params._meta is missing; version {MODERN_VERSION} requires it, with the field {field}"
                )
            };
            Fault::refused(INVALID_PARAMS, problem)
        };
        let name = self
            .version()
            .ok_or_else(|| missing("io.modelcontextprotocol/protocolVersion"))?;
        let field = "io.modelcontextprotocol/clientCapabilities";
        let capabilities = self.raw.capabilities.ok_or_else(|| missing(field))?;
        let capabilities = Capabilities::parse(capabilities.get()).ok_or_else(|| {
            Fault::refused(
                INVALID_PARAMS,
                format!("params._meta: {field} must be an object"),
            )
        })?;
        match Version::parse(name) {
            Some(version) if version.is_modern() => Ok(Caller {
                version,
                capabilities,
            }),
            _ => Err(Version::unsupported(name)),
        }
    }
}

/// Parses the name of a log level.
///
/// # Errors
/// [`INVALID_PARAMS`] with the list of levels.
pub fn level_of(name: &str) -> Result<LogLevel, Fault> {
    LogLevel::parse(name).ok_or_else(|| {
        let names: Vec<&str> = LogLevel::names().collect();
        Fault::params(format!(
            "there is no log level {:?}; the levels are {}",
            shorten(name),
            names.join(", ")
        ))
    })
}

/// The parameters of `initialize`.
#[derive(Debug, Clone)]
pub struct Introduction {
    /// The version and the capabilities.
    pub caller: Caller,
    /// The client's name and version, for the log.
    pub name: String,
}

impl Introduction {
    /// Reads the parameters.
    ///
    /// # Errors
    /// [`INVALID_PARAMS`] with the name of the field.
    pub fn read(params: Option<&RawValue>) -> Result<Self, Fault> {
        #[derive(Deserialize)]
        #[serde(expecting = "an object")]
        struct Params {
            #[serde(rename = "protocolVersion")]
            version: String,
            capabilities: Value,
            #[serde(rename = "clientInfo")]
            client: Object<Client>,
        }
        #[derive(Deserialize)]
        #[serde(expecting = "an object")]
        struct Client {
            name: String,
            #[serde(default)]
            version: String,
        }
        let text = params.map_or("{}", RawValue::get);
        let read: Params = serde_json::from_str(text).map_err(|error| {
            let words = shorten(&error.to_string());
            Fault::refused(
                INVALID_PARAMS,
                format!("the parameters of initialize: {words}"),
            )
        })?;
        let Object(client) = read.client;
        if !read.capabilities.is_object() {
            let problem = "the parameters of initialize: capabilities must be an object";
            return Err(Fault::refused(INVALID_PARAMS, problem));
        }
        Ok(Self {
            caller: Caller {
                version: Version::agreed(&read.version),
                capabilities: Capabilities(read.capabilities),
            },
            name: shorten(format!("{} {}", client.name, client.version).trim()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(params: &str) -> Result<Caller, Fault> {
        let raw = RawValue::from_string(params.to_owned()).unwrap();
        Meta::read(Some(&raw)).and_then(|meta| meta.modern_caller())
    }

    fn meta(version: &str, capabilities: &str) -> String {
        format!(
            r#"{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"{version}","io.modelcontextprotocol/clientCapabilities":{capabilities}}}}}"#
        )
    }

    #[test]
    fn a_modern_request_names_version_and_capabilities() {
        let found = caller(&meta("2026-07-28", r#"{"elicitation":{}}"#)).unwrap();
        assert_eq!(found.version, Version::V20260728);
        assert!(found.capabilities.allow("elicitation/create"));
        assert!(!found.capabilities.allow("sampling/createMessage"));
        for params in [
            "{}",
            r#"{"_meta":{}}"#,
            r#"{"_meta":[]}"#,
            r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#,
            r#"{"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}"#,
            &meta("2026-07-28", "[]"),
        ] {
            assert_eq!(caller(params).unwrap_err().code, INVALID_PARAMS, "{params}");
        }
        let fault = caller(&meta("1900-01-01", "{}")).unwrap_err();
        assert_eq!((fault.status, fault.code), (400, UNSUPPORTED_VERSION));
        let data = fault.data.unwrap();
        assert_eq!(data["requested"], "1900-01-01");
        assert_eq!(data["supported"][0], "2026-07-28");
    }

    #[test]
    fn a_client_of_urls_alone_fills_in_no_form() {
        for (capabilities, forms) in [
            (r#"{"elicitation":{}}"#, true),
            (r#"{"elicitation":{"form":{}}}"#, true),
            (r#"{"elicitation":{"form":{},"url":{}}}"#, true),
            (r#"{"elicitation":{"url":{}}}"#, false),
            (r#"{"elicitation":true}"#, false),
            ("{}", false),
        ] {
            let capabilities = Capabilities::parse(capabilities).unwrap();
            assert_eq!(capabilities.has_forms(), forms, "{capabilities:?}");
        }
    }

    #[test]
    fn a_handshake_agrees_on_a_version_with_sessions() {
        for (proposed, agreed) in [
            ("2025-03-26", "2025-03-26"),
            ("2025-06-18", "2025-06-18"),
            ("2025-11-25", "2025-11-25"),
            ("2026-07-28", "2025-11-25"),
            ("2024-11-05", "2024-11-05"),
            ("2024-10-07", "2025-11-25"),
            ("x", "2025-11-25"),
        ] {
            let params = format!(
                r#"{{"protocolVersion":"{proposed}","capabilities":{{}},"clientInfo":{{"name":"n","version":"1"}}}}"#
            );
            let raw = RawValue::from_string(params).unwrap();
            let read = Introduction::read(Some(&raw)).unwrap();
            assert_eq!(read.caller.version.name(), agreed);
            assert_eq!(read.name, "n 1");
        }
        assert_eq!(Introduction::read(None).unwrap_err().code, INVALID_PARAMS);
    }

    #[test]
    fn a_level_is_one_of_eight() {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        let quiet = raw(r#"{"_meta":{"progressToken":5}}"#);
        let read = Meta::read(Some(&quiet)).unwrap();
        assert_eq!(read.log_level().unwrap(), None);
        assert!(read.progress_token().unwrap().is_some());
        let wrong =
            raw(r#"{"_meta":{"io.modelcontextprotocol/logLevel":"loud","progressToken":{}}}"#);
        let read = Meta::read(Some(&wrong)).unwrap();
        assert!(
            read.log_level()
                .unwrap_err()
                .message
                .contains("debug, info")
        );
        assert!(read.progress_token().is_err());
    }
}
