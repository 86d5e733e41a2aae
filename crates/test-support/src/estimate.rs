//! The one place where tests and measurements ask for an estimate.

pub use sql_cost::estimate;
