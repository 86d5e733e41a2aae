//! Redacts our secrets from the responses of a server, in case it sends them back.
//!
//! JSON can spell one text in many ways (`\/`, `\u0041`), and JSON inside a JSON string adds
//! backslashes at each level. Text and secret are therefore compared in a folded form, in which
//! backslashes are left out and `\u0041` is its character, at any number of levels. Only whole
//! escapes are redacted, so JSON stays valid at every level. Nothing outside of strings is changed:
//! a secret of digits is not found in a number. A secret in another encoding (Base64, URL) is not
//! recognised either.

use std::borrow::Cow;
use std::ops::Range;

/// The replacement of a secret.
pub const STRUCK_OUT: &str = "[secret]";

/// Minimum length: a shorter secret would be redacted from every result that happens to contain its
/// characters.
const SHORTEST_SECRET_CHARACTERS: usize = 6;

/// Returns the number of characters that count in a search, which are all except backslashes.
pub fn telling_characters(text: &str) -> usize {
    text.chars().filter(|character| *character != '\\').count()
}

/// Returns true if a secret is long enough to be redacted.
pub fn is_long_enough(secret: &str) -> bool {
    telling_characters(secret) >= SHORTEST_SECRET_CHARACTERS
}

/// The secrets of one server.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Secrets {
    /// The secrets in folded form.
    texts: Vec<String>,
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Secrets").finish_non_exhaustive()
    }
}

impl Secrets {
    /// Creates the set of these secrets.
    pub fn new(texts: Vec<String>) -> Self {
        let mut texts: Vec<String> = texts.iter().map(|text| folded(text).into_owned()).collect();
        texts.retain(|text| !text.is_empty());
        texts.sort_unstable();
        texts.dedup();
        Self { texts }
    }

    /// Returns these secrets and others, if they are long enough.
    #[must_use]
    pub fn with<'t>(&self, more: impl IntoIterator<Item = &'t str>) -> Self {
        let more = more.into_iter().filter(|text| is_long_enough(text));
        let mut texts = self.texts.clone();
        texts.extend(more.map(str::to_owned));
        Self::new(texts)
    }

    /// Redacts the secrets from a text.
    pub fn strike_out(&self, text: String) -> String {
        self.struck(&text).unwrap_or(text)
    }

    /// Redacts the secrets from all strings of a JSON text.
    pub fn strike_out_of_json(&self, json: String) -> String {
        let plain = |secret: &String| json.contains(secret.as_str());
        if self.texts.is_empty() || !(json.contains('\\') || self.texts.iter().any(plain)) {
            return json;
        }
        let mut struck = String::new();
        // The end of the part of `json` that is in `struck`.
        let mut copied = 0;
        let mut at = 0;
        while let Some(string) = next_string(&json, at) {
            at = string.end;
            let Some(literal) = json.get(string.clone()) else {
                break;
            };
            if let Some(clean) = self.struck(literal) {
                struck.push_str(json.get(copied..string.start).unwrap_or_default());
                struck.push_str(&clean);
                copied = string.end;
            }
        }
        if copied == 0 {
            return json;
        }
        struck.push_str(json.get(copied..).unwrap_or_default());
        struck
    }

    /// Returns the redacted text if it contains a secret.
    fn struck(&self, text: &str) -> Option<String> {
        let mut places = self.places(&folded(text)).into_iter().peekable();
        places.peek()?;
        let mut struck = String::with_capacity(text.len());
        let (mut copied, mut begin, mut place) = (0, 0, 0);
        for (character, end) in Folding::of(text) {
            if places.peek().is_some_and(|secret| secret.start == place) {
                struck.push_str(text.get(copied..begin).unwrap_or_default());
            }
            place += character.len_utf8();
            if places.next_if(|secret| secret.end == place).is_some() {
                struck.push_str(STRUCK_OUT);
                copied = end;
            }
            begin = end;
        }
        struck.push_str(text.get(copied..).unwrap_or_default());
        Some(struck)
    }

    /// Returns the positions of the secrets in a folded text. Overlapping positions are merged,
    /// because one secret may contain or overlap another.
    fn places(&self, folded: &str) -> Vec<Range<usize>> {
        let mut places: Vec<Range<usize>> = self
            .texts
            .iter()
            .flat_map(|secret| {
                folded
                    .match_indices(secret.as_str())
                    .map(|(start, found)| start..start + found.len())
            })
            .collect();
        places.sort_unstable_by_key(|place| (place.start, place.end));
        places.dedup_by(|next, place| {
            let overlaps = next.start < place.end;
            if overlaps {
                place.end = place.end.max(next.end);
            }
            overlaps
        });
        places
    }
}

/// Returns the folded form of a text.
fn folded(text: &str) -> Cow<'_, str> {
    if text.contains(['\\', '\t']) {
        Cow::Owned(Folding::of(text).map(|(character, _)| character).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// An iterator over the decoded characters of a text, each with the end of its spelling, which
/// begins at the end of the one before.
struct Folding<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Folding<'a> {
    fn of(text: &'a str) -> Self {
        Self { text, at: 0 }
    }
}

impl Iterator for Folding<'_> {
    type Item = (char, usize);

    fn next(&mut self) -> Option<Self::Item> {
        let mut escaped = false;
        loop {
            let rest = self.text.get(self.at..)?;
            let bare = rest.trim_start_matches('\\');
            escaped |= bare.len() < rest.len();
            let first = bare.chars().next()?;
            let (character, bytes) = match unicode(bare) {
                Some(character) if escaped => (character, "u0041".len()),
                _ => (first, first.len_utf8()),
            };
            self.at = self.text.len() - bare.len() + bytes;
            match character {
                // A backslash written as an escape counts like any other.
                '\\' => escaped = true,
                // A header may contain a tab, which JSON writes as `\t`.
                '\t' => return Some(('t', self.at)),
                other => return Some((other, self.at)),
            }
        }
    }
}

/// Returns the character of `u0041`. A surrogate cannot occur in a header, so a placeholder is
/// sufficient.
fn unicode(text: &str) -> Option<char> {
    let digits = text.strip_prefix('u')?.get(..4)?;
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let code = u32::from_str_radix(digits, 16).ok()?;
    Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
}

/// Returns the next string literal with its quotes. An unterminated literal extends to the end.
fn next_string(json: &str, from: usize) -> Option<Range<usize>> {
    let bytes = json.as_bytes();
    let start = from + bytes.get(from..)?.iter().position(|byte| *byte == b'"')?;
    let mut at = start + 1;
    loop {
        match bytes.get(at) {
            None => return Some(start..bytes.len()),
            Some(b'"') => return Some(start..at + 1),
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn secrets() -> Secrets {
        Secrets::new(vec![
            "sk/live+12".to_owned(),
            "sk/live+1234567".to_owned(),
            "12345678".to_owned(),
            "with\"quote".to_owned(),
        ])
    }

    #[test]
    fn every_spelling_of_a_secret_is_struck_out() {
        for (json, wanted) in [
            (r#"{"a":"x sk/live+1234567 y"}"#, r#"{"a":"x [secret] y"}"#),
            (r#"{"a":"sk\/live+12"}"#, r#"{"a":"[secret]"}"#),
            (r#"{"a":"\u0073k/live+12\n"}"#, r#"{"a":"[secret]\n"}"#),
            (r#"{"a":"\u0073k\u002Flive+12"}"#, r#"{"a":"[secret]"}"#),
            (r#"{"a":"sk\u005c/live+12"}"#, r#"{"a":"[secret]"}"#),
            (r#"["with\"quote","b"]"#, r#"["[secret]","b"]"#),
            (r#"{"sk/live+12":1}"#, r#"{"[secret]":1}"#),
            (r#""{\"a\":\"sk/live+12\"}""#, r#""{\"a\":\"[secret]\"}""#),
            (r#"["sk/live+12sk/live+12"]"#, r#"["[secret][secret]"]"#),
            (r#"["sk/live+12345678"]"#, r#"["[secret]"]"#),
        ] {
            assert_eq!(secrets().strike_out_of_json(json.to_owned()), wanted);
        }
    }

    /// The spellings of JSON writers: plain, with escaped slashes or special characters, and fully
    /// escaped.
    const SPELLINGS: [fn(&str) -> String; 4] = [
        |text| json!({ "in": text }).to_string(),
        |text| json!({ "in": text }).to_string().replace('/', "\\/"),
        |text| {
            let json = json!({ "in": text }).to_string();
            json.replace("\\\\", "\\u005C").replace('+', "\\u002B")
        },
        |text| {
            let units = text.encode_utf16();
            let letters: String = units.map(|unit| format!("\\u{unit:04x}")).collect();
            format!(r#"{{"in":"{letters}"}}"#)
        },
    ];

    #[test]
    fn json_within_texts_of_json_is_no_way_out() {
        let secret = "sk/li\"ve\\+abc/01\t23456789";
        let secrets = Secrets::new(vec![secret.to_owned()]);
        for spell in SPELLINGS {
            for wrap in &SPELLINGS[..3] {
                for levels in 0..5 {
                    let inner = spell(&format!("before \" {secret} after \\"));
                    let json = (0..levels).fold(inner, |inner, _| wrap(&inner));
                    let mut text = secrets.strike_out_of_json(json);
                    for _ in 0..=levels {
                        let object: Value = serde_json::from_str(&text).unwrap();
                        text = object["in"].as_str().unwrap().to_owned();
                    }
                    assert_eq!(text, "before \" [secret] after \\");
                }
            }
        }
    }

    #[test]
    fn json_in_a_text_stays_json() {
        let secret = "abc/def\\";
        let text = format!("got: {}", json!({ "a": secret, "b": "c" }));
        let struck = Secrets::new(vec![secret.to_owned()]).strike_out(text);
        let json = struck.strip_prefix("got: ").unwrap();
        let object: Value = serde_json::from_str(json).unwrap();
        assert_eq!(object["b"], "c");
        assert!(!struck.contains("abc"), "{struck}");
    }

    #[test]
    fn what_is_no_string_and_what_holds_none_stays_as_it_is() {
        for json in [
            r#"{"id":12345678}"#,
            r#"{"a":"\ud83d\ude00 \/","b":[1.0e5,null]}"#,
            r#"{"a":"\ud83d"}"#,
            r#"{"a":"\\\\ \\u00 \\u"}"#,
            "not json",
            r#"{"open":"#,
            r#"{"open":"\"#,
            r#"{"open":"x"#,
        ] {
            assert_eq!(secrets().strike_out_of_json(json.to_owned()), json);
        }
        assert_eq!(Secrets::default().strike_out("x".to_owned()), "x");
    }

    #[test]
    fn a_text_is_cleaned_as_a_whole() {
        assert_eq!(
            secrets().strike_out("Bearer sk/live+1234567!".to_owned()),
            "Bearer [secret]!"
        );
        assert!(!format!("{:?}", secrets()).contains("sk/live"));
    }

    #[test]
    fn backslashes_without_end_cost_no_more_than_their_number() {
        let text = "\\".repeat(2_000_000);
        assert_eq!(secrets().strike_out(text.clone()), text);
        let json = format!("[\"{text}\"]");
        assert_eq!(secrets().strike_out_of_json(json.clone()), json);
    }
}
