//! Offers the session's own operations as tools of the servers `db` and `schema`, so that a client
//! of the proxy needs only one route.

use base::known::{self, Given};
use base::limits::MAX_NAME_CHARACTERS;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use session::Id;

use super::ToolError;
use super::request::ToolCall;
use base::Result;
use base::nearest;

/// The field of a body that names its operation.
const OPERATION: &str = "operation";
/// The same name as a JSON key.
const OPERATION_KEY: &str = r#""operation""#;

/// The only field of the arguments that is looked for. Its value is ignored.
#[derive(Deserialize)]
struct Naming {
    operation: Option<IgnoredAny>,
}

/// Returns the operation of a name.
fn named(server: &str, tool: &str) -> Result<Id> {
    let names = || session::of_server(server).map(|operation| operation.declaration().name);
    session::of_server(server)
        .find(|operation| operation.declaration().name == tool)
        .ok_or_else(|| {
            ToolError::ToolNotFound {
                server: server.to_owned(),
                tool: base::text::first(tool, MAX_NAME_CHARACTERS),
                suggestions: nearest(tool, names()),
                available: names().map(str::to_owned).collect(),
            }
            .into()
        })
}

/// Returns the body of the operation for a call.
///
/// # Errors
/// [`ToolError::ToolNotFound`] with the nearest names, or [`base::CommonError::InvalidArgument`]
/// for arguments that name an operation.
pub fn operation(call: &ToolCall) -> Result<String> {
    let operation = named(&call.server, &call.tool)?.declaration();
    let name = operation.name;
    // The arguments are passed on as written. An `operation` among them cannot change the
    // operation, because the reader of the body refuses duplicate fields. This check only gives a
    // better message.
    let arguments = call.arguments.get();
    let names_operation =
        |text| serde_json::from_str::<Naming>(text).is_ok_and(|naming| naming.operation.is_some());
    if arguments.contains(OPERATION_KEY) && names_operation(arguments) {
        let known: Vec<&str> = operation.fields.iter().map(|field| field.name).collect();
        return Err(known::unknown(Given::Field, OPERATION, &known, ""));
    }
    let arguments = arguments.trim_end();
    let inner = arguments.strip_suffix('}').unwrap_or(arguments).trim_end();
    let comma = if inner.ends_with('{') { "" } else { "," };
    Ok(format!(r#"{inner}{comma}"{OPERATION}":"{name}"}}"#))
}

/// Returns the tools of one of the two servers, as the fields of a result.
pub fn tools_of(server: &str) -> Option<Value> {
    if !session::is_own_server(server) {
        return None;
    }
    let tools: Vec<Value> = session::of_server(server).map(described).collect();
    Some(json!({ "server": server, "tools": tools }))
}

fn described(operation: Id) -> Value {
    let declared = operation.declaration();
    let input = session::input(operation);
    json!({ "description": declared.description(), "inputSchema": input, "name": declared.name })
}

/// Returns one tool of the two servers as the fields of a result, with the declaration in the
/// guidance: programs call it as a method with parameters of its own.
///
/// # Errors
/// [`ToolError::ToolNotFound`] with the nearest names.
pub fn describe(server: &str, tool: &str) -> Result<Value> {
    let operation = named(server, tool)?;
    Ok(json!({
        "server": server,
        "tool": described(operation),
        "declaration": operation.helper().method,
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;
    use crate::request::{ReturnFormat, Stage};

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
                r#"{"sql":"SELECT '}'"}"#,
                r#"{"sql":"SELECT '}'","operation":"query"}"#,
            ),
            (
                r#"{"sql":"SELECT ?","params":["operation"]}"#,
                r#"{"sql":"SELECT ?","params":["operation"],"operation":"query"}"#,
            ),
        ] {
            assert_eq!(operation(&call("db", "query", arguments)).unwrap(), wanted);
        }
    }

    #[test]
    fn the_arguments_name_no_operation_of_their_own() {
        let arguments = r#"{"sql":"SELECT '}'","operation":"exec"}"#;
        let error = operation(&call("db", "query", arguments)).unwrap_err();
        assert_eq!(error.code(), "INVALID_ARGUMENT");
        assert_eq!(error.to_string(), r#"there is no field "operation""#);
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
        for server in session::SERVERS {
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
        assert_eq!(names.len(), session::NAMES.len());
    }
}
