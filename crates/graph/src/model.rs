//! Nodes and edges. Their values are checked when they are made, so code that has one need not
//! check it again.

use std::collections::HashMap;

use base::json::{is_deeper_than, number_too_large};
use base::text::cut;
use base::{Error, Result};
use serde_json::value::RawValue;

use crate::limits::{
    MAX_COORDINATE, MAX_DATA_BYTES, MAX_DATA_DEPTH, MAX_ID_BYTES, MAX_LABEL_BYTES, MAX_TYPE_BYTES,
};

/// The type of a new node for which the request states none.
pub const DEFAULT_NODE_TYPE: &str = "other";

/// The position of a node, in units of a layout.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Position {
    /// The horizontal coordinate, to the right.
    pub x: f64,
    /// The vertical coordinate, downwards.
    pub y: f64,
}

impl Position {
    /// Returns a checked position.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] for a coordinate that is not a number, or too far
    /// from the origin.
    pub fn new(x: f64, y: f64) -> Result<Self> {
        #[expect(clippy::cast_precision_loss, reason = "the limit is far below 2^53")]
        let farthest = MAX_COORDINATE as f64;
        if x.abs() <= farthest && y.abs() <= farthest {
            // Adding 0.0 removes the sign of a negative zero, with which two equal positions would
            // have different texts.
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

/// The JSON object `data` of a node or an edge, as its exact text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Data(String);

impl Data {
    /// Checks that a JSON text is an object within the limits.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] that names `data`.
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
                "data contains the number {number}, which is too large for a 64-bit float: write it as a text"
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

    /// Returns the data of a new node for which the request states none.
    pub fn of_type(kind: &str) -> Self {
        Self(serde_json::json!({ "category": kind }).to_string())
    }

    /// Returns the result of merging data with a patch.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] if it is too large.
    pub(crate) fn merged(text: String) -> Result<Self> {
        check_size(&text)?;
        Ok(Self(text))
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Returns the text by value.
    pub(crate) fn into_text(self) -> String {
        self.0
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

/// A node as a request describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeDraft {
    /// Its id; `None` to generate one.
    pub id: Option<String>,
    /// Its name for people.
    pub label: String,
    /// `gene`, `drug` or any other word. If it is empty, a new node gets [`DEFAULT_NODE_TYPE`].
    pub kind: String,
    /// Its data. If it is `None`, a new node gets [`Data::of_type`].
    pub data: Option<Data>,
    /// Its position, if the request states one.
    pub position: Option<Position>,
    /// True if layouts do not move it; `None` if the request does not say.
    pub pinned: Option<bool>,
}

impl NodeDraft {
    /// Returns the draft with the defaults of a new node in the empty fields.
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

/// An edge as a request describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeDraft {
    /// Its id; `None` to generate one.
    pub id: Option<String>,
    /// The id of the node that it leaves.
    pub source: String,
    /// The id of the node that it enters.
    pub target: String,
    /// Its name for people; may be empty.
    pub label: String,
    /// Its type; may be empty.
    pub kind: String,
    /// Its data.
    pub data: Option<Data>,
}

/// The nodes and edges of a request.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Drafts {
    /// The nodes, in their order.
    pub nodes: Vec<NodeDraft>,
    /// The edges, in their order.
    pub edges: Vec<EdgeDraft>,
}

/// Checks an id.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] that names the field.
pub fn check_id(field: &str, id: &str) -> Result<()> {
    if id.is_empty() || id.len() > MAX_ID_BYTES {
        return Err(Error::invalid(format!(
            "{field} must have 1 to {MAX_ID_BYTES} bytes"
        )));
    }
    // Clients remove these two from a URL before they send it.
    if matches!(id, "." | "..") {
        return Err(Error::invalid(format!(
            "{field} must not be {id:?}, which clients remove from a URL"
        )));
    }
    if id.chars().any(char::is_control) {
        return Err(Error::invalid(format!(
            "{field} must not contain control characters"
        )));
    }
    Ok(())
}

/// Checks a label. That of a node must not be empty; that of an edge may be.
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

/// Rejects a NUL: SQLite's JSON and text functions stop at it.
fn no_nul(field: &str, text: &str) -> Result<()> {
    if text.contains('\0') {
        return Err(Error::invalid(format!(
            "{field} must not contain the character U+0000"
        )));
    }
    Ok(())
}

/// Returns the indexes of nodes by id, to look up the ends of edges. If an id occurs twice, the
/// first node counts.
pub fn by_id(nodes: &[NodeDraft]) -> HashMap<&str, usize> {
    let mut found = HashMap::with_capacity(nodes.len());
    for (index, node) in nodes.iter().enumerate() {
        if let Some(id) = &node.id {
            found.entry(id.as_str()).or_insert(index);
        }
    }
    found
}
