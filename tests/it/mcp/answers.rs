//! Malformed responses, and their treatment.

use mcp::{Era, Failure};

use super::world::{Answer, json_answer, world};

/// Returns JSON with this many levels of nesting.
pub fn nested(levels: usize) -> String {
    format!("{}1{}", r#"{"a":"#.repeat(levels), "}".repeat(levels))
}

#[test]
fn an_answer_of_a_tool_that_nests_too_deep_fails() {
    let result = |levels| {
        let structured = nested(levels);
        json_answer(&format!(
            r#"{{"resultType":"complete","content":[],"structuredContent":{structured}}}"#
        ))
    };
    assert!(world(&[result(110)]).call(true).is_ok());
    for levels in [121, 100_000] {
        let failure = world(&[result(levels)]).call(true).unwrap_err();
        assert_eq!(failure, Failure::TooDeep);
    }
}

#[test]
fn a_result_that_is_no_object_fails_and_is_called_what_it_is() {
    for (result, wanted) in [
        ("[]", "the result is a list; it must be an object"),
        (
            r#"["complete",[]]"#,
            "the result is a list; it must be an object",
        ),
        ("null", "the result is null; it must be an object"),
        (r#""done""#, "the result is a text; it must be an object"),
        ("true", "the result is a boolean; it must be an object"),
        ("-1", "the result is a number; it must be an object"),
    ] {
        let event = format!("data: {{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{result}}}\n\n");
        for answer in [
            json_answer(result),
            Answer::With(200, "text/event-stream", event),
        ] {
            let world = world(&[answer]);
            assert_eq!(
                world.call(true),
                Err(Failure::Protocol(wanted.to_owned())),
                "{result}"
            );
        }
    }
    let batch = r#"[{"jsonrpc":"2.0","id":$ID,"result":{"content":[]}}]"#;
    for body in [batch, r#"[$ID,null,null,{"content":[]}]"#] {
        let world = world(&[Answer::With(200, "application/json", body.to_owned())]);
        world.connection.assume(Some(Era::Modern));
        let failure = world.call(true).unwrap_err();
        assert!(matches!(&failure, Failure::Protocol(text) if text.contains("it is a list")));
    }
    // Servers of JSON-RPC 1.0 send both.
    let both = r#"{"id":$ID,"result":null,"error":{"code":-32602,"message":"no"}}"#;
    let refused = world(&[Answer::With(200, "application/json", both.to_owned())]);
    refused.connection.assume(Some(Era::Modern));
    assert!(matches!(
        refused.call(true),
        Err(Failure::Refused { code: -32602, .. })
    ));
}

#[test]
fn content_that_is_null_is_no_content() {
    let world = world(&[json_answer(
        r#"{"resultType":"complete","content":null,"structuredContent":{"a":1}}"#,
    )]);
    assert_eq!(world.call(true).unwrap()["structuredContent"]["a"], 1);
}

#[test]
fn one_byte_order_mark_before_the_answer_is_passed_over() {
    let marked = |marks: &str| {
        let body = r#"{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"complete","content":[]}}"#;
        Answer::With(200, "application/json", format!("{marks}{body}"))
    };
    assert!(world(&[marked("\u{feff}")]).call(true).is_ok());
    let twice = world(&[marked("\u{feff}\u{feff}")]);
    twice.connection.assume(Some(Era::Modern));
    assert!(matches!(twice.call(true), Err(Failure::Protocol(_))));
    let body = "\u{feff}{\"id\":$ID,\"error\":{\"code\":-32020,\"message\":\"no\"}}".to_owned();
    assert!(matches!(
        world(&[Answer::With(400, "application/json", body)]).call(true),
        Err(Failure::Refused { code: -32020, .. })
    ));
}
