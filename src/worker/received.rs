//! A received request: its method, URL and headers, read from JavaScript in one call.

use js_sys::Array;
use wasm_bindgen::JsValue;
use web_sys::Request;

use super::addresses::{
    ACTOR_HEADER, BASIS_HEADER, CONVERSATION_HEADER, PASSED_HEADER, SESSION_HEADER, TENANT_HEADER,
};
use super::bindings::{headers_with, read_request, thrown_text};
use crate::api::address::Address;
use base::{Error, Result};

/// The value that JavaScript writes for an absent header.
const ABSENT: &str = "\0";

/// The headers that the front Worker reads of each request.
const OF_CLIENTS: &[&str] = &[
    "origin",
    "authorization",
    "x-codemode-token",
    "host",
    "x-forwarded-host",
    "forwarded",
    "sec-fetch-site",
    "content-length",
    "content-encoding",
    "content-type",
    "accept",
    "if-match",
    "last-event-id",
    ACTOR_HEADER,
];

/// The headers that an object reads of each request from the front Worker.
const OF_THE_FRONT: &[&str] = &[
    TENANT_HEADER,
    SESSION_HEADER,
    PASSED_HEADER,
    CONVERSATION_HEADER,
    ACTOR_HEADER,
    BASIS_HEADER,
    "content-length",
    "content-type",
    "accept",
    "if-match",
    "last-event-id",
];

thread_local! {
    static ASKED: (Array, Array) = (list(OF_CLIENTS), list(OF_THE_FRONT));
}

fn list(names: &[&str]) -> Array {
    names.iter().map(|name| JsValue::from_str(name)).collect()
}

/// Method, URL and some headers of a request.
pub struct RequestHead {
    lines: Vec<String>,
    names: &'static [&'static str],
}

impl RequestHead {
    /// Reads a line for the method, one for the URL, and one for each of the headers.
    pub fn parse(text: &str, names: &'static [&'static str]) -> Self {
        Self {
            lines: text.split('\n').map(str::to_owned).collect(),
            names,
        }
    }

    fn line(&self, number: usize) -> &str {
        self.lines.get(number).map_or("", String::as_str)
    }

    /// Returns `GET`, `POST` and so on.
    pub fn method(&self) -> &str {
        self.line(0)
    }

    /// Returns the URL.
    pub fn url(&self) -> &str {
        self.line(1)
    }

    /// Returns the parts of the URL.
    pub fn address(&self) -> Address<'_> {
        Address::parse(self.url())
    }

    /// Returns a header that was read, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let place = self.names.iter().position(|known| *known == name)?;
        Some(self.line(place + 2)).filter(|value| *value != ABSENT)
    }
}

/// A request with the parts that were read.
pub struct IncomingRequest {
    /// The request, for its body.
    pub request: Request,
    /// The parts that were read.
    pub head: RequestHead,
}

impl IncomingRequest {
    /// Reads a request of a client.
    ///
    /// # Errors
    /// None is known, because the platform has made the request.
    pub fn from_client(request: Request) -> Result<Self> {
        ASKED.with(|(names, _)| Self::read(request, OF_CLIENTS, names))
    }

    /// Reads a request of the front Worker to an object.
    ///
    /// # Errors
    /// As [`Self::from_client`].
    pub fn from_front(request: Request) -> Result<Self> {
        ASKED.with(|(_, names)| Self::read(request, OF_THE_FRONT, names))
    }

    fn read(request: Request, names: &'static [&'static str], list: &Array) -> Result<Self> {
        let text =
            read_request(&request, list).map_err(|thrown| Error::internal(thrown_text(&thrown)))?;
        Ok(Self {
            request,
            head: RequestHead::parse(&text, names),
        })
    }

    /// Returns `GET`, `POST` and so on.
    pub fn method(&self) -> &str {
        self.head.method()
    }

    /// Returns true if this is its URL.
    pub fn is_to(&self, url: &str) -> bool {
        self.head.url() == url
    }

    /// Returns the parts of the URL.
    pub fn address(&self) -> Address<'_> {
        self.head.address()
    }

    /// Returns the length of the body that the sender announced.
    pub fn announced_bytes(&self) -> Option<u64> {
        self.header("content-length")?.parse().ok()
    }

    /// Returns the headers whose names have this prefix, with names in lower case.
    ///
    /// # Errors
    /// As [`Self::from_client`].
    pub fn headers_with(&self, prefix: &str) -> Result<Vec<(String, String)>> {
        let text = headers_with(&self.request, prefix)
            .map_err(|thrown| Error::internal(thrown_text(&thrown)))?;
        let mut lines = text.split('\n');
        let mut headers = Vec::new();
        while let (Some(name), Some(value)) = (lines.next(), lines.next()) {
            headers.push((name.to_owned(), value.to_owned()));
        }
        Ok(headers)
    }

    /// Returns a header by its name in lower case. A header that is not in the list of this request
    /// is read now.
    pub fn header(&self, name: &str) -> Option<String> {
        if !self.head.names.contains(&name) {
            return self.request.headers().get(name).ok().flatten();
        }
        self.head.header(name).map(str::to_owned)
    }
}
