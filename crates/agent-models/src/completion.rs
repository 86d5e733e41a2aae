//! The response of a model.

use base::text;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::{BadResponse, ModelError, ModelFailure};
use crate::limits::MAX_SHOWN_MODEL_CHARACTERS;
use crate::usage::Usage;

/// The reason why a response ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The model finished its response.
    End,
    /// The response reached the limit of output tokens, or the context of the model was full.
    MaxTokens,
    /// Another reason that the provider names.
    Other,
}

/// A response.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    /// The text; for a structured response, the text that contains the object.
    pub text: String,
    /// The object, if the request asked for one.
    pub object: Option<Map<String, Value>>,
    /// The tokens, as the provider counted them.
    pub usage: Usage,
    /// The reason why the response ended.
    pub stop: StopReason,
    /// The name of the model at the provider.
    pub model: String,
}

impl Completion {
    /// Converts the object into the caller's own type.
    ///
    /// # Errors
    /// [`ModelError::BadAnswer`] if there is no object, or if it does not fit the type.
    pub fn typed<T: DeserializeOwned>(&self) -> Result<T, ModelFailure> {
        let failed = |reason, message| ModelFailure {
            error: ModelError::bad(reason, message),
            usage: self.usage,
        };
        let Some(object) = &self.object else {
            return Err(failed(
                BadResponse::NoObject,
                "has no JSON object".to_owned(),
            ));
        };
        T::deserialize(Value::Object(object.clone())).map_err(|error| {
            let problem = text::cut(
                &text::one_line(&error.to_string()),
                MAX_SHOWN_MODEL_CHARACTERS,
            );
            failed(
                BadResponse::WrongShape,
                format!("has a JSON object of another shape: {problem}"),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Query {
        sql: String,
    }

    fn completion(object: Option<Value>) -> Completion {
        Completion {
            text: String::new(),
            object: object.and_then(|value| value.as_object().cloned()),
            usage: Usage {
                output_tokens: 7,
                ..Usage::default()
            },
            stop: StopReason::End,
            model: "m".to_owned(),
        }
    }

    #[test]
    fn an_object_becomes_the_type_of_the_caller_or_a_failure_with_its_tokens() {
        let query: Query = completion(Some(json!({"sql":"SELECT 1"}))).typed().unwrap();
        assert_eq!(query.sql, "SELECT 1");
        for (object, message) in [
            (None, "the response of the model has no JSON object"),
            (
                Some(json!({})),
                "the response of the model has a JSON object of another shape: missing field `sql`",
            ),
        ] {
            let failure = completion(object).typed::<Query>().unwrap_err();
            assert_eq!(failure.to_string(), message);
            assert_eq!(failure.usage.output_tokens, 7);
        }
    }
}
