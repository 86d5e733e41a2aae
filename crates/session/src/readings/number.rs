//! Numbers in texts: recognises numbers in the notations of several countries, and rewrites them
//! for SQLite.
//!
//! A text is a number if printing that number with as many digits returns the text, apart from a
//! leading `+`, a zero before the decimal point, trailing zeros after it and the case of `e`. So
//! `1e5`, `1.50E+00` and `0.30000000000000004` are numbers, and `007`, `32E0134`, `1e-400`,
//! identifiers of 20 digits and `3.14159265358979323846` are texts.

use super::fit::Fit;
use super::kinds::Kinds;

/// The maximum length of a number or date.
pub(super) const MAX_FIELD_BYTES: usize = 64;

/// The number of digits that a double always keeps: `DBL_DIG` of IEEE 754.
const EXACT_DIGITS: usize = 15;

/// The smallest number of digits with which a text with a leading `+` is taken for a telephone
/// number.
const TELEPHONE_DIGITS: usize = 9;

/// Signs and codes of currencies. If one is the beginning of another, the longer one is first.
pub(super) const CURRENCIES: [&str; 31] = [
    "US$", "R$", "A$", "C$", "$", "€", "£", "¥", "￥", "₹", "₽", "₩", "₺", "₪", "₫", "USD", "EUR",
    "GBP", "CHF", "JPY", "CAD", "AUD", "INR", "SEK", "NOK", "DKK", "PLN", "CZK", "kr", "zł", "Kč",
];

/// Currencies whose amounts never have three digits after the decimal sign.
const WITHOUT_THREE_DECIMALS: [&str; 7] = ["US$", "A$", "C$", "$", "£", "¥", "USD"];

/// The character between whole numbers and fractions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decimal {
    /// `1.5`
    Point,
    /// `1,5`
    Comma,
}

/// Characters that are used as a minus sign: hyphens and dashes of several widths, and the sign
/// itself.
const MINUS_SIGNS: [&str; 7] = [
    "\u{2212}", "\u{2013}", "\u{2012}", "\u{2010}", "\u{2011}", "\u{FE63}", "\u{FF0D}",
];

/// Hyphens that replace the fraction of a price, after the decimal sign.
const NO_FRACTION: [&str; 5] = ["--", "-", "\u{2013}", "\u{2014}", "\u{2212}"];

/// Marks before a number for its precision, and marks after it that refer to a note. If one is the
/// beginning of another, the longer one is first.
const MARKS_BEFORE: [&str; 10] = ["<=", ">=", "<", ">", "≤", "≥", "~", "≈", "±", "ca. "];
const MARKS_BEHIND: [&str; 10] = ["***", "**", "*", "†", "‡", "?", "!", "+", "#", "§"];

/// A text split into digits and the signs around them.
#[derive(Debug, Clone, Copy, Default)]
struct Parts<'t> {
    body: &'t str,
    is_negative: bool,
    marks: Fit,
    /// The decimal sign of a price without a fraction.
    decimal: Option<char>,
}

/// Finds the notations in which a text is a number.
pub(super) fn fit(text: &str) -> Fit {
    if let Some(fit) = plain_decimal(text.as_bytes()) {
        return fit;
    }
    let kinds = plain_kind(text);
    if kinds != Kinds::TEXT {
        // Whole numbers have no separator, and an exponent does not follow separated thousands.
        let fit = if kinds == Kinds::REAL && text.contains('.') {
            Fit::POINT.with_point_kind(kinds.bits())
        } else if kinds == Kinds::REAL {
            Fit::POINT
                .with(Fit::COMMA_ALONE)
                .with_point_kind(kinds.bits())
                .with_comma_kind(kinds.bits())
        } else {
            Fit::NUMBER
                .with_point_kind(kinds.bits())
                .with_comma_kind(kinds.bits())
        };
        let plus = if text.starts_with('+') {
            Fit::PLUS
        } else {
            Fit::NOTHING
        };
        return fit
            .with(plus)
            .with(grouped(text))
            .with(beyond_a_double(text, kinds))
            .with(code(text, kinds));
    }
    if let Some(number) = scientific_comma(text) {
        let plus = if number.len() < text.len() {
            Fit::PLUS
        } else {
            Fit::NOTHING
        };
        let fit = Fit::COMMA_ALONE.with_comma_kind(Kinds::REAL.bits());
        return fit.with(plus);
    }
    if let Some(parts) = Parts::of(text) {
        let fit = notations(&parts);
        if fit.has(Fit::NUMBER) {
            return fit.with(parts.marks);
        }
    }
    lossy(text)
}

/// Recognises a text that SQLite reads as a number with a loss: `007`, `1e999`.
pub(super) fn lossy(text: &str) -> Fit {
    let is_of_number =
        |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-');
    if text.bytes().all(is_of_number) && text.parse::<f64>().is_ok() {
        Fit::LOSSY
    } else {
        Fit::NOTHING
    }
}

/// Recognises a whole number that a double cannot represent exactly.
fn beyond_a_double(text: &str, kinds: Kinds) -> Fit {
    let is_exact = |number: i64| number as f64 as i128 == i128::from(number);
    let number = text.strip_prefix('+').unwrap_or(text).parse::<i64>();
    if kinds == Kinds::LONG_INTEGER && !number.is_ok_and(is_exact) {
        Fit::INEXACT
    } else {
        Fit::NOTHING
    }
}

/// Recognises `1E1`: a whole number with an unsigned exponent.
fn code(text: &str, kinds: Kinds) -> Fit {
    let is_code = kinds == Kinds::REAL
        && text.bytes().any(|byte| matches!(byte, b'e' | b'E'))
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'e' | b'E'));
    if is_code { Fit::CODE } else { Fit::NOTHING }
}

/// Recognises `inf` and `-Infinity`, which SQLite reads as texts.
pub(super) fn infinity(text: &str) -> Fit {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_infinity = ["inf", "infinity", "∞"]
        .iter()
        .any(|name| unsigned.eq_ignore_ascii_case(name));
    if is_infinity {
        Fit::MARKED
    } else {
        Fit::NOTHING
    }
}

/// Recognises a number with one mark: `<0.006`, `[98]`, `5*`, `12a`.
pub(super) fn marked(text: &str) -> Fit {
    let bare = MARKS_BEFORE
        .iter()
        .find_map(|mark| text.strip_prefix(mark))
        .or_else(|| MARKS_BEHIND.iter().find_map(|mark| text.strip_suffix(mark)))
        .or_else(|| text.strip_prefix('[')?.strip_suffix(']'))
        .or_else(|| text.strip_suffix(|last: char| last.is_ascii_alphabetic()));
    let is_number = |bare: &str| !matches!(plain_kind(bare.trim()), Kinds::TEXT);
    if bare.is_some_and(is_number) {
        Fit::MARKED
    } else {
        Fit::NOTHING
    }
}

/// Returns the number in the notation of SQLite; `None` for a text that is not a number with this
/// decimal sign.
pub(super) fn normalize(text: &str, decimal: Decimal) -> Option<String> {
    let all = match decimal {
        Decimal::Point => Fit::POINT,
        Decimal::Comma => Fit::COMMA,
    };
    if decimal == Decimal::Point && plain_kind(text) != Kinds::TEXT {
        return Some(text.trim_start_matches('+').to_owned());
    }
    if decimal == Decimal::Comma
        && let Some(number) = scientific_comma(text)
    {
        return Some(number);
    }
    let parts = Parts::of(text)?;
    all.each().find_map(|notation| written(&parts, notation))
}

/// Returns `1,5E-07`, or `1e5` without a decimal sign, with a decimal point.
fn scientific_comma(text: &str) -> Option<String> {
    if text.contains('.') || !text.contains(['e', 'E']) || text.len() > MAX_FIELD_BYTES {
        return None;
    }
    let number = text.strip_prefix('+').unwrap_or(text).replacen(',', ".", 1);
    (plain_kind(&number) == Kinds::REAL).then_some(number)
}

/// Returns true if amounts in the currency of a field never have three decimals, so that `1,234`
/// means thousands.
pub(super) fn has_no_three_decimals(fit: Fit) -> bool {
    WITHOUT_THREE_DECIMALS
        .iter()
        .any(|name| fit.and(Fit::CURRENCY) == currency(name))
}

/// Returns the sign of the currency of a field.
pub(super) fn currency_of(fit: Fit) -> Option<&'static str> {
    CURRENCIES
        .iter()
        .copied()
        .find(|name| fit.and(Fit::CURRENCY) == currency(name))
}

/// Returns the common sign for a currency with several signs or codes: `EUR` is €.
pub(super) fn sign_of_currency(name: &'static str) -> &'static str {
    match name {
        "US$" | "USD" => "$",
        "EUR" => "€",
        "GBP" => "£",
        "JPY" | "￥" => "¥",
        "INR" => "₹",
        "PLN" => "zł",
        "CZK" => "Kč",
        "AUD" => "A$",
        "CAD" => "C$",
        other => other,
    }
}

fn currency(name: &str) -> Fit {
    let position = CURRENCIES.iter().position(|known| *known == name);
    Fit::of_currency(position.map_or(0, |position| position + 1))
}

/// Returns the kind of a text in the notation of SQLite: [`Kinds::TEXT`] if printing the number
/// would not return the text.
pub(super) fn plain_kind(text: &str) -> Kinds {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if unsigned.len() > MAX_FIELD_BYTES
        || !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.')
    {
        return Kinds::TEXT;
    }
    let is_whole = unsigned.bytes().all(|byte| byte.is_ascii_digit());
    let leads_with_zero = matches!(unsigned.as_bytes(), [b'0', b'0'..=b'9', ..]);
    if leads_with_zero {
        return Kinds::TEXT;
    }
    if text == "-0" {
        // C and MATLAB print the real number -0.0 like this.
        return Kinds::REAL;
    }
    if is_whole {
        let is_telephone = text.starts_with('+') && unsigned.len() >= TELEPHONE_DIGITS;
        let number = text.strip_prefix('+').unwrap_or(text);
        return match Kinds::of_number(number) {
            Some(kinds) if !is_telephone => kinds,
            _ => Kinds::TEXT,
        };
    }
    let is_real = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => prints_as_scientific(mantissa, exponent),
        None => prints_as_decimal(unsigned),
    };
    if is_real { Kinds::REAL } else { Kinds::TEXT }
}

/// Returns true for a decimal such as `12.5`, `.5` or `5.` that is printed as it was written.
fn prints_as_decimal(unsigned: &str) -> bool {
    let Some((whole, fraction)) = unsigned.split_once('.') else {
        return false;
    };
    if !all_digits(whole) || !all_digits(fraction) || whole.len() + fraction.len() == 0 {
        return false;
    }
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0');
    significant.len() <= EXACT_DIGITS || prints_digits(unsigned, significant)
}

/// Returns true for a number such as `1.5e-7`, which most languages print, or `1.5e-07`, which C
/// prints.
fn prints_as_scientific(mantissa: &str, exponent: &str) -> bool {
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.len() != 1 || !all_digits(whole) || !all_digits(fraction) {
        return false;
    }
    let (is_signed, digits) = match exponent.strip_prefix(['-', '+']) {
        Some(digits) => (true, digits),
        None => (false, exponent),
    };
    let is_shortest = !digits.starts_with('0') || digits == "0";
    let is_padded = is_signed && (2..=3).contains(&digits.len());
    if digits.is_empty() || !all_digits(digits) || !(is_shortest || is_padded) {
        return false;
    }
    let significant = format!("{whole}{fraction}");
    if significant.bytes().all(|digit| digit == b'0') {
        return digits.bytes().all(|digit| digit == b'0');
    }
    // A normalized mantissa begins with its first digit.
    !significant.starts_with('0') && prints_digits(&format!("{mantissa}e{exponent}"), &significant)
}

/// Returns true if the double of a number has these digits, at the power of ten that the text
/// gives.
fn prints_digits(number: &str, significant: &str) -> bool {
    let Ok(value) = number.parse::<f64>() else {
        return false;
    };
    if !value.is_finite() || value == 0.0 {
        return false;
    }
    let printed = format!("{value:.*e}", significant.len().saturating_sub(1));
    let mantissa = printed.split('e').next().unwrap_or_default();
    mantissa
        .bytes()
        .filter(u8::is_ascii_digit)
        .eq(significant.bytes())
}

fn all_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Recognises a decimal such as `-12.25`, the most frequent form of a number with a fraction,
/// without the general parser.
fn plain_decimal(bytes: &[u8]) -> Option<Fit> {
    let unsigned = bytes.strip_prefix(b"-").unwrap_or(bytes);
    let point = unsigned.iter().position(|byte| *byte == b'.')?;
    let (whole, behind) = unsigned.split_at_checked(point)?;
    let fraction = behind.get(1..)?;
    let digits = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
    let is_plain = !whole.is_empty()
        && !fraction.is_empty()
        && whole.len() + fraction.len() <= EXACT_DIGITS
        && (whole == b"0" || !whole.starts_with(b"0"))
        && digits(whole)
        && digits(fraction);
    if !is_plain {
        return None;
    }
    let fit = Fit::POINT.with_point_kind(Kinds::REAL.bits());
    // Three digits after the point may be thousands.
    let may_be_group = fraction.len() == 3 && whole.len() <= 3 && whole != b"0";
    Some(if may_be_group {
        fit.with(Fit::COMMA_POINTS)
            .with_comma_kind(Kinds::INTEGER.bits())
    } else {
        fit
    })
}

/// Returns the readings of a number whose points separate thousands.
fn grouped(text: &str) -> Fit {
    if !text.contains('.') {
        return Fit::NOTHING;
    }
    let Some(parts) = Parts::of(text) else {
        return Fit::NOTHING;
    };
    match written(&parts, Fit::COMMA_POINTS).map(|number| plain_kind(&number)) {
        Some(kinds) if kinds != Kinds::TEXT => Fit::COMMA_POINTS.with_comma_kind(kinds.bits()),
        _ => Fit::NOTHING,
    }
}

/// Returns the notations in which the digits are a number, with its kinds.
fn notations(parts: &Parts<'_>) -> Fit {
    let mut fit = Fit::NOTHING;
    for notation in Fit::NUMBER.each() {
        let Some(number) = written(parts, notation) else {
            continue;
        };
        let kinds = plain_kind(&number);
        if kinds == Kinds::TEXT {
            continue;
        }
        fit = fit.with(notation);
        fit = if notation.has(Fit::POINT) {
            fit.with_point_kind(kinds.bits())
        } else {
            fit.with_comma_kind(kinds.bits())
        };
    }
    fit
}

/// Returns the digits in a notation as SQLite reads them; `None` if they do not fit the notation.
fn written(parts: &Parts<'_>, notation: Fit) -> Option<String> {
    let decimal = if notation.has(Fit::POINT) { '.' } else { ',' };
    if parts.decimal.is_some_and(|said| said != decimal) {
        return None;
    }
    let is_separator = |character: char| match notation {
        Fit::POINT_COMMAS => character == ',',
        Fit::COMMA_POINTS => character == '.',
        Fit::POINT_BLANKS | Fit::COMMA_BLANKS => character.is_whitespace(),
        Fit::POINT_APOSTROPHES | Fit::COMMA_APOSTROPHES => matches!(character, '\'' | '’'),
        _ => false,
    };
    let is_known = |character: char| {
        character.is_ascii_digit() || character == decimal || is_separator(character)
    };
    if !parts.body.chars().all(is_known) {
        return None;
    }
    let (whole, fraction) = match parts.body.rsplit_once(decimal) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (parts.body, None),
    };
    if !fraction.is_none_or(all_digits) || (whole.is_empty() && fraction.is_none_or(str::is_empty))
    {
        return None;
    }
    let runs: Vec<&str> = whole.split(is_separator).collect();
    if !runs.iter().all(|run| all_digits(run)) || !are_groups(&runs, notation) {
        return None;
    }
    let mut number = String::from(if parts.is_negative { "-" } else { "" });
    number.extend(runs);
    if let Some(fraction) = fraction {
        if decimal == ',' && fraction.is_empty() {
            return None;
        }
        number.push('.');
        number.push_str(fraction);
    }
    Some(number)
}

/// Returns true for groups of three digits after one to three digits; in India, groups of two are
/// in between.
fn are_groups(runs: &[&str], notation: Fit) -> bool {
    let [first, between @ .., last] = runs else {
        return true;
    };
    // An IP address.
    if notation == Fit::COMMA_POINTS
        && between.len() == 2
        && runs.iter().all(|run| run.parse::<u8>().is_ok())
    {
        return false;
    }
    let is_head = |most: usize| (1..=most).contains(&first.len()) && !first.starts_with('0');
    let all = |bytes: usize| between.iter().all(|run| run.len() == bytes);
    let is_indian = notation == Fit::POINT_COMMAS && !between.is_empty() && is_head(2) && all(2);
    last.len() == 3 && ((is_head(3) && all(3)) || is_indian)
}

impl<'t> Parts<'t> {
    /// Removes signs, brackets, a currency and a percent sign from a text; `None` if anything but
    /// digits and separators is left.
    fn of(text: &'t str) -> Option<Self> {
        let mut parts = Self {
            body: text,
            ..Self::default()
        };
        let mut is_signed = false;
        while parts.take_front(&mut is_signed) {}
        while parts.take_end(&mut is_signed) {}
        let is_body = |character: char| {
            character.is_ascii_digit()
                || matches!(character, '.' | ',' | '\'' | '’')
                || character.is_whitespace()
        };
        let ends = |text: &str| text.ends_with(|c: char| c.is_ascii_digit() || c == '.');
        let begins =
            |text: &str| text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | ','));
        let digits = parts.body.bytes().filter(u8::is_ascii_digit).count();
        let is_telephone = parts.marks.has(Fit::PLUS)
            && digits >= TELEPHONE_DIGITS
            && !parts.body.contains(['.', ',']);
        (begins(parts.body) && ends(parts.body) && parts.body.chars().all(is_body) && !is_telephone)
            .then_some(parts)
    }

    fn take_front(&mut self, is_signed: &mut bool) -> bool {
        if !*is_signed {
            let signs = [("-", true, Fit::NOTHING), ("+", false, Fit::PLUS)];
            let others = MINUS_SIGNS.map(|sign| (sign, true, Fit::NEGATIVE));
            for (sign, is_negative, marks) in signs.into_iter().chain(others) {
                if let Some(rest) = self.body.strip_prefix(sign) {
                    (self.body, self.is_negative, *is_signed) = (rest, is_negative, true);
                    self.marks = self.marks.with(marks);
                    return true;
                }
            }
            let within = self
                .body
                .strip_prefix('(')
                .and_then(|rest| rest.strip_suffix(')'));
            if let Some(within) = within {
                (self.body, self.is_negative, *is_signed) = (within.trim(), true, true);
                self.marks = self.marks.with(Fit::NEGATIVE.with(Fit::DOUBTFUL_SIGN));
                return true;
            }
        }
        self.take_currency(|body, name| body.strip_prefix(name).map(str::trim_start))
    }

    fn take_end(&mut self, is_signed: &mut bool) -> bool {
        if let Some(rest) = self
            .body
            .strip_suffix('%')
            .filter(|_| !self.marks.has(Fit::PERCENT))
        {
            self.body = rest.trim_end();
            self.marks = self.marks.with(Fit::PERCENT);
            return true;
        }
        if self.take_no_fraction() {
            return true;
        }
        if let Some(rest) = self.body.strip_suffix('-').filter(|_| !*is_signed) {
            (self.body, self.is_negative, *is_signed) = (rest, true, true);
            self.marks = self.marks.with(Fit::NEGATIVE.with(Fit::DOUBTFUL_SIGN));
            return true;
        }
        self.take_currency(|body, name| body.strip_suffix(name).map(str::trim_end))
    }

    /// Removes the hyphens from `5.-`, the price 5, in which they replace the fraction.
    fn take_no_fraction(&mut self) -> bool {
        if self.decimal.is_some() {
            return false;
        }
        let found = NO_FRACTION.iter().find_map(|hyphens| {
            let rest = self.body.strip_suffix(hyphens)?;
            let digits = rest.strip_suffix(['.', ','])?;
            digits
                .ends_with(|last: char| last.is_ascii_digit())
                .then_some((digits, rest.chars().next_back()))
        });
        let Some((digits, sign)) = found else {
            return false;
        };
        // A sign that also occurs among the digits separates thousands.
        let decimal = match sign {
            Some('.') if digits.contains('.') => Some(','),
            Some(',') if digits.contains(',') => Some('.'),
            sign => sign,
        };
        (self.body, self.decimal) = (digits, decimal);
        self.marks = self.marks.with(Fit::WHOLE_PRICE);
        true
    }

    fn take_currency(&mut self, strip: impl Fn(&'t str, &str) -> Option<&'t str>) -> bool {
        if self.marks.has(Fit::CURRENCY) {
            return false;
        }
        let found = CURRENCIES
            .iter()
            .find_map(|name| Some((name, strip(self.body, name)?)));
        let Some((name, rest)) = found else {
            return false;
        };
        self.body = rest;
        self.marks = self.marks.with(currency(name));
        true
    }
}
