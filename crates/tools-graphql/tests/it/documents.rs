//! `docs/graphql.md` against the code: its examples, its codes, its lines.

use serde_json::Value;
use tools_graphql::{Code, check_request};

const PAGE: &str = include_str!("../../../../docs/graphql.md");
const SCRIPT: &str = include_str!("../../../sandbox/src/runtime/graphql.js");

fn blocks(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    PAGE.split(fence.as_str())
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap())
        .collect()
}

#[test]
fn each_request_on_the_page_has_the_answer_that_stands_behind_it() {
    let blocks = blocks("json");
    assert_eq!(blocks.len() % 2, 0);
    assert!(blocks.len() >= 6);
    for pair in blocks.chunks(2) {
        let expected: Value = serde_json::from_str(pair[1]).unwrap();
        assert_eq!(check_request(pair[0]).unwrap(), expected, "{}", pair[0]);
    }
}

#[test]
fn the_table_of_codes_has_every_code() {
    let mut listed: Vec<&str> = PAGE
        .lines()
        .filter_map(|line| line.strip_prefix("| `GRAPHQL_"))
        .filter_map(|rest| rest.split('`').next())
        .collect();
    listed.dedup();
    let codes: Vec<&str> = Code::ALL
        .iter()
        .map(|code| code.name().trim_start_matches("GRAPHQL_"))
        .collect();
    assert_eq!(listed, codes);
}

#[test]
fn the_lines_for_the_console_are_those_of_the_code() {
    let shown = blocks("text").join("");
    let request = blocks("json")[0];
    let fields: Value = serde_json::from_str(request).unwrap();
    let response = fields["response"]
        .to_string()
        .replace("\"t\"", "\"target\"");
    let validation = tools_graphql::check(&tools_graphql::Check {
        response: &response,
        query: Some("{ target(q: {sym: \"ACE22\"}) { name } }"),
        ..Default::default()
    })
    .unwrap();
    for line in validation.console_lines("pharos", "pharos_graphql_query") {
        assert!(shown.contains(&line), "{line}");
    }
    let told = "is null: the field is misspelt, the entity does not have it, or the filter matched no record.";
    assert!(shown.contains(told) && SCRIPT.contains(told));
}
