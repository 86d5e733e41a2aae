//! The fixtures of `tests/data/model/`: the request to each provider, and the result of its stream.
//! `tests/worker/model-wire.test.mjs` compares the same files with the requests and results of the
//! providers' own libraries.

use serde_json::Value;

use super::world::{
    AiReply, Outcome, Piece, Reply, World, anthropic, events, hosted, openai, pieces, reply,
    request, structured, world,
};
use crate::completion::StopReason;
use crate::request::ModelRequest;
use crate::usage::Usage;

fn fixture(name: &str) -> Value {
    let path = format!(
        "{}/../../tests/data/model/{name}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn stream_of(fixture: &Value) -> String {
    let events = fixture["stream"].as_array().unwrap();
    events.iter().map(|event| event.as_str().unwrap()).collect()
}

fn request_of(name: &str) -> ModelRequest {
    if name.ends_with("structured") {
        structured()
    } else {
        request()
    }
}

fn ask(world: &World, name: &str) -> Outcome {
    let request = request_of(name);
    match name.split('-').next().unwrap() {
        "openai" => world.ask_openai(&request),
        "anthropic" => world.ask_anthropic(&request),
        _ => world.ask_workers_ai(&request),
    }
}

#[track_caller]
fn is_expected(outcome: Outcome, fixture: &Value, context: &str) {
    let (outcome, texts) = outcome;
    let completion = outcome.unwrap_or_else(|failure| panic!("{failure:?} {context}"));
    let expected = &fixture["expected"];
    assert_eq!(texts.concat(), expected["handed"], "{context}");
    match completion.object {
        Some(object) => assert_eq!(Value::Object(object), expected["object"], "{context}"),
        None => assert_eq!(completion.text, expected["text"], "{context}"),
    }
    let usage = Usage {
        input_tokens: expected["usage"]["input"].as_u64().unwrap(),
        output_tokens: expected["usage"]["output"].as_u64().unwrap(),
        estimated: false,
    };
    assert_eq!(completion.usage, usage, "{context}");
    assert_eq!(completion.model, expected["model"], "{context}");
    assert_eq!(completion.stop, StopReason::End, "{context}");
}

const OVER_HTTP: [&str; 4] = [
    "openai-text",
    "openai-structured",
    "anthropic-text",
    "anthropic-structured",
];

#[test]
fn requests_are_those_of_the_fixtures() {
    for name in OVER_HTTP {
        let fixture = fixture(name);
        let world = world(vec![events(&stream_of(&fixture))]);
        is_expected(ask(&world, name), &fixture, name);
        let sent = world.sent.borrow();
        let expected = &fixture["request"];
        assert_eq!(sent[0].method, expected["method"], "{name}");
        let path = sent[0].url.strip_prefix("http://127.0.0.1:1").unwrap();
        assert_eq!(path, expected["path"], "{name}");
        assert_eq!(world.body(0), expected["body"], "{name}");
        let mut headers = sent[0].headers.clone();
        let mut wanted: Vec<(String, String)> = expected["headers"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()))
            .collect();
        headers.sort();
        wanted.sort();
        assert_eq!(headers, wanted, "{name}");
    }
}

#[test]
fn streams_are_read_wherever_they_are_cut() {
    for name in OVER_HTTP {
        let fixture = fixture(name);
        let stream = stream_of(&fixture);
        for cut in 0..=stream.len() {
            let (first, second) = stream.as_bytes().split_at(cut);
            let both = vec![Piece::Bytes(first.to_vec()), Piece::Bytes(second.to_vec())];
            let world = world(vec![pieces(both)]);
            is_expected(ask(&world, name), &fixture, &format!("{name} cut at {cut}"));
        }
        let bytes = stream.bytes().map(|byte| Piece::Bytes(vec![byte]));
        let world = world(vec![pieces(bytes.collect())]);
        is_expected(ask(&world, name), &fixture, &format!("{name} byte by byte"));
    }
}

#[test]
fn streams_with_other_line_ends_are_read() {
    for name in OVER_HTTP {
        let fixture = fixture(name);
        for end in ["\r\n", "\r"] {
            let stream = stream_of(&fixture).replace('\n', end);
            let world = world(vec![events(&stream)]);
            is_expected(ask(&world, name), &fixture, name);
        }
    }
}

#[test]
fn a_stream_that_breaks_at_any_byte_is_a_failure_or_whole() {
    for name in OVER_HTTP {
        let fixture = fixture(name);
        let stream = stream_of(&fixture);
        for cut in 0..stream.len() {
            let (first, _) = stream.as_bytes().split_at(cut);
            let mut all = vec![Piece::Bytes(first.to_vec())];
            // The connection either ends or breaks.
            all.extend((cut % 2 == 0).then_some(Piece::Break));
            let again = || pieces(all.clone());
            let world = world(vec![again(), again(), again()]);
            match ask(&world, name).0 {
                Err(failure) => assert_eq!(
                    base::Error::from(failure).code(),
                    "MODEL_UNAVAILABLE",
                    "{name} at {cut}"
                ),
                // The stream was complete except for the end of the connection.
                Ok(completion) => assert_eq!(completion.stop, StopReason::End, "{name} at {cut}"),
            }
        }
    }
}

#[test]
fn workers_ai_is_given_what_the_fixtures_have_and_read_wherever_it_is_cut() {
    let name = "workers-ai-text";
    let fixture = fixture(name);
    let stream = stream_of(&fixture);
    for cut in 0..=stream.len() {
        let (first, second) = stream.as_bytes().split_at(cut);
        let both = vec![Piece::Bytes(first.to_vec()), Piece::Bytes(second.to_vec())];
        let world = world(Vec::new());
        world.runs.borrow_mut().push_back(Ok(AiReply::Stream(both)));
        is_expected(ask(&world, name), &fixture, &format!("cut at {cut}"));
        let inputs = world.inputs.borrow();
        assert_eq!(inputs[0].0, fixture["request"]["model"]);
        assert_eq!(inputs[0].1, fixture["request"]["input"]);
    }
}

#[test]
fn workers_ai_is_given_the_schema_and_returns_the_object() {
    let name = "workers-ai-structured";
    let fixture = fixture(name);
    let world = world(Vec::new());
    let whole = fixture["whole"].to_string().leak();
    world.runs.borrow_mut().push_back(Ok(AiReply::Whole(whole)));
    is_expected(ask(&world, name), &fixture, name);
    assert_eq!(world.inputs.borrow()[0].1, fixture["request"]["input"]);
}

#[test]
fn a_response_that_is_no_stream_is_read_too() {
    let said = r#"{"query":"SELECT 1","explanation":"é"}"#;
    let quoted = serde_json::to_string(said).unwrap();
    let openai = format!(
        r#"{{"model":"m","choices":[{{"index":0,"message":{{"role":"assistant","content":{quoted}}},"finish_reason":"stop"}}],"usage":{{"prompt_tokens":2,"completion_tokens":3}}}}"#
    );
    let in_parts = format!(
        r#"{{"model":"m","choices":[{{"message":{{"content":[{{"type":"text","text":{quoted}}}]}},"finish_reason":"stop"}}],"usage":{{"prompt_tokens":2,"completion_tokens":3}}}}"#
    );
    let anthropic = format!(
        r#"{{"type":"message","model":"m","content":[{{"type":"text","text":"Here."}},{{"type":"tool_use","name":"write_query","input":{said}}}],"stop_reason":"tool_use","usage":{{"input_tokens":1,"cache_read_input_tokens":1,"output_tokens":3}}}}"#
    );
    for (name, json) in [
        ("openai", openai),
        ("openai", in_parts),
        ("anthropic", anthropic),
    ] {
        let world = world(vec![reply(200, "application/json", &json)]);
        let (outcome, _) = ask(&world, &format!("{name}-structured"));
        let completion = outcome.unwrap();
        assert_eq!(completion.object.unwrap()["explanation"], "é", "{json}");
        assert_eq!(
            (
                completion.usage.input_tokens,
                completion.usage.output_tokens
            ),
            (2, 3)
        );
        assert_eq!(
            (completion.model.as_str(), completion.stop),
            ("m", StopReason::End)
        );
    }
}

#[test]
fn a_configuration_without_a_key_sends_none() {
    let plain =
        serde_json::json!({"provider":"openai","model":"m","baseUrl":"http://127.0.0.1:1/v1"});
    let mut without = hosted(&plain);
    without.api_key = None;
    let world = world(vec![Reply::Break, Reply::Break, Reply::Break]);
    let model = crate::openai::OpenAi::new(world.ports(), &without, &world.memory);
    assert!(super::world::ask(&model, &request()).0.is_err());
    let sent = world.sent.borrow();
    assert!(
        sent[0]
            .headers
            .iter()
            .all(|(name, _)| name != "authorization")
    );
    assert!(format!("{:?} {:?}", openai(), anthropic()).contains("ApiKey(…)"));
}
