//! dropTable on persistent tables: drops a table or view of the tenant with its indexes and rows.
//!
//! A table that views read cannot be dropped: the work of a view is measured when the view is made,
//! so the tables that it reads must not be replaced by others. This is checked twice: first, to
//! return a good error message; and again in the transaction that drops the table, because other
//! sessions run in between.

use super::Persistent;
use super::basis::{self, ATTEMPTS};
use super::remote::{Outcome, RemoteDatabase};
use crate::confirmation::changed;
use crate::inspect::TableKind;
use crate::{Reply, query};
use base::limits::MAX_SUGGESTIONS;
use base::{Error, Result};
use database::{Bind, Counters};
use sql_gate::Bound;
use sql_gate::SqlError;
use sql_gate::compose::{Part, compose, quote_identifier};

impl<R: RemoteDatabase> Persistent<'_, R> {
    /// Drops a table or view.
    ///
    /// # Errors
    /// [`SqlError::NoSuchTable`] with the nearest names, [`SqlError::ConstraintFailed`] if views or
    /// rows of other tables depend on it, or the engine's. In each case nothing has changed.
    pub(crate) async fn drop_table(&self, name: &str, if_exists: bool) -> Result<Reply> {
        let catalog = self.catalog().await?;
        let table = match catalog.table(name) {
            Ok(table) => table,
            Err(error) => {
                return match error.of() {
                    Some(SqlError::NoSuchTable { table, .. }) if if_exists => {
                        Ok(query::dropped_reply(table, false, Counters::default()))
                    }
                    _ => Err(error),
                };
            }
        };
        let stored = self.tenant.physical(&table.name);
        self.require_unread(&table.name, &stored).await?;
        let word = match table.kind {
            TableKind::View => "DROP VIEW ",
            TableKind::Table | TableKind::WithoutRowid | TableKind::Virtual | TableKind::Shadow => {
                "DROP TABLE "
            }
        };
        let drop_it = compose(&[Part::Sql(word), Part::Identifier(&stored)], Vec::new());
        for _ in 1..ATTEMPTS {
            match self.drop_stored(&table.name, &stored, &drop_it).await {
                Err(error) if basis::is_moved(&error) => {}
                outcome => return outcome,
            }
        }
        self.drop_stored(&table.name, &stored, &drop_it).await
    }

    /// Drops the table, if it is still the one that was confirmed.
    async fn drop_stored(&self, name: &str, stored: &str, drop_it: &Bound) -> Result<Reply> {
        let mut statements = match self.confirmed {
            None => Vec::new(),
            Some(confirmed) => {
                let snapshot = self.snapshot().await?;
                if snapshot.basis_of_removal(stored).as_str() != confirmed {
                    return Err(changed());
                }
                snapshot.guards(&self.own_definitions())?
            }
        };
        // A text that is not JSON causes an error, which rolls everything back.
        let unread = self.readers("SELECT json('read by a view') AS reader", stored);
        statements.extend([unread, drop_it.clone()]);
        match self.remote.batch(&statements).await {
            Ok(outcomes) => {
                let mut counters = Counters::default();
                for outcome in outcomes {
                    counters.rows_written += outcome.counters.rows_written;
                }
                Ok(query::dropped_reply(name, true, counters))
            }
            Err(error) if basis::has_moved(&error) => Err(basis::moved()),
            Err(error) => {
                self.require_unread(name, stored).await?;
                Err(self.failure(&error, drop_it).await)
            }
        }
    }

    /// Refuses to drop a table that views of the tenant read.
    async fn require_unread(&self, name: &str, stored: &str) -> Result<()> {
        let outcomes = self
            .remote
            .batch(&[self.readers("SELECT name AS reader", stored)])
            .await
            .map_err(|error| self.own_failure(&error))?;
        let readers: Vec<String> = outcomes
            .into_iter()
            .flat_map(Outcome::into_texts)
            .filter_map(|stored| self.tenant.logical(&stored).map(str::to_owned))
            .collect();
        if readers.is_empty() {
            return Ok(());
        }
        Err(Error::from(SqlError::ConstraintFailed {
            kind: "VIEW",
            table: Some(name.to_owned()),
            columns: Vec::new(),
            message: format!("{name} is read by views: {}", readers.join(", ")),
        }))
    }

    /// Returns a query for the first views of the tenant that read a stored table, with `select`
    /// before it: every definition has the stored name in quotes.
    fn readers(&self, select: &'static str, stored: &str) -> Bound {
        let prefix = self.tenant.prefix();
        compose(
            &[
                Part::Sql(select),
                Part::Sql(" FROM sqlite_schema WHERE type = 'view' AND substr(name, 1, "),
                Part::Number(prefix.len() as u64),
                Part::Sql(") = "),
                Part::Text(prefix),
                Part::Sql(
                    " AND lower(name) <> lower(?1) AND instr(lower(sql), lower(?2)) > 0 ORDER BY name LIMIT ",
                ),
                Part::Number(MAX_SUGGESTIONS as u64),
            ],
            vec![Bind::text(stored), Bind::Text(quote_identifier(stored))],
        )
    }
}
