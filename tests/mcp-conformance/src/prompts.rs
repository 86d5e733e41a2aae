//! The prompts.

use mcp::server::ask::PromptCall;
use mcp::server::{Fault, Inputs, Outcome};
use serde_json::{Value, json};

use crate::inputs::{self, Field, ask_text};
use crate::instance::{Instance, List};
use crate::outcome::{complete, embedded, image, not_known, text, unknown};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prompt {
    Simple,
    Arguments,
    Resource,
    Image,
    Input,
    Changing,
}

/// Each prompt with its name, its description and its parameters, all of them required.
const PROMPTS: &[(Prompt, &str, &str, &[&str])] = &[
    (Prompt::Simple, "test_simple_prompt", "A text.", &[]),
    (
        Prompt::Arguments,
        "test_prompt_with_arguments",
        "A text with two arguments in it.",
        &["arg1", "arg2"],
    ),
    (
        Prompt::Resource,
        "test_prompt_with_embedded_resource",
        "A resource and a text.",
        &["resourceUri"],
    ),
    (
        Prompt::Image,
        "test_prompt_with_image",
        "A picture and a text.",
        &[],
    ),
    (
        Prompt::Input,
        "test_input_required_result_prompt",
        "Asks the client's user for a context.",
        &[],
    ),
    (
        Prompt::Changing,
        "test_changing_prompt",
        "Is in the list every other time.",
        &[],
    ),
];

type Entry = (Prompt, &'static str, &'static str, &'static [&'static str]);

fn present(instance: &Instance) -> impl Iterator<Item = &'static Entry> {
    let has_changing = instance.has_entry(List::Prompts);
    PROMPTS
        .iter()
        .filter(move |(prompt, ..)| has_changing || *prompt != Prompt::Changing)
}

/// Returns the list of prompts.
pub fn list(instance: &Instance) -> Value {
    let prompts = present(instance).map(|(_, name, description, parameters)| {
        let parameters: Vec<Value> = parameters
            .iter()
            .map(|name| json!({ "name": name, "description": "A text", "required": true }))
            .collect();
        json!({ "name": name, "description": description, "arguments": parameters })
    });
    prompts.collect()
}

/// Returns the parameters of a prompt.
///
/// # Errors
/// A [`Fault`] if there is no such prompt.
pub fn parameters(instance: &Instance, name: &str) -> Result<&'static [&'static str], Fault> {
    find(instance, name).map(|(.., parameters)| *parameters)
}

fn find(instance: &Instance, name: &str) -> Result<&'static Entry, Fault> {
    let found = present(instance).find(|(_, known, ..)| *known == name);
    found.ok_or_else(|| unknown("prompt", name, present(instance).map(|(_, name, ..)| *name)))
}

/// Returns the messages of a prompt.
///
/// # Errors
/// A [`Fault`] if there is no such prompt, or if the arguments do not fit it.
pub fn get(instance: &Instance, call: &PromptCall, inputs: &Inputs) -> Result<Outcome, Fault> {
    let (prompt, _, description, parameters) = find(instance, &call.name)?;
    for name in call.arguments.keys() {
        if !parameters.contains(&name.as_str()) {
            let known = parameters.iter().copied();
            return Err(Fault::params(not_known("argument", name, known)));
        }
    }
    let argument = |name: &str| {
        let found = call.arguments.get(name).map(String::as_str);
        found.ok_or_else(|| Fault::params(format!("the argument `{name}` is missing")))
    };
    let contents = match prompt {
        Prompt::Simple => vec![text("This is a simple prompt for testing.")],
        Prompt::Arguments => {
            let (first, second) = (argument("arg1")?, argument("arg2")?);
            let words = format!("Prompt with arguments: arg1='{first}', arg2='{second}'");
            vec![text(words)]
        }
        Prompt::Resource => {
            let words = "Embedded resource content for testing.";
            vec![
                embedded(argument("resourceUri")?, "text/plain", words),
                text("Please process the embedded resource above."),
            ]
        }
        Prompt::Image => vec![image(), text("Please analyze the image above.")],
        Prompt::Input => match inputs::field(inputs, "user_context", "context") {
            Field::Filled(context) => vec![text(format!("The context is: {context}"))],
            Field::Refused(action) => vec![text(format!("No context: {}.", action.name()))],
            Field::Missing => return Ok(ask_context()),
        },
        Prompt::Changing => vec![text("This prompt is in the list now.")],
    };
    let messages: Vec<Value> = contents
        .into_iter()
        .map(|content| json!({ "role": "user", "content": content }))
        .collect();
    Ok(complete(
        &json!({ "description": description, "messages": messages }),
    ))
}

fn ask_context() -> Outcome {
    let request = ask_text("What context should the prompt use?", "context");
    Outcome::InputRequired {
        requests: vec![("user_context", request)],
        state: None,
    }
}
