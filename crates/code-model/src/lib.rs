//! Source files as a versioned code graph, with edits that are staged, checked and applied as one.
//!
//! An [`Operation`] is the type of its arguments, beside its handler: it writes files (`writing`),
//! reads (`reading`) or edits (`edit`, which finds items with `resolve`), and returns a [`Reply`].
//! The crate `code` lists them. Below them, `parse` reads files, `project` finds their crates and
//! modules, [`mod@hash`] computes ids, and `store` keeps files and items in tables of which each
//! version can be read. [`retrieval`] has the queries of a search over items.
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
pub use store::commit::{Changes, Commit, FileWrite, WrittenFile};
pub use store::files::{FileFilter, FileRow};
pub use store::head::{AsOf, Head};
pub use store::items::ItemRow;
pub use writing::{DeleteFiles, PutFiles, committed_reply};

use database::Database;

include!(concat!(env!("OUT_DIR"), "/migrations.rs"));

/// The settings of a deployment for its workspaces.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The number of versions that the history keeps; at least one.
    pub kept_versions: u64,
    /// The bytes of past files that the history keeps.
    pub past_bytes: u64,
    /// The path of the workspace's root in the file system, because tracking hashes contain
    /// absolute paths.
    pub root: String,
    /// The confidence from which an edit is applied without the decision of a person; `None` for
    /// never.
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

/// The default root of a workspace.
pub const DEFAULT_ROOT: &str = "/ws";

/// A workspace, with the context of a request.
pub struct Workspace<'a, D: Database> {
    /// The database of the workspace.
    pub db: &'a D,
    /// The settings of the deployment.
    pub settings: &'a Settings,
    /// The time of the request, in milliseconds since 1970.
    pub now_ms: u64,
    /// The caller, as the history names it.
    pub actor: &'a str,
    /// The function that splits a text into words for the text index, separated by blanks.
    pub words: &'a dyn Fn(&str) -> String,
}

impl<D: Database> Clone for Workspace<'_, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D: Database> Copy for Workspace<'_, D> {}

/// Returns true if the workspace was ever written to. A workspace that was only read does not
/// exist.
///
/// # Errors
/// Errors of the engine.
pub fn exists<D: Database>(db: &D) -> base::Result<bool> {
    Head::load(db).map(|head| head.created_at.is_some())
}

/// Writes and deletes files, as one version. If nothing changes, there is no new version.
///
/// # Errors
/// [`base::CommonError::TooBig`] for a file over the limit, [`CodeError::Full`], and errors of the
/// engine. Nothing is changed then.
pub fn write_files<D: Database>(
    workspace: &Workspace<'_, D>,
    description: &str,
    changes: &Changes,
) -> base::Result<Commit> {
    store::commit::commit(workspace, "write", description, changes)
}
