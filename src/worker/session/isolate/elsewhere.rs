//! Operations of a program on a knowledge graph or a code workspace. They are sent to its object
//! like a request over HTTP, and the response is returned unchanged.
//!
//! Nobody can be asked while a program runs, so the program of an MCP client may not make the
//! decisions in a workspace that are left to a person.

use js_sys::Uint8Array;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

use super::super::super::addresses::{
    ACTOR_HEADER, CODE, CONVERSATION_HEADER, GRAPH, OBJECT_HOST, TENANT_HEADER, WORKSPACE_HEADER,
};
use super::super::super::bindings::{header_lines, send_to};
use super::super::super::object::Class;
use base::names::{check_name, object_name};
use base::{Error, Result, percent};
use mcp_product::McpServerError;

/// The author of a program's changes, in the history.
const ACTOR: &str = "program";

/// The operations that are decisions of a person.
const DECISIONS: &[&str] = &["approve_proposal", "approve_all", "revert_proposal"];

/// The operations that need a person if they would change an existing file.
const WRITES: &[&str] = &["put_files", "delete_files"];

/// The kind of object that an operation is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A knowledge graph.
    Graph,
    /// A code workspace.
    Code,
}

impl Place {
    fn class(self) -> &'static Class {
        match self {
            Self::Graph => &GRAPH,
            Self::Code => &CODE,
        }
    }

    /// Returns the field of a call that names the object.
    fn field(self) -> &'static str {
        match self {
            Self::Graph => "conversationId",
            Self::Code => "workspace",
        }
    }

    fn header(self) -> &'static str {
        match self {
            Self::Graph => CONVERSATION_HEADER,
            Self::Code => WORKSPACE_HEADER,
        }
    }

    fn path(self) -> &'static str {
        match self {
            Self::Graph => "/api/graph",
            Self::Code => "/api/code",
        }
    }

    fn example(self) -> &'static str {
        match self {
            Self::Graph => "write helpers.graph(\"name\").addNode({label, type})",
            Self::Code => "write helpers.code(\"name\").request_code_context({token_budget, hint})",
        }
    }
}

/// One operation, and the object that it is for.
pub(super) struct ObjectOperation {
    place: Place,
    name: String,
    body: String,
    operation: String,
}

#[derive(Deserialize)]
struct Asked<'a> {
    /// The name of the graph or the workspace.
    #[serde(alias = "conversation", alias = "workspace")]
    name: String,
    #[serde(borrow)]
    call: &'a RawValue,
}

#[derive(Deserialize)]
struct Named {
    operation: String,
}

impl ObjectOperation {
    /// Reads the body of a call.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] if the name is missing or unusable.
    pub(super) fn parse(place: Place, body: &str) -> Result<Self> {
        let wrong = |_| {
            Error::invalid_with_hint(
                format!("the call must name a {} and an operation", place.field()),
                place.example(),
            )
        };
        let asked: Asked<'_> = serde_json::from_str(body).map_err(wrong)?;
        let named: Named = serde_json::from_str(asked.call.get()).map_err(wrong)?;
        check_name(place.field(), &asked.name)?;
        Ok(Self {
            place,
            name: asked.name,
            body: asked.call.get().to_owned(),
            operation: named.operation,
        })
    }

    /// Returns the name of the operation, known or not.
    pub(super) fn operation(&self) -> &str {
        &self.operation
    }

    /// Sends the operation to the object and returns the text of its response, which may be a
    /// failure.
    ///
    /// # Errors
    /// [`base::CommonError::Internal`] if the object stopped.
    pub(super) async fn ask(&self, env: &JsValue, tenant: &str) -> Result<String> {
        self.send(env, tenant, &self.body).await
    }

    /// Refuses an operation that needs a person. If the object cannot say what the operation would
    /// change, its failure is returned as the response, and the operation is not run.
    ///
    /// # Errors
    /// [`McpServerError::CodePersonRequired`], or as [`Self::ask`].
    pub(super) async fn refuse_decision(
        &self,
        env: &JsValue,
        tenant: &str,
    ) -> Result<Option<String>> {
        if self.place != Place::Code {
            return Ok(None);
        }
        let refused = |what: String| {
            Error::from(McpServerError::CodePersonRequired {
                what,
                workspace: self.name.clone(),
            })
        };
        if DECISIONS.contains(&self.operation.as_str()) {
            return Err(refused(format!("{} of a program", self.operation)));
        }
        if !WRITES.contains(&self.operation.as_str()) {
            return Ok(None);
        }
        let asked: Value = serde_json::from_str(&self.body).unwrap_or_default();
        let said = self.send(env, tenant, &scan_of(&asked).to_string()).await?;
        let read: Value = serde_json::from_str(&said).unwrap_or_default();
        let there = read.get("changed").and_then(Value::as_array);
        match there.map(|there| there.first().and_then(Value::as_str)) {
            Some(Some(path)) => Err(refused(format!("{} of {path}", self.operation))),
            Some(None) => Ok(None),
            None if read.get("success") == Some(&Value::Bool(false)) => Ok(Some(said)),
            None => Err(refused(format!("{} of a program", self.operation))),
        }
    }

    async fn send(&self, env: &JsValue, tenant: &str, body: &str) -> Result<String> {
        let class = self.place.class();
        let stub = class.stub(env, &object_name(tenant, &self.name))?;
        let url = format!(
            "{OBJECT_HOST}{}/{}",
            self.place.path(),
            percent::encode(&self.name)
        );
        let headers = header_lines(&[
            (TENANT_HEADER, tenant),
            (self.place.header(), self.name.as_str()),
            (ACTOR_HEADER, ACTOR),
            ("content-type", "application/json"),
        ]);
        let failed = |thrown: JsValue| class.stopped(&thrown);
        let body = Uint8Array::from(body.as_bytes());
        let sent = send_to(&stub, "POST", &url, &headers, &body.into()).map_err(failed)?;
        let response: Response = JsFuture::from(sent)
            .await
            .and_then(JsCast::dyn_into)
            .map_err(failed)?;
        let text = response.text().map_err(failed)?;
        let text = JsFuture::from(text).await.map_err(failed)?;
        text.as_string().ok_or_else(|| {
            Error::internal(format!("the response of {} is not text", class.in_words))
        })
    }
}

/// Makes the request that finds which files of a call exist. No file has the given hash, so each
/// existing one counts as changed.
fn scan_of(asked: &Value) -> Value {
    let list = |name: &str| {
        asked
            .get(name)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    };
    let paths = list("files")
        .filter_map(|file| file.get("file_path"))
        .chain(list("file_paths"));
    let files: Vec<Value> = paths
        .map(|path| json!({ "file_path": path, "file_hash": "-" }))
        .collect();
    json!({ "operation": "scan_for_change", "files": files })
}
