//! Which columns loads have made as TEXT: SQL compares and sums them otherwise than a reader of the file expects.

use std::collections::HashMap;

use serde_json::{Map, Value};

use base::{Error, Result};
use database::{Bind, Cell, Database, DatabaseExt};

const RECORD: &str = "INSERT OR REPLACE INTO _codemode_loaded (name, columns) VALUES (?, ?)";
const SWEEP: &str = "DELETE FROM _codemode_loaded WHERE name NOT IN (SELECT name FROM sqlite_schema WHERE type = 'table')";
const READ: &str = "SELECT loaded.name, loaded.columns FROM _codemode_loaded AS loaded JOIN sqlite_schema AS present ON present.type = 'table' AND present.name = loaded.name";

const EXISTS: &str =
    "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '_codemode_loaded'";

/// The TEXT columns of tables that loads have made, by table and column in lower case, each with whether most of its fields are numbers or
/// dates.
pub(crate) type TextColumns = HashMap<String, HashMap<String, bool>>;

/// Records the TEXT columns of a new table, each with whether most of its fields are numbers or dates.
pub(crate) fn record<D: Database>(db: &D, table: &str, columns: &[(String, bool)]) -> Result<()> {
    db.run(SWEEP, &[])?;
    if columns.is_empty() {
        return Ok(());
    }
    let columns: Map<String, Value> = columns
        .iter()
        .map(|(name, is_suspicious)| (name.clone(), u8::from(*is_suspicious).into()))
        .collect();
    let text = serde_json::to_string(&columns)
        .map_err(|error| Error::internal(format!("columns of a load: {error}")))?;
    db.run(RECORD, &[Bind::text(table), Bind::Text(text)])
        .map(|_| ())
}

/// Returns the columns that loads have made as TEXT, of tables that are there. The database of a graph has no loads.
pub(crate) fn text_columns<D: Database>(db: &D) -> Result<TextColumns> {
    let mut found = TextColumns::new();
    if db
        .cell(EXISTS, &[])?
        .is_none_or(|count| count.as_count() == 0)
    {
        return Ok(found);
    }
    for row in db.rows(READ, &[])? {
        let mut cells = row.into_iter().map(Cell::into_text);
        let (Some(table), Some(columns)) = (cells.next(), cells.next()) else {
            continue;
        };
        let columns: HashMap<String, u8> = serde_json::from_str(&columns).unwrap_or_default();
        let columns = columns
            .into_iter()
            .map(|(column, is_suspicious)| (column.to_ascii_lowercase(), is_suspicious > 0));
        found.insert(table.to_ascii_lowercase(), columns.collect());
    }
    Ok(found)
}
