//! The changes of a graph as server-sent events, whose ids are versions.

use base::Result;
use database::Database;
use serde_json::json;

use crate::changes::{Changes, changes_since};
use crate::store::head::Head;

/// The last event of a graph that was deleted.
pub const DELETED: &str = "event: deleted\ndata: {}\n\n";

/// What a reader gets next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct News {
    /// Events; empty where nothing has happened.
    pub text: String,
    /// The version that the reader has after them.
    pub version: u64,
}

/// Returns the events after a version, about as many bytes as said, more where one event is longer.
/// A reader without a version is told the present one.
///
/// # Errors
/// The engine's.
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

/// One event. JSON that SQLite and serde write has no line breaks, but `data` of a caller may stand
/// in it as it was sent.
fn event(name: &str, id: u64, data: &str) -> String {
    let data = data.replace(['\n', '\r'], " ");
    format!("id: {id}\nevent: {name}\ndata: {data}\n\n")
}
