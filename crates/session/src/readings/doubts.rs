//! Writes the reasons why a column remains text although its fields may be numbers or dates, as
//! parts of the notice about it.

use super::column::Column;
use super::fit::Fit;
use super::number::Decimal;
use super::profile::Profile;
use super::reading::{DateOrder, Doubt, Family, adjusted};
use super::wording::{are, have, list, no_number};

/// Returns the doubt in words; `None` if there is none.
pub(super) fn words(profile: &Profile, doubt: Doubt, column: Column) -> Option<String> {
    misfits(profile, doubt, column)
        .or_else(|| of_numbers(profile, doubt))
        .or_else(|| of_dates(profile, doubt))
        .or_else(|| of_marks(profile, doubt))
}

/// Returns the words about fields that differ in kind from the others.
fn misfits(profile: &Profile, doubt: Doubt, column: Column) -> Option<String> {
    let fields = profile.fields();
    let shown = |which: &dyn Fn(Fit) -> bool| list(&profile.examples(which));
    match doubt {
        Doubt::None if column == Column::Numeric => {
            let is_text = |fit: Fit| !adjusted(fit, column).has(Fit::PLAIN);
            let count = profile.counted(is_text);
            let is_date = |fit: Fit| is_text(fit) && fit.has(Fit::DATE);
            if count > 0 && profile.counted(is_date) == count {
                return Some(format!(
                    "{} a date and the others numbers, such as {}",
                    have(count, fields),
                    one_of_each(profile, Fit::DATE)
                ));
            }
            (count > 0).then(|| {
                format!(
                    "{} {}, such as {}",
                    are(count, fields),
                    no_number(count),
                    shown(&is_text)
                )
            })
        }
        Doubt::Misfits(family) => {
            let (single, what) = match family {
                Family::Numbers(notation) => (notation, "numbers"),
                Family::Dates(Fit::SHORT_YEAR) => {
                    (Fit::SHORT_YEAR, "dates with years of two digits")
                }
                Family::Dates(order) => (order, "dates"),
                Family::TruthValues => (Fit::TRUTH, "truth values"),
            };
            let is_misfit = |fit: Fit| !adjusted(fit, column).has(single);
            let misfits = profile.counted(is_misfit);
            let verb = if misfits == 1 { "does" } else { "do" };
            Some(format!(
                "{} {what}, {misfits} {verb} not fit: {}",
                are(fields - misfits, fields),
                shown(&is_misfit)
            ))
        }
        Doubt::None
        | Doubt::Thousands
        | Doubt::Notations
        | Doubt::Currencies
        | Doubt::Percent
        | Doubt::Codes
        | Doubt::Signs
        | Doubt::TruthsAndNumbers
        | Doubt::OtherDecimal(_)
        | Doubt::DateOrder
        | Doubt::OtherOrder(_)
        | Doubt::DateOrders
        | Doubt::ShortYears
        | Doubt::ForeignDates
        | Doubt::Formulas
        | Doubt::Quotes => None,
    }
}

/// Returns the words about numbers with an unclear notation or several notations.
fn of_numbers(profile: &Profile, doubt: Doubt) -> Option<String> {
    let fields = profile.fields();
    let shown = |which: &dyn Fn(Fit) -> bool| list(&profile.examples(which));
    let said = match doubt {
        Doubt::Thousands => {
            let differs = |fit: Fit| fit.point_kind() != fit.comma_kind();
            // Groups separated by a space or an apostrophe are the same in both notations.
            let examples = match shown(&differs) {
                none if none.is_empty() => shown(&|_| true),
                some => some,
            };
            format!(
                "in fields such as {examples}, the separator may be for thousands or for a fraction; choose with ?decimal=. or ?decimal=,"
            )
        }
        Doubt::Notations => {
            let shown = one_of_each(profile, Fit::NUMBER);
            format!(
                "all of its fields are numbers, but no notation fits all of them, such as {shown}"
            )
        }
        Doubt::Codes => {
            let is_code = |fit: Fit| fit.has(Fit::CODE);
            format!(
                "{} digits, E and digits, as in codes, such as {}; ?decimal=. reads them as numbers with an exponent",
                have(profile.counted(is_code), fields),
                shown(&is_code)
            )
        }
        Doubt::Signs => format!(
            "all of its fields are numbers in brackets or with a hyphen after them, which may be notes or negative numbers, such as {}",
            shown(&|_| true)
        ),
        Doubt::TruthsAndNumbers => format!(
            "{} true or false and the others numbers, such as {}",
            are(profile.with(Fit::TRUTH), fields),
            one_of_each(profile, Fit::TRUTH)
        ),
        Doubt::Currencies => format!(
            "its amounts are in several currencies: {}",
            profile.currencies().join(", ")
        ),
        Doubt::Percent => format!(
            "{} a percent sign and the others none, such as {}",
            have(profile.with(Fit::PERCENT), fields),
            one_of_each(profile, Fit::PERCENT)
        ),
        Doubt::OtherDecimal(decimal) => {
            let (asked, parameter) = match decimal {
                Decimal::Point => (Fit::POINT, "a decimal point (?decimal=.)"),
                Decimal::Comma => (Fit::COMMA, "a decimal comma (?decimal=,)"),
            };
            format!(
                "its fields are numbers, but {} of them cannot be read with {parameter}, such as {}",
                profile.counted(|fit| !fit.has(asked)),
                shown(&|fit| !fit.has(asked))
            )
        }
        Doubt::None
        | Doubt::Misfits(_)
        | Doubt::DateOrder
        | Doubt::OtherOrder(_)
        | Doubt::DateOrders
        | Doubt::ShortYears
        | Doubt::ForeignDates
        | Doubt::Formulas
        | Doubt::Quotes => return None,
    };
    Some(said)
}

/// Returns the words about dates with an unclear order or several orders.
fn of_dates(profile: &Profile, doubt: Doubt) -> Option<String> {
    let fields = profile.fields();
    let shown = |which: &dyn Fn(Fit) -> bool| list(&profile.examples(which));
    let said = match doubt {
        Doubt::OtherOrder(order) => {
            let (asked, first, other) = match order {
                DateOrder::DayFirst => (Fit::DAY_FIRST, "the day first (?dates=dmy)", "mdy"),
                DateOrder::MonthFirst => (Fit::MONTH_FIRST, "the month first (?dates=mdy)", "dmy"),
            };
            format!(
                "its fields are dates, but {} of them cannot be read with {first}, such as {}; ?dates={other} fits all of them",
                profile.counted(|fit| !fit.has(asked)),
                shown(&|fit| !fit.has(asked))
            )
        }
        Doubt::ForeignDates => {
            let foreign = |fit: Fit| fit.has(Fit::DATE) && !fit.has(Fit::ISO);
            let fits = profile.sets().iter().map(|seen| seen.fit);
            let advice = if fits.reduce(Fit::and).unwrap_or_default().has(Fit::DATE) {
                "; ?dates=dmy or ?dates=mdy converts them to ISO 8601"
            } else {
                ""
            };
            format!(
                "{} a date that SQLite does not read, such as {}{advice}",
                have(profile.counted(foreign), fields),
                shown(&foreign)
            )
        }
        Doubt::DateOrder => format!(
            "its fields are dates such as {}, of which the day or the month may be first; choose with ?dates=dmy or ?dates=mdy, which converts them to ISO 8601",
            shown(&|_| true)
        ),
        Doubt::DateOrders => format!(
            "all of its fields are dates, but in several orders, such as {}",
            one_of_each(profile, Fit::DATE)
        ),
        Doubt::ShortYears => {
            let is_short = |fit: Fit| fit.has(Fit::SHORT_YEAR.with(Fit::SHORT_OR_VERSION));
            let which = match profile.counted(is_short) {
                short if short == fields => "its fields are dates with".to_owned(),
                short => format!("its fields are dates, {short} of them with"),
            };
            format!(
                "{which} years of two digits, such as {}; write years with four",
                shown(&is_short)
            )
        }
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
        | Doubt::Quotes => return None,
    };
    Some(said)
}

/// Returns the words about texts with marks of the program that wrote them.
fn of_marks(profile: &Profile, doubt: Doubt) -> Option<String> {
    let fields = profile.fields();
    let shown = |which: &dyn Fn(Fit) -> bool| list(&profile.examples(which));
    let said = match doubt {
        Doubt::Formulas => {
            let is_formula = |fit: Fit| fit.has(Fit::FORMULA);
            format!(
                "{} written as a spreadsheet writes texts, and the others are not, such as {}",
                are(profile.counted(is_formula), fields),
                one_of_each(profile, Fit::FORMULA)
            )
        }
        Doubt::Quotes => {
            let is_quoted = |fit: Fit| fit.has(Fit::QUOTED);
            format!(
                "{} quotation marks after a blank, which become part of the text, such as {}; remove the blank",
                have(profile.counted(is_quoted), fields),
                shown(&is_quoted)
            )
        }
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
        | Doubt::DateOrder
        | Doubt::OtherOrder(_)
        | Doubt::DateOrders
        | Doubt::ShortYears
        | Doubt::ForeignDates => return None,
    };
    Some(said)
}

/// Returns an example of each of the first sets that differ in these readings.
fn one_of_each(profile: &Profile, readings: Fit) -> String {
    let mut known = Vec::new();
    let mut examples = Vec::new();
    for seen in profile.sets() {
        let these = seen.fit.and(readings);
        if !known.contains(&these) && examples.len() < 3 {
            known.push(these);
            examples.extend(seen.examples.first().map(String::as_str));
        }
    }
    list(&examples)
}
