//! Results of operations as JSON text: what SQLite wrote goes into them as it is.

use serde::Serialize;

use crate::store::head::Head;
use crate::store::pieces::quoted;
use crate::store::step::Committed;

/// What an operation returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The fields of the response as one JSON object, without `success`.
    pub json: String,
    /// Whether something was created, which is status 201.
    pub created: bool,
    /// The version of the step that the request committed; none where it changed nothing.
    pub version: Option<u64>,
}

impl Reply {
    /// Of an operation that only reads.
    pub(crate) fn read(fields: Fields) -> Self {
        Self {
            json: fields.finish(),
            created: false,
            version: None,
        }
    }

    /// Of an operation that writes: `version` and `metadata` stand behind its fields.
    pub(crate) fn written<T>(fields: Fields, committed: &Committed<T>) -> Self {
        let head = &committed.head;
        Self {
            json: fields.of_graph(head).finish(),
            created: false,
            version: committed.stepped.then_some(head.version),
        }
    }

    /// With the status of something that was created.
    pub(crate) fn created(self, created: bool) -> Self {
        Self { created, ..self }
    }
}

/// The fields of a JSON object, as they are written.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fields(String);

impl Fields {
    /// A field whose JSON is there already.
    pub fn raw(mut self, name: &str, json: &str) -> Self {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        self.0.push_str(&quoted(name));
        self.0.push(':');
        self.0.push_str(json);
        self
    }

    /// A field.
    pub fn value(self, name: &str, value: &impl Serialize) -> Self {
        let json = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned());
        self.raw(name, &json)
    }

    /// `version` and `metadata`.
    pub fn of_graph(self, head: &Head) -> Self {
        self.value("version", &head.version)
            .value("metadata", &head.metadata())
    }

    /// The object.
    pub fn finish(mut self) -> String {
        if self.0.is_empty() {
            self.0.push('{');
        }
        self.0.push('}');
        self.0
    }
}
