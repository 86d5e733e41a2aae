//! Runs operations on persistent tables within a scope. Two walls apply: the tenant's names, and
//! the rows of the scope.
//!
//! The schema is read for each statement, over the network, and therefore before the statement
//! runs. In between, only the tenant's own statements can change the facts that the review depends
//! on (columns, constraints, foreign keys). Such a change cannot remove a predicate from the
//! reviewed statement.

use base::{Error, Result, nearest};
use sql_gate::compose::{Part, compose};
use sql_gate::{Reviewed, SqlError};
use sql_scope::{Column, Scope, Sort, Table as ScopeTable, Tables};

use super::Persistent;
use super::catalog::Catalog;
use super::remote::RemoteDatabase;
use crate::inspect::{Table, TableKind};
use crate::limits::MAX_CATALOG_COLUMNS;
use crate::query::Request;
use database::Cell;

/// Returns the tables that a scope shows.
pub(crate) fn shown<'c>(catalog: &'c Catalog, scope: &Scope) -> impl Iterator<Item = &'c Table> {
    catalog.all().filter(move |table| is_shown(table, scope))
}

/// Returns a table that a scope shows.
///
/// # Errors
/// [`SqlError::NoSuchTable`] with the nearest names among the shown tables.
pub(crate) fn shown_table<'c>(
    catalog: &'c Catalog,
    scope: &Scope,
    name: &str,
) -> Result<&'c Table> {
    let found = catalog.find(name).filter(|table| is_shown(table, scope));
    found.ok_or_else(|| {
        let names = shown(catalog, scope).map(|table| table.name.as_str());
        Error::from(SqlError::NoSuchTable {
            hint: None,
            suggestions: nearest(name, names),
            table: name.to_owned(),
        })
    })
}

fn is_shown(table: &Table, scope: &Scope) -> bool {
    let has_column = table
        .columns
        .iter()
        .any(|column| column.info.name.eq_ignore_ascii_case(scope.column()));
    table.kind != TableKind::View && (has_column || scope.is_readable(&table.name))
}

impl<R: RemoteDatabase> Persistent<'_, R> {
    /// Returns the scope of a request: that of the run, or its own.
    pub(super) fn scope_of(&self, request: &Request) -> Result<Option<Scope>> {
        match (self.scope, &request.scope) {
            (Some(_), Some(_)) => Err(Error::invalid_with_hint(
                "every call of this run has the scope of the run",
                "leave the field scope out of the call",
            )),
            (Some(scope), None) => Ok(Some(scope.clone())),
            (None, Some(asked)) => asked.resolve(self.settings).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// Reviews a statement under both walls.
    pub(super) async fn review_within(&self, sql: &str, scope: &Scope) -> Result<Reviewed> {
        // The schema is not read for a text that the gate refuses.
        sql_scope::tenant::review(sql, &self.policy(), &self.tenant)?;
        let catalog = self.catalog().await?;
        let tables = self.scope_tables(&catalog).await?;
        sql_scope::review_stored(sql, &self.policy(), &self.tenant, scope, &tables)
    }

    /// Returns the tenant's tables with their definitions, with the names that the tenant uses.
    pub(super) async fn scope_tables(&self, catalog: &Catalog) -> Result<Tables> {
        let query = compose(
            &[
                Part::Sql(
                    "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, ",
                ),
                Part::Number(self.tenant.prefix().len() as u64),
                Part::Sql(") = "),
                Part::Text(self.tenant.prefix()),
                Part::Sql(" LIMIT "),
                Part::Number(MAX_CATALOG_COLUMNS),
            ],
            Vec::new(),
        );
        let outcomes = self
            .remote
            .batch(&[query])
            .await
            .map_err(|error| self.own_failure(&error))?;
        let rows = outcomes.into_iter().flat_map(|outcome| outcome.rows);
        let definitions: Vec<(String, String)> = rows
            .filter_map(|row| {
                let mut cells = row.into_iter().map(Cell::into_text);
                let (stored, sql) = (cells.next()?, cells.next()?);
                let name = self.tenant.logical(&stored)?.to_owned();
                Some((name, sql.replace(self.tenant.prefix(), "")))
            })
            .collect();
        let described = catalog.all().map(|table| ScopeTable {
            name: table.name.clone(),
            sort: match table.kind {
                TableKind::View => Sort::View,
                TableKind::Virtual | TableKind::Shadow => Sort::Virtual,
                TableKind::Table | TableKind::WithoutRowid => Sort::Table,
            },
            columns: table
                .columns
                .iter()
                .map(|column| Column {
                    name: column.info.name.clone(),
                    generated: column.generated,
                    key: column.info.primary_key > 0,
                })
                .collect(),
            definition: definitions
                .iter()
                .find(|(name, _)| *name == table.name)
                .map(|(_, sql)| sql.clone())
                .unwrap_or_default(),
        });
        Ok(Tables::new(described.collect()))
    }
}
