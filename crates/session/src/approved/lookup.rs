//! Looks up the words of a question among the values of text columns.
//!
//! A word is equal to a value if only the case of ASCII letters differs. It is similar to a value
//! that contains it as a whole word, or that begins with the same letter and is one or two edits
//! away. Rows are read through the gate, like statements of the caller, so that a scope applies
//! here too. One statement reads a table once for all of its columns and all texts. All look-ups of
//! a request share one budget of work, which takes the number of rows and their lengths into
//! account. A column that the budget does not cover completely is reported as unread, and the
//! absence of a value in it means nothing.

use std::collections::{HashMap, HashSet};

use base::distance::edits;
use database::{Cell, Counters};
use serde_json::{Value, json};
use sql_gate::Parameters;
use sql_gate::compose::quote_identifier;

use super::request::{ColumnPlace, JoinPlace, LookupRequest};
use crate::Reply;
use crate::limits::{
    LOOKUP_FOUND, LOOKUP_NEAR_VALUES, LOOKUP_VALUE_BYTES, LOOKUP_VALUES, SHORT_WORD_CHARACTERS,
};

/// One pass over a table, for some of its columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scan<'a> {
    /// The table, as declared.
    pub table: &'a str,
    /// The columns, the most important first.
    pub columns: Vec<&'a ColumnPlace>,
}

/// The values that were found.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    found: HashMap<ColumnPlace, ColumnMatches>,
    unread: HashSet<ColumnPlace>,
    joins: Vec<Value>,
}

/// The values that were found in one column.
#[derive(Debug, Default)]
struct ColumnMatches {
    equal: Vec<String>,
    near: Vec<String>,
}

impl JoinPlace {
    /// Returns the statement, which yields three numbers: 1 if the values of the parent are unique,
    /// the number of different values of the child, and the number of those that the parent has.
    pub(crate) fn text(&self) -> String {
        let [child, from, parent, to] = [
            &self.child.table,
            &self.child.column,
            &self.parent.table,
            &self.parent.column,
        ]
        .map(|name| quote_identifier(name));
        format!(
            "SELECT (SELECT count({to}) = count(DISTINCT {to}) FROM {parent}), count(*), \
             coalesce(sum(value IN (SELECT {to} FROM {parent})), 0) \
             FROM (SELECT DISTINCT {from} AS value FROM {child} WHERE {from} IS NOT NULL)"
        )
    }
}

impl<'a> Scan<'a> {
    /// Returns the passes of a request: one for each table, in the order in which the tables are
    /// first named.
    pub(crate) fn of(request: &'a LookupRequest) -> Vec<Self> {
        let mut scans: Vec<Self> = Vec::new();
        if request.texts.is_empty() && request.near.is_empty() {
            return scans;
        }
        for place in &request.columns {
            match scans.iter_mut().find(|scan| scan.table == place.table) {
                Some(scan) if scan.columns.contains(&place) => {}
                Some(scan) => scan.columns.push(place),
                None => scans.push(Self {
                    table: &place.table,
                    columns: vec![place],
                }),
            }
        }
        scans
    }

    /// Returns the statement. It yields a row for each different value that may match: the number
    /// of the column, the value, and 1 if the value is equal to a text. `LIMIT -1 OFFSET 0` makes
    /// the engine compute a value once instead of once for each of its uses.
    pub(crate) fn text(&self, request: &LookupRequest) -> String {
        let table = quote_identifier(self.table);
        let numbers: Vec<String> = (0..self.columns.len())
            .map(|number| number.to_string())
            .collect();
        let mut conditions = vec!["low IN (SELECT value FROM json_each(?1))".to_owned()];
        conditions
            .extend((2..request.near.len() + 2).map(|number| format!("instr(low, ?{number}) > 0")));
        let spellings = spellings(&request.near);
        if !spellings.is_empty() {
            conditions.push(format!(
                "unicode(low) * {SPELLING_LENGTHS} + length(low) IN ({})",
                spellings.join(", ")
            ));
        }
        format!(
            "SELECT DISTINCT number, value, low IN (SELECT value FROM json_each(?1)) AS equal FROM (\
             SELECT number, value, lower(value) AS low FROM (\
             SELECT n.number AS number, {values} AS value FROM {table} AS t CROSS JOIN (\
             SELECT value AS number FROM json_each('[{numbers}]') LIMIT -1 OFFSET 0) AS n LIMIT -1 OFFSET 0) \
             WHERE typeof(value) = 'text' LIMIT -1 OFFSET 0) WHERE {conditions} LIMIT {most}",
            values = value_of(&self.columns, 0),
            numbers = numbers.join(","),
            conditions = conditions.join(" OR "),
            most = self.most_found(request) + 1,
        )
    }

    /// Returns the parameters of that statement.
    pub(crate) fn parameters(request: &LookupRequest) -> Parameters {
        let texts: Vec<String> = request
            .texts
            .iter()
            .map(|text| text.to_ascii_lowercase())
            .collect();
        let near = request.near.iter().map(|text| text.to_lowercase().into());
        let values = std::iter::once(json!(texts).to_string().into()).chain(near);
        Parameters::Positional(values.collect())
    }

    /// Returns the maximum number of rows to read from the result.
    fn most_found(&self, request: &LookupRequest) -> usize {
        LOOKUP_FOUND.min(self.columns.len() * most_of_column(request))
    }
}

/// Returns the maximum number of values to read for one column.
fn most_of_column(request: &LookupRequest) -> usize {
    LOOKUP_VALUES
        + if request.near.is_empty() {
            0
        } else {
            LOOKUP_NEAR_VALUES
        }
}

/// A number greater than the length of any compared value.
const SPELLING_LENGTHS: usize = 1_000;

/// Returns the first letters and the lengths that values with a similar spelling may have, each
/// pair as one number.
fn spellings(near: &[String]) -> Vec<String> {
    let mut numbers: Vec<usize> = Vec::new();
    for text in near {
        let (lower, length) = (text.to_lowercase(), text.chars().count());
        let letters = lower.chars().next().into_iter().chain(text.chars().next());
        for letter in letters {
            let lengths = length.saturating_sub(2)..=length.saturating_add(2);
            let possible = lengths.filter(|length| (1..=LOOKUP_VALUE_BYTES).contains(length));
            numbers.extend(possible.map(|length| letter as usize * SPELLING_LENGTHS + length));
        }
    }
    numbers.sort_unstable();
    numbers.dedup();
    numbers.iter().map(ToString::to_string).collect()
}

/// Returns an expression for the value of the column with a given number, found by binary search;
/// NULL for a long value.
fn value_of(columns: &[&ColumnPlace], first: usize) -> String {
    if let [place] = columns {
        let column = quote_identifier(&place.column);
        return format!("iif(octet_length(t.{column}) <= {LOOKUP_VALUE_BYTES}, t.{column}, NULL)");
    }
    let (low, high) = columns.split_at(columns.len() / 2);
    let middle = first + low.len();
    format!(
        "iif(n.number < {middle}, {}, {})",
        value_of(low, first),
        value_of(high, middle)
    )
}

impl Findings {
    /// Adds the rows of a scan; `rows` is `None` if it did not run. If one column had so many
    /// values that the scan ended before the table did, returns a new scan for the other columns.
    pub(crate) fn add<'a>(
        &mut self,
        scan: &Scan<'a>,
        rows: Option<Vec<Vec<Cell>>>,
        request: &LookupRequest,
    ) -> Option<Scan<'a>> {
        let Some(rows) = rows else {
            self.add_unread(&scan.columns);
            return None;
        };
        let is_whole = rows.len() <= scan.most_found(request);
        let mut found: Vec<(usize, ColumnMatches)> = Vec::new();
        found.resize_with(scan.columns.len(), Default::default);
        for row in rows {
            let mut cells = row.into_iter();
            let (Some(number), Some(value), Some(equal)) =
                (cells.next(), cells.next(), cells.next())
            else {
                continue;
            };
            let number = usize::try_from(number.as_count()).unwrap_or(usize::MAX);
            let Some((count, found)) = found.get_mut(number) else {
                continue;
            };
            *count += 1;
            let value = value.into_text();
            if *count <= most_of_column(request)
                && request.near.iter().any(|text| is_near(text, &value))
            {
                found.near.push(value.clone());
            }
            if equal.as_count() == 1 {
                found.equal.push(value);
            }
        }
        let mut again = Vec::new();
        let are_too_many = |(count, found): &(usize, ColumnMatches)| {
            *count > most_of_column(request) || found.equal.len() > LOOKUP_VALUES
        };
        let any_too_many = found.iter().any(are_too_many);
        for (place, column) in scan.columns.iter().zip(found) {
            let too_many = are_too_many(&column);
            if !is_whole && any_too_many && !too_many {
                again.push(*place);
                continue;
            }
            if too_many || !is_whole {
                self.add_unread(&[place]);
            }
            self.found.insert((*place).clone(), column.1);
        }
        (!again.is_empty()).then_some(Scan {
            table: scan.table,
            columns: again,
        })
    }

    /// Adds the counts of two columns, if the values of the parent are unique.
    pub(crate) fn add_join(&mut self, join: &JoinPlace, counts: &[Cell]) {
        let [is_unique, all, found] = counts else {
            return;
        };
        let (all, found) = (all.as_count(), found.as_count());
        if is_unique.as_count() == 1 && all > 0 {
            let percent = found.saturating_mul(100) / all;
            self.joins
                .push(json!({ "child": join.child, "parent": join.parent, "percent": percent }));
        }
    }

    /// Adds columns that were not read completely.
    pub(crate) fn add_unread(&mut self, columns: &[&ColumnPlace]) {
        self.unread
            .extend(columns.iter().map(|place| (*place).clone()));
    }

    /// Returns the members of the response, in the order of the columns.
    pub(crate) fn members(self, request: &LookupRequest) -> String {
        let (mut equal, mut near, mut unread): (Vec<Value>, Vec<Value>, Vec<Value>) =
            Default::default();
        let mut seen = HashSet::new();
        for place in &request.columns {
            if !seen.insert(place) {
                continue;
            }
            if self.unread.contains(place) {
                unread.push(json!(place));
            }
            let Some(found) = self.found.get(place) else {
                continue;
            };
            for (values, list) in [(&found.equal, &mut equal), (&found.near, &mut near)] {
                let mut values = values.clone();
                values.sort_unstable();
                values.truncate(LOOKUP_VALUES);
                if !values.is_empty() {
                    list.push(
                        json!({ "table": place.table, "column": place.column, "values": values }),
                    );
                }
            }
        }
        let mut found = json!({ "equal": equal, "near": near, "unread": unread });
        if let (Some(fields), false) = (found.as_object_mut(), self.joins.is_empty()) {
            fields.insert("joins".to_owned(), self.joins.into());
        }
        Reply::new(found, Counters::default()).members()
    }
}

/// Returns true if a value contains a text as whole words, or is spelt like it.
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

/// The work that the look-ups of a request may still do.
#[derive(Debug)]
pub(crate) struct Budget {
    left: u64,
}

impl Budget {
    pub(crate) fn new(most: u64) -> Self {
        Self { left: most }
    }

    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// Takes a part, if enough is left. Returns true if it was.
    pub(crate) fn take(&mut self, part: u64) -> bool {
        let left = self.left.checked_sub(part);
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }

    /// Takes a part that has already been used.
    pub(crate) fn spend(&mut self, part: u64) {
        self.left = self.left.saturating_sub(part);
    }

    /// Cuts a scan to the columns that the budget covers, and takes their cost. Returns the other
    /// columns.
    pub(crate) fn cut<'a>(
        &mut self,
        scan: &mut Scan<'a>,
        table: u64,
        column: u64,
    ) -> Vec<&'a ColumnPlace> {
        let columns = self.left.saturating_sub(table) / column.max(1);
        let fits = scan
            .columns
            .len()
            .min(usize::try_from(columns).unwrap_or(usize::MAX));
        let others = scan.columns.split_off(fits);
        if fits > 0 {
            self.spend(table.saturating_add(column.saturating_mul(fits as u64)));
        }
        others
    }
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
