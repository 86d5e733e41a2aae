//! Row scopes and tenants: the splices that keep a reviewed statement within some rows, or within
//! the tables of one tenant.
//!
//! Tables with the tenant's column are *scoped*. The caller's text remains as it is, byte for byte.
//! Only splices are added:
//!
//! 1. Before the statement, each scoped table is defined again, `WITH orders AS NOT MATERIALIZED
//!    (SELECT * FROM main.orders WHERE business_id = ?)`, and SQLite itself resolves names. This is
//!    correct without understanding the scopes of names in the caller's text.
//! 2. UPDATE, DELETE and DO UPDATE get the tenant's predicate before their own condition, and the
//!    rows of an INSERT get the tenant.
//! 3. The tenant is a bound value, never text.
//!
//! Statements that splices cannot make safe are refused (`judge`, `cascades`). Two more fences
//! follow: the final text is parsed again and must have exactly this shape (`verify`), and the
//! engine's bytecode may open only the tables that were judged (`fence`). `barrier` decides if the
//! engine might compute an expression that can fail on another tenant's row before it compares the
//! tenant; if so, the definitions are materialized. docs/scope.md describes the remaining gaps.
//!
//! [`tenant`] does the same for the database that all tenants share, in which each tenant has its
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
