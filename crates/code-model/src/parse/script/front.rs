//! Finds the front of an item: its documentation, its decorators, and the comments between them.

use std::ops::Range;

use oxc_ast::ast::Program;

use super::tokens::{is_documentation, range};

/// The front of an item.
pub(super) struct Front {
    /// The first byte of its documentation, decorators or statement.
    pub start: usize,
    /// The first byte after documentation and decorators.
    pub head: usize,
    pub documentation: Option<Range<usize>>,
}

/// The comments of a file.
pub(super) struct Comments<'t> {
    text: &'t str,
    /// The comments, in the order of the file.
    comments: Vec<Comment>,
}

struct Comment {
    range: Range<usize>,
    documents: bool,
}

impl<'t> Comments<'t> {
    pub fn of(text: &'t str, program: &Program<'_>) -> Self {
        let comments = program.comments.iter().map(|comment| Comment {
            range: range(comment.span),
            documents: is_documentation(text, comment.span),
        });
        Self {
            text,
            comments: comments.collect(),
        }
    }

    /// Finds the start of an item, including its documentation and decorators, which may come
    /// before or after `export`.
    pub fn front(&self, statement: usize, decorators: &[Range<usize>]) -> Front {
        let decorated = decorators.first().map_or(statement, |first| first.start);
        let start = decorated.min(statement);
        let mut head = start;
        for decorator in decorators {
            if decorator.start == head {
                head = self.next_token(decorator.end);
            }
        }
        // Documentation may also come between decorators, but not within one.
        let is_within = |comment: &Comment| {
            let within = |decorator: &Range<usize>| decorator.contains(&comment.range.start);
            decorators.iter().any(within)
        };
        let documentation = self.documentation_of(start).or_else(|| {
            let front_end = self.next_token(decorators.last()?.end);
            let before = |comment: &Comment| comment.range.end <= front_end;
            let end = self.comments.partition_point(before);
            let front = self.comments.get(..end)?.iter().rev();
            let mut front = front.take_while(|comment| comment.range.start > start);
            let own = front.find(|comment| comment.documents && !is_within(comment));
            own.map(|comment| comment.range.clone())
        });
        let first = documentation
            .as_ref()
            .map_or(start, |comment| comment.start);
        Front {
            start: first.min(start),
            head,
            documentation,
        }
    }

    /// Returns the first byte at or after `at` that is neither white space nor part of a comment.
    fn next_token(&self, mut at: usize) -> usize {
        let first = self
            .comments
            .partition_point(|comment| comment.range.start < at);
        for comment in self.comments.get(first..).unwrap_or_default() {
            let between = self.text.get(at..comment.range.start).unwrap_or_default();
            if !between.trim().is_empty() {
                break;
            }
            at = comment.range.end;
        }
        let rest = self.text.get(at..).unwrap_or_default();
        at + (rest.len() - rest.trim_start().len())
    }

    /// Returns the documentation above a byte. Plain comments may come between, such as those for a
    /// linter.
    fn documentation_of(&self, mut start: usize) -> Option<Range<usize>> {
        let before = self
            .comments
            .partition_point(|comment| comment.range.end <= start);
        for comment in self.comments.get(..before)?.iter().rev() {
            let between = self.text.get(comment.range.end..start)?;
            if !between.trim().is_empty() {
                return None;
            }
            if comment.documents {
                return Some(comment.range.clone());
            }
            start = comment.range.start;
        }
        None
    }
}

/// Returns the text of a documentation comment without its markers.
pub(super) fn documentation_text(comment: &str) -> String {
    let inner = comment.trim_start_matches("/**").trim_end_matches("*/");
    let lines = inner.lines().map(|line| {
        let line = line.trim();
        line.strip_prefix('*').map_or(line, str::trim_start)
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}
