//! Bindings to JavaScript that workers-rs lacks, or binds without `catch`.
//!
//! An exception that crosses into WebAssembly without `catch` ends the instance, so every function
//! here that can throw is caught.

use js_sys::{Array, Promise, Uint8Array};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

#[wasm_bindgen]
extern "C" {
    /// `ctx` of a Durable Object.
    pub type ObjectState;

    /// `ctx.storage`.
    #[wasm_bindgen(method, getter)]
    pub fn storage(this: &ObjectState) -> Storage;

    /// `ctx.storage` of a Durable Object.
    #[derive(Clone)]
    pub type Storage;

    /// `ctx.storage.sql`.
    #[wasm_bindgen(method, getter)]
    pub fn sql(this: &Storage) -> Sql;

    /// Runs `work` in a transaction; a throw rolls back.
    #[wasm_bindgen(method, catch, js_name = transactionSync)]
    pub fn transaction_sync(
        this: &Storage,
        work: &mut dyn FnMut() -> Result<JsValue, JsValue>,
    ) -> Result<JsValue, JsValue>;

    /// Deletes all data and, from compatibility date 2026-02-24 on, the alarm.
    #[wasm_bindgen(method, catch, js_name = deleteAll)]
    pub fn delete_all(this: &Storage) -> Result<Promise, JsValue>;

    /// Returns the alarm's time, or null.
    #[wasm_bindgen(method, catch, js_name = getAlarm)]
    pub fn get_alarm(this: &Storage) -> Result<Promise, JsValue>;

    /// Sets the alarm, in milliseconds since 1970.
    #[wasm_bindgen(method, catch, js_name = setAlarm)]
    pub fn set_alarm(this: &Storage, time_ms: f64) -> Result<Promise, JsValue>;

    /// `ctx.storage.sql`.
    #[derive(Clone)]
    pub type Sql;

    /// Runs one statement with its bound values.
    #[wasm_bindgen(method, catch, variadic)]
    pub fn exec(this: &Sql, text: &str, binds: &Array) -> Result<Cursor, JsValue>;

    /// The size of the database, in bytes.
    #[wasm_bindgen(method, getter, js_name = databaseSize)]
    pub fn database_size(this: &Sql) -> f64;

    /// `SqlStorageCursor`.
    pub type Cursor;

    /// The column names, with duplicates.
    #[wasm_bindgen(method, getter, js_name = columnNames)]
    pub fn column_names(this: &Cursor) -> Array;

    /// The rows read so far.
    #[wasm_bindgen(method, catch, getter, js_name = rowsRead)]
    pub fn rows_read(this: &Cursor) -> Result<f64, JsValue>;

    /// The rows written so far.
    #[wasm_bindgen(method, catch, getter, js_name = rowsWritten)]
    pub fn rows_written(this: &Cursor) -> Result<f64, JsValue>;

    /// Returns the iterator of rows as arrays.
    #[wasm_bindgen(method, catch)]
    pub fn raw(this: &Cursor) -> Result<RawRows, JsValue>;

    /// Returns the only row. The statement is closed afterwards in any case.
    #[wasm_bindgen(method, catch)]
    pub fn one(this: &Cursor) -> Result<JsValue, JsValue>;

    /// The iterator of rows as arrays.
    pub type RawRows;

    /// A Durable Object namespace.
    pub type Namespace;

    /// Returns the stub of the object with this name.
    #[wasm_bindgen(method, catch, js_name = getByName)]
    pub fn get_by_name(this: &Namespace, name: &str) -> Result<Stub, JsValue>;

    /// The stub of an object.
    pub type Stub;

    /// Calls `operate` of `js/entry.js`, which serves an operation in the object. Resolves to the
    /// digits of the status and the body of the response, or to the response itself if it is long
    /// or had to wait.
    #[wasm_bindgen(method, catch)]
    pub fn operate(
        this: &Stub,
        tenant: &str,
        session: &str,
        body: Uint8Array,
    ) -> Result<Promise, JsValue>;

    /// An Analytics Engine data set.
    pub type Dataset;

    /// Writes one data point; the platform does the rest later.
    #[wasm_bindgen(method, catch, js_name = writeDataPoint)]
    pub fn write_data_point(this: &Dataset, point: &JsValue) -> Result<(), JsValue>;
}

#[wasm_bindgen(module = "/js/rows.js")]
extern "C" {
    /// Takes the first column of up to `max_rows` rows, and stops once the text has reached
    /// `max_characters`. Returns the text, the number of rows, and true if the cursor is at its
    /// end; or the text of an error of the engine.
    #[wasm_bindgen(js_name = takeText)]
    pub fn take_text(
        rows: &RawRows,
        max_rows: u32,
        max_characters: u32,
        separator: &str,
    ) -> JsValue;

    /// Runs a statement that has at most one row, of bytes and a number, and closes it. Fills
    /// `numbers` and `room`. Returns the bytes if they are too long for `room`, or the text of an
    /// error of the engine.
    #[wasm_bindgen(js_name = onlyRow)]
    pub fn only_row(
        sql: &Sql,
        text: &str,
        binds: &str,
        numbers: &mut [f64],
        room: &mut [u8],
    ) -> JsValue;

    /// Runs a write without rows, and fills `numbers` with the rows read, written and changed.
    /// Returns the text of an error of the engine.
    pub fn write(sql: &Sql, text: &str, binds: &str, numbers: &mut [f64]) -> Option<String>;

    /// Returns the next row, or `None` at the end.
    #[wasm_bindgen(catch, js_name = nextRow)]
    pub fn next_row(rows: &RawRows) -> Result<Option<Array>, JsValue>;
}

#[wasm_bindgen(module = "/js/messages.js")]
extern "C" {
    /// Returns method, URL and the headers with these names, one per line; a NUL stands for an
    /// absent header.
    #[wasm_bindgen(catch, js_name = readRequest)]
    pub fn read_request(request: &web_sys::Request, names: &Array) -> Result<String, JsValue>;

    /// Returns the headers whose names begin with `prefix`: a line for each name, in lower case,
    /// and one for its value.
    #[wasm_bindgen(catch, js_name = headersWith)]
    pub fn headers_with(request: &web_sys::Request, prefix: &str) -> Result<String, JsValue>;

    /// Reads the whole body of a request; resolves to its bytes.
    #[wasm_bindgen(js_name = readAll)]
    pub fn read_all(request: &web_sys::Request) -> Promise;

    /// Makes a response with a whole body, and a header that forbids browsers to guess its type.
    #[wasm_bindgen(catch)]
    pub fn respond(body: &[u8], status: u16, content_type: &str) -> Result<Response, JsValue>;

    /// Sends a request to an object; resolves to its response. `headers` has a line for each name
    /// and one for its value.
    #[wasm_bindgen(catch, js_name = sendTo)]
    pub fn send_to(
        stub: &Stub,
        method: &str,
        url: &str,
        headers: &str,
        body: &JsValue,
    ) -> Result<Promise, JsValue>;
}

#[wasm_bindgen(module = "/js/guard.js")]
extern "C" {
    /// Returns a promise of the response of `work` to a request, once the client can read it. If
    /// the work takes longer than `timeout_ms` or fails, the promise resolves to one of the last
    /// resorts.
    pub fn guard(
        request: &web_sys::Request,
        work: &Promise,
        timeout_ms: u32,
        last_resorts: &Array,
        headers: &Array,
    ) -> Promise;

    /// Returns a promise of the outcome of `work`, which is rejected once the instance has ended.
    #[wasm_bindgen(js_name = unlessAbandoned)]
    pub fn unless_abandoned(work: &Promise) -> Promise;

    /// Rejects every promise that waits for the instance, because the instance ends.
    pub fn abandon(reason: &str);
}

#[wasm_bindgen(module = "/js/body.js")]
extern "C" {
    /// A reader of a request body.
    pub type BodyReader;

    /// Opens a reader of the stream, which fills a buffer of our size.
    #[wasm_bindgen(catch, js_name = openBody)]
    pub fn open_body(stream: &web_sys::ReadableStream) -> Result<BodyReader, JsValue>;

    /// Reads the next piece of at most `size` bytes; resolves to null at the end of a complete
    /// body, and rejects if the client went away before the end.
    #[wasm_bindgen(js_name = readBody)]
    pub fn read_body(reader: &BodyReader, size: u32) -> Promise;

    /// Reads the next piece of at most `size` bytes as soon as any bytes have arrived; resolves to
    /// null at the end.
    #[wasm_bindgen(js_name = readSome)]
    pub fn read_some(reader: &BodyReader, size: u32) -> Promise;

    /// Cancels the rest of the body.
    #[wasm_bindgen(method, catch)]
    pub fn cancel(this: &BodyReader) -> Result<Promise, JsValue>;

    /// Leaves the rest of the body unread.
    #[wasm_bindgen(method, catch, js_name = releaseLock)]
    pub fn release_lock(this: &BodyReader) -> Result<(), JsValue>;

    /// Returns the body of a request, to send it on to an object. The part that the object does not
    /// read can still be discarded.
    #[wasm_bindgen(catch, js_name = passBody)]
    pub fn pass_body(request: &web_sys::Request) -> Result<JsValue, JsValue>;
}

/// Joins headers into the form that [`send_to`] takes.
pub fn header_lines(headers: &[(&str, &str)]) -> String {
    let lines: Vec<&str> = headers
        .iter()
        .flat_map(|(name, value)| [*name, *value])
        .collect();
    lines.join("\n")
}

/// Lets a promise settle without waiting for it, so that its rejection does not count as unhandled.
pub fn detach(promise: Result<Promise, JsValue>) {
    if let Ok(promise) = promise {
        wasm_bindgen_futures::spawn_local(async move {
            let _outcome = JsFuture::from(promise).await;
        });
    }
}

/// Reads the body of a response as text.
///
/// # Errors
/// Internal, for an exception of the platform.
pub async fn text_of(response: &Response) -> base::Result<String> {
    let failed = |thrown: JsValue| base::Error::internal(thrown_text(&thrown));
    let text = response.text().map_err(failed)?;
    let text = JsFuture::from(text).await.map_err(failed)?;
    text.as_string()
        .ok_or_else(|| base::Error::internal("the body of a response is not text"))
}

/// Returns the text of a thrown value.
pub fn thrown_text(thrown: &JsValue) -> String {
    let message = thrown
        .dyn_ref::<js_sys::Error>()
        .map(|error| String::from(error.message()));
    message
        .or_else(|| thrown.as_string())
        .unwrap_or_else(|| "an exception without a message".to_owned())
}

/// Converts a count of JavaScript. `as` saturates, and NaN becomes 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts of JavaScript are whole and not negative"
)]
pub fn count(number: f64) -> u64 {
    number as u64
}
