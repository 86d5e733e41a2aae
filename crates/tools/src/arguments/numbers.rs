//! Numbers and equality as JSON Schema defines them: `1` equals `1.0`, and `0.07` is a multiple of
//! `0.01`.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::verdict::Verdict;

/// The largest relative distance from an integer at which a quotient still counts as that integer.
/// Decimal numbers of JSON are rounded when they become binary, and so is their quotient.
const ROUNDING: f64 = 1e-14;

/// Compares two numbers, integers exactly.
pub(super) fn compare(one: &Number, other: &Number) -> Option<Ordering> {
    match (integer(one), integer(other)) {
        (Some(one), Some(other)) => Some(one.cmp(&other)),
        _ => one.as_f64()?.partial_cmp(&other.as_f64()?),
    }
}

/// Checks if one number is a multiple of another; unknown if `of` is not positive or the quotient
/// is not finite.
pub(super) fn is_multiple(number: &Number, of: &Number) -> Verdict {
    if let (Some(number), Some(of)) = (integer(number), integer(of)) {
        return match number.checked_rem(of) {
            Some(rest) if of > 0 => (rest == 0).into(),
            _ => Verdict::Unknown,
        };
    }
    match (number.as_f64(), of.as_f64()) {
        (Some(number), Some(of)) if of > 0.0 && (number / of).is_finite() => {
            let quotient = (number / of).abs();
            ((quotient - quotient.round()).abs() <= quotient * ROUNDING).into()
        }
        _ => Verdict::Unknown,
    }
}

/// Returns true if a value equals one of several values, however they are written.
pub(super) fn is_among(value: &Value, others: &[&Value]) -> bool {
    match value {
        Value::Array(_) | Value::Object(_) => {
            let key_of_value = key(value);
            others.iter().any(|other| key(other) == key_of_value)
        }
        Value::Number(number) => others.iter().any(|other| {
            let other = other.as_number();
            other.is_some_and(|other| compare(number, other) == Some(Ordering::Equal))
        }),
        scalar => others.contains(&scalar),
    }
}

/// Returns a text that is the same for equal values.
pub(super) fn key(value: &Value) -> String {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(0.0) => "0".to_owned(),
            Some(float) if integer(number).is_none() && float.fract() == 0.0 => {
                format!("{float:.0}")
            }
            _ => number.to_string(),
        },
        Value::Array(items) => format!("[{}]", items.iter().map(key).collect::<Vec<_>>().join(",")),
        Value::Object(entries) => {
            let mut entries: Vec<String> = entries
                .iter()
                .map(|(name, item)| format!("{}:{}", Value::from(name.as_str()), key(item)))
                .collect();
            entries.sort_unstable();
            format!("{{{}}}", entries.join(","))
        }
        other => other.to_string(),
    }
}

/// Counts the values in a value, itself included. Its depth is bounded.
pub(super) fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Object(entries) => 1 + entries.values().map(size).sum::<usize>(),
        _ => 1,
    }
}

fn integer(number: &Number) -> Option<i128> {
    let signed = number.as_i64().map(i128::from);
    signed.or_else(|| number.as_u64().map(i128::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_are_counted_in_decimals() {
        let is_multiple = |number: &str, of: &str| {
            let read = |text: &str| serde_json::from_str::<Number>(text).unwrap();
            is_multiple(&read(number), &read(of)) > Verdict::Fails
        };
        for (number, of) in [
            ("0.07", "0.01"),
            ("4.35", "0.01"),
            ("-0.3", "0.1"),
            ("1e20", "0.5"),
            ("7", "1e0"),
            ("0", "0.3"),
            ("1.10", "1.1"),
            ("1e-7", "1e-8"),
            ("18446744073709551615", "5"),
            ("1e300", "1e-300"),
        ] {
            assert!(is_multiple(number, of), "{number} {of}");
        }
        for (number, of) in [
            ("0.075", "0.01"),
            ("6", "5"),
            ("0.1", "0.3"),
            ("1e-9", "1e-8"),
            ("18446744073709551614", "5"),
        ] {
            assert!(!is_multiple(number, of), "{number} {of}");
        }
    }

    #[test]
    fn equal_values_are_equal_however_they_are_written() {
        let is_same = |one: &str, other: &str| {
            let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
            is_among(&read(one), &[&read(other)])
        };
        for (one, other) in [
            ("1", "1.0"),
            ("0", "-0.0"),
            ("1e3", "1000"),
            (r#"{"a":1,"b":[2.0]}"#, r#"{"b":[2],"a":1.0}"#),
        ] {
            assert!(is_same(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("1", r#""1""#),
            ("1", "true"),
            ("9007199254740993", "9007199254740992"),
            (r#"["a,b"]"#, r#"["a","b"]"#),
            (r#"{"a":1}"#, r#"{"a":1,"b":1}"#),
        ] {
            assert!(!is_same(one, other), "{one} {other}");
        }
    }
}
