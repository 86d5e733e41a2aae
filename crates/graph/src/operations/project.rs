//! The graph itself: its name and what it is about.

use base::time::iso8601;
use base::{Error, Result};
use database::Database;
use serde_json::{Value, json};

use crate::arguments::Arguments;
use crate::limits::{MAX_DESCRIPTION_BYTES, MAX_DESCRIPTION_CHARACTERS, MAX_NAME_BYTES};
use crate::reply::Fields;
use crate::store::head::Head;
use crate::{Graph, Reply};

/// Creates the graph where it does not exist, and sets what is given. It is no step of the history.
pub(crate) fn init<D: Database>(graph: &Graph<'_, D>, arguments: &str) -> Result<Reply> {
    let arguments = Arguments::parse(arguments, &["name", "description", "ifVersion"])?;
    let name = arguments.0.text("name")?;
    check("name", name.as_deref(), MAX_NAME_BYTES)?;
    let description = arguments.0.text("description")?;
    check("description", description.as_deref(), MAX_DESCRIPTION_BYTES)?;
    let if_version = arguments.if_version()?;
    let mut created = false;
    graph.db.transaction(&mut || {
        let head = Head::load(graph.db)?;
        head.require(if_version)?;
        created = head.created_at.is_none();
        if created || name.is_some() || description.is_some() {
            let now = iso8601(graph.now_ms);
            Head::describe(graph.db, &now, name.clone(), description.clone())?;
        }
        Ok(())
    })?;
    let head = Head::load(graph.db)?;
    let fields = fields(graph, &head)
        .value("created", &created)
        .of_graph(&head);
    Ok(Reply::read(fields).created(created))
}

/// The project.
pub(crate) fn get<D: Database>(graph: &Graph<'_, D>, arguments: &str) -> Result<Reply> {
    Arguments::parse(arguments, &[])?;
    Ok(Reply::read(fields(graph, &Head::load(graph.db)?)))
}

fn check(field: &str, text: Option<&str>, limit: usize) -> Result<()> {
    let bytes = text.map_or(0, str::len);
    if bytes > limit || text.is_some_and(|text| text.contains('\0')) {
        return Err(Error::invalid(format!(
            "{field} must have at most {limit} bytes, and not the character U+0000"
        )));
    }
    Ok(())
}

/// A graph that nobody has written to is as old as the request.
fn fields<D: Database>(graph: &Graph<'_, D>, head: &Head) -> Fields {
    Fields::default().value("data", &project(graph, head))
}

/// The project, with no more of its description than a list shows.
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
