//! The front Worker: it receives a request, decides what its caller may do, passes it on to the
//! object of the session, and responds in any case.
//!
//! A body streams to the object, and the object's response streams back; the front Worker reads a
//! body only if it names the object. Requests that need no object are in [`super::front`].
//! `js/guard.js` keeps the promise to respond: it keeps running when a WebAssembly instance panics,
//! and it has the timer. `#[event(fetch)]` of workers-rs cannot call it, so [`Front`] is exported
//! by hand, for `js/entry.js`.

mod admission;
mod passing;
mod shortcut;

pub use shortcut::Front;

use crate::api::RequestError;
use base::CommonError;
use std::rc::Rc;

use js_sys::{Array, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;
use web_sys::{Headers, Request, Response, ResponseInit};

use super::addresses::{BUSINESS_HEADER, USER_HEADER};
use super::bindings::guard;
use super::body::read_text;
use super::received::IncomingRequest;
use super::servers::ExecutionContext;
use super::{instance, oauth, reply};
use crate::api::address::Address;
use crate::api::auth::Identity;
use crate::api::routes::{self, Access, BodyLimit, HEAD, NamedBy, Route, ServedBy};
use crate::api::{last_resorts, origin, pages};
use crate::config::Config;
use ::oauth::Holder;
use ::oauth::resource;
use base::names::check_name;
use base::percent;
use base::{Error, Result};
use tools::gateway::{Connections, PASSED_PREFIX, PassedHeaders};

/// Serves one request.
fn fetch(request: Request, env: JsValue, context: ExecutionContext) -> Promise {
    instance::install_panic_hook();
    let guarded = Clone::clone(&request);
    let received = match IncomingRequest::from_client(request) {
        Ok(received) => received,
        Err(error) => return Promise::reject(&JsValue::from_str(&error.to_string())),
    };
    let caller = Caller {
        received,
        env,
        context,
    };
    let cors = caller
        .header("origin")
        .filter(|_| caller.may_read())
        .map(|page| origin::response_headers(&page).to_vec())
        .unwrap_or_default();
    let wait_ms = caller.wait_ms();
    let headers = header_pairs(&cors);
    let work = future_to_promise(async move {
        let response = with_headers(caller.answer().await?, &cors)?;
        if caller.received.method() == HEAD {
            return reply::without_body(&response).map(JsValue::from);
        }
        Ok(JsValue::from(response))
    });
    LAST_RESORTS.with(|texts| guard(&guarded, &work, wait_ms, texts, &headers))
}

thread_local! {
    /// The responses to a request that is not served in time, and to one that cannot be finished,
    /// in the form that `js/guard.js` takes. They are made once, because each request passes them
    /// on and hardly one uses them.
    static LAST_RESORTS: Array = last_resorts::TEXTS
        .iter()
        .map(|(status, text)| JsValue::from(Array::of2(&JsValue::from(*status), &JsValue::from_str(text))))
        .collect();
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

/// Adds headers to a response, whose own headers may be immutable because another Worker made it.
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

/// A request, with the environment that it arrived in.
pub(super) struct Caller {
    pub(super) received: IncomingRequest,
    pub(super) env: JsValue,
    pub(super) context: ExecutionContext,
}

impl Caller {
    pub(super) fn address(&self) -> Address<'_> {
        self.received.address()
    }

    fn header(&self, name: &str) -> Option<String> {
        self.received.header(name)
    }

    fn config(&self) -> Result<Rc<Config>> {
        instance::config(&self.env)
    }

    /// Returns true if the page that made the request may read the response.
    fn may_read(&self) -> bool {
        self.config()
            .is_ok_and(|config| self.received.head.check_origin(&config).is_ok())
    }

    fn wait_ms(&self) -> u32 {
        match (self.config(), self.received.head.route()) {
            (Ok(config), Ok(route)) => route.entry.wait.ms(&config),
            (Ok(config), Err(_)) => config.query_timeout_ms,
            (Err(_), _) => crate::limits::DEFAULT_QUERY_TIMEOUT_MS,
        }
    }

    async fn answer(&self) -> Result<Response, JsValue> {
        #[cfg(feature = "fault-injection")]
        if let Some(response) =
            super::faults::front(&self.received, self.address(), &self.env).await
        {
            return response;
        }
        match self.decide().await {
            Err(error) if self.wants_a_page(&error) => self.serve_missing_page(&error).await,
            Err(error) => self.refuse(&error),
            Ok(Decision::Preflight(methods)) => {
                let requested = self.header("access-control-request-headers");
                preflight(&methods, requested.as_deref())
            }
            Ok(Decision::Serve(admitted)) => self.serve(admitted).await,
        }
    }

    /// Makes every decision that comes before the request is served.
    async fn decide(&self) -> Result<Decision> {
        let config = self.config()?;
        let head = &self.received.head;
        head.check_origin(&config)?;
        if self.received.method() == "OPTIONS" {
            return self.preflight();
        }
        let route = head.route()?;
        let holder = match route.entry.access {
            Access::Public => None,
            Access::Tenant => Some(self.holder(&config).await?),
        };
        head.check_parameters(route.entry)?;
        self.check_length(&route, &config)?;
        head.check_coding(&route)?;
        let tenant = holder.as_ref().map(|holder| holder.tenant.as_str());
        let passed = self.passed(&route, &config, tenant)?;
        Ok(Decision::Serve(AdmittedRequest {
            holder,
            route,
            config,
            passed,
        }))
    }

    /// Returns the headers that the request passes through to servers, checked before any work is
    /// done.
    fn passed(
        &self,
        route: &Route,
        config: &Config,
        tenant: Option<&str>,
    ) -> Result<Vec<(String, String)>> {
        let Some(tenant) = tenant.filter(|_| route.entry.reaches_servers()) else {
            return Ok(Vec::new());
        };
        let passed = self.received.headers_with(PASSED_PREFIX)?;
        PassedHeaders::read(&passed, &config.servers, tenant, Connections::default())?;
        Ok(passed)
    }

    /// Serves the request here or through the object that it names.
    async fn serve(&self, admitted: AdmittedRequest) -> Result<Response, JsValue> {
        let outcome = match admitted.route.entry.place {
            ServedBy::Front(task) => return self.serve_here(task, &admitted, None).await,
            ServedBy::Mcp => return self.serve_mcp(&admitted).await,
            ServedBy::Page(page) => return self.serve_page(page).await,
            ServedBy::Index(_) => self.pass_to_index(&admitted).await,
            ServedBy::Graph(_) => self.pass_to_graph(&admitted).await,
            ServedBy::Agent(_) => self.pass_to_agent(&admitted).await,
            ServedBy::Code(_) => self.pass_to_workspace(&admitted).await,
            ServedBy::Session {
                named, otherwise, ..
            } => match self.name(named, &admitted).await {
                Err(error) => Err(error),
                Ok(NamedObject {
                    name: Some(name),
                    body,
                }) => {
                    self.pass_to_session(&admitted, &name, body.as_deref())
                        .await
                }
                Ok(NamedObject { name: None, body }) => match otherwise {
                    Some(task) => return self.serve_here(task, &admitted, body).await,
                    None => Err(Error::internal("the request names no session")),
                },
            },
        };
        match outcome {
            Ok(response) => Ok(response),
            Err(error) => reply::failure(&error),
        }
    }

    /// Returns true if a person requests an unknown address with a browser.
    fn wants_a_page(&self, error: &Error) -> bool {
        let accept = self.header("accept").unwrap_or_default();
        matches!(error.of(), Some(RequestError::NotFound { .. }))
            && ["GET", HEAD].contains(&self.received.method())
            && pages::accepts_html(&accept)
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

    /// Refuses a request. If it has no valid token, the response says which kind of token the route
    /// takes and who issues it.
    fn refuse(&self, error: &Error) -> Result<Response, JsValue> {
        let response = if self.is_mcp() {
            self.refuse_mcp(error)?
        } else {
            reply::failure(error)?
        };
        let Address { origin, path, .. } = self.address();
        let config = self.config().ok();
        let settings = config.as_ref().and_then(|config| config.oauth.as_ref());
        if let Some(challenge) = resource::challenge(settings, origin, path, error) {
            response.headers().set("www-authenticate", &challenge)?;
        }
        Ok(response)
    }

    async fn holder(&self, config: &Config) -> Result<Holder> {
        match (self.received.head.identity(config)?, &config.oauth) {
            (Identity::Tenant(tenant), _) => Ok(Holder {
                tenant,
                ..Holder::default()
            }),
            (Identity::AccessToken(token), Some(settings)) => {
                let Address { origin, path, .. } = self.address();
                let audiences = resource::audiences(settings, origin, path);
                // Boxed, because most requests have no such token.
                Box::pin(oauth::holder(settings, &self.context, token, &audiences)).await
            }
            (Identity::AccessToken(_), None) => {
                Err(Error::internal("an access token without an issuer"))
            }
        }
    }

    /// Refuses, without reading it, a body whose announced length is over the limit.
    fn check_length(&self, route: &Route, config: &Config) -> Result<()> {
        let limit_bytes = route.entry.body.limit_bytes(config);
        match self.received.announced_bytes() {
            Some(length) if route.entry.body != BodyLimit::None && length > limit_bytes => {
                Err(Error::from(CommonError::PayloadTooLarge { limit_bytes }))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn parameter(&self, name: &str) -> Result<Option<String>> {
        routes::query_parameter(self.address().query, name)
    }

    /// Returns the name of the object, and the body if it had to be read for that.
    async fn name(&self, named: NamedBy, admitted: &AdmittedRequest) -> Result<NamedObject> {
        let name = match named {
            NamedBy::Path => admitted.route.session.clone(),
            NamedBy::Query(parameter) => self.parameter(parameter)?,
            NamedBy::Body(name_of) => {
                let body = self.body(admitted).await?;
                return Ok(NamedObject {
                    name: name_of(&body)?,
                    body: Some(body),
                });
            }
        };
        if let Some(name) = &name {
            check_name("session", name)?;
        }
        Ok(NamedObject { name, body: None })
    }

    /// Reads the whole body.
    pub(super) async fn body(&self, admitted: &AdmittedRequest) -> Result<String> {
        let limit_bytes = admitted.route.entry.body.limit_bytes(&admitted.config);
        read_text(&self.received, limit_bytes).await
    }
}

enum Decision {
    Preflight(Vec<&'static str>),
    Serve(AdmittedRequest),
}

/// A request that may be served.
pub(super) struct AdmittedRequest {
    /// The caller; `None` on a public route.
    holder: Option<Holder>,
    /// The route of the request.
    pub(super) route: Route,
    /// The settings in force.
    pub(super) config: Rc<Config>,
    /// The headers that the request passes through to servers.
    pub(super) passed: Vec<(String, String)>,
}

impl AdmittedRequest {
    /// Returns the tenant of the caller.
    pub(super) fn tenant(&self) -> Result<&str> {
        self.holder().map(|holder| holder.tenant.as_str())
    }

    /// Returns the claims of the access token, as headers. They are encoded, because a claim may
    /// hold any text and a header no line break.
    pub(super) fn claims(&self) -> Result<Vec<(&'static str, String)>> {
        let holder = self.holder()?;
        let claims = [
            (BUSINESS_HEADER, holder.business.as_deref()),
            (USER_HEADER, holder.user.as_deref()),
        ];
        Ok(claims
            .into_iter()
            .filter_map(|(name, claim)| Some((name, percent::encode(claim?))))
            .collect())
    }

    /// Returns the caller, with the claims of the access token.
    fn holder(&self) -> Result<&Holder> {
        let holder = self.holder.as_ref();
        holder.ok_or_else(|| Error::internal("a request without a tenant"))
    }
}

/// The object that a request names.
struct NamedObject {
    name: Option<String>,
    /// The body, if it had to be read.
    body: Option<String>,
}

fn preflight(methods: &[&str], requested: Option<&str>) -> Result<Response, JsValue> {
    let headers = Headers::new()?;
    let (name, value) = reply::no_sniff();
    headers.set(name, &value)?;
    headers.set("allow", &methods.join(", "))?;
    for (name, value) in origin::preflight_headers(methods, requested) {
        headers.set(name, &value)?;
    }
    let init = ResponseInit::new();
    init.set_status(204);
    init.set_headers(&headers);
    Response::new_with_opt_str_and_init(None, &init)
}
