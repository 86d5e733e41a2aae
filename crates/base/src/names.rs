//! Checks names that callers choose, and derives the names of objects from them.
//!
//! A name that has passed [`check_name`] contains no character with a special meaning in a path, a
//! header, a log line or SQL.

use crate::limits::MAX_NAME_CHARACTERS;
use crate::percent;
use crate::{Error, Result};

/// The separator between tenant and session in an object's name. Names cannot contain it, so
/// different pairs give different objects.
const SEPARATOR: char = '/';

/// The tenant of all sessions in a deployment without tokens.
pub const LOCAL_TENANT: &str = "local";

/// Checks the name of a session, tenant or similar; `what` names the kind in the error.
///
/// # Errors
/// [`crate::CommonError::InvalidArgument`] unless the name is 1 to 128 characters of
/// `A-Za-z0-9._:-`, and neither `.` nor `..`. These two are path segments that browsers, clients
/// and the platform resolve in a URL, percent-encoded or not, so they would lead to another
/// session's route.
pub fn check_name(what: &str, name: &str) -> Result<()> {
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte);
    let is_step = matches!(name, "." | "..");
    if (1..=MAX_NAME_CHARACTERS).contains(&name.len()) && name.bytes().all(legal) && !is_step {
        return Ok(());
    }
    Err(Error::invalid_with_hint(
        format!("{what} is not a usable name"),
        format!(
            "a name is 1 to {MAX_NAME_CHARACTERS} characters of A-Z, a-z, 0-9, '.', '_', ':' and '-', and neither '.' nor '..'"
        ),
    ))
}

/// Returns the name of the object that holds a tenant's session. Both names must have passed
/// [`check_name`].
pub fn object_name(tenant: &str, session: &str) -> String {
    format!("{tenant}{SEPARATOR}{session}")
}

/// Decodes the percent-encoding of one path segment.
///
/// # Errors
/// [`crate::CommonError::InvalidArgument`] for a broken escape or bytes that are not UTF-8.
pub fn decode_segment(what: &str, segment: &str) -> Result<String> {
    percent::decode(segment).ok_or_else(|| {
        Error::invalid(format!(
            "{what} is not valid percent-encoded UTF-8 in the path"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_alphabet_up_to_128_characters_pass() {
        for name in ["a", "A-z.0_9:x", "...", ".a", "..-", &"n".repeat(128)] {
            check_name("session", name).unwrap();
        }
    }

    #[test]
    fn other_names_are_refused_and_say_what_they_are() {
        for name in [
            "",
            &"n".repeat(129),
            "a b",
            "a/b",
            "ü",
            "a\0",
            "a%41",
            "x'y",
            ".",
            "..",
        ] {
            let error = check_name("session", name).unwrap_err();
            assert_eq!(error.code(), "INVALID_ARGUMENT", "{name}");
            assert!(error.to_string().starts_with("session"));
        }
    }

    #[test]
    fn no_two_pairs_of_tenant_and_session_share_an_object() {
        let names = ["a", "a:b", "b", "a-b", ".a"];
        let mut seen = std::collections::BTreeSet::new();
        for tenant in names {
            for session in names {
                assert!(seen.insert(object_name(tenant, session)));
            }
        }
    }

    #[test]
    fn segments_are_decoded_once() {
        assert_eq!(
            decode_segment("table", "a%20b%C3%BC%2541").unwrap(),
            "a bü%41"
        );
        for broken in ["%", "%4", "%zz", "%ff", "%+1"] {
            assert_eq!(
                decode_segment("table", broken).unwrap_err().code(),
                "INVALID_ARGUMENT",
                "{broken}"
            );
        }
    }
}
