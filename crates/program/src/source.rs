//! The text that was sent: its lines, with columns in characters and in UTF-16 units.
//!
//! Lines end where V8 ends them (LF, CR, CR LF, U+2028, U+2029), because V8's positions have to be
//! found in the text. Lines and columns are counted from one.

/// A position in the text that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

/// The number of characters of a source line that a pointer shows: a whole program may be on one
/// line.
pub const MAX_POINTER_CHARACTERS: usize = 100;

/// A text and the bytes at which its lines begin.
#[derive(Debug, Clone)]
pub struct Source {
    text: String,
    starts: Vec<usize>,
}

impl Source {
    /// Finds the lines of `text`.
    pub fn new(text: &str) -> Self {
        let mut starts = vec![0];
        let mut characters = text.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            if !ends_line(character) {
                continue;
            }
            let pair =
                character == '\r' && characters.peek().is_some_and(|(_, next)| *next == '\n');
            if !pair {
                starts.push(at + character.len_utf8());
            }
        }
        Self {
            text: text.to_owned(),
            starts,
        }
    }

    /// Returns the whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the number of lines.
    pub fn lines(&self) -> usize {
        self.starts.len()
    }

    /// Returns the text of a line, without its line end.
    pub fn line(&self, line: u32) -> Option<&str> {
        Some(self.line_with_end(line)?.trim_end_matches(ends_line))
    }

    /// Returns the text of a line with its line end.
    pub fn line_with_end(&self, line: u32) -> Option<&str> {
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        let start = *self.starts.get(index)?;
        let end = self
            .starts
            .get(index + 1)
            .copied()
            .unwrap_or(self.text.len());
        self.text.get(start..end)
    }

    /// Returns the line (from 1) of a byte, and the byte at which that line begins.
    pub fn line_of(&self, byte: usize) -> (u32, usize) {
        let index = self
            .starts
            .partition_point(|start| *start <= byte)
            .saturating_sub(1);
        let start = self.starts.get(index).copied().unwrap_or(0);
        (number(index).saturating_add(1), start)
    }

    /// Returns the line (from 1) and the column in UTF-16 units (from 0) of a byte.
    pub fn units(&self, byte: usize) -> (u32, u32) {
        let (line, start) = self.line_of(byte);
        (line, width(self.text.get(start..byte).unwrap_or("")))
    }

    /// Converts a line and a column in UTF-16 units (from 0) to a position, whose column is in
    /// characters.
    pub fn position(&self, line: u32, units: u32) -> Option<Position> {
        let text = self.line(line)?;
        let mut passed = 0;
        let mut column = 1;
        for character in text.chars() {
            passed += number(character.len_utf16());
            if passed > units {
                break;
            }
            column += 1;
        }
        Some(Position { line, column })
    }

    /// Returns the byte of a position, if the text has its line.
    pub fn byte(&self, position: Position) -> Option<usize> {
        let index = usize::try_from(position.line).ok()?.checked_sub(1)?;
        let start = *self.starts.get(index)?;
        let skipped = usize::try_from(position.column).ok()?.saturating_sub(1);
        let line = self.line(position.line)?;
        let within = line
            .char_indices()
            .nth(skipped)
            .map_or(line.len(), |(at, _)| at);
        Some(start + within)
    }

    /// Returns the line with a caret under the column. A long line is cut to the part around the
    /// column.
    pub fn pointer(&self, position: Position) -> String {
        let line = self.line(position.line).unwrap_or("");
        let column = usize::try_from(position.column)
            .unwrap_or(1)
            .saturating_sub(1);
        let from = column.saturating_sub(MAX_POINTER_CHARACTERS * 6 / 10);
        let mut window = line.chars().skip(from);
        let shown: String = window.by_ref().take(MAX_POINTER_CHARACTERS).collect();
        let (before, after) = (
            if from > 0 { "…" } else { "" },
            if window.next().is_some() { "…" } else { "" },
        );
        let indent: String = shown
            .chars()
            .take(column - from)
            .map(|character| if character == '\t' { '\t' } else { ' ' })
            .collect();
        let lead = if from > 0 { " " } else { "" };
        format!("{before}{shown}{after}\n{lead}{indent}^")
    }
}

/// Returns true if V8 ends a line at this character.
pub fn ends_line(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

/// Returns the length of a text in UTF-16 units.
pub fn width(text: &str) -> u32 {
    if text.is_ascii() {
        return number(text.len());
    }
    number(text.chars().map(char::len_utf16).sum())
}

/// Converts a length or an index of a text; texts are far shorter than 4 GiB.
pub fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// Returns the first byte at or behind `at` that is neither white space nor part of a comment.
pub fn next_token(text: &str, at: u32) -> u32 {
    let mut at = at as usize;
    loop {
        let rest = text.get(at..).unwrap_or("");
        let trimmed = rest.trim_start_matches(|character: char| {
            character.is_whitespace() || character == '\u{feff}'
        });
        at += rest.len() - trimmed.len();
        at += match trimmed.get(..2) {
            Some("//") => trimmed.find(ends_line).unwrap_or(trimmed.len()),
            Some("/*") => trimmed
                .find("*/")
                .map_or(trimmed.len(), |length| length + 2),
            _ => return number(at),
        };
    }
}
