//! Strikes our secrets out of what a server sends, should it send them back.
//!
//! JSON has many spellings of one text (`\/`, `\u0041`), so it is done on strings as they are meant: a string with escapes is decoded, struck
//! out and written anew. Nothing outside of strings is touched, so JSON stays JSON.

/// What stands in the place of a secret.
const STRUCK_OUT: &str = "[secret]";

/// The secrets of one server.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Secrets {
    /// The longest first: one may be part of another.
    texts: Vec<String>,
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Secrets").finish_non_exhaustive()
    }
}

impl Secrets {
    /// These texts.
    pub fn new(mut texts: Vec<String>) -> Self {
        texts.retain(|text| !text.is_empty());
        texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
        texts.dedup();
        Self { texts }
    }

    fn is_in(&self, text: &str) -> bool {
        self.texts
            .iter()
            .any(|secret| text.contains(secret.as_str()))
    }

    /// A text without them.
    pub fn strike_out(&self, text: String) -> String {
        if !self.is_in(&text) {
            return text;
        }
        self.texts.iter().fold(text, |text, secret| {
            text.replace(secret.as_str(), STRUCK_OUT)
        })
    }

    /// JSON without them in any of its strings.
    pub fn strike_out_of_json(&self, json: String) -> String {
        if self.texts.is_empty() || !(self.is_in(&json) || json.contains('\\')) {
            return json;
        }
        let mut struck = String::new();
        // How far `struck` reaches.
        let mut copied = 0;
        let mut at = 0;
        while let Some(string) = next_string(&json, at) {
            at = string.end;
            let Some(literal) = json.get(string.clone()) else {
                break;
            };
            if let Some(clean) = self.clean(literal) {
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

    /// A string literal without them, if it holds one.
    fn clean(&self, literal: &str) -> Option<String> {
        if !literal.contains('\\') {
            return self
                .is_in(literal)
                .then(|| self.strike_out(literal.to_owned()));
        }
        match serde_json::from_str::<String>(literal) {
            Ok(text) if self.is_in(&text) => {
                Some(serde_json::Value::from(self.strike_out(text)).to_string())
            }
            Ok(_) => None,
            // Half a surrogate pair, say: what can be seen is struck out.
            Err(_) => self
                .is_in(literal)
                .then(|| self.strike_out(literal.to_owned())),
        }
    }
}

/// The next string literal with its quotes; one that does not end reaches to the end.
fn next_string(json: &str, from: usize) -> Option<std::ops::Range<usize>> {
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
            (r#"["with\"quote","b"]"#, r#"["[secret]","b"]"#),
            (r#"{"sk/live+12":1}"#, r#"{"[secret]":1}"#),
            (r#""{\"a\":\"sk/live+12\"}""#, r#""{\"a\":\"[secret]\"}""#),
        ] {
            assert_eq!(secrets().strike_out_of_json(json.to_owned()), wanted);
        }
    }

    #[test]
    fn what_is_no_string_and_what_holds_none_stays_as_it_is() {
        for json in [
            r#"{"id":12345678}"#,
            r#"{"a":"\ud83d\ude00 \/","b":[1.0e5,null]}"#,
            r#"{"a":"\ud83d"}"#,
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
}
