//! `GET /api/openapi.json`: the OpenAPI 3.1 document.
//!
//! `made` makes the document from the code's own tables. It is kept as a file, and a test compares
//! the file with a new one. A build script could not make it, because it would have to compile
//! every feature for the machine that builds. `console/build.mjs` puts the file among the static
//! assets, so that no WebAssembly module contains it.

#[cfg(test)]
mod graph;
#[cfg(test)]
mod json;
#[cfg(test)]
mod made;
