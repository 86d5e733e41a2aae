//! The client of the server: requests to one workspace, and their responses as typed values. Data
//! from the server is checked: paths become [`FilePath`]s, and lists are bounded.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use base::quoted::printed;
use base::text::cut;
use code_model::hash::file_hash;
use code_model::limits::MAX_FILE_BYTES;
use code_model::project::FilePath;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, RequestBuilder, http::Response, typestate::WithBody};

use crate::failure::{Failure, Result};
use crate::limits::{
    CONNECT_MS, FILE_PAGE, MAX_FILE_PAGES, MAX_PROPOSAL_PAGES, MAX_RESPONSE_BYTES,
    MAX_SHOWN_CHARACTERS, PROPOSAL_PAGE, REQUEST_MS,
};

/// The host names of this machine.
const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// The client of one workspace.
pub struct Client {
    agent: Agent,
    address: String,
    authorization: Option<String>,
}

/// The differences between a directory and its workspace.
#[derive(Debug, Default, Deserialize)]
pub struct Scan {
    /// The version of the workspace that was compared.
    pub version: u64,
    /// Files that the workspace does not have.
    pub added: Vec<String>,
    /// Files with other content in the workspace.
    pub changed: Vec<String>,
    /// Files that only the workspace has.
    pub deleted: Vec<String>,
    /// Files that the workspace does not accept.
    refused: Vec<RefusedFile>,
}

#[derive(Debug, Deserialize)]
struct RefusedFile {
    file_path: String,
}

impl Scan {
    fn require_taken(&self) -> Result<()> {
        // Paths are checked by the same rules before they are sent.
        match self.refused.first() {
            None => Ok(()),
            Some(file) => Err(unusable(
                "scan_for_change",
                format!(
                    "the server does not accept the path {:?}; does it have a different version?",
                    file.file_path
                ),
            )),
        }
    }
}

/// A proposal, reduced to the fields that the command needs.
#[derive(Debug, Clone, Deserialize)]
pub struct Proposal {
    /// Its request id.
    #[serde(rename = "requestId")]
    pub request_id: String,
    /// Its status: `pending`, `applied` or another one.
    pub status: String,
    /// The version that applied it.
    pub applied_version: Option<u64>,
    /// The version that reverted it.
    pub reverted_version: Option<u64>,
    /// Its files.
    pub files: Vec<ProposalFile>,
}

/// A file of a proposal.
#[derive(Debug, Clone, Deserialize)]
pub struct ProposalFile {
    /// Its path, as the server reports it: not checked.
    pub file_path: String,
    /// The hash of the file to which the edit was applied.
    pub applied_to_hash: Option<String>,
    /// The hash of the file after the edit.
    pub new_file_hash: Option<String>,
}

#[derive(Debug, Deserialize)]
struct ProposalPage {
    proposals: Vec<Proposal>,
    #[serde(rename = "nextCursor")]
    next_cursor: Option<String>,
}

/// The result of a request that writes.
#[derive(Debug, Deserialize)]
pub struct Written {
    /// The version that it created.
    pub version: u64,
    /// The files that it wrote.
    #[serde(default)]
    pub files: Vec<WrittenFile>,
}

/// A file that was written.
#[derive(Debug, Deserialize)]
pub struct WrittenFile {
    /// Its path.
    pub file_path: String,
    /// Other paths that some systems take for the same file.
    #[serde(default)]
    pub same_on_some_systems: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Metadata {
    exists: bool,
    file_hash: Option<String>,
}

#[derive(Debug, Deserialize)]
struct ListedPage {
    files: Vec<RefusedFile>,
    #[serde(rename = "nextCursor")]
    next_cursor: Option<String>,
}

#[derive(Debug, Deserialize)]
struct ReadText {
    text: String,
    byte_len: usize,
    file_hash: String,
}

fn unusable(what: &str, reason: impl Into<String>) -> Failure {
    Failure::Unusable {
        what: what.to_owned(),
        reason: reason.into(),
    }
}

impl Client {
    /// Creates a client. Sends no request.
    ///
    /// # Errors
    /// [`Failure::Usage`] for an address that is not valid.
    pub fn new(url: &str, workspace: &str, token: Option<&str>) -> Result<Self> {
        let url = url.trim_end_matches('/');
        let secure = url.strip_prefix("https://");
        let Some(rest) = secure
            .or_else(|| url.strip_prefix("http://"))
            .filter(|rest| !rest.is_empty() && !rest.contains(['@', '?', '#']))
        else {
            return Err(Failure::Usage {
                message: format!("{url:?} is not the address of a server"),
                hint: "give one such as http://127.0.0.1:8787 with --url or CODEMODE_URL",
            });
        };
        let host = rest.split('/').next().unwrap_or_default();
        let is_local = LOOPBACK.iter().any(|name| {
            host.strip_prefix(name)
                .is_some_and(|port| port.is_empty() || port.starts_with(':'))
        });
        if token.is_some() && secure.is_none() && !is_local {
            return Err(Failure::Usage {
                message: format!("the token would be sent to {host} without encryption"),
                hint: "use an address with https://",
            });
        }
        if workspace.is_empty() {
            return Err(Failure::Usage {
                message: "the name of the workspace is empty".to_owned(),
                hint: "name it with --workspace or CODEMODE_WORKSPACE",
            });
        }
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::PlatformVerifier)
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .build();
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            // The token is for this server only.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(Duration::from_millis(CONNECT_MS)))
            .timeout_global(Some(Duration::from_millis(REQUEST_MS)))
            .user_agent(concat!("codemode/", env!("CARGO_PKG_VERSION")))
            .tls_config(tls);
        if is_local {
            config = config.proxy(None);
        }
        let workspace = utf8_percent_encode(workspace, NON_ALPHANUMERIC);
        Ok(Self {
            agent: config.build().into(),
            address: format!("{url}/api/code/{workspace}"),
            authorization: token.map(|token| format!("Bearer {token}")),
        })
    }

    /// Returns the address of the workspace.
    pub fn address(&self) -> &str {
        &self.address
    }

    fn post(&self, path: &str) -> RequestBuilder<WithBody> {
        let request = self.agent.post(format!("{}{path}", self.address));
        match &self.authorization {
            None => request,
            Some(token) => request.header("authorization", token),
        }
    }

    fn operate<T: DeserializeOwned>(&self, operation: &str, mut fields: Value) -> Result<T> {
        if let Some(fields) = fields.as_object_mut() {
            fields.insert("operation".to_owned(), operation.into());
        }
        let request = self.post("").header("content-type", "application/json");
        self.finish(operation, request.send(fields.to_string()))
    }

    fn finish<T: DeserializeOwned>(
        &self,
        what: &str,
        outcome: std::result::Result<Response<ureq::Body>, ureq::Error>,
    ) -> Result<T> {
        let unreachable = |error: ureq::Error| Failure::Unreachable {
            url: self.address.clone(),
            reason: error.to_string(),
        };
        let mut response = outcome.map_err(unreachable)?;
        let status = response.status();
        if status.is_redirection() {
            let target = response
                .headers()
                .get("location")
                .and_then(|target| target.to_str().ok());
            let target = cut(target.unwrap_or("elsewhere"), MAX_SHOWN_CHARACTERS);
            return Err(unusable(what, format!("it redirects to {target}")));
        }
        let body = response
            .body_mut()
            .with_config()
            .limit(MAX_RESPONSE_BYTES)
            .read_to_vec();
        let body = body.map_err(unreachable)?;
        let Ok(value) = serde_json::from_slice::<Value>(&body) else {
            return Err(unusable(
                what,
                format!("it has status {status} and is not JSON"),
            ));
        };
        if value.get("success").and_then(Value::as_bool) != Some(true) {
            let text = |field: &str| {
                let text = value
                    .get("error")
                    .and_then(|error| error.get(field))
                    .and_then(Value::as_str);
                text.map(|text| printed(text, MAX_SHOWN_CHARACTERS))
            };
            return Err(Failure::Refused {
                what: what.to_owned(),
                code: text("code").unwrap_or_else(|| status.to_string()),
                message: text("message").unwrap_or_else(|| "no reason is given".to_owned()),
                hint: text("hint"),
            });
        }
        serde_json::from_value(value).map_err(|error| unusable(what, error.to_string()))
    }

    /// Compares files, each with the hash of its bytes. With `complete`, all other files of the
    /// workspace count as deleted.
    ///
    /// # Errors
    /// The errors of the server.
    pub fn scan<'f>(
        &self,
        files: impl Iterator<Item = (&'f str, &'f str)>,
        complete: bool,
    ) -> Result<Scan> {
        let files: Vec<Value> = files
            .map(|(path, hash)| json!({ "file_path": path, "file_hash": hash }))
            .collect();
        let scan: Scan = self.operate(
            "scan_for_change",
            json!({ "files": files, "complete": complete }),
        )?;
        scan.require_taken()?;
        Ok(scan)
    }

    /// Returns the paths of all files of the workspace.
    ///
    /// # Errors
    /// The errors of the server.
    pub fn paths(&self) -> Result<BTreeSet<String>> {
        let (mut paths, mut cursor) = (BTreeSet::new(), None::<String>);
        for _ in 0..MAX_FILE_PAGES {
            let mut fields = json!({ "limit": FILE_PAGE });
            if let (Some(cursor), Some(fields)) = (cursor.take(), fields.as_object_mut()) {
                fields.insert("cursor".to_owned(), cursor.into());
            }
            let page: ListedPage = self.operate("list_files", fields)?;
            paths.extend(page.files.into_iter().map(|file| file.file_path));
            match page.next_cursor {
                None => return Ok(paths),
                next => cursor = next,
            }
        }
        Err(unusable("list_files", "the list does not end"))
    }

    /// Returns the proposals with a status, the newest first.
    ///
    /// # Errors
    /// The errors of the server.
    pub fn proposals(&self, status: &str) -> Result<Vec<Proposal>> {
        let (mut proposals, mut cursor) = (Vec::new(), None::<String>);
        for _ in 0..MAX_PROPOSAL_PAGES {
            let mut fields = json!({ "status": status, "limit": PROPOSAL_PAGE });
            if let (Some(cursor), Some(fields)) = (cursor.take(), fields.as_object_mut()) {
                fields.insert("cursor".to_owned(), cursor.into());
            }
            let page: ProposalPage = self.operate("list_proposals", fields)?;
            proposals.extend(page.proposals);
            match page.next_cursor {
                None => return Ok(proposals),
                next => cursor = next,
            }
        }
        Err(unusable("list_proposals", "the list does not end"))
    }

    /// Returns one proposal.
    ///
    /// # Errors
    /// The errors of the server, also if there is no such proposal.
    pub fn proposal(&self, request_id: &str) -> Result<Proposal> {
        let page: ProposalPage =
            self.operate("list_proposals", json!({ "requestId": request_id }))?;
        let mut proposals = page.proposals.into_iter();
        proposals
            .next()
            .ok_or_else(|| unusable("list_proposals", "it has no proposal"))
    }

    /// Returns the hash of a file, if the workspace has it.
    ///
    /// # Errors
    /// The errors of the server.
    pub fn hash(&self, path: &str) -> Result<Option<String>> {
        let metadata: Metadata = self.operate("get_file_metadata", json!({ "file_path": path }))?;
        Ok(metadata.file_hash.filter(|_| metadata.exists))
    }

    /// Returns the bytes of a text file in the given version, or in the present one.
    ///
    /// # Errors
    /// The errors of the server; [`Failure::Unusable`] if the bytes do not have the hash.
    pub fn bytes(&self, path: &FilePath, version: Option<u64>, hash: &str) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        loop {
            let mut fields = json!({ "file_path": path.as_str(), "start_byte": bytes.len() });
            if let (Some(version), Some(fields)) = (version, fields.as_object_mut()) {
                fields.insert("asOf".to_owned(), version.into());
            }
            let read: ReadText = self.operate("read_file", fields)?;
            if read.byte_len > MAX_FILE_BYTES || read.file_hash != hash {
                return Err(unusable(
                    "read_file",
                    format!(
                        "{} does not have the content that the edit produced",
                        path.as_str()
                    ),
                ));
            }
            bytes.extend_from_slice(read.text.as_bytes());
            if bytes.len() >= read.byte_len || read.text.is_empty() {
                break;
            }
        }
        if file_hash(&bytes).to_string() != hash {
            return Err(unusable(
                "read_file",
                format!("{} does not have its hash", path.as_str()),
            ));
        }
        Ok(bytes)
    }

    /// Writes the files of a packed archive.
    ///
    /// # Errors
    /// The errors of the server; then none of the files is written.
    pub fn write(&self, archive: &[u8]) -> Result<Written> {
        let request = self
            .post("/files")
            .header("content-type", "application/x-tar")
            .header("content-encoding", "gzip");
        self.finish("the files", request.send(archive))
    }

    /// Deletes files.
    ///
    /// # Errors
    /// The errors of the server; then none of the files is deleted.
    pub fn delete(&self, paths: &[String]) -> Result<Written> {
        self.operate(
            "delete_files",
            json!({ "file_paths": paths, "description": "codemode sync" }),
        )
    }
}
