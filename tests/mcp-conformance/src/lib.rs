//! The server that the official MCP conformance suites expect: tools, resources, prompts and
//! completions with the names and contents that their scenarios call. It shows that the protocol
//! layer keeps the specification, in the stateless version and in the older ones.
//!
//! Only test builds contain it. It is a [`Service`](mcp::server::Service) like the product:
//! [`Fixtures`] serves requests, and [`Instance`] is the state that the requests of one instance
//! share. `instance` has the lists that change and their listeners, `seal` protects `requestState`,
//! `inputs` reads the responses of a client, `outcome` makes results, `tools/`, `resources`,
//! `prompts` and `completion` are the fixtures, and `service` serves them.

mod completion;
mod inputs;
mod instance;
mod outcome;
mod prompts;
mod resources;
mod seal;
mod service;
mod tools;

#[cfg(test)]
mod tests;

pub use instance::Instance;
pub use service::Fixtures;
