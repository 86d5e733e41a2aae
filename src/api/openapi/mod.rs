//! `GET /api/openapi.json`: OpenAPI 3.1.
//!
//! The document is made from the code's own tables by `made`, kept as a file, and compared with what would be made today by a test. A build
//! script could not make it: it would need the whole domain compiled for the machine that builds.

#[cfg(test)]
mod graph;
#[cfg(test)]
mod made;

/// The document as JSON text. `make openapi` writes it.
pub const DOCUMENT: &str = include_str!("document.json");
