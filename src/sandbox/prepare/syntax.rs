//! Parsing: as JavaScript, else as TypeScript, else with the usual damage of copied text mended.

use oxc_allocator::Allocator;
use oxc_ast::ast::{Program, SourceType};
use oxc_parser::{ParseOptions, Parser};

use super::source::{Position, Source};
use super::{CompileError, MAX_CODE_BYTES, depth, fence, hints, mend};

/// A program without errors of syntax.
pub struct Parsed<'a> {
    /// Its tree, with places in `text`.
    pub program: Program<'a>,
    /// What was parsed: the text that was sent, with everything around a fence taken out and damage mended. Lines and columns are
    /// those of the text that was sent.
    pub text: Source,
    /// It has types.
    pub typescript: bool,
}

/// The first error that the parser found.
#[derive(Debug, Clone)]
pub struct Failure {
    /// What the parser says.
    pub message: String,
    /// What it advises.
    pub help: Option<String>,
    /// The byte of the place.
    pub at: usize,
    /// The places that it names, with what it says about them.
    pub labels: Vec<(usize, String)>,
}

/// Parses what was sent.
///
/// # Errors
/// [`CompileError`] of the first error, in the text that was sent.
pub fn parse<'a>(allocator: &'a Allocator, source: &Source) -> Result<Parsed<'a>, CompileError> {
    if source.text().len() > MAX_CODE_BYTES {
        let message = format!("the program is longer than {MAX_CODE_BYTES} bytes");
        let hint = "Send data through `input` or load it into a table, not as part of the program.";
        return Err(error(source, 0, message, Some(hint.to_owned())));
    }
    let fenced = fence::code(source);
    if fenced.trim().is_empty() {
        let hint = "Send the program as the text of `code`.";
        return Err(error(source, 0, "the program is empty".to_owned(), Some(hint.to_owned())));
    }
    bound(source, &fenced)?;
    let failure = match attempt(allocator, &fenced) {
        Ok((program, typescript)) => {
            return Ok(Parsed {
                program,
                text: Source::new(&fenced),
                typescript,
            });
        }
        Err(failure) => failure,
    };
    if let Some(mended) = mend::mend(&fenced)
        && depth::check(&mended).is_ok()
        && let Ok((program, typescript)) = attempt(allocator, &mended)
    {
        return Ok(Parsed {
            program,
            text: Source::new(&mended),
            typescript,
        });
    }
    let hint = hints::hint(&fenced, &failure).or_else(|| failure.help.clone());
    Err(error(source, failure.at, hints::message(&failure), hint))
}

/// Refuses what nests too deep for the parser.
fn bound(source: &Source, text: &str) -> Result<(), CompileError> {
    let (at, message, hint) = match depth::check(text) {
        Ok(()) => return Ok(()),
        Err(depth::TooDeep::Height(at)) => (
            at,
            "the program nests too deep here",
            "Break the expression into several statements, and load large data through `input` or a table.",
        ),
        Err(depth::TooDeep::Slashes(at)) => (
            at,
            "too many slashes here may be divisions or regular expressions",
            "Put parentheses around divisions, and end statements with semicolons.",
        ),
        Err(depth::TooDeep::HtmlComment(at)) => (at, "HTML comments are not part of a program", "Write comments as `// …` or `/* … */`."),
    };
    Err(error(source, at, message.to_owned(), Some(hint.to_owned())))
}

/// Parses as JavaScript, and as TypeScript where that fails. Of two errors, the one that is further on says more.
fn attempt<'a>(allocator: &'a Allocator, text: &str) -> Result<(Program<'a>, bool), Failure> {
    let text = allocator.alloc_str(text);
    let script = match run(allocator, text, SourceType::mjs()) {
        Ok(program) => return Ok((program, false)),
        Err(failure) => failure,
    };
    match run(allocator, text, SourceType::ts()) {
        Ok(program) => Ok((program, true)),
        Err(typed) if typed.at >= script.at => Err(typed),
        Err(_) => Err(script),
    }
}

fn run<'a>(allocator: &'a Allocator, text: &'a str, kind: SourceType) -> Result<Program<'a>, Failure> {
    let options = ParseOptions {
        allow_return_outside_function: true,
        ..ParseOptions::default()
    };
    let parsed = Parser::new(allocator, text, kind).with_options(options).parse();
    let Some(first) = parsed.diagnostics.first() else {
        return Ok(parsed.program);
    };
    let labels: Vec<(usize, String)> = first
        .labels
        .iter()
        .map(|label| (label.offset() as usize, label.label().unwrap_or("").to_owned()))
        .collect();
    Err(Failure {
        message: first.message.to_string(),
        help: first.help.as_deref().map(str::to_owned),
        at: labels.first().map_or(text.len(), |(at, _)| *at),
        labels,
    })
}

/// An error at a byte of a text that has the lines and columns of what was sent.
pub fn error(source: &Source, at: usize, message: String, hint: Option<String>) -> CompileError {
    let (line, units) = source.units(at);
    let position = source.position(line, units).unwrap_or(Position { line, column: 1 });
    CompileError {
        message,
        line: position.line,
        column: position.column,
        pointer: source.pointer(position),
        hint,
    }
}
