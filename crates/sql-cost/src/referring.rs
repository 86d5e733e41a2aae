//! Bounds the rows that the engine reads to check foreign keys. If a table refers to the written
//! table and has no index on the referring column, the engine reads it completely for each written
//! row.

use base::Result;
use database::{Bind, Cell, Cursor as _, Database, DatabaseExt as _, Statement};
use sql_gate::compose::{Part, compose, total_length};
use sql_gate::policy::is_internal_name;

/// Bytes of a database that the engine caches completely, so that the width of its rows costs
/// nothing.
const CACHED_BYTES: u64 = 2_000_000;

/// Units of 10 ns for a row that is read.
pub(crate) const READ_ROW: f64 = 3.0;

/// Units of 10 ns for a byte of a row that is read; then the additional units if the byte is
/// compared without case.
const READ_BYTE: f64 = 0.03;
const FOLDED_BYTE: f64 = 0.2;

/// Bytes of the shortest row, including its position in a page.
const LEAST_ROW_BYTES: f64 = 6.0;

/// Tables that may have foreign keys. The platform's own tables are left out below, because the
/// engine does not describe them.
const WITH_KEYS: &str =
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%references%'";

/// The number of foreign keys of a table to another one for which the table has no index.
const UNINDEXED: &str = "SELECT count(*) FROM pragma_foreign_key_list(?1) AS f WHERE lower(f.\"table\") = lower(?2) \
     AND NOT EXISTS (SELECT 1 FROM pragma_index_list(?1) AS l, pragma_index_info(l.name) AS i \
         WHERE l.partial = 0 AND i.seqno = 0 AND i.name = f.\"from\" COLLATE NOCASE) \
     AND NOT EXISTS (SELECT 1 FROM pragma_table_info(?1) AS c WHERE c.pk = 1 AND c.name = f.\"from\" COLLATE NOCASE)";

/// The rows and bytes of tables that are read from end to end.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Read {
    rows: f64,
    bytes: f64,
}

impl Read {
    fn cost(self, per_byte: f64) -> f64 {
        self.rows * READ_ROW + self.bytes * per_byte
    }
}

/// The tables that are read for each written row of one table.
#[derive(Debug)]
pub struct ReferringTables {
    own: Option<String>,
    others: Vec<String>,
    per_byte: f64,
    /// The sizes of the table itself and of the others, measured when they are needed.
    measured: Option<(Read, Read)>,
}

impl ReferringTables {
    /// Finds the tables that refer to one without an index.
    ///
    /// # Errors
    /// The engine's.
    pub fn to<D: Database>(db: &D, table: &str) -> Result<Self> {
        let (mut own, mut others) = (None, Vec::new());
        for row in db.rows(WITH_KEYS, &[])? {
            let Some(name) = row.into_iter().next().map(Cell::into_text) else {
                continue;
            };
            if is_internal_name(&name) {
                continue;
            }
            let found = db.cell(UNINDEXED, &[Bind::text(&name), Bind::text(table)])?;
            if found.is_none_or(|found| found.as_count() == 0) {
                continue;
            }
            if name.eq_ignore_ascii_case(table) {
                own = Some(name);
            } else {
                others.push(name);
            }
        }
        let definition = db.cell(
            "SELECT sql FROM sqlite_schema WHERE type = 'table' AND lower(name) = lower(?1)",
            &[Bind::text(table)],
        )?;
        let definition = definition.map_or_else(String::new, Cell::into_text);
        let definition = definition.to_ascii_uppercase();
        let folds = ["NOCASE", "RTRIM"]
            .iter()
            .any(|name| definition.contains(name));
        Ok(Self {
            own,
            others,
            per_byte: READ_BYTE + if folds { FOLDED_BYTE } else { 0.0 },
            measured: None,
        })
    }

    /// Returns a bound on the cost of writing so many rows, in units of 10 ns.
    ///
    /// If `replaces` is true, rows may replace others, which the tables refer to. Otherwise only
    /// the table itself may have rows that wait for their parents, and their number is not known:
    /// the width of its rows counts here, and their number only after they were read
    /// ([`Self::cost_of_row`]). Tables are measured if a rough bound exceeds `left`.
    ///
    /// # Errors
    /// The engine's.
    pub fn cost<D: Database>(
        &mut self,
        db: &D,
        rows: f64,
        replaces: bool,
        left: f64,
    ) -> Result<f64> {
        if self.own.is_none() && (self.others.is_empty() || !replaces) {
            return Ok(0.0);
        }
        let size = db.size_bytes() as f64;
        let rough = Read {
            rows: size / LEAST_ROW_BYTES,
            bytes: size,
        };
        let rough = rough.cost(self.per_byte) * rows;
        if rough <= left {
            return Ok(rough);
        }
        let (own, others) = self.measure(db)?;
        let each = if replaces {
            own.cost(self.per_byte) + others.cost(self.per_byte)
        } else {
            own.bytes * self.per_byte
        };
        Ok(each * rows)
    }

    /// Returns the cost of one row that was read because of others.
    ///
    /// # Errors
    /// The engine's.
    pub fn cost_of_row<D: Database>(&mut self, db: &D) -> Result<f64> {
        if self.own.is_none() && self.others.is_empty() {
            return Ok(READ_ROW);
        }
        let (own, others) = self.measure(db)?;
        let width = |read: Read| read.bytes / read.rows.max(1.0);
        Ok(READ_ROW + width(own).max(width(others)) * self.per_byte)
    }

    /// Adds rows that were written to the table itself after it was measured.
    pub fn grew(&mut self, rows: u64, bytes: u64) {
        if let (Some((own, _)), Some(_)) = (&mut self.measured, &self.own) {
            own.rows += rows as f64;
            own.bytes += bytes as f64;
        }
    }

    /// Returns the size of the table itself, and of the others together.
    fn measure<D: Database>(&mut self, db: &D) -> Result<(Read, Read)> {
        if let Some(known) = self.measured {
            return Ok(known);
        }
        let own = match &self.own {
            Some(own) => read(db, own)?,
            None => Read::default(),
        };
        let mut others = Read::default();
        for name in &self.others {
            let one = read(db, name)?;
            others.rows += one.rows;
            others.bytes += one.bytes;
        }
        self.measured = Some((own, others));
        Ok((own, others))
    }
}

/// Counts the rows of a table and their bytes, without reading any text.
fn read<D: Database>(db: &D, table: &str) -> Result<Read> {
    let names = db.rows(
        "SELECT name FROM pragma_table_xinfo(?1) WHERE hidden = 0",
        &[Bind::text(table)],
    )?;
    let names: Vec<String> = names
        .into_iter()
        .filter_map(|row| row.into_iter().next().map(Cell::into_text))
        .collect();
    let select = format!(
        "SELECT count(*), coalesce(sum({}), 0) FROM ",
        total_length(&names)
    );
    let query = compose(
        &[Part::Expression(&select), Part::Identifier(table)],
        Vec::new(),
    );
    let mut cursor = db
        .open(Statement::Reviewed(query.reviewed()))
        .map_err(|error| sql_gate::explain::explain(db, &error, &query))?;
    let row = cursor
        .next()
        .map_err(|error| sql_gate::explain::explain(db, &error, &query))?
        .unwrap_or_default();
    let number = |at: usize| row.get(at).map_or(0, Cell::as_count) as f64;
    let bytes = if db.size_bytes() > CACHED_BYTES {
        number(1)
    } else {
        0.0
    };
    Ok(Read {
        rows: number(0),
        bytes,
    })
}
