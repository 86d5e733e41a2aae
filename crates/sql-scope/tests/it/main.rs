//! Tests of row scopes and tenants: statements with their verdicts and rows (`corpus`), and random
//! statements with and without the rows of other tenants (`scope`).

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at its first surprise; clippy.toml allows this in test functions, and here the helpers may, too"
)]

mod corpus;
mod scope;
