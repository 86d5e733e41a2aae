//! The string literals of source files that read as text: those with a blank in them. Comments are skipped. Not a parser of either language:
//! it knows quotes, raw strings, characters, comments, templates and regular expressions.

/// The literals of Rust source that have a blank, each with the line where it begins.
pub fn of_rust(source: &str) -> Vec<(usize, String)> {
    Scanner::new(source, Language::Rust).literals()
}

/// The literals and templates of JavaScript source that have a blank, each with the line where it begins.
pub fn of_javascript(source: &str) -> Vec<(usize, String)> {
    Scanner::new(source, Language::JavaScript).literals()
}

#[derive(Clone, Copy, PartialEq)]
enum Language {
    Rust,
    JavaScript,
}

struct Scanner {
    letters: Vec<char>,
    at: usize,
    line: usize,
    language: Language,
    /// The last letter of code that is no blank: it tells a regular expression from a division.
    before: char,
}

impl Scanner {
    fn new(source: &str, language: Language) -> Self {
        Self {
            letters: source.chars().collect(),
            at: 0,
            line: 1,
            language,
            before: ';',
        }
    }

    fn peek(&self, ahead: usize) -> char {
        self.letters.get(self.at + ahead).copied().unwrap_or('\0')
    }

    fn next(&mut self) -> Option<char> {
        let letter = self.letters.get(self.at).copied()?;
        self.at += 1;
        if letter == '\n' {
            self.line += 1;
        }
        Some(letter)
    }

    /// Everything up to a text, which is consumed, too. A backslash takes the letter behind it along where it escapes.
    fn until(&mut self, end: &str, escapes: bool) -> String {
        let end: Vec<char> = end.chars().collect();
        let mut text = String::new();
        while !self.letters[self.at..].starts_with(&end) {
            let Some(letter) = self.next() else {
                return text;
            };
            text.push(letter);
            if escapes && letter == '\\' {
                text.extend(self.next());
            }
        }
        for _ in &end {
            self.next();
        }
        text
    }

    /// The number of `#` of a raw string that begins here.
    fn raw(&self) -> Option<usize> {
        if self.before.is_alphanumeric() || self.before == '_' || self.peek(0) != 'r' {
            return None;
        }
        let hashes = (1..).take_while(|&ahead| self.peek(ahead) == '#').count();
        (self.peek(hashes + 1) == '"').then_some(hashes)
    }

    fn skip(&mut self, letters: usize) {
        for _ in 0..letters {
            self.next();
        }
    }

    /// A character of Rust, if it is no lifetime.
    fn character(&mut self) {
        if self.peek(1) == '\\' {
            self.skip(3);
            self.until("'", false);
        } else if self.peek(2) == '\'' {
            self.skip(3);
        } else {
            self.next();
        }
    }

    fn is_expression(&self) -> bool {
        self.language == Language::JavaScript && "(=:,!&|?{};[\0".contains(self.before)
    }

    fn regular_expression(&mut self) {
        self.next();
        loop {
            match self.next() {
                Some('\\') => {
                    self.next();
                }
                Some('[') => {
                    self.until("]", true);
                }
                Some('/' | '\n') | None => return,
                Some(_) => {}
            }
        }
    }

    /// The literal that begins here, if one does; otherwise one step forward.
    fn step(&mut self) -> Option<String> {
        let found = match (self.peek(0), self.peek(1)) {
            ('/', '/') => {
                self.until("\n", false);
                return None;
            }
            ('/', '*') => {
                self.until("*/", false);
                return None;
            }
            ('/', _) if self.is_expression() => {
                self.regular_expression();
                None
            }
            ('\'', _) if self.language == Language::Rust => {
                self.character();
                None
            }
            (quote @ ('"' | '\''), _) => {
                self.next();
                Some(self.until(&quote.to_string(), true))
            }
            ('`', _) if self.language == Language::JavaScript => {
                self.next();
                Some(self.until("`", true))
            }
            (letter, _) => {
                if let Some(hashes) = self.raw() {
                    self.skip(hashes + 2);
                    Some(self.until(&format!("\"{}", "#".repeat(hashes)), false))
                } else {
                    self.next();
                    if !letter.is_whitespace() {
                        self.before = letter;
                    }
                    return None;
                }
            }
        };
        self.before = '"';
        found
    }

    fn literals(mut self) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        while self.at < self.letters.len() {
            let line = self.line;
            if let Some(text) = self.step().filter(|text| text.contains(' ')) {
                found.push((line, text));
            }
        }
        found
    }
}

#[track_caller]
fn are(found: &[(usize, String)], expected: &[(usize, &str)]) {
    let texts: Vec<(usize, &str)> = found
        .iter()
        .map(|(line, text)| (*line, text.as_str()))
        .collect();
    assert_eq!(texts, expected);
}

#[test]
fn texts_of_rust_are_found_and_comments_are_not() {
    let source = "// a \"comment with\" quotes\nlet a: &'static str = \"one text\";\n/* no \"text here\" */ let q = '\"'; \
                  let e = '\\'';\nlet b = r#\"raw \"text\" here\"#; let c = \"with \\\" two\\n lines\";\nlet d = \"word\"; let bar = \"and so on\";";
    are(
        &of_rust(source),
        &[
            (2, "one text"),
            (4, "raw \"text\" here"),
            (4, "with \\\" two\\n lines"),
            (5, "and so on"),
        ],
    );
}

#[test]
fn texts_of_javascript_are_found_and_regular_expressions_are_not() {
    let source = "const a = 'one text'; // it's no text\nconst b = /[\"'/] x/.test(c) ? `two ${a} texts` : \"three texts\";\n\
                  const d = a / b; const e = 'and so on';";
    are(
        &of_javascript(source),
        &[
            (1, "one text"),
            (2, "two ${a} texts"),
            (2, "three texts"),
            (3, "and so on"),
        ],
    );
}
