//! The outermost shape of every JSON response: `{"success":true,…}` or `{"success":false,"error":{…}}`.

use serde_json::{Value, json};

use crate::error::Error;
use crate::tools::ToolError;

/// The body of a failure.
pub fn failure(error: &Error) -> String {
    let mut body = json!({ "success": false, "error": error.to_json() });
    if let Error::Tool(failure) = error
        && let ToolError::GraphqlNullData { validation, .. } = failure.as_ref()
        && let Some(body) = body.as_object_mut()
    {
        body.insert("_graphqlValidation".to_owned(), validation.clone());
    }
    body.to_string()
}

/// The body of a success with the given fields; anything but an object adds none.
pub fn success(fields: Value) -> String {
    let mut body = json!({ "success": true });
    if let (Value::Object(body), Value::Object(fields)) = (&mut body, fields) {
        body.extend(fields);
    }
    body.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_carries_code_message_hint_and_details() {
        let error = Error::MethodNotAllowed {
            method: "PATCH".to_owned(),
            path: "/health".to_owned(),
            allowed: vec!["GET"],
        };
        let body: Value = serde_json::from_str(&failure(&error)).unwrap();
        assert_eq!(
            body,
            json!({"success": false, "error": {
            "code": "METHOD_NOT_ALLOWED", "message": "/health does not take PATCH", "hint": "use GET", "allowed": ["GET"]}})
        );
    }

    #[test]
    fn a_success_says_so() {
        let body: Value = serde_json::from_str(&success(json!({ "version": "1" }))).unwrap();
        assert_eq!(body, json!({ "success": true, "version": "1" }));
    }
}
