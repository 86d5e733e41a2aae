//! The adaptor of the host's tests, shared by path: SQLite with the limits, refusals and error texts of a Durable Object.

#![expect(
    dead_code,
    reason = "the adaptor has more than the tests of one crate need"
)]

#[path = "../../../../tests/it/support/authorizer.rs"]
pub mod authorizer;
#[path = "../../../../tests/it/support/engine_error.rs"]
pub mod engine_error;
#[path = "../../../../tests/it/support/faulty.rs"]
pub mod faulty;
#[path = "../../../../tests/it/support/host.rs"]
pub mod host;
