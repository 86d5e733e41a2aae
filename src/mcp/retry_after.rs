//! `Retry-After`: seconds, or a date.
//!
//! Source: RFC 9110, 10.2.3 and 5.6.7. Of the three forms of a date the one that may be sent is read, not the two that only old servers have.

/// The longest patience that a server is believed to want: longer than any call has.
const MAX_RETRY_AFTER_MS: u64 = 24 * 60 * 60 * 1000;

/// Days from the first of March of the year 0 to the end of 1969, and one for days that are counted from 1.
const DAYS_BEFORE_1970: u64 = 719_469;

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// How long to wait from now.
pub(super) fn parse(text: &str, now_ms: u64) -> Option<u64> {
    let text = text.trim();
    let wait_ms = match text.parse::<u64>() {
        Ok(seconds) => seconds.saturating_mul(1_000),
        Err(_) => seconds_of_date(text)?
            .saturating_mul(1_000)
            .saturating_sub(now_ms),
    };
    Some(wait_ms.min(MAX_RETRY_AFTER_MS))
}

/// Seconds since 1970 of a date such as `Wed, 21 Oct 2015 07:28:00 GMT`.
fn seconds_of_date(text: &str) -> Option<u64> {
    let (_weekday, date) = text.split_once(", ")?;
    let mut parts = date.split(' ');
    let day = number(parts.next()?, 1, 31)?;
    let month = parts.next()?;
    let (_, month) = MONTHS.iter().zip(1..).find(|(name, _)| **name == month)?;
    let year = number(parts.next()?, 1970, 9_999)?;
    let mut time = parts.next()?.split(':');
    let hour = number(time.next()?, 0, 23)?;
    let minute = number(time.next()?, 0, 59)?;
    // 60 is a leap second.
    let second = number(time.next()?, 0, 60)?;
    if parts.next() != Some("GMT") || parts.next().is_some() || time.next().is_some() {
        return None;
    }
    let days = days_since_1970(year, month, day);
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

fn number(digits: &str, least: u64, most: u64) -> Option<u64> {
    let number = digits.parse().ok()?;
    (least..=most).contains(&number).then_some(number)
}

/// Days before a day of the Gregorian calendar. Years begin in March here, so that the leap day is the last of its year.
fn days_since_1970(year: u64, month: u64, day: u64) -> u64 {
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leap_days = year / 4 - year / 100 + year / 400;
    // Five months from March take 153 days, and so do the next five.
    let days_before_month = (153 * month + 2) / 5;
    year * 365 + leap_days + days_before_month + day - DAYS_BEFORE_1970
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_seconds() {
        assert_eq!(parse(" 2 ", 5_000), Some(2_000));
        assert_eq!(parse("18446744073709551", 0), Some(MAX_RETRY_AFTER_MS));
    }

    #[test]
    fn dates_are_counted_from_now() {
        for (date, seconds) in [
            ("Thu, 01 Jan 1970 00:00:10 GMT", 10),
            ("Mon, 29 Feb 2016 12:30:01 GMT", 1_456_749_001),
            ("Wed, 21 Oct 2015 07:28:00 GMT", 1_445_412_480),
            ("Tue, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
            ("Sun, 31 Dec 2028 23:59:60 GMT", 1_861_920_000),
        ] {
            assert_eq!(seconds_of_date(date), Some(seconds), "{date}");
        }
        let now_ms = 1_445_412_477_250;
        assert_eq!(parse("Wed, 21 Oct 2015 07:28:00 GMT", now_ms), Some(2_750));
        assert_eq!(parse("Wed, 21 Oct 2015 07:27:00 GMT", now_ms), Some(0));
        assert_eq!(
            parse("Wed, 21 Oct 9999 07:28:00 GMT", now_ms),
            Some(MAX_RETRY_AFTER_MS)
        );
    }

    #[test]
    fn anything_else_says_nothing() {
        for text in [
            "",
            "soon",
            "-1",
            "1.5",
            "Wed, 21 Oct 2015 07:28:00",
            "Wed, 21 Oct 2015 07:28:00 CET",
            "Wed, 21 Oct 2015 25:28:00 GMT",
            "Wed, 32 Oct 2015 07:28:00 GMT",
            "Wed, 21 Okt 2015 07:28:00 GMT",
            "Wed, 21 Oct 1969 07:28:00 GMT",
            "Wed, 21 Oct 2015 07:28:00:00 GMT",
            "Wednesday, 21-Oct-15 07:28:00 GMT",
        ] {
            assert_eq!(parse(text, 0), None, "{text}");
        }
    }
}
