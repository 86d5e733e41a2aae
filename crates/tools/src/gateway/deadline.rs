//! The deadline of one call, including its list, schema, handshake and retries.

use crate::{Server, ToolError};
use base::Result;
use net::transport::Clock;

/// The time by which a call must have its result.
pub(super) struct Deadline {
    server: String,
    at_ms: u64,
    timeout_ms: u32,
}

impl Deadline {
    /// Creates the deadline of a call that begins now.
    pub(super) fn new(server: &Server, clock: &impl Clock) -> Self {
        Self {
            server: server.name.clone(),
            at_ms: clock.now_ms().saturating_add(u64::from(server.timeout_ms)),
            timeout_ms: server.timeout_ms,
        }
    }

    /// Returns the remaining time.
    ///
    /// # Errors
    /// [`ToolError::UpstreamTimeout`] if none remains.
    pub(super) fn left_ms(&self, clock: &impl Clock) -> Result<u32> {
        let left_ms = self.at_ms.saturating_sub(clock.now_ms());
        match u32::try_from(left_ms) {
            Ok(0) | Err(_) => Err(ToolError::UpstreamTimeout {
                server: self.server.clone(),
                timeout_ms: self.timeout_ms,
            }
            .into()),
            Ok(left_ms) => Ok(left_ms),
        }
    }
}
