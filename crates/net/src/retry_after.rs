//! `Retry-After`: seconds, or a date in one of the three forms of RFC 9110 (10.2.3 and 5.6.7).

use std::time::UNIX_EPOCH;

/// The maximum wait that is returned; a longer one is reduced to it. No call may last this long.
const MAX_RETRY_AFTER_MS: u64 = 24 * 60 * 60 * 1000;

/// Returns the wait from now, in milliseconds.
pub fn parse(text: &str, now_ms: u64) -> Option<u64> {
    let text = text.trim();
    let wait_ms = match text.parse::<u64>() {
        Ok(seconds) => seconds.saturating_mul(1_000),
        Err(_) => seconds_of_date(text)?
            .saturating_mul(1_000)
            .saturating_sub(now_ms),
    };
    Some(wait_ms.min(MAX_RETRY_AFTER_MS))
}

/// Returns the seconds since 1970 of a date such as `Wed, 21 Oct 2015 07:28:00 GMT`.
fn seconds_of_date(text: &str) -> Option<u64> {
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(UNIX_EPOCH).ok()?.as_secs())
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
            ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
            ("Sun, 31 Dec 2028 23:59:59 GMT", 1_861_919_999),
            ("Wednesday, 21-Oct-15 07:28:00 GMT", 1_445_412_480),
            ("Wed Oct 21 07:28:00 2015", 1_445_412_480),
        ] {
            assert_eq!(seconds_of_date(date), Some(seconds), "{date}");
        }
        let now_ms = 1_445_412_477_250;
        assert_eq!(parse("Wed, 21 Oct 2015 07:28:00 GMT", now_ms), Some(2_750));
        assert_eq!(parse("Wed, 21 Oct 2015 07:27:00 GMT", now_ms), Some(0));
        assert_eq!(
            parse("Thu, 21 Oct 9999 07:28:00 GMT", now_ms),
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
            "Tue, 21 Oct 2015 07:28:00 GMT",
            "Mon, 29 Feb 2100 00:00:00 GMT",
            "Sun, 31 Dec 2028 23:59:60 GMT",
        ] {
            assert_eq!(parse(text, 0), None, "{text}");
        }
    }
}
