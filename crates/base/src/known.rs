//! Refuses unknown fields of bodies and unknown parameters of query strings, and suggests the
//! nearest known name. Otherwise a misspelt `limit` would have no effect, and the sender would not
//! notice.

use crate::limits::MAX_NAME_CHARACTERS;
use crate::nearest;
use crate::text;
use crate::{Error, Result};

/// The kind of input that contains a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Given {
    /// A field of a body.
    Field,
    /// A parameter of a query string.
    Parameter,
}

impl Given {
    fn word(self) -> &'static str {
        match self {
            Self::Field => "field",
            Self::Parameter => "parameter",
        }
    }
}

/// Refuses the first name that is not known.
///
/// # Errors
/// [`crate::CommonError::InvalidArgument`] with the nearest name, or with all of them.
pub fn check<'n>(
    given: Given,
    names: impl IntoIterator<Item = &'n str>,
    known: &[&str],
) -> Result<()> {
    match names.into_iter().find(|name| !known.contains(name)) {
        None => Ok(()),
        Some(name) => Err(unknown(given, name, known, "")),
    }
}

/// Returns the error for an unknown name. `advice` follows the list of names if none is similar.
pub fn unknown(given: Given, name: &str, known: &[&str], advice: &str) -> Error {
    let word = given.word();
    let hint = match nearest(name, known.iter().copied()).first() {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => format!("there are no {word}s here: leave it out"),
        None => format!("the {word}s are {}{advice}", known.join(", ")),
    };
    let name = text::first(name, MAX_NAME_CHARACTERS);
    Error::invalid_with_hint(format!("there is no {word} {name:?}"), hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_name_is_refused_with_the_nearest_or_with_all() {
        let known = ["session", "code", "timeoutMs"];
        assert!(check(Given::Field, ["code", "session"], &known).is_ok());
        let error = check(Given::Field, ["code", "timeout"], &known).unwrap_err();
        assert_eq!(error.to_string(), "there is no field \"timeout\"");
        assert_eq!(error.hint().as_deref(), Some("did you mean `timeoutMs`?"));
        let error = check(Given::Field, ["network"], &known).unwrap_err();
        assert_eq!(
            error.hint().as_deref(),
            Some("the fields are session, code, timeoutMs")
        );
        let error = check(Given::Parameter, ["x"], &[]).unwrap_err();
        assert_eq!(
            error.hint().as_deref(),
            Some("there are no parameters here: leave it out")
        );
    }
}
