//! Locates the signature of an item within its text.

use crate::limits::MAX_LINES_BEFORE_HEAD;

/// The mark at the end of a signature that was cut.
const CUT: char = '…';

/// Returns the first byte of a signature and the one after its last. White space is ignored,
/// because a stored signature is on one line.
pub fn locate(text: &str, head: &str) -> Option<(usize, usize)> {
    let head = head.trim_end_matches(CUT);
    if head.trim().is_empty() {
        return None;
    }
    let mut line = 0_usize;
    for _ in 0..MAX_LINES_BEFORE_HEAD {
        let rest = text.get(line..)?;
        let indented = rest.len().saturating_sub(rest.trim_start().len());
        let at = line.saturating_add(indented);
        if let Some(length) = matched(text.get(at..)?, head) {
            return Some((at, at.saturating_add(length)));
        }
        line = line.saturating_add(rest.find('\n')?).saturating_add(1);
    }
    None
}

/// Returns how many bytes of a text are the signature, if the text begins with it.
fn matched(text: &str, head: &str) -> Option<usize> {
    let mut wanted = head.chars().filter(|character| !character.is_whitespace());
    let mut next = wanted.next();
    for (at, character) in text.char_indices() {
        if character.is_whitespace() {
            continue;
        }
        if Some(character) != next {
            return None;
        }
        next = wanted.next();
        if next.is_none() {
            return Some(at.saturating_add(character.len_utf8()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::locate;

    #[test]
    fn a_head_is_found_behind_documentation_and_across_lines() {
        let text = "/// Runs it.\n#[inline]\npub fn run(\n    first: u8,\n) -> bool {\n    true\n}";
        let (at, end) = locate(text, "pub fn run( first: u8, ) -> bool").unwrap();
        assert_eq!(
            text.get(at..end),
            Some("pub fn run(\n    first: u8,\n) -> bool")
        );
        let (at, end) = locate(text, "pub fn run( fir…").unwrap();
        assert_eq!(text.get(at..end), Some("pub fn run(\n    fir"));
    }

    #[test]
    fn a_head_that_is_not_there_is_not_found() {
        for (text, head) in [
            ("fn a() {}", "fn b()"),
            ("fn a", "fn ab"),
            ("", "fn a"),
            ("fn a", ""),
            ("fn a", "…"),
        ] {
            assert_eq!(locate(text, head), None, "{head:?} in {text:?}");
        }
    }
}
