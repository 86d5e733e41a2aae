//! The code workspace on real SQLite with the limits and refusals of workerd.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test stops at its first surprise; clippy.toml allows this in test functions, and here the helpers may, too"
)]

mod broken;
mod depth;
mod edits;
mod growth;
mod hostile;
mod names;
mod python;
mod python_edits;
mod reading;
mod registry;
mod rust;
mod script;
mod store;
mod world;
