//! Dates as people write them: `March 2024`, `last month`, `the last 30 days`, `Q1 2025`, `the
//! 1980s`.

use base::time::MONTHS;

use crate::day::{Day, Span, Unit};
use crate::lexicon::{NUMBER_WORDS, of};
use crate::token::{Token, TokenKind};

/// The days that a question names, and the number of tokens that name them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Dated {
    pub(crate) span: Span,
    pub(crate) tokens: usize,
    /// True if the question names the days by a number alone, which is not always a year.
    pub(crate) bare_year: bool,
}

/// The numbers that may be a year when they stand alone.
const YEARS: std::ops::RangeInclusive<i32> = 1000..=2999;
/// The largest count in `the last N days`: a century of days.
const MAX_STEPS: i32 = 36_525;

/// Returns the days that the first tokens name. A month without a year names none, because the year
/// is unknown.
pub(crate) fn dated(tokens: &[Token], today: Day) -> Option<Dated> {
    let skipped = usize::from(word(tokens, 0) == "the");
    let rest = tokens.get(skipped..)?;
    let found = relative(rest, today)
        .or_else(|| rolling(rest, today))
        .or_else(|| quarter(rest))
        .or_else(|| decade(rest))
        .or_else(|| day(rest))
        .or_else(|| month(rest))
        .or_else(|| year(rest))?;
    Some(Dated {
        tokens: found.tokens + skipped,
        ..found
    })
}

/// Returns true if a token is the name of a month.
pub(crate) fn is_month(token: &Token) -> bool {
    // `may` is a verb as well.
    month_number(&token.lower).is_some() && (token.lower != "may" || token.text == "May")
}

/// Returns the unit that a word names.
pub(crate) fn unit(word: &str) -> Option<Unit> {
    Some(match word {
        "day" | "days" | "daily" => Unit::Day,
        "week" | "weeks" | "weekly" => Unit::Week,
        "month" | "months" | "monthly" => Unit::Month,
        "quarter" | "quarters" | "quarterly" => Unit::Quarter,
        "year" | "years" | "yearly" | "annual" | "annually" => Unit::Year,
        _ => return None,
    })
}

fn word(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).map_or("", |token| token.lower.as_str())
}

fn found(span: Option<Span>, tokens: usize) -> Option<Dated> {
    span.map(|span| Dated {
        span,
        tokens,
        bare_year: false,
    })
}

/// Parses `today`, `this month`, `last year`.
fn relative(tokens: &[Token], today: Day) -> Option<Dated> {
    match word(tokens, 0) {
        "today" => return found(Span::around(today, Unit::Day, 0), 1),
        "yesterday" => return found(Span::around(today, Unit::Day, -1), 1),
        "tomorrow" => return found(Span::around(today, Unit::Day, 1), 1),
        _ => {}
    }
    let away = match word(tokens, 0) {
        "this" | "current" => 0,
        "last" | "previous" | "past" => -1,
        "next" => 1,
        _ => return None,
    };
    let unit = unit(word(tokens, 1)).filter(|_| !word(tokens, 1).ends_with('s'))?;
    found(Span::around(today, unit, away), 2)
}

/// Parses `last 30 days` and `past two weeks`, which end with today, and `next 7 days`, which
/// begins tomorrow.
fn rolling(tokens: &[Token], today: Day) -> Option<Dated> {
    let ahead = match word(tokens, 0) {
        "last" | "past" | "previous" => false,
        "next" => true,
        _ => return None,
    };
    let count = count(tokens.get(1)?)?;
    let unit = unit(word(tokens, 2))?;
    let tomorrow = today.shift(Unit::Day, 1)?;
    let span = match ahead {
        true => Span {
            from: tomorrow,
            to: tomorrow.shift(unit, count)?,
        },
        false => Span {
            from: today.shift(unit, -count)?,
            to: tomorrow,
        },
    };
    found(Some(span), 3)
}

fn count(token: &Token) -> Option<i32> {
    let value = token.number().or_else(|| of(NUMBER_WORDS, &token.lower))?;
    let whole = value.fract() == 0.0 && (1.0..=f64::from(MAX_STEPS)).contains(&value);
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a whole number between 1 and 36,525"
    )]
    let count = value as i32;
    whole.then_some(count)
}

/// Parses `Q1 2025`, `first quarter of 2025`.
fn quarter(tokens: &[Token]) -> Option<Dated> {
    let (number, mut at) = match word(tokens, 0) {
        "q1" => (1, 1),
        "q2" => (2, 1),
        "q3" => (3, 1),
        "q4" => (4, 1),
        ordinal => {
            let number = match ordinal {
                "first" | "1st" => 1,
                "second" | "2nd" => 2,
                "third" | "3rd" => 3,
                "fourth" | "last" | "4th" => 4,
                _ => return None,
            };
            (word(tokens, 1) == "quarter").then_some((number, 2))?
        }
    };
    at += usize::from(matches!(word(tokens, at), "of" | "in"));
    let year = year_number(tokens.get(at)?)?;
    let first = Day::new(year, (number - 1) * 3 + 1, 1)?;
    found(Span::around(first, Unit::Quarter, 0), at + 1)
}

/// Parses `1980s`.
fn decade(tokens: &[Token]) -> Option<Dated> {
    let year: i32 = word(tokens, 0).strip_suffix("0s")?.parse().ok()?;
    let from = YEARS.contains(&(year * 10)).then_some(year * 10)?;
    let span = Span {
        from: Day::new(from, 1, 1)?,
        to: Day::new(from + 10, 1, 1)?,
    };
    found(Some(span), 1)
}

/// Parses `2024-05-01`, `1 May 2024`, `the 1st of May 2024`, `May 1, 2024`.
fn day(tokens: &[Token]) -> Option<Dated> {
    let first = tokens.first()?;
    if let TokenKind::Date(day) = first.kind {
        return found(Span::around(day, Unit::Day, 0), 1);
    }
    if let Some(number) = day_number(&first.lower) {
        let mut at = 1 + usize::from(word(tokens, 1) == "of");
        let month = month_number(word(tokens, at))?;
        at += 1;
        at += usize::from(word(tokens, at) == ",");
        let day = Day::new(year_number(tokens.get(at)?)?, month, number)?;
        return found(Span::around(day, Unit::Day, 0), at + 1);
    }
    let month = month_number(word(tokens, 0))?;
    let number = day_number(word(tokens, 1))?;
    let at = 2 + usize::from(word(tokens, 2) == ",");
    let day = Day::new(year_number(tokens.get(at)?)?, month, number)?;
    found(Span::around(day, Unit::Day, 0), at + 1)
}

/// Parses `March 2024`, `March of 2024`.
fn month(tokens: &[Token]) -> Option<Dated> {
    let month = month_number(word(tokens, 0))?;
    let at = 1 + usize::from(matches!(word(tokens, 1), "of" | ","));
    let first = Day::new(year_number(tokens.get(at)?)?, month, 1)?;
    found(Span::around(first, Unit::Month, 0), at + 1)
}

/// Parses `2024`, `the year 2024`.
fn year(tokens: &[Token]) -> Option<Dated> {
    let at = usize::from(word(tokens, 0) == "year");
    let span = Span::year(year_number(tokens.get(at)?)?)?;
    Some(Dated {
        span,
        tokens: at + 1,
        bare_year: at == 0,
    })
}

fn year_number(token: &Token) -> Option<i32> {
    let digits = token.lower.len() == 4 && token.lower.bytes().all(|byte| byte.is_ascii_digit());
    let year = if digits {
        token.lower.parse().ok()?
    } else {
        return None;
    };
    YEARS.contains(&year).then_some(year)
}

pub(crate) fn month_number(word: &str) -> Option<u32> {
    let place = MONTHS.iter().position(|month| {
        *month == word
            || (word.len() >= 3 && word.len() <= 4 && *month != "may" && month.starts_with(word))
    })?;
    u32::try_from(place + 1).ok()
}

fn day_number(word: &str) -> Option<u32> {
    let digits = ["st", "nd", "rd", "th"]
        .iter()
        .find_map(|ending| word.strip_suffix(ending))
        .unwrap_or(word);
    let plain = (1..=2).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    if plain { digits.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::dated;
    use crate::day::Day;
    use crate::token::tokenize;

    fn check(text: &str, expected: Option<(&str, &str, usize)>) {
        let tokens = tokenize(text).unwrap();
        let found = dated(&tokens, Day::parse("2025-06-15").unwrap());
        let found =
            found.map(|dated| (dated.span.from.iso(), dated.span.last().iso(), dated.tokens));
        let expected =
            expected.map(|(from, last, tokens)| (from.to_owned(), last.to_owned(), tokens));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn dates_are_read_as_people_write_them() {
        for (text, from, last, tokens) in [
            ("2024", "2024-01-01", "2024-12-31", 1),
            ("March 2024", "2024-03-01", "2024-03-31", 2),
            ("1 May 2024", "2024-05-01", "2024-05-01", 3),
            ("the 1st of May 2024", "2024-05-01", "2024-05-01", 5),
            ("May 1, 2024", "2024-05-01", "2024-05-01", 4),
            ("last month", "2025-05-01", "2025-05-31", 2),
            ("the last 30 days", "2025-05-16", "2025-06-15", 4),
            ("past two weeks", "2025-06-01", "2025-06-15", 3),
            ("next 7 days", "2025-06-16", "2025-06-22", 3),
            ("first quarter of 2025", "2025-01-01", "2025-03-31", 4),
            ("Q4 2024", "2024-10-01", "2024-12-31", 2),
            ("1980s", "1980-01-01", "1989-12-31", 1),
            ("this week", "2025-06-09", "2025-06-15", 2),
            ("sept 2024", "2024-09-01", "2024-09-30", 2),
        ] {
            check(text, Some((from, last, tokens)));
        }
    }

    #[test]
    fn what_is_no_day_is_none() {
        for text in [
            "March",
            "35 June 2024",
            "31 April 2024",
            "last",
            "12345",
            "2,024",
            "last days",
            "last 0 days",
        ] {
            check(text, None);
        }
    }
}
