//! An operation that waits for nothing: it is served in one call, without a request and without a
//! promise. `js/entry.js` sends everything else the way of `serve`.

use std::rc::Rc;

use super::super::object::{Object, OperationGuard};
use super::super::session::answer;
use super::Graph;
use super::call::Call;
use crate::api::envelope;
use crate::api::status::status;
use ::graph::ObjectOperation;

impl Object<Graph> {
    /// Serves an operation, as [`Call::new`] describes it. Returns the three digits of its status
    /// and the body of its response, or nothing if it may have to wait: for the first request of an
    /// instance, for another object, or because something is wrong with the request. In that case
    /// the operation has had no effect.
    pub fn operate_now(
        self: &Rc<Self>,
        names: (String, String),
        method: &str,
        path: &str,
        actor: Option<&str>,
        body: Vec<u8>,
    ) -> Option<Vec<u8>> {
        if !self.is_prepared() {
            return None;
        }
        let mut call = Call::new(self, names, method, path, actor).ok()?;
        let body = String::from_utf8(body).ok()?;
        if body.len() as u64 > call.limit_bytes() {
            return None;
        }
        let _running = OperationGuard::start(self);
        #[cfg(feature = "fault-injection")]
        super::super::faults::operation(&body);
        call.record.bytes_in = body.len() as u64;
        let outcome = match call.operation(&body, None) {
            Ok(request) => match ::graph::handler(request.id) {
                Ok(handler) => self.run(&call, &request, handler),
                Err(ObjectOperation::Query) => self.query(&call, &request.arguments),
                Err(
                    ObjectOperation::DeleteGraph
                    | ObjectOperation::ImportFromQuery
                    | ObjectOperation::ExportToSession,
                ) => return None,
            },
            Err(error) => Err(error),
        };
        let (status, code, text) = match outcome.map(|made| made.of(call.task)) {
            Ok(made) => (made.status, "OK", made.json),
            Err(error) => (status(&error), error.code(), envelope::failure(&error)),
        };
        // As in `serve`, the bytes of a failure are not counted.
        let bytes_out = if code == "OK" { text.len() } else { 0 };
        call.finish(self, code, bytes_out);
        Some(answer(status, &text))
    }
}
