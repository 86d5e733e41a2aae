//! Analytic statements and the tables that they are about: what an honest analyst asks, in sizes where a bound on work begins to matter.
//!
//! - [`tables`]: two schemas, each with secondary indexes, with primary keys only, and without any key.
//! - [`rows`]: their rows, the same on every machine, with skew, flags of few values, and NULL.

pub mod random;
pub mod rows;
pub mod tables;
