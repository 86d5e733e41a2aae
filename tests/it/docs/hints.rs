//! Messages and hints name operations as data, `{"operation":"getTables"}`, so that each surface can show what it calls them: over HTTP they stay so, a program
//! reads `dbSchema.getTables`, an MCP client the tool. A bare name would be wrong on two of the three.

use codemode_database::mcp_server::Profile;
use codemode_database::mcp_server::results::hints::rendered;
use codemode_database::mcp_server::table::{TOOLS, listed};
use regex_lite::Regex;

use super::literals;
use super::markdown;

/// The crates whose messages are shown on more than one surface.
const SHARED: &[&str] = &["crates/sql/src", "crates/session/src", "crates/columns/src"];

/// Literals that are right as they are: what a tenant's scope or a format of rows allows is said over HTTP and in programs, under the same names.
const OVER_HTTP: &[&str] = &["under a scope these are: ", "format is for the rows of "];

#[test]
fn messages_name_operations_as_data() {
    let data = Regex::new(r#"\{\\?"operation\\?":\\?"(\w+)\\?""#).unwrap();
    // Ordinary words, such as query, are no names of operations to a reader.
    let bare: Vec<&str> = codemode_database::operations::OPERATIONS
        .iter()
        .map(|operation| operation.name)
        .filter(|name| name.chars().any(char::is_uppercase))
        .collect();
    // `exec` is none, and what a caller is told to use is one.
    let word = Regex::new(&format!(
        r"\b({}|exec|(use|call|with|of|operation) (query|stream|persist|preview))\b",
        bare.join("|")
    ))
    .unwrap();
    let (mut wrong, mut named) = (Vec::new(), 0);
    for file in SHARED
        .iter()
        .flat_map(|folder| markdown::files(folder, ".rs"))
    {
        let source = markdown::read(&file);
        let own = source.split("#[cfg(test)]").next().unwrap();
        for (line, text) in literals::of_rust(own) {
            for found in data.captures_iter(&text) {
                named += 1;
                let name = found.get(1).unwrap().as_str();
                assert!(
                    codemode_database::operations::find(name).is_some(),
                    "{file}:{line} names {name}, which is no operation"
                );
            }
            let rest = data.replace_all(&text, "");
            let is_allowed = OVER_HTTP.iter().any(|known| text.starts_with(known));
            if !is_allowed && (word.is_match(&rest) || rest.contains("dbSchema.")) {
                wrong.push(format!("{file}:{line}: {text}"));
            }
        }
    }
    assert!(named > 15, "{named}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Endpoints of the MCP server: those of profiles, and those of a graph or a workspace.
const ENDPOINTS: [Option<Profile>; 6] = [
    Some(Profile::Full),
    Some(Profile::Compact),
    Some(Profile::ReadOnly),
    Some(Profile::Database),
    Some(Profile::Code),
    None,
];

#[test]
fn what_messages_name_exists_at_every_endpoint() {
    let tool =
        Regex::new(r"\b(?:db|tools|agent|program|graphql)_[a-z_]+\b( of the endpoint /mcp)?")
            .unwrap();
    let mut named = 0;
    for file in SHARED
        .iter()
        .chain(&["crates/base/src", "crates/tools/src", "crates/agent/src"])
        .flat_map(|folder| markdown::files(folder, ".rs"))
    {
        let source = markdown::read(&file);
        let own = source.split("#[cfg(test)]").next().unwrap();
        for (line, text) in literals::of_rust(own) {
            let text = text.replace("\\\"", "\"");
            for endpoint in ENDPOINTS {
                let shown = rendered(&text, endpoint);
                let tools: Vec<&str> = endpoint
                    .map(|profile| listed(profile).map(|tool| tool.name).collect())
                    .unwrap_or_default();
                if shown == text {
                    continue;
                }
                for found in tool.captures_iter(&shown) {
                    named += 1;
                    let whole = found.get(0).unwrap().as_str();
                    let name = whole.split(' ').next().unwrap();
                    assert!(
                        TOOLS.iter().any(|tool| tool.name == name),
                        "{file}:{line}: {shown}"
                    );
                    let is_here = tools.contains(&name) || found.get(1).is_some();
                    assert!(is_here, "{file}:{line} at {endpoint:?}: {shown}");
                }
                let calls = shown.contains("helpers.") || shown.contains("dbSchema.");
                assert!(
                    !calls || tools.contains(&"program_run"),
                    "{file}:{line} at {endpoint:?}: {shown}"
                );
            }
        }
    }
    assert!(named > 60, "{named}");
}
