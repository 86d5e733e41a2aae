//! Decides how each column of a load is read, after the whole load has arrived.

use super::encode::Slot;
use crate::loaded::{Remedy, TextColumn};
use crate::readings::Kinds;
use crate::readings::{
    Column, Conversion, MissingWords, Reading, ReadingOptions, sentence, sentence_of_json,
};

/// The form in which a load gives its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// Text fields, which may be read as numbers.
    Texts,
    /// JSON values, which are taken as they are.
    Json,
}

/// The readings of the columns of a load.
#[derive(Debug, Default)]
pub(crate) struct ColumnReadings {
    /// The conversion of the fields of each column; empty if no column needs one.
    pub(crate) conversions: Vec<Option<Conversion>>,
    /// Notices for the sender of the load.
    pub(crate) notices: Vec<String>,
    /// New columns that became TEXT.
    pub(crate) texts: Vec<(String, TextColumn)>,
}

impl ColumnReadings {
    /// Decides for all columns, and sets the kinds of new columns.
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
    /// Returns true if the load looks into the fields of the column.
    pub(super) fn is_observed(&mut self, words: &MissingWords, source: Source) -> bool {
        match self.observed {
            Observation::Unknown => {
                // A TEXT column takes each JSON value as it is.
                let is = source == Source::Texts
                    || self.column() != Column::Text
                    || words.hold_everywhere();
                self.observed = if is {
                    Observation::Yes
                } else {
                    Observation::No
                };
                is
            }
            Observation::Yes => true,
            Observation::No => false,
        }
    }

    /// Looks into a JSON value.
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

/// The decision to look into the fields of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Observation {
    /// Not decided yet.
    Unknown,
    Yes,
    No,
}
