//! The words of the history.

use base::text;

use crate::limits::{MAX_LABEL_CHARACTERS, MAX_NAMED_TYPES};
use crate::store::temporal::Tally;

/// A label on one line, cut where it is long.
pub(crate) fn label(label: &str) -> String {
    text::cut(&text::one_line(label), MAX_LABEL_CHARACTERS)
}

/// `TP53 → Obesity`.
pub(crate) fn ends([source, target]: &[String; 2]) -> String {
    format!("{} → {}", label(source), label(target))
}

/// `1 node`, `2 nodes`.
pub(crate) fn count(count: u64, one: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {one}s"),
    }
}

/// `gene, drug`, and how many more.
pub(crate) fn types(types: &[String]) -> String {
    let named: Vec<String> = types
        .iter()
        .take(MAX_NAMED_TYPES)
        .map(|kind| label(kind))
        .collect();
    match types.len().saturating_sub(MAX_NAMED_TYPES) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// What an import did.
pub(crate) fn imported(nodes: Tally, edges: Tally) -> String {
    format!(
        "Imported {} and {}",
        count(nodes.created + nodes.updated, "node"),
        count(edges.created + edges.updated, "edge")
    )
}
