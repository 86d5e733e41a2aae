//! [`RemoteDatabase`] on a D1 binding.
//!
//! All statements use `batch()`, which runs them in one transaction. A statement that D1 refuses is
//! a rejected promise, which is awaited here and becomes an error; nothing throws across the
//! boundary without `catch`.

use js_sys::{Array, Object, Promise, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::bindings::{count, thrown_text};
use super::instance;
use base::Error;
use database::{Bind, Cell, Counters, EngineError};
use session::SessionError;
use session::persistent::remote::{Outcome, RemoteDatabase};
use sql_gate::Bound;

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

    /// The result of one statement of a batch.
    type D1Result;

    #[wasm_bindgen(method, getter)]
    fn results(this: &D1Result) -> JsValue;

    #[wasm_bindgen(method, getter)]
    fn meta(this: &D1Result) -> Option<D1Meta>;

    /// The cost of a statement.
    type D1Meta;

    #[wasm_bindgen(method, getter)]
    fn changes(this: &D1Meta) -> Option<f64>;

    #[wasm_bindgen(method, getter)]
    fn rows_read(this: &D1Meta) -> Option<f64>;

    #[wasm_bindgen(method, getter)]
    fn rows_written(this: &D1Meta) -> Option<f64>;
}

/// The database that all tenants share.
pub struct Remote {
    database: D1Database,
}

impl Remote {
    /// Returns the database of the deployment.
    ///
    /// # Errors
    /// [`SessionError::PersistentUnavailable`] without the binding.
    pub fn of(env: &JsValue) -> base::Result<Self> {
        match instance::binding(env, BINDING) {
            Some(binding) => Ok(Self {
                database: binding.unchecked_into(),
            }),
            None => Err(Error::from(SessionError::PersistentUnavailable)),
        }
    }

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

/// Makes an error of a thrown value, without the word that D1 puts in front of the engine's text.
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

/// Converts a row, which is an object whose keys are in the order of the columns.
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
        // A blob would be a list of numbers; our statements select none.
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
