//! The operations of a Code Mode session on its database.
//!
//! [`dispatch`] is the contract of the Durable Object: the JSON body of a request names an
//! operation, and the response is a JSON text. Loads, exports and dumps are streamed, so each has
//! its own type: [`bulk::Load`] takes the body in pieces, [`export::Export`] and [`dump::Dump`]
//! yield the response in pieces. Nothing here knows HTTP or the platform: in the root package,
//! `src/api/` has the routes, and `src/worker/` creates, wakes and deletes the object.

pub mod approved;
pub mod bulk;
pub mod confirmation;
pub mod dump;
mod error;
mod exact_fractions;
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
pub mod repeated;
mod reply;
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

pub use error::{ConfirmationRefusal, SessionError, codes};
pub use operation::{
    DEFINITIONS, Helper, Id, NAMES, OPERATIONS, SERVERS, dispatch, dispatch_persistent, find,
    input, is_own_server, of_server, server_of,
};
pub use reply::Reply;
pub use settings::{DEFAULT_TENANT_COLUMN, Settings};

include!(concat!(env!("OUT_DIR"), "/migrations.rs"));

use base::Result;
use database::{Database, DatabaseExt, migrations};
use sql_cost::Meter;
use sql_gate::{Policy, TypeReading};

/// A session as one request sees it. It is made for each request, because `now_ms` differs between
/// them.
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
    /// The object's memory of statements, shared by its requests.
    pub cache: &'a statement_cache::StatementCache,
    /// The rows that every operation may see and change; `None` for all. A request may also have
    /// its own scope.
    pub scope: Option<&'a sql_scope::Scope>,
}

impl<D: Database> Clone for Session<'_, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D: Database> Copy for Session<'_, D> {}

impl<'a, D: Database> Session<'a, D> {
    /// Returns the meter for an operation's own statements, which bounds the expressions of the
    /// caller that they run.
    pub(crate) fn meter(&self) -> Meter<'a> {
        Meter::new(self.policy(), &self.cache.counts)
    }

    /// Returns the settings of the SQL gate.
    pub fn policy(&self) -> Policy {
        Policy {
            profile: self.settings.profile,
            max_recursive_rows: self.settings.max_recursive_rows,
            max_query_work: self.settings.max_query_work,
            types: TypeReading::AsMeant,
        }
    }
}

/// Prepares a database when its object starts: applies migrations and deletes the chunks of a load
/// that a crash interrupted. Two cheap reads if there is nothing to do.
///
/// # Errors
/// Fails if a newer version of the product wrote the database, or if the engine fails.
pub fn start<D: Database>(db: &D, now_ms: u64) -> Result<()> {
    migrations::apply(db, MIGRATIONS, now_ms)?;
    sweep(db)
}

/// Deletes the chunks of a load that a crash interrupted. One cheap read if there is nothing to do.
///
/// # Errors
/// The engine's.
pub fn sweep<D: Database>(db: &D) -> Result<()> {
    if db.cell(spill_table::SWEEP_NEEDED, &[])?.is_some() {
        db.run(spill_table::SWEEP, &[])?;
    }
    Ok(())
}
