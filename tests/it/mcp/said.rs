//! Responses of the official libraries to a request of the other protocol version, or to one
//! without the session that they require.

use super::world::Answer;

fn refusal(status: u16, error: &str) -> Answer {
    let body = format!(r#"{{"jsonrpc":"2.0","id":null,"error":{error}}}"#);
    Answer::With(status, "application/json", body)
}

pub fn session_required() -> Answer {
    refusal(
        400,
        r#"{"code":-32000,"message":"Bad Request: Mcp-Session-Id header is required"}"#,
    )
}

pub fn version_of_2026_unsupported() -> Answer {
    refusal(
        400,
        r#"{"code":-32000,"message":"Bad Request: Unsupported protocol version: 2026-07-28 (supported versions: 2025-11-25)"}"#,
    )
}

pub fn version_of_2025_unsupported() -> Answer {
    refusal(
        400,
        r#"{"code":-32022,"message":"Unsupported protocol version: 2025-11-25","data":{"supported":["2026-07-28"]}}"#,
    )
}

pub fn only_older_versions() -> Answer {
    refusal(
        400,
        r#"{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2025-11-25"]}}"#,
    )
}

pub fn plainly(status: u16, text: &str) -> Answer {
    Answer::With(status, "text/plain", text.to_owned())
}

pub fn in_band(code: i64) -> Answer {
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":$ID,"error":{{"code":{code},"message":"no such session"}}}}"#
    );
    Answer::With(200, "application/json", body)
}
