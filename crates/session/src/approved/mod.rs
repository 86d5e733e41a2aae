//! Statements that a person approves: the schema for them, a preview of their effect, one exact
//! run, and an undo.
//!
//! [`serve`] is the whole contract: a JSON body `{"do": …}` that `request` describes, and one JSON
//! object as response. The caller of this crate decides who may ask, who approves, and how long an
//! approval waits.
//!
//! Contents: `judged` reviews a statement. `digest` computes the hash that an approval is bound to,
//! and [`Basis`] the part of it that depends on the schema; `field_hash` hashes the fields of both.
//! `preview` makes a dry run, `run` runs the statement once, and `receipts` remembers that it ran.
//! `capture` records rows before and after, `history` and `undo` restore them. `schema` describes
//! the tables to a model. `lookup` finds the values that words of a question refer to, and
//! `lookup_scans` reads them.

mod basis;
mod capture;
mod counted;
mod digest;
mod dry_run_extent;
mod executed;
mod field_hash;
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
pub use request::{
    ColumnPlace, LookupRequest, Request, RunRequest, SchemaRequest, StatementRequest, UndoRequest,
};
pub use scope::{Scope, ScopeValue};

use base::Result;
use database::Database;
use sql_gate::Parameters;

use crate::{Reply, Session};
use judged::JudgedStatement;
pub(crate) use preview::rolled_back;
pub(crate) use run::{CHANGED, OLD_APPROVAL, ran};

/// Serves a request. Returns the response as the text of a JSON object.
///
/// # Errors
/// Errors of the request, of the gate or of the engine; those of [`crate::SessionError`] about
/// approvals.
pub fn serve<D: Database>(
    session: &Session<'_, D>,
    owner: Owner<'_>,
    request: &Request,
) -> Result<String> {
    let members = match request {
        Request::Schema(request) => schema::read(session, request)?.members(),
        Request::Lookup(request) => lookup_scans::read(session, request)?,
        Request::Preview(request) => {
            let judged = JudgedStatement::of(session, request)?;
            let sha256 = judged.sha256(session.db, owner, request)?;
            preview::preview(session, &judged, Some(sha256))?.members()
        }
        Request::Run(request) => run::run(session, owner, request)?,
        Request::UndoPreview { approval_id } => undo::preview(session, owner, approval_id)?,
        Request::Undo(request) => undo::undo(session, owner, request)?,
    };
    Ok(format!("{{{members}}}"))
}

/// Returns the preview of a statement for explainQuery, without an approval.
pub(crate) fn preview<D: Database>(
    session: &Session<'_, D>,
    sql: String,
    parameters: Parameters,
) -> Result<Reply> {
    let request = StatementRequest {
        sql,
        parameters,
        scope: None,
    };
    let judged = JudgedStatement::of(session, &request)?;
    preview::preview(session, &judged, None)
}
