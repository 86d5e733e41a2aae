//! getMetrics: the contents of a session and the time of its expiry.
//!
//! Row counts are exact if that is cheap, see [`inspect::row_count`]. Views are not counted,
//! because that would run them. A table that cannot be counted within the limit on work gets the
//! count 0 and is listed in `tablesWithMoreRows`.

use serde_json::{Map, json};

use super::{Reply, Session, expiry, logs};
use crate::error::affordable;
use crate::inspect::{self, TableKind};
use base::Result;
use base::time::iso8601;
use database::{Counters, Database};

/// Returns the reply of getMetrics.
pub(super) fn get<D: Database>(session: &Session<'_, D>) -> Result<Reply> {
    let db = session.db;
    let last_use_ms = expiry::last_use_ms(db)?.unwrap_or(session.now_ms);
    let mut counters = Counters::default();
    let meter = session.meter();
    let mut tables = Map::new();
    let mut at_least = Vec::new();
    for (name, kind) in inspect::list_tables(db)? {
        if kind == TableKind::View {
            continue;
        }
        let (count, _) = affordable(inspect::row_count(db, &meter, &name))?;
        counters += count.map(|count| count.counters).unwrap_or_default();
        if count.is_none_or(|count| !count.exact) {
            at_least.push(name.clone());
        }
        tables.insert(name, count.map_or(0, |count| count.rows).into());
    }
    let mut body = json!({
        "sessionId": session.name,
        "databaseSize": db.size_bytes(),
        "lastActivity": iso8601(last_use_ms),
        "expiresAt": iso8601(expiry::expires_at_ms(last_use_ms, session.settings.session_ttl_seconds)),
        "tables": tables,
        "executionLogs": logs::newest(db)?,
        "operations": session.cache.totals.to_json(),
    });
    if let (false, Some(fields)) = (at_least.is_empty(), body.as_object_mut()) {
        fields.insert("tablesWithMoreRows".to_owned(), at_least.into());
    }
    Ok(Reply::new(body, counters))
}
