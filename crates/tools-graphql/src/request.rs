//! The check as an API request: `{response?, query?, variables?, operationName?, schema?}`.

use base::CommonError;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::answer::check_answer;
use super::issue::{Issue, Severity};
use super::question::Question;
use super::review::check_question;
use super::schema::Schema;
use super::validation::Validation;
use base::entries::Fields;
use base::{Error, Result};

/// The fields that a request may have.
const FIELDS: &[&str] = &["response", "query", "variables", "operationName", "schema"];

/// Checks the content of a request and returns the fields of the result, as in
/// [`Validation::to_json`]. With a schema and a query, the issues of the query come first, and an
/// error among them makes `valid` false. Without `response`, only the query is checked.
///
/// # Errors
///
/// [`CommonError::InvalidBody`] for a body or a response that is not JSON,
/// [`CommonError::InvalidArgument`] for fields of the wrong type and for an invalid schema,
/// [`CommonError::TooBig`] for a schema over the limits.
pub fn check_request(body: &str) -> Result<Value> {
    let request = Request::parse(body)?;
    let schema = request.schema()?;
    let variables: Option<Value> = match request.variables {
        Some(raw) => Some(parsed(raw, "variables")?),
        None => None,
    };
    let question = request.query.as_deref().map(|query| Question {
        query,
        variables: variables.as_ref().into(),
        operation: request.operation.as_deref().into(),
    });
    let query_issues = match (&question, &schema) {
        (Some(question), Some(schema)) => check_question(question, schema),
        _ => Vec::new(),
    };
    let validation = match &request.response {
        Some(response) => check_answer(response, question.as_ref(), schema.as_ref())?,
        None => Validation {
            valid: true,
            ..Validation::default()
        },
    };
    Ok(answer(&validation, &query_issues))
}

fn answer(validation: &Validation, query_issues: &[Issue]) -> Value {
    let mut answer = validation.to_json();
    if let Value::Object(fields) = &mut answer
        && !query_issues.is_empty()
    {
        let issues: Vec<Value> = query_issues
            .iter()
            .chain(&validation.issues)
            .map(Issue::to_json)
            .collect();
        if query_issues
            .iter()
            .any(|issue| issue.severity == Severity::Error)
        {
            fields.insert("valid".to_owned(), false.into());
        }
        fields.insert("issues".to_owned(), json!(issues));
    }
    answer
}

#[derive(Default)]
struct Request<'a> {
    response: Option<std::borrow::Cow<'a, str>>,
    query: Option<String>,
    variables: Option<&'a str>,
    operation: Option<String>,
    schema: Option<&'a str>,
}

impl<'a> Request<'a> {
    fn parse(body: &'a str) -> Result<Self> {
        let fields: Fields<&'a RawValue> = serde_json::from_str(body).map_err(|error| {
            Error::from(CommonError::InvalidBody {
                message: format!("the body is not a usable JSON object: {error}"),
                hint: None,
            })
        })?;
        let mut request = Self::default();
        for (name, value) in fields.0 {
            let raw = value.get();
            if raw == "null" && name != "response" {
                continue;
            }
            match name.as_str() {
                "response" if raw.starts_with('"') => {
                    request.response = Some(parsed::<String>(raw, "response")?.into());
                }
                "response" => request.response = Some(raw.into()),
                "query" => request.query = Some(parsed(raw, "query")?),
                "variables" => request.variables = Some(raw),
                "operationName" => request.operation = Some(parsed(raw, "operationName")?),
                "schema" => request.schema = Some(raw),
                _ => return Err(unknown(&name)),
            }
        }
        if request.response.is_none() && (request.query.is_none() || request.schema.is_none()) {
            return Err(Error::invalid_with_hint(
                "there is nothing to check",
                "pass response, or query and schema",
            ));
        }
        Ok(request)
    }

    fn schema(&self) -> Result<Option<Schema>> {
        let Some(raw) = self.schema else {
            return Ok(None);
        };
        if raw.starts_with('{') {
            return Schema::from_introspection(raw).map(Some);
        }
        let text: String = parsed(raw, "schema")?;
        Schema::from_text(&text).map(Some)
    }
}

fn parsed<'a, T: serde::Deserialize<'a>>(raw: &'a str, name: &str) -> Result<T> {
    serde_json::from_str(raw)
        .map_err(|error| Error::invalid(format!("`{name}` is not valid: {error}")))
}

fn unknown(name: &str) -> Error {
    let suggestions = base::nearest(name, FIELDS.iter().copied());
    Error::from(CommonError::InvalidArgument {
        message: format!("no such field: {}", super::text::shorten(name, 64)),
        hint: base::did_you_mean(&suggestions)
            .or_else(|| Some(format!("the fields are {}", FIELDS.join(", ")))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(value: &Value) -> Vec<&String> {
        value
            .as_object()
            .map(|fields| fields.keys().collect())
            .unwrap_or_default()
    }

    #[test]
    fn a_response_may_be_an_object_or_its_text() {
        let object = check_request(r#"{"response":{"data":{"a":null}}}"#).unwrap();
        let text = check_request(r#"{"response":"{\"data\":{\"a\":null}}"}"#).unwrap();
        assert_eq!(object, text);
        assert_eq!(object["nullFields"], json!(["a"]));
        assert_eq!(
            keys(&object),
            ["valid", "partial", "issues", "nullFields", "nullCount"]
        );
    }

    #[test]
    fn requests_of_another_shape_are_refused() {
        let check = |body: &str, code: &str, part: &str| {
            let error = check_request(body).unwrap_err();
            assert_eq!(error.code(), code, "{body}");
            let told = format!("{error} {}", error.hint().unwrap_or_default());
            assert!(told.contains(part), "{told}");
        };
        check("[]", "INVALID_BODY", "JSON object");
        check("{}", "INVALID_ARGUMENT", "query and schema");
        check(
            r#"{"response":{},"response":{}}"#,
            "INVALID_BODY",
            "duplicate field response",
        );
        check(r#"{"reponse":{}}"#, "INVALID_ARGUMENT", "`response`");
        check(r#"{"response":"{"}"#, "INVALID_BODY", "not JSON");
        check(
            r#"{"response":{},"query":7}"#,
            "INVALID_ARGUMENT",
            "`query`",
        );
        check(
            r#"{"query":"{a}","schema":7}"#,
            "INVALID_ARGUMENT",
            "`schema`",
        );
        check(
            r#"{"query":"{a}","schema":"type {"}"#,
            "INVALID_ARGUMENT",
            "line 1",
        );
        check(
            r#"{"query":"{a}","schema":{}}"#,
            "INVALID_ARGUMENT",
            "__schema",
        );
    }

    #[test]
    fn a_query_is_checked_where_there_is_a_schema() {
        let body = json!({ "query": "{ targett { id } }", "schema": "type Query { target: Target } type Target { id: ID }" });
        let answer = check_request(&body.to_string()).unwrap();
        assert_eq!(answer["valid"], false);
        assert_eq!(answer["issues"][0]["code"], "GRAPHQL_INVALID_QUERY");
        assert_eq!(answer["issues"][0]["suggestions"], json!(["target"]));
    }
}
