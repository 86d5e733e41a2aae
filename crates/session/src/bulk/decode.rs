//! Converts a body in another encoding to UTF-8, as it arrives.
//!
//! A byte order mark of UTF-16 or the caller determines the encoding. Otherwise a body is UTF-8,
//! unless its first non-ASCII character is invalid UTF-8. Then it is read as Windows-1252, which is
//! the encoding of most Western files that are not UTF-8. Bytes that cannot be Windows-1252 text
//! cause an error that names the parameter `encoding`. The platform decodes ([`Decoders`]): it
//! knows every encoding of the web.

use base::CommonError;

use super::sniff;
use base::quoted::printed;
use base::{Error, Result};

/// A decoder for one encoding that takes bytes in pieces.
pub trait Decode {
    /// Decodes the next bytes; `end` is true for the last ones. Returns `None` if they are not
    /// valid in the encoding.
    fn decode(&mut self, bytes: &[u8], end: bool) -> Option<String>;
}

/// A function that returns the decoder for the name of an encoding. It knows every name in the
/// Encoding Standard, and returns `None` for others.
pub type Decoders = fn(&str) -> Option<Box<dyn Decode>>;

/// The number of bytes that show the format of a body.
const START_BYTES: usize = 8;

/// The number of characters that a message shows of an encoding's name.
const NAME_CHARACTERS: usize = 64;

const WESTERN: &str = "windows-1252";

const HINT: &str = "save the file as UTF-8, or name its encoding: ?encoding=windows-1252, utf-16le, shift_jis, gb18030, windows-1251 or another name of the Encoding Standard";

/// A body during its conversion to UTF-8.
pub(super) struct Decoding {
    decoders: Decoders,
    /// The encoding that the caller names.
    asked: Option<String>,
    /// The encoding of the byte order mark, if it differs.
    marked: Option<&'static str>,
    state: State,
    western: Western,
}

enum State {
    /// The first bytes of the body.
    Start(Vec<u8>),
    /// Only ASCII so far, and the bytes of a character that was cut at the end of a piece.
    Ascii(Vec<u8>),
    /// UTF-8, which the readers check.
    Utf8,
    Other {
        encoding: String,
        decoder: Box<dyn Decode>,
    },
}

/// Statistics about a body that is read as Windows-1252 because it is not UTF-8.
#[derive(Default)]
struct Western {
    is_guessed: bool,
    /// The number of non-ASCII bytes, and of those that follow another one.
    letters: u64,
    adjacent: u64,
    last: u8,
}

impl Decoding {
    /// Makes a decoding for the encoding that the caller names; without a name, the encoding is
    /// guessed.
    ///
    /// # Errors
    /// [`CommonError::InvalidArgument`] for an unknown name.
    pub(super) fn new(encoding: Option<&str>, decoders: Decoders) -> Result<Self> {
        if let Some(name) = encoding
            && !is_utf8(name)
            && decoders(name).is_none()
        {
            return Err(Error::invalid_with_hint(
                format!("encoding must be the name of an encoding, not {name:?}"),
                "send utf-8, utf-16le, windows-1252, iso-8859-2, shift_jis, gb18030, or another name of the Encoding Standard",
            ));
        }
        Ok(Self {
            decoders,
            asked: encoding.map(str::to_owned),
            marked: None,
            state: State::Start(Vec::new()),
            western: Western::default(),
        })
    }

    /// Decodes a piece and passes the text to `take`. `end` is true for the last piece.
    ///
    /// # Errors
    /// [`CommonError::InvalidBody`] for bytes that are not text, or for a file of another kind; any
    /// error of `take`.
    pub(super) fn feed(
        &mut self,
        piece: &[u8],
        end: bool,
        take: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        match &mut self.state {
            State::Start(held) => {
                held.extend_from_slice(piece);
                if held.len() < START_BYTES && !end {
                    return Ok(());
                }
                let held = std::mem::take(held);
                self.begin(&held)?;
                self.feed(&held, end, take)
            }
            State::Ascii(held) => {
                let joined;
                let piece = if held.is_empty() {
                    piece
                } else {
                    held.extend_from_slice(piece);
                    joined = std::mem::take(held);
                    joined.as_slice()
                };
                self.feed_unknown(piece, end, take)
            }
            State::Utf8 => take(piece),
            State::Other { encoding, decoder } => {
                if self.western.is_guessed {
                    self.western.follow(piece)?;
                }
                let text = decoder
                    .decode(piece, end)
                    .ok_or_else(|| undecodable(encoding))?;
                if end && self.western.is_guessed {
                    self.western.finish()?;
                }
                take(text.as_bytes())
            }
        }
    }

    /// Returns a notice for the sender.
    pub(super) fn notice(&self) -> Option<String> {
        if let (Some(asked), Some(marked)) = (&self.asked, self.marked) {
            return Some(format!(
                "The body begins with the byte order mark of {marked} and was read as {marked}, not as {}.",
                printed(asked, NAME_CHARACTERS)
            ));
        }
        self.western.is_guessed.then(|| {
            format!("The body is not UTF-8 and was read as {WESTERN}; use ?encoding= to name another encoding.")
        })
    }

    /// Determines the encoding by the first bytes.
    fn begin(&mut self, start: &[u8]) -> Result<()> {
        sniff::require_text_file(start)?;
        let zeros = start
            .iter()
            .take(4)
            .map(|byte| *byte == 0)
            .collect::<Vec<_>>();
        let encoding = match (start, zeros.as_slice()) {
            ([0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..], _) => {
                return Err(not_utf8("text in UTF-32"));
            }
            ([0xFF, 0xFE, ..], _) => self.by_mark("utf-16le"),
            ([0xFE, 0xFF, ..], _) => self.by_mark("utf-16be"),
            ([0xEF, 0xBB, 0xBF, ..], _) => {
                self.by_mark("utf-8");
                self.state = State::Utf8;
                return Ok(());
            }
            _ if self.asked.is_some() => {
                let name = self.asked.clone().unwrap_or_default();
                self.state = match is_utf8(&name) {
                    true => State::Utf8,
                    false => {
                        State::other(&name, self.decoders).ok_or_else(|| undecodable(&name))?
                    }
                };
                return Ok(());
            }
            (_, [false, true, false, true]) => {
                return Err(not_utf8(
                    "text in UTF-16 without a byte order mark (?encoding=utf-16le)",
                ));
            }
            (_, [true, false, true, false]) => {
                return Err(not_utf8(
                    "text in UTF-16 without a byte order mark (?encoding=utf-16be)",
                ));
            }
            _ => {
                self.state = State::Ascii(Vec::new());
                return Ok(());
            }
        };
        self.state =
            State::other(encoding, self.decoders).ok_or_else(|| not_utf8("text in UTF-16"))?;
        Ok(())
    }

    /// Uses the encoding of a byte order mark, which has priority over the one that the caller
    /// names.
    fn by_mark(&mut self, marked: &'static str) -> &'static str {
        let is_same = |asked: &str| {
            let asked = asked.to_ascii_lowercase();
            asked == marked || asked.replace("utf8", "utf-8") == marked || asked == "utf-16"
        };
        if self.asked.as_deref().is_some_and(|asked| !is_same(asked)) {
            self.marked = Some(marked);
        }
        marked
    }

    /// Passes on ASCII. The first other character determines the encoding.
    fn feed_unknown(
        &mut self,
        piece: &[u8],
        end: bool,
        take: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let first = piece.iter().position(|byte| !byte.is_ascii());
        let (plain, rest) = piece
            .split_at_checked(first.unwrap_or(piece.len()))
            .unwrap_or((piece, &[]));
        take(plain)?;
        let character = rest.get(..rest.len().min(4)).unwrap_or_default();
        match std::str::from_utf8(character) {
            Ok("") => return Ok(()),
            Ok(_) => self.state = State::Utf8,
            Err(error) if error.valid_up_to() > 0 => self.state = State::Utf8,
            Err(error) if error.error_len().is_none() && !end => {
                self.state = State::Ascii(rest.to_vec());
                return Ok(());
            }
            Err(_) => {
                let western = State::other(WESTERN, self.decoders);
                self.western.is_guessed = western.is_some();
                self.western.last = plain.last().copied().unwrap_or_default();
                // Without a decoder, the reader reports the position that is not UTF-8.
                self.state = western.unwrap_or(State::Utf8);
            }
        }
        self.feed(rest, end, take)
    }
}

fn is_utf8(name: &str) -> bool {
    matches!(name.to_ascii_lowercase().as_str(), "utf-8" | "utf8")
}

impl State {
    fn other(name: &str, decoders: Decoders) -> Option<Self> {
        Some(Self::Other {
            encoding: name.to_owned(),
            decoder: decoders(name)?,
        })
    }
}

impl Western {
    /// Refuses bytes that do not occur in Windows-1252 text.
    fn follow(&mut self, piece: &[u8]) -> Result<()> {
        for &byte in piece {
            if matches!(byte, 0..=8 | 0x0E..=0x1F | 0x7F | 0x81 | 0x8D | 0x8F | 0x90 | 0x9D) {
                return Err(not_utf8("neither UTF-8 nor Windows-1252"));
            }
            self.letters += u64::from(!byte.is_ascii());
            self.adjacent += u64::from(!byte.is_ascii() && !self.last.is_ascii());
            self.last = byte;
        }
        Ok(())
    }

    /// Refuses text that is hardly Windows-1252: in Western languages, most non-ASCII letters are
    /// between ASCII ones; in other alphabets, words consist of them.
    fn finish(&self) -> Result<()> {
        if self.adjacent * 2 > self.letters {
            return Err(not_utf8(
                "not UTF-8, and probably not text in a Western language",
            ));
        }
        Ok(())
    }
}

/// Returns the error for a body that is not UTF-8 text.
fn not_utf8(what: &str) -> Error {
    Error::from(CommonError::InvalidBody {
        message: format!("the body is {what}"),
        hint: Some(HINT.to_owned()),
    })
}

/// Returns the error for a record in a body that began as UTF-8.
pub(super) fn not_utf8_at(message: String) -> Error {
    Error::from(CommonError::InvalidBody {
        message,
        hint: Some(HINT.to_owned()),
    })
}

fn undecodable(encoding: &str) -> Error {
    not_utf8(&format!("not valid in the encoding {encoding:?}"))
}
