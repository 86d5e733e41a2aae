//! Computes the lengths of the values that functions return from the lengths of their arguments,
//! and the cost of the calls. [`sql_gate::sizes`] has their rates.

use super::super::bytecode::opcode::Opcode;
use super::super::bytecode::program::Instruction;
use super::SHORT_BYTES;
use super::full_text::is_auxiliary;
use super::value::{ANY_SCALE, NUMBER_BYTES, Operand, WrittenValue};
use super::values::Values;
use database::Database;
use database::limits::MAX_VALUE_BYTES;
use sql_gate::functions as table;
use sql_gate::limits::MAX_CARRIED_BYTES;
use sql_gate::sizes::functions::{self, JSON_GROWTH, Value};

/// Nanoseconds that the cost of the instruction already contains.
const USUAL_NS: f64 = 200.0;

/// Nanoseconds of JSON for each byte of a text that the engine has parsed before.
const PARSED_AGAIN_NS: f64 = 1.0;

/// The largest number of bytes of a pattern that one character of the text may be compared with.
const MAX_PATTERN_BYTES: f64 = 50.0;

/// Nanoseconds for one byte of the text compared with one of the pattern.
const LIKE_PAIR_NS: f64 = 1.3;

/// The factor by which functions whose cost is the product of two lengths may be slower on another
/// machine than measured. Only these need it: one call of them costs far more than one of any other
/// function.
const PRODUCT_MARGIN: f64 = 2.0;

/// Nanoseconds for reading a byte of an argument of such a function, including JSON.
const READ_BYTE_NS: f64 = 10.0;

/// A call: its name, and the lengths of its arguments.
struct Call {
    name: String,
    arguments: Vec<Operand>,
    format: Option<String>,
    /// True if one of the arguments may be binary JSON.
    binary: bool,
}

fn call<D: Database>(
    values: &mut Values<'_, D>,
    (number, address): (usize, usize),
    instruction: &Instruction,
) -> Option<Call> {
    let shown = instruction.key.as_deref()?;
    let (name, count) = shown.split_once('(')?;
    // EXPLAIN shows -1 for a function that takes any number of arguments.
    let count = match count.trim_end_matches(')').parse::<i64>().ok()? {
        fixed if fixed >= 0 => fixed,
        _ => values.arguments_from(number, instruction.p2, address),
    };
    let mut arguments: Vec<Operand> = (instruction.p2..instruction.p2 + count)
        .map(|register| values.operand(number, register, address))
        .collect();
    // The text of the statement shows the values that its own recursions pass on
    // ([`sql_gate::sizes`]), but not those of recursions in views.
    if table::is(name, table::PAIRS) && values.statistics.reads_a_view() {
        for one in arguments.iter_mut().filter(|one| one.carried) {
            one.seed = MAX_VALUE_BYTES as f64;
        }
    }
    let long = |one: &&Operand| one.longest.max(one.seed) > SHORT_BYTES;
    if table::is(name, table::PAIRS) && arguments.iter().filter(long).count() > 1 {
        let runs = values.runs(number, address);
        for one in arguments.iter_mut().filter(|one| one.carried) {
            one.longest = one.longest.max(one.seed);
            one.total = (one.longest * runs).min(MAX_CARRIED_BYTES as f64);
        }
    }
    let binary = patches(name)
        && arguments.iter().filter(long).count() > 0
        && (instruction.p2..instruction.p2 + count)
            .any(|register| values.may_be_blob(number, register, address, 0));
    Some(Call {
        name: name.to_ascii_lowercase(),
        arguments,
        binary,
        format: values.literal(number, instruction.p2, address),
    })
}

/// Returns the length of the value if all arguments are as long as they can be, and the nanoseconds
/// that the call takes.
fn longest(call: &Call) -> (f64, f64) {
    let most = MAX_VALUE_BYTES as f64;
    let argument = |position: usize| call.arguments.get(position).map_or(0.0, |one| one.longest);
    let all: f64 = call.arguments.iter().map(|one| one.longest).sum();
    match call.name.as_str() {
        "like" | "glob" => {
            let pattern = call.format.as_deref().map_or_else(
                || argument(0).min(MAX_PATTERN_BYTES),
                |pattern| longest_piece(call, pattern),
            );
            (8.0, argument(1) * (pattern + 1.0) * LIKE_PAIR_NS)
        }
        "->" | "->>" => (argument(0) * JSON_GROWTH as f64, parsed(call, argument(0))),
        "json_extract" | "jsonb_extract" => {
            let paths = call.arguments.len().saturating_sub(1) as f64;
            let found = argument(0).max(NUMBER_BYTES) * JSON_GROWTH as f64;
            let looked_up = argument(0) * PARSED_AGAIN_NS * (paths - 1.0).max(0.0);
            (found * paths.max(1.0), parsed(call, all) + looked_up)
        }
        "json_type" | "json_array_length" | "json_valid" => (8.0, parsed(call, all)),
        "length" | "octet_length" | "typeof" | "unicode" => (8.0, all),
        name => {
            let binary = call.binary;
            let given = call.arguments.iter().map(Operand::as_value);
            let given: Vec<Value> = given.map(|value| Value { binary, ..value }).collect();
            let given = if table::is(name, table::OF_TEXTS) {
                given.into_iter().map(as_text).collect()
            } else {
                given
            };
            match functions::call(name, &given, call.format.as_deref()) {
                Ok(value) => (value.bytes as f64, value.ns as f64),
                // The value is longer than a value may be, so the engine ends the statement.
                Err(_) => (most, most),
            }
        }
    }
}

/// Returns the value as a text. A number has more bytes as a text than as it is stored.
fn as_text(value: Value) -> Value {
    if value.varies && value.bytes < NUMBER_BYTES as u64 {
        return Value {
            bytes: NUMBER_BYTES as u64,
            ..value
        };
    }
    value
}

fn parsed(call: &Call, bytes: f64) -> f64 {
    let is_known = call.arguments.first().is_some_and(|first| first.constant);
    bytes * if is_known { PARSED_AGAIN_NS } else { 10.0 }
}

/// Returns the length of the longest part of a pattern between two wildcards for any text: that
/// many bytes are compared at each position. An escaped wildcard, or one among several letters in
/// brackets, does not split the pattern.
fn longest_piece(call: &Call, pattern: &str) -> f64 {
    let wildcard = match call.name.as_str() {
        "like" if call.arguments.len() == 2 => Some('%'),
        "glob" if !pattern.contains('[') => Some('*'),
        _ => None,
    };
    let longest = match wildcard {
        Some(wildcard) => pattern.split(wildcard).map(str::len).max().unwrap_or(0),
        None => pattern.len(),
    };
    (longest as f64).min(MAX_PATTERN_BYTES)
}

/// Returns, for each argument that may be shorter in some runs, the bytes of all runs as a part of
/// the longest possible.
fn shares(call: &Call, runs: f64) -> impl Iterator<Item = f64> {
    let varying = call
        .arguments
        .iter()
        .filter(|one| one.longest > 8.0 && !one.constant);
    let shares = varying.map(move |one| one.total / (runs * one.longest));
    shares
        .filter(move |_| runs > 0.0)
        .map(|share| share.min(1.0))
}

/// Returns the bytes of all runs as a part of the longest possible.
fn share(call: &Call, runs: f64) -> f64 {
    shares(call, runs).reduce(f64::max).unwrap_or(1.0)
}

/// Returns the nanoseconds of all runs. A sum of products of two lengths is at most the sum of one
/// length times the longest of the other, so the argument that is short in most runs decides.
/// Reading the bytes of both comes on top.
fn all_runs(call: &Call, runs: f64) -> f64 {
    let (_, ns) = longest(call);
    if !table::is(&call.name, table::PAIRS) {
        return runs * ns * share(call, runs);
    }
    // The result of `replace` may grow with an argument that is short, and the changes of
    // `json_patch` with its other argument, so the product of two lengths does not cover all of
    // their work.
    let least = match call.name.as_str() {
        "replace" | "json_patch" | "jsonb_patch" => share(call, runs),
        _ => shares(call, runs).reduce(f64::min).unwrap_or(1.0),
    };
    let read: f64 = call.arguments.iter().map(|one| one.total).sum();
    (runs * ns * least + read * READ_BYTE_NS) * PRODUCT_MARGIN
}

/// Returns the highest cost of a byte of the arguments or the value, in units of 10 ns.
pub(super) fn highest_rate(instruction: &Instruction) -> f64 {
    match name(instruction) {
        name if table::is(name, table::PAIRS) || is_auxiliary(name) => f64::INFINITY,
        _ => MAX_PATTERN_BYTES * LIKE_PAIR_NS / 10.0,
    }
}

fn patches(name: &str) -> bool {
    matches!(name, "json_patch" | "jsonb_patch")
}

/// Returns true if a function may return a blob: true for all but those that return numbers, texts
/// or JSON as a text.
pub(super) fn may_yield_blob(instruction: &Instruction) -> bool {
    let name = name(instruction);
    let yields_text = (name.starts_with("json_") && name != "json_extract")
        || name == "->"
        || table::is(name, table::TEXT);
    !(yields_text || yields_no_text(instruction))
}

fn name(instruction: &Instruction) -> &str {
    let shown = instruction.key.as_deref().unwrap_or_default();
    shown.split('(').next().unwrap_or_default()
}

/// Returns true if the instruction calls a function of date and time.
pub(super) fn tells_time(instruction: &Instruction) -> bool {
    matches!(instruction.opcode, Opcode::Function | Opcode::PureFunc)
        && table::is(name(instruction), table::DATED)
}

/// Returns true if a function returns only numbers, dates or other words of its own. `strftime` is
/// not among them: its format may contain any text.
pub(super) fn yields_no_text(instruction: &Instruction) -> bool {
    table::is(name(instruction), table::NUMBER | table::SHORT_TEXT)
}

/// Returns true if such a call may be given a text that means the time of the call. Only dates
/// count, not their modifiers.
pub(super) fn may_be_given_now<D: Database>(
    values: &mut Values<'_, D>,
    (number, address): (usize, usize),
    instruction: &Instruction,
) -> bool {
    let dates = match name(instruction) {
        "strftime" => 1..2,
        "timediff" => 0..2,
        _ => 0..1,
    };
    dates
        .map(|position| instruction.p2 + position)
        .any(|register| values.may_be_now(number, register, address, 0))
}

/// Returns the nanoseconds beyond [`USUAL_NS`], in units of 10 ns.
pub(super) fn cost<D: Database>(
    values: &mut Values<'_, D>,
    place: (usize, usize),
    instruction: &Instruction,
    runs: f64,
) -> f64 {
    let Some(call) = call(values, place, instruction) else {
        return 0.0;
    };
    if is_auxiliary(&call.name) {
        return values.auxiliary(place, &call.name, runs, marks(&call)).0;
    }
    (all_runs(&call, runs) - runs * USUAL_NS).max(0.0) / 10.0
}

/// Returns the length of the value of a call.
pub(super) fn value<D: Database>(
    values: &mut Values<'_, D>,
    place: (usize, usize),
    instruction: &Instruction,
    runs: f64,
) -> WrittenValue {
    let Some(call) = call(values, place, instruction) else {
        return WrittenValue::short(runs);
    };
    if is_auxiliary(&call.name) {
        let (_, longest) = values.auxiliary(place, &call.name, runs, marks(&call));
        return WrittenValue::of(longest, runs);
    }
    let (bytes, _) = longest(&call);
    let longest = bytes.min(MAX_VALUE_BYTES as f64);
    let carried = longest > SHORT_RESULT_BYTES && call.arguments.iter().any(|one| one.carried);
    let mut written = WrittenValue::short(runs);
    written.longest = longest;
    written.total = runs * longest * share(&call, runs);
    written.carried = carried;
    if carried {
        written.seed = call.arguments.iter().map(|one| one.seed).sum();
    }
    if keeps_scale(&call.name) {
        let given = call.arguments.iter();
        written.scale = given
            .clone()
            .map(|one| one.scale)
            .max()
            .unwrap_or(ANY_SCALE);
        written.counted = given.clone().any(|one| one.counted);
    }
    written
}

/// Returns true if a function returns no larger number than it is given.
fn keeps_scale(name: &str) -> bool {
    table::is(name, table::ONE_OF_ALL | table::FIRST | table::FORM)
}

/// Returns the bytes that a function of a full-text table puts around an occurrence.
fn marks(call: &Call) -> f64 {
    call.arguments.iter().skip(1).map(|one| one.longest).sum()
}

/// The longest result that is a number or a date, in bytes.
const SHORT_RESULT_BYTES: f64 = 32.0;
