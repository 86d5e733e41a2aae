//! Tools that ask the client once.

use mcp::server::Outcome;
use net::transport::Clock;
use serde_json::{Value, json};

use super::call::Call;
use crate::inputs::{self, Field, ask_form, ask_model, ask_roots, ask_text};
use crate::outcome::said;

/// Asks for a name and greets.
pub fn name<C: Clock>(call: &Call<'_, C>) -> Outcome {
    let key = "user_name";
    match inputs::field(&call.request.inputs, key, "name") {
        Field::Filled(name) => said(format!("Hello, {name}!")),
        Field::Refused(action) => said(format!("No name: {}.", action.name())),
        Field::Missing => call.ask(key, ask_text("What is your name?", "name")),
    }
}

/// Asks the client's model.
pub fn model<C: Clock>(call: &Call<'_, C>, key: &'static str, prompt: &str) -> Outcome {
    match inputs::message(&call.request.inputs, key) {
        Some(text) => said(format!("LLM response: {text}")),
        None => call.ask(key, ask_model(prompt, 100)),
    }
}

/// Asks for the roots.
pub fn roots<C: Clock>(call: &Call<'_, C>) -> Outcome {
    let key = "client_roots";
    match inputs::roots(&call.request.inputs, key) {
        Some(uris) => said(format!("Roots: {}", uris.join(", "))),
        None => call.ask(key, ask_roots()),
    }
}

/// Asks with the message that the caller gives.
pub fn contact<C: Clock>(call: &Call<'_, C>) -> Outcome {
    let properties = json!({
        "username": { "type": "string", "description": "User's response" },
        "email": { "type": "string", "description": "User's email address" },
    });
    form(
        call,
        "User response",
        call.text("message"),
        properties,
        &["username", "email"],
    )
}

/// Asks with a default of each type (SEP-1034).
pub fn defaults<C: Clock>(call: &Call<'_, C>) -> Outcome {
    let properties = json!({
        "name": { "type": "string", "description": "User name", "default": "John Doe" },
        "age": { "type": "integer", "description": "User age", "default": 30 },
        "score": { "type": "number", "description": "User score", "default": 95.5 },
        "status": {
            "type": "string",
            "description": "User status",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
        },
        "verified": { "type": "boolean", "description": "Verification status", "default": true },
    });
    let message = "Please check these fields";
    form(call, "Elicitation completed", message, properties, &[])
}

/// Asks with each kind of choice (SEP-1330).
pub fn choices<C: Clock>(call: &Call<'_, C>) -> Outcome {
    let plain = ["option1", "option2", "option3"];
    let titled = json!([
        { "const": "value1", "title": "First" },
        { "const": "value2", "title": "Second" },
        { "const": "value3", "title": "Third" },
    ]);
    let properties = json!({
        "untitledSingle": { "type": "string", "enum": plain },
        "titledSingle": { "type": "string", "oneOf": titled },
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": plain } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled } },
    });
    let message = "Please choose";
    form(call, "Elicitation completed", message, properties, &[])
}

/// Progress, then a form.
pub fn after_progress<C: Clock>(call: &Call<'_, C>) -> Outcome {
    let talk = call.request.talk;
    talk.progress(50.0, Some(100.0), Some("The form comes next."));
    let properties = json!({ "name": { "type": "string" } });
    let message = "What is your name?";
    form(call, "User response", message, properties, &["name"])
}

fn form<C: Clock>(
    call: &Call<'_, C>,
    heading: &str,
    message: &str,
    properties: Value,
    required: &[&str],
) -> Outcome {
    let key = "form";
    match inputs::form(&call.request.inputs, key) {
        Some(form) => {
            let content = Value::Object(form.content);
            let action = form.action.name();
            said(format!("{heading}: action={action}, content={content}"))
        }
        None => call.ask(key, ask_form(message, properties, required)),
    }
}
