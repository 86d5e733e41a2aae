//! Tables of programs and what they become. What programs do when they run is shown in workerd, see tests/worker.

mod accepts;
mod depth;
mod errors;
mod explains;
mod guards;
mod positions;
mod slips;
mod types;

use super::{CompileError, Guards, prepare};

/// The user's part of the module, runs of spaces as one.
fn body(code: &str, guards: Guards) -> String {
    let prepared = prepare(code, guards).unwrap_or_else(|error| panic!("{code}: {error:?}"));
    let (_, text) = prepared
        .module
        .split_once("export default async(input)=>{")
        .unwrap_or_else(|| panic!("{code}: no wrapper"));
    let text = text.strip_suffix("\n}\n").unwrap_or(text);
    let mut squeezed = String::new();
    for character in text.chars() {
        if character != ' ' || !squeezed.ends_with(' ') {
            squeezed.push(character);
        }
    }
    squeezed.trim().to_owned()
}

/// Checks what a program becomes without guards.
#[track_caller]
fn check(code: &str, expected: &str) {
    assert_eq!(body(code, Guards::Off), expected, "{code}");
}

/// The error of a program that cannot run.
#[track_caller]
fn refused(code: &str) -> CompileError {
    match prepare(code, Guards::On) {
        Ok(prepared) => panic!("{code} became {}", prepared.module),
        Err(error) => error,
    }
}

/// A part of a text.
fn slice(text: &str, start: usize, end: usize) -> &str {
    text.get(start..end).unwrap()
}
