//! The end of a load: decides how columns are read, converts the chunks that need it, and inserts
//! everything.

use database::DatabaseError;
use serde_json::json;

use super::convert::convert;
use super::load::Rows;
use super::request::LoadRequest;
use super::spill::{Content, WaitingChunk};
use super::{Creation, check_new_name, create_table, log_rows, tell_inserted};
use crate::readings::ReadingOptions;
use crate::records::{ChunkText, ColumnReadings, Inserter, Outline, Slot};
use crate::{Reply, inspect, loaded};
use base::quoted::printed;
use base::{Error, Result};
use database::Database;

/// The parameters of a load that a notice may recommend.
const ADVISED_PARAMETERS: [&str; 5] = [
    "?decimal=",
    "?dates=",
    "?null=",
    "?delimiter=",
    "?encoding=",
];

/// The number of characters that a notice shows of a name.
const NAME_CHARACTERS: usize = 64;

impl<D: Database> Rows<'_, D> {
    /// Inserts all rows in one transaction.
    pub(super) fn insert(mut self, request: &LoadRequest) -> Result<Reply> {
        let options = ReadingOptions {
            delimiter: self.delimiter(),
            ..request.reading.clone()
        };
        let mut settled = self.encoder.settle(&options);
        self.notices.append(&mut settled.notices);
        self.notices.extend(self.how_to_load_again(request));
        let (db, slots, records) = (
            self.session.db,
            self.encoder.slots(),
            self.encoder.records(),
        );
        let mut inserter = Inserter::new(
            db,
            self.session.meter(),
            &request.table,
            request.on_conflict,
        );
        let done = db.transaction(&mut || {
            self.prepare_table(request)?;
            let ahead = inserter.ahead();
            for chunk in self.spill.chunks() {
                inserter.foresee(&ahead, &chunk.outline(slots), chunk.bytes())?;
            }
            for chunk in self.spill.chunks() {
                insert_chunk(&mut inserter, &chunk, slots, &settled)?;
            }
            self.spill.discard()?;
            if self.table.is_none() {
                loaded::record(db, &request.table, &settled.texts)?;
            }
            log_rows(&self.session, records, &request.table)
        });
        if self.table.is_none() {
            // Cached facts about a table that was rolled back are wrong.
            self.session.cache.schema_changed();
        }
        done?;
        let made = if self.table.is_none() {
            Creation::Table
        } else {
            Creation::Rows
        };
        tell_inserted(&self.session, &inserter, &request.table, made);
        let (inserted, counters, chunks) = (inserter.inserted, inserter.counters, self.spill.len());
        self.spill.forget();
        let mut reply = Reply::new(
            json!({ "rowsWritten": records, "inserted": inserted, "chunks": chunks }),
            counters,
        );
        if self.encoder.infers() {
            let column =
                |slot: &Slot| json!({ "name": slot.name, "type": slot.kinds.declared_type() });
            let columns: Vec<_> = self.encoder.slots().iter().map(column).collect();
            reply = reply.with("columns", columns);
        }
        Ok(match self.notice() {
            Some(notice) => reply
                .with("notice", notice)
                .with("notices", self.notices.clone()),
            None => reply,
        })
    }

    /// Returns the notice that a second load needs a table without the rows of this one, if another
    /// notice recommends to load again.
    fn how_to_load_again(&self, request: &LoadRequest) -> Option<String> {
        let names_one =
            |notice: &String| ADVISED_PARAMETERS.iter().any(|name| notice.contains(name));
        if !self.notices.iter().any(names_one) {
            return None;
        }
        let table = printed(&request.table, NAME_CHARACTERS);
        Some(match self.table {
            None => format!(
                "To load the file again with a parameter, first drop the table {table} with {{\"operation\":\"dropTable\"}}: a load into an existing table adds its rows and keeps the types."
            ),
            Some(_) => format!(
                "To load the file again with a parameter, first delete the rows of {table} that this load has added."
            ),
        })
    }

    /// Returns the sentences of [`Rows::notices`] as one text.
    pub(super) fn notice(&self) -> Option<String> {
        (!self.notices.is_empty()).then(|| self.notices.join(" "))
    }

    /// Makes the table, or checks that it is as it was when the load began.
    fn prepare_table(&self, request: &LoadRequest) -> Result<()> {
        let db = self.session.db;
        let Some(table) = &self.table else {
            check_new_name(db, &request.table)?;
            self.session.cache.schema_changed();
            return create_table(db, &request.table, self.encoder.slots());
        };
        if inspect::load_table(db, &table.name)? == *table {
            return Ok(());
        }
        Err(Error::from(DatabaseError::Busy {
            message: format!(
                "the table {} was changed while the rows of the load were arriving",
                table.name
            ),
        }))
    }
}

/// Inserts a chunk with its fields converted.
fn insert_chunk<D: Database>(
    inserter: &mut Inserter<'_, D>,
    chunk: &WaitingChunk<'_, '_, D>,
    slots: &[Slot],
    settled: &ColumnReadings,
) -> Result<()> {
    let outline = chunk.outline(slots);
    if !settled.conversions.is_empty() {
        let converted = convert(&chunk.text()?, &settled.conversions)?;
        return inserter.insert_from(&outline, &ChunkText::Text(&converted));
    }
    insert_as_it_is(inserter, &outline, chunk)
}

fn insert_as_it_is<D: Database>(
    inserter: &mut Inserter<'_, D>,
    outline: &Outline<'_>,
    chunk: &WaitingChunk<'_, '_, D>,
) -> Result<()> {
    match chunk.read()? {
        Content::Here(text) => inserter.insert_from(outline, &ChunkText::Text(text)),
        Content::Joined(text) => inserter.insert_from(outline, &ChunkText::Text(&text)),
        Content::Spilled {
            load_id,
            sequence,
            bytes,
        } => {
            let spilled = ChunkText::Spill {
                load_id,
                sequence,
                bytes,
            };
            inserter.insert_from(outline, &spilled)
        }
    }
}
