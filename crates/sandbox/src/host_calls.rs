//! Calls that the client of a program answers: each call is an event of the response stream, and a
//! separate request delivers its result.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use futures::channel::oneshot;

use crate::SandboxError;
use base::{Error, Result};
use tools::host::{HostCallEnd, HostResponse};

/// The run, and the number of the call in it.
type Key = (String, u64);

/// The calls of all runs of one object.
#[derive(Debug, Default)]
pub struct HostCalls {
    waiting: RefCell<HashMap<Key, oneshot::Sender<HostResponse>>>,
}

/// A pending call. Dropping it abandons the call.
#[derive(Debug)]
pub struct WaitingCall {
    calls: Rc<HostCalls>,
    key: Key,
    response: oneshot::Receiver<HostResponse>,
}

impl HostCalls {
    /// Begins a call.
    pub fn begin(self: &Rc<Self>, execution_id: &str, call: u64) -> WaitingCall {
        let (sender, response) = oneshot::channel();
        let key = (execution_id.to_owned(), call);
        self.waiting.borrow_mut().insert(key.clone(), sender);
        WaitingCall {
            calls: Rc::clone(self),
            key,
            response,
        }
    }

    /// Abandons all calls, because nobody can respond to them any more.
    pub fn forget(&self) {
        self.waiting.borrow_mut().clear();
    }

    /// Delivers the response of a call.
    ///
    /// # Errors
    /// [`SandboxError::CallNotFound`] if the call is not pending.
    pub fn end(&self, end: HostCallEnd) -> Result<()> {
        let key = (end.execution_id, end.call);
        let sender = self.waiting.borrow_mut().remove(&key);
        let delivered = sender.is_some_and(|sender| sender.send(end.response).is_ok());
        if delivered {
            return Ok(());
        }
        let (execution_id, call) = key;
        Err(Error::from(SandboxError::CallNotFound {
            execution_id: base::text::first(&execution_id, base::limits::MAX_NAME_CHARACTERS),
            call,
        }))
    }
}

impl WaitingCall {
    /// Waits for the response; returns `None` if nobody can send it any more.
    pub async fn response(mut self) -> Option<HostResponse> {
        (&mut self.response).await.ok()
    }
}

impl Drop for WaitingCall {
    fn drop(&mut self) {
        self.calls.waiting.borrow_mut().remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt as _;

    fn end(execution_id: &str, call: u64) -> HostCallEnd {
        let body = format!(r#"{{"executionId":"{execution_id}","call":{call},"result":null}}"#);
        HostCallEnd::parse(&body).unwrap()
    }

    #[test]
    fn a_call_ends_once_and_only_while_somebody_waits() {
        let calls = Rc::new(HostCalls::default());
        let waiting = calls.begin("one", 1);
        for other in [("one", 2), ("two", 1)] {
            let error = calls.end(end(other.0, other.1)).unwrap_err();
            assert_eq!(error.code(), "CALL_NOT_FOUND");
        }
        calls.end(end("one", 1)).unwrap();
        assert!(calls.end(end("one", 1)).is_err());
        let response = waiting.response().now_or_never().flatten();
        assert!(matches!(response, Some(HostResponse::Result(_))));
        let forgotten = calls.begin("one", 4);
        calls.forget();
        assert!(forgotten.response().now_or_never().flatten().is_none());
        drop(calls.begin("one", 3));
        assert!(calls.end(end("one", 3)).is_err());
        assert!(calls.waiting.borrow().is_empty());
    }
}
