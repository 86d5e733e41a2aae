//! Parsing: as TypeScript, else as JavaScript, else with the usual damage of copied text fixed.
//!
//! Some texts are legal in both languages with two meanings: `f<A>(b)` is a call with type arguments in TypeScript, and compares twice in
//! JavaScript. They are TypeScript, as the TypeScript compiler reads them too. JavaScript that TypeScript refuses is still read.

use oxc_allocator::Allocator;

use super::parser::{Parsed, attempt, error, with_markup};
use super::source::Source;
use super::{CompileError, code_fence, depth, hints, mend, refuse};
use crate::limits::MAX_PROGRAM_BYTES;

/// Parses what was sent.
///
/// # Errors
/// [`CompileError`] of the first error, in the text that was sent.
pub fn parse<'a>(allocator: &'a Allocator, source: &Source) -> Result<Parsed<'a>, CompileError> {
    if source.text().len() > MAX_PROGRAM_BYTES {
        let message = format!("the program is longer than {MAX_PROGRAM_BYTES} bytes");
        let hint = "Send data through `input` or load it into a table, not as part of the program.";
        return Err(error(source, source, 0, message, Some(hint.to_owned())));
    }
    let fenced = code_fence::code(source);
    if fenced.trim().is_empty() {
        let hint = "Send the program as the text of `code`.";
        return Err(error(
            source,
            source,
            0,
            "the program is empty".to_owned(),
            Some(hint.to_owned()),
        ));
    }
    let text = Source::new(&fenced);
    bound(source, &text)?;
    let failure = match attempt(allocator, &fenced) {
        Ok(parsed) => return Ok(parsed),
        Err(failure) => failure,
    };
    if let Some(mended) = mend::mend(&fenced)
        && depth::check(&mended).is_ok()
        && let Ok(parsed) = attempt(allocator, &mended)
    {
        return Ok(parsed);
    }
    // With markup it would parse: then that is what is refused.
    if let Ok(parsed) = with_markup(allocator, &fenced) {
        refuse::check(&parsed, source)?;
    }
    let hint = hints::hint(&fenced, &failure).or_else(|| failure.help.clone());
    Err(error(
        source,
        &text,
        failure.at,
        hints::message(&failure),
        hint,
    ))
}

/// Refuses what nests too deep for the parser.
fn bound(source: &Source, text: &Source) -> Result<(), CompileError> {
    let (at, message, hint) = match depth::check(text.text()) {
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
        Err(depth::TooDeep::HtmlComment(at)) => (
            at,
            "HTML comments are not part of a program",
            "Write comments as `// …` or `/* … */`.",
        ),
    };
    Err(error(
        source,
        text,
        at,
        message.to_owned(),
        Some(hint.to_owned()),
    ))
}
