//! Servers whose every response a test computes, and a clock that passes while somebody waits for
//! less than a second.

use std::cell::{Cell, RefCell};

use net::transport::{Body, Broken, Clock, Http, Request, Response};
use serde_json::{Value, json};

/// A server's response.
pub struct Said {
    pub status: u16,
    pub session: Option<String>,
    pub challenge: Option<String>,
    pub body: String,
}

/// Makes a response of JSON with a status.
pub fn says(status: u16, body: &Value) -> Said {
    Said {
        status,
        session: None,
        challenge: None,
        body: body.to_string(),
    }
}

/// Makes the result of a request of the modern protocol version.
pub fn result(request: &Request, mut result: Value) -> Said {
    result["resultType"] = json!("complete");
    let id = &message(request)["id"];
    says(
        200,
        &json!({ "jsonrpc": "2.0", "id": id, "result": result }),
    )
}

/// Returns the message of a request, or null.
pub fn message(request: &Request) -> Value {
    serde_json::from_str(&request.body).unwrap_or_default()
}

/// Returns a header of a request.
pub fn header<'r>(request: &'r Request, name: &str) -> Option<&'r str> {
    let found = request.headers.iter().find(|(known, _)| known == name)?;
    Some(found.1.as_str())
}

/// The network to all servers.
pub struct Network {
    serve: Box<dyn Fn(&Request) -> Said>,
    pub sent: RefCell<Vec<Request>>,
    pub forgotten: RefCell<Vec<Request>>,
}

impl Network {
    pub fn new(serve: impl Fn(&Request) -> Said + 'static) -> Self {
        Self {
            serve: Box::new(serve),
            sent: RefCell::default(),
            forgotten: RefCell::default(),
        }
    }

    /// Returns how often a URL was requested.
    pub fn asked(&self, url: &str) -> usize {
        let sent = self.sent.borrow();
        sent.iter().filter(|request| request.url == url).count()
    }
}

pub struct Whole(Option<Vec<u8>>);

impl Body for Whole {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Broken> {
        Ok(self.0.take())
    }
}

impl Http for Network {
    type Body = Whole;

    async fn send(&self, request: Request) -> Result<Response<Whole>, Broken> {
        let said = (self.serve)(&request);
        self.sent.borrow_mut().push(request);
        // Tasks that are ready run first.
        a_moment().await;
        Ok(Response {
            status: said.status,
            content_type: "application/json".to_owned(),
            session: said.session,
            length: None,
            retry_after: None,
            challenge: said.challenge,
            body: Whole(Some(said.body.into_bytes())),
        })
    }

    fn send_and_forget(&self, request: Request) {
        self.forgotten.borrow_mut().push(request);
    }
}

async fn a_moment() {
    let mut waited = false;
    std::future::poll_fn(|context| {
        context.waker().wake_by_ref();
        if std::mem::replace(&mut waited, true) {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
}

/// A clock on which a wait of a second or more never ends, because no test takes as long.
#[derive(Default)]
pub struct Time(pub Cell<u64>);

impl Clock for Time {
    fn now_ms(&self) -> u64 {
        self.0.get()
    }

    async fn sleep(&self, milliseconds: u64) {
        if milliseconds >= 1_000 {
            std::future::pending::<()>().await;
        }
        a_moment().await;
        self.0.set(self.0.get() + milliseconds);
    }

    fn random(&self) -> f64 {
        0.5
    }
}
