//! Formats, as loosely as the servers read them. Python and JavaScript servers accept times without a zone and addresses that the RFCs
//! refuse; what is refused here is refused by all of them.

use std::error::Error;

use boon::{Compiler, Format};
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
        let mut parts = day.split('-');
        let (Some(year), Some(month), Some(date), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return false;
        };
        let number = |part: &str, digits: usize| {
            (part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit()))
                .then(|| part.parse::<u32>().ok())
                .flatten()
        };
        let (Some(year), Some(month), Some(date)) =
            (number(year, 4), number(month, 2), number(date, 2))
        else {
            return false;
        };
        (1..=days_of(year, month)).contains(&date)
    })
}

fn days_of(year: u32, month: u32) -> u32 {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => {
            29
        }
        2 => 28,
        _ => 0,
    }
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
