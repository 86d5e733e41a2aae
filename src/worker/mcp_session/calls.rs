//! Calls of a client. They run until they are done or cancelled, even if the client is not
//! connected, and may ask it questions meanwhile.

use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;
use futures::channel::mpsc::{UnboundedSender, unbounded};
use futures::channel::oneshot;
use futures::future::{Either, abortable, select};
use serde::Deserialize;
use serde_json::value::RawValue;
use worker::Delay;

use super::super::mcp::exchange::{self, ResponseStart};
use super::super::object::Object;
use super::Client;
use super::serve::{FrontRequest, in_a_response};
use crate::limits::{MAX_MCP_CALLS, MCP_QUESTION_MS};
use mcp::server::caller::Capabilities;
use mcp::server::headers::Readable;
use mcp::server::respond::{self, LegacyRequest, Peer};
use mcp::server::rpc::{self, INTERNAL_ERROR, INVALID_REQUEST};
use mcp::server::session::Record;
use mcp::server::{
    ChannelEvent, ClientChannel, Fault, Inputs, Meta, Request, RequestId, ServiceRequest,
};

/// The client of a call, for questions to it.
struct ClientPeer {
    object: Rc<Object<Client>>,
    tell: UnboundedSender<ChannelEvent>,
}

impl Peer for ClientPeer {
    async fn ask(&self, method: &str, params: &str) -> Result<Box<RawValue>, Fault> {
        let number = self.object.kind.next_question.get();
        self.object.kind.next_question.set(number + 1);
        let (sender, receiver) = oneshot::channel();
        self.object
            .kind
            .questions
            .borrow_mut()
            .insert(number, sender);
        let _unasked = QuestionGuard {
            object: &self.object,
            number,
        };
        let question = rpc::render_request(&RequestId::own(number), method, params);
        let _heard = self.tell.unbounded_send(ChannelEvent::Message(question));
        let patience = pin!(Delay::from(Duration::from_millis(MCP_QUESTION_MS)));
        match select(receiver, patience).await {
            Either::Left((Ok(response), _)) => response,
            _ => Err(failed(
                "the client did not respond to the question of the call",
            )),
        }
    }
}

/// A guard that forgets a question when its call ends.
struct QuestionGuard<'a> {
    object: &'a Rc<Object<Client>>,
    number: u64,
}

impl Drop for QuestionGuard<'_> {
    fn drop(&mut self) {
        self.object.kind.questions.borrow_mut().remove(&self.number);
    }
}

/// A guard that forgets a call when it ends in any way.
struct CallGuard {
    object: Rc<Object<Client>>,
    id: RequestId,
}

impl Drop for CallGuard {
    fn drop(&mut self) {
        self.object.kind.calls.borrow_mut().remove(&self.id);
    }
}

fn failed(problem: &str) -> Fault {
    in_a_response(Fault::refused(INTERNAL_ERROR, problem))
}

impl Object<Client> {
    /// Starts a call. The returned future resolves when the form of the response is known.
    ///
    /// # Errors
    /// [`Fault`] for an id that is in use, and for too many calls.
    pub(super) fn call(
        self: &Rc<Self>,
        asked: &Rc<FrontRequest>,
        record: &Record,
        id: &RequestId,
        ask: ServiceRequest,
        meta: &Meta<'_>,
    ) -> Result<impl Future<Output = ResponseStart> + use<>, Fault> {
        let running = self.kind.calls.borrow().len();
        if self.kind.calls.borrow().contains_key(id) {
            let problem = "a request with this id is being served already";
            return Err(in_a_response(Fault::refused(INVALID_REQUEST, problem)));
        }
        if running >= MAX_MCP_CALLS {
            let problem =
                format!("{MAX_MCP_CALLS} calls of this session run already: wait for one");
            return Err(failed(&problem));
        }
        let (tell, heard) = unbounded();
        let told = tell.clone();
        let token = meta.progress_token().map_err(in_a_response)?;
        let talk = ClientChannel::new(token, record.log_level, move |message| {
            // Nobody receives it if the call is over.
            let _heard = told.unbounded_send(message);
        });
        let peer = ClientPeer {
            object: Rc::clone(self),
            tell,
        };
        let ended = CallGuard {
            object: Rc::clone(self),
            id: id.clone(),
        };
        let reads = asked.reads();
        let (service, mut caller) = (self.service(asked)?, record.caller.clone());
        if reads == Readable::Json {
            // A question needs a stream.
            caller.capabilities = Capabilities::default();
        }
        let id = id.clone();
        let (work, handle) = abortable(async move {
            let request = Request {
                ask,
                caller: &caller,
                inputs: Inputs::default(),
                talk: &talk,
            };
            match respond::serve_legacy(&service, &peer, request).await {
                Ok(result) => rpc::render_result(&ended.id, &result),
                Err(fault) => fault.render(Some(&ended.id)),
            }
        });
        self.kind.calls.borrow_mut().insert(id.clone(), handle);
        let work = work.map(move |outcome| {
            // A client expects no response to a call that it cancelled; one that waits nevertheless
            // gets this.
            let text = outcome
                .unwrap_or_else(|_aborted| failed("the request was cancelled").render(Some(&id)));
            (200, text)
        });
        Ok(exchange::begin(work.boxed_local(), heard, reads))
    }

    /// Returns the response to a request of a batch, without notifications and questions.
    ///
    /// # Errors
    /// [`Fault`] of the request.
    pub(super) async fn in_batch(
        self: &Rc<Self>,
        asked: &Rc<FrontRequest>,
        record: &Record,
        id: &RequestId,
        method: &str,
        params: Option<&RawValue>,
    ) -> Result<String, Fault> {
        let ask = match respond::read_legacy(method, params)? {
            LegacyRequest::Serve(ask) => ask,
            simple => {
                let result = self.simple(asked, simple).await?;
                return Ok(rpc::render_result(id, &result));
            }
        };
        let service = self.service(asked)?;
        let talk = ClientChannel::silent();
        let request = Request {
            ask,
            caller: &record.caller,
            inputs: Inputs::default(),
            talk: &talk,
        };
        let result = respond::serve_legacy(&service, &Nobody, request).await?;
        Ok(rpc::render_result(id, &result))
    }

    /// Handles a notification.
    pub(super) fn notified(&self, method: &str, params: Option<&RawValue>) {
        #[derive(Deserialize)]
        struct Cancelled {
            #[serde(rename = "requestId")]
            id: Box<RawValue>,
        }
        if method != "notifications/cancelled" {
            return;
        }
        let read = params.and_then(|params| serde_json::from_str::<Cancelled>(params.get()).ok());
        // A call that has ended meanwhile is no longer in the map.
        if let Some(id) = read.and_then(|cancelled| RequestId::parse(&cancelled.id))
            && let Some(call) = self.kind.calls.borrow().get(&id)
        {
            call.abort();
        }
    }

    /// Handles the response to a question. A response that nobody waits for was too late.
    pub(super) fn responded(&self, id: &RequestId, outcome: Result<&RawValue, &RawValue>) {
        let number = id.json().parse::<u64>().ok();
        let question = number.and_then(|number| self.kind.questions.borrow_mut().remove(&number));
        if let Some(question) = question {
            let response = match outcome {
                Ok(result) => Ok(result.to_owned()),
                Err(_) => Err(failed("the client refused the question of the call")),
            };
            let _waits = question.send(response);
        }
    }
}

/// The client of a request in a batch.
struct Nobody;

impl Peer for Nobody {
    async fn ask(&self, _method: &str, _params: &str) -> Result<Box<RawValue>, Fault> {
        Err(failed(
            "a request of a batch cannot ask its client: send it alone",
        ))
    }
}
