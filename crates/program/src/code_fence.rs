//! Finds the program in a text with code fences and prose.
//!
//! A fence is a candidate if its label names a language that runs here, or if it has no label. The
//! longest candidate is the program. Everything else is removed, except for the line ends. If all
//! fences are labelled with other languages, the text has no program.

use std::ops::Range;

use super::source::{Source, ends_line};

/// Labels of fences that may hold a program.
const LABELS: [&str; 16] = [
    "",
    "js",
    "ts",
    "jsx",
    "tsx",
    "mjs",
    "cjs",
    "mts",
    "cts",
    "nodejs",
    "javascript",
    "typescript",
    "node",
    "ecmascript",
    "es6",
    "codemode",
];

/// The number of characters of a label that an error shows.
const MAX_LABEL_CHARACTERS: usize = 40;
/// Labels of data formats.
const DATA: [&str; 11] = [
    "json", "jsonc", "json5", "jsonl", "ndjson", "yaml", "yml", "toml", "csv", "tsv", "xml",
];

/// The fences of a text.
#[derive(Debug, Default)]
pub struct Fences {
    /// The length of the longest program in bytes, and its lines.
    best: Option<(usize, Range<u32>)>,
    /// The number of fences that may be programs.
    offered: usize,
    /// The first fence of another language.
    foreign: Option<ForeignFence>,
    /// True if only blank lines precede the first fence.
    begins: bool,
}

/// A fence whose label names a language that does not run here.
#[derive(Debug)]
pub struct ForeignFence {
    /// The line of its opening mark.
    pub line: u32,
    /// Its label, as it is written.
    pub label: String,
    /// True for a fence of backquotes, false for one of tildes. If the whole text parses as a
    /// program, tildes may belong to that program anywhere, but backquotes only inside a comment:
    /// elsewhere they are a fence, although they also parse as templates.
    pub is_quoted: bool,
    /// True if only blank lines precede it.
    pub begins: bool,
}

impl ForeignFence {
    /// Returns the error message.
    pub fn message(&self) -> String {
        format!(
            "the code fence is labelled `{}`: a program is JavaScript or TypeScript",
            self.label
        )
    }

    /// Returns a hint that says what to send instead.
    pub fn hint(&self) -> &'static str {
        let label = self.label.to_ascii_lowercase();
        if label.contains("sql") || label.starts_with("postgres") {
            r#"Run SQL from a program: `return await helpers.db.query("SELECT …")`."#
        } else if DATA.contains(&label.as_str()) {
            "Send data as `input`, and as `code` a program that reads `input`."
        } else {
            "Write the program in JavaScript or TypeScript, and label its fence `js` or `ts`."
        }
    }
}

/// Returns the program in the text: the content of the best fence, or the whole text if there is
/// none. Also returns the first fence of another language if no fence holds a program.
pub fn code(source: &Source) -> (String, Option<ForeignFence>) {
    let fences = Fences::read(source);
    let Some((_, lines)) = fences.best else {
        let is_empty = fences.begins && fences.foreign.is_none();
        let text = if is_empty { "" } else { source.text() };
        return (text.to_owned(), fences.foreign);
    };
    let mut text = String::with_capacity(source.text().len());
    for number in 1..=super::source::number(source.lines()) {
        let whole = source.line_with_end(number).unwrap_or("");
        let line = source.line(number).unwrap_or("");
        if lines.contains(&number) {
            text.push_str(line);
        }
        // A lone CR before the LF of a later line end would become one line end.
        let end = whole.get(line.len()..).unwrap_or("");
        text.push_str(if end == "\r" { "\n" } else { end });
    }
    (text, None)
}

/// Describes which of several fences is the program. Returns nothing if there are fewer than two.
pub fn choice(source: &Source) -> Option<String> {
    let Fences { best, offered, .. } = Fences::read(source);
    let (_, lines) = best.filter(|_| offered > 1)?;
    let (first, last) = (lines.start, lines.end.saturating_sub(1));
    let place = if first >= last {
        format!("line {first}")
    } else {
        format!("lines {first} to {last}")
    };
    Some(format!(
        "the text has {offered} code fences with programs: only the longest ran, {place}"
    ))
}

impl Fences {
    fn read(source: &Source) -> Self {
        let count = super::source::number(source.lines());
        let mut fences = Self::default();
        let mut open: Option<(FenceMark<'_>, u32, usize)> = None;
        let mut outside = false;
        for number in 1..=count {
            let line = source.line(number).unwrap_or("");
            match (&mut open, mark(line)) {
                (None, Some(mark)) => {
                    fences.open(&mark, number, !outside);
                    open = Some((mark, number, 0));
                }
                (None, None) => outside |= !line.trim().is_empty(),
                (Some((opened, start, length)), Some(mark)) if mark.closes(opened) => {
                    fences.offer(opened, *start + 1..number, *length);
                    open = None;
                }
                (Some((_, _, length)), _) => *length += line.trim().len(),
            }
        }
        // An unclosed fence extends to the end of the text, but only if it has a label or the text
        // begins with it.
        if let Some((opened, start, length)) = open
            && (!opened.label.is_empty() || !outside)
        {
            fences.offer(&opened, start + 1..count + 1, length);
        }
        fences
    }

    /// Records the start of a fence.
    fn open(&mut self, mark: &FenceMark<'_>, line: u32, begins: bool) {
        self.begins |= begins;
        if !mark.is_program() && self.foreign.is_none() {
            self.foreign = Some(ForeignFence {
                line,
                label: mark.label.chars().take(MAX_LABEL_CHARACTERS).collect(),
                is_quoted: mark.sign == '`',
                begins,
            });
        }
    }

    /// Makes a fence the best one if it is longer than those before.
    fn offer(&mut self, mark: &FenceMark<'_>, lines: Range<u32>, length: usize) {
        if !mark.is_program() || length == 0 {
            return;
        }
        self.offered += 1;
        let best = self.best.as_ref();
        if best.is_none_or(|(longest, _)| length > *longest) {
            self.best = Some((length, lines));
        }
    }
}

/// A line that opens or closes a fence.
struct FenceMark<'t> {
    sign: char,
    length: usize,
    label: &'t str,
}

impl FenceMark<'_> {
    /// Returns true if the label names a language that runs here.
    fn is_program(&self) -> bool {
        LABELS
            .iter()
            .any(|label| label.eq_ignore_ascii_case(self.label))
    }

    fn closes(&self, opened: &FenceMark<'_>) -> bool {
        self.sign == opened.sign && self.length >= opened.length && self.label.is_empty()
    }
}

fn mark(line: &str) -> Option<FenceMark<'_>> {
    let line =
        line.trim_matches(|character: char| character.is_whitespace() || ends_line(character));
    let sign = line
        .chars()
        .next()
        .filter(|sign| matches!(sign, '`' | '~'))?;
    let rest = line.trim_start_matches(sign);
    let length = line.len() - rest.len();
    // Labels may also be written ` ``` js`, ` ```{.js}` or ` ```js:main.js`.
    let label = rest.trim_start_matches(|character: char| {
        character.is_whitespace() || "{.".contains(character)
    });
    let label = label
        .split(|character: char| character.is_whitespace() || "{}:,;".contains(character))
        .next()
        .unwrap_or("");
    (length >= 3 && !rest.contains(sign)).then_some(FenceMark {
        sign,
        length,
        label,
    })
}
