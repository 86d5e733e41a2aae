//! Edits: `request` what callers send, `propose` the operation, `stage` what it means for the
//! present files, `splice` the changed texts, `syntax` the check of these, `insertion` where new
//! items go, `written` code that fits its file, `warning` what else it does, `preview` what a
//! person decides on, `relocate` where the places of an older version are now, `proposal` the
//! stored rows, `decide` what becomes of them, `list` who looks.
//!
//! Nothing is written before it is approved, and then all files of a request are, or none.

mod decide;
mod insertion;
mod list;
mod preview;
mod proposal;
mod propose;
mod relocate;
mod request;
mod splice;
mod stage;
mod syntax;
mod warning;
mod written;

pub use decide::{ApproveAll, ApproveProposal, DenyProposal, RevertProposal};
pub use list::ListProposals;
pub use propose::{ApplyCodeEdit, apply_code_edit};
pub(crate) use request::no_edits;
