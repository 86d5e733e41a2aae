//! persist: copies a session's table to D1, all or nothing and in bounded memory.
//!
//! 1. The rows are read from the session at one moment, without an await in between, as chunks of
//!    JSON text. Chunks that do not fit into memory are stored in the session's spill table.
//! 2. The chunks go to a transfer table in D1, each in one row. A table of one chunk needs none.
//! 3. One transaction makes the table and fills it from there. A failed copy leaves nothing behind,
//!    except a transfer table that could not be dropped: the tenant's next copy drops old ones.
//!
//! The table is not renamed from the transfer table, because `ALTER TABLE … RENAME` reads every
//! view of the database: a broken view of one tenant would stop all others.

mod snapshot;

use serde_json::json;
use sql_gate::SqlError;
use uuid::Uuid;

use super::super::fields::Fields;
use super::Persistent;
use super::catalog::Catalog;
use super::remote::RemoteDatabase;
use crate::inspect::{self, Table, TableColumn, TableKind};
use crate::limits::ABANDONED_TRANSFER_MS;
use crate::records::default_value;
use crate::{Reply, Session};
use base::nearest;
use base::{Error, Result};
use database::{Bind, Counters, Database};
use snapshot::{Chunk, Snapshot};
use sql_gate::compose::{Part, compose, quote_identifier};
use sql_gate::{self, Bound, Parameters, Policy, TypeReading};
use sql_scope::tenant;

/// The treatment of an existing table with the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// The copy fails.
    Create,
    /// The table is dropped.
    Replace,
    /// The rows are added to it.
    Append,
}

struct Request {
    table: String,
    destination: String,
    mode: Mode,
}

impl Request {
    fn parse(body: &str) -> Result<Self> {
        let fields = Fields::parse(body)?;
        // The call of a program also has the name of its operation.
        fields.only(&["operation", "table", "as", "mode"])?;
        let table = fields.string("table")?.into_owned();
        let destination = fields
            .optional_string("as")?
            .map_or_else(|| table.clone(), std::borrow::Cow::into_owned);
        let mode = match fields.optional_string("mode")?.as_deref() {
            None | Some("create") => Mode::Create,
            Some("replace") => Mode::Replace,
            Some("append") => Mode::Append,
            Some(other) => {
                return Err(Error::invalid(format!(
                    "mode must be create, replace or append, not {other:?}"
                )));
            }
        };
        if destination.is_empty() || destination.contains('\0') {
            return Err(Error::invalid(
                "the name of a table cannot be empty or contain NUL",
            ));
        }
        match mode {
            Mode::Append => sql_gate::require_writable_name(&destination)?,
            Mode::Create | Mode::Replace => sql_gate::require_new_name(&destination)?,
        }
        Ok(Self {
            table,
            destination,
            mode,
        })
    }
}

/// Copies the table that a body `{table, as?, mode?}` names.
///
/// # Errors
/// [`SqlError::NoSuchTable`], [`SqlError::AlreadyExists`] in mode create,
/// [`SqlError::NoSuchColumn`] and [`SqlError::ConstraintFailed`] in mode append, or the engines'.
/// In each case nothing has changed.
pub async fn persist<D: Database, R: RemoteDatabase>(
    persistent: &Persistent<'_, R>,
    session: &Session<'_, D>,
    body: &str,
) -> Result<Reply> {
    let request = Request::parse(body)?;
    inspect::load_table(session.db, &request.table)?;
    persistent.drop_abandoned_transfers().await?;
    let catalog = persistent.catalog().await?;
    // There is no await from here to the end of the snapshot.
    let source = inspect::load_table(session.db, &request.table)?;
    let copy = Copy::plan(persistent, &catalog, &request, &source)?;
    let snapshot = Snapshot::take(session, &source.name, &copy.columns)?;
    let outcome = copy.run(&snapshot).await;
    if outcome.is_err() {
        copy.drop_transfer().await;
    }
    let written = outcome?;
    let body = json!({ "table": copy.name, "rowsWritten": snapshot.rows() });
    Ok(Reply::new(
        body,
        Counters {
            rows_read: 0,
            rows_written: written,
        },
    ))
}

/// The plan of one copy.
struct Copy<'a, R> {
    persistent: &'a Persistent<'a, R>,
    name: String,
    stored: String,
    transfer: String,
    mode: Mode,
    columns: Vec<String>,
    /// CREATE TABLE, unless the table already exists.
    definition: Option<Bound>,
}

impl<'a, R: RemoteDatabase> Copy<'a, R> {
    fn plan(
        persistent: &'a Persistent<'a, R>,
        catalog: &Catalog,
        request: &Request,
        source: &Table,
    ) -> Result<Self> {
        let existing = catalog.find(&request.destination);
        if let Some(view) = existing.filter(|table| table.kind == TableKind::View) {
            return Err(Error::invalid_with_hint(
                format!("{} is a view, which holds no rows", view.name),
                "choose another name with as",
            ));
        }
        let (columns, definition) = match (request.mode, existing) {
            (Mode::Create, Some(table)) => {
                return Err(Error::from(SqlError::AlreadyExists {
                    table: table.name.clone(),
                    by: sql_gate::TableOrigin::Copy,
                }));
            }
            (Mode::Append, _) => (
                common_columns(source, catalog.table(&request.destination)?)?,
                None,
            ),
            (Mode::Create | Mode::Replace, _) => (
                source.visible_names(),
                Some(persistent.definition(&request.destination, source)?),
            ),
        };
        let name = existing.map_or_else(|| request.destination.clone(), |table| table.name.clone());
        let stored = persistent.tenant.physical(&name);
        let transfer = format!(
            "{}{}^{}",
            persistent.tenant.transfer_prefix(),
            persistent.now_ms,
            Uuid::new_v4().simple()
        );
        Ok(Self {
            persistent,
            name,
            stored,
            transfer,
            mode: request.mode,
            columns,
            definition,
        })
    }

    /// Runs the copy. Returns the number of rows written.
    async fn run<D: Database>(&self, snapshot: &Snapshot<'_, D>) -> Result<u64> {
        if let Some(definition) = &self.definition {
            self.persistent.require_room(definition).await?;
        }
        let mut written = 0;
        let source = match snapshot.only_chunk() {
            Some(chunk) => CopySource::Here(chunk.text),
            None => {
                written += self.fill_transfer(snapshot).await?;
                CopySource::TransferTable
            }
        };
        let mut statements = Vec::new();
        if self.mode == Mode::Replace {
            statements.push(compose(
                &[
                    Part::Sql("DROP TABLE IF EXISTS "),
                    Part::Identifier(&self.stored),
                ],
                Vec::new(),
            ));
        }
        statements.extend(self.definition.clone());
        let insert = self.insert(&source, snapshot.has_blobs());
        statements.push(insert.clone());
        if let CopySource::TransferTable = source {
            statements.push(compose(
                &[Part::Sql("DROP TABLE "), Part::Identifier(&self.transfer)],
                Vec::new(),
            ));
        }
        match self.persistent.remote.batch(&statements).await {
            Ok(outcomes) => Ok(written
                + outcomes
                    .iter()
                    .map(|outcome| outcome.counters.rows_written)
                    .sum::<u64>()),
            Err(error) => Err(self.persistent.failure(&error, &insert).await),
        }
    }

    async fn fill_transfer<D: Database>(&self, snapshot: &Snapshot<'_, D>) -> Result<u64> {
        let create = compose(
            &[
                Part::Sql("CREATE TABLE "),
                Part::Identifier(&self.transfer),
                Part::Sql(" (sequence INTEGER PRIMARY KEY, chunk TEXT NOT NULL)"),
            ],
            Vec::new(),
        );
        let mut written = self.own(&[create]).await?;
        for sequence in 0..snapshot.chunks() {
            let Chunk { text } = snapshot.chunk(sequence)?;
            let insert = compose(
                &[
                    Part::Sql("INSERT INTO "),
                    Part::Identifier(&self.transfer),
                    Part::Sql(" (sequence, chunk) VALUES (?1, ?2)"),
                ],
                vec![Bind::number(sequence), Bind::Text(text)],
            );
            written += self.own(&[insert]).await?;
        }
        Ok(written)
    }

    /// Runs our own statements. Returns the number of rows that they wrote.
    async fn own(&self, statements: &[Bound]) -> Result<u64> {
        let outcomes = self
            .persistent
            .remote
            .batch(statements)
            .await
            .map_err(|error| self.persistent.own_failure(&error))?;
        Ok(outcomes
            .iter()
            .map(|outcome| outcome.counters.rows_written)
            .sum())
    }

    /// Returns `INSERT INTO t (a, b) SELECT value->>0, value->>1 FROM …`.
    fn insert(&self, source: &CopySource, has_blobs: bool) -> Bound {
        let mut parts = vec![
            Part::Sql("INSERT INTO "),
            Part::Identifier(&self.stored),
            Part::Sql(" ("),
        ];
        for (index, name) in self.columns.iter().enumerate() {
            parts.extend([
                Part::Sql(if index > 0 { ", " } else { "" }),
                Part::Identifier(name),
            ]);
        }
        parts.push(Part::Sql(") SELECT "));
        for index in 0..self.columns.len() as u64 {
            parts.push(Part::Sql(if index > 0 { ", " } else { "" }));
            let plain = [Part::Sql("e.value->>"), Part::Number(index)];
            if has_blobs {
                let path = [Part::Number(index), Part::Sql("].\"$blob\"')")];
                parts.push(Part::Sql("CASE WHEN json_type(e.value, '$["));
                parts.extend(path);
                parts.push(Part::Sql(" = 'text' THEN unhex(json_extract(e.value, '$["));
                parts.extend(path);
                parts.push(Part::Sql(") ELSE "));
                parts.extend(plain);
                parts.push(Part::Sql(" END"));
            } else {
                parts.extend(plain);
            }
        }
        match source {
            CopySource::Here(text) => {
                parts.push(Part::Sql(" FROM jsonb_each(?1) AS e"));
                compose(&parts, vec![Bind::text(text.as_str())])
            }
            CopySource::TransferTable => {
                parts.extend([
                    Part::Sql(" FROM "),
                    Part::Identifier(&self.transfer),
                    Part::Sql(" AS s, jsonb_each(s.chunk) AS e"),
                ]);
                compose(&parts, Vec::new())
            }
        }
    }

    /// Drops the transfer table, which may not exist. If this fails, the tenant's next copy drops
    /// it.
    async fn drop_transfer(&self) {
        let drop_it = compose(
            &[
                Part::Sql("DROP TABLE IF EXISTS "),
                Part::Identifier(&self.transfer),
            ],
            Vec::new(),
        );
        let _dropped = self.persistent.remote.batch(&[drop_it]).await;
    }
}

/// The source of the rows for the final statement.
enum CopySource {
    Here(String),
    TransferTable,
}

impl<R: RemoteDatabase> Persistent<'_, R> {
    /// Returns CREATE TABLE for a copy. It passes the gate like a caller's statement, because a
    /// caller wrote its types and defaults.
    fn definition(&self, name: &str, source: &Table) -> Result<Bound> {
        let mut items: Vec<String> = source
            .columns
            .iter()
            .filter(|column| !column.info.hidden)
            .map(definition_of_column)
            .collect();
        let mut key: Vec<&TableColumn> = source
            .columns
            .iter()
            .filter(|column| column.info.primary_key > 0)
            .collect();
        key.sort_by_key(|column| column.info.primary_key);
        if !key.is_empty() {
            let names: Vec<String> = key
                .iter()
                .map(|column| quote_identifier(&column.info.name))
                .collect();
            items.push(format!("PRIMARY KEY ({})", names.join(", ")));
        }
        let options = if source.kind == TableKind::WithoutRowid {
            " WITHOUT ROWID"
        } else {
            ""
        };
        let text = format!(
            "CREATE TABLE {} (\n{}\n){options}",
            quote_identifier(name),
            items.join(",\n")
        );
        let policy = Policy {
            types: TypeReading::AsWritten,
            ..self.policy()
        };
        let bound = tenant::review(&text, &policy, &self.tenant)?.bind(&Parameters::None)?;
        tenant::verify(bound.sql(), &self.tenant)?;
        Ok(bound)
    }

    /// Drops transfer tables of copies that failed half-way.
    async fn drop_abandoned_transfers(&self) -> Result<()> {
        let prefix = self.tenant.transfer_prefix();
        let list = compose(
            &[
                Part::Sql(
                    "SELECT name FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, ",
                ),
                Part::Number(prefix.len() as u64),
                Part::Sql(") = "),
                Part::Text(&prefix),
            ],
            Vec::new(),
        );
        let outcomes = self
            .remote
            .batch(&[list])
            .await
            .map_err(|error| self.own_failure(&error))?;
        let names = outcomes
            .into_iter()
            .flat_map(super::remote::Outcome::into_texts);
        let began_ms = |name: &String| {
            name.strip_prefix(&prefix)
                .and_then(|rest| rest.split('^').next()?.parse::<u64>().ok())
        };
        let abandoned = names.filter(|name| {
            began_ms(name).is_some_and(|began_ms| {
                began_ms.saturating_add(ABANDONED_TRANSFER_MS) < self.now_ms
            })
        });
        let drops: Vec<Bound> = abandoned
            .map(|name| {
                compose(
                    &[Part::Sql("DROP TABLE IF EXISTS "), Part::Identifier(&name)],
                    Vec::new(),
                )
            })
            .collect();
        if !drops.is_empty() {
            self.remote
                .batch(&drops)
                .await
                .map_err(|error| self.own_failure(&error))?;
        }
        Ok(())
    }
}

fn definition_of_column(column: &TableColumn) -> String {
    let info = &column.info;
    let mut text = quote_identifier(&info.name);
    if !info.declared_type.is_empty() {
        text.push(' ');
        text.push_str(&written_type(&info.declared_type));
    }
    if info.not_null {
        text.push_str(" NOT NULL");
    }
    if let Some(stored) = &info.default_value {
        text.push_str(
            compose(
                &[
                    Part::Sql(" DEFAULT ("),
                    default_value(stored),
                    Part::Sql(")"),
                ],
                Vec::new(),
            )
            .sql(),
        );
    }
    text
}

/// Returns a declared type as SQL. A type with anything but words and lengths was quoted, and is
/// quoted again.
fn written_type(declared: &str) -> String {
    let plain = |letter: char| {
        letter.is_ascii_alphanumeric() || matches!(letter, '_' | ' ' | '(' | ')' | ',')
    };
    if declared.chars().all(plain) {
        declared.to_owned()
    } else {
        quote_identifier(declared)
    }
}

/// Returns the columns of the source, and checks that the destination has each of them and accepts
/// values for it.
fn common_columns(source: &Table, destination: &Table) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for name in source.visible_names() {
        match destination
            .columns
            .iter()
            .find(|column| column.info.name.eq_ignore_ascii_case(&name))
        {
            Some(column) if column.generated => {}
            Some(_) => names.push(name),
            None => {
                let available = destination.visible_names();
                let suggestions = nearest(&name, available.iter().map(String::as_str));
                return Err(Error::from(SqlError::NoSuchColumn {
                    column: name,
                    suggestions,
                    available,
                    double_quoted: false,
                    hint: None,
                }));
            }
        }
    }
    if names.is_empty() {
        Err(Error::invalid(
            "the tables have no column in common that can be written",
        ))
    } else {
        Ok(names)
    }
}
