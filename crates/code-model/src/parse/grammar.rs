//! A language of source files: its parser, the paths of its items, its comments, and how code of it
//! is put into a file.
//!
//! Each language is a folder beside this file. The rest of the crate asks it by this trait and
//! names no language itself. Languages with the comments of C share `braces`, which are the
//! defaults here.

use std::ops::Range;

use super::front::Front;
use super::{Read, braces};
use crate::model::{ItemKind, Placement};

/// The rules of a language.
pub(crate) trait Grammar: Sync {
    /// Reads the items of a file.
    ///
    /// # Errors
    /// The reason why the parser takes not all of it.
    fn read(&self, text: &str, placement: &Placement) -> Result<Read, Unread>;

    /// Returns the module of a file, if its path alone decides it.
    fn module_of(&self, _path: &str) -> Option<String> {
        None
    }

    /// Returns the text between the parts of a module's path.
    fn separator(&self) -> &'static str {
        "::"
    }

    /// Returns the paths by which people name an item beside its own.
    fn other_paths(&self, item: Called<'_>) -> Vec<String>;

    /// Returns the mark of a comment that ends with its line.
    fn line_comment(&self) -> &'static str {
        "//"
    }

    /// Returns the text of a line that is a comment and does not document.
    fn plain_comment<'l>(&self, line: &'l str) -> Option<&'l str> {
        braces::plain_comment(line)
    }

    /// Returns true if a line is a plain comment that belongs to the item below it.
    fn belongs_below(&self, line: &str) -> bool {
        line.starts_with("//") && !line.starts_with("//!")
    }

    /// Returns the end of the code in a text that begins at the boundary of a token: white space
    /// and comments of one line follow. None where that is not certain, because a text or an
    /// expression in it could look like a comment.
    fn code_end(&self, gap: &str) -> Option<usize> {
        braces::code_end(gap, false)
    }

    /// Returns the documentation and the attributes or decorators of an item.
    fn front<'t>(&self, item: &'t str) -> Front<'t> {
        braces::front(item)
    }

    /// Returns true if a line of code can only be documentation or an attribute, with something of
    /// its level behind it.
    fn is_front_line(&self, line: &str) -> bool {
        ["//", "/*", "#[", "@"]
            .iter()
            .any(|mark| line.starts_with(mark))
    }

    /// Returns the texts of code that have several lines, in their order. None where they are not
    /// certain.
    fn long_texts(&self, code: &str) -> Option<Vec<LongText>>;

    /// Returns the byte behind an item and the comments that belong to it.
    fn behind(&self, text: &str, span: &Range<usize>) -> usize {
        braces::behind(text, span.end, self.line_comment())
    }

    /// Returns how a line is divided that an item shares with other code, if the lines of the
    /// language have a meaning.
    fn shared_line(&self, _text: &str, _span: &Range<usize>) -> Option<SharedLine> {
        None
    }
}

/// The reason why a parser does not take a file, and what can be read of it nevertheless.
pub(crate) struct Unread {
    pub reason: String,
    pub partial: Option<Read>,
}

impl From<String> for Unread {
    fn from(reason: String) -> Self {
        Self {
            reason,
            partial: None,
        }
    }
}

/// The names of an item.
#[derive(Clone, Copy)]
pub(crate) struct Called<'i> {
    pub kind: ItemKind,
    pub name: &'i str,
    pub canon: &'i str,
    pub module_path: &'i str,
}

/// A text in code that has several lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LongText {
    pub range: Range<usize>,
    /// Its lines are indented with the code: it is documentation.
    pub is_documentation: bool,
}

/// The places where a line with several statements is divided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SharedLine {
    /// The indentation of the new lines.
    pub indent: String,
    /// The separator before the item, which becomes a line end.
    pub before: Option<Range<usize>>,
    /// The separator behind it.
    pub behind: Option<Range<usize>>,
}
