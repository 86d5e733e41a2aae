//! The explanation of a statement, in one or two sentences.

use base::limits::MAX_SUGGESTIONS;

use crate::ask::{Ask, Condition, Expression, Related, Shape};
use crate::catalog::{Catalog, ColumnId, DateForm, Holds};
use crate::day::{Span, Unit};
use crate::draft::{Aggregate, Comparison, DateTest, TextMatch};
use crate::lexicon::Direction;
use crate::relations::{Hop, Relations};

/// Explains a question.
pub(crate) fn explain(catalog: &Catalog<'_>, relations: &Relations, ask: &Ask) -> String {
    let teller = Teller { catalog, relations };
    let mut text = teller.told(ask);
    for note in &ask.notes {
        text.push(' ');
        text.push_str(note);
    }
    text
}

/// Explains the conditions of a statement that changes rows.
pub(crate) fn explain_conditions(
    catalog: &Catalog<'_>,
    relations: &Relations,
    conditions: &[Condition],
) -> String {
    Teller { catalog, relations }.all(conditions)
}

struct Teller<'a> {
    catalog: &'a Catalog<'a>,
    relations: &'a Relations,
}

impl Teller<'_> {
    fn told(&self, ask: &Ask) -> String {
        let table = self.catalog.table_name(ask.root);
        let conditions = self.all(&ask.conditions);
        let filtered = if conditions.is_empty() {
            String::new()
        } else {
            format!(" where {conditions}")
        };
        match &ask.shape {
            Shape::Exists => {
                return format!("Tells whether {table} has a row{filtered}: 1 for yes, 0 for no.");
            }
            Shape::Difference(first, second) => {
                let what = ask
                    .select
                    .first()
                    .map_or_else(String::new, |(expression, _)| self.expression(expression));
                return format!(
                    "Subtracts {what} of rows of {table} where {} from that of rows where {}{}.",
                    self.condition(second),
                    self.condition(first),
                    filtered.replacen(" where ", ", both where ", 1)
                );
            }
            Shape::Rows => {}
        }
        let keys: Vec<String> = ask.group.iter().map(|key| self.expression(key)).collect();
        let shown: Vec<String> = ask
            .select
            .iter()
            .filter(|(expression, _)| !ask.group.contains(expression))
            .map(|(expression, _)| self.expression(expression))
            .collect();
        let mut text = match ask.select.as_slice() {
            [(Expression::Rows, _)] => format!("Counts the rows of {table}{filtered}"),
            [
                (Expression::Counted(comparison, value), _),
                (Expression::Rows, _),
            ] => format!(
                "Counts the rows of {table}{filtered}, and tells whether there are {} {value}: 1 for yes, 0 for no",
                compared(*comparison)
            ),
            _ if ask.distinct => format!(
                "Lists the different values of {} in {table}{filtered}",
                join(&shown)
            ),
            _ if ask.group.is_empty() && self.is_plain_list(ask) => {
                format!("Lists rows of {table}{filtered}")
            }
            _ if ask.group.is_empty() => format!("Shows {} of {table}{filtered}", join(&shown)),
            _ => format!("Shows {} of {table}{filtered}", join(&shown)),
        };
        if !keys.is_empty() {
            text.push_str(&format!(", for each {}", join(&keys)));
        }
        if let Some((comparison, value)) = ask.having {
            let compared = compared(comparison);
            text.push_str(&match ask.select.last() {
                Some((expression @ Expression::Aggregate(..), _)) => {
                    format!(", if {} is {compared} {value}", self.expression(expression))
                }
                _ => format!(", if it has {compared} {value} rows"),
            });
        }
        text.push_str(&self.cut(ask));
        text.push('.');
        text
    }

    /// Returns true if all that is selected are columns of the row itself.
    fn is_plain_list(&self, ask: &Ask) -> bool {
        let columns = self.catalog.ids(ask.root).count();
        ask.select.len() >= columns.min(crate::limits::MAX_LISTED_COLUMNS)
            && ask
                .select
                .iter()
                .all(|(expression, _)| matches!(expression, Expression::Column(path, _) if path.is_empty()))
    }

    fn cut(&self, ask: &Ask) -> String {
        let told = |(key, direction): &(Expression, Direction)| {
            let word = match direction {
                Direction::Most => "descending",
                Direction::Least => "ascending",
            };
            format!("{}, {word}", self.expression(key))
        };
        // The key of the rows only makes the order the same each time.
        let key = self.catalog.key(ask.root);
        let own = |(at, (expression, _)): &(usize, &(Expression, Direction))| {
            let is_key = matches!(expression, Expression::Column(path, id) if path.is_empty() && Some(*id) == key);
            *at == 0 || !is_key && ask.group.is_empty() && !ask.ties
        };
        let keys = ask.order.iter().enumerate().filter(own);
        let keys: Vec<String> = keys.map(|(_, key)| told(key)).collect();
        let by = (!keys.is_empty()).then(|| format!("sorted by {}", keys.join(", then by ")));
        match (by, ask.limit) {
            (Some(by), Some(limit)) if ask.ties => {
                let first = match limit {
                    1 => "the first and those equal to it".to_owned(),
                    limit => format!("the first {limit} and those equal to the last of them"),
                };
                let keys: Vec<String> = ask.within.iter().map(|key| self.expression(key)).collect();
                match keys.is_empty() {
                    true => format!(", {by}, only {first}"),
                    false => format!(", {by}, of each {} only {first}", join(&keys)),
                }
            }
            (Some(by), Some(1)) => format!(", {by}, only the first"),
            (Some(by), Some(limit)) => format!(
                ", {by}, only the first {limit} (there may be more that are equal to the last)"
            ),
            (None, Some(limit)) => format!(", only {limit} of them"),
            (Some(by), None) => format!(", {by}"),
            (None, None) => String::new(),
        }
    }

    fn expression(&self, expression: &Expression) -> String {
        match expression {
            Expression::Column(path, id) | Expression::Lower(path, id) => self.column(path, *id),
            Expression::Bucket(path, id, _, unit) => {
                let unit = match unit {
                    Unit::Day => "day",
                    Unit::Week => "week, by its Monday,",
                    Unit::Month => "month",
                    Unit::Quarter => "quarter",
                    Unit::Year => "year",
                };
                format!("{unit} of {}", self.column(path, *id))
            }
            Expression::Rows => "the number of rows".to_owned(),
            Expression::Counted(comparison, value) => {
                format!("whether it is {} {value}", compared(*comparison))
            }
            Expression::Distinct(path, id) => {
                format!(
                    "the number of different values of {}",
                    self.column(path, *id)
                )
            }
            Expression::Aggregate(aggregate, path, id) => {
                format!("the {} {}", word(*aggregate), self.column(path, *id))
            }
            Expression::Portion => "the percentage of all these rows".to_owned(),
            Expression::Share(conditions) => {
                format!("the percentage of rows with {}", self.all(conditions))
            }
            Expression::Related(related, measured) => {
                let filtered = self.filtered(&related.conditions);
                let table = self.end(&related.path);
                let way = self.way(&related.path);
                match measured {
                    None => format!("the number of its rows of {table} ({way}){filtered}"),
                    Some((aggregate, id)) => format!(
                        "the {} {} of its rows of {table} ({way}){filtered}",
                        word(*aggregate),
                        self.catalog.column_name(*id)
                    ),
                }
            }
        }
    }

    fn column(&self, path: &[Hop], id: ColumnId) -> String {
        let name = self.catalog.column_name(id);
        if path.is_empty() {
            return name.to_owned();
        }
        format!(
            "{name} of {} ({})",
            self.catalog.table_name(id.table),
            self.way(path)
        )
    }

    fn all(&self, conditions: &[Condition]) -> String {
        let told: Vec<String> = conditions
            .iter()
            .map(|condition| self.condition(condition))
            .collect();
        told.join(" and ")
    }

    fn condition(&self, condition: &Condition) -> String {
        let name = |id: &ColumnId| self.catalog.column_name(*id);
        match condition {
            Condition::Number(id, comparison, value) => {
                format!("{} is {} {value}", name(id), compared(*comparison))
            }
            Condition::Between(id, low, high) => format!("{} is from {low} to {high}", name(id)),
            Condition::In(id, values) => format!("{} is {}", name(id), spelt(values)),
            Condition::Same(id, value) => {
                let evidence = self.evidence(*id);
                format!("{} is '{value}', whatever the case ({evidence})", name(id))
            }
            Condition::Text(id, kind, part) => {
                let verb = match kind {
                    TextMatch::Contains => "contains",
                    TextMatch::StartsWith => "starts with",
                    TextMatch::EndsWith => "ends with",
                };
                format!("{} {verb} '{part}'", name(id))
            }
            Condition::Missing(id) if self.catalog.holds(*id) == Holds::Number => {
                format!("{} is missing (0 counts as a value)", name(id))
            }
            Condition::Missing(id) => format!("{} is missing", name(id)),
            Condition::Present(id) => format!("{} is present", name(id)),
            Condition::Date(id, form, test) => format!("{} is {}", name(id), when(*form, *test)),
            Condition::Columns(id, comparison, other) => {
                format!("{} is {} {}", name(id), compared(*comparison), name(other))
            }
            Condition::Flag(id) => match self.catalog.truths(*id) {
                Some(truths) => format!("{} is {}", name(id), spelt(&truths.yes)),
                None => format!("{} is true", name(id)),
            },
            Condition::Not(inner) => self.denied(inner),
            Condition::Any(any) => self.any(any),
            Condition::Related(related) => self.related(related, false),
            Condition::Lacks(id, conditions) => format!(
                "{} stands in no row where {}",
                name(id),
                self.all(conditions)
            ),
        }
    }

    fn denied(&self, condition: &Condition) -> String {
        let name = |id: &ColumnId| self.catalog.column_name(*id);
        if let Condition::Related(related) = condition {
            let told = self.related(related, true);
            let key = related.path.first();
            let key = key.filter(|hop| !hop.down && !related.conditions.is_empty());
            let key = key.and_then(|hop| self.relations.edges.get(hop.edge));
            // A row beyond it without the value is none of those that are denied.
            return match key.filter(|key| !self.catalog.is_filled(key.child)) {
                Some(key) => format!(
                    "{told} (rows without a value for {} are left out)",
                    name(&key.child)
                ),
                None => told,
            };
        }
        let truths = match condition {
            Condition::Flag(id) => self.catalog.truths(*id).map(|truths| (id, truths)),
            _ => None,
        };
        let told = match truths {
            Some((id, truths)) => {
                format!("{} is {}", self.catalog.column_name(*id), spelt(&truths.no))
            }
            None => format!("not: {}", self.condition(condition)),
        };
        let leaves_out = matches!(condition, Condition::In(id, _) | Condition::Same(id, _) | Condition::Flag(id)
            if !self.catalog.is_filled(*id));
        match leaves_out {
            true => format!("{told} (rows without a value are left out)"),
            false => told,
        }
    }

    fn any(&self, any: &[Condition]) -> String {
        match any {
            [Condition::Not(inner), Condition::Missing(_)] => format!(
                "not: {} (rows without a value are included)",
                self.condition(inner)
            ),
            [Condition::Missing(id), nothing] => {
                let name = self.catalog.column_name(*id);
                let nothing = self.condition(nothing);
                let nothing = nothing.replacen(&format!("{name} is "), "", 1);
                format!("{name} is missing or {nothing}")
            }
            any => {
                let told = any.iter().map(|condition| self.condition(condition));
                format!("either {}", told.collect::<Vec<_>>().join(" or "))
            }
        }
    }

    /// Returns the explanation of a value that no look-up found.
    fn evidence(&self, id: ColumnId) -> String {
        let view = self.catalog.column(id).filter(|view| !view.column.unread);
        let Some(view) = view else {
            return "the table is too large to look it up first".to_owned();
        };
        let near = view.column.near.iter().take(MAX_SUGGESTIONS);
        let near: Vec<String> = near.map(|value| format!("'{value}'")).collect();
        match near.as_slice() {
            [] => "no row has it".to_owned(),
            near => format!("no row has it; there is {}", near.join(", ")),
        }
    }

    /// Returns ` where …`, or nothing without conditions.
    fn filtered(&self, conditions: &[Condition]) -> String {
        match self.all(conditions) {
            none if none.is_empty() => String::new(),
            all => format!(" where {all}"),
        }
    }

    fn related(&self, related: &Related, negated: bool) -> String {
        let filtered = self.filtered(&related.conditions);
        let table = self.end(&related.path);
        let way = self.way(&related.path);
        let up = related.path.iter().all(|hop| !hop.down);
        match (up, related.count) {
            (true, _) if negated => format!("its row of {table} ({way}) is none{filtered}"),
            (true, _) => format!("its row of {table} ({way}) is one{filtered}"),
            (false, Some((comparison, value))) => {
                let not = if negated { "not " } else { "" };
                format!(
                    "it has {not}{} {value} rows of {table} ({way}){filtered}",
                    compared(comparison)
                )
            }
            (false, None) if negated => format!("it has no row of {table} ({way}){filtered}"),
            (false, None) => format!("it has a row of {table} ({way}){filtered}"),
        }
    }

    fn end(&self, path: &[Hop]) -> &str {
        path.last()
            .and_then(|hop| self.relations.ends(*hop))
            .map_or("", |(arrived, _)| self.catalog.table_name(arrived.table))
    }

    /// Returns the keys that tables are joined along.
    fn way(&self, path: &[Hop]) -> String {
        self.relations.shown(self.catalog, path)
    }
}

/// Returns values between quotes, and says if some of them differ only in case.
fn spelt(values: &[String]) -> String {
    let quoted: Vec<String> = values.iter().map(|value| format!("'{value}'")).collect();
    let mut lower: Vec<String> = values.iter().map(|value| value.to_lowercase()).collect();
    lower.sort_unstable();
    lower.dedup();
    let case = match lower.len() < values.len() {
        true => ", whatever the case",
        false => "",
    };
    format!("{}{case}", quoted.join(" or "))
}

fn join(parts: &[String]) -> String {
    parts.join(", ")
}

fn word(aggregate: Aggregate) -> &'static str {
    match aggregate {
        Aggregate::Sum => "summed",
        Aggregate::Average => "average",
        Aggregate::Least => "lowest",
        Aggregate::Most => "highest",
    }
}

fn compared(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "exactly",
        Comparison::NotEqual => "other than",
        Comparison::Less => "less than",
        Comparison::AtMost => "at most",
        Comparison::Greater => "more than",
        Comparison::AtLeast => "at least",
    }
}

fn when(form: DateForm, test: DateTest) -> String {
    if form == DateForm::Year {
        return years(test);
    }
    let within = |span: Span| match span.from == span.last() {
        true => format!("on {}", span.from.iso()),
        false => format!("from {} to {}", span.from.iso(), span.last().iso()),
    };
    match test {
        DateTest::Within(span) => within(span),
        DateTest::Before(span) => format!("before {}", span.from.iso()),
        DateTest::After(span) => format!("after {}", span.last().iso()),
        DateTest::From(span) => format!("on {} or later", span.from.iso()),
        DateTest::UpTo(span) => format!("on {} or earlier", span.last().iso()),
        DateTest::Yearly(span) => format!("in month {} of any year", span.from.month()),
    }
}

/// Returns the words for a test of dates, if the column holds years.
fn years(test: DateTest) -> String {
    match test {
        DateTest::Within(span) if span.from.year() == span.last().year() => {
            span.from.year().to_string()
        }
        DateTest::Within(span) => format!("from {} to {}", span.from.year(), span.last().year()),
        DateTest::Before(span) => format!("before {}", span.from.year()),
        DateTest::After(span) => format!("after {}", span.last().year()),
        DateTest::From(span) => format!("{} or later", span.from.year()),
        DateTest::UpTo(span) => format!("{} or earlier", span.last().year()),
        DateTest::Yearly(span) => format!("in month {}", span.from.month()),
    }
}
