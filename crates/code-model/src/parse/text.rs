//! Helpers for texts that all parsers share.

use std::ops::Range;

/// Returns a text on one line, without runs of blanks, and cut to a length.
pub(crate) fn collapsed(text: &str, characters: usize) -> String {
    // The part that is cut off is not read: a signature may be a table of a megabyte.
    let mut line = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        if length > characters {
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        length += word.len() + 1;
    }
    base::text::cut(&line, characters)
}

/// Returns at most this many bytes of a text, in whole characters.
pub(crate) fn cut_bytes(text: &str, bytes: usize) -> &str {
    let end = text.floor_char_boundary(bytes);
    text.get(..end).unwrap_or(text)
}

/// Returns a part of a text without the inner parts, which are given in their order.
pub(crate) fn without(
    text: &str,
    part: &Range<usize>,
    inside: impl Iterator<Item = Range<usize>>,
) -> String {
    let mut left = String::new();
    let mut at = part.start;
    for span in inside {
        left.push_str(text.get(at..span.start).unwrap_or_default());
        at = at.max(span.end);
    }
    left.push_str(text.get(at..part.end).unwrap_or_default());
    left
}

/// Returns the number of lines of a text. Text after the last line break counts as a line.
pub(crate) fn line_count(text: &str) -> usize {
    text.matches('\n').count() + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_at_characters() {
        assert_eq!(cut_bytes("aßc", 2), "a");
        assert_eq!(cut_bytes("aßc", 9), "aßc");
        assert_eq!(collapsed(" a\n  b\tc ", 9), "a b c");
        assert_eq!(collapsed("abcdef gh", 3), "abc…");
        for (text, lines) in [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("\n\n", 2)] {
            assert_eq!(line_count(text), lines);
        }
    }
}
