//! Multiples, counted in decimals as they were written: JSON numbers are decimal, and the engine's are not.

use serde_json::Number;

/// Whether one number is a multiple of another. Numbers too far apart to be checked against each other count as such: the server judges them.
pub(super) fn is_multiple(number: &Number, of: &Number) -> bool {
    let (Some(number), Some(of)) = (Decimal::read(number), Decimal::read(of)) else {
        return true;
    };
    let power = number.power.min(of.power);
    match (number.digits_at(power), of.digits_at(power)) {
        (Some(number), Some(of)) => number.checked_rem(of) == Some(0),
        _ => true,
    }
}

/// Digits times a power of ten.
struct Decimal {
    digits: i128,
    power: i32,
}

impl Decimal {
    /// From the shortest text that means the same number.
    fn read(number: &Number) -> Option<Self> {
        let text = number.to_string();
        let (digits, power) = text.split_once(['e', 'E']).unwrap_or((&text, "0"));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let places = i32::try_from(fraction.len()).ok()?;
        Some(Self {
            digits: format!("{whole}{fraction}").parse().ok()?,
            power: power.parse::<i32>().ok()?.checked_sub(places)?,
        })
    }

    /// The digits for a smaller power.
    fn digits_at(&self, power: i32) -> Option<i128> {
        let places = u32::try_from(self.power.checked_sub(power)?).ok()?;
        self.digits.checked_mul(10_i128.checked_pow(places)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_are_counted_in_decimals() {
        let is_multiple = |number: &str, of: &str| {
            let read = |text: &str| serde_json::from_str::<Number>(text).unwrap();
            is_multiple(&read(number), &read(of))
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
}
