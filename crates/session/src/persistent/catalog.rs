//! A snapshot of a tenant's tables and columns, with the names that the tenant uses.

use sql_gate::SqlError;

use super::remote::{Outcome, RemoteDatabase, failure};
use crate::inspect::{self, RowCount, Table, TableKind};
use crate::limits::{COUNTED_ROWS, MAX_CATALOG_COLUMNS, SAMPLE_ROWS};
use crate::row_text::RowText;
use base::nearest;
use base::{Error, Result};
use columns::ColumnInfo;
use database::{Cell, Counters, EngineError};
use sql_gate::Bound;
use sql_gate::catalog::Schema;
use sql_gate::compose::{Part, compose};
use sql_scope::tenant::Tenant;

/// The tables and views of one tenant, by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Catalog {
    tables: Vec<Table>,
}

impl Catalog {
    /// Reads the tenant's part of the schema.
    ///
    /// # Errors
    /// The engine's.
    pub async fn read<R: RemoteDatabase>(remote: &R, tenant: &Tenant) -> Result<Self, EngineError> {
        let columns = |kinds: &'static str| {
            compose(
                &[
                    Part::Sql(
                        "SELECT s.name AS \"table\", s.type AS kind, x.name AS \"column\", x.type AS declared, x.\"notnull\" AS required, ",
                    ),
                    Part::Sql(
                        "x.dflt_value AS standard, x.pk AS key, x.hidden AS hidden FROM sqlite_schema AS s, pragma_table_xinfo(s.name) AS x WHERE s.type IN (",
                    ),
                    Part::Sql(kinds),
                    Part::Sql(") AND substr(s.name, 1, "),
                    Part::Number(tenant.prefix().len() as u64),
                    Part::Sql(") = "),
                    Part::Text(tenant.prefix()),
                    Part::Sql(" ORDER BY s.name, x.cid LIMIT "),
                    Part::Number(MAX_CATALOG_COLUMNS),
                ],
                Vec::new(),
            )
        };
        match remote.batch(&[columns("'table', 'view'")]).await {
            Ok(outcomes) => Ok(Self::of(outcomes, tenant)),
            Err(error) if failure(&error.message).is_some() => Err(error),
            // A view cannot be described if its table was replaced by one with other columns.
            // Without this fallback it would hide all other tables.
            Err(_) => Ok(Self::of(
                remote
                    .batch(&[columns("'table'"), Self::views(tenant)])
                    .await?,
                tenant,
            )),
        }
    }

    /// Returns the query for the views, without their columns.
    fn views(tenant: &Tenant) -> Bound {
        compose(
            &[
                Part::Sql(
                    "SELECT name AS \"table\", type AS kind FROM sqlite_schema WHERE type = 'view' AND substr(name, 1, ",
                ),
                Part::Number(tenant.prefix().len() as u64),
                Part::Sql(") = "),
                Part::Text(tenant.prefix()),
                Part::Sql(" ORDER BY name LIMIT "),
                Part::Number(MAX_CATALOG_COLUMNS),
            ],
            Vec::new(),
        )
    }

    /// Returns the definitions of the tenant's views, with their stored names.
    ///
    /// # Errors
    /// The engine's.
    pub(super) async fn definitions<R: RemoteDatabase>(
        remote: &R,
        tenant: &Tenant,
    ) -> Result<sql_gate::Views, EngineError> {
        let query = compose(
            &[
                Part::Sql(
                    "SELECT name, sql FROM sqlite_schema WHERE type = 'view' AND substr(name, 1, ",
                ),
                Part::Number(tenant.prefix().len() as u64),
                Part::Sql(") = "),
                Part::Text(tenant.prefix()),
                Part::Sql(" LIMIT "),
                Part::Number(MAX_CATALOG_COLUMNS),
            ],
            Vec::new(),
        );
        let outcomes = remote.batch(&[query]).await?;
        let rows = outcomes.into_iter().flat_map(|outcome| outcome.rows);
        Ok(sql_gate::Views::new(rows.filter_map(|row| {
            let mut cells = row.into_iter().map(Cell::into_text);
            Some((cells.next()?, cells.next()?))
        })))
    }

    /// Returns the total size of the tenant's definitions, in bytes.
    ///
    /// # Errors
    /// The engine's.
    pub(super) async fn size<R: RemoteDatabase>(
        remote: &R,
        tenant: &Tenant,
    ) -> Result<u64, EngineError> {
        let query = compose(
            &[
                Part::Sql(
                    "SELECT total(octet_length(sql)) FROM sqlite_schema WHERE substr(tbl_name, 1, ",
                ),
                Part::Number(tenant.prefix().len() as u64),
                Part::Sql(") = "),
                Part::Text(tenant.prefix()),
            ],
            Vec::new(),
        );
        let outcomes = remote.batch(&[query]).await?;
        let mut rows = outcomes.into_iter().flat_map(|outcome| outcome.rows);
        let bytes = rows.next().and_then(|row| row.into_iter().next());
        Ok(bytes.map_or(0, |cell| cell.as_count()))
    }

    fn of(outcomes: Vec<Outcome>, tenant: &Tenant) -> Self {
        let mut tables: Vec<Table> = Vec::new();
        for row in outcomes.into_iter().flat_map(|outcome| outcome.rows) {
            let mut cells = row.into_iter();
            let (Some(Cell::Text(stored)), Some(Cell::Text(kind))) = (cells.next(), cells.next())
            else {
                continue;
            };
            let Some(name) = tenant.logical(&stored) else {
                continue;
            };
            let cells: Vec<Cell> = cells.collect();
            if cells.is_empty() {
                tables.push(Table {
                    name: name.to_owned(),
                    kind: TableKind::View,
                    columns: Vec::new(),
                });
                continue;
            }
            let column = inspect::column(cells);
            match tables.last_mut().filter(|table| table.name == name) {
                Some(table) => table.columns.push(column),
                None => {
                    let kind = if kind == "view" {
                        TableKind::View
                    } else {
                        TableKind::Table
                    };
                    tables.push(Table {
                        name: name.to_owned(),
                        kind,
                        columns: vec![column],
                    });
                }
            }
        }
        Self { tables }
    }

    /// Returns the table with a name, ignoring case.
    ///
    /// # Errors
    /// [`SqlError::NoSuchTable`] with the nearest names, or a refusal for a name that the caller
    /// must not use.
    pub fn table(&self, name: &str) -> Result<&Table> {
        sql_gate::require_writable_name(name)?;
        self.find(name).ok_or_else(|| {
            Error::from(SqlError::NoSuchTable {
                hint: None,
                table: name.to_owned(),
                suggestions: nearest(name, self.names()),
            })
        })
    }

    /// Returns the table with a name, if there is one.
    pub fn find(&self, name: &str) -> Option<&Table> {
        self.tables
            .iter()
            .find(|table| table.name.eq_ignore_ascii_case(name))
    }

    /// Returns all tables, by name.
    pub(super) fn all(&self) -> impl Iterator<Item = &Table> {
        self.tables.iter()
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.tables.iter().map(|table| table.name.as_str())
    }
}

impl Schema for Catalog {
    fn tables(&self) -> Result<Vec<String>> {
        Ok(self.names().map(str::to_owned).collect())
    }

    fn columns(&self, table: &str) -> Result<Vec<ColumnInfo>> {
        Ok(self
            .find(table)
            .map(|table| {
                table
                    .columns
                    .iter()
                    .map(|column| column.info.clone())
                    .collect()
            })
            .unwrap_or_default())
    }
}

/// Returns the two statements of describeTable: one counts the rows up to a limit, the other reads
/// the first rows.
pub(super) fn description_statements(tenant: &Tenant, table: &Table) -> (Bound, Bound) {
    let stored = tenant.physical(&table.name);
    let count = compose(
        &[
            Part::Sql("SELECT count(*) AS rows FROM (SELECT 1 FROM "),
            Part::Identifier(&stored),
            Part::Sql(" LIMIT "),
            Part::Number(COUNTED_ROWS + 1),
            Part::Sql(")"),
        ],
        Vec::new(),
    );
    let text = RowText::new(table.visible_names());
    let mut parts = vec![Part::Sql("SELECT ")];
    parts.extend(text.json_object());
    parts.extend([
        Part::Sql(" AS line FROM "),
        Part::Identifier(&stored),
        Part::Sql(" LIMIT "),
        Part::Number(SAMPLE_ROWS),
    ]);
    (count, compose(&parts, Vec::new()))
}

/// Converts the result of a count with that limit.
pub(super) fn row_count(counted: u64) -> RowCount {
    RowCount {
        rows: counted.min(COUNTED_ROWS),
        exact: counted <= COUNTED_ROWS,
        counters: Counters::default(),
    }
}
