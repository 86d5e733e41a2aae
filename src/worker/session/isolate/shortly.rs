//! Programs that `js/programs.js` starts by itself, and ends if they need nothing from their object.

use std::rc::Rc;

use js_sys::{Array, Object as JsObject, Reflect};
use serde::Deserialize;
use wasm_bindgen::JsValue;

use super::super::Session;
use super::super::usage::Usage;
use super::response::{SUCCESS, frame};
use super::{FLUSH_MS, LOADER, code_of, options_of, servers_of};
use crate::api::routes::EXECUTE;
use crate::worker::instance;
use crate::worker::object::Object;
use base::Result;
use sandbox::limits::MAX_INLINE_RESULT_RECORDS;
use sandbox::request::{Isolate, Request};
use session::executions::{Execution, Output};

/// The code of a run that succeeded.
const SUCCEEDED: &str = "OK";

/// A run that ended without a call into this instance.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Ended {
    id: String,
    ended_ms: u64,
    duration_ms: u64,
    bytes_in: u64,
    bytes_out: u64,
}

impl Object<Session> {
    /// Returns true if a program may start without asking here: the object is prepared, and no
    /// other program runs or waits.
    pub fn may_run_shortly(&self) -> bool {
        self.is_prepared() && self.kind.sandboxes.is_idle()
    }

    /// Reserves a place for a program that runs already.
    pub fn reserve_place(&self) {
        self.kind.sandboxes.reserve_place();
    }

    /// Prepares the program of a body: its code, the options of its runtime, its limits, and the
    /// parts of its response. Returns nothing if it takes the long way, because it has tools, a
    /// scope or an isolate of its own, or because something is wrong with it.
    pub fn prepare_body(&self, tenant: &str, body: &str) -> Option<JsValue> {
        let request = Request::parse(body).ok()?;
        let is_plain = request.scope.is_none()
            && request.host_tools.is_none()
            && request.isolate == Isolate::Fresh;
        is_plain.then(|| self.prepare_program(tenant, &request))?
    }

    /// Prepares a program as [`Self::prepare_body`] does.
    pub fn prepare_program(&self, tenant: &str, request: &Request) -> Option<JsValue> {
        let config = instance::config(&self.env).ok()?;
        instance::binding(&self.env, LOADER)?;
        let prepared = self.kind.sandboxes.recent.prepare(&request.code).ok()?;
        let code = code_of(request, &prepared, &config).ok()?;
        let servers = servers_of(&config, tenant);
        let options = options_of(request, &prepared, &servers, FLUSH_MS).ok()?;
        let frame = frame(&request.code, Vec::new(), Vec::new());
        let reply = std::iter::once(SUCCESS).chain(frame.iter().map(String::as_str));
        let reply: Array = reply.map(JsValue::from_str).collect();
        let made = JsObject::new();
        for (name, value) in [
            ("code", code),
            ("options", options),
            ("timeoutMs", request.timeout_ms.into()),
            ("maxResultBytes", request.max_result_bytes.into()),
            ("maxRecords", MAX_INLINE_RESULT_RECORDS.into()),
            ("reply", reply.into()),
        ] {
            Reflect::set(&made, &JsValue::from_str(name), &value).ok()?;
        }
        Some(made.into())
    }

    /// Writes down runs that ended without a call into this instance.
    ///
    /// # Errors
    /// Those of the settings, and of the engine.
    pub fn programs_ended(self: &Rc<Self>, tenant: &str, name: &str, ended: &str) -> Result<()> {
        let ended: Vec<Ended> = serde_json::from_str(ended)
            .map_err(|error| base::Error::internal(format!("the runs cannot be read: {error}")))?;
        let sandboxes = &self.kind.sandboxes;
        for run in ended {
            let mut usage = Usage::new(self, tenant.to_owned(), name.to_owned(), EXECUTE)?;
            usage.session()?;
            sandboxes.unwritten.borrow_mut().push(Execution {
                id: run.id,
                ended_ms: run.ended_ms,
                duration_ms: run.duration_ms,
                calls: 0,
                outcome: SUCCEEDED.to_owned(),
                error: None,
                output: Output::end_of(&[]),
            });
            usage.record.bytes_in = run.bytes_in;
            usage.record.bytes_out = run.bytes_out;
            usage.lasted(run.duration_ms);
            usage.finish(SUCCEEDED);
        }
        sandboxes.write_down(&self.database());
        Ok(())
    }
}
