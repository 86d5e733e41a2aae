//! The binding of Workers AI: the forms of its responses, and the errors that it throws.

use serde_json::json;

use super::world::{AiReply, Outcome, World, bytes, request, structured, workers_ai, world};
use crate::error::ModelError;
use crate::{HostedModel, LanguageModel as _, ModelRequest};

fn run(request: &ModelRequest, replies: Vec<Result<AiReply, &str>>) -> (World, Outcome) {
    let world = world(Vec::new());
    let replies = replies
        .into_iter()
        .map(|reply| reply.map_err(str::to_owned));
    world.runs.borrow_mut().extend(replies);
    let outcome = world.ask_workers_ai(request);
    (world, outcome)
}

#[test]
fn a_stream_in_the_form_of_openai_is_read() {
    let stream = concat!(
        "data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"}}]}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\n",
        "data: [DONE]\n\n",
    );
    let (_, (outcome, texts)) = run(&request(), vec![Ok(AiReply::Stream(vec![bytes(stream)]))]);
    let completion = outcome.unwrap();
    assert_eq!(
        (completion.text.as_str(), texts.concat().as_str()),
        ("Hi", "Hi")
    );
    assert_eq!(completion.usage.output_tokens, 2);
}

#[test]
fn whole_responses_of_every_form_are_read() {
    for whole in [
        r#"{"response":"{\"query\":\"q\",\"explanation\":\"e\"}"}"#,
        r#"{"response":{"query":"q","explanation":"e"}}"#,
        r#"{"choices":[{"message":{"content":"{\"query\":\"q\",\"explanation\":\"e\"}"},"finish_reason":"stop"}]}"#,
    ] {
        let (_, (outcome, texts)) = run(&structured(), vec![Ok(AiReply::Whole(whole))]);
        assert_eq!(outcome.unwrap().object.unwrap()["query"], "q", "{whole}");
        assert_eq!(texts.concat(), "e");
    }
    let (_, (outcome, _)) = run(&request(), vec![Ok(AiReply::Whole(r#"{"response":7}"#))]);
    assert_eq!(outcome.unwrap().text, "7");
}

#[test]
fn responses_of_no_form_are_malformed() {
    for whole in [
        "",
        "[]",
        "{}",
        r#"{"response":[1]}"#,
        r#"{"hello":"world"}"#,
        "null",
    ] {
        let (_, (outcome, _)) = run(&request(), vec![Ok(AiReply::Whole(whole))]);
        let error = base::Error::from(outcome.unwrap_err());
        assert_eq!(error.details()["reason"], "malformed", "{whole:?} {error}");
    }
}

#[test]
fn a_model_without_schemas_gets_the_schema_in_words_and_streams() {
    let stream = "data: {\"response\":\"{\\\"query\\\":\\\"q\\\",\\\"explanation\\\":\\\"e\\\"}\"}\n\ndata: [DONE]\n\n";
    for thrown in [
        "AiError: 5024: JSON Mode couldn't be met",
        "5006: Error: oneOf at '/' not met, response_format is unknown",
    ] {
        let replies = vec![Err(thrown), Ok(AiReply::Stream(vec![bytes(stream)]))];
        let (world, (outcome, texts)) = run(&structured(), replies);
        assert_eq!(outcome.unwrap().object.unwrap()["query"], "q");
        assert_eq!(texts.concat(), "e");
        let inputs = world.inputs.borrow();
        assert_eq!(inputs[0].1["stream"], json!(false));
        assert_eq!(inputs[1].1["stream"], json!(true));
        assert_eq!(inputs[1].1.get("response_format"), None);
    }
}

#[test]
fn what_it_throws_has_the_codes_of_the_platform() {
    for (thrown, code, runs) in [
        (
            "AiError: AiError: 5007: No such model @cf/x or task",
            "MODEL_REJECTED",
            1,
        ),
        (
            "3036: You have used up your daily free allocation",
            "MODEL_RATE_LIMITED",
            1,
        ),
        (
            "3040: Capacity temporarily exceeded, please try again.",
            "MODEL_RATE_LIMITED",
            3,
        ),
        (
            "5018: This account is not allowed to access this model",
            "MODEL_UNAUTHORIZED",
            1,
        ),
        ("3007: Request timeout", "MODEL_UNAVAILABLE", 3),
        ("InferenceUpstreamError: oh", "MODEL_UNAVAILABLE", 3),
    ] {
        let (world, (outcome, _)) = run(&request(), vec![Err(thrown); runs]);
        assert_eq!(
            base::Error::from(outcome.unwrap_err()).code(),
            code,
            "{thrown}"
        );
        assert_eq!(world.inputs.borrow().len(), runs, "{thrown}");
    }
}

#[test]
fn without_the_binding_there_is_no_model() {
    let hosted = workers_ai();
    let world = world(Vec::new());
    let none = HostedModel::<World, World, World>::new(world.ports(), None, &hosted, &world.memory);
    let error = none.err().unwrap();
    assert!(matches!(error, ModelError::NotConfigured { .. }));
    assert_eq!(base::Error::from(error).code(), "MODEL_NOT_CONFIGURED");
    let some = HostedModel::<World, World, World>::new(
        world.ports(),
        Some(&world),
        &hosted,
        &world.memory,
    );
    let description = some.ok().unwrap().describe();
    assert_eq!(
        (description.provider.name(), description.origin),
        ("workers-ai", None)
    );
}
