//! Analytic statements and their tables: the questions of an honest analyst, in sizes where a bound
//! on work begins to matter.
//!
//! - [`tables`]: two schemas, each with secondary indexes, with primary keys only, and without any
//!   key.
//! - [`rows`]: their rows, the same on every machine, with skew, flags of few values, and NULL.

pub mod random;
pub mod rows;
pub mod tables;
