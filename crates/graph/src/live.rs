//! The changes of a graph as server-sent events. The ids of the events are versions.

use base::Result;
use database::Database;
use serde_json::json;

use crate::changes::{Changes, changes_since};
use crate::store::head::Head;

/// The event that ends the stream of a deleted graph.
pub const DELETED: &str = "event: deleted\ndata: {}\n\n";

/// The next events for a reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct News {
    /// The text of the events; empty if there are none.
    pub text: String,
    /// The version of the reader after these events.
    pub version: u64,
}

/// Returns the events after a version, up to about `max_bytes`; a single event may be longer. A
/// reader without a version gets the present one.
///
/// # Errors
/// Errors of the engine.
pub fn news<D: Database>(db: &D, version: Option<u64>, max_bytes: usize) -> Result<News> {
    let Some(version) = version else {
        let head = Head::load(db)?;
        let data = json!({ "version": head.version, "metadata": head.metadata() });
        return Ok(News {
            text: event("ready", head.version, &data.to_string()),
            version: head.version,
        });
    };
    match changes_since(db, version, max_bytes)? {
        Changes::Reset { version, oldest } => {
            let data = json!({ "version": version, "oldestVersion": oldest });
            Ok(News {
                text: event("reset", version, &data.to_string()),
                version,
            })
        }
        Changes::Steps(steps) => {
            let mut text = String::new();
            let mut last = version;
            for step in steps {
                text.push_str(&event("change", step.version, &step.json));
                last = step.version;
            }
            Ok(News {
                text,
                version: last,
            })
        }
    }
}

/// Returns one event. The JSON of SQLite and serde has no line breaks, but the `data` of a caller
/// is included as it was sent and may have some.
fn event(name: &str, id: u64, data: &str) -> String {
    let data = data.replace(['\n', '\r'], " ");
    format!("id: {id}\nevent: {name}\ndata: {data}\n\n")
}
