//! The operations of a workspace, each with its handler.

use base::Result;
use database::Database;

use crate::{Reply, Workspace, edit, reading, writing};

/// An operation that needs nothing but the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Stages edits.
    ApplyCodeEdit,
    /// Applies a proposal.
    ApproveProposal,
    /// Applies all that wait.
    ApproveAll,
    /// Refuses a proposal.
    DenyProposal,
    /// Takes an applied proposal back.
    RevertProposal,
    /// Lists proposals.
    ListProposals,
    /// What is known of a file.
    GetFileMetadata,
    /// One item.
    CodeItemLookup,
    /// Its edges.
    CodeItemEdges,
    /// Pages of files.
    ListFiles,
    /// The text of a file.
    ReadFile,
    /// A text or an expression in files.
    SearchCode,
    /// What differs from a directory.
    ScanForChange,
    /// Modules, spans and hashes.
    Inspect,
    /// Writes files.
    PutFiles,
    /// Deletes files.
    DeleteFiles,
}

impl Operation {
    /// All of them with their names.
    pub const ALL: [(&str, Self); 16] = [
        ("apply_code_edit", Self::ApplyCodeEdit),
        ("approve_proposal", Self::ApproveProposal),
        ("approve_all", Self::ApproveAll),
        ("deny_proposal", Self::DenyProposal),
        ("revert_proposal", Self::RevertProposal),
        ("list_proposals", Self::ListProposals),
        ("get_file_metadata", Self::GetFileMetadata),
        ("code_item_lookup", Self::CodeItemLookup),
        ("code_item_edges", Self::CodeItemEdges),
        ("list_files", Self::ListFiles),
        ("read_file", Self::ReadFile),
        ("search_code", Self::SearchCode),
        ("scan_for_change", Self::ScanForChange),
        ("inspect", Self::Inspect),
        ("put_files", Self::PutFiles),
        ("delete_files", Self::DeleteFiles),
    ];

    /// The operation of a name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, operation)| *operation)
    }
}

/// Runs an operation. `arguments` is a JSON object.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] for a field that is not known and a value that is not usable, what the operation says of itself, and the
/// engine's errors. Nothing is changed then, but that a proposal may have become stale.
pub fn dispatch<D: Database>(
    workspace: &Workspace<'_, D>,
    operation: Operation,
    arguments: &str,
) -> Result<Reply> {
    let handler = match operation {
        Operation::ApplyCodeEdit => edit::apply_code_edit,
        Operation::ApproveProposal => edit::approve,
        Operation::ApproveAll => edit::approve_all,
        Operation::DenyProposal => edit::deny,
        Operation::RevertProposal => edit::revert,
        Operation::ListProposals => edit::list_proposals,
        Operation::GetFileMetadata => reading::metadata,
        Operation::CodeItemLookup => reading::lookup,
        Operation::CodeItemEdges => reading::relations,
        Operation::ListFiles => reading::list_files,
        Operation::ReadFile => reading::read_file,
        Operation::SearchCode => reading::search,
        Operation::ScanForChange => reading::scan,
        Operation::Inspect => reading::inspect,
        Operation::PutFiles => writing::put_files,
        Operation::DeleteFiles => writing::delete_files,
    };
    handler(workspace, arguments)
}
