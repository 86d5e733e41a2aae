//! The text of a file without white space and comments, so that a hash ignores both. String
//! literals and documentation are kept unchanged.

use std::ops::Range;

use oxc_ast::ast::{JSXText, Program, RegExpLiteral, StringLiteral, TemplateElement};
use oxc_ast_visit::Visit;
use oxc_span::Span;

/// The parts of a file in which white space matters, and the comments, in their order.
pub(super) struct Tokens<'t> {
    text: &'t str,
    parts: Vec<(Range<usize>, Part)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// Kept unchanged.
    Kept,
    /// Left out.
    Comment,
}

impl<'t> Tokens<'t> {
    pub fn of(text: &'t str, program: &Program<'_>) -> Self {
        let mut literals = Literals(Vec::new());
        literals.visit_program(program);
        let kept = literals.0.into_iter().map(|span| (range(span), Part::Kept));
        let comments = program.comments.iter().map(|comment| {
            let part = if is_documentation(text, comment.span) {
                Part::Kept
            } else {
                Part::Comment
            };
            (range(comment.span), part)
        });
        let mut parts: Vec<_> = kept.chain(comments).collect();
        parts.sort_by_key(|(range, _)| (range.start, range.end));
        Self { text, parts }
    }

    /// Returns the tokens of a part of the file as text.
    pub fn text_of(&self, span: &Range<usize>) -> String {
        let mut said = Said::default();
        let mut at = span.start;
        let first = self
            .parts
            .partition_point(|(range, _)| range.start < span.start);
        for (range, part) in self.parts.get(first..).unwrap_or_default() {
            if range.start >= span.end {
                break;
            }
            if range.start < at {
                continue;
            }
            said.squeeze(self.text.get(at..range.start).unwrap_or_default());
            match part {
                Part::Kept => said
                    .text
                    .push_str(self.text.get(range.clone()).unwrap_or_default()),
                Part::Comment => said.blank = true,
            }
            at = range.end;
        }
        said.squeeze(self.text.get(at..span.end).unwrap_or_default());
        said.text
    }
}

/// The text so far, and a flag that white space follows it.
#[derive(Default)]
struct Said {
    text: String,
    blank: bool,
}

impl Said {
    /// Adds a text, with blanks only between words.
    fn squeeze(&mut self, text: &str) {
        let joins =
            |character: char| character == '_' || character == '$' || character.is_alphanumeric();
        for character in text.chars() {
            if character.is_whitespace() {
                self.blank = true;
                continue;
            }
            if self.blank && joins(character) && self.text.chars().next_back().is_some_and(joins) {
                self.text.push(' ');
            }
            self.blank = false;
            self.text.push(character);
        }
    }
}

pub(super) fn is_documentation(text: &str, span: Span) -> bool {
    text.get(range(span))
        .is_some_and(|comment| comment.starts_with("/**") && comment.len() > "/**/".len())
}

pub(super) fn range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

struct Literals(Vec<Span>);

impl<'a> Visit<'a> for Literals {
    fn visit_string_literal(&mut self, literal: &StringLiteral<'a>) {
        self.0.push(literal.span);
    }

    fn visit_template_element(&mut self, element: &TemplateElement<'a>) {
        self.0.push(element.span);
    }

    fn visit_reg_exp_literal(&mut self, literal: &RegExpLiteral<'a>) {
        self.0.push(literal.span);
    }

    fn visit_jsx_text(&mut self, text: &JSXText<'a>) {
        self.0.push(text.span);
    }
}
