//! Writes the clauses of a statement, from SELECT to LIMIT, and the joins that its columns need.

use super::conditions::sign;
use super::{Frame, name, number};
use crate::ask::{Ask, Condition, Expression, Related, Shape};
use crate::catalog::{Catalog, ColumnId, DateForm};
use crate::day::Unit;
use crate::draft::Aggregate;
use crate::lexicon::Direction;
use crate::plan::{Step, Stop};
use crate::relations::Relations;

/// Writes a question as one SELECT.
///
/// # Errors
/// A path between tables that the schema does not have.
pub(crate) fn render(catalog: &Catalog<'_>, relations: &Relations, ask: &Ask) -> Step<String> {
    match &ask.shape {
        Shape::Rows => select(catalog, relations, ask),
        Shape::Exists => {
            let mut frame = Frame::new(catalog, relations, ask.root);
            let conditions = filter(frame.conditions(&[], &ask.conditions)?);
            Ok(format!(
                "SELECT EXISTS (SELECT 1 FROM {}{conditions}) AS found",
                frame.alias
            ))
        }
        Shape::Difference(first, second) => {
            let side = |condition: &Condition| {
                let mut part = ask.clone();
                part.conditions.push(condition.clone());
                for (_, name) in &mut part.select {
                    *name = None;
                }
                select(catalog, relations, &part)
            };
            let (first, second) = (side(first)?, side(second)?);
            Ok(format!("SELECT ({first}) - ({second}) AS difference"))
        }
    }
}

/// Renders the WHERE clause of a statement that changes rows of a table, with the keyword.
///
/// # Errors
/// As [`render`].
pub(crate) fn where_clause(
    catalog: &Catalog<'_>,
    relations: &Relations,
    table: usize,
    conditions: &[Condition],
) -> Step<String> {
    let mut frame = Frame::new(catalog, relations, table);
    Ok(filter(frame.conditions(&[], conditions)?))
}

fn filter(conditions: String) -> String {
    if conditions.is_empty() {
        return conditions;
    }
    format!(" WHERE {conditions}")
}

/// Returns the comparison of what is measured for each group.
fn having(ask: &Ask, measured: &str) -> String {
    ask.having.map_or_else(String::new, |(comparison, value)| {
        format!(" HAVING {measured} {} {}", sign(comparison), number(value))
    })
}

fn select(catalog: &Catalog<'_>, relations: &Relations, ask: &Ask) -> Step<String> {
    let mut frame = Frame::new(catalog, relations, ask.root);
    let expressions = || {
        ask.select
            .iter()
            .map(|(expression, _)| expression)
            .chain(&ask.group)
            .chain(&ask.within)
            .chain(ask.order.iter().map(|(expression, _)| expression))
    };
    frame.qualified = expressions().any(leaves_the_table);
    frame.outer = ask.keeps_all || ask.group.is_empty() && !expressions().any(is_aggregate);
    frame.counted = expressions().any(|key| matches!(key, Expression::Related(_, None)));
    let mut known: Vec<(Expression, String)> = Vec::new();
    let mut selected = Vec::new();
    for (expression, called) in &ask.select {
        let written = frame.expression(expression, &mut known)?;
        selected.push(match called {
            Some(called) => format!("{written} AS {}", name(called)),
            None => written,
        });
    }
    let measured = known.last().map(|(_, written)| written.clone());
    let mut groups = Vec::new();
    for key in &ask.group {
        groups.push(frame.expression(key, &mut known)?);
    }
    let mut orders = Vec::new();
    for (key, direction) in &ask.order {
        let written = frame.expression(key, &mut known)?;
        orders.push(match direction {
            Direction::Least => written,
            Direction::Most => format!("{written} DESC"),
        });
    }
    let mut conditions = frame.conditions(&[], &ask.conditions)?;
    let tied = ask.order.first().filter(|_| ask.ties);
    let is_column = tied.is_some_and(|(key, _)| matches!(key, Expression::Column(..)));
    let is_column = is_column && ask.within.is_empty();
    if let Some((key, _)) = tied.filter(|_| is_column) {
        let first = select(catalog, relations, &first_of(ask))?;
        let written = frame.expression(key, &mut known)?;
        let and = if conditions.is_empty() { "" } else { " AND " };
        conditions.push_str(&format!("{and}{written} = ({first})"));
    }
    let mut within = Vec::new();
    for key in &ask.within {
        within.push(frame.expression(key, &mut known)?);
    }
    let names = match tied.filter(|_| !is_column) {
        Some(_) => rank_within(catalog, ask, &within, &mut selected, &orders),
        None => Vec::new(),
    };
    let conditions = filter(conditions);
    let distinct = if ask.distinct { "DISTINCT " } else { "" };
    let mut sql = format!(
        "SELECT {distinct}{} FROM {}{}{conditions}",
        selected.join(", "),
        frame.alias,
        frame.joins
    );
    if !groups.is_empty() {
        sql.push_str(&format!(" GROUP BY {}", groups.join(", ")));
    }
    sql.push_str(&having(ask, &measured.unwrap_or_default()));
    if !names.is_empty() {
        return Ok(of_first_place(ask, &sql, &names));
    }
    let orders = orders.get(usize::from(is_column)..).unwrap_or_default();
    if !orders.is_empty() {
        sql.push_str(&format!(" ORDER BY {}", orders.join(", ")));
    }
    if let Some(limit) = ask.limit.filter(|_| tied.is_none()) {
        sql.push_str(&format!(" LIMIT {limit}"));
    }
    Ok(sql)
}

/// Returns the query for the first value of the ranking.
fn first_of(ask: &Ask) -> Ask {
    let first = ask.order.iter().take(1);
    Ask {
        select: first.clone().map(|(key, _)| (key.clone(), None)).collect(),
        order: first.cloned().collect(),
        ties: false,
        ..ask.clone()
    }
}

/// Adds the place of each row to what is selected, and returns the names of all that is selected,
/// the place last.
fn rank_within(
    catalog: &Catalog<'_>,
    ask: &Ask,
    within: &[String],
    selected: &mut Vec<String>,
    orders: &[String],
) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for ((expression, called), written) in ask.select.iter().zip(selected.iter_mut()) {
        let own = if let Expression::Column(_, id) = expression {
            catalog.column_name(*id)
        } else {
            "value"
        };
        let wanted = called.as_deref().unwrap_or(own);
        let unique = unique(wanted, &names);
        if called.as_deref() != Some(unique.as_str()) && unique != own {
            *written = format!("{written} AS {}", name(&unique));
        }
        names.push(unique);
    }
    let place = unique("place", &names);
    let by = orders.first().map_or("1", String::as_str);
    let within = match within {
        [] => String::new(),
        keys => format!("PARTITION BY {} ", keys.join(", ")),
    };
    let rank = format!("RANK() OVER ({within}ORDER BY {by}) AS {}", name(&place));
    selected.push(rank);
    names.push(place);
    names
}

/// Returns a name that differs from all others, also if upper and lower case are equal.
fn unique(wanted: &str, others: &[String]) -> String {
    let is_taken = |name: &str| others.iter().any(|other| other.eq_ignore_ascii_case(name));
    let mut found = wanted.to_owned();
    let mut number = 1;
    while is_taken(&found) {
        number += 1;
        found = format!("{wanted}_{number}");
    }
    found
}

/// Keeps the rows of the first places of a ranked statement, in the order of its groups and then
/// its own.
fn of_first_place(ask: &Ask, ranked: &str, names: &[String]) -> String {
    let written: Vec<String> = names.iter().map(|one| name(one)).collect();
    let (place, shown) = written
        .split_last()
        .map_or(("place", &[][..]), |(place, shown)| (place.as_str(), shown));
    let groups = ask.within.iter().map(|key| (key, Direction::Least));
    let rest = ask.order.iter().skip(usize::from(ask.within.is_empty()));
    let rest = rest.map(|(key, direction)| (key, *direction));
    let rest = groups.chain(rest).filter_map(|(key, direction)| {
        let at = ask.select.iter().position(|(shown, _)| shown == key)?;
        let descending = match direction {
            Direction::Least => "",
            Direction::Most => " DESC",
        };
        Some(format!("{}{descending}", shown.get(at)?))
    });
    let mut rest: Vec<String> = rest.collect();
    rest.dedup();
    let places = match ask.limit {
        Some(limit) if limit > 1 => format!("<= {limit}"),
        _ => "= 1".to_owned(),
    };
    let order = match rest.is_empty() {
        true => String::new(),
        false => format!(" ORDER BY {}", rest.join(", ")),
    };
    format!(
        "SELECT {} FROM ({ranked}) WHERE {place} {places}{order}",
        shown.join(", ")
    )
}

fn leaves_the_table(expression: &Expression) -> bool {
    match expression {
        Expression::Column(path, _)
        | Expression::Lower(path, _)
        | Expression::Bucket(path, ..)
        | Expression::Distinct(path, _)
        | Expression::Aggregate(_, path, _) => !path.is_empty(),
        Expression::Related(..) => true,
        Expression::Rows | Expression::Counted(..) | Expression::Portion | Expression::Share(_) => {
            false
        }
    }
}

fn is_aggregate(expression: &Expression) -> bool {
    matches!(
        expression,
        Expression::Rows
            | Expression::Counted(..)
            | Expression::Distinct(..)
            | Expression::Aggregate(..)
            | Expression::Portion
            | Expression::Share(_)
    )
}

impl Frame<'_> {
    fn expression(
        &mut self,
        expression: &Expression,
        known: &mut Vec<(Expression, String)>,
    ) -> Step<String> {
        if let Some((_, written)) = known.iter().find(|(known, _)| known == expression) {
            return Ok(written.clone());
        }
        let written = match expression {
            Expression::Column(path, id) => self.column(path, *id)?,
            Expression::Lower(path, id) => format!("lower({})", self.column(path, *id)?),
            Expression::Bucket(path, id, form, unit) => {
                bucket(&self.column(path, *id)?, *form, *unit)
            }
            Expression::Rows => "COUNT(*)".to_owned(),
            Expression::Counted(comparison, value) => {
                format!("COUNT(*) {} {}", sign(*comparison), number(*value))
            }
            Expression::Distinct(path, id) => {
                format!("COUNT(DISTINCT {})", self.column(path, *id)?)
            }
            Expression::Aggregate(aggregate, path, id) => {
                format!("{}({})", function(*aggregate), self.column(path, *id)?)
            }
            Expression::Portion => "100.0 * COUNT(*) / SUM(COUNT(*)) OVER ()".to_owned(),
            Expression::Share(conditions) => {
                let conditions = self.conditions(&[], conditions)?;
                format!("100.0 * SUM(CASE WHEN {conditions} THEN 1 ELSE 0 END) / COUNT(*)")
            }
            Expression::Related(related, measured) => self.measure(related, *measured)?,
        };
        known.push((expression.clone(), written.clone()));
        Ok(written)
    }

    /// Joins a sub-query that has a number for each key.
    fn measure(
        &mut self,
        related: &Related,
        measured: Option<(Aggregate, ColumnId)>,
    ) -> Step<String> {
        let nowhere = || Stop::cannot("a foreign key of the schema leads nowhere");
        let (first, rest) = related.path.split_first().ok_or_else(nowhere)?;
        let (arrived, left) = self.relations.ends(*first).ok_or_else(nowhere)?;
        let mut inner = Frame::new(self.catalog, self.relations, arrived.table);
        inner.qualified = !rest.is_empty();
        let alias = inner.alias.clone();
        let own = inner.written(&alias, arrived);
        let conditions = filter(inner.conditions(rest, &related.conditions)?);
        let end = inner.alias_of(rest)?;
        let value = match measured {
            None => inner.rows(&end, rest, related),
            Some((aggregate, id)) => {
                format!("{}({})", function(aggregate), inner.written(&end, id))
            }
        };
        self.measures += 1;
        let called = format!("measure_{}", self.measures);
        // A row without any is counted as 0, and has no sum or average: it is left out where it is
        // not counted as well.
        let kept = measured.is_none() || self.counted;
        let join = if kept { "LEFT JOIN" } else { "JOIN" };
        let present = match kept {
            true => String::new(),
            false => format!(" HAVING {value} IS NOT NULL"),
        };
        let key = self.column(&[], left)?;
        self.joins.push_str(&format!(
            " {join} (SELECT {own} AS owner, {value} AS value FROM {alias}{}{conditions} GROUP BY {own}{present}) AS {called} ON {called}.owner = {key}",
            inner.joins
        ));
        Ok(match measured {
            None => format!("COALESCE({called}.value, 0)"),
            Some(_) => format!("{called}.value"),
        })
    }
}

fn function(aggregate: Aggregate) -> &'static str {
    match aggregate {
        Aggregate::Sum => "SUM",
        Aggregate::Average => "AVG",
        Aggregate::Least => "MIN",
        Aggregate::Most => "MAX",
    }
}

/// Returns the SQL for a unit of time as a text, or as the number of the year if the column holds
/// years.
fn bucket(column: &str, form: DateForm, unit: Unit) -> String {
    let date = match form {
        DateForm::Year => return column.to_owned(),
        DateForm::Iso => format!("date({column})"),
        DateForm::UnixSeconds => format!("date({column}, 'unixepoch')"),
        DateForm::UnixMilliseconds => format!("date({column} / 1000, 'unixepoch')"),
    };
    let iso = form == DateForm::Iso;
    let text = if iso { column.to_owned() } else { date.clone() };
    match unit {
        Unit::Year => format!("substr({text}, 1, 4)"),
        Unit::Month => format!("substr({text}, 1, 7)"),
        Unit::Day => format!("substr({text}, 1, 10)"),
        // Monday on or before the day.
        Unit::Week => format!("date({date}, '-6 days', 'weekday 1')"),
        Unit::Quarter => format!(
            "substr({text}, 1, 4) || '-Q' || ((CAST(substr({text}, 6, 2) AS INTEGER) + 2) / 3)"
        ),
    }
}
