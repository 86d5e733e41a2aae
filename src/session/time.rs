//! Times as they stand on the wire.

const MS_PER_SECOND: u64 = 1_000;
const SECONDS_PER_DAY: u64 = 24 * 60 * 60;

/// Milliseconds since 1970 as ISO 8601 in UTC, `2026-11-21T22:10:00.000Z`.
pub fn iso8601(ms: u64) -> String {
    let seconds = ms / MS_PER_SECOND;
    let (year, month, day) = civil_from_days(seconds / SECONDS_PER_DAY);
    let second = seconds % SECONDS_PER_DAY;
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{:03}Z",
        second / 3600,
        second / 60 % 60,
        second % 60,
        ms % MS_PER_SECOND
    )
}

/// Year, month and day of a day since 1970-01-01, by counting years from March in eras of 400 years (146,097 days), so that the
/// leap day ends a year.
fn civil_from_days(days_since_1970: u64) -> (u64, u64, u64) {
    // 719,468 days lie between 0000-03-01 and 1970-01-01.
    let days = days_since_1970 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Months from March have 153 days in each five.
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
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
