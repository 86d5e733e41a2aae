//! The words of the history.

use base::text;

use crate::limits::{MAX_LABEL_CHARACTERS, MAX_NAMED_TYPES};
use crate::store::temporal::Tally;

/// Returns a label on one line, cut where it is long.
pub(crate) fn label(label: &str) -> String {
    text::cut(&text::one_line(label), MAX_LABEL_CHARACTERS)
}

/// `TP53 → Obesity`, of the id and the label of both ends; with the ids where two nodes have one
/// label.
pub(crate) fn ends([source, target]: &[[String; 2]; 2]) -> String {
    let [source_id, source_label] = source;
    let [target_id, target_label] = target;
    if source_label == target_label && source_id != target_id {
        let end = |text: &str, id: &str| format!("{} ({})", label(text), label(id));
        return format!(
            "{} → {}",
            end(source_label, source_id),
            end(target_label, target_id)
        );
    }
    format!("{} → {}", label(source_label), label(target_label))
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
