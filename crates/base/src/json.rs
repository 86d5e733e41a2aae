//! JSON as text.

/// Whether JSON nests deeper than readers of it can take.
pub fn is_deeper_than(json: &str, limit: usize) -> bool {
    let mut depth = 0_usize;
    let mut in_text = false;
    let mut bytes = json.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => in_text = !in_text,
            b'\\' if in_text => {
                bytes.next();
            }
            b'{' | b'[' if !in_text => {
                depth += 1;
                if depth > limit {
                    return true;
                }
            }
            b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_is_bounded_and_brackets_in_texts_are_not_nesting() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(!is_deeper_than(&nested(5), 5) && is_deeper_than(&nested(6), 5));
        assert!(!is_deeper_than(r#"["[[[[[\"[[[[\\","[["]"#, 1));
        assert!(!is_deeper_than(&nested(5).repeat(9), 5));
    }
}
