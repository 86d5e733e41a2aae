//! Warnings about side effects of an edit, for the person who decides about it.

use std::collections::{BTreeSet, HashSet};

use base::text::cut;

use super::proposal::StoredEdit;
use super::request::ItemEdit;
use crate::ItemRow;
use crate::limits::{MAX_REPORTED_LOSSES, MAX_SIGNATURE_CHARACTERS};
use crate::model::{ItemKind, ParsedFile};
use crate::parse::Grammar;

/// Returns a warning for the documentation, and for each attribute or decorator, that an item has
/// and its replacement lacks.
pub(super) fn left_out(grammar: &dyn Grammar, canon: &str, old: &str, new: &str) -> Vec<String> {
    let (old, new) = (grammar.front(old), grammar.front(new));
    let mut warnings = Vec::new();
    if old.is_documented && !new.is_documented {
        warnings.push(format!(
            "the replacement of {canon} leaves out its documentation, which deletes it"
        ));
    }
    let mut kept = new.attributes;
    for (compact, written) in old.attributes {
        match kept.iter().position(|(other, _)| *other == compact) {
            Some(at) => drop(kept.swap_remove(at)),
            None => warnings.push(format!(
                "the replacement of {canon} leaves out {}, which deletes it",
                cut(written, MAX_SIGNATURE_CHARACTERS)
            )),
        }
    }
    warnings
}

/// Returns a warning about invisible characters in new code, and characters that change the order
/// in which it is displayed.
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
            "the new code of {path} has invisible characters, or characters that change its displayed order: {}{more}",
            named.join(", ")
        )
    })
}

/// Returns warnings about items that the changed file no longer has, and about insertions that
/// contain no code.
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
            format!("the edit removes {} ({kind})", item.canon)
        })
        .collect();
    if lost.len() > MAX_REPORTED_LOSSES {
        let more = lost.len() - MAX_REPORTED_LOSSES;
        surprises.push(format!("the edit removes {more} more items"));
    }
    let inserts = edits.iter().any(|edit| {
        matches!(
            edit.how(),
            Some(ItemEdit::InsertBefore | ItemEdit::InsertAfter)
        )
    });
    if inserts && after.items.len() <= before.len() - lost.len() {
        surprises.push(
            "the inserted code adds no item: it is a comment, or it became part of existing code"
                .to_owned(),
        );
    }
    surprises
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str, expected: &[&str]) {
        let warnings = left_out(
            crate::parse::rules(crate::model::Language::Rust),
            "it",
            old,
            new,
        );
        let lost: Vec<&str> = warnings
            .iter()
            .filter_map(|warning| {
                let rest = warning.strip_prefix("the replacement of it leaves out ")?;
                rest.strip_suffix(", which deletes it")
            })
            .collect();
        assert_eq!(lost, expected, "{old} -> {new}");
        assert_eq!(lost.len(), warnings.len());
    }

    #[test]
    fn each_attribute_and_decorator_that_goes_is_named() {
        check(
            "#[a] #[b(c = \"]\")]\nfn f() {}",
            "#[a]\nfn f() {}",
            &["#[b(c = \"]\")]"],
        );
        check("#[a]\n#[a]\nfn f() {}", "#[a]\nfn f() {}", &["#[a]"]);
        check(
            "#[derive(Debug, Clone)]\nstruct S;",
            "#[derive(Debug,Clone)]\nstruct S;",
            &[],
        );
        check(
            "#[derive(Debug, Clone)]\nstruct S;",
            "#[derive(Debug)] struct S;",
            &["#[derive(Debug, Clone)]"],
        );
        check(
            "/// Doc.\n#[a]\n// plain\n#[b]\nfn f() {}",
            "fn f() {}",
            &["its documentation", "#[a]", "#[b]"],
        );
        check("#[doc = \"Doc.\"]\nfn f() {}", "/** Doc. */ fn f() {}", &[]);
        check(
            "@a @b.c({ d: ')' })\nclass K {}",
            "@a class K {}",
            &["@b.c({ d: ')' })"],
        );
        check("@a\nexport class K {}", "export @a class K {}", &[]);
        check(
            "export default @a() abstract class K {}",
            "export default abstract class K {}",
            &["@a()"],
        );
        check(
            "/** D. */ @a // of a\n@b m() {}",
            "@b m() {}",
            &["its documentation", "@a"],
        );
        check(
            "@Input({ required: true }) x = () => 1;",
            "@Input() x = () => 1;",
            &["@Input({ required: true })"],
        );
        check("exports.a = function () {}", "exports.a = 1", &[]);
        check("fn f() {}", "#[a] fn f() {}", &[]);
        check("@a(", "", &["@a("]);
        check("#[a", "", &["#[a"]);
        check("/* open", "", &[]);
    }
}
