//! Silence before the response and within it, and the limit of the whole time.

use serde_json::json;

use super::world::{
    AiReply, Piece, Reply, World, ask, bytes, hosted, pieces, request, structured, world,
};
use crate::error::{ModelError, Wait};
use crate::openai::OpenAi;

const HI: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"}}]}\n\n";
const STOP: &str =
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";

#[track_caller]
fn times_out(world: &World, waited_for: Wait, limit_ms: u64) {
    let begun_ms = world.now_ms.get();
    let failure = world.ask_openai(&request()).0.unwrap_err();
    assert_eq!(
        failure.error,
        ModelError::Timeout {
            waited_for,
            limit_ms
        }
    );
    assert!(world.now_ms.get() - begun_ms <= 60_000);
    assert_eq!(base::Error::from(failure).code(), "MODEL_TIMEOUT");
}

#[test]
fn a_response_that_does_not_begin_is_given_up() {
    times_out(&world(vec![Reply::Silence]), Wait::FirstByte, 30_000);
    times_out(
        &world(vec![pieces(vec![Piece::Silence])]),
        Wait::FirstByte,
        30_000,
    );
}

#[test]
fn a_response_that_stops_in_the_middle_is_given_up() {
    let stalled = pieces(vec![bytes(HI), Piece::Silence]);
    times_out(&world(vec![stalled]), Wait::NextByte, 20_000);
}

#[test]
fn a_timeout_is_not_retried() {
    let world = world(vec![Reply::Silence]);
    assert!(world.ask_openai(&request()).0.is_err());
    assert_eq!(world.sent.borrow().len(), 1);
}

#[test]
fn the_whole_has_a_limit_however_lively_the_provider_is() {
    let hosted = hosted(
        &json!({"provider":"openai","model":"m","baseUrl":"http://127.0.0.1:1","timeoutMs":1_200}),
    );
    let down = || Reply::Break;
    let world = world(vec![down(), down(), down()]);
    let model = OpenAi::new(world.ports(), &hosted, &world.memory);
    let failure = ask(&model, &request()).0.unwrap_err();
    // The time is enough for one pause of 500 ms, but not for another of 1,000 ms.
    assert!(matches!(failure.error, ModelError::Unavailable { .. }));
    assert_eq!(world.sent.borrow().len(), 2);

    let slow = super::world::world(vec![pieces(vec![Piece::Silence])]);
    let model = OpenAi::new(slow.ports(), &hosted, &slow.memory);
    let failure = ask(&model, &request()).0.unwrap_err();
    let waited_for = Wait::End;
    assert_eq!(
        failure.error,
        ModelError::Timeout {
            waited_for,
            limit_ms: 1_200
        }
    );
}

#[test]
fn after_its_last_word_nobody_waits_for_the_end_of_the_connection() {
    for end in [Piece::Silence, Piece::Break] {
        let world = world(vec![pieces(vec![bytes(HI), bytes(STOP), end])]);
        assert_eq!(world.ask_openai(&request()).0.unwrap().text, "Hi");
    }
}

#[test]
fn what_is_no_stream_may_take_all_the_time() {
    let world = world(Vec::new());
    world.runs.borrow_mut().push_back(Ok(AiReply::Silence));
    let failure = world.ask_workers_ai(&structured()).0.unwrap_err();
    let waited_for = Wait::End;
    assert_eq!(
        failure.error,
        ModelError::Timeout {
            waited_for,
            limit_ms: 60_000
        }
    );
}
