//! Graphs as files: our own JSON, node-link JSON, Cytoscape JSON, GraphML and CSV of edges.
//!
//! `detect` finds the format of a text, [`read`] parses it to drafts, and [`write`](write())
//! writes rows as a text; none of them uses a database. One error lists all faulty items of a file.
//! `docs/graph-formats.md` lists what each format cannot keep. The code that stores the drafts
//! checks that the ends of edges exist.

mod attributes;
mod collector;
mod csv;
mod cytoscape;
mod detect;
mod error;
mod graphml;
mod json;
mod lists;
mod node_link;
mod write;

use base::{CommonError, Error, Result, nearest};

use crate::limits::{MAX_IMPORT_BYTES, MAX_SHOWN_CHARACTERS};
use crate::model::Drafts;

pub(crate) use attributes::word;
pub(crate) use lists::{object, repeated};

pub use detect::detect;
pub use error::InterchangeError;
pub use write::{EdgeRow, EdgesWriter, NodeRow, NodesWriter, Renames, Survey, write};

/// A file format of graphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// `{nodes, edges}` as the routes of a graph write them.
    Json,
    /// Node-link JSON, of NetworkX and d3.
    NodeLink,
    /// The JSON of Cytoscape.js, Cytoscape and NetworkX.
    Cytoscape,
    /// GraphML.
    GraphMl,
    /// CSV with a row for each edge.
    Csv,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 5] = [
        Self::Json,
        Self::NodeLink,
        Self::Cytoscape,
        Self::GraphMl,
        Self::Csv,
    ];

    /// Returns its name in requests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::NodeLink => "node-link",
            Self::Cytoscape => "cytoscape",
            Self::GraphMl => "graphml",
            Self::Csv => "csv",
        }
    }

    /// Returns the format with this name, without regard to ASCII case.
    ///
    /// # Errors
    /// [`CommonError::InvalidArgument`] with the nearest name.
    pub fn from_name(name: &str) -> Result<Self> {
        if let Some(format) = Self::ALL
            .into_iter()
            .find(|format| format.name().eq_ignore_ascii_case(name))
        {
            return Ok(format);
        }
        let names = Self::ALL.map(Self::name);
        let hint = match nearest(name, names.into_iter()).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the formats are {}", names.join(", ")),
        };
        let name = base::text::cut(name, MAX_SHOWN_CHARACTERS);
        Err(Error::invalid_with_hint(
            format!("there is no format {name:?}"),
            hint,
        ))
    }

    /// Returns true if a file lists its nodes. If it does not, the drafts contain a node for each
    /// end of an edge, and an existing node is not a conflict.
    pub fn lists_nodes(self) -> bool {
        self != Self::Csv
    }

    /// Returns the media type of the text that [`write`](write()) returns.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Json | Self::NodeLink | Self::Cytoscape => "application/json",
            Self::GraphMl => "application/graphml+xml; charset=utf-8",
            Self::Csv => "text/csv; charset=utf-8",
        }
    }

    /// Returns the file name extension, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Json | Self::NodeLink => "json",
            // Cytoscape asks for this one when it opens a file.
            Self::Cytoscape => "cyjs",
            Self::GraphMl => "graphml",
            Self::Csv => "csv",
        }
    }
}

/// The content of a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FileContent {
    /// Its nodes and edges.
    pub drafts: Drafts,
    /// Sentences about the parts of the file that were not kept, or were read with another meaning.
    pub notices: Vec<String>,
}

impl From<Drafts> for FileContent {
    fn from(drafts: Drafts) -> Self {
        let notices = Vec::new();
        Self { drafts, notices }
    }
}

/// Parses the nodes and edges of a file, without notices.
///
/// # Errors
/// Errors of [`read_file`].
pub fn read(format: Format, text: &str) -> Result<Drafts> {
    read_file(format, text).map(|content| content.drafts)
}

/// Parses the nodes and edges of a file.
///
/// # Errors
/// [`CommonError::PayloadTooLarge`] and [`CommonError::TooBig`] beyond the limits,
/// [`CommonError::InvalidBody`] if the text is not of this format, and
/// [`crate::GraphError::InvalidItems`] with all nodes and edges that cannot be used.
pub fn read_file(format: Format, text: &str) -> Result<FileContent> {
    if text.len() > MAX_IMPORT_BYTES {
        return Err(Error::from(CommonError::PayloadTooLarge {
            limit_bytes: MAX_IMPORT_BYTES as u64,
        }));
    }
    let text = without_mark(text);
    match format {
        Format::Json => json::read(text).map(FileContent::from),
        Format::NodeLink => node_link::read(text).map(FileContent::from),
        Format::Cytoscape => cytoscape::read(text).map(FileContent::from),
        Format::GraphMl => graphml::read(text),
        Format::Csv => csv::read(text).map(FileContent::from),
    }
}

/// Returns a text without its byte order mark.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Returns a text of a file for use in an error message.
fn shown(text: &str) -> String {
    format!("{:?}", base::text::cut(text, MAX_SHOWN_CHARACTERS))
}

/// Returns a text as a JSON string.
pub(crate) fn json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
