//! A client and the product, with sessions on real SQLite between them and no HTTP.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use base::{Error, Result, percent};
use codemode_database::api::envelope;
use futures::executor::block_on;
use futures::stream::LocalBoxStream;
use mcp::server::{
    Caller, Capabilities, ClientChannel, Fault, Inputs, Outcome, Request, Service, ServiceRequest,
    Version,
};
use mcp_product::backend::{Backend, Hear, Removal, SessionChange, Subject, ThreadTask};
use mcp_product::{Product, Profile, Terms};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use session::approved::Basis;
use session::bulk::{Load, LoadRequest};
use session::confirmation::{require_basis, require_whole_basis};
use session::{confirmation, dispatch, start};
use tools::own;
use tools::request::{ProxyRequest, SearchRequest};

use test_support::{HostDatabase, NOW_MS, Stand};

/// The tenant of the sessions.
const TENANT: &str = "acme";

/// Sessions by name.
#[derive(Default)]
pub struct Sessions {
    open: RefCell<BTreeMap<String, Rc<HostDatabase>>>,
    drawn: Cell<u8>,
    /// A script that another client runs right before the next confirmed operation.
    pub late: Cell<Option<&'static str>>,
    /// The time, in milliseconds since 1970.
    pub now_ms: Cell<u64>,
}

impl Sessions {
    /// Returns the database of a session, which its first use creates.
    pub fn database(&self, session: &str) -> Rc<HostDatabase> {
        let mut open = self.open.borrow_mut();
        let database = open.entry(session.to_owned()).or_insert_with(|| {
            let database = HostDatabase::new();
            start(&database, NOW_MS).unwrap();
            Rc::new(database)
        });
        Rc::clone(database)
    }

    /// Runs the script of the other client, if there is one.
    fn meanwhile(&self, session: &str) {
        if let Some(script) = self.late.take() {
            self.database(session).script(script);
        }
    }

    fn said(outcome: Result<session::Reply>) -> String {
        match outcome {
            Ok(answer) => envelope::answered(&answer),
            Err(error) => envelope::failure(&error),
        }
    }

    fn fresh(&self) -> [u8; 32] {
        self.drawn.set(self.drawn.get() + 1);
        [self.drawn.get(); 32]
    }
}

fn config() -> codemode_database::config::Config {
    codemode_database::config::Config::parse(|_| None).unwrap()
}

/// A backend with these sessions, for one client.
pub struct Host(pub Rc<Sessions>);

fn subject<'a>(of: &'a Subject) -> confirmation::Subject<'a> {
    confirmation::Subject {
        tenant: TENANT,
        session: &of.session,
        tool: &of.tool,
        arguments: &of.arguments,
        basis: &of.basis,
    }
}

impl Backend for Host {
    async fn ask_thread(&self, _thread: &str, _task: ThreadTask, _body: String) -> Result<String> {
        Err(Error::internal("threads need the Worker"))
    }

    fn fresh_id(&self) -> String {
        "fresh".to_owned()
    }

    async fn operate(&self, session: &str, body: String) -> Result<String> {
        self.remove(session, body, None).await
    }

    async fn remove(&self, session: &str, body: String, basis: Option<&str>) -> Result<String> {
        if basis.is_some() {
            self.0.meanwhile(session);
        }
        let database = self.0.database(session);
        let stand = Stand::new(&config().session);
        let required = basis.map_or(Ok(()), |basis| require_basis(&*database, &body, basis));
        let done = required.and_then(|()| dispatch(&stand.session(&*database), &body));
        Ok(Sessions::said(done))
    }

    async fn execute(&self, _session: &str, _body: String, _hear: Hear<'_>) -> Result<String> {
        Err(Error::internal("programs need the Worker"))
    }

    /// Responds as a server with one tool, whose result is long.
    async fn call_tool(
        &self,
        session: &str,
        body: String,
        basis: Option<&str>,
        _hear: Hear<'_>,
    ) -> Result<String> {
        let asked = ProxyRequest::parse(&body)?.call;
        if session::is_own_server(&asked.server) {
            let operation = own::operation(&asked)?;
            return self.remove(session, operation, basis).await;
        }
        let long = "lorem ipsum ".repeat(2_000);
        Ok(json!({ "success": true, "result": { "text": long }, "meta": {} }).to_string())
    }

    async fn load(
        &self,
        session: &str,
        table: &str,
        query: &str,
        content_type: &'static str,
        body: String,
    ) -> Result<String> {
        let database = self.0.database(session);
        let stand = Stand::new(&config().session);
        let parameter = |name: &str| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            let value = pairs.find(|(known, _)| *known == name);
            Ok(value.map(|(_, value)| percent::decode(value).unwrap()))
        };
        let header = |name: &str| (name == "content-type").then(|| content_type.to_owned());
        let request = match LoadRequest::read(table, header, parameter) {
            Ok(request) => request,
            Err(error) => return Ok(envelope::failure(&error)),
        };
        let load = || {
            let mut load = Load::new(stand.session(&*database), request)?;
            load.feed(body.as_bytes())?;
            load.finish()
        };
        Ok(Sessions::said(load()))
    }

    async fn delete_session(&self, session: &str, basis: Option<&str>) -> Result<String> {
        self.0.meanwhile(session);
        if let Some(basis) = basis
            && let Err(error) = require_whole_basis(&*self.0.database(session), basis)
        {
            return Ok(envelope::failure(&error));
        }
        self.0.open.borrow_mut().remove(session);
        Ok(r#"{"success":true}"#.to_owned())
    }

    async fn sessions(&self, limit: usize, cursor: Option<&str>) -> Result<String> {
        let open = self.0.open.borrow();
        let after = cursor.unwrap_or_default();
        let names: Vec<&String> = open.keys().filter(|name| name.as_str() > after).collect();
        let shown: Vec<Value> = names
            .iter()
            .take(limit)
            .map(|name| json!({ "name": name }))
            .collect();
        let next = names
            .get(limit.saturating_sub(1))
            .filter(|_| names.len() > limit);
        Ok(json!({ "success": true, "sessions": shown, "nextCursor": next }).to_string())
    }

    async fn search(&self, request: &SearchRequest) -> Result<Value> {
        let tool =
            json!({ "server": "pubs", "name": "search", "description": "words ".repeat(400) });
        let tools = vec![tool; request.limit.min(200_usize.saturating_sub(request.offset))];
        let next = request.offset + tools.len();
        Ok(json!({ "tools": tools, "total": 200, "nextOffset": next }))
    }

    async fn describe(&self, server: &str, tool: &str) -> Result<Value> {
        tools::own::describe(server, tool)
    }

    async fn basis(&self, session: &str, removal: Removal<'_>) -> Result<String> {
        let table = match removal {
            Removal::Table(table) => Some(table),
            Removal::Session => None,
            Removal::Persistent(_) => {
                return Err(Error::internal("persistent tables need the Worker"));
            }
        };
        let basis = Basis::of_removal(&*self.0.database(session), table)?;
        Ok(basis.as_str().to_owned())
    }

    async fn confirmation(&self, of: &Subject) -> Result<String> {
        let database = self.0.database(&of.session);
        confirmation::mint(
            &*database,
            &subject(of),
            self.0.now_ms.get(),
            self.0.fresh(),
        )
    }

    async fn redeem(&self, of: &Subject, state: &str) -> Result<()> {
        let database = self.0.database(&of.session);
        confirmation::redeem(&*database, &subject(of), state, self.0.now_ms.get())
    }

    async fn watch(&self, _session: &str) -> Result<LocalBoxStream<'static, SessionChange>> {
        Err(Error::internal("watching needs the Worker"))
    }
}

/// A client of an endpoint.
pub struct Client {
    product: Product<Host>,
    caller: Caller,
}

impl Client {
    /// Makes a client of `/mcp` over these sessions; `capabilities` is JSON.
    pub fn new(sessions: &Rc<Sessions>, capabilities: &str) -> Self {
        Self::at(sessions, capabilities, Profile::Full)
    }

    /// Makes a client of the endpoint of a profile.
    pub fn at(sessions: &Rc<Sessions>, capabilities: &str, profile: Profile) -> Self {
        if sessions.now_ms.get() == 0 {
            sessions.now_ms.set(NOW_MS);
        }
        Self {
            product: Product {
                backend: Host(Rc::clone(sessions)),
                terms: Terms {
                    profile,
                    session: "own".to_owned(),
                    max_tokens: 25_000,
                    confirm: true,
                    model_may_decide: false,
                },
            },
            caller: Caller {
                version: Version::V20260728,
                capabilities: Capabilities::parse(capabilities).unwrap(),
            },
        }
    }

    /// Sets a lower limit of tokens for a result.
    pub fn with_tokens(mut self, max_tokens: usize) -> Self {
        self.product.terms.max_tokens = max_tokens;
        self
    }

    /// Turns off questions before deletions.
    pub fn unasked(mut self) -> Self {
        self.product.terms.confirm = false;
        self
    }

    /// Returns the outcome of a request.
    pub fn ask(
        &self,
        method: &str,
        params: &Value,
        inputs: Inputs,
    ) -> std::result::Result<Outcome, Fault> {
        let params = RawValue::from_string(params.to_string()).unwrap();
        let talk = ClientChannel::silent();
        let request = Request {
            ask: ServiceRequest::read(method, Some(&params))?,
            caller: &self.caller,
            inputs,
            talk: &talk,
        };
        block_on(self.product.serve(&request))
    }

    /// Returns the result of a request.
    pub fn get(&self, method: &str, params: &Value) -> Value {
        complete(self.ask(method, params, Inputs::default()).unwrap())
    }

    /// Returns the result of a call.
    pub fn call(&self, tool: &str, arguments: Value) -> Value {
        self.get(
            "tools/call",
            &json!({ "name": tool, "arguments": arguments }),
        )
    }

    /// Returns the structured content of a call that succeeds.
    pub fn ok(&self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result.get("isError"), None, "{result}");
        result["structuredContent"].clone()
    }

    /// Returns the error of a call that fails.
    pub fn fails(&self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        result["structuredContent"]["error"].clone()
    }
}

/// Returns the members of a result.
pub fn complete(outcome: Outcome) -> Value {
    match outcome {
        Outcome::Complete { members, .. } => {
            serde_json::from_str(&format!("{{{members}}}")).unwrap()
        }
        Outcome::InputRequired { .. } => panic!("it asks its client"),
    }
}
