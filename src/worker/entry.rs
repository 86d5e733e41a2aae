//! The front Worker: it takes a request in, decides who may do what, passes it on to the object of the session, and responses in any case.
//!
//! A body streams on to the object, and the object's answer streams back; only a program or a call of a tool is read here, because its body names the session. `js/guard.js` holds the other side of the
//! promise to respond: it outlives a WebAssembly instance that panicked, and it has the clock. `#[event(fetch)]` of workers-rs leaves no
//! place for it, so `fetch` is exported by hand, under the name that workers-rs' own shim calls.

use crate::api::RequestError;
use base::CommonError;
use session::SessionError;
use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Promise, Uint8Array};
use serde_json::json;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};
use web_sys::{Headers, Request, RequestInit, Response, ResponseInit};

use super::bindings::{Namespace, guard, pass_body, thrown_text};
use super::body::{announced_bytes, read_text};
use super::servers::{self, ExecutionContext, Proxied, Servers};
use super::telemetry::Record;
use super::{instance, reply};
use crate::api::address::Address;
use crate::api::arrival::Arrival;
use crate::api::auth::{self, Credentials};
use crate::api::routes::{self, Access, Body, Endpoint, HEAD, Route};
use crate::api::status::status;
use crate::api::{envelope, openapi, origin};
use crate::config::Config;
use base::names::{check_name, object_name};
use base::{Error, Result};
use sandbox::request::session_of;
use sandbox::tool_description::Form;
use sandbox::{prompt, runtime};
use session::bulk::Coding;
use tools::own;
use tools::request::{self, ProxyRequest, SearchRequest};

/// The binding of the object's namespace.
const NAMESPACE: &str = "CODEMODE_DB";

/// Tells the object whose request it serves. Requests from outside cannot set it, because their headers are not passed on.
pub const TENANT_HEADER: &str = "x-codemode-tenant";

/// Names the session to the object where the path does not.
pub const SESSION_HEADER: &str = "x-codemode-session";

/// Tells the object how the body is packed. Not as `content-encoding`, so that nothing on the way may take it for its own.
pub const ENCODING_HEADER: &str = "x-codemode-content-encoding";

/// Host of the URLs that objects see. It means nothing.
const OBJECT_HOST: &str = "https://object";

/// Serves one request.
#[wasm_bindgen]
pub fn fetch(request: Request, env: JsValue, context: ExecutionContext) -> Promise {
    instance::install_panic_hook();
    let url = request.url();
    let caller = Caller {
        request,
        url,
        env,
        context,
    };
    let cors = caller
        .header("origin")
        .filter(|_| caller.may_read())
        .map(|page| origin::response_headers(&page).to_vec())
        .unwrap_or_default();
    let wait_ms = caller.wait_ms();
    let request = Clone::clone(&caller.request);
    let headers = header_pairs(&[cors.as_slice(), &[reply::no_sniff()]].concat());
    let work = future_to_promise(async move {
        let response = with_headers(caller.answer().await?, &cors)?;
        if caller.request.method() == HEAD {
            return reply::without_body(&response).map(JsValue::from);
        }
        Ok(JsValue::from(response))
    });
    let (late, broken) = last_resorts(wait_ms);
    guard(&request, &work, wait_ms, &late, &broken, &headers)
}

/// The responses to a request that is not served in time, and to one that cannot be finished, as `js/guard.js` takes them. Each request
/// needs them at hand and hardly one uses them, so they are made once for each time to wait; routes and settings know a few.
fn last_resorts(wait_ms: u32) -> (Array, Array) {
    thread_local! {
        static MADE: RefCell<Vec<(u32, Array, Array)>> = const { RefCell::new(Vec::new()) };
    }
    MADE.with_borrow_mut(|made| {
        if let Some((_, late, broken)) = made.iter().find(|(known, ..)| *known == wait_ms) {
            return (late.clone(), broken.clone());
        }
        let late = settled(&Error::from(SessionError::QueryTimeout {
            timeout_ms: wait_ms,
        }));
        let broken = settled(&Error::internal("the request could not be finished"));
        made.push((wait_ms, late.clone(), broken.clone()));
        (late, broken)
    })
}

/// Status and text of a failure.
fn settled(error: &Error) -> Array {
    Array::of2(
        &JsValue::from(status(error)),
        &JsValue::from_str(&envelope::failure(error)),
    )
}

fn header_pairs(headers: &[(&'static str, String)]) -> Array {
    headers
        .iter()
        .map(|(name, value)| {
            JsValue::from(Array::of2(
                &JsValue::from_str(name),
                &JsValue::from_str(value),
            ))
        })
        .collect()
}

/// Adds headers to a response, whose own may be immutable because another Worker made it.
fn with_headers(response: Response, added: &[(&'static str, String)]) -> Result<Response, JsValue> {
    if added.is_empty() {
        return Ok(response);
    }
    let headers = Headers::new_with_headers(&response.headers())?;
    for (name, value) in added {
        headers.set(name, value)?;
    }
    let init = ResponseInit::new();
    init.set_status(response.status());
    init.set_headers(&headers);
    Response::new_with_opt_readable_stream_and_init(response.body().as_ref(), &init)
}

/// A request and where it arrived.
struct Caller {
    request: Request,
    url: String,
    env: JsValue,
    context: ExecutionContext,
}

impl Caller {
    fn address(&self) -> Address<'_> {
        Address::parse(&self.url)
    }

    fn header(&self, name: &str) -> Option<String> {
        self.request.headers().get(name).ok().flatten()
    }

    fn config(&self) -> Result<Rc<Config>> {
        instance::config(&self.env)
    }

    fn route(&self) -> Result<Route> {
        routes::route(&self.request.method(), self.address().path)
    }

    /// Whether the page that made the request may read the response.
    fn may_read(&self) -> bool {
        self.config()
            .is_ok_and(|config| self.check_origin(&config).is_ok())
    }

    fn check_origin(&self, config: &Config) -> Result<()> {
        origin::check_origin(
            self.header("origin").as_deref(),
            self.address().origin,
            &config.allowed_origins,
        )
    }

    fn wait_ms(&self) -> u32 {
        match (self.config(), self.route()) {
            (Ok(config), Ok(route)) => route.entry.wait_ms(&config),
            (Ok(config), Err(_)) => config.query_timeout_ms,
            (Err(_), _) => crate::limits::DEFAULT_QUERY_TIMEOUT_MS,
        }
    }

    async fn answer(&self) -> Result<Response, JsValue> {
        #[cfg(feature = "fault-injection")]
        if let Some(response) = super::faults::front(&self.request, self.address(), &self.env).await
        {
            return response;
        }
        match self.decide() {
            Err(error) => reply::failure(&error),
            Ok(Decision::Preflight(methods)) => preflight(&methods),
            Ok(Decision::Health) => reply::json(
                &envelope::success(json!({ "version": env!("CARGO_PKG_VERSION") })),
                200,
            ),
            Ok(Decision::OpenApi) => reply::json(&openapi::document(), 200),
            Ok(Decision::Helpers(config)) => {
                let script = runtime::helpers_script(&config.session.mappings);
                reply::text("text/javascript; charset=utf-8", &script)
            }
            Ok(Decision::Here {
                tenant,
                route,
                config,
            }) => self.answer_here(&tenant, &route, &config).await,
            Ok(Decision::Pass { tenant, route }) => self.pass(&tenant, &route).await,
        }
    }

    /// Everything that is decided before an object hears of the request.
    fn decide(&self) -> Result<Decision> {
        let config = self.config()?;
        self.check_origin(&config)?;
        if self.request.method() == "OPTIONS" {
            return self.preflight();
        }
        let route = self.route()?;
        let (access, endpoint) = (route.entry.access, route.entry.endpoint);
        if access == Access::Public {
            self.check_parameters(endpoint)?;
        }
        match (access, route.entry.endpoint) {
            (Access::Public, Endpoint::OpenApi) => Ok(Decision::OpenApi),
            (Access::Public, _) => Ok(Decision::Health),
            (Access::Tenant, endpoint) => {
                let tenant = self.tenant(&config)?;
                self.check_parameters(endpoint)?;
                self.check_length(&route, &config)?;
                self.check_coding(&route)?;
                self.decide_for_tenant(endpoint, tenant, route, config)
            }
        }
    }

    fn decide_for_tenant(
        &self,
        endpoint: Endpoint,
        tenant: String,
        mut route: Route,
        config: Rc<Config>,
    ) -> Result<Decision> {
        if endpoint == Endpoint::Helpers {
            return Ok(Decision::Helpers(config));
        }
        let here = match endpoint {
            Endpoint::ServerTools | Endpoint::Tools | Endpoint::GraphqlCheck => true,
            Endpoint::Prompt => match self.parameter("session")? {
                None => true,
                Some(session) => {
                    check_name("session", &session)?;
                    route.session = session;
                    false
                }
            },
            _ => false,
        };
        Ok(if here {
            Decision::Here {
                tenant,
                route,
                config,
            }
        } else {
            Decision::Pass { tenant, route }
        })
    }

    fn preflight(&self) -> Result<Decision> {
        let path = self.address().path;
        let methods = routes::methods(path);
        if methods.is_empty() {
            return Err(Error::from(RequestError::NotFound {
                method: "OPTIONS".to_owned(),
                path: path.to_owned(),
            }));
        }
        Ok(Decision::Preflight(methods))
    }

    fn tenant(&self, config: &Config) -> Result<String> {
        let (authorization, token) = (
            self.header("authorization"),
            self.header("x-codemode-token"),
        );
        let came = [
            "host",
            "x-forwarded-host",
            "forwarded",
            "sec-fetch-site",
            "origin",
        ]
        .map(|name| self.header(name));
        let [host, forwarded_host, forwarded, fetch_site, page] =
            came.each_ref().map(Option::as_deref);
        let arrival = Arrival {
            url_host: self.address().host,
            host,
            forwarded_host,
            forwarded,
            fetch_site,
            origin: page,
        };
        let credentials = Credentials {
            authorization: authorization.as_deref(),
            token: token.as_deref(),
            arrival,
        };
        auth::tenant(config.tokens.as_deref(), credentials)
    }

    /// A body that says beforehand that it is too long is refused without reading it.
    fn check_length(&self, route: &Route, config: &Config) -> Result<()> {
        let limit_bytes = route.entry.body.limit_bytes(config);
        let announced = self
            .header("content-length")
            .and_then(|length| length.parse::<u64>().ok());
        match announced {
            Some(length) if route.entry.body != Body::None && length > limit_bytes => {
                Err(Error::from(CommonError::PayloadTooLarge { limit_bytes }))
            }
            _ => Ok(()),
        }
    }

    /// Loads unpack their bodies; other bodies are short.
    fn check_coding(&self, route: &Route) -> Result<()> {
        if matches!(route.entry.endpoint, Endpoint::Load) || route.entry.body == Body::None {
            return Ok(());
        }
        let encoding = self.header("content-encoding");
        match Coding::from_content_encoding(encoding.as_deref())? {
            Coding::Identity => Ok(()),
            Coding::Gzip => Err(Error::from(SessionError::UnsupportedMediaType {
                message: "only loads unpack a body with content-encoding gzip".to_owned(),
                hint: "send the body as it is, or rows with PUT …/tables/{table}/rows".to_owned(),
                accepted: &["identity"],
            })),
        }
    }

    fn prompt_form(&self) -> Result<Form> {
        Form::from_parameters(self.parameter("tool")?, self.parameter("form")?.as_deref())
    }

    fn check_parameters(&self, endpoint: Endpoint) -> Result<()> {
        #[cfg(feature = "fault-injection")]
        if super::faults::are_asked(self.address().query) {
            return Ok(());
        }
        routes::check_query_parameters(self.address().query, endpoint.parameters())
    }

    fn parameter(&self, name: &str) -> Result<Option<String>> {
        routes::query_parameter(self.address().query, name)
    }

    /// What needs no object.
    async fn answer_here(
        &self,
        tenant: &str,
        route: &Route,
        config: &Rc<Config>,
    ) -> Result<Response, JsValue> {
        let started_ms = instance::now_ms();
        let servers = Servers::without_session(config, tenant, &self.context);
        if route.entry.endpoint == Endpoint::Prompt {
            let text = match self.prompt_form() {
                Ok(form) => Ok(form.render(&servers.for_prompt().await)),
                Err(error) => Err(error),
            };
            self.log(tenant, route, started_ms, text.as_deref());
            return match text {
                Ok(text) => reply::text(prompt::CONTENT_TYPE, &text),
                Err(error) => reply::failure(&error),
            };
        }
        let answer = self.tools(&servers, route, config).await;
        self.log(tenant, route, started_ms, answer.as_deref());
        match answer {
            Ok(text) => reply::json(&text, 200),
            Err(error) => reply::failure(&error),
        }
    }

    /// The line that an object writes of its operations, for what no object saw.
    fn log(
        &self,
        tenant: &str,
        route: &Route,
        started_ms: u64,
        answer: std::result::Result<&str, &Error>,
    ) {
        let Ok(config) = self.config() else { return };
        let record = Record {
            tenant: tenant.to_owned(),
            operation: route.entry.endpoint.operation(),
            bytes_in: announced_bytes(&self.request).unwrap_or_default(),
            bytes_out: answer.map_or(0, |text| text.len() as u64),
            duration_ms: instance::now_ms().saturating_sub(started_ms),
            code: answer.map_or_else(Error::code, |_| "OK"),
            ..Record::default()
        };
        record.write(&self.env, config.operation_log);
    }

    async fn tools(&self, servers: &Servers, route: &Route, config: &Rc<Config>) -> Result<String> {
        match route.entry.endpoint {
            Endpoint::ServerTools => {
                let server = self.parameter("server")?.unwrap_or_default();
                match own::tools_of(&server) {
                    Some(own) => servers::fields(own),
                    None => servers::fields(servers.gateway().tools_of(&server).await?),
                }
            }
            Endpoint::Tools => {
                let request = SearchRequest::from_parameters(|name| self.parameter(name))?;
                servers::fields(servers.gateway().search(&request).await?)
            }
            _ => {
                let limit_bytes = route.entry.body.limit_bytes(config);
                let body = read_text(&self.request, limit_bytes).await?;
                servers::fields(graphql::check_request(&body)?)
            }
        }
    }

    /// A call of the proxy that names no session.
    async fn proxy(&self, tenant: &str, body: &str) -> Result<String> {
        let call = ProxyRequest::parse(body)?.without_session()?;
        let servers = Servers::without_session(&self.config()?, tenant, &self.context);
        Proxied::fetch(&servers, call).await?.answer(None)
    }

    async fn pass(&self, tenant: &str, route: &Route) -> Result<Response, JsValue> {
        let Some(namespace) = instance::binding(&self.env, NAMESPACE) else {
            let message = format!("the deployment has no Durable Object binding {NAMESPACE}");
            return reply::failure(&Error::from(CommonError::Misconfigured { message }));
        };
        let (session, body) = match self.named_in_body(route).await {
            Ok(Named::Session(session, body)) => (session, Some(body)),
            Ok(Named::Nothing(body)) => {
                let started_ms = instance::now_ms();
                let answer = self.proxy(tenant, &body).await;
                self.log(tenant, route, started_ms, answer.as_deref());
                return match answer {
                    Ok(text) => reply::json(&text, 200),
                    Err(error) => reply::failure(&error),
                };
            }
            Ok(Named::Elsewhere) => (route.session.clone(), None),
            Err(error) => return reply::failure(&error),
        };
        let stub = namespace
            .unchecked_ref::<Namespace>()
            .get_by_name(&object_name(tenant, &session))?;
        let request = self.inner_request(tenant, &session, route, body.as_deref())?;
        let answer = JsFuture::from(stub.fetch(&request)?).await;
        match answer {
            Ok(response) => response.dyn_into::<Response>(),
            Err(thrown) => reply::failure(&object_failure(&thrown, self.wait_ms())),
        }
    }

    /// Session and body of a request that names its session there.
    async fn named_in_body(&self, route: &Route) -> Result<Named> {
        if !matches!(route.entry.endpoint, Endpoint::Execute | Endpoint::Proxy) {
            return Ok(Named::Elsewhere);
        }
        let limit_bytes = route.entry.body.limit_bytes(&*self.config()?);
        let body = read_text(&self.request, limit_bytes).await?;
        if route.entry.endpoint == Endpoint::Execute {
            return Ok(Named::Session(session_of(&body)?, body));
        }
        Ok(match request::session_of(&body)? {
            Some(session) => Named::Session(session, body),
            None => Named::Nothing(body),
        })
    }

    /// The request as the object sees it: method, path, query, types and body of the caller's, and nothing else of it.
    fn inner_request(
        &self,
        tenant: &str,
        session: &str,
        route: &Route,
        body: Option<&str>,
    ) -> Result<Request, JsValue> {
        let headers = Headers::new()?;
        headers.set(TENANT_HEADER, tenant)?;
        headers.set(SESSION_HEADER, session)?;
        for (from, to) in [
            ("content-type", "content-type"),
            ("content-encoding", ENCODING_HEADER),
            ("accept", "accept"),
        ] {
            if let Some(value) = self.header(from) {
                headers.set(to, &value)?;
            }
        }
        let init = RequestInit::new();
        init.set_method(route.entry.method);
        init.set_headers(&headers);
        if let Some(body) = body {
            init.set_body(&Uint8Array::from(body.as_bytes()));
        } else if route.entry.body != Body::None {
            init.set_body(&pass_body(&self.request)?);
        }
        let address = self.address();
        Request::new_with_str_and_init(
            &format!("{OBJECT_HOST}{}{}", address.path, address.query),
            &init,
        )
    }
}

enum Decision {
    Preflight(Vec<&'static str>),
    Health,
    OpenApi,
    Helpers(Rc<Config>),
    /// Answered without an object.
    Here {
        tenant: String,
        route: Route,
        config: Rc<Config>,
    },
    Pass {
        tenant: String,
        route: Route,
    },
}

/// What a body says of its session.
enum Named {
    /// The path or the query string names it.
    Elsewhere,
    /// This one, in this body.
    Session(String, String),
    /// None, in this body.
    Nothing(String),
}

fn preflight(methods: &[&str]) -> Result<Response, JsValue> {
    let headers = reply::headers()?;
    headers.set("allow", &methods.join(", "))?;
    for (name, value) in origin::preflight_headers(methods) {
        headers.set(name, &value)?;
    }
    let init = ResponseInit::new();
    init.set_status(204);
    init.set_headers(&headers);
    Response::new_with_opt_str_and_init(None, &init)
}

/// How the platform words it that an object used up the CPU time of `limits.cpu_ms` and was reset.
const CPU_TIME_IS_UP: &str = "CPU time limit";

/// An object that could not respond: it was reset in the middle, or its machine went away. What it had not committed is rolled back.
fn object_failure(thrown: &JsValue, wait_ms: u32) -> Error {
    let text = thrown_text(thrown);
    web_sys::console::error_1(&JsValue::from_str(&format!("the object failed: {text}")));
    if text.contains(CPU_TIME_IS_UP) {
        return Error::from(SessionError::QueryTimeout {
            timeout_ms: wait_ms,
        });
    }
    Error::internal(
        "the session's database stopped while it served the request; what was not finished is undone, the request may be repeated",
    )
}
