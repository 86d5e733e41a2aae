//! Values of tables in a question: values that its words spell, and common English words that are
//! spelt like a value.

use super::{ColumnLink, Found, Links, ValueLink};
use crate::catalog::{ColumnId, Holds};
use crate::lexicon::Words;
use crate::limits::{MAX_INDEXED_VALUES, MAX_PHRASE_WORDS};
use crate::lookup::{is_common, may_be_a_value};
use crate::morphology::{is_participle, lemma};
use crate::nationality::{countries_of, holds_countries, holds_sexes, sexes_of};
use crate::token::{Token, TokenKind, tokenize};

/// Words that join, negate or quantify. People may write them in capitals for emphasis.
const STRESSED: Words = Words("all and any both each every no not or");

impl Links<'_> {
    pub(super) fn index_value(&mut self, column: ColumnId, stored: &str) {
        if self.values.len() >= MAX_INDEXED_VALUES {
            return;
        }
        let Ok(tokens) = tokenize(stored) else { return };
        if tokens.is_empty() || tokens.len() > MAX_PHRASE_WORDS {
            return;
        }
        let mut words: Vec<String> = tokens.into_iter().map(|token| token.lower).collect();
        let plain = words.join(" ");
        if let Some(last) = words.last_mut() {
            *last = lemma(last);
        }
        let singular = words.join(" ");
        let link = ValueLink {
            column,
            stored: stored.to_owned(),
        };
        for (values, key) in [
            (&mut self.values, plain),
            (&mut self.singular_values, singular),
        ] {
            let spaced = key.replace(['_', '-'], " ");
            let keys = [Some(spaced).filter(|spaced| *spaced != key), Some(key)];
            for key in keys.into_iter().flatten() {
                let links: &mut Vec<ValueLink> = values.entry(key).or_default();
                if !links.contains(&link) {
                    links.push(link.clone());
                }
            }
        }
    }

    /// Returns the values that the tokens at a position spell, the longest first.
    pub(crate) fn value_at(&self, at: usize) -> Option<Found<Vec<ValueLink>>> {
        (1..=MAX_PHRASE_WORDS).rev().find_map(|tokens| {
            let words = self.tokens.get(at..at + tokens)?;
            if words.iter().all(is_common) && !self.is_written(at, tokens) {
                return None;
            }
            if !words.iter().all(is_common) && !may_be_a_value(words) {
                return None;
            }
            let plain: Vec<String> = words.iter().map(|token| token.lower.clone()).collect();
            let mut singular = plain.clone();
            if let Some(last) = singular.last_mut() {
                *last = lemma(last);
            }
            let mut links = match self.values.get(&plain.join(" ")) {
                Some(links) => links.clone(),
                None if words.iter().all(is_common) => return None,
                None => match self.singular_values.get(&singular.join(" ")) {
                    Some(links) => links.clone(),
                    None => self.other_form_at(words)?,
                },
            };
            // `French` is a language, and authors are of a country. Where rows are changed, `tyres`
            // may be a part that is called `Tyre` as well.
            let mut others = self.other_form_at(words).unwrap_or_default();
            let singular_too = self.strict && plain != singular;
            if singular_too && let Some(alike) = self.singular_values.get(&singular.join(" ")) {
                let columns: Vec<ColumnId> = links.iter().map(|link| link.column).collect();
                let elsewhere = alike.iter().filter(|link| !columns.contains(&link.column));
                others.extend(elsewhere.cloned());
            }
            for other in others {
                if !links.contains(&other) {
                    links.push(other);
                }
            }
            if let [word] = words {
                links.retain(|link| !self.names_its_column(word, link.column));
            }
            // `dogs` are a species, although one of them may be called Dog.
            let is_class = plain != singular && !self.strict;
            if is_class && links.iter().any(|link| !self.catalog.is_name(link.column)) {
                links.retain(|link| {
                    !self.catalog.is_name(link.column)
                        || link.stored.to_lowercase() == plain.join(" ")
                });
            }
            if links.is_empty() {
                return None;
            }
            Some(Found {
                item: links,
                tokens,
            })
        })
    }

    /// Returns the first names that the word at a position is in a table where the next word is a
    /// last name.
    pub(crate) fn first_names_at(&self, at: usize) -> Vec<ValueLink> {
        let values = |at: usize| {
            let token = self.tokens.get(at).filter(|token| token.is_word());
            let known = token.and_then(|token| self.values.get(&token.lower));
            known.map_or(&[][..], Vec::as_slice)
        };
        let pairs = |first: &&ValueLink| {
            let view = self.catalog.table(first.column.table);
            let Some([one, other]) = view.map(|view| view.labels.as_slice()) else {
                return false;
            };
            let last = |link: &ValueLink| {
                link.column.table == first.column.table && link.column.column == *other
            };
            first.column.column == *one && values(at + 1).iter().any(last)
        };
        values(at).iter().filter(pairs).cloned().collect()
    }

    /// Returns the values of columns of text that are this number.
    pub(crate) fn numbers_as_texts(&self, number: f64, link: &ColumnLink) -> Vec<ValueLink> {
        let written = number.to_string();
        let columns = link
            .ids
            .iter()
            .filter(|id| self.catalog.holds(**id) == Holds::Text);
        columns
            .flat_map(|id| {
                let stored = self.stored(&written, *id).into_iter();
                stored.map(|stored| ValueLink {
                    column: *id,
                    stored,
                })
            })
            .collect()
    }

    /// Returns the columns that have a text as a value, in upper or lower case.
    pub(crate) fn columns_with(&self, text: &str) -> Vec<ColumnId> {
        let known = self.values.get(&text.to_lowercase()).into_iter().flatten();
        known.map(|link| link.column).collect()
    }

    /// Returns true if the question has a text between quotes.
    pub(crate) fn is_quoted(&self, text: &str) -> bool {
        let is_it = |token: &Token| token.kind == TokenKind::Quoted && token.text == text;
        self.tokens.iter().any(is_it)
    }

    /// Returns the values that are spelt like a common word, in upper or lower case: `as` for `AS`.
    pub(crate) fn common_at(&self, at: usize) -> Vec<ValueLink> {
        let word = self.tokens.get(at).filter(|token| is_common(token));
        let known = word.and_then(|token| self.values.get(&token.lower));
        known.cloned().unwrap_or_default()
    }

    /// Returns true if words of sentences are written as a value: `US` in capitals, `It` within a
    /// question exactly as a value has it.
    fn is_written(&self, at: usize, tokens: usize) -> bool {
        let words = self.tokens.get(at..at + tokens).unwrap_or_default();
        let stored = |token: &Token| {
            let known = self.values.get(&token.lower);
            at > 0
                && token.is_capital()
                && token.text != "I"
                && known.is_some_and(|links| links.iter().any(|link| link.stored == token.text))
        };
        match words {
            [only] if STRESSED.contains(&only.lower) => {
                (self.in_capitals(at) || stored(only)) && self.stands_as_value(at)
            }
            [only] => self.in_capitals(at) || stored(only),
            _ => (at..at + tokens).all(|at| {
                let token = self.tokens.get(at);
                token.is_some_and(|token| at > 0 && token.is_capital())
            }),
        }
    }

    /// Returns true if `NOT` or `OR` can only be a value: `in OR`, `whose state is NOT`; and not in
    /// `are NOT in TX`.
    fn stands_as_value(&self, at: usize) -> bool {
        let word = |at: Option<usize>| {
            let token = at.and_then(|at| self.tokens.get(at));
            token.map_or("", |token| token.lower.as_str())
        };
        let is_in = |words: &[&str], at: Option<usize>| words.contains(&word(at));
        let next = self.tokens.get(at + 1);
        let ends = next.is_none_or(|token| token.kind == TokenKind::Sign)
            || is_in(&["and", "or", "but"], Some(at + 1));
        let before = at.checked_sub(1 + usize::from(is_in(&["the"], at.checked_sub(1))));
        let announced = is_in(&["in", "from", "of", "at", "by", "to"], before)
            || before.is_some_and(|before| self.column_at(before, None).is_some());
        let listed = is_in(
            &[
                "and", "or", ",", "not", "is", "are", "was", "were", "=", "==",
            ],
            before,
        );
        let joins = is_in(&["and", "or"], Some(at));
        let opens = before.is_none_or(|before| self.tokens.get(before).is_some_and(is_common));
        announced && (ends || next.is_some_and(is_common))
            || listed && ends
            || joins && opens && self.table_at(at + 1).is_some()
    }

    /// Returns true if a word stands in capitals in a question that has small letters, too.
    pub(crate) fn in_capitals(&self, at: usize) -> bool {
        let is_small =
            |token: &Token| token.is_word() && token.text.chars().any(char::is_lowercase);
        self.tokens.get(at).is_some_and(|token| {
            token.is_word()
                && token.text.chars().count() > 1
                && token.text.chars().all(char::is_uppercase)
        }) && self.tokens.iter().any(is_small)
    }

    /// Returns true if a word in small letters is a word of the name of the column, or a verb, and
    /// not a value: `without a name`, `made by`.
    fn names_its_column(&self, word: &Token, column: ColumnId) -> bool {
        let view = self.catalog.column(column);
        let small = word.kind != TokenKind::Quoted && !word.is_capital();
        let own = view.is_some_and(|view| view.words.contains(&lemma(&word.lower)));
        small && (own || is_participle(&word.lower) && self.catalog.is_name(column))
    }

    /// Returns the values that a word means in another form: for `Japanese` the country, in columns
    /// that hold countries, and for `women` the sex.
    fn other_form_at(&self, words: &[Token]) -> Option<Vec<ValueLink>> {
        let [only] = words else { return None };
        let stored = |names: &[&str], holds: fn(&[String]) -> bool| -> Vec<ValueLink> {
            let links = names.iter().filter_map(|name| self.values.get(*name));
            let fits = |link: &&ValueLink| {
                let view = self.catalog.column(link.column);
                view.is_some_and(|view| holds(&view.words))
            };
            links.flatten().filter(fits).cloned().collect()
        };
        let mut links = stored(countries_of(&only.lower), holds_countries);
        links.extend(stored(sexes_of(&only.lower), holds_sexes));
        (!links.is_empty()).then_some(links)
    }

    /// Returns the stored spellings of a text in a column, in upper or lower case.
    pub(crate) fn stored(&self, text: &str, column: ColumnId) -> Vec<String> {
        let Some(view) = self.catalog.column(column) else {
            return Vec::new();
        };
        let mut found: Vec<String> = view
            .column
            .values
            .iter()
            .filter(|stored| stored.to_lowercase() == text.to_lowercase())
            .cloned()
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}
