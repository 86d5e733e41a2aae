//! Headers that a caller passes through to servers, for the calls of one request.
//!
//! `x-codemode-auth-pubs: Bearer …` becomes the header `authorization` for the server `pubs`, if
//! its `passThrough` says so. The name contains `auth`, because the platform redacts the values of
//! such headers in its own logs. A value is kept only during its request: the keys of stored lists
//! contain a digest of the value, and the sessions that were opened with it end with the request.

use std::borrow::Cow;

use sha2::{Digest as _, Sha256};

use super::Connections;
use crate::Server;
use crate::catalog::passed_key;
use crate::limits::MAX_PASSED_HEADER_BYTES;
use crate::server::{is_value, secret_parts};
use base::{Error, Result, nearest};
use mcp::client::Endpoint;
use net::secrets::is_long_enough;

/// The prefix of the names of such headers, before the name of the server.
pub const PASSED_PREFIX: &str = "x-codemode-auth-";

/// The headers of one request.
#[derive(Default)]
pub struct PassedHeaders {
    to: Vec<PassedHeader>,
    /// The connections to the servers that get a header.
    pub(super) connections: Connections,
}

struct PassedHeader {
    server: String,
    /// The endpoint of the server with the header.
    endpoint: Endpoint,
    key: String,
}

impl PassedHeaders {
    /// Reads headers: lower-case names that begin with [`PASSED_PREFIX`], and values. The sessions
    /// of older servers are opened over `connections`, which nothing else uses.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] for a server that the tenant does not have or that
    /// accepts no header, and for a value that no header can carry. No message contains a value.
    pub fn read(
        headers: &[(String, String)],
        servers: &[Server],
        tenant: &str,
        connections: Connections,
    ) -> Result<Self> {
        let to = headers
            .iter()
            .map(|(name, value)| {
                let (server, header) = server_of(name, servers, tenant)?;
                check_value(name, header, value)?;
                Ok(PassedHeader::new(server, header, value.trim()))
            })
            .collect::<Result<_>>()?;
        Ok(Self { to, connections })
    }

    pub(super) fn has(&self, server: &Server) -> bool {
        self.to(server).is_some()
    }

    pub(super) fn endpoint<'e>(&'e self, server: &'e Server) -> &'e Endpoint {
        self.to(server).map_or(&server.endpoint, |to| &to.endpoint)
    }

    /// Returns the key under which the lists of a server are stored.
    pub(super) fn key<'k>(&self, server: &'k Server) -> Cow<'k, str> {
        match self.to(server) {
            None => Cow::Borrowed(&server.name),
            Some(to) => Cow::Owned(to.key.clone()),
        }
    }

    fn to(&self, server: &Server) -> Option<&PassedHeader> {
        self.to.iter().find(|to| to.server == server.name)
    }
}

impl PassedHeader {
    fn new(server: &Server, header: &str, value: &str) -> Self {
        let mut endpoint = server.endpoint.clone();
        endpoint.headers.push((header.to_owned(), value.to_owned()));
        let mut parts: Vec<&str> = secret_parts(header, value).collect();
        if !parts.iter().any(|part| is_long_enough(part)) {
            parts = vec![value];
        }
        endpoint.secrets = endpoint.secrets.with(parts);
        let digest = Sha256::digest(value);
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Self {
            server: server.name.clone(),
            endpoint,
            key: passed_key(&server.name, &digest),
        }
    }
}

/// Returns the server of a header, and the name of the header there. The given name is in lower
/// case.
fn server_of<'s>(name: &str, servers: &'s [Server], tenant: &str) -> Result<(&'s Server, &'s str)> {
    let wanted = name.strip_prefix(PASSED_PREFIX).unwrap_or(name);
    let visible = || servers.iter().filter(|server| server.serves(tenant));
    let found = visible().find(|server| server.name.eq_ignore_ascii_case(wanted));
    if let Some(server) = found
        && let Some(header) = &server.pass_through
    {
        return Ok((server, header));
    }
    let takers: Vec<String> = visible()
        .filter(|server| server.pass_through.is_some())
        .map(|server| server.name.to_ascii_lowercase())
        .collect();
    let header_of = |taker: &String| format!("{PASSED_PREFIX}{taker}");
    let near = nearest(wanted, takers.iter().map(String::as_str));
    let hint = match (found, near.first()) {
        (Some(_), _) => {
            "leave the header out, or ask the operator to set passThrough for the server in MCP_SERVERS"
                .to_owned()
        }
        (None, Some(near)) => format!("did you mean `{}`?", header_of(near)),
        (None, None) if takers.is_empty() => {
            "no server accepts a header from its caller: leave it out, or ask the operator to set passThrough in MCP_SERVERS".to_owned()
        }
        (None, None) => {
            let headers: Vec<String> = takers.iter().map(header_of).collect();
            format!("the headers are {}", headers.join(", "))
        }
    };
    let message = match found {
        Some(server) => format!(
            "the server {} does not accept a header from its caller",
            server.name
        ),
        None => format!("there is no server for the header {:?}", super::short(name)),
    };
    Err(Error::invalid_with_hint(message, hint))
}

fn check_value(name: &str, header: &str, value: &str) -> Result<()> {
    let problem = if value.trim().is_empty() {
        "is empty".to_owned()
    } else if value.len() > MAX_PASSED_HEADER_BYTES {
        format!("has more than {MAX_PASSED_HEADER_BYTES} bytes")
    } else if !is_value(value) {
        "has characters beyond ASCII".to_owned()
    } else {
        return Ok(());
    };
    let hint = format!("its value must be that of the header {header} of the server");
    Err(Error::invalid_with_hint(
        format!("the header {name} {problem}"),
        hint,
    ))
}
