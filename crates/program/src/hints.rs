//! Hints for syntax errors: the usual mistakes of models.
//!
//! The parser reports where it had to stop. The text around that place is examined here to find out
//! what the author intended.

use super::enclosing::around;
use super::parser::Failure;
use super::scan::{Kind, OpenBracket, Scanner, Slashes, Token};
use super::source::Source;

/// Returns the parser's message in lower case and without its full stop.
pub fn message(failure: &Failure) -> String {
    let first = failure.message.trim_end_matches('.');
    let mut characters = first.chars();
    match characters.next() {
        Some(letter)
            if letter.is_uppercase()
                && characters.clone().next().is_none_or(char::is_lowercase) =>
        {
            letter.to_lowercase().chain(characters).collect()
        }
        _ => first.to_owned(),
    }
}

/// Returns a hint, if the text around the error shows what the author intended.
pub fn hint(text: &str, failure: &Failure) -> Option<String> {
    let source = Source::new(text);
    let place = ErrorContext::find(text, &source, failure);
    whole_text(text, &place)
        .or_else(|| line(&place))
        .or_else(|| of_await(text, &source, failure))
        .or_else(|| unclosed(&source, &place))
        .or_else(|| separator(failure))
        .or_else(|| declared(&source, failure))
}

/// The text around an error.
struct ErrorContext<'t> {
    line: &'t str,
    /// The last line above the error that is not blank.
    line_before: &'t str,
    before: &'t str,
    rest: &'t str,
    at_end: bool,
    tokens: Tokens,
}

/// The result of scanning the whole text.
struct Tokens {
    open: Vec<OpenBracket>,
    unclosed_text: Option<usize>,
    unclosed_template: Option<usize>,
    open_comment: Option<usize>,
    mismatch: Option<(usize, Option<OpenBracket>)>,
    /// The first bracket whose matching closing bracket is on a line with less indent. The closing
    /// bracket was probably intended for an outer one.
    outdented: Option<OpenBracket>,
}

impl<'t> ErrorContext<'t> {
    fn find(text: &'t str, source: &Source, failure: &Failure) -> Self {
        let (number, start) = source.line_of(failure.at);
        let end = start + source.line(number).map_or(0, str::len);
        Self {
            line_before: text
                .get(..start)
                .and_then(|above| above.lines().rfind(|line| !line.trim().is_empty()))
                .unwrap_or(""),
            line: text.get(start..end).unwrap_or(""),
            before: text.get(start..failure.at).unwrap_or(""),
            rest: text
                .get(failure.at..)
                .unwrap_or("")
                .trim_start_matches([' ', '\t']),
            at_end: text
                .get(failure.at..)
                .is_none_or(|rest| rest.trim().is_empty()),
            tokens: Tokens::scan(text),
        }
    }

    fn next_word(&self) -> &'t str {
        let length = self
            .rest
            .find(|character: char| !character.is_alphanumeric() && character != '_');
        self.rest
            .get(..length.unwrap_or(self.rest.len()))
            .unwrap_or("")
    }
}

impl Tokens {
    fn scan(text: &str) -> Self {
        let mut scanner = Scanner::new(text, Slashes::default());
        let mut found = Self {
            open: Vec::new(),
            unclosed_text: None,
            unclosed_template: None,
            open_comment: None,
            mismatch: None,
            outdented: None,
        };
        loop {
            let innermost = scanner.open.last().copied();
            let Some(Token {
                kind,
                start,
                new_line,
                ..
            }) = scanner.next()
            else {
                break;
            };
            match kind {
                Kind::Text { closed: false } if found.unclosed_text.is_none() => {
                    found.unclosed_text = Some(start)
                }
                Kind::Template { closed: false } => found.unclosed_template = Some(start),
                Kind::OpenComment => found.open_comment = Some(start),
                Kind::Close { matched: true, .. } if new_line && found.outdented.is_none() => {
                    found.outdented =
                        innermost.filter(|opened| indent(text, start) < indent(text, opened.start));
                }
                Kind::Close { matched: false, .. } if found.mismatch.is_none() => {
                    found.mismatch = Some((start, scanner.open.last().copied()));
                }
                Kind::Word { .. }
                | Kind::Number
                | Kind::Text { .. }
                | Kind::Template { .. }
                | Kind::Pattern
                | Kind::Open(_)
                | Kind::OpenSubstitution
                | Kind::Close { .. }
                | Kind::Sign
                | Kind::Stray => {}
            }
        }
        found.open = scanner.open;
        found
    }
}

/// Returns the width of the white space at the beginning of the line that contains a byte.
fn indent(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or("");
    let line = text
        .get(before.rfind('\n').map_or(0, |end| end + 1)..)
        .unwrap_or("");
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// Recognises texts that are not programs.
fn whole_text(text: &str, place: &ErrorContext<'_>) -> Option<String> {
    let trimmed = text.trim();
    if serde_json::from_str::<serde::de::IgnoredAny>(trimmed).is_ok() {
        return Some("This is JSON, not a program. Send data as `input`, and a program that uses it as `code`.".to_owned());
    }
    if ["=&gt;", "&lt;", "&amp;&amp;", "&quot;", "&#39;"]
        .iter()
        .any(|entity| place.line.contains(entity))
    {
        return Some(
            "The code is HTML-escaped. Send `=>`, `<`, `>`, `&` and quotes as they are.".to_owned(),
        );
    }
    if ["<<<<<<<", ">>>>>>>", "======="]
        .iter()
        .any(|mark| place.line.starts_with(mark))
    {
        return Some("This is a merge conflict marker. Send the finished program.".to_owned());
    }
    let diff =
        |line: &&str| line.starts_with("+ ") || line.starts_with("- ") || line.starts_with("@@ ");
    if place.line.starts_with("@@ ")
        || (diff(&place.line) && text.lines().filter(diff).count() > 1)
        || trimmed.starts_with("diff --git")
    {
        return Some(
            "This is a diff. Send the whole program without the `+` and `-` in front of its lines."
                .to_owned(),
        );
    }
    if place.line.trim_start().starts_with("```") {
        return Some(
            "The marks that open and close a code fence must each be on a line of their own."
                .to_owned(),
        );
    }
    let opening = trimmed.get(..9).unwrap_or(trimmed).to_ascii_lowercase();
    if opening.starts_with("select ")
        || opening.starts_with("insert ")
        || opening.starts_with("with ") && trimmed.contains(" AS (")
    {
        return Some("This is SQL. Run it with `return await helpers.db.query(\"…\")`.".to_owned());
    }
    None
}

/// Recognises mistakes that show in the line of the error.
fn line(place: &ErrorContext<'_>) -> Option<String> {
    let line = place.line.trim();
    let python = "This looks like Python. Programs are JavaScript or TypeScript";
    if (line.starts_with("def ") || line.starts_with("async def ")) && line.ends_with(':') {
        return Some(format!("{python}: write `async function name(…) {{ … }}`."));
    }
    if line.starts_with("elif ") {
        return Some(format!("{python}: write `else if (…) {{ … }}`."));
    }
    let block = [
        "if ", "for ", "while ", "with ", "class ", "else:", "try:", "except",
    ];
    if line.ends_with(':') && block.iter().any(|word| line.starts_with(word)) {
        return Some(format!("{python}: blocks are written `if (…) {{ … }}`."));
    }
    // The parser reports the next line, because `from "…"` may follow `import json` there.
    if python_import(line) || place.before.trim().is_empty() && python_import(place.line_before) {
        return Some(format!(
            "{python}, and nothing is imported: `helpers` and `input` are globals."
        ));
    }
    if line.starts_with("print ") || line.starts_with("print(f") {
        return Some(format!("{python}: write `console.log(…)`."));
    }
    let before = place.before.trim_end();
    if ["f\"", "f'"].iter().any(|sign| line.contains(sign))
        && (place.rest.starts_with(['"', '\'']) || before.ends_with('f'))
    {
        return Some(format!(
            "{python}: write `text ${{value}}` between backticks."
        ));
    }
    if ["and", "or", "not", "is", "None", "True", "False"].contains(&place.next_word()) {
        return Some(
            "Programs are JavaScript: write `&&`, `||`, `!`, `===`, `null`, `true` and `false`."
                .to_owned(),
        );
    }
    if before.ends_with('#') || place.rest.starts_with('#') {
        return Some("Comments are written `// …` or `/* … */`.".to_owned());
    }
    if place.rest.starts_with('…')
        || before.ends_with("...")
        || place.rest.starts_with("...") && !spreads(place.rest)
    {
        return Some("`...` stands for code that is left out. Send the whole program.".to_owned());
    }
    if before.ends_with('=') && place.rest.starts_with('>') || line.contains("= >") {
        return Some("Write `=>` without a space in it.".to_owned());
    }
    if place.next_word() == "else" {
        return Some(
            "This `else` belongs to no `if`: a bracket or a semicolon before it ended the `if`."
                .to_owned(),
        );
    }
    if markup(place) {
        return Some(
            "JSX and HTML are not supported. Return data, or build markup as a string.".to_owned(),
        );
    }
    if prose(line) {
        return Some("This looks like prose. Send only the program, or put it between lines of three backticks.".to_owned());
    }
    None
}

fn python_import(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("import ") && !line.contains(" from ") && !line.contains(['"', '\'', '{', '*'])
        || line.starts_with("from ") && line.contains(" import ")
}

fn spreads(rest: &str) -> bool {
    let behind = rest.trim_start_matches('.').chars().next();
    behind.is_some_and(|character| {
        character.is_alphabetic() || matches!(character, '_' | '$' | '(' | '[' | '{')
    })
}

fn markup(place: &ErrorContext<'_>) -> bool {
    let from = place
        .before
        .rfind('<')
        .and_then(|at| place.before.get(at + 1..));
    let tag = |text: &str| {
        text.trim_start_matches('/')
            .starts_with(|character: char| character.is_ascii_alphabetic())
    };
    (place.rest.starts_with('<') && place.rest.get(1..).is_some_and(tag) || from.is_some_and(tag))
        && (place.line.contains("</") || place.line.contains("/>"))
}

/// Returns true for several plain words in a row without the signs of code.
fn prose(line: &str) -> bool {
    let words = line.split_whitespace().filter(|word| {
        word.chars()
            .all(|letter| letter.is_alphabetic() || ",.:'’!-".contains(letter))
    });
    let code = line.contains(['(', '{', '=', ';', '[', '`', '<']);
    !code && words.count() >= 4
        || line.starts_with("Here is ")
        || line.starts_with("Here's ")
        || line.starts_with("Sure")
}

/// Returns a hint for a misplaced `await`: it names the function that must be async.
fn of_await(text: &str, source: &Source, failure: &Failure) -> Option<String> {
    let awaits = failure.message.contains("`await` is only allowed")
        || failure.message.contains("`for await` loops")
        || text
            .get(..failure.at)
            .is_some_and(|before| before.trim_end().ends_with("await"));
    if !awaits {
        return None;
    }
    if in_enum(text, failure.at) {
        return Some(
            "The members of an enum cannot await. Await the value before the enum, or use a plain object instead of the enum."
                .to_owned(),
        );
    }
    let function = around(text, failure.at)?;
    let (line, _) = source.line_of(function);
    Some(format!(
        "`await` needs an async function: put `async` before the function on line {line}."
    ))
}

/// Returns true if the byte is within the braces of an enum.
fn in_enum(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or("");
    let mut scanner = Scanner::new(before, Slashes::default());
    while scanner.next().is_some() {}
    let braces = scanner
        .open
        .iter()
        .rev()
        .find(|opened| opened.bracket == b'{');
    let head = braces.and_then(|opened| before.get(..opened.start));
    let mut words = head.unwrap_or("").split_whitespace().rev();
    let _name = words.next();
    words.next() == Some("enum")
}

/// Returns a hint for a bracket, string, template or comment that is not closed: it names the line
/// where it was opened.
fn unclosed(source: &Source, place: &ErrorContext<'_>) -> Option<String> {
    let line_of = |at: usize| source.line_of(at).0;
    if let Some(at) = place.tokens.unclosed_text {
        return Some(format!(
            "The string that begins on line {} does not end on it. Close the quote, or use backticks for text of several lines.",
            line_of(at)
        ));
    }
    if let Some(at) = place.tokens.open_comment {
        return Some(format!(
            "The comment that begins on line {} is not closed: add `*/`.",
            line_of(at)
        ));
    }
    if let Some(at) = place.tokens.unclosed_template {
        return Some(format!(
            "The template that begins on line {} is not closed: add a backtick.",
            line_of(at)
        ));
    }
    let (sign, opened) = match (place.tokens.mismatch, place.tokens.open.last()) {
        (Some((_, Some(opened))), _) => (closing(opened.bracket), opened),
        (Some((at, None)), _) => {
            return Some(format!(
                "The bracket on line {} closes nothing: delete it, or open it before.",
                line_of(at)
            ));
        }
        (None, Some(opened)) if place.at_end || !place.tokens.open.is_empty() => {
            let opened = place.tokens.outdented.unwrap_or(*opened);
            (closing(opened.bracket), opened)
        }
        _ => return None,
    };
    let open = if opened.bracket == b'$' {
        "${".to_owned()
    } else {
        char::from(opened.bracket).to_string()
    };
    Some(format!(
        "The `{open}` on line {} is not closed: add `{sign}`.",
        line_of(opened.start)
    ))
}

const fn closing(bracket: u8) -> char {
    match bracket {
        b'(' => ')',
        b'[' => ']',
        _ => '}',
    }
}

fn separator(failure: &Failure) -> Option<String> {
    if failure.message.contains("Unterminated regular expression") {
        return Some("A regular expression must end with `/` on the same line; write a slash inside it as `\\/`.".to_owned());
    }
    let wants = |sign: &str| failure.message.contains(&format!("`{sign}`"));
    if failure.message.contains("Expected `,` or `}`")
        || failure.message.contains("Expected `,` or `]`")
    {
        return Some("A comma is missing before this, or a quote was closed too early.".to_owned());
    }
    if failure.message.contains("Expected `,` or `)`") {
        return Some(
            "A comma or a closing bracket is missing before this, or a quote was closed too early."
                .to_owned(),
        );
    }
    if failure.message.contains("Expected a semicolon") {
        return Some("Two statements on a line need a semicolon between them; in text, a quote may be missing.".to_owned());
    }
    (wants("=>") || failure.message.contains("Invalid assignment in object"))
        .then(|| "In an object write `name: value`.".to_owned())
}

fn declared(source: &Source, failure: &Failure) -> Option<String> {
    let (first, _) = failure.labels.first()?;
    failure
        .message
        .contains("has already been declared")
        .then(|| {
            format!(
                "It was declared on line {}. Use another name, or assign without `const` or `let`.",
                source.line_of(*first).0
            )
        })
}
