//! The handshake of the older protocol version: opens a session, shares it, and ends it.

use serde::Deserialize;
use serde_json::Value;

use super::Client;
use crate::connection::{Era, Session};
use crate::era::{FailedRequest, named_version};
use crate::expected::Depth;
use crate::failure::{Failure, shorten};
use crate::message::Batches;
use crate::protocol::{
    BATCHING_VERSION, InitializeParams, LEGACY_VERSION, LEGACY_VERSIONS, MODERN_VERSION, Nothing,
    render,
};
use crate::stream::NoResumption;
use net::transport::{Clock, Http};

impl<H: Http, C: Clock> Client<'_, H, C> {
    /// Returns the session, or opens one.
    pub(super) async fn session(&self) -> Result<Session, FailedRequest> {
        if let Some(session) = self.connection.session() {
            return Ok(session);
        }
        let _turn = self.connection.turn().await;
        if let Some(session) = self.connection.session() {
            return Ok(session);
        }
        self.new_session().await.map_err(|failure| FailedRequest {
            failure,
            era: Era::Legacy,
            session: None,
        })
    }

    /// Opens a session. If the connection has no lock, another request may open a session at the
    /// same time; that session is then returned instead.
    async fn new_session(&self) -> Result<Session, Failure> {
        let session = self.initialize().await?;
        if let Some(other) = self.instead_of(&session) {
            return Ok(other);
        }
        let body = render(None, "notifications/initialized", None::<Nothing>);
        let request = self.post(session_headers(&session), body);
        // Waits until the notification has been sent, because a server that depends on it would
        // refuse the next request. The response to the notification is ignored.
        drop(self.send(request).await?);
        if let Some(other) = self.instead_of(&session) {
            return Ok(other);
        }
        self.connection.begin(session.clone());
        Ok(session)
    }

    /// Does a handshake. If the server refuses the newest version instead of proposing another,
    /// tries once more with a version that the refusal names.
    async fn initialize(&self) -> Result<Session, Failure> {
        let refused = match self.initialize_as(LEGACY_VERSION).await {
            Ok(session) => return Ok(session),
            Err(failure) => failure,
        };
        match named_version(&refused) {
            Some(version) => self.initialize_as(version).await,
            None => Err(refused),
        }
    }

    async fn initialize_as(&self, version: &'static str) -> Result<Session, Failure> {
        let id = self.connection.next_id();
        let body = render(
            Some(id),
            "initialize",
            Some(InitializeParams::new(version, self.capabilities())),
        );
        let response = self.send(self.post(Vec::new(), body)).await?;
        let session_id = response.session.clone();
        let secrets = self.secrets();
        let expected = self.expected(id, Depth::OfAll, Batches::Refused, &secrets);
        let message = self
            .read(
                response,
                &expected,
                &mut |_| {},
                &|_, _| {},
                &mut NoResumption,
            )
            .await?;
        let agreed: Initialized = serde_json::from_str(message.result()?.get())
            .map_err(|_| Failure::Protocol("the handshake has no version".to_owned()))?;
        if !LEGACY_VERSIONS.contains(&agreed.version.as_str()) {
            return Err(Failure::Protocol(format!(
                "the server supports version {}, this client supports {MODERN_VERSION} and {LEGACY_VERSION}",
                shorten(&agreed.version)
            )));
        }
        Ok(Session {
            version: agreed.version,
            id: session_id,
            has_tools: agreed.capabilities.as_object().is_some_and(|declared| {
                declared.get("tools").is_some_and(|tools| !tools.is_null())
            }),
        })
    }

    /// Returns the session that another request has opened in the meantime, and ends ours.
    fn instead_of(&self, ours: &Session) -> Option<Session> {
        let other = self.connection.session()?;
        if other.id != ours.id {
            self.end(ours);
        }
        Some(other)
    }

    /// Ends the session of an older server, if there is one, without waiting for the response.
    pub fn end_session(&self) {
        if let Some(session) = self.connection.take_session() {
            self.end(&session);
        }
    }

    fn end(&self, session: &Session) {
        if session.id.is_some() {
            let mut request = self.post(session_headers(session), String::new());
            request.method = "DELETE";
            self.tell(request);
        }
    }
}

/// Returns the headers that every request of a session has.
pub(super) fn session_headers(session: &Session) -> Vec<(String, String)> {
    let mut headers = vec![("mcp-protocol-version".to_owned(), session.version.clone())];
    headers.extend(
        session
            .id
            .iter()
            .map(|id| ("mcp-session-id".to_owned(), id.clone())),
    );
    headers
}

/// Returns [`Batches::Read`] if the version of the session has batches.
pub(super) fn batches_in(session: &Session) -> Batches {
    if session.version == BATCHING_VERSION {
        Batches::Read
    } else {
        Batches::Refused
    }
}

#[derive(Deserialize)]
struct Initialized {
    #[serde(rename = "protocolVersion")]
    version: String,
    #[serde(default)]
    capabilities: Value,
}
