//! The spellings in which people and models write the canonical path of an item.

use crate::ItemRow;
use crate::model::ItemKind;
use crate::parse::{ItemNames, compact, language, rules};

/// Returns a path for comparison: without needless blanks, and without the `r#` of raw identifiers.
pub(crate) fn normalised(canon: &str) -> String {
    // CPython names the items in a function like this.
    let compact = compact(canon.trim()).replace("<locals>.", "");
    let mut rest = compact.as_str();
    let mut plain = String::with_capacity(rest.len());
    while let Some((before, behind)) = rest.split_once("r#") {
        plain.push_str(before);
        if plain.ends_with(|letter: char| letter == '_' || letter.is_alphanumeric()) {
            plain.push_str("r#");
        }
        rest = behind;
    }
    plain + rest
}

/// Returns true if a path is the end of a spelling of the item's path: `Circle::area`, `area`.
pub(crate) fn ends_with(item: &ItemRow, path: &str) -> bool {
    let is_end = |way: &str| {
        let before = way.strip_suffix(path);
        before.is_some_and(|before| before.ends_with("::") || before.ends_with('.'))
    };
    let last = path.rsplit(['.', ':']).next().unwrap_or(path);
    let may_be = item.kind == ItemKind::Impl || normalised(&item.name).ends_with(last);
    may_be && spellings(item).iter().any(|way| is_end(way))
}

/// Returns all spellings of an item's path, its own first.
pub(crate) fn spellings(item: &ItemRow) -> Vec<String> {
    let mut ways = vec![normalised(&item.canon)];
    let others = rules(language(&item.path)).other_paths(ItemNames {
        kind: item.kind,
        name: &item.name,
        canon: &item.canon,
        module_path: &item.module_path,
    });
    ways.extend(others.iter().map(|way| normalised(way)));
    // With the name of the crate instead of `crate`.
    let own = normalised(&item.canon);
    let own = own.strip_prefix("crate");
    if let Some(rest) = own.filter(|_| !item.crate_name.is_empty()) {
        ways.push(format!("{}{rest}", item.crate_name));
    }
    ways
}
