//! The interface that a client of other servers needs from its platform: HTTP requests and a clock.
//! It is small, so that a test can implement it and fail on demand.
#![expect(
    async_fn_in_trait,
    reason = "one thread runs everything, so no caller needs to know whether a future may be sent"
)]

/// A request to a configured URL, or to an authorization server that a configured server names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// `POST`, `GET` or `DELETE`.
    pub method: &'static str,
    /// The URL.
    pub url: String,
    /// All headers.
    pub headers: Vec<(String, String)>,
    /// The body; empty for none.
    pub body: String,
}

/// The head of a response, and its unread body.
#[derive(Debug)]
pub struct Response<B> {
    /// The HTTP status.
    pub status: u16,
    /// `Content-Type`, in lower case without parameters.
    pub content_type: String,
    /// `Mcp-Session-Id`.
    pub session: Option<String>,
    /// `Content-Length`.
    pub length: Option<u64>,
    /// `Retry-After`.
    pub retry_after: Option<String>,
    /// `WWW-Authenticate`.
    pub challenge: Option<String>,
    /// The body.
    pub body: B,
}

/// The reason for which a response or a body ends early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Broken {
    /// The connection could not be made, or it broke; the reason in words.
    Off(String),
    /// The platform has no memory for more of the body.
    NoRoom,
}

/// A body that arrives in pieces. Dropping it closes the connection, which cancels the request.
pub trait Body {
    /// Returns the next piece, or `None` at the end.
    ///
    /// # Errors
    /// [`Broken`].
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Broken>;

    /// Reports how many of the received bytes are still held in memory. Without a report, all
    /// received bytes count as held.
    fn holds(&mut self, _bytes: usize) {}
}

/// A sender of requests. It does not follow redirects.
pub trait Http {
    /// The body of a response.
    type Body: Body;

    /// Sends a request and waits for the head of its response. Dropping the future cancels the
    /// request.
    ///
    /// # Errors
    /// [`Broken`].
    async fn send(&self, request: Request) -> Result<Response<Self::Body>, Broken>;

    /// Sends a request without waiting for the response.
    fn send_and_forget(&self, request: Request);
}

/// Time and random numbers.
pub trait Clock {
    /// Returns the milliseconds since 1970.
    fn now_ms(&self) -> u64;

    /// Waits for a time.
    async fn sleep(&self, milliseconds: u64);

    /// Returns a random number from 0 to 1.
    fn random(&self) -> f64;
}
