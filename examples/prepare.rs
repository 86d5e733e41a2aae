//! Prints the module made from a program: `cargo run --example prepare -- [--guards off] FILE|-`.

use std::io::Read;
use std::process::ExitCode;

use program::{Guards, prepare};

fn main() -> ExitCode {
    let mut guards = Guards::On;
    let mut file = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--guards" => match arguments.next().as_deref() {
                Some("on") => guards = Guards::On,
                Some("off") => guards = Guards::Off,
                _ => return fail("--guards takes on or off"),
            },
            _ => file = Some(argument),
        }
    }
    let code = match file.as_deref() {
        None => return fail("usage: prepare [--guards off] FILE|-"),
        Some("-") => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).map(|_| text)
        }
        Some(path) => std::fs::read_to_string(path),
    };
    let code = match code {
        Ok(code) => code,
        Err(error) => return fail(&error.to_string()),
    };
    match prepare(&code, guards) {
        Ok(prepared) => {
            print!("{}", prepared.module);
            ExitCode::SUCCESS
        }
        Err(error) => {
            let hint = error
                .hint
                .map(|hint| format!("\n{hint}"))
                .unwrap_or_default();
            fail(&format!(
                "{} (line {}, column {})\n{}{hint}",
                error.message, error.line, error.column, error.pointer
            ))
        }
    }
}

fn fail(message: &str) -> ExitCode {
    eprintln!("{message}");
    ExitCode::FAILURE
}
