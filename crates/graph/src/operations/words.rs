//! The descriptions of steps in the history.

use base::text;

use crate::limits::{MAX_LABEL_CHARACTERS, MAX_NAMED_TYPES};
use crate::store::temporal::Tally;

/// Returns a label on one line, cut if it is long.
pub(crate) fn label(label: &str) -> String {
    text::cut(&text::one_line(label), MAX_LABEL_CHARACTERS)
}

/// Returns `TP53 → Obesity` from the id and the label of both ends, with the ids if both labels are
/// the same.
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

/// Returns `1 node` or `2 nodes`.
pub(crate) fn count(count: u64, one: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {one}s"),
    }
}

/// Returns `gene, drug` and the number of further types.
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

/// Returns the description of an import.
pub(crate) fn imported(nodes: Tally, edges: Tally) -> String {
    format!(
        "Imported {} and {}",
        count(nodes.created + nodes.updated, "node"),
        count(edges.created + edges.updated, "edge")
    )
}
