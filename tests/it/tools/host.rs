//! Tools that the caller of a program runs itself: their declarations in a request, and the effect
//! of a response.

use serde_json::json;
use session::Session;
use tools::host::{HostCallEnd, HostTools};
use tools::outcome::Reader;
use tools::request::{ProxyRequest, SearchRequest, ToolCall};

use test_support::HostDatabase;

const TOOLS: &str = r#"[
    {"name": "forecast", "description": "The weather of tomorrow", "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}},
    {"name": "list_orders"}
]"#;

fn tools() -> HostTools {
    HostTools::parse(TOOLS, 1_000).unwrap()
}

fn call(tool: &str, arguments: &str) -> ToolCall {
    let body = format!(r#"{{"server":"host","tool":"{tool}","args":{arguments}}}"#);
    ProxyRequest::parse(&body).unwrap().call
}

/// Returns the data of a response, or the error that the program gets.
fn outcome(end: &str) -> Result<String, String> {
    let body = format!(r#"{{"executionId":"e","call":1,{end}}}"#);
    let end = HostCallEnd::parse(&body).map_err(|error| error.to_string())?;
    let tools = tools();
    let call = tools.check(call("forecast", r#"{"city":"Rome"}"#)).unwrap();
    let fetched = tools.fetched(call, &end.response).unwrap();
    let none: Option<&Session<'_, HostDatabase>> = None;
    let outcome = fetched.conclude(none, Reader::Program);
    outcome
        .map(|outcome| outcome.data)
        .map_err(|error| format!("{} {error}", error.code()))
}

#[test]
fn any_json_is_a_result_and_words_are_a_failure() {
    for result in [
        "null",
        "21",
        "true",
        r#""sunny""#,
        "[1,2]",
        r#"{"degrees":21,"n":12345678901234567890}"#,
    ] {
        assert_eq!(
            outcome(&format!(r#""result":{result}"#)),
            Ok(result.to_owned())
        );
    }
    assert_eq!(
        outcome(r#""error":{"message":"no such city","code":"X"}"#),
        Err("UPSTREAM_TOOL_ERROR host.forecast: no such city".to_owned())
    );
    for (end, problem) in [
        (r#""result":1,"error":{"message":"x"}"#, "both"),
        (r#""resultt":1"#, "resultt"),
        (r#""error":"x""#, "invalid type"),
        (r#""call":2,"result":1"#, "duplicate"),
    ] {
        let error = outcome(end).unwrap_err();
        assert!(error.contains(problem), "{end}: {error}");
    }
}

#[test]
fn a_call_is_checked_before_it_goes_out() {
    let tools = tools();
    let code = |tool: &str, arguments: &str| {
        let checked = tools.check(call(tool, arguments));
        checked.map(|call| call.tool).map_err(|error| error.code())
    };
    assert_eq!(
        code("forecast", r#"{"city":"Rome"}"#),
        Ok("forecast".to_owned())
    );
    assert_eq!(code("listOrders", "{}"), Ok("list_orders".to_owned()));
    assert_eq!(code("forecast", r#"{"city":1}"#), Err("INVALID_ARGUMENTS"));
    assert_eq!(code("forecast", "{}"), Err("INVALID_ARGUMENTS"));
    assert_eq!(code("forcast", "{}"), Err("TOOL_NOT_FOUND"));
}

#[test]
fn a_program_learns_what_there_is() {
    let tools = tools();
    let list = tools.list();
    assert_eq!(list["tools"][0]["name"], "forecast");
    assert_eq!(list["tools"][1]["inputSchema"], json!({"type": "object"}));
    let described = tools.describe("forecast").unwrap();
    let declaration = described["declaration"].as_str().unwrap();
    assert!(declaration.contains("city: string"), "{declaration}");
    let asked =
        SearchRequest::parse(r#"{"operation":"searchTools","query":"weather","server":"host"}"#)
            .unwrap();
    assert_eq!(tools.search(&asked)["tools"][0]["name"], "forecast");
}

#[test]
fn a_list_that_cannot_be_used_is_refused_with_an_example() {
    for (list, problem) in [
        ("{}", "not a list of tools"),
        (r#"[{"description":"x"}]"#, "missing field `name`"),
        (r#"[{"name":"a","run":1}]"#, "unknown field"),
        (r#"[{"name":"a b"}]"#, "identifier"),
        (r#"[{"name":""}]"#, "identifier"),
        (r#"[{"name":"listTools"}]"#, "a name of helpers.host itself"),
        (r#"[{"name":"then"}]"#, "a name of helpers.host itself"),
        (r#"[{"name":"__proto__"}]"#, "a name of helpers.host itself"),
        (r#"[{"name":"a"},{"name":"a"}]"#, "twice"),
        (r#"[{"name":"a","inputSchema":[]}]"#, "must be an object"),
    ] {
        let error = HostTools::parse(list, 1).err().unwrap();
        assert_eq!(error.code(), "INVALID_ARGUMENT", "{list}");
        assert!(error.to_string().contains(problem), "{list}: {error}");
        assert!(error.hint().unwrap().contains("hostTools"));
    }
    let many: Vec<_> = (0..101)
        .map(|number| json!({"name": format!("t{number}")}))
        .collect();
    let long = json!([{"name": "a", "description": "x".repeat(500_000)}]);
    for list in [json!(many), long] {
        let error = HostTools::parse(&list.to_string(), 1).err().unwrap();
        assert_eq!(error.code(), "TOO_BIG");
    }
}
