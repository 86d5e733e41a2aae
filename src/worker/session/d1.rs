//! [`RemoteDatabase`] on a D1 binding, and the one way in from the object.
//!
//! Everything goes through `batch()`, which runs its statements in one transaction. A statement that D1 refuses is a rejected promise,
//! which is awaited here and becomes an error; nothing throws across the boundary without `catch`.

use js_sys::{Array, Object, Promise, Uint8Array};
use session::SessionError;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::super::bindings::{count, thrown_text};
use super::super::instance;
use super::super::storage::ObjectDatabase;
use crate::config::Config;
use base::{Error, Result};
use database::{Bind, Cell, Counters, EngineError};
use session::persistent::remote::{Outcome, RemoteDatabase};
use session::persistent::{self, Persistent};
use session::{Answer, Session};
use sql::Bound;

/// The binding's name.
const BINDING: &str = "CODEMODE_D1";

#[wasm_bindgen]
extern "C" {
    /// A D1 binding.
    type D1Database;

    #[wasm_bindgen(method, catch)]
    fn prepare(this: &D1Database, sql: &str) -> Result<D1Statement, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn batch(this: &D1Database, statements: &Array) -> Result<Promise, JsValue>;

    /// A prepared statement.
    type D1Statement;

    #[wasm_bindgen(method, catch, variadic)]
    fn bind(this: &D1Statement, values: &Array) -> Result<D1Statement, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn raw(this: &D1Statement, options: &JsValue) -> Result<Promise, JsValue>;

    /// What one statement of a batch gave.
    type D1Result;

    #[wasm_bindgen(method, getter)]
    fn results(this: &D1Result) -> JsValue;

    #[wasm_bindgen(method, getter)]
    fn meta(this: &D1Result) -> Option<D1Meta>;

    /// What it cost.
    type D1Meta;

    #[wasm_bindgen(method, getter)]
    fn changes(this: &D1Meta) -> Option<f64>;

    #[wasm_bindgen(method, getter)]
    fn rows_read(this: &D1Meta) -> Option<f64>;

    #[wasm_bindgen(method, getter)]
    fn rows_written(this: &D1Meta) -> Option<f64>;
}

/// What a request wants of the persistent database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// An operation with `"target":"persistent"`.
    Operation,
    /// A copy of a table of the session.
    Copy,
}

/// Serves it.
///
/// # Errors
/// [`SessionError::PersistentUnavailable`] without the binding, or what the operation says.
pub async fn run(
    env: &JsValue,
    tenant: &str,
    config: &Config,
    session: &Session<'_, ObjectDatabase>,
    wanted: Wanted,
    body: &str,
) -> Result<Answer> {
    let Some(binding) = instance::binding(env, BINDING) else {
        return Err(Error::from(SessionError::PersistentUnavailable));
    };
    let remote = Remote {
        database: binding.unchecked_into(),
    };
    let persistent =
        Persistent::new(&remote, tenant, &config.session, session.now_ms).within(session.scope);
    match wanted {
        Wanted::Operation => persistent::dispatch(&persistent, body).await,
        Wanted::Copy => persistent::persist(&persistent, session, body).await,
    }
}

struct Remote {
    database: D1Database,
}

impl Remote {
    fn statement(&self, bound: &Bound) -> Result<D1Statement, EngineError> {
        let statement = self
            .database
            .prepare(bound.sql())
            .map_err(|thrown| engine_error(&thrown))?;
        if bound.binds().is_empty() {
            return Ok(statement);
        }
        let values: Array = bound.binds().iter().map(bind_value).collect();
        statement
            .bind(&values)
            .map_err(|thrown| engine_error(&thrown))
    }
}

impl RemoteDatabase for Remote {
    async fn columns(&self, statement: &Bound) -> Result<Vec<String>, EngineError> {
        let options = Object::new();
        let _set = js_sys::Reflect::set(&options, &"columnNames".into(), &JsValue::TRUE);
        let rows = settled(self.statement(statement)?.raw(&options)).await?;
        let names = rows
            .dyn_ref::<Array>()
            .map(|rows| rows.get(0))
            .unwrap_or_default();
        let names = names.dyn_ref::<Array>().map(|names| {
            names
                .iter()
                .map(|name| name.as_string().unwrap_or_default())
                .collect()
        });
        names.ok_or_else(|| EngineError {
            message: "the persistent database gave no column names: internal error".to_owned(),
        })
    }

    async fn batch(&self, statements: &[Bound]) -> Result<Vec<Outcome>, EngineError> {
        let prepared = statements
            .iter()
            .map(|bound| self.statement(bound))
            .collect::<Result<Vec<_>, _>>()?;
        let prepared: Array = prepared.into_iter().map(JsValue::from).collect();
        let answers = settled(self.database.batch(&prepared)).await?;
        match answers.dyn_ref::<Array>() {
            Some(answers) => Ok(answers
                .iter()
                .map(|answer| outcome(answer.unchecked_ref()))
                .collect()),
            None => Err(EngineError {
                message: "the persistent database gave no results: internal error".to_owned(),
            }),
        }
    }
}

async fn settled(promise: Result<Promise, JsValue>) -> Result<JsValue, EngineError> {
    match promise {
        Ok(promise) => JsFuture::from(promise).await,
        Err(thrown) => Err(thrown),
    }
    .map_err(|thrown| engine_error(&thrown))
}

/// D1 puts a word of its own in front of the engine's text.
fn engine_error(thrown: &JsValue) -> EngineError {
    let text = thrown_text(thrown);
    let message = ["D1_ERROR: ", "D1_EXEC_ERROR: "]
        .iter()
        .find_map(|word| text.strip_prefix(word))
        .unwrap_or(&text);
    EngineError {
        message: message.to_owned(),
    }
}

fn outcome(answer: &D1Result) -> Outcome {
    let results = answer.results();
    let rows = results
        .dyn_ref::<Array>()
        .map(|rows| rows.iter().map(row).collect())
        .unwrap_or_default();
    let meta = answer.meta();
    let figure = |read: fn(&D1Meta) -> Option<f64>| meta.as_ref().and_then(read).map_or(0, count);
    Outcome {
        rows,
        counters: Counters {
            rows_read: figure(D1Meta::rows_read),
            rows_written: figure(D1Meta::rows_written),
        },
        changes: figure(D1Meta::changes),
    }
}

/// A row is an object whose keys are in the order of the columns.
fn row(row: JsValue) -> Vec<Cell> {
    row.dyn_ref::<Object>()
        .map(|row| Object::values(row).iter().map(cell).collect())
        .unwrap_or_default()
}

fn cell(value: JsValue) -> Cell {
    if let Some(number) = value.as_f64() {
        return Cell::Number(number);
    }
    match value.as_string() {
        Some(text) => Cell::Text(text),
        // A blob would be a list of numbers; our statements ask for none.
        None => Cell::Null,
    }
}

fn bind_value(bind: &Bind) -> JsValue {
    match bind {
        Bind::Null => JsValue::NULL,
        Bind::Real(number) => JsValue::from_f64(*number),
        Bind::Text(text) => JsValue::from_str(text),
        Bind::Blob(bytes) => Uint8Array::from(bytes.as_slice()).into(),
    }
}
