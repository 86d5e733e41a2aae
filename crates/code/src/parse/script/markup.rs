//! Whether a text with markup nests too deep.
//!
//! Text between tags may look like quotes, comments and brackets, which hide what follows from a scanner of plain code. So the markup is found with a
//! stack, and written as what nests as deep in plain code: an element as an array, what stands in its braces in parentheses. Where a `<` or a `/` may
//! be read in two ways both are tried. A reading ends where the parser gives up as well.

use crate::limits::MAX_MARKUP_DEPTH;

/// Bytes that all readings of a text have together: each of them is scanned twice.
const MAX_READ_BYTES: usize = 4 * 1_048_576;

/// Words that an operand stands behind.
const BEFORE_OPERAND: [&str; 12] = [
    "return",
    "throw",
    "case",
    "else",
    "do",
    "default",
    "in",
    "instanceof",
    "typeof",
    "delete",
    "new",
    "extends",
];

/// Words that are names, or types, or stand before an operand.
const EITHER: [&str; 4] = ["yield", "await", "of", "void"];

/// Words whose parentheses may be those of a statement, as in `for await (…)`.
const HEADS: [&str; 5] = ["if", "while", "for", "with", "await"];

/// Whether some reading of the text may make a tree higher than the parser's stack takes.
pub(super) fn nests_too_deep(text: &str) -> bool {
    let most = (MAX_READ_BYTES / text.len().max(1)).max(1);
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

/// What may stand behind a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    /// An operand: markup, a regular expression.
    Operand,
    /// An operator: a comparison, a division.
    Operator,
    Either,
    /// Behind an element; a `<` there is an error.
    Element,
}

/// What is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    /// A bracket of code, and what may stand behind it.
    Code(char, After),
    /// The braces of markup.
    Braces,
    Template,
    /// From the `<` of an element to its `>`.
    Tag,
    /// The type arguments of a tag, with so many angles open.
    Types(usize),
    /// Between tags.
    Children,
}

/// The shape of what stands behind a `<`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Markup,
    /// Parameters of a type or a comparison.
    Plain,
    Either,
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    open: Vec<Open>,
    /// Elements among them.
    elements: usize,
    after: After,
    /// A line ended behind the last token.
    new_line: bool,
    /// The last token was a `.`, behind which a word is a property.
    dot: bool,
    /// The last token may be a word whose parentheses are those of a statement.
    head: bool,
    /// The readings asked for, true for markup and regular expressions, and how many were met.
    chosen: Vec<bool>,
    met: usize,
    plain: String,
}

/// The reading is at its end.
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

    /// Reads as far as it goes; whether so many elements are open that nothing else counts.
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

    /// Passes so many bytes, which plain code has as well.
    fn keep(&mut self, bytes: usize) {
        let kept = self.rest().get(..bytes).unwrap_or_default();
        self.plain.push_str(kept);
        self.at += bytes;
    }

    /// White space and comments; whether a line ended.
    fn trivia(&mut self) -> Result<bool, Ended> {
        let (bytes, ended) = trivia(self.rest()).ok_or(Ended)?;
        self.at += bytes;
        Ok(ended)
    }

    /// Whether markup or a regular expression begins where that is not certain.
    fn choose(&mut self) -> bool {
        self.met += 1;
        self.chosen.get(self.met - 1).copied().unwrap_or(false)
    }

    /// What stands behind a token.
    fn behind(&mut self, after: After) {
        self.after = after;
        (self.new_line, self.dot, self.head) = (false, false, false);
    }

    fn code(&mut self) -> Result<(), Ended> {
        let start = self.at;
        let ended = self.trivia()?;
        if self.at > start {
            self.plain.push(if ended { '\n' } else { ' ' });
            self.new_line |= ended;
        }
        let first = self.peek().ok_or(Ended)?;
        match first {
            '"' | '\'' => self.string(first),
            '`' => {
                self.keep(1);
                self.open.push(Open::Template);
                Ok(())
            }
            '(' | '[' | '{' => {
                let behind = match first {
                    '(' if self.head => After::Either,
                    '{' => After::Either,
                    _ => After::Operator,
                };
                self.open.push(Open::Code(first, behind));
                self.keep(1);
                self.behind(After::Operand);
                Ok(())
            }
            ')' | ']' | '}' => self.closes(first),
            '<' => self.angle(),
            '/' if self.begins_pattern() => self.pattern(),
            _ if begins_number(self.rest()) => {
                self.number();
                Ok(())
            }
            _ if in_word(first) || first == '#' => {
                self.word(first);
                Ok(())
            }
            _ => {
                self.sign(first);
                Ok(())
            }
        }
    }

    fn string(&mut self, quote: char) -> Result<(), Ended> {
        let rest = self.rest();
        let mut escaped = false;
        for (at, character) in rest.char_indices().skip(1) {
            match character {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                // The backslash before stands for both of `\r\n`.
                '\n' if rest.get(..=at).is_some_and(|text| text.ends_with("\\\r\n")) => {}
                '\n' | '\r' => return Err(Ended),
                _ if character == quote => {
                    self.keep(at + 1);
                    self.behind(After::Operator);
                    return Ok(());
                }
                _ => {}
            }
        }
        Err(Ended)
    }

    /// The text of a template, to its end or to what it has in braces.
    fn template(&mut self) -> Result<(), Ended> {
        let rest = self.rest();
        let mut escaped = false;
        for (at, character) in rest.char_indices() {
            match character {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '`' => {
                    self.keep(at + 1);
                    self.open.pop();
                    self.behind(After::Operator);
                    return Ok(());
                }
                '$' if rest.get(at + 1..).is_some_and(|rest| rest.starts_with('{')) => {
                    self.keep(at + 2);
                    self.open.push(Open::Code('{', After::Operator));
                    self.behind(After::Operand);
                    return Ok(());
                }
                _ => {}
            }
        }
        Err(Ended)
    }

    fn closes(&mut self, bracket: char) -> Result<(), Ended> {
        let after = match (self.open.pop(), bracket) {
            (Some(Open::Code('(', after)), ')')
            | (Some(Open::Code('[', after)), ']')
            | (Some(Open::Code('{', after)), '}') => after,
            (Some(Open::Braces), '}') => {
                self.plain.push_str("),");
                self.at += 1;
                return Ok(());
            }
            _ => return Err(Ended),
        };
        self.keep(1);
        self.behind(after);
        Ok(())
    }

    fn word(&mut self, first: char) {
        let property = first == '#' || self.dot;
        let rest = self.rest();
        let mut length = first.len_utf8();
        while let Some(next) = rest.get(length..).and_then(|rest| rest.chars().next()) {
            if next == '{' && rest.get(..length).is_some_and(|word| word.ends_with("\\u")) {
                let escape = rest.get(length..).and_then(|rest| rest.find('}'));
                length = escape.map_or(rest.len(), |end| length + end + 1);
            } else if in_word(next) {
                length += next.len_utf8();
            } else {
                break;
            }
        }
        let word = rest.get(..length).unwrap_or_default();
        // What is spelled so may be a keyword, or no word at all.
        let strange = word.contains('\\')
            || word
                .chars()
                .any(|character| !character.is_ascii() && !character.is_alphanumeric());
        self.keep(length);
        self.behind(match word {
            _ if strange => After::Either,
            _ if property => After::Operator,
            _ if EITHER.contains(&word) => After::Either,
            _ if BEFORE_OPERAND.contains(&word) => After::Operand,
            _ => After::Operator,
        });
        self.head = strange || (!property && HEADS.contains(&word));
    }

    fn number(&mut self) {
        let rest = self.rest();
        let whole = rest.find(|next| !in_word(next)).unwrap_or(rest.len());
        let mut length = whole;
        if let Some(part) = rest.get(whole..).and_then(|rest| rest.strip_prefix('.')) {
            length += 1 + part.find(|next| !in_word(next)).unwrap_or(part.len());
        }
        self.keep(length);
        self.behind(After::Operator);
    }

    fn begins_pattern(&mut self) -> bool {
        match self.after {
            After::Operand => true,
            After::Operator if !self.new_line => false,
            After::Element => false,
            _ => self.choose(),
        }
    }

    fn pattern(&mut self) -> Result<(), Ended> {
        let rest = self.rest();
        let (mut class, mut escaped) = (false, false);
        for (at, character) in rest.char_indices().skip(1) {
            match character {
                _ if ends_line(character) => return Err(Ended),
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '[' => class = true,
                ']' => class = false,
                '/' if !class => {
                    let flags = rest.get(at + 1..).unwrap_or_default();
                    let flags = flags.find(|next| !in_word(next)).unwrap_or(flags.len());
                    self.keep(at + 1 + flags);
                    self.behind(After::Operator);
                    return Ok(());
                }
                _ => {}
            }
        }
        Err(Ended)
    }

    fn sign(&mut self, first: char) {
        let rest = self.rest();
        let optional = rest.starts_with("?.")
            && !rest.get(2..).is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_digit()));
        let length = match first {
            '.' if rest.starts_with("...") => 3,
            '?' if optional => 2,
            '=' if rest.starts_with("=>") => 2,
            '+' if rest.starts_with("++") => 2,
            '-' if rest.starts_with("--") => 2,
            _ => first.len_utf8(),
        };
        let sign = rest.get(..length).unwrap_or_default();
        self.keep(length);
        let after = match sign {
            // Behind an operand on the same line these belong to it, else to what follows.
            "++" | "--" | "!" => match self.after {
                After::Operator | After::Element if self.new_line => After::Operand,
                before => before,
            },
            ">" => match self.open.last_mut() {
                Some(Open::Types(angles)) => {
                    *angles -= 1;
                    if *angles == 0 {
                        self.open.pop();
                    }
                    After::Either
                }
                _ => After::Either,
            },
            "." | "?." => After::Operator,
            _ => After::Operand,
        };
        self.behind(after);
        self.dot = matches!(sign, "." | "?.");
    }

    fn angle(&mut self) -> Result<(), Ended> {
        if let Some(Open::Types(angles)) = self.open.last_mut() {
            *angles += 1;
            self.keep(1);
            self.behind(After::Operand);
            return Ok(());
        }
        let behind = self.rest().get(1..).unwrap_or_default();
        let shape = if behind.starts_with(['<', '=']) {
            Shape::Plain
        } else {
            shape(behind)
        };
        let markup = match (self.after, shape) {
            // The parser gives up on elements beside each other.
            (After::Element, _) => return Err(Ended),
            (After::Operator, _) if !self.new_line => false,
            (_, Shape::Plain) => false,
            (After::Operand, Shape::Markup) => true,
            _ => self.choose(),
        };
        if markup {
            self.at += 1;
            self.begins_element();
        } else {
            self.keep(if behind.starts_with('<') { 2 } else { 1 });
            self.behind(After::Operand);
        }
        Ok(())
    }

    /// Behind its `<`.
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

    /// The value of an attribute.
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

/// The white space and comments at the start of a text, in bytes, and whether a line ends in them; nothing where a comment does not end.
fn trivia(text: &str) -> Option<(usize, bool)> {
    let (mut at, mut ended) = (0, false);
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let first = rest.chars().next();
        if rest.starts_with("//") {
            at += rest.find(ends_line).unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            let inner = rest.get(2..).unwrap_or_default();
            let comment = inner.get(..inner.find("*/")?).unwrap_or_default();
            ended |= comment.contains(ends_line);
            at += "/*".len() + comment.len() + "*/".len();
        } else if let Some(blank) = first.filter(|first| is_blank(*first)) {
            ended |= ends_line(blank);
            at += blank.len_utf8();
        } else {
            return Some((at, ended));
        }
    }
}

/// The text behind the white space and comments at its start.
fn behind_trivia(text: &str) -> &str {
    let bytes = trivia(text).map_or(text.len(), |(bytes, _)| bytes);
    text.get(bytes..).unwrap_or_default()
}

fn shape(behind: &str) -> Shape {
    let behind = behind_trivia(behind);
    let length = behind
        .find(|next| !in_name(next))
        .unwrap_or(behind.len());
    let (name, rest) = behind.split_at_checked(length).unwrap_or_default();
    let rest = behind_trivia(rest);
    match rest.chars().next() {
        // What closes in this way may be a parameter of a function's type as well.
        Some('>') => {
            let inner = rest.get(1..).unwrap_or_default();
            if behind_trivia(inner).starts_with('(') {
                Shape::Either
            } else {
                Shape::Markup
            }
        }
        _ if name.is_empty() => Shape::Plain,
        Some(',' | '=') => Shape::Plain,
        _ if ["const", "in", "out"].contains(&name) || rest.starts_with("extends") => Shape::Either,
        _ => Shape::Markup,
    }
}

const BYTE_ORDER_MARK: char = '\u{feff}';

fn ends_line(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

fn is_blank(character: char) -> bool {
    character.is_whitespace() || character == BYTE_ORDER_MARK
}

/// What is no ASCII counts: whether it is a letter shows in [`Reader::word`].
fn in_word(character: char) -> bool {
    character.is_ascii_alphanumeric()
        || matches!(character, '_' | '$' | '\\')
        || !(character.is_ascii() || is_blank(character))
}

/// In the name of an element or an attribute.
fn in_name(character: char) -> bool {
    in_word(character) || matches!(character, '-' | ':' | '.')
}

fn begins_number(text: &str) -> bool {
    let digits = text.strip_prefix('.').unwrap_or(text);
    digits.starts_with(|first: char| first.is_ascii_digit())
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
            ("x = <a b=\"(\" c={d} {...e}>{f}<g/>{/* ( */}</a>;", "x = [(d),(...e),(f),[],( ),];"),
            ("x = <></>;", "x = [];"),
            ("x = <A.B<T<u>> c=<d/>>// (</A.B>;", "x = [<T<u>>[],];"),
            ("return <p>`{`(`}</p> / 2", "return [(`(`),] / 2"),
            ("x = /[/(]/ + '(<p>'", "x = /[/(]/ + '(<p>'"),
            ("const f = <T,>(x: T) => <p/>;", "const f = <T,>(x: T) => [];"),
            ("if (a++ < b / c) d", "if (a++ < b / c) d"),
            ("`(${ <p>(</p> })`", "`(${ [] })`"),
        ] {
            assert_eq!(plain(text), (expected.to_owned(), 0), "{text}");
        }
        for uncertain in ["type A = <T>(a: T) => b", "if (a) <p/>", "{}\n/b/", "yield <p/>"] {
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
