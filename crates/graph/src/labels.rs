//! Labels in the place of ids: a request may say that its nodes are named by id or by a label that
//! one node has. The arguments are written again with ids, and the operation is the same as ever.

use ::operation::shape::{Field, Shape};
use base::Result;
use base::entries::Fields;
use database::Database;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::{Id, resolve_node};

/// Returns the arguments of an operation with ids in the place of labels.
///
/// # Errors
/// [`crate::GraphError::AmbiguousNode`] and [`crate::GraphError::NodeNotFound`] as [`resolve_node`]
/// gives them. What is no JSON object stays as it is, for the operation to refuse.
pub fn resolved<D: Database>(db: &D, id: Id, arguments: &str) -> Result<String> {
    let Ok(fields) = serde_json::from_str::<Fields<&RawValue>>(arguments) else {
        return Ok(arguments.to_owned());
    };
    let mut members = Vec::with_capacity(fields.0.len());
    for (name, raw) in fields.0 {
        let json = match id.declaration().field(&name) {
            Some(field) if field.names_objects => match field.shape {
                Shape::List { .. } => list(raw, |item| one(db, item))?,
                _ => one(db, raw)?,
            },
            Some(field) => match (field.shape, field.shape.definition()) {
                (Shape::List { .. }, Some(of)) => list(raw, |item| within(db, item, of.fields))?,
                _ => raw.get().to_owned(),
            },
            None => raw.get().to_owned(),
        };
        members.push(format!("{}:{json}", json!(name)));
    }
    Ok(format!("{{{}}}", members.join(",")))
}

/// Returns the id of what a text names; anything else stays as it is.
fn one<D: Database>(db: &D, raw: &RawValue) -> Result<String> {
    match serde_json::from_str::<String>(raw.get()) {
        Ok(name) => resolve_node(db, &name).map(|id| Value::from(id).to_string()),
        Err(_) => Ok(raw.get().to_owned()),
    }
}

fn list(raw: &RawValue, each: impl Fn(&RawValue) -> Result<String>) -> Result<String> {
    let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(raw.get()) else {
        return Ok(raw.get().to_owned());
    };
    let items: Result<Vec<String>> = items.into_iter().map(each).collect();
    Ok(format!("[{}]", items?.join(",")))
}

/// Returns an object with ids in those of its fields that name nodes.
fn within<D: Database>(db: &D, raw: &RawValue, known: &[Field]) -> Result<String> {
    let wanted = |name: &str| {
        let mut naming = known.iter().filter(|field| field.names_objects);
        naming.any(|field| field.name == name)
    };
    let Ok(fields) = serde_json::from_str::<Fields<&RawValue>>(raw.get()) else {
        return Ok(raw.get().to_owned());
    };
    let mut members = Vec::with_capacity(fields.0.len());
    for (name, raw) in fields.0 {
        let json = if wanted(&name) {
            one(db, raw)?
        } else {
            raw.get().to_owned()
        };
        members.push(format!("{}:{json}", json!(name)));
    }
    Ok(format!("{{{}}}", members.join(",")))
}
