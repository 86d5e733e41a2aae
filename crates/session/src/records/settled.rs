//! Decides how each column of a load is read, after the whole load has arrived.

use super::slot::{Slot, Source};
use crate::loaded::{Remedy, TextColumn};
use crate::readings::{Column, Conversion, Reading, ReadingOptions, sentence, sentence_of_json};

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
