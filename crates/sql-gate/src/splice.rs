//! Inserts pieces of text into the caller's own text, by their offsets in it.

/// A piece of text that replaces `start..end`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice {
    /// Byte at which the replaced text begins.
    pub start: usize,
    /// Byte after the replaced text.
    pub end: usize,
    /// The new text.
    pub text: String,
}

impl Splice {
    /// Makes a splice that replaces nothing.
    pub fn insert(at: usize, text: impl Into<String>) -> Self {
        Self {
            start: at,
            end: at,
            text: text.into(),
        }
    }
}

/// Applies splices that do not overlap. The text outside of them is the caller's, byte for byte.
pub fn apply(sql: &str, mut splices: Vec<Splice>) -> String {
    if splices.is_empty() {
        return sql.to_owned();
    }
    splices.sort_by_key(|splice| (splice.start, splice.end));
    let added: usize = splices.iter().map(|splice| splice.text.len()).sum();
    let mut result = String::with_capacity(sql.len() + added);
    let mut at = 0;
    for splice in &splices {
        result.push_str(sql.get(at..splice.start).unwrap_or_default());
        result.push_str(&splice.text);
        at = splice.end;
    }
    result.push_str(sql.get(at..).unwrap_or_default());
    result
}

/// Returns the text between two offsets, with the splices inside.
pub fn apply_within(sql: &str, start: usize, end: usize, splices: &[Splice]) -> String {
    let inside = splices
        .iter()
        .filter(|splice| splice.start >= start && splice.end <= end);
    let moved = inside.map(|splice| Splice {
        start: splice.start - start,
        end: splice.end - start,
        text: splice.text.clone(),
    });
    apply(sql.get(start..end).unwrap_or_default(), moved.collect())
}
