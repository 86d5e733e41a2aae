//! Removes the wrapping around the data of a body: the lines of a fence, if a table was pasted from
//! a chat (```` ```csv ````, `~~~`), and the character that ends a file in DOS.
//!
//! Only a fence begins with three backquotes or tildes: neither JSON nor a column name does.

use std::borrow::Cow;

use base::CommonError;
use base::quoted::printed;
use base::{Error, Result};

/// The length of the longest line that opens a fence, in bytes: the marks and the name of a
/// language.
const MAX_FENCE_BYTES: usize = 128;

/// The maximum number of bytes that are held back because they may be the end of the wrapping and
/// not data.
const MAX_HELD_BYTES: usize = 4_096;

/// The number of characters that a notice shows of a fence.
const SHOWN_CHARACTERS: usize = 40;

/// The marks of a fence.
const FENCES: [&[u8]; 2] = [b"```", b"~~~"];

/// The character that ends a file in DOS.
const END_OF_FILE: u8 = 0x1A;

/// A filter that separates the data of a body from its wrapping.
#[derive(Debug, Default)]
pub(super) struct Envelope {
    state: State,
    /// Bytes that are only data if other data follows.
    held: Vec<u8>,
    /// The line that opened the fence, if there was one.
    fence: Option<String>,
    has_end_of_file: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    /// Before the first byte that is not white space.
    #[default]
    Start,
    /// In the first line, which begins like a fence.
    Opening,
    /// At the start of a line of data.
    LineStart,
    /// Within a line.
    Line,
    /// In a line that begins like the closing fence.
    Closing,
    /// After the closing fence.
    Closed,
    /// After the end of the file, unless more data follows.
    Ended,
}

impl Envelope {
    /// Returns the data in a piece.
    ///
    /// # Errors
    /// [`CommonError::InvalidBody`] for text after a closed fence.
    pub(super) fn data<'p>(&mut self, piece: &'p [u8]) -> Result<Cow<'p, [u8]>> {
        let is_plain = self.held.is_empty()
            && self.fence.is_none()
            && matches!(self.state, State::LineStart | State::Line)
            && !piece.contains(&END_OF_FILE);
        if is_plain {
            if let Some(last) = piece.last() {
                self.state = behind(*last);
            }
            return Ok(Cow::Borrowed(piece));
        }
        let mut data = Vec::with_capacity(piece.len() + self.held.len());
        for &byte in piece {
            self.take(byte, &mut data)?;
        }
        Ok(Cow::Owned(data))
    }

    /// Returns the remaining data at the end of the body.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        let held = std::mem::take(&mut self.held);
        match self.state {
            State::Closing if self.is_closed_by(&held) => Vec::new(),
            State::Ended => {
                self.has_end_of_file = true;
                Vec::new()
            }
            State::Start
            | State::Opening
            | State::LineStart
            | State::Line
            | State::Closing
            | State::Closed => held,
        }
    }

    /// Returns notices for the sender.
    pub(super) fn notices(&self) -> Vec<String> {
        let fence = self.fence.as_ref().map(|line| {
            format!(
                "The body is inside a code fence, {}, which was left out.",
                printed(line, SHOWN_CHARACTERS)
            )
        });
        let end = self.has_end_of_file.then(|| {
            "The last line is the end-of-file character of DOS, which was left out.".to_owned()
        });
        fence.into_iter().chain(end).collect()
    }

    fn take(&mut self, byte: u8, data: &mut Vec<u8>) -> Result<()> {
        match self.state {
            State::Start => self.start(byte, data)?,
            State::Opening if matches!(byte, b'\n' | b'\r') => {
                let line = String::from_utf8_lossy(&self.held).trim().to_owned();
                self.held.clear();
                // A fence has at most the name of a language; other backquotes are data.
                self.fence = Some(line);
                self.state = State::LineStart;
            }
            State::Opening => {
                self.held.push(byte);
                let marks = marks(&self.held);
                if self.held.len() > MAX_FENCE_BYTES
                    || marks < self.held.len() && matches!(byte, b'`' | b'~')
                {
                    self.release(State::Line, data);
                }
            }
            // The lines of a fence may be indented.
            State::LineStart
                if self.fence.is_some() && matches!(byte, b'`' | b'~' | b' ' | b'\t') =>
            {
                self.held.push(byte);
                self.state = State::Closing;
            }
            State::LineStart if byte == END_OF_FILE => {
                self.held.push(byte);
                self.state = State::Ended;
            }
            State::LineStart | State::Line => {
                data.push(byte);
                self.state = behind(byte);
            }
            State::Closing => {
                if matches!(byte, b'\n' | b'\r') && self.is_closed_by(&self.held) {
                    self.held.clear();
                    self.state = State::Closed;
                    return Ok(());
                }
                self.held.push(byte);
                let line = self.held.trim_ascii();
                let may_be_fence = marks(line) == line.len() && !matches!(byte, b'\n' | b'\r');
                if !may_be_fence || self.held.len() > MAX_FENCE_BYTES {
                    self.release(behind(byte), data);
                }
            }
            State::Closed if byte.is_ascii_whitespace() => {}
            State::Closed => {
                return Err(Error::from(CommonError::InvalidBody {
                    message: "there is text after the code fence that contains the data".to_owned(),
                    hint: Some("send only the lines between the two lines of ```".to_owned()),
                }));
            }
            State::Ended => {
                self.held.push(byte);
                if !matches!(byte, END_OF_FILE | b'\r' | b'\n' | 0)
                    || self.held.len() > MAX_HELD_BYTES
                {
                    self.release(behind(byte), data);
                }
            }
        }
        Ok(())
    }

    /// Takes a byte at the beginning: a byte order mark, white space, or the first marks of a
    /// fence.
    fn start(&mut self, byte: u8, data: &mut Vec<u8>) -> Result<()> {
        self.held.push(byte);
        let text = super::sniff::without_mark(&self.held).trim_ascii_start();
        let is_mark = super::sniff::BYTE_ORDER_MARK.starts_with(&self.held);
        if text.is_empty() || is_mark {
            if self.held.len() > MAX_HELD_BYTES {
                self.release(State::Line, data);
            }
        } else if FENCES.iter().any(|fence| fence.starts_with(text)) {
            if text.len() == 3 {
                self.held = text.to_vec();
                self.state = State::Opening;
            }
        } else {
            let held = std::mem::take(&mut self.held);
            self.state = State::LineStart;
            for byte in held {
                self.take(byte, data)?;
            }
        }
        Ok(())
    }

    /// Returns true for a line with at least as many marks as the one that opened the fence.
    fn is_closed_by(&self, line: &[u8]) -> bool {
        let line = line.trim_ascii();
        let opened = self
            .fence
            .as_deref()
            .map_or(0, |fence| marks(fence.as_bytes()));
        marks(line) == line.len() && line.len() >= opened.max(1)
    }

    fn release(&mut self, state: State, data: &mut Vec<u8>) {
        data.append(&mut self.held);
        self.state = state;
    }
}

fn behind(byte: u8) -> State {
    if matches!(byte, b'\n' | b'\r') {
        State::LineStart
    } else {
        State::Line
    }
}

/// Returns the number of fence marks at the beginning of a line.
fn marks(line: &[u8]) -> usize {
    let is_mark = |byte: &&u8| line.first() == Some(*byte) && matches!(byte, b'`' | b'~');
    line.iter().take_while(is_mark).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the data of a body that arrives in pieces of `piece_bytes` bytes, and its notices.
    fn taken(body: &str, piece_bytes: usize) -> (String, Vec<String>) {
        let mut envelope = Envelope::default();
        let mut data = Vec::new();
        for piece in body.as_bytes().chunks(piece_bytes) {
            data.extend_from_slice(&envelope.data(piece).unwrap());
        }
        data.extend(envelope.finish());
        (String::from_utf8(data).unwrap(), envelope.notices())
    }

    #[test]
    fn fences_and_the_end_of_dos_are_no_data() {
        for (body, data, notices) in [
            ("a,b\n1,2\n", "a,b\n1,2\n", 0),
            ("", "", 0),
            ("\u{feff}a\n1", "\u{feff}a\n1", 0),
            ("```\na\n1\n```\n", "a\n1\n", 1),
            ("\n ```csv\r\na\r\n1\r\n```", "\na\r\n1\r\n", 1),
            ("```json\n[{\"a\":1}]\n``` \n\n", "[{\"a\":1}]\n", 1),
            ("```\na\n1\n", "a\n1\n", 1),
            ("~~~\na\n1\n~~~", "a\n1\n", 1),
            ("   ```csv\n   a\n   1\n   ```\n", "   a\n   1\n", 1),
            ("```\na\n  x\n \n", "a\n  x\n \n", 1),
            ("```\na\n``x\n`\n```", "a\n``x\n`\n", 1),
            // Backquotes that are not a fence.
            ("``\n1\n", "``\n1\n", 0),
            ("a\n```\n1\n", "a\n```\n1\n", 0),
            ("```a```,b\n1,2\n", "```a```,b\n1,2\n", 0),
            ("a\n1\n\u{1a}", "a\n1\n", 1),
            ("a\r\n1\r\n\u{1a}\r\n\u{1a}\0", "a\r\n1\r\n", 1),
            ("a\nx\u{1a}\n", "a\nx\u{1a}\n", 0),
            ("a\n\u{1a}x\n", "a\n\u{1a}x\n", 0),
            ("```\na\n1\n\u{1a}", "a\n1\n", 2),
        ] {
            for piece_bytes in [1, 2, 5, 1_000] {
                let (found, said) = taken(body, piece_bytes);
                // The second half of a Windows line end remains.
                let found = found.strip_prefix('\n').unwrap_or(&found);
                let data = data.strip_prefix('\n').unwrap_or(data);
                assert_eq!(found, data, "{body:?} {piece_bytes}");
                assert_eq!(said.len(), notices, "{body:?}: {said:?}");
            }
        }
    }

    #[test]
    fn text_behind_a_fence_is_refused() {
        let mut envelope = Envelope::default();
        let error = envelope.data(b"```\na\n1\n```\nThat is all.").unwrap_err();
        assert_eq!(error.code(), "INVALID_BODY");
    }
}
