//! Column matching, mappings and what `build.rs` checks, from outside.

mod abbreviations;
mod corpus;
mod embedded;
mod find_column;
mod mappings;
mod reach;
