//! Words of a question, looked up among the values of text columns.
//!
//! A word equals a value if only the case of ASCII letters differs; it resembles one that holds it as a whole word, or that begins with the
//! same letter and is one or two edits away. Rows are read through the gate, as a caller's own statements, so that a scope holds here too.
//! All look-ups of a request have one budget of rows. A column that is not read whole within it is told as unread, and is no evidence.

use std::collections::HashMap;

use base::Result;
use base::distance::edits;
use database::{Cell, Counters, Database};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sql::Parameters;
use sql::compose::quote_identifier;

use super::request::LookupRequest;
use super::samples::count_text;
use super::scope::reviewed;
use crate::error::affordable;
use crate::limits::{
    LOOKUP_NEAR_VALUES, LOOKUP_ROWS, LOOKUP_VALUE_BYTES, LOOKUP_VALUES, SHORT_WORD_CHARACTERS,
};
use crate::{Answer, Session};

/// A column whose values are looked at.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnPlace {
    /// The table, as declared.
    pub table: String,
    /// The column, as declared.
    pub column: String,
}

/// The statements of one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Values that equal a text.
    Equal,
    /// Values that resemble a text.
    Near,
}

/// The values that were found.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    equal: Vec<Value>,
    near: Vec<Value>,
    unread: Vec<Value>,
}

impl Kind {
    /// The statement for a column.
    pub(crate) fn text(self, place: &ColumnPlace, request: &LookupRequest) -> String {
        let (table, column) = (
            quote_identifier(&place.table),
            quote_identifier(&place.column),
        );
        let (condition, most) = match self {
            Self::Equal => (
                format!("{column} COLLATE NOCASE IN (SELECT value FROM json_each(?1))"),
                LOOKUP_VALUES,
            ),
            Self::Near => {
                let each: Vec<String> = (1..=request.near.len())
                    .map(|number| {
                        format!(
                            "instr(lower({column}), ?{number}) > 0 OR (substr(lower({column}), 1, 1) = substr(?{number}, 1, 1) \
                             AND abs(length({column}) - length(?{number})) <= 2)"
                        )
                    })
                    .collect();
                (each.join(" OR "), LOOKUP_NEAR_VALUES)
            }
        };
        format!(
            "SELECT DISTINCT {column} AS value FROM {table} WHERE typeof({column}) = 'text' \
             AND octet_length({column}) <= {LOOKUP_VALUE_BYTES} AND ({condition}) LIMIT {}",
            most + 1
        )
    }

    /// The parameters of that statement.
    pub(crate) fn parameters(self, request: &LookupRequest) -> Parameters {
        Parameters::Positional(match self {
            Self::Equal => vec![json!(request.texts).to_string().into()],
            Self::Near => request
                .near
                .iter()
                .map(|text| text.to_lowercase().into())
                .collect(),
        })
    }

    /// The kinds that a request asks for.
    pub(crate) fn of(request: &LookupRequest) -> impl Iterator<Item = Self> {
        let equal = (!request.texts.is_empty()).then_some(Self::Equal);
        let near = (!request.near.is_empty()).then_some(Self::Near);
        equal.into_iter().chain(near)
    }
}

impl Findings {
    /// Adds the rows that a statement found in a column; `None` where it was not run.
    pub(crate) fn add(
        &mut self,
        kind: Kind,
        place: &ColumnPlace,
        rows: Option<Vec<Vec<Cell>>>,
        request: &LookupRequest,
    ) {
        let Some(rows) = rows else {
            return self.add_unread(place);
        };
        let cells = rows.into_iter().filter_map(|row| row.into_iter().next());
        let mut values: Vec<String> = cells.map(Cell::into_text).collect();
        let (most, list) = match kind {
            Kind::Equal => (LOOKUP_VALUES, &mut self.equal),
            Kind::Near => (LOOKUP_NEAR_VALUES, &mut self.near),
        };
        let is_whole = values.len() <= most;
        values.truncate(most);
        if kind == Kind::Near {
            values.retain(|value| request.near.iter().any(|text| is_near(text, value)));
        }
        values.sort_unstable();
        values.truncate(LOOKUP_VALUES);
        if !values.is_empty() {
            list.push(json!({ "table": place.table, "column": place.column, "values": values }));
        }
        if !is_whole {
            self.add_unread(place);
        }
    }

    fn add_unread(&mut self, place: &ColumnPlace) {
        let place = json!(place);
        if !self.unread.contains(&place) {
            self.unread.push(place);
        }
    }

    /// The members of the response.
    pub(crate) fn members(self) -> String {
        let found = json!({ "equal": self.equal, "near": self.near, "unread": self.unread });
        Answer::new(found, Counters::default()).members()
    }
}

/// Whether a value holds a text as whole words, or is spelt like it.
fn is_near(text: &str, value: &str) -> bool {
    let (text, value) = (text.to_lowercase(), value.to_lowercase());
    let limit = match text.chars().count() > SHORT_WORD_CHARACTERS {
        true => 2,
        false => 1,
    };
    let ends = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
    let mut places = value.match_indices(&text);
    let holds = places.any(|(at, found)| {
        let before = value.get(..at).and_then(|part| part.chars().next_back());
        let after = value
            .get(at + found.len()..)
            .and_then(|part| part.chars().next());
        ends(before) && ends(after)
    });
    holds || edits(&text, &value, limit).is_some()
}

/// The rows that may still be read, and how many each table has.
pub(crate) struct Budget {
    left: u64,
    tables: HashMap<String, u64>,
}

impl Budget {
    pub(crate) fn new(rows: u64) -> Self {
        Self {
            left: rows,
            tables: HashMap::new(),
        }
    }

    /// The statement that counts a table, if it is not counted yet: up to one row more than are left.
    pub(crate) fn counting(&self, table: &str) -> Option<String> {
        let known = self.tables.contains_key(table);
        (!known).then(|| count_text(table, self.left))
    }

    pub(crate) fn counted(&mut self, table: &str, rows: u64) {
        self.tables.insert(table.to_owned(), rows);
    }

    /// Takes the rows of a table, if it is counted and they are within what is left.
    pub(crate) fn take(&mut self, table: &str) -> bool {
        let rows = self.tables.get(table).copied();
        let left = rows.and_then(|rows| self.left.checked_sub(rows));
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }
}

/// Looks up what is asked for.
///
/// # Errors
/// The engine's, or what the gate says of the scope.
pub(super) fn read<D: Database>(
    session: &Session<'_, D>,
    request: &LookupRequest,
) -> Result<String> {
    let meter = session.meter();
    let mut budget = Budget::new(LOOKUP_ROWS);
    let mut findings = Findings::default();
    let rows = |table: &str, text: &str, parameters: &Parameters| {
        let scope = request.scope.as_ref();
        let reviewed = reviewed(session.db, text, &session.policy(), scope)?;
        let bound = reviewed.bind(parameters)?;
        let fail = |error| sql::explain::explain(session.db, &error, &bound);
        let mut cursor = meter.open(session.db, table, &bound)?;
        let mut rows = Vec::new();
        while let Some(row) = database::Cursor::next(&mut cursor).map_err(fail)? {
            rows.push(row);
        }
        Ok(rows)
    };
    for place in &request.columns {
        if let Some(counting) = budget.counting(&place.table) {
            let (counted, _) = affordable(rows(&place.table, &counting, &Parameters::None))?;
            let cell = counted.and_then(|rows| rows.into_iter().flatten().next());
            if let Some(cell) = cell {
                budget.counted(&place.table, cell.as_count());
            }
        }
        for kind in Kind::of(request) {
            let found = match budget.take(&place.table) {
                true => {
                    let text = kind.text(place, request);
                    affordable(rows(&place.table, &text, &kind.parameters(request)))?.0
                }
                false => None,
            };
            findings.add(kind, place, found, request);
        }
    }
    Ok(findings.members())
}

#[cfg(test)]
mod tests {
    use super::is_near;

    #[test]
    fn a_value_is_near_by_its_spelling_or_a_whole_word() {
        for (text, value, expected) in [
            ("norwey", "Norway", true),
            ("beatles", "The Beatles", true),
            ("red hot chili", "Red Hot Chili Peppers", true),
            ("oslo", "Oslow", true),
            ("oslo", "Osaka", false),
            ("art", "Cartoon", false),
            ("são paolo", "São Paulo", true),
        ] {
            assert_eq!(is_near(text, value), expected, "{text} {value}");
        }
    }
}
