//! What the columns of a load mean, once all of it is read.

use super::encode::Slot;
use crate::loaded::{Remedy, TextColumn};
use crate::readings::Kinds;
use crate::readings::{
    Column, Conversion, MissingWords, Reading, ReadingOptions, sentence, sentence_of_json,
};

/// Where the values of a load come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// Fields, whose texts may mean numbers.
    Texts,
    /// JSON, whose values are what they say.
    Json,
}

/// What the columns of a load mean.
#[derive(Debug, Default)]
pub(crate) struct Settled {
    /// For each column, how its fields are rewritten; empty where none is.
    pub(crate) conversions: Vec<Option<Conversion>>,
    /// What the sender of the load should know.
    pub(crate) notices: Vec<String>,
    /// Columns that were made as TEXT.
    pub(crate) texts: Vec<(String, TextColumn)>,
}

impl Settled {
    /// Decides for all columns; those that are to be made get their kinds.
    pub(super) fn of(slots: &mut [Slot], options: &ReadingOptions, source: Source) -> Self {
        let read = |slot: &Slot, comma_elsewhere| {
            Reading::of(&slot.profile, options, slot.column(), comma_elsewhere)
        };
        let has_comma = slots.iter().any(|slot| read(slot, false).is_comma());
        let mut settled = Self::default();
        for slot in slots {
            let reading = read(slot, has_comma);
            settled.take(slot, reading, options, source);
        }
        if settled.conversions.iter().all(Option::is_none) {
            settled.conversions.clear();
        }
        settled
    }

    fn take(
        &mut self,
        slot: &mut Slot,
        reading: Reading,
        options: &ReadingOptions,
        source: Source,
    ) {
        let column = slot.column();
        if column == Column::New && source == Source::Texts {
            slot.kinds = reading.kinds(&slot.profile);
        }
        let made = slot.kinds.declared_type();
        let declared = slot.declared_type.as_deref().unwrap_or(made);
        let conversion = match source {
            Source::Texts => reading.conversion(&slot.profile, options),
            Source::Json => None,
        };
        let notice = match source {
            Source::Texts => sentence(
                &slot.name,
                declared,
                &slot.profile,
                reading,
                conversion.as_ref(),
                column,
                options,
            ),
            Source::Json => sentence_of_json(&slot.name, declared, &slot.profile, reading, column),
        };
        if column == Column::New && made == "TEXT" {
            let column = TextColumn {
                is_suspicious: match source {
                    Source::Texts => reading.is_doubtful(),
                    Source::Json => notice.is_some(),
                },
                is_numeric: slot.profile.are_numbers_of_sql(),
                has_foreign: slot.profile.has_foreign(),
                has_foreign_dates: source == Source::Texts && reading.has_foreign_dates(),
                remedy: match source {
                    Source::Texts => reading.remedy(&slot.profile),
                    Source::Json => Remedy::None,
                },
            };
            self.texts.push((slot.name.clone(), column));
        }
        self.notices.extend(notice);
        self.conversions.push(conversion);
    }
}

impl Slot {
    /// Whether the load looks into the fields of the column.
    pub(super) fn is_observed(&mut self, words: &MissingWords, source: Source) -> bool {
        match self.observed {
            Observed::Unknown => {
                // A column of texts takes each value of JSON as it is.
                let is = source == Source::Texts
                    || self.column() != Column::Text
                    || words.hold_everywhere();
                self.observed = if is { Observed::Yes } else { Observed::No };
                is
            }
            Observed::Yes => true,
            Observed::No => false,
        }
    }

    /// Looks into a value of JSON.
    pub(super) fn observe_json(&mut self, value: &str, kinds: Kinds, words: &MissingWords) {
        if kinds == Kinds::NOTHING || !self.is_observed(words, Source::Json) {
            return;
        }
        let text = value
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'));
        match text {
            Some(text) if !text.is_empty() => self.profile.add(text, words),
            Some(_) => {}
            None if matches!(value, "true" | "false") => self.profile.add_truth(value),
            None if kinds == Kinds::TEXT || kinds == Kinds::BLOB => self.profile.add(value, words),
            None => self.profile.add_number(value),
        }
    }
}

/// Whether a load looks into the fields of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Observed {
    /// Nobody has asked.
    Unknown,
    Yes,
    No,
}
