//! Tables, columns and values that words name.

use super::Parser;
use crate::catalog::{ColumnId, Holds};
use crate::draft::{Comparison, Demand, Intent, Joiner, Test};
use crate::links::{ColumnLink, Found, TableLink, ValueLink};
use crate::moments::is_of_people;
use crate::morphology::{is_participle, is_plural, lemma, stems};
use crate::plan::{Step, Stop};
use crate::token::TokenKind;

impl Parser<'_> {
    /// Takes a name of the schema or a known value, whichever has more words.
    pub(super) fn thing(&mut self) -> Step<bool> {
        if self.both_names()? || self.stock()? || self.word_for_table() {
            return Ok(true);
        }
        let value = self.links.value_at(self.at);
        let table = self.links.table_at(self.at);
        let column = self.column_in_scope(false);
        let length = |tokens: Option<usize>| tokens.unwrap_or(0);
        let (values, tables, columns) = (
            length(value.as_ref().map(|found| found.tokens)),
            length(table.as_ref().map(|found| found.tokens)),
            length(column.as_ref().map(|found| found.tokens)),
        );
        let names = tables.max(columns);
        if let Some(found) = value
            && (values > names
                || values == names && (self.is_capital() || self.has_its_kind(&found)))
        {
            return self.value(found);
        }
        if let Some(found) = table
            && tables >= columns
        {
            return self.table(found);
        }
        if let Some(found) = column.filter(|found| !self.happens_nearer(found)) {
            return self.column(found);
        }
        if self
            .token(0)
            .is_some_and(|token| token.kind == TokenKind::Quoted)
        {
            return self.loose_text();
        }
        Ok(false)
    }

    /// Returns true for a participle if the current rows have a date for it, and only another table
    /// has a column of that name: `orders shipped in 2023`, with `shipped_on` of orders and
    /// `shipped` of shipments.
    fn happens_nearer(&self, found: &Found<ColumnLink>) -> bool {
        let (word, around) = (self.word(0), self.tables_around());
        let is_own = found.item.ids.iter().any(|id| around.contains(&id.table));
        let mut tables = around.iter();
        found.tokens == 1
            && !is_own
            && is_participle(word)
            && self.date_follows(1)
            && tables.any(|table| self.date_of(word, *table).is_some())
    }

    /// `the products table`: the word says what a name beside it is, even where a value is spelt
    /// like it.
    fn word_for_table(&mut self) -> bool {
        let found = self.links.is_word_for_table(self.at);
        self.at += usize::from(found);
        found
    }

    /// Returns true if the word here begins with a capital within the question, so that it is a
    /// name.
    pub(super) fn is_capital(&self) -> bool {
        self.at > 0
            && self
                .token(0)
                .is_some_and(|token| token.text.starts_with(|letter: char| letter.is_uppercase()))
    }

    /// Takes a name by meaning, or misspelt.
    pub(super) fn alike(&mut self) -> Step<bool> {
        if let Some(found) = self.links.table_like(self.at) {
            let closer = self
                .column_in_scope(true)
                .filter(|column| column.tokens > 1 || column.item.score > found.item.score);
            if closer.is_none() && self.is_told_by_a_column(&stems(self.word(0))) {
                return Err(self.unknown());
            }
            if closer.is_none() {
                self.draft.confidence = self.draft.confidence.min(found.item.score);
                return self.table(found);
            }
        }
        if let Some(found) = self.column_in_scope(true) {
            return self.column(found);
        }
        Ok(false)
    }

    /// The column here: of the scopes from the inside, else of any table. By meaning only where
    /// `meaning` says so.
    pub(super) fn column_in_scope(&self, meaning: bool) -> Option<Found<ColumnLink>> {
        // The name of a table is no guess for a column.
        if meaning && self.links.table_at(self.at).is_some() {
            return None;
        }
        let near = self
            .scopes()
            .into_iter()
            .filter_map(|scope| self.table_of(scope));
        let near: Vec<usize> = near.chain(self.draft.owner).collect();
        let find = |table: Option<usize>| match meaning {
            true => self.links.column_like(self.at, table),
            false => self.links.column_at(self.at, table),
        };
        let found = near
            .into_iter()
            .find_map(|table| find(Some(table)))
            .or_else(|| find(None))?;
        match meaning {
            true => Some(found),
            false => self.links.column_longer(self.at, &found).or(Some(found)),
        }
    }

    /// The column here by its name, else by meaning.
    pub(super) fn any_column(&self) -> Option<Found<ColumnLink>> {
        let exact = self.column_in_scope(false);
        exact.or_else(|| self.column_in_scope(true))
    }

    /// Adds a column that is asked for.
    pub(super) fn head(&mut self, column: ColumnLink) -> Step<()> {
        self.draft.confidence = self.draft.confidence.min(column.score);
        self.joiner = Joiner::None;
        if self.negated {
            return Err(self.unknown());
        }
        self.draft.heads.push(column);
        Ok(())
    }

    fn table(&mut self, found: Found<TableLink>) -> Step<bool> {
        let table = found.item.table;
        let word = self.links.shown(self.at, found.tokens);
        let plural = self
            .tokens()
            .get(self.at + found.tokens - 1)
            .is_some_and(|token| is_plural(&token.lower));
        if self.narrows_the_value(table) {
            self.at += found.tokens;
            return Ok(true);
        }
        let start = self.at;
        if self.follows_a_value(start) {
            self.subject_of_values(start);
        }
        self.at += found.tokens;
        if self.owns(table, plural)? {
            return Ok(true);
        }
        self.note(
            &word,
            format!("the table {}", self.links.catalog.table_name(table)),
        );
        let Some(subject) = self.draft.subject else {
            self.draft.subject = Some(found.item);
            self.draft.plural = plural;
            let before = start.checked_sub(1).and_then(|at| self.tokens().get(at));
            let of = ["of", "for", "the", "all", "our"];
            self.draft.headed = !self.draft.heads.is_empty()
                && !before.is_some_and(|token| of.contains(&token.lower.as_str()));
            if let Some(scope) = self.draft.scopes.first_mut() {
                scope.table = Some(table);
                self.regrouped = self.joiner != Joiner::None && !scope.wishes.is_empty();
            }
            if !self.regrouped {
                self.joiner = Joiner::None;
            }
            self.apposition(table, &word)?;
            return Ok(true);
        };
        if self.apposition(table, &word)? {
            return Ok(true);
        }
        if table == subject.table || self.table_of(self.scope) == Some(table) {
            return match self.joiner {
                Joiner::None => Ok(true),
                _ => Err(Stop::cannot(format!("{word:?} comes twice"))),
            };
        }
        if self.negated && self.joiner == Joiner::None && !plural && self.is_after_not(start) {
            // `customers who did not order`: the table is a verb.
            self.open(table, None, true, word)?;
            return Ok(true);
        }
        if self.joiner == Joiner::And && self.continues_demands()? {
            self.open(table, None, true, word)?;
            return Ok(true);
        }
        if self.joiner != Joiner::None || self.negated {
            self.at = start;
            return Err(Stop::cannot(format!(
                "it asks for {word:?} beside {:?}; ask one after the other",
                self.links.catalog.table_name(subject.table)
            )));
        }
        self.refuse_by(table, start, &word)?;
        // `who never borrowed a book`: the object of a verb is demanded as the verb is.
        let object = self
            .scope_of(self.scope)
            .is_some_and(|scope| scope.demanded);
        self.open(table, None, object, word)?;
        Ok(true)
    }

    fn is_after_not(&self, start: usize) -> bool {
        let before = start.checked_sub(1).and_then(|at| self.tokens().get(at));
        before.is_some_and(|token| {
            token.lower == "not" || token.lower == "never" || token.lower.ends_with("n't")
        })
    }

    /// `with orders and reviews`: back to the scope of the first of them.
    fn continues_demands(&mut self) -> Step<bool> {
        let Some(scope) = self.scope_of(self.scope) else {
            return Ok(false);
        };
        let (Some(outer), true, true) = (scope.outer, scope.demanded, scope.wishes.is_empty())
        else {
            return Ok(false);
        };
        let last = self.scope_of(outer).and_then(|scope| scope.wishes.last());
        let Some((Demand::Inner(_, count), negated)) =
            last.map(|wish| (&wish.demand, wish.negated))
        else {
            return Ok(false);
        };
        if negated || count.is_some() {
            return Err(Stop::cannot(
                "I do not see whether the condition before `and` holds for both; say it of each",
            ));
        }
        self.scope = outer;
        Ok(true)
    }

    /// `first and last name`, and `names` of people whose table has both.
    fn both_names(&mut self) -> Step<bool> {
        let phrase =
            self.is_at(&["first", "and", "last"]) && matches!(self.word(3), "name" | "names");
        if phrase {
            for name in ["first name", "last name"] {
                let ids = self.links.columns_named(name);
                if ids.is_empty() {
                    return Err(self.unknown());
                }
                self.head(ColumnLink::new(ids, name, 1.0))?;
            }
            self.at += 4;
            return Ok(true);
        }
        let names = matches!(self.word(0), "name" | "names") && self.word(1) == "of";
        let after = 2 + usize::from(matches!(self.word(2), "the" | "all"));
        let Some(table) = self.links.table_at(self.at + after).filter(|_| names) else {
            return Ok(false);
        };
        if !self.labels(table.item.table)? {
            return Ok(false);
        }
        self.at += 1;
        Ok(true)
    }

    /// Asks for the names of the rows of a table, if they have two.
    fn labels(&mut self, table: usize) -> Step<bool> {
        let labels = self
            .links
            .catalog
            .table(table)
            .map(|view| view.labels.clone())
            .unwrap_or_default();
        if labels.len() < 2 {
            return Ok(false);
        }
        for column in labels {
            let link = ColumnLink::new(vec![ColumnId { table, column }], "name", 1.0);
            self.head(link)?;
        }
        Ok(true)
    }

    /// `out of stock`, `in stock`.
    fn stock(&mut self) -> Step<bool> {
        let comparison = match () {
            () if self.is_at(&["out", "of", "stock"]) => Comparison::Equal,
            () if self.is_at(&["in", "stock"]) => Comparison::Greater,
            () => return Ok(false),
        };
        let Some(id) = self
            .table_of(self.scope)
            .and_then(|table| self.links.first_meaning(&["stock"], table))
        else {
            return Ok(false);
        };
        self.at += if comparison == Comparison::Equal {
            3
        } else {
            2
        };
        let link = ColumnLink::new(vec![id], "stock", 0.9);
        self.draft.confidence = self.draft.confidence.min(link.score);
        self.wish(
            self.scope,
            Demand::Column(link, Test::Number(comparison, 0.0)),
            "stock".to_owned(),
        )?;
        Ok(true)
    }

    /// `products from the Books category`, `the KRAS gene`: the name of what the value before is.
    fn narrows_the_value(&mut self, table: usize) -> bool {
        let Some(wish) = self
            .draft
            .scopes
            .iter_mut()
            .filter_map(|scope| scope.wishes.last_mut())
            .last()
        else {
            return false;
        };
        let Demand::Value(links) = &mut wish.demand else {
            return false;
        };
        let before = self
            .at
            .checked_sub(1)
            .and_then(|at| self.links.tokens.get(at))
            .map(|token| token.lower.clone())
            .unwrap_or_default();
        let adjacent = wish.word.to_lowercase().ends_with(&before) && !before.is_empty();
        let own: Vec<ValueLink> = links
            .iter()
            .filter(|link| link.column.table == table)
            .cloned()
            .collect();
        let subject = self
            .draft
            .subject
            .is_none_or(|subject| subject.table == table);
        if !adjacent || own.is_empty() || subject {
            return false;
        }
        *links = own;
        true
    }

    /// `order totals`, `patient names`: a table in front of its own column. The column is asked
    /// for, unless a condition follows.
    fn owns(&mut self, table: usize, plural: bool) -> Step<bool> {
        let exact = self.links.column_at(self.at, Some(table));
        if exact.is_none()
            && matches!(self.word(0), "name" | "names")
            && self.draft.subject.is_none()
            && self.labels(table)?
        {
            self.at += 1;
            self.draft.owner = Some(table);
            return Ok(true);
        }
        let Some(column) = exact.or_else(|| self.links.column_like(self.at, Some(table))) else {
            return Ok(false);
        };
        let mut ids = column.item.ids.iter();
        if ids.any(|id| self.links.catalog.truths(*id).is_some()) {
            return Ok(false);
        }
        let plural_noun = plural
            && self.draft.subject.is_none()
            && !is_possessive(self.links.tokens.get(self.at.saturating_sub(1)));
        let here = self.at;
        self.at += column.tokens;
        let tested = self.test(&column.item)?.is_some();
        self.at = here;
        if tested
            || plural_noun
            || self.draft.subject.is_some()
            || self.draft.intent == Intent::Exists
        {
            return Ok(false);
        }
        self.at += column.tokens;
        self.draft.owner = Some(table);
        if self.counts() && self.draft.heads.is_empty() && self.draft.aggregates.is_empty() {
            self.draft.distinct = true;
        }
        self.head(column.item)?;
        Ok(true)
    }

    /// A column: a condition if one follows, else it is asked for.
    fn column(&mut self, found: Found<ColumnLink>) -> Step<bool> {
        self.column_beside()?;
        let link = found.item;
        let catalog = self.links.catalog;
        let says_so = link.ids.iter().all(|id| catalog.is_flag(*id));
        if says_so && found.tokens == 1 && self.is_event(&link.ids)? {
            return Ok(true);
        }
        let continues = self.continues_a_list();
        self.draft.confidence = self.draft.confidence.min(link.score);
        self.at += found.tokens;
        let shown: Vec<String> = link
            .ids
            .iter()
            .take(3)
            .map(|id| self.links.catalog.shown(*id))
            .collect();
        self.note(&link.word, format!("the column {}", shown.join(" or ")));
        self.require_said(&link.ids, &link.word)?;
        let start = self.at;
        // `set the status of blocked members`: the column that is set comes first.
        let is_first = start == found.tokens || start == found.tokens + 1 && self.starts_with_the();
        let is_set = self.links.strict && self.word(0) == "of" && is_first;
        let test = if is_set { None } else { self.test(&link)? };
        if let Some((test, negated)) = test {
            self.negated ^= negated;
            let scope = self.column_scope(&link);
            let word = format!("{} {}", link.word, self.links.shown(start, self.at - start));
            self.wish(scope, Demand::Column(link, test), word)?;
            return Ok(true);
        }
        if self.ranked_happening(&link)? {
            return Ok(true);
        }
        if self.says_so(&link, continues) || self.may_be_so(&link, start - found.tokens)? {
            let scope = self.column_scope(&link);
            let word = link.word.clone();
            self.stand = Some(self.stand(start - found.tokens, true));
            self.wish(scope, Demand::Column(link, Test::Flag), word)?;
            return Ok(true);
        }
        if !continues && self.bearers(&link, start - found.tokens)? {
            return Ok(true);
        }
        let listing = self
            .draft
            .scopes
            .iter()
            .all(|scope| scope.wishes.is_empty())
            && self.draft.groups.is_empty()
            && !self.negated
            && (self.draft.heads.is_empty() || continues)
            && (self.draft.subject.is_none() || !self.draft.heads.is_empty() || self.is_which());
        if listing || self.draft.subject.is_none() && self.draft.heads.is_empty() {
            if self.counts() && self.draft.heads.is_empty() {
                self.counted(&link, start.saturating_sub(found.tokens))?;
                self.draft.distinct |= !self.is_number(&link);
            }
            // `discontinued products` says something of the rows, and not which column is wanted.
            let in_front = self
                .links
                .table_at(self.at)
                .is_some_and(|found| link.ids.iter().any(|id| id.table == found.item.table));
            if in_front {
                return Err(unclear(&link));
            }
            self.shown_with_names()?;
            self.head(link)?;
            return Ok(true);
        }
        Err(unclear(&link))
    }

    fn starts_with_the(&self) -> bool {
        self.tokens()
            .first()
            .is_some_and(|token| token.lower == "the")
    }

    /// Returns true if a column of yes and no says that rows are so: `smokers in Rome`; and not
    /// that its value is asked for, as in `smoker of Bob`.
    fn says_so(&self, link: &ColumnLink, continues: bool) -> bool {
        let catalog = self.links.catalog;
        if link.ids.iter().any(|id| catalog.holds(*id) == Holds::Flag) {
            return true;
        }
        if !link.ids.iter().any(|id| catalog.truths(*id).is_some()) || self.draft.distinct {
            return false;
        }
        let last = link.word.rsplit(' ').next().unwrap_or_default();
        let of_rows = is_plural(&last.to_lowercase()) || self.counts();
        let before = self.at.checked_sub(2).and_then(|at| self.tokens().get(at));
        let owned = is_possessive(before);
        let value = matches!(self.word(0), "of" | "for") && !of_rows || owned;
        let next = matches!(self.word(0), "and" | ",");
        // `list parking and pool of hotels`.
        let listed = |found: Found<ColumnLink>| {
            let mut ids = found.item.ids.iter();
            let ends = matches!(self.word(1 + found.tokens), "of" | "for" | "," | "and");
            ends || !ids.any(|id| catalog.is_flag(*id))
        };
        let listed = next && self.links.column_at(self.at + 1, None).is_some_and(listed);
        let asked = self.draft.subject.is_none() && (value || listed && !of_rows);
        !asked && (!continues || self.draft.heads.is_empty())
    }

    /// Returns true if a question that counts says by a column how rows are, and does not ask for
    /// its different values: `how many men smoke`, `how many are married`, `how many married
    /// women`; and not `how many Japanese manufacturers`.
    pub(super) fn is_said_of_rows(&self, link: &ColumnLink, start: usize) -> bool {
        let last = link.word.rsplit(' ').next().unwrap_or_default();
        let last = last.to_lowercase();
        let before = start.checked_sub(1).and_then(|at| self.tokens().get(at));
        let verbs = [
            "are", "is", "was", "were", "be", "been", "have", "has", "had", "who", "that", "not",
            "never", "do", "does", "did", "got", "get",
        ];
        let predicate = before.is_some_and(|token| verbs.contains(&token.lower.as_str()));
        let mut scopes = self.draft.scopes.iter();
        let behind = scopes.any(|scope| !scope.wishes.is_empty());
        let does = ["er", "or", "ed"]
            .iter()
            .any(|end| lemma(&last).ends_with(end));
        let of_people = link.ids.iter().any(|id| is_of_people(self.links, id.table));
        let is_verb = !is_plural(&last) || does && of_people;
        let in_front = !is_plural(&last) && self.links.value_at(self.at).is_some();
        let guessed = !is_plural(&last) && link.score < 1.0;
        predicate || behind && is_verb || in_front || guessed
    }

    /// Returns true if `and` or a comma stands before, articles aside.
    fn continues_a_list(&self) -> bool {
        let before = self.tokens().iter().take(self.at).rev();
        let articles = ["the", "their", "its", "also", "his", "her"];
        before
            .map(|token| token.lower.as_str())
            .find(|word| !articles.contains(word))
            .is_some_and(|word| ["and", ",", "&", "plus"].contains(&word))
    }

    /// A column of a table by its name.
    pub(super) fn own_column_at(&self, table: usize) -> Option<Found<ColumnLink>> {
        let found = self.links.column_at(self.at, Some(table))?;
        self.links.column_longer(self.at, &found).or(Some(found))
    }

    /// `How many different cities do customers …`: the column may come in front of its table, and
    /// behind it with `and`.
    fn is_which(&self) -> bool {
        self.joiner == Joiner::And && self.draft.rank.is_none() && self.scope == 0
    }

    fn is_number(&self, link: &ColumnLink) -> bool {
        link.ids
            .iter()
            .all(|id| matches!(self.links.catalog.holds(*id), Holds::Number))
    }

    /// The innermost scope that has the column.
    pub(super) fn column_scope(&self, link: &ColumnLink) -> usize {
        self.scopes()
            .into_iter()
            .find(|scope| {
                let table = self.table_of(*scope);
                link.ids.iter().any(|id| Some(id.table) == table)
            })
            .unwrap_or(self.scope)
    }

    /// `'Wood' in the title`: a text between quotes in front of its column.
    fn loose_text(&mut self) -> Step<bool> {
        let Some(token) = self.token(0) else {
            return Ok(false);
        };
        let text = token.text.clone();
        let start = self.at;
        self.at += 1;
        if self.eat(&["in", "within"]) {
            self.skip(&["the", "their", "its", "his", "her"]);
            if let Some(found) = self.any_column() {
                self.at += found.tokens;
                let scope = self.column_scope(&found.item);
                let test = Test::Text(crate::draft::TextMatch::Contains, text.clone());
                self.wish(scope, Demand::Column(found.item, test), text)?;
                return Ok(true);
            }
        }
        self.at = start;
        Err(Stop::cannot(format!(
            "I do not see in which column {text:?} is; name it, as in `whose name is {text:?}`"
        )))
    }
}

pub(super) fn unclear(link: &ColumnLink) -> Stop {
    Stop::cannot(format!(
        "the question does not say what is asked of {:?}",
        link.word
    ))
}

/// Returns true if the word is written with a possessive ending.
pub(super) fn is_possessive(token: Option<&crate::token::Token>) -> bool {
    token.is_some_and(|token| token.text.ends_with("'s") || token.text.ends_with("’s"))
}
