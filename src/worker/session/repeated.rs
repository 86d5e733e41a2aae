//! Statements that `js/statements.js` repeats without a call into this instance.

use std::rc::Rc;

use js_sys::{Array, Object as JsObject, Reflect};
use serde::Deserialize;
use wasm_bindgen::JsValue;

use super::super::object::Object;
use super::Session;
use super::usage::{Usage, known_operation};
use crate::api::envelope;
use crate::api::routes::OPERATE;
use base::{Error, Result};
use database::Counters;
use session::repeated::{
    MAX_DATABASE_BYTES, MAX_PARAMETER_BYTES, Repeated, Repetition, UNFINISHED,
};

/// A statement that was repeated without a call into this instance.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Ended {
    operation: String,
    rows_read: u64,
    rows_written: u64,
    bytes_in: u64,
    bytes_out: u64,
}

impl Object<Session> {
    /// Returns the generation of the schema, if nothing goes on in the object that `js/entry.js`
    /// does not know: it is prepared, no request is being served, and no record waits to be
    /// written.
    pub fn quiet_generation(&self) -> Option<u32> {
        let is_quiet = self.is_prepared() && !self.is_running() && self.kind.sandboxes.is_quiet();
        is_quiet.then(|| self.kind.cache.generation())
    }

    /// Returns true if the session has receivers of change events.
    pub fn is_watched(&self) -> bool {
        !self.kind.cache.watchers.is_empty()
    }

    /// Decides for `js/statements.js` if the statement of a body that was served before may be
    /// repeated. Returns the statement, null if it may not, and nothing if the next run tells.
    pub fn repetition(self: &Rc<Self>, tenant: &str, name: &str, body: &str) -> Option<JsValue> {
        let usage = Usage::new(self, tenant.to_owned(), name.to_owned(), OPERATE).ok()?;
        let repeated = match usage.session().ok()?.repetition(body).ok()? {
            Repetition::Allowed(repeated) => repeated,
            Repetition::Refused => return Some(JsValue::NULL),
            Repetition::Undecided => return None,
        };
        let Some(parts) = parts_of(&repeated) else {
            return Some(JsValue::NULL);
        };
        let parts: Array = parts.iter().map(JsValue::from).collect();
        let made = JsObject::new();
        for (name, value) in [
            ("sql", JsValue::from(&repeated.sql)),
            ("writes", repeated.writes.into()),
            ("parts", parts.into()),
            (
                "unfinished",
                UNFINISHED
                    .map(JsValue::from)
                    .iter()
                    .collect::<Array>()
                    .into(),
            ),
            ("maxRows", count(repeated.max_rows)),
            ("maxListBytes", count(repeated.max_list_bytes as u64)),
            ("maxParameterBytes", count(MAX_PARAMETER_BYTES as u64)),
            ("maxDatabaseBytes", count(MAX_DATABASE_BYTES)),
        ] {
            Reflect::set(&made, &JsValue::from_str(name), &value).ok()?;
        }
        Some(made.into())
    }

    /// Records statements that were repeated without a call into this instance.
    ///
    /// # Errors
    /// Those of the settings, and of the engine.
    pub fn statements_ended(self: &Rc<Self>, tenant: &str, name: &str, ended: &str) -> Result<()> {
        let ended: Vec<Ended> = serde_json::from_str(ended)
            .map_err(|error| Error::internal(format!("the statements cannot be read: {error}")))?;
        self.forget_size();
        for one in ended {
            let mut usage = Usage::new(self, tenant.to_owned(), name.to_owned(), OPERATE)?;
            usage.session()?;
            if let Some(known) = known_operation(&one.operation) {
                usage.record.operation = known.to_owned();
            }
            usage.record.counters = Counters {
                rows_read: one.rows_read,
                rows_written: one.rows_written,
            };
            usage.record.bytes_in = one.bytes_in;
            usage.record.bytes_out = one.bytes_out;
            usage.finish("OK");
        }
        Ok(())
    }
}

/// Returns the parts of the response around the values that each run has.
fn parts_of(repeated: &Repeated) -> Option<[String; 4]> {
    let text = envelope::answered(&repeated.reply);
    let [first, second, third] = repeated.places();
    let (before, rest) = text.split_once(&first)?;
    let (between, rest) = rest.split_once(&second)?;
    let (behind, last) = rest.split_once(&third)?;
    let parts = [before, between, behind, last];
    // A column may be named like a place.
    let is_place = |part: &&str| {
        [&first, &second, &third]
            .iter()
            .any(|place| part.contains(place.as_str()))
    };
    (!parts.iter().any(is_place)).then(|| parts.map(str::to_owned))
}

#[expect(clippy::cast_precision_loss, reason = "limits stay far below 2^53")]
fn count(number: u64) -> JsValue {
    JsValue::from_f64(number as f64)
}
