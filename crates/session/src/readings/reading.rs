//! The common reading of all fields of a column, or the reason why the column stays a text.

use super::column::Column;
use super::date;
use super::fit::{Fit, formula, is_truth, quoted, trim};
use super::kinds::Kinds;
use super::missing::MissingWords;
use super::number::{self, Decimal};
use super::profile::Profile;
use crate::loaded::Remedy;

/// The caller's options for the fields of a load.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReadingOptions {
    /// The words for a missing value.
    pub missing: MissingWords,
    /// The decimal sign.
    pub decimal: Option<Decimal>,
    /// The order of day and month.
    pub date_order: Option<DateOrder>,
    /// The delimiter of the fields, after it has been found.
    pub delimiter: Option<u8>,
}

/// The order of day and month in dates that end with the year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateOrder {
    /// `31.12.2025`
    DayFirst,
    /// `12/31/2025`
    MonthFirst,
}

/// The reading of a column's fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    Text(Doubt),
    Number(Decimal),
    /// An order of dates: one of the sets of [`Fit`].
    Date(Fit),
    Truth,
    /// Texts in `="…"`.
    Formula,
    /// Texts in quotation marks after a space, which the CSV reader has kept.
    Quoted,
}

/// The reason why a column stays a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// No doubt: it is text.
    None,
    /// Nearly all of its fields have a reading of this family, but some do not.
    Misfits(Family),
    /// Numbers such as `1,234` or `1.234`, whose separator may be for thousands or for a fraction.
    Thousands,
    /// Numbers in notations that exclude each other.
    Notations,
    /// Amounts in several currencies.
    Currencies,
    /// Numbers of which only some have a percent sign.
    Percent,
    /// Whole numbers with an unsigned exponent: `1E1` is more likely a code than 10.0.
    Codes,
    /// Numbers that are all in brackets or followed by a hyphen: more likely notes and marks than
    /// negative numbers.
    Signs,
    /// Truth values together with numbers.
    TruthsAndNumbers,
    /// Numbers that do not all fit the decimal sign that the caller names.
    OtherDecimal(Decimal),
    /// Dates in which either of two numbers may be the day.
    DateOrder,
    /// Dates that do not all fit the order that the caller names.
    OtherOrder(DateOrder),
    /// Dates in several orders.
    DateOrders,
    /// Dates with years of two digits.
    ShortYears,
    /// Dates for a TEXT column, in a form that SQLite does not read.
    ForeignDates,
    /// `="00123"` together with other fields.
    Formulas,
    /// Quotation marks after a space, together with other fields.
    Quotes,
}

/// The readings of nearly all fields of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// The notation that most fields fit.
    Numbers(Fit),
    Dates(Fit),
    TruthValues,
}

/// The conversion of a column's fields into the form that SQLite reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Conversion {
    pub(super) reading: Reading,
    pub(super) missing: MissingWords,
}

impl Reading {
    /// Finds the reading of a column. `comma_elsewhere` is true if another column of the load
    /// certainly has decimal commas.
    pub(crate) fn of(
        profile: &Profile,
        options: &ReadingOptions,
        column: Column,
        comma_elsewhere: bool,
    ) -> Self {
        let fields = profile.fields();
        if fields == 0 {
            return Self::Text(Doubt::None);
        }
        if column == Column::Text {
            return Self::text_column(profile, options);
        }
        let fits = || profile.sets().iter().map(|seen| adjusted(seen.fit, column));
        let all = fits().reduce(Fit::and).unwrap_or_default();
        if all.has(notations(options)) {
            return Self::number(profile, all, options, column, comma_elsewhere);
        }
        if let Some(decimal) = options.decimal
            && all.has(Fit::NUMBER)
        {
            return Self::Text(Doubt::OtherDecimal(decimal));
        }
        if all.has(Fit::DATE) {
            return Self::date(all, options);
        }
        if all.has(Fit::TRUTH) {
            return Self::Truth;
        }
        if all.has(Fit::FORMULA) && column == Column::New {
            return Self::Formula;
        }
        if all.has(Fit::QUOTED) && column == Column::New {
            return Self::Quoted;
        }
        if profile.with(Fit::QUOTED) > 0 {
            return Self::Text(Doubt::Quotes);
        }
        if profile.with(Fit::FORMULA) > 0 {
            return Self::Text(Doubt::Formulas);
        }
        if all.has(Fit::SHORT_YEAR) {
            return Self::Text(Doubt::ShortYears);
        }
        Self::Text(doubt(profile, options, column))
    }

    /// Returns the reading for a TEXT column: it takes its fields as they are, except dates whose
    /// order the caller names.
    fn text_column(profile: &Profile, options: &ReadingOptions) -> Self {
        let all = profile.sets().iter().map(|seen| seen.fit);
        let all = all.reduce(Fit::and).unwrap_or_default();
        let read = match options.date_order {
            Some(_) if all.has(Fit::DATE) => Self::date(all, options),
            _ => Self::Text(Doubt::None),
        };
        if profile.with(Fit::FORMULA) > 0 {
            return Self::Text(Doubt::Formulas);
        }
        if profile.with(Fit::QUOTED) > 0 {
            return Self::Text(Doubt::Quotes);
        }
        let foreign = |fit: Fit| fit.has(Fit::DATE) && !fit.has(Fit::ISO);
        if read == Self::Text(Doubt::None)
            && is_nearly_all(profile.counted(foreign), profile.fields())
        {
            return Self::Text(Doubt::ForeignDates);
        }
        read
    }

    fn number(
        profile: &Profile,
        all: Fit,
        options: &ReadingOptions,
        column: Column,
        comma_elsewhere: bool,
    ) -> Self {
        let has = |notation: Fit| all.and(notations(options)).has(notation);
        if column == Column::New && has_only_codes(profile) && options.decimal.is_none() {
            return Self::Text(Doubt::Codes);
        }
        if column == Column::New && all.has(Fit::DOUBTFUL_SIGN) {
            return Self::Text(Doubt::Signs);
        }
        if profile.currencies().len() > 1 {
            return Self::Text(Doubt::Currencies);
        }
        if profile.with(Fit::PERCENT) > 0 && !all.has(Fit::PERCENT) {
            return Self::Text(Doubt::Percent);
        }
        let differs = |fit: Fit| fit.point_kind() != fit.comma_kind();
        let may_be_either = profile.counted(differs) > 0;
        match (has(Fit::POINT), has(Fit::COMMA)) {
            (true, false) => Self::Number(Decimal::Point),
            (false, _) => Self::Number(Decimal::Comma),
            (true, true) if has(Fit::PLAIN) && !(may_be_either && comma_elsewhere) => {
                Self::Number(Decimal::Point)
            }
            (true, true)
                if !has(Fit::PLAIN) && profile.counted(number::has_no_three_decimals) > 0 =>
            {
                Self::Number(Decimal::Point)
            }
            // Groups separated by a narrow space or an apostrophe. Plain spaces may be those of a
            // telephone number.
            (true, true) if !may_be_either && profile.with(Fit::SPACED) == 0 => {
                Self::Number(Decimal::Point)
            }
            (true, true) => Self::Text(Doubt::Thousands),
        }
    }

    fn date(all: Fit, options: &ReadingOptions) -> Self {
        let excluded = match options.date_order {
            None => None,
            Some(DateOrder::DayFirst) => Some(Fit::MONTH_FIRST),
            Some(DateOrder::MonthFirst) => Some(Fit::DAY_FIRST),
        };
        let orders = [
            Fit::DAY_FIRST,
            Fit::MONTH_FIRST,
            Fit::YEAR_FIRST,
            Fit::NAMED_MONTH,
        ];
        let possible: Vec<Fit> = orders
            .into_iter()
            .filter(|order| all.has(*order) && excluded != Some(*order))
            .collect();
        match (possible.as_slice(), options.date_order) {
            ([only], _) => Self::Date(*only),
            ([], Some(order)) => Self::Text(Doubt::OtherOrder(order)),
            _ => Self::Text(Doubt::DateOrder),
        }
    }

    /// Returns true if a field with these readings is equal to a word for a missing value when the
    /// column has this reading.
    pub(super) fn is_missing(self, fit: Fit) -> bool {
        match self {
            Self::Number(Decimal::Point) => fit.has(Fit::MISSING_POINT),
            Self::Number(Decimal::Comma) => fit.has(Fit::MISSING_COMMA),
            Self::Text(_) | Self::Date(_) | Self::Truth | Self::Formula | Self::Quoted => false,
        }
    }

    /// Counts the fields that are equal to a word for a missing value if the column has this
    /// reading.
    pub(super) fn equal_to_missing(self, profile: &Profile) -> u64 {
        profile.counted(|fit| self.is_missing(fit))
    }

    /// Returns true if all points of the column may separate thousands and there is a sign that
    /// they do: semicolons between fields, which go with decimal commas; a currency, because
    /// amounts have no three decimals; or tabs or pipes, if all fields are such numbers.
    pub(super) fn may_have_thousands(self, profile: &Profile, options: &ReadingOptions) -> bool {
        let count = profile.counted(may_be_thousands);
        let fields = profile.fields();
        self == Self::Number(Decimal::Point)
            && options.decimal.is_none()
            && count > 0
            && profile.counted(|fit| fit.has(Fit::COMMA)) == fields
            && match options.delimiter {
                Some(b';') => true,
                Some(b'\t' | b'|') if count == fields => true,
                _ => profile.with(Fit::CURRENCY) > 0,
            }
    }

    /// Returns the kinds of values that the column gets.
    pub(crate) fn kinds(self, profile: &Profile) -> Kinds {
        let mut kinds = Kinds::NOTHING;
        match self {
            Self::Text(_) | Self::Date(_) | Self::Formula | Self::Quoted => {
                if profile.fields() > 0 {
                    kinds.add(Kinds::TEXT);
                }
            }
            Self::Truth => kinds.add(Kinds::INTEGER),
            Self::Number(decimal) => profile.sets().iter().for_each(|seen| {
                if self.is_missing(seen.fit) {
                    return;
                }
                kinds.add(Kinds::from_bits(match decimal {
                    Decimal::Point => seen.fit.point_kind(),
                    Decimal::Comma => seen.fit.comma_kind(),
                }));
            }),
        }
        kinds
    }

    /// Returns true if decimal commas are certain.
    pub(crate) fn is_comma(self) -> bool {
        self == Self::Number(Decimal::Comma)
    }

    /// Returns the conversion that the fields need; `None` if SQLite reads them correctly as they
    /// are.
    pub(crate) fn conversion(
        self,
        profile: &Profile,
        options: &ReadingOptions,
    ) -> Option<Conversion> {
        let loses_words = profile.missing.count > 0
            && match self {
                Self::Text(_) => options.missing.hold_everywhere(),
                Self::Number(_) | Self::Date(_) | Self::Truth | Self::Formula | Self::Quoted => {
                    true
                }
            };
        let changes = match self {
            Self::Text(_) => false,
            Self::Truth | Self::Formula | Self::Quoted => true,
            Self::Number(decimal) => {
                profile.counted(|fit| changes_number(fit, decimal) || self.is_missing(fit)) > 0
            }
            Self::Date(_) => profile.counted(|fit| !fit.has(Fit::ISO) || fit.has(Fit::BLANKS)) > 0,
        };
        (loses_words || changes).then(|| Conversion {
            reading: self,
            missing: options.missing.clone(),
        })
    }
}

/// Returns true if a number with these readings must be rewritten for SQL.
pub(super) fn changes_number(fit: Fit, decimal: Decimal) -> bool {
    const MARKS: Fit = Fit::CURRENCY
        .with(Fit::PERCENT)
        .with(Fit::NEGATIVE)
        .with(Fit::BLANKS)
        .with(Fit::WHOLE_PRICE)
        .with(Fit::PLUS);
    let is_plain = fit.has(Fit::PLAIN.with(Fit::LOSSY));
    let is_written_so = is_plain && (decimal == Decimal::Point || fit.has(Fit::COMMA_ALONE));
    fit.has(MARKS) || !is_written_so
}

/// Returns true if the point of a number may separate thousands.
pub(super) fn may_be_thousands(fit: Fit) -> bool {
    fit.has(Fit::PLAIN) && fit.has(Fit::COMMA) && fit.point_kind() != fit.comma_kind()
}

/// Returns true if all numbers with an exponent may be codes, and no other number shows that the
/// column has fractions.
fn has_only_codes(profile: &Profile) -> bool {
    let is_real = |fit: Fit| {
        let mut kinds = Kinds::from_bits(fit.point_kind());
        kinds.add(Kinds::from_bits(fit.comma_kind()));
        kinds.has(Kinds::REAL)
    };
    profile.with(Fit::CODE) > 0 && profile.counted(|fit| is_real(fit) && !fit.has(Fit::CODE)) == 0
}

/// Returns the notations that the caller allows.
pub(super) fn notations(options: &ReadingOptions) -> Fit {
    match options.decimal {
        None => Fit::NUMBER,
        Some(Decimal::Point) => Fit::POINT,
        Some(Decimal::Comma) => Fit::COMMA,
    }
}

/// Adds the reading as a plain number to fields such as `007` if the existing column takes numbers:
/// it is declared so.
pub(super) fn adjusted(fit: Fit, column: Column) -> Fit {
    match column {
        Column::Numeric if fit.has(Fit::LOSSY) => fit.with(Fit::PLAIN),
        Column::New | Column::Numeric | Column::Text => fit,
    }
}

/// Returns the reason why fields without a common reading may still be meant to have one.
fn doubt(profile: &Profile, options: &ReadingOptions, column: Column) -> Doubt {
    let fields = profile.fields();
    let count = |readings: Fit| profile.counted(|fit| adjusted(fit, column).has(readings));
    let asked = notations(options);
    let numbers = if is_nearly_all(count(asked), fields) {
        asked
    } else {
        Fit::NUMBER
    };
    if count(numbers) == fields {
        return Doubt::Notations;
    }
    if count(Fit::TRUTH) > 0 && count(numbers.with(Fit::TRUTH)) == fields {
        return Doubt::TruthsAndNumbers;
    }
    let certain = Fit::DATE.with(Fit::SHORT_YEAR);
    let dates = if count(certain) > 0 {
        certain.with(Fit::SHORT_OR_VERSION)
    } else {
        certain
    };
    if count(dates) == fields {
        let is_short = count(Fit::SHORT_YEAR.with(Fit::SHORT_OR_VERSION)) > 0;
        return if is_short {
            Doubt::ShortYears
        } else {
            Doubt::DateOrders
        };
    }
    let most = |readings: Fit| {
        readings
            .each()
            .max_by_key(|single| count(*single))
            .unwrap_or_default()
    };
    let (notation, order) = (most(numbers), most(dates));
    [
        (Family::Numbers(notation), count(notation)),
        (Family::Dates(order), count(order)),
        (Family::TruthValues, count(Fit::TRUTH)),
    ]
    .into_iter()
    .find(|(_, fitting)| is_nearly_all(*fitting, fields))
    .map_or_else(
        || {
            let marked = profile.counted(|fit| fit.has(Fit::MARKED));
            let are_numbers =
                is_half(count(notation), fields) && is_nearly_all(count(notation) + marked, fields);
            if are_numbers {
                Doubt::Misfits(Family::Numbers(notation))
            } else {
                Doubt::None
            }
        },
        |(family, _)| Doubt::Misfits(family),
    )
}

/// Returns true for half of the fields: enough if the others look like numbers with a mark.
fn is_half(part: u64, all: u64) -> bool {
    part.saturating_mul(2) >= all
}

/// Returns true for three quarters of the fields: the rest may be a word for a missing value that
/// no other file uses.
pub(super) fn is_nearly_all(part: u64, all: u64) -> bool {
    part.saturating_mul(4) >= all.saturating_mul(3)
}

impl Reading {
    /// Returns true if the column stays TEXT although it may be something else.
    pub(crate) fn is_doubtful(self) -> bool {
        matches!(self, Self::Text(doubt) if doubt != Doubt::None)
    }

    /// Returns true if the column has dates that SQL does not sort correctly, because they are not
    /// ISO 8601.
    pub(crate) fn has_foreign_dates(self) -> bool {
        let Self::Text(doubt) = self else {
            return false;
        };
        match doubt {
            Doubt::DateOrder
            | Doubt::OtherOrder(_)
            | Doubt::DateOrders
            | Doubt::ShortYears
            | Doubt::ForeignDates => true,
            Doubt::Misfits(Family::Dates(order)) => !Fit::YEAR_FIRST.has(order),
            Doubt::None
            | Doubt::Misfits(_)
            | Doubt::Thousands
            | Doubt::Notations
            | Doubt::Currencies
            | Doubt::Percent
            | Doubt::Codes
            | Doubt::Signs
            | Doubt::TruthsAndNumbers
            | Doubt::OtherDecimal(_)
            | Doubt::Formulas
            | Doubt::Quotes => false,
        }
    }

    /// Returns the parameter of a load that would turn a TEXT column into numbers or dates.
    pub(crate) fn remedy(self, profile: &Profile) -> Remedy {
        let doubt = match self {
            Self::Text(doubt) => doubt,
            Self::Date(_) => return Remedy::Dated,
            Self::Number(_) | Self::Truth | Self::Formula | Self::Quoted => return Remedy::None,
        };
        let without_remedy = if profile.with(Fit::PLAIN) == 0 {
            Remedy::NoNumber
        } else {
            Remedy::None
        };
        match doubt {
            Doubt::Misfits(family) => {
                let fitting = match family {
                    Family::Numbers(notation) => notation,
                    Family::Dates(order) => order,
                    Family::TruthValues => Fit::TRUTH,
                };
                let is_foreign = |fit: Fit| fit.has(fitting) && !fit.has(Fit::PLAIN);
                match profile.all_without(fitting) {
                    Some(words) => Remedy::Null(words),
                    None if profile.counted(is_foreign) == 0 => without_remedy,
                    None => Remedy::File,
                }
            }
            Doubt::Thousands | Doubt::Codes | Doubt::OtherDecimal(_) => Remedy::Decimal,
            Doubt::DateOrder | Doubt::OtherOrder(_) => Remedy::Dates,
            Doubt::None => without_remedy,
            Doubt::Notations
            | Doubt::Currencies
            | Doubt::Percent
            | Doubt::Signs
            | Doubt::TruthsAndNumbers
            | Doubt::DateOrders
            | Doubt::ShortYears
            | Doubt::ForeignDates
            | Doubt::Formulas
            | Doubt::Quotes => Remedy::File,
        }
    }
}

impl Profile {
    /// Returns the currencies in its fields.
    pub(super) fn currencies(&self) -> Vec<&'static str> {
        let mut all: Vec<_> = self
            .sets()
            .iter()
            .filter_map(|seen| number::currency_of(seen.fit))
            .map(number::sign_of_currency)
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

impl Conversion {
    /// Converts a field; `None` for a missing value.
    pub(crate) fn field(&self, field: &str) -> Option<String> {
        if self.reading_of_text().is_none() {
            // Spaces alone are a text, too.
            let is_word = !trim(field).is_empty() && self.missing.has(field);
            return (!is_word).then(|| field.to_owned());
        }
        if self.missing.hold_everywhere() && self.missing.has(field) {
            return None;
        }
        match self.read(field) {
            Some(read) if self.is_number() && self.missing.equals(&read) => None,
            Some(read) => Some(read),
            None if self.missing.has(field) => None,
            None => Some(field.to_owned()),
        }
    }

    fn is_number(&self) -> bool {
        matches!(self.reading, Reading::Number(_))
    }

    fn reading_of_text(&self) -> Option<Reading> {
        match self.reading {
            Reading::Text(_) => None,
            reading @ (Reading::Number(_)
            | Reading::Date(_)
            | Reading::Truth
            | Reading::Formula
            | Reading::Quoted) => Some(reading),
        }
    }

    /// Returns a field as SQLite reads it.
    fn read(&self, field: &str) -> Option<String> {
        let text = trim(field);
        match self.reading {
            Reading::Text(_) => None,
            Reading::Number(decimal) => number::normalize(text, decimal),
            Reading::Date(_) if Fit::of(text).has(Fit::ISO) => Some(text.to_owned()),
            Reading::Date(order) => date::iso(text, order),
            Reading::Truth => is_truth(text).map(|truth| u8::from(truth).to_string()),
            Reading::Formula => formula(text),
            Reading::Quoted => quoted(text),
        }
    }
}
