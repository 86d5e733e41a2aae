//! The notices of a load: a sentence for each column that was converted, or that stays a text
//! although it may not be one.

use base::quoted::printed;

use super::column::Column;
use super::doubts;
use super::fit::Fit;
use super::number::Decimal;
use super::profile::Profile;
use super::reading::{
    Conversion, Doubt, Family, Reading, ReadingOptions, adjusted, may_be_thousands,
};
use super::wording::{are, counted, have_lost, list, no_number, were};

/// The number of characters that a notice shows of a name.
const NAME_CHARACTERS: usize = 64;

/// Returns the notice about a column, if its sender may not expect the result.
pub(crate) fn sentence(
    name: &str,
    declared: &str,
    profile: &Profile,
    reading: Reading,
    conversion: Option<&Conversion>,
    column: Column,
    options: &ReadingOptions,
) -> Option<String> {
    let name = printed(name, NAME_CHARACTERS);
    match reading {
        Reading::Text(doubt) => {
            let doubt = doubts::words(profile, doubt, column);
            let lost = conversion.map(|_| missing(profile, reading));
            let kept = match column {
                Column::New => "stays TEXT".to_owned(),
                Column::Numeric if profile.counted(stays_text) == 0 => {
                    format!("is {declared} and its fields were stored as SQLite reads them")
                }
                Column::Numeric => format!("is {declared}, but some fields were stored as texts"),
                Column::Text => {
                    format!("{} and keeps its fields as they are", is_of_type(declared))
                }
            };
            let rest: Vec<String> = doubt
                .into_iter()
                .chain(stored_otherwise(profile, declared, column))
                .collect();
            match (lost, rest.as_slice()) {
                (None, []) => None,
                (Some(lost), []) => Some(format!("In the column {name} {lost}.")),
                (lost, _) => {
                    let parts: Vec<String> = lost.into_iter().chain(rest).collect();
                    Some(format!("The column {name} {kept}: {}.", parts.join("; ")))
                }
            }
        }
        Reading::Number(_)
        | Reading::Date(_)
        | Reading::Truth
        | Reading::Formula
        | Reading::Quoted => {
            let mut parts = Vec::new();
            if conversion.is_some() {
                parts = converted(profile, reading);
            }
            if reading.may_have_thousands(profile, options) {
                parts.push(format!(
                    "fields such as {} were read with a decimal point; load again with ?decimal=, if the points separate thousands, or with ?decimal=. if they do not",
                    list(&profile.examples(may_be_thousands))
                ));
            }
            if matches!(reading, Reading::Number(_)) {
                parts.extend(exponents(profile, options));
            }
            parts.extend(stored_otherwise(profile, declared, column));
            if let (Reading::Number(_), Some(pair)) = (reading, profile.spellings.pair()) {
                parts.push(format!(
                    "fields such as {} became the same number; if they are versions or codes, load them into a table that has the column as TEXT",
                    list(&pair)
                ));
            }
            (!parts.is_empty()).then(|| {
                format!(
                    "The column {name} {}: {}.",
                    is_of_type(declared),
                    parts.join("; ")
                )
            })
        }
    }
}

/// Returns true if a numeric column keeps the field as a text.
fn stays_text(fit: Fit) -> bool {
    !adjusted(fit, Column::Numeric).has(Fit::PLAIN)
}

/// Returns the notice about fields that a numeric column, as the caller has declared it, stores as
/// numbers other than the written ones.
fn stored_otherwise(profile: &Profile, declared: &str, column: Column) -> Option<String> {
    if column != Column::Numeric {
        return None;
    }
    let declared = declared.to_ascii_uppercase();
    let is_real = !declared.contains("INT")
        && ["REAL", "FLOA", "DOUB"]
            .iter()
            .any(|name| declared.contains(name));
    let is_changed = |fit: Fit| fit.has(Fit::LOSSY) || (is_real && fit.has(Fit::INEXACT));
    let count = profile.counted(is_changed);
    (count > 0).then(|| {
        format!(
            "{} stored as {}, such as {}; a column of type TEXT keeps them as written",
            were(count, "field"),
            if count == 1 {
                "another number than is written"
            } else {
                "other numbers than are written"
            },
            list(&profile.examples(is_changed))
        )
    })
}

/// Returns the notice about exponents in a form that no program prints.
fn exponents(profile: &Profile, options: &ReadingOptions) -> Option<String> {
    let is_code = |fit: Fit| fit.has(Fit::CODE);
    let is_told = options.decimal.is_none() && profile.counted(is_code) > 0;
    is_told.then(|| {
        format!(
            "fields such as {} were read as numbers with an exponent; if they are codes, load them into a table that has the column as TEXT",
            list(&profile.examples(is_code))
        )
    })
}

/// Returns the parts of the sentence about a converted column.
fn converted(profile: &Profile, reading: Reading) -> Vec<String> {
    let mut parts = Vec::new();
    if profile.missing.count + reading.equal_to_missing(profile) > 0 {
        parts.push(missing(profile, reading));
    }
    match reading {
        Reading::Text(_) => {}
        Reading::Formula => {
            let shown = list(&profile.examples(|_| true));
            parts.push(format!(
                "{} the =\"…\" with which a spreadsheet marks them as texts, such as {shown}",
                have_lost(profile.fields())
            ));
        }
        Reading::Quoted => parts.push(format!(
            "{} the quotation marks around them and the blanks before these, such as {}",
            have_lost(profile.fields()),
            list(&profile.examples(|_| true))
        )),
        Reading::Truth => parts.push("true became 1 and false 0".to_owned()),
        Reading::Date(order) => {
            let changed = |fit: Fit| !fit.has(Fit::ISO);
            let count = profile.counted(changed);
            if count > 0 {
                let order = match order {
                    Fit::DAY_FIRST => "day, month, year",
                    Fit::MONTH_FIRST => "month, day, year",
                    Fit::YEAR_FIRST => "year, month, day",
                    _ => "a month by its name",
                };
                parts.push(format!(
                    "{} with {order} became ISO 8601, such as {}",
                    counted(count, "date"),
                    list(&profile.examples(changed))
                ));
            }
        }
        Reading::Number(decimal) => numbers(profile, decimal, &mut parts),
    }
    let blanks = profile.with(Fit::BLANKS);
    if blanks > 0 {
        let around = if blanks == 1 { "it" } else { "them" };
        parts.push(format!(
            "{} lost blanks around {around}",
            counted(blanks, "field")
        ));
    }
    parts
}

fn numbers(profile: &Profile, decimal: Decimal, parts: &mut Vec<String>) {
    let notation = |fit: Fit| match decimal {
        Decimal::Point => !fit.has(Fit::PLAIN.with(Fit::LOSSY)),
        Decimal::Comma => !fit.has(Fit::PLAIN) || fit.point_kind() != fit.comma_kind(),
    };
    let count = profile.counted(notation);
    if count > 0 {
        let groups = match decimal {
            Decimal::Point => "a decimal point and separators between thousands",
            Decimal::Comma => "a decimal comma",
        };
        parts.push(format!(
            "{} read with {groups}, such as {}",
            were(count, "number"),
            list(&profile.examples(notation))
        ));
    }
    for currency in profile.currencies() {
        let with = profile.with(Fit::CURRENCY);
        parts.push(format!(
            "{} lost the currency {currency}",
            counted(with, "number")
        ));
    }
    let marks = [
        (Fit::PERCENT, "lost the percent sign, so that 10% is 10"),
        (
            Fit::NEGATIVE,
            "became negative by brackets or a sign that SQLite does not read",
        ),
        (Fit::WHOLE_PRICE, "lost the hyphens that mean no fraction"),
        (Fit::PLUS, "lost the leading +"),
    ];
    for (mark, what) in marks {
        let count = profile.with(mark);
        if count > 0 {
            let shown = list(&profile.examples(|fit| fit.has(mark)));
            parts.push(format!(
                "{} {what}, such as {shown}",
                counted(count, "number")
            ));
        }
    }
}

fn missing(profile: &Profile, reading: Reading) -> String {
    let mut words: Vec<&str> = profile
        .missing
        .examples
        .iter()
        .map(String::as_str)
        .collect();
    words.extend(profile.examples(|fit| reading.is_missing(fit)));
    let count = profile.missing.count + reading.equal_to_missing(profile);
    format!("{} became NULL ({})", counted(count, "field"), list(&words))
}

/// Returns the words for the type of a column.
fn is_of_type(declared: &str) -> String {
    match declared {
        "" => "has no type".to_owned(),
        declared => format!("is {declared}"),
    }
}

/// The number of columns that the sentence about a header names.
const NAMED_COLUMNS: usize = 5;

/// The notice about a header in which all names are numbers.
pub(crate) const HEADER_OF_NUMBERS: &str = "The names of all columns are numbers: if the first line is a row, put a line of names before it.";

/// Returns the notice about columns whose names differ from the header.
pub(crate) fn sentence_of_header(renamed: &[(String, String)]) -> Option<String> {
    let shown = renamed.iter().take(NAMED_COLUMNS).map(|(written, name)| {
        let name = printed(name, NAME_CHARACTERS);
        match written.as_str() {
            "" => format!("one without a name is {name}"),
            written => format!("a second {} is {name}", printed(written, NAME_CHARACTERS)),
        }
    });
    let shown: Vec<String> = shown.collect();
    let more = renamed.len().saturating_sub(NAMED_COLUMNS);
    let more = match more {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    (!shown.is_empty()).then(|| {
        format!(
            "Columns have other names than in the header: {}{more}.",
            shown.join(", ")
        )
    })
}

/// Returns the notice about a column of JSON that its sender may not expect. JSON values are taken
/// as they are, so nothing was converted.
pub(crate) fn sentence_of_json(
    name: &str,
    declared: &str,
    profile: &Profile,
    reading: Reading,
    column: Column,
) -> Option<String> {
    let name = printed(name, NAME_CHARACTERS);
    if column == Column::Numeric {
        let count = profile.counted(stays_text) + profile.missing.count;
        let mut shown = profile.examples(stays_text);
        shown.extend(profile.missing.examples.iter().map(String::as_str));
        shown.truncate(3);
        let all = profile.fields() + profile.missing.count;
        let texts = (count > 0).then(|| {
            format!(
                "{} {}, such as {}",
                are(count, all),
                no_number(count),
                list(&shown)
            )
        });
        let stored = stored_otherwise(profile, declared, column);
        return match (texts, stored) {
            (None, None) => None,
            (None, Some(stored)) => Some(format!("The column {name} is {declared}: {stored}.")),
            (Some(texts), None) => Some(format!(
                "The column {name} is {declared}, but some fields were stored as texts: {texts}."
            )),
            (Some(texts), Some(stored)) => Some(format!(
                "The column {name} is {declared}, but some fields were stored as texts: {texts}; {stored}."
            )),
        };
    }
    let is_truth = |fit: Fit| fit.has(Fit::TRUTH) && fit.has(Fit::NUMBER);
    let truths = profile.counted(is_truth);
    if declared == "TEXT" && truths > 0 {
        return Some(format!(
            "The column {name} stays TEXT: {} true or false, stored as the texts 1 and 0 beside other texts, such as {}.",
            are(truths, profile.fields() + profile.missing.count),
            list(&profile.examples(|fit| !is_truth(fit)))
        ));
    }
    let are_numbers = matches!(
        reading,
        Reading::Number(_) | Reading::Text(Doubt::Misfits(Family::Numbers(_)))
    );
    if declared != "TEXT" || !are_numbers {
        return None;
    }
    let is_number = |fit: Fit| fit.has(Fit::NUMBER);
    let mut shown: Vec<&str> = profile
        .missing
        .examples
        .iter()
        .map(String::as_str)
        .collect();
    shown.extend(profile.examples(|fit| !is_number(fit)));
    if shown.is_empty() {
        shown = profile.examples(is_number);
    }
    shown.truncate(3);
    let all = profile.fields() + profile.missing.count;
    Some(format!(
        "The column {name} stays TEXT: {} numbers, but some arrived as texts, such as {}. Send numbers without quotation marks, and null for a missing value.",
        are(profile.counted(is_number), all),
        list(&shown)
    ))
}
