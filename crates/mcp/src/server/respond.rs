//! Makes the response to a request, in either generation of the protocol.

use std::fmt::Write as _;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::ask::{Filter, Inputs, ServiceRequest};
use super::caller::{Caller, Introduction, Meta, Version, level_of};
use super::headers::{self, Headers};
use super::rpc::{Fault, INTERNAL_ERROR, RequestId, render_notification, render_result};
use super::service::{Change, Description, InputRequest, Outcome, Request, Service};
use super::talk::LogLevel;
use crate::limits::MAX_INPUT_ROUNDS;
use crate::protocol::{MISSING_CAPABILITY, MODERN_VERSION};

/// A client with a session, which can be asked while its request is served.
#[expect(
    async_fn_in_trait,
    reason = "workerd has one thread, so nothing asks for Send"
)]
pub trait Peer {
    /// Sends a request to the client and waits for its result. `params` is JSON text.
    ///
    /// # Errors
    /// [`Fault`] if the client refuses or disconnects.
    async fn ask(&self, method: &str, params: &str) -> Result<Box<RawValue>, Fault>;
}

/// A modern request after the check of its headers.
pub enum ModernRequest<'a> {
    /// `server/discover`.
    Discover,
    /// `subscriptions/listen`.
    Listen(Filter),
    /// A request for the service.
    Serve(Box<ServiceCall<'a>>),
}

/// A request for a service.
pub struct ServiceCall<'a> {
    /// The request.
    pub ask: ServiceRequest,
    /// The client.
    pub caller: Caller,
    /// The responses of the client to earlier questions.
    pub inputs: Inputs,
    /// The metadata of the request.
    pub meta: Meta<'a>,
}

/// The parameters that headers repeat. They are read separately, so that a header is compared with
/// the value that the method reads even if other parameters are invalid.
#[derive(Default, serde::Deserialize)]
#[serde(expecting = "an object")]
struct Repeated<'a> {
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    uri: Option<&'a RawValue>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

impl<'a> Repeated<'a> {
    fn read(method: &str, params: Option<&'a RawValue>) -> Result<Self, Fault> {
        let Some(params) = params.filter(|_| ServiceRequest::may_ask_back(method)) else {
            return Ok(Self::default());
        };
        serde_json::from_str(params.get()).map_err(|error| {
            let words = format!("the parameters of {method}: {error}");
            Fault::refused(super::rpc::INVALID_PARAMS, words)
        })
    }

    /// Returns the expected value of `Mcp-Name`. A name that is not a string is refused later, when
    /// the parameters are read.
    fn name(&self, method: &str) -> Option<String> {
        let raw = match method {
            "resources/read" => self.uri,
            _ => self.name,
        };
        serde_json::from_str(raw?.get()).ok()
    }

    fn arguments(&self) -> Result<Value, Fault> {
        let text = self.arguments.map_or("null", RawValue::get);
        serde_json::from_str(text).map_err(|error| {
            let words = format!("the arguments cannot be compared with the headers: {error}");
            Fault::refused(super::rpc::INVALID_PARAMS, words)
        })
    }
}

/// Reads a request of the modern version, and checks its headers.
///
/// # Errors
/// [`Fault`] with the status that the protocol demands.
pub fn read_modern<'a>(
    service: &impl Service,
    headers: &impl Headers,
    method: &str,
    params: Option<&'a RawValue>,
    meta: Meta<'a>,
) -> Result<ModernRequest<'a>, Fault> {
    let named = meta.version().unwrap_or(MODERN_VERSION).to_owned();
    let repeated = Repeated::read(method, params)?;
    let name = repeated.name(method);
    let caller = match meta.modern_caller() {
        // Headers and body must match even if the version is not supported.
        Err(fault) if fault.code == crate::protocol::UNSUPPORTED_VERSION => {
            headers::check_agreement(headers, &named, method, name.as_deref())?;
            return Err(fault);
        }
        caller => caller?,
    };
    headers::check_agreement(headers, &named, method, name.as_deref())?;
    match method {
        "server/discover" => return Ok(ModernRequest::Discover),
        "subscriptions/listen" => return Filter::read(params).map(ModernRequest::Listen),
        _ => {}
    }
    let ask = ServiceRequest::read(method, params)?;
    if let ServiceRequest::CallTool(call) = &ask
        && let Some(schema) = service.header_schema(&call.name)
    {
        headers::check_parameters(headers, &schema, &repeated.arguments()?)?;
    }
    Ok(ModernRequest::Serve(Box::new(ServiceCall {
        ask,
        caller,
        inputs: Inputs::read(method, params)?,
        meta,
    })))
}

/// Renders the result of `server/discover`.
pub fn discovered(description: &Description) -> String {
    let members = format!(
        r#""supportedVersions":{},"capabilities":{},"instructions":{}"#,
        json!(Version::names()),
        description.capabilities,
        Value::from(description.instructions.as_str())
    );
    modern_result(&Outcome::cached(members, description.cache), description)
}

/// Returns the result of a request of the modern version.
///
/// # Errors
/// [`Fault`] of the service, or if the service asks for input that the client cannot give.
pub async fn serve_modern(service: &impl Service, request: &Request<'_>) -> Result<String, Fault> {
    let outcome = service.serve(request).await?;
    if let Outcome::InputRequired { requests, .. } = &outcome {
        for (_, input) in requests {
            require(request.caller, input)?;
        }
    }
    Ok(modern_result(&outcome, &service.description()))
}

/// Checks that the client has the capability for a request for input.
///
/// # Errors
/// [`MISSING_CAPABILITY`].
fn require(caller: &Caller, input: &InputRequest) -> Result<(), Fault> {
    if caller.capabilities.allow(input.method) {
        return Ok(());
    }
    let needed = match input.method {
        "elicitation/create" => json!({ "elicitation": { "form": {} } }),
        "sampling/createMessage" => json!({ "sampling": {} }),
        _ => json!({ "roots": {} }),
    };
    let problem = format!("the call needs a client that supports {}", input.method);
    Err(Fault::refused(MISSING_CAPABILITY, problem).with(json!({ "requiredCapabilities": needed })))
}

fn modern_result(outcome: &Outcome, description: &Description) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    match outcome {
        Outcome::Complete { members, cache, .. } => {
            text.push_str(r#"{"resultType":"complete""#);
            if !members.is_empty() {
                let _written = write!(text, ",{members}");
            }
            if let Some(cache) = cache {
                let _written = write!(text, ",{}", cache.members());
            }
        }
        Outcome::InputRequired { requests, state } => {
            text.push_str(r#"{"resultType":"input_required""#);
            if !requests.is_empty() {
                let _written = write!(text, r#","inputRequests":{}"#, input_requests(requests));
            }
            if let Some(state) = state {
                let _written = write!(text, r#","requestState":{}"#, Value::from(state.as_str()));
            }
        }
    }
    let _written = write!(
        text,
        r#","_meta":{{"io.modelcontextprotocol/serverInfo":{}"#,
        description.info
    );
    if let Outcome::Complete { meta, .. } = outcome
        && !meta.is_empty()
    {
        let _written = write!(text, ",{meta}");
    }
    text.push_str("}}");
    text
}

fn input_requests(requests: &[(&'static str, InputRequest)]) -> Value {
    let entries = requests.iter().map(|(key, input)| {
        let mut request = serde_json::Map::new();
        request.insert("method".to_owned(), input.method.into());
        if let Some(params) = &input.params {
            request.insert("params".to_owned(), params.clone());
        }
        ((*key).to_owned(), Value::Object(request))
    });
    Value::Object(entries.collect())
}

/// Renders the first message of a subscription, which lists the notifications that it will send.
pub fn acknowledged(id: &RequestId, agreed: &Filter) -> String {
    let params = format!(
        r#"{{"_meta":{},"notifications":{}}}"#,
        subscription_meta(id),
        agreed.to_json()
    );
    render_notification("notifications/subscriptions/acknowledged", &params)
}

/// Renders a change as a notification of a subscription.
pub fn subscribed_change(id: &RequestId, change: &Change) -> String {
    let meta = subscription_meta(id);
    render_notification(change.method(), &change.params(Some(&meta)))
}

/// Renders the last message of a subscription that the server ends.
pub fn subscription_ended(id: &RequestId) -> String {
    let result = format!(
        r#"{{"resultType":"complete","_meta":{}}}"#,
        subscription_meta(id)
    );
    render_result(id, &result)
}

fn subscription_meta(id: &RequestId) -> String {
    format!(
        r#"{{"io.modelcontextprotocol/subscriptionId":{}}}"#,
        id.json()
    )
}

/// Renders the result of `initialize`.
pub fn initialized(introduction: &Introduction, description: &Description) -> String {
    format!(
        r#"{{"protocolVersion":"{}","capabilities":{},"serverInfo":{},"instructions":{}}}"#,
        introduction.caller.version.name(),
        description.capabilities,
        description.info,
        Value::from(description.instructions.as_str())
    )
}

/// A request in a session.
#[derive(Debug)]
pub enum LegacyRequest {
    /// `ping`.
    Ping,
    /// `logging/setLevel`.
    SetLevel(LogLevel),
    /// `resources/subscribe`.
    Subscribe(String),
    /// `resources/unsubscribe`.
    Unsubscribe(String),
    /// A request for the service.
    Serve(ServiceRequest),
}

/// Reads a request in a session.
///
/// # Errors
/// A description of the invalid parameter, or an unknown method.
pub fn read_legacy(method: &str, params: Option<&RawValue>) -> Result<LegacyRequest, Fault> {
    #[derive(serde::Deserialize)]
    struct Level<'a> {
        #[serde(borrow)]
        level: std::borrow::Cow<'a, str>,
    }
    let read = match method {
        "ping" => Ok(LegacyRequest::Ping),
        "logging/setLevel" => {
            let text = params.map_or("{}", RawValue::get);
            let Level { level } = serde_json::from_str(text)
                .map_err(|error| Fault::params(format!("the parameters of {method}: {error}")))?;
            level_of(&level).map(LegacyRequest::SetLevel)
        }
        "resources/subscribe" => super::ask::uri(method, params).map(LegacyRequest::Subscribe),
        "resources/unsubscribe" => super::ask::uri(method, params).map(LegacyRequest::Unsubscribe),
        _ => ServiceRequest::read(method, params).map(LegacyRequest::Serve),
    };
    // A client with a session reads the error in the body; another status would hide it.
    read.map_err(|fault| Fault {
        status: 200,
        ..fault
    })
}

/// Returns the result of a request in a session. If the service needs input of the client, the
/// client is asked while the request is open.
///
/// # Errors
/// [`Fault`] of the service or of the client, or if the service asks for input that the client
/// cannot give.
pub async fn serve_legacy(
    service: &impl Service,
    peer: &impl Peer,
    mut request: Request<'_>,
) -> Result<String, Fault> {
    for _ in 0..MAX_INPUT_ROUNDS {
        match service.serve(&request).await? {
            Outcome::Complete { members, meta, .. } => {
                return Ok(legacy_result(&members, &meta));
            }
            Outcome::InputRequired { requests, state } => {
                request.inputs = Inputs {
                    state,
                    ..Inputs::default()
                };
                for (key, input) in requests {
                    require(request.caller, &input).map_err(|fault| Fault {
                        status: 200,
                        code: INTERNAL_ERROR,
                        ..fault
                    })?;
                    let params = input
                        .params
                        .map_or("{}".to_owned(), |params| params.to_string());
                    let response = peer.ask(input.method, &params).await?;
                    request.inputs.responses.insert(key.to_owned(), response);
                }
            }
        }
    }
    Err(Fault {
        status: 200,
        ..Fault::refused(
            INTERNAL_ERROR,
            format!(
                "the call asked its client for input {MAX_INPUT_ROUNDS} times, which is the limit"
            ),
        )
    })
}

/// Renders the result of a request in a session from its members and those of its `_meta`.
fn legacy_result(members: &str, meta: &str) -> String {
    let comma = if members.is_empty() { "" } else { "," };
    if meta.is_empty() {
        format!("{{{members}}}")
    } else {
        format!(r#"{{{members}{comma}"_meta":{{{meta}}}}}"#)
    }
}

#[cfg(test)]
mod tests {
    use super::super::service::{Cache, Scope};
    use super::*;

    fn description() -> Description {
        Description {
            info: r#"{"name":"n","version":"1"}"#.to_owned(),
            capabilities: r#"{"tools":{}}"#,
            instructions: "Ask.".to_owned(),
            cache: Cache {
                ttl_ms: 5,
                scope: Scope::Public,
            },
        }
    }

    const SERVER: &str =
        r#""_meta":{"io.modelcontextprotocol/serverInfo":{"name":"n","version":"1"}}"#;

    #[test]
    fn a_modern_result_says_what_it_is_and_who_made_it() {
        let plain = Outcome::complete(r#""content":[]"#);
        assert_eq!(
            modern_result(&plain, &description()),
            format!(r#"{{"resultType":"complete","content":[],{SERVER}}}"#)
        );
        assert_eq!(
            modern_result(&Outcome::complete(""), &description()),
            format!(r#"{{"resultType":"complete",{SERVER}}}"#)
        );
        assert_eq!(
            discovered(&description()),
            format!(
                r#"{{"resultType":"complete","supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"capabilities":{{"tools":{{}}}},"instructions":"Ask.","ttlMs":5,"cacheScope":"public",{SERVER}}}"#
            )
        );
    }

    #[test]
    fn a_result_says_more_to_hosts_in_its_meta() {
        let outcome = Outcome::complete(r#""content":[]"#).with_meta(r#""a/b":1"#);
        assert_eq!(
            modern_result(&outcome, &description()),
            r#"{"resultType":"complete","content":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"n","version":"1"},"a/b":1}}"#
        );
        for (members, meta, result) in [
            ("", "", "{}"),
            (r#""a":1"#, "", r#"{"a":1}"#),
            ("", r#""b":2"#, r#"{"_meta":{"b":2}}"#),
            (r#""a":1"#, r#""b":2"#, r#"{"a":1,"_meta":{"b":2}}"#),
        ] {
            assert_eq!(legacy_result(members, meta), result);
        }
    }

    #[test]
    fn a_request_for_input_has_its_requests_and_its_state() {
        let outcome = Outcome::InputRequired {
            requests: vec![(
                "confirm",
                InputRequest {
                    method: "roots/list",
                    params: None,
                },
            )],
            state: Some("s".to_owned()),
        };
        assert_eq!(
            modern_result(&outcome, &description()),
            format!(
                r#"{{"resultType":"input_required","inputRequests":{{"confirm":{{"method":"roots/list"}}}},"requestState":"s",{SERVER}}}"#
            )
        );
    }

    #[test]
    fn a_client_is_asked_only_what_it_can_do() {
        let caller = |capabilities: &str| Caller {
            version: Version::V20260728,
            capabilities: super::super::caller::Capabilities::parse(capabilities).unwrap(),
        };
        let input = InputRequest {
            method: "sampling/createMessage",
            params: None,
        };
        assert!(require(&caller(r#"{"sampling":{}}"#), &input).is_ok());
        let fault = require(&caller("{}"), &input).unwrap_err();
        assert_eq!((fault.status, fault.code), (400, MISSING_CAPABILITY));
        assert_eq!(
            *fault.data.unwrap(),
            json!({"requiredCapabilities": {"sampling": {}}})
        );
    }

    #[test]
    fn a_subscription_names_itself_in_each_message() {
        let id = RequestId::own(4);
        let filter = Filter {
            resources: true,
            ..Filter::default()
        };
        assert_eq!(
            acknowledged(&id, &filter),
            r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":4},"notifications":{"resourcesListChanged":true}}}"#
        );
        assert_eq!(
            subscribed_change(&id, &Change::Updated("db://s/schema".to_owned())),
            r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":4},"uri":"db://s/schema"}}"#
        );
        assert_eq!(
            subscription_ended(&id),
            r#"{"jsonrpc":"2.0","id":4,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":4}}}"#
        );
    }

    #[test]
    fn a_session_has_methods_of_its_own() {
        assert!(matches!(read_legacy("ping", None), Ok(LegacyRequest::Ping)));
        let params = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        let level = read_legacy("logging/setLevel", Some(&params(r#"{"level":"error"}"#)));
        assert!(matches!(
            level,
            Ok(LegacyRequest::SetLevel(LogLevel::Error))
        ));
        let fault = read_legacy("logging/setLevel", Some(&params(r#"{"level":"x"}"#))).unwrap_err();
        assert_eq!(fault.code, -32602);
        let fault = read_legacy("server/discover", None).unwrap_err();
        assert_eq!((fault.code, fault.status), (-32601, 200));
    }
}
