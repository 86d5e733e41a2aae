//! Edits. `propose` has the operation, `request` parses its arguments, `stage` applies the edits to
//! the present files, `splice` makes the changed texts, and `syntax` checks them. `insertion` finds
//! the place of new items, `written` fits code to its file, `warning` reports side effects,
//! `preview` makes the text on which a person decides, and `relocate` finds the positions of an
//! older version in the present one. `proposal` stores the rows, `decide` approves, denies and
//! reverts, and `list` lists proposals.
//!
//! Nothing is written before it is approved. Then all files of a request are written, or none is.

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
pub use propose::apply_code_edit;
pub use request::ApplyCodeEdit;
pub(crate) use request::no_edits;
