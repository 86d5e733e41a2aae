//! Source files as a versioned code graph, and edits that are staged, checked and applied as one.
//!
//! An [`Operation`] is the type of its arguments, beside its handler: it writes files (`writing`),
//! reads (`reading`) or edits (`edit`, which finds items with `resolve`), and makes a [`Reply`].
//! The crate `workspace` lists them. Below them `parse` reads files, `project` says where they
//! stand, [`mod@hash`] what their ids are, and `store` keeps them and their items in tables of
//! which each version can be read. [`retrieval`] is what a search over items asks of these.
//!
//! A request is one transaction and at most one version.

mod edit;
mod error;
pub mod hash;
pub mod kinds;
pub mod limits;
pub mod model;
mod operation;
pub mod parse;
pub mod project;
mod reading;
mod reply;
mod resolve;
pub mod retrieval;
mod store;
mod writing;

pub use edit::{
    ApplyCodeEdit, ApproveAll, ApproveProposal, DenyProposal, ListProposals, RevertProposal,
    apply_code_edit,
};
pub use error::{Candidate, CodeError, codes};
pub use operation::Operation;
pub use reading::{
    CodeItemEdges, CodeItemLookup, GetFileMetadata, Inspect, ListFiles, ReadFile, ScanForChange,
    SearchCode,
};
pub use reply::Reply;
pub use store::commit::{Changes, Committed, FileWrite, Written};
pub use store::files::{FileFilter, FileRow};
pub use store::head::{AsOf, Head};
pub use store::items::ItemRow;
pub use writing::{DeleteFiles, PutFiles, committed_reply};

use database::Database;

include!(concat!(env!("OUT_DIR"), "/migrations.rs"));

/// What a deployment may change of a workspace.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Versions that the history keeps; at least one.
    pub kept_versions: u64,
    /// Bytes of files that ended and are kept.
    pub past_bytes: u64,
    /// Where the root of the workspace is in the file system: tracking hashes are over absolute
    /// paths.
    pub root: String,
    /// The confidence from which an edit is applied without a decision of a person; none is never.
    pub auto_confirm_from: Option<f64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            kept_versions: limits::DEFAULT_CODE_VERSIONS,
            past_bytes: limits::DEFAULT_CODE_PAST_BYTES,
            root: DEFAULT_ROOT.to_owned(),
            auto_confirm_from: None,
        }
    }
}

/// The root of a workspace that says nothing else.
pub const DEFAULT_ROOT: &str = "/ws";

/// A workspace, and on whose behalf it is used.
pub struct Workspace<'a, D: Database> {
    /// Where it is.
    pub db: &'a D,
    /// What the deployment wants.
    pub settings: &'a Settings,
    /// Milliseconds since 1970.
    pub now_ms: u64,
    /// Who asks, as the history names it.
    pub actor: &'a str,
    /// The words of a text as the text index has them, with blanks between.
    pub words: &'a dyn Fn(&str) -> String,
}

impl<D: Database> Clone for Workspace<'_, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D: Database> Copy for Workspace<'_, D> {}

/// Returns true if anybody has written to the workspace. One that was only looked at does not
/// exist.
///
/// # Errors
/// The engine's.
pub fn exists<D: Database>(db: &D) -> base::Result<bool> {
    Head::load(db).map(|head| head.created_at.is_some())
}

/// Writes and deletes files, as one version. What is as it was makes none.
///
/// # Errors
/// [`base::CommonError::TooBig`] for a file over the limit, [`CodeError::Full`], the engine's;
/// nothing is changed then.
pub fn write_files<D: Database>(
    workspace: &Workspace<'_, D>,
    description: &str,
    changes: &Changes,
) -> base::Result<Committed> {
    store::commit::commit(workspace, "write", description, changes)
}
