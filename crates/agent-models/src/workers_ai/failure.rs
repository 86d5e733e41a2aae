//! Parses the errors that the binding throws: texts such as `AiError: 5007: No such model @cf/x or
//! task`.

use crate::error::ModelError;
use crate::exchange::failure_of_thrown;

/// Digits of the platform's own codes.
const CODE_DIGITS: usize = 4;

/// The codes with the HTTP status that the platform documents for each, except 3036: when a daily
/// allocation is used up, waiting for a moment does not help.
const STATUSES: &[(&str, u16)] = &[
    ("3003", 400),
    ("3006", 413),
    ("3007", 408),
    ("3008", 408),
    ("3023", 403),
    ("3036", 402),
    ("3039", 400),
    ("3040", 429),
    ("3041", 403),
    ("3042", 404),
    ("5004", 400),
    ("5005", 405),
    ("5006", 400),
    ("5007", 400),
    ("5016", 403),
    ("5018", 403),
    ("5019", 405),
];

/// Texts by which models and the platform say that they do not support schemas, or could not follow
/// one.
const ABOUT_SCHEMAS: [&str; 4] = ["JSON Mode", "JSON mode", "json_schema", "response_format"];

/// Parses the failure in a text.
pub(super) fn read(thrown: &str) -> ModelError {
    let code = thrown
        .split(|letter: char| !letter.is_ascii_digit())
        .filter(|digits| digits.len() == CODE_DIGITS)
        .find_map(|digits| STATUSES.iter().find(|(code, _)| *code == digits));
    let status = match code {
        Some((_, status)) => Some(*status),
        None if is_about_schemas(thrown) => Some(400),
        None => None,
    };
    failure_of_thrown(status, thrown)
}

/// Returns true if a rejection concerns the schema.
pub(super) fn is_about_schemas(message: &str) -> bool {
    ABOUT_SCHEMAS.iter().any(|words| message.contains(words))
}
