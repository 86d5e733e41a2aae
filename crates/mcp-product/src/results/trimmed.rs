//! Shortens a long value: lists, objects and texts lose their ends. The caller reports the cut.

use serde_json::Value;

use super::tokens;

/// Number of members that a list or an object keeps, round by round.
const ROUNDS: &[usize] = &[200, 100, 50, 20, 10, 5, 2, 0];

/// Number of members that an object always keeps, so that the members in our own schemas are not
/// removed.
const KEPT_MEMBERS: usize = 16;

/// Characters that a text keeps in a round, for each member that a list keeps in that round.
const CHARACTERS_OF_A_MEMBER: usize = 20;

/// Characters that a text always keeps: an id may have this many bytes.
const KEPT_CHARACTERS: usize = 512;

/// Returns a value of at most this many tokens, and true if something was left out. The value may
/// still be larger than that if it is too large even with all lists empty.
pub fn trimmed(value: &Value, max_tokens: usize) -> (Value, bool) {
    if tokens::estimate(&value.to_string()) <= max_tokens {
        return (value.clone(), false);
    }
    let mut short = Value::Null;
    for members in ROUNDS {
        short = with_members(value, *members);
        if tokens::estimate(&short.to_string()) <= max_tokens {
            break;
        }
    }
    (short, true)
}

/// Returns the value with this many members of each list. The parser limits its depth.
fn with_members(value: &Value, members: usize) -> Value {
    match value {
        Value::Array(list) => list
            .iter()
            .take(members)
            .map(|item| with_members(item, members))
            .collect(),
        Value::Object(fields) => fields
            .iter()
            .take(members.max(KEPT_MEMBERS))
            .map(|(name, item)| (name.clone(), with_members(item, members)))
            .collect(),
        Value::String(text) => {
            let characters = (members * CHARACTERS_OF_A_MEMBER).max(KEPT_CHARACTERS);
            base::text::cut(text, characters).into()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_long_value_loses_the_ends_of_its_lists() {
        let value = json!({"count": 5_000, "ids": (0..5_000).map(|id| format!("node_{id}")).collect::<Vec<_>>()});
        let (short, is_short) = trimmed(&value, 1_000);
        assert!(is_short && tokens::estimate(&short.to_string()) <= 1_000);
        assert_eq!(
            (&short["count"], &short["ids"][3]),
            (&json!(5_000), &json!("node_3"))
        );
        let (same, is_short) = trimmed(&short, 1_000);
        assert_eq!((same, is_short), (short, false));
    }

    #[test]
    fn texts_and_objects_are_cut_too() {
        let many: serde_json::Map<String, Value> =
            (0..3_000).map(|at| (format!("k{at}"), json!(at))).collect();
        let value = json!({"text": "word ".repeat(9_000), "data": many});
        let (short, _) = trimmed(&value, 2_000);
        assert!(tokens::estimate(&short.to_string()) <= 2_000);
        assert!(short["text"].as_str().unwrap().ends_with('…'));
    }
}
