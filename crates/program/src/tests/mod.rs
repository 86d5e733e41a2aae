//! Tables of programs and the modules that they become. Tests in workerd show what programs do when
//! they run, see tests/worker.

mod accepts;
mod depth;
mod errors;
mod explains;
mod guards;
mod positions;
mod slips;
mod types;

use super::{CompileError, Guards, prepare};

/// Returns the user's part of the module, with each run of spaces as one.
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

/// Checks the result for a program without guards.
#[track_caller]
fn check(code: &str, expected: &str) {
    assert_eq!(body(code, Guards::Off), expected, "{code}");
}

/// Returns the error of a program that cannot run.
#[track_caller]
fn refused(code: &str) -> CompileError {
    match prepare(code, Guards::On) {
        Ok(prepared) => panic!("{code} became {}", prepared.module),
        Err(error) => error,
    }
}

/// Returns a part of a text.
fn slice(text: &str, start: usize, end: usize) -> &str {
    text.get(start..end).unwrap()
}
