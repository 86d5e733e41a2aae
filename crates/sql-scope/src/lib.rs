//! Row scopes and tenants: the splices that keep a reviewed statement within some rows, or within
//! the tables of one tenant.
//!
//! - `scope` restricts a statement to the rows of a row scope: those with its value in its column,
//!   such as the rows of one business.
//! - [`tenant`] restricts a statement to the tables of one tenant, in the database that all tenants
//!   share.
//!
//! Both change the caller's text only by splices, and parse the final text again before it runs. A
//! statement that splices cannot make safe is refused.

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
