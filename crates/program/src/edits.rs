//! Splices into the text, and the map from positions in the spliced text back to the original.
//!
//! A splice never adds or removes a line end, so line N stays line N and only columns have to be
//! mapped. Splices at the same byte are ordered by their [`Order`], then by the order of their
//! creation. So closing texts precede opening texts, and inner ones precede outer ones.

use super::source::{Source, ends_line, number, width};

/// The order of splices at the same byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Order {
    /// Closes a bracket that was inserted because types or parameters were removed.
    CloseInner,
    /// Closes a guarded loop or expression.
    CloseGuard,
    /// Closes the returned expression.
    CloseResult,
    /// Ends a statement that a removed type had separated from the next one.
    EndStatement,
    /// The first statements of a function.
    Head,
    /// Opens the returned expression.
    OpenResult,
    /// Opens a guarded loop or expression.
    OpenGuard,
    /// Replaces text.
    Replace,
}

/// One splice: replaces the bytes `start..end` with `text`, and keeps the line ends in them.
#[derive(Debug)]
struct Splice {
    start: u32,
    end: u32,
    order: Order,
    text: String,
    /// True if each column of the text corresponds to one column of the replaced bytes.
    in_step: bool,
}

/// A handle of a splice that [`Edits::insert`] created.
#[derive(Debug, Clone, Copy)]
pub struct SpliceId(usize);

/// The splices of one program.
#[derive(Debug, Default)]
pub struct Edits {
    splices: Vec<Splice>,
}

/// The origin of a stretch of output.
#[derive(Debug, Clone, Copy)]
struct Anchor {
    line: u32,
    output: u32,
    input: u32,
    /// True if the stretch was inserted: all of it maps to one column of the input.
    inserted: bool,
}

/// The map from columns of the output to columns of the input, line by line. Both are in UTF-16
/// units from 0.
#[derive(Debug, Clone, Default)]
pub struct Map {
    anchors: Vec<Anchor>,
}

impl Edits {
    /// Inserts `text`, which contains no line end, before the byte `at`.
    pub fn insert(&mut self, at: u32, order: Order, text: impl Into<String>) -> SpliceId {
        self.splices.push(Splice {
            start: at,
            end: at,
            order,
            text: text.into(),
            in_step: false,
        });
        SpliceId(self.splices.len() - 1)
    }

    /// Changes the text of the splice `id`.
    pub fn amend(&mut self, id: SpliceId, text: impl Into<String>) {
        if let Some(splice) = self.splices.get_mut(id.0) {
            splice.text = text.into();
        }
    }

    /// Replaces the bytes `start..end` with `text`.
    pub fn replace(&mut self, start: u32, end: u32, text: impl Into<String>) {
        self.splices.push(Splice {
            start,
            end: end.max(start),
            order: Order::Replace,
            text: text.into(),
            in_step: false,
        });
    }

    /// Replaces the bytes `start..end` of `source` with spaces, the first of them with `first`.
    pub fn blank(&mut self, source: &str, start: u32, end: u32, first: &str) {
        let span = slice(source, start, end);
        let mut text = String::with_capacity(span.len());
        text.push_str(first);
        let mut skip = width(first);
        for character in span.chars() {
            if ends_line(character) {
                text.push(character);
                continue;
            }
            for _ in 0..character.len_utf16() {
                if skip > 0 {
                    skip -= 1;
                } else {
                    text.push(' ');
                }
            }
        }
        self.replace(start, end, text);
        if let Some(splice) = self.splices.last_mut() {
            splice.in_step = true;
        }
    }

    /// Returns the text with all splices applied, between `prefix` and `suffix`.
    pub fn render(mut self, source: &Source, prefix: &str, suffix: &str) -> (String, Map) {
        self.splices
            .sort_by_key(|splice| (splice.start, splice.order));
        let text = source.text();
        let mut writer = Writer::new(text.len() + prefix.len() + suffix.len());
        writer.raw(prefix);
        let mut at = 0;
        for splice in &self.splices {
            if splice.start < at {
                continue;
            }
            writer.copy(slice(text, at, splice.start));
            writer.splice(splice, slice(text, splice.start, splice.end));
            at = splice.end;
        }
        writer.copy(slice(text, at, number(text.len())));
        writer.raw(suffix);
        (
            writer.text,
            Map {
                anchors: writer.anchors,
            },
        )
    }
}

impl Map {
    /// Returns four numbers for each stretch of the output, in order: its line, its column in the
    /// output, its column in the input, and 1 if it was inserted, else 0.
    pub fn stretches(&self) -> Vec<u32> {
        self.anchors
            .iter()
            .flat_map(|anchor| {
                [
                    anchor.line,
                    anchor.output,
                    anchor.input,
                    u32::from(anchor.inserted),
                ]
            })
            .collect()
    }

    /// Maps a column of the output to a column of the input. Returns nothing inside the prefix.
    pub fn input(&self, line: u32, output: u32) -> Option<u32> {
        let after = self
            .anchors
            .partition_point(|anchor| (anchor.line, anchor.output) <= (line, output));
        let anchor = after
            .checked_sub(1)
            .and_then(|index| self.anchors.get(index))
            .filter(|anchor| anchor.line == line);
        match anchor {
            Some(anchor) if anchor.inserted => Some(anchor.input),
            Some(anchor) => Some(anchor.input + (output - anchor.output)),
            None if line == 1 => None,
            None => Some(output),
        }
    }
}

/// A writer that tracks the columns of both sides, so that each byte is read once.
struct Writer {
    text: String,
    anchors: Vec<Anchor>,
    line: u32,
    output: u32,
    input: u32,
}

impl Writer {
    fn new(capacity: usize) -> Self {
        Self {
            text: String::with_capacity(capacity),
            anchors: Vec::new(),
            line: 1,
            output: 0,
            input: 0,
        }
    }

    fn raw(&mut self, text: &str) {
        let (ends, column) = measure(text);
        self.line += ends;
        self.output = if ends > 0 {
            column
        } else {
            self.output + column
        };
        self.text.push_str(text);
    }

    fn passed(&mut self, text: &str) {
        let (ends, column) = measure(text);
        self.input = if ends > 0 {
            column
        } else {
            self.input + column
        };
    }

    fn anchor(&mut self, inserted: bool) {
        self.anchors.push(Anchor {
            line: self.line,
            output: self.output,
            input: self.input,
            inserted,
        });
    }

    fn copy(&mut self, text: &str) {
        self.anchor(false);
        self.raw(text);
        self.passed(text);
    }

    fn splice(&mut self, splice: &Splice, was: &str) {
        self.anchor(!splice.in_step);
        self.raw(&splice.text);
        if !splice.in_step {
            let (ends, _) = measure(was);
            let ends = "\n".repeat(ends as usize);
            self.raw(&ends);
        }
        self.passed(was);
    }
}

/// Returns the number of line ends in a text, and the width of its last line.
fn measure(text: &str) -> (u32, u32) {
    let (mut ends, mut column, mut previous) = (0, 0, '\0');
    for character in text.chars() {
        if !ends_line(character) {
            column += number(character.len_utf16());
        } else {
            column = 0;
            ends += u32::from(!(previous == '\r' && character == '\n'));
        }
        previous = character;
    }
    (ends, column)
}

fn slice(text: &str, start: u32, end: u32) -> &str {
    text.get(start as usize..end as usize).unwrap_or("")
}
