//! The checks of a request that need only its head: origin, route, caller, parameters and coding.

use session::SessionError;

use crate::api::arrival::Arrival;
use crate::api::auth::{self, Accepted, Credentials, Identity};
use crate::api::origin;
use crate::api::routes::{self, BodyLimit, Entry, Route, ServedBy};
use crate::config::Config;
use crate::worker::received::RequestHead;
use ::oauth::resource;
use base::{Error, Result};
use session::bulk::Coding;

impl RequestHead {
    pub(super) fn route(&self) -> Result<Route> {
        routes::route(self.method(), self.address().path)
    }

    /// Checks the origin. Every page may read the metadata of OAuth, so that it can find the issuer
    /// of the token that it needs.
    pub(super) fn check_origin(&self, config: &Config) -> Result<()> {
        let address = self.address();
        if resource::is_metadata(address.path) {
            return Ok(());
        }
        origin::check_origin(
            self.header("origin"),
            address.origin,
            &config.allowed_origins,
        )
    }

    /// Returns the caller that the request names.
    pub(super) fn identity(&self, config: &Config) -> Result<Identity<'_>> {
        let arrival = Arrival {
            url_host: self.address().host,
            host: self.header("host"),
            forwarded_host: self.header("x-forwarded-host"),
            forwarded: self.header("forwarded"),
            fetch_site: self.header("sec-fetch-site"),
            origin: self.header("origin"),
        };
        let credentials = Credentials {
            authorization: self.header("authorization"),
            token: self.header("x-codemode-token"),
            arrival,
        };
        let accepted = Accepted {
            tokens: config.tokens.as_deref(),
            access_tokens: config.oauth.is_some(),
        };
        auth::identify(accepted, credentials)
    }

    pub(super) fn check_parameters(&self, entry: &Entry) -> Result<()> {
        let query = self.address().query;
        #[cfg(feature = "fault-injection")]
        if crate::worker::faults::are_asked(query) {
            return Ok(());
        }
        // Links to a page may contain parameters of other people.
        if matches!(entry.place, ServedBy::Page(_)) {
            return Ok(());
        }
        routes::check_query_parameters(query, entry.parameters)
    }

    /// Checks the content encoding. Only loads may be compressed; other bodies are short.
    pub(super) fn check_coding(&self, route: &Route) -> Result<()> {
        if matches!(route.entry.body, BodyLimit::Load | BodyLimit::None) {
            return Ok(());
        }
        match Coding::from_content_encoding(self.header("content-encoding"))? {
            Coding::Identity => Ok(()),
            Coding::Gzip => Err(Error::from(SessionError::UnsupportedMediaType {
                message: "only loads accept a body with content-encoding gzip".to_owned(),
                hint: "send the body as it is, or rows with PUT …/tables/{table}/rows".to_owned(),
                accepted: &["identity"],
            })),
        }
    }
}
