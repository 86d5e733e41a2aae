//! Messages and hints name operations as data, `{"operation":"getTables"}`, so that each surface can show its own name of it: over HTTP it stays
//! so, a program reads `dbSchema.getTables`, an MCP client the tool. A bare name would be wrong on two of the three.

use codemode_database::mcp_server::Profile;
use codemode_database::mcp_server::results::hints::rendered;
use codemode_database::mcp_server::table::{TOOLS, listed};
use codemode_database::operations::{NAMES, find};
use regex_lite::Regex;

use super::{files, rust};

/// The string literals of crates, each with file and line.
fn literals(crates: &[&str]) -> Vec<(String, String)> {
    let folders = crates.iter().map(|name| format!("crates/{name}/src"));
    let mut found = Vec::new();
    for file in folders.flat_map(|folder| files(&folder, ".rs")) {
        let literals = rust::literals(&file);
        found.extend(
            literals
                .into_iter()
                .map(|(line, text)| (format!("{file}:{line}"), text)),
        );
    }
    found
}

#[test]
fn messages_name_operations_as_data() {
    // A tenant's scope and formats of rows are the same over HTTP and in programs.
    let of_http = ["under a scope these are: ", "format is for the rows of "];
    let data = Regex::new(r#"\{"operation":"(\w+)""#).unwrap();
    // Ordinary words, such as query, are no names of operations to a reader.
    let bare: Vec<&str> = NAMES
        .iter()
        .copied()
        .filter(|name| name.chars().any(char::is_uppercase))
        .collect();
    let word = Regex::new(&format!(
        r"dbSchema\.|\b({}|exec|(use|call|with|of|operation) (query|stream|persist|preview))\b",
        bare.join("|")
    ))
    .unwrap();
    let (mut wrong, mut named) = (Vec::new(), 0);
    for (place, text) in literals(&["sql", "session", "columns"]) {
        for found in data.captures_iter(&text) {
            named += 1;
            assert!(
                find(&found[1]).is_some(),
                "{place} names {}, which is no operation",
                &found[1]
            );
        }
        let is_sentence =
            text.contains(' ') && !of_http.iter().any(|known| text.starts_with(known));
        if is_sentence && word.is_match(&data.replace_all(&text, "")) {
            wrong.push(format!("{place}: {text}"));
        }
    }
    assert!(named > 15, "{named} names");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_tool_that_a_message_names_exists_at_every_endpoint() {
    let tool =
        Regex::new(r"\b((?:db|tools|agent|program|graphql)_[a-z_]+)\b( of the endpoint /mcp)?")
            .unwrap();
    // The endpoints of profiles, and those of a graph or a workspace, which have none.
    let profiles = [None, Some(Profile::Full)].into_iter();
    let endpoints: Vec<Option<Profile>> = profiles
        .chain(Profile::NAMED.map(|(_, profile)| Some(profile)))
        .collect();
    let mut named = 0;
    for (place, text) in literals(&["sql", "session", "columns", "base", "tools", "agent"]) {
        for &endpoint in &endpoints {
            let shown = rendered(&text, endpoint);
            if shown == text {
                continue;
            }
            let is_listed = |name: &str| {
                endpoint.is_some_and(|profile| listed(profile).any(|tool| tool.name == name))
            };
            for found in tool.captures_iter(&shown) {
                named += 1;
                let is_here = if found.get(2).is_some() {
                    TOOLS.iter().any(|tool| tool.name == &found[1])
                } else {
                    is_listed(&found[1])
                };
                assert!(is_here, "{place} at {endpoint:?}: {shown}");
            }
            let calls = shown.contains("helpers.") || shown.contains("dbSchema.");
            assert!(
                !calls || is_listed("program_run"),
                "{place} at {endpoint:?}: {shown}"
            );
        }
    }
    assert!(named > 60, "{named} names");
}
