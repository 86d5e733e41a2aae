//! The stored state of a client with a session: its introduction, its subscriptions, and the events
//! of its streams.
//!
//! Each stream has a number; 0 is the stream that GET opens. Each event of a stream has a number
//! from 1 on; 0 is the position before the first event. The id of an event has both numbers, as in
//! `3-7`, so that a client names stream and position at once. Up to [`MAX_SESSION_EVENT_BYTES`] of
//! events are kept. The oldest are deleted first, and a client that asks for a deleted event gets
//! an error.

use database::{Bind, Cell, Database, DatabaseExt};

use serde_json::value::RawValue;

use super::caller::{Caller, Capabilities, Introduction, Version};
use super::rpc::RequestId;
use super::talk::LogLevel;
use crate::limits::{
    MAX_SESSION_EVENT_BYTES, MAX_SUBSCRIBED_RESOURCES, REPLAYED_EVENTS_AT_A_TIME,
    SESSION_USE_RESOLUTION_MS,
};
use base::{Error, Result};

include!(concat!(env!("OUT_DIR"), "/migrations.rs"));

const BEGIN: &str = "INSERT OR REPLACE INTO session (id, profile, version, capabilities, client, log_level, used_at, next_stream, event_bytes) \
     VALUES (1, ?, ?, ?, ?, NULL, ?, 1, 0)";
const LOAD: &str =
    "SELECT profile, version, capabilities, log_level, used_at FROM session WHERE id = 1";
const HAS_TABLES: &str = "SELECT 1 FROM sqlite_schema WHERE name = 'session'";
const TOUCH: &str = "UPDATE session SET used_at = ? WHERE id = 1";
const SET_LEVEL: &str = "UPDATE session SET log_level = ? WHERE id = 1";
const COUNT_SUBSCRIPTIONS: &str = "SELECT count(*) FROM subscriptions";
const SUBSCRIBE: &str = "INSERT OR IGNORE INTO subscriptions (uri) VALUES (?)";
const UNSUBSCRIBE: &str = "DELETE FROM subscriptions WHERE uri = ?";
const SUBSCRIPTIONS: &str = "SELECT uri FROM subscriptions ORDER BY uri";
const TAKE_STREAM: &str =
    "UPDATE session SET next_stream = next_stream + 1 WHERE id = 1 RETURNING next_stream - 1";
const OPEN_STREAM: &str = "INSERT INTO streams (stream, last_number, unanswered) VALUES (?, 0, ?)";
const UNANSWERED: &str = "SELECT unanswered FROM streams WHERE stream = ?";
const CLOSE_STREAM: &str = "UPDATE streams SET unanswered = NULL WHERE stream = ?";
const TAKE_NUMBER: &str = "INSERT INTO streams (stream, last_number) VALUES (?, 1) \
     ON CONFLICT (stream) DO UPDATE SET last_number = last_number + 1 RETURNING last_number";
const LAST_NUMBER: &str = "SELECT last_number FROM streams WHERE stream = ?";
const APPEND: &str = "INSERT INTO events (stream, number, data) VALUES (?, ?, ?)";
const ADD_BYTES: &str =
    "UPDATE session SET event_bytes = event_bytes + ? WHERE id = 1 RETURNING event_bytes";
const OLDEST: &str =
    "SELECT position, length(CAST(data AS BLOB)) FROM events ORDER BY position LIMIT 1";
const REMOVE: &str = "DELETE FROM events WHERE position = ?";
const SUBTRACT_BYTES: &str = "UPDATE session SET event_bytes = event_bytes - ? WHERE id = 1";
const AFTER: &str =
    "SELECT number, data FROM events WHERE stream = ? AND number > ? ORDER BY number LIMIT ?";

/// The stream that GET opens.
pub const STANDALONE: u64 = 0;

/// The stored facts about a session.
#[derive(Debug, Clone)]
pub struct Record {
    /// The profile of the MCP endpoint that the URL of the session names.
    pub profile: String,
    /// The client, as it introduced itself.
    pub caller: Caller,
    /// The lowest log level that the client wants; none until it sets one.
    pub log_level: Option<LogLevel>,
    /// The recorded time of the last use, in milliseconds since 1970.
    pub used_ms: u64,
}

/// The position of an event: its stream and its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventId {
    /// The stream.
    pub stream: u64,
    /// The number, 0 before the first event.
    pub number: u64,
}

impl EventId {
    /// Parses the header `Last-Event-ID`.
    pub fn parse(text: &str) -> Option<Self> {
        let (stream, number) = text.split_once('-')?;
        let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if !are_digits(stream) || !are_digits(number) {
            return None;
        }
        Some(Self {
            stream: stream.parse().ok()?,
            number: number.parse().ok()?,
        })
    }
}

impl std::fmt::Display for EventId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}-{}", self.stream, self.number)
    }
}

/// Stores a new session.
///
/// # Errors
/// The engine's.
pub fn begin<D: Database>(
    db: &D,
    introduction: &Introduction,
    profile: &str,
    now_ms: u64,
) -> Result<()> {
    let caller = &introduction.caller;
    let binds = [
        Bind::text(profile),
        Bind::text(caller.version.name()),
        Bind::text(caller.capabilities.json().to_string()),
        Bind::text(introduction.name.as_str()),
        Bind::number(now_ms),
    ];
    db.run(BEGIN, &binds).map(|_| ())
}

/// Loads the session; none if it does not exist or was ended.
///
/// # Errors
/// The engine's.
pub fn load<D: Database>(db: &D) -> Result<Option<Record>> {
    let Some(row) = db.rows(LOAD, &[])?.into_iter().next() else {
        return Ok(None);
    };
    let mut cells = row.into_iter();
    let mut next = || cells.next().unwrap_or(Cell::Null);
    let profile = next().into_text();
    let version = next().into_text();
    let capabilities = next().into_text();
    let log_level = next().into_text();
    Ok(Some(Record {
        profile,
        caller: Caller {
            version: Version::agreed(&version),
            capabilities: Capabilities::parse(&capabilities).unwrap_or_default(),
        },
        log_level: LogLevel::parse(&log_level),
        used_ms: next().as_count(),
    }))
}

/// Returns the resolution of the time of last use: a tenth of the time to live if that is short.
fn resolution_ms(ttl_ms: u64) -> u64 {
    SESSION_USE_RESOLUTION_MS.min(ttl_ms / 10)
}

/// Records a use if the recorded one is old enough, because each write is billed.
///
/// # Errors
/// The engine's.
pub fn touch<D: Database>(db: &D, record: &mut Record, now_ms: u64, ttl_ms: u64) -> Result<()> {
    if now_ms.saturating_sub(record.used_ms) >= resolution_ms(ttl_ms) {
        db.run(TOUCH, &[Bind::number(now_ms)])?;
        record.used_ms = now_ms;
    }
    Ok(())
}

/// Returns the time at which an unused session ends, in milliseconds since 1970.
///
/// # Errors
/// The engine's.
pub fn ends_ms<D: Database>(db: &D, ttl_ms: u64) -> Result<Option<u64>> {
    let ends = |record: Record| {
        let last_ms = record.used_ms.saturating_add(resolution_ms(ttl_ms));
        last_ms.saturating_add(ttl_ms)
    };
    Ok(load(db)?.map(ends))
}

/// Sets the lowest log level that the client wants.
///
/// # Errors
/// The engine's.
pub fn set_level<D: Database>(db: &D, level: LogLevel) -> Result<()> {
    db.run(SET_LEVEL, &[Bind::text(level.name())]).map(|_| ())
}

/// Subscribes to a resource.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] beyond [`MAX_SUBSCRIBED_RESOURCES`], or the engine's.
pub fn subscribe<D: Database>(db: &D, uri: &str) -> Result<()> {
    let count = db.cell(COUNT_SUBSCRIPTIONS, &[])?;
    if count.map_or(0, |count| count.as_count()) >= MAX_SUBSCRIBED_RESOURCES as u64 {
        return Err(Error::invalid_with_hint(
            format!("a session has at most {MAX_SUBSCRIBED_RESOURCES} subscriptions"),
            "unsubscribe from one first",
        ));
    }
    db.run(SUBSCRIBE, &[Bind::text(uri)]).map(|_| ())
}

/// Ends a subscription, if there is one.
///
/// # Errors
/// The engine's.
pub fn unsubscribe<D: Database>(db: &D, uri: &str) -> Result<()> {
    db.run(UNSUBSCRIBE, &[Bind::text(uri)]).map(|_| ())
}

/// Returns the resources that the client has subscribed to.
///
/// # Errors
/// The engine's.
pub fn subscriptions<D: Database>(db: &D) -> Result<Vec<String>> {
    let rows = db.rows(SUBSCRIPTIONS, &[])?.into_iter();
    Ok(rows
        .filter_map(|cells| cells.into_iter().next())
        .map(Cell::into_text)
        .collect())
}

/// Opens a stream for the response to a request, whose id is JSON text. Returns its number.
///
/// # Errors
/// The engine's.
pub fn open_stream<D: Database>(db: &D, request: &str) -> Result<u64> {
    let taken = db.cell(TAKE_STREAM, &[])?;
    let stream = taken
        .map(|number| number.as_count())
        .ok_or_else(|| Error::internal("a stream of a session that does not exist"))?;
    db.run(OPEN_STREAM, &[Bind::number(stream), Bind::text(request)])?;
    Ok(stream)
}

/// Records that the response has been stored as an event of the stream.
///
/// # Errors
/// The engine's.
pub fn close_stream<D: Database>(db: &D, stream: u64) -> Result<()> {
    db.run(CLOSE_STREAM, &[Bind::number(stream)]).map(|_| ())
}

/// Returns the id of the request that a stream has not answered yet; none if it has, or if the
/// stream does not exist.
///
/// # Errors
/// The engine's.
pub fn interrupted<D: Database>(db: &D, stream: u64) -> Result<Option<RequestId>> {
    let unanswered = db.cell(UNANSWERED, &[Bind::number(stream)])?;
    let text = unanswered.as_ref().and_then(Cell::as_text);
    Ok(text
        .and_then(|text| RawValue::from_string(text.to_owned()).ok())
        .and_then(|raw| RequestId::parse(&raw)))
}

/// Returns true if the stream exists or has existed. The stream of GET always exists.
///
/// # Errors
/// The engine's.
pub fn is_stream<D: Database>(db: &D, stream: u64) -> Result<bool> {
    Ok(stream == STANDALONE || db.cell(LAST_NUMBER, &[Bind::number(stream)])?.is_some())
}

/// Returns the position of the last event of a stream.
///
/// # Errors
/// The engine's.
pub fn last_event<D: Database>(db: &D, stream: u64) -> Result<EventId> {
    let last = db.cell(LAST_NUMBER, &[Bind::number(stream)])?;
    let number = last.map_or(0, |last| last.as_count());
    Ok(EventId { stream, number })
}

/// Returns true if a session was ever begun in this database. It reads only the schema, so that
/// asking does not create anything.
///
/// # Errors
/// The engine's.
pub fn is_begun<D: Database>(db: &D) -> Result<bool> {
    Ok(db.cell(HAS_TABLES, &[])?.is_some())
}

/// Stores an event and returns its id. If there is no room left, deletes the oldest events of all
/// streams.
///
/// # Errors
/// The engine's.
pub fn append<D: Database>(db: &D, stream: u64, data: &str) -> Result<EventId> {
    let taken = db.cell(TAKE_NUMBER, &[Bind::number(stream)])?;
    let number = taken.map_or(0, |number| number.as_count());
    let binds = [Bind::number(stream), Bind::number(number), Bind::text(data)];
    db.run(APPEND, &binds)?;
    let added = db.cell(ADD_BYTES, &[Bind::number(data.len() as u64)])?;
    let mut kept = added.map_or(0, |bytes| bytes.as_count());
    while kept > MAX_SESSION_EVENT_BYTES {
        let Some(row) = db.rows(OLDEST, &[])?.into_iter().next() else {
            break;
        };
        let mut cells = row.into_iter().map(|cell| cell.as_count());
        let (position, bytes) = (cells.next().unwrap_or(0), cells.next().unwrap_or(0));
        db.run(REMOVE, &[Bind::number(position)])?;
        db.run(SUBTRACT_BYTES, &[Bind::number(bytes)])?;
        kept = kept.saturating_sub(bytes);
    }
    Ok(EventId { stream, number })
}

/// Returns the next events of a stream after a position, a few at a time.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] if the next event is no longer kept, or the engine's.
pub fn after<D: Database>(db: &D, place: EventId) -> Result<Vec<(EventId, String)>> {
    let binds = [
        Bind::number(place.stream),
        Bind::number(place.number),
        Bind::number(REPLAYED_EVENTS_AT_A_TIME),
    ];
    let rows = db.rows(AFTER, &binds)?.into_iter().map(|cells| {
        let mut cells = cells.into_iter();
        let number = cells.next().map_or(0, |number| number.as_count());
        let data = cells.next().unwrap_or(Cell::Null).into_text();
        let stream = place.stream;
        (EventId { stream, number }, data)
    });
    let events: Vec<(EventId, String)> = rows.collect();
    let complete = match events.first() {
        Some((first, _)) => first.number == place.number + 1,
        None => last_event(db, place.stream)?.number <= place.number,
    };
    if complete {
        return Ok(events);
    }
    Err(Error::invalid_with_hint(
        format!("the events after {place} are no longer kept"),
        "begin a new session, and read again what the lost notifications were about",
    ))
}
