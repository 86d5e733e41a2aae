//! Malformed lists of tools.

use mcp::Failure;
use mcp::limits::{MAX_LIST_WARNINGS, MAX_TOOL_PAGES, MAX_TOOLS};
use serde_json::json;
use tools::arguments;

use super::answers::nested;
use super::world::{Answer, json_answer, world};

fn page(tools: &str, more: &str) -> Answer {
    json_answer(&format!(
        r#"{{"resultType":"complete","tools":[{tools}]{more}}}"#
    ))
}

#[test]
fn a_tool_whose_schema_nests_too_deep_is_taken_without_it() {
    for levels in [65, 130, 100_000] {
        let deep = nested(levels);
        let tools = format!(
            r#"{{"resultType":"complete","tools":[{{"name":"flat","inputSchema":{{"type":"object","required":["id"]}}}},{{"name":"deep","description":"d","inputSchema":{deep},"outputSchema":{deep},"_meta":{deep},"annotations":{{"readOnlyHint":true}}}},{{"name":"last","inputSchema":{}}}]}}"#,
            nested(64)
        );
        let listing = world(&[json_answer(&tools)]).list().unwrap();
        let names: Vec<&str> = listing
            .tools
            .iter()
            .map(|tool| tool.name.as_str())
            .collect();
        assert_eq!(names, ["flat", "deep", "last"]);
        let [flat, tool, last] = &listing.tools[..] else {
            panic!()
        };
        assert_eq!((tool.description.as_str(), tool.read_only), ("d", true));
        assert_eq!(tool.output_schema, None);
        assert!(arguments::check(&tool.input_schema, &json!({ "any": [1] })).is_ok());
        assert!(arguments::check(&flat.input_schema, &json!({ "any": [1] })).is_err());
        assert!(last.input_schema.is_object());
        assert_eq!(
            listing.warnings,
            ["inputSchema", "outputSchema"].map(|field| format!(
                "the tool deep is used without its {field}: it nests deeper than 64 levels"
            ))
        );
    }
}

#[test]
fn a_list_that_was_cut_says_so() {
    let pages: Vec<Answer> = (0..=MAX_TOOL_PAGES)
        .map(|at| {
            let tool = format!(r#"{{"name":"t{at}","inputSchema":{{}}}}"#);
            page(&tool, &format!(r#","nextCursor":"{at}""#))
        })
        .collect();
    let long = world(&pages).list().unwrap();
    assert_eq!(long.tools.len(), MAX_TOOL_PAGES);
    assert_eq!(
        long.warnings,
        ["the list of tools is cut after 100 tools: it has more than 100 pages"]
    );

    let many = |count: usize| {
        let tools: Vec<String> = (0..count)
            .map(|at| format!(r#"{{"name":"t{at}","inputSchema":{{}}}}"#))
            .collect();
        world(&[page(&tools.join(","), "")]).list().unwrap()
    };
    assert!(many(MAX_TOOLS).warnings.is_empty());
    let full = many(MAX_TOOLS + 5);
    assert_eq!(full.tools.len(), MAX_TOOLS);
    assert_eq!(
        full.warnings,
        ["the list of tools is cut after 2000 tools: it has more than 2000 tools"]
    );

    let again = || page("", r#","nextCursor":"a""#);
    let round = world(&[again(), again()]).list().unwrap();
    assert_eq!(
        round.warnings,
        ["the list of tools is cut after 0 tools: the cursor of a page refers to an earlier page"]
    );
}

#[test]
fn entries_that_are_no_tools_count_and_are_told_of_up_to_a_number() {
    let tool = r#"{"name":"last","inputSchema":{}}"#;
    let few = world(&[page(&format!("{}{tool}", "1,".repeat(30)), "")]);
    let few = few.list().unwrap();
    assert_eq!(few.tools.len(), 1);
    assert_eq!(few.warnings.len(), MAX_LIST_WARNINGS + 1);
    assert_eq!(few.warnings[0], "a tool of the list is not an object");
    assert_eq!(
        few.warnings[MAX_LIST_WARNINGS],
        "10 more of its tools are invalid"
    );

    let flood = world(&[page(&format!("{}{tool}", "1,".repeat(2_600_000)), "")]);
    let flood = flood.list().unwrap();
    assert!(flood.tools.is_empty(), "it stands behind the last");
    assert_eq!(flood.warnings.len(), MAX_LIST_WARNINGS + 2);
    assert_eq!(
        flood.warnings[MAX_LIST_WARNINGS + 1],
        "the list of tools is cut after 0 tools: it has more than 2000 tools"
    );

    let half = "1,".repeat(MAX_TOOLS / 2) + "1";
    let pages = world(&[
        page(&half, r#","nextCursor":"2""#),
        page(&format!("{half},{tool}"), ""),
    ]);
    assert!(pages.list().unwrap().tools.is_empty(), "pages add up");
}

#[test]
fn a_list_that_is_too_large_is_cut() {
    let tool = |name: usize| {
        let words = "x".repeat(3 << 20);
        format!(r#"{{"name":"t{name}","description":"{words}"}}"#)
    };
    let one = page(&[tool(1), tool(2), tool(3)].join(","), "");
    let pages = [
        page(&tool(1), r#","nextCursor":"2""#),
        page(&tool(2), r#","nextCursor":"3""#),
        page(&tool(3), ""),
    ];
    for answers in [&[one][..], &pages] {
        let listing = world(answers).list().unwrap();
        assert_eq!(listing.tools.len(), 2);
        assert_eq!(
            listing.warnings,
            ["the list of tools is cut after 2 tools: it exceeds the size limit"]
        );
    }
    // Pages without tools do not continue without end either.
    let junk = format!(r#","junk":"{}","nextCursor":"2""#, "x".repeat(9 << 20));
    let world = world(&[page("", &junk)]);
    assert_eq!(world.list().unwrap().warnings.len(), 1);
    assert_eq!(world.methods().len(), 1);
}

#[test]
fn a_page_that_is_larger_than_any_answer_fails_as_such() {
    let large = page("", &format!(r#","junk":"{}""#, "x".repeat(33 << 20)));
    assert_eq!(world(&[large]).list(), Err(Failure::ListTooLarge));
}

#[test]
fn an_empty_cursor_is_the_end_or_a_page() {
    let tool = |name: &str| format!(r#"{{"name":"{name}","inputSchema":{{}}}}"#);
    let first = page(&tool("a"), r#","nextCursor":"""#);
    let refused = r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32602,"message":"no cursor"}}"#;
    let refused = Answer::With(200, "application/json", refused.to_owned());
    for (second, tools) in [
        (first.clone(), 1),
        (refused, 1),
        (page(&tool("b"), ""), 2),
        (page(&tool("b"), r#","nextCursor":"""#), 2),
    ] {
        let world = world(&[first.clone(), second]);
        let listing = world.list().unwrap();
        assert_eq!((listing.tools.len(), world.methods().len()), (tools, 2));
        assert!(listing.warnings.is_empty(), "{:?}", listing.warnings);
    }
}

#[test]
fn a_server_without_tools_has_an_empty_list() {
    let none = r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32601,"message":"Method not found"}}"#;
    let refused = |status| Answer::With(status, "application/json", none.to_owned());
    let discovered = r#"{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}}"#;
    let discovered = Answer::With(200, "application/json", discovered.to_owned());
    // A server of the modern version: it has neither tools nor a handshake, but a description of
    // itself.
    let modern = world(&[refused(404), refused(404), discovered]);
    assert_eq!(modern.list().unwrap().tools, []);
    assert_eq!(
        modern.methods(),
        ["tools/list", "initialize", "server/discover"]
    );
    // A server that knows none of the three is no MCP server.
    let other = world(&[refused(404), refused(404), refused(404)]);
    assert!(other.list().is_err());
    let null = r#"{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"complete","tools":null}}"#;
    let null = world(&[Answer::With(200, "application/json", null.to_owned())]);
    assert_eq!(null.list().unwrap().tools, []);
}

#[test]
fn an_odd_field_says_nothing_and_costs_no_tool() {
    let tools = r#"{"name":"a","title":5,"description":["x"],"annotations":{"readOnlyHint":"true","idempotentHint":true,"title":"A"}},{"name":"b","annotations":[1]},{"name":"c","annotations":{"readOnlyHint":true}}"#;
    let listing = world(&[page(tools, r#","ttlMs":"soon""#)]).list().unwrap();
    assert!(listing.warnings.is_empty(), "{:?}", listing.warnings);
    assert_eq!(listing.ttl_ms, None);
    let [a, b, c] = &listing.tools[..] else {
        panic!("{:?}", listing.tools)
    };
    assert_eq!(
        (a.title.as_deref(), a.description.as_str()),
        (Some("A"), "")
    );
    assert_eq!((a.read_only, a.idempotent), (false, true));
    assert_eq!((b.name.as_str(), b.read_only), ("b", false));
    assert!(c.read_only);
}

#[test]
fn names_in_warnings_are_short_and_stand_on_one_line() {
    let long = "n".repeat(1_000_000);
    let tools = format!(
        r#"{{"name":"new\nline"}},{{"name":"new\nline"}},{{"name":"{long}"}},{{"name":["{long}"]}}"#
    );
    let listing = world(&[page(&tools, "")]).list().unwrap();
    assert_eq!(listing.tools.len(), 1);
    assert_eq!(listing.warnings[0], "the tool new line is listed twice");
    assert!(listing.warnings[1].ends_with("is left out: its name has more than 256 characters"));
    for warning in &listing.warnings {
        assert!(
            warning.len() < 1_100 && !warning.contains('\n'),
            "{warning}"
        );
    }
}

#[test]
fn a_tool_whose_name_holds_a_secret_is_left_out_without_a_word_of_it() {
    let tools = r#"{"name":"find_s3cr3t"},{"name":"find"}"#;
    let listing = world(&[page(tools, "")]).list().unwrap();
    assert_eq!(listing.tools.len(), 1);
    assert_eq!(listing.tools[0].name, "find");
    assert_eq!(
        listing.warnings,
        ["a tool whose name contains a secret of the server is left out"]
    );
}
