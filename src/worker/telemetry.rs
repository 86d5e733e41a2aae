//! One structured log line for each operation, and one data point if the deployment has an
//! Analytics Engine binding.
//!
//! Neither contains SQL text, values or tokens.

use js_sys::{Array, Object, Reflect};
use serde_json::json;
use wasm_bindgen::{JsCast, JsValue};

use super::bindings::Dataset;
use super::instance::binding;
use crate::config::OperationLog;
use database::Counters;

/// The binding's name.
const BINDING: &str = "TELEMETRY";

/// The facts and the cost of one operation.
#[derive(Debug, Clone, Default)]
pub struct Record {
    /// The part of the Worker that served it: `front`, or a kind of object.
    pub kind: &'static str,
    /// The tenant that owns the session.
    pub tenant: String,
    /// The session's name.
    pub session: String,
    /// The route or the operation.
    pub operation: String,
    /// The engine's counters.
    pub counters: Counters,
    /// Bytes of the request's body.
    pub bytes_in: u64,
    /// Bytes of the response's body.
    pub bytes_out: u64,
    /// The milliseconds from the start of the operation to its end.
    pub duration_ms: u64,
    /// `OK`, or the error's code.
    pub code: &'static str,
}

impl Record {
    /// Writes it to the log, unless the deployment has turned that off, and to the data set, if
    /// there is one.
    pub fn write(&self, env: &JsValue, log: OperationLog) {
        if log == OperationLog::On {
            web_sys::console::log_1(&JsValue::from_str(&self.line()));
        }
        if let Some(dataset) = binding(env, BINDING) {
            // Statistics must never fail the operation that they count.
            let _written = self
                .data_point()
                .and_then(|point| dataset.unchecked_ref::<Dataset>().write_data_point(&point));
        }
    }

    fn line(&self) -> String {
        let line = json!({
            "event": "operation", "kind": self.kind, "tenant": self.tenant, "session": self.session, "operation": self.operation,
            "rowsRead": self.counters.rows_read, "rowsWritten": self.counters.rows_written,
            "bytesIn": self.bytes_in, "bytesOut": self.bytes_out, "durationMs": self.duration_ms, "code": self.code,
        });
        line.to_string()
    }

    /// Makes the data point. Index: tenant. Blobs: session, operation, code, kind. Doubles: rows
    /// read, rows written, bytes in, bytes out, milliseconds.
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    fn data_point(&self) -> Result<JsValue, JsValue> {
        let texts = [
            self.session.as_str(),
            self.operation.as_str(),
            self.code,
            self.kind,
        ];
        let numbers = [
            self.counters.rows_read,
            self.counters.rows_written,
            self.bytes_in,
            self.bytes_out,
            self.duration_ms,
        ];
        let point = Object::new();
        Reflect::set(
            &point,
            &"indexes".into(),
            &Array::of1(&JsValue::from_str(&self.tenant)),
        )?;
        Reflect::set(
            &point,
            &"blobs".into(),
            &texts
                .iter()
                .map(|text| JsValue::from_str(text))
                .collect::<Array>(),
        )?;
        Reflect::set(
            &point,
            &"doubles".into(),
            &numbers
                .iter()
                .map(|number| JsValue::from_f64(*number as f64))
                .collect::<Array>(),
        )?;
        Ok(point.into())
    }
}
