//! The list of a tenant's objects: kind, name, size and last use, as each object last reported
//! them.
//!
//! An index is a convenience, not the truth: an object exists whether it is listed or not. While an
//! object is in use, it reports to the index at most once in 5 minutes; it also reports its
//! deletion. A missed report is corrected by the next one; expired objects are not listed, even if
//! nobody reported their end.

pub mod limits;

use base::time::iso8601;
use base::{Error, Result};
use database::{Bind, Cell, Database, DatabaseExt};
use limits::{DEFAULT_LISTED_OBJECTS, MAX_LISTED_OBJECTS};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

include!(concat!(env!("OUT_DIR"), "/migrations.rs"));

const NOTE: &str = "INSERT INTO objects (kind, name, size_bytes, last_use_at, expires_at, details) VALUES (?, ?, ?, ?, ?, ?) \
     ON CONFLICT (kind, name) DO UPDATE SET size_bytes = excluded.size_bytes, \
     last_use_at = max(last_use_at, excluded.last_use_at), expires_at = excluded.expires_at, details = excluded.details";
const REMOVE: &str = "DELETE FROM objects WHERE kind = ? AND name = ?";
const REMOVE_EXPIRED: &str = "DELETE FROM objects WHERE expires_at <= ?";
const PAGE: &str = "SELECT name, size_bytes, last_use_at, expires_at, details FROM objects \
     WHERE kind = ?1 AND name > ?2 AND (expires_at IS NULL OR expires_at > ?3) AND (?5 IS NULL OR details->>'businessId' = ?5) \
     ORDER BY name LIMIT ?4";
/// Reads one page of threads: first those that wait for a decision, then the others, the last used
/// first.
const THREADS: &str = "SELECT name, size_bytes, last_use_at, expires_at, details, waits FROM \
     (SELECT *, coalesce(details->>'$.next[0]' = 'humanApproval', 0) AS waits FROM objects WHERE kind = 'thread') \
     WHERE (expires_at IS NULL OR expires_at > ?1) AND (?3 IS NULL OR details->>'businessId' = ?3) \
     AND (?4 IS NULL OR (waits, last_use_at, name) < (?4, ?5, ?6)) ORDER BY waits DESC, last_use_at DESC, name DESC LIMIT ?2";
const COUNT: &str =
    "SELECT count(*) FROM objects WHERE kind = ? AND (expires_at IS NULL OR expires_at > ?)";

/// The kinds of objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ObjectKind {
    /// A session of Code Mode.
    Session,
    /// A knowledge graph.
    Graph,
    /// A chat thread.
    Thread,
    /// A code workspace.
    Workspace,
}

impl ObjectKind {
    fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Graph => "graph",
            Self::Thread => "thread",
            Self::Workspace => "workspace",
        }
    }
}

/// The report of an object about itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum Note {
    /// The object is in use.
    Used {
        /// The kind of the object.
        kind: ObjectKind,
        /// The name, unique among objects of the same kind.
        name: String,
        /// The size of its database.
        size_bytes: u64,
        /// The time of its last use, in milliseconds since 1970.
        last_use_ms: u64,
        /// The time of its expiry, in milliseconds since 1970; none if it lives until it is
        /// deleted.
        expires_at_ms: Option<u64>,
        /// Further fields for a list, as a JSON object.
        #[serde(default)]
        details: Option<Value>,
    },
    /// The object was deleted.
    Deleted {
        /// The kind of the object.
        kind: ObjectKind,
        /// The name.
        name: String,
    },
}

impl Note {
    /// Parses a note.
    ///
    /// # Errors
    /// [`base::CommonError::Internal`]: only our own objects write notes.
    pub fn parse(text: &str) -> Result<Self> {
        serde_json::from_str(text).map_err(|error| Error::internal(format!("a note: {error}")))
    }

    /// Returns the JSON text that is sent.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Stores a report.
///
/// # Errors
/// The engine's.
pub fn take<D: Database>(db: &D, note: &Note) -> Result<()> {
    match note {
        Note::Used {
            kind,
            name,
            size_bytes,
            last_use_ms,
            expires_at_ms,
            details,
        } => {
            let expires = expires_at_ms.map_or(Bind::Null, Bind::number);
            let binds = [
                Bind::text(kind.name()),
                Bind::text(name),
                Bind::number(*size_bytes),
                Bind::number(*last_use_ms),
                expires,
                details
                    .as_ref()
                    .map_or(Bind::Null, |details| Bind::text(details.to_string())),
            ];
            db.run(NOTE, &binds)?;
        }
        Note::Deleted { kind, name } => {
            db.run(REMOVE, &[Bind::text(kind.name()), Bind::text(name)])?;
        }
    }
    Ok(())
}

/// The requested page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The maximum number of objects.
    pub limit: usize,
    /// The cursor from the page before; empty for the first page.
    pub after: String,
    /// A business, if only its objects are requested.
    pub business: Option<String>,
}

impl Page {
    /// Parses the parameters `limit` and `cursor`.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] for an invalid limit.
    pub fn from_parameters(limit: Option<&str>, cursor: Option<String>) -> Result<Self> {
        let limit = match limit {
            None => DEFAULT_LISTED_OBJECTS,
            Some(text) => text
                .parse()
                .ok()
                .filter(|limit| (1..=MAX_LISTED_OBJECTS).contains(limit))
                .ok_or_else(|| {
                    Error::invalid(format!(
                        "limit must be a whole number from 1 to {MAX_LISTED_OBJECTS}, not {text:?}"
                    ))
                })?,
        };
        Ok(Self {
            limit,
            after: cursor.unwrap_or_default(),
            business: None,
        })
    }
}

/// Returns the sessions of the tenant, as the fields of a response.
///
/// # Errors
/// The engine's.
pub fn sessions<D: Database>(db: &D, page: &Page, now_ms: u64) -> Result<Value> {
    let (sessions, next) = listed(db, ObjectKind::Session, page, now_ms, |row| {
        json!({
            "name": row.name,
            "databaseSize": row.size_bytes,
            "lastActivity": iso8601(row.last_use_ms),
            "expiresAt": row.expires_at_ms.map(iso8601),
        })
    })?;
    Ok(json!({ "sessions": sessions, "nextCursor": next }))
}

/// Returns the knowledge graphs of the tenant, as the fields of a response: the last report of
/// each, with its size and last use.
///
/// # Errors
/// The engine's.
pub fn graphs<D: Database>(db: &D, page: &Page, now_ms: u64) -> Result<Value> {
    let (graphs, next) = listed(db, ObjectKind::Graph, page, now_ms, |row| {
        let mut graph = row.details.clone();
        graph.insert("conversationId".to_owned(), row.name.clone().into());
        graph.insert("databaseSize".to_owned(), row.size_bytes.into());
        graph.insert("lastActivity".to_owned(), iso8601(row.last_use_ms).into());
        Value::Object(graph)
    })?;
    Ok(json!({ "data": graphs, "nextCursor": next }))
}

/// Returns the chat threads of the tenant, as the fields of a response; only those of one business
/// if the page names one. Threads that wait for a decision come first, then the others by last use.
///
/// # Errors
/// `INVALID_ARGUMENT` for an invalid cursor, or the engine's.
pub fn threads<D: Database>(db: &D, page: &Page, now_ms: u64) -> Result<Value> {
    let mut binds = vec![
        Bind::number(now_ms),
        Bind::number(page.limit as u64 + 1),
        page.business.as_deref().map_or(Bind::Null, Bind::text),
    ];
    match position(&page.after)? {
        None => binds.extend([Bind::Null, Bind::Null, Bind::Null]),
        Some((waits, last_use_ms, name)) => binds.extend([
            Bind::number(waits),
            Bind::number(last_use_ms),
            Bind::text(name),
        ]),
    }
    let mut rows: Vec<(Row, u64)> = db
        .rows(THREADS, &binds)?
        .into_iter()
        .map(|cells| {
            let waits = cells.get(5).map_or(0, Cell::as_count);
            (Row::of(cells), waits)
        })
        .collect();
    let more = rows.len() > page.limit;
    rows.truncate(page.limit);
    let next = rows
        .last()
        .filter(|_| more)
        .map(|(row, waits)| format!("{waits}:{}:{}", row.last_use_ms, row.name));
    let threads: Vec<Value> = rows
        .into_iter()
        .map(|(row, _)| {
            let mut thread = row.details;
            thread.insert("threadId".to_owned(), row.name.into());
            thread.insert("databaseSize".to_owned(), row.size_bytes.into());
            thread.insert("lastActivity".to_owned(), iso8601(row.last_use_ms).into());
            Value::Object(thread)
        })
        .collect();
    Ok(json!({ "threads": threads, "nextCursor": next }))
}

/// Parses the cursor of a list of threads: 1 if the last thread waits for a decision, its last use
/// and its name.
fn position(cursor: &str) -> Result<Option<(u64, u64, &str)>> {
    if cursor.is_empty() {
        return Ok(None);
    }
    let mut parts = cursor.splitn(3, ':');
    let mut number = || parts.next().and_then(|part| part.parse().ok());
    let numbers = number().zip(number());
    match numbers.zip(parts.next()) {
        Some(((waits, last_use_ms), name)) => {
            base::names::check_name("cursor", name)?;
            Ok(Some((waits, last_use_ms, name)))
        }
        None => Err(Error::invalid_with_hint(
            format!("{cursor:?} is not the cursor of a list of threads"),
            "send the nextCursor of the previous page",
        )),
    }
}

/// Returns the code workspaces of the tenant, as the fields of a response.
///
/// # Errors
/// The engine's.
pub fn workspaces<D: Database>(db: &D, page: &Page, now_ms: u64) -> Result<Value> {
    let (workspaces, next) = listed(db, ObjectKind::Workspace, page, now_ms, |row| {
        let mut workspace = row.details.clone();
        workspace.insert("workspace".to_owned(), row.name.clone().into());
        workspace.insert("databaseSize".to_owned(), row.size_bytes.into());
        workspace.insert("lastActivity".to_owned(), iso8601(row.last_use_ms).into());
        Value::Object(workspace)
    })?;
    Ok(json!({ "workspaces": workspaces, "nextCursor": next }))
}

/// Returns one page of a list, and the name after which the next page begins.
fn listed<D: Database>(
    db: &D,
    kind: ObjectKind,
    page: &Page,
    now_ms: u64,
    shown: impl Fn(&Row) -> Value,
) -> Result<(Vec<Value>, Option<String>)> {
    let mut rows = rows(db, kind, page, now_ms)?;
    let more = rows.len() > page.limit;
    rows.truncate(page.limit);
    let next = rows.last().filter(|_| more).map(|row| row.name.clone());
    Ok((rows.iter().map(shown).collect(), next))
}

/// Returns the names of the first objects of a kind.
///
/// # Errors
/// The engine's.
pub fn names<D: Database>(
    db: &D,
    kind: ObjectKind,
    limit: usize,
    now_ms: u64,
) -> Result<Vec<String>> {
    let page = Page {
        limit,
        after: String::new(),
        business: None,
    };
    let rows = rows(db, kind, &page, now_ms)?;
    Ok(rows.into_iter().take(limit).map(|row| row.name).collect())
}

/// Counts the objects of a kind.
///
/// # Errors
/// The engine's.
pub fn count<D: Database>(db: &D, kind: ObjectKind, now_ms: u64) -> Result<u64> {
    let count = db.cell(COUNT, &[Bind::text(kind.name()), Bind::number(now_ms)])?;
    Ok(count.map_or(0, |count| count.as_count()))
}

/// Deletes expired objects from the list.
///
/// # Errors
/// The engine's.
pub fn sweep<D: Database>(db: &D, now_ms: u64) -> Result<()> {
    db.run(REMOVE_EXPIRED, &[Bind::number(now_ms)]).map(|_| ())
}

struct Row {
    name: String,
    size_bytes: u64,
    last_use_ms: u64,
    expires_at_ms: Option<u64>,
    details: Map<String, Value>,
}

impl Row {
    fn of(cells: Vec<Cell>) -> Self {
        let mut cells = cells.into_iter();
        let mut next = || cells.next().unwrap_or(Cell::Null);
        Self {
            name: next().into_text(),
            size_bytes: next().as_count(),
            last_use_ms: next().as_count(),
            expires_at_ms: match next() {
                Cell::Null => None,
                cell @ (Cell::Number(_) | Cell::Text(_) | Cell::Blob(_)) => Some(cell.as_count()),
            },
            details: serde_json::from_str(&next().into_text()).unwrap_or_default(),
        }
    }
}

/// Reads one row more than the page has, which shows if there is another page.
fn rows<D: Database>(db: &D, kind: ObjectKind, page: &Page, now_ms: u64) -> Result<Vec<Row>> {
    if !page.after.is_empty() {
        base::names::check_name("cursor", &page.after)?;
    }
    let binds = [
        Bind::text(kind.name()),
        Bind::text(&page.after),
        Bind::number(now_ms),
        Bind::number(page.limit as u64 + 1),
        page.business.as_deref().map_or(Bind::Null, Bind::text),
    ];
    Ok(db.rows(PAGE, &binds)?.into_iter().map(Row::of).collect())
}
