//! Recognises dates in texts: finds the orders of day, month and year in which a text is a date,
//! and rewrites it as ISO 8601.

use super::fit::Fit;
use base::time::{MONTHS, WEEKDAYS};

/// A text with the shape of a date: three parts, and the rest after them.
#[derive(Debug, Clone, Copy)]
struct Shape<'t> {
    parts: [&'t str; 3],
    separator: u8,
    /// The month, if it is written as a name; then the parts are day, month, year.
    month: Option<u32>,
    rest: &'t str,
}

/// A time of day in ISO 8601, with its zone.
struct Time {
    text: String,
}

/// Returns the orders of day, month and year in which a text is a date.
pub(super) fn fit(text: &str) -> Fit {
    let Some(shape) = Shape::of(text) else {
        return Fit::NOTHING;
    };
    let Some(time) = Time::of(shape.rest) else {
        return Fit::NOTHING;
    };
    if shape.has_short_year() {
        let is_date = [Fit::DAY_FIRST, Fit::MONTH_FIRST, Fit::NAMED_MONTH]
            .into_iter()
            .any(|orders| shape.day(orders).is_some());
        return match is_date {
            true if shape.may_be_version() => Fit::SHORT_OR_VERSION,
            true => Fit::SHORT_YEAR,
            false => Fit::NOTHING,
        };
    }
    let mut fit = Fit::NOTHING;
    for orders in [
        Fit::DAY_FIRST,
        Fit::MONTH_FIRST,
        Fit::YEAR_FIRST,
        Fit::NAMED_MONTH,
    ] {
        if shape.day(orders).is_some() {
            fit = fit.with(match orders {
                Fit::NAMED_MONTH => orders,
                _ => Fit::date(orders, shape.separator),
            });
        }
    }
    let is_iso = fit.has(Fit::YEAR_FIRST)
        && shape.separator == b'-'
        && shape.parts.map(str::len) == [4, 2, 2]
        && (shape.rest.is_empty() || shape.rest.get(1..) == time.text.get(1..));
    if is_iso { fit.with(Fit::ISO) } else { fit }
}

/// Returns the date in ISO 8601; `None` if the text is not a date in this order. `orders` is one of
/// the sets of [`Fit`].
pub(super) fn iso(text: &str, orders: Fit) -> Option<String> {
    let shape = Shape::of(text)?;
    let time = Time::of(shape.rest)?;
    let (year, month, day) = shape.day(orders)?;
    Some(format!("{year:04}-{month:02}-{day:02}{}", time.text))
}

impl<'t> Shape<'t> {
    fn of(text: &'t str) -> Option<Self> {
        if text.starts_with(|c: char| c.is_ascii_digit()) {
            Self::of_numbers(text).or_else(|| Self::day_and_name(text))
        } else {
            Self::named(text)
        }
    }

    /// Splits `31.12.2025`.
    fn of_numbers(text: &'t str) -> Option<Self> {
        let (first, rest) = digits(text);
        let separator = *rest.as_bytes().first()?;
        let parted = |rest: &'t str| rest.strip_prefix(char::from(separator));
        if !matches!(separator, b'.' | b'/' | b'-') {
            return None;
        }
        let (second, rest) = digits(parted(rest)?);
        let (third, rest) = digits(parted(rest)?);
        let parts = [first, second, third];
        let is_shape = match parts.map(str::len) {
            // Version numbers look like a date with points.
            [4, 2, 2] => true,
            [4, 1..=2, 1..=2] => separator != b'.',
            [1..=2, 1..=2, 4] => true,
            [2, 2, 2] => true,
            [1..=2, 1..=2, 2] => matches!(separator, b'/' | b'.'),
            _ => false,
        };
        is_shape.then_some(Self {
            parts,
            separator,
            month: None,
            rest,
        })
    }

    /// Splits `31-Dec-2025`, `31 December 2025` or `2025-Dec-31`.
    fn day_and_name(text: &'t str) -> Option<Self> {
        let (first, rest) = digits(text);
        let rest = rest.trim_start_matches(['.', ' ', '-', '/']);
        let (name, rest) = word(rest);
        let rest = rest.trim_start_matches(['.', ',', ' ', '-', '/']);
        let (last, rest) = digits(rest);
        let parts = if first.len() == 4 {
            [last, name, first]
        } else {
            [first, name, last]
        };
        Self::with_name(parts, rest)
    }

    /// Splits `Dec 31, 2025`, also with a day of the week before it.
    fn named(text: &'t str) -> Option<Self> {
        let (name, rest) = word(text);
        if named(name, &WEEKDAYS).is_some() && named(name, &MONTHS).is_none() {
            let rest = rest.trim_start_matches([',', '.', ' ']);
            return (!rest.is_empty() && rest.len() < text.len()).then(|| {
                if rest.starts_with(|c: char| c.is_ascii_digit()) {
                    Self::day_and_name(rest)
                } else {
                    Self::month_and_day(rest)
                }
            })?;
        }
        Self::month_and_day(text)
    }

    fn month_and_day(text: &'t str) -> Option<Self> {
        let (name, rest) = word(text);
        let (day, rest) = digits(rest.trim_start_matches(['.', ' ', '-', '/']));
        let rest = rest.trim_start_matches([',', ' ', '-', '/']);
        let (year, rest) = digits(rest);
        Self::with_name([day, name, year], rest)
    }

    fn with_name(parts: [&'t str; 3], rest: &'t str) -> Option<Self> {
        let [day, name, year] = parts;
        let month = named(name, &MONTHS)?;
        let is_shape = matches!(day.len(), 1..=2) && matches!(year.len(), 2 | 4);
        is_shape.then_some(Self {
            parts,
            separator: b' ',
            month: Some(month),
            rest,
        })
    }

    fn may_be_version(&self) -> bool {
        self.separator == b'.' && self.month.is_none() && self.parts.map(str::len) != [2, 2, 2]
    }

    fn has_short_year(&self) -> bool {
        let [first, _, last] = self.parts;
        first.len() < 4 && last.len() < 4
    }

    /// Returns year, month and day in an order.
    fn day(&self, orders: Fit) -> Option<(u32, u32, u32)> {
        let number = |text: &str| text.parse::<u32>().ok();
        let [first, second, third] = self.parts;
        let (year, month, day) = match (self.month, orders) {
            (Some(month), Fit::NAMED_MONTH) => (number(third)?, month, number(first)?),
            (None, _) if (first.len() == 4) != (orders == Fit::YEAR_FIRST) => return None,
            (None, Fit::YEAR_FIRST) => (number(first)?, number(second)?, number(third)?),
            (None, Fit::DAY_FIRST) => (number(third)?, number(second)?, number(first)?),
            (None, Fit::MONTH_FIRST) => (number(third)?, number(first)?, number(second)?),
            _ => return None,
        };
        let is_day = (1..=12).contains(&month) && (1..=days(year, month)).contains(&day);
        is_day.then_some((year, month, day))
    }
}

fn days(year: u32, month: u32) -> u32 {
    let is_leap = (year.is_multiple_of(4) && !year.is_multiple_of(100)) || year.is_multiple_of(400);
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the number of a name, from 1: the full name, its first three letters, or `Sept`.
fn named(name: &str, names: &[&str]) -> Option<u32> {
    let is_name = |full: &&str| {
        let is_short = name.len() == 3 || (name.len() == 4 && *full == "september");
        full.eq_ignore_ascii_case(name)
            || (is_short
                && full
                    .get(..name.len())
                    .is_some_and(|head| head.eq_ignore_ascii_case(name)))
    };
    let position = names.iter().position(is_name)?;
    u32::try_from(position + 1).ok()
}

/// Splits a text after its leading digits.
fn digits(text: &str) -> (&str, &str) {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit());
    text.split_at_checked(end.unwrap_or(text.len()))
        .unwrap_or((text, ""))
}

/// Splits a text after its leading letters.
fn word(text: &str) -> (&str, &str) {
    let end = text.bytes().position(|byte| !byte.is_ascii_alphabetic());
    text.split_at_checked(end.unwrap_or(text.len()))
        .unwrap_or(("", text))
}

impl Time {
    /// Parses the time after a date: nothing, or ` 10:30`, `T10:30:00.5Z`, ` 2:05 PM`, ` 10:30
    /// +0100`.
    fn of(rest: &str) -> Option<Self> {
        if rest.is_empty() {
            return Some(Self {
                text: String::new(),
            });
        }
        let rest = rest.strip_prefix(',').unwrap_or(rest);
        let rest = rest.strip_prefix([' ', 'T'])?;
        let (hour, rest) = digits(rest);
        let (minute, rest) = digits(rest.strip_prefix(':')?);
        let (second, rest) = match rest.strip_prefix(':') {
            Some(rest) => (Some(rest.get(..2)?), rest.get(2..)?),
            None => (None, rest),
        };
        let (fraction, rest) = match rest.strip_prefix('.').filter(|_| second.is_some()) {
            Some(rest) => digits(rest),
            None => ("", rest),
        };
        let (half, rest) = half_of_day(rest);
        let hour = hour_of_day(hour, half)?;
        let is_time = minute.len() == 2
            && minute < "60"
            && second.is_none_or(|second| digits(second).1.is_empty() && second < "61");
        let zone = zone(rest)?;
        let second = second
            .map(|second| format!(":{second}"))
            .unwrap_or_default();
        let point = if fraction.is_empty() { "" } else { "." };
        is_time.then(|| Self {
            text: format!(" {hour:02}:{minute}{second}{point}{fraction}{zone}"),
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    Unsaid,
    Am,
    Pm,
}

fn half_of_day(rest: &str) -> (Half, &str) {
    let word = rest.trim_start();
    let (head, behind) = word.split_at_checked(2).unwrap_or(("", word));
    if head.eq_ignore_ascii_case("am") {
        (Half::Am, behind)
    } else if head.eq_ignore_ascii_case("pm") {
        (Half::Pm, behind)
    } else {
        (Half::Unsaid, rest)
    }
}

fn hour_of_day(hour: &str, half: Half) -> Option<u32> {
    let number = hour.parse::<u32>().ok().filter(|_| hour.len() <= 2)?;
    match half {
        Half::Unsaid => (number < 24).then_some(number),
        Half::Am => (1..=12).contains(&number).then_some(number % 12),
        Half::Pm => (1..=12).contains(&number).then_some(number % 12 + 12),
    }
}

/// Returns a zone as SQLite reads it: nothing, `Z`, or `+01:00`.
fn zone(rest: &str) -> Option<String> {
    let word = rest.trim_start();
    if word.is_empty() || word == "Z" {
        return Some(word.to_owned());
    }
    if word == "UTC" || word == "GMT" {
        return Some("Z".to_owned());
    }
    let sign = word.get(..1).filter(|sign| matches!(*sign, "+" | "-"))?;
    let (hour, rest) = digits(word.get(1..)?);
    let (hour, minute) = match (hour.len(), rest.strip_prefix(':')) {
        (2, Some(minute)) => (hour, minute),
        (2, None) if rest.is_empty() => (hour, "00"),
        (4, None) if rest.is_empty() => hour.split_at_checked(2)?,
        _ => return None,
    };
    let is_zone = hour < "15" && minute.len() == 2 && digits(minute).1.is_empty() && minute < "60";
    is_zone.then(|| format!("{sign}{hour}:{minute}"))
}
