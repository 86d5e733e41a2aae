//! The session's own operations as tools of the servers `db` and `schema`, so that a client of the proxy needs one route only.

use serde_json::{Value, json};

use super::ToolError;
use super::request::ToolCall;
use crate::error::Result;
use crate::sandbox::journal::server_of;
use crate::sandbox::prompt;
use crate::schema::nearest;
use crate::session::OPERATIONS;

/// The servers that stand for the session.
pub const SERVERS: &[&str] = &["db", "schema"];

/// Descriptions and parameters, by operation.
const DESCRIPTIONS: &str = include_str!("own.json");

/// Whether a server is the session's own.
pub fn is_own(server: &str) -> bool {
    SERVERS.contains(&server)
}

/// The operations of one of them.
fn operations(server: &str) -> impl Iterator<Item = &'static str> {
    OPERATIONS
        .iter()
        .copied()
        .filter(move |operation| server_of(operation) == server)
}

/// The operation of a name.
fn named(server: &str, tool: &str) -> Result<&'static str> {
    operations(server)
        .find(|name| *name == tool)
        .ok_or_else(|| {
            ToolError::ToolNotFound {
                server: server.to_owned(),
                tool: tool
                    .chars()
                    .take(crate::limits::MAX_NAME_CHARACTERS)
                    .collect(),
                suggestions: nearest(tool, operations(server)),
                available: operations(server).map(str::to_owned).collect(),
            }
            .into()
        })
}

/// The body of the operation that a call stands for.
///
/// # Errors
/// [`ToolError::ToolNotFound`] with the nearest names.
pub fn operation(call: &ToolCall) -> Result<String> {
    let operation = named(&call.server, &call.tool)?;
    // The text of the arguments stays as it is; of two fields with one name the later counts, and that is ours.
    let arguments = call.arguments.get().trim_end();
    let inner = arguments.strip_suffix('}').unwrap_or(arguments).trim_end();
    let comma = if inner.ends_with('{') { "" } else { "," };
    Ok(format!(r#"{inner}{comma}"operation":"{operation}"}}"#))
}

/// The tools of one of the two, as the fields of a result.
pub fn tools_of(server: &str) -> Option<Value> {
    if !is_own(server) {
        return None;
    }
    let known: Value = serde_json::from_str(DESCRIPTIONS).unwrap_or_default();
    let tools: Vec<Value> = operations(server)
        .map(|name| described(&known, name))
        .collect();
    Some(json!({ "server": server, "tools": tools }))
}

fn described(known: &Value, name: &str) -> Value {
    let mut tool = known.get(name).cloned().unwrap_or_else(|| json!({}));
    if let Some(fields) = tool.as_object_mut() {
        fields.insert("name".to_owned(), name.into());
    }
    tool
}

/// One tool of the two as the fields of a result, with the declaration that the guidance has of it: programs call it as a method with
/// parameters of its own.
///
/// # Errors
/// [`ToolError::ToolNotFound`] with the nearest names.
pub fn describe(server: &str, tool: &str) -> Result<Value> {
    let name = named(server, tool)?;
    let known: Value = serde_json::from_str(DESCRIPTIONS).unwrap_or_default();
    Ok(json!({
        "server": server,
        "tool": described(&known, name),
        "declaration": prompt::declaration_of(name),
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;
    use crate::tools::request::{ReturnFormat, Stage};

    fn call(server: &str, tool: &str, arguments: &str) -> ToolCall {
        ToolCall {
            server: server.to_owned(),
            tool: tool.to_owned(),
            arguments: RawValue::from_string(arguments.to_owned()).unwrap(),
            stage: Stage::WhenLarge,
            format: ReturnFormat::Data,
        }
    }

    #[test]
    fn a_call_is_the_operation_of_its_name() {
        for (arguments, wanted) in [
            ("{}", r#"{"operation":"query"}"#),
            ("{ }", r#"{"operation":"query"}"#),
            (
                r#"{"sql":"SELECT '}'","operation":"exec"}"#,
                r#"{"sql":"SELECT '}'","operation":"exec","operation":"query"}"#,
            ),
        ] {
            assert_eq!(operation(&call("db", "query", arguments)).unwrap(), wanted);
        }
    }

    #[test]
    fn the_operations_are_divided_between_the_two() {
        assert!(operation(&call("schema", "findColumn", "{}")).is_ok());
        let error = operation(&call("db", "querry", "{}")).unwrap_err();
        assert_eq!(error.code(), "TOOL_NOT_FOUND");
        assert_eq!(error.details()["suggestions"][0], "query");
        assert!(operation(&call("schema", "query", "{}")).is_err());
    }

    #[test]
    fn one_of_them_is_described_as_programs_call_it() {
        let found = describe("db", "query").unwrap();
        assert_eq!(found["tool"]["name"], "query");
        assert_eq!(found["tool"]["inputSchema"]["required"][0], "sql");
        let declaration = found["declaration"].as_str().unwrap();
        assert!(
            declaration.contains("\nquery(sql: string, params?: Value[])"),
            "{declaration}"
        );
        let error = describe("db", "qurey").unwrap_err();
        assert_eq!(
            (error.code(), &error.details()["suggestions"][0]),
            ("TOOL_NOT_FOUND", &"query".into())
        );
    }

    #[test]
    fn every_operation_is_described() {
        let mut names = Vec::new();
        for server in SERVERS {
            let fields = tools_of(server).unwrap();
            for tool in fields["tools"].as_array().unwrap() {
                assert!(tool["description"].is_string(), "{tool}");
                assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
                let name = tool["name"].as_str().unwrap();
                let one = describe(server, name).unwrap();
                assert_eq!(one["tool"], *tool);
                assert!(one["declaration"].is_string(), "{name}");
                names.push(name.to_owned());
            }
        }
        assert_eq!(names.len(), OPERATIONS.len());
        let known: Value = serde_json::from_str(DESCRIPTIONS).unwrap();
        assert_eq!(known.as_object().unwrap().len(), OPERATIONS.len());
    }
}
