//! Steps through JSON text that was checked before, without making values of it.
//!
//! serde_json checks first that the text is JSON; [`Reader`] then finds keys and values in one
//! pass, as slices. On a text that was not checked it stops early or returns meaningless slices,
//! but never panics.

use std::borrow::Cow;

/// A position in a JSON text.
#[derive(Debug, Clone)]
pub(crate) struct Reader<'a> {
    text: &'a str,
    at: usize,
}

/// The form of a value, by its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `{`
    Object,
    /// `[`
    Array,
    /// `null`, or the end of the text.
    Null,
    /// A string, a number or a truth value.
    Scalar,
}

impl<'a> Reader<'a> {
    /// Makes a reader at the beginning of a text.
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Returns the next byte that is not white space; 0 at the end.
    pub(crate) fn peek(&mut self) -> u8 {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        self.at += rest.iter().take_while(|byte| blank(byte)).count();
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    /// Returns the form of the next value.
    pub(crate) fn form(&mut self) -> Form {
        match self.peek() {
            b'{' => Form::Object,
            b'[' => Form::Array,
            b'n' | 0 => Form::Null,
            _ => Form::Scalar,
        }
    }

    /// Steps over the bracket that opens an object or array.
    pub(crate) fn enter(&mut self) {
        self.peek();
        self.at += 1;
    }

    /// Returns the next key of an object as JSON text with its quotes, and steps to its value.
    /// After the last key it steps over the closing bracket and returns `None`.
    pub(crate) fn key(&mut self) -> Option<&'a str> {
        if !self.element() {
            return None;
        }
        let key = self.value();
        if self.peek() == b':' {
            self.at += 1;
        }
        Some(key)
    }

    /// Steps to the next element of an array and returns true if there is one. After the last
    /// element it steps over the closing bracket.
    pub(crate) fn element(&mut self) -> bool {
        match self.peek() {
            b',' => {
                self.at += 1;
                true
            }
            b']' | b'}' => {
                self.at += 1;
                false
            }
            0 => false,
            _ => true,
        }
    }

    /// Returns the text of the next value, and steps over it.
    pub(crate) fn value(&mut self) -> &'a str {
        let first = self.peek();
        let begin = self.at;
        match first {
            b'"' => self.skip_text(),
            b'{' | b'[' => self.skip_nested(),
            _ => {
                let rest = self.text.as_bytes().get(begin..).unwrap_or_default();
                let ends = |byte: &u8| {
                    matches!(
                        byte,
                        b',' | b'}' | b']' | b':' | b' ' | b'\t' | b'\n' | b'\r'
                    )
                };
                self.at += rest.iter().position(ends).unwrap_or(rest.len());
            }
        }
        // Always advance, even on a text that is not JSON, so that the caller's loop ends.
        if self.at == begin && first != 0 {
            self.at += 1;
        }
        self.text.get(begin..self.at).unwrap_or_default()
    }

    fn skip_text(&mut self) {
        self.at += 1;
        loop {
            let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
            let Some(found) = rest.iter().position(|byte| matches!(byte, b'"' | b'\\')) else {
                self.at += rest.len();
                return;
            };
            let quote = rest.get(found) == Some(&b'"');
            self.at += found + if quote { 1 } else { 2 };
            if quote {
                return;
            }
        }
    }

    fn skip_nested(&mut self) {
        let mut depth = 0_usize;
        loop {
            let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
            let marks = |byte: &u8| matches!(byte, b'"' | b'{' | b'[' | b'}' | b']');
            let Some(found) = rest.iter().position(marks) else {
                self.at += rest.len();
                return;
            };
            self.at += found;
            match rest.get(found) {
                Some(b'"') => self.skip_text(),
                Some(b'{' | b'[') => {
                    depth += 1;
                    self.at += 1;
                }
                _ => {
                    depth = depth.saturating_sub(1);
                    self.at += 1;
                    if depth == 0 {
                        return;
                    }
                }
            }
        }
    }

    /// Returns true if the next value, an array, contains a record. Does not move.
    pub(crate) fn has_records(&self) -> bool {
        let mut ahead = self.clone();
        ahead.enter();
        while ahead.element() {
            if ahead.is_record() {
                return true;
            }
            ahead.value();
        }
        false
    }

    /// Returns true if the next value is an object with its own keys: `{"$blob":…}` and
    /// `{"$real":…}` are values. Does not move.
    pub(crate) fn is_record(&mut self) -> bool {
        self.form() == Form::Object && !self.is_marked()
    }

    /// Returns true if the next object is `{"$blob":"…"}` or `{"$real":"…"}`. Does not move.
    pub(crate) fn is_marked(&self) -> bool {
        let mut ahead = self.clone();
        ahead.enter();
        if !matches!(ahead.key(), Some("\"$blob\"" | "\"$real\"")) || ahead.peek() != b'"' {
            return false;
        }
        ahead.value();
        ahead.key().is_none()
    }

    /// Returns true if the next object or array is empty. Does not move.
    pub(crate) fn is_empty(&self) -> bool {
        let mut ahead = self.clone();
        ahead.enter();
        !ahead.element()
    }
}

/// Decodes a JSON string; if an escape is not a character, returns the JSON text itself.
pub(crate) fn decode(json: &str) -> Cow<'_, str> {
    let inner = json
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .unwrap_or(json);
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    serde_json::from_str(json).map_or(Cow::Borrowed(json), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_read_key_by_key() {
        let text = r#" { "a" : 1 , "b\"]" : { "x" : [ "}" , 2 ] } , "c" : null,"d":"\\" } "#;
        let mut reader = Reader::new(text);
        reader.enter();
        let mut found = Vec::new();
        while let Some(key) = reader.key() {
            found.push((decode(key).into_owned(), reader.value()));
        }
        let wanted = [
            ("a", "1"),
            ("b\"]", r#"{ "x" : [ "}" , 2 ] }"#),
            ("c", "null"),
            ("d", r#""\\""#),
        ];
        assert_eq!(found, wanted.map(|(key, value)| (key.to_owned(), value)));
        assert_eq!(reader.peek(), 0);
    }

    #[test]
    fn records_are_objects_that_are_not_marks() {
        for (text, records) in [
            (r#"[1, {"a":1}]"#, true),
            (r#"[{}]"#, true),
            (r#"[{"$blob":"AA=="}]"#, false),
            (r#"[{"$blob":"AA==","x":1}]"#, true),
            (r#"[{"$blob":1}]"#, true),
            (r#"[[{"a":1}]]"#, false),
            ("[]", false),
        ] {
            assert_eq!(Reader::new(text).has_records(), records, "{text}");
        }
    }

    #[test]
    fn text_that_is_not_json_is_read_to_its_end() {
        for text in [
            "{", "[", "\"", "\"\\", "{\"a", "{a}", "]]", ":::", "[1,,", "{]}", "é[",
        ] {
            let mut reader = Reader::new(text);
            for _ in 0..text.len() {
                reader.value();
            }
            assert_eq!(reader.peek(), 0, "{text}");
            assert_eq!(reader.value(), "", "{text}");
            let mut reader = Reader::new(text);
            reader.enter();
            for _ in 0..text.len() {
                reader.key();
            }
            assert_eq!((reader.peek(), reader.key()), (0, None), "{text}");
            assert!(!Reader::new(text).has_records(), "{text}");
        }
    }
}
