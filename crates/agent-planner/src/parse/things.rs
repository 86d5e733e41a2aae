//! Names of tables and columns, and values. If a phrase may be several of them, the one with the
//! most words is taken.

mod tables;

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

    /// Takes the word `table` of `the products table`: the name beside it is a table, even if a
    /// value is spelt like it.
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

    /// Returns the column here: of the scopes from the innermost, otherwise of any table. Columns
    /// are found by meaning only if `meaning` is true.
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

    /// Returns the column here by its name, otherwise by its meaning.
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

    /// Takes a column. If a test follows, it is a condition, otherwise the question asks for its
    /// values.
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
            self.require_one_enough(start - found.tokens, &link)?;
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
            self.refuse_doing(&link)?;
            self.described_rows(&link);
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
            if in_front || self.describes_a_value(&link) {
                return Err(unclear(&link));
            }
            if let Some(kind) = self.kind_elsewhere(&link, start - found.tokens)? {
                self.at = start - found.tokens;
                return self.value(kind);
            }
            self.shown_with_names()?;
            self.head(link)?;
            return Ok(true);
        }
        Err(unclear(&link))
    }

    /// Returns true if a participle stands in front of a value of its table, and so says how rows
    /// are: `sold Fords`.
    fn describes_a_value(&self, link: &ColumnLink) -> bool {
        let own = |value: &ValueLink| link.ids.iter().any(|id| id.table == value.column.table);
        is_participle(&link.word.to_lowercase())
            && self
                .links
                .value_at(self.at)
                .is_some_and(|found| found.item.iter().any(own))
    }

    fn starts_with_the(&self) -> bool {
        self.tokens()
            .first()
            .is_some_and(|token| token.lower == "the")
    }

    /// Returns true if a column of yes and no is a condition, as in `smokers in Rome`, and not a
    /// value that is asked for, as in `smoker of Bob`.
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
        let value =
            matches!(self.word(0), "of" | "for") && !of_rows && !self.of_others(link) || owned;
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

    /// Returns true if rows of another table follow: `captain of the Lions`.
    fn of_others(&self, link: &ColumnLink) -> bool {
        let behind = self.at + 1 + usize::from(self.word(1) == "the");
        let other = |table: usize| link.ids.iter().all(|id| id.table != table);
        let value = self.links.value_at(behind);
        let table = self.links.table_at(behind);
        value.is_some_and(|found| found.item.iter().all(|link| other(link.column.table)))
            || table.is_some_and(|found| other(found.item.table))
    }

    /// Refuses a column of yes and no that stands as a verb: `who missed more than one shift`, `trained
    /// by Ann`.
    ///
    /// # Errors
    /// The refusal.
    fn refuse_doing(&self, link: &ColumnLink) -> Step<()> {
        if !is_participle(&link.word.to_lowercase()) {
            return Ok(());
        }
        let tables: Vec<usize> = link.ids.iter().map(|id| id.table).collect();
        self.refuse_doer(&link.word, &tables, self.at)?;
        match self.acts_on(&tables, self.at) {
            true => Err(unclear(link)),
            false => Ok(()),
        }
    }

    /// Makes the rows that a column of yes and no describes the subject, where a noun for them is
    /// followed by what they belong to: `captains of the teams`.
    fn described_rows(&mut self, link: &ColumnLink) {
        let last = link.word.rsplit(' ').next().unwrap_or_default();
        let many = is_plural(&last.to_lowercase());
        let joins = ["of", "for", "from", "in", "at"].contains(&self.word(0));
        let [id] = link.ids.as_slice() else { return };
        if joins && self.draft.subject.is_none() && (many || self.of_others(link)) {
            self.draft.set_subject(id.table, link.score);
            self.draft.plural = many;
        }
    }

    /// Returns true if a question that counts says by a column how rows are, and does not ask for
    /// its different values: `how many men smoke`, `how many are married`, `how many married
    /// women`; and not `how many Japanese manufacturers`.
    pub(super) fn is_said_of_rows(&self, link: &ColumnLink, start: usize) -> bool {
        let last = link.word.rsplit(' ').next().unwrap_or_default();
        let last = last.to_lowercase();
        let verbs = [
            "are", "is", "was", "were", "be", "been", "have", "has", "had", "who", "that", "not",
            "never", "do", "does", "did", "got", "get",
        ];
        let predicate = verbs.contains(&self.word_before(start));
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
        let articles = ["the", "their", "its", "also", "his", "her"];
        let mut before = self.words_before(self.at);
        let before = before.find(|word| !articles.contains(word));
        before.is_some_and(|word| ["and", ",", "&", "plus"].contains(&word))
    }

    /// Returns the column of a table that is named here.
    pub(super) fn own_column_at(&self, table: usize) -> Option<Found<ColumnLink>> {
        let found = self.links.column_at(self.at, Some(table))?;
        self.links.column_longer(self.at, &found).or(Some(found))
    }

    /// Returns true if a column may be asked for here, because `and` joins it to what was asked for
    /// before.
    fn is_which(&self) -> bool {
        self.joiner == Joiner::And && self.draft.rank.is_none() && self.scope == 0
    }

    fn is_number(&self, link: &ColumnLink) -> bool {
        link.ids
            .iter()
            .all(|id| matches!(self.links.catalog.holds(*id), Holds::Number))
    }

    /// Returns the innermost scope that has the column.
    pub(super) fn column_scope(&self, link: &ColumnLink) -> usize {
        self.scopes()
            .into_iter()
            .find(|scope| {
                let table = self.table_of(*scope);
                link.ids.iter().any(|id| Some(id.table) == table)
            })
            .unwrap_or(self.scope)
    }

    /// Takes a text between quotes before its column: `'Wood' in the title`.
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
