//! The trait of a language of source files: its parser, the paths of its items, its comments, and
//! the rules for inserting code.
//!
//! Each language is a folder beside this file. The rest of the crate uses this trait and names no
//! language. Languages with C-style comments share `braces`, whose functions are the defaults here.

use std::ops::Range;

use super::front::Front;
use super::{Read, braces};
use crate::model::{ItemKind, Placement};

/// The rules of a language.
pub(crate) trait Grammar: Sync {
    /// Parses the items of a file.
    ///
    /// # Errors
    /// The reason why the parser does not accept the whole file.
    fn read(&self, text: &str, placement: &Placement) -> Result<Read, ParseFailure>;

    /// Returns the module of a file, if its path alone decides it.
    fn module_of(&self, _path: &str) -> Option<String> {
        None
    }

    /// Returns the text between the parts of a module's path.
    fn separator(&self) -> &'static str {
        "::"
    }

    /// Returns the other paths by which people name an item.
    fn other_paths(&self, item: ItemNames<'_>) -> Vec<String>;

    /// Returns the marker of a line comment.
    fn line_comment(&self) -> &'static str {
        "//"
    }

    /// Returns the text of a line that is a comment but not documentation.
    fn plain_comment<'l>(&self, line: &'l str) -> Option<&'l str> {
        braces::plain_comment(line)
    }

    /// Returns true if a line is a plain comment that belongs to the item below it.
    fn belongs_below(&self, line: &str) -> bool {
        line.starts_with("//") && !line.starts_with("//!")
    }

    /// Returns the end of the code in a text that begins at a token boundary; white space and line
    /// comments follow it. Returns `None` if that is uncertain, because a string or an expression
    /// could look like a comment.
    fn code_end(&self, gap: &str) -> Option<usize> {
        braces::code_end(gap, false)
    }

    /// Returns the documentation and the attributes or decorators of an item.
    fn front<'t>(&self, item: &'t str) -> Front<'t> {
        braces::front(item)
    }

    /// Returns true if a line of code can only be documentation or an attribute, which code at the
    /// same level follows.
    fn is_front_line(&self, line: &str) -> bool {
        ["//", "/*", "#[", "@"]
            .iter()
            .any(|mark| line.starts_with(mark))
    }

    /// Returns the string literals in code that have several lines, in their order; `None` if they
    /// are uncertain.
    fn long_texts(&self, code: &str) -> Option<Vec<LongText>>;

    /// Returns the byte after an item and the comments that belong to it.
    fn behind(&self, text: &str, span: &Range<usize>) -> usize {
        braces::behind(text, span.end, self.line_comment())
    }

    /// Returns how to divide a line that an item shares with other code, if lines have a meaning in
    /// the language.
    fn shared_line(&self, _text: &str, _span: &Range<usize>) -> Option<SharedLine> {
        None
    }
}

/// The reason why a parser does not accept a file, and the parts of it that can be read
/// nevertheless.
pub(crate) struct ParseFailure {
    pub reason: String,
    pub partial: Option<Read>,
}

impl From<String> for ParseFailure {
    fn from(reason: String) -> Self {
        Self {
            reason,
            partial: None,
        }
    }
}

/// The names of an item.
#[derive(Clone, Copy)]
pub(crate) struct ItemNames<'i> {
    pub kind: ItemKind,
    pub name: &'i str,
    pub canon: &'i str,
    pub module_path: &'i str,
}

/// A string literal with several lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LongText {
    pub range: Range<usize>,
    /// True if its lines are indented with the code, because it is documentation.
    pub is_documentation: bool,
}

/// The positions at which a line with several statements is divided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SharedLine {
    /// The indentation of the new lines.
    pub indent: String,
    /// The separator before the item, which becomes a line end.
    pub before: Option<Range<usize>>,
    /// The separator after it.
    pub behind: Option<Range<usize>>,
}
