//! Times as they stand on the wire.

use chrono::{DateTime, SecondsFormat, Utc};

/// Milliseconds since 1970 as ISO 8601 in UTC, `2026-11-21T22:10:00.000Z`.
pub fn iso8601(ms: u64) -> String {
    i64::try_from(ms)
        .ok()
        .and_then(DateTime::from_timestamp_millis)
        // 262,000 years away; no clock says so.
        .unwrap_or(DateTime::<Utc>::MAX_UTC)
        .to_rfc3339_opts(SecondsFormat::Millis, true)
}

#[cfg(test)]
mod tests {
    use super::iso8601;

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
