//! Computes the length of each function's result from the lengths of its arguments, and the cost of
//! the call. The rates were measured with native SQLite, on two busy cores.

use base::CommonError;
use base::{Error, Result};
use database::limits::MAX_VALUE_BYTES;

/// Pairs of bytes that `instr` and `replace` compare in a nanosecond: 5·10^11 pairs took 9 s.
const COMPARED_PAIRS: u64 = 20;

/// Pairs of bytes of two JSON texts that `json_patch` processes in a nanosecond: each key of one is
/// searched in the other and among the keys that were added to it. A pair of keys takes 5 ns, and
/// has at least 30 bytes.
const PATCHED_PAIRS: u64 = 6;

/// The same for binary JSON, where a pair of keys has 6 bytes.
const PATCHED_BINARY_PAIRS: u64 = 1;

/// Nanoseconds of one conversion of printf: 450,000 took 13 ms.
const CONVERSION_NS: u64 = 40;

/// Nanoseconds for a pair of a byte of the text and a character that `trim` removes: 10^10 pairs
/// took 45 s.
const TRIMMED_PAIR_NS: u64 = 5;

/// Nanoseconds for a byte of the format of `strftime`: `%J` takes 40.
const FORMATTED_BYTE_NS: u64 = 25;

/// Nanoseconds of a modifier of a date.
const MODIFIER_NS: u64 = 60;

/// Nanoseconds for a byte of JSON.
const JSON_BYTE_NS: u64 = 10;

/// Bytes of JSON text for one byte of a value: `\\u0001` for a control character, `false` and a
/// comma for one byte of binary JSON.
pub const JSON_GROWTH: u64 = 6;

/// Bytes of a number that becomes a part of JSON or of a text.
const NUMBER_BYTES: u64 = 24;

/// Bytes up to which JSON is not worth an estimate.
const SHORT_JSON_BYTES: u64 = 1_000;

/// Bytes of a number, a date or the name of a type.
pub(super) const SHORT_BYTES: u64 = 32;

/// The assumed width of a printf conversion whose width is not in the text of the statement.
const UNKNOWN_WIDTH: u64 = 1_000;

/// The longest LIKE or GLOB pattern that the engine accepts, in bytes.
const PATTERN_BYTES: u64 = 50;

/// The longest possible value, in bytes as the estimates count them.
const MOST_BYTES: u64 = MAX_VALUE_BYTES as u64;

/// A value: its largest length, and the cost of one evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Value {
    /// The greatest length.
    pub bytes: u64,
    /// Nanoseconds of one evaluation.
    pub ns: u64,
    /// True if it names a column or calls a function that returns another value each time, so that
    /// it is computed for each row.
    pub varies: bool,
    /// The largest length if it comes from a recursion, for which `bytes` is only the usual length.
    /// It is used only for work that grows with the product of two such values, because the sum of
    /// all bytes that a recursion passes on is bounded.
    pub carried: u64,
    /// True for a number that a recursion computes, whose size is not known before it runs.
    pub counted: bool,
    /// A number that is written in the text.
    pub number: Option<u64>,
    /// The approximate size of a number that is computed from such numbers.
    pub scale: u64,
    /// True if it may be binary, as JSON is that takes two bytes for a key and its value.
    pub binary: bool,
}

impl Value {
    /// Makes a value of this length, which costs nothing.
    pub fn of(bytes: u64) -> Self {
        Self {
            bytes: bytes.min(MAX_VALUE_BYTES as u64),
            ..Self::default()
        }
    }

    /// Makes a value as short as a number.
    pub fn short() -> Self {
        Self::of(SHORT_BYTES)
    }
}

/// Returns the value of a call. `format` is the text of the first argument if that is a literal.
pub fn call(name: &str, arguments: &[Value], format: Option<&str>) -> Result<Value> {
    let (size, ns) = size_and_ns(name, &Arguments(arguments), format)?;
    Ok(Value {
        ns: sum(arguments.iter().map(|value| value.ns).chain([ns, 1])),
        varies: arguments.iter().any(|value| value.varies)
            || crate::functions::is(name, crate::functions::VARIES),
        binary: name.starts_with("jsonb") || matches!(name, "unhex" | "zeroblob" | "randomblob"),
        carried: match name {
            "instr" | "length" | "like" | "glob" => 0,
            _ => arguments
                .iter()
                .map(|value| value.carried)
                .max()
                .unwrap_or(0),
        },
        ..Value::of(size)
    })
}

/// The arguments of a call.
struct Arguments<'v>(&'v [Value]);

impl Arguments<'_> {
    /// Returns the bytes of the argument at this position, or 0 if there is none.
    fn bytes(&self, position: usize) -> u64 {
        self.0.get(position).map_or(0, |value| value.bytes)
    }

    fn carried(&self, position: usize) -> u64 {
        self.0.get(position).map_or(0, |value| value.carried)
    }

    /// Returns the sum of the bytes of all arguments.
    fn all(&self) -> u64 {
        sum(self.0.iter().map(|value| value.bytes))
    }

    fn longest(&self) -> u64 {
        self.0.iter().map(|value| value.bytes).max().unwrap_or(0)
    }

    /// Returns the number of pairs of a byte of the first and a byte of the second argument.
    fn pairs(&self) -> u64 {
        self.bytes(0)
            .saturating_mul(self.bytes(1))
            .max(self.carried(0).saturating_mul(self.carried(1)))
    }
}

impl Arguments<'_> {
    /// Returns the number of pairs of a byte of the patch of `json_patch` and a byte of its target,
    /// which grows meanwhile. Half of the pairs within the patch are compared, and since its keys
    /// differ, they have at least twice as many bytes.
    fn patched_pairs(&self) -> u64 {
        let patch = self.bytes(1).max(self.carried(1));
        let grown = patch.saturating_mul(patch) / 4;
        self.pairs().saturating_add(grown)
    }

    fn patched_in_a_ns(&self) -> u64 {
        if self.0.iter().any(|value| value.binary) {
            PATCHED_BINARY_PAIRS
        } else {
            PATCHED_PAIRS
        }
    }
}

/// Returns the largest length of the result, and the cost of making it without its arguments.
fn size_and_ns(name: &str, arguments: &Arguments<'_>, format: Option<&str>) -> Result<(u64, u64)> {
    let all = arguments.all();
    let longest = arguments.longest();
    let first = arguments.bytes(0);
    let count = arguments.0.len();
    Ok(match name {
        "zeroblob" | "randomblob" => {
            let size = blob_bytes(name, arguments.0.first())?;
            (size, size / 2)
        }
        "hex" => (longest * 2, longest * 2),
        "quote" => (longest * 2 + 3, longest * 2),
        "unhex" if count > 1 => (first / 2, arguments.pairs().saturating_mul(TRIMMED_PAIR_NS)),
        "unhex" => (longest / 2, longest),
        "replace" => {
            let size = replaced_bytes(arguments);
            (
                size,
                arguments.pairs() / COMPARED_PAIRS + first + size.min(MOST_BYTES),
            )
        }
        "instr" => (SHORT_BYTES, arguments.pairs() / COMPARED_PAIRS + first),
        "trim" | "ltrim" | "rtrim" if count > 1 => {
            (first, arguments.pairs().saturating_mul(TRIMMED_PAIR_NS))
        }
        "like" | "glob" => (SHORT_BYTES, longest.saturating_mul(PATTERN_BYTES)),
        "json_patch" | "jsonb_patch" => (
            all.saturating_mul(JSON_GROWTH) + NUMBER_BYTES,
            arguments.patched_pairs() / arguments.patched_in_a_ns() + all * JSON_BYTE_NS,
        ),
        "printf" | "format" => {
            let given = given_width(arguments.0, format);
            let size = printed(all, widths(format, given), format);
            // A format that is not known may consist only of conversions, of two bytes each.
            let conversions = format.map_or(first / 2, |text| text.matches('%').count() as u64);
            (size, size + conversions * CONVERSION_NS)
        }
        "char" => (count as u64 * 4, SHORT_BYTES),
        "concat" => (all, all),
        "concat_ws" => {
            let size = all.saturating_add(first.saturating_mul(count as u64));
            (size, size)
        }
        "strftime" => (
            first.saturating_mul(10) + SHORT_BYTES,
            first * FORMATTED_BYTE_NS + all + count as u64 * MODIFIER_NS,
        ),
        "date" | "time" | "datetime" | "julianday" | "unixepoch" | "timediff" => {
            (SHORT_BYTES, all + count as u64 * MODIFIER_NS)
        }
        "substr" | "substring" => {
            let taken = arguments.0.get(2).and_then(|value| value.number);
            let taken = taken.map_or(first, |characters| characters.saturating_mul(4));
            (first.min(taken), first)
        }
        "coalesce" | "ifnull" | "iif" | "nullif" | "max" | "min" | "likely" | "unlikely"
        | "likelihood" | "lower" | "upper" | "trim" | "ltrim" | "rtrim" | "first_value"
        | "last_value" | "lag" | "lead" | "nth_value" => (longest, all),
        // Binary JSON is no longer than its text.
        "jsonb" => (first + NUMBER_BYTES, first * JSON_BYTE_NS),
        name if name.starts_with("json") => (
            all.saturating_mul(JSON_GROWTH) + (count as u64 + 1) * NUMBER_BYTES,
            all + all.saturating_sub(SHORT_JSON_BYTES) * (JSON_BYTE_NS + paths(name, count)),
        ),
        _ => (SHORT_BYTES, all),
    })
}

/// Returns the number of paths that a call looks up. Each is in a document that may have to be
/// moved for it, at about a nanosecond for each byte.
fn paths(name: &str, arguments: usize) -> u64 {
    let others = arguments.saturating_sub(1) as u64;
    match name
        .trim_start_matches("jsonb_")
        .trim_start_matches("json_")
    {
        "set" | "insert" | "replace" => others / 2,
        "extract" | "remove" => others,
        _ => 0,
    }
}

/// Returns the bytes of `zeroblob(n)`: the number in the text, or about the number that it
/// computes.
fn blob_bytes(name: &str, length: Option<&Value>) -> Result<u64> {
    match length.and_then(|value| value.number) {
        Some(number) if number > MOST_BYTES => Err(too_big(name, number)),
        Some(number) => Ok(number),
        None if length.is_some_and(|value| value.counted) => Ok(MOST_BYTES),
        None => Ok(match length.map_or(0, |value| value.scale) {
            0 => MOST_BYTES,
            scale => scale.min(MOST_BYTES),
        }),
    }
}

/// Returns the bytes of `replace(text, part, by)`. A part of unknown length may be one byte, and
/// every byte of the text may match it.
fn replaced_bytes(arguments: &Arguments<'_>) -> u64 {
    let (text, part, by) = (arguments.bytes(0), arguments.bytes(1), arguments.bytes(2));
    if arguments.0.get(1).is_some_and(|part| part.varies) {
        return text.saturating_mul(by.max(1));
    }
    // A number is the text of its digits, whose length differs from that of a number.
    if arguments.0.get(1).is_some_and(|part| part.number.is_some()) {
        return text.saturating_mul(by.max(1));
    }
    match part {
        0 => text,
        part => text.saturating_mul(by.div_ceil(part).max(1)),
    }
}

/// Returns a width that is taken from a value.
fn width(value: &Value) -> u64 {
    match (value.number, value.scale) {
        (Some(number), _) => number,
        (None, _) if value.counted => UNKNOWN_WIDTH,
        (None, 0) => UNKNOWN_WIDTH,
        (None, scale) => scale,
    }
}

/// Returns the largest width or precision that a call takes from its values: those for the `*` in
/// its format, or any if the format is not known.
fn given_width(arguments: &[Value], format: Option<&str>) -> u64 {
    let Some(format) = format else {
        return arguments.iter().map(width).max().unwrap_or(0);
    };
    let mut most = 0;
    let mut next = arguments.iter().skip(1);
    let mut letters = format.chars();
    while letters.any(|letter| letter == '%') {
        for letter in letters.by_ref() {
            match letter {
                '*' => most = most.max(next.next().map_or(0, width)),
                '%' => break,
                letter if letter.is_ascii_alphabetic() && letter != 'l' => {
                    next.next();
                    break;
                }
                _ => {}
            }
        }
    }
    most
}

/// Returns the bytes of a printed text: quotes are doubled, and there may be a number at each `%`.
fn printed(all: u64, widths: u64, format: Option<&str>) -> u64 {
    let numbers = format.map_or(0, |format| format.matches('%').count() as u64);
    all.saturating_mul(2)
        .saturating_add(widths)
        .saturating_add(numbers.saturating_mul(NUMBER_BYTES))
}

/// Returns the bytes that the widths and precisions in a format add; `*` takes them from a value.
fn widths(format: Option<&str>, given: u64) -> u64 {
    let Some(format) = format else { return given };
    let numbers = format.split(|letter: char| !letter.is_ascii_digit());
    let numbers = numbers.map(|digits| match digits {
        "" => 0,
        digits => digits.parse().unwrap_or(MOST_BYTES),
    });
    let stars = format.matches('*').count() as u64;
    sum(numbers.chain([given.saturating_mul(stars)]))
}

pub(super) fn sum(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(0, u64::saturating_add)
}

fn too_big(name: &str, bytes: u64) -> Error {
    Error::from(CommonError::TooBig {
        message: format!(
            "{name}({bytes}) would make a value of more than {MAX_VALUE_BYTES} bytes, which is the limit"
        ),
        hint: "a value or row holds at most 2 MB: store long texts in pieces".to_owned(),
    })
}

/// Returns the hint with a cheaper way.
pub(super) fn cheaper(function: &str) -> &'static str {
    match function {
        "instr" | "replace" => {
            "search for short texts, or split the long one into rows with json_each(?) and join them"
        }
        "trim" | "ltrim" | "rtrim" => "use a shorter list of characters to trim",
        "unhex" => "use a shorter list of characters to ignore",
        "json_patch" | "jsonb_patch" => {
            "put the keys of both into a table with json_each(?) and build the result with json_group_object"
        }
        "group_concat" | "string_agg" | "json_group_array" | "json_group_object" => {
            "aggregate with GROUP BY instead of a running window, or narrow the window with PARTITION BY or ROWS n PRECEDING"
        }
        _ => {
            "compute the long value once and join it, work on shorter values, or give the recursion a smaller LIMIT"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SHORT_BYTES, Value, call};
    use crate::functions::{COLLECTS, NUMBER, SHORT_TEXT, allowed_functions, is};

    /// Functions whose value is short, and two whose value `sql-cost` estimates from the full-text
    /// table.
    const SHORT: [&str; 6] = [
        "char",
        "current_date",
        "current_time",
        "current_timestamp",
        "highlight",
        "snippet",
    ];

    /// A new function of texts that has no arm above would be estimated as short.
    #[test]
    fn only_numbers_and_short_texts_are_estimated_as_short() {
        let long = [Value::of(100_000); 3];
        let is_short = |name: &&str| {
            let value = call(name, &long, None).unwrap();
            let is_known = is(name, NUMBER | SHORT_TEXT | COLLECTS) || SHORT.contains(name);
            value.bytes <= SHORT_BYTES && !is_known
        };
        let found: Vec<&str> = allowed_functions().filter(is_short).collect();
        assert!(found.is_empty(), "{found:?}");
    }
}
