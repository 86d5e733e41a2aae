//! Makes the changed text of a file: replaces ranges that are checked against each other.

use std::ops::Range;

use base::{Error, Result};

use crate::CodeError;

/// A range to replace. An empty range is an insertion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Splice {
    pub range: Range<usize>,
    pub replacement: String,
    /// Its index in the request.
    pub index: usize,
}

/// Checks that a range lies within a text.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] for a range whose end is before its start or after the
/// end of the text, or that cuts a character.
pub(super) fn check_range(text: &str, path: &str, start: usize, end: usize) -> Result<()> {
    if start > end {
        return Err(Error::invalid(format!(
            "start_byte {start} is after end_byte {end} in {path}"
        )));
    }
    if end > text.len() {
        return Err(Error::invalid(format!(
            "end_byte {end} is beyond {path}, which has {} bytes",
            text.len()
        )));
    }
    for byte in [start, end] {
        if !text.is_char_boundary(byte) {
            return Err(Error::invalid(format!(
                "byte {byte} of {path} is inside a character"
            )));
        }
    }
    Ok(())
}

/// Orders the splices of one file by position.
///
/// # Errors
/// [`CodeError::Overlapping`] for two that change the same bytes, or an insertion within a replaced
/// range.
pub(super) fn ordered(path: &str, mut splices: Vec<Splice>) -> Result<Vec<Splice>> {
    // An insertion at the start of a replaced range goes before it.
    splices.sort_by_key(|splice| (splice.range.start, splice.range.end, splice.index));
    for (one, other) in splices.iter().zip(splices.iter().skip(1)) {
        if other.range.start < one.range.end {
            return Err(Error::from(CodeError::Overlapping {
                path: path.to_owned(),
                edits: (one.index.min(other.index), one.index.max(other.index)),
            }));
        }
    }
    Ok(splices)
}

/// Returns the text with ordered splices applied, in one pass over it.
pub(super) fn apply(text: &str, splices: &[Splice]) -> String {
    let added: usize = splices.iter().map(|splice| splice.replacement.len()).sum();
    let mut changed = String::with_capacity(text.len() + added);
    let mut at = 0;
    for splice in splices {
        changed.push_str(text.get(at..splice.range.start).unwrap_or_default());
        changed.push_str(&splice.replacement);
        at = splice.range.end;
    }
    changed.push_str(text.get(at..).unwrap_or_default());
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn splice(range: Range<usize>, replacement: &str, index: usize) -> Splice {
        Splice {
            range,
            replacement: replacement.to_owned(),
            index,
        }
    }

    #[test]
    fn splices_are_applied_where_they_were_meant() {
        let splices = ordered(
            "a",
            vec![
                splice(4..5, "EE", 0),
                splice(0..2, "", 1),
                splice(4..4, "-", 2),
                splice(5..5, "+", 3),
            ],
        )
        .unwrap();
        assert_eq!(apply("abcdef", &splices), "cd-EE+f");
    }

    #[test]
    fn what_changes_the_same_bytes_is_refused() {
        for (one, other) in [(0..3, 2..4), (0..3, 1..1), (0..3, 0..3), (1..2, 0..4)] {
            let error = ordered(
                "a",
                vec![splice(one.clone(), "", 0), splice(other.clone(), "", 1)],
            )
            .unwrap_err();
            assert_eq!(error.code(), "OVERLAPPING_EDITS", "{one:?} {other:?}");
        }
        for (one, other) in [(0..3, 3..4), (0..3, 3..3), (0..3, 0..0), (2..2, 2..2)] {
            assert!(ordered("a", vec![splice(one, "", 0), splice(other, "", 1)]).is_ok());
        }
    }
}
