//! The errors of a code workspace.

use base::{Code, Problem, did_you_mean};
use serde_json::{Value, json};

/// The codes of [`CodeError`].
pub mod codes {
    base::codes! {
        FILE_NOT_FOUND: NotFound,
        ITEM_NOT_FOUND: NotFound,
        AMBIGUOUS_ITEM: Conflict,
        CODE_CHANGED: Conflict,
        OVERLAPPING_EDITS: Invalid,
        SYNTAX_BROKEN: Unprocessable,
        CODE_PLACEHOLDER: Invalid,
        VERSION_NOT_KEPT: NotFound,
        PROPOSAL_NOT_FOUND: NotFound,
        PROPOSAL_DECIDED: Conflict,
        DUPLICATE_REQUEST: Conflict,
        WORKSPACE_FULL: Full,
    }
}

/// An item as errors and results name it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Candidate {
    /// Its canonical path.
    pub canon: String,
    /// Its kind.
    pub node_type: &'static str,
    /// Its file.
    pub file_path: String,
    /// Its first line, from 1.
    pub line: u64,
}

/// An error of a code workspace.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CodeError {
    /// No file has this path.
    #[error("there is no file {path:?}")]
    FileNotFound {
        /// The path given.
        path: String,
        /// Nearest paths first.
        suggestions: Vec<String>,
    },
    /// No item has this path.
    #[error("No matching node found for canon={canon} in file={file}")]
    ItemNotFound {
        /// The canonical path given.
        canon: String,
        /// The file given.
        file: String,
        /// Items that the caller may have wanted: with the same name elsewhere, with the same path
        /// in other files, with similar names.
        candidates: Vec<Candidate>,
    },
    /// Several items have this path.
    #[error("Ambiguous node resolution ({} candidates) for canon={canon} in file={file}", .count)]
    AmbiguousItem {
        /// The canonical path given.
        canon: String,
        /// The file given.
        file: String,
        /// The number of these items.
        count: usize,
        /// The first of these items.
        candidates: Vec<Candidate>,
    },
    /// The file is not the one for which the request was made.
    #[error("File content changed since indexing: {path}")]
    Changed {
        /// The file.
        path: String,
        /// The hash for which the request was made.
        expected: String,
        /// The hash of the file's bytes.
        file_hash: String,
        /// The hash of the file's tokens.
        tracking_hash: String,
    },
    /// Two edits of one request change the same bytes.
    #[error("edits {} and {} of {path} overlap", .edits.0, .edits.1)]
    Overlapping {
        /// The file.
        path: String,
        /// Their indexes in the request, from 0.
        edits: (usize, usize),
    },
    /// A file that could be parsed before could no longer be parsed.
    #[error("the edit breaks the syntax of {path}: {reason}")]
    SyntaxBroken {
        /// The file.
        path: String,
        /// The message of the parser.
        reason: String,
    },
    /// New code has a placeholder comment instead of the code that it leaves out.
    #[error("the new code for {path} has a placeholder instead of code: {line}")]
    Placeholder {
        /// The file.
        path: String,
        /// The comment.
        line: String,
    },
    /// The history does not have this version.
    #[error("there is no version {version}: the history has {oldest} to {newest}")]
    VersionNotKept {
        /// The version given.
        version: u64,
        /// The oldest that can be read.
        oldest: u64,
        /// The version of the workspace.
        newest: u64,
    },
    /// There is no such proposal.
    #[error("there is no proposal {request_id:?}")]
    ProposalNotFound {
        /// The id given.
        request_id: String,
    },
    /// The proposal has a status in which this is not possible.
    #[error("the proposal {request_id:?} is {status}: {reason}")]
    ProposalDecided {
        /// Its id.
        request_id: String,
        /// Its status.
        status: &'static str,
        /// The reason why it is not possible.
        reason: String,
    },
    /// Another request has this id already.
    #[error("Duplicate apply_code_edit request ignored for request_id {request_id}")]
    DuplicateRequest {
        /// The id given.
        request_id: String,
    },
    /// The request would exceed a limit of the workspace.
    #[error("the workspace would have {size} {what}, the limit is {limit}")]
    Full {
        /// The limited kind of item.
        what: &'static str,
        /// The number that there would be.
        size: u64,
        /// The limit.
        limit: u64,
    },
}

impl Problem for CodeError {
    fn code(&self) -> Code {
        match self {
            Self::FileNotFound { .. } => codes::FILE_NOT_FOUND,
            Self::ItemNotFound { .. } => codes::ITEM_NOT_FOUND,
            Self::AmbiguousItem { .. } => codes::AMBIGUOUS_ITEM,
            Self::Changed { .. } => codes::CODE_CHANGED,
            Self::Overlapping { .. } => codes::OVERLAPPING_EDITS,
            Self::SyntaxBroken { .. } => codes::SYNTAX_BROKEN,
            Self::Placeholder { .. } => codes::CODE_PLACEHOLDER,
            Self::VersionNotKept { .. } => codes::VERSION_NOT_KEPT,
            Self::ProposalNotFound { .. } => codes::PROPOSAL_NOT_FOUND,
            Self::ProposalDecided { .. } => codes::PROPOSAL_DECIDED,
            Self::DuplicateRequest { .. } => codes::DUPLICATE_REQUEST,
            Self::Full { .. } => codes::WORKSPACE_FULL,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::FileNotFound { suggestions, .. } => {
                did_you_mean(suggestions).or_else(|| Some("list the files with list_files".to_owned()))
            }
            Self::ItemNotFound { candidates, .. } => {
                let canons: Vec<String> = candidates
                    .iter()
                    .take(SHOWN_CANDIDATES)
                    .map(|candidate| format!("{} ({}) in {}", candidate.canon, candidate.node_type, candidate.file_path))
                    .collect();
                did_you_mean(&canons).or_else(|| Some("look for the item with search_code".to_owned()))
            }
            Self::AmbiguousItem { .. } => Some(
                "name one of the candidates by its canon, file and kind; if two have the same, edit one with mode splice and a byte range".to_owned(),
            ),
            Self::Changed { .. } => Some("read the file again, then send the edit with its present hash".to_owned()),
            Self::Overlapping { .. } => Some("send one edit for both, or two requests".to_owned()),
            Self::SyntaxBroken { .. } => Some("correct the code of the edit, then send it again".to_owned()),
            Self::Placeholder { .. } => Some("write the whole item, or replace a part of it with start_byte and end_byte".to_owned()),
            Self::VersionNotKept { .. } => Some("read a version of the history, or the present one".to_owned()),
            Self::ProposalNotFound { .. } => Some("list the proposals with list_proposals".to_owned()),
            Self::ProposalDecided { .. } => Some("send the edit again for the present files".to_owned()),
            Self::DuplicateRequest { .. } => Some("give each edit a requestId of its own".to_owned()),
            Self::Full { .. } => Some("delete files that you do not need, or use another workspace".to_owned()),
        }
    }

    fn details(&self) -> Value {
        match self {
            Self::FileNotFound { path, suggestions } => {
                json!({ "file_path": path, "suggestions": suggestions })
            }
            Self::ItemNotFound { candidates, .. } => json!({ "candidates": candidates }),
            Self::AmbiguousItem {
                candidates, count, ..
            } => json!({ "candidates": candidates, "candidateCount": count }),
            Self::Changed {
                path,
                expected,
                file_hash,
                tracking_hash,
            } => json!({
                "file_path": path, "expected_file_hash": expected, "file_hash": file_hash, "tracking_hash": tracking_hash,
            }),
            Self::Overlapping { path, edits } => {
                json!({ "file_path": path, "edits": [edits.0, edits.1] })
            }
            Self::SyntaxBroken { path, reason } => json!({ "file_path": path, "reason": reason }),
            Self::Placeholder { path, line } => json!({ "file_path": path, "reason": line }),
            Self::VersionNotKept { oldest, newest, .. } => {
                json!({ "oldest": oldest, "newest": newest })
            }
            Self::ProposalNotFound { request_id } | Self::DuplicateRequest { request_id } => {
                json!({ "requestId": request_id })
            }
            Self::ProposalDecided {
                request_id, status, ..
            } => json!({ "requestId": request_id, "status": status }),
            Self::Full { what, size, limit } => {
                json!({ "what": what, "size": size, "limit": limit })
            }
        }
    }
}

/// The number of candidates that a hint names, because it is one sentence.
const SHOWN_CANDIDATES: usize = 3;
