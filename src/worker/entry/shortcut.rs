//! The front Worker as `js/entry.js` calls it, and its decision whether an operation takes the
//! short way. On the short way, `js/shortcut.js` passes the body of a request on to the object
//! without a call into the WebAssembly of the front Worker; for that, it caches the decision.
//!
//! The decision depends only on the settings and on the text under which it is cached. That text
//! contains everything that decides, so two requests that must be decided differently have
//! different texts.

use js_sys::{Array, Promise};
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;
use web_sys::{Request, Response};

use super::LAST_RESORTS;
use super::passing::object_failure;
use crate::api::address::Address;
use crate::api::auth::Identity;
use crate::api::routes::{
    Access, BodyLimit, EXECUTE, GraphTask, NamedBy, OPERATE, ServedBy, SessionTask,
};
use crate::config::Config;
use crate::worker::addresses::{ACTOR_HEADER, GRAPH, SESSION};
use crate::worker::body::interrupted;
use crate::worker::object::Class;
use crate::worker::received::RequestHead;
use crate::worker::servers::ExecutionContext;
use crate::worker::{instance, reply};
use base::names::{check_name, object_name};
use base::percent;
use sandbox::request::session_of;
use session::export::ExportFormat;
use session::tabular;
use tools::gateway::PASSED_PREFIX;

/// The content type of live responses.
const CONTENT_TYPE_OF_EVENTS: &str = "text/event-stream";

/// The headers that decide how an operation is served, or are passed on with it. Of the others,
/// `content-length` is compared with the limit for each request, a request with `if-match` takes
/// the long way, and no operation of a session or a graph depends on the rest.
const DECIDING: &[&str] = &[
    "origin",
    "authorization",
    "x-codemode-token",
    "host",
    "x-forwarded-host",
    "forwarded",
    "sec-fetch-site",
    "content-encoding",
    "accept",
    ACTOR_HEADER,
];

#[wasm_bindgen(module = "/js/shortcut.js")]
extern "C" {
    /// The functions of `js/shortcut.js` that serve a request the short way.
    #[wasm_bindgen(thread_local_v2, js_name = shortcut)]
    static SHORTCUT: JsValue;
}

#[wasm_bindgen(module = "/js/programs.js")]
extern "C" {
    /// The class of the programs of an object.
    #[wasm_bindgen(thread_local_v2, js_name = Programs)]
    static PROGRAMS: JsValue;
}

#[wasm_bindgen(module = "/js/statements.js")]
extern "C" {
    /// The class of the repeated statements of an object.
    #[wasm_bindgen(thread_local_v2, js_name = Statements)]
    static STATEMENTS: JsValue;
}

/// The front Worker, for `js/entry.js`. It has no state; a new one is made only to replace the
/// instance of WebAssembly.
#[cfg_attr(feature = "main-module", wasm_bindgen)]
#[derive(Debug, Default)]
pub struct Front;

#[cfg_attr(feature = "main-module", wasm_bindgen)]
impl Front {
    /// Creates the front Worker.
    #[cfg_attr(feature = "main-module", wasm_bindgen(constructor))]
    #[must_use]
    pub fn new() -> Self {
        Self
    }

    /// Serves one request.
    pub fn fetch(request: Request, env: JsValue, context: ExecutionContext) -> Promise {
        super::fetch(request, env, context)
    }

    /// Returns the functions of `js/shortcut.js`.
    #[must_use]
    pub fn shortcut() -> JsValue {
        SHORTCUT.with(Clone::clone)
    }

    /// Returns the class of `js/programs.js`.
    #[must_use]
    pub fn programs() -> JsValue {
        PROGRAMS.with(Clone::clone)
    }

    /// Returns the class of `js/statements.js`.
    #[must_use]
    pub fn statements() -> JsValue {
        STATEMENTS.with(Clone::clone)
    }

    /// Returns the names of the headers that a plan is made of.
    #[must_use]
    pub fn deciding_headers() -> Array {
        DECIDING.iter().copied().map(JsValue::from_str).collect()
    }

    /// Returns the responses to a request that is late and to one that cannot be finished.
    #[must_use]
    pub fn last_resorts() -> Array {
        LAST_RESORTS.with(Clone::clone)
    }

    /// Returns the beginning of the names of headers that are passed through to servers. A program
    /// with one takes the long way.
    #[must_use]
    pub fn passed_prefix() -> String {
        PASSED_PREFIX.to_owned()
    }

    /// Returns the object of the session that the body of a program names, and the URL of the
    /// program on the short way, as JSON; nothing if it takes the long way.
    #[must_use]
    pub fn place_of_program(tenant: &str, body: &str) -> Option<String> {
        instance::install_panic_hook();
        let session = session_of(body).ok()?;
        Some(place(EXECUTE, tenant, &session, &[]).to_string())
    }

    /// Returns the plan for requests with this method, URL and deciding headers, a line each, as
    /// JSON; nothing if they take the long way.
    #[must_use]
    pub fn plan(head: &str, env: &JsValue) -> Option<String> {
        instance::install_panic_hook();
        let config = instance::config(env).ok()?;
        let (class, plan) = plan(&RequestHead::parse(head, DECIDING), &config)?;
        instance::binding(env, class.binding)?;
        Some(plan.to_string())
    }

    /// Makes the response to a request whose body could not be read to its end.
    ///
    /// # Errors
    /// As [`reply::failure`].
    pub fn interrupted(thrown: &JsValue) -> Result<Response, JsValue> {
        instance::install_panic_hook();
        reply::failure(&interrupted(thrown))
    }

    /// Makes the response for an object of the class with this binding that could not respond
    /// within `wait_ms`.
    ///
    /// # Errors
    /// As [`reply::failure`].
    pub fn failure(thrown: &JsValue, binding: &str, wait_ms: u32) -> Result<Response, JsValue> {
        instance::install_panic_hook();
        let class = if binding == GRAPH.binding {
            &GRAPH
        } else {
            &SESSION
        };
        reply::failure(&object_failure(thrown, class, wait_ms))
    }
}

/// Makes the same decisions as `Caller::decide`, without the request. A request that is refused
/// takes the long way, which says why; and so does one with an access token, whose time may be
/// over at the next request.
fn plan(head: &RequestHead, config: &Config) -> Option<(&'static Class, Value)> {
    let Address { path, query, .. } = head.address();
    if head.header("origin").is_some() || !query.is_empty() {
        return None;
    }
    let route = head.route().ok()?;
    let Identity::Tenant(tenant) = head.identity(config).ok()? else {
        return None;
    };
    if route.entry.access != Access::Tenant || route.entry.body == BodyLimit::None {
        return None;
    }
    head.check_coding(&route).ok()?;
    let accept = head.header("accept");
    let (class, place) = match route.entry.place {
        ServedBy::Session {
            task: SessionTask::Operate,
            named: NamedBy::Path,
            ..
        } => {
            if tabular::chosen(None, accept, ExportFormat::Json).ok()? != ExportFormat::Json {
                return None;
            }
            let session = route.session.as_deref()?;
            check_name("session", session).ok()?;
            (&SESSION, Some(place(OPERATE, &tenant, session, &[])))
        }
        ServedBy::Session {
            task: SessionTask::Execute,
            named: NamedBy::Body(_),
            ..
        } if !accept.is_some_and(|accept| accept.contains(CONTENT_TYPE_OF_EVENTS)) => {
            (&SESSION, None)
        }
        ServedBy::Graph(GraphTask::Operate | GraphTask::Operation(_)) => {
            let conversation = route.conversation.as_deref()?;
            let mut more = vec![head.method(), path];
            more.extend(head.header(ACTOR_HEADER));
            (&GRAPH, Some(place(OPERATE, &tenant, conversation, &more)))
        }
        ServedBy::Session { .. }
        | ServedBy::Graph(_)
        | ServedBy::Front(_)
        | ServedBy::Agent(_)
        | ServedBy::Code(_)
        | ServedBy::Index(_)
        | ServedBy::Mcp
        | ServedBy::Page(_) => return None,
    };
    let plan = json!({
        "binding": class.binding,
        "tenant": tenant,
        "place": place,
        "waitMs": route.entry.wait.ms(config),
        "limitBytes": route.entry.body.limit_bytes(config),
    });
    Some((class, plan))
}

/// Returns the object with this name, and the URL on the short way of a route. `more` are the other
/// parts of the request that the object needs. Between the parts are commas, because the platform
/// would resolve an actor `..` between slashes.
fn place(route: &str, tenant: &str, name: &str, more: &[&str]) -> Value {
    let parts = [tenant, name].into_iter().chain(more.iter().copied());
    let path: Vec<String> = parts.map(percent::encode).collect();
    json!({
        "object": object_name(tenant, name),
        "url": format!("https://{route}/{}", path.join(",")),
    })
}
