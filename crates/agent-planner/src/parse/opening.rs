//! Parses the beginning of a question, which names the kind of result.

use super::Parser;
use crate::accounted::is_silent;
use crate::catalog::ColumnId;
use crate::draft::{Comparison, Intent};
use crate::lexicon::{OPENERS, Phrases};
use crate::plan::{Step, Stop};

/// Phrases that name the kind of result.
const INTENTS: &[(Phrases, Intent)] = &[
    (
        Phrases("how many, total number of, number of, count of, count up, count"),
        Intent::Count,
    ),
    (Phrases("how much"), Intent::Amount),
    (
        Phrases(
            "
             what percentage of, what percent of, what share of, what proportion of,
             what fraction of, percentage of, percent of, share of, proportion of, fraction of
            ",
        ),
        Intent::Share,
    ),
    (Phrases("compare, comparison of"), Intent::Compare),
    (
        Phrases("difference between, difference in"),
        Intent::Difference,
    ),
    (Phrases("when"), Intent::When),
    (
        Phrases(
            "
             is there, are there, were there, was there, do we have, do any, does any, did any,
             have any, has any
            ",
        ),
        Intent::Exists,
    ),
];

/// Words that begin a yes-or-no question.
const YES_OR_NO: &[&str] = &[
    "is", "are", "was", "were", "do", "does", "did", "has", "have", "had",
];

/// Indefinite words, which refer to no particular thing.
const INDEFINITE: &[&str] = &[
    "a", "an", "any", "anybody", "anyone", "some", "somebody", "someone", "there",
];

/// Words that say that a condition applies to more than one thing.
const ALL: &[&str] = &[
    "all",
    "always",
    "both",
    "each",
    "every",
    "everybody",
    "everyone",
    "most",
    "never",
    "only",
];

/// Comparatives of a question that compares two groups.
const COMPARATIVES: &[&str] = &[
    "higher", "lower", "more", "less", "fewer", "greater", "larger", "smaller", "bigger",
];

impl Parser<'_> {
    /// Reads the beginning.
    ///
    /// # Errors
    /// A yes-or-no question that neither asks if something exists nor compares groups.
    pub(super) fn opening(&mut self) -> Step<()> {
        loop {
            let mut intents = INTENTS.iter();
            if let Some((_, intent)) = intents.find(|(phrases, _)| self.eat_phrase(phrases)) {
                self.draft.intent = *intent;
                self.refuse_denied_existence()?;
                let compares = self.says(&["than"]) && self.number_ahead(2).is_none();
                if *intent == Intent::Exists && compares && COMPARATIVES.contains(&self.word(0)) {
                    self.draft.intent = Intent::Compare;
                    self.at += 1;
                }
                return Ok(());
            }
            let polite = matches!(self.word(0), "can" | "could" | "would" | "will")
                && matches!(self.word(1), "you" | "i" | "we");
            if YES_OR_NO.contains(&self.word(0)) && self.is_first() {
                return self.yes_or_no();
            }
            if matches!(self.word(0), "will" | "should" | "can" | "could" | "would") && !polite {
                return Err(self.unknown());
            }
            if self.word(0) == "who" {
                self.draft.person = true;
            }
            let gives = self.word(0) != "give" || ["me", "us", "the"].contains(&self.word(1));
            let gives = gives && (self.word(0) != "out" || self.before() == "find");
            let says = !self.links.strict || is_silent(self.word(0)) && self.relates_rightly();
            let opener = self.word(0) == "," || OPENERS.contains(self.word(0)) && gives && says;
            // `May`, `It` and the like may be values.
            let named = self.links.value_at(self.at).is_some()
                || self.links.column_at(self.at, None).is_some()
                    && self.links.table_at(self.at + 1).is_some();
            if self.at >= self.tokens().len() || !opener || named || self.names_table() {
                return Ok(());
            }
            self.at += 1;
        }
    }

    /// Returns true if a word such as `show` or `list` is a table here, and no command: `which show
    /// has …`, `show with …`.
    fn names_table(&self) -> bool {
        self.links.table_at(self.at).is_some()
            && (["which", "what", "the"].contains(&self.before())
                || ["with", "has", "whose"].contains(&self.word(1)))
    }

    /// Refuses `are there no men`: a yes would say that there are none.
    fn refuse_denied_existence(&self) -> Step<()> {
        match self.draft.intent == Intent::Exists && ["no", "not"].contains(&self.word(0)) {
            true => Err(Stop::cannot(
                "yes or no would be an unclear answer to a question that contains `no`; ask whether there is any",
            )),
            false => Ok(()),
        }
    }

    /// Returns true if only greetings stand before.
    fn is_first(&self) -> bool {
        let greetings = [
            "hello", "hi", "hey", "ok", "okay", "please", "and", ",", ".",
        ];
        self.tokens()
            .iter()
            .take(self.at)
            .all(|token| greetings.contains(&token.lower.as_str()))
    }

    /// Returns true if what is left has one of the words.
    pub(super) fn says(&self, words: &[&str]) -> bool {
        let mut rest = self.tokens().iter().skip(self.at);
        rest.any(|token| words.contains(&token.lower.as_str()))
    }

    /// Takes the beginning of a yes-or-no question that asks if a row exists: `does Tom have a
    /// dog`, `is any cat white`. A question about several things, such as `are the cats white`, may
    /// ask about all of them.
    fn yes_or_no(&mut self) -> Step<()> {
        if self.says(INDEFINITE) || self.names_a_row(1) {
            if self.says(ALL) {
                return Err(Stop::cannot(
                    "it asks whether something holds for all; ask how many there are for which it does not hold",
                ));
            }
            if !self.says(&["than"]) || INDEFINITE.contains(&self.word(1)) {
                self.at += 1;
                self.skip(INDEFINITE);
                self.draft.intent = Intent::Exists;
                self.refuse_denied_existence()?;
                return Ok(());
            }
        }
        if self.says(&["than"]) && self.says(COMPARATIVES) {
            self.at += 1;
            self.draft.intent = Intent::Compare;
            return Ok(());
        }
        Err(Stop::cannot(
            "the question expects yes or no as its answer: say `is there a …`, or begin with `how many`",
        ))
    }

    /// Returns true if the words so many tokens ahead are the name of a row.
    fn names_a_row(&self, ahead: usize) -> bool {
        let catalog = self.links.catalog;
        let found = self.links.value_at(self.at + ahead);
        found.is_some_and(|found| {
            let mut links = found.item.iter();
            links.any(|link| {
                let id = link.column;
                catalog.is_label(id) || catalog.key(id.table) == Some(id)
            })
        })
    }

    /// Counts the rows for `are there more than 2 dogs`: the number answers the question, and tells
    /// more than yes or no.
    pub(super) fn counts_instead(&mut self, comparison: Option<Comparison>, number: f64) -> bool {
        let column = self.column_in_scope(false).map(|found| found.item.ids);
        let is_flag = |ids: &Vec<ColumnId>| ids.iter().any(|id| self.links.catalog.is_flag(*id));
        let follows = self.links.table_at(self.at).is_some()
            || self.links.value_at(self.at).is_some() && column.is_none()
            || column.as_ref().is_some_and(is_flag);
        let nothing = self.draft.heads.is_empty() && self.draft.scopes.len() == 1;
        let exists = self.draft.intent == Intent::Exists && self.table_of(0).is_none();
        let counts = exists && follows && nothing;
        if counts {
            self.draft.asked = comparison.map(|comparison| (comparison, number));
            self.draft.intent = Intent::Count;
        }
        counts
    }
}
