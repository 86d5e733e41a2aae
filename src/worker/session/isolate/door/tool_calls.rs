//! The tools that a program calls: those of servers, and those that its caller runs itself.

use std::cell::Cell;
use std::time::Duration;

use futures::future::{Either, select};
use serde_json::json;
use worker::Delay;

use super::Run;
use crate::limits::MAX_HOST_CALL_BYTES;
use crate::worker::instance;
use crate::worker::servers;
use base::{CommonError, Error, Result};
use mcp::Progress;
use program::answered::Shape;
use tools::host::{HostResponse, HostTools};
use tools::outcome::{Reader, ToolResponse};
use tools::request::{ProxyRequest, SearchRequest, ToolCall, ToolReference};
use tools::server::HOST;
use tools::{ToolError, own};

/// The tools that the caller of a run provides, and the id with which it responds to their calls.
pub struct Host {
    tools: HostTools,
    execution_id: String,
    calls: Cell<u64>,
}

/// The interval at which a call checks for room in the event stream, in milliseconds.
const ROOM_MS: u64 = 10;

impl Host {
    pub fn new(tools: HostTools, execution_id: String) -> Self {
        Self {
            tools,
            execution_id,
            calls: Cell::new(0),
        }
    }
}

impl Run {
    /// Returns the response of an operation about tools.
    pub(super) async fn ask(&self, operation: &str, body: &str) -> Result<String> {
        self.session_lifetime.check()?;
        let gateway = self.servers.gateway();
        let host_of = |server: &str| self.host.as_ref().filter(|_| server == HOST);
        match operation {
            "listTools" => {
                let named = ToolReference::parse(body)?;
                servers::fields(
                    match (own::tools_of(&named.server), host_of(&named.server)) {
                        (Some(own), _) => own,
                        (None, Some(host)) => host.tools.list(),
                        (None, None) => gateway.tools_of(&named.server).await?,
                    },
                )
            }
            "searchTools" => {
                let asked = SearchRequest::parse(body)?;
                servers::fields(match asked.server.as_deref().and_then(host_of) {
                    Some(host) => host.tools.search(&asked),
                    None => gateway.search(&asked).await?,
                })
            }
            "describeTool" => {
                let named = ToolReference::parse(body)?;
                servers::fields(if session::is_own_server(&named.server) {
                    own::describe(&named.server, &named.tool)?
                } else if let Some(host) = host_of(&named.server) {
                    host.tools.describe(&named.tool)?
                } else {
                    gateway.describe(&named.server, &named.tool).await?
                })
            }
            _ => {
                let began_ms = instance::now_ms();
                let call = ProxyRequest::parse(body)?.call;
                let (server, tool) = (call.server.clone(), call.tool.clone());
                let fetched = match host_of(&server) {
                    Some(host) => self.ask_host(host, call).await?,
                    None => {
                        gateway
                            .call(call, &mut |progress| {
                                self.pass_on(&server, &tool, &progress)
                            })
                            .await?
                    }
                };
                self.session_lifetime.check()?;
                let outcome = fetched.conclude(Some(&self.call.session()?), Reader::Program)?;
                let shape = if outcome.staged {
                    Shape::Receipt
                } else {
                    Shape::of(&outcome.data)
                };
                self.journal
                    .borrow_mut()
                    .answered
                    .with(&server, &tool, shape);
                let took_ms = instance::now_ms().saturating_sub(began_ms);
                Ok(servers::rendered_for_program(&fetched, &outcome, took_ms))
            }
        }
    }

    /// Lets the caller of the run execute one of its tools.
    async fn ask_host(&self, host: &Host, call: ToolCall) -> Result<ToolResponse> {
        let call = host.tools.check(call)?;
        if call.arguments.get().len() > MAX_HOST_CALL_BYTES {
            return Err(Error::from(CommonError::TooBig {
                message: format!(
                    "the arguments of {HOST}.{} have {} bytes, the limit is {MAX_HOST_CALL_BYTES}",
                    call.tool,
                    call.arguments.get().len()
                ),
                hint: "write the data into a table, and pass its name".to_owned(),
            }));
        }
        let patience = Delay::from(Duration::from_millis(host.tools.timeout_ms().into()));
        let response = match select(Box::pin(self.responded(host, &call)), patience).await {
            Either::Left((response, _)) => response,
            Either::Right(_) => None,
        };
        self.session_lifetime.check()?;
        let response = response.ok_or_else(|| ToolError::UpstreamTimeout {
            server: HOST.to_owned(),
            timeout_ms: host.tools.timeout_ms(),
        })?;
        host.tools.fetched(call, &response)
    }

    /// Sends a call to the caller as soon as the event stream has room for it, and waits for the
    /// response.
    async fn responded(&self, host: &Host, call: &ToolCall) -> Option<HostResponse> {
        let number = host.calls.get() + 1;
        host.calls.set(number);
        let id = &host.execution_id;
        let (tool, arguments) = (&call.tool, call.arguments.get());
        let data = format!(
            r#"{{"executionId":"{id}","call":{number},"tool":"{tool}","args":{arguments}}}"#
        );
        while !self.events.have_room(data.len()) {
            Delay::from(Duration::from_millis(ROOM_MS)).await;
        }
        let waiting = self.sandboxes.host_calls.begin(id, number);
        self.events.send_text("host_call", &data);
        waiting.response().await
    }

    /// Sends a server's progress to the client that watches the run.
    fn pass_on(&self, server: &str, tool: &str, progress: &Progress) {
        if self.closed.get() || !self.journal.borrow_mut().may_progress() {
            return;
        }
        let text: String = progress
            .message
            .iter()
            .flat_map(|message| message.chars())
            .take(super::super::PROGRESS_CHARACTERS)
            .collect();
        let fraction = progress
            .total
            .filter(|total| *total > 0.0)
            .map(|total| (progress.progress / total).clamp(0.0, 1.0));
        self.events.send(
            "progress",
            || json!({ "text": text, "fraction": fraction, "server": server, "tool": tool }),
        );
    }
}
