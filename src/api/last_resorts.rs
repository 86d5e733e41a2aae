//! The responses to a request that is not served in time, and to one that cannot be finished. These
//! texts are constants, because the instance may be gone when they are needed.

/// The status and body of each, the timeout first. `{timeoutMs}` is replaced by the time that the
/// request had.
pub const TEXTS: [(u16, &str); 2] = [(504, LATE), (500, BROKEN)];

const LATE: &str = r#"{"success":false,"error":{"code":"QUERY_TIMEOUT","message":"the database did not respond within {timeoutMs} ms","hint":"select fewer rows, add an index, or split the work into steps","timeoutMs":{timeoutMs}}}"#;

const BROKEN: &str = r#"{"success":false,"error":{"code":"INTERNAL","message":"the request could not be finished"}}"#;

#[cfg(test)]
mod tests {
    use super::TEXTS;
    use crate::api::envelope;
    use crate::api::status::status;
    use base::Error;
    use session::SessionError;

    #[test]
    fn the_texts_are_those_of_the_errors() {
        // A number that occurs nowhere else in the text.
        let timeout_ms = 987_654_321;
        let late = Error::from(SessionError::QueryTimeout { timeout_ms });
        let broken = Error::internal("the request could not be finished");
        let texts = [late, broken].map(|error| {
            let text = envelope::failure(&error);
            (
                status(&error),
                text.replace(&timeout_ms.to_string(), "{timeoutMs}"),
            )
        });
        assert_eq!(TEXTS.map(|(status, text)| (status, text.to_owned())), texts);
    }
}
