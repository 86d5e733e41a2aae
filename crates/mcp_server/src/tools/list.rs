//! The list of tools as clients see it.

use std::fmt::Write as _;

use serde_json::Value;

use crate::Profile;
use crate::table::{Does, Hints, TOOLS, Tool};

/// The argument that names the session, where a tool has one.
const SESSION: &str =
    r#""session":{"type":"string","description":"Its name; your own unless said"}"#;

impl Tool {
    /// Whether it works on a session.
    pub fn has_session(&self) -> bool {
        !matches!(
            self.does,
            Does::Search | Does::Describe | Does::GraphqlCheck | Does::Decide | Does::GetThread
        )
    }

    fn is_part_of(&self, profile: Profile) -> bool {
        match profile {
            Profile::Full => true,
            Profile::Compact => self.parts.compact,
            Profile::ReadOnly => self.parts.read_only,
            Profile::Database => self.parts.database,
            Profile::Code => self.parts.code,
        }
    }

    /// JSON text of the schema of its arguments.
    pub fn input_schema(&self) -> String {
        let mut schema = format!(
            r#"{{"type":"object","properties":{{{}}}"#,
            self.with_session(self.properties, SESSION)
        );
        if !self.required.is_empty() {
            let _written = write!(
                schema,
                r#","required":{}"#,
                Value::from(self.required.to_vec())
            );
        }
        schema.push_str(r#","additionalProperties":false}"#);
        schema
    }

    /// JSON text of the schema of its structured content. An error stands in it, too, so only the session is always there.
    pub fn output_schema(&self) -> String {
        let required = if self.has_session() {
            r#","required":["session"]"#
        } else {
            ""
        };
        format!(
            r#"{{"type":"object","properties":{{{}}}{required}}}"#,
            self.with_session(self.output, r#""session":{"type":"string"}"#)
        )
    }

    fn with_session(&self, properties: &str, session: &str) -> String {
        match (self.has_session(), properties.is_empty()) {
            (false, _) => properties.to_owned(),
            (true, true) => session.to_owned(),
            (true, false) => format!("{properties},{session}"),
        }
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
    /// What differs from what the protocol assumes of a tool that says nothing, as members of JSON.
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

/// The tools of a profile.
pub fn listed(profile: Profile) -> impl Iterator<Item = &'static Tool> {
    TOOLS.iter().filter(move |tool| tool.is_part_of(profile))
}

/// JSON text of the members of the result of `tools/list`.
pub fn list(profile: Profile) -> String {
    let tools: Vec<String> = listed(profile).map(Tool::render).collect();
    format!(r#""tools":[{}]"#, tools.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tokens::estimate;

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
            if let Does::Operation(name) = tool.does {
                let operation = tool
                    .operation()
                    .unwrap_or_else(|| panic!("no operation {name}"));
                let own = ["session", "confirm", "cursor"];
                for property in properties.keys().filter(|key| !own.contains(&key.as_str())) {
                    assert!(
                        operation.fields.contains(&property.as_str()),
                        "{name}: {property}"
                    );
                }
            }
            assert!(!names.contains(&tool.name), "{} twice", tool.name);
            names.push(tool.name);
        }
    }

    #[test]
    fn every_operation_but_four_is_a_tool() {
        // db_describe_table has columns, staged tables are tables, and what a statement would do is what ask_database shows a person.
        let without = ["getColumns", "hasColumn", "queryStagedData", "preview"];
        for operation in operations::OPERATIONS {
            let is_tool = TOOLS
                .iter()
                .any(|tool| tool.does == Does::Operation(operation.name));
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
        assert_eq!(compact, ["execute", "search_tools"]);
    }

    /// `tests/worker/mcp-tokens.test.mjs` counts with a real vocabulary.
    #[test]
    fn the_lists_are_short() {
        let bytes = |profile| list(profile).len();
        assert!(bytes(Profile::Full) < 14_000, "{}", bytes(Profile::Full));
        assert!(
            bytes(Profile::Compact) < 3_500,
            "{}",
            bytes(Profile::Compact)
        );
        assert!(estimate(&list(Profile::Compact)) > 100);
    }
}
