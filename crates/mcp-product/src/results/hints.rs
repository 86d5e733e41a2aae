//! Adapts hints to an endpoint.
//!
//! A hint names an operation by the body of its request over HTTP, `{"operation":"getTables"}`, and
//! other actions by their requests. Such a hint is correct over HTTP. For a program, the sandbox
//! replaces these requests by functions (`inProgram`), and this module replaces them by tools.

use std::borrow::Cow;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::Profile;
use crate::table::{TOOLS, ToolAction, listed};
use base::entries::Entries;

/// The text before and after the name of an operation in a hint.
const OPERATION: (&str, &str) = (r#"{"operation":""#, r#""}"#);

/// Operations that are not tools, each with the tool that gives the same information.
const INSTEAD: &[(&str, &str)] = &[
    ("getColumns", "db_describe_table"),
    ("hasColumn", "db_describe_table"),
    ("queryStagedData", "db_query"),
    ("preview", "agent_ask"),
];

/// Requests in hints, each with its replacements: the tool that does the same, the text to write
/// after the tool's name, and the function for a program.
const REQUESTS: &[(&str, &str, &str, &str)] = &[
    (
        "PUT …/tables/{table}/rows",
        "db_import",
        "",
        "helpers.db.batchInsert",
    ),
    ("POST …/messages", "agent_ask", "", ""),
    ("GET …/state", "agent_get_thread", "", ""),
    (
        "GET /api/codemode/proxy?server=",
        "tools_search",
        " with server ",
        "",
    ),
];

/// Parameters of a load that are arguments of `db_import`: `?decimal=,` in a hint becomes the
/// argument `decimal=,`.
const LOAD_PARAMETERS: [&str; 4] = ["delimiter", "null", "decimal", "dates"];

/// Phrases about the request of a load, each with the phrase for `db_import`.
const LOAD_WORDS: [(&str, &str); 11] = [
    ("its content-type says", "its format says"),
    (", percent-encoded: ?delimiter=%3B", ""),
    ("content-type: text/csv", "format=csv"),
    ("content-type: application/json", "format=json"),
    ("content-type: application/x-ndjson", "format=ndjson"),
    (
        "No content-type said what the body is",
        "No format said what the text is",
    ),
    (
        "application/x-ndjson for one object a line",
        "ndjson for one object a line",
    ),
    ("?stage=true", "?stage=true over HTTP"),
    ("the body", "the text"),
    ("The body", "The text"),
    (
        "curl -d @file removes the line ends: send the file with --data-binary @file, or with -T file; ",
        "write each line end once, as \\n of the JSON text, and not as two characters; ",
    ),
];

/// Renders a hint for a client of a profile; without a profile, for another endpoint.
pub fn rendered(hint: &str, profile: Option<Profile>) -> String {
    let mut text = String::new();
    let mut rest = hint;
    while let Some((before, from)) = rest.split_once(OPERATION.0) {
        text.push_str(before);
        let Some((name, behind)) = from.split_once(OPERATION.1) else {
            text.push_str(OPERATION.0);
            rest = from;
            continue;
        };
        // An example has arguments after the name.
        match name.split_once("\",") {
            Some((name, arguments)) => {
                text.push_str(&operation(name, profile));
                text.push_str(" with {");
                text.push_str(arguments);
                text.push_str(OPERATION.1);
            }
            None => text.push_str(&operation(name, profile)),
        }
        rest = behind;
    }
    text.push_str(rest);
    if lists(profile, "db_import") {
        text = of_load(&text);
    }
    for (request, tool, joint, call) in REQUESTS {
        if text.contains(request) {
            text = text.replace(request, &format!("{}{joint}", named(tool, call, profile)));
        }
    }
    text
}

/// Adapts a text about a load over HTTP to `db_import`.
pub fn of_load(words: &str) -> String {
    let mut text = words.to_owned();
    for (header, argument) in LOAD_WORDS {
        text = text.replace(header, argument);
    }
    for parameter in LOAD_PARAMETERS {
        text = text.replace(&format!("?{parameter}="), &format!("{parameter}="));
    }
    text
}

fn operation(name: &str, profile: Option<Profile>) -> String {
    let instead = INSTEAD.iter().find(|(operation, _)| *operation == name);
    let tool = TOOLS
        .iter()
        .find(|tool| tool.does == ToolAction::Operation(name_of(name)))
        .map(|tool| tool.name)
        .or(instead.map(|(_, tool)| *tool));
    let object = match session::server_of(name) {
        "schema" => "dbSchema",
        _ => "helpers.db",
    };
    // Operations of graphs and workspaces are tools with the same names.
    tool.map_or_else(
        || name.to_owned(),
        |tool| named(tool, &format!("{object}.{name}"), profile),
    )
}

/// Returns the name in the table of operations; empty if it is not there.
fn name_of(name: &str) -> &'static str {
    session::find(name).map_or("", |(_, operation)| operation.name)
}

/// Names a tool if the endpoint lists it; otherwise the function for a program, if the endpoint
/// runs programs; otherwise the endpoint that has the tool.
fn named(tool: &str, call: &str, profile: Option<Profile>) -> String {
    if lists(profile, tool) {
        tool.to_owned()
    } else if lists(profile, "program_run") && !call.is_empty() {
        format!("{call} in program_run")
    } else {
        format!("{tool} of the endpoint /mcp")
    }
}

fn lists(profile: Option<Profile>, tool: &str) -> bool {
    profile.is_some_and(|profile| listed(profile).any(|listed| listed.name == tool))
}

/// Renders the member `hint` of an object given as JSON text, and leaves the others unchanged.
pub fn with_rendered_hint(json: &str, profile: Profile) -> String {
    let Ok(Entries(members)) = serde_json::from_str::<Entries<String, &RawValue>>(json) else {
        return json.to_owned();
    };
    let members: Vec<String> = members
        .into_iter()
        .map(|(name, value)| {
            let hint = serde_json::from_str::<String>(value.get()).ok();
            let value = match hint.filter(|_| name == "hint") {
                Some(hint) => Value::from(rendered(&hint, Some(profile))).to_string(),
                None => value.get().to_owned(),
            };
            format!("{}:{value}", Value::from(name))
        })
        .collect();
    format!("{{{}}}", members.join(","))
}

/// Renders the members `notice` and `notices` of an object given as JSON text without braces, and
/// leaves the others unchanged.
pub fn with_rendered_notices(members: &str, profile: Profile) -> Cow<'_, str> {
    if !members.contains("\"notice") {
        return Cow::Borrowed(members);
    }
    let object = format!("{{{members}}}");
    let Ok(Entries(read)) = serde_json::from_str::<Entries<String, &RawValue>>(&object) else {
        return Cow::Borrowed(members);
    };
    let written = read.into_iter().map(|(name, value)| {
        let is_ours = matches!(name.as_str(), "notice" | "notices");
        let mut sentences = is_ours
            .then(|| serde_json::from_str::<Value>(value.get()).ok())
            .flatten()
            .unwrap_or_default();
        let text = match &mut sentences {
            Value::String(text) => {
                *text = rendered(text, Some(profile));
                sentences.to_string()
            }
            Value::Array(list) => {
                for sentence in list.iter_mut() {
                    if let Value::String(text) = sentence {
                        *text = rendered(text, Some(profile));
                    }
                }
                sentences.to_string()
            }
            _ => value.get().to_owned(),
        };
        format!("{}:{text}", Value::from(name))
    });
    Cow::Owned(written.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_keeps_its_arguments() {
        let hint = r#"send an object such as {"operation":"query","sql":"SELECT 1"}, or {"operation":"getTables"}"#;
        let shown = rendered(hint, None);
        assert!(
            shown.contains(r#" with {"sql":"SELECT 1"}, or "#) && !shown.contains("operation"),
            "{shown}"
        );
    }

    #[test]
    fn a_hint_names_what_the_endpoint_has() {
        let tables = r#"call {"operation":"getTables"} to see the tables"#;
        let load = "load with PUT …/tables/{table}/rows";
        for (hint, profile, words) in [
            (
                tables,
                Some(Profile::Full),
                "call db_get_tables to see the tables",
            ),
            (
                tables,
                Some(Profile::Compact),
                "call dbSchema.getTables in program_run to see the tables",
            ),
            (
                tables,
                None,
                "call db_get_tables of the endpoint /mcp to see the tables",
            ),
            (load, Some(Profile::Database), "load with db_import"),
            (
                load,
                Some(Profile::Code),
                "load with helpers.db.batchInsert in program_run",
            ),
            (
                load,
                Some(Profile::ReadOnly),
                "load with db_import of the endpoint /mcp",
            ),
            (
                r#"é {"operation":"queryStagedData"} {"operation":"list_files"} {"operation":"x"#,
                Some(Profile::Full),
                r#"é db_query list_files {"operation":"x"#,
            ),
            (
                "`GET /api/codemode/proxy?server=pubs` shows",
                Some(Profile::Full),
                "`tools_search with server pubs` shows",
            ),
            (
                "load it with ?null=, ?decimal=, or ?dates=dmy",
                Some(Profile::Database),
                "load it with null=, decimal=, or dates=dmy",
            ),
            (
                "send content-type: application/json, or add ?stage=true",
                Some(Profile::Full),
                "send format=json, or add ?stage=true over HTTP",
            ),
            (
                "drop it first with {\"operation\":\"dropTable\"}, or write IF NOT EXISTS",
                Some(Profile::Full),
                "drop it first with db_drop_table, or write IF NOT EXISTS",
            ),
            (
                "load it with ?decimal=,",
                Some(Profile::Code),
                "load it with ?decimal=,",
            ),
            (
                "query, exec and getTables are words",
                None,
                "query, exec and getTables are words",
            ),
        ] {
            assert_eq!(rendered(hint, profile), words);
        }
    }

    #[test]
    fn a_hint_to_write_names_what_writes() {
        for (hint, profile, words) in [
            (
                r#"use {"operation":"exec"} for statements"#,
                Some(Profile::Full),
                "use db_exec for statements",
            ),
            (
                r#"use {"operation":"exec"} for statements"#,
                Some(Profile::ReadOnly),
                "use db_exec of the endpoint /mcp for statements",
            ),
            (
                r#"use {"operation":"exec"} for statements"#,
                Some(Profile::Code),
                "use helpers.db.exec in program_run for statements",
            ),
            (
                "send comma, or the character itself, percent-encoded: ?delimiter=%3B; letters are none",
                Some(Profile::Full),
                "send comma, or the character itself; letters are none",
            ),
        ] {
            assert_eq!(rendered(hint, profile), words);
        }
    }

    #[test]
    fn every_tool_that_hints_lead_to_exists() {
        let mut named = INSTEAD.iter().map(|(_, tool)| *tool).collect::<Vec<_>>();
        named.extend(REQUESTS.iter().map(|(_, tool, _, _)| *tool));
        for tool in named {
            assert!(TOOLS.iter().any(|known| known.name == tool), "{tool}");
        }
        for (operation, _) in INSTEAD {
            assert!(session::find(operation).is_some(), "{operation}");
        }
    }

    #[test]
    fn notices_name_the_arguments_of_the_tool() {
        let members =
            r#""n":1.0,"rows":[["?null="]],"notice":"send ?decimal=,","notices":["?dates=dmy",5]"#;
        assert_eq!(
            with_rendered_notices(members, Profile::Full),
            r#""n":1.0,"rows":[["?null="]],"notice":"send decimal=,","notices":["dates=dmy",5]"#
        );
        for same in ["", r#""n":5"#, r#""notice":"#] {
            assert_eq!(with_rendered_notices(same, Profile::Full), same);
        }
    }

    #[test]
    fn only_the_hint_of_an_object_changes() {
        let json = r#"{"hint":"read {\"operation\":\"query\"}","n":9007199254740993,"x":"{\"operation\":\"query\"}"}"#;
        assert_eq!(
            with_rendered_hint(json, Profile::Full),
            r#"{"hint":"read db_query","n":9007199254740993,"x":"{\"operation\":\"query\"}"}"#
        );
        assert_eq!(with_rendered_hint("[1]", Profile::Full), "[1]");
    }
}
