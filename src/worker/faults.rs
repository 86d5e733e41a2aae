//! Faults on demand, for tests only: compiled with the feature `fault-injection`, never into a
//! deployed Worker.
//!
//! `/__test/…` makes a fault in the front Worker, `/__test/session/…` sends a session a request
//! that only the front Worker can make, and `?fault=…` after any session route makes a fault in the
//! object.

use std::sync::atomic::{AtomicU32, Ordering};

use std::rc::Rc;

use js_sys::Promise;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

use super::addresses::{APPROVED, CONFIRMATIONS, SESSION, SESSION_HEADER, TENANT_HEADER, WATCH};
use super::bindings::{Storage, header_lines, pass_body, send_to};
use super::received::IncomingRequest;
use super::storage::ObjectDatabase;
use super::{instance, reply, statement_fault};
use crate::api::address::Address;
use crate::api::auth::LOCAL_TENANT;
use crate::api::routes::query_parameter;
use base::names::object_name;
use base::{Error, Result};
use database::DatabaseExt;
use sql_gate::{self, Policy};

/// Makes a fault in the front Worker; returns `None` if the path does not name a fault.
pub async fn front(
    received: &IncomingRequest,
    address: Address<'_>,
    env: &JsValue,
) -> Option<Result<Response, JsValue>> {
    let name = address.path.strip_prefix("/__test/")?;
    if let Some(asked) = name.strip_prefix("session/") {
        return Some(ask_session(asked, received, address, env).await);
    }
    let outcome = match name {
        "panic" => panic("in the front Worker"),
        "overflow" => Ok(overflow(1).to_string()),
        "hang" => pending().await,
        "memory" => Ok(memory_bytes().to_string()),
        "review" => review(received, env, 1).await,
        "gate" => {
            let times = query_parameter(address.query, "n")
                .ok()
                .flatten()
                .and_then(|times| times.parse().ok());
            review(received, env, times.unwrap_or(1)).await
        }
        _ => Err(Error::invalid("no such fault")),
    };
    Some(match outcome {
        Ok(text) => reply::json(&text, 200),
        Err(error) => reply::failure(&error),
    })
}

/// Sends a session of the tenant `local` a request that only the front Worker can make:
/// `confirmations` or `approved` with the body, or `watch`.
async fn ask_session(
    asked: &str,
    received: &IncomingRequest,
    address: Address<'_>,
    env: &JsValue,
) -> Result<Response, JsValue> {
    let named = query_parameter(address.query, "session")
        .ok()
        .flatten()
        .unwrap_or_default();
    let stub = match SESSION.stub(env, &object_name(LOCAL_TENANT, &named)) {
        Ok(stub) => stub,
        Err(error) => return reply::failure(&error),
    };
    let sent = if asked == "watch" {
        send_to(&stub, "GET", WATCH, "", &JsValue::UNDEFINED)?
    } else {
        let body = pass_body(&received.request)?;
        let url = if asked == "approved" {
            APPROVED
        } else {
            CONFIRMATIONS
        };
        let headers = header_lines(&[(TENANT_HEADER, LOCAL_TENANT), (SESSION_HEADER, &named)]);
        send_to(&stub, "POST", url, &headers, &body)?
    };
    JsFuture::from(sent).await?.dyn_into()
}

/// Makes a fault in the object; `None` if the request has no fault, or shall continue after it.
pub async fn object(query: &str, storage: &Storage) -> Result<Option<String>> {
    match query_parameter(query, "fault")?.as_deref() {
        None => Ok(None),
        Some("panic") => panic("in the object").map(Some),
        Some("overflow") => Err(Error::internal(overflow(1).to_string())),
        Some("hang") => pending().await.map(Some),
        Some("alarm") => ring(storage).await.map(|()| None),
        Some("staged") => staged(storage).map(Some),
        Some("wedge") => wedge(),
        Some(other) => Err(Error::invalid(format!("no such fault: {other}"))),
    }
}

/// Arms `fault=statement&times=n`: the object ends in the middle of this request, instead of
/// running the statement after the first `n`.
pub fn arm(query: &str) {
    if query_parameter(query, "fault").ok().flatten().as_deref() == Some("statement") {
        statement_fault::arm(repetitions(query));
    }
}

/// Makes the fault that a comment in the body of an operation names, in the middle of it.
pub fn operation(body: &str) {
    if body.contains("/*fault=panic*/") {
        let _unreachable = panic("in the middle of an operation");
    }
    if body.contains("/*fault=overflow*/") {
        let _unreachable = overflow(1);
    }
}

/// Returns true if a query string has parameters that only test builds know.
pub fn are_asked(query: &str) -> bool {
    ["fault=", "times="]
        .iter()
        .any(|parameter| query.contains(parameter))
}

/// Returns how often an operation runs before it responds, which measures its cost without that of
/// the way to the object.
pub fn repetitions(query: &str) -> u32 {
    query_parameter(query, "times")
        .ok()
        .flatten()
        .and_then(|times| times.parse().ok())
        .unwrap_or(1)
}

/// The number of repetitions so far of statements that must be new to the object.
static REPEATED: AtomicU32 = AtomicU32::new(0);

/// Returns the body of a repetition. A comment `/*new*/` in it is replaced by one with a new
/// number, so that the object has not seen the statement.
pub fn numbered(body: &str) -> std::borrow::Cow<'_, str> {
    match body.contains("/*new*/") {
        true => {
            let number = REPEATED.fetch_add(1, Ordering::Relaxed);
            body.replace("/*new*/", &format!("/*{number}*/")).into()
        }
        false => body.into(),
    }
}

/// Computes without end, so that the process serves nothing any more.
fn wedge() -> ! {
    let mut rounds = 0_u64;
    loop {
        rounds = std::hint::black_box(rounds.wrapping_add(1));
    }
}

/// Returns the number of chunks of unfinished loads.
fn staged(storage: &Storage) -> Result<String> {
    let database = ObjectDatabase::new(storage.clone(), &Rc::default());
    let count = database
        .cell("SELECT count(*) FROM _codemode_stage", &[])?
        .map_or(0, |cell| cell.as_count());
    Ok(count.to_string())
}

#[expect(clippy::panic, reason = "the panic is the point")]
fn panic(place: &str) -> Result<String> {
    panic!("a test asked for a panic {place}")
}

/// Overflows the stack, which no panic hook notices.
fn overflow(depth: u64) -> u64 {
    let frame = std::hint::black_box([depth; 64]);
    if depth == u64::MAX {
        0
    } else {
        overflow(depth + 1) + frame.iter().sum::<u64>()
    }
}

async fn pending() -> Result<String> {
    let never = Promise::new(&mut |_, _| {});
    let _outcome = JsFuture::from(never).await;
    Ok(String::new())
}

/// Sets the alarm to now and keeps the request running for half a second.
async fn ring(storage: &Storage) -> Result<()> {
    super::bindings::detach(storage.set_alarm(js_sys::Date::now()));
    worker::Delay::from(std::time::Duration::from_millis(500)).await;
    Ok(())
}

fn memory_bytes() -> f64 {
    let memory = wasm_bindgen::memory().unchecked_into::<js_sys::WebAssembly::Memory>();
    memory
        .buffer()
        .unchecked_into::<js_sys::ArrayBuffer>()
        .byte_length()
        .into()
}

async fn review(received: &IncomingRequest, env: &JsValue, times: u32) -> Result<String> {
    let config = instance::config(env)?;
    let text = super::body::read_text(received, config.max_request_bytes as u64).await?;
    let policy = Policy {
        profile: config.session.profile,
        max_recursive_rows: config.session.max_recursive_rows,
        max_query_work: config.session.max_query_work,
        ..Policy::default()
    };
    let mut kind = String::new();
    for _ in 0..times {
        kind = format!("{:?}", sql_gate::review(&text, &policy)?.kind());
    }
    Ok(serde_json::json!({ "kind": kind }).to_string())
}
