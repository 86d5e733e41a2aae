//! Errors: one type for all of them, and a trait that each feature's own enum implements.
//!
//! An error has a stable [`Code`], a message about what happened and, if known, a hint about the
//! fix. A code belongs to a [`Kind`]; the HTTP and JSON-RPC layers decide what each kind means
//! there. Only [`crate::codes!`] makes codes, so that each has a kind.

use std::any::Any;
use std::fmt;
use std::rc::Rc;

use serde_json::{Map, Value, json};

/// The kind of an error, which tells a caller how to react to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The request is wrong: the same request fails again.
    Invalid,
    /// The caller is not authenticated.
    Unauthenticated,
    /// The caller is not allowed, or nobody is.
    Forbidden,
    /// The requested thing does not exist.
    NotFound,
    /// The requested thing exists, but not with this method.
    WrongMethod,
    /// The request conflicts with stored data, or with another request in progress.
    Conflict,
    /// The stored data is not the version that the request expects.
    PreconditionFailed,
    /// The request or a value in it is too large.
    TooLarge,
    /// The request has a media type or encoding that is not supported.
    UnsupportedForm,
    /// The request was understood but cannot be carried out.
    Unprocessable,
    /// A fault of the product or of the deployment.
    Internal,
    /// This deployment was built without the feature.
    NotBuiltIn,
    /// Another server did not respond properly.
    Upstream,
    /// Too many requests are in progress.
    Overloaded,
    /// The time limit was exceeded.
    Timeout,
    /// There is no space left.
    Full,
}

/// The name of an error in responses and documents, with its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// The name, such as `NO_SUCH_TABLE`.
    pub name: &'static str,
    /// The kind of the error.
    pub kind: Kind,
}

/// Makes a constant of each code of a feature, and `ALL`: `codes! { NO_SUCH_TABLE: NotFound, … }`.
#[macro_export]
macro_rules! codes {
    ($($name:ident: $kind:ident),* $(,)?) => {
        $(
            #[doc = concat!("`", stringify!($name), "`.")]
            pub const $name: $crate::Code = $crate::Code { name: stringify!($name), kind: $crate::Kind::$kind };
        )*
        /// Every code of this feature.
        pub const ALL: &[$crate::Code] = &[$($name),*];
    };
}

/// The codes of [`CommonError`].
pub mod codes {
    crate::codes! {
        INVALID_ARGUMENT: Invalid,
        INVALID_BODY: Invalid,
        TOO_BIG: Invalid,
        PAYLOAD_TOO_LARGE: TooLarge,
        MISCONFIGURED: Internal,
        INTERNAL: Internal,
    }
}

/// An error of one feature. Its message is its `Display`.
pub trait Problem: fmt::Debug + fmt::Display + Any {
    /// Returns the stable code.
    fn code(&self) -> Code;

    /// Returns the way to fix it, if known.
    fn hint(&self) -> Option<String> {
        None
    }

    /// Returns the fields in addition to code, message and hint, as an object. Any other value adds
    /// none.
    fn details(&self) -> Value {
        Value::Null
    }

    /// Returns the fields next to `error` in a response, as an object. Any other value adds none.
    fn beside_error(&self) -> Value {
        Value::Null
    }
}

/// An error of any feature.
#[derive(Debug, Clone)]
pub struct Error(Rc<dyn Problem>);

impl<P: Problem> From<P> for Error {
    fn from(problem: P) -> Self {
        Self(Rc::new(problem))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl std::error::Error for Error {}

/// Two errors are equal if the caller gets the same JSON.
impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        self.to_json() == other.to_json()
    }
}

impl Error {
    /// Makes a [`CommonError::InvalidArgument`] without a hint.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::from(CommonError::InvalidArgument {
            message: message.into(),
            hint: None,
        })
    }

    /// Makes a [`CommonError::InvalidArgument`] with a hint.
    pub fn invalid_with_hint(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::from(CommonError::InvalidArgument {
            message: message.into(),
            hint: Some(hint.into()),
        })
    }

    /// Makes a [`CommonError::InvalidBody`] without a hint.
    pub fn body(message: impl Into<String>) -> Self {
        Self::from(CommonError::InvalidBody {
            message: message.into(),
            hint: None,
        })
    }

    /// Makes a [`CommonError::Internal`].
    pub fn internal(message: impl Into<String>) -> Self {
        Self::from(CommonError::Internal {
            message: message.into(),
        })
    }

    /// Returns the name of its code.
    pub fn code(&self) -> &'static str {
        self.0.code().name
    }

    /// Returns its kind.
    pub fn kind(&self) -> Kind {
        self.0.code().kind
    }

    /// Returns its code, with the kind.
    pub fn problem_code(&self) -> Code {
        self.0.code()
    }

    /// Returns the way to fix it, if known.
    pub fn hint(&self) -> Option<String> {
        self.0.hint()
    }

    /// Returns the fields in addition to code, message and hint.
    pub fn details(&self) -> Map<String, Value> {
        fields(self.0.details())
    }

    /// Returns the fields next to `error` in a response.
    pub fn beside_error(&self) -> Map<String, Value> {
        fields(self.0.beside_error())
    }

    /// Returns the feature's own error, if it is one of that feature.
    pub fn of<P: Problem>(&self) -> Option<&P> {
        let problem: &dyn Any = self.0.as_ref();
        problem.downcast_ref()
    }

    /// Returns the feature's own error by value.
    ///
    /// # Errors
    /// The error itself, if it is one of another feature.
    pub fn into_problem<P: Problem + Clone>(self) -> Result<P> {
        self.of::<P>().cloned().ok_or(self)
    }

    /// Returns the JSON under `error` in a response.
    pub fn to_json(&self) -> Value {
        let mut fields = Map::new();
        fields.insert("code".to_owned(), self.code().into());
        fields.insert("message".to_owned(), self.to_string().into());
        if let Some(hint) = self.hint() {
            fields.insert("hint".to_owned(), hint.into());
        }
        fields.extend(self.details());
        Value::Object(fields)
    }
}

fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// Errors that every feature can have.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CommonError {
    /// A field of the request is missing or invalid.
    #[error("{message}")]
    InvalidArgument {
        /// A sentence about the problem, which names the field.
        message: String,
        /// The way to fix it.
        hint: Option<String>,
    },
    /// The body is not the JSON, CSV or UTF-8 that it claims to be.
    #[error("{message}")]
    InvalidBody {
        /// A sentence about the problem and its position.
        message: String,
        /// The way to fix it.
        hint: Option<String>,
    },
    /// A text, value, row or list is over a limit.
    #[error("{message}")]
    TooBig {
        /// A sentence about the value and the limit.
        message: String,
        /// The way to stay within the limit.
        hint: String,
    },
    /// The body is larger than the route accepts.
    #[error("the body is larger than {limit_bytes} bytes")]
    PayloadTooLarge {
        /// The limit of the route.
        limit_bytes: u64,
    },
    /// The deployment's configuration is not usable.
    #[error("{message}")]
    Misconfigured {
        /// A sentence that names the environment variable and its problem.
        message: String,
    },
    /// A fault of the product.
    #[error("{message}")]
    Internal {
        /// A sentence about the fault, without secrets.
        message: String,
    },
}

impl Problem for CommonError {
    fn code(&self) -> Code {
        match self {
            Self::InvalidArgument { .. } => codes::INVALID_ARGUMENT,
            Self::InvalidBody { .. } => codes::INVALID_BODY,
            Self::TooBig { .. } => codes::TOO_BIG,
            Self::PayloadTooLarge { .. } => codes::PAYLOAD_TOO_LARGE,
            Self::Misconfigured { .. } => codes::MISCONFIGURED,
            Self::Internal { .. } => codes::INTERNAL,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::InvalidArgument { hint, .. } | Self::InvalidBody { hint, .. } => hint.clone(),
            Self::TooBig { hint, .. } => Some(hint.clone()),
            Self::PayloadTooLarge { .. } => Some(
                "send less in one request; rows for a table of a session can be streamed with PUT …/tables/{table}/rows".to_owned(),
            ),
            Self::Misconfigured { .. } => Some(
                "correct the environment variable: `make run` reloads .dev.vars by itself; a deployment must be deployed again".to_owned(),
            ),
            Self::Internal { .. } => None,
        }
    }

    fn details(&self) -> Value {
        match self {
            Self::PayloadTooLarge { limit_bytes } => json!({ "limitBytes": limit_bytes }),
            Self::InvalidArgument { .. }
            | Self::InvalidBody { .. }
            | Self::TooBig { .. }
            | Self::Misconfigured { .. }
            | Self::Internal { .. } => Value::Null,
        }
    }
}

/// Returns ``did you mean `a`, `b`?``, or `None` without suggestions.
pub fn did_you_mean(suggestions: &[String]) -> Option<String> {
    if suggestions.is_empty() {
        return None;
    }
    let names: Vec<String> = suggestions.iter().map(|name| format!("`{name}`")).collect();
    Some(format!("did you mean {}?", names.join(" or ")))
}

/// The result of every fallible function.
pub type Result<T, E = Error> = std::result::Result<T, E>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_told_with_code_message_hint_and_details() {
        let error = Error::from(CommonError::PayloadTooLarge { limit_bytes: 7 });
        assert_eq!(error.kind(), Kind::TooLarge);
        let told = error.to_json();
        assert_eq!(told["code"], "PAYLOAD_TOO_LARGE");
        assert_eq!(told["message"], "the body is larger than 7 bytes");
        assert_eq!(told["limitBytes"], 7);
        assert!(told["hint"].is_string());
    }

    #[test]
    fn a_feature_finds_its_own_failures_again() {
        let error = Error::invalid("x");
        assert!(matches!(
            error.of(),
            Some(CommonError::InvalidArgument { .. })
        ));
        assert!(matches!(
            error.into_problem(),
            Ok(CommonError::InvalidArgument { .. })
        ));
    }
}
