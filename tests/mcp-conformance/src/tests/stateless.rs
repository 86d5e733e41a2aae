//! The stateless version, in which each request is complete by itself.

use mcp::{HEADER_MISMATCH, MISSING_CAPABILITY};
use serde_json::{Value, json};

use super::world::{World, able, filled, text_of, world, written};

fn names(list: &Value) -> Vec<&str> {
    let entries = list.as_array().unwrap();
    entries
        .iter()
        .map(|entry| entry["name"].as_str().unwrap())
        .collect()
}

fn code(world: &World, method: &str, params: Value) -> i64 {
    world.send(method, &params, &able()).unwrap_err().code
}

#[test]
fn lists_say_for_how_long_they_hold_and_have_one_page() {
    let world = world();
    for (method, member) in [
        ("tools/list", "tools"),
        ("prompts/list", "prompts"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
    ] {
        let result = world.send(method, &json!({}), &able()).unwrap();
        assert_eq!(result["resultType"], "complete");
        assert!(result["ttlMs"].as_u64().is_some_and(|ttl| ttl > 0));
        assert_eq!(result["cacheScope"], "public");
        assert!(!result[member].as_array().unwrap().is_empty());
        assert_eq!(code(&world, method, json!({ "cursor": "2" })), -32602);
    }
}

#[test]
fn every_tool_is_described_and_the_first_needs_no_arguments() {
    let world = world();
    let result = world.send("tools/list", &json!({}), &able()).unwrap();
    let tools = result["tools"].as_array().unwrap();
    for tool in tools {
        assert!(!tool["description"].as_str().unwrap().is_empty());
        assert_eq!(tool["inputSchema"]["type"], "object");
    }
    let mut listed = names(&result["tools"]);
    let first = listed.first().copied().unwrap();
    assert_eq!(
        text_of(&world.call(first)),
        "This is a simple text response for testing."
    );
    let count = listed.len();
    listed.sort_unstable();
    listed.dedup();
    assert_eq!(listed.len(), count);
}

#[test]
fn tools_return_every_kind_of_content() {
    let world = world();
    let kinds = |tool: &str| -> Vec<String> {
        let result = world.call(tool);
        let blocks = result["content"].as_array().unwrap();
        let kinds = blocks.iter().map(|block| block["type"].as_str().unwrap());
        kinds.map(str::to_owned).collect()
    };
    assert_eq!(kinds("test_image_content"), ["image"]);
    assert_eq!(kinds("test_audio_content"), ["audio"]);
    assert_eq!(kinds("test_embedded_resource"), ["resource"]);
    assert_eq!(
        kinds("test_multiple_content_types"),
        ["text", "image", "resource"]
    );
    assert_eq!(world.call("test_error_handling")["isError"], true);
}

#[test]
fn wrong_arguments_are_the_result_of_the_tool() {
    let world = world();
    for (tool, arguments, problem) in [
        (
            "test_simple_text",
            json!({ "a": 1 }),
            "there is no parameter `a`",
        ),
        (
            "test_sampling",
            json!({}),
            "the parameter `prompt` is missing",
        ),
        (
            "test_sampling",
            json!({ "promt": "x" }),
            "there is no parameter `promt`; did you mean `prompt`?",
        ),
        (
            "test_elicitation",
            json!({ "message": 5 }),
            "the parameter `message` must be of the type string",
        ),
    ] {
        let params = json!({ "name": tool, "arguments": arguments });
        let result = world.send("tools/call", &params, &able()).unwrap();
        assert_eq!(result["isError"], true);
        assert_eq!(text_of(&result), problem);
    }
    let fault = world
        .send("tools/call", &json!({ "name": "test_simple_txt" }), &able())
        .unwrap_err();
    assert_eq!(fault.code, -32602);
    assert!(
        fault.message.contains("`test_simple_text`"),
        "{}",
        fault.message
    );
}

#[test]
fn headers_repeat_the_parameters_that_are_marked() {
    let world = world();
    let params = json!({
        "name": "test_header_parameters",
        "arguments": { "region": "Hello", "count": 3, "note": "n" },
    });
    let headers = [
        ("mcp-param-region", "=?base64?SGVsbG8=?="),
        ("mcp-param-count", "3"),
    ];
    let result = world
        .send_with("tools/call", &params, &able(), &headers)
        .unwrap();
    assert_eq!(
        text_of(&result),
        r#"{"region":"Hello","count":3,"note":"n"}"#
    );
    for headers in [
        &[][..],
        &[("mcp-param-region", "Hello")],
        &[
            ("mcp-param-region", "=?base64?SGVsbG8?="),
            ("mcp-param-count", "3"),
        ],
    ] {
        let fault = world
            .send_with("tools/call", &params, &able(), headers)
            .unwrap_err();
        assert_eq!(fault.code, HEADER_MISMATCH);
    }
}

#[test]
fn a_call_talks_before_its_result() {
    let world = world();
    world.call("test_tool_with_progress");
    assert_eq!(world.notices(), ["notifications/progress"; 3]);
    world.call("test_tool_with_logging");
    assert_eq!(world.notices(), ["notifications/message"; 3]);
    world.call("test_logging_tool");
    assert_eq!(world.notices(), ["notifications/message"]);
    let before = world.time.0.get();
    world.call("test_reconnection");
    assert_eq!(world.notices(), ["reconnect"]);
    assert_eq!(world.time.0.get() - before, 100);
    let result = world.call("test_streaming_elicitation");
    assert_eq!(world.notices(), ["notifications/progress"]);
    assert_eq!(result["resultType"], "input_required");
}

#[test]
fn a_client_is_asked_once_and_greeted() {
    let world = world();
    let tool = "test_input_required_result_elicitation";
    let asked = world.call(tool);
    assert_eq!(asked["resultType"], "input_required");
    let request = &asked["inputRequests"]["user_name"];
    assert_eq!(request["method"], "elicitation/create");
    assert_eq!(
        request["params"]["requestedSchema"]["required"],
        json!(["name"])
    );
    let responses = json!({ "user_name": filled(json!({ "name": "Ada" })), "other": {} });
    let done = world.retry(tool, responses, &asked).unwrap();
    assert_eq!(text_of(&done), "Hello, Ada!");
    let refused = world.retry(
        tool,
        json!({ "user_name": { "action": "decline" } }),
        &asked,
    );
    assert_eq!(text_of(&refused.unwrap()), "No name: decline.");
}

#[test]
fn a_response_that_does_not_fit_is_asked_for_again() {
    let world = world();
    let tool = "test_input_required_result_elicitation";
    for responses in [
        Value::Null,
        json!({}),
        json!({ "wrong_key": filled(json!({ "name": "Ada" })) }),
        json!({ "user_name": 12345 }),
        json!({ "user_name": { "action": "maybe" } }),
        json!({ "user_name": filled(json!({ "name": 5 })) }),
    ] {
        let result = world.retry(tool, responses, &json!({})).unwrap();
        assert_eq!(result["resultType"], "input_required");
        assert!(result["inputRequests"]["user_name"].is_object());
    }
}

#[test]
fn models_and_roots_are_asked_for_too() {
    let world = world();
    let tool = "test_input_required_result_sampling";
    let asked = world.call(tool);
    let request = &asked["inputRequests"]["capital_question"];
    assert_eq!(request["method"], "sampling/createMessage");
    let several = json!({ "role": "assistant", "model": "m", "content": [{ "type": "text", "text": "Paris" }] });
    for response in [written("Paris"), several] {
        let done = world.retry(tool, json!({ "capital_question": response }), &asked);
        assert_eq!(text_of(&done.unwrap()), "LLM response: Paris");
    }
    let tool = "test_input_required_result_list_roots";
    let asked = world.call(tool);
    assert_eq!(
        asked["inputRequests"]["client_roots"]["method"],
        "roots/list"
    );
    let roots = json!({ "client_roots": { "roots": [{ "uri": "file:///a" }] } });
    let done = world.retry(tool, roots, &asked).unwrap();
    assert_eq!(text_of(&done), "Roots: file:///a");
}

#[test]
fn a_prompt_asks_as_a_tool_does() {
    let world = world();
    let params = json!({ "name": "test_input_required_result_prompt" });
    let asked = world.send("prompts/get", &params, &able()).unwrap();
    assert_eq!(asked["resultType"], "input_required");
    let mut retry = params.clone();
    retry["inputResponses"] = json!({ "user_context": filled(json!({ "context": "tests" })) });
    let done = world.send("prompts/get", &retry, &able()).unwrap();
    assert_eq!(
        done["messages"][0]["content"]["text"],
        "The context is: tests"
    );
    retry["requestState"] = json!("made up");
    assert_eq!(code(&world, "prompts/get", retry), -32602);
}

#[test]
fn a_confirmation_counts_only_with_its_state() {
    let world = world();
    let responses = json!({ "confirm": filled(json!({ "ok": true })) });
    for tool in [
        "test_input_required_result_request_state",
        "test_input_required_result_tampered_state",
    ] {
        let asked = world.call(tool);
        let done = world.retry(tool, responses.clone(), &asked).unwrap();
        assert_eq!(text_of(&done), "state-ok: accept");
        let without = world.retry(tool, responses.clone(), &json!({})).unwrap();
        assert_eq!(without["resultType"], "input_required");
        let mut changed = asked.clone();
        let state = format!("{}-TAMPERED", asked["requestState"].as_str().unwrap());
        changed["requestState"] = json!(state);
        let fault = world.retry(tool, responses.clone(), &changed).unwrap_err();
        assert_eq!(
            (fault.code, fault.data.unwrap()["code"].clone()),
            (-32602, json!("STATE_FORGED"))
        );
    }
}

#[test]
fn a_state_belongs_to_its_request_and_expires() {
    let world = world();
    let responses = json!({ "confirm": filled(json!({ "ok": true })) });
    let asked = world.call("test_input_required_result_request_state");
    let other = "test_input_required_result_tampered_state";
    let fault = world.retry(other, responses.clone(), &asked).unwrap_err();
    assert_eq!(fault.data.unwrap()["code"], "STATE_OF_OTHER_REQUEST");
    world.time.0.set(world.time.0.get() + 10 * 60 * 1_000);
    let same = "test_input_required_result_request_state";
    let fault = world.retry(same, responses, &asked).unwrap_err();
    assert_eq!(fault.data.unwrap()["code"], "STATE_EXPIRED");
}

#[test]
fn two_rounds_remember_the_first() {
    let world = world();
    let tool = "test_input_required_result_multi_round";
    let first = world.call(tool);
    let name = json!({ "step1": filled(json!({ "name": "Ada" })) });
    let second = world.retry(tool, name, &first).unwrap();
    assert!(second["inputRequests"]["step2"].is_object());
    assert_ne!(second["requestState"], first["requestState"]);
    let color = json!({ "step2": filled(json!({ "color": "blue" })) });
    let done = world.retry(tool, color.clone(), &second).unwrap();
    assert_eq!(text_of(&done), "Ada likes blue.");
    // The second response with the first state does not skip a round.
    let early = world.retry(tool, color, &first).unwrap();
    assert!(early["inputRequests"]["step1"].is_object());
}

#[test]
fn what_is_missing_of_several_is_asked_for_alone() {
    let world = world();
    let tool = "test_input_required_result_multiple_inputs";
    let asked = world.call(tool);
    assert_eq!(asked["inputRequests"].as_object().unwrap().len(), 3);
    let some = json!({ "greeting": written("Hi"), "client_roots": { "roots": [] } });
    let again = world.retry(tool, some, &asked).unwrap();
    let keys: Vec<&String> = again["inputRequests"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["user_name"]);
    let rest = json!({ "user_name": filled(json!({ "name": "Ada" })) });
    let done = world.retry(tool, rest, &again).unwrap();
    assert_eq!(
        text_of(&done),
        r#"{"client_roots":"","greeting":"Hi","user_name":"Ada"}"#
    );
}

#[test]
fn a_client_is_asked_only_what_it_can_do() {
    let world = world();
    let call = |tool: &str, capabilities: Value| {
        let params = json!({ "name": tool, "arguments": {} });
        world.send("tools/call", &params, &capabilities)
    };
    let tool = "test_input_required_result_capabilities";
    for (capabilities, key) in [
        (json!({ "sampling": {} }), "sample_input"),
        (json!({ "elicitation": {} }), "elicit_input"),
    ] {
        let asked = call(tool, capabilities).unwrap();
        let keys: Vec<&String> = asked["inputRequests"].as_object().unwrap().keys().collect();
        assert_eq!(keys, [key]);
    }
    assert_eq!(
        text_of(&call(tool, json!({})).unwrap()),
        "The client can be asked nothing."
    );
    let fault = call("test_missing_capability", json!({})).unwrap_err();
    assert_eq!((fault.status, fault.code), (400, MISSING_CAPABILITY));
    let data = fault.data.unwrap();
    assert_eq!(data["requiredCapabilities"], json!({ "sampling": {} }));
}

#[test]
fn resources_are_read_by_their_uri() {
    let world = world();
    let read = |uri: &str| world.send("resources/read", &json!({ "uri": uri }), &able());
    let text = read("test://static-text").unwrap();
    assert_eq!(text["contents"][0]["mimeType"], "text/plain");
    assert!(text["ttlMs"].is_u64());
    assert!(read("test://static-binary").unwrap()["contents"][0]["blob"].is_string());
    let templated = read("test://template/123/data").unwrap();
    let data = templated["contents"][0]["text"].as_str().unwrap();
    assert_eq!(
        data,
        r#"{"id":"123","templateTest":true,"data":"Data for ID: 123"}"#
    );
    for uri in [
        "test://none",
        "test://template//data",
        "test://template/1/2/data",
        "test://changing-resource",
    ] {
        let fault = read(uri).unwrap_err();
        assert_eq!(
            (fault.code, *fault.data.unwrap()),
            (-32602, json!({ "uri": uri }))
        );
    }
}

#[test]
fn prompts_have_exactly_their_arguments() {
    let world = world();
    let get = |params: Value| world.send("prompts/get", &params, &able());
    let name = "test_prompt_with_arguments";
    let done = get(json!({ "name": name, "arguments": { "arg1": "a", "arg2": "b" } })).unwrap();
    assert_eq!(
        done["messages"][0]["content"]["text"],
        "Prompt with arguments: arg1='a', arg2='b'"
    );
    let done = get(
        json!({ "name": "test_prompt_with_embedded_resource", "arguments": { "resourceUri": "test://x" } }),
    );
    assert_eq!(
        done.unwrap()["messages"][0]["content"]["resource"]["uri"],
        "test://x"
    );
    let done = get(json!({ "name": "test_prompt_with_image" })).unwrap();
    assert_eq!(done["messages"][0]["content"]["type"], "image");
    for params in [
        json!({ "name": name, "arguments": { "arg1": "a" } }),
        json!({ "name": name, "arguments": { "arg1": "a", "arg2": "b", "arg3": "c" } }),
        json!({ "name": "none" }),
        json!({ "name": "test_changing_prompt" }),
    ] {
        assert_eq!(get(params).unwrap_err().code, -32602);
    }
}

#[test]
fn arguments_are_completed() {
    let world = world();
    let complete = |of: Value, name: &str, value: &str| {
        let params = json!({ "ref": of, "argument": { "name": name, "value": value } });
        world.send("completion/complete", &params, &able())
    };
    let prompt = json!({ "type": "ref/prompt", "name": "test_prompt_with_arguments" });
    let done = complete(prompt.clone(), "arg1", "par").unwrap();
    let expected = json!({ "values": ["paris", "park", "party"], "total": 3, "hasMore": false });
    assert_eq!(done["completion"], expected);
    let template = json!({ "type": "ref/resource", "uri": "test://template/{id}/data" });
    let done = complete(template, "id", "12").unwrap();
    assert_eq!(done["completion"]["values"], json!(["123", "124"]));
    let other = json!({ "type": "ref/resource", "uri": "test://none" });
    assert_eq!(complete(other, "id", "").unwrap_err().code, -32602);
    assert_eq!(complete(prompt, "arg3", "").unwrap_err().code, -32602);
}
