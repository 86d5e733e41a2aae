//! Parses a text: as TypeScript, else as JavaScript, else with the usual damage of copied text
//! repaired.
//!
//! Some texts are legal in both languages with different meanings: `f<A>(b)` is a call with type
//! arguments in TypeScript, and two comparisons in JavaScript. They are read as TypeScript, as the
//! TypeScript compiler does. JavaScript that TypeScript refuses is still accepted.

use oxc_allocator::Allocator;
use oxc_span::Span;

use super::code_fence::ForeignFence;
use super::parser::{ParsedProgram, attempt, error, with_markup};
use super::source::{Position, Source};
use super::{CompileError, code_fence, depth, hints, mend, refuse};
use crate::limits::MAX_PROGRAM_BYTES;

/// Parses the text that was sent.
///
/// # Errors
/// [`CompileError`] for the first error, with its position in the text that was sent.
pub fn parse<'a>(
    allocator: &'a Allocator,
    source: &Source,
) -> Result<ParsedProgram<'a>, CompileError> {
    if source.text().len() > MAX_PROGRAM_BYTES {
        let message = format!("the program is longer than {MAX_PROGRAM_BYTES} bytes");
        let hint = "Send data through `input` or load it into a table, not as part of the program.";
        return Err(error(source, source, 0, message, Some(hint.to_owned())));
    }
    let (fenced, foreign) = code_fence::code(source);
    if let Some(foreign) = foreign.as_ref().filter(|foreign| foreign.begins) {
        return Err(other_language(source, foreign));
    }
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
        Ok(parsed) => {
            let fence = foreign.filter(|foreign| !may_hold(&parsed, foreign));
            return match fence {
                Some(foreign) => Err(other_language(source, &foreign)),
                None => Ok(parsed),
            };
        }
        Err(failure) => failure,
    };
    if let Some(foreign) = &foreign {
        return Err(other_language(source, foreign));
    }
    if let Some(mended) = mend::mend(&fenced)
        && depth::check(&mended).is_ok()
        && let Ok(parsed) = attempt(allocator, &mended)
    {
        return Ok(parsed);
    }
    // If it parses with JSX, the error is that JSX is refused.
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

/// Returns the error for a text that has fences, but none with a program.
fn other_language(source: &Source, fence: &ForeignFence) -> CompileError {
    let at = source.byte(Position {
        line: fence.line,
        column: 1,
    });
    let hint = Some(fence.hint().to_owned());
    error(source, source, at.unwrap_or(0), fence.message(), hint)
}

/// Returns true if the mark of a fence may be part of a program: in a comment, or tildes in a text.
fn may_hold(parsed: &ParsedProgram<'_>, fence: &ForeignFence) -> bool {
    let mut comments = parsed.program.comments.iter();
    let begins_at = parsed.text.byte(Position {
        line: fence.line,
        column: 1,
    });
    !fence.is_quoted
        || comments.any(|comment| {
            let Span { start, end, .. } = comment.span;
            begins_at.is_some_and(|at| (start as usize..end as usize).contains(&at))
        })
}

/// Rejects a text that nests too deep for the parser.
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
