//! Protocol versions, requests and their parameters.
//!
//! Source: the specification of 2026-07-28 (Streamable HTTP, Versioning) and of 2025-11-25
//! (Transports, Lifecycle).

use serde::Serialize;
use serde_json::value::RawValue;

/// The version without a handshake.
pub const MODERN_VERSION: &str = "2026-07-28";

/// The version that the client proposes in a handshake.
pub const LEGACY_VERSION: &str = "2025-11-25";

/// The only version in which one list may hold several messages.
pub const BATCHING_VERSION: &str = "2025-03-26";

/// The versions that a server may choose in a handshake.
pub const LEGACY_VERSIONS: &[&str] =
    &[LEGACY_VERSION, "2025-06-18", BATCHING_VERSION, "2024-11-05"];

/// The server does not support the version; the error lists the versions that it supports.
pub const UNSUPPORTED_VERSION: i64 = -32022;

/// The headers do not match the body. Only a server of the modern protocol version reports this.
pub const HEADER_MISMATCH: i64 = -32020;

/// The call needs a capability that this client does not have. Only a server of the modern protocol
/// version reports this.
pub const MISSING_CAPABILITY: i64 = -32021;

/// The request is invalid (JSON-RPC 2.0, section 5.1).
pub const INVALID_REQUEST: i64 = -32600;

/// The method does not exist (JSON-RPC 2.0, section 5.1).
pub const METHOD_NOT_FOUND: i64 = -32601;

/// The `_meta` of a request.
#[derive(Serialize)]
pub struct Meta<'a> {
    #[serde(
        rename = "io.modelcontextprotocol/protocolVersion",
        skip_serializing_if = "Option::is_none"
    )]
    version: Option<&'a str>,
    #[serde(
        rename = "io.modelcontextprotocol/clientInfo",
        skip_serializing_if = "Option::is_none"
    )]
    client: Option<ClientInfo>,
    #[serde(
        rename = "io.modelcontextprotocol/clientCapabilities",
        skip_serializing_if = "Option::is_none"
    )]
    capabilities: Option<Capabilities>,
    #[serde(rename = "progressToken", skip_serializing_if = "Option::is_none")]
    progress_token: Option<u64>,
}

impl Meta<'_> {
    /// Returns the `_meta` of a request of the modern protocol version.
    pub fn modern(progress_token: Option<u64>, capabilities: Capabilities) -> Self {
        Self {
            version: Some(MODERN_VERSION),
            client: Some(CLIENT),
            capabilities: Some(capabilities),
            progress_token,
        }
    }

    /// Returns the `_meta` of a request of the older version.
    pub fn legacy(progress_token: Option<u64>) -> Option<Self> {
        progress_token.map(|token| Self {
            version: None,
            client: None,
            capabilities: None,
            progress_token: Some(token),
        })
    }
}

/// An empty object.
#[derive(Serialize, Clone, Copy)]
pub struct Nothing {}

/// The capabilities of this client.
#[derive(Serialize, Clone, Copy, Default)]
pub struct Capabilities {
    #[serde(skip_serializing_if = "Option::is_none")]
    extensions: Option<Extensions>,
}

#[derive(Serialize, Clone, Copy)]
struct Extensions {
    #[serde(rename = "io.modelcontextprotocol/oauth-client-credentials")]
    client_credentials: Nothing,
}

impl Capabilities {
    /// Returns the capabilities of a client that has credentials of its own for the server.
    pub fn with_client_credentials() -> Self {
        Self {
            extensions: Some(Extensions {
                client_credentials: Nothing {},
            }),
        }
    }
}

/// The name and the version of a client.
#[derive(Serialize, Clone, Copy)]
pub struct ClientInfo {
    name: &'static str,
    version: &'static str,
}

/// The name of this client.
const PRODUCT: &str = "codemode-database";

/// This client.
pub const CLIENT: ClientInfo = ClientInfo {
    name: PRODUCT,
    version: env!("CARGO_PKG_VERSION"),
};

/// Parameters of `tools/list`.
#[derive(Serialize)]
pub struct ListParams<'a> {
    /// The cursor unchanged, because only the server can interpret it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<&'a RawValue>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta<'a>>,
}

/// Parameters of `tools/call`.
#[derive(Serialize)]
pub struct CallParams<'a> {
    pub name: &'a str,
    pub arguments: &'a RawValue,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta<'a>>,
}

/// Parameters of `initialize`.
#[derive(Serialize)]
pub struct InitializeParams {
    #[serde(rename = "protocolVersion")]
    version: &'static str,
    capabilities: Capabilities,
    #[serde(rename = "clientInfo")]
    client: ClientInfo,
}

impl InitializeParams {
    /// Returns the parameters with which this client proposes a version.
    pub fn new(version: &'static str, capabilities: Capabilities) -> Self {
        Self {
            version,
            capabilities,
            client: CLIENT,
        }
    }
}

/// Parameters of `notifications/cancelled`.
#[derive(Serialize)]
pub struct CancelledParams {
    #[serde(rename = "requestId")]
    pub request: u64,
    pub reason: &'static str,
}

#[derive(Serialize)]
struct Rpc<'a, P> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<P>,
}

/// Renders a request, or a notification if there is no id.
pub fn render(id: Option<u64>, method: &str, params: Option<impl Serialize>) -> String {
    let message = Rpc {
        jsonrpc: "2.0",
        id,
        method,
        params,
    };
    // Plain structures with string keys can always be written as JSON.
    serde_json::to_string(&message).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_modern_call_carries_version_client_and_capabilities() {
        let arguments = RawValue::from_string(r#"{"id":9007199254740993}"#.to_owned()).unwrap();
        let params = CallParams {
            name: "get",
            arguments: &arguments,
            meta: Some(Meta::modern(Some(4), Capabilities::default())),
        };
        assert_eq!(
            render(Some(4), "tools/call", Some(params)),
            format!(
                r#"{{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{{"name":"get","arguments":{{"id":9007199254740993}},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{{"name":"codemode-database","version":"{}"}},"io.modelcontextprotocol/clientCapabilities":{{}},"progressToken":4}}}}}}"#,
                env!("CARGO_PKG_VERSION")
            )
        );
    }

    #[test]
    fn a_legacy_listing_carries_nothing_that_it_does_not_know() {
        let cursor = RawValue::from_string(r#""2""#.to_owned()).unwrap();
        let params = ListParams {
            cursor: Some(&cursor),
            meta: Meta::legacy(None),
        };
        assert_eq!(
            render(Some(1), "tools/list", Some(params)),
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"2"}}"#
        );
    }

    #[test]
    fn a_client_with_credentials_says_so() {
        assert_eq!(
            serde_json::to_string(&Capabilities::with_client_credentials()).unwrap(),
            r#"{"extensions":{"io.modelcontextprotocol/oauth-client-credentials":{}}}"#
        );
    }

    #[test]
    fn a_notification_has_no_id() {
        assert_eq!(
            render(None, "notifications/initialized", None::<Nothing>),
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#
        );
    }
}
