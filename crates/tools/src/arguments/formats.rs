//! Formats, as loosely as the servers read them. Python and JavaScript servers accept times without a zone and addresses that the RFCs
//! refuse; what is refused here is refused by all of them.

use std::error::Error;

use boon::{Compiler, Format};
use chrono::NaiveDate;
use serde_json::Value;

type Verdict = Result<(), Box<dyn Error>>;
type Check = fn(&Value) -> Verdict;

/// Replaces the library's formats, which go by the letter.
pub(super) fn register(compiler: &mut Compiler) {
    let checked: [(&'static str, Check); 7] = [
        ("date", date),
        ("date-time", date),
        ("email", email),
        ("uri", uri),
        ("uuid", uuid),
        ("ipv4", ipv4),
        ("ipv6", ipv6),
    ];
    for (name, func) in checked {
        compiler.register_format(Format { name, func });
    }
    for name in UNCHECKED {
        compiler.register_format(Format {
            name,
            func: |_| Ok(()),
        });
    }
}

const UNCHECKED: [&str; 12] = [
    "time",
    "duration",
    "idn-email",
    "hostname",
    "idn-hostname",
    "iri",
    "uri-reference",
    "iri-reference",
    "uri-template",
    "json-pointer",
    "relative-json-pointer",
    "period",
];

/// What a value of a format looks like, for the message.
pub(super) fn example(format: &str) -> Option<&'static str> {
    Some(match format {
        "date" => "2024-05-31",
        "date-time" => "2024-05-31T12:00:00Z",
        "email" => "name@example.org",
        "uri" => "https://example.org/page",
        "uuid" => "123e4567-e89b-12d3-a456-426614174000",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        _ => return None,
    })
}

fn verdict(value: &Value, fits: impl Fn(&str) -> bool) -> Verdict {
    match value {
        Value::String(text) if !fits(text) => Err("it has another form".into()),
        _ => Ok(()),
    }
}

/// A day of the calendar, whatever follows; or digits alone, which are a count of seconds.
fn date(value: &Value) -> Verdict {
    verdict(value, |text| {
        let text = text.trim();
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return true;
        }
        let day = text.get(..10).unwrap_or_default();
        let is_written_out = day.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
        is_written_out && exists(day).unwrap_or(false)
    })
}

/// Whether a text of the form `2024-05-31` is a day of the calendar.
fn exists(day: &str) -> Option<bool> {
    let year = day.get(..4)?.parse().ok()?;
    let month = day.get(5..7)?.parse().ok()?;
    let date = day.get(8..)?.parse().ok()?;
    Some(NaiveDate::from_ymd_opt(year, month, date).is_some())
}

fn email(value: &Value) -> Verdict {
    verdict(value, |text| {
        text.rsplit_once('@')
            .is_some_and(|(name, host)| !name.trim().is_empty() && !host.trim().is_empty())
    })
}

fn uri(value: &Value) -> Verdict {
    verdict(value, |text| {
        text.trim().split_once(':').is_some_and(|(scheme, _)| {
            scheme.starts_with(|first: char| first.is_ascii_alphabetic())
                && scheme
                    .chars()
                    .all(|other| other.is_ascii_alphanumeric() || "+.-".contains(other))
        })
    })
}

fn uuid(value: &Value) -> Verdict {
    verdict(value, |text| {
        let digits = text
            .trim()
            .trim_start_matches("urn:uuid:")
            .trim_matches(['{', '}']);
        digits.chars().filter(char::is_ascii_hexdigit).count() == 32
            && digits
                .chars()
                .all(|character| character.is_ascii_hexdigit() || character == '-')
    })
}

fn ipv4(value: &Value) -> Verdict {
    verdict(value, |text| {
        text.trim().parse::<std::net::Ipv4Addr>().is_ok()
    })
}

fn ipv6(value: &Value) -> Verdict {
    verdict(value, |text| {
        let address = text.trim().split('%').next().unwrap_or_default();
        address.parse::<std::net::Ipv6Addr>().is_ok()
    })
}
