//! What a client of other servers asks of its platform: requests over HTTP, and a clock. Small, so that a test can stand in for it and fail on demand.
#![expect(
    async_fn_in_trait,
    reason = "one thread runs everything, so no caller needs to know whether a future may be sent"
)]

/// A request. It goes to a configured address, or to one of an authorization server that a configured server names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// `POST`, `GET` or `DELETE`.
    pub method: &'static str,
    /// The endpoint.
    pub url: String,
    /// All headers.
    pub headers: Vec<(String, String)>,
    /// The text; empty for none.
    pub body: String,
}

/// The head of a response, and its body to be read.
#[derive(Debug)]
pub struct Response<B> {
    /// HTTP status.
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
    /// What follows.
    pub body: B,
}

/// Why nothing comes, or nothing more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Broken {
    /// The connection could not be made, or broke; in words.
    Off(String),
    /// The platform has no room for more of the body.
    NoRoom,
}

/// A body that arrives in pieces. Dropping it closes the connection, which is how a request is cancelled.
pub trait Body {
    /// The next piece, or `None` at the end.
    ///
    /// # Errors
    /// [`Broken`].
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Broken>;

    /// How many bytes of what came are still held. Where nobody says, it is all of them.
    fn holds(&mut self, _bytes: usize) {}
}

/// Sends requests. Redirects are not followed.
pub trait Http {
    /// Of a response.
    type Body: Body;

    /// Sends a request and waits for the head of its response. Dropping the future cancels.
    ///
    /// # Errors
    /// [`Broken`].
    async fn send(&self, request: Request) -> Result<Response<Self::Body>, Broken>;

    /// Sends a request whose answer nobody waits for.
    fn send_and_forget(&self, request: Request);
}

/// Time and chance.
pub trait Clock {
    /// Milliseconds since 1970.
    fn now_ms(&self) -> u64;

    /// Waits.
    async fn sleep(&self, milliseconds: u64);

    /// Anything from 0 to 1.
    fn random(&self) -> f64;
}
