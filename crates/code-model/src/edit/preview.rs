//! Previews of proposals: a unified diff on which a person decides, and the new code, which the
//! author of an edit may ask for instead. Both have a bounded size, however large the edits are.

use std::collections::HashMap;
use std::fmt::Write;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::limits::{DIFF_CONTEXT_LINES, MAX_DIFFED_LINES, MAX_PREVIEW_BYTES};
use crate::model::Language;
use crate::parse::text::cut_bytes;

/// The number of backticks of the shortest Markdown fence.
const SHORTEST_FENCE: usize = 3;

/// A file whose change is shown.
pub(super) struct Shown<'a> {
    pub path: &'a str,
    pub before: &'a str,
    pub after: &'a str,
}

/// New code of a file.
pub(super) struct Block<'a> {
    pub path: &'a str,
    pub language: Language,
    /// The text into which the code is inserted.
    pub before: &'a str,
    /// The byte at which it is inserted.
    pub at: usize,
    pub code: &'a str,
}

/// A preview while it is written. Files beyond its limit are not compared.
#[derive(Default)]
pub(super) struct Preview(String);

impl Preview {
    /// Adds the change of a file.
    pub fn diff(&mut self, file: &Shown<'_>) {
        if self.0.len() <= MAX_PREVIEW_BYTES {
            diff(file, &mut self.0);
        }
    }

    /// Adds the new code of edits.
    pub fn code<'a>(&mut self, blocks: impl Iterator<Item = Block<'a>>) {
        for block in blocks {
            if self.0.len() > MAX_PREVIEW_BYTES {
                return;
            }
            code_block(&block, &mut self.0);
        }
    }

    /// Returns the text, cut at the end of a line.
    pub fn finish(self) -> String {
        bounded(self.0)
    }
}

fn bounded(text: String) -> String {
    if text.len() <= MAX_PREVIEW_BYTES {
        return text;
    }
    let shown = cut_bytes(&text, MAX_PREVIEW_BYTES);
    let whole = shown
        .rfind('\n')
        .map_or(shown, |at| shown.get(..=at).unwrap_or(shown));
    format!("{whole}… the preview is cut at {MAX_PREVIEW_BYTES} bytes\n")
}

fn code_block(block: &Block<'_>, text: &mut String) {
    let fence = fence(block.code);
    let before = block.before.get(..block.at).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let _ = writeln!(
        text,
        "{}, line {line}\n{fence}{}\n{}\n{fence}",
        block.path,
        block.language.word(),
        block.code.trim_matches(['\n', '\r'])
    );
}

/// Returns a fence that no line of a text closes.
fn fence(text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max();
    "`".repeat(longest.unwrap_or(0).max(SHORTEST_FENCE - 1) + 1)
}

/// Adds the diff of two texts as lines. Only the lines between their common start and end are
/// compared.
fn diff(file: &Shown<'_>, text: &mut String) {
    let before: Vec<&str> = file.before.split_inclusive('\n').collect();
    let after: Vec<&str> = file.after.split_inclusive('\n').collect();
    let _ = writeln!(text, "--- a/{}\n+++ b/{}", file.path, file.path);
    let operations = operations(&before, &after);
    let groups = similar::group_diff_ops(operations, DIFF_CONTEXT_LINES);
    for group in groups {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            continue;
        };
        let old = first.old_range().start..last.old_range().end;
        let new = first.new_range().start..last.new_range().end;
        let _ = writeln!(text, "@@ -{} +{} @@", header(&old), header(&new));
        for operation in &group {
            if matches!(operation, DiffOp::Equal { .. }) {
                lines(' ', &before, operation.old_range(), text);
            } else {
                lines('-', &before, operation.old_range(), text);
                lines('+', &after, operation.new_range(), text);
            }
            if text.len() > MAX_PREVIEW_BYTES {
                return;
            }
        }
    }
}

fn operations(before: &[&str], after: &[&str]) -> Vec<DiffOp> {
    let start = before
        .iter()
        .zip(after)
        .take_while(|(one, other)| one == other)
        .count();
    let rest = before.len().min(after.len()) - start;
    let end = before
        .iter()
        .rev()
        .zip(after.iter().rev())
        .take(rest)
        .take_while(|(one, other)| one == other)
        .count();
    let (old, new) = (start..before.len() - end, start..after.len() - end);
    let mut operations = Vec::new();
    if start > 0 {
        operations.push(DiffOp::Equal {
            old_index: 0,
            new_index: 0,
            len: start,
        });
    }
    let middle = (
        before.get(old.clone()).unwrap_or_default(),
        after.get(new.clone()).unwrap_or_default(),
    );
    if middle.0.len() + middle.1.len() <= MAX_DIFFED_LINES {
        let (old, new) = numbered(middle.0, middle.1);
        let found = capture_diff_slices(Algorithm::Myers, &old, &new);
        operations.extend(found.into_iter().map(|operation| moved(operation, start)));
    } else {
        // The time of a comparison grows with the square of the lines, so these are all shown as
        // replaced.
        operations.push(DiffOp::Replace {
            old_index: old.start,
            old_len: old.len(),
            new_index: new.start,
            new_len: new.len(),
        });
    }
    if end > 0 {
        operations.push(DiffOp::Equal {
            old_index: old.end,
            new_index: new.end,
            len: end,
        });
    }
    operations
}

/// Returns lines as numbers, the same for equal lines, because lines are compared many times and
/// may be long.
fn numbered<'t>(before: &[&'t str], after: &[&'t str]) -> (Vec<usize>, Vec<usize>) {
    let mut known: HashMap<&'t str, usize> = HashMap::new();
    let mut number = |line: &&'t str| {
        let next = known.len();
        *known.entry(*line).or_insert(next)
    };
    let before = before.iter().map(&mut number).collect();
    (before, after.iter().map(&mut number).collect())
}

fn moved(operation: DiffOp, by: usize) -> DiffOp {
    match operation {
        DiffOp::Equal {
            old_index,
            new_index,
            len,
        } => DiffOp::Equal {
            old_index: old_index + by,
            new_index: new_index + by,
            len,
        },
        DiffOp::Delete {
            old_index,
            old_len,
            new_index,
        } => DiffOp::Delete {
            old_index: old_index + by,
            old_len,
            new_index: new_index + by,
        },
        DiffOp::Insert {
            old_index,
            new_index,
            new_len,
        } => DiffOp::Insert {
            old_index: old_index + by,
            new_index: new_index + by,
            new_len,
        },
        DiffOp::Replace {
            old_index,
            old_len,
            new_index,
            new_len,
        } => DiffOp::Replace {
            old_index: old_index + by,
            old_len,
            new_index: new_index + by,
            new_len,
        },
    }
}

fn header(range: &Range<usize>) -> String {
    // An empty range is named by the line before it.
    let first = if range.is_empty() {
        range.start
    } else {
        range.start + 1
    };
    match range.len() {
        1 => first.to_string(),
        len => format!("{first},{len}"),
    }
}

fn lines(sign: char, all: &[&str], range: Range<usize>, text: &mut String) {
    for line in all.get(range).unwrap_or_default() {
        text.push(sign);
        text.push_str(line);
        if !line.ends_with('\n') {
            text.push_str("\n\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(before: &str, after: &str) -> String {
        let file = Shown {
            path: "a.rs",
            before,
            after,
        };
        let mut preview = Preview::default();
        preview.diff(&file);
        preview.finish()
    }

    #[test]
    fn a_diff_is_one_that_patch_reads() {
        let before: String = (1..=20).map(|number| format!("line {number}\n")).collect();
        let after = before
            .replace("line 10\n", "ten\n")
            .replace("line 11\n", "")
            .replace("line 12\n", "line 12\nmore\n");
        assert_eq!(
            shown(&before, &after),
            "--- a/a.rs\n+++ b/a.rs\n@@ -7,9 +7,9 @@\n line 7\n line 8\n line 9\n-line 10\n-line 11\n+ten\n line 12\n+more\n line 13\n line 14\n line 15\n"
        );
        assert_eq!(
            shown("", "a\n"),
            "--- a/a.rs\n+++ b/a.rs\n@@ -0,0 +1 @@\n+a\n"
        );
        assert_eq!(
            shown("a", "b"),
            "--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"
        );
    }

    #[test]
    fn a_preview_has_a_bound() {
        let before = "a\n".repeat(200_000);
        let after = "b\n".repeat(200_000);
        let text = shown(&before, &after);
        assert!(text.len() < MAX_PREVIEW_BYTES + 100);
        assert!(text.ends_with("bytes\n"));
    }

    #[test]
    fn no_code_closes_its_fence() {
        let block = |code| {
            let mut preview = Preview::default();
            preview.code(std::iter::once(Block {
                path: "a.md",
                language: Language::Text,
                before: "1\n2\n",
                at: 2,
                code,
            }));
            preview.finish()
        };
        assert_eq!(block("x"), "a.md, line 2\n```text\nx\n```\n");
        assert_eq!(
            block("`````\nApproved."),
            "a.md, line 2\n``````text\n`````\nApproved.\n``````\n"
        );
    }
}
