//! Computes the basis of a decision: the identity of the database, and the definitions that decide
//! what a statement means in it.
//!
//! A basis is a hash, so that a decision of a person can refer to it. Neither rows nor definitions
//! without an effect on the statement are part of it: [`sql_gate::definitions`] selects the
//! definitions. The configured ranking of a full-text table is also part of it; fts5 keeps it in a
//! row.

use base::{Error, Result};
use database::{Cell, Cursor as _, Database, DatabaseExt as _, Statement};
use sql_gate::Bound;
use sql_gate::compose::{Part, compose};
use sql_gate::definitions::{Definition, Definitions};

use super::field_hash::FieldHash;

const READ: &str =
    "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY rowid";
const IDENTITY: &str = "SELECT CAST(value AS TEXT) FROM _codemode_meta WHERE key = 'identity'";
/// The suffix of the table in which an fts5 table keeps its options.
const OPTIONS: &str = "_config";

/// A hash in hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Basis(String);

impl Basis {
    /// Returns the basis of a statement in a session.
    ///
    /// # Errors
    /// The engine's.
    pub fn of_statement<D: Database>(db: &D, bound: &Bound) -> Result<Self> {
        let definitions = read(db)?;
        Self::at(db, &definitions.of_statement(bound, str::to_owned))
    }

    /// Returns the basis of a change of rows in these tables.
    ///
    /// # Errors
    /// The engine's.
    pub fn of_changes<'n, D: Database>(
        db: &D,
        tables: impl Iterator<Item = &'n str>,
    ) -> Result<Self> {
        Self::at(db, &read(db)?.of_changes(tables))
    }

    /// Returns the basis of the removal of a table or view, or of the whole session if `name` is
    /// `None`.
    ///
    /// # Errors
    /// The engine's.
    pub fn of_removal<D: Database>(db: &D, name: Option<&str>) -> Result<Self> {
        let definitions = read(db)?;
        let found = match name {
            Some(name) => definitions.of_removal(name),
            None => definitions.all().iter().collect(),
        };
        Self::at(db, &found)
    }

    /// Returns the basis of definitions in a database without an identity.
    pub(crate) fn of_definitions(definitions: &[&Definition]) -> Self {
        Self::hashed("", definitions, &[])
    }

    fn at<D: Database>(db: &D, definitions: &[&Definition]) -> Result<Self> {
        let identity = db
            .cell(IDENTITY, &[])?
            .ok_or_else(|| Error::internal("the session has no identity"))?;
        let virtual_tables = definitions.iter().filter(|found| found.is_virtual());
        let rankings: Vec<String> = virtual_tables
            .filter_map(|table| ranking(db, &table.name))
            .collect();
        Ok(Self::hashed(&identity.into_text(), definitions, &rankings))
    }

    fn hashed(identity: &str, definitions: &[&Definition], rankings: &[String]) -> Self {
        let mut hash = FieldHash::default();
        hash.texts(&["codemode basis 1", identity]);
        hash.count(definitions.len());
        for Definition {
            kind,
            name,
            table,
            sql,
        } in definitions
        {
            hash.texts(&[kind, name, table, sql]);
        }
        hash.count(rankings.len());
        for ranking in rankings {
            hash.texts(&[ranking]);
        }
        Self(hash.finish())
    }

    /// Returns the hash, as it is compared.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn read<D: Database>(db: &D) -> Result<Definitions> {
    let rows = db.rows(READ, &[])?;
    Ok(definitions(rows))
}

/// Reads definitions from rows of type, name, table and text.
pub(crate) fn definitions(rows: Vec<Vec<Cell>>) -> Definitions {
    let rows = rows.into_iter().map(|row| {
        let mut cells = row.into_iter();
        let mut next = || cells.next().unwrap_or(Cell::Null).into_text();
        Definition {
            kind: next(),
            name: next(),
            table: next(),
            sql: next(),
        }
    });
    Definitions::new(rows.collect())
}

/// Returns the configured ranking of an fts5 table; `None` for a table without one.
fn ranking<D: Database>(db: &D, table: &str) -> Option<String> {
    let options = format!("{table}{OPTIONS}");
    let bound = compose(
        &[
            Part::Sql("SELECT v FROM "),
            Part::Identifier(&options),
            Part::Sql(" WHERE k = 'rank'"),
        ],
        Vec::new(),
    );
    let mut cursor = db.open(Statement::Reviewed(bound.reviewed())).ok()?;
    let row = cursor.next().ok()??;
    let value = row.into_iter().next()?.into_text();
    Some(format!("{table}: {value}"))
}
