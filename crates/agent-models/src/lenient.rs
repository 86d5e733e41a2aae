//! Converts JSON as models write it into standard JSON: line ends within texts, commas after the
//! last member, comments, typographic quotes, unknown escapes, keywords of Python. It completes
//! nothing: an object without an end is not an object.

/// Returns the object at the beginning of a text as standard JSON, and the bytes that it takes in
/// the text.
pub(crate) fn strict(text: &str) -> Option<(String, usize)> {
    let mut writer = Writer {
        letters: text.char_indices().peekable(),
        out: String::with_capacity(text.len()),
        depth: 0_usize,
    };
    while let Some((at, letter)) = writer.letters.next() {
        writer.letter(letter)?;
        if writer.depth == 0 {
            return Some((writer.out, at + letter.len_utf8()));
        }
    }
    None
}

struct Writer<'a> {
    letters: std::iter::Peekable<std::str::CharIndices<'a>>,
    out: String,
    depth: usize,
}

impl Writer<'_> {
    fn peek(&mut self) -> Option<char> {
        self.letters.peek().map(|(_, letter)| *letter)
    }

    fn letter(&mut self, letter: char) -> Option<()> {
        match letter {
            '"' => self.text(&['"'])?,
            '“' | '”' | '„' => self.text(&['”', '“'])?,
            '{' | '[' => {
                self.depth += 1;
                self.out.push(letter);
            }
            '}' | ']' => {
                self.depth = self.depth.checked_sub(1)?;
                let kept = self.out.trim_end().trim_end_matches(',').len();
                self.out.truncate(kept);
                self.out.push(letter);
            }
            '/' => self.comment()?,
            letter if letter.is_alphabetic() => self.word(letter),
            letter if letter.is_whitespace() || is_unseen(letter) => self.out.push(' '),
            other => self.out.push(other),
        }
        Some(())
    }

    fn text(&mut self, closing: &[char]) -> Option<()> {
        self.out.push('"');
        loop {
            let (_, letter) = self.letters.next()?;
            match letter {
                letter if closing.contains(&letter) => {
                    self.out.push('"');
                    return Some(());
                }
                '"' => self.out.push_str("\\\""),
                '\\' => self.escape()?,
                letter if letter.is_control() => {
                    self.out.push_str(&format!("\\u{:04x}", u32::from(letter)));
                }
                other => self.out.push(other),
            }
        }
    }

    /// Writes an escape. Standard escapes stay; `\'` becomes the quote, and any other backslash
    /// becomes a character.
    fn escape(&mut self) -> Option<()> {
        let next = self.peek()?;
        match next {
            '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' | 'u' => {
                self.out.push('\\');
                self.out.push(next);
                self.letters.next();
            }
            '\'' => {}
            _ => self.out.push_str("\\\\"),
        }
        Some(())
    }

    fn comment(&mut self) -> Option<()> {
        match self.letters.next()?.1 {
            '/' => while self.letters.next()?.1 != '\n' {},
            '*' => {
                let mut before = ' ';
                loop {
                    let (_, letter) = self.letters.next()?;
                    if (before, letter) == ('*', '/') {
                        break;
                    }
                    before = letter;
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn word(&mut self, first: char) {
        let mut word = String::from(first);
        while let Some(letter) = self.peek().filter(|letter| letter.is_alphanumeric()) {
            word.push(letter);
            self.letters.next();
        }
        self.out.push_str(match word.as_str() {
            "None" => "null",
            "True" => "true",
            "False" => "false",
            other => other,
        });
    }
}

/// Returns true for invisible characters.
fn is_unseen(letter: char) -> bool {
    matches!(letter, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2060}')
}
