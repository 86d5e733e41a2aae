//! Names and descriptions of the tools. The first takes no arguments, because the suites call the
//! first tool of a list to test headers alone.

use serde_json::{Value, json};

use super::schemas;
use crate::instance::{Instance, List};

/// A tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// Returns a text.
    SimpleText,
    /// Returns a picture.
    Image,
    /// Returns a sound.
    Audio,
    /// Returns a resource.
    Resource,
    /// Returns a text, a picture and a resource.
    Mixed,
    /// Fails.
    Failure,
    /// Writes lines of the log, with waits between them.
    Logging,
    /// Writes a line of the log.
    LogLine,
    /// Sends progress, with waits between.
    Progress,
    /// Ends the connection before the result.
    Reconnection,
    /// Asks a model for a text.
    Sampling,
    /// Asks with a form.
    Elicitation,
    /// Asks with a form that has defaults.
    Defaults,
    /// Asks with a form that has choices.
    Choices,
    /// Has a schema with many keywords.
    Schema,
    /// Has parameters that are also headers.
    Headers,
    /// Asks a model, which most clients do not offer.
    MissingCapability,
    /// Sends progress, then asks with a form.
    StreamingForm,
    /// Adds an entry to a list, or removes it.
    Trigger(List),
    /// Changes the watched resource.
    Revise,
    /// Appears in the list and disappears.
    Changing,
    /// Asks for a name.
    InputName,
    /// Asks a model for a text, without parameters.
    InputModel,
    /// Asks for the client's roots.
    InputRoots,
    /// Asks for a confirmation, with a state.
    InputState,
    /// Does the same, for clients that change the state.
    InputTampered,
    /// Makes three requests at once.
    InputSeveral,
    /// Asks in two rounds.
    InputRounds,
    /// Asks only with the client's capabilities.
    InputCapabilities,
}

/// Each tool with its name and description, in the order of the list.
const TOOLS: &[(Tool, &str, &str)] = &[
    (Tool::SimpleText, "test_simple_text", "Returns a text."),
    (Tool::Image, "test_image_content", "Returns a picture."),
    (Tool::Audio, "test_audio_content", "Returns a sound."),
    (
        Tool::Resource,
        "test_embedded_resource",
        "Returns a resource.",
    ),
    (
        Tool::Mixed,
        "test_multiple_content_types",
        "Returns a text, a picture and a resource.",
    ),
    (Tool::Failure, "test_error_handling", "Always fails."),
    (
        Tool::Logging,
        "test_tool_with_logging",
        "Sends three lines of the log before its result.",
    ),
    (
        Tool::LogLine,
        "test_logging_tool",
        "Sends a line of the log where the client wants it.",
    ),
    (
        Tool::Progress,
        "test_tool_with_progress",
        "Sends progress three times before its result.",
    ),
    (
        Tool::Reconnection,
        "test_reconnection",
        "Ends the connection before its result, which the client then fetches.",
    ),
    (
        Tool::Sampling,
        "test_sampling",
        "Asks the client's model and returns its text.",
    ),
    (
        Tool::Elicitation,
        "test_elicitation",
        "Asks the client's user for a name and an address.",
    ),
    (
        Tool::Defaults,
        "test_elicitation_sep1034_defaults",
        "Asks with a form whose fields have defaults.",
    ),
    (
        Tool::Choices,
        "test_elicitation_sep1330_enums",
        "Asks with a form of five kinds of choices.",
    ),
    (
        Tool::Schema,
        "json_schema_2020_12_tool",
        "Has an input schema with many keywords of JSON Schema 2020-12.",
    ),
    (
        Tool::Headers,
        "test_header_parameters",
        "Takes parameters that are sent as headers, too.",
    ),
    (
        Tool::MissingCapability,
        "test_missing_capability",
        "Needs a client with a model.",
    ),
    (
        Tool::StreamingForm,
        "test_streaming_elicitation",
        "Sends progress, then asks the client's user.",
    ),
    (
        Tool::Trigger(List::Tools),
        "test_trigger_tool_change",
        "Adds a tool to the list, or removes it again.",
    ),
    (
        Tool::Trigger(List::Prompts),
        "test_trigger_prompt_change",
        "Adds a prompt to the list, or removes it again.",
    ),
    (
        Tool::Trigger(List::Resources),
        "test_trigger_resource_change",
        "Adds a resource to the list, or removes it again.",
    ),
    (
        Tool::Revise,
        "test_trigger_resource_update",
        "Changes the watched resource.",
    ),
    (
        Tool::InputName,
        "test_input_required_result_elicitation",
        "Asks for a name.",
    ),
    (
        Tool::InputModel,
        "test_input_required_result_sampling",
        "Asks the client's model for a capital.",
    ),
    (
        Tool::InputRoots,
        "test_input_required_result_list_roots",
        "Asks for the client's roots.",
    ),
    (
        Tool::InputState,
        "test_input_required_result_request_state",
        "Asks for a confirmation and checks the state that comes back with it.",
    ),
    (
        Tool::InputTampered,
        "test_input_required_result_tampered_state",
        "Asks for a confirmation and rejects a state that was changed.",
    ),
    (
        Tool::InputSeveral,
        "test_input_required_result_multiple_inputs",
        "Asks the user, the model and for the roots at once.",
    ),
    (
        Tool::InputRounds,
        "test_input_required_result_multi_round",
        "Asks for a name, then for a color.",
    ),
    (
        Tool::InputCapabilities,
        "test_input_required_result_capabilities",
        "Asks only what the client says that it can do.",
    ),
    (
        Tool::Changing,
        "test_changing_tool",
        "Is in the list every other time.",
    ),
];

impl Tool {
    /// Returns the tool of a name, if it is in the list now.
    pub fn find(name: &str, instance: &Instance) -> Option<Self> {
        let (tool, ..) = present(instance).find(|(_, known, _)| *known == name)?;
        Some(*tool)
    }

    /// Returns the schema of its parameters.
    pub fn input_schema(self) -> Value {
        schemas::input(self)
    }

    /// Returns the names of the tools that are in the list now.
    pub fn names(instance: &Instance) -> impl Iterator<Item = &'static str> {
        present(instance).map(|(_, name, _)| *name)
    }
}

/// Returns the list of tools.
pub fn list(instance: &Instance) -> Value {
    let tools = present(instance).map(|(tool, name, description)| {
        json!({ "name": name, "description": description, "inputSchema": tool.input_schema() })
    });
    tools.collect()
}

fn present(
    instance: &Instance,
) -> impl Iterator<Item = &'static (Tool, &'static str, &'static str)> {
    let has_changing = instance.has_entry(List::Tools);
    TOOLS
        .iter()
        .filter(move |(tool, ..)| has_changing || *tool != Tool::Changing)
}
