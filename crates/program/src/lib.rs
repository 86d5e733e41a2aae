//! Makes a module that the sandbox runs from the text that a model sent.
//!
//! [`prepare`] accepts plain statements, functions, exports, TypeScript and fenced text. It rejects
//! code that cannot run, with a position and a fix. It splices in guards that bound the work
//! ([`Guards`]) and the `return` of the result. The text is never printed from a tree: line N of
//! the module is line N of the text that was sent, and `PreparedProgram::position` maps the columns
//! back.
//!
//! No input makes it recurse deeper than `depth` allows, or take more than linear time. Errors that
//! only a later check finds, such as a name that is declared twice, are left to V8, which reports
//! them before anything runs.

pub mod answered;
mod charge;
mod code_fence;
mod counted;
mod depth;
mod edits;
mod enclosing;
mod explain;
mod guards;
mod hints;
pub mod limits;
mod mend;
mod names;
mod numbers;
mod operators;
mod origin;
mod parameters;
mod parser;
mod reach;
mod reference;
mod refuse;
mod regions;
mod result;
mod scan;
mod source;
mod strip;
mod strip_enum;
mod syntax;
mod token;

use oxc_allocator::Allocator;

pub use explain::{RuntimeFailure, explain, missing_server};
pub use reach::Reach;
pub use reference::methods;
pub use source::Position;

use edits::{Edits, Map};
use numbers::Numbers;
use result::Ending;
use source::Source;

/// Returns true if the tree of a text may be too high for a parser's stack, or if its height cannot
/// be bounded. For callers that parse texts other than programs.
pub fn nests_too_deep(text: &str) -> bool {
    depth::check(text).is_err()
}

/// The choice to insert guards or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guards {
    /// The choice for all programs that run.
    On,
    /// The choice for measuring the cost of guards.
    Off,
}

/// A program that is ready to run.
#[derive(Debug, Clone)]
pub struct PreparedProgram {
    /// The module; its default export is an async function that takes the input.
    pub module: String,
    /// The names by which it reaches functions and globals; nothing if it may reach all of them.
    pub reach: Option<Reach>,
    source: Source,
    map: Map,
}

/// A program that cannot run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompileError {
    /// The error message.
    pub message: String,
    /// The line in the text that was sent, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// The line of the error, and a caret below the position.
    pub pointer: String,
    /// A hint about the fix.
    pub hint: Option<String>,
}

impl PreparedProgram {
    /// Maps a line and a column of the module to the position in the text that was sent. Both are
    /// from 1, the column in UTF-16 units. Returns nothing for text that was inserted before the
    /// user's.
    pub fn position(&self, line: u32, column: u32) -> Option<Position> {
        let units = self.map.input(line, column.saturating_sub(1))?;
        self.source.position(line, units)
    }

    /// Returns the map in the form that `crates/sandbox/src/runtime/places.js` reads.
    pub fn places(&self) -> Vec<u32> {
        self.map.stretches()
    }

    /// Returns the position of a line and a column that the isolate has already mapped back. Both
    /// are from 1, the column in UTF-16 units.
    pub fn place(&self, line: u32, column: u32) -> Option<Position> {
        self.source.position(line, column.saturating_sub(1))
    }

    /// Returns the line at a position and a caret below it.
    pub fn pointer(&self, position: Position) -> Option<String> {
        self.source
            .line(position.line)
            .map(|_| self.source.pointer(position))
    }
}

/// Returns the line at a position of a text that was sent and a caret below it, or nothing if the
/// text has no such line.
pub fn pointer(source: &str, position: Position) -> Option<String> {
    let source = Source::new(source);
    source.line(position.line).map(|_| source.pointer(position))
}

/// Returns a notice that says which of several code fences is the program.
pub fn notice(code: &str) -> Option<String> {
    // The signs of a fence. Most programs have none, and looking for one is quick.
    let may_have_fence = code.bytes().any(|byte| byte == b'`' || byte == b'~');
    let has_fence = may_have_fence && (code.contains("```") || code.contains("~~~"));
    has_fence
        .then(|| code_fence::choice(&Source::new(code)))
        .flatten()
}

/// Makes a module from `code`.
///
/// # Errors
/// [`CompileError`] if the code is too long, nests too deep, has a syntax error, or uses a feature
/// that the sandbox does not have.
pub fn prepare(code: &str, guards: Guards) -> Result<PreparedProgram, CompileError> {
    let source = Source::new(code);
    let allocator = Allocator::default();
    let parsed = syntax::parse(&allocator, &source)?;
    refuse::check(&parsed, &source)?;
    let numbers = Numbers::of(&parsed.program);
    let (reach, is_open) = reach::of(&parsed.program, &numbers, code);
    let stem = reach.free_stem();
    let mut edits = Edits::default();
    if let Some(line) = &parsed.program.hashbang {
        edits.blank(parsed.text.text(), line.span.start, line.span.end, "");
    }
    for space in &parsed.stray_space {
        edits.replace(space.start, space.end, " ");
    }
    let ending = result::end(&parsed.program, parsed.text.text(), &stem, &mut edits);
    if guards == Guards::On {
        let text = parsed.text.text();
        guards::guard(&parsed.program, numbers, text, &stem, &mut edits);
    }
    strip::strip(&parsed.program, parsed.text.text(), &stem, &mut edits);
    let reach = (!is_open).then_some(reach);
    let head = head(&stem, guards, &ending, reach.as_ref());
    let (module, map) = edits.render(&parsed.text, &head, &tail(&ending));
    Ok(PreparedProgram {
        module,
        reach,
        source,
        map,
    })
}

/// Returns the code before the user's text, on its first line.
fn head(stem: &str, guards: Guards, ending: &Ending, reach: Option<&Reach>) -> String {
    let prefix = match guards {
        Guards::On => charge::prefix(stem, reach),
        Guards::Off => String::new(),
    };
    let input = if ending.declares_input {
        format!("{stem}i")
    } else {
        "input".to_owned()
    };
    format!("{prefix}export default async({input})=>{{")
}

/// Returns the code behind the user's text, on lines of its own.
fn tail(ending: &Ending) -> String {
    match &ending.value {
        Some(value) => format!("\n;return {value}\n}}\n"),
        None => "\n}\n".to_owned(),
    }
}

#[cfg(test)]
mod tests;
