//! Operations on the graph as a whole: its name and description, and its deletion.

use crate::kinds::Version;
use crate::run::Operation;
use ::operation::arguments::Text;
use ::operation::declaration::{Body, Effect, Route};
use base::time::iso8601;
use base::{Error, Result};
use database::Database;
use serde_json::{Value, json};

use crate::limits::{MAX_DESCRIPTION_BYTES, MAX_DESCRIPTION_CHARACTERS, MAX_NAME_BYTES};
use crate::reply::Fields;
use crate::store::head::Head;
use crate::{Graph, Reply};

::operation::operation! {
    /// Creates the graph if there is none, and sets its name and description.
    pub(crate) struct InitGraph {
        /// Name for people.
        "name" => name: Option<Text<0, MAX_NAME_BYTES>>,
        /// The subject of the graph.
        "description" => description: Option<Text<0, MAX_DESCRIPTION_BYTES>>,
        /// The version that the graph must have, or nothing is changed.
        "ifVersion" => if_version: Option<Version>,
    }
    name: "initGraph",
    title: "Name the graph",
    effect: Effect::WRITES.once(),
    output: "ProjectAnswer",
    route: Route::write("initgraph", "POST", path!("/init"), "Make the graph, or name it", Body::Request),
    example: r#"{"name":"Diabetes"}"#,
}

impl Operation<'_> for InitGraph {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let Self {
            name,
            description,
            if_version,
        } = self;
        check("name", name.as_deref(), MAX_NAME_BYTES)?;
        check("description", description.as_deref(), MAX_DESCRIPTION_BYTES)?;
        let mut created = false;
        let mut described = None;
        graph.memory.forget();
        graph.db.transaction(&mut || {
            let mut head = Head::load(graph.db)?;
            head.require(if_version)?;
            created = head.created_at.is_none();
            if created || name.is_some() || description.is_some() {
                let now = iso8601(graph.now_ms);
                Head::describe(graph.db, &now, name.clone(), description.clone())?;
                head = Head::load(graph.db)?;
            }
            described = Some(head);
            Ok(())
        })?;
        let head = described.ok_or_else(|| Error::internal("a transaction did not run"))?;
        graph.memory.keep(&head);
        let fields = fields(graph, &head)
            .value("created", &created)
            .of_graph(&head);
        Ok(Reply::read(fields).created(created))
    }
}

::operation::operation! {
    /// Name, times, version and size of the graph.
    pub(crate) struct GetGraph {
    }
    name: "getGraph",
    title: "Describe the graph",
    effect: Effect::READS,
    output: "ProjectAnswer",
    route: Route::read("getgraph", path!(""), "Name, version and size of the graph", &[]),
}

impl Operation<'_> for GetGraph {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        Ok(Reply::read(fields(graph, &Head::load(graph.db)?)))
    }
}

fn check(field: &str, text: Option<&str>, limit: usize) -> Result<()> {
    let bytes = text.map_or(0, str::len);
    if bytes > limit || text.is_some_and(|text| text.contains('\0')) {
        return Err(Error::invalid(format!(
            "{field} must have at most {limit} bytes, and must not contain U+0000"
        )));
    }
    Ok(())
}

/// Returns the fields of the response. A graph without any write has the time of the request as its
/// times.
fn fields<D: Database>(graph: &Graph<'_, D>, head: &Head) -> Fields {
    Fields::default().value("data", &project(graph, head))
}

/// Returns the project, with its description cut for a list.
pub(crate) fn summary<D: Database>(graph: &Graph<'_, D>) -> Result<Value> {
    let mut project = project(graph, &Head::load(graph.db)?);
    if let Some(Value::String(description)) = project.get_mut("description") {
        *description = base::text::cut(description, MAX_DESCRIPTION_CHARACTERS);
    }
    Ok(project)
}

fn project<D: Database>(graph: &Graph<'_, D>, head: &Head) -> Value {
    let now = iso8601(graph.now_ms);
    let created_at = head.created_at.as_ref().unwrap_or(&now);
    json!({
        "id": graph.conversation,
        "conversationId": graph.conversation,
        "name": head.name.as_deref().unwrap_or(graph.conversation),
        "description": head.description,
        "createdAt": created_at,
        "updatedAt": head.updated_at.as_ref().unwrap_or(created_at),
        "version": head.version,
        "nodeCount": head.node_count,
        "edgeCount": head.edge_count,
    })
}

::operation::operation! {
    /// Deletes the graph and its history. This cannot be undone.
    pub(crate) struct DeleteGraph {
        /// The version that the graph must have, or nothing is changed.
        "ifVersion" => if_version: Option<Version>,
    }
    name: "deleteGraph",
    title: "Delete the graph",
    effect: Effect::REMOVES.once(),
    output: "Success",
    route: Route::write("deletegraph", "DELETE", path!(""), "Delete the graph and its history", Body::None),
}
