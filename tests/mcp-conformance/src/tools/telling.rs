//! Tools that send messages before they respond: lines of the log, progress, the end of a
//! connection.

use mcp::server::{LogLevel, Outcome};
use net::transport::Clock;
use serde_json::json;

use super::call::Call;
use crate::outcome::said;

/// The logger's name in the lines of the log.
const LOGGER: &str = "conformance";
/// The milliseconds between two notifications. The suites ask for about this, so that each arrives
/// alone.
const PAUSE_MS: u64 = 50;
/// The milliseconds between the end of a connection and the result. The suites ask for this, so
/// that a client reconnects before the result exists.
const RECONNECTION_MS: u64 = 100;

/// Writes three lines of the log.
pub async fn log<C: Clock>(call: &Call<'_, C>) -> Outcome {
    for (index, line) in [
        "Tool execution started",
        "Tool processing data",
        "Tool execution completed",
    ]
    .into_iter()
    .enumerate()
    {
        if index > 0 {
            call.clock.sleep(PAUSE_MS).await;
        }
        call.request.talk.log(LogLevel::Info, LOGGER, &json!(line));
    }
    said("The tool has sent three lines of the log.")
}

/// Writes one line of the log.
pub fn log_line<C>(call: &Call<'_, C>) -> Outcome {
    let line = json!({ "tool": "test_logging_tool" });
    call.request.talk.log(LogLevel::Info, LOGGER, &line);
    said("The tool has sent a line of the log where it was wanted.")
}

/// Sends progress in three steps.
pub async fn progress<C: Clock>(call: &Call<'_, C>) -> Outcome {
    for done in [0.0, 50.0, 100.0] {
        if done > 0.0 {
            call.clock.sleep(PAUSE_MS).await;
        }
        let message = format!("{done} of 100");
        call.request
            .talk
            .progress(done, Some(100.0), Some(&message));
    }
    said("The tool has sent its progress.")
}

/// Ends the connection, and then returns the result.
pub async fn reconnect<C: Clock>(call: &Call<'_, C>) -> Outcome {
    call.request.talk.reconnect();
    call.clock.sleep(RECONNECTION_MS).await;
    said("The connection ended before this result.")
}
