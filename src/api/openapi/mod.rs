//! `GET /api/openapi.json`: OpenAPI 3.1.
//!
//! The document is made from the code's own tables by `made`, kept as a file, and compared with what would be made today by a test. A build
//! script could not make it: it would need the whole domain compiled for the machine that builds. `console/build.mjs` puts the file among the static
//! assets, so that no module has it.

#[cfg(test)]
mod graph;
#[cfg(test)]
mod made;
