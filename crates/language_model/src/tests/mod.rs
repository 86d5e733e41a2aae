//! Tests.
pub mod world;
