//! The fractions of JSON, to the last bit.
//!
//! serde_json reads one in ten fractions of 16 or 17 digits as the double beside the nearest one.
//! Its feature for exact fractions costs 45 kB of each compressed module.

use serde_json::{Number, Value};

/// The most representable numbers between a double and the nearest one.
const MAX_DISTANCE: u64 = 2;

/// Replaces the fractions of a value by the doubles that are nearest to those in its text.
pub(crate) fn make_exact(text: &str, value: &mut Value) {
    let mut read = Vec::new();
    collect(value, &mut read);
    if read.is_empty() {
        return;
    }
    let written = fractions(text);
    let is_near = |(read, written): (&&mut Number, &f64)| {
        let read = read.as_f64().unwrap_or(f64::NAN);
        read.to_bits().abs_diff(written.to_bits()) <= MAX_DISTANCE
    };
    // An object with a field twice has other numbers, or another order, than its text.
    if written.len() != read.len() || !read.iter().zip(&written).all(is_near) {
        return;
    }
    for (number, exact) in read.into_iter().zip(written) {
        if let Some(exact) = Number::from_f64(exact) {
            *number = exact;
        }
    }
}

/// Collects the fractions of a value in their order. JSON is nested to 128 levels at most.
fn collect<'v>(value: &'v mut Value, found: &mut Vec<&'v mut Number>) {
    match value {
        Value::Number(number) if number.is_f64() => found.push(number),
        Value::Array(items) => items.iter_mut().for_each(|item| collect(item, found)),
        Value::Object(fields) => fields.values_mut().for_each(|field| collect(field, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Returns the numbers of a JSON text that are no integers of 64 bits.
fn fractions(text: &str) -> Vec<f64> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) =
        rest.find(|first: char| first == '"' || first == '-' || first.is_ascii_digit())
    {
        rest = rest.get(at..).unwrap_or_default();
        if let Some(string) = rest.strip_prefix('"') {
            rest = behind_string(string);
            continue;
        }
        let end = rest.find(|part: char| !part.is_ascii_digit() && !"+-.eE".contains(part));
        let (number, behind) = rest.split_at(end.unwrap_or(rest.len()));
        rest = behind;
        if number.parse::<i64>().is_err() && number.parse::<u64>().is_err() {
            found.extend(number.parse::<f64>().ok());
        }
    }
    found
}

/// Returns the text behind the end of a string.
fn behind_string(text: &str) -> &str {
    let mut is_escaped = false;
    let end = text.find(|part| {
        let ends = part == '"' && !is_escaped;
        is_escaped = part == '\\' && !is_escaped;
        ends
    });
    end.and_then(|end| text.get(end + 1..)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(text: &str) -> Value {
        let mut value = serde_json::from_str(text).unwrap();
        make_exact(text, &mut value);
        value
    }

    #[test]
    fn each_fraction_is_the_nearest_double() {
        for number in [
            "90.42225290942383",
            "-42.215889504792884",
            "19.243053591130522",
            "1e-320",
            "0.1",
        ] {
            let nearest: f64 = number.parse().unwrap();
            let text = format!(
                r#"{{"0.5\\":["1.5\"2.5",{number},7,{{"x":[-1.5e2,{number}]}}],"y":true}}"#
            );
            let value = exact(&text);
            assert_eq!(value["0.5\\"][1].as_f64(), Some(nearest), "{number}");
            assert_eq!(
                value["0.5\\"][3]["x"][1].as_f64(),
                Some(nearest),
                "{number}"
            );
            assert_eq!(value["0.5\\"][3]["x"][0].as_f64(), Some(-150.0));
            assert_eq!(value["0.5\\"][2], 7);
        }
    }

    #[test]
    fn a_field_that_is_there_twice_changes_no_number() {
        for text in [
            r#"{"a":"x","b":2.5,"a":1.5}"#,
            r#"{"a":1.5,"a":2}"#,
            r#"{"a":[1.5,2.5],"a":0.5}"#,
            "[18446744073709551616,18446744073709551615,-9223372036854775808]",
        ] {
            assert_eq!(
                exact(text),
                serde_json::from_str::<Value>(text).unwrap(),
                "{text}"
            );
        }
    }
}
