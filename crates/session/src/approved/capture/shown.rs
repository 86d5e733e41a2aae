//! Recorded rows for people: some of the rows as JSON objects in the wire format, with long values
//! cut.

use base::entries::Entries;
use base::text;
use base::{Error, Result};
use database::{Bind, Cell, Cursor as _, Database, Statement};
use serde::Serialize;
use serde_json::value::RawValue;
use sql_cost::Meter;
use sql_gate::compose::{Part, compose};
use sql_gate::value::{finish, row_expression};
use sql_gate::{Bound, RowShape};

use super::changes::Change;
use super::relation::Relation;
use super::text::{Images, ROW, Side};
use super::triggers::Operation;
use crate::limits::{PREVIEW_SAMPLE_ROWS, PREVIEW_VALUE_CHARACTERS};

/// Some rows before and after a statement. An updated row is in both lists, with the same change
/// number.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Shown {
    pub before: Vec<ShownRow>,
    pub after: Vec<ShownRow>,
}

/// One row.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ShownRow {
    pub table: String,
    /// The number of the change, from 1, in the order in which the rows are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<usize>,
    pub row: Box<RawValue>,
    /// The columns whose values are cut.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cut: Vec<String>,
}

/// Returns the first changes of the written table, which is the first of the tables, and some
/// changes of the others.
///
/// # Errors
/// The engine's.
pub(crate) fn sample<D: Database>(
    db: &D,
    relations: &[Relation],
    changes: &[Change],
) -> Result<Shown> {
    let others = changes.iter().filter(|change| change.relation != 0).count();
    // Two of the rows are from other tables, if these have changes.
    let reserved = others.min(2);
    let own = changes.iter().filter(|change| change.relation == 0);
    let own: Vec<&Change> = own.take(PREVIEW_SAMPLE_ROWS - reserved).collect();
    let rest = PREVIEW_SAMPLE_ROWS - own.len();
    let others = changes.iter().filter(|change| change.relation != 0);
    let mut shown = Shown::default();
    for (number, change) in own.into_iter().chain(others.take(rest)).enumerate() {
        let Some(relation) = relations.get(change.relation) else {
            continue;
        };
        let row = |side| -> Result<Option<ShownRow>> {
            let row = shown_row(db, relation, change, side)?;
            Ok(row.map(|row| ShownRow {
                change: Some(number + 1),
                ..row
            }))
        };
        if change.operation != Operation::Insert {
            shown.before.extend(row(Side::Before)?);
        }
        if change.operation != Operation::Delete {
            shown.after.extend(row(Side::After)?);
        }
    }
    Ok(shown)
}

/// Returns one image; `None` if it was not kept.
///
/// # Errors
/// The engine's.
pub(crate) fn shown_row<D: Database>(
    db: &D,
    relation: &Relation,
    change: &Change,
    side: Side,
) -> Result<Option<ShownRow>> {
    let images = Images::of(relation, change.relation, side);
    let (names, values) = images.shown();
    let text = format!(
        "{} {} AND {} = ?1",
        object(&names, &values),
        images.source(),
        images.change()
    );
    read(db, relation, &text, change.id)
}

/// Returns the row that now has the key of an image; `None` if there is none.
///
/// # Errors
/// `QUERY_TOO_EXPENSIVE` if its computed columns are too much work, or the engine's.
pub(crate) fn row_now<D: Database>(
    db: &D,
    meter: &Meter<'_>,
    relation: &Relation,
    change: &Change,
    side: Side,
) -> Result<Option<ShownRow>> {
    let images = Images::of(relation, change.relation, side);
    let (names, quoted) = columns_now(relation);
    let table = sql_gate::compose::quote_identifier(&relation.name);
    let source = images.source();
    // The image comes first, so that the engine finds the row by its key.
    let source = source.replacen(
        " WHERE ",
        &format!(" CROSS JOIN {table} AS {ROW} WHERE "),
        1,
    );
    let text = format!(
        "{} {source} AND {} = ?1 AND {}",
        object(&names, &quoted),
        images.change(),
        images.same_key()
    );
    let bound = composed(&text, change.id);
    meter.admit(db, &relation.name, &bound)?;
    let json = first_text(db, &bound)?;
    json.map(|json| shown(relation, json)).transpose()
}

/// Returns the first rows that a table now has.
///
/// # Errors
/// `QUERY_TOO_EXPENSIVE` if their computed columns are too much work, or the engine's.
pub(crate) fn first_rows<D: Database>(
    db: &D,
    meter: &Meter<'_>,
    relation: &Relation,
) -> Result<Vec<ShownRow>> {
    let (names, quoted) = columns_now(relation);
    let text = format!(
        "{} FROM {} AS {ROW} LIMIT {PREVIEW_SAMPLE_ROWS}",
        object(&names, &quoted),
        sql_gate::compose::quote_identifier(&relation.name)
    );
    let bound = compose(&[Part::Sql("SELECT "), Part::Expression(&text)], Vec::new());
    let fail = |error: database::EngineError| error.own();
    let mut cursor = meter.open(db, &relation.name, &bound)?;
    let mut rows = Vec::new();
    while rows.len() < PREVIEW_SAMPLE_ROWS
        && let Some(cells) = cursor.next().map_err(fail)?
    {
        let json = cells
            .into_iter()
            .next()
            .map_or_else(String::new, Cell::into_text);
        rows.push(shown(relation, json)?);
    }
    Ok(rows)
}

/// Returns the columns of [`ROW`] that a query shows.
fn columns_now(relation: &Relation) -> (Vec<String>, Vec<String>) {
    let slots = relation.slots.iter();
    slots
        .filter_map(|slot| Some((slot.column.clone()?, format!("{ROW}.{}", slot.quoted))))
        .unzip()
}

/// Returns an expression for a row as JSON text. It cuts texts and blobs, but leaves them long
/// enough that [`cut_values`] sees that they are cut.
fn object(names: &[String], values: &[String]) -> String {
    let most = PREVIEW_VALUE_CHARACTERS + 1;
    let cut: Vec<String> = values
        .iter()
        .map(|value| {
            format!("CASE WHEN octet_length({value}) > {most} AND typeof({value}) IN ('text', 'blob') THEN substr({value}, 1, {most}) ELSE {value} END")
        })
        .collect();
    row_expression(&cut, names, RowShape::Object)
}

fn read<D: Database>(
    db: &D,
    relation: &Relation,
    text: &str,
    change: u64,
) -> Result<Option<ShownRow>> {
    let Some(json) = first_text(db, &composed(text, change))? else {
        return Ok(None);
    };
    shown(relation, json).map(Some)
}

fn composed(text: &str, change: u64) -> Bound {
    compose(
        &[Part::Sql("SELECT "), Part::Expression(text)],
        vec![Bind::number(change)],
    )
}

fn shown(relation: &Relation, json: String) -> Result<ShownRow> {
    let (row, cut) = cut_values(&finish(json))?;
    Ok(ShownRow {
        table: relation.name.clone(),
        change: None,
        row,
        cut,
    })
}

fn first_text<D: Database>(db: &D, bound: &Bound) -> Result<Option<String>> {
    let fail = |error: database::EngineError| error.own();
    let mut cursor = db
        .open(Statement::Reviewed(bound.reviewed()))
        .map_err(fail)?;
    let row = cursor.next().map_err(fail)?;
    Ok(row
        .and_then(|cells| cells.into_iter().next())
        .map(Cell::into_text))
}

#[derive(serde::Deserialize)]
struct BlobText<'a> {
    #[serde(rename = "$blob", borrow)]
    blob: std::borrow::Cow<'a, str>,
}

/// The number of base64 characters of a blob that is shown completely: four for three bytes.
const BLOB_CHARACTERS: usize = PREVIEW_VALUE_CHARACTERS / 3 * 4;

/// Returns the object with its long values cut, and the names of the cut ones.
fn cut_values(json: &str) -> Result<(Box<RawValue>, Vec<String>)> {
    let broken = |error: serde_json::Error| Error::internal(format!("a row is not JSON: {error}"));
    let entries: Entries<String, &RawValue> = serde_json::from_str(json).map_err(broken)?;
    let mut cut = Vec::new();
    let mut members = Vec::with_capacity(entries.0.len());
    for (name, value) in entries.0 {
        let shown = shorter(value.get()).inspect(|_| cut.push(name.clone()));
        let shown = shown.unwrap_or_else(|| value.get().to_owned());
        members.push(format!("{}:{shown}", serde_json::Value::from(name)));
    }
    let row = RawValue::from_string(format!("{{{}}}", members.join(","))).map_err(broken)?;
    Ok((row, cut))
}

/// Returns the JSON text of a value after it was cut; `None` if it need not be cut.
fn shorter(json: &str) -> Option<String> {
    if json.len() <= PREVIEW_VALUE_CHARACTERS {
        return None;
    }
    if let Ok(value) = serde_json::from_str::<String>(json) {
        let shown = text::first(&value, PREVIEW_VALUE_CHARACTERS);
        return (shown.len() < value.len()).then(|| serde_json::Value::from(shown).to_string());
    }
    let blob: BlobText<'_> = serde_json::from_str(json).ok()?;
    let shown = text::first(&blob.blob, BLOB_CHARACTERS);
    (shown.len() < blob.blob.len()).then(|| serde_json::json!({ "$blob": shown }).to_string())
}
