//! The one table from error code to HTTP status.

use crate::error::Error;

/// Every code with its status. A test compares the codes with `src/error.rs` and with `docs/errors.md`.
pub const STATUSES: &[(&str, u16)] = &[
    ("INVALID_ARGUMENT", 400),
    ("INVALID_BODY", 400),
    ("SYNTAX_ERROR", 400),
    ("NO_SUCH_COLUMN", 400),
    ("DATATYPE_MISMATCH", 400),
    ("PARAMETER_COUNT", 400),
    ("TOO_BIG", 400),
    ("SQL_ERROR", 400),
    ("UNKNOWN_OPERATION", 400),
    ("SERVER_NOT_FOUND", 400),
    ("TOOL_NOT_FOUND", 400),
    ("INVALID_ARGUMENTS", 400),
    ("GRAPHQL_INVALID_QUERY", 400),
    ("UNAUTHORIZED", 401),
    ("SQL_BLOCKED", 403),
    ("ORIGIN_NOT_ALLOWED", 403),
    ("NO_SUCH_FUNCTION", 404),
    ("NO_SUCH_TABLE", 404),
    ("NOT_FOUND", 404),
    // Not a 5xx: nothing is broken, the deployment simply has no such database.
    ("PERSISTENT_UNAVAILABLE", 404),
    ("STAGED_NOT_FOUND", 404),
    ("METHOD_NOT_ALLOWED", 405),
    ("ALREADY_EXISTS", 409),
    ("BUSY", 409),
    ("CONSTRAINT_FAILED", 409),
    ("SESSION_DELETED", 409),
    ("PAYLOAD_TOO_LARGE", 413),
    ("UNSUPPORTED_MEDIA_TYPE", 415),
    ("QUERY_TOO_EXPENSIVE", 422),
    ("STAGED_TOO_LARGE", 422),
    // The server did answer: repeating the request, as clients do after a 5xx, would not fix it.
    ("UPSTREAM_TOOL_ERROR", 422),
    ("GRAPHQL_NULL_DATA", 422),
    ("INTERNAL", 500),
    ("MISCONFIGURED", 500),
    // Not built into this deployment, rather than broken.
    ("SANDBOX_UNAVAILABLE", 501),
    ("UPSTREAM_FAILED", 502),
    ("SANDBOX_BUSY", 503),
    ("QUERY_TIMEOUT", 504),
    ("UPSTREAM_TIMEOUT", 504),
    ("DATABASE_FULL", 507),
];

/// The HTTP status of an error; 500 for a code that the table lacks.
pub fn status(error: &Error) -> u16 {
    let code = error.code();
    STATUSES
        .iter()
        .find(|(name, _)| *name == code)
        .map_or(500, |(_, status)| *status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_each_code_of_the_error_type_once() {
        let sources = [
            include_str!("../error.rs"),
            include_str!("../tools/error.rs"),
        ];
        let named = sources
            .iter()
            .flat_map(|source| source.lines())
            .filter_map(|line| {
                line.trim()
                    .strip_prefix("Self::")?
                    .split_once("=> \"")?
                    .1
                    .strip_suffix("\",")
            });
        let mut in_source: Vec<&str> = named
            .filter(|code| {
                code.bytes()
                    .all(|byte| byte.is_ascii_uppercase() || byte == b'_')
            })
            .collect();
        let mut in_table: Vec<&str> = STATUSES.iter().map(|(code, _)| *code).collect();
        in_source.sort_unstable();
        in_table.sort_unstable();
        assert!(in_source.len() > 20, "the pattern above finds the codes");
        assert_eq!(in_source, in_table);
    }

    #[test]
    fn an_error_has_the_status_of_its_code() {
        assert_eq!(status(&Error::invalid("x")), 400);
        assert_eq!(status(&Error::DatabaseFull), 507);
        assert_eq!(status(&Error::internal("x")), 500);
    }
}
