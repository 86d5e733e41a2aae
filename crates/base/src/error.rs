//! How failures travel: one type for all of them, and a trait that each feature's own enum implements.
//!
//! A failure has a stable [`Code`], a message that says what happened and, where we can know it, a hint that says how to fix it. A code
//! belongs to a [`Kind`], and what a kind is over HTTP or JSON-RPC is decided where those are spoken. [`crate::codes!`] is the only way to
//! make a code, so that there is none without a kind.

use std::any::Any;
use std::fmt;
use std::rc::Rc;

use serde_json::{Map, Value, json};

/// What kind of failure it is, from the view of whoever has to react to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The request is wrong: the same request fails again.
    Invalid,
    /// Nobody has said who asks.
    Unauthenticated,
    /// Who asks may not, or nobody may.
    Forbidden,
    /// What it names is not there.
    NotFound,
    /// What it names is there and cannot be asked like this.
    WrongMethod,
    /// It does not fit what is stored, or what is going on.
    Conflict,
    /// What is stored is not what the request was made for.
    PreconditionFailed,
    /// It has too many bytes.
    TooLarge,
    /// It is written in a form that is not read.
    UnsupportedForm,
    /// It was understood and cannot be done.
    Unprocessable,
    /// A fault of ours, or of the deployment.
    Internal,
    /// This deployment was made without it.
    NotBuiltIn,
    /// A server that was asked did not respond properly.
    Upstream,
    /// Too much is going on at this moment.
    Overloaded,
    /// The time was up.
    Timeout,
    /// There is no room left.
    Full,
}

/// The name of a failure, as it stands in responses and documents, with its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// `NO_SUCH_TABLE`.
    pub name: &'static str,
    /// What kind of failure it is.
    pub kind: Kind,
}

/// The codes of a feature: `codes! { NO_SUCH_TABLE: NotFound, … }` makes a constant of each, and `ALL`.
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

/// A failure of one feature. Its message is its `Display`.
pub trait Problem: fmt::Debug + fmt::Display + Any {
    /// The stable code.
    fn code(&self) -> Code;

    /// How to fix it, where we can know.
    fn hint(&self) -> Option<String> {
        None
    }

    /// The fields beside code, message and hint. Anything but an object has none.
    fn details(&self) -> Value {
        Value::Null
    }

    /// Fields that stand beside `error` in a response. Anything but an object has none.
    fn beside_error(&self) -> Value {
        Value::Null
    }
}

/// A failure of any feature.
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

/// Two failures are equal where a caller is told the same.
impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        self.to_json() == other.to_json()
    }
}

impl Error {
    /// A [`CommonError::InvalidArgument`] without a hint.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::from(CommonError::InvalidArgument {
            message: message.into(),
            hint: None,
        })
    }

    /// A [`CommonError::InvalidArgument`] with its fix.
    pub fn invalid_with_hint(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::from(CommonError::InvalidArgument {
            message: message.into(),
            hint: Some(hint.into()),
        })
    }

    /// A [`CommonError::InvalidBody`] without a hint.
    pub fn body(message: impl Into<String>) -> Self {
        Self::from(CommonError::InvalidBody {
            message: message.into(),
            hint: None,
        })
    }

    /// A [`CommonError::Internal`].
    pub fn internal(message: impl Into<String>) -> Self {
        Self::from(CommonError::Internal {
            message: message.into(),
        })
    }

    /// The name of its code.
    pub fn code(&self) -> &'static str {
        self.0.code().name
    }

    /// What kind of failure it is.
    pub fn kind(&self) -> Kind {
        self.0.code().kind
    }

    /// Its code, for whoever tells of it among others.
    pub fn problem_code(&self) -> Code {
        self.0.code()
    }

    /// How to fix it, where we can know.
    pub fn hint(&self) -> Option<String> {
        self.0.hint()
    }

    /// The fields beside code, message and hint.
    pub fn details(&self) -> Map<String, Value> {
        fields(self.0.details())
    }

    /// Fields that stand beside `error` in a response.
    pub fn beside_error(&self) -> Map<String, Value> {
        fields(self.0.beside_error())
    }

    /// The failure as its feature knows it, if it is one of that feature.
    pub fn of<P: Problem>(&self) -> Option<&P> {
        let problem: &dyn Any = self.0.as_ref();
        problem.downcast_ref()
    }

    /// The failure as its feature knows it, by value.
    ///
    /// # Errors
    /// The failure itself where it is one of another feature.
    pub fn into_problem<P: Problem + Clone>(self) -> Result<P> {
        self.of::<P>().cloned().ok_or(self)
    }

    /// The failure as it stands under `error` in a response.
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

/// Failures that every feature can have.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CommonError {
    /// A field of the request is missing or not what it must be.
    #[error("{message}")]
    InvalidArgument {
        /// What is wrong, naming the field.
        message: String,
        /// How to fix it.
        hint: Option<String>,
    },
    /// The body is not the JSON, CSV or UTF-8 that it claims to be.
    #[error("{message}")]
    InvalidBody {
        /// What is wrong and where.
        message: String,
        /// How to fix it.
        hint: Option<String>,
    },
    /// A text, value, row or list is over a limit.
    #[error("{message}")]
    TooBig {
        /// What is too big, and the limit.
        message: String,
        /// How to stay within it.
        hint: String,
    },
    /// The body is larger than the route takes.
    #[error("the body is larger than {limit_bytes} bytes")]
    PayloadTooLarge {
        /// The route's limit.
        limit_bytes: u64,
    },
    /// The deployment's configuration is not usable.
    #[error("{message}")]
    Misconfigured {
        /// Which environment variable, and what is wrong with it.
        message: String,
    },
    /// A fault of ours.
    #[error("{message}")]
    Internal {
        /// What happened, without secrets.
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
                "correct the environment variable: make run reads .dev.vars again by itself, a deployment is deployed again".to_owned(),
            ),
            Self::Internal { .. } => None,
        }
    }

    fn details(&self) -> Value {
        match self {
            Self::PayloadTooLarge { limit_bytes } => json!({ "limitBytes": limit_bytes }),
            _ => Value::Null,
        }
    }
}

/// ``did you mean `a`, `b`?`` — nothing where there is nothing to suggest.
pub fn did_you_mean(suggestions: &[String]) -> Option<String> {
    if suggestions.is_empty() {
        return None;
    }
    let names: Vec<String> = suggestions.iter().map(|name| format!("`{name}`")).collect();
    Some(format!("did you mean {}?", names.join(" or ")))
}

/// What every fallible function returns.
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
