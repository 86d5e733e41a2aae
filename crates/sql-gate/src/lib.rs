//! The SQL gate: text in, verdict out. No statement from outside reaches the engine without passing
//! through it.
//!
//! - [`review`] is pure. It bounds the text (`lex`), parses it with SQLite's own grammar (`parse`),
//!   collects facts (`operations`), decides (`policy`), asks a second tokenizer (`second_opinion`)
//!   and measures the size of the compiled statement (`expansion`).
//! - [`Reviewed::bind`] joins it with its parameters into a [`Bound`], the only outside text that a
//!   [`database::Database`] accepts.
//! - [`Bound`] makes the statements whose rows are JSON text (`json_rows`).
//! - [`explain`] turns errors of the engine into errors with a code and a hint.
//! - The second fence, which asks the engine itself about the final text, is the crate `sql-cost`.
//!
//! The engine runs the caller's own text, with splices at token offsets (`rewrite`, `bind`). It
//! never runs text that was printed from a syntax tree.

mod bind;
pub mod bound;
mod carried;
pub mod catalog;
pub mod collect;
pub mod compose;
mod declared;
pub mod definitions;
mod destroyed;
pub mod dialect;
pub mod error;
pub mod expansion;
pub mod explain;
pub mod functions;
mod into_table;
mod json_rows;
pub mod lex;
pub mod limits;
mod lists;
mod match_errors;
mod nature;
mod numeric_use;
pub mod operations;
mod own_tables;
pub mod parse;
pub mod placeholders;
pub mod policy;
mod quotes;
pub mod reviewed;
mod rewrite;
pub mod schema_size;
pub mod scoping;
mod second_opinion;
pub mod sizes;
pub mod splice;
mod text;
pub mod tree;
mod typed;
mod types;
pub mod value;
mod written;

pub use error::{LoopReport, SqlError, TableOrigin, codes, hinted};

pub use bind::Parameters;
pub use bound::{Bound, is_without_rowid};
pub use declared::{DeclaredColumn, declared_columns};
pub use destroyed::{DroppedRelation, RelationKind, destroyed};
pub use expansion::{Views, require_small};
pub use functions::allowed_functions;
pub use into_table::{FilledColumn, FixedValue};
pub use json_rows::RowWindow;
pub use nature::Action;
pub use numeric_use::{
    NumericReading, NumericUse, NumericUses, Origin, Source, Sources, TableChange, is_iso_date,
    numeric_uses, table_change,
};
pub use operations::StatementKind;
pub use policy::{
    Policy, Profile, REASONS, TABLE_FUNCTIONS, TypeReading, is_internal_name, require_new_name,
    require_readable_name, require_writable_name,
};
pub use reviewed::{Reviewed, review};
pub use schema_size::{created_bytes, require_fit, require_room};
pub use second_opinion::Reading;
pub use value::RowShape;
pub use written::StatementChanges;
