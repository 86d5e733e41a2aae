//! A request as it arrived: method, URL and headers, taken over from JavaScript in one call.

use js_sys::Array;
use wasm_bindgen::JsValue;
use web_sys::Request;

use super::addresses::{
    ACTOR_HEADER, BASIS_HEADER, CONVERSATION_HEADER, PASSED_HEADER, SESSION_HEADER, TENANT_HEADER,
};
use super::bindings::{headers_with, read_request, thrown_text};
use crate::api::address::Address;
use base::{Error, Result};

/// What JavaScript writes for a header that is not there.
const ABSENT: &str = "\0";

/// What the front Worker reads of each request.
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

/// What an object reads of each request that the front Worker passed on.
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

/// A request and what was read of it.
pub struct Received {
    /// The request, for its body.
    pub request: Request,
    lines: Vec<String>,
    names: &'static [&'static str],
}

impl Received {
    /// A request of a client.
    ///
    /// # Errors
    /// None that is known: the platform has made the request.
    pub fn from_client(request: Request) -> Result<Self> {
        ASKED.with(|(names, _)| Self::read(request, OF_CLIENTS, names))
    }

    /// A request of the front Worker to an object.
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
            lines: text.split('\n').map(str::to_owned).collect(),
            names,
        })
    }

    fn line(&self, number: usize) -> &str {
        self.lines.get(number).map_or("", String::as_str)
    }

    /// `GET`, `POST` and so on.
    pub fn method(&self) -> &str {
        self.line(0)
    }

    /// Whether it has this URL.
    pub fn is_to(&self, url: &str) -> bool {
        self.line(1) == url
    }

    /// The parts of the URL.
    pub fn address(&self) -> Address<'_> {
        Address::parse(self.line(1))
    }

    /// The length of the body that the sender announced.
    pub fn announced_bytes(&self) -> Option<u64> {
        self.header("content-length")?.parse().ok()
    }

    /// The headers whose names begin like this, in lower case.
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

    /// A header by its name in lower case. One that was not read with the others is read now.
    pub fn header(&self, name: &str) -> Option<String> {
        let Some(place) = self.names.iter().position(|known| *known == name) else {
            return self.request.headers().get(name).ok().flatten();
        };
        Some(self.line(place + 2))
            .filter(|value| *value != ABSENT)
            .map(str::to_owned)
    }
}
