//! The resources.

use mcp::server::{Fault, Outcome};
use serde_json::{Value, json};

use crate::instance::{Instance, List};
use crate::outcome::{IMAGE, cached};

/// The resource that a tool changes.
pub const WATCHED: &str = "test://watched-resource";
/// The part of the template's URI before the id.
const TEMPLATE_START: &str = "test://template/";
/// The part of the template's URI after the id.
const TEMPLATE_END: &str = "/data";
/// The URI template.
pub const TEMPLATE: &str = "test://template/{id}/data";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Resource {
    Text,
    Binary,
    Watched,
    Changing,
}

/// Each resource with its URI, name, description and type, in the order of the list.
const RESOURCES: &[(Resource, &str, &str, &str, &str)] = &[
    (
        Resource::Text,
        "test://static-text",
        "static-text",
        "A text that stays as it is.",
        "text/plain",
    ),
    (
        Resource::Binary,
        "test://static-binary",
        "static-binary",
        "A picture that stays as it is.",
        "image/png",
    ),
    (
        Resource::Watched,
        WATCHED,
        "watched-resource",
        "A text that test_trigger_resource_update changes.",
        "text/plain",
    ),
    (
        Resource::Changing,
        "test://changing-resource",
        "changing-resource",
        "A text that is in the list every other time.",
        "text/plain",
    ),
];

fn present(
    instance: &Instance,
) -> impl Iterator<
    Item = &'static (
        Resource,
        &'static str,
        &'static str,
        &'static str,
        &'static str,
    ),
> {
    let has_changing = instance.has_entry(List::Resources);
    RESOURCES
        .iter()
        .filter(move |(resource, ..)| has_changing || *resource != Resource::Changing)
}

/// Returns the list of resources.
pub fn list(instance: &Instance) -> Value {
    let resources = present(instance).map(|(_, uri, name, description, mime_type)| {
        json!({ "uri": uri, "name": name, "description": description, "mimeType": mime_type })
    });
    resources.collect()
}

/// Returns the list of templates.
pub fn templates() -> Value {
    json!([{
        "uriTemplate": TEMPLATE,
        "name": "template",
        "description": "A JSON text for each id.",
        "mimeType": "application/json",
    }])
}

/// Returns true if a resource with this URI exists now.
pub fn exists(instance: &Instance, uri: &str) -> bool {
    templated(uri).is_some() || present(instance).any(|(_, known, ..)| *known == uri)
}

/// Returns the contents of a resource.
///
/// # Errors
/// [`Fault`] if it does not exist. `not_found` is the error code for this in the protocol version.
pub fn read(instance: &Instance, uri: &str, not_found: i64) -> Result<Outcome, Fault> {
    let (mime_type, body) = if let Some(id) = templated(uri) {
        let data = format!("Data for ID: {id}");
        let text = json!({ "id": id, "templateTest": true, "data": data }).to_string();
        ("application/json", json!(text))
    } else {
        let found = present(instance).find(|(_, known, ..)| *known == uri);
        let (resource, .., mime_type) = found.ok_or_else(|| missing(uri, not_found))?;
        (*mime_type, contents(*resource, instance))
    };
    let field = if mime_type == "image/png" {
        "blob"
    } else {
        "text"
    };
    Ok(cached(
        &json!({ "contents": [{ "uri": uri, "mimeType": mime_type, field: body }] }),
    ))
}

fn contents(resource: Resource, instance: &Instance) -> Value {
    match resource {
        Resource::Text => json!("This is the content of the static text resource."),
        Resource::Binary => json!(IMAGE),
        Resource::Watched => json!(format!("Revision {}", instance.revision())),
        Resource::Changing => json!("This resource is in the list now."),
    }
}

/// Returns the id in a URI of the template.
fn templated(uri: &str) -> Option<&str> {
    let id = uri
        .strip_prefix(TEMPLATE_START)?
        .strip_suffix(TEMPLATE_END)?;
    (!id.is_empty() && !id.contains('/')).then_some(id)
}

fn missing(uri: &str, code: i64) -> Fault {
    let fault = Fault::params("resource not found").with(json!({ "uri": uri }));
    Fault { code, ..fault }
}
