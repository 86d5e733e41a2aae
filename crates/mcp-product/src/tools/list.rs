//! Renders the list of tools for clients.

use serde_json::{Map, Value};

use crate::Profile;
use crate::schema::for_hosts;
use crate::table::{Hints, Tool, listed};

impl Tool {
    /// Renders the schema of its arguments as JSON text.
    pub fn input_schema(&self) -> String {
        input_schema(&self.properties(), self.required)
    }

    /// Renders the schema of its structured content as JSON text. It also contains errors, so only
    /// the session is required.
    pub fn output_schema(&self) -> String {
        const REQUIRED: &str = r#","required":["session"]"#;
        let (session, required) = match (self.has_session(), self.output) {
            (false, _) => ("", ""),
            (true, "") => (r#""session":{"type":"string"}"#, REQUIRED),
            (true, _) => (r#","session":{"type":"string"}"#, REQUIRED),
        };
        format!(
            r#"{{"type":"object","properties":{{{}{session}}}{required}}}"#,
            self.output
        )
    }

    fn render(&self) -> String {
        format!(
            r#"{{"name":"{}","title":{},"description":{},"inputSchema":{},"outputSchema":{},"annotations":{{{}}}}}"#,
            self.name,
            Value::from(self.title()),
            Value::from(self.description),
            self.input_schema(),
            self.output_schema(),
            self.hints().annotations()
        )
    }
}

impl Hints {
    /// Renders the hints that differ from the protocol's defaults, as JSON members.
    pub(crate) fn annotations(self) -> String {
        let mut said = Vec::new();
        if self.read_only {
            said.push(r#""readOnlyHint":true"#);
        } else {
            if !self.destructive {
                said.push(r#""destructiveHint":false"#);
            }
            if self.idempotent {
                said.push(r#""idempotentHint":true"#);
            }
        }
        if !self.open_world {
            said.push(r#""openWorldHint":false"#);
        }
        said.join(",")
    }
}

/// Renders the schema of arguments as JSON text, in the form that hosts accept.
pub(crate) fn input_schema(properties: &Map<String, Value>, required: &[&str]) -> String {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), Value::Object(properties.clone()));
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.to_vec().into());
    }
    for_hosts(&Value::Object(schema)).to_string()
}

/// Renders the members of the result of `tools/list` as JSON text.
pub fn list(profile: Profile) -> String {
    let tools: Vec<String> = listed(profile).map(Tool::render).collect();
    format!(r#""tools":[{}]"#, tools.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tokens::estimate;
    use crate::schema::tests::{require_hosts_take, require_types};
    use crate::table::{TOOLS, ToolAction};

    fn schema(text: &str) -> Value {
        let read: Value = serde_json::from_str(text).unwrap();
        let mut compiler = boon::Compiler::new();
        compiler.set_default_draft(boon::Draft::V2020_12);
        compiler.add_resource("schema.json", read.clone()).unwrap();
        compiler
            .compile("schema.json", &mut boon::Schemas::new())
            .unwrap();
        read
    }

    #[test]
    fn every_tool_has_schemas_a_title_and_what_its_operation_takes() {
        let mut names = Vec::new();
        for tool in TOOLS {
            let input = schema(&tool.input_schema());
            let output = schema(&tool.output_schema());
            require_hosts_take(tool.name, &input);
            require_types(tool.name, &output);
            assert_eq!(
                (&input["type"], &output["type"]),
                (&"object".into(), &"object".into())
            );
            assert!(
                !tool.title().is_empty() && !tool.description.is_empty(),
                "{}",
                tool.name
            );
            let properties = input["properties"].as_object().unwrap();
            for name in tool.required {
                assert!(properties.contains_key(*name), "{}: {name}", tool.name);
            }
            if let ToolAction::Operation(name) = tool.does {
                let operation = tool
                    .operation()
                    .unwrap_or_else(|| panic!("no operation {name}"));
                let own = ["session", "confirm", "cursor"];
                for property in properties.keys().filter(|key| !own.contains(&key.as_str())) {
                    assert!(operation.field(property).is_some(), "{name}: {property}");
                }
            }
            assert!(!names.contains(&tool.name), "{} twice", tool.name);
            names.push(tool.name);
        }
    }

    /// `db_query`, `agent_get_thread`: the area comes first, then the action.
    #[test]
    fn names_have_one_scheme() {
        let areas = ["program", "tools", "db", "agent", "graphql"];
        for tool in TOOLS {
            let (area, rest) = tool.name.split_once('_').unwrap();
            assert!(areas.contains(&area) && !rest.is_empty(), "{}", tool.name);
            if let ToolAction::Operation(operation) = tool.does {
                let snake: String = operation
                    .chars()
                    .map(|letter| match letter {
                        'A'..='Z' => format!("_{}", letter.to_ascii_lowercase()),
                        _ => letter.to_string(),
                    })
                    .collect();
                assert_eq!(tool.name, format!("db_{snake}"));
            }
        }
    }

    #[test]
    fn every_operation_but_five_is_a_tool() {
        // db_describe_table has columns, staged tables are tables, agent_ask shows a person what a
        // statement would do, and an explanation is only needed for the few statements with too
        // much work: tools_call can be used for it.
        let without = [
            "getColumns",
            "hasColumn",
            "queryStagedData",
            "preview",
            "explainQuery",
        ];
        for (_, operation) in session::OPERATIONS {
            let is_tool = TOOLS
                .iter()
                .any(|tool| tool.does == ToolAction::Operation(operation.name));
            assert_ne!(
                is_tool,
                without.contains(&operation.name),
                "{}",
                operation.name
            );
        }
    }

    #[test]
    fn a_read_only_profile_lists_no_tool_that_writes() {
        assert!(listed(Profile::ReadOnly).all(|tool| tool.hints().read_only));
        assert!(listed(Profile::ReadOnly).count() > 5);
        let compact: Vec<&str> = listed(Profile::Compact).map(|tool| tool.name).collect();
        assert_eq!(compact, ["program_run", "tools_search"]);
    }

    /// `tests/worker/mcp-tokens.test.mjs` counts with a real vocabulary.
    #[test]
    fn the_lists_are_short() {
        let bytes = |profile| list(profile).len();
        assert!(bytes(Profile::Full) < 18_000, "{}", bytes(Profile::Full));
        assert!(
            bytes(Profile::Compact) < 3_500,
            "{}",
            bytes(Profile::Compact)
        );
        assert!(estimate(&list(Profile::Compact)) > 100);
    }
}
