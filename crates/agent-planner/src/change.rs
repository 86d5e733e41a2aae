//! Questions that change rows: `delete cancelled orders`, `set the price of Desk to 280`.
//!
//! A statement is made only if every word is spelt as in the schema, the table is named, and there
//! is a condition. It never changes all rows of a table, and never adds a row.

use crate::accounted::require_values;
use crate::ask::Condition;
use crate::catalog::{Catalog, ColumnId, Holds};
use crate::command::{Change, command, require_command, require_noun, require_one};
use crate::day::Day;
use crate::draft::{Comparison, Demand, Draft, Intent};
use crate::explain::explain_conditions;
use crate::links::Links;
use crate::parse::parse;
use crate::plan::{Plan, Step, Stop};
use crate::relations::Relations;
use crate::resolve::{conditions_of, subject_of};
use crate::sql::{name, number, text, where_clause};
use crate::token::{Token, TokenKind};

/// The least confidence of a statement that changes rows. A lower one means that a name was
/// guessed.
const CERTAIN: f64 = 0.999;

/// Plans a question that changes rows; `None` for one that reads.
///
/// # Errors
/// Anything that is not certain.
pub(crate) fn change(
    tokens: &[Token],
    catalog: &Catalog<'_>,
    relations: &Relations,
    today: Day,
) -> Option<Step<Plan>> {
    let (start, kind) = command(tokens, catalog)?;
    let rest = tokens.get(start + 1..).unwrap_or_default();
    if let Err(question) = require_command(tokens.get(..start).unwrap_or_default()) {
        return Some(Err(question));
    }
    if let Err(another) = require_one(rest, catalog) {
        return Some(Err(another));
    }
    let changer = Changer {
        catalog,
        relations,
        today,
    };
    Some(match kind {
        Change::Delete => changer.delete(rest),
        Change::Update => changer.update(rest),
        Change::Other => Err(Stop::cannot(
            "the planner deletes and updates rows that a condition names, and changes nothing else",
        )),
    })
}

struct Changer<'a> {
    catalog: &'a Catalog<'a>,
    relations: &'a Relations,
    today: Day,
}

impl Changer<'_> {
    fn delete(&self, tokens: &[Token]) -> Step<Plan> {
        let links = Links::strict(self.catalog, tokens);
        let draft = parse(&links, self.relations, self.today)?;
        // `remove Ann from the trip` leaves Ann.
        let parts = tokens.iter().any(|token| token.lower == "from");
        let named = self.named(&draft).filter(|_| !parts);
        let table = match (self.certain(&draft), named) {
            // `delete Finn Bass`
            (Err(Stop::Cannot(_)), Some(tables)) => self.catalog.choose(
                "rows of which table are deleted?".to_owned(),
                &tables,
                |table| self.catalog.table_name(*table).to_owned(),
            )?,
            (table, _) => table?,
        };
        require_noun(&links, table)?;
        // `delete all vans`: what rows there can be is said by the one table, or the one that has
        // the value.
        let mut views = self.catalog.tables.iter().flat_map(|view| &view.columns);
        let only = self.catalog.tables.len() == 1 || !views.any(|view| view.column.unread);
        if draft.subject.is_none() && !only || !draft.heads.is_empty() {
            return Err(Stop::cannot(
                "the question does not name the table whose rows are deleted",
            ));
        }
        let conditions = self.conditions(&links, &draft, table)?;
        let key = self.catalog.key(table);
        let is_key = |condition: &Condition| {
            matches!(condition, Condition::Number(id, Comparison::Equal, _) | Condition::In(id, _)
                if Some(*id) == key)
        };
        let one = conditions.iter().any(is_key);
        let told = explain_conditions(self.catalog, self.relations, &conditions);
        if !draft.plural && !one && draft.subject.is_some() {
            let rows = self.catalog.table_name(table);
            self.catalog.choose(
                format!("the question names one row, but not by its key, so several of {rows} may match; do you mean all of them?"),
                &[()],
                |()| format!("all rows of {rows} where {told}"),
            )?;
        }
        let filter = where_clause(self.catalog, self.relations, table, &conditions)?;
        Ok(Plan::Query {
            sql: format!(
                "DELETE FROM {}{filter}",
                name(self.catalog.table_name(table))
            ),
            explanation: format!(
                "Deletes the rows of {} where {told}.",
                self.catalog.table_name(table)
            ),
            confidence: draft.confidence,
        })
    }

    /// Parses `the price of Desk to 280`: takes the value off the end, and reads the rest as a
    /// question for a column.
    fn update(&self, tokens: &[Token]) -> Step<Plan> {
        let to = tokens
            .iter()
            .rposition(|token| token.lower == "to" && token.kind == TokenKind::Word)
            .ok_or_else(|| Stop::cannot("the question does not say `to` which value"))?;
        let (before, after) = tokens.split_at_checked(to).unwrap_or((tokens, &[]));
        require_one_value(&Links::strict(self.catalog, before))?;
        let written: Vec<&Token> = after
            .iter()
            .skip(1)
            .filter(|token| token.kind != TokenKind::Sign || token.lower == "%")
            .collect();
        let whole = self.set(before, &written);
        // `set the price to 5 where the name is Desk`: the condition stands behind the value.
        let behind = after.iter().skip(2).position(is_condition);
        match (behind.and_then(|at| after.split_at_checked(at + 2)), whole) {
            (Some((value, rest)), Err(_)) => {
                let value: Vec<&Token> = value.iter().skip(1).collect();
                let rest = rest.iter().skip(usize::from(is_if(rest)));
                let tokens: Vec<Token> = before.iter().chain(rest).cloned().collect();
                self.set(&tokens, &value)
            }
            (_, whole) => whole,
        }
    }

    /// Sets the column that the tokens ask for.
    fn set(&self, tokens: &[Token], written: &[&Token]) -> Step<Plan> {
        let links = Links::strict(self.catalog, tokens);
        let draft = parse(&links, self.relations, self.today)?;
        let table = self.certain(&draft)?;
        let [head] = draft.heads.as_slice() else {
            return Err(Stop::cannot(
                "the question does not name the one column that is set",
            ));
        };
        let own: Vec<ColumnId> = head
            .ids
            .iter()
            .copied()
            .filter(|id| id.table == table)
            .collect();
        let [column] = own.as_slice() else {
            return Err(Stop::cannot(format!(
                "{:?} is no column of the table",
                head.word
            )));
        };
        let value = self.value(*column, written)?;
        let conditions = self.conditions(&links, &draft, table)?;
        let told = explain_conditions(self.catalog, self.relations, &conditions);
        self.require_rows(&draft, table, &conditions, &told)?;
        self.require_no_other(*column, &conditions)?;
        let filter = where_clause(self.catalog, self.relations, table, &conditions)?;
        let column = self.catalog.column_name(*column);
        Ok(Plan::Query {
            sql: format!(
                "UPDATE {} SET {} = {value}{filter}",
                name(self.catalog.table_name(table)),
                name(column)
            ),
            explanation: format!(
                "Sets {column} to {value} in the rows of {} where {told}.",
                self.catalog.table_name(table)
            ),
            confidence: draft.confidence,
        })
    }

    /// Asks back where the question names only rows of other tables than the one that is changed:
    /// `the quantity of Zinc`, which may be in stock or in each prescription.
    fn require_rows(
        &self,
        draft: &Draft,
        table: usize,
        conditions: &[Condition],
        told: &str,
    ) -> Step<()> {
        let far = |condition: &Condition| matches!(condition, Condition::Related(_));
        if draft.subject.is_some() || !conditions.iter().all(far) {
            return Ok(());
        }
        let rows = self.catalog.table_name(table);
        self.catalog.choose(
            format!("the question does not name the rows that are changed; are all of them in {rows} meant?"),
            &[()],
            |()| format!("all rows of {rows} where {told}"),
        )
    }

    /// Asks back where a table between the rows and a condition has a column of the same name: `the
    /// price of parts in open jobs`, which the table of both may have as well.
    fn require_no_other(&self, column: ColumnId, conditions: &[Condition]) -> Step<()> {
        let name = self.catalog.column_name(column);
        let related = conditions.iter().filter_map(Condition::related);
        let hops = related.flat_map(|related| &related.path);
        let other = hops.filter(|hop| hop.down).find_map(|hop| {
            let (arrived, _) = self.relations.ends(*hop)?;
            let mut ids = self.catalog.ids(arrived.table);
            ids.find(|id| self.catalog.column_name(*id) == name)
        });
        let Some(other) = other else { return Ok(()) };
        let chosen = self.catalog.choose(
            format!("{name:?}: which column is set?"),
            &[true, false],
            |own| self.catalog.shown(if *own { column } else { other }),
        )?;
        match chosen {
            true => Ok(()),
            false => Err(Stop::cannot(format!(
                "name the rows of {} that are changed",
                self.catalog.table_name(other.table)
            ))),
        }
    }

    /// Returns the tables that have all values, where the draft has values and names no table.
    fn named(&self, draft: &Draft) -> Option<Vec<usize>> {
        let [scope] = draft.scopes.as_slice() else {
            return None;
        };
        let plain = is_plain(draft) && draft.subject.is_none() && draft.heads.is_empty();
        let mut tables: Vec<usize> = (0..self.catalog.tables.len()).filter(|_| plain).collect();
        for wish in &scope.wishes {
            let Demand::Value(links) = &wish.demand else {
                return None;
            };
            tables.retain(|table| links.iter().any(|link| link.column.table == *table));
        }
        (!scope.wishes.is_empty() && !tables.is_empty()).then_some(tables)
    }

    /// Returns the table, if the draft has only conditions on its rows, and all of them are
    /// certain.
    fn certain(&self, draft: &Draft) -> Step<usize> {
        if !is_plain(draft) {
            return Err(Stop::cannot(
                "rows are changed only where every word is certain; name the table, the column and the values as they are stored",
            ));
        }
        let links = Links::new(self.catalog, &[]);
        subject_of(&links, self.relations, draft)
    }

    fn conditions(&self, links: &Links<'_>, draft: &Draft, table: usize) -> Step<Vec<Condition>> {
        let conditions = conditions_of(links, self.relations, draft, table)?;
        if conditions.is_empty() {
            return Err(Stop::cannot(
                "the question does not say which rows; all rows of a table are never changed",
            ));
        }
        require_values(links, &conditions, self.today)?;
        Ok(conditions)
    }

    /// Returns the value as a literal of the kind that the column holds.
    fn value(&self, column: ColumnId, written: &[&Token]) -> Step<String> {
        let shown = self.catalog.shown(column);
        let key = self.catalog.key(column.table) == Some(column)
            || self.relations.key_of(column).is_some();
        if key {
            return Err(Stop::cannot(format!(
                "{shown} is a key, and keys are not set"
            )));
        }
        match (self.catalog.holds(column), written) {
            (Holds::Number, [token]) => match token.number() {
                Some(value) => Ok(number(value)),
                None => Err(Stop::cannot(format!(
                    "{shown} has numbers, and {:?} is none",
                    token.shown()
                ))),
            },
            (Holds::Text, [token]) if token.kind == TokenKind::Quoted => Ok(text(&token.text)),
            (Holds::Text, [_, ..]) => {
                let phrase: Vec<&str> = written.iter().map(|token| token.text.as_str()).collect();
                let phrase = phrase.join(" ");
                let known = self
                    .catalog
                    .column(column)
                    .map(|view| view.column.values.clone());
                let known = known.unwrap_or_default();
                let exact = known.iter().find(|stored| **stored == phrase);
                let mut spelt = known
                    .iter()
                    .filter(|stored| stored.to_lowercase() == phrase.to_lowercase());
                let alike = spelt.next().filter(|_| spelt.next().is_none());
                exact
                    .or(alike)
                    .map(|stored| text(stored))
                    .ok_or_else(|| Stop::cannot(format!("put the text for {shown} between quotes")))
            }
            (Holds::Date(crate::catalog::DateForm::Iso), [token])
                if matches!(token.kind, TokenKind::Date(_)) =>
            {
                Ok(text(&token.lower))
            }
            _ => Err(Stop::cannot(format!(
                "the question does not say a value that {shown} can hold"
            ))),
        }
    }
}

/// Returns true if a draft says nothing but conditions on rows, all of them certain.
fn is_plain(draft: &Draft) -> bool {
    draft.intent == Intent::List
        && draft.aggregates.is_empty()
        && draft.groups.is_empty()
        && draft.rank.is_none()
        && draft.rows.is_none()
        && draft.sort.is_empty()
        && !draft.distinct
        && !draft.repeated
        && draft.confidence >= CERTAIN
}

/// Returns true for a word behind which the rows are said that are changed.
fn is_condition(token: &Token) -> bool {
    let conditions = ["for", "where", "whose", "that", "with", "if"];
    token.is_word() && conditions.contains(&token.lower.as_str())
}

/// Refuses a last `to` behind a value and its rows, which may be of either: `set the origin to Rome
/// for routes to Nice`.
fn require_one_value(before: &Links<'_>) -> Step<()> {
    // `to city`, `sent to of`: the name of a column.
    let is_named = |at: usize| {
        let tokens = |at: usize| before.column_at(at, None).map_or(0, |found| found.tokens);
        let next = before.tokens.get(at + 1);
        let ends = next.is_none_or(|next| ["of", "for"].contains(&next.lower.as_str()));
        tokens(at) > 1 || ends && at.checked_sub(1).is_some_and(|at| tokens(at) == 2)
    };
    let mut words = before.tokens.iter().enumerate();
    let Some((first, _)) =
        words.find(|(at, token)| token.is_word() && token.lower == "to" && !is_named(*at))
    else {
        return Ok(());
    };
    // `the toll of routes to Graz`: the rows stand before it.
    let has_rows = (0..first).any(|at| before.table_at(at).is_some());
    let describes = |token: &Token| {
        is_condition(token) || ["in", "of", "on", "those"].contains(&token.lower.as_str())
    };
    match !has_rows || words.any(|(_, token)| describes(token)) {
        true => Err(Stop::cannot(
            "`to` occurs twice, and I do not see which of the two values is the new one; name the column of the other value, as in `set … to … where … is …`",
        )),
        false => Ok(()),
    }
}

fn is_if(tokens: &[Token]) -> bool {
    tokens.first().is_some_and(|token| token.lower == "if")
}
