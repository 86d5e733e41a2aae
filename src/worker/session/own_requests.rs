//! Internal requests of the front Worker and of other objects, at URLs that no request from outside
//! has: confirmations, the tables of a graph, approved statements, and the stream of changes.
//! Requests that the front Worker passes on for a client are in `serve`.

use std::rc::Rc;

use serde_json::json;
use wasm_bindgen::JsValue;
use web_sys::Response;

use super::super::addresses::{
    APPROVED, BASIS, CONFIRMATIONS, SESSION_HEADER, TABLES, TENANT_HEADER, WATCH,
};
use super::super::body::read_text;
use super::super::d1::Remote;
use super::super::object::events::{self, Events};
use super::super::object::{Object, OperationGuard};
use super::super::received::IncomingRequest;
use super::super::storage::ObjectDatabase;
use super::super::{instance, reply};
use super::usage::touch;
use super::{Session, listed};
use crate::api::envelope;
use base::{Error, Result};
use net::event_stream::EventStream;
use session::approved::{self, Basis};
use session::bulk::write_tables;
use session::confirmation::{BasisRequest, Request};
use session::persistent::Persistent;
use session::watch::{Change, Watcher};

/// The factor by which the text of arguments grows in a JSON string: at most every byte of it is
/// escaped.
const ESCAPED_BYTES: u64 = 2;

impl Object<Session> {
    /// Returns the response to an internal request; `None` for a request that is passed on for a
    /// client.
    pub(super) async fn respond_to_front(
        self: &Rc<Self>,
        received: &IncomingRequest,
    ) -> Option<Result<Response, JsValue>> {
        if received.is_to(WATCH) {
            return Some(self.watch());
        }
        let _running = OperationGuard::start(self);
        let outcome = if received.is_to(CONFIRMATIONS) {
            self.confirm(received).await
        } else if received.is_to(BASIS) {
            self.basis(received).await
        } else if received.is_to(TABLES) {
            self.write_tables(received).await
        } else if received.is_to(APPROVED) {
            self.serve_approved(received).await
        } else {
            return None;
        };
        Some(match outcome {
            Ok(text) => reply::json(&text, 200),
            Err(error) => reply::failure(&error),
        })
    }

    /// Makes or redeems a confirmation, which is a use of the session like any operation.
    async fn confirm(&self, received: &IncomingRequest) -> Result<String> {
        let config = instance::config(&self.env)?;
        let limit_bytes = (config.max_request_bytes as u64).saturating_mul(ESCAPED_BYTES);
        let body = read_text(received, limit_bytes).await?;
        let request = Request::parse(&body)?;
        self.prepare().await?;
        let database = self.database();
        let ttl_seconds = config.session.session_ttl_seconds;
        let (cache, untold) = (&self.kind.cache, &self.kind.untold);
        let now_ms = touch(&database, cache, untold, ttl_seconds)?;
        let outcome = request.serve(&database, now_ms, instance::fresh_bytes()?);
        let what = request.what();
        listed::tell(
            &self.env,
            what.tenant,
            what.session,
            &database,
            ttl_seconds,
            untold,
        );
        outcome.map(envelope::success)
    }

    /// Returns the basis of a removal.
    async fn basis(&self, received: &IncomingRequest) -> Result<String> {
        let limit_bytes = instance::config(&self.env)?.max_request_bytes as u64;
        let body = read_text(received, limit_bytes.saturating_mul(ESCAPED_BYTES)).await?;
        let request = BasisRequest::parse(&body)?;
        let told = |basis: Basis| envelope::success(json!({ "basis": basis.as_str() }));
        if let (true, Some(table)) = (request.persistent, &request.table) {
            let config = instance::config(&self.env)?;
            let remote = Remote::of(&self.env)?;
            let tenant = received.header(TENANT_HEADER);
            let tenant = tenant.ok_or_else(|| Error::internal("a request without its tenant"))?;
            let tables = Persistent::new(&remote, &tenant, &config.session, instance::now_ms());
            return tables.basis_of_removal(table).await.map(told);
        }
        self.use_session(received, |session, _| {
            Basis::of_removal(session.db, request.table.as_deref()).map(told)
        })
        .await
    }

    /// Makes tables of a graph.
    async fn write_tables(&self, received: &IncomingRequest) -> Result<String> {
        let limit_bytes = ::graph::limits::MAX_EXPORT_BYTES as u64;
        let body = read_text(received, limit_bytes).await?;
        self.use_session(received, |session, _| {
            write_tables(session, &body).map(|answer| envelope::answered(&answer))
        })
        .await
    }

    /// Previews, runs and undoes approved statements.
    async fn serve_approved(&self, received: &IncomingRequest) -> Result<String> {
        let limit_bytes = instance::config(&self.env)?.max_request_bytes as u64;
        let body = read_text(received, limit_bytes.saturating_mul(ESCAPED_BYTES)).await?;
        let request = approved::Request::parse(&body)?;
        self.use_session(received, |session, tenant| {
            let owner = approved::Owner {
                tenant,
                place: approved::Place::Session(session.name),
            };
            let fields = approved::serve(session, owner, &request)?;
            Ok(envelope::with_members(&fields))
        })
        .await
    }

    /// Works with the session that the headers name, which is a use of it like any operation.
    async fn use_session(
        &self,
        received: &IncomingRequest,
        work: impl FnOnce(&::session::Session<'_, ObjectDatabase>, &str) -> Result<String>,
    ) -> Result<String> {
        let config = instance::config(&self.env)?;
        let named = |name: &str| {
            let value = received.header(name);
            value.ok_or_else(|| Error::internal(format!("a request without {name}")))
        };
        let (tenant, name) = (named(TENANT_HEADER)?, named(SESSION_HEADER)?);
        self.prepare().await?;
        let database = self.database();
        let ttl_seconds = config.session.session_ttl_seconds;
        let (cache, untold) = (&self.kind.cache, &self.kind.untold);
        let session = ::session::Session {
            db: &database,
            settings: &config.session,
            now_ms: touch(&database, cache, untold, ttl_seconds)?,
            name: &name,
            cache,
            scope: None,
        };
        let outcome = work(&session, &tenant);
        listed::tell(&self.env, &tenant, &name, &database, ttl_seconds, untold);
        outcome
    }

    /// Begins a stream of changes. It reads and writes nothing, so it is no use of the session.
    fn watch(&self) -> Result<Response, JsValue> {
        let (told, listener) = Events::live(EventStream::default());
        told.greet();
        match self.kind.cache.watchers.add(Rc::new(Stream(told))) {
            Ok(()) => reply::stream(events::CONTENT_TYPE, None, events::body(listener)),
            Err(error) => reply::failure(&error),
        }
    }
}

/// A stream of changes. The client's stream ends when it is dropped.
struct Stream(Events);

impl Watcher for Stream {
    fn changed(&self, change: &Change) {
        self.0.send("changed", || change.to_json());
    }

    fn deleted(&self) {
        self.0.send("deleted", || json!({}));
    }

    fn is_gone(&self) -> bool {
        self.0.is_abandoned()
    }
}
