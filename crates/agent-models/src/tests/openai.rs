//! Endpoints that call themselves compatible with OpenAI's: the parts that each rejects, and the
//! messages of their rejections.

use serde_json::{Value, json};

use super::world::{Reply, World, events, reply, request, structured, world};

fn rejected(message: &str) -> Reply {
    let body = json!({"error":{"message":message,"type":"invalid_request_error","param":null,"code":null}});
    reply(400, "application/json", &body.to_string())
}

fn said(content: &str) -> Reply {
    let chunk = json!({"choices":[{"index":0,"delta":{"content":content},"finish_reason":"stop"}]});
    events(&format!("data: {chunk}\n\ndata: [DONE]\n\n"))
}

fn object() -> Reply {
    said("```json\n{\"query\":\"SELECT 1\",\"explanation\":\"One.\"}\n```")
}

fn bodies(world: &World) -> Vec<Value> {
    (0..world.sent.borrow().len())
        .map(|at| world.body(at))
        .collect()
}

#[test]
fn an_endpoint_that_rejects_the_schema_gets_it_in_words() {
    let world = world(vec![rejected("unsupported"), object(), object()]);
    let (outcome, texts) = world.ask_openai(&structured());
    assert_eq!(outcome.unwrap().object.unwrap()["query"], "SELECT 1");
    assert_eq!(texts.concat(), "One.");
    assert!(world.ask_openai(&structured()).0.is_ok());
    let bodies = bodies(&world);
    assert_eq!(bodies[0]["response_format"]["type"], "json_schema");
    // The accepted dialect is remembered.
    for body in &bodies[1..] {
        assert_eq!(body["response_format"], json!({"type":"json_object"}));
        let system = body["messages"][0]["content"].as_str().unwrap();
        assert!(system.starts_with("You write SQL for SQLite.\n\nRespond with one JSON object"));
        assert!(system.contains("\"additionalProperties\":false"));
    }
    assert_eq!(bodies.len(), 3);
}

#[test]
fn an_endpoint_that_takes_no_format_at_all_gets_words_alone() {
    let format = || rejected("'response_format.type' must be 'text'");
    let world = world(vec![format(), format(), object()]);
    assert!(world.ask_openai(&structured()).0.is_ok());
    let last = world.body(2);
    assert_eq!(last.get("response_format"), None);
}

#[test]
fn the_fall_back_ends_and_a_rejection_of_something_else_stays_one() {
    let again = || rejected("unsupported response_format");
    let all = world(vec![again(), again(), again()]);
    let failure = all.ask_openai(&structured()).0.unwrap_err();
    assert_eq!(base::Error::from(failure).code(), "MODEL_REJECTED");
    // A dialect that never worked is not remembered.
    assert_eq!(all.memory.dialect(), Default::default());
    for (message, structured_or_not) in [
        (
            "This model's maximum context length is 8192 tokens",
            structured(),
        ),
        ("The model `x` does not exist", structured()),
        ("unsupported", request()),
    ] {
        let once = world(vec![rejected(message)]);
        assert!(once.ask_openai(&structured_or_not).0.is_err());
        assert_eq!(once.sent.borrow().len(), 1, "{message}");
    }
}

#[test]
fn parts_that_an_endpoint_rejects_are_left_out() {
    let world = world(vec![
        rejected(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        ),
        rejected("Unsupported value: 'temperature' does not support 0 with this model."),
        rejected("Unrecognized request argument supplied: stream_options"),
        said("Hi"),
    ]);
    assert_eq!(world.ask_openai(&request()).0.unwrap().text, "Hi");
    let last = world.body(3);
    assert_eq!(last["max_completion_tokens"], 256);
    for gone in ["max_tokens", "temperature", "stream_options"] {
        assert_eq!(last.get(gone), None, "{gone}");
    }
    // A rejection of a part that is already left out does not cause another attempt.
    world
        .replies
        .borrow_mut()
        .push_back(rejected("temperature"));
    assert!(world.ask_openai(&request()).0.is_err());
    assert_eq!(world.sent.borrow().len(), 5);
}

#[test]
fn a_schema_that_is_not_strict_is_sent_as_such() {
    let schema = json!({"type":"object","properties":{"a":{"type":"string"}}});
    let open = crate::Structure::new("open", "", schema).unwrap();
    let world = world(vec![said("{}")]);
    assert!(world.ask_openai(&request().structured(open)).0.is_ok());
    assert_eq!(
        world.body(0)["response_format"]["json_schema"]["strict"],
        false
    );
}

#[test]
fn refusals_and_filters_are_told_apart() {
    let chunk = |delta: Value, reason: Value| {
        let chunk = json!({"choices":[{"index":0,"delta":delta,"finish_reason":reason}]});
        format!("data: {chunk}\n\n")
    };
    let refusal = chunk(json!({"refusal":"I cannot "}), Value::Null)
        + &chunk(json!({"refusal":"do that."}), Value::Null)
        + &chunk(json!({}), json!("stop"));
    let filtered = chunk(json!({"content":"Well, "}), Value::Null)
        + &chunk(json!({}), json!("content_filter"));
    for (stream, message, handed) in [
        (
            refusal,
            "the model refused to respond: I cannot do that.",
            "",
        ),
        (
            filtered,
            "a content filter of the provider refused to respond",
            "Well, ",
        ),
    ] {
        let (outcome, texts) = world(vec![events(&stream)]).ask_openai(&request());
        let error = base::Error::from(outcome.unwrap_err());
        assert_eq!(
            (error.code(), error.to_string().as_str()),
            ("MODEL_REFUSED", message)
        );
        assert_eq!(texts.concat(), handed);
    }
}

#[test]
fn an_error_in_a_response_of_success_is_one() {
    for error in [
        json!({"error":{"message":"upstream is down","code":502}}),
        json!({"error":{"message":"slow down","code":429}}),
    ] {
        let json = error.to_string();
        for one in [
            reply(200, "application/json", &json),
            events(&format!("data: {json}\n\n")),
        ] {
            let world = world(vec![one, said("Hi")]);
            assert_eq!(world.ask_openai(&request()).0.unwrap().text, "Hi");
        }
    }
}

#[test]
fn text_up_to_the_limit_of_tokens_is_a_completion() {
    let chunk =
        json!({"choices":[{"index":0,"delta":{"content":"half a"},"finish_reason":"length"}]});
    let (outcome, _) = world(vec![events(&format!("data: {chunk}\n\n"))]).ask_openai(&request());
    let completion = outcome.unwrap();
    assert_eq!(completion.stop, crate::StopReason::MaxTokens);
    // The provider did not count, so the tokens are estimated.
    assert!(completion.usage.estimated && completion.usage.input_tokens > 10);
    assert_eq!(completion.usage.output_tokens, 2);
    assert_eq!(completion.model, "test-model");
}

/// Returns a response whose text comes in pieces of the given number of letters.
fn in_pieces(content: &str, letters: usize) -> Reply {
    let all: Vec<char> = content.chars().collect();
    let chunks = all.chunks(letters).map(|piece| {
        let piece: String = piece.iter().collect();
        let chunk = json!({"choices":[{"index":0,"delta":{"content":piece}}]});
        format!("data: {chunk}\n\n")
    });
    let end = json!({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]});
    events(&format!(
        "{}data: {end}\n\ndata: [DONE]\n\n",
        chunks.collect::<String>()
    ))
}

#[test]
fn objects_are_read_as_models_write_them_and_never_from_a_draft() {
    let object = r#"{"query":"SELECT 2","explanation":"Two."}"#;
    let draft = r#"{"query":"DELETE FROM t","explanation":"All."}"#;
    for (content, handed) in [
        (format!("<think>{draft}</think>{object}"), "Two."),
        (format!("<think>\n\n</think>\n\n{object}"), "Two."),
        (
            format!(
                "Okay, the person wants to know how many of them there are, so {draft} or not.</think>\n{object}"
            ),
            "Two.",
        ),
        (
            format!("<think>{draft}</think>Here it is: {object}"),
            "Two.",
        ),
        (format!("[THINK]{draft}[/THINK]{object}"), "Two."),
        (
            format!(
                "<|channel|>analysis<|message|>{draft}<|end|><|start|>assistant<|channel|>final<|message|>{object}"
            ),
            "Two.",
        ),
        (
            "{\"query\":\"SELECT\n2\",\n\"explanation\":\"Two.\"}".to_owned(),
            "Two.",
        ),
        (
            "{\"query\":\"SELECT\t2\",\"explanation\":\"Two.\",}".to_owned(),
            "Two.",
        ),
        (
            "{\"query\":\"SELECT 2\", // the statement\n\"explanation\":\"Two.\" /* why */}"
                .to_owned(),
            "Two.",
        ),
        (
            "\u{feff}{\u{a0}\"query\":\u{a0}\"SELECT 2\",\r\n\"explanation\":\"Two.\"}\r\n"
                .to_owned(),
            "Two.",
        ),
        (
            "{\"query\":\"SELECT 2\",\"Explanation\":\"Two.\"}".to_owned(),
            "Two.",
        ),
        (object.replace('"', "&quot;"), ""),
        (object.replace('"', "\\\""), ""),
        (serde_json::to_string(object).unwrap(), ""),
        (
            "{“query”: “SELECT 2”, “explanation”: “Two.”}".to_owned(),
            "",
        ),
        (format!("[{object}]"), "Two."),
    ] {
        for letters in [1, 7, 10_000] {
            let world = world(vec![in_pieces(&content, letters)]);
            let (outcome, texts) = world.ask_openai(&structured());
            let found = outcome
                .unwrap_or_else(|failure| panic!("{content}: {failure:?}"))
                .object
                .unwrap();
            let query = found["query"]
                .as_str()
                .unwrap()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            assert_eq!(query, "SELECT 2", "{content}");
            assert_eq!(texts.concat(), handed, "{content} by {letters}");
        }
    }
}

#[test]
fn a_draft_alone_is_no_response() {
    let draft = r#"{"query":"DELETE FROM t","explanation":"All."}"#;
    for content in [
        format!("<think>{draft}"),
        format!("<think>{draft}</think>"),
        format!("{draft}</think>"),
        format!("{draft}</think>\n\nI cannot."),
        format!("{draft}</think>{{\"query\":\"DELETE FROM t"),
    ] {
        let world = world(vec![in_pieces(&content, 5)]);
        assert!(world.ask_openai(&structured()).0.is_err(), "{content}");
    }
    let twice =
        format!("Okay.</think>{draft}</THINK>{{\"query\":\"SELECT 2\",\"explanation\":\"Two.\"}}");
    let world_of = world(vec![in_pieces(&twice, 5)]);
    let object = world_of
        .ask_openai(&structured())
        .0
        .unwrap()
        .object
        .unwrap();
    assert_eq!(object["query"], "SELECT 2");
    // A mark within a text of the object is part of that text.
    let within = r#"{"query":"SELECT '</think>'","explanation":"It."}"#;
    let world = world(vec![in_pieces(within, 5)]);
    let object = world.ask_openai(&structured()).0.unwrap().object.unwrap();
    assert_eq!(object["query"], "SELECT '</think>'");
}

#[test]
fn words_have_no_thoughts_and_an_endpoint_that_thinks_is_remembered() {
    let say = "There are 3.";
    let world = world(vec![
        in_pieces(&format!("<think>I count</think>\n{say}"), 3),
        in_pieces(&format!("I count</think>{say}"), 3),
        in_pieces(&format!("I count</think>{say}"), 3),
        in_pieces(say, 3),
    ]);
    for _ in 0..3 {
        let (outcome, texts) = world.ask_openai(&request());
        assert_eq!(outcome.unwrap().text.trim(), say);
        assert_eq!(texts.concat().trim(), say);
    }
    // The endpoint does not think this time, so the text is sent when it is complete.
    let (outcome, texts) = world.ask_openai(&request());
    assert_eq!(
        (outcome.unwrap().text.as_str(), texts.concat().as_str()),
        (say, "")
    );
}

#[test]
fn words_count_where_the_caller_reads_them_and_never_what_was_cut_off() {
    let words = "```sql\nSELECT 1\n```";
    let asked = || request().structured(super::world::structure().or_words());
    let whole = world(vec![said(words)]);
    let completion = whole.ask_openai(&asked()).0.unwrap();
    assert_eq!((completion.object, completion.text.as_str()), (None, words));
    let chunk = json!({"choices":[{"index":0,"delta":{"content":words},"finish_reason":"length"}]});
    let cut = world(vec![events(&format!("data: {chunk}\n\ndata: [DONE]\n\n"))]);
    assert!(cut.ask_openai(&asked()).0.is_err());
}
