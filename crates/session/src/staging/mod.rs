//! Tables of the session for the results of tools.
//!
//! [`stage`] reads a result twice: `shape` finds its structure, `plan` (with `column_limit` and
//! `names`) decides on tables and columns, `write` makes rows of the text and passes them to SQLite
//! as the bulk loads do. All of this is one transaction: it drops the tables of an earlier stage of
//! the same result, makes the new ones, and `registry` records to which result they belong. The
//! code only holds slices of the result, never values. `docs/staging.md` describes which JSON
//! becomes which table.

mod column_limit;
mod names;
mod output;
mod parts;
mod plan;
mod receipt;
mod registry;
mod shape;
mod tables;
mod value;
mod write;

use crate::SessionError;
use sql_gate::SqlError;
use std::collections::HashSet;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

pub(super) use self::registry::mappings_of;

use self::plan::Plan;
use self::receipt::Written;
use self::registry::Identity;
use self::shape::Shape;
use self::write::Writer;
use super::query::Request;
use super::{Reply, Session, logs};
use crate::inspect;
use base::limits::{MAX_COMPARED_NAMES, MAX_NAME_CHARACTERS, MAX_SUGGESTIONS};
use base::nearest;
use base::{Error, Result};
use database::{Counters, Database};

/// The origin of a result.
#[derive(Debug, Clone, Copy)]
pub struct ResultOrigin<'a> {
    /// The name of the server.
    pub server: &'a str,
    /// The name of its tool.
    pub tool: &'a str,
    /// The arguments of the call as JSON text, which are a part of the result's identity.
    pub arguments: &'a str,
    /// The name under which the server's column mappings are stored, if it is not the server's own.
    pub mappings: Option<&'a str>,
    /// The name that the caller asked for: the tables are named after it, and it replaces the
    /// arguments as the identity.
    pub name: Option<&'a str>,
    /// True if a model reads the result reference; a program can read a long one.
    pub brief: bool,
}

/// The size from which on a result is staged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threshold {
    /// The largest text that is not staged, in bytes.
    pub bytes: usize,
    /// The longest list of records that is not staged.
    pub records: usize,
}

/// Returns true if a result exceeds a threshold, by its length or by some list of records in it. It
/// reads each byte once.
pub fn worth_staging(data: &str, threshold: &Threshold) -> bool {
    if data.len() > threshold.bytes {
        return true;
    }
    // Open brackets; for a list, with the number of its records so far. There are never more than
    // the text has bytes.
    let mut open: Vec<Option<usize>> = Vec::new();
    let (mut in_text, mut escaped) = (false, false);
    for byte in data.bytes() {
        if in_text {
            in_text = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
            continue;
        }
        match byte {
            b'"' => in_text = true,
            b'[' => open.push(Some(0)),
            b'{' => {
                if let Some(Some(records)) = open.last_mut() {
                    *records += 1;
                    if *records > threshold.records {
                        return true;
                    }
                }
                open.push(None);
            }
            b']' | b'}' => {
                open.pop();
            }
            _ => {}
        }
    }
    false
}

/// Makes tables of a result, given as JSON text. Returns the result reference: `{staged,
/// dataAccessId, tables: [{name, columns: [{name, type}], rows, sample, parent?}], rows, hint}`.
///
/// # Errors
/// [`base::CommonError::InvalidBody`] for a text that is not JSON,
/// [`base::CommonError::InvalidArgument`] for the name, [`SessionError::StagedTooLarge`] beyond the
/// deployment's limits, or the engine's error. In each case nothing has changed.
pub fn stage<D: Database>(
    session: &Session<'_, D>,
    source: &ResultOrigin<'_>,
    data: &str,
) -> Result<Map<String, Value>> {
    source.name.map_or(Ok(()), check_name)?;
    let _checked: &RawValue = serde_json::from_str(data)
        .map_err(|error| Error::body(format!("the result is not JSON: {error}")))?;
    let plan = Plan::new(Shape::read(data));
    check_rows(plan.rows(), session.settings.max_staged_rows)?;
    let mut receipt = Map::new();
    let mut touched = Vec::new();
    let done = session.db.transaction(&mut || {
        touched.clear();
        receipt = replace(session, source, &plan, data, &mut touched)?;
        Ok(())
    });
    // Cached facts about the new tables, or about tables that a rollback has restored, may be
    // wrong.
    session.cache.schema_changed();
    done?;
    session.tell_written(true, true, &touched);
    Ok(receipt)
}

/// The server and tool that the registry has for tables loaded by a caller.
const LOADED: (&str, &str) = ("load", "rows");

fn loaded(name: &str) -> ResultOrigin<'_> {
    ResultOrigin {
        server: LOADED.0,
        tool: LOADED.1,
        arguments: "{}",
        mappings: None,
        name: Some(name),
        brief: false,
    }
}

/// Checks that tables of nested records can be named after `name`: nothing else has the name,
/// except an earlier load or result of the same name.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] for an unusable name, [`SqlError::AlreadyExists`] for a
/// table that staging has not made.
pub(super) fn check_load<D: Database>(session: &Session<'_, D>, name: &str) -> Result<()> {
    check_name(name)?;
    sql_gate::require_new_name(name)?;
    let identity = registry::identify(session.db, &loaded(name))?;
    let own = registry::replaceable_tables(session.db, &identity.id)?;
    match inspect::load_table(session.db, &identity.base) {
        Ok(table) if !own.contains(&table.name) => Err(Error::from(SqlError::AlreadyExists {
            table: table.name,
            by: sql_gate::TableOrigin::Load,
        })),
        Ok(_) => Ok(()),
        Err(error) if inspect::is_missing(&error) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Makes tables of nested records that a caller has sent. They replace those of an earlier load
/// under the same name.
///
/// # Errors
/// As [`check_load`] and [`stage`].
pub(super) fn load<D: Database>(
    session: &Session<'_, D>,
    name: &str,
    data: &str,
    notice: Option<String>,
) -> Result<Reply> {
    check_load(session, name)?;
    let reference = stage(session, &loaded(name), data).map_err(|error| match error.into_problem() {
        Ok(SessionError::StagedTooLarge { message, .. }) => SessionError::StagedTooLarge {
            message: message.replacen("the result", "the body", 1),
            hint: "send fewer rows in one load, each load under a name of its own, drop staged tables that are no longer needed, or raise MAX_STAGED_ROWS or MAX_STAGED_TABLES".to_owned(),
        }
        .into(),
        Ok(other) => other.into(),
        Err(other) => other,
    })?;
    let mut fields = Map::new();
    let rows = reference.get("rows").cloned().unwrap_or_default();
    fields.insert("rowsWritten".to_owned(), rows);
    fields.extend(reference);
    if let Some(notice) = notice {
        fields.insert("notice".to_owned(), notice.into());
    }
    Ok(Reply::new(Value::Object(fields), Counters::default()))
}

/// Checks that tables can be named after `name`.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] that states the requirements for a name.
pub fn check_name(name: &str) -> Result<()> {
    let characters = name.chars().count();
    if (1..=MAX_NAME_CHARACTERS).contains(&characters) && name.chars().any(char::is_alphanumeric) {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "the name of a staged result must have 1 to {MAX_NAME_CHARACTERS} characters, at least one of them a letter or digit"
    )))
}

fn check_rows(rows: u64, limit: u64) -> Result<()> {
    if rows <= limit {
        return Ok(());
    }
    Err(Error::from(SessionError::StagedTooLarge {
        message: format!("the result has {rows} rows; the limit for staging is {limit}"),
        hint: "ask the tool for less, page by page, pass stage: false to get the result as it is, or raise MAX_STAGED_ROWS"
            .to_owned(),
    }))
}

/// Does the work of [`stage`] within its transaction. Adds the tables that it drops or makes to
/// `touched`.
fn replace<D: Database>(
    session: &Session<'_, D>,
    source: &ResultOrigin<'_>,
    plan: &Plan,
    data: &str,
    touched: &mut Vec<String>,
) -> Result<Map<String, Value>> {
    let db = session.db;
    let identity = registry::identify(db, source)?;
    check_tables(session, &identity, plan)?;
    let mut replaced_rows = 0;
    for table in registry::replaceable_tables(db, &identity.id)? {
        if identity.other_call.is_some() {
            replaced_rows += tables::count_rows(session, &table)?;
        }
        tables::drop_table(session, &table)?;
        touched.push(table);
    }
    registry::forget(db, &identity.id)?;

    let chosen = Names::choose(&identity, plan, &registry::taken_names(db)?);
    for (name, table) in chosen.tables.iter().zip(&plan.tables) {
        tables::create(session, name, &table.columns)?;
    }
    let (rows, parts) = Writer::new(*session, plan, &chosen.tables, &chosen.parts).write(data)?;
    let total = rows.iter().sum::<u64>() + parts;
    check_rows(total, session.settings.max_staged_rows)?;
    // The indexes are made after the rows, so that their entries are added in order.
    for (name, table) in chosen.tables.iter().zip(&plan.tables) {
        if table.parent.is_some() {
            tables::create_index(session, name)?;
        }
    }
    let parts = (parts > 0).then_some((chosen.parts.as_str(), parts));
    let made: Vec<&str> = chosen
        .tables
        .iter()
        .map(String::as_str)
        .chain(parts.map(|(name, _)| name))
        .collect();
    registry::record(db, session.now_ms, &identity, source, &chosen.base, &made)?;
    touched.retain(|table| !made.contains(&table.as_str()));
    touched.extend(made.iter().map(|table| (*table).to_owned()));
    let from = format!("{}.{}", source.server, source.tool);
    logs::log(
        db,
        session.now_ms,
        &format!("staged {total} rows of {from} as {}", identity.id),
    )?;
    receipt::receipt(
        db,
        &Written {
            identity: &identity,
            plan,
            names: &chosen.tables,
            rows: &rows,
            parts,
            replaced_rows,
            brief: source.brief,
        },
    )
}

fn check_tables<D: Database>(
    session: &Session<'_, D>,
    identity: &Identity,
    plan: &Plan,
) -> Result<()> {
    let others = registry::count_other_tables(session.db, &identity.id)?;
    let limit = session.settings.max_staged_tables;
    let own = plan.tables.len() as u64;
    if others + own <= limit {
        return Ok(());
    }
    Err(Error::from(SessionError::StagedTooLarge {
        message: format!(
            "the result needs {own} tables, but the session already has {others} staged tables, and the limit is {limit}"
        ),
        hint: "drop staged tables that are no longer needed, stage under a name that is used again, pass stage: false to get the result as it is, or raise MAX_STAGED_TABLES"
            .to_owned(),
    }))
}

/// The names of the tables of one result.
struct Names {
    /// The common beginning of the names.
    base: String,
    tables: Vec<String>,
    /// The table for long values.
    parts: String,
}

impl Names {
    /// Returns the names that these tables had before, or the first ones that are free and allowed.
    fn choose(identity: &Identity, plan: &Plan, taken: &[String]) -> Self {
        let taken: HashSet<String> = taken.iter().map(|name| name.to_ascii_lowercase()).collect();
        let numbered = (2..=taken.len() + 2).map(|number| format!("{}_{number}", identity.base));
        let known = identity.known_base.iter().cloned();
        let bases = known.chain([identity.base.clone()]).chain(numbered);
        let mut names = Self::of(identity.base.clone(), plan);
        for base in bases {
            names = Self::of(base, plan);
            // A list `each` of a base `json` would hide the engine's json_each.
            if names.all().all(|name| {
                !taken.contains(&name.to_ascii_lowercase())
                    && sql_gate::require_new_name(&name).is_ok()
            }) {
                break;
            }
        }
        names
    }

    fn of(base: String, plan: &Plan) -> Self {
        let with = |suffix: &str| {
            if suffix.is_empty() {
                base.clone()
            } else {
                format!("{base}_{suffix}")
            }
        };
        Self {
            tables: plan
                .tables
                .iter()
                .map(|table| with(&table.suffix))
                .collect(),
            parts: with(&plan.parts_suffix()),
            base,
        }
    }

    fn all(&self) -> impl Iterator<Item = String> {
        let indexes = self.tables.iter().map(|name| tables::index_name(name));
        self.tables
            .iter()
            .cloned()
            .chain(indexes)
            .chain([self.parts.clone()])
    }
}

/// Runs queryStagedData: a query on the tables of a staged result.
///
/// # Errors
/// [`SessionError::StagedNotFound`] with the nearest ids, or the error of the query. For an unknown
/// table, the suggestions are tables of the result.
pub(super) fn query<D: Database>(
    session: &Session<'_, D>,
    id: String,
    request: &Request,
) -> Result<Reply> {
    let tables = registry::readable_tables(session.db, &id)?;
    if tables.is_empty() {
        let ids = registry::ids(session.db, MAX_COMPARED_NAMES as u64)?;
        return Err(Error::from(SessionError::StagedNotFound {
            suggestions: nearest(&id, ids.iter().map(String::as_str)),
            id,
        }));
    }
    session
        .query(request)
        .map_err(|error| match error.into_problem() {
            Ok(SqlError::NoSuchTable { table, .. }) => {
                let mut suggestions = nearest(&table, tables.iter().map(String::as_str));
                if suggestions.is_empty() {
                    suggestions = tables.into_iter().take(MAX_SUGGESTIONS).collect();
                }
                Error::from(SqlError::NoSuchTable {
                    hint: None,
                    table,
                    suggestions,
                })
            }
            Ok(other) => other.into(),
            Err(other) => other,
        })
}
