//! The only place that names the platform: the front Worker, the Durable Object, and the adaptors between them and the crate.
//!
//! * [`entry`] takes a request in: route, authenticate, pass on to the object, and response in any case.
//! * [`session_object`] is the object `CodeModeDatabase`.
//! * [`storage`] is the [`database::Database`] of workerd, `d1` the way to the persistent database.
//! * [`bindings`] holds every JavaScript signature, `reply` makes responses, `body` reads requests, `pieces` makes streams,
//!   `telemetry` writes the log line.
//! * `isolate` runs the programs of models in isolates of their own, `servers` reaches other servers.

pub mod bindings;
mod body;
mod call;
mod d1;
pub mod entry;
#[cfg(feature = "fault-injection")]
mod faults;
mod instance;
mod isolate;
mod pieces;
mod reply;
mod servers;
pub mod session_object;
pub mod storage;
mod table_requests;
mod telemetry;
