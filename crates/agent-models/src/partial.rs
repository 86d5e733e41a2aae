//! Streams the characters of one text field of a JSON object while the JSON arrives.
//!
//! It reads the first field with the name, at the top level of the first object. It keeps only its
//! position in the JSON, so memory is bounded for texts of any length. Invalid JSON ends the
//! stream.

/// The number of digits of an escape such as `\u00e9`.
const ESCAPE_DIGITS: u8 = 4;

/// The base of those digits.
const HEXADECIMAL: u32 = 16;

/// The role of a text in the JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Text {
    /// The name of a field at the top level.
    Name,
    /// The value of the wanted field.
    Wanted,
    /// Anything else.
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Escape {
    None,
    Begun,
    /// An escape by the number of the character, with the digits so far.
    Number {
        value: u32,
        digits: u8,
    },
}

/// A field that is read while the JSON arrives.
#[derive(Debug)]
pub struct FieldStream {
    field: String,
    depth: usize,
    text: Option<Text>,
    escape: Escape,
    /// The first half of a character that JSON writes as two escapes, a surrogate pair.
    half: Option<u32>,
    /// The name of the current field, as far as it was read. It is cut once it is longer than the
    /// name of the wanted field.
    name: String,
    expects_name: bool,
    /// True if the next value is the one of the wanted field.
    matched: bool,
    done: bool,
}

impl FieldStream {
    /// Returns a stream for the field with this name.
    pub fn new(field: &str) -> Self {
        Self {
            field: field.to_owned(),
            depth: 0,
            text: None,
            escape: Escape::None,
            half: None,
            name: String::new(),
            expects_name: false,
            matched: false,
            done: false,
        }
    }

    /// Starts again with a new JSON text.
    pub(crate) fn begin_again(&mut self) {
        *self = Self::new(&self.field);
    }

    /// Takes the next piece of JSON, and returns the characters of the field that it completes.
    pub fn feed(&mut self, piece: &str) -> String {
        let mut came = String::new();
        for character in piece.chars() {
            if self.done {
                break;
            }
            match self.text {
                None => self.outside(character),
                Some(text) => self.inside(text, character, &mut came),
            }
        }
        came
    }

    fn outside(&mut self, character: char) {
        match character {
            '"' if self.depth > 0 => {
                self.text = Some(match self.depth {
                    1 if self.expects_name => {
                        self.name.clear();
                        Text::Name
                    }
                    1 if self.matched => Text::Wanted,
                    _ => Text::Other,
                });
            }
            '{' => {
                self.depth = self.depth.saturating_add(1);
                self.expects_name = self.depth == 1;
                self.matched = false;
            }
            '[' if self.depth > 0 => {
                self.depth = self.depth.saturating_add(1);
                self.matched = false;
            }
            '}' | ']' if self.depth > 0 => {
                self.depth -= 1;
                self.done = self.depth == 0;
            }
            ',' if self.depth == 1 => {
                self.expects_name = true;
                self.matched = false;
            }
            ':' if self.depth == 1 => {
                self.expects_name = false;
                self.matched = self.name.eq_ignore_ascii_case(&self.field);
            }
            _ => {}
        }
    }

    fn inside(&mut self, text: Text, character: char, came: &mut String) {
        match self.escape {
            Escape::None => match character {
                '"' => {
                    self.text = None;
                    self.done = text == Text::Wanted;
                }
                '\\' => self.escape = Escape::Begun,
                plain => self.push(text, plain, came),
            },
            Escape::Begun => {
                self.escape = Escape::None;
                match character {
                    'u' => {
                        self.escape = Escape::Number {
                            value: 0,
                            digits: 0,
                        };
                    }
                    'n' => self.push(text, '\n', came),
                    't' => self.push(text, '\t', came),
                    'r' => self.push(text, '\r', came),
                    'b' => self.push(text, '\u{8}', came),
                    'f' => self.push(text, '\u{c}', came),
                    '"' | '\\' | '/' => self.push(text, character, came),
                    _ => self.done = true,
                }
            }
            Escape::Number { value, digits } => {
                let Some(digit) = character.to_digit(HEXADECIMAL) else {
                    self.done = true;
                    return;
                };
                let (value, digits) = (value * HEXADECIMAL + digit, digits + 1);
                if digits < ESCAPE_DIGITS {
                    self.escape = Escape::Number { value, digits };
                } else {
                    self.escape = Escape::None;
                    self.numbered(text, value, came);
                }
            }
        }
    }

    /// Adds a character by its number in UTF-16; some characters consist of two numbers.
    fn numbered(&mut self, text: Text, unit: u32, came: &mut String) {
        let character = match (self.half.take(), unit) {
            (None, 0xD800..=0xDBFF) => {
                self.half = Some(unit);
                return;
            }
            (Some(high), 0xDC00..=0xDFFF) => {
                char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + (unit - 0xDC00))
            }
            (None, other) => char::from_u32(other),
            (Some(_), _) => None,
        };
        match character {
            Some(character) => self.push(text, character, came),
            // Half of a character without the other half is invalid.
            None => self.done = true,
        }
    }

    fn push(&mut self, text: Text, character: char, came: &mut String) {
        if self.half.is_some() {
            self.done = true;
            return;
        }
        match text {
            Text::Wanted => came.push(character),
            // A longer name cannot be the wanted one.
            Text::Name if self.name.len() <= self.field.len() => self.name.push(character),
            Text::Name | Text::Other => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&str]) -> String {
        let mut stream = FieldStream::new("explanation");
        pieces.iter().map(|piece| stream.feed(piece)).collect()
    }

    #[test]
    fn the_text_of_the_field_comes_out_wherever_the_json_is_cut() {
        for (json, expected) in [
            (r#"{"explanation":"It counts."}"#, "It counts."),
            (
                r#"{"sql":"SELECT \"explanation\": 1","explanation":"a\n\"b\" \\ \/ \u00e4\ud83d\ude00\t😀"}"#,
                "a\n\"b\" \\ / ä😀\t😀",
            ),
            (
                r#"{"more":{"explanation":"no"},"list":["explanation",{"explanation":"no"}],"explanation" : "yes" , "explanation":"no"}"#,
                "yes",
            ),
            (
                r#"{"n":1,"explanatio":"no","explanations":"no","explanation":7,"b":"no"}"#,
                "",
            ),
            ("Here:\n```json\n{ \"explanation\" :\n\"yes\"}\n```", "yes"),
            (r#"{"expl\u0061nation":"yes"}"#, "yes"),
            (r#"{"explanation":["no"],"a":"no"}"#, ""),
            (r#"["explanation"] {"explanation":""}"#, ""),
            (r#"{"explanation":"cut of"#, "cut of"),
        ] {
            assert_eq!(read(&[json]), expected, "{json}");
            for cut in (0..json.len()).filter(|cut| json.is_char_boundary(*cut)) {
                let (first, second) = json.split_at(cut);
                assert_eq!(read(&[first, second]), expected, "{json} cut at {cut}");
            }
            let letters: Vec<String> = json.chars().map(String::from).collect();
            let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
            assert_eq!(read(&letters), expected, "{json} letter by letter");
        }
    }

    #[test]
    fn what_is_no_json_ends_it() {
        for json in [
            r#"{"explanation":"a\x b"}"#,
            r#"{"explanation":"a\u00g0 b"}"#,
            r#"{"explanation":"a\ud800 b"}"#,
            r#"{"explanation":"a\udc00 b"}"#,
            r#"{"explanation":"a\ud800\u0041 b"}"#,
        ] {
            assert_eq!(read(&[json]), "a", "{json}");
        }
    }

    #[test]
    fn nothing_grows_with_the_text() {
        let mut stream = FieldStream::new("a");
        stream.feed(&format!("{{\"{}", "n".repeat(100_000)));
        assert!(stream.name.len() <= 2);
        stream.feed(&"[".repeat(100_000));
        assert!(stream.name.capacity() < 100);
    }
}
