//! Calls of tools: the call is parsed, the object of the graph runs the operation, and its response
//! becomes a result within the size limit.

use serde_json::{Value, json};

use super::GraphProduct;
use super::backend::GraphBackend;
use super::labels;
use super::page::Page;
use super::resources::uri_of;
use super::table::{DATABASE_CONTEXT, GraphTool, listed, tools};
use super::{failure, texts};
use crate::McpServerError;
use crate::limits::{DEFAULT_MCP_FOUND_ITEMS, DEFAULT_MCP_STATE_ITEMS, MAX_MCP_PAGE_ITEMS};
use crate::results::fitting::{Attempt, List};
use crate::results::trimmed::trimmed;
use crate::results::{self, ObjectResponse, at, tokens};
use crate::tools::{Arguments, shown, unknown};
use base::entries::Fields;
use base::known::{self, Given};
use base::{CommonError, Error, Result};
use graph::telling::Labels;
use mcp::server::ask::ToolCall;
use mcp::server::{Fault, Outcome};
use operation::declaration::{Declaration, Pages, Text, Words};
use serde_json::value::RawValue;

/// The member of `_meta` of a result that tells a host to refresh its view of the graph.
const META: &str = "codemode-database/graph";

/// Tokens reserved for the parts of a result beside its text and structured content.
const FRAME_TOKENS: usize = 200;

/// The share of a result's tokens that the text may take, as a divisor; the structured content has
/// the rest.
const PARTS_OF_TEXT: usize = 3;

/// Minimum tokens of a node and its line.
const LEAST_ITEM_TOKENS: usize = 50;

/// A page with the labels of its nodes, or the failure of the object.
pub type Read = std::result::Result<(Page, Labels), Value>;

/// The outcome of a call.
enum Done {
    Outcome(Outcome),
    /// The error of the object.
    Failure(Value),
}

impl<B: GraphBackend> GraphProduct<B> {
    /// Calls a tool.
    ///
    /// # Errors
    /// [`Fault`] for a tool that is not listed. Everything else is a result.
    pub(super) async fn call_tool(&self, asked: &ToolCall) -> std::result::Result<Outcome, Fault> {
        let tool = self.find(&asked.name)?;
        let failure = match self.perform(&tool, &asked.arguments).await {
            Ok(Done::Outcome(outcome)) => return Ok(outcome),
            Ok(Done::Failure(error)) => error,
            Err(error) => error.to_json(),
        };
        let version = self.version_now().await;
        Ok(self.failed(&failure, version))
    }

    /// Returns the current version of the graph for a failure; none if the graph does not respond.
    async fn version_now(&self) -> Option<u64> {
        let said = self
            .operate(body(graph::Id::GetGraph.declaration(), &[]))
            .await
            .ok()?;
        let ObjectResponse::Success(members) = ObjectResponse::read(&said) else {
            return None;
        };
        let read: Value = serde_json::from_str(&format!("{{{members}}}")).ok()?;
        at(at(&read, "data"), "version").as_u64()
    }

    fn find(&self, name: &str) -> std::result::Result<GraphTool, Fault> {
        if let Some(tool) = listed(self.terms.access).find(|tool| tool.name == name) {
            return Ok(tool);
        }
        let is_elsewhere = tools().any(|tool| tool.name == name);
        let refusal = is_elsewhere.then(|| McpServerError::ToolWrites { tool: shown(name) });
        Err(unknown(
            name,
            refusal,
            listed(self.terms.access).map(|tool| tool.name),
        ))
    }

    async fn perform(&self, tool: &GraphTool, arguments: &RawValue) -> Result<Done> {
        let given = Arguments::parse(tool.name, &tool.taken(), &tool.required(), arguments)?;
        if let Some(context) = given.get(DATABASE_CONTEXT) {
            self.check_context(context)?;
        }
        let fields = fields(tool, &given)?;
        match tool.tool.text {
            Text::Page(pages) => self.paged(tool, pages, &given, fields).await,
            Text::Words(words) => self.done(tool, words, &body(tool.operation, &fields)).await,
        }
    }

    /// Checks the conversation that a host of an older version names. Its URL and token are not
    /// needed: the request itself is authorised, and the graph is here.
    fn check_context(&self, context: &RawValue) -> Result<()> {
        let Ok(Fields(fields)) = serde_json::from_str::<Fields<Box<RawValue>>>(context.get())
        else {
            return Err(Error::invalid(format!(
                "{DATABASE_CONTEXT} must be an object"
            )));
        };
        let names = fields.iter().map(|(name, _)| name.as_str());
        let members = ["conversationId", "apiBaseUrl", "accessToken"];
        known::check(Given::Field, names, &members)?;
        let named = fields.iter().find(|(name, _)| name == "conversationId");
        let Some((_, raw)) = named.filter(|(_, raw)| raw.get() != "null") else {
            return Ok(());
        };
        let own = &self.terms.conversation;
        let conversation: Option<String> = serde_json::from_str(raw.get()).ok();
        if conversation.as_ref() == Some(own) {
            return Ok(());
        }
        Err(Error::invalid_with_hint(
            format!("this endpoint serves the graph of the conversation {own} only"),
            format!(
                "leave {DATABASE_CONTEXT} out, or connect to /mcp/graph/{{conversationId}} of the other conversation"
            ),
        ))
    }

    /// Runs an operation that does not return a page.
    async fn done(&self, tool: &GraphTool, words: Words, body: &str) -> Result<Done> {
        let said = self.operate(body.to_owned()).await?;
        let members = match ObjectResponse::read(&said) {
            ObjectResponse::Success(members) => members,
            ObjectResponse::Failure(error) => return Ok(Done::Failure(error)),
        };
        let read: Value = serde_json::from_str(&format!("{{{members}}}"))
            .map_err(|error| Error::internal(format!("the graph's response: {error}")))?;
        let data = at(&read, "data");
        let mut known = Labels::default();
        let conversation = &self.terms.conversation;
        labels::learn_ends(&mut known, &self.backend, conversation, [data]).await?;
        let mut text = words(&read, &|id| known.of(id));
        if tool.name == "addNode" {
            let conversation = &self.terms.conversation;
            let others = labels::namesakes(&self.backend, conversation, data).await?;
            text.push_str(&texts::namesakes(others, data));
        }
        Ok(Done::Outcome(self.fitted(&text, &read, members)))
    }

    /// Renders text and members; the members are shortened if they are too long.
    fn fitted(&self, text: &str, read: &Value, members: String) -> Outcome {
        let text = tokens::cut(text, self.terms.max_tokens / PARTS_OF_TEXT);
        let left = self
            .terms
            .max_tokens
            .saturating_sub(FRAME_TOKENS + tokens::estimate(&text));
        if tokens::estimate(&members) <= left {
            return self.result(&text, &members, version_of(read));
        }
        let (mut short, _) = trimmed(read, left.saturating_sub(FRAME_TOKENS));
        if let Some(fields) = short.as_object_mut() {
            fields.insert("truncated".to_owned(), true.into());
        }
        let short = short.to_string();
        let members = short
            .strip_prefix('{')
            .and_then(|text| text.strip_suffix('}'));
        self.result(&text, members.unwrap_or_default(), version_of(read))
    }

    /// Runs an operation that returns a page.
    async fn paged(
        &self,
        tool: &GraphTool,
        kind: Pages,
        given: &Arguments,
        mut fields: Vec<(String, String)>,
    ) -> Result<Done> {
        fields.retain(|(name, _)| name != "limit");
        let (page, known) = match self
            .page(tool.operation, kind, given.count("limit")?, &fields)
            .await?
        {
            Ok(read) => read,
            Err(error) => return Ok(Done::Failure(error)),
        };
        let text = texts::of_page(kind, &page, &known);
        let version = match kind {
            Pages::State => version_of(&page.member("metadata")),
            Pages::Nodes | Pages::Steps => {
                at(&json!({ "version": page.member("version") }), "version").as_u64()
            }
        };
        let outcome = self.result(&text, &page.members(), version);
        Ok(Done::Outcome(outcome))
    }

    /// Reads a page with as many items as fit, up to a limit.
    ///
    /// # Errors
    /// If there is no response, or none that fits.
    pub(super) async fn page(
        &self,
        operation: &Declaration,
        kind: Pages,
        wanted: Option<u64>,
        fields: &[(String, String)],
    ) -> Result<Read> {
        let usual = match kind {
            Pages::State => DEFAULT_MCP_STATE_ITEMS,
            Pages::Nodes | Pages::Steps => DEFAULT_MCP_FOUND_ITEMS,
        };
        let most = (self.terms.max_tokens / LEAST_ITEM_TOKENS) as u64;
        let first = wanted.unwrap_or(usual).min(most.min(MAX_MCP_PAGE_ITEMS));
        let list = List {
            what: "a page of the graph",
            argument: "limit",
            limit_tokens: self.terms.max_tokens,
        };
        let request = async |limit: Option<u64>| {
            let limit = limit.unwrap_or(first);
            let mut fields = fields.to_vec();
            fields.push(("limit".to_owned(), limit.to_string()));
            let said = self.operate(body(operation, &fields)).await?;
            let members = match ObjectResponse::read(&said) {
                ObjectResponse::Success(members) => members,
                ObjectResponse::Failure(error) => return Ok(Attempt::Fits(Err(error))),
            };
            let mut page = Page::read(kind, &members)?;
            let mut known = Labels::default();
            known.learn(page.nodes());
            let conversation = &self.terms.conversation;
            labels::learn_ends(&mut known, &self.backend, conversation, page.edges()).await?;
            let fits = page.fit(&known, self.terms.max_tokens);
            Ok(if fits == page.len() {
                Attempt::Fits(Ok((page, known)))
            } else {
                Attempt::TooLong {
                    had: limit,
                    fits: fits as u64,
                }
            })
        };
        list.fit(Some(first), request).await
    }

    pub(super) async fn operate(&self, body: String) -> Result<String> {
        let conversation = &self.terms.conversation;
        self.backend.operate_graph(conversation, body).await
    }

    /// Renders a result that names the graph and its version.
    fn result(&self, text: &str, members: &str, version: Option<u64>) -> Outcome {
        self.naming(text, members, version, false)
    }

    /// Renders a failure as a result that names the graph and its version.
    fn failed(&self, error: &Value, version: Option<u64>) -> Outcome {
        let error = results::shortened(error, self.terms.max_tokens, None);
        let text = tokens::cut(
            &failure::text(&error),
            self.terms.max_tokens / PARTS_OF_TEXT,
        );
        self.naming(&text, &format!(r#""error":{error}"#), version, true)
    }

    fn naming(&self, text: &str, members: &str, version: Option<u64>, failed: bool) -> Outcome {
        let graph = Value::from(uri_of(&self.terms.conversation));
        let comma = if members.is_empty() { "" } else { "," };
        let (mut own, mut meta) = (String::new(), format!(r#""uri":{graph}"#));
        if let Some(version) = version {
            meta.push_str(&format!(r#","version":{version}"#));
            if !has_member(members, "version") {
                own = format!(r#","version":{version}"#);
            }
        }
        let structured = format!(r#"{{"graph":{graph}{own}{comma}{members}}}"#);
        Outcome::complete(results::result(text, &structured, failed))
            .with_meta(format!(r#""{META}":{{{meta}}}"#))
    }
}

/// Returns true if these members include one of this name.
fn has_member(members: &str, name: &str) -> bool {
    serde_json::from_str::<Fields<&RawValue>>(&format!("{{{members}}}"))
        .is_ok_and(|Fields(fields)| fields.iter().any(|(known, _)| known == name))
}

/// Returns the version in a response, whose position depends on the operation.
fn version_of(read: &Value) -> Option<u64> {
    let positions = [
        at(read, "version"),
        at(at(read, "metadata"), "version"),
        at(at(at(read, "data"), "metadata"), "version"),
    ];
    positions.into_iter().find_map(Value::as_u64)
}

/// Returns the fields of the operation for a tool call. A null field counts as absent, except
/// `data`, which null clears; an empty `value` counts only for an attribute.
fn fields(tool: &GraphTool, given: &Arguments) -> Result<Vec<(String, String)>> {
    let mut fields: Vec<(String, String)> = given
        .iter()
        .filter(|(name, raw)| *name != DATABASE_CONTEXT && (raw.get() != "null" || *name == "data"))
        .filter(|(name, raw)| {
            *name != "value" || raw.get() != r#""""# || given.get("attribute").is_some()
        })
        .map(|(name, raw)| (tool.field(name).to_owned(), raw.get().to_owned()))
        .collect();
    if tool.name == "importFromJSON" {
        // The graph, the nodes and the edges are parts of the content.
        fields.retain(|(name, _)| name != "content");
        fields.push(("content".to_owned(), content(given)?));
    }
    Ok(fields)
}

/// Returns the content to import: the given graph, or the given nodes and edges.
fn content(given: &Arguments) -> Result<String> {
    let lists = [("nodes", given.get("nodes")), ("edges", given.get("edges"))];
    let parts: Vec<String> = lists
        .iter()
        .filter_map(|(name, raw)| raw.map(|raw| format!(r#""{name}":{}"#, raw.get())))
        .collect();
    match (given.get("graph"), parts.is_empty()) {
        (Some(graph), true) => Ok(graph.get().to_owned()),
        (None, false) => Ok(format!("{{{}}}", parts.join(","))),
        (graph, _) => Err(Error::from(CommonError::InvalidArgument {
            message: match graph {
                Some(_) => "send either graph, or nodes and edges, but not both".to_owned(),
                None => "there is nothing to import".to_owned(),
            },
            hint: Some(
                r#"send nodes and edges: {"nodes":[{"id":"a","label":"TP53","type":"gene"}],"edges":[]}"#
                    .to_owned(),
            ),
        })),
    }
}

/// Renders the body of a request. Nodes may be named by their labels.
fn body(operation: &Declaration, fields: &[(String, String)]) -> String {
    let names = if operation.names_objects() {
        r#","names":"labels""#
    } else {
        ""
    };
    let mut body = format!(r#"{{"operation":"{}"{names}"#, operation.name);
    for (name, raw) in fields {
        body.push_str(&format!(",{}:{raw}", Value::from(name.as_str())));
    }
    body.push('}');
    body
}
