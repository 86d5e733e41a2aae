//! Parses the output of a model: one object with `outcome`, `sql` and `explanation`. The text of an
//! error is for the model, which reads it at its next attempt.

use serde_json::{Map, Value};

use crate::limits::MAX_ANSWER_BYTES;
use crate::state::{Author, Outcome};
use crate::statement;
use crate::turn::WriterOutput;
use base::text::cut;

/// Nesting levels of objects that are searched for the fields: the call of a function, its
/// arguments, an object in them.
const MAX_WRAPPERS: usize = 6;

/// Fields that hold the object if a model wraps it, as in the call of a function.
const WRAPPERS: &[&str] = &[
    "arguments",
    "parameters",
    "input",
    "function",
    "tool_calls",
    "statement",
    "response",
    "result",
    "output",
    "answer",
    "properties",
];

/// Names of the field that holds the statement.
const STATEMENTS: &[&str] = &["sql", "query", "sql_query", "sqlquery", "statement"];

/// Names of the field that holds the explanation or reply.
const WORDS: &[&str] = &["explanation", "reply", "message", "answer"];

/// Parses the output of a model.
///
/// # Errors
/// A description of the problem, in words.
pub fn parse(value: &Value) -> Result<WriterOutput, String> {
    let fields = unwrapped(value, MAX_WRAPPERS).ok_or("it is not a JSON object")?;
    let text = |names: &[&'static str]| match field(&fields, names) {
        None | Some((_, Value::Null)) => Ok(None),
        Some((_, Value::String(text))) => Ok(Some(text.trim())),
        Some((name, _)) => Err(format!("the field {name} must be a text")),
    };
    let words = cut(text(WORDS)?.unwrap_or_default(), MAX_ANSWER_BYTES);
    let sql = statement::statement(text(STATEMENTS)?.unwrap_or_default());
    let reply = |outcome: Outcome| {
        if words.is_empty() {
            return Err("the field explanation is empty".to_owned());
        }
        Ok(WriterOutput::Reply {
            text: words.clone(),
            outcome,
            choices: Vec::new(),
        })
    };
    let outcome = text(&["outcome"])?.map(str::to_ascii_lowercase);
    // An object with a statement and no outcome is a query.
    let outcome = outcome.or_else(|| (!sql.is_empty()).then(|| "query".to_owned()));
    match outcome.ok_or("the field outcome is missing")?.as_str() {
        "query" if sql.is_empty() => {
            Err("the outcome is query and the field sql is empty".to_owned())
        }
        "query" => Ok(query(sql, words)),
        "reply" => reply(Outcome::NoQuery),
        "cannot" => reply(Outcome::CannotAnswer),
        "ask" => reply(Outcome::AskedBack),
        other => Err(format!(
            "the outcome must be query, reply, cannot or ask, not {:?}",
            cut(other, 40)
        )),
    }
}

/// Parses a response without an object: the statement in its only fence, and the words around it as
/// the explanation.
pub fn parse_words(text: &str) -> Option<WriterOutput> {
    let sql = statement::only_statement(text)?;
    Some(query(
        sql,
        cut(&statement::words_beside(text), MAX_ANSWER_BYTES),
    ))
}

fn query(sql: String, words: String) -> WriterOutput {
    WriterOutput::Query {
        sql,
        explanation: if words.is_empty() {
            "The model gave no explanation.".to_owned()
        } else {
            words
        },
        author: Author::Model,
    }
}

/// Returns the field with one of these names, in any case.
fn field<'v>(
    fields: &'v Map<String, Value>,
    names: &[&'static str],
) -> Option<(&'static str, &'v Value)> {
    names.iter().find_map(|name| {
        let found = fields
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| (*name, value))
    })
}

/// Returns the object with the fields: the value itself, or the object that it wraps, possibly as
/// JSON text.
fn unwrapped(value: &Value, depth: usize) -> Option<Map<String, Value>> {
    match value {
        Value::Object(fields) => {
            let is_text = |names| {
                field(fields, names).is_some_and(|(_, value)| value.is_string() || value.is_null())
            };
            let has_own = field(fields, &["outcome"]).is_some()
                || field(fields, &["sql"]).is_some()
                || is_text(STATEMENTS) && !is_json(fields);
            let inner = || {
                let wrapped = field(fields, WRAPPERS).map(|(_, value)| value);
                unwrapped(wrapped?, depth.checked_sub(1)?)
            };
            match has_own {
                true => Some(fields.clone()),
                false => inner().or_else(|| Some(fields.clone())),
            }
        }
        Value::Array(list) => match list.as_slice() {
            [one] => unwrapped(one, depth.checked_sub(1)?),
            _ => None,
        },
        Value::String(text) => {
            let object = agent_models::object_in(text).ok()?;
            unwrapped(&Value::Object(object), depth.checked_sub(1)?)
        }
        _ => None,
    }
}

/// Returns true if the field `statement` holds an object as JSON text.
fn is_json(fields: &Map<String, Value>) -> bool {
    let text = field(fields, &["statement"]).and_then(|(_, value)| value.as_str());
    text.is_some_and(|text| text.trim_start().starts_with('{'))
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
            Ok(WriterOutput::Query {
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
                Ok(WriterOutput::Reply {
                    text: "Words.".to_owned(),
                    outcome,
                    choices: Vec::new(),
                })
            );
        }
    }

    #[test]
    fn an_object_is_found_in_what_wraps_it() {
        let object = json!({ "Outcome": "QUERY", "SQL": "SELECT 1", "explanation": "One." });
        let expected = parse(&object);
        assert!(matches!(&expected, Ok(WriterOutput::Query { sql, .. }) if sql == "SELECT 1"));
        for value in [
            json!({ "sql": "```sql\nSELECT 1\n```", "explanation": "One." }),
            json!({ "query": "SELECT 1", "explanation": "One." }),
            json!([object]),
            json!({ "name": "statement", "arguments": object }),
            json!({ "name": "statement", "arguments": object.to_string() }),
            json!({ "tool_calls": [{ "function": { "name": "statement", "arguments": object.to_string() } }] }),
            json!({ "statement": object }),
            json!({ "statement": object.to_string() }),
        ] {
            assert_eq!(parse(&value), expected, "{value}");
        }
        let nested = (0..100).fold(object, |inner, _| json!({ "arguments": inner }));
        assert!(parse(&nested).is_err());
    }

    #[test]
    fn what_does_not_fit_is_told() {
        for (value, part) in [
            (json!([]), "not a JSON object"),
            (json!({ "explanation": "One." }), "outcome is missing"),
            (json!({ "outcome": "query", "sql": "" }), "sql is empty"),
            (
                json!({ "outcome": "query", "sql": 1 }),
                "sql must be a text",
            ),
            (
                json!({ "outcome": "reply", "explanation": "" }),
                "explanation is empty",
            ),
            (
                json!({ "outcome": "drop", "explanation": "" }),
                "not \"drop\"",
            ),
        ] {
            let error = parse(&value).expect_err("an error");
            assert!(error.contains(part), "{value}: {error}");
        }
    }
}
