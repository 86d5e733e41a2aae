//! Messages and hints name operations as data, `{"operation":"getTables"}`, so that each surface
//! can show its own name: HTTP shows it unchanged, a program reads `dbSchema.getTables`, an MCP
//! client the tool. A bare name would be wrong on two of the three.

use mcp_product::Profile;
use mcp_product::results::hints::rendered;
use mcp_product::table::listed;
use regex_lite::Regex;
use session::{NAMES, OPERATIONS, find};

use super::{files, rust};

/// Returns the string literals of crates, each with file and line.
fn literals(crates: &[&str]) -> Vec<(String, String)> {
    let folders = crates.iter().map(|name| format!("crates/{name}/src"));
    let mut found = Vec::new();
    for file in folders.flat_map(|folder| files(&folder, ".rs")) {
        for (line, text) in rust::literals(&file) {
            found.push((format!("{file}:{line}"), text));
        }
    }
    found
}

#[test]
fn messages_name_operations_as_data() {
    // A tenant's scope and formats of rows are the same over HTTP and in programs.
    let of_http = [
        "the operations under a scope are: ",
        "format only works with ",
    ];
    let data = Regex::new(r#"\{"operation":"(\w+)""#).unwrap();
    // Ordinary words, such as query, do not look like names of operations.
    let mut bare = NAMES.to_vec();
    bare.retain(|name| name.contains(char::is_uppercase));
    let bare = bare.join("|");
    let ordinary = "(use|call|with|of|operation) (query|stream|persist|preview)";
    let word = Regex::new(&format!(r"dbSchema\.|\b({bare}|exec|{ordinary})\b")).unwrap();
    let (mut wrong, mut named) = (Vec::new(), 0);
    for (place, text) in literals(&["sql-gate", "sql-cost", "sql-scope", "session", "columns"]) {
        for found in data.captures_iter(&text) {
            named += 1;
            assert!(find(&found[1]).is_some(), "{place}: {}", &found[0]);
        }
        let is_of_http = of_http.iter().any(|known| text.starts_with(known));
        // The guidance of programs contains them unchanged.
        let is_method = OPERATIONS.iter().any(|(id, _)| id.helper().method == text);
        if text.contains(' ')
            && !is_of_http
            && !is_method
            && word.is_match(&data.replace_all(&text, ""))
        {
            wrong.push(format!("{place}: {text}"));
        }
    }
    assert!(named > 15, "{named} names");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_tool_that_a_message_names_exists_at_every_endpoint() {
    let names = r"\b((?:db|tools|agent|program|graphql)_[a-z_]+)\b( of the endpoint /mcp)?";
    let tool = Regex::new(names).unwrap();
    // The endpoints of profiles, and `None` for those of a graph or a workspace, which have none.
    let mut endpoints = vec![None, Some(Profile::Full)];
    endpoints.extend(Profile::NAMED.map(|(_, profile)| Some(profile)));
    let is_listed = |endpoint: Option<Profile>, name: &str| {
        endpoint.is_some_and(|profile| listed(profile).any(|tool| tool.name == name))
    };
    let mut named = 0;
    for (place, text) in literals(&[
        "sql-gate",
        "sql-cost",
        "sql-scope",
        "session",
        "columns",
        "base",
        "tools",
        "agent",
    ]) {
        for &endpoint in &endpoints {
            let shown = rendered(&text, endpoint);
            if shown == text {
                continue;
            }
            for found in tool.captures_iter(&shown) {
                named += 1;
                let of_full = found.get(2).map(|_| Profile::Full);
                let is_here = is_listed(of_full.or(endpoint), &found[1]);
                assert!(is_here, "{place} at {endpoint:?}: {shown}");
            }
            let is_code = shown.contains("helpers.") || shown.contains("dbSchema.");
            let is_here = !is_code || is_listed(endpoint, "program_run");
            assert!(is_here, "{place} at {endpoint:?}: {shown}");
        }
    }
    assert!(named > 60, "{named} names");
}
