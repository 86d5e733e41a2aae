//! Lists as parameters. `x IN (?)` accepts a list and compares x with each of its values; any other
//! comparison with a list is refused.
//!
//! A list is bound as one JSON text. If it is stored or read by a JSON function, it stays that
//! text. After IN, the rewritten statement expands it inside SQLite, so the number of bound values
//! is still the number of parameters, in the persistent database too.

use base::{CommonError, Error, Result};
use serde_json::Value;
use sqlite3_parser::Bump;

use super::limits::MAX_PARAMETERS;
use super::operations::Comparison;
use super::placeholders::Placeholders;
use super::splice::{self, Splice};
use super::{collect, parse};

/// A list for IN.
pub(crate) struct ListValue {
    /// A JSON array, with blobs in hexadecimal.
    pub json: String,
    /// For each value, true if it is a blob.
    pub blobs: Vec<bool>,
}

/// The comparison that each placeholder is a part of, in the order of the text. Empty if no list is
/// bound.
#[derive(Default)]
pub(crate) struct Lists {
    comparisons: Vec<Option<Comparison>>,
    /// The numbers of the parameters that are lists after IN.
    spread: Vec<usize>,
}

impl Lists {
    /// Finds the comparisons of a statement with bound lists.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if a list is compared with one value.
    pub fn of(statement: &str, placeholders: &Placeholders, values: &[&Value]) -> Result<Self> {
        let is_list = |number: usize| matches!(values.get(number - 1), Some(Value::Array(_)));
        if !placeholders
            .places
            .iter()
            .any(|place| is_list(place.number))
        {
            return Ok(Self::default());
        }
        let mut found = Self {
            comparisons: comparisons(statement, placeholders)?,
            spread: Vec::new(),
        };
        for (place, comparison) in placeholders.places.iter().zip(&found.comparisons) {
            match comparison {
                Some(Comparison::One) if is_list(place.number) => {
                    return Err(compared(place.number, statement, place.start..place.end));
                }
                Some(Comparison::WholeList | Comparison::PartOfList) => {
                    found.spread.push(place.number);
                }
                Some(Comparison::One) | None => {}
            }
        }
        Ok(found)
    }

    /// Returns true if IN takes the values of the parameter with this number.
    pub fn is_spread(&self, number: usize) -> bool {
        self.spread.contains(&number)
    }

    /// Returns the text that replaces the placeholder at this position by the values of a list.
    /// `expression` yields the list's JSON. Returns `None` if the list remains one text.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a list without values among other values, `TOO_BIG` for one that is
    /// too long there.
    pub fn spread(
        &self,
        position: usize,
        expression: &str,
        list: &ListValue,
    ) -> Result<Option<String>> {
        let comparison = self.comparisons.get(position).copied().flatten();
        let has_blobs = list.blobs.contains(&true);
        match comparison {
            // The sign removes the affinity of the column, so that values compare like those that
            // are written in the brackets.
            Some(Comparison::WholeList) if !has_blobs => {
                Ok(Some(format!("SELECT +value FROM json_each({expression})")))
            }
            Some(Comparison::WholeList | Comparison::PartOfList) => {
                items(expression, list).map(Some)
            }
            Some(Comparison::One) | None => Ok(None),
        }
    }
}

/// Returns the values one by one, with commas between them.
fn items(expression: &str, list: &ListValue) -> Result<String> {
    if list.blobs.is_empty() {
        return Err(Error::invalid_with_hint(
            "an empty list is mixed with other values of IN",
            "leave it out, or pass all values as one list: x IN (?)",
        ));
    }
    if list.blobs.len() > MAX_PARAMETERS {
        return Err(Error::from(CommonError::TooBig {
            message: format!(
                "a list of {} values is mixed with other values of IN, or has blobs; the limit for such a list is {MAX_PARAMETERS}",
                list.blobs.len()
            ),
            hint: "pass all values as one list without blobs: x IN (?)".to_owned(),
        }));
    }
    let values = list.blobs.iter().enumerate().map(|(index, is_blob)| {
        let value = format!("({expression}->>{index})");
        if *is_blob {
            format!("unhex{value}")
        } else {
            value
        }
    });
    Ok(values.collect::<Vec<_>>().join(","))
}

/// Returns the comparison of each placeholder. The tree does not contain the positions of
/// placeholders, so each is first replaced by one with the number of its position.
fn comparisons(statement: &str, placeholders: &Placeholders) -> Result<Vec<Option<Comparison>>> {
    let mut found = vec![None; placeholders.places.len()];
    let numbered = placeholders.places.iter().zip(1_usize..);
    let numbered = numbered.map(|(place, number)| Splice {
        start: place.start,
        end: place.end,
        text: format!("?{number}"),
    });
    let text = splice::apply(statement, numbered.collect());
    let arena = Bump::new();
    for variable in collect::collect(&parse::parse(&arena, &text)?).compared {
        let place = variable.name.trim_start_matches('?').parse::<usize>().ok();
        let slot = place.and_then(|number| found.get_mut(number.checked_sub(1)?));
        if let Some(slot) = slot {
            *slot = Some(variable.comparison);
        }
    }
    Ok(found)
}

fn compared(number: usize, statement: &str, place: std::ops::Range<usize>) -> Error {
    let written = statement.get(place).unwrap_or("?");
    Error::invalid_with_hint(
        format!("parameter {number} is a list, but {written} is compared with one value"),
        format!(
            "write x IN ({written}) for any value of the list; to compare with its JSON text, pass the text"
        ),
    )
}

/// Returns the refusal of a list within a list.
pub(crate) fn nested(index: usize) -> Error {
    Error::invalid_with_hint(
        format!(
            "parameter {} is a list of lists or objects, but IN compares with single values",
            index + 1
        ),
        "pass a list of numbers and texts; rows compare as (a, b) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))",
    )
}
