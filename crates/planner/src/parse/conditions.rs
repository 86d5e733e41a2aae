//! What rows must have: `with more than 3 orders`, `without email`, `price between 20 and 200`, `name starts with 'A'`.

use super::Parser;
use crate::catalog::Holds;
use crate::draft::{Comparison, Demand, Test, TextMatch};
use crate::links::{ColumnLink, Found};
use crate::plan::{Step, Stop};
use crate::token::TokenKind;

/// Articles in front of a thing.
const ARTICLES: &[&str] = &[
    "a", "an", "both", "any", "the", "their", "its", "some", "known",
];

impl Parser<'_> {
    /// Takes `with`, `without`, `have` and the like with what follows.
    pub(super) fn possession(&mut self) -> Step<bool> {
        let start = self.at;
        let has = self.eat(&[
            "with",
            "have",
            "has",
            "having",
            "had",
            "whose",
            "where",
            "containing",
            "contain",
            "contains",
        ]);
        let negative = match has {
            true => self.eat_phrase(&[&["not", "any"], &["no"], &["not", "a"], &["zero"]]),
            false => self.eat(&["without", "lacking", "missing", "no"]),
        };
        if !has && !negative {
            return Ok(false);
        }
        if has && !negative && self.shown_beside()? {
            return Ok(true);
        }
        self.skip(ARTICLES);
        let missing = self.eat(&["unknown", "missing", "empty", "unspecified", "blank"]);
        self.skip(ARTICLES);
        if negative || missing {
            return self.absence(missing && !negative);
        }
        if self.possessed()? {
            return Ok(true);
        }
        // The word alone changes nothing; what follows it is read by itself.
        self.at = start + 1;
        Ok(true)
    }

    /// `products with their prices`: the column is shown, and nothing is demanded of it.
    fn shown_beside(&mut self) -> Step<bool> {
        let start = self.at;
        if !self.eat(&["their", "its", "his", "her"]) {
            return Ok(false);
        }
        let own = self.table_of(0).filter(|_| self.scope == 0);
        let Some(found) = own.and_then(|table| self.own_column_at(table)) else {
            self.at = start;
            return Ok(false);
        };
        self.at += found.tokens;
        if !self.draft.heads.is_empty() {
            self.head(found.item)?;
        }
        Ok(true)
    }

    /// Takes what must be absent.
    fn absence(&mut self, column_only: bool) -> Step<bool> {
        let negated = self.negated;
        if column_only {
            self.negated = false;
        }
        let scope_table = self.table_of(self.scope);
        let exact = scope_table.and_then(|table| self.own_column_at(table));
        let table = self.links.table_at(self.at);
        let longer = |found: &Found<ColumnLink>| {
            table
                .as_ref()
                .is_none_or(|table| found.tokens >= table.tokens)
        };
        if let Some(found) = exact.filter(longer) {
            return self.absent_column(found, negated && column_only);
        }
        if let Some(found) = table.filter(|_| !column_only) {
            let word = self.links.shown(self.at, found.tokens);
            self.at += found.tokens;
            self.absent_table(found.item.table, word)?;
            return Ok(true);
        }
        if let Some(found) = self.links.value_at(self.at).filter(|_| !column_only) {
            self.negated = !self.negated;
            return self.value_after(found);
        }
        if let Some(found) = self
            .column_in_scope(false)
            .or_else(|| self.column_in_scope(true))
        {
            return self.absent_column(found, negated && column_only);
        }
        if let Some(found) = self.links.table_like(self.at).filter(|_| !column_only) {
            let word = self.links.shown(self.at, found.tokens);
            self.draft.confidence = self.draft.confidence.min(found.item.score);
            self.at += found.tokens;
            self.absent_table(found.item.table, word)?;
            return Ok(true);
        }
        Err(self.unknown())
    }

    fn value_after(&mut self, found: Found<Vec<crate::links::ValueLink>>) -> Step<bool> {
        let word = self.links.shown(self.at, found.tokens);
        self.at += found.tokens;
        self.wish(self.scope, Demand::Value(found.item), word)?;
        Ok(true)
    }

    fn absent_table(&mut self, table: usize, word: String) -> Step<()> {
        let scope = self.scope;
        self.negated = !self.negated;
        self.open(table, None, true, word)?;
        // `customers without orders in 2024`: what follows says which orders.
        let _ = scope;
        Ok(())
    }

    fn absent_column(&mut self, found: Found<ColumnLink>, present: bool) -> Step<bool> {
        self.at += found.tokens;
        self.draft.confidence = self.draft.confidence.min(found.item.score);
        let scope = self.column_scope(&found.item);
        let word = found.item.word.clone();
        let test = if present {
            Test::Present
        } else {
            Test::Missing
        };
        self.wish(scope, Demand::Column(found.item, test), word)?;
        Ok(true)
    }

    /// Takes what must be there. Not taken: rankings, and words that nothing is known of.
    fn possessed(&mut self) -> Step<bool> {
        let start = self.at;
        if self.counted_here()? {
            return Ok(true);
        }
        self.at = start;
        if self
            .token(0)
            .is_some_and(|token| token.kind == TokenKind::Quoted)
        {
            return Ok(false);
        }
        let own = self.table_of(self.scope);
        let column = own.and_then(|table| self.own_column_at(table));
        let table = self
            .links
            .table_at(self.at)
            .filter(|found| Some(found.item.table) != own);
        if let Some(found) = table
            && column
                .as_ref()
                .is_none_or(|column| column.tokens < found.tokens)
            && self.draft.subject.is_some()
        {
            let word = self.links.shown(self.at, found.tokens);
            // `with patient Klein`: the row is named.
            self.at += found.tokens;
            self.open(found.item.table, None, true, word)?;
            return Ok(true);
        }
        let value = self.links.value_at(self.at);
        let found = match (column, value) {
            (Some(column), value)
                if value
                    .as_ref()
                    .is_none_or(|value| value.tokens <= column.tokens) =>
            {
                column
            }
            (_, Some(_)) => return Ok(false),
            (_, None) if own.is_none() => return Ok(false),
            (_, None) => match self
                .column_in_scope(false)
                .or_else(|| self.column_in_scope(true))
            {
                Some(found) if found.item.ids.iter().any(|id| Some(id.table) == own) => found,
                _ => return Ok(false),
            },
        };
        self.at += found.tokens;
        self.draft.confidence = self.draft.confidence.min(found.item.score);
        let after = self.at;
        let (test, negated) = self.test(&found.item)?.unwrap_or((Test::Present, false));
        self.negated ^= negated;
        // The second of two: `with revenue and rating above 5` would say nothing of the first.
        if test == Test::Present && self.is_at(&["and"]) {
            return Err(Stop::cannot(format!(
                "the question does not say what is asked of {:?}",
                found.item.word
            )));
        }
        let scope = self.column_scope(&found.item);
        let word = format!(
            "{} {}",
            found.item.word,
            self.links.shown(after, self.at - after)
        );
        self.wish(
            scope,
            Demand::Column(found.item, test),
            word.trim_end().to_owned(),
        )?;
        Ok(true)
    }

    /// Takes `more than 3 orders`, `at least 50 in stock`, `5 pages`.
    fn counted_here(&mut self) -> Step<bool> {
        let start = self.at;
        let comparison = self.comparator();
        if self.dated().is_some_and(|dated| !dated.bare_year) {
            self.at = start;
            return Ok(false);
        }
        let Some(quantity) = self.quantity() else {
            self.at = start;
            return Ok(false);
        };
        let comparison = self.or_more().or(comparison);
        self.skip(&["of"]);
        self.after_number(comparison, quantity, start)
    }

    /// Takes a comparison without a verb: `over 1000`, `cheaper than 50`, `more than 300 pages`.
    pub(super) fn comparison(&mut self) -> Step<bool> {
        let start = self.at;
        if let Some((comparison, meanings)) = self.comparative() {
            let Some(quantity) = self.quantity() else {
                return Err(self.unknown());
            };
            let tables = self.scopes();
            let found = tables.iter().find_map(|scope| {
                let table = self.table_of(*scope)?;
                Some((*scope, self.links.first_meaning(meanings, table)?))
            });
            let Some((scope, id)) = found else {
                self.at = start;
                return Err(self.unknown());
            };
            let link = ColumnLink {
                ids: vec![id],
                word: self.links.shown(start, 1),
                score: 0.9,
            };
            // `longer than 2 days`, where `days` is the column.
            if let Some(found) = self.links.column_at(self.at, Some(id.table))
                && found.item.ids == link.ids
            {
                self.at += found.tokens;
            }
            self.draft.confidence = self.draft.confidence.min(link.score);
            self.check_unit(&link, quantity)?;
            let word = self.links.shown(start, self.at - start);
            self.wish(
                scope,
                Demand::Column(link, Test::Number(comparison, quantity.value)),
                word,
            )?;
            return Ok(true);
        }
        let Some(comparison) = self.comparator() else {
            return Ok(false);
        };
        let Some(quantity) = self.quantity() else {
            self.at = start;
            return Ok(false);
        };
        self.after_number(Some(comparison), quantity, start)
    }

    /// Reads what a number counts: a column, rows of a table, or nothing that is named.
    fn after_number(
        &mut self,
        comparison: Option<Comparison>,
        quantity: super::numbers::Quantity,
        start: usize,
    ) -> Step<bool> {
        let op = comparison.unwrap_or(Comparison::Equal);
        let before = self.at;
        let stock = self.word(1) != "total" && self.eat(&["in"]);
        self.skip(&["the"]);
        let own = self.table_of(self.scope);
        let column = own
            .and_then(|table| self.own_column_at(table))
            .or_else(|| {
                own.and_then(|table| self.links.column_like(self.at, Some(table)))
                    .filter(|_| self.links.table_at(self.at).is_none())
            })
            .filter(|found| {
                found
                    .item
                    .ids
                    .iter()
                    .any(|id| self.links.catalog.holds(*id) == Holds::Number)
            });
        let table = self.links.table_at(self.at).filter(|_| !stock);
        let longer = |found: &Found<ColumnLink>| {
            table
                .as_ref()
                .is_none_or(|table| found.tokens >= table.tokens)
        };
        if let Some(found) = column.filter(longer) {
            self.at += found.tokens;
            self.draft.confidence = self.draft.confidence.min(found.item.score);
            self.check_unit(&found.item, quantity)?;
            let scope = self.column_scope(&found.item);
            let word = self.links.shown(start, self.at - start);
            self.wish(
                scope,
                Demand::Column(found.item, Test::Number(op, quantity.value)),
                word,
            )?;
            return Ok(true);
        }
        let like = || self.links.table_like(self.at).filter(|_| !stock);
        if let Some(found) = table.or_else(like)
            && (own.is_some() || !self.draft.heads.is_empty())
            && quantity.unit.is_none()
        {
            self.at += found.tokens;
            self.draft.confidence = self.draft.confidence.min(found.item.score);
            let word = self.links.shown(start, self.at - start);
            self.open(found.item.table, Some((op, quantity.value)), true, word)?;
            return Ok(true);
        }
        self.at = before;
        if comparison.is_none() {
            self.at = start;
            return Ok(false);
        }
        let word = self.links.shown(start, self.at - start);
        let noted = quantity.unit;
        let scope = self.scope;
        if let Some(unit) = noted {
            let link = self.measured_in(unit, scope)?;
            self.wish(
                scope,
                Demand::Column(link, Test::Number(op, quantity.value)),
                word,
            )?;
            return Ok(true);
        }
        self.wish(scope, Demand::Number(op, quantity.value), word)?;
        Ok(true)
    }

    /// `over 80 kg`: the one column with this unit in its name.
    fn measured_in(&self, unit: &[&str], scope: usize) -> Step<ColumnLink> {
        let table = self.table_of(scope);
        let ids: Vec<_> = table
            .into_iter()
            .flat_map(|table| self.links.catalog.ids(table))
            .filter(|id| self.has_unit(*id, unit))
            .collect();
        match ids.as_slice() {
            [_] => Ok(ColumnLink {
                ids,
                word: String::new(),
                score: 0.9,
            }),
            _ => Err(Stop::cannot(
                "no column has the unit that the question names",
            )),
        }
    }

    fn has_unit(&self, id: crate::catalog::ColumnId, unit: &[&str]) -> bool {
        let last = self
            .links
            .catalog
            .column(id)
            .and_then(|view| base::words::split(&view.column.name).pop());
        last.is_some_and(|last| unit.contains(&last.as_str()))
    }

    /// A unit must be the one in the name of the column.
    pub(super) fn check_unit(
        &self,
        link: &ColumnLink,
        quantity: super::numbers::Quantity,
    ) -> Step<()> {
        let Some(unit) = quantity.unit else {
            return Ok(());
        };
        match link.ids.iter().any(|id| self.has_unit(*id, unit)) {
            true => Ok(()),
            false => Err(Stop::cannot(format!(
                "the column for {:?} does not say that it has the unit that the question names",
                link.word
            ))),
        }
    }

    /// Takes what is demanded of a column that was just named, and whether it is negated.
    pub(super) fn test(&mut self, link: &ColumnLink) -> Step<Option<(Test, bool)>> {
        let start = self.at;
        let mut negated = false;
        let mut said = false;
        loop {
            match self.word(0) {
                "not" | "isn't" | "aren't" | "wasn't" => negated = !negated,
                "is" | "are" | "was" | "were" | "be" | "of" | "as" | ":" | "being" | "equals"
                | "called" | "named" | "that" | "which" | "has" | "have" | "been" => {}
                _ => break,
            }
            said |= self.word(0) != "of";
            self.at += 1;
        }
        let copula = self.at > start;
        if let Some(test) = self.bare_test(link, copula, said)? {
            return Ok(Some((test, negated)));
        }
        self.at = start;
        Ok(None)
    }

    fn bare_test(&mut self, link: &ColumnLink, copula: bool, said: bool) -> Step<Option<Test>> {
        let start = self.at;
        if copula || self.draft.subject.is_some() {
            if self.eat(&[
                "missing",
                "null",
                "empty",
                "blank",
                "unknown",
                "unset",
                "unspecified",
            ]) {
                return Ok(Some(Test::Missing));
            }
            if said && self.eat(&["known", "set", "recorded", "present", "given"]) {
                return Ok(Some(Test::Present));
            }
        }
        let dated = link
            .ids
            .iter()
            .any(|id| matches!(self.links.catalog.holds(*id), Holds::Date(_)));
        if dated && let Some(test) = self.date_test()? {
            return Ok(Some(Test::Date(test)));
        }
        self.at = start;
        if let Some(test) = self.number_test(link)? {
            return Ok(Some(test));
        }
        self.at = start;
        if let Some(test) = self.text_test() {
            return Ok(Some(test));
        }
        self.at = start;
        self.skip(&["the", "a", "an"]);
        let known = self.known_value(link, said);
        if known.is_none() {
            self.at = start;
        }
        Ok(known)
    }

    fn number_test(&mut self, link: &ColumnLink) -> Step<Option<Test>> {
        if self.eat(&["between"]) {
            let Some(low) = self.quantity() else {
                return Ok(None);
            };
            if !self.eat(&["and", "to"]) {
                return Err(self.unknown());
            }
            let Some(high) = self.quantity() else {
                return Err(self.unknown());
            };
            self.check_unit(link, high)?;
            if low.value > high.value {
                return Err(Stop::cannot(
                    "the first number of `between` is the larger one",
                ));
            }
            return Ok(Some(Test::Between(low.value, high.value)));
        }
        let comparison = self.comparator();
        if comparison.is_some() {
            self.skip(&["the", "their", "its"]);
            let after = self.at;
            if let Some(column) = self.column_in_scope(false)
                && column.item.ids.iter().any(|id| {
                    matches!(
                        self.links.catalog.holds(*id),
                        Holds::Number | Holds::Date(_)
                    )
                })
            {
                self.at += column.tokens;
                let op = comparison.unwrap_or(Comparison::Equal);
                return Ok(Some(Test::Column(op, column.item)));
            }
            self.at = after;
        }
        let Some(quantity) = self.quantity() else {
            return Ok(None);
        };
        self.check_unit(link, quantity)?;
        let comparison = self.or_more().or(comparison);
        let text = link
            .ids
            .iter()
            .all(|id| self.links.catalog.holds(*id) == Holds::Text);
        if text && comparison.is_some() {
            // `cities that have more than one customer`: the number counts something else.
            return Ok(None);
        }
        if text && comparison.is_none() {
            let written = self.links.shown(self.at.saturating_sub(1), 1);
            return Ok(Some(Test::Exactly(written)));
        }
        Ok(Some(Test::Number(
            comparison.unwrap_or(Comparison::Equal),
            quantity.value,
        )))
    }

    fn text_test(&mut self) -> Option<Test> {
        let kinds: &[(&[&[&str]], TextMatch)] = &[
            (
                &[
                    &["starts", "with"],
                    &["start", "with"],
                    &["starting", "with"],
                    &["begins", "with"],
                    &["begin", "with"],
                    &["beginning", "with"],
                ],
                TextMatch::StartsWith,
            ),
            (
                &[
                    &["ends", "with"],
                    &["end", "with"],
                    &["ending", "with"],
                    &["ends", "in"],
                    &["ending", "in"],
                ],
                TextMatch::EndsWith,
            ),
            (
                &[
                    &["contains"],
                    &["contain"],
                    &["containing"],
                    &["includes"],
                    &["including"],
                    &["like"],
                ],
                TextMatch::Contains,
            ),
        ];
        let (_, kind) = kinds.iter().find(|(phrases, _)| self.eat_phrase(phrases))?;
        self.skip(&["the", "word", "letter", "text", "string"]);
        let token = self.token(0)?;
        if token.kind == TokenKind::Sign {
            return None;
        }
        self.at += 1;
        Some(Test::Text(*kind, token.text.clone()))
    }

    /// A value of the column or of the table that it refers to, a text between quotes, or a name that no table knows.
    fn known_value(&mut self, link: &ColumnLink, said: bool) -> Option<Test> {
        let token = self.token(0)?;
        if let Some(found) = self.links.value_at(self.at) {
            let own = found
                .item
                .iter()
                .any(|value| link.ids.contains(&value.column));
            let referred = link.ids.iter().any(|id| {
                self.relations.edges.iter().any(|edge| {
                    edge.child == *id
                        && found
                            .item
                            .iter()
                            .any(|value| value.column.table == edge.parent.table)
                })
            });
            // Without `is`, a value of something else is a condition of its own: `email of Bob Stone`.
            if own && (said || self.draft.subject.is_some() || self.draft.heads.is_empty())
                || referred && said
            {
                let written = self.word_of_columns(link) && !own;
                if written {
                    return None;
                }
                self.at += found.tokens;
                return Some(Test::Known(found.item));
            }
        }
        if token.kind == TokenKind::Quoted {
            self.at += 1;
            return Some(Test::Exactly(token.text.clone()));
        }
        None
    }

    /// Whether the columns hold text of their own rather than keys of others.
    fn word_of_columns(&self, link: &ColumnLink) -> bool {
        !link
            .ids
            .iter()
            .any(|id| self.relations.edges.iter().any(|edge| edge.child == *id))
    }
}
