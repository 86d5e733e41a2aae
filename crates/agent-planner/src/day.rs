//! Days of the calendar, and spans of them.

use chrono::{DateTime, Datelike, Days, Months, NaiveDate};

/// A day of the calendar. The caller passes the current one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(NaiveDate);

/// A range of days; `to` is not part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) from: Day,
    pub(crate) to: Day,
}

/// A unit of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

impl Day {
    /// Returns the day of a time in milliseconds since 1970, in UTC; `None` outside the calendar.
    pub fn of_unix_ms(ms: i64) -> Option<Self> {
        DateTime::from_timestamp_millis(ms).map(|time| Self(time.date_naive()))
    }

    /// Parses a day such as `2025-06-15`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '-');
        let year: i32 = whole(parts.next()?, 4)?;
        let month: u32 = whole(parts.next()?, 2)?;
        let day: u32 = whole(parts.next()?, 2)?;
        Self::new(year, month, day)
    }

    /// Returns the day with these numbers, if it exists.
    pub(crate) fn new(year: i32, month: u32, day: u32) -> Option<Self> {
        NaiveDate::from_ymd_opt(year, month, day).map(Self)
    }

    /// Returns the month, from 1 to 12.
    pub(crate) fn month(self) -> u32 {
        self.0.month()
    }

    pub(crate) fn year(self) -> i32 {
        self.0.year()
    }

    /// Returns the day as `2025-06-15`.
    pub(crate) fn iso(self) -> String {
        self.0.format("%Y-%m-%d").to_string()
    }

    /// Returns the seconds since 1970 at the beginning of the day in UTC.
    pub(crate) fn unix_seconds(self) -> i64 {
        self.0
            .and_hms_opt(0, 0, 0)
            .map_or(0, |time| time.and_utc().timestamp())
    }

    /// Returns the first day of the week, month, quarter or year.
    pub(crate) fn start_of(self, unit: Unit) -> Option<Self> {
        match unit {
            Unit::Day => Some(self),
            Unit::Week => self
                .0
                .checked_sub_days(Days::new(u64::from(
                    self.0.weekday().num_days_from_monday(),
                )))
                .map(Self),
            Unit::Month => Self::new(self.0.year(), self.0.month(), 1),
            Unit::Quarter => Self::new(self.0.year(), (self.0.month() - 1) / 3 * 3 + 1, 1),
            Unit::Year => Self::new(self.0.year(), 1, 1),
        }
    }

    /// Returns the day so many units later, or earlier if the count is negative.
    pub(crate) fn shift(self, unit: Unit, count: i32) -> Option<Self> {
        let steps = count.unsigned_abs();
        let days = |steps: u32| {
            let days = Days::new(u64::from(steps));
            match count >= 0 {
                true => self.0.checked_add_days(days),
                false => self.0.checked_sub_days(days),
            }
        };
        let months = |steps: u32| {
            let months = Months::new(steps);
            match count >= 0 {
                true => self.0.checked_add_months(months),
                false => self.0.checked_sub_months(months),
            }
        };
        let shifted = match unit {
            Unit::Day => days(steps),
            Unit::Week => days(steps.checked_mul(7)?),
            Unit::Month => months(steps),
            Unit::Quarter => months(steps.checked_mul(3)?),
            Unit::Year => months(steps.checked_mul(12)?),
        };
        shifted.map(Self)
    }
}

impl Span {
    /// Returns the week, month or other unit of the calendar that lies so many units away from the
    /// one with the day.
    pub(crate) fn around(day: Day, unit: Unit, away: i32) -> Option<Self> {
        let from = day.start_of(unit)?.shift(unit, away)?;
        Some(Self {
            from,
            to: from.shift(unit, 1)?,
        })
    }

    /// Returns the span of a whole year.
    pub(crate) fn year(year: i32) -> Option<Self> {
        Self::around(Day::new(year, 1, 1)?, Unit::Year, 0)
    }

    /// Returns the last day of the span.
    pub(crate) fn last(self) -> Day {
        self.to.shift(Unit::Day, -1).unwrap_or(self.to)
    }
}

fn whole<N: std::str::FromStr>(text: &str, digits: usize) -> Option<N> {
    let plain = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::{Day, Span, Unit};

    fn day(text: &str) -> Day {
        Day::parse(text).unwrap()
    }

    #[test]
    fn only_days_of_the_calendar_are_read() {
        for text in ["2025-02-29", "2025-6-1", "2025-06-1x", "", "+025-01-01"] {
            assert_eq!(Day::parse(text), None, "{text}");
        }
        assert_eq!(day("2024-02-29").iso(), "2024-02-29");
        assert_eq!(Day::of_unix_ms(1_795_299_000_123), Some(day("2026-11-21")));
    }

    #[test]
    fn spans_follow_the_calendar() {
        let today = day("2024-03-31");
        let span = |unit, away| {
            let span = Span::around(today, unit, away).unwrap();
            format!("{} {}", span.from.iso(), span.last().iso())
        };
        assert_eq!(span(Unit::Month, -1), "2024-02-01 2024-02-29");
        assert_eq!(span(Unit::Week, 0), "2024-03-25 2024-03-31");
        assert_eq!(span(Unit::Quarter, -1), "2023-10-01 2023-12-31");
        assert_eq!(span(Unit::Year, 1), "2025-01-01 2025-12-31");
        assert_eq!(today.shift(Unit::Month, -1), Some(day("2024-02-29")));
    }
}
