//! The text that a person reads before a decision, in a form of their client.
//!
//! Verified facts come first, one on each line after a label of ours. Text of others follows,
//! quoted after a label that names its author; the full statement or diff comes last, in a code
//! fence. Text of others can therefore never appear as a fact of ours.

use std::fmt::Write as _;

use base::quoted::{fenced, quoted};
use mcp::server::InputRequest;
use serde_json::{Value, json};

/// Characters of a name or path that a form shows.
pub const MAX_SHOWN_NAME_CHARACTERS: usize = 400;

/// Characters of an explanation or a warning that a form shows.
pub const MAX_SHOWN_WORDS_CHARACTERS: usize = 2_000;

/// The text of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    question: &'static str,
    checked_by: &'static str,
    facts: Vec<String>,
    shown: String,
    numbered: usize,
}

impl Form {
    /// Creates a form with this question, whose facts were verified by this part of the product.
    pub fn asking(question: &'static str, checked_by: &'static str) -> Self {
        Self {
            question,
            checked_by,
            facts: Vec::new(),
            shown: String::new(),
            numbered: 0,
        }
    }

    /// Adds a fact that is a sentence of ours.
    pub fn fact(&mut self, sentence: impl Into<String>) {
        self.facts.push(sentence.into());
    }

    /// Adds a fact with a name that others have chosen.
    pub fn named(&mut self, label: &str, name: &str, rest: &str) {
        let name = quoted(name, MAX_SHOWN_NAME_CHARACTERS);
        self.facts.push(format!("{label}: {name}{rest}"));
    }

    /// Adds a quotation.
    pub fn said(&mut self, who: &str, words: &str) {
        let words = quoted(words, MAX_SHOWN_WORDS_CHARACTERS);
        let _written = write!(self.shown, "\n\n{who}: {words}");
    }

    /// Adds a text in full.
    pub fn in_full(&mut self, label: &str, text: &str) {
        let block = fenced(text);
        self.numbered += block.numbered;
        let lines = if block.lines == 1 { "line" } else { "lines" };
        let _written = write!(
            self.shown,
            "\n\n{label}, {} {lines}:\n{}",
            block.lines, block.text
        );
    }

    /// Renders the message.
    pub fn message(&self) -> String {
        let mut message = format!("{}\n\nChecked by {}:", self.question, self.checked_by);
        for fact in &self.facts {
            let _written = write!(message, "\n- {fact}");
        }
        if self.numbered > 0 {
            let _written = write!(
                message,
                "\n- Characters of the full text that are invisible or change the order of others: {}. Each is shown by its number, such as ⟨U+202E⟩.",
                self.numbered
            );
        }
        message.push_str(&self.shown);
        message
    }

    /// Returns the request to the client, with the schema of the fields that its user fills in.
    pub fn request(&self, properties: &Value, required: &str) -> InputRequest {
        InputRequest {
            method: "elicitation/create",
            params: Some(json!({
                "message": self.message(),
                "requestedSchema": {
                    "type": "object",
                    "properties": properties,
                    "required": [required],
                },
            })),
        }
    }
}

/// Returns the fields of a form in which a person approves, or refuses with a reason.
pub fn decision_fields(refusal: &str, refused: &str) -> Value {
    json!({
        "decision": { "type": "string", "title": "Decision", "enum": ["approve", refusal] },
        "reason": {
            "type": "string",
            "title": "Reason",
            "description": format!("Why it is {refused}, if it is."),
        },
    })
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Texts that imitate ours, break their line, or move the text beside them.
    pub const HOSTILE: &[&str] = &[
        "It only reads.\nKind: read. Rows that it changes: 0.\n\nApprove.",
        "x\n- Rows that it changes: 0\nChecked by the database:\n- Kind: read",
        "x”\n\nChecked by the database:\n- Kind: read",
        "x\r- Kind: read\r\n- Kind: read\u{85}- Kind: read\u{2028}- Kind: read\u{2029}- Kind: read\u{b}- Kind: read\u{c}- Kind: read",
        "\u{202e}.sdaer ylno tI\u{202c} \u{2066}x\u{2069} \u{61c}\u{200e}\u{200f}",
        "a\u{200b}\u{2060}\u{feff}\u{ad}\u{e0041}\u{fe0f}\u{3164}\u{2800}",
        "```\n- Kind: read\n```\n````\n- Kind: read",
        "\u{1b}[2J\u{1b}[1;1H- Kind: read",
        "<!-- --> <b>Kind: read</b> &#10;- Kind: read **bold** [a](http://evil.example)",
        "e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
        "| - Kind: read\n: - Kind: read\n⟨U+000A⟩- Kind: read",
        "\n\n\n\n\n\n\n\n\n\n\n\n\n- Kind: read",
    ];

    /// Checks that each line of a form begins like a line of ours, and that its facts come first.
    /// Returns the facts.
    pub fn require_unforged(message: &str, question: &str, checked_by: &str) -> Vec<String> {
        for character in message.chars() {
            let is_plain = !character.is_control() || character == '\n';
            let is_hidden = matches!(character, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
            assert!(is_plain && !is_hidden, "{character:?} in {message}");
        }
        let head = format!("{question}\n\nChecked by {checked_by}:\n");
        let rest = message
            .strip_prefix(&head)
            .unwrap_or_else(|| panic!("{message}"));
        let (facts, rest) = rest.split_once("\n\n").unwrap_or((rest, ""));
        assert!(
            facts.lines().all(|fact| fact.starts_with("- ")),
            "{message}"
        );
        let mut fence: Option<&str> = None;
        for line in rest.lines() {
            if let Some(open) = fence {
                if line == open {
                    fence = None;
                } else {
                    assert!(
                        line.starts_with("| ") || line.starts_with(": "),
                        "{line:?} in {message}"
                    );
                }
            } else if line.starts_with("```") {
                assert!(line.chars().all(|letter| letter == '`'), "{message}");
                fence = Some(line);
            } else {
                let is_label = line.split_once(": “").is_some_and(|(label, words)| {
                    let label = label
                        .chars()
                        .all(|letter| letter.is_ascii_alphabetic() || letter == ' ');
                    let end = words.split_once('”').map(|(_, end)| end);
                    label && end.is_some_and(|end| end.is_empty() || end.ends_with(" more)"))
                });
                assert!(
                    line.is_empty()
                        || is_label
                        || line.ends_with(" line:")
                        || line.ends_with(" lines:"),
                    "{line:?} in {message}"
                );
            }
        }
        assert!(fence.is_none(), "{message}");
        facts.lines().map(str::to_owned).collect()
    }

    #[test]
    fn hidden_characters_are_counted_among_the_facts() {
        let mut form = Form::asking("Run this statement?", "the database");
        form.fact("Kind: delete");
        form.in_full("The statement", "DELETE FROM t /*\u{202e}\u{2066}*/");
        let facts = require_unforged(&form.message(), "Run this statement?", "the database");
        assert_eq!(facts.len(), 2);
        assert!(
            facts
                .iter()
                .any(|fact| fact.contains("order of others: 2. "))
        );
    }
}
