//! Anthropic's events, with those that later versions added.

use serde_json::{Value, json};

use super::world::{events, reply, request, structured, world};
use crate::StopReason;

fn stream(values: &[Value]) -> String {
    let event = |value: &Value| {
        format!(
            "event: {}\ndata: {value}\n\n",
            value["type"].as_str().unwrap()
        )
    };
    values.iter().map(event).collect()
}

fn end(reason: &str) -> [Value; 2] {
    [
        json!({"type":"message_delta","delta":{"stop_reason":reason},"usage":{"output_tokens":7}}),
        json!({"type":"message_stop"}),
    ]
}

fn text(text: &str) -> Value {
    json!({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":text}})
}

fn tool() -> Value {
    json!({"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"write_query","input":{}}})
}

fn input(json_text: &str) -> Value {
    json!({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":json_text}})
}

fn with_end(mut values: Vec<Value>, reason: &str) -> String {
    values.extend(end(reason));
    stream(&values)
}

#[test]
fn events_and_blocks_of_other_kinds_are_passed_over() {
    let all = with_end(
        vec![
            json!({"type":"message_start","message":{"model":"m","usage":{"input_tokens":5,"cache_creation_input_tokens":10,"cache_read_input_tokens":100,"output_tokens":1}}}),
            json!({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}),
            json!({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}),
            json!({"type":"something_new","deep":{"a":[1]}}),
            text("Hi"),
        ],
        "end_turn",
    );
    let (outcome, texts) = world(vec![events(&all)]).ask_anthropic(&request());
    let completion = outcome.unwrap();
    assert_eq!(
        (completion.text.as_str(), texts.concat().as_str()),
        ("Hi", "Hi")
    );
    assert_eq!(
        (
            completion.usage.input_tokens,
            completion.usage.output_tokens
        ),
        (115, 7)
    );
    assert!(!completion.usage.estimated);
}

#[test]
fn words_before_the_tool_are_not_the_object() {
    let all = with_end(
        vec![
            text("Let me see {\"explanation\":"),
            tool(),
            input(""),
            input("{\"query\":\"SELECT 1\",\"explan"),
            input("ation\":\"One.\"}"),
        ],
        "tool_use",
    );
    let (outcome, texts) = world(vec![events(&all)]).ask_anthropic(&structured());
    let completion = outcome.unwrap();
    assert_eq!(completion.object.unwrap()["query"], "SELECT 1");
    assert_eq!(completion.stop, StopReason::End);
    assert_eq!(texts.concat(), "One.");
}

#[test]
fn what_was_handed_out_is_not_followed_by_another_text() {
    let all = with_end(
        vec![
            text("{\"explanation\":\"Words. "),
            tool(),
            input("{\"explanation\":\"Tool.\"}"),
            text("\"}"),
        ],
        "tool_use",
    );
    let (outcome, texts) = world(vec![events(&all)]).ask_anthropic(&structured());
    assert_eq!(outcome.unwrap().object.unwrap()["explanation"], "Tool.");
    assert_eq!(texts.concat(), "Words. ");
}

#[test]
fn a_model_that_writes_words_instead_of_the_tool_is_read() {
    let all = with_end(
        vec![
            text("Sure:\n{\"query\":\"SELECT 1\","),
            text("\"explanation\":\"One.\"}"),
        ],
        "end_turn",
    );
    let (outcome, texts) = world(vec![events(&all)]).ask_anthropic(&structured());
    assert_eq!(outcome.unwrap().object.unwrap()["explanation"], "One.");
    assert_eq!(texts.concat(), "One.");
}

#[test]
fn a_tool_without_input_is_an_empty_object() {
    let (outcome, _) =
        world(vec![events(&with_end(vec![tool()], "tool_use"))]).ask_anthropic(&structured());
    assert_eq!(outcome.unwrap().object, Some(serde_json::Map::new()));
}

#[test]
fn reasons_to_stop_are_told_apart() {
    for (reason, code, detail) in [
        ("refusal", "MODEL_REFUSED", None),
        ("max_tokens", "MODEL_BAD_ANSWER", Some("cut_off")),
        (
            "model_context_window_exceeded",
            "MODEL_BAD_ANSWER",
            Some("cut_off"),
        ),
    ] {
        let half = with_end(vec![tool(), input("{\"query\":\"SEL")], reason);
        let failure = world(vec![events(&half)])
            .ask_anthropic(&structured())
            .0
            .unwrap_err();
        assert_eq!(failure.usage.output_tokens, 7);
        let error = base::Error::from(failure);
        assert_eq!(error.code(), code, "{reason}");
        let told = error.details().get("reason").cloned();
        assert_eq!(told, detail.map(Value::from), "{reason}");
    }
    for reason in [
        "max_tokens",
        "model_context_window_exceeded",
        "stop_sequence",
        "pause_turn",
    ] {
        let all = with_end(vec![text("Hi")], reason);
        let completion = world(vec![events(&all)])
            .ask_anthropic(&request())
            .0
            .unwrap();
        let expected = match reason {
            "stop_sequence" => StopReason::End,
            "pause_turn" => StopReason::Other,
            _ => StopReason::MaxTokens,
        };
        assert_eq!(completion.stop, expected, "{reason}");
    }
}

#[test]
fn errors_within_a_stream_have_the_codes_of_their_types() {
    for (kind, code) in [
        ("overloaded_error", "MODEL_UNAVAILABLE"),
        ("api_error", "MODEL_UNAVAILABLE"),
        ("rate_limit_error", "MODEL_RATE_LIMITED"),
        ("authentication_error", "MODEL_UNAUTHORIZED"),
        ("billing_error", "MODEL_RATE_LIMITED"),
    ] {
        let error = json!({"type":"error","error":{"type":kind,"message":"why"}});
        let all = stream(&[text("Hi"), error]);
        let failure = world(vec![events(&all)])
            .ask_anthropic(&request())
            .0
            .unwrap_err();
        assert!(failure.to_string().contains("why"), "{failure}");
        assert_eq!(base::Error::from(failure).code(), code, "{kind}");
    }
    let unnamed = stream(&[text("Hi"), json!({"type":"error"})]);
    let failure = world(vec![events(&unnamed)])
        .ask_anthropic(&request())
        .0
        .unwrap_err();
    assert_eq!(base::Error::from(failure).code(), "MODEL_UNAVAILABLE");
}

#[test]
fn a_model_that_takes_no_temperature_is_asked_without() {
    let body = json!({"type":"error","error":{"type":"invalid_request_error","message":"`temperature` is deprecated for this model"}});
    let world = world(vec![
        reply(400, "application/json", &body.to_string()),
        events(&with_end(vec![text("Hi")], "end_turn")),
    ]);
    assert_eq!(world.ask_anthropic(&request()).0.unwrap().text, "Hi");
    assert_eq!(world.body(1).get("temperature"), None);
}

#[test]
fn a_model_that_cannot_be_made_to_call_a_tool_gets_the_schema_in_words() {
    let body = json!({"type":"error","error":{"type":"invalid_request_error","message":"Thinking may not be enabled when tool_choice forces tool use."}});
    let rejected = || reply(400, "application/json", &body.to_string());
    let written = [text("{\"query\":\"SELECT 1\",\"explanation\":\"One.\"}")];
    let world = world(vec![
        rejected(),
        events(&with_end(written.to_vec(), "end_turn")),
        rejected(),
    ]);
    let (outcome, texts) = world.ask_anthropic(&structured());
    assert_eq!(outcome.unwrap().object.unwrap()["query"], "SELECT 1");
    assert_eq!(texts.concat(), "One.");
    let last = world.body(1);
    assert_eq!((last.get("tools"), last.get("tool_choice")), (None, None));
    assert!(last["system"].as_str().unwrap().contains("JSON Schema"));
    // The dialect has no other part to leave out.
    assert!(world.ask_anthropic(&structured()).0.is_err());
}
