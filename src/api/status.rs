//! The only mapping of failures to HTTP statuses, and the list of all error codes.

use base::{Code, Error, Kind};

/// Every code that a response can have, by feature. A test compares it with `docs/errors.md`.
pub const CODES: &[&[Code]] = &[
    base::codes::ALL,
    super::error::codes::ALL,
    oauth::codes::ALL,
    database::codes::ALL,
    sql_gate::codes::ALL,
    session::codes::ALL,
    graph::codes::ALL,
    code_model::codes::ALL,
    agent::codes::ALL,
    tools_graphql::codes::ALL,
    agent_models::codes::ALL,
    tools::codes::ALL,
    sandbox::codes::ALL,
    mcp_product::codes::ALL,
];

/// Returns every code.
pub fn codes() -> impl Iterator<Item = Code> {
    CODES.iter().copied().flatten().copied()
}

/// Returns the HTTP status of a failure.
pub fn status(error: &Error) -> u16 {
    status_of(error.kind())
}

/// Returns the HTTP status of a kind of failure.
pub fn status_of(kind: Kind) -> u16 {
    match kind {
        Kind::Invalid => 400,
        Kind::Unauthenticated => 401,
        Kind::Forbidden => 403,
        Kind::NotFound => 404,
        Kind::WrongMethod => 405,
        Kind::Conflict => 409,
        Kind::PreconditionFailed => 412,
        Kind::TooLarge => 413,
        Kind::UnsupportedForm => 415,
        Kind::Unprocessable => 422,
        Kind::Internal => 500,
        Kind::NotBuiltIn => 501,
        Kind::Upstream => 502,
        Kind::Overloaded => 503,
        Kind::Timeout => 504,
        Kind::Full => 507,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_stands_in_the_list_once() {
        let mut names: Vec<&str> = codes().map(|code| code.name).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn an_error_has_the_status_of_its_code() {
        assert_eq!(status(&Error::invalid("x")), 400);
        assert_eq!(status(&database::DatabaseError::DatabaseFull.into()), 507);
        assert_eq!(status(&Error::internal("x")), 500);
    }
}
