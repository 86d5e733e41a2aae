//! Checks whether a text with markup nests too deeply.
//!
//! Text between tags may look like quotes, comments and brackets, which would hide the rest from a
//! scanner of plain code. So the markup is found with an explicit stack, and rewritten as plain
//! code that nests as deep: an element as an array, and the content of its braces in parentheses.
//! If a `<` or a `/` may be read in two ways, both are tried. A reading ends where the parser would
//! give up as well.

mod code;
mod text;

use crate::limits::{MAX_MARKUP_DEPTH, MAX_MARKUP_READ_BYTES};
use text::{BYTE_ORDER_MARK, ends_line, in_name, in_word, trivia};

/// Returns true if some reading of the text may make a tree that is too high for the parser's
/// stack.
pub(super) fn nests_too_deep(text: &str) -> bool {
    let most = (MAX_MARKUP_READ_BYTES / text.len().max(1)).max(1);
    let mut readings = vec![Vec::new()];
    let mut done = 0;
    while let Some(chosen) = readings.pop() {
        let known = chosen.len();
        let mut reader = Reader::new(text, chosen.clone());
        let too_many = reader.read();
        done += 1;
        if too_many || program::nests_too_deep(&reader.plain) {
            return true;
        }
        for undecided in known..reader.met {
            if done + readings.len() >= most {
                return true;
            }
            let mut other = chosen.clone();
            other.resize(undecided, false);
            other.push(true);
            readings.push(other);
        }
    }
    false
}

/// The kinds of tokens that may follow a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    /// An operand: markup, a regular expression.
    Operand,
    /// An operator: a comparison, a division.
    Operator,
    Either,
    /// The token ends an element. A `<` after it is an error.
    Element,
}

/// An open construct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    /// A bracket of code, with the kinds of tokens that may follow it.
    Code(char, After),
    /// The braces of markup.
    Braces,
    Template,
    /// The tag of an element, from its `<` to its `>`.
    Tag,
    /// The type arguments of a tag, with the number of open angle brackets.
    Types(usize),
    /// The content between tags.
    Children,
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    open: Vec<Open>,
    /// The number of open elements.
    elements: usize,
    after: After,
    /// True if a line ended after the last token.
    new_line: bool,
    /// True if the last token was a `.`, after which a word is a property.
    dot: bool,
    /// True if the last token may be a word whose parentheses belong to a statement.
    head: bool,
    /// The choices at uncertain places, true for markup and regular expressions, and the number of
    /// such places so far.
    chosen: Vec<bool>,
    met: usize,
    plain: String,
}

/// The end of a reading.
struct Ended;

impl<'t> Reader<'t> {
    fn new(text: &'t str, chosen: Vec<bool>) -> Self {
        Self {
            text,
            at: 0,
            open: Vec::new(),
            elements: 0,
            after: After::Operand,
            new_line: true,
            dot: false,
            head: false,
            chosen,
            met: 0,
            plain: String::with_capacity(text.len()),
        }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Reads as far as possible. Returns true if so many elements are open that the text is too
    /// deep in any case.
    fn read(&mut self) -> bool {
        let start = self.rest().trim_start_matches(BYTE_ORDER_MARK);
        if start.starts_with("#!") {
            self.at = self.text.len() - start.len();
            self.at += start.find(ends_line).unwrap_or(start.len());
        }
        while self.step().is_ok() {
            if self.elements > MAX_MARKUP_DEPTH {
                return true;
            }
        }
        false
    }

    fn step(&mut self) -> Result<(), Ended> {
        match self.open.last() {
            Some(Open::Template) => self.template(),
            Some(Open::Tag) => self.tag(),
            Some(Open::Children) => self.child(),
            _ => self.code(),
        }
    }

    /// Copies this many bytes to the plain code.
    fn keep(&mut self, bytes: usize) {
        let kept = self.rest().get(..bytes).unwrap_or_default();
        self.plain.push_str(kept);
        self.at += bytes;
    }

    /// Reads white space and comments. Returns true if a line ended.
    fn trivia(&mut self) -> Result<bool, Ended> {
        let (bytes, ended) = trivia(self.rest()).ok_or(Ended)?;
        self.at += bytes;
        Ok(ended)
    }

    /// Returns true if an uncertain place is read as markup or a regular expression.
    fn choose(&mut self) -> bool {
        self.met += 1;
        self.chosen.get(self.met - 1).copied().unwrap_or(false)
    }

    /// Sets the kinds of tokens that may follow.
    fn behind(&mut self, after: After) {
        self.after = after;
        (self.new_line, self.dot, self.head) = (false, false, false);
    }

    /// Begins an element, after its `<`.
    fn begins_element(&mut self) {
        self.plain.push('[');
        self.open.push(Open::Tag);
        self.elements += 1;
    }

    fn element_ends(&mut self) {
        self.open.pop();
        self.elements = self.elements.saturating_sub(1);
        self.plain.push(']');
        if matches!(self.open.last(), Some(Open::Tag | Open::Children)) {
            self.plain.push(',');
        }
        self.behind(After::Element);
    }

    fn begins_braces(&mut self) {
        self.at += 1;
        self.plain.push('(');
        self.open.push(Open::Braces);
        self.behind(After::Operand);
    }

    fn tag(&mut self) -> Result<(), Ended> {
        self.trivia()?;
        let first = self.peek().ok_or(Ended)?;
        match first {
            '>' => {
                self.at += 1;
                self.open.pop();
                self.open.push(Open::Children);
            }
            '/' => {
                self.at += 1;
                self.trivia()?;
                self.passes('>')?;
                self.element_ends();
            }
            '{' => self.begins_braces(),
            '=' => {
                self.at += 1;
                self.trivia()?;
                self.value()?;
            }
            '<' => {
                self.keep(1);
                self.open.push(Open::Types(1));
                self.behind(After::Operand);
            }
            _ if in_name(first) => self.at += first.len_utf8(),
            _ => return Err(Ended),
        }
        Ok(())
    }

    /// Reads the value of an attribute.
    fn value(&mut self) -> Result<(), Ended> {
        match self.peek().ok_or(Ended)? {
            quote @ ('"' | '\'') => {
                let inner = self.rest().get(1..).unwrap_or_default();
                self.at += 1 + inner.find(quote).ok_or(Ended)? + 1;
            }
            '{' => self.begins_braces(),
            '<' => {
                self.at += 1;
                self.begins_element();
            }
            _ => return Err(Ended),
        }
        Ok(())
    }

    fn child(&mut self) -> Result<(), Ended> {
        match self.peek().ok_or(Ended)? {
            '{' => self.begins_braces(),
            '<' => {
                self.at += 1;
                self.trivia()?;
                match self.peek().ok_or(Ended)? {
                    '/' => {
                        self.at += 1;
                        self.trivia()?;
                        while let Some(next) = self.peek().filter(|next| in_name(*next)) {
                            self.at += next.len_utf8();
                            self.trivia()?;
                        }
                        self.passes('>')?;
                        self.element_ends();
                    }
                    next if next == '>' || in_word(next) => self.begins_element(),
                    _ => return Err(Ended),
                }
            }
            '}' | '>' => return Err(Ended),
            _ => self.at += self.rest().find(['{', '<', '}', '>']).ok_or(Ended)?,
        }
        Ok(())
    }

    fn passes(&mut self, sign: char) -> Result<(), Ended> {
        if self.peek() != Some(sign) {
            return Err(Ended);
        }
        self.at += sign.len_utf8();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> (String, usize) {
        let mut reader = Reader::new(text, Vec::new());
        reader.read();
        (reader.plain, reader.met)
    }

    #[test]
    fn markup_is_written_as_what_nests_as_deep() {
        for (text, expected) in [
            ("a < b;", "a < b;"),
            ("f(<p>don't (</p>, 1)", "f([], 1)"),
            (
                "x = <a b=\"(\" c={d} {...e}>{f}<g/>{/* ( */}</a>;",
                "x = [(d),(...e),(f),[],( ),];",
            ),
            ("x = <></>;", "x = [];"),
            ("x = <A.B<T<u>> c=<d/>>// (</A.B>;", "x = [<T<u>>[],];"),
            ("return <p>`{`(`}</p> / 2", "return [(`(`),] / 2"),
            ("x = /[/(]/ + '(<p>'", "x = /[/(]/ + '(<p>'"),
            (
                "const f = <T,>(x: T) => <p/>;",
                "const f = <T,>(x: T) => [];",
            ),
            ("if (a++ < b / c) d", "if (a++ < b / c) d"),
            ("`(${ <p>x(</p> })`", "`(${ [] })`"),
        ] {
            assert_eq!(plain(text), (expected.to_owned(), 0), "{text}");
        }
        for uncertain in [
            "type A = <T>(a: T) => b",
            "if (a) <p/>",
            "{}\n/b/",
            "yield <p/>",
        ] {
            assert_eq!(plain(uncertain).1, 1, "{uncertain}");
        }
    }

    #[test]
    fn what_is_written_across_lines_is_read() {
        let page = "export function A({ b }: { b: string }) {\n  const c = b.length < 3 ? <p>it's {b} / c</p> : null;\n\
                    return (\n    <div className=\"d\" onClick={() => { e(b / 2); }}>\n      {b.map((f) => <li key={f}>{`${f}'s`}</li>)}\n\
                    {c && <>don't // (</>}\n    </div>\n  );\n}\n";
        assert!(!nests_too_deep(&page.repeat(500)));
        assert!(nests_too_deep(&format!("{page}{}", "[']',".repeat(200))));
    }
}
