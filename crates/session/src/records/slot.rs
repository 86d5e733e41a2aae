//! A slot of a load: a column that its records fill, and the observation of its fields.

use crate::readings::{Column, Kinds, MissingWords, Profile};

/// The form in which a load gives its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// Text fields, which may be read as numbers.
    Texts,
    /// JSON values, which are taken as they are.
    Json,
}

/// A column that the load fills.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    /// The name of the column in the table.
    pub(crate) name: String,
    /// Its DEFAULT as SQL, if it has one other than NULL.
    pub(crate) default: Option<String>,
    /// The kinds of values in the load so far.
    pub(crate) kinds: Kinds,
    /// The readings of its fields, if the load looks into them.
    pub(super) profile: Profile,
    /// The declared type of the column, if the table exists.
    pub(super) declared_type: Option<String>,
    observed: Observation,
    /// The number of rows in the current chunk that name it.
    pub(super) present: usize,
    /// True if the current chunk has a blob for it.
    pub(super) blob: bool,
}

/// The decision to look into the fields of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Observation {
    /// Not decided yet.
    Unknown,
    Yes,
    No,
}

impl Slot {
    /// Makes a slot for a column without a DEFAULT.
    pub(crate) fn plain(name: String) -> Self {
        Self::of(name, None)
    }

    /// Makes a slot for a column that may have a DEFAULT, as SQL.
    pub(super) fn of(name: String, default: Option<String>) -> Self {
        Self {
            name,
            default,
            kinds: Kinds::default(),
            profile: Profile::default(),
            declared_type: None,
            observed: Observation::Unknown,
            present: 0,
            blob: false,
        }
    }

    /// Returns how the column takes values.
    pub(super) fn column(&self) -> Column {
        self.declared_type
            .as_deref()
            .map_or(Column::New, Column::declared)
    }

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
