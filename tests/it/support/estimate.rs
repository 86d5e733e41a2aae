//! The one place where tests and measurements ask for an estimate.

pub use codemode_database::sql::estimate;
