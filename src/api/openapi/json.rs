//! JSON of which the document is made: members, references to schemas, and contents.

use serde_json::{Map, Value, json};

/// The place of schemas in an OpenAPI document.
pub(super) const COMPONENTS: &str = "#/components/schemas/";

/// Parses a schema of the table of operations and turns its references into those of OpenAPI.
pub(super) fn components(text: &str) -> Value {
    let text = text.replace("#/definitions/", COMPONENTS);
    serde_json::from_str(&text).unwrap_or_default()
}

/// Returns a member of an object; null if there is none.
pub(super) fn member(value: &Value, name: &str) -> Value {
    value.get(name).cloned().unwrap_or_default()
}

/// Turns `{"media/type": schema}` into OpenAPI's content, with `{"media/type": {"name": value}}` as
/// its examples.
pub(super) fn content(media: &Value, examples: &Value) -> Value {
    let types = media.as_object().into_iter().flatten();
    types
        .map(|(name, schema)| {
            let mut content = json!({ "schema": schema });
            if let (Some(fields), Some(Value::Object(values))) =
                (content.as_object_mut(), examples.get(name))
            {
                let values = values
                    .iter()
                    .map(|(name, value)| (name.clone(), json!({ "value": value })));
                fields.insert("examples".to_owned(), values.collect::<Map<_, _>>().into());
            }
            (name.clone(), content)
        })
        .collect::<Map<_, _>>()
        .into()
}
