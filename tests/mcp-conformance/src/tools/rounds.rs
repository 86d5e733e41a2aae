//! Tools that ask the client and keep its responses in `requestState`.

use mcp::server::{InputRequest, Outcome};
use net::transport::Clock;
use serde_json::json;

use super::call::Call;
use crate::inputs::{self, Field, ask_form, ask_model, ask_roots, ask_text};
use crate::outcome::said;
use crate::seal::Memory;

/// Asks for a confirmation, which is valid only with the state of its form.
pub fn confirm<C: Clock>(call: &Call<'_, C>) -> Outcome {
    let form = inputs::form(&call.request.inputs, "confirm");
    if let (Some(form), Some(_)) = (form, &call.memory) {
        return said(format!("state-ok: {}", form.action.name()));
    }
    let fields = json!({ "ok": { "type": "boolean" } });
    let request = ask_form("Please confirm", fields, &["ok"]);
    call.ask_and_remember(vec![("confirm", request)], &Memory::new())
}

/// Asks the user, the model and for the roots, and asks again for missing responses.
pub fn several<C: Clock>(call: &Call<'_, C>) -> Outcome {
    let inputs = &call.request.inputs;
    let mut memory = call.memory.clone().unwrap_or_default();
    let name = match inputs::field(inputs, "user_name", "name") {
        Field::Filled(name) => Some(name),
        Field::Refused(action) => Some(action.name().to_owned()),
        Field::Missing => None,
    };
    let roots = inputs::roots(inputs, "client_roots").map(|uris| uris.join(", "));
    let given = [
        ("user_name", name),
        ("greeting", inputs::message(inputs, "greeting")),
        ("client_roots", roots),
    ];
    for (key, text) in given {
        if let Some(text) = text {
            memory.insert(key.to_owned(), text);
        }
    }
    let wanted: [(&'static str, InputRequest); 3] = [
        ("user_name", ask_text("What is your name?", "name")),
        ("greeting", ask_model("Generate a greeting", 50)),
        ("client_roots", ask_roots()),
    ];
    let missing: Vec<(&'static str, InputRequest)> = wanted
        .into_iter()
        .filter(|(key, _)| !memory.contains_key(*key))
        .collect();
    if missing.is_empty() {
        return said(json!(memory).to_string());
    }
    call.ask_and_remember(missing, &memory)
}

/// Asks for a name, then for a color.
pub fn two<C: Clock>(call: &Call<'_, C>) -> Outcome {
    let inputs = &call.request.inputs;
    // A response without a state answers no question.
    let Some(memory) = &call.memory else {
        return ask_name(call);
    };
    let Some(name) = memory.get("name") else {
        return match inputs::field(inputs, "step1", "name") {
            Field::Filled(name) => ask_color(call, name),
            Field::Refused(action) => said(format!("No name: {}.", action.name())),
            Field::Missing => ask_name(call),
        };
    };
    match inputs::field(inputs, "step2", "color") {
        Field::Filled(color) => said(format!("{name} likes {color}.")),
        Field::Refused(action) => said(format!("No color: {}.", action.name())),
        Field::Missing => ask_color(call, name.clone()),
    }
}

fn ask_name<C: Clock>(call: &Call<'_, C>) -> Outcome {
    let request = ask_text("Step 1: What is your name?", "name");
    call.ask_and_remember(vec![("step1", request)], &Memory::new())
}

fn ask_color<C: Clock>(call: &Call<'_, C>, name: String) -> Outcome {
    let request = ask_text("Step 2: What is your favorite color?", "color");
    let memory = Memory::from([("name".to_owned(), name)]);
    call.ask_and_remember(vec![("step2", request)], &memory)
}

/// Asks only with the client's capabilities, and accepts either response.
pub fn possible<C: Clock>(call: &Call<'_, C>) -> Outcome {
    let inputs = &call.request.inputs;
    let has_form = inputs::form(inputs, "elicit_input").is_some();
    if call.memory.is_some() && (has_form || inputs::message(inputs, "sample_input").is_some()) {
        return said("The client has responded.");
    }
    let requests: Vec<(&'static str, InputRequest)> = [
        ("elicit_input", ask_text("Please enter a value", "value")),
        ("sample_input", ask_model("Say something", 50)),
    ]
    .into_iter()
    .filter(|(_, request)| call.request.caller.capabilities.allow(request.method))
    .collect();
    if requests.is_empty() {
        return said("The client can be asked nothing.");
    }
    call.ask_and_remember(requests, &Memory::new())
}
