//! Tests of the SQL gate: verdicts, splices and the checks by the engine (`gate`), the bound on
//! work (`work`), and statements by the thousand (`corpus`).

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at its first surprise; clippy.toml allows this in test functions, and here the helpers may, too"
)]

mod corpus;
mod scope;
