//! Words between conditions: `and` and `or`, `not`, exceptions such as `all but`, and verbs that
//! add no condition, such as `living` in `customers living in Oslo`.

use super::Parser;
use crate::accounted::PREPOSITIONS;
use crate::draft::{Intent, Joiner, Stand, Wish};
use crate::lexicon::{NEUTRAL, VERBS_OF_COLUMNS, Words, of};
use crate::links::ValueLink;
use crate::morphology::{is_participle, is_plural, stems};
use crate::plan::{Step, Stop};
use crate::relations::{Via, Ways};
use crate::token::TokenKind;

/// An exception: `all but drinks`, `except open orders in Oslo`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Exception {
    None,
    /// The word of the exception was read, and the excepted things follow.
    Announced,
    /// The exception describes rows of this scope.
    Of(usize),
}

/// Words that may follow `but` if it begins a further condition, and not an exception.
const CONTRASTS: Words = Words(
    "
     also are aren't can did didn't do does doesn't don't had has hasn't have haven't is isn't
     never no not that was wasn't were weren't which who whose without
    ",
);

/// Words that begin a new condition.
pub(crate) const CLAUSES: Words =
    Words("are had has have is that was were where which who whose with without");

/// Words that may stand between `and` and a noun.
const ARTICLES: Words = Words("a all an any every our the");

/// Prepositions between a thing and the one that it belongs to: `orders of Ann`.
pub(super) const PLACING: Words = Words("at by for from in of on to");

/// Negative words, after which `but` means `only`: `nothing but drinks`.
const DENIALS: Words = Words("anybody anyone anything neither never no nobody none nor not");

/// Nouns for the data as a whole.
const CONTAINERS: Words = Words("database dataset entries entry record records row rows system");

/// Verbs before the subject of a sentence: `did Bob order`.
const AUXILIARIES: &[&str] = &["did", "do", "does"];

/// Forms of `be`.
const COPULAS: &[&str] = &["are", "be", "been", "is", "was", "were"];

/// Words in front of the object of a verb.
const QUANTIFIERS: Words =
    Words("a all an any at exactly fewer less more most no several some the their these those");

impl Parser<'_> {
    /// Takes a word that joins two things.
    pub(super) fn junction(&mut self) -> bool {
        let joiner = match self.word(0) {
            "," if self.lists() => Joiner::And,
            "but" if !self.contrasts() => return false,
            "versus" | "vs" if self.compares() => Joiner::And,
            "and" | "&" | "but" | "plus" | "also" => Joiner::And,
            "or" => Joiner::Or,
            "as" if self.is_at(&["as", "well", "as"]) => {
                self.at += 2;
                Joiner::And
            }
            _ => return false,
        };
        if matches!(self.word(0), "versus" | "vs") {
            self.draft.intent = Intent::Compare;
            self.at += usize::from(self.at + 1 < self.tokens().len() && self.word(1) == ".");
        }
        self.at += 1;
        self.joiner = joiner;
        self.joined_at = self.at;
        self.end_clause();
        true
    }

    /// Returns true if a comma here stands between things of a list: behind an exception, in a
    /// change, or before a kind of rows.
    fn lists(&self) -> bool {
        let value = self.links.value_at(self.at + 1);
        let is_kind = value.is_some_and(|found| {
            let word = self.links.shown(self.at + found.tokens, 1);
            is_plural(&word) && word == word.to_lowercase()
        });
        self.exception != Exception::None || self.links.strict || is_kind
    }

    /// Returns true if `Drama versus Comedy` may compare two groups here: the question asks for
    /// nothing that a comparison cannot have, such as a ranking.
    fn compares(&self) -> bool {
        matches!(
            self.draft.intent,
            Intent::List | Intent::Count | Intent::Compare
        ) && self.draft.rank.is_none()
    }

    /// Returns true if `but` begins a further condition: `but not in Oslo`, `but live in Rome`.
    fn contrasts(&self) -> bool {
        let next = self.word(1);
        let excludes = |wish: &Wish| wish.negated;
        let mut scopes = self.draft.scopes.iter();
        let denies = ["not", "no", "without", "never", "with", "has", "have"].contains(&next);
        // `not in Oslo but in Rome` corrects the condition before it.
        if !denies && scopes.any(|scope| scope.wishes.iter().any(excludes)) {
            return false;
        }
        // `but category is not Drinks`
        let column = self.links.column_at(self.at + 1, None);
        let is_said = column.is_some_and(|column| {
            let behind = self.word(1 + column.tokens);
            ["is", "are", "was", "were", "=", "isn't", "aren't"].contains(&behind)
        });
        let stems = stems(next);
        let mut stems = stems.iter();
        let does = |stem: &String| NEUTRAL.contains(stem) || of(VERBS_OF_COLUMNS, stem).is_some();
        let has = next == "with"
            && self
                .draft
                .scopes
                .iter()
                .any(|scope| scope.wishes.iter().any(excludes));
        CONTRASTS.contains(next)
            || has
            || is_said
            || !self.links.strict
                && self.links.value_at(self.at + 1).is_none()
                && (is_participle(next) || stems.any(does))
    }

    /// Takes a word that denies what follows, or excepts it.
    ///
    /// # Errors
    /// Several conditions that one of them denies together.
    pub(super) fn negation(&mut self) -> Step<bool> {
        let denials = [
            "not", "never", "isn't", "aren't", "wasn't", "weren't", "don't", "doesn't", "didn't",
            "haven't", "hasn't",
        ];
        let word = self.word(0);
        let excepts = ["except", "excluding", "but"].contains(&word);
        if !excepts && !denials.contains(&word) {
            return Ok(false);
        }
        self.require_whole(word)?;
        if excepts {
            return self.exception(word);
        }
        self.at += 1;
        if matches!(self.word(0), "(" | "both" | "all" | "every" | "each") {
            return Err(Stop::cannot(format!(
                "{:?} negates several things together, and I can apply it to one only; say for each of them what it must be or must not be",
                format!("{word} {}", self.word(0))
            )));
        }
        // `passengers who never paid`: there must be no such row at all.
        self.lacked |= word == "never";
        // A second negation cancels the first one.
        self.negated = !self.negated;
        Ok(true)
    }

    /// Refuses a change in which a negation does not belong to certain rows: `delete not drinks`
    /// may spare the drinks or all others.
    pub(super) fn require_whole(&self, word: &str) -> Step<()> {
        let before = self.before();
        let does = ["never", "don't", "doesn't", "didn't", "haven't", "hasn't"];
        let is_verb = does.contains(&word);
        let denies_noun = is_verb && self.links.value_at(self.at + 1).is_some();
        let articles = ["", "a", "an", "any", "the"];
        let says_of_nothing = articles.contains(&before) || PLACING.contains(before);
        match self.links.strict && (says_of_nothing || denies_noun) {
            true => Err(Stop::cannot(format!(
                "I do not see of which rows {word:?} is said; name them, as in `all … except …` or `… that are not …`"
            ))),
            false => Ok(()),
        }
    }

    /// Takes the beginning of an exception. All words after it describe the excepted rows: `all but
    /// Tea`, `except those of Ann`.
    fn exception(&mut self, word: &str) -> Step<bool> {
        let start = self.at;
        let before = self.tokens().iter().take(start);
        let mut words = before.filter(|token| token.kind == TokenKind::Word);
        let denied = words.any(|token| DENIALS.contains(&token.lower));
        self.at += 1;
        self.skip(&["for", "the"]);
        let named = self.links.value_at(self.at).is_some()
            || self.links.table_at(self.at).is_some()
            || self
                .token(0)
                .is_some_and(|token| token.kind == TokenKind::Quoted)
            || self.word(0) == "those";
        if self.exception != Exception::None || self.negated || word == "but" && (denied || !named)
        {
            self.at = start;
            return Err(Stop::cannot(format!(
                "I do not see what {word:?} excepts; say `except` and name it"
            )));
        }
        if self.word(0) == "(" {
            return Err(Stop::cannot(
                "the exception is between brackets, and I do not understand how brackets group words",
            ));
        }
        self.exception = Exception::Announced;
        self.negated = true;
        Ok(true)
    }

    /// Ends an exception if a condition on the remaining rows follows: `how many products except
    /// drinks are in stock`.
    pub(super) fn end_exception(&mut self) {
        let verbs = ["is", "are", "was", "were", "have", "has", "had"];
        let relates = ["that", "which", "who", "and", "or", ","].contains(&self.before());
        let is_said = matches!(self.exception, Exception::Of(_)) && !relates;
        if is_said && verbs.contains(&self.word(0)) && !self.links.strict {
            self.exception = Exception::None;
        }
    }

    /// Returns true if the next condition of a scope is part of an exception.
    ///
    /// # Errors
    /// `except Tea, and all food`: all of something is no exception.
    pub(super) fn excepts(&mut self, scope: usize) -> Step<bool> {
        if self.exception == Exception::Announced {
            self.exception = Exception::Of(scope);
            return Ok(true);
        }
        let excepts = self.exception == Exception::Of(scope);
        let first = self.tokens().get(self.joined_at);
        let all = first.is_some_and(|token| ["all", "every"].contains(&token.lower.as_str()));
        if excepts && all && self.joiner != Joiner::None {
            return Err(Stop::cannot(
                "I do not see whether the exception ends before `all`; ask for one after the other",
            ));
        }
        // `except Tea or Juice` excepts both.
        if excepts && self.joiner == Joiner::Or {
            self.joiner = Joiner::And;
        }
        self.negated ^= excepts;
        Ok(excepts)
    }

    /// Returns the form in which the condition that begins at a position is joined: as a noun, as a
    /// clause, or plainly.
    pub(super) fn stand(&self, start: usize, is_noun: bool) -> Stand {
        let between = self.tokens().get(self.joined_at..start);
        let direct = between.is_some_and(|words| {
            let mut words = words.iter();
            words.all(|token| ARTICLES.contains(&token.lower) || token.lower == "those")
        });
        let first = self.tokens().get(self.joined_at);
        // `of Bob and in Oslo`: where rows are changed it is asked back.
        let again = self.links.strict
            && !self.copular
            && first.is_some_and(|token| PLACING.contains(&token.lower));
        // `and is` goes on with the row that the clause before it names.
        let opens = first.is_some_and(|token| {
            CLAUSES.contains(&token.lower) && !["is", "was"].contains(&token.lower.as_str())
        });
        match self.joiner {
            Joiner::And | Joiner::Or if self.regrouped || is_noun && direct || again => Stand::Noun,
            Joiner::And | Joiner::Or if opens => Stand::Clause,
            Joiner::None | Joiner::And | Joiner::Or => Stand::Plain,
        }
    }

    /// Returns true if a neutral word only joins two things: `living in Oslo`, `who made 3 orders`,
    /// `did Bob place`. Beside a noun alone, as in `living artists` and `artists who are working`,
    /// it says how rows are.
    pub(super) fn joins(&self, word: &str) -> bool {
        let before = self.before();
        let named = self.at > 0 && self.names_something(self.at - 1);
        if CONTAINERS.contains(word) {
            let is = named && !is_plural(word) || COPULAS.contains(&before);
            return !is && !self.names_something(self.at + 1);
        }
        let next = self.word(1);
        if PREPOSITIONS.contains(next) || ["per", "each", "every"].contains(&next) {
            return word != "live" || !is_participle(before);
        }
        if self
            .token(1)
            .is_none_or(|token| token.kind == TokenKind::Sign)
        {
            let occurs = stems(word)
                .iter()
                .any(|stem| stem == "happen" || stem == "occur");
            return occurs || self.ends_clause();
        }
        let does = ["who", "that", "which", "have", "has", "had", "never", "not"];
        let subject =
            self.draft.subject.is_some() || self.draft.person || !self.draft.heads.is_empty();
        let object = self.names_something(self.at + 1)
            || self.number_ahead(1).is_some()
            || QUANTIFIERS.contains(next);
        object && (self.is_asked() || subject && (named || does.contains(&before)))
    }

    /// Refuses `airlines by flights over 50`, but not `books by authors over 50`.
    pub(super) fn refuse_by(&self, table: usize, start: usize, word: &str) -> Step<()> {
        let has_many = |from: usize| match self.relations.ways(from, table, &Via::default()) {
            Ways::One(path) => path.iter().all(|hop| hop.down),
            Ways::Several(_) | Ways::None => false,
        };
        match self.word_before(start) == "by" && self.table_of(self.scope).is_some_and(has_many) {
            true => Err(Stop::cannot(format!(
                "the question does not say what it asks of {word:?}"
            ))),
            false => Ok(()),
        }
    }

    /// Returns true if a verb here may be the last word: `how many orders did Bob place`, `the
    /// orders Bob made`.
    pub(super) fn ends_clause(&self) -> bool {
        let before = self.at.checked_sub(1);
        let found = before.and_then(|at| self.links.value_at(at));
        let is_name = |link: &ValueLink| self.links.catalog.is_label(link.column);
        self.is_asked() || found.is_some_and(|found| found.item.iter().any(is_name))
    }

    /// Returns true if an auxiliary before the subject stands earlier in the question.
    fn is_asked(&self) -> bool {
        let mut before = self.words_before(self.at);
        before.any(|word| AUXILIARIES.contains(&word))
    }

    /// Returns true if a table, a value or a column begins at a position.
    pub(super) fn names_something(&self, at: usize) -> bool {
        let links = self.links;
        let named = links.table_at(at).is_some() || links.value_at(at).is_some();
        named || links.column_at(at, None).is_some()
    }
}
