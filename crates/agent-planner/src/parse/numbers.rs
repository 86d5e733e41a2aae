//! Numbers, units, and words that compare.

use super::Parser;
use crate::draft::{Comparison, Demand, Intent, Joiner, Test, Written};
use crate::lexicon::{
    ADJECTIVES, CURRENCIES, Direction, MULTIPLIERS, NUMBER_WORDS, Phrases, UNITS, Words, of,
};
use crate::links::{ColumnLink, ValueLink};
use crate::morphology::lemma;
use crate::plan::Step;
use crate::token::TokenKind;

/// Phrases that compare with the number after them.
const COMPARATORS: &[(&[&str], Comparison)] = &[
    (
        &["greater", "than", "or", "equal", "to"],
        Comparison::AtLeast,
    ),
    (&["less", "than", "or", "equal", "to"], Comparison::AtMost),
    (&["no", "more", "than"], Comparison::AtMost),
    (&["not", "more", "than"], Comparison::AtMost),
    (&["no", "less", "than"], Comparison::AtLeast),
    (&["no", "fewer", "than"], Comparison::AtLeast),
    (&["not", "less", "than"], Comparison::AtLeast),
    (&["more", "than"], Comparison::Greater),
    (&["greater", "than"], Comparison::Greater),
    (&["larger", "than"], Comparison::Greater),
    (&["bigger", "than"], Comparison::Greater),
    (&["higher", "than"], Comparison::Greater),
    (&["less", "than"], Comparison::Less),
    (&["fewer", "than"], Comparison::Less),
    (&["lower", "than"], Comparison::Less),
    (&["smaller", "than"], Comparison::Less),
    (&["at", "least"], Comparison::AtLeast),
    (&["minimum", "of"], Comparison::AtLeast),
    (&["at", "most"], Comparison::AtMost),
    (&["maximum", "of"], Comparison::AtMost),
    (&["up", "to"], Comparison::AtMost),
    (&["equal", "to"], Comparison::Equal),
    (&["equals"], Comparison::Equal),
    (&["exactly"], Comparison::Equal),
    (&["over"], Comparison::Greater),
    (&["above"], Comparison::Greater),
    (&["exceeding"], Comparison::Greater),
    (&["exceeds"], Comparison::Greater),
    (&["exceed"], Comparison::Greater),
    (&["under"], Comparison::Less),
    (&["below"], Comparison::Less),
    (&["<="], Comparison::AtMost),
    (&["≤"], Comparison::AtMost),
    (&[">="], Comparison::AtLeast),
    (&["≥"], Comparison::AtLeast),
    (&["<>"], Comparison::NotEqual),
    (&["!="], Comparison::NotEqual),
    (&["≠"], Comparison::NotEqual),
    (&["<"], Comparison::Less),
    (&[">"], Comparison::Greater),
    (&["="], Comparison::Equal),
    (&["=="], Comparison::Equal),
];

/// Words in front of a number that compare with it, and their greatest number.
const COMPARING: Words = Words("above at below least less more most over than under");
const MAX_COMPARATOR_WORDS: usize = 3;

/// A number with its unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Quantity {
    pub(super) value: f64,
    /// The abbreviations of the unit in names of columns.
    pub(super) unit: Option<&'static [&'static str]>,
    pub(super) written: Written,
    /// The multiplier that was written, which `value` includes.
    pub(super) multiplier: Option<f64>,
}

impl Parser<'_> {
    /// Takes another number for the column of the number before: `4 cylinders versus 6 cylinders`.
    pub(super) fn number_again(&mut self) -> Step<bool> {
        let last = self
            .scope_of(self.scope)
            .and_then(|scope| scope.wishes.last());
        let Some(demand) = last.map(|wish| wish.demand.clone()) else {
            return Ok(false);
        };
        // `with age 20 or 30`
        let equals = matches!(&demand, Demand::Column(link, Test::Number(Comparison::Equal, _))
            if self.joiner == Joiner::Or && !self.names_another(link));
        let joins =
            equals || self.draft.intent == Intent::Compare || matches!(demand, Demand::Value(_));
        let (true, Some(value)) = (joins && self.joiner != Joiner::None, self.number_here()) else {
            return Ok(false);
        };
        if let Demand::Value(known) = demand {
            return self.text_again(&known, value);
        }
        let Demand::Column(link, Test::Number(Comparison::Equal, _)) = demand else {
            return Ok(false);
        };
        let start = self.at;
        self.at += 1;
        if let Some(found) = self.column_in_scope(false)
            && found.item.ids == link.ids
        {
            self.at += found.tokens;
        }
        let word = self.links.shown(start, self.at - start);
        self.wish(
            self.scope,
            Demand::Column(link, Test::Number(Comparison::Equal, value)),
            word,
        )?;
        Ok(true)
    }

    /// Returns true if the number here is one of another column, or of rows: `age 20 or 3 orders`.
    fn names_another(&self, link: &ColumnLink) -> bool {
        let column = self.links.column_at(self.at + 1, None);
        let same =
            column.is_some_and(|found| found.item.ids.iter().any(|id| link.ids.contains(id)));
        !same && self.names_something(self.at + 1)
    }

    /// Takes another number if the column holds the numbers as texts.
    fn text_again(&mut self, known: &[ValueLink], value: f64) -> Step<bool> {
        let is_number = |link: &ValueLink| link.stored.parse::<f64>().is_ok();
        if !known.iter().all(is_number) {
            return Ok(false);
        }
        let ids = known.iter().map(|link| link.column).collect();
        let link = ColumnLink::new(ids, "", 1.0);
        let links = self.links.numbers_as_texts(value, &link);
        if links.is_empty() {
            return Ok(false);
        }
        let start = self.at;
        self.at += 1;
        if let Some(found) = self.any_column()
            && found.item.ids.iter().any(|id| link.ids.contains(id))
        {
            self.at += found.tokens;
        }
        let word = self.links.shown(start, self.at - start);
        self.wish(self.scope, Demand::Value(links), word)?;
        Ok(true)
    }

    /// Takes a comparing phrase.
    pub(super) fn comparator(&mut self) -> Option<Comparison> {
        let (phrase, comparison) = COMPARATORS.iter().find(|(phrase, _)| self.is_at(phrase))?;
        self.at += phrase.len();
        Some(*comparison)
    }

    /// Takes `cheaper than` and the like: the comparison and the meanings of its column.
    pub(super) fn comparative(&mut self) -> Option<(Comparison, &'static [&'static str])> {
        let known = ADJECTIVES.iter().find(|adjective| {
            self.is_at(&[adjective.comparative, "than"])
                || self.is_at(&["more", adjective.positive, "than"])
                || self.is_at(&["less", adjective.positive, "than"])
        })?;
        let less = self.word(0) == "less";
        self.at += if self.word(1) == "than" { 2 } else { 3 };
        let comparison = match (known.direction, less) {
            (Direction::Most, false) | (Direction::Least, true) => Comparison::Greater,
            (Direction::Least, false) | (Direction::Most, true) => Comparison::Less,
        };
        Some((comparison, known.columns))
    }

    /// Takes a number: `1,200`, `5 million`, `$20`, `three`, `80 kg`.
    pub(super) fn quantity(&mut self) -> Option<Quantity> {
        let start = self.at;
        let sign = self.eat(CURRENCIES);
        let Some(mut value) = self.number_here() else {
            self.at = start;
            return None;
        };
        self.at += 1;
        let written = of(MULTIPLIERS, self.word(0));
        self.at += usize::from(written.is_some());
        let multiplier = written.or_else(|| self.shared_multiplier(value));
        value *= multiplier.unwrap_or(1.0);
        let percent = self.eat(&["%", "percent"]);
        let money = !sign && !percent && CURRENCIES.contains(&lemma(self.word(0)).as_str());
        self.at += usize::from(money);
        let unit =
            of(UNITS, &lemma(self.word(0))).filter(|_| !sign && !money && !self.unit_is_a_column());
        self.at += usize::from(unit.is_some());
        let written = match () {
            () if percent => Written::Percent,
            () if sign || money => Written::Money,
            () => Written::Plain,
        };
        Some(Quantity {
            value,
            unit,
            written,
            multiplier,
        })
    }

    /// Returns the multiplier of the second of two numbers, which is that of the first as well:
    /// `between 10 and 50 million`, `from 30 to 40k`.
    fn shared_multiplier(&self, first: f64) -> Option<f64> {
        if !["and", "to", "or", "but"].contains(&self.word(0)) {
            return None;
        }
        let mut ahead = 1..=MAX_COMPARATOR_WORDS + 1;
        let ahead = ahead.find(|ahead| !COMPARING.contains(self.word(*ahead)))?;
        let second = self.number_ahead(ahead)?;
        let token = self.token(ahead)?;
        let suffix = token
            .lower
            .trim_start_matches(|letter: char| !letter.is_alphabetic());
        let (second, factor) = match of(MULTIPLIERS, self.word(ahead + 1)) {
            Some(factor) => (second, factor),
            None => {
                let factor = match suffix {
                    "k" => 1e3,
                    "m" => 1e6,
                    "bn" => 1e9,
                    _ => return None,
                };
                (second / factor, factor)
            }
        };
        (second > first).then_some(factor)
    }

    /// Returns true if the unit of a number may be a column: `10 days`, where `days` is a column.
    fn unit_is_a_column(&self) -> bool {
        self.links.column_at(self.at, None).is_some()
    }

    pub(super) fn number_here(&self) -> Option<f64> {
        self.number_ahead(0)
    }

    pub(super) fn number_ahead(&self, ahead: usize) -> Option<f64> {
        match self.token(ahead)?.kind {
            TokenKind::Number(value) => Some(value),
            TokenKind::Word => of(NUMBER_WORDS, self.word(ahead)),
            TokenKind::Date(_) | TokenKind::Quoted | TokenKind::Sign => None,
        }
    }

    /// Takes `or more`, `or less` and the like after a number, and returns the comparison.
    pub(super) fn or_more(&mut self) -> Option<Comparison> {
        let more = Phrases("or more, or higher, or above, or over, and above, or greater");
        let less = Phrases("or less, or fewer, or lower, or below, or under");
        // `below 20 or above 50` has a second bound.
        if self.number_ahead(2).is_some() {
            return None;
        }
        if self.eat_phrase(&more) {
            return Some(Comparison::AtLeast);
        }
        self.eat_phrase(&less).then_some(Comparison::AtMost)
    }
}
