//! The facts of the data that the counts of [`Statistics`] give: rows of tables, of keys and of
//! joins, and the elements into which values unfold.

use super::super::bytecode::cursors::{Argument, ROWID};
use super::derived::{CountedSubQuery, KeyText};
use super::join::Join;
use super::keys::KeyPart;
use super::statistics::{Precision, Statistics};
use super::{Conversion, Data, Key, Schema as _};
use database::Database;
use database::limits::MAX_VALUE_BYTES;
use sql_gate::compose::{Part, compose, quote_identifier};
use sql_gate::limits::MAX_KEY_COUNTED_ROWS;

/// The values whose list elements are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Elements {
    OfLongest,
    OfAll,
}

impl<D: Database> Data for Statistics<'_, D> {
    fn rows(&self, page: i64) -> f64 {
        self.table(page)
            .map_or(f64::INFINITY, |table| self.rows_of(&table))
    }

    fn rows_of_one_prefix(&self, page: i64, columns: usize, key: Key) -> f64 {
        let Some(owner) = self.owner(page) else {
            return f64::INFINITY;
        };
        let unique = owner
            .index
            .as_ref()
            .is_some_and(|index| self.is_unique(&owner, index, columns));
        if unique && key == Key::NotNull {
            return 1.0;
        }
        let all = self.rows_of(&owner.table);
        if !self.may_measure() {
            return all;
        }
        let names = match &owner.index {
            Some(index) => self.key_parts(index, columns),
            None => self.key_parts(&owner.table, columns),
        };
        names
            .and_then(|names| self.rows_of_key(&owner.table, &names, key == Key::MayBeNull))
            .map_or(all, |rows| rows.min(all))
    }

    fn rows_of_one_key(&self, page: i64, columns: &[(i64, String)], key: Key) -> f64 {
        if columns.iter().any(|(column, _)| *column == ROWID) {
            return 1.0;
        }
        let all = self.rows(page);
        if !self.may_measure() {
            return all;
        }
        let names: Option<Vec<KeyPart>> = columns
            .iter()
            .map(|(column, collation)| {
                let name = self.column_name(page, *column)?;
                Some(KeyPart::column(&name, collation.clone()))
            })
            .collect();
        let table = self.table(page);
        names
            .zip(table)
            .and_then(|(names, table)| self.rows_of_key(&table, &names, key == Key::MayBeNull))
            .map_or(all, |rows| rows.min(all))
    }

    fn rows_alike(&self, page: i64, column: i64, compared: Conversion, key: Key) -> f64 {
        let all = self.rows(page);
        if !self.may_measure() || all > MAX_KEY_COUNTED_ROWS as f64 {
            return all;
        }
        let Some((name, table)) = self.column_name(page, column).zip(self.table(page)) else {
            return all;
        };
        let alike = self.counted(format!("alike {table} {name} {compared:?} {key:?}"), || {
            if !self.affords_grouping(&table, &[&name]) {
                return None;
            }
            let value = value_compared(&quote_identifier(&name), compared);
            let mut query = vec![
                Part::Sql("SELECT max(n) FROM (SELECT count(*) AS n FROM "),
                Part::Identifier(&table),
            ];
            if key == Key::NotNull {
                query.extend([
                    Part::Sql(" WHERE "),
                    Part::Identifier(&name),
                    Part::Sql(" IS NOT NULL"),
                ]);
            }
            query.extend([
                Part::Sql(" GROUP BY "),
                Part::Expression(&value),
                Part::Sql(")"),
            ]);
            self.number(&compose(&query, Vec::new()))
        });
        alike.unwrap_or(all)
    }

    fn columns(&self, measured: CountedSubQuery) -> Option<usize> {
        let bodies = self.bodies.as_ref()?;
        bodies
            .is_single(measured.body)
            .then(|| bodies.columns(self.db, self.bound, measured.body))
            .flatten()
    }

    fn rows_of_made_alike(
        &self,
        measured: CountedSubQuery,
        column: i64,
        compared: Conversion,
        key: Key,
    ) -> f64 {
        self.made_key(
            measured,
            &[column],
            format!("{column} {compared:?} {key:?}"),
            |names| {
                let name = names.get(usize::try_from(column).ok()?)?;
                Some(KeyText {
                    filter: match key {
                        Key::NotNull => format!(" WHERE {name} IS NOT NULL"),
                        Key::MayBeNull => String::new(),
                    },
                    group: value_compared(name, compared),
                })
            },
        )
    }

    fn rows_of_one_made_key(
        &self,
        measured: CountedSubQuery,
        columns: &[(i64, String)],
        key: Key,
    ) -> f64 {
        let numbers: Vec<i64> = columns.iter().map(|(column, _)| *column).collect();
        self.made_key(
            measured,
            &numbers,
            format!("{columns:?} {key:?}"),
            |names| {
                let mut group = Vec::new();
                let mut conditions = Vec::new();
                for (column, collation) in columns {
                    let name = names.get(usize::try_from(*column).ok()?)?;
                    group.push(format!("{name} COLLATE {}", quote_identifier(collation)));
                    if key == Key::NotNull {
                        conditions.push(format!("{name} IS NOT NULL"));
                    }
                }
                let filter = if conditions.is_empty() {
                    String::new()
                } else {
                    format!(" WHERE {}", conditions.join(" AND "))
                };
                Some(KeyText {
                    filter,
                    group: group.join(","),
                })
            },
        )
    }

    fn virtual_rows(&self, argument: Argument) -> f64 {
        let Some(tables) = self.virtual_tables() else {
            return f64::INFINITY;
        };
        if !tables.unfold {
            return tables.rows.max(1.0);
        }
        let unfolded = match argument {
            Argument::Given => (self.text_bytes / 2 + 1) as f64,
            Argument::Column(page, column) if self.may_measure() => self
                .elements(page, column, Elements::OfLongest)
                .unwrap_or(MAX_VALUE_BYTES as f64),
            Argument::Column(..) | Argument::Computed => MAX_VALUE_BYTES as f64,
        };
        tables.rows.max(unfolded)
    }

    fn unfolded(&self, page: i64, column: i64) -> Option<f64> {
        if !self.may_measure() {
            return None;
        }
        self.elements(page, column, Elements::OfAll)
    }

    fn recursion(&self) -> f64 {
        self.policy.max_recursive_rows as f64
    }

    fn rows_joined(&self, join: &Join) -> Option<f64> {
        let largest = join
            .rows
            .iter()
            .map(|rows| self.all_rows(rows))
            .fold(0.0, f64::max);
        if !self.may_measure() || largest > MAX_KEY_COUNTED_ROWS as f64 {
            return None;
        }
        self.rows_of_join(join)
    }

    fn counts_joins(&self) -> bool {
        self.care.get() == Precision::Joins
    }
}

impl<D: Database> Statistics<'_, D> {
    /// Returns the number of elements that the values of a column can unfold into: of the longest
    /// value alone, or of all together. In a text, each element follows a comma or the bracket of
    /// its list; a binary value has at least one byte for each element.
    fn elements(&self, page: i64, column: i64, of: Elements) -> Option<f64> {
        let name = self.column_name(page, column)?;
        let table = self.table(page)?;
        let (label, begin) = match of {
            Elements::OfLongest => ("longest", "SELECT coalesce(max(CASE typeof("),
            Elements::OfAll => ("all", "SELECT coalesce(sum(CASE typeof("),
        };
        // A single changed row may have a million more elements, so any change requires a new
        // count.
        self.counted_exactly(format!("{label} {table} {name}"), || {
            // Removing three characters from a text costs about as much as sorting it.
            if !self.affords_grouping(&table, &[&name]) {
                return None;
            }
            let column = Part::Identifier(&name);
            let query = [
                Part::Sql(begin),
                column,
                Part::Sql(") WHEN 'blob' THEN octet_length("),
                column,
                Part::Sql(") ELSE length("),
                column,
                Part::Sql(") - length(replace(replace(replace("),
                column,
                Part::Sql(", ',', ''), '[', ''), '{', '')) + 1 END), 0) + 1 FROM "),
                Part::Identifier(&table),
            ];
            self.number(&compose(&query, Vec::new()))
        })
    }

    /// Returns the largest number of rows of one key of a counted sub-query, computed once for a
    /// verdict.
    fn made_key(
        &self,
        measured: CountedSubQuery,
        columns: &[i64],
        label: String,
        key: impl Fn(&[String]) -> Option<KeyText>,
    ) -> f64 {
        let Some(bodies) = self
            .bodies
            .as_ref()
            .filter(|bodies| bodies.is_single(measured.body))
        else {
            return measured.rows;
        };
        let label = format!("{} {label}", measured.body);
        if let Some(known) = self.made_keys.borrow().get(&label) {
            return known.unwrap_or(measured.rows).min(measured.rows);
        }
        if !self.affords_grouping_made(measured, columns) {
            return measured.rows;
        }
        let found = bodies
            .counting_key(self.db, self.bound, measured.body, key)
            .and_then(|query| self.number(&query))
            .map(|rows| rows as f64);
        self.made_keys.borrow_mut().insert(label, found);
        found.unwrap_or(measured.rows).min(measured.rows)
    }
}

/// Returns an SQL expression that has the same value for all values that may equal the same key. It
/// may have the same value for some others, too. Texts are folded as by the coarsest collation.
fn value_compared(name: &str, compared: Conversion) -> String {
    match compared {
        Conversion::Unchanged => {
            format!("CASE typeof({name}) WHEN 'text' THEN rtrim(lower({name})) ELSE {name} END")
        }
        Conversion::AsNumber => {
            format!("CASE typeof({name}) WHEN 'text' THEN CAST({name} AS NUMERIC) ELSE {name} END")
        }
        Conversion::AsText => format!(
            "CASE typeof({name}) WHEN 'blob' THEN {name} ELSE rtrim(lower(CAST({name} AS TEXT))) END"
        ),
    }
}
