//! The only place from which tests and measurements get an estimate.

pub use sql_cost::estimate;
