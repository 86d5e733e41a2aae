//! Statements that a person approves: what there is, what a statement would do, running it exactly once, and undoing it.
//!
//! [`serve`] is the whole contract: a JSON body `{"do": …}` that `request` describes, and one JSON object as response. `judged` reviews a
//! statement, `digest` makes the hash that an approval is bound to, [`Basis`] what of the schema it is bound to, `preview` runs it dry, `run` runs it once, `receipts` remembers that,
//! `capture` records rows before and after, `history` and `undo` take them back, `schema` tells a model what tables there are, `lookup` which values words of a question are
//! and `lookup_scans` reads them. Who
//! approves, and how long an approval waits, is left to the caller; so is who may ask at all.

mod basis;
mod capture;
mod counted;
mod digest;
mod dry_run_extent;
mod executed;
mod history;
mod judged;
pub(crate) mod lookup;
mod lookup_scans;
pub(crate) mod plan;
mod preview;
mod receipts;
mod request;
mod result_table;
mod run;
pub(crate) mod samples;
mod schema;
mod scope;
mod undo;
mod undoable;

pub use basis::Basis;
pub(crate) use basis::definitions;
pub(crate) use counted::rows_within;
pub use digest::{Owner, Place};
pub(crate) use digest::{of_statement, without_basis};
pub use lookup::ColumnPlace;
pub use request::{
    LookupRequest, Request, RunRequest, SchemaRequest, StatementRequest, UndoRequest,
};
pub use scope::{Scope, ScopeValue};

use base::Result;
use database::Database;
use sql_gate::Parameters;

use crate::{Answer, Session};
use judged::Judged;
pub(crate) use preview::rolled_back;
pub(crate) use run::{CHANGED, OLD_APPROVAL, ran};

/// Serves a request: the response as the text of a JSON object.
///
/// # Errors
/// What the request, the gate or the engine says; those of [`crate::SessionError`] about approvals.
pub fn serve<D: Database>(
    session: &Session<'_, D>,
    owner: Owner<'_>,
    request: &Request,
) -> Result<String> {
    let members = match request {
        Request::Schema(request) => schema::read(session, request)?.members(),
        Request::Lookup(request) => lookup_scans::read(session, request)?,
        Request::Preview(request) => {
            let judged = Judged::of(session, request)?;
            let sha256 = judged.sha256(session.db, owner, request)?;
            preview::preview(session, &judged, Some(sha256))?.members()
        }
        Request::Run(request) => run::run(session, owner, request)?,
        Request::UndoPreview { approval_id } => undo::preview(session, owner, approval_id)?,
        Request::Undo(request) => undo::undo(session, owner, request)?,
    };
    Ok(format!("{{{members}}}"))
}

/// Returns what a statement would do, for whoever asks.
pub(crate) fn preview<D: Database>(
    session: &Session<'_, D>,
    sql: String,
    parameters: Parameters,
) -> Result<Answer> {
    let request = StatementRequest {
        sql,
        parameters,
        scope: None,
    };
    let judged = Judged::of(session, &request)?;
    preview::preview(session, &judged, None)
}
