//! What nodes and edges are: values that are checked when they are made, so that whoever holds one
//! need not check it again.

use std::collections::HashMap;

use base::json::{is_deeper_than, number_too_large};
use base::text::cut;
use base::{Error, Result};
use serde_json::value::RawValue;

use crate::limits::{
    MAX_COORDINATE, MAX_DATA_BYTES, MAX_DATA_DEPTH, MAX_ID_BYTES, MAX_LABEL_BYTES, MAX_TYPE_BYTES,
};

/// The type of a node that names none.
pub const DEFAULT_NODE_TYPE: &str = "other";

/// Where a node stands, in units of a layout; y grows downwards.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Position {
    /// To the right.
    pub x: f64,
    /// Downwards.
    pub y: f64,
}

impl Position {
    /// Returns a position.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] for a number that is none, or too far from the
    /// origin.
    pub fn new(x: f64, y: f64) -> Result<Self> {
        #[expect(clippy::cast_precision_loss, reason = "the limit is far below 2^53")]
        let farthest = MAX_COORDINATE as f64;
        if x.abs() <= farthest && y.abs() <= farthest {
            // Without the sign of a zero, which would make two equal positions differ in their
            // text.
            return Ok(Self {
                x: x + 0.0,
                y: y + 0.0,
            });
        }
        Err(Error::invalid(format!(
            "x and y of a position must be numbers from -{MAX_COORDINATE} to {MAX_COORDINATE}"
        )))
    }
}

/// The JSON object that a node or an edge carries, as its exact text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Data(String);

impl Data {
    /// Checks that a JSON text is an object within the limits.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] naming `data`.
    pub fn new(raw: &RawValue) -> Result<Self> {
        let text = raw.get();
        if !text.starts_with('{') {
            return Err(Error::invalid("data must be a JSON object"));
        }
        check_size(text)?;
        if is_deeper_than(text, MAX_DATA_DEPTH) {
            return Err(Error::invalid(format!(
                "data nests deeper than {MAX_DATA_DEPTH} levels"
            )));
        }
        if let Some(number) = number_too_large(text) {
            let number = cut(number, 40);
            return Err(Error::invalid(format!(
                "data has the number {number}, which no 64-bit float holds: write it as a text"
            )));
        }
        Ok(Self(text.to_owned()))
    }

    /// Returns an object without fields.
    pub fn empty() -> Self {
        Self("{}".to_owned())
    }

    /// Returns true if it has no fields.
    pub fn is_empty(&self) -> bool {
        let inner = self.0.trim_start_matches('{').trim_end_matches('}');
        inner.trim().is_empty()
    }

    /// What a node carries of which nothing is said.
    pub fn of_type(kind: &str) -> Self {
        Self(serde_json::json!({ "category": kind }).to_string())
    }

    /// Returns a text that a merge made of data and a patch.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] for one that is too large.
    pub(crate) fn merged(text: String) -> Result<Self> {
        check_size(&text)?;
        Ok(Self(text))
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.0
    }
}

fn check_size(text: &str) -> Result<()> {
    if text.len() > MAX_DATA_BYTES {
        return Err(Error::invalid(format!(
            "data has {} bytes, the limit is {MAX_DATA_BYTES}",
            text.len()
        )));
    }
    Ok(())
}

/// What a caller wants to become a node.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeDraft {
    /// Its id; none where one is to be generated.
    pub id: Option<String>,
    /// Its name for people.
    pub label: String,
    /// `gene`, `drug` or any other word; empty where nothing is said, which is
    /// [`DEFAULT_NODE_TYPE`] for a node that does not exist.
    pub kind: String,
    /// What it carries; none where nothing is said, which is [`Data::of_type`] for a node that does
    /// not exist.
    pub data: Option<Data>,
    /// Where it stands; none where nothing is said.
    pub position: Option<Position>,
    /// True if layouts leave it where it is; none where nothing is said.
    pub pinned: Option<bool>,
}

impl NodeDraft {
    /// With what a node has of which nothing else is said.
    pub fn with_defaults(mut self) -> Self {
        if self.kind.is_empty() {
            DEFAULT_NODE_TYPE.clone_into(&mut self.kind);
        }
        self.data.get_or_insert_with(|| Data::of_type(&self.kind));
        self.position.get_or_insert_default();
        self.pinned.get_or_insert_default();
        self
    }
}

/// What a caller wants to become an edge.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeDraft {
    /// Its id; none where one is to be generated.
    pub id: Option<String>,
    /// The id of the node that it leaves.
    pub source: String,
    /// The id of the node that it enters.
    pub target: String,
    /// Its name for people; may be empty.
    pub label: String,
    /// Its type; may be empty.
    pub kind: String,
    /// What it carries.
    pub data: Option<Data>,
}

/// Nodes and edges that a request brings.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Drafts {
    /// Nodes, in their order.
    pub nodes: Vec<NodeDraft>,
    /// Edges, in their order.
    pub edges: Vec<EdgeDraft>,
}

/// Checks an id.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] naming the field.
pub fn check_id(field: &str, id: &str) -> Result<()> {
    if id.is_empty() || id.len() > MAX_ID_BYTES {
        return Err(Error::invalid(format!(
            "{field} must have 1 to {MAX_ID_BYTES} bytes"
        )));
    }
    // Clients take these two out of a URL before they send it.
    if matches!(id, "." | "..") {
        return Err(Error::invalid(format!(
            "{field} must not be {id:?}, which a URL cannot carry"
        )));
    }
    if id.chars().any(char::is_control) {
        return Err(Error::invalid(format!(
            "{field} must not have control characters"
        )));
    }
    Ok(())
}

/// Checks the label of a node, which is there, or of an edge, which may be empty.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`].
pub fn check_label(label: &str, may_be_empty: bool) -> Result<()> {
    if label.len() > MAX_LABEL_BYTES || (label.trim().is_empty() && !may_be_empty) {
        let least = u8::from(!may_be_empty);
        return Err(Error::invalid(format!(
            "label must have {least} to {MAX_LABEL_BYTES} bytes"
        )));
    }
    no_nul("label", label)
}

/// Checks a type.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`].
pub fn check_type(kind: &str, may_be_empty: bool) -> Result<()> {
    if kind.len() > MAX_TYPE_BYTES || (kind.trim().is_empty() && !may_be_empty) {
        let least = u8::from(!may_be_empty);
        return Err(Error::invalid(format!(
            "type must have {least} to {MAX_TYPE_BYTES} bytes"
        )));
    }
    no_nul("type", kind)
}

/// SQLite's functions of JSON and text end at a NUL.
fn no_nul(field: &str, text: &str) -> Result<()> {
    if text.contains('\0') {
        return Err(Error::invalid(format!(
            "{field} must not have the character U+0000"
        )));
    }
    Ok(())
}

/// Returns the nodes of drafts by id, for whoever looks for the ends of edges among them. The first
/// of two of one id.
pub fn by_id(nodes: &[NodeDraft]) -> HashMap<&str, usize> {
    let mut found = HashMap::with_capacity(nodes.len());
    for (index, node) in nodes.iter().enumerate() {
        if let Some(id) = &node.id {
            found.entry(id.as_str()).or_insert(index);
        }
    }
    found
}
