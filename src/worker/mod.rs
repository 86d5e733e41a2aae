//! The only place that names the platform: the front Worker, the Durable Object, and the adaptors between them and the crate.
//!
//! * [`entry`] takes a request in: route, authenticate, pass on to the object, and response in any case.
//!   `front` serves what needs no object.
//! * [`object`] is what every object stands on; [`session`] and [`tenant_index`] are the classes.
//! * [`storage`] is the [`database::Database`] of workerd.
//! * [`bindings`] holds every JavaScript signature, `received` and `body` read requests, `reply` and `pieces` make responses,
//!   `telemetry` writes the log line.
//! * `isolate` runs the programs of models in isolates of their own, `servers` reaches other servers.

pub mod bindings;
mod body;
pub mod entry;
#[cfg(feature = "fault-injection")]
mod faults;
mod front;
mod instance;
mod isolate;
pub mod object;
mod pieces;
mod received;
mod reply;
mod servers;
pub mod session;
pub mod storage;
mod telemetry;
pub mod tenant_index;
