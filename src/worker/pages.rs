//! Serves the pages of the console and the description of the routes from the binding of the static
//! assets, which contains the output of `console/build.mjs`.
//!
//! The binding's response provides content type and `ETag`; [`crate::api::pages`] provides every
//! other header. A deployment without the binding has no pages; everything else works.

use js_sys::ArrayBuffer;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Headers, Response, ResponseInit};

use super::bindings::{Stub, header_lines, send_to, text_of, thrown_text};
use super::entry::Caller;
use super::{instance, reply};
use crate::api::routes::{HEAD, Page};
use crate::api::status::status;
use crate::api::{RequestError, pages};
use base::{Error, Result};

/// The binding of the static assets.
const BINDING: &str = "ASSETS";

/// The host of the URLs that the binding sees. It has no meaning.
const HOST: &str = "https://assets";

/// The statuses of the binding's responses that carry a page (RFC 9110, sections 15.3.1 and
/// 15.4.5).
const OK: u16 = 200;
/// The status if the caller has the same page already.
const NOT_MODIFIED: u16 = 304;

/// The headers of the binding's response that are kept.
const KEPT: &[&str] = &["content-type", "etag"];

impl Caller {
    /// Serves a page, or a file of one.
    pub(super) async fn serve_page(&self, page: Page) -> Result<Response, JsValue> {
        let path = self.address().path;
        let Some(file) = pages::file(page, path) else {
            return reply::failure(&self.no_such_file(path));
        };
        let fetched = match self.fetch_asset(file).await {
            Ok(fetched) => fetched,
            Err(error) => return reply::failure(&error),
        };
        match (fetched.status(), page) {
            (OK, _) if self.received.method() == HEAD => {
                // Without its body, a response would get no length.
                let bytes = JsFuture::from(fetched.clone()?.array_buffer()?).await?;
                let length = bytes.unchecked_into::<ArrayBuffer>().byte_length();
                let response = with_headers_of(page, &fetched)?;
                response
                    .headers()
                    .set("content-length", &length.to_string())?;
                Ok(response)
            }
            (OK | NOT_MODIFIED, _) => with_headers_of(page, &fetched),
            (_, Page::Asset) => reply::failure(&self.no_such_file(path)),
            (_, Page::Html(_)) => reply::failure(&Error::from(RequestError::NoAssets)),
        }
    }

    /// Serves the description of the routes.
    pub(super) async fn serve_description(&self) -> Result<Response, JsValue> {
        match self.fetch_asset(pages::DESCRIPTION).await {
            Ok(fetched) if fetched.status() == OK => match text_of(&fetched).await {
                Ok(text) => reply::json(&text, OK),
                Err(error) => reply::failure(&error),
            },
            Ok(_) => reply::failure(&Error::from(RequestError::NoAssets)),
            Err(error) => reply::failure(&error),
        }
    }

    /// Serves the page for an unknown address, or the error itself if this deployment has no pages.
    pub(super) async fn serve_missing_page(&self, error: &Error) -> Result<Response, JsValue> {
        let page = self.serve_page(Page::Html(pages::MISSING)).await?;
        let is_page = [OK, NOT_MODIFIED].contains(&page.status());
        if !is_page {
            return reply::failure(error);
        }
        let init = ResponseInit::new();
        init.set_status(status(error));
        init.set_headers(&page.headers());
        Response::new_with_opt_readable_stream_and_init(page.body().as_ref(), &init)
    }

    async fn fetch_asset(&self, file: &str) -> Result<Response> {
        let Some(binding) = instance::binding(&self.env, BINDING) else {
            return Err(Error::from(RequestError::NoAssets));
        };
        // The browser never has the page of an unknown address already, and the description has no
        // tag.
        let known = match file {
            pages::MISSING | pages::DESCRIPTION => None,
            _ => self.received.header("if-none-match"),
        };
        let headers: Vec<(&str, &str)> = known
            .as_deref()
            .map(|tags| ("if-none-match", tags))
            .into_iter()
            .collect();
        let sent = send_to(
            binding.unchecked_ref::<Stub>(),
            "GET",
            &format!("{HOST}{file}"),
            &header_lines(&headers),
            &JsValue::UNDEFINED,
        );
        let failed = |thrown: JsValue| Error::internal(thrown_text(&thrown));
        let answer = JsFuture::from(sent.map_err(failed)?).await;
        answer.and_then(JsCast::dyn_into).map_err(failed)
    }

    fn no_such_file(&self, path: &str) -> Error {
        Error::from(RequestError::NotFound {
            // The response to HEAD has the headers of the one to GET.
            method: match self.received.method() {
                HEAD => "GET".to_owned(),
                method => method.to_owned(),
            },
            path: path.to_owned(),
        })
    }
}

fn with_headers_of(page: Page, fetched: &Response) -> Result<Response, JsValue> {
    let headers = Headers::new()?;
    for name in KEPT {
        if let Some(value) = fetched.headers().get(name)? {
            headers.set(name, &value)?;
        }
    }
    for (name, value) in pages::headers(page) {
        headers.set(name, value)?;
    }
    let init = ResponseInit::new();
    init.set_status(fetched.status());
    init.set_headers(&headers);
    Response::new_with_opt_readable_stream_and_init(fetched.body().as_ref(), &init)
}
