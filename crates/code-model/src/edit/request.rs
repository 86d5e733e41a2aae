//! Declares `apply_code_edit` and parses its arguments.

use base::{CommonError, Error, Result};
use operation::arguments::{Arguments, OneOf, Text, Whole, Word, missing};
use operation::declaration::Effect;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::kinds::{Edits, KindName, SHOWN_CHARACTERS, Share};
use crate::limits::{
    MAX_EDIT_BYTES, MAX_EDITED_BYTES, MAX_EDITS, MAX_FILE_BYTES, MAX_REQUEST_ID_CHARACTERS,
};
use crate::model::ItemKind;
use crate::project::FilePath;

operation::operation! {
    /// Stages edits of one or several files as one proposal with a diff: all or none. Nothing is
    /// written before approve_proposal. Modes: canonical replaces an item by its path, with its
    /// attributes and documentation; splice replaces bytes of a file whose hash is given;
    /// insert_before and insert_after put code beside an item. The result must still parse.
    pub struct ApplyCodeEdit<'a> {
        /// The edits.
        "edits" => edits: Edits,
        /// The name of the proposal. Repeating the same request does not stage it again.
        "requestId" => request_id: Option<Text<1, 128>>,
        /// The author's confidence. A deployment may apply proposals automatically from a threshold
        /// on.
        "confidence" => confidence: Option<Share>,
        /// The form of the preview.
        "preview_mode" => preview_mode: OneOf<PreviewMode> = PreviewMode::Diff,
        /// The namespace of the crate, a field of the older form of edits.
        "namespace" => namespace: Option<Text<0, 64>>,
    }
    name: "apply_code_edit",
    title: "Propose edits",
    effect: Effect::WRITES.once(),
    output: "StagedAnswer",
    example: r##"{"edits":[{"mode":"canonical","file":"src/lib.rs","canon":"crate::total","node_type":"function","code":"pub fn total() -> u32 {\n    42\n}"}],"requestId":"total-1"}"##,
}

/// The target of an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// An item.
    Item {
        canon: String,
        kind: ItemKind,
        how: ItemEdit,
    },
    /// A range of bytes in a version of the file.
    Bytes {
        expected_file_hash: String,
        start: usize,
        end: usize,
    },
}

/// The kind of an edit of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemEdit {
    Replace,
    InsertBefore,
    InsertAfter,
}

/// One edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    pub file: FilePath,
    pub place: Place,
    pub code: String,
}

impl Edit {
    /// Returns the word for its mode.
    pub fn mode(&self) -> &'static str {
        match self.place {
            Place::Item {
                how: ItemEdit::Replace,
                ..
            } => "canonical",
            Place::Item {
                how: ItemEdit::InsertBefore,
                ..
            } => "insert_before",
            Place::Item {
                how: ItemEdit::InsertAfter,
                ..
            } => "insert_after",
            Place::Bytes { .. } => "splice",
        }
    }
}

/// The form of a preview.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreviewMode {
    /// A diff of lines.
    Diff,
    /// The new code.
    CodeBlock,
}

impl Word for PreviewMode {
    const WORDS: &'static [(&'static str, Self)] =
        &[("diff", Self::Diff), ("codeblock", Self::CodeBlock)];
}

impl PreviewMode {
    pub fn word(self) -> &'static str {
        match self {
            Self::Diff => "diff",
            Self::CodeBlock => "codeblock",
        }
    }
}

/// A parsed request.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Request {
    pub edits: Vec<Edit>,
    pub confidence: Option<f64>,
    pub request_id: Option<String>,
    pub preview_mode: PreviewMode,
}

impl Request {
    /// Parses a request.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] that names the edit and its field;
    /// [`base::CommonError::TooBig`].
    pub fn read(arguments: ApplyCodeEdit<'_>, root: &str) -> Result<Self> {
        let list = &arguments.edits;
        if list.is_empty() {
            return Err(no_edits());
        }
        if list.len() > MAX_EDITS {
            return Err(Error::invalid_with_hint(
                format!("edits has {} entries, the limit is {MAX_EDITS}", list.len()),
                "send several requests",
            ));
        }
        check_namespace("namespace", arguments.namespace.as_deref())?;
        if arguments.request_id.as_ref().is_some_and(|id| {
            id.is_empty()
                || id.chars().count() > MAX_REQUEST_ID_CHARACTERS
                || id.chars().any(char::is_control)
        }) {
            return Err(Error::invalid(format!(
                "requestId must have 1 to {MAX_REQUEST_ID_CHARACTERS} characters, and no control characters"
            )));
        }
        let edits = list
            .iter()
            .enumerate()
            .map(|(index, value)| edit(value, index, root))
            .collect::<Result<Vec<Edit>>>()?;
        let bytes: usize = edits.iter().map(|edit| edit.code.len()).sum();
        check_bytes("the code of the edits", bytes as u64)?;
        Ok(Self {
            edits,
            confidence: arguments.confidence,
            request_id: arguments.request_id,
            preview_mode: arguments.preview_mode,
        })
    }
}

/// Returns the error for a request without edits.
pub(crate) fn no_edits() -> Error {
    Error::invalid_with_hint(
        "No edits provided",
        "send edits: [{mode, file, canon, node_type, code}]",
    )
}

/// Checks the total bytes of a request's edits: their files are read and parsed, and are in memory
/// together with the results.
///
/// # Errors
/// [`base::CommonError::TooBig`].
pub(super) fn check_bytes(what: &str, bytes: u64) -> Result<()> {
    if bytes <= MAX_EDITED_BYTES {
        return Ok(());
    }
    Err(Error::from(CommonError::TooBig {
        message: format!("{what} have {bytes} bytes, the limit is {MAX_EDITED_BYTES}"),
        hint: "send the edits in several requests".to_owned(),
    }))
}

/// Checks a namespace in a request. It is not used, because the files determine it, but it must be
/// a valid UUID.
fn check_namespace(field: &str, namespace: Option<&str>) -> Result<()> {
    match namespace {
        Some(text) if uuid::Uuid::parse_str(text).is_err() => {
            Err(Error::invalid(format!("{field} must be a UUID")))
        }
        _ => Ok(()),
    }
}

const MODES: [&str; 4] = ["canonical", "splice", "insert_before", "insert_after"];

operation::arguments! {
    /// An edit of an item.
    struct EditOfItem {
        "mode" => _mode: Text,
        "file" => file: Option<Text>,
        "file_path" => file_path: Option<Text>,
        "canon" => canon: Text,
        "node_type" => node_type: KindName,
        "code" => code: Text,
    }
}

operation::arguments! {
    /// An edit of bytes.
    struct EditOfBytes {
        "mode" => _mode: Option<Text>,
        "file_path" => file_path: Text,
        "expected_file_hash" => expected_file_hash: Text,
        "start_byte" => start_byte: Whole<0, MAX_FILE_BYTES>,
        "end_byte" => end_byte: Whole<0, MAX_FILE_BYTES>,
        "replacement" => replacement: Text,
        "namespace" => namespace: Option<Text>,
    }
}

/// The mode of an edit, parsed before its other fields.
#[derive(Deserialize)]
struct Mode {
    mode: Option<Value>,
}

fn edit(raw: &RawValue, index: usize, root: &str) -> Result<Edit> {
    let place = format!("edits[{index}]");
    let mode = serde_json::from_str::<Mode>(raw.get()).ok();
    let mode = mode.and_then(|mode| mode.mode);
    let how = match mode.as_ref().and_then(Value::as_str) {
        Some("canonical") => Some(ItemEdit::Replace),
        Some("insert_before") => Some(ItemEdit::InsertBefore),
        Some("insert_after") => Some(ItemEdit::InsertAfter),
        // The older form has no mode.
        Some("splice") | None => None,
        Some(word) => {
            return Err(Error::invalid_with_hint(
                format!(
                    "{place}.mode cannot be {:?}",
                    base::text::cut(word, SHOWN_CHARACTERS)
                ),
                base::did_you_mean(&base::nearest(word, MODES.into_iter()))
                    .unwrap_or_else(|| format!("the modes are {}", MODES.join(", "))),
            ));
        }
    };
    let Some(how) = how else {
        let edit = EditOfBytes::read_at(&place, raw)?;
        check_namespace(&format!("{place}.namespace"), edit.namespace.as_deref())?;
        return Ok(Edit {
            file: FilePath::parse_given(&edit.file_path, root)?,
            place: Place::Bytes {
                expected_file_hash: edit.expected_file_hash,
                start: edit.start_byte,
                end: edit.end_byte,
            },
            code: code(edit.replacement)?,
        });
    };
    let edit = EditOfItem::read_at(&place, raw)?;
    let file = edit.file.or(edit.file_path);
    let file = file.ok_or_else(|| missing(&format!("{place}.file")))?;
    Ok(Edit {
        file: FilePath::parse_given(&file, root)?,
        place: Place::Item {
            canon: edit.canon,
            kind: edit.node_type,
            how,
        },
        code: code(edit.code)?,
    })
}

fn code(code: String) -> Result<String> {
    if code.len() > MAX_EDIT_BYTES {
        return Err(Error::from(CommonError::TooBig {
            message: format!(
                "the code of an edit has {} bytes, the limit is {MAX_EDIT_BYTES}",
                code.len()
            ),
            hint: "write the file as a whole instead".to_owned(),
        }));
    }
    Ok(code)
}
