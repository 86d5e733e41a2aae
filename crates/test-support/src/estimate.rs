//! Estimates of work. Tests and measurements import the function only from here.

pub use sql_cost::estimate;
