//! Makes text from other servers harmless in one-line comments, string literals and names.

use serde_json::Value;

use crate::limits::MAX_DECLARED_NAME_CHARACTERS;

/// Words with a special meaning before a bracket or a colon in an interface.
const QUOTED_NAMES: [&str; 8] = [
    "new",
    "get",
    "set",
    "async",
    "static",
    "readonly",
    "constructor",
    "declare",
];

/// Returns a text on one line, cut, without invisible characters and without anything that ends a
/// comment or a code fence.
pub fn one_line(text: &str, characters: usize) -> String {
    let mut line = String::new();
    let mut written = 0;
    let mut gap = false;
    // No more is read than could be shown, so that a description of megabytes costs nothing.
    for character in text.chars().take(characters.saturating_mul(4)) {
        if character.is_whitespace() || is_unseen(character) {
            gap = true;
            continue;
        }
        if written >= characters {
            line.push('…');
            break;
        }
        if gap && !line.is_empty() {
            line.push(' ');
            written += 1;
        }
        gap = false;
        // A blank in between breaks up `*/` and a code fence.
        if (character == '/' && line.ends_with('*')) || (character == '`' && line.ends_with("``")) {
            line.push(' ');
            written += 1;
        }
        line.push(character);
        written += 1;
    }
    line
}

/// Returns the first sentence of a text, or its first paragraph.
pub(super) fn first_sentence(text: &str, characters: usize) -> String {
    let paragraph = text.trim_start().split("\n\n").next().unwrap_or_default();
    let end = paragraph
        .match_indices(['.', '!', '?'])
        .map(|(at, mark)| at + mark.len())
        .find(|end| {
            *end > 20
                && paragraph
                    .get(*end..)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
        })
        .unwrap_or(paragraph.len());
    let sentence = paragraph.get(..end).unwrap_or(paragraph);
    one_line(sentence, characters)
        .trim_end_matches('.')
        .to_owned()
}

/// Renders a string literal.
pub(super) fn literal(text: &str) -> String {
    let mut literal = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => {
                literal.push('\\');
                literal.push(character);
            }
            '`' => literal.push_str("\\u0060"),
            seen if !seen.is_control() && !is_unseen(seen) => literal.push(seen),
            unseen => {
                for unit in unseen.encode_utf16(&mut [0; 2]) {
                    literal.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    literal.push('"');
    literal
}

/// Renders a value as a literal type if it is short: `"a"`, `[1, 2]`, `{ unit: "m" }`.
pub(super) fn literal_type(value: &Value, characters: usize) -> Option<String> {
    let written = match value {
        Value::String(text) if text.chars().nth(characters).is_none() => {
            return Some(literal(text));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => return Some(value.to_string()),
        Value::String(_) => return None,
        Value::Array(items) => {
            let items: Option<Vec<String>> = items
                .iter()
                .take(characters)
                .map(|item| literal_type(item, characters))
                .collect();
            format!("[{}]", items?.join(", "))
        }
        Value::Object(entries) if entries.is_empty() => "{}".to_owned(),
        Value::Object(entries) => {
            let entries: Option<Vec<String>> = entries
                .iter()
                .take(characters)
                .map(|(name, item)| {
                    Some(format!(
                        "{}: {}",
                        key(name),
                        literal_type(item, characters)?
                    ))
                })
                .collect();
            format!("{{ {} }}", entries?.join("; "))
        }
    };
    // Omitted parts would make it the type of other values; in that case it is longer than the
    // limit.
    written.chars().nth(characters).is_none().then_some(written)
}

/// Renders a name before a bracket or a colon: unchanged if it is an identifier, otherwise in
/// quotation marks.
pub(super) fn key(name: &str) -> String {
    if is_identifier(name) && !QUOTED_NAMES.contains(&name) {
        return name.to_owned();
    }
    literal(name)
}

/// Returns true if a name is short enough to be written. A cut name would be another name.
pub(super) fn is_short(name: &str) -> bool {
    name.chars().nth(MAX_DECLARED_NAME_CHARACTERS).is_none()
}

/// Returns the name of a server's interface: `my-pubs` becomes `MyPubsTools`.
pub(super) fn interface_name(server: &str) -> String {
    let mut name = String::new();
    let mut upper = true;
    for character in server.chars().take(MAX_DECLARED_NAME_CHARACTERS) {
        if !character.is_ascii_alphanumeric() {
            upper = true;
            continue;
        }
        name.push(if upper {
            character.to_ascii_uppercase()
        } else {
            character
        });
        upper = false;
    }
    if name.starts_with(|first: char| first.is_ascii_digit()) {
        name.insert(0, '_');
    }
    name.push_str("Tools");
    name
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_' || first == '$')
        && name
            .chars()
            .all(|other| other.is_ascii_alphanumeric() || other == '_' || other == '$')
}

/// Returns true for characters that are invisible or change how others are displayed: a person and
/// the model would not read the same text.
fn is_unseen(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_cannot_be_left() {
        for text in [
            "a */ b",
            "a *\u{200b}/ b",
            "a **// b",
            "*/",
            "x\n*/\ny",
            "a *\t/",
        ] {
            let line = one_line(text, 100);
            assert!(!line.contains("*/") && !line.contains('\n'), "{line}");
        }
        assert_eq!(one_line("```js\nx```", 100), "`` `js x`` `");
        assert_eq!(one_line("  a\u{2028}b\r\nc\u{202e}d  ", 100), "a b c d");
        assert_eq!(one_line("abcdef", 3), "abc…");
        assert_eq!(one_line("abc", 3), "abc");
    }

    #[test]
    fn a_sentence_ends_at_its_full_stop() {
        assert_eq!(
            first_sentence("Search papers, e.g. by author. Returns 10.", 100),
            "Search papers, e.g. by author"
        );
        assert_eq!(
            first_sentence("Version 1.2 of the search tool", 100),
            "Version 1.2 of the search tool"
        );
        assert_eq!(
            first_sentence("One paragraph only\n\nAnother", 100),
            "One paragraph only"
        );
    }

    #[test]
    fn names_are_quoted_where_they_must() {
        for (name, expected) in [
            ("search", "search"),
            ("$a_1", "$a_1"),
            ("get-paper", "\"get-paper\""),
            ("1st", "\"1st\""),
            ("new", "\"new\""),
            ("a\"b", "\"a\\\"b\""),
            ("a\nb", "\"a\\u000ab\""),
            ("größe", "\"größe\""),
            ("", "\"\""),
        ] {
            assert_eq!(key(name), expected);
        }
        assert_eq!(interface_name("my-pubs"), "MyPubsTools");
        assert_eq!(interface_name("3d"), "_3dTools");
    }
}
