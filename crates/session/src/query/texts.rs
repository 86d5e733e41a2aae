//! The notice about a statement that reads a TEXT column of a load as numbers.

use std::collections::BTreeSet;
use std::rc::Rc;

use base::Result;
use base::quoted::printed;
use database::Database;
use serde_json::Value;
use sql_gate::{Bound, NumericReading, NumericUses, Parameters, Reviewed};

use crate::Session;
use crate::loaded::{self, LoadedTables, Remedy, TextColumn, TextColumns};

/// The number of characters that a notice shows of a name.
const NAME_CHARACTERS: usize = 64;

/// The number of columns that a notice names.
const NAMED: usize = 5;

impl<D: Database> Session<'_, D> {
    /// Returns the TEXT columns of loads and the uses of numbers in a statement; `None` if it can
    /// have no such column.
    fn numeric_uses(
        &self,
        reviewed: &Reviewed,
        bound: &Bound,
    ) -> Result<Option<(Rc<TextColumns>, Rc<NumericUses>)>> {
        let loaded = self.cache.loaded(|| loaded::text_columns(self.db))?;
        let names_a_table = bound
            .relations()
            .chain(bound.written_table())
            .next()
            .is_some();
        if loaded.is_empty() || !names_a_table {
            return Ok(None);
        }
        let sources = LoadedTables {
            db: self.db,
            loaded: &loaded,
        };
        let read = self.cache.numeric_uses(reviewed.statement(), &sources);
        Ok(Some((loaded, read)))
    }

    /// Returns true if [`Self::texts_as_numbers`] may return a notice for some parameters.
    pub(crate) fn may_read_texts_as_numbers(
        &self,
        reviewed: &Reviewed,
        bound: &Bound,
    ) -> Result<bool> {
        let found = self.numeric_uses(reviewed, bound)?;
        Ok(found.is_some_and(|(_, read)| !read.uses.is_empty()))
    }

    /// Returns the notice about columns that a statement reads as numbers although a load has made
    /// them TEXT. If there are no such columns, this only looks into a cache.
    pub(crate) fn texts_as_numbers(
        &self,
        reviewed: &Reviewed,
        bound: &Bound,
        parameters: &Parameters,
    ) -> Result<Option<String>> {
        let Some((loaded, read)) = self.numeric_uses(reviewed, bound)? else {
            return Ok(None);
        };
        let mut found = BTreeSet::new();
        for used in &read.uses {
            let Some(how) = settled(&used.how, parameters) else {
                continue;
            };
            if read.filtered.contains(&used.origin) || found.len() >= NAMED {
                continue;
            }
            let column = used.origin.column.to_ascii_lowercase();
            let known = loaded
                .get(&used.origin.table)
                .and_then(|known| known.get(&column));
            if let Some(known) = known
                && let Some(effect) = effect(&how, known)
            {
                found.insert(sentence(
                    &used.origin.column,
                    &used.origin.table,
                    effect,
                    known,
                ));
            }
        }
        let all: Vec<String> = found.into_iter().collect();
        Ok((!all.is_empty()).then(|| all.join(" ")))
    }
}

/// Returns how a column is read, given the values of the parameters; `None` if that is neither a
/// number nor a date.
fn settled(how: &NumericReading, parameters: &Parameters) -> Option<NumericReading> {
    let NumericReading::ComparedWith(number, name) = how else {
        return Some(how.clone());
    };
    let value = match parameters {
        Parameters::None => None,
        Parameters::Positional(values) => number.checked_sub(1).and_then(|index| values.get(index)),
        Parameters::Named(values) => values
            .get(name.get(1..).unwrap_or_default())
            .or_else(|| values.get(name)),
    };
    match value? {
        Value::Number(_) => Some(NumericReading::Compared),
        Value::String(text) => {
            sql_gate::is_iso_date(text).then_some(NumericReading::ComparedWithDate)
        }
        _ => None,
    }
}

/// Returns the effect of reading a column this way; `None` if the caller expects it.
fn effect(how: &NumericReading, known: &TextColumn) -> Option<&'static str> {
    match how {
        // Texts and ISO dates sort correctly as texts.
        NumericReading::Ordered if !known.is_suspicious => None,
        NumericReading::Ordered => {
            Some("its fields are ordered as texts, so that 9 sorts after 40")
        }
        NumericReading::Added | NumericReading::Cast if known.is_numeric => None,
        NumericReading::Added => {
            Some("a field that is not a number counts as the number at its beginning, or as 0")
        }
        NumericReading::Cast => {
            Some("a field that is not a number becomes the number at its beginning, or 0")
        }
        NumericReading::ComparedWithDate if !known.has_foreign_dates => None,
        NumericReading::ComparedWithDate => Some(
            "its fields are dates in another notation, so they are compared with an ISO 8601 date as texts",
        ),
        NumericReading::Compared | NumericReading::ComparedWith(..) => {
            Some("it is compared with a number as text, so that 9 is more than 40")
        }
    }
}

fn sentence(column: &str, table: &str, effect: &str, known: &TextColumn) -> String {
    let (name, table) = (
        printed(column, NAME_CHARACTERS),
        printed(table, NAME_CHARACTERS),
    );
    let quoted = sql_gate::compose::quote_identifier(column);
    let is_plain = column
        .chars()
        .all(|character| character.is_ascii_alphanumeric() || character == '_');
    let value = if is_plain { column } else { quoted.as_str() };
    let reload = |parameter: &str| {
        format!(
            "drop the table with {{\"operation\":\"dropTable\"}} and load the file again as a new one with {parameter}"
        )
    };
    let null = |words: &[String]| format!("?null={}", words.join(","));
    let numbers = format!("read CAST({value} AS REAL)");
    let filter = format!(
        "read CAST({value} AS REAL) of the rows WHERE CAST({value} AS NUMERIC) = {value}, whose fields are numbers"
    );
    let advice = match &known.remedy {
        _ if known.is_numeric => numbers,
        Remedy::None => filter,
        Remedy::NoNumber => {
            format!("no field is a number: CAST({value} AS REAL) returns the number at the beginning of a field, or 0")
        }
        Remedy::Null(words) if known.has_foreign => reload(&null(words)),
        Remedy::Null(words) => format!("{}; or {filter}", reload(&null(words))),
        Remedy::Dated => format!(
            "its fields are dates of ISO 8601: compare them with a text such as '2025-12-31', and count days with julianday({value})"
        ),
        Remedy::File => {
            "write the numbers or dates of the file in one notation, drop the table with {\"operation\":\"dropTable\"} and load the file again as a new one".to_owned()
        }
        Remedy::Decimal => reload("?decimal=. or ?decimal=,"),
        Remedy::Dates => reload("?dates=dmy or ?dates=mdy"),
    };
    let mut advice = advice;
    if let Some(first) = advice.get(..1).map(str::to_uppercase) {
        advice.replace_range(..1, &first);
    }
    format!("A load has made the column {name} of {table} TEXT: {effect}. {advice}.")
}
