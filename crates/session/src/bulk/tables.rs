//! Makes several tables with their rows, all or nothing. The tables of a graph come into a session
//! in this way.

use serde::Deserialize;
use serde_json::json;
use sql_gate::SqlError;

use super::{OnConflict, Rows, log_rows, writable_table};
use crate::inspect;
use crate::records::{Encoder, Inserter, Target};
use crate::{Reply, Session};
use base::{Error, Result};
use database::{Counters, Database};

/// The first line of a body.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Head {
    /// True if existing tables of these names are dropped first.
    replace: bool,
    tables: Vec<Wanted>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Wanted {
    name: String,
    /// The text between the brackets of CREATE TABLE.
    schema: String,
    columns: Vec<String>,
    /// The number of rows in each of its lines.
    counts: Vec<u64>,
}

/// Makes tables and fills them. The first line of the body describes them, each further line has
/// rows as a JSON list of lists: first those of the first table, then those of the next.
///
/// # Errors
/// [`SqlError::AlreadyExists`] for an existing table that must not be replaced, or an error in the
/// names or rows; in each case nothing is changed.
pub fn write_tables<D: Database>(session: &Session<'_, D>, body: &str) -> Result<Reply> {
    let (head, lines) = body.split_once('\n').unwrap_or((body, ""));
    let head: Head =
        serde_json::from_str(head).map_err(|error| Error::internal(format!("tables: {error}")))?;
    let mut counters = Counters::default();
    let meter = session.meter();
    let mut written = 0_u64;
    let outcome = session.db.transaction(&mut || {
        let mut lines = lines.split('\n');
        for wanted in &head.tables {
            make(session, wanted, head.replace)?;
            let pieces = lines.by_ref().zip(wanted.counts.iter().copied());
            let rows = Rows {
                columns: wanted.columns.clone(),
                pieces: pieces.take(wanted.counts.len()).collect(),
            };
            let mut encoder =
                Encoder::new(Target::Existing(writable_table(session.db, &wanted.name)?));
            encoder.header(&rows.columns)?;
            let mut inserter =
                Inserter::new(session.db, meter.clone(), &wanted.name, OnConflict::Error);
            rows.insert(&encoder, &mut inserter)?;
            log_rows(session, rows.count(), &wanted.name)?;
            counters += inserter.counters;
            written = written.saturating_add(rows.count());
        }
        Ok(())
    });
    // Cached facts about tables that were rolled back are wrong.
    session.cache.schema_changed();
    outcome?;
    let names: Vec<String> = head.tables.into_iter().map(|table| table.name).collect();
    session.tell_written(true, head.replace, &names);
    Ok(Reply::new(
        json!({ "tables": names, "rowsWritten": written }),
        counters,
    ))
}

fn make<D: Database>(session: &Session<'_, D>, wanted: &Wanted, replace: bool) -> Result<()> {
    match inspect::load_table(session.db, &wanted.name) {
        Ok(table) if !replace => {
            return Err(Error::from(SqlError::AlreadyExists {
                table: table.name,
                by: sql_gate::TableOrigin::Result,
            }));
        }
        Ok(_) => {
            session.drop_table(&wanted.name, true)?;
        }
        Err(error) if inspect::is_missing(&error) => {}
        Err(error) => return Err(error),
    }
    session
        .create_table(&wanted.name, &wanted.schema)
        .map(|_| ())
}
