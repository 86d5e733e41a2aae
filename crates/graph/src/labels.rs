//! Labels in place of ids: a request may name its nodes by id, or by a label that only one node
//! has. The labels in the arguments are replaced by ids before the operation runs.

use ::operation::shape::{Field, Shape};
use base::Result;
use base::entries::Fields;
use database::Database;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::{Id, resolve_node};

/// Returns the arguments of an operation with labels replaced by ids.
///
/// # Errors
/// [`crate::GraphError::AmbiguousNode`] and [`crate::GraphError::NodeNotFound`] from
/// [`resolve_node`]. Arguments that are not a JSON object are returned unchanged, so that the
/// operation rejects them.
pub fn resolved<D: Database>(db: &D, id: Id, arguments: &str) -> Result<String> {
    let Ok(fields) = serde_json::from_str::<Fields<&RawValue>>(arguments) else {
        return Ok(arguments.to_owned());
    };
    let mut members = Vec::with_capacity(fields.0.len());
    for (name, raw) in fields.0 {
        let json = match id.declaration().field(&name) {
            Some(field) if field.names_objects => match field.shape {
                Shape::List { .. } => list(raw, |item| one(db, item))?,
                Shape::Text { .. }
                | Shape::Pattern { .. }
                | Shape::Whole { .. }
                | Shape::Number { .. }
                | Shape::Flag
                | Shape::Word(_)
                | Shape::Described(..)
                | Shape::OrNull(_)
                | Shape::Object(_)
                | Shape::Named(_)
                | Shape::Json(_) => one(db, raw)?,
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

/// Returns the id of the node that a text names. Any other value is returned unchanged.
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

/// Returns an object with ids in those fields that name nodes.
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
