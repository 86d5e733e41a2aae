//! The settings of a session that a deployment can change.

use columns::Mappings;
use sql_gate::Profile;
use sql_gate::limits::{DEFAULT_MAX_QUERY_WORK, DEFAULT_MAX_RECURSIVE_ROWS};

use crate::limits::{
    DEFAULT_MAX_LOAD_BYTES, DEFAULT_MAX_RESULT_BYTES, DEFAULT_MAX_RESULT_ROWS,
    DEFAULT_MAX_STAGED_ROWS, DEFAULT_MAX_STAGED_TABLES, DEFAULT_SESSION_TTL_SECONDS,
};

/// The column of a row scope, unless a deployment or a request names another.
pub const DEFAULT_TENANT_COLUMN: &str = "business_id";

/// The limits in force, and the column names of servers.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The rules of the SQL gate.
    pub profile: Profile,
    /// The number of seconds from the last use of a session to its expiry.
    pub session_ttl_seconds: u64,
    /// The maximum number of rows of one query.
    pub max_result_rows: u64,
    /// The maximum size of the rows of one query, in bytes.
    pub max_result_bytes: usize,
    /// The maximum number of rows of a recursive common table expression.
    pub max_recursive_rows: u64,
    /// The maximum work of a statement, in units of 10 ns.
    pub max_query_work: u64,
    /// The maximum size of a streamed load, in bytes.
    pub max_load_bytes: u64,
    /// The maximum number of rows of one staged result.
    pub max_staged_rows: u64,
    /// The maximum number of staged tables in a session.
    pub max_staged_tables: u64,
    /// The semantic column names of each server.
    pub mappings: Mappings,
    /// The column of a row scope that does not name one.
    pub tenant_column: String,
    /// Tables without that column that every scope may read.
    pub global_tables: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            profile: Profile::Standard,
            session_ttl_seconds: DEFAULT_SESSION_TTL_SECONDS,
            max_result_rows: DEFAULT_MAX_RESULT_ROWS,
            max_result_bytes: DEFAULT_MAX_RESULT_BYTES,
            max_recursive_rows: DEFAULT_MAX_RECURSIVE_ROWS,
            max_query_work: DEFAULT_MAX_QUERY_WORK,
            max_load_bytes: DEFAULT_MAX_LOAD_BYTES,
            max_staged_rows: DEFAULT_MAX_STAGED_ROWS,
            max_staged_tables: DEFAULT_MAX_STAGED_TABLES,
            mappings: Mappings::default(),
            tenant_column: DEFAULT_TENANT_COLUMN.to_owned(),
            global_tables: Vec::new(),
        }
    }
}
