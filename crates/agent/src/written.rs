//! What a model wrote: one object with `outcome`, `sql` and `explanation`. What does not fit is an error that the model reads at its next attempt.

use serde_json::Value;

use crate::limits::MAX_ANSWER_BYTES;
use crate::state::{Author, Outcome};
use crate::turn::Wrote;
use base::text::cut;

/// Reads what a model wrote.
///
/// # Errors
/// What is wrong with it, in words.
pub fn parse(value: &Value) -> Result<Wrote, String> {
    let fields = value.as_object().ok_or("it is no JSON object")?;
    let text = |name: &str| match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.trim())),
        Some(_) => Err(format!("the field {name} is no text")),
    };
    let words = cut(text("explanation")?.unwrap_or_default(), MAX_ANSWER_BYTES);
    let sql = text("sql")?.unwrap_or_default();
    let reply = |outcome: Outcome| {
        if words.is_empty() {
            return Err("the field explanation is empty".to_owned());
        }
        Ok(Wrote::Reply {
            text: words.clone(),
            outcome,
        })
    };
    match text("outcome")?.ok_or("the field outcome is missing")? {
        "query" if sql.is_empty() => {
            Err("the outcome is query and the field sql is empty".to_owned())
        }
        "query" => Ok(Wrote::Query {
            sql: sql.to_owned(),
            explanation: if words.is_empty() {
                "The model gave no explanation.".to_owned()
            } else {
                words
            },
            author: Author::Model,
        }),
        "reply" => reply(Outcome::NoQuery),
        "cannot" => reply(Outcome::CannotAnswer),
        "ask" => reply(Outcome::AskedBack),
        other => Err(format!(
            "the outcome {:?} is none of query, reply, cannot and ask",
            cut(other, 40)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_outcome_is_read() {
        let query =
            parse(&json!({ "outcome": "query", "sql": " SELECT 1 ", "explanation": "One." }));
        assert_eq!(
            query,
            Ok(Wrote::Query {
                sql: "SELECT 1".to_owned(),
                explanation: "One.".to_owned(),
                author: Author::Model,
            })
        );
        for (name, outcome) in [
            ("reply", Outcome::NoQuery),
            ("cannot", Outcome::CannotAnswer),
            ("ask", Outcome::AskedBack),
        ] {
            let reply = parse(&json!({ "outcome": name, "sql": null, "explanation": "Words." }));
            assert_eq!(
                reply,
                Ok(Wrote::Reply {
                    text: "Words.".to_owned(),
                    outcome
                })
            );
        }
    }

    #[test]
    fn what_does_not_fit_is_told() {
        for (value, part) in [
            (json!([]), "no JSON object"),
            (json!({ "sql": "SELECT 1" }), "outcome is missing"),
            (json!({ "outcome": "query", "sql": "" }), "sql is empty"),
            (json!({ "outcome": "query", "sql": 1 }), "sql is no text"),
            (
                json!({ "outcome": "reply", "explanation": "" }),
                "explanation is empty",
            ),
            (json!({ "outcome": "drop", "explanation": "" }), "none of"),
        ] {
            let error = parse(&value).expect_err("an error");
            assert!(error.contains(part), "{value}: {error}");
        }
    }
}
