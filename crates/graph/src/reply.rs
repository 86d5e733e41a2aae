//! Responses of operations as JSON text. JSON that SQLite wrote is copied unchanged.

use serde::Serialize;
use serde_json::Value;

use crate::store::head::Head;
use crate::store::pieces::quoted;
use crate::store::step::Committed;

/// The response of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The fields of the response as one JSON object, without `success`.
    pub json: String,
    /// True if something was created, for which the status is 201.
    pub created: bool,
    /// The version of the step that the request committed; `None` if it changed nothing.
    pub version: Option<u64>,
}

impl Reply {
    /// Returns the response of an operation that only reads.
    pub(crate) fn read(fields: Fields) -> Self {
        Self {
            json: fields.finish(),
            created: false,
            version: None,
        }
    }

    /// Returns the response of an operation that writes, with `version` and `metadata` after its
    /// fields.
    pub(crate) fn written<T>(fields: Fields, committed: &Committed<T>) -> Self {
        let head = &committed.head;
        Self {
            json: fields.of_graph(head).finish(),
            created: false,
            version: committed.stepped.then_some(head.version),
        }
    }

    /// Returns the response with the fields of an object before its own.
    pub(crate) fn with_fields(self, added: &Value) -> Self {
        let mut fields = Fields::default();
        for (name, value) in added.as_object().into_iter().flatten() {
            fields = fields.value(name, value);
        }
        let added = fields.finish();
        let json = match (added.strip_suffix('}'), self.json.strip_prefix('{')) {
            (Some("{") | None, _) | (_, None | Some("}")) => self.json,
            (Some(added), Some(own)) => format!("{added},{own}"),
        };
        Self { json, ..self }
    }

    /// Returns the response with the status of a created resource.
    pub(crate) fn created(self, created: bool) -> Self {
        Self { created, ..self }
    }
}

/// The text of a JSON object while its fields are written.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fields(String);

impl Fields {
    /// Adds a field whose value is JSON text.
    pub fn raw(mut self, name: &str, json: &str) -> Self {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        self.0.push_str(&quoted(name));
        self.0.push(':');
        self.0.push_str(json);
        self
    }

    /// Adds a field.
    pub fn value(self, name: &str, value: &impl Serialize) -> Self {
        let json = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned());
        self.raw(name, &json)
    }

    /// Adds `version` and `metadata`.
    pub fn of_graph(self, head: &Head) -> Self {
        self.value("version", &head.version)
            .value("metadata", &head.metadata())
    }

    /// Returns the complete object.
    pub fn finish(mut self) -> String {
        if self.0.is_empty() {
            self.0.push('{');
        }
        self.0.push('}');
        self.0
    }
}
