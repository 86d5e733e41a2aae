//! An operation that waits for nothing: it is served in one call, without a request and without a
//! promise. `js/entry.js` sends everything else the way of `serve`.

use std::rc::Rc;

use wasm_bindgen::JsValue;

use super::super::body::interrupted;
use super::super::object::{Object, OperationGuard};
use super::Session;
use super::usage::Usage;
use crate::api::envelope;
use crate::api::routes::{BodyLimit, EXECUTE, OPERATE};
use crate::api::status::status;
use base::{Error, Result};
use session::persistent::{self, Addressed};

impl Object<Session> {
    /// Serves an operation. Returns the three digits of its status and the body of its response, or
    /// nothing if it may have to wait: for the first request of an instance, for D1, or because
    /// something is wrong with the request. In that case the operation has had no effect.
    pub fn operate_now(
        self: &Rc<Self>,
        tenant: String,
        name: String,
        body: Vec<u8>,
    ) -> Option<Vec<u8>> {
        if !self.is_prepared() {
            return None;
        }
        let body = String::from_utf8(body).ok()?;
        if persistent::addressed(&body).ok()? != Addressed::Session {
            return None;
        }
        let mut usage = Usage::new(self, tenant, name, OPERATE).ok()?;
        if body.len() as u64 > BodyLimit::Batch.limit_bytes(&usage.config) {
            return None;
        }
        let _running = OperationGuard::start(self);
        self.kind.sandboxes.write_down(&self.database());
        usage.record.bytes_in = body.len() as u64;
        usage.name_operation(&body);
        let (status, code, text) = match dispatched(&usage, &body) {
            Ok(reply) => (200, "OK", envelope::answered(&reply)),
            Err(error) => (status(&error), error.code(), envelope::failure(&error)),
        };
        // As in `serve`, the bytes of a failure are not counted.
        if code == "OK" {
            usage.record.bytes_out = text.len() as u64;
        }
        usage.finish(code);
        Some(answer(status, &text))
    }

    /// Records a request whose body did not arrive, and returns the status and body of its
    /// response, as `operate_now` does.
    pub fn interrupted(
        self: &Rc<Self>,
        tenant: String,
        name: String,
        kind: &str,
        thrown: &JsValue,
    ) -> Vec<u8> {
        let error = interrupted(thrown);
        let kind = if kind == EXECUTE { EXECUTE } else { OPERATE };
        if let Ok(mut usage) = Usage::new(self, tenant, name, kind) {
            usage.finish(error.code());
        }
        answer(status(&error), &envelope::failure(&error))
    }
}

/// Writes the digits of a status before a body.
pub fn answer(status: u16, text: &str) -> Vec<u8> {
    let mut answer = status.to_string().into_bytes();
    answer.extend_from_slice(text.as_bytes());
    answer
}

/// The digits of the status before the body of an answer.
const STATUS_DIGITS: usize = 3;

/// Returns the body of an answer of [`Object::operate_now`].
///
/// # Errors
/// Internal, if it is no such answer.
pub fn answer_text(answer: &[u8]) -> Result<String> {
    let text = answer.get(STATUS_DIGITS..).map(<[u8]>::to_vec);
    text.and_then(|text| String::from_utf8(text).ok())
        .ok_or_else(|| Error::internal("the answer of the session is not text"))
}

fn dispatched(usage: &Usage, body: &str) -> Result<session::Reply> {
    #[cfg(feature = "fault-injection")]
    super::super::faults::operation(body);
    session::dispatch(&usage.session()?, body)
}
