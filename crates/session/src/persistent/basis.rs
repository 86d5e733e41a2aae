//! Reads the definitions of a tenant's persistent tables at the time of a decision, and makes
//! statements that check that they have not changed.
//!
//! A session compares the definitions and runs the statement without an await in between. Here,
//! both need the network, and other sessions run in between. So the definitions are read and
//! compared first. Then each transaction begins with guards: they fail if a definition was added,
//! removed or changed since, and roll everything back.

use base::{Error, Result};
use database::{Bind, DatabaseError, EngineError};
use serde_json::json;
use sql_gate::Bound;
use sql_gate::compose::{Part, compose};
use sql_gate::definitions::Definitions;

use super::Persistent;
use super::remote::RemoteDatabase;
use crate::approved::{Basis, definitions};
use crate::limits::{MAX_CATALOG_COLUMNS, MAX_GUARD_BYTES};

/// The text that the error message of a failed guard contains.
const MOVED: &str = "codemode definitions moved";

/// The message of [`moved`].
const MOVED_MESSAGE: &str = "the definitions of the tables changed while the statement was checked";

/// The number of attempts if the definitions change in the meantime.
pub(super) const ATTEMPTS: usize = 3;

/// The definitions of a tenant.
#[derive(Debug)]
pub(super) struct Snapshot {
    definitions: Definitions,
    rows: Vec<u64>,
}

/// Returns true if the error is from a failed guard.
pub(super) fn has_moved(error: &EngineError) -> bool {
    error.message.contains(MOVED)
}

/// Returns true if the error is from [`moved`].
pub(super) fn is_moved(error: &Error) -> bool {
    error.to_string() == MOVED_MESSAGE
}

/// Returns the error for a request whose definitions change in every attempt.
pub(super) fn moved() -> Error {
    Error::from(DatabaseError::Busy {
        message: MOVED_MESSAGE.to_owned(),
    })
}

impl Snapshot {
    /// Returns the basis of a statement. `stored` returns the stored name of a tenant's table.
    pub fn basis_of(&self, bound: &Bound, stored: impl Fn(&str) -> String) -> Basis {
        Basis::of_definitions(&self.definitions.of_statement(bound, stored))
    }

    /// Returns the basis of the removal of a stored table or view.
    pub fn basis_of_removal(&self, stored: &str) -> Basis {
        Basis::of_definitions(&self.definitions.of_removal(stored))
    }

    /// Returns statements that fail unless the definitions are exactly these.
    pub fn guards(&self, condition: &str) -> Result<Vec<Bound>> {
        let mut pieces: Vec<(String, u64)> = Vec::new();
        for (definition, row) in self.definitions.all().iter().zip(&self.rows) {
            let text = json!([
                row,
                definition.kind,
                definition.name,
                definition.table,
                definition.sql
            ])
            .to_string();
            match pieces.last_mut() {
                Some((piece, count)) if piece.len() + text.len() < MAX_GUARD_BYTES => {
                    piece.push(',');
                    piece.push_str(&text);
                    *count += 1;
                }
                _ => pieces.push((text, 1)),
            }
        }
        let number = |number: u64| Bind::Text(number.to_string());
        let mut guards: Vec<Bound> = pieces
            .into_iter()
            .map(|(piece, count)| {
                guard(
                    SAME_ROWS.to_owned(),
                    vec![Bind::Text(format!("[{piece}]")), number(count)],
                )
            })
            .collect();
        let no_others = format!(
            "(SELECT count(*) FROM sqlite_schema AS s WHERE {condition}) = CAST(?1 AS INTEGER)"
        );
        guards.push(guard(no_others, vec![number(self.rows.len() as u64)]));
        Ok(guards)
    }
}

/// The condition that the schema contains the rows of a JSON list. The rowid is compared, too,
/// because the planner finds indexes in its order.
const SAME_ROWS: &str = "(SELECT count(*) FROM json_each(?1) AS wanted JOIN sqlite_schema AS s ON s.rowid = wanted.value ->> 0 \
     WHERE s.type = wanted.value ->> 1 AND s.name = wanted.value ->> 2 AND s.tbl_name = wanted.value ->> 3 \
     AND coalesce(s.sql, '') = wanted.value ->> 4) = CAST(?2 AS INTEGER)";

/// Returns a statement that fails unless a condition is true.
fn guard(condition: String, binds: Vec<Bind>) -> Bound {
    compose(
        &[
            Part::Sql("SELECT CASE WHEN "),
            Part::Expression(&condition),
            // An invalid path causes an error that contains the path.
            Part::Sql(" THEN 1 ELSE json_extract('{}', "),
            Part::Text(MOVED),
            Part::Sql(") END AS held"),
        ],
        binds,
    )
}

impl<R: RemoteDatabase> Persistent<'_, R> {
    /// Reads the definitions of the tenant's tables, and all definitions that name these tables.
    ///
    /// # Errors
    /// The database's, and `TOO_BIG` if there are too many definitions.
    pub(super) async fn snapshot(&self) -> Result<Snapshot> {
        let condition = self.own_definitions();
        let query = compose(
            &[
                Part::Sql(
                    "SELECT s.type AS kind, s.name AS name, s.tbl_name AS owner, coalesce(s.sql, '') AS text, CAST(s.rowid AS TEXT) AS row \
                     FROM sqlite_schema AS s WHERE ",
                ),
                Part::Expression(&condition),
                Part::Sql(" ORDER BY s.rowid LIMIT "),
                Part::Number(MAX_CATALOG_COLUMNS + 1),
            ],
            Vec::new(),
        );
        let outcomes = self
            .remote
            .batch(&[query])
            .await
            .map_err(|error| self.own_failure(&error))?;
        let rows: Vec<_> = outcomes
            .into_iter()
            .flat_map(|outcome| outcome.rows)
            .collect();
        if rows.len() as u64 > MAX_CATALOG_COLUMNS {
            return Err(Error::from(base::CommonError::TooBig {
                message: format!(
                    "the tenant has more than {MAX_CATALOG_COLUMNS} persistent tables, views and indexes"
                ),
                hint: "drop those that are no longer used".to_owned(),
            }));
        }
        let number = |row: &Vec<database::Cell>| {
            let text = row.get(4).cloned().map(database::Cell::into_text);
            text.and_then(|text| text.parse().ok()).unwrap_or_default()
        };
        Ok(Snapshot {
            rows: rows.iter().map(number).collect(),
            definitions: definitions(rows),
        })
    }

    /// Returns the condition for rows `s` of `sqlite_schema` that belong to the tenant or name one
    /// of its tables.
    pub(super) fn own_definitions(&self) -> String {
        // The prefix needs no escaping: it consists of `~` and hexadecimal digits.
        let prefix = self.tenant.prefix();
        format!(
            "substr(s.tbl_name, 1, {}) = '{prefix}' OR instr(coalesce(s.sql, ''), '{prefix}') > 0",
            prefix.len()
        )
    }

    /// Returns the same tables with guards before every transaction.
    pub(super) fn guarded_by(&self, snapshot: &Snapshot) -> Result<Persistent<'_, R>> {
        Ok(Persistent {
            guards: snapshot.guards(&self.own_definitions())?,
            ..self.scoped(self.scope)
        })
    }
}
