//! Checks a result or a list of results, and detects GraphQL results.

use base::CommonError;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::batch;
use super::question::Question;
use super::scan::Key;
use super::schema::Schema;
use super::validation::Validation;
use super::verdict::check_one;
use base::entries::Entries;
use base::{Error, Result};

/// A result, and the known facts about its query.
#[derive(Clone, Copy, Default)]
pub struct Check<'a> {
    /// JSON text of the result.
    pub response: &'a str,
    /// Text of the query. A query that does not parse is ignored.
    pub query: Option<&'a str>,
    /// Values of its variables, an object.
    pub variables: Option<&'a Value>,
    /// The operation of the query that ran; by default the first.
    pub operation: Option<&'a str>,
    /// The server's schema.
    pub schema: Option<&'a Schema>,
}

/// Checks a result as [`check_answer`] does. Variables or an operation name that the check does not
/// have count as not sent.
///
/// # Errors
///
/// As [`check_answer`].
pub fn check(check: &Check<'_>) -> Result<Validation> {
    let question = check.query.map(|query| Question {
        query,
        variables: check.variables.into(),
        operation: check.operation.into(),
    });
    check_answer(check.response, question.as_ref(), check.schema)
}

/// Checks a result, or a list of results. A value that is not a GraphQL response, because it has
/// neither `data` nor errors, is valid with a warning.
///
/// # Errors
///
/// [`CommonError::InvalidBody`] for a response that is not JSON.
pub fn check_answer(
    response: &str,
    question: Option<&Question<'_>>,
    schema: Option<&Schema>,
) -> Result<Validation> {
    let text = without_mark(response);
    let checked = if text.starts_with('[') {
        batch::check(text)
    } else {
        check_one(text, question, schema)
    };
    checked.map_err(|error| {
        Error::from(CommonError::InvalidBody {
            message: format!("the response is not JSON: {error}"),
            hint: Some(
                "pass the text of a GraphQL response: {\"data\": …, \"errors\": …}".to_owned(),
            ),
        })
    })
}

/// Removes the byte-order mark with which some servers begin, and blanks.
fn without_mark(text: &str) -> &str {
    text.trim_start_matches(['\u{feff}', ' ', '\n', '\r', '\t'])
}

/// Returns true if a text is an object with `data` or `errors`, or a list of such objects whose
/// first one has no other members. Reads only as far as necessary and does not check the rest.
pub fn is_response(json: &str) -> bool {
    let text = without_mark(json);
    if text.starts_with('[') {
        return batch::is_batch(text);
    }
    let mut found = false;
    // An error ends the reading early.
    let _ = serde_json::Deserializer::from_str(text).deserialize_map(Shape(&mut found));
    found
}

/// Returns true if the result of an unknown server is a GraphQL result: an object with only `data`,
/// `errors` and `extensions`, where `errors` is a list of objects with a message. Data without
/// errors may come from any server, where null is not a fault.
pub fn looks_like_response(json: &str) -> bool {
    let Ok(fields) = serde_json::from_str::<Entries<String, &RawValue>>(without_mark(json)) else {
        return false;
    };
    let known = |name: &str| matches!(name, "data" | "errors" | "extensions");
    if fields.0.iter().any(|(name, _)| !known(name)) {
        return false;
    }
    let field = |wanted: &str| fields.0.iter().rev().find(|(name, _)| name == wanted);
    field("errors").is_some_and(|(_, errors)| {
        serde_json::from_str::<Vec<Message>>(errors.get()).is_ok_and(|errors| !errors.is_empty())
    })
}

#[derive(Deserialize)]
struct Message {
    #[expect(dead_code, reason = "that there is one is what is asked")]
    message: String,
}

struct Shape<'a>(&'a mut bool);

impl<'de> Visitor<'de> for Shape<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a GraphQL response")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(Key)? {
            if matches!(key.as_ref(), "data" | "errors") {
                *self.0 = true;
                return Err(A::Error::custom("found"));
            }
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}
