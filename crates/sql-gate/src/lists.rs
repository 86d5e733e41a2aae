//! Lists among the parameters: `x IN (?)` takes the values of one, and no other comparison takes a list.
//!
//! A list is bound as one JSON text. Where it is stored or read by a JSON function it stays that text; behind IN it is spread by the text that
//! runs, so the bound values stay as many as the parameters, in the persistent database too.

use base::{CommonError, Error, Result};
use serde_json::Value;
use sqlite3_parser::Bump;

use super::limits::MAX_PARAMETERS;
use super::operations::Comparison;
use super::placeholders::Placeholders;
use super::splice::{self, Splice};
use super::{collect, parse};

/// A list as IN takes it.
pub(crate) struct ListValue {
    /// A JSON array; blobs are in hexadecimal.
    pub json: String,
    /// For each value, whether it is a blob.
    pub blobs: Vec<bool>,
}

/// The comparison that each placeholder is a part of, in the order of the text, where a list is bound; empty where none is.
#[derive(Default)]
pub(crate) struct Lists {
    comparisons: Vec<Option<Comparison>>,
    /// The numbers of parameters that IN takes.
    spread: Vec<usize>,
}

impl Lists {
    /// Finds the comparisons of a statement that a list is bound to.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where a list is compared with one value.
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

    /// Whether IN takes the parameter of this number.
    pub fn is_spread(&self, number: usize) -> bool {
        self.spread.contains(&number)
    }

    /// The text that stands for a list in the place of this position, with the expression that yields its JSON; `None` where it stays one text.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a list without values beside other values, `TOO_BIG` for one that is too long there.
    pub fn spread(
        &self,
        position: usize,
        expression: &str,
        list: &ListValue,
    ) -> Result<Option<String>> {
        let comparison = self.comparisons.get(position).copied().flatten();
        let has_blobs = list.blobs.contains(&true);
        match comparison {
            // The sign takes the affinity of the column away, so that values compare as those that are written between the brackets.
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

/// The values one by one, with commas between them.
fn items(expression: &str, list: &ListValue) -> Result<String> {
    if list.blobs.is_empty() {
        return Err(Error::invalid_with_hint(
            "an empty list stands beside other values of IN",
            "leave it out, or pass all values as one list: x IN (?)",
        ));
    }
    if list.blobs.len() > MAX_PARAMETERS {
        return Err(Error::from(CommonError::TooBig {
            message: format!(
                "a list of {} values stands beside other values of IN, or has blobs; the limit is {MAX_PARAMETERS}",
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

/// The comparison of each placeholder. The tree does not say where a placeholder stands, so each gets the number of its place first.
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
        format!("parameter {number} is a list, and {written} is compared with one value"),
        format!(
            "write x IN ({written}) for any value of the list; to compare with its JSON text, pass the text"
        ),
    )
}

/// The refusal of a list within a list.
pub(crate) fn nested(index: usize) -> Error {
    Error::invalid_with_hint(
        format!(
            "parameter {} is a list of lists or objects, and IN compares with single values",
            index + 1
        ),
        "pass a list of numbers and texts; rows compare as (a, b) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))",
    )
}
