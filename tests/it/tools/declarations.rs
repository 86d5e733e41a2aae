//! Declarations of whole servers within a budget.

use mcp::Tool;
use serde_json::json;
use tools::declarations::{interface, overview, servers};

use super::declared_schemas::parsed;
use super::{borrowed, catalogue, named, without_parameters};

#[test]
fn a_server_is_an_interface_with_a_method_for_each_tool() {
    for (server, tools) in catalogue() {
        let text = interface(&server, &tools);
        assert_eq!(parsed(&text), (vec![tools.len()], 0));
        assert!(text.contains(" extends Server {\n"), "{text}");
    }
}

#[test]
fn invoke_of_one_name_does_not_hide_invoke_of_any() {
    let plain = interface("pubs", &[without_parameters("plain")]);
    assert!(!plain.contains("invoke("), "{plain}");
    let text = interface(
        "pubs",
        &[without_parameters("then"), without_parameters("plain")],
    );
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    assert_eq!(
        lines,
        [
            "interface PubsTools extends Server {",
            "invoke(tool: \"then\", args?: Record<string, any>, options?: CallOptions): Promise<any>;",
            "plain(args?: Record<string, any>, options?: CallOptions): Promise<any>;",
            "invoke(tool: string, args?: object, options?: CallOptions): Promise<any>;",
            "}",
        ]
    );
}

#[test]
fn all_is_declared_while_it_fits_then_briefly_then_by_name() {
    let catalogue = catalogue();
    let list = borrowed(&catalogue);
    let whole = servers(&list, 100_000);
    assert_eq!(parsed(&whole), (vec![10; 6], 0));
    assert!(
        whole.contains("// Family name and initials, as in Curie M"),
        "{whole}"
    );

    let size = whole.chars().count();
    let brief = servers(&list, size - 1);
    assert_eq!(parsed(&brief), (vec![10; 6], 0));
    assert!(!brief.contains("Curie"), "{brief}");

    let some = servers(&list, brief.chars().count() - 1);
    let (interfaces, others) = parsed(&some);
    assert_eq!((interfaces, others), (vec![10; 5], 0), "{some}");
    assert!(
        some.contains("helpers.search(\"words\")") && some.contains("helpers.describe("),
        "{some}"
    );

    let names = servers(&list, 1_500);
    assert!(
        names.contains("// helpers.pubs: search, get_paper, "),
        "{names}"
    );
    assert!(names.contains("(10 tools)"), "{names}");
    for (server, _) in &list {
        assert!(names.contains(&format!("// helpers.{server}: ")), "{names}");
    }
}

#[test]
fn every_budget_is_kept_and_every_text_is_typescript() {
    let catalogue = catalogue();
    let list = borrowed(&catalogue);
    for budget in (0..20_000).step_by(97) {
        let text = servers(&list, budget);
        assert!(
            text.chars().count() <= budget,
            "{budget}: {}",
            text.chars().count()
        );
        assert_eq!(text, servers(&list, budget), "the same again");
        parsed(&text);
    }
}

#[test]
fn many_servers_and_many_tools_keep_the_budget() {
    let tools: Vec<Tool> = (0..500)
        .map(|number| Tool {
            description: "x".repeat(3_000),
            ..named(
                &format!("tool_number_{number}"),
                json!({ "properties": { "a": { "type": "string" } } }),
            )
        })
        .collect();
    let names: Vec<String> = (0..64).map(|number| format!("server-{number}")).collect();
    let list: Vec<(&str, &[Tool])> = names
        .iter()
        .map(|name| (name.as_str(), tools.as_slice()))
        .collect();
    for budget in [0, 50, 100, 500, 2_000, 10_000] {
        let text = servers(&list, budget);
        assert!(
            text.chars().count() <= budget,
            "{budget}: {}",
            text.chars().count()
        );
        parsed(&text);
    }
    let text = servers(&list, 10_000);
    assert!(
        text.contains("// helpers.server-63: tool_number_0"),
        "{text}"
    );
    assert!(servers(&list, 500).contains("more servers"));
}

#[test]
fn members_of_helpers_name_interfaces_that_are_there() {
    let tools = [without_parameters("a")];
    let list: [(&str, &[Tool]); 3] = [("my-pubs", &tools), ("my_pubs", &tools), ("empty", &[])];
    let whole = overview(&list, 10_000);
    assert_eq!(
        whole.members,
        [
            "\"my-pubs\": MyPubsTools",
            "my_pubs: MyPubsTools2",
            "empty: EmptyTools"
        ]
    );
    assert!(
        whole
            .text
            .contains("interface MyPubsTools2 extends Server {"),
        "{}",
        whole.text
    );
    let names = overview(&list, 200);
    assert!(
        names.members.contains(&"\"my-pubs\": Server".to_owned()),
        "{names:?}"
    );
}
