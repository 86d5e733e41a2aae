//! Sending of requests, with the access token of their server if it has one.

use std::borrow::Cow;

use super::Client;
use crate::authorization::TokenNeed;
use crate::failure::Failure;
use crate::protocol::Capabilities;
use net::Secrets;
use net::transport::{Clock, Http, Request, Response};

/// The status with which a server refuses a token or demands one.
const UNAUTHORIZED: u16 = 401;

impl<H: Http, C: Clock> Client<'_, H, C> {
    /// Sends a request. If the server refuses its token, sends it again with another token, at most
    /// once in the life of this client. The refusal means that the server did not accept the
    /// request, so the repetition is safe.
    pub(super) async fn send(&self, request: Request) -> Result<Response<H::Body>, Failure> {
        let Some(access) = &self.endpoint.access else {
            return Ok(self.http.send(request).await?);
        };
        let url = &self.endpoint.url;
        let token = access
            .token(self.http, self.clock, url, &TokenNeed::Any)
            .await?;
        let first = with_token(request.clone(), token.as_deref());
        let response = self.http.send(first).await?;
        if response.status != UNAUTHORIZED || self.renewed.replace(true) {
            return Ok(response);
        }
        let wanted = TokenNeed::Other {
            than: token.as_deref(),
            challenge: response.challenge.as_deref(),
        };
        let Some(token) = access.token(self.http, self.clock, url, &wanted).await? else {
            return Ok(response);
        };
        drop(response);
        let response = self.http.send(with_token(request, Some(&token))).await?;
        if response.status == UNAUTHORIZED {
            access.refused(self.clock.now_ms());
        }
        Ok(response)
    }

    /// Sends a request without waiting for the response.
    pub(super) fn tell(&self, request: Request) {
        let access = self.endpoint.access.as_ref();
        let token = access.and_then(|access| access.remembered_token());
        self.http
            .send_and_forget(with_token(request, token.as_deref()));
    }

    /// Returns the strings that must not come back in the response to a request already sent.
    pub(super) fn secrets(&self) -> Cow<'_, Secrets> {
        match &self.endpoint.access {
            None => Cow::Borrowed(&self.endpoint.secrets),
            Some(access) => {
                let tokens = access.known_tokens();
                let all = self
                    .endpoint
                    .secrets
                    .with(tokens.iter().map(String::as_str));
                Cow::Owned(all)
            }
        }
    }

    pub(super) fn capabilities(&self) -> Capabilities {
        match self.endpoint.access {
            None => Capabilities::default(),
            Some(_) => Capabilities::with_client_credentials(),
        }
    }
}

fn with_token(mut request: Request, token: Option<&str>) -> Request {
    let header = token.map(|token| ("authorization".to_owned(), format!("Bearer {token}")));
    request.headers.extend(header);
    request
}
