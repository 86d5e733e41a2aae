//! What a caller sends as `apply_code_edit`.

use base::{CommonError, Error, Result};
use serde_json::Value;

use crate::arguments::{Arguments, SHOWN_CHARACTERS, parse_kind};
use crate::limits::{
    MAX_EDIT_BYTES, MAX_EDITED_BYTES, MAX_EDITS, MAX_FILE_BYTES, MAX_REQUEST_ID_CHARACTERS,
};
use crate::model::ItemKind;
use crate::project::FilePath;

/// How an edit names its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// An item.
    Item {
        canon: String,
        kind: ItemKind,
        how: ItemEdit,
    },
    /// Bytes of a version of the file.
    Bytes {
        expected_file_hash: String,
        start: usize,
        end: usize,
    },
}

/// What happens to the item.
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
    /// The word of its mode.
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

/// How a preview is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PreviewMode {
    Diff,
    CodeBlock,
}

impl PreviewMode {
    pub fn word(self) -> &'static str {
        match self {
            Self::Diff => "diff",
            Self::CodeBlock => "codeblock",
        }
    }
}

/// A request.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Request {
    pub edits: Vec<Edit>,
    pub confidence: Option<f64>,
    pub request_id: Option<String>,
    pub preview_mode: PreviewMode,
}

impl Request {
    /// Reads one.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`], naming the edit and its field; [`base::CommonError::TooBig`].
    pub fn parse(arguments: &str, root: &str) -> Result<Self> {
        let arguments = Arguments::parse(
            arguments,
            &[
                "edits",
                "confidence",
                "namespace",
                "requestId",
                "preview_mode",
            ],
        )?;
        let list = arguments.list("edits")?.unwrap_or_default();
        if list.is_empty() {
            return Err(Error::invalid_with_hint(
                "No edits provided",
                "send edits: [{mode, file, canon, node_type, code}]",
            ));
        }
        if list.len() > MAX_EDITS {
            return Err(Error::invalid_with_hint(
                format!("edits has {} entries, the limit is {MAX_EDITS}", list.len()),
                "send several requests",
            ));
        }
        check_namespace(&arguments)?;
        let request_id = arguments.text("requestId")?;
        if request_id.is_some_and(|id| {
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
            confidence: arguments.share("confidence")?,
            request_id: request_id.map(str::to_owned),
            preview_mode: match arguments.word("preview_mode", &PREVIEW_MODES)? {
                Some("codeblock") => PreviewMode::CodeBlock,
                _ => PreviewMode::Diff,
            },
        })
    }
}

/// Checks what the edits of a request have together: their files are read and parsed, and stand in memory beside what becomes of them.
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

/// Namespaces are told by the files; one that is sent must at least be one.
fn check_namespace(arguments: &Arguments) -> Result<()> {
    match arguments.text("namespace")? {
        Some(text) if uuid::Uuid::parse_str(text).is_err() => {
            Err(arguments.wrong("namespace", "a UUID"))
        }
        _ => Ok(()),
    }
}

const PREVIEW_MODES: [&str; 2] = ["diff", "codeblock"];
const MODES: [&str; 4] = ["canonical", "splice", "insert_before", "insert_after"];
const ITEM_FIELDS: [&str; 6] = ["mode", "file", "file_path", "canon", "node_type", "code"];
const SPLICE_FIELDS: [&str; 7] = [
    "mode",
    "file_path",
    "expected_file_hash",
    "start_byte",
    "end_byte",
    "replacement",
    "namespace",
];

fn edit(value: &Value, index: usize, root: &str) -> Result<Edit> {
    let within = format!("edits[{index}].");
    let mode = value.get("mode").and_then(Value::as_str);
    let how = match mode {
        Some("canonical") => Some(ItemEdit::Replace),
        Some("insert_before") => Some(ItemEdit::InsertBefore),
        Some("insert_after") => Some(ItemEdit::InsertAfter),
        // The older form has no mode.
        Some("splice") | None => None,
        Some(word) => {
            return Err(Error::invalid_with_hint(
                format!(
                    "{within}mode has no value {:?}",
                    base::text::cut(word, SHOWN_CHARACTERS)
                ),
                base::did_you_mean(&base::nearest(word, MODES.into_iter()))
                    .unwrap_or_else(|| format!("it is one of {}", MODES.join(", "))),
            ));
        }
    };
    let known: &[&str] = if how.is_some() {
        &ITEM_FIELDS
    } else {
        &SPLICE_FIELDS
    };
    let fields = Arguments::of(value.clone(), within, known)?;
    let Some(how) = how else {
        check_namespace(&fields)?;
        let most = u64::try_from(MAX_FILE_BYTES).unwrap_or(u64::MAX);
        let byte = |field: &str| -> Result<usize> {
            let byte = fields
                .number(field, 0..=most)?
                .ok_or_else(|| fields.missing(field))?;
            Ok(usize::try_from(byte).unwrap_or(usize::MAX))
        };
        let place = Place::Bytes {
            expected_file_hash: fields.required("expected_file_hash")?.to_owned(),
            start: byte("start_byte")?,
            end: byte("end_byte")?,
        };
        let code = code(&fields, "replacement")?;
        return Ok(Edit {
            file: fields.path("file_path", root)?,
            place,
            code,
        });
    };
    let path_field = if fields.has("file") {
        "file"
    } else {
        "file_path"
    };
    if !fields.has(path_field) {
        return Err(fields.missing("file"));
    }
    let place = Place::Item {
        canon: fields.required("canon")?.to_owned(),
        kind: parse_kind(fields.required("node_type")?)?,
        how,
    };
    let code = code(&fields, "code")?;
    Ok(Edit {
        file: fields.path(path_field, root)?,
        place,
        code,
    })
}

fn code(fields: &Arguments, field: &str) -> Result<String> {
    let code = fields.required(field)?;
    if code.len() > MAX_EDIT_BYTES {
        return Err(Error::from(CommonError::TooBig {
            message: format!(
                "the code of an edit has {} bytes, the limit is {MAX_EDIT_BYTES}",
                code.len()
            ),
            hint: "write the file as a whole instead".to_owned(),
        }));
    }
    Ok(code.to_owned())
}
