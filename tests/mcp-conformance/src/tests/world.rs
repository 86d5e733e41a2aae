//! Clients of the fixtures: one of the stateless version, one with a session.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures::executor::block_on;
use mcp::server::respond::{
    LegacyRequest, ModernRequest, Peer, ServiceCall, read_legacy, read_modern, serve_legacy,
    serve_modern,
};
use mcp::server::talk::ProgressToken;
use mcp::server::{
    Caller, Capabilities, ChannelEvent, ClientChannel, Fault, Headers, Inputs, LogLevel, Meta,
    Request, Version,
};
use net::transport::Clock;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::{Fixtures, Instance};

/// A clock that advances only while somebody waits.
#[derive(Clone)]
pub struct Time(pub Rc<Cell<u64>>);

impl Clock for Time {
    fn now_ms(&self) -> u64 {
        self.0.get()
    }

    async fn sleep(&self, milliseconds: u64) {
        self.0.set(self.0.get() + milliseconds);
    }

    fn random(&self) -> f64 {
        0.5
    }
}

pub struct World {
    pub service: Fixtures<Time>,
    pub instance: Rc<Instance>,
    pub time: Time,
    /// The messages of the last call before its result.
    pub told: Rc<RefCell<Vec<ChannelEvent>>>,
}

/// The headers that a request sends besides those that repeat its body.
struct Sent(Vec<(String, String)>);

impl Headers for Sent {
    fn get(&self, name: &str) -> Option<String> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.clone())
    }
}

/// A client whose user and model respond as the test prescribes.
struct Scripted<F>(F);

impl<F: Fn(&str, Value) -> Value> Peer for Scripted<F> {
    async fn ask(&self, method: &str, params: &str) -> Result<Box<RawValue>, Fault> {
        let said = (self.0)(method, serde_json::from_str(params).unwrap());
        Ok(raw(&said))
    }
}

pub fn raw(value: &Value) -> Box<RawValue> {
    RawValue::from_string(value.to_string()).unwrap()
}

pub fn world() -> World {
    let time = Time(Rc::new(Cell::new(1_000)));
    let instance = Rc::new(Instance::new(b"secret of the tests"));
    World {
        service: Fixtures::new(time.clone(), Rc::clone(&instance)),
        instance,
        time,
        told: Rc::default(),
    }
}

/// Returns the capabilities of a test's client, unless the test sets others.
pub fn able() -> Value {
    json!({ "elicitation": {}, "sampling": {}, "roots": {} })
}

impl World {
    fn talk(&self, level: Option<LogLevel>) -> ClientChannel {
        self.told.borrow_mut().clear();
        let told = Rc::clone(&self.told);
        let token = ProgressToken::read(&raw(&json!("token")));
        ClientChannel::new(token, level, move |message| told.borrow_mut().push(message))
    }

    /// Returns the methods of the last call's messages, and `reconnect`.
    pub fn notices(&self) -> Vec<String> {
        let method = |told: &ChannelEvent| match told {
            ChannelEvent::Reconnect => "reconnect".to_owned(),
            ChannelEvent::Message(text) => {
                let message: Value = serde_json::from_str(text).unwrap();
                message["method"].as_str().unwrap().to_owned()
            }
        };
        self.told.borrow().iter().map(method).collect()
    }

    /// Returns the result of a request of the stateless version.
    pub fn send(&self, method: &str, params: &Value, capabilities: &Value) -> Result<Value, Fault> {
        self.send_with(method, params, capabilities, &[])
    }

    /// Does the same with more headers.
    pub fn send_with(
        &self,
        method: &str,
        params: &Value,
        capabilities: &Value,
        headers: &[(&str, &str)],
    ) -> Result<Value, Fault> {
        let version = "2026-07-28";
        let mut params = params.clone();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        });
        let mut sent = vec![
            ("mcp-protocol-version".to_owned(), version.to_owned()),
            ("mcp-method".to_owned(), method.to_owned()),
        ];
        for field in ["name", "uri"] {
            if let Some(name) = params[field].as_str() {
                sent.push(("mcp-name".to_owned(), name.to_owned()));
            }
        }
        for (name, value) in headers {
            sent.push(((*name).to_owned(), (*value).to_owned()));
        }
        let params = raw(&params);
        let meta = Meta::read(Some(&params))?;
        let read = read_modern(&self.service, &Sent(sent), method, Some(&params), meta)?;
        let ModernRequest::Serve(serving) = read else {
            panic!("{method} is not for the service");
        };
        let ServiceCall {
            ask,
            caller,
            inputs,
            ..
        } = *serving;
        let talk = self.talk(Some(LogLevel::Info));
        let request = Request {
            ask,
            caller: &caller,
            inputs,
            talk: &talk,
        };
        let text = block_on(serve_modern(&self.service, &request))?;
        Ok(serde_json::from_str(&text).unwrap())
    }

    /// Returns the result of a tool call without arguments, in the stateless version.
    pub fn call(&self, tool: &str) -> Value {
        self.send(
            "tools/call",
            &json!({ "name": tool, "arguments": {} }),
            &able(),
        )
        .unwrap()
    }

    /// Does the same as a retry, with the client's responses and the state of an earlier result.
    pub fn retry(&self, tool: &str, responses: Value, earlier: &Value) -> Result<Value, Fault> {
        let mut params = json!({ "name": tool, "arguments": {}, "inputResponses": responses });
        if let Some(state) = earlier.get("requestState") {
            params["requestState"] = state.clone();
        }
        self.send("tools/call", &params, &able())
    }

    /// Returns the result of a request in a session of 2025-11-25, whose client responds with
    /// `script`.
    pub fn send_in_session(
        &self,
        method: &str,
        params: &Value,
        script: impl Fn(&str, Value) -> Value,
    ) -> Result<Value, Fault> {
        let params = raw(params);
        let LegacyRequest::Serve(ask) = read_legacy(method, Some(&params))? else {
            panic!("{method} is not for the service");
        };
        let caller = Caller {
            version: Version::V20251125,
            capabilities: Capabilities::parse(&able().to_string()).unwrap(),
        };
        let talk = self.talk(Some(LogLevel::Debug));
        let inputs = Inputs::default();
        let request = Request {
            ask,
            caller: &caller,
            inputs,
            talk: &talk,
        };
        let text = block_on(serve_legacy(&self.service, &Scripted(script), request))?;
        Ok(serde_json::from_str(&text).unwrap())
    }
}

/// Returns the text of a result's first block.
pub fn text_of(result: &Value) -> &str {
    let text = result["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("no text in {result}"))
}

/// Makes the response to a form that was filled in.
pub fn filled(content: Value) -> Value {
    json!({ "action": "accept", "content": content })
}

/// Makes a model's message.
pub fn written(text: &str) -> Value {
    json!({ "role": "assistant", "content": { "type": "text", "text": text }, "model": "m" })
}
