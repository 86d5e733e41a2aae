//! Resumes an event stream of the older protocol version after the last event received. The
//! connection may have been cut, or the server may have closed it to be polled later.
//!
//! Source: the specification of 2025-11-25, "Resumability and Redelivery" and "Sending Messages to
//! the Server" of Streamable HTTP.

use super::Client;
use super::handshake::session_headers;
use crate::connection::Session;
use crate::limits::{
    MAX_STREAM_RESUMPTIONS, MIN_STREAM_RETRY_MS, STREAM_RETRY_MS, UPSTREAM_RETRIES,
};
use crate::stream::Resume;
use net::sse::ResumePoint;
use net::transport::{Clock, Http, Request};

/// The resumption of the stream of one request.
pub(super) struct Resumption<'a, H: Http, C: Clock> {
    client: &'a Client<'a, H, C>,
    session: &'a Session,
    requests: u32,
}

impl<'a, H: Http, C: Clock> Resumption<'a, H, C> {
    pub fn new(client: &'a Client<'a, H, C>, session: &'a Session) -> Self {
        Self {
            client,
            session,
            requests: 0,
        }
    }

    fn request(&self, last_id: &str) -> Request {
        let own = session_headers(self.session);
        let last_id = ("last-event-id".to_owned(), last_id.to_owned());
        self.client.get(own.into_iter().chain([last_id]))
    }
}

impl<H: Http, C: Clock> Resume<H::Body> for Resumption<'_, H, C> {
    async fn resume(&mut self, place: &ResumePoint) -> Option<H::Body> {
        let last_id = place.last_id.as_deref()?;
        let wait_ms = place.retry_ms.unwrap_or(STREAM_RETRY_MS);
        let wait_ms = wait_ms.max(MIN_STREAM_RETRY_MS);
        for _ in 0..=UPSTREAM_RETRIES {
            self.requests += 1;
            if self.requests > MAX_STREAM_RESUMPTIONS || !self.client.has_time_for(wait_ms) {
                return None;
            }
            self.client.clock.sleep(wait_ms).await;
            match self.client.send(self.request(last_id)).await {
                Ok(response)
                    if response.status == 200 && response.content_type == "text/event-stream" =>
                {
                    return Some(response.body);
                }
                // The server cannot resume streams, or has deleted this one.
                Ok(response) if !matches!(response.status, 429 | 500..=599) => return None,
                _ => {}
            }
        }
        None
    }
}
