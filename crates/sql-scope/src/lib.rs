//! Row scopes and tenants: the splices that keep a reviewed statement within some rows, or within
//! the tables of one tenant.
//!
//! Tables with the tenant's column are *scoped*. The caller's text stays as it is, byte for byte;
//! what is added are splices:
//!
//! 1. In front of it each scoped table is defined again, `WITH orders AS NOT MATERIALIZED (SELECT *
//!    FROM main.orders WHERE business_id = ?)`, and SQLite itself resolves names. Nobody has to
//!    understand the caller's scopes for that to hold.
//! 2. UPDATE, DELETE and DO UPDATE get the tenant's predicate in front of their own condition; the
//!    rows of an INSERT get the tenant.
//! 3. The tenant is a bound value, never text.
//!
//! A statement that cannot be made safe by splices is refused (`judge`, `cascades`). Three fences stand behind:
//! the final text is parsed afresh and must have exactly this shape (`verify`), and the engine's
//! bytecode may open the tables that were judged and no other (`fence`). `barrier` decides whether
//! the engine might compute an expression that can fail on a stranger's row before it compares the
//! tenant; then the definitions are materialized. docs/scope.md says what is left over.
//!
//! [`tenant`] does the same for the one database that all tenants share: there each tenant has its
//! own tables.

mod barrier;
mod cascades;
mod claims;
mod fence;
mod judge;
mod known;
mod layout;
mod owned;
mod review;
mod rewrite;
mod scope;
mod syntax;
mod tables;
pub mod tenant;
mod verify;

pub use known::KnownTables;
pub use review::{apply, apply_knowing, review, review_stored};
pub use scope::{ALL_TABLES, Scope};
pub use sql_gate::scoping::ScopeValue;
pub use tables::{Column, Sort, Table, Tables};
