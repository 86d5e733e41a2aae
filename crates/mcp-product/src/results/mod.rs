//! Results of tools: a text for the model and the same as structured content, both within the token
//! limit of a result.

pub(crate) mod fitting;
pub mod hints;
mod rows;
pub mod tokens;
pub mod trimmed;

use serde_json::{Map, Value, json};

use crate::Profile;
use crate::terms::Terms;
use base::Error;
use mcp::server::Outcome;

pub use rows::{Page, page};

/// The beginning of the body of a successful response.
const SUCCESS: &str = r#"{"success":true"#;

/// The response of an object.
#[derive(Debug)]
pub enum ObjectResponse {
    /// A success: JSON text of its members without braces; empty if there are none.
    Success(String),
    /// A failure: `code`, `message` and other members.
    Failure(Value),
}

impl ObjectResponse {
    /// Reads the body of a response.
    pub fn read(body: &str) -> Self {
        if let Some(rest) = body.strip_prefix(SUCCESS)
            && let Some(members) = rest.trim_end().strip_suffix('}')
        {
            return Self::Success(members.trim_start_matches(',').to_owned());
        }
        let mut read: Value = serde_json::from_str(body).unwrap_or_default();
        let error = read.get_mut("error").map(Value::take);
        Self::Failure(error.unwrap_or_else(
            || json!({"code": "INTERNAL", "message": "the response of the session cannot be read"}),
        ))
    }
}

/// Renders a result whose text is its structured content.
pub fn structured(session: Option<&str>, members: &str) -> String {
    let content = with_session(session, members);
    result(&content, &content, false)
}

/// Renders the members of a result.
pub fn result(text: &str, structured: &str, is_error: bool) -> String {
    let text = Value::from(text);
    let error = if is_error { r#","isError":true"# } else { "" };
    format!(
        r#""content":[{{"type":"text","text":{text}}}],"structuredContent":{}{error}"#,
        one_line(structured)
    )
}

/// Replaces line breaks, which occur only between the tokens of JSON. A line of an event stream
/// must have none.
fn one_line(json: &str) -> String {
    json.replace(['\n', '\r'], " ")
}

/// Renders an object that names the session first.
pub fn with_session(session: Option<&str>, members: &str) -> String {
    match session {
        None => format!("{{{members}}}"),
        Some(session) => {
            let comma = if members.is_empty() { "" } else { "," };
            // A valid name needs no escapes.
            format!(r#"{{"session":"{session}"{comma}{members}}}"#)
        }
    }
}

/// Renders a failure as a result for a model. Long texts are cut: the name of a missing object may
/// have a hundred thousand characters.
pub fn failure(session: Option<&str>, error: &Value, terms: &Terms) -> Outcome {
    let error = &shortened(error, terms.max_tokens, Some(terms.profile));
    let members = format!(r#""error":{error}"#);
    Outcome::complete(result(
        &failure_text(error),
        &with_session(session, &members),
        true,
    ))
}

/// Renders the text of an error: its code, message and hint, and then its details.
pub fn failure_text(error: &Value) -> String {
    let field = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
    let mut text = format!("{}: {}", field("code"), field("message"));
    if !field("hint").is_empty() {
        text.push_str("\nHint: ");
        text.push_str(field("hint"));
    }
    let details: Map<String, Value> = error
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| !matches!(name.as_str(), "code" | "message" | "hint"))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    if !details.is_empty() {
        text.push('\n');
        text.push_str(&Value::Object(details).to_string());
    }
    text
}

/// Each text of an error may take this fraction of the tokens of a result, which contains it twice.
const PARTS: usize = 10;

/// Returns an error with short texts, and with a hint that names tools of this profile. Details
/// that are still too long are left out, and `leftOut` lists their names.
pub fn shortened(error: &Value, max_tokens: usize, profile: Option<Profile>) -> Value {
    let share = max_tokens / PARTS;
    let mut left = 2 * share;
    let mut short = Map::new();
    let mut left_out = Vec::new();
    for (name, value) in error.as_object().into_iter().flatten() {
        let value = match value.as_str() {
            Some(text) if name == "hint" => {
                tokens::cut(&hints::rendered(text, profile), share).into()
            }
            Some(text) => tokens::cut(text, share).into(),
            None => value.clone(),
        };
        let cost = tokens::estimate(&value.to_string());
        if matches!(name.as_str(), "code" | "message" | "hint") || cost <= left {
            if !matches!(name.as_str(), "code" | "message" | "hint") {
                left -= cost;
            }
            short.insert(name.clone(), value);
        } else {
            left_out.push(name.clone());
        }
    }
    if !left_out.is_empty() {
        short.insert("leftOut".to_owned(), left_out.into());
    }
    Value::Object(short)
}

/// Renders an error of ours as a result.
pub fn failed(session: Option<&str>, error: &Error, terms: &Terms) -> Outcome {
    failure(session, &error.to_json(), terms)
}

/// Returns a member of an object; null if there is no such member or the value is not an object.
pub fn at<'v>(object: &'v Value, name: &str) -> &'v Value {
    object.get(name).unwrap_or(&Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_success_keeps_its_members_as_they_were_written() {
        let ObjectResponse::Success(members) =
            ObjectResponse::read(r#"{"success":true,"rowsWritten":9007199254740993}"#)
        else {
            panic!("a success");
        };
        assert_eq!(members, r#""rowsWritten":9007199254740993"#);
        assert_eq!(
            with_session(Some("s"), &members),
            r#"{"session":"s","rowsWritten":9007199254740993}"#
        );
        assert!(
            matches!(ObjectResponse::read(r#"{"success":true}"#), ObjectResponse::Success(members) if members.is_empty())
        );
        let ObjectResponse::Failure(error) =
            ObjectResponse::read(r#"{"success":false,"error":{"code":"X"}}"#)
        else {
            panic!("a failure");
        };
        assert_eq!(error["code"], "X");
        assert!(matches!(
            ObjectResponse::read("nonsense"),
            ObjectResponse::Failure(_)
        ));
    }

    fn terms(max_tokens: usize) -> Terms {
        Terms {
            profile: Profile::Full,
            session: "s".to_owned(),
            max_tokens,
            confirm: true,
            model_may_decide: false,
        }
    }

    #[test]
    fn a_long_failure_is_cut() {
        let long = "word ".repeat(50_000);
        let error = json!({"code": "X", "message": long, "hint": long, "available": [long, long], "table": "t"});
        let Outcome::Complete { members, .. } = failure(None, &error, &terms(2_000)) else {
            panic!("a result");
        };
        assert!(
            tokens::estimate(&members) <= 2_000,
            "{}",
            tokens::estimate(&members)
        );
        let read: Value = serde_json::from_str(&format!("{{{members}}}")).unwrap();
        let error = &read["structuredContent"]["error"];
        assert_eq!(
            (&error["leftOut"], &error["table"]),
            (&json!(["available"]), &json!("t"))
        );
        assert!(error["message"].as_str().unwrap().ends_with("… (cut)"));
    }

    #[test]
    fn a_failure_says_code_message_hint_and_details() {
        let error = json!({"code": "NO_SUCH_COLUMN", "message": "no column yaer", "hint": "did you mean `year`?", "table": "films"});
        let Outcome::Complete { members, .. } = failure(Some("s"), &error, &terms(25_000)) else {
            panic!("a result");
        };
        let read: Value = serde_json::from_str(&format!("{{{members}}}")).unwrap();
        assert_eq!(read["isError"], true);
        assert_eq!(
            read["content"][0]["text"],
            "NO_SUCH_COLUMN: no column yaer\nHint: did you mean `year`?\n{\"table\":\"films\"}"
        );
        assert_eq!(read["structuredContent"]["error"]["table"], "films");
        assert_eq!(read["structuredContent"]["session"], "s");
    }
}
