//! Times in their wire format, and the English names of months and weekdays.

use chrono::{DateTime, NaiveDate, NaiveTime, SecondsFormat, Utc};

/// The months in lower case.
pub const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The days of the week in lower case, Monday first.
pub const WEEKDAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

/// Formats milliseconds since 1970 as ISO 8601 in UTC, `2026-11-21T22:10:00.000Z`.
pub fn iso8601(ms: u64) -> String {
    i64::try_from(ms)
        .ok()
        .and_then(DateTime::from_timestamp_millis)
        // This is only reached 262,000 years in the future, a time that no clock returns.
        .unwrap_or(DateTime::<Utc>::MAX_UTC)
        .to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Parses a time of ISO 8601 with its offset, or a date in UTC, into milliseconds since 1970;
/// `None` for any other text, and for a time before 1970.
pub fn from_iso8601(text: &str) -> Option<u64> {
    let ms = match DateTime::parse_from_rfc3339(text) {
        Ok(time) => time.timestamp_millis(),
        Err(_) => NaiveDate::parse_from_str(text, "%Y-%m-%d")
            .ok()?
            .and_time(NaiveTime::MIN)
            .and_utc()
            .timestamp_millis(),
    };
    u64::try_from(ms).ok()
}

#[cfg(test)]
mod tests {
    use super::{from_iso8601, iso8601};

    #[test]
    fn times_are_read_as_they_are_printed() {
        for ms in [0, 951_782_399_999, 1_795_299_000_123] {
            assert_eq!(from_iso8601(&iso8601(ms)), Some(ms));
        }
        assert_eq!(
            from_iso8601("2026-11-21T22:10:00Z"),
            Some(1_795_299_000_000)
        );
        assert_eq!(
            from_iso8601("2026-11-21T23:10:00+01:00"),
            Some(1_795_299_000_000)
        );
        assert_eq!(from_iso8601("1970-01-02"), Some(86_400_000));
        for wrong in ["", "now", "2026-13-01", "1969-12-31", "2026-11-21T22:10:00"] {
            assert_eq!(from_iso8601(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn times_are_printed_in_utc() {
        for (ms, expected) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"),
            (1_795_299_000_123, "2026-11-21T22:10:00.123Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(iso8601(ms), expected);
        }
    }
}
