//! What an edit does beside what it says: a person is told before it is decided.

use std::collections::{BTreeSet, HashSet};

use super::proposal::StoredEdit;
use super::request::ItemEdit;
use crate::ItemRow;
use crate::limits::MAX_REPORTED_LOSSES;
use crate::model::{ItemKind, ParsedFile};

/// What a replacement leaves out of an item's documentation and attributes, which are part of it.
pub(super) fn left_out(canon: &str, old: &str, new: &str) -> Vec<String> {
    let front = |text: &str| {
        let lines = text.trim_start().lines().map(str::trim_start);
        let front: Vec<&str> = lines
            .take_while(|line| {
                line.is_empty()
                    || line.starts_with("//")
                    || line.starts_with("/*")
                    || line.starts_with("#[")
            })
            .collect();
        let documented = front.iter().any(|line| {
            line.starts_with("///") || line.starts_with("/**") || line.starts_with("#[doc")
        });
        let attributes = front
            .iter()
            .any(|line| line.starts_with("#[") && !line.starts_with("#[doc"));
        (documented, attributes)
    };
    let (old, new) = (front(old), front(new));
    let mut warnings = Vec::new();
    if old.0 && !new.0 {
        warnings.push(format!(
            "the replacement of {canon} leaves out its documentation, which deletes it"
        ));
    }
    if old.1 && !new.1 {
        warnings.push(format!(
            "the replacement of {canon} leaves out its attributes, which deletes them"
        ));
    }
    warnings
}

/// Names the characters of new code that are not seen, or that show it in another order than it has.
pub(super) fn unseen(path: &str, edits: &[StoredEdit]) -> Option<String> {
    let found: BTreeSet<char> = edits
        .iter()
        .flat_map(|edit| base::quoted::unseen(&edit.code))
        .collect();
    let named: Vec<String> = found
        .iter()
        .take(MAX_REPORTED_LOSSES)
        .map(|character| format!("U+{:04X}", u32::from(*character)))
        .collect();
    (!named.is_empty()).then(|| {
        let more = match found.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!(
            "the new code of {path} has characters that are not seen: {}{more}",
            named.join(", ")
        )
    })
}

/// What an edit does beside what it says: items that the changed file does not have any more, and insertions that are none of code.
pub(super) fn surprises(
    edits: &[&StoredEdit],
    before: &[ItemRow],
    after: &ParsedFile,
) -> Vec<String> {
    if !after.parsed {
        return Vec::new();
    }
    let there: HashSet<String> = after.items.iter().map(|item| item.id.to_string()).collect();
    let lost: Vec<&ItemRow> = before
        .iter()
        .filter(|item| item.kind != ItemKind::Chunk && !there.contains(&item.id))
        .collect();
    let mut surprises: Vec<String> = lost
        .iter()
        .take(MAX_REPORTED_LOSSES)
        .map(|item| {
            let kind = item.kind.word();
            format!(
                "{} ({kind}) is not there any more after the edit",
                item.canon
            )
        })
        .collect();
    if lost.len() > MAX_REPORTED_LOSSES {
        let more = lost.len() - MAX_REPORTED_LOSSES;
        surprises.push(format!(
            "{more} more items are not there any more after the edit"
        ));
    }
    let inserts = edits.iter().any(|edit| {
        matches!(
            edit.how(),
            Some(ItemEdit::InsertBefore | ItemEdit::InsertAfter)
        )
    });
    if inserts && after.items.len() <= before.len() - lost.len() {
        surprises.push(
            "the inserted code adds no item: it is a comment, or part of what stands there"
                .to_owned(),
        );
    }
    surprises
}
