//! Writes conditions on rows as SQL. A condition on rows of another table is a subquery on the key.

use super::{Frame, name, number, text};
use crate::ask::{Condition, Related};
use crate::catalog::DateForm;
use crate::day::Day;
use crate::draft::{Comparison, DateTest, TextMatch};
use crate::plan::{Step, Stop};
use crate::relations::Hop;

impl Frame<'_> {
    /// Renders the conditions on the row at the end of the path, joined with AND; empty if there
    /// are none.
    pub(super) fn conditions(&mut self, path: &[Hop], conditions: &[Condition]) -> Step<String> {
        let mut written = Vec::new();
        for condition in conditions {
            written.push(self.condition(path, condition)?);
        }
        Ok(written.join(" AND "))
    }

    fn condition(&mut self, path: &[Hop], condition: &Condition) -> Step<String> {
        Ok(match condition {
            Condition::Not(inner) => self.denied(path, inner)?,
            Condition::Any(any) => {
                let mut written = Vec::new();
                for condition in any {
                    written.push(self.condition(path, condition)?);
                }
                format!("({})", written.join(" OR "))
            }
            Condition::Related(related) => self.related(path, related, false)?,
            Condition::Lacks(id, conditions) => {
                let column = self.column(path, *id)?;
                let mut inner = Frame::new(self.catalog, self.relations, id.table);
                let own = inner.column(&[], *id)?;
                let conditions = inner.conditions(&[], conditions)?;
                format!(
                    "{column} NOT IN (SELECT {own} FROM {} WHERE {conditions} AND {own} IS NOT NULL)",
                    inner.alias
                )
            }
            Condition::Columns(id, comparison, other) => {
                let (one, other) = (self.column(path, *id)?, self.column(path, *other)?);
                format!("{one} {} {other}", sign(*comparison))
            }
            Condition::Flag(id) => {
                let column = self.column(path, *id)?;
                match self.catalog.truths(*id) {
                    Some(truths) => one_of(&column, &truths.yes),
                    None => format!("{column} = 1"),
                }
            }
            Condition::Number(id, comparison, value) => {
                let column = self.column(path, *id)?;
                format!("{column} {} {}", sign(*comparison), number(*value))
            }
            Condition::Between(id, low, high) => {
                let column = self.column(path, *id)?;
                format!("{column} BETWEEN {} AND {}", number(*low), number(*high))
            }
            Condition::In(id, values) => one_of(&self.column(path, *id)?, values),
            Condition::Same(id, value) => {
                let column = self.column(path, *id)?;
                format!("{column} = {} COLLATE NOCASE", text(value))
            }
            Condition::Text(id, kind, part) => like(&self.column(path, *id)?, *kind, part),
            Condition::Missing(id) => format!("{} IS NULL", self.column(path, *id)?),
            Condition::Present(id) => format!("{} IS NOT NULL", self.column(path, *id)?),
            Condition::Date(id, form, test) => dated(&self.column(path, *id)?, *form, *test),
        })
    }

    fn denied(&mut self, path: &[Hop], condition: &Condition) -> Step<String> {
        if let Condition::Related(related) = condition {
            return self.related(path, related, true);
        }
        if let Condition::In(id, values) = condition {
            let column = self.column(path, *id)?;
            return Ok(match values.as_slice() {
                [one] => format!("{column} <> {}", text(one)),
                many => format!("{column} NOT IN ({})", list(many)),
            });
        }
        if let Condition::Flag(id) = condition {
            let column = self.column(path, *id)?;
            return Ok(match self.catalog.truths(*id) {
                Some(truths) => one_of(&column, &truths.no),
                None => format!("{column} = 0"),
            });
        }
        let written = self.condition(path, condition)?;
        Ok(match matches!(condition, Condition::Any(_)) {
            true => format!("NOT {written}"),
            false => format!("NOT ({written})"),
        })
    }

    /// Writes the condition that a key is, or is not, among the rows at the end of a path.
    fn related(&mut self, path: &[Hop], related: &Related, negated: bool) -> Step<String> {
        let Some((first, rest)) = related.path.split_first() else {
            let inner = self.conditions(path, &related.conditions)?;
            return Ok(match negated {
                true => format!("NOT ({inner})"),
                false => format!("({inner})"),
            });
        };
        let nowhere = || Stop::cannot("a foreign key of the schema leads nowhere");
        let (arrived, left) = self.relations.ends(*first).ok_or_else(nowhere)?;
        let key = self.column(path, left)?;
        let (counted, none) = match related.count {
            Some((comparison, value)) => (Some((comparison, value)), holds(comparison, 0.0, value)),
            None => (None, false),
        };
        let mut inner = Frame::new(self.catalog, self.relations, arrived.table);
        inner.qualified = !rest.is_empty();
        let own = inner.written(&inner.alias.clone(), arrived);
        let mut clauses = vec![];
        let conditions = inner.conditions(rest, &related.conditions)?;
        let end = inner.alias_of(rest)?;
        let excluded = negated != none;
        if !conditions.is_empty() {
            clauses.push(conditions);
        }
        let required = self
            .catalog
            .column(arrived)
            .is_some_and(|view| view.column.not_null || view.column.primary_key);
        if excluded && !required {
            clauses.push(format!("{own} IS NOT NULL"));
        }
        let mut query = format!("SELECT {own} FROM {}{}", inner.alias, inner.joins);
        if !clauses.is_empty() {
            query.push_str(&format!(" WHERE {}", clauses.join(" AND ")));
        }
        if let Some((comparison, value)) = counted {
            let rows = inner.rows(&end, rest, related);
            let comparison = if none {
                comparison.opposite()
            } else {
                comparison
            };
            query.push_str(&format!(
                " GROUP BY {own} HAVING {rows} {} {}",
                sign(comparison),
                number(value)
            ));
        }
        let is_in = if excluded { "NOT IN" } else { "IN" };
        let up = related.path.iter().all(|hop| !hop.down);
        if negated && up && related.conditions.is_empty() && !self.catalog.is_filled(left) {
            // A row that refers to nothing has no row there.
            return Ok(format!("({key} IS NULL OR {key} {is_in} ({query}))"));
        }
        Ok(format!("{key} {is_in} ({query})"))
    }

    /// Returns the expression that counts the rows at the end of a path. If many rows in between
    /// lead to one, it is counted once.
    pub(super) fn rows(&self, end: &str, rest: &[Hop], related: &Related) -> String {
        let up = rest.iter().any(|hop| !hop.down);
        let last = related
            .path
            .last()
            .and_then(|hop| self.relations.ends(*hop));
        // Without a declared key the column that is referred to tells the rows apart.
        let key = last.map(|(arrived, _)| self.catalog.key(arrived.table).unwrap_or(arrived));
        match key.filter(|_| up) {
            Some(key) => format!(
                "COUNT(DISTINCT {end}.{})",
                name(self.catalog.column_name(key))
            ),
            None => "COUNT(*)".to_owned(),
        }
    }
}

fn one_of(column: &str, values: &[String]) -> String {
    match values {
        [one] => format!("{column} = {}", text(one)),
        many => format!("{column} IN ({})", list(many)),
    }
}

fn list(values: &[String]) -> String {
    let written: Vec<String> = values.iter().map(|value| text(value)).collect();
    written.join(", ")
}

fn like(column: &str, kind: TextMatch, part: &str) -> String {
    let wild = part.contains(['%', '_', '\\']);
    let escaped = part
        .replace('\\', "\\\\")
        .replace('%', "\\%")
        .replace('_', "\\_");
    let pattern = match kind {
        TextMatch::Contains => format!("%{escaped}%"),
        TextMatch::StartsWith => format!("{escaped}%"),
        TextMatch::EndsWith => format!("%{escaped}"),
    };
    let escape = if wild { " ESCAPE '\\'" } else { "" };
    format!("{column} LIKE {}{escape}", text(&pattern))
}

fn dated(column: &str, form: DateForm, test: DateTest) -> String {
    let at = |day: Day| moment(form, day);
    match test {
        DateTest::Within(span) => {
            format!(
                "{column} >= {} AND {column} < {}",
                at(span.from),
                at(span.to)
            )
        }
        DateTest::Before(span) => format!("{column} < {}", at(span.from)),
        DateTest::After(span) => format!("{column} >= {}", at(span.to)),
        DateTest::From(span) => format!("{column} >= {}", at(span.from)),
        DateTest::UpTo(span) => format!("{column} < {}", at(span.to)),
        DateTest::Yearly(span) => {
            let unix = match form {
                DateForm::Iso | DateForm::Year => format!("substr({column}, 6, 2)"),
                DateForm::UnixSeconds => format!("strftime('%m', {column}, 'unixepoch')"),
                DateForm::UnixMilliseconds => {
                    format!("strftime('%m', {column} / 1000, 'unixepoch')")
                }
            };
            format!("{unix} = '{:02}'", span.from.month())
        }
    }
}

/// Returns the beginning of a day in the form of the column.
fn moment(form: DateForm, day: Day) -> String {
    match form {
        DateForm::Iso => text(&day.iso()),
        DateForm::UnixSeconds => day.unix_seconds().to_string(),
        DateForm::UnixMilliseconds => day.unix_seconds().saturating_mul(1000).to_string(),
        DateForm::Year => day.year().to_string(),
    }
}

pub(super) fn sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "=",
        Comparison::NotEqual => "<>",
        Comparison::Less => "<",
        Comparison::AtMost => "<=",
        Comparison::Greater => ">",
        Comparison::AtLeast => ">=",
    }
}

fn holds(comparison: Comparison, left: f64, right: f64) -> bool {
    match comparison {
        Comparison::Equal => left.total_cmp(&right).is_eq(),
        Comparison::NotEqual => left.total_cmp(&right).is_ne(),
        Comparison::Less => left < right,
        Comparison::AtMost => left <= right,
        Comparison::Greater => left > right,
        Comparison::AtLeast => left >= right,
    }
}
