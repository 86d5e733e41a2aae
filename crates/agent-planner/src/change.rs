//! Questions that change rows: `delete cancelled orders`, `set the price of Desk to 280`.
//!
//! A statement is made only where every word has the spelling of the schema, the table is named, and a condition remains: never for all rows
//! of a table, and never for a row that does not exist yet.

use crate::accounted::require_values;
use crate::ask::Condition;
use crate::catalog::{Catalog, ColumnId, Holds};
use crate::day::Day;
use crate::draft::{Comparison, Draft, Intent};
use crate::explain::explain_conditions;
use crate::lexicon::{Words, of};
use crate::links::Links;
use crate::parse::parse;
use crate::plan::{Plan, Step, Stop};
use crate::relations::Relations;
use crate::resolve::{conditions_of, subject_of};
use crate::sql::{name, number, text, where_clause};
use crate::token::{Token, TokenKind};

/// What a question begins with that changes rows.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Change {
    Delete,
    Update,
    Other,
}

const CHANGES: &[(&str, Change)] = &[
    ("delete", Change::Delete),
    ("remove", Change::Delete),
    ("erase", Change::Delete),
    ("set", Change::Update),
    ("update", Change::Update),
    ("change", Change::Update),
    ("add", Change::Other),
    ("insert", Change::Other),
    ("create", Change::Other),
    ("drop", Change::Other),
    ("truncate", Change::Other),
    ("alter", Change::Other),
    ("clear", Change::Other),
    ("empty", Change::Other),
    ("increase", Change::Other),
    ("decrease", Change::Other),
    ("raise", Change::Other),
    ("rename", Change::Other),
    ("replace", Change::Other),
];

/// Other verbs that ask for a change where they begin the question.
const OTHERS: Words = Words(
    "
     adjust append archive assign cancel close convert copy correct double edit fix halve let
     make mark merge modify move purge reset restore save store swap switch turn undo wipe
     write
    ",
);

/// Words that may stand before the verb.
const POLITE: Words = Words(
    "
     all and can could i just kindly let's like must need now please should then to want we
     will would you
    ",
);

/// The least confidence of a statement that changes rows: below it a name was guessed.
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
    let start = tokens
        .iter()
        .position(|token| token.kind != TokenKind::Sign && !POLITE.contains(&token.lower))?;
    let verb = tokens.get(start)?;
    let kind = of(CHANGES, &verb.lower).or_else(|| {
        let names = Links::new(catalog, tokens);
        let named = names.table_at(start).is_some() || names.column_at(start, None).is_some();
        let article = tokens
            .get(start + 1)
            .map_or("", |token| token.lower.as_str());
        let shows = verb.lower == "make" && ["a", "me"].contains(&article);
        (OTHERS.contains(&verb.lower) && !named && !shows).then_some(Change::Other)
    })?;
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

/// Refuses a question whether something is to be changed: `should I delete`, `can we remove`.
fn require_command(before: &[Token]) -> Step<()> {
    let asks = ["can", "could", "must", "need", "should", "will", "would"];
    let asks = before.windows(2).any(|pair| {
        matches!(pair, [verb, who] if asks.contains(&verb.lower.as_str()) && ["i", "we"].contains(&who.lower.as_str()))
    });
    match asks {
        true => Err(Stop::cannot(
            "it asks whether rows are to be changed, and I cannot judge that; say `delete …` or `set …` to have it proposed",
        )),
        false => Ok(()),
    }
}

/// Refuses to delete rows where a question names a column of theirs: `delete the status of paid invoices`.
fn require_rows(links: &Links<'_>) -> Step<()> {
    let articles = ["the", "all", "any", "every", "each", "a", "an"];
    let mut words = links.tokens.iter();
    let at = words
        .position(|token| !articles.contains(&token.lower.as_str()))
        .unwrap_or_default();
    let Some(column) = links.column_at(at, None) else {
        return Ok(());
    };
    let next = links.tokens.get(at + column.tokens);
    let is_owned = next.is_some_and(|token| {
        ["of", "for", "from", "in", "on", "where", "whose"].contains(&token.lower.as_str())
    });
    let is_rows = links.table_at(at).is_some() || links.value_at(at).is_some();
    match is_owned && !is_rows {
        true => Err(Stop::cannot(format!(
            "{:?} is a column, and `delete` takes whole rows; to change it say `set the {} of … to …`, and to delete rows name their table",
            column.item.word, column.item.word
        ))),
        false => Ok(()),
    }
}

/// Refuses a second verb that changes rows: `delete cats and make dogs big`.
fn require_one(tokens: &[Token], catalog: &Catalog<'_>) -> Step<()> {
    let links = Links::new(catalog, tokens);
    let changes = |at: usize, token: &Token| {
        let verb = of(CHANGES, &token.lower).is_some() || OTHERS.contains(&token.lower);
        let follows = at.checked_sub(1).and_then(|at| tokens.get(at));
        let follows = follows
            .is_some_and(|token| ["and", ",", "then", "or", "."].contains(&token.lower.as_str()));
        let named = links.table_at(at).is_some()
            || links.column_at(at, None).is_some()
            || links.value_at(at).is_some();
        token.is_word() && verb && follows && !named
    };
    match tokens
        .iter()
        .enumerate()
        .any(|(at, token)| changes(at, token))
    {
        true => Err(Stop::cannot(
            "it asks for two changes; ask for one after the other",
        )),
        false => Ok(()),
    }
}

struct Changer<'a> {
    catalog: &'a Catalog<'a>,
    relations: &'a Relations,
    today: Day,
}

impl Changer<'_> {
    fn delete(&self, tokens: &[Token]) -> Step<Plan> {
        let links = Links::strict(self.catalog, tokens);
        require_rows(&links)?;
        let draft = parse(&links, self.relations, self.today)?;
        let table = self.certain(&draft)?;
        // `delete all vans`: what rows there can be is said by the one table, or the one that has the value.
        let mut views = self.catalog.tables.iter().flat_map(|view| &view.columns);
        let only = self.catalog.tables.len() == 1 || !views.any(|view| view.column.unread);
        if draft.subject.is_none() && !only || !draft.heads.is_empty() {
            return Err(Stop::cannot(
                "the question does not name the table whose rows are deleted",
            ));
        }
        let conditions = self.conditions(&links, &draft, table)?;
        let key = self.catalog.key(table);
        let one = conditions.iter().any(|condition| match condition {
            Condition::Number(id, Comparison::Equal, _) | Condition::In(id, _) => Some(*id) == key,
            _ => false,
        });
        if !draft.plural && !one && draft.subject.is_some() {
            return Err(Stop::cannot(
                "it names one row in the singular and not by its key; name the key, or the rows in the plural",
            ));
        }
        let told = explain_conditions(self.catalog, self.relations, &conditions);
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

    /// `the price of Desk to 280`: the value is taken off the end, the rest is read as a question for a column.
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

    /// The table, if the draft says nothing but conditions on its rows, all of them certain.
    fn certain(&self, draft: &Draft) -> Step<usize> {
        let plain = draft.intent == Intent::List
            && draft.aggregates.is_empty()
            && draft.groups.is_empty()
            && draft.rank.is_none()
            && draft.rows.is_none()
            && draft.sort.is_empty()
            && !draft.distinct
            && !draft.repeated;
        if !plain || draft.confidence < CERTAIN {
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

    /// The value as a literal of the column's kind.
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
            (Holds::Number, [token]) => match token.kind {
                TokenKind::Number(value) => Ok(number(value)),
                _ => Err(Stop::cannot(format!(
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

/// Returns true for a word behind which the rows are said that are changed.
fn is_condition(token: &Token) -> bool {
    let conditions = ["for", "where", "whose", "that", "with", "if"];
    token.is_word() && conditions.contains(&token.lower.as_str())
}

/// Refuses a last `to` behind a value and its rows, which may be of either: `set the origin to Rome for routes to Nice`.
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
            "`to` stands twice, and I do not see which value is set; name the column of the other, as in `set … to … where … is …`",
        )),
        false => Ok(()),
    }
}

fn is_if(tokens: &[Token]) -> bool {
    tokens.first().is_some_and(|token| token.lower == "if")
}
