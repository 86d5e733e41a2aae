//! Verbs that stand for rows of another table: `vehicles never rented` have no row of `rentals`. If
//! a column has the participle as a value as well, such as the status `rented`, the planner asks
//! which of the two is meant. Also days on which something happened, and two verbs with one object.

use super::Parser;
use crate::catalog::ColumnId;
use crate::day::{Span, Unit};
use crate::draft::{Demand, Intent};
use crate::lexicon::{VERBS_OF_NOUNS, Words, of};
use crate::morphology::{is_participle, lemma, stems};
use crate::plan::{Step, Stop};
use crate::token::TokenKind;

/// Words between a verb and its participle.
const ADVERBS: &[&str] = &["not", "never", "ever", "already", "yet"];

/// Words after which a participle describes the state of a row, and not an event.
const STATES: Words = Words("is are isn't aren't and or , currently now");

/// Words between a verb and its object that say of how many things the object is, and their
/// greatest number.
const COUNTING: Words = Words(
    "
     a all an any at both every exactly few fewer fewest five four least less many more most no one
     only several some than the three two
    ",
);
const MAX_COUNTING_WORDS: usize = 5;

/// Stems of verbs for what is planned, so that rows may have a day of it that is still to come.
const PLANNED: Words = Words(
    "
     arrive begin close depart due end expire finish happen hold launch open play release
     start
    ",
);

/// Words between `and` and the second of two verbs, and the greatest number of them.
const AUXILIARIES: &[&str] = &[
    "also", "are", "been", "did", "didn't", "do", "does", "had", "has", "have", "haven't", "is",
    "later", "never", "not", "that", "then", "were", "weren't", "who",
];
const MAX_AUXILIARIES: usize = 5;

impl Parser<'_> {
    /// Returns the table that a verb means.
    pub(super) fn table_of_verb(&self, word: &str) -> Option<usize> {
        let stems = stems(word);
        let nouns = stems
            .iter()
            .find_map(|stem| of(VERBS_OF_NOUNS, stem))
            .unwrap_or_default();
        let own = stems
            .iter()
            .skip(usize::from(!is_participle(word)))
            .filter_map(|stem| self.links.table_named(&lemma(stem)));
        let named = nouns.iter().filter_map(|noun| self.links.table_named(noun));
        own.chain(named).next()
    }

    /// Returns true if a participle means an event, as in `vehicles that have never been rented`,
    /// although a column has it as a value: a vehicle may have the status `rented`, while rows of
    /// another table record each rental.
    ///
    /// # Errors
    /// A question back for `vehicles that were rented`, which may be either.
    pub(super) fn is_event(&mut self, columns: &[ColumnId]) -> Step<bool> {
        let word = self.word(0);
        let Some(id) = columns
            .iter()
            .copied()
            .find(|id| Some(id.table) == self.table_of(self.scope))
        else {
            return Ok(false);
        };
        let own = id.table;
        let is_quality = self.links.table_at(self.at + 1).is_some();
        if !is_participle(word) || self.is_capital() || is_quality {
            return Ok(false);
        }
        let certain = self
            .table_of_verb(word)
            .filter(|table| *table != own && self.relations.connects(own, *table));
        let Some(event) = certain.or_else(|| self.event_of(word, own)) else {
            return Ok(false);
        };
        let mut ever = false;
        let verb = self.words_before(self.at).find(|word| {
            ever |= ["never", "ever"].contains(word);
            !ADVERBS.contains(word)
        });
        let verb = verb.unwrap_or_default();
        if !ever && STATES.contains(verb) {
            return Ok(false);
        }
        let catalog = self.links.catalog;
        let rows = format!("rows of {}", catalog.table_name(event));
        if certain.is_none() || !ever && verb != "been" {
            let question = format!("{word:?}: is a value meant, or that there are rows?");
            let both = [rows.clone(), catalog.shown(id)];
            let chosen = catalog.choose(question, &both, Clone::clone)?;
            if chosen != rows {
                return Ok(false);
            }
        }
        let word = word.to_owned();
        self.at += 1;
        self.open(event, None, true, word)?;
        Ok(true)
    }

    /// Returns the table that records an event of rows, found by the beginning of its name:
    /// `reservations` for `reserved`.
    fn event_of(&self, verb: &str, own: usize) -> Option<usize> {
        let stems = stems(verb);
        let is_event = |table: &usize| {
            let view = self.links.catalog.table(*table);
            view.and_then(|view| view.words.last()).is_some_and(|noun| {
                let begins = |stem: &String| {
                    let stem = stem.trim_end_matches(['e', 'y']);
                    stem.len() > 2 && noun.starts_with(stem)
                };
                stems.iter().skip(1).any(begins) && !noun.ends_with("er") && !noun.ends_with("or")
            })
        };
        let edges = self.relations.edges.iter();
        let children = edges
            .filter(|edge| edge.parent.table == own)
            .map(|edge| edge.child.table);
        children.filter(|table| *table != own).find(is_event)
    }

    /// Adds the condition that something happened, or did not.
    pub(super) fn happened(&mut self, verb: String) -> Step<()> {
        if self.draft.intent == Intent::When {
            self.verb = Some(verb.clone());
            self.draft.understood.push(format!("{verb}: what happened"));
            self.draft.absorbed.push((Vec::new(), verb));
            self.verb = None;
            return Ok(());
        }
        let scope = self.scopes().into_iter().find(|scope| {
            self.table_of(*scope)
                .is_some_and(|table| self.date_of(&verb, table).is_some())
        });
        let Some(scope) = scope else {
            return Err(Stop::Unknown(verb));
        };
        let table = self.table_of(scope);
        let day = table.and_then(|table| self.date_of(&verb, table));
        let by = match day {
            Some(day) if self.by_today(&verb, day)? => Span::around(self.today, Unit::Day, 0),
            _ => None,
        };
        self.wish(scope, Demand::Happened(verb.clone(), by), verb)
    }

    /// Finds if a day must be past for something to have happened: rows may have the day on which
    /// they will start.
    ///
    /// # Errors
    /// A question back.
    fn by_today(&self, verb: &str, day: ColumnId) -> Step<bool> {
        if !stems(verb).iter().any(|stem| PLANNED.contains(stem)) {
            return Ok(false);
        }
        let shown = self.links.catalog.shown(day);
        self.links.catalog.choose(
            format!("{verb:?}: does a day after today count?"),
            &[true, false],
            |past| match (past, self.negated) {
                (true, true) => format!("{shown} is missing or after today"),
                (true, false) => format!("{shown} is not after today"),
                (false, true) => format!("{shown} is missing"),
                (false, false) => format!("{shown} is present"),
            },
        )
    }

    /// Returns true if rows of one of these tables are the object of the verb in front of a position,
    /// perhaps with their number: `cancelled the most appointments`.
    pub(super) fn acts_on(&self, tables: &[usize], behind: usize) -> bool {
        let counts = |at: usize| {
            self.tokens().get(at).is_some_and(|token| {
                let word = token.lower.as_str();
                token.number().is_some() || COUNTING.contains(word)
            })
        };
        let mut ahead = behind..behind + MAX_COUNTING_WORDS;
        let object = ahead.find(|at| !counts(*at)).filter(|at| *at > behind);
        let object = object.and_then(|at| self.links.table_at(at));
        object.is_some_and(|object| tables.contains(&object.item.table))
    }

    /// Refuses `flats let to Ann` and `volunteers trained by Ann`, where a column has the state, and
    /// none says to whom or by whom.
    ///
    /// # Errors
    /// The refusal.
    pub(super) fn refuse_doer(&self, verb: &str, tables: &[usize], behind: usize) -> Step<()> {
        let word = |at: usize| {
            let token = self.tokens().get(at);
            token.map_or("", |token| token.lower.as_str())
        };
        let preposition = word(behind);
        let at = behind + 1 + usize::from(word(behind + 1) == "the");
        let catalog = self.links.catalog;
        let names = |id: ColumnId| catalog.names_rows(id) || catalog.names_people(id);
        let value = self.links.value_at(at);
        let named = value.is_some_and(|found| {
            let mut links = found.item.iter();
            let own = links
                .clone()
                .all(|link| tables.contains(&link.column.table));
            (own || self.links.strict) && links.any(|link| names(link.column))
        });
        match ["by", "to", "for"].contains(&preposition) && named {
            true => Err(Stop::cannot(format!(
                "I do not see which column says {preposition} whom something was {verb:?}; name the column"
            ))),
            false => Ok(()),
        }
    }

    /// Refuses to say who did something to rows with a column such as `prescribed_by`, where no key
    /// says to which people it refers.
    ///
    /// # Errors
    /// The refusal.
    pub(super) fn refuse_unknown_doer(&self, table: usize) -> Step<()> {
        let catalog = self.links.catalog;
        let does = |id: &ColumnId| {
            let view = catalog.column(*id);
            let by = view.is_some_and(|view| {
                view.words.len() > 1 && view.words.last().is_some_and(|last| last == "by")
            });
            by && self.relations.key_of(*id).is_none() && !catalog.names_people(*id)
        };
        match catalog.ids(table).find(does) {
            Some(id) => Err(Stop::cannot(format!(
                "no foreign key says to which row {} refers; say which value it has",
                catalog.shown(id)
            ))),
            None => Ok(()),
        }
    }

    /// Refuses `prescriptions by Dr. Adams`, where nobody says whom `prescribed_by` means, and another
    /// table that is further away has the name.
    pub(super) fn refuse_far_doer(&self, preposition: &str, tables: &[usize]) -> Step<()> {
        let Some(own) = self.table_of(self.scope).filter(|_| preposition == "by") else {
            return Ok(());
        };
        let near = |table: &usize| {
            let paths = self.relations.paths(own, *table);
            *table == own || paths.iter().any(|path| path.len() == 1)
        };
        match tables.iter().any(near) {
            true => Ok(()),
            false => self.refuse_unknown_doer(own),
        }
    }

    /// Refuses two verbs with what belongs to the second, and perhaps to the first as well: `books
    /// borrowed or reviewed by Ann`.
    ///
    /// # Errors
    /// The refusal.
    pub(super) fn refuse_shared_object(&self, word: &str) -> Step<()> {
        let does = |word: &str| {
            let happens = is_participle(word) || self.links.strict && word == "due";
            happens || self.table_of_verb(word).is_some()
        };
        if !["and", "or", "but", ","].contains(&self.word(1)) || !does(word) {
            return Ok(());
        }
        let mut ahead = 2..2 + MAX_AUXILIARIES;
        let second = ahead.find(|ahead| !AUXILIARIES.contains(&self.word(*ahead)));
        let Some(second) = second else { return Ok(()) };
        let is_verb = does(self.word(second)) && self.links.table_at(self.at + second).is_none();
        let next = self.token(second + 1);
        let goes_on = next.is_some_and(|next| {
            next.kind != TokenKind::Sign && !["and", "or", "but"].contains(&next.lower.as_str())
        });
        match is_verb && goes_on {
            true => Err(Stop::cannot(format!(
                "I do not see if the words after {:?} belong to {word:?} as well; say them for each of the two",
                self.word(second)
            ))),
            false => Ok(()),
        }
    }
}
