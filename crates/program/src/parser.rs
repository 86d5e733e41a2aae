//! Runs the parser on one text: returns its tree or the first error.

use oxc_allocator::Allocator;
use oxc_ast::ast::{Program, SourceType, Span};
use oxc_parser::{ParseOptions, Parser};

use super::CompileError;
use super::source::{Position, Source};

/// A program without syntax errors.
pub struct ParsedProgram<'a> {
    /// Its tree, with positions in `text`.
    pub program: Program<'a>,
    /// The text that was parsed: the text that was sent, without everything around a fence and with
    /// damage repaired. It has the same lines and columns as the text that was sent.
    pub text: Source,
    /// White space that the parser accepts and V8 does not.
    pub stray_space: Vec<Span>,
}

/// The first error that the parser found.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The parser's message.
    pub message: String,
    /// The parser's advice.
    pub help: Option<String>,
    /// The byte at which the error is.
    pub at: usize,
    /// The labelled bytes of the error, with the text of each label.
    pub labels: Vec<(usize, String)>,
}

/// Parses a text as TypeScript, and if that fails as JavaScript. Of two errors it returns the later
/// one in the text, which is more informative.
pub fn attempt<'a>(allocator: &'a Allocator, text: &str) -> Result<ParsedProgram<'a>, Failure> {
    let text = allocator.alloc_str(text);
    let typed = match run(allocator, text, SourceType::ts().with_module(true)) {
        Ok(parsed) => return Ok(parsed),
        Err(failure) => failure,
    };
    match run(allocator, text, SourceType::mjs()) {
        Ok(parsed) => Ok(parsed),
        Err(script) if typed.at >= script.at => Err(typed),
        Err(script) => Err(script),
    }
}

/// Parses a text with JSX. It is not run: the tree is only used to name the feature that is
/// refused.
pub fn with_markup<'a>(allocator: &'a Allocator, text: &str) -> Result<ParsedProgram<'a>, Failure> {
    run(
        allocator,
        allocator.alloc_str(text),
        SourceType::tsx().with_module(true),
    )
}

/// The parser's message for a function without a name.
const NO_FUNCTION_NAME: &str = "Expected function name";

fn run<'a>(
    allocator: &'a Allocator,
    text: &'a str,
    kind: SourceType,
) -> Result<ParsedProgram<'a>, Failure> {
    let options = ParseOptions {
        allow_return_outside_function: true,
        ..ParseOptions::default()
    };
    let parsed = Parser::new(allocator, text, kind)
        .with_options(options)
        .parse();
    // A function without a name still has a tree. `refuse` reports it where a name is necessary.
    let mut errors = parsed
        .diagnostics
        .iter()
        .filter(|error| parsed.panicked || error.message != NO_FUNCTION_NAME);
    let Some(first) = errors.next() else {
        let unknown = |span: &Span| {
            !text
                .get(span.start as usize..span.end as usize)
                .is_some_and(known_space)
        };
        return Ok(ParsedProgram {
            stray_space: parsed
                .irregular_whitespaces
                .iter()
                .copied()
                .filter(unknown)
                .collect(),
            program: parsed.program,
            text: Source::new(text),
        });
    };
    let labels: Vec<(usize, String)> = first
        .labels
        .iter()
        .map(|label| {
            (
                label.offset() as usize,
                label.label().unwrap_or("").to_owned(),
            )
        })
        .collect();
    Err(Failure {
        message: first.message.to_string(),
        help: first.help.as_deref().map(str::to_owned),
        at: labels
            .first()
            .map_or(text.len(), |(at, _)| *at)
            .min(text.trim_end().len()),
        labels,
    })
}

/// Returns true for white space of ECMAScript.
fn known_space(text: &str) -> bool {
    text.chars().all(|character| {
        character == '\u{feff}' || (character.is_whitespace() && character != '\u{85}')
    })
}

/// Returns an error at a byte of `text`, which has the same lines and columns as `source`.
pub fn error(
    source: &Source,
    text: &Source,
    at: usize,
    message: String,
    hint: Option<String>,
) -> CompileError {
    let (line, units) = text.units(at);
    let position = source
        .position(line, units)
        .unwrap_or(Position { line, column: 1 });
    CompileError {
        message,
        line: position.line,
        column: position.column,
        pointer: source.pointer(position),
        hint,
    }
}
