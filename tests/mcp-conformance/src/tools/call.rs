//! One call of a tool.

use mcp::server::{InputRequest, Outcome, Request};
use serde_json::{Map, Value};

use crate::instance::Instance;
use crate::seal::{Memory, Origin};

/// A call, as the tools see it.
pub struct Call<'a, C> {
    /// What the client sends.
    pub arguments: &'a Map<String, Value>,
    /// The request that the call belongs to.
    pub request: &'a Request<'a>,
    /// Its digest.
    pub origin: &'a Origin,
    /// What the state says that came back; none where none did.
    pub memory: Option<Memory>,
    /// Time.
    pub clock: &'a C,
    /// What the instance shares.
    pub instance: &'a Instance,
}

impl<C: net::transport::Clock> Call<'_, C> {
    /// The text of an argument; empty where there is none.
    pub fn text(&self, name: &str) -> &str {
        let value = self.arguments.get(name).and_then(Value::as_str);
        value.unwrap_or_default()
    }

    /// The result that asks the client and remembers nothing.
    pub fn ask(&self, key: &'static str, request: InputRequest) -> Outcome {
        Outcome::InputRequired {
            requests: vec![(key, request)],
            state: None,
        }
    }

    /// The result that asks the client and gives it what is to be remembered.
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
