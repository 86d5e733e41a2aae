//! The names that servers use for columns: the embedded mappings, and those of a deployment, which
//! have priority.

use base::CommonError;
use std::collections::BTreeMap;

use crate::limits::MAX_COLUMN_MAPPINGS;
use base::entries::Entries;
use base::limits::{MAX_COMPARED_CHARACTERS, MAX_NAME_CHARACTERS};
use base::words::fold;
use base::{Error, Result};

mod embedded {
    include!(concat!(env!("OUT_DIR"), "/column_mappings.rs"));
}

/// The column for each server and semantic name. The default value has the embedded mappings only.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mappings {
    /// The column by folded server name and folded semantic name.
    own: BTreeMap<String, BTreeMap<String, String>>,
}

impl Mappings {
    /// Parses the environment variable `COLUMN_MAPPINGS`: `{"server":{"semantic name":"column"}}`.
    /// `None` and blank text add nothing.
    ///
    /// # Errors
    /// [`CommonError::Misconfigured`], which names the position, if it is not such an object, a
    /// name is not usable, or two names only differ in case and separators.
    pub fn parse(setting: Option<&str>) -> Result<Self> {
        let Some(text) = setting.filter(|text| !text.trim().is_empty()) else {
            return Ok(Self::default());
        };
        let servers: Entries<String, Entries<String, String>> = serde_json::from_str(text)
            .map_err(|error| misconfigured(format!("it must be a JSON object like {{\"server\":{{\"semantic name\":\"column\"}}}}: {error}")))?;
        let entries: usize = servers.0.iter().map(|(_, names)| names.0.len()).sum();
        if entries > MAX_COLUMN_MAPPINGS || servers.0.len() > MAX_COLUMN_MAPPINGS {
            return Err(misconfigured(format!(
                "it has more than {MAX_COLUMN_MAPPINGS} entries"
            )));
        }
        let mut own = BTreeMap::new();
        for (server, names) in servers.0 {
            require_server(&server)?;
            if own
                .insert(server.to_ascii_lowercase(), read_names(&server, names)?)
                .is_some()
            {
                return Err(misconfigured(format!("duplicate server {server:?}")));
            }
        }
        Ok(Self { own })
    }

    /// Returns the column that a server uses for a semantic name, if there is a mapping. Case and
    /// separators of both names are ignored.
    pub fn column(&self, server: &str, semantic_name: &str) -> Option<&str> {
        let name = fold(semantic_name);
        if name.is_empty() {
            return None;
        }
        let own = self
            .own
            .get(&server.to_ascii_lowercase())
            .and_then(|names| names.get(&name))
            .map(String::as_str);
        own.or_else(|| {
            let (_, names) = embedded::COLUMN_MAPPINGS
                .iter()
                .find(|(known, _)| known.eq_ignore_ascii_case(server))?;
            names
                .iter()
                .find(|(semantic, _)| fold(semantic) == name)
                .map(|(_, column)| *column)
        })
    }

    /// Returns the column to write in SQL for a semantic name: the mapped one, otherwise the name
    /// as given. No table is read.
    pub fn get_safe_column_name<'a>(&'a self, server: &str, semantic_name: &'a str) -> &'a str {
        self.column(server, semantic_name).unwrap_or(semantic_name)
    }

    /// Returns all mappings as `{"server":{"semantic name":"column"}}`; those of the deployment
    /// override the embedded ones.
    pub fn to_json(&self) -> serde_json::Value {
        let mut servers: BTreeMap<String, BTreeMap<String, &str>> = BTreeMap::new();
        for (server, names) in embedded::COLUMN_MAPPINGS {
            let known = servers.entry(server.to_ascii_lowercase()).or_default();
            known.extend(
                names
                    .iter()
                    .map(|(semantic, column)| ((*semantic).to_owned(), *column)),
            );
        }
        for (server, names) in &self.own {
            let known = servers.entry(server.clone()).or_default();
            for (semantic, column) in names {
                known.retain(|name, _| fold(name) != *semantic);
                known.insert(semantic.clone(), column);
            }
        }
        serde_json::json!(servers)
    }

    /// Returns the names of all servers with mappings, including the deployment's own, sorted.
    pub fn servers(&self) -> Vec<&str> {
        let mut servers: Vec<&str> = self.own.keys().map(String::as_str).collect();
        servers.extend(embedded::COLUMN_MAPPINGS.iter().map(|(server, _)| *server));
        servers.sort_unstable();
        servers.dedup();
        servers
    }
}

fn read_names(server: &str, names: Entries<String, String>) -> Result<BTreeMap<String, String>> {
    let mut columns = BTreeMap::new();
    for (semantic, column) in names.0 {
        let folded = fold(&semantic);
        if folded.is_empty() {
            return Err(misconfigured(format!(
                "server {server:?}: the semantic name {} must have 1 to {MAX_COMPARED_CHARACTERS} characters, at least one of them a letter or digit",
                shown(&semantic)
            )));
        }
        if !is_usable(&column) {
            return Err(misconfigured(format!(
                "server {server:?}, {semantic:?}: the column must have 1 to {MAX_COMPARED_CHARACTERS} characters, without control characters and without spaces at its ends"
            )));
        }
        if columns.insert(folded, column).is_some() {
            return Err(misconfigured(format!(
                "server {server:?}: duplicate semantic name {semantic:?}, ignoring case and separators"
            )));
        }
    }
    Ok(columns)
}

fn require_server(server: &str) -> Result<()> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte);
    if (1..=MAX_NAME_CHARACTERS).contains(&server.len()) && server.bytes().all(allowed) {
        return Ok(());
    }
    Err(misconfigured(format!(
        "the server name {} must be 1 to {MAX_NAME_CHARACTERS} characters of A-Z a-z 0-9 . _ : -",
        shown(server)
    )))
}

fn is_usable(column: &str) -> bool {
    let length = column.chars().take(MAX_COMPARED_CHARACTERS + 1).count();
    (1..=MAX_COMPARED_CHARACTERS).contains(&length)
        && column.trim() == column
        && !column.chars().any(char::is_control)
}

/// Returns a name for an error message, cut if it is long.
fn shown(name: &str) -> String {
    let head: String = name.chars().take(40).collect();
    if head.len() < name.len() {
        format!("{head:?}…")
    } else {
        format!("{head:?}")
    }
}

fn misconfigured(complaint: String) -> Error {
    Error::from(CommonError::Misconfigured {
        message: format!("COLUMN_MAPPINGS: {complaint}"),
    })
}
