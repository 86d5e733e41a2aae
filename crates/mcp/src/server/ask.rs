//! The request of a client, read from its method and parameters. Unknown fields are ignored,
//! because each version of the protocol adds some.

use std::collections::BTreeMap;

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::rpc::Fault;
use crate::failure::shorten;
use crate::limits::{MAX_REQUEST_TEXT_CHARACTERS, MAX_SUBSCRIBED_RESOURCES};
use crate::protocol::METHOD_NOT_FOUND;
use base::json::Object;

/// A request to a service.
#[derive(Debug)]
pub enum ServiceRequest {
    /// `tools/list`, from a cursor on.
    ListTools(Option<String>),
    /// `tools/call`.
    CallTool(ToolCall),
    /// `resources/list`, from a cursor on.
    ListResources(Option<String>),
    /// `resources/templates/list`, from a cursor on.
    ListTemplates(Option<String>),
    /// `resources/read`, of this URI.
    ReadResource(String),
    /// `prompts/list`, from a cursor on.
    ListPrompts(Option<String>),
    /// `prompts/get`.
    GetPrompt(PromptCall),
    /// `completion/complete`.
    Complete(Completion),
}

/// A call of a tool.
#[derive(Debug)]
pub struct ToolCall {
    /// The name of the tool.
    pub name: String,
    /// The arguments, a JSON object.
    pub arguments: Box<RawValue>,
}

/// A request for a prompt.
#[derive(Debug)]
pub struct PromptCall {
    /// The name of the prompt.
    pub name: String,
    /// The arguments, by name.
    pub arguments: BTreeMap<String, String>,
}

/// The prompt or template whose argument is completed.
#[derive(Debug, PartialEq, Eq)]
pub enum CompletionTarget {
    /// The prompt of this name.
    Prompt(String),
    /// The resource template of this URI.
    Template(String),
}

/// A request for values of an argument.
#[derive(Debug)]
pub struct Completion {
    /// The prompt or template.
    pub of: CompletionTarget,
    /// The name of the argument.
    pub argument: String,
    /// The text typed so far.
    pub value: String,
    /// The other arguments that are known already.
    pub known: BTreeMap<String, String>,
}

/// The responses of a client to earlier requests for input.
#[derive(Debug, Default)]
pub struct Inputs {
    /// The responses, by the keys of the requests.
    pub responses: BTreeMap<String, Box<RawValue>>,
    /// The state that was sent with the requests.
    pub state: Option<String>,
}

/// The notifications that a client wants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// True for changes of the list of tools.
    pub tools: bool,
    /// True for changes of the list of prompts.
    pub prompts: bool,
    /// True for changes of the list of resources.
    pub resources: bool,
    /// The resources whose changes are wanted.
    pub uris: Vec<String>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct ListParams {
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct CallParams {
    name: String,
    #[serde(default)]
    arguments: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct UriParams {
    uri: String,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct PromptParams {
    name: String,
    #[serde(default)]
    arguments: Option<BTreeMap<String, String>>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct CompleteParams {
    #[serde(rename = "ref")]
    of: Reference,
    argument: Object<Argument>,
    #[serde(default)]
    context: Option<Object<CompletionContext>>,
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum Reference {
    #[serde(rename = "ref/prompt")]
    Prompt { name: String },
    #[serde(rename = "ref/resource")]
    Resource { uri: String },
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Argument {
    name: String,
    value: String,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct CompletionContext {
    #[serde(default)]
    arguments: Option<BTreeMap<String, String>>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct InputParams {
    #[serde(rename = "inputResponses", default)]
    responses: Option<BTreeMap<String, Box<RawValue>>>,
    #[serde(rename = "requestState", default)]
    state: Option<String>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct ListenParams {
    notifications: Object<RawFilter>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object", rename_all = "camelCase")]
struct RawFilter {
    #[serde(default)]
    tools_list_changed: bool,
    #[serde(default)]
    prompts_list_changed: bool,
    #[serde(default)]
    resources_list_changed: bool,
    #[serde(default)]
    resource_subscriptions: Vec<String>,
}

fn read<T: DeserializeOwned>(method: &str, params: Option<&RawValue>) -> Result<T, Fault> {
    let text = params.map_or("{}", RawValue::get);
    serde_json::from_str(text).map_err(|error| {
        let words = shorten(&error.to_string());
        Fault::params(format!("the parameters of {method}: {words}"))
    })
}

fn bounded(method: &str, field: &str, text: String) -> Result<String, Fault> {
    if text.chars().nth(MAX_REQUEST_TEXT_CHARACTERS).is_none() {
        return Ok(text);
    }
    Err(Fault::params(format!(
        "the parameters of {method}: {field} has more than {MAX_REQUEST_TEXT_CHARACTERS} characters"
    )))
}

fn cursor(method: &str, params: Option<&RawValue>) -> Result<Option<String>, Fault> {
    let ListParams { cursor } = read(method, params)?;
    cursor
        .map(|cursor| bounded(method, "cursor", cursor))
        .transpose()
}

impl ServiceRequest {
    /// Reads a request.
    ///
    /// # Errors
    /// -32601 for a method that does not exist, or a description of the invalid parameter.
    pub fn read(method: &str, params: Option<&RawValue>) -> Result<Self, Fault> {
        Ok(match method {
            "tools/list" => Self::ListTools(cursor(method, params)?),
            "tools/call" => Self::CallTool(tool_call(method, params)?),
            "resources/list" => Self::ListResources(cursor(method, params)?),
            "resources/templates/list" => Self::ListTemplates(cursor(method, params)?),
            "resources/read" => Self::ReadResource(uri(method, params)?),
            "prompts/list" => Self::ListPrompts(cursor(method, params)?),
            "prompts/get" => {
                let PromptParams { name, arguments } = read(method, params)?;
                Self::GetPrompt(PromptCall {
                    name: bounded(method, "name", name)?,
                    arguments: arguments.unwrap_or_default(),
                })
            }
            "completion/complete" => Self::Complete(completion(method, params)?),
            _ => return Err(no_method(method)),
        })
    }

    /// Returns true if the client may be asked for input before there is a result.
    pub fn may_ask_back(method: &str) -> bool {
        matches!(method, "tools/call" | "resources/read" | "prompts/get")
    }
}

/// Returns the refusal of a method that does not exist.
pub fn no_method(method: &str) -> Fault {
    Fault {
        status: 404,
        ..Fault::refused(
            METHOD_NOT_FOUND,
            format!("there is no method {:?}", shorten(method)),
        )
    }
}

fn tool_call(method: &str, params: Option<&RawValue>) -> Result<ToolCall, Fault> {
    let CallParams { name, arguments } = read(method, params)?;
    let written = arguments.as_deref().map_or("", RawValue::get);
    Ok(ToolCall {
        name: bounded(method, "name", name)?,
        arguments: object_of(written).ok_or_else(|| {
            Fault::params(format!(
                "the parameters of {method}: arguments must be an object"
            ))
        })?,
    })
}

/// Returns the arguments as an object. Some clients write the object as a string, no arguments as
/// `null` or `""`, and an empty object as a list, as PHP does.
fn object_of(written: &str) -> Option<Box<RawValue>> {
    let text = match serde_json::from_str::<String>(written) {
        Ok(text) => Cow::Owned(text),
        Err(_) => Cow::Borrowed(written),
    };
    let object = match text.trim() {
        "" | "null" => "{}",
        list if list.starts_with('[') => {
            let items: Vec<serde::de::IgnoredAny> = serde_json::from_str(list).ok()?;
            items.is_empty().then_some("{}")?
        }
        object if object.starts_with('{') => object,
        _ => return None,
    };
    RawValue::from_string(object.to_owned()).ok()
}

/// Reads the URI in the parameters of a method.
///
/// # Errors
/// A description of the invalid parameter.
pub fn uri(method: &str, params: Option<&RawValue>) -> Result<String, Fault> {
    let UriParams { uri } = read(method, params)?;
    bounded(method, "uri", uri)
}

fn completion(method: &str, params: Option<&RawValue>) -> Result<Completion, Fault> {
    let CompleteParams {
        of,
        argument: Object(argument),
        context,
    } = read(method, params)?;
    Ok(Completion {
        of: match of {
            Reference::Prompt { name } => CompletionTarget::Prompt(bounded(method, "name", name)?),
            Reference::Resource { uri } => CompletionTarget::Template(bounded(method, "uri", uri)?),
        },
        argument: bounded(method, "argument", argument.name)?,
        value: bounded(method, "value", argument.value)?,
        known: context
            .and_then(|Object(context)| context.arguments)
            .unwrap_or_default(),
    })
}

impl Inputs {
    /// Reads the responses of the client in the parameters of a repeated request.
    ///
    /// # Errors
    /// A description of the invalid parameter.
    pub fn read(method: &str, params: Option<&RawValue>) -> Result<Self, Fault> {
        if !ServiceRequest::may_ask_back(method) {
            return Ok(Self::default());
        }
        let InputParams { responses, state } = read(method, params)?;
        Ok(Self {
            responses: responses.unwrap_or_default(),
            state: state
                .map(|state| bounded(method, "requestState", state))
                .transpose()?,
        })
    }
}

impl Filter {
    /// Reads the parameters of `subscriptions/listen`.
    ///
    /// # Errors
    /// A description of the invalid parameter.
    pub fn read(params: Option<&RawValue>) -> Result<Self, Fault> {
        let method = "subscriptions/listen";
        let ListenParams {
            notifications: Object(notifications),
        } = read(method, params)?;
        let uris = notifications.resource_subscriptions;
        if uris.len() > MAX_SUBSCRIBED_RESOURCES {
            return Err(Fault::params(format!(
                "the parameters of {method}: at most {MAX_SUBSCRIBED_RESOURCES} resources"
            )));
        }
        let uris: Result<Vec<String>, Fault> = uris
            .into_iter()
            .map(|uri| bounded(method, "uri", uri))
            .collect();
        Ok(Self {
            tools: notifications.tools_list_changed,
            prompts: notifications.prompts_list_changed,
            resources: notifications.resources_list_changed,
            uris: uris?,
        })
    }

    /// Renders the filter as the protocol writes it, without the notifications that are not wanted.
    pub fn to_json(&self) -> String {
        let mut fields = serde_json::Map::new();
        for (name, wanted) in [
            ("toolsListChanged", self.tools),
            ("promptsListChanged", self.prompts),
            ("resourcesListChanged", self.resources),
        ] {
            if wanted {
                fields.insert(name.to_owned(), true.into());
            }
        }
        if !self.uris.is_empty() {
            let uris = self.uris.clone().into();
            fields.insert("resourceSubscriptions".to_owned(), uris);
        }
        serde_json::Value::Object(fields).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    fn ask(method: &str, params: &str) -> Result<ServiceRequest, Fault> {
        ServiceRequest::read(method, Some(&raw(params)))
    }

    #[test]
    fn a_call_keeps_its_arguments_as_they_were_written() {
        let ServiceRequest::CallTool(call) = ask(
            "tools/call",
            r#"{"name":"x","arguments":{"a": 9007199254740993},"task":{}}"#,
        )
        .unwrap() else {
            panic!("a call");
        };
        assert_eq!(
            (call.name.as_str(), call.arguments.get()),
            ("x", r#"{"a": 9007199254740993}"#)
        );
        for (arguments, read) in [
            ("null", "{}"),
            (r#""""#, "{}"),
            (r#""{}""#, "{}"),
            ("[]", "{}"),
            (r#""[ ]""#, "{}"),
            (
                r#"" {\"a\": 9007199254740993} ""#,
                r#"{"a": 9007199254740993}"#,
            ),
        ] {
            let params = format!(r#"{{"name":"x","arguments":{arguments}}}"#);
            let ServiceRequest::CallTool(call) = ask("tools/call", &params).unwrap() else {
                panic!("a call");
            };
            assert_eq!(call.arguments.get(), read, "{arguments}");
        }
        assert!(ask("tools/call", r#"{"name":"x"}"#).is_ok());
        for arguments in ["5", "[1]", r#""x""#, r#""{""#, "true"] {
            let params = format!(r#"{{"name":"x","arguments":{arguments}}}"#);
            assert!(ask("tools/call", &params).is_err(), "{arguments}");
        }
    }

    #[test]
    fn a_completion_names_a_prompt_or_a_template() {
        let ServiceRequest::Complete(completion) = ask(
            "completion/complete",
            r#"{"ref":{"type":"ref/resource","uri":"db://{session}"},"argument":{"name":"session","value":"f"},"context":{"arguments":{"a":"b"}}}"#,
        )
        .unwrap() else {
            panic!("a completion");
        };
        assert_eq!(
            completion.of,
            CompletionTarget::Template("db://{session}".to_owned())
        );
        assert_eq!(completion.known.get("a").map(String::as_str), Some("b"));
    }

    #[test]
    fn wrong_parameters_are_named_and_unknown_methods_refused() {
        let long = format!(
            r#"{{"cursor":"{}"}}"#,
            "x".repeat(MAX_REQUEST_TEXT_CHARACTERS + 1)
        );
        for (method, params, part) in [
            ("tools/call", "{}", "name"),
            ("tools/call", r#"{"name":5}"#, "tools/call"),
            ("tools/call", r#"{"name":"x","arguments":[1]}"#, "arguments"),
            ("resources/read", "{}", "uri"),
            (
                "prompts/get",
                r#"{"name":"x","arguments":{"a":1}}"#,
                "prompts/get",
            ),
            (
                "completion/complete",
                r#"{"ref":{"type":"other"},"argument":{}}"#,
                "completion/complete",
            ),
            ("tools/list", r#"{"cursor":5}"#, "tools/list"),
            (
                "completion/complete",
                r#"{"ref":{"type":"ref/prompt","name":"p"},"argument":["a","b"]}"#,
                "expected an object",
            ),
            ("tools/list", &long, "4096 characters"),
        ] {
            let fault = ask(method, params).unwrap_err();
            assert!(fault.message.contains(part), "{}", fault.message);
            assert_eq!((fault.code, fault.status), (-32602, 200), "{method}");
        }
        let fault = ask("tools/lst", "{}").unwrap_err();
        assert_eq!((fault.code, fault.status), (-32601, 404));
    }

    #[test]
    fn a_filter_says_what_it_agreed_on() {
        let params = raw(
            r#"{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["db://s/schema"]}}"#,
        );
        let filter = Filter::read(Some(&params)).unwrap();
        assert!(filter.tools && !filter.prompts);
        assert_eq!(
            filter.to_json(),
            r#"{"toolsListChanged":true,"resourceSubscriptions":["db://s/schema"]}"#
        );
        assert!(Filter::read(None).is_err());
        let uris = vec!["\"u\""; MAX_SUBSCRIBED_RESOURCES + 1].join(",");
        let params = raw(&format!(
            r#"{{"notifications":{{"resourceSubscriptions":[{uris}]}}}}"#
        ));
        assert!(Filter::read(Some(&params)).is_err());
    }

    #[test]
    fn input_comes_back_where_it_may_be_asked_for() {
        let params = raw(
            r#"{"name":"x","inputResponses":{"confirm":{"action":"accept"}},"requestState":"s"}"#,
        );
        let inputs = Inputs::read("tools/call", Some(&params)).unwrap();
        assert_eq!(inputs.state.as_deref(), Some("s"));
        assert!(inputs.responses.contains_key("confirm"));
        let inputs = Inputs::read("tools/list", Some(&params)).unwrap();
        assert!(inputs.state.is_none() && inputs.responses.is_empty());
    }
}
