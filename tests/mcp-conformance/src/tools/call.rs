//! One call of a tool.

use mcp::server::{InputRequest, Outcome, Request};
use serde_json::{Map, Value};

use crate::instance::Instance;
use crate::seal::{Memory, Origin};

/// A call, as the tools see it.
pub struct Call<'a, C> {
    /// The arguments of the client.
    pub arguments: &'a Map<String, Value>,
    /// The request that the call belongs to.
    pub request: &'a Request<'a>,
    /// The digest of the request.
    pub origin: &'a Origin,
    /// The opened state of the request; `None` if it returned none.
    pub memory: Option<Memory>,
    /// The clock.
    pub clock: &'a C,
    /// The shared state of the instance.
    pub instance: &'a Instance,
}

impl<C: net::transport::Clock> Call<'_, C> {
    /// Returns the text of an argument; empty if it is missing.
    pub fn text(&self, name: &str) -> &str {
        let value = self.arguments.get(name).and_then(Value::as_str);
        value.unwrap_or_default()
    }

    /// Makes the result that asks the client and keeps no state.
    pub fn ask(&self, key: &'static str, request: InputRequest) -> Outcome {
        Outcome::InputRequired {
            requests: vec![(key, request)],
            state: None,
        }
    }

    /// Makes the result that asks the client and gives it a state with `memory`.
    pub fn ask_and_remember(
        &self,
        requests: Vec<(&'static str, InputRequest)>,
        memory: &Memory,
    ) -> Outcome {
        let state = self
            .instance
            .seal
            .close(self.origin, memory, self.clock.now_ms());
        Outcome::InputRequired {
            requests,
            state: Some(state),
        }
    }
}
