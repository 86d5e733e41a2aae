//! The network and the clock of the platform, for [`net::transport`].

use std::cell::RefCell;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures::future::select;
use js_sys::{Promise, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};
use web_sys::{AbortController, Headers, RequestInit, RequestRedirect};
use worker::Delay;

use crate::limits::FORGOTTEN_REQUEST_MS;
use crate::worker::bindings::{BodyReader, detach, open_body, read_body, read_some};
use crate::worker::instance;
use net::response_budget::ResponseBudget;
use net::transport::{Body, Broken, Clock, Http, Request, Response};

/// The bytes of one read of a response, as for the body of a request.
const READ_BYTES: u32 = 256 * 1024;

#[wasm_bindgen]
extern "C" {
    /// Calls the platform's `fetch`. A plain `fetch` would be the function of this Worker that
    /// serves requests.
    #[wasm_bindgen(catch, js_namespace = globalThis, js_name = fetch)]
    fn fetch(url: &str, init: &RequestInit) -> Result<Promise, JsValue>;

    /// `ctx` of a request.
    #[derive(Clone)]
    pub type ExecutionContext;

    /// Keeps the request alive until the promise settles.
    #[wasm_bindgen(method, catch, js_name = waitUntil)]
    fn wait_until(this: &ExecutionContext, promise: &Promise) -> Result<(), JsValue>;
}

/// The network, through `fetch`.
#[derive(Clone)]
pub struct Network {
    /// The tenant on whose behalf requests are sent.
    tenant: Rc<str>,
    /// `ctx` of the front Worker, which ends with its response unless `waitUntil` extends it. An
    /// object needs none.
    context: Option<ExecutionContext>,
}

impl Network {
    /// Makes the network of an object.
    pub fn of_an_object(tenant: &str) -> Self {
        Self {
            tenant: tenant.into(),
            context: None,
        }
    }

    /// Makes the network of a request to the front Worker.
    pub fn of_a_request(tenant: &str, context: ExecutionContext) -> Self {
        Self {
            tenant: tenant.into(),
            context: Some(context),
        }
    }
}

/// A guard that aborts a request when it is dropped before the request is done.
struct Abort {
    controller: AbortController,
    done: bool,
}

impl Drop for Abort {
    fn drop(&mut self) {
        if !self.done {
            self.controller.abort();
        }
    }
}

thread_local! {
    /// The bytes held for responses that are being read, by all requests and objects of the
    /// instance. A complete response is processed without waiting, so only these bytes can pile up.
    static READINGS: RefCell<ResponseBudget> = RefCell::default();
}

/// The bytes of one response that are counted in [`READINGS`].
struct Share {
    tenant: Rc<str>,
    bytes: usize,
}

impl Share {
    /// Sets the counted bytes, if there is room.
    fn hold(&mut self, bytes: usize) -> Result<(), Broken> {
        READINGS
            .with_borrow_mut(|readings| readings.hold(&self.tenant, self.bytes, bytes))
            .map_err(|_no_room| Broken::NoRoom)?;
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        // Holding less always finds room.
        let _given_back = self.hold(0);
    }
}

/// The body of a response.
pub struct UpstreamBody {
    reader: Option<BodyReader>,
    share: Share,
    /// True if each event is returned at once; other bodies are read in large pieces.
    piecemeal: bool,
    abort: Abort,
}

impl Drop for UpstreamBody {
    /// Aborts the request. The reader only releases its lock, because somebody may have begun to
    /// read the stream.
    fn drop(&mut self) {
        if let Some(reader) = self.reader.take() {
            detach(reader.cancel());
        }
    }
}

/// Returns the failure of a connection. An exception of the platform may contain the URL, so it is
/// not passed on.
fn broken(_thrown: JsValue) -> Broken {
    Broken::Off("the connection failed or was interrupted".to_owned())
}

impl Http for Network {
    type Body = UpstreamBody;

    async fn send(&self, request: Request) -> Result<Response<UpstreamBody>, Broken> {
        let abort = Abort {
            controller: AbortController::new().map_err(broken)?,
            done: false,
        };
        let init = request_init(&request).map_err(broken)?;
        init.set_signal(Some(&abort.controller.signal()));
        let promise = fetch(&request.url, &init).map_err(broken)?;
        let response: web_sys::Response = JsFuture::from(promise)
            .await
            .and_then(JsCast::dyn_into)
            .map_err(broken)?;
        let headers = response.headers();
        let header = |name: &str| headers.get(name).ok().flatten();
        let content_type = header("content-type")
            .unwrap_or_default()
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        let reader = response
            .body()
            .map(|stream| open_body(&stream))
            .transpose()
            .map_err(broken)?;
        Ok(Response {
            status: response.status(),
            length: header("content-length").and_then(|length| length.parse().ok()),
            session: header("mcp-session-id"),
            retry_after: header("retry-after"),
            challenge: header("www-authenticate"),
            body: UpstreamBody {
                reader,
                share: Share {
                    tenant: Rc::clone(&self.tenant),
                    bytes: 0,
                },
                // Only the beginning of a failure is read.
                piecemeal: content_type == "text/event-stream" || !response.ok(),
                abort,
            },
            content_type,
        })
    }

    fn send_and_forget(&self, request: Request) {
        let network = self.clone();
        let sent = future_to_promise(async move {
            // A server that hangs must not hold one of the few connections that a request may have.
            // Dropping the request ends it.
            let sending = pin!(network.send(request));
            let patience = pin!(Time.sleep(FORGOTTEN_REQUEST_MS));
            let _nobody_waits = select(sending, patience).await;
            Ok(JsValue::UNDEFINED)
        });
        if let Some(context) = &self.context {
            let _alive = context.wait_until(&sent);
        }
    }
}

fn request_init(request: &Request) -> Result<RequestInit, JsValue> {
    let headers = Headers::new()?;
    for (name, value) in &request.headers {
        headers.set(name, value)?;
    }
    let init = RequestInit::new();
    init.set_method(request.method);
    init.set_headers(&headers);
    init.set_redirect(RequestRedirect::Manual);
    if !request.body.is_empty() {
        init.set_body(&Uint8Array::from(request.body.as_bytes()));
    }
    Ok(init)
}

impl Body for UpstreamBody {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Broken> {
        let Some(reader) = &self.reader else {
            return Ok(None);
        };
        let read = if self.piecemeal {
            read_some(reader, READ_BYTES)
        } else {
            read_body(reader, READ_BYTES)
        };
        let piece = JsFuture::from(read).await.map_err(broken)?;
        match piece.dyn_ref::<Uint8Array>() {
            Some(piece) => {
                let held = self.share.bytes.saturating_add(piece.length() as usize);
                self.share.hold(held)?;
                Ok(Some(piece.to_vec()))
            }
            None => {
                self.reader = None;
                self.abort.done = true;
                Ok(None)
            }
        }
    }

    fn holds(&mut self, bytes: usize) {
        // All bytes read so far are counted, so `bytes` never needs more.
        let _given_back = self.share.hold(bytes.min(self.share.bytes));
    }
}

/// The platform's clock and random numbers.
pub struct Time;

impl Clock for Time {
    fn now_ms(&self) -> u64 {
        instance::now_ms()
    }

    async fn sleep(&self, milliseconds: u64) {
        Delay::from(Duration::from_millis(milliseconds)).await;
    }

    fn random(&self) -> f64 {
        js_sys::Math::random()
    }
}
