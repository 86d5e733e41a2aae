//! The outermost shape of every JSON response: `{"success":true,…}` or
//! `{"success":false,"error":{…}}`.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::status::codes;
use base::Error;
use session::Reply;

/// Renders the body of a failure.
pub fn failure(error: &Error) -> String {
    let mut body = Map::new();
    body.insert("success".to_owned(), false.into());
    body.insert("error".to_owned(), error.to_json());
    body.extend(error.beside_error());
    Value::Object(body).to_string()
}

/// Renders the body of a success with the given fields. A value that is no object adds none.
pub fn success(fields: Value) -> String {
    let mut body = Map::new();
    body.insert("success".to_owned(), true.into());
    if let Value::Object(fields) = fields {
        body.extend(fields);
    }
    Value::Object(body).to_string()
}

/// Renders the body of a success with the answer of an operation.
pub fn answered(answer: &Reply) -> String {
    let members = answer.members();
    let comma = if members.is_empty() { "" } else { "," };
    format!(r#"{{"success":true{comma}{members}}}"#)
}

/// Renders the body of a success with the fields of an object that is JSON text already.
pub fn with_members(object: &str) -> String {
    let members = object
        .trim()
        .strip_prefix('{')
        .and_then(|text| text.strip_suffix('}'))
        .map_or("", str::trim);
    let comma = if members.is_empty() { "" } else { "," };
    format!(r#"{{"success":true{comma}{members}}}"#)
}

/// The first characters of every failure.
const FAILURE: &str = r#"{"success":false"#;

#[derive(Deserialize)]
struct Failure {
    error: Failed,
}

#[derive(Deserialize)]
struct Failed {
    code: String,
}

/// Returns the code of a response that is a failure.
pub fn failure_code(response: &str) -> Option<&'static str> {
    let failure = response.strip_prefix(FAILURE).map(|_| response)?;
    let failure: Failure = serde_json::from_str(failure).ok()?;
    let known = codes().find(|code| code.name == failure.error.code);
    Some(known.map_or("INTERNAL", |code| code.name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::RequestError;

    #[test]
    fn a_failure_carries_code_message_hint_and_details() {
        let error = Error::from(RequestError::MethodNotAllowed {
            method: "PATCH".to_owned(),
            path: "/health".to_owned(),
            allowed: vec!["GET"],
        });
        let body: Value = serde_json::from_str(&failure(&error)).unwrap();
        assert_eq!(
            body,
            json!({"success": false, "error": {
            "code": "METHOD_NOT_ALLOWED", "message": "/health does not support PATCH", "hint": "use GET", "allowed": ["GET"]}})
        );
    }

    #[test]
    fn a_success_says_so() {
        let body: Value = serde_json::from_str(&success(json!({ "version": "1" }))).unwrap();
        assert_eq!(body, json!({ "success": true, "version": "1" }));
    }
}
