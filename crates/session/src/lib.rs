//! What a Code Mode session does with its database.
//!
//! [`dispatch`] is the object's own contract: one JSON body names an operation, one JSON text answers. Loads, exports and dumps stream,
//! so they are types of their own: [`bulk::Load`] takes pieces of a body, [`export::Export`] and [`dump::Dump`] yield pieces of an
//! answer. Nothing here knows HTTP or the platform; routes and the object's life are left to `api/` and `worker/`.

mod answer;
pub mod approved;
pub mod bulk;
pub mod confirmation;
pub mod dump;
mod error;
mod exact_row;
pub mod executions;
pub mod expiry;
mod explained;
pub mod export;
mod fields;
pub mod inspect;
mod json_reader;
pub mod limits;
mod loaded;
pub mod logs;
mod metrics;
mod operation;
pub mod persistent;
pub mod query;
mod readings;
mod records;
pub mod row_stream;
pub mod row_text;
mod rows;
pub mod scope;
mod scoped;
mod settings;
mod spill_table;
pub mod staging;
mod state;
pub mod statement_cache;
pub mod tabular;
pub mod totals;
pub mod watch;

pub use answer::Answer;
pub use error::{ConfirmationRefusal, SessionError, codes};
pub use operation::{
    DEFINITIONS, Helper, Id, NAMES, OPERATIONS, SERVERS, dispatch, find, input, is_own_server,
    of_server, server_of,
};
pub use settings::{DEFAULT_TENANT_COLUMN, Settings};

include!(concat!(env!("OUT_DIR"), "/migrations.rs"));

use base::Result;
use database::{Database, DatabaseExt, migrations};
use sql_cost::Meter;
use sql_gate::{Policy, TypeReading};

/// One request's view of a session. Built for each request, because time moves on between them.
#[derive(Debug)]
pub struct Session<'a, D: Database> {
    /// The session's database.
    pub db: &'a D,
    /// The limits in force.
    pub settings: &'a Settings,
    /// Now, in milliseconds since 1970.
    pub now_ms: u64,
    /// The session's name, for people.
    pub name: &'a str,
    /// What the object remembers of statements.
    pub cache: &'a statement_cache::StatementCache,
    /// Whose rows every operation may see and change; a request may also have a scope of its own.
    pub scope: Option<&'a sql_scope::Scope>,
}

impl<D: Database> Clone for Session<'_, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D: Database> Copy for Session<'_, D> {}

impl<'a, D: Database> Session<'a, D> {
    /// What an operation weighs its own statements with, as far as they run what the caller has defined.
    pub(crate) fn meter(&self) -> Meter<'a> {
        Meter::new(self.policy(), &self.cache.counts)
    }

    /// What the SQL gate goes by.
    pub fn policy(&self) -> Policy {
        Policy {
            profile: self.settings.profile,
            max_recursive_rows: self.settings.max_recursive_rows,
            max_query_work: self.settings.max_query_work,
            types: TypeReading::AsMeant,
        }
    }
}

/// Makes a database ready when its object starts: applies migrations and removes what a load left that a crash interrupted. Two cheap
/// reads when there is nothing to do.
///
/// # Errors
/// When a newer version of the product wrote the database, or the engine fails.
pub fn start<D: Database>(db: &D, now_ms: u64) -> Result<()> {
    migrations::apply(db, MIGRATIONS, now_ms)?;
    sweep(db)
}

/// Removes what a load left that a crash interrupted. One cheap read when there is nothing to do.
///
/// # Errors
/// The engine's.
pub fn sweep<D: Database>(db: &D) -> Result<()> {
    if db.cell(spill_table::SWEEP_NEEDED, &[])?.is_some() {
        db.run(spill_table::SWEEP, &[])?;
    }
    Ok(())
}
