//! Finds texts that may return other rows when they run than when they are counted.

use sql_gate::bound::Bound;
use sql_gate::functions;

/// Texts that mean the time of their call.
const NOW: [&str; 3] = ["now", "subsec", "subsecond"];

/// Returns true for a text that calls a function whose value changes from call to call, or that
/// reads the current time.
pub(super) fn may_change(text: &str, functions: &[String], bound: &Bound) -> bool {
    let lower = text.to_ascii_lowercase();
    let mut changing = functions::all(functions::VARIES | functions::OF_CONNECTION);
    let calls = changing.any(|name| {
        let mut others = functions.iter();
        lower.contains(name) && others.any(|other| other.eq_ignore_ascii_case(name))
    });
    calls || says_now(text, bound)
}

/// Returns true if the text contains `now` or a synonym, or calls a function of date and time
/// without arguments.
fn says_now(text: &str, bound: &Bound) -> bool {
    let text = &text.to_ascii_lowercase();
    let quoted = |text: &str| {
        NOW.iter().any(|word| {
            text.contains(&format!("'{word}'")) || text.contains(&format!("\"{word}\""))
        })
    };
    let in_parameters = bound.binds().iter().any(|bind| match bind {
        database::Bind::Text(text) => {
            let text = text.to_ascii_lowercase();
            NOW.contains(&text.as_str()) || quoted(&text)
        }
        database::Bind::Null | database::Bind::Real(_) | database::Bind::Blob(_) => false,
    });
    let spelled: String = text
        .chars()
        .filter(|character| !character.is_whitespace())
        .collect();
    let asked = functions::all(functions::DATED).any(|name| spelled.contains(&format!("{name}()")));
    in_parameters || quoted(text) || text.contains("current_") || asked
}
