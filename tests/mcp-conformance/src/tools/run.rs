//! Runs a tool and returns its result.

use mcp::server::Outcome;
use net::transport::Clock;
use serde_json::json;

use super::call::Call;
use super::catalog::Tool;
use super::{asking, rounds, schemas, telling};
use crate::instance::List;
use crate::outcome::{AUDIO, content, embedded, failed, image, said, text};
use crate::resources::WATCHED;

/// Runs a tool. An error in its arguments becomes its result, as the protocol requires.
pub async fn run<C: Clock>(tool: Tool, call: &Call<'_, C>) -> Outcome {
    if let Err(problem) = schemas::check(&tool.input_schema(), call.arguments) {
        return failed(problem);
    }
    match tool {
        Tool::SimpleText => said("This is a simple text response for testing."),
        Tool::Image => content(json!([image()])),
        Tool::Audio => {
            content(json!([{ "type": "audio", "data": AUDIO, "mimeType": "audio/wav" }]))
        }
        Tool::Resource => content(json!([embedded(
            "test://embedded-resource",
            "text/plain",
            "This is an embedded resource content."
        )])),
        Tool::Mixed => mixed(),
        Tool::Failure => failed("This tool intentionally returns an error for testing"),
        Tool::Logging => telling::log(call).await,
        Tool::LogLine => telling::log_line(call),
        Tool::Progress => telling::progress(call).await,
        Tool::Reconnection => telling::reconnect(call).await,
        Tool::Sampling => asking::model(call, "sample", call.text("prompt")),
        Tool::Elicitation => asking::contact(call),
        Tool::Defaults => asking::defaults(call),
        Tool::Choices => asking::choices(call),
        Tool::Schema | Tool::Headers => said(json!(call.arguments).to_string()),
        Tool::MissingCapability => asking::model(call, "sample", "Is anybody there?"),
        Tool::StreamingForm => asking::after_progress(call),
        Tool::Trigger(list) => trigger(call, list),
        Tool::Revise => {
            call.instance.revise(WATCHED);
            said(format!("{WATCHED} has changed."))
        }
        Tool::Changing => said("This tool is in the list now."),
        Tool::InputName => asking::name(call),
        Tool::InputModel => {
            asking::model(call, "capital_question", "What is the capital of France?")
        }
        Tool::InputRoots => asking::roots(call),
        Tool::InputState | Tool::InputTampered => rounds::confirm(call),
        Tool::InputSeveral => rounds::several(call),
        Tool::InputRounds => rounds::two(call),
        Tool::InputCapabilities => rounds::possible(call),
    }
}

fn mixed() -> Outcome {
    let data = json!({ "test": "data", "value": 123 }).to_string();
    content(json!([
        text("Multiple content types test:"),
        image(),
        embedded("test://mixed-content-resource", "application/json", &data),
    ]))
}

fn trigger<C>(call: &Call<'_, C>, list: List) -> Outcome {
    call.instance.toggle(list);
    let verb = if call.instance.has_entry(list) {
        "has one more entry"
    } else {
        "has lost its changing entry"
    };
    said(format!("The list {verb}."))
}
