//! Failures of all providers: connections, statuses, pages, sizes. Each has its own code, and none
//! contains the key.

use serde_json::{Value, json};

use super::world::{
    KEY, Outcome, Piece, Reply, World, bytes, events, later, pieces, reply, request, structured,
    world,
};
use crate::error::ModelFailure;
use crate::limits::{MAX_MODEL_MESSAGE_BYTES, MAX_MODEL_TEXT_BYTES, MAX_SHOWN_MODEL_CHARACTERS};

type Ask = fn(&World) -> Outcome;

/// Both protocols.
const BOTH: [Ask; 2] = [
    |world| world.ask_openai(&request()),
    |world| world.ask_anthropic(&request()),
];

fn code(failure: &ModelFailure) -> &'static str {
    base::Error::from(failure.clone()).code()
}

/// Checks the failure of a reply after which there is no retry.
#[track_caller]
fn check(reply: &Reply, expected_code: &str, message: &str, details: &Value) {
    for ask in BOTH {
        let world = world(vec![reply.clone()]);
        let failure = ask(&world).0.unwrap_err();
        let error = base::Error::from(failure);
        assert_eq!(
            (error.code(), error.to_string().as_str()),
            (expected_code, message)
        );
        assert_eq!(Value::Object(error.details()), *details, "{message}");
        assert!(error.hint().is_some());
    }
}

fn json_error(status: u16, error: &Value) -> Reply {
    reply(status, "application/json", &error.to_string())
}

#[test]
fn statuses_and_their_errors_have_codes() {
    for (reply, code, message, details) in [
        (
            json_error(
                401,
                &json!({"error":{"message":format!("Incorrect API key provided: {KEY}"),"type":"invalid_request_error","code":"invalid_api_key"}}),
            ),
            "MODEL_UNAUTHORIZED",
            "the provider of the model does not accept the API key: Incorrect API key provided: [secret]",
            json!({"status":401}),
        ),
        (
            json_error(
                403,
                &json!({"type":"error","error":{"type":"permission_error","message":"no"}}),
            ),
            "MODEL_UNAUTHORIZED",
            "the provider of the model does not accept the API key: no",
            json!({"status":403}),
        ),
        (
            json_error(
                429,
                &json!({"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}),
            ),
            "MODEL_RATE_LIMITED",
            "the account at the provider of the model has no credit left: You exceeded your current quota",
            json!({"retryAfterMs":null}),
        ),
        (
            json_error(404, &json!({"error":"model 'x' not found"})),
            "MODEL_REJECTED",
            "the provider of the model rejected the request with status 404: model 'x' not found",
            json!({"status":404}),
        ),
        (
            json_error(
                413,
                &json!({"type":"error","error":{"type":"request_too_large","message":"too large"}}),
            ),
            "MODEL_REJECTED",
            "the provider of the model rejected the request with status 413: too large",
            json!({"status":413}),
        ),
        (
            json_error(400, &json!({"detail":"maximum context length is 8192"})),
            "MODEL_REJECTED",
            "the provider of the model rejected the request with status 400: maximum context length is 8192",
            json!({"status":400}),
        ),
        (
            json_error(
                400,
                &json!({"error":{"message":"filtered","code":"content_filter"}}),
            ),
            "MODEL_REFUSED",
            "a content filter of the provider refused to respond: filtered",
            json!({}),
        ),
        (
            reply(307, "text/html", "<html>"),
            "MODEL_REJECTED",
            "the provider of the model rejected the request with status 307: it redirects to another address, and redirects are not followed",
            json!({"status":307}),
        ),
        (
            reply(404, "text/html", "<!doctype html><p>a page"),
            "MODEL_REJECTED",
            "the provider of the model rejected the request with status 404",
            json!({"status":404}),
        ),
        (
            reply(418, "text/plain", &format!("I am {KEY}")),
            "MODEL_REJECTED",
            "the provider of the model rejected the request with status 418: I am [secret]",
            json!({"status":418}),
        ),
    ] {
        check(&reply, code, message, &details);
    }
}

#[test]
fn pages_and_other_types_are_no_responses() {
    let wrong = |shown: &str| {
        format!(
            "the response of the model has the type {shown:?}, which is neither an event stream nor JSON"
        )
    };
    for (content_type, shown) in [
        ("text/html", "text/html"),
        ("", ""),
        ("text/plain", "text/plain"),
    ] {
        check(
            &reply(200, content_type, "<!doctype html>"),
            "MODEL_BAD_ANSWER",
            &wrong(shown),
            &json!({"reason":"wrong_type"}),
        );
    }
}

#[test]
fn what_is_no_json_and_no_event_is_malformed() {
    for reply in [
        events("data: {oh no\n\n"),
        events("data: [1,2]\n\n"),
        events("data: {\"choices\":7,\"type\":7}\n\n"),
        pieces(vec![Piece::Bytes(b"data: \"\xff\"\n\n".to_vec())]),
        reply(200, "application/json", "{\"choices\":[{"),
        reply(200, "application/json", "null"),
        reply(200, "application/json", ""),
        events(&format!("data: {}\n\n", "[".repeat(100_000))),
    ] {
        for ask in BOTH {
            let world = world(vec![reply.clone()]);
            let failure = ask(&world).0.unwrap_err();
            let error = base::Error::from(failure);
            assert_eq!(error.code(), "MODEL_BAD_ANSWER", "{error}");
            assert_eq!(error.details()["reason"], "malformed", "{error}");
            assert!(error.to_string().chars().count() < MAX_SHOWN_MODEL_CHARACTERS + 100);
        }
    }
}

#[test]
fn failures_in_passing_are_retried_twice_with_growing_pauses() {
    let down = || reply(503, "text/plain", "");
    for ask in BOTH {
        let lost = world(vec![down(), Reply::Break, down()]);
        let failure = ask(&lost).0.unwrap_err();
        assert_eq!(code(&failure), "MODEL_UNAVAILABLE");
        assert_eq!(lost.sent.borrow().len(), 3);
        let waits = lost.waits.borrow();
        assert_eq!(pauses(&waits), [500, 1_000]);
    }
}

/// Returns the pauses between attempts; all other waits are those for the body of a failure.
fn pauses(waits: &[u64]) -> Vec<u64> {
    waits
        .iter()
        .copied()
        .filter(|wait| [500, 1_000, 3_000].contains(wait))
        .collect()
}

#[test]
fn a_provider_gets_the_time_that_it_asks_for_unless_that_is_too_long() {
    for ask in BOTH {
        let patient = world(vec![
            later(429, "3"),
            later(529, "0"),
            reply(200, "text/html", ""),
        ]);
        assert_eq!(code(&ask(&patient).0.unwrap_err()), "MODEL_BAD_ANSWER");
        assert_eq!(pauses(&patient.waits.borrow()), [3_000, 1_000]);
        let hurried = world(vec![later(429, "3600")]);
        let error = base::Error::from(ask(&hurried).0.unwrap_err());
        assert_eq!(error.code(), "MODEL_RATE_LIMITED");
        assert_eq!(error.details()["retryAfterMs"], 3_600_000);
        assert_eq!(hurried.sent.borrow().len(), 1);
    }
}

#[test]
fn failures_within_a_stream_are_retried_only_before_the_first_token() {
    let told = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}\n\n";
    let openai = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"}}]}\n\n";
    let anthropic = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi\"}}\n\n";
    for (ask, begun) in BOTH.into_iter().zip([openai, anthropic]) {
        for end in [Piece::Break, bytes(told), Piece::Bytes(Vec::new())] {
            let silent = || pieces(vec![end.clone()]);
            let early = world(vec![silent(), silent(), silent()]);
            assert_eq!(code(&ask(&early).0.unwrap_err()), "MODEL_UNAVAILABLE");
            assert_eq!(early.sent.borrow().len(), 3);
            let late = world(vec![pieces(vec![bytes(begun), end.clone()])]);
            let (outcome, texts) = ask(&late);
            let failure = outcome.unwrap_err();
            assert_eq!(code(&failure), "MODEL_UNAVAILABLE");
            assert_eq!(texts, ["Hi"]);
            assert_eq!(late.sent.borrow().len(), 1);
            // The response was paid for, although the provider did not count the tokens.
            assert!(failure.usage.estimated && failure.usage.output_tokens > 0);
        }
    }
}

#[test]
fn a_platform_without_room_is_not_asked_again() {
    for ask in BOTH {
        let full = || pieces(vec![Piece::Full]);
        let world = world(vec![full(), full(), full()]);
        let failure = ask(&world).0.unwrap_err();
        assert_eq!(
            failure.to_string(),
            "the model is not available: no memory is left for its response"
        );
    }
}

#[test]
fn a_response_of_ten_megabytes_is_cut_and_little_of_it_is_held() {
    let words = "x".repeat(10 * 1024 * 1024);
    let small = "y".repeat(1_000);
    let many = |event: &dyn Fn(&str) -> String| {
        let one = event(&small);
        pieces((0..10_000).map(|_| bytes(&one)).collect())
    };
    let openai = |text: &str| {
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
    };
    let anthropic = |text: &str| {
        format!(
            "data: {{\"type\":\"content_block_delta\",\"delta\":{{\"type\":\"text_delta\",\"text\":\"{text}\"}}}}\n\n"
        )
    };
    let endless = pieces(
        (0..200)
            .map(|_| Piece::Bytes(vec![b'x'; 64 * 1024]))
            .collect(),
    );
    for (ask, event) in BOTH
        .into_iter()
        .zip([&openai as &dyn Fn(&str) -> String, &anthropic])
    {
        for reply in [
            events(&event(&words)),
            many(event),
            endless.clone(),
            reply(200, "application/json", &words),
        ] {
            let world = world(vec![reply]);
            let (outcome, texts) = ask(&world);
            let error = base::Error::from(outcome.unwrap_err());
            assert_eq!(error.details()["reason"], "too_large", "{error}");
            assert!(texts.concat().len() <= MAX_MODEL_TEXT_BYTES);
            assert!(world.largest_held.get() <= MAX_MODEL_MESSAGE_BYTES);
        }
        let announced = Reply::With {
            status: 200,
            content_type: "application/json",
            retry_after: None,
            length: Some(10 * 1024 * 1024),
            pieces: vec![Piece::Silence],
        };
        let failure = ask(&world(vec![announced])).0.unwrap_err();
        assert_eq!(base::Error::from(failure).details()["reason"], "too_large");
    }
}

#[test]
fn comments_and_pings_without_end_are_cut_too() {
    let ping = "event: ping\ndata: {\"type\":\"ping\"}\n\n";
    let pings = format!("{ping}: {}\n\n", "hello ".repeat(10_000));
    for ask in BOTH {
        let world = world(vec![pieces((0..1_000).map(|_| bytes(&pings)).collect())]);
        let error = base::Error::from(ask(&world).0.unwrap_err());
        assert_eq!(error.details()["reason"], "too_large", "{error}");
    }
}

#[test]
fn a_key_that_comes_back_in_the_text_is_redacted() {
    let stream = format!(
        "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"it is {KEY}\"}},\"finish_reason\":\"stop\"}}]}}\n\n"
    );
    let (outcome, texts) = world(vec![events(&stream)]).ask_openai(&request());
    assert_eq!(outcome.unwrap().text, "it is [secret]");
    assert_eq!(texts, ["it is [secret]"]);
}

#[test]
fn a_key_that_comes_back_in_pieces_is_in_no_result_and_no_error() {
    let (head, tail) = KEY.split_at(5);
    let said = |field: &str, end: &str| {
        let delta = |piece: &str| json!({"choices":[{"index":0,"delta":{field:piece},"finish_reason":end}]});
        events(&format!(
            "data: {}\n\ndata: {}\n\n",
            delta(head),
            delta(tail)
        ))
    };
    let text = world(vec![said("content", "stop")]).ask_in_silence(&request());
    assert_eq!(text.unwrap().text, "[secret]");
    for (reply, request) in [
        (said("refusal", "stop"), request()),
        (said("content", "stop"), structured()),
    ] {
        let failure = world(vec![reply]).ask_in_silence(&request).unwrap_err();
        assert!(failure.to_string().contains("[secret]"), "{failure}");
        assert!(!format!("{failure:?}").contains(KEY));
    }
}

#[test]
fn a_structured_response_without_one_object_is_told_with_its_tokens() {
    let whole = |content: &str, reason: &str| {
        let body = json!({"choices":[{"message":{"content":content},"finish_reason":reason}],"usage":{"prompt_tokens":5,"completion_tokens":6}});
        reply(200, "application/json", &body.to_string())
    };
    for (content, reason, expected) in [
        ("I cannot say.", "stop", "no_object"),
        ("{\"a\":1} {\"a\":2}", "stop", "several_objects"),
        ("{\"query\":\"SELECT", "length", "cut_off"),
        ("", "length", "cut_off"),
        ("", "stop", "empty"),
        (" \n", "stop", "empty"),
    ] {
        let failure = world(vec![whole(content, reason)])
            .ask_openai(&structured())
            .0
            .unwrap_err();
        assert_eq!(
            (failure.usage.input_tokens, failure.usage.output_tokens),
            (5, 6)
        );
        let error = base::Error::from(failure);
        assert_eq!(error.code(), "MODEL_BAD_ANSWER");
        assert_eq!(error.details()["reason"], expected, "{content}");
    }
}
