//! One request inside the object: its task, its parameters and its body.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};

use super::super::addresses::{PASSED_HEADER, SESSION_HEADER, TENANT_HEADER};
use super::super::body::{IncomingBody, read_text};
use super::super::object::Object;
use super::super::received::IncomingRequest;
use super::usage::Usage;
use crate::api::routes::{self, Entry, ServedBy, SessionTask, query_parameter};
use base::formulas::Formulas;
use base::{Error, Result};
use session::export::ExportFormat;
use tools::gateway::{Connections, PassedHeaders};

/// One request.
pub struct Call {
    /// The request that the front Worker passed on.
    pub received: IncomingRequest,
    /// The query string.
    pub query: String,
    /// The route.
    pub entry: &'static Entry,
    /// The work that it requests.
    pub task: SessionTask,
    /// The table that the path names, or an empty text.
    pub table: String,
    /// The requested format of an operation's rows.
    pub rows_as: ExportFormat,
    /// The treatment of formulas in CSV.
    pub formulas: Formulas,
    usage: Usage,
}

impl Deref for Call {
    type Target = Usage;

    fn deref(&self) -> &Usage {
        &self.usage
    }
}

impl DerefMut for Call {
    fn deref_mut(&mut self) -> &mut Usage {
        &mut self.usage
    }
}

impl Call {
    /// Reads everything except the body.
    ///
    /// # Errors
    /// Those of the route and the settings.
    pub fn read(received: IncomingRequest, object: &Object<super::Session>) -> Result<Self> {
        let address = received.address();
        let route = routes::route(received.method(), address.path)?;
        let ServedBy::Session { task, .. } = route.entry.place else {
            return Err(Error::internal("the route is not one of a session"));
        };
        let named = |name: &str| {
            let value = received.header(name);
            value.ok_or_else(|| Error::internal(format!("a request without {name}")))
        };
        let (session, tenant) = (named(SESSION_HEADER)?, named(TENANT_HEADER)?);
        Ok(Self {
            query: address.query.to_owned(),
            entry: route.entry,
            task,
            table: route.table.unwrap_or_default(),
            rows_as: ExportFormat::Json,
            formulas: Formulas::Keep,
            usage: Usage::new(object, tenant, session, route.entry.name)?,
            received,
        })
    }

    /// Returns a parameter of the query string.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a broken escape.
    pub fn parameter(&self, name: &str) -> Result<Option<String>> {
        query_parameter(&self.query, name)
    }

    /// Returns the `Accept` header.
    pub fn accept(&self) -> Option<String> {
        self.received.header("accept")
    }

    /// Returns true if the client requested server-sent events.
    pub fn wants_events(&self) -> bool {
        self.accept()
            .is_some_and(|accept| accept.contains("text/event-stream"))
    }

    /// Returns the headers that the caller passes through to servers, for this request alone.
    ///
    /// # Errors
    /// Those of [`PassedHeaders::read`].
    pub fn passed(&self) -> Result<PassedHeaders> {
        let text = self.received.header(PASSED_HEADER);
        let headers: Vec<(String, String)> = text
            .map(|text| serde_json::from_str(&text))
            .transpose()
            .map_err(|_| Error::internal("what is passed through cannot be read"))?
            .unwrap_or_default();
        let (servers, tenant) = (&self.config.servers, &self.record.tenant);
        PassedHeaders::read(&headers, servers, tenant, Connections::of_an_object())
    }

    /// Opens the body, to read it piece by piece.
    ///
    /// # Errors
    /// As [`IncomingBody::open`].
    pub fn body(&self) -> Result<IncomingBody> {
        IncomingBody::open(
            &self.received.request,
            self.entry.body.limit_bytes(&self.config),
        )
    }

    /// Reads the whole body.
    ///
    /// # Errors
    /// As [`read_text`].
    pub async fn text(&mut self) -> Result<String> {
        let text = read_text(&self.received, self.entry.body.limit_bytes(&self.config)).await?;
        self.record.bytes_in = text.len() as u64;
        Ok(text)
    }

    /// Turns the request into one whose response has begun.
    pub fn streaming(self) -> Streaming {
        Streaming {
            call: self,
            code: "CANCELLED",
            bytes_out: Cell::new(0),
        }
    }
}

/// A request whose response is being sent. It writes its log line when it is dropped, because a
/// reader may go away at any time.
pub struct Streaming {
    /// The request.
    pub call: Call,
    /// The code of its end: that the reader went away, unless it is set to another.
    pub code: &'static str,
    bytes_out: Cell<u64>,
}

impl Streaming {
    /// Adds a piece to the bytes that were sent.
    pub fn count(&self, piece: &[u8]) {
        self.bytes_out
            .set(self.bytes_out.get() + piece.len() as u64);
    }
}

impl Drop for Streaming {
    fn drop(&mut self) {
        self.call.record.bytes_out = self.bytes_out.get();
        self.call.finish(self.code);
    }
}
