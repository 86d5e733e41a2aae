//! Splits files without a parser into chunks of lines, which end at blank lines and, in Markdown,
//! before headings.

use std::collections::HashMap;

use uuid::Uuid;

use super::text::{collapsed, cut_bytes};
use crate::hash::{item_id, text_hash, tracking_hash};
use crate::limits::{
    CHUNK_LINES, MAX_CHUNK_BYTES, MAX_CHUNK_LINES, MAX_FILE_ITEMS, MAX_ITEM_NAME_BYTES,
};
use crate::model::{Item, ItemKind, Placement};

/// Characters of the name of a chunk, which is its first line.
const NAME_CHARACTERS: usize = 80;

/// Splits a text into chunks.
pub(crate) fn read(text: &str, placement: &Placement) -> Vec<Item> {
    let mut ordinals: HashMap<Uuid, usize> = HashMap::new();
    let markdown = placement.path.ends_with(".md");
    let mut items = Vec::new();
    for span in chunks(text, markdown) {
        let chunk = text.get(span.clone()).unwrap_or_default();
        if chunk.trim().is_empty() {
            continue;
        }
        if items.len() >= MAX_FILE_ITEMS {
            break;
        }
        let hash = text_hash(chunk.as_bytes()).to_string();
        let first = item_id(
            placement.namespace,
            &[&placement.path, ItemKind::Chunk.word(), &hash],
        );
        let ordinal = ordinals.entry(first).or_default();
        let id = match *ordinal {
            0 => first,
            more => item_id(first, &[&more.to_string()]),
        };
        *ordinal += 1;
        let line = chunk.trim_start().lines().next().unwrap_or_default();
        let name = collapsed(line, NAME_CHARACTERS);
        let name = cut_bytes(&name, MAX_ITEM_NAME_BYTES).to_owned();
        let hash = tracking_hash(placement.namespace, &placement.absolute_path, chunk);
        items.push(Item {
            id,
            kind: ItemKind::Chunk,
            canon: name.clone(),
            signature: name.clone(),
            name,
            module_path: String::new(),
            parent: None,
            visibility: String::new(),
            docstring: String::new(),
            cfgs: Vec::new(),
            head: span.start,
            span,
            tracking_hash: hash,
            own_hash: hash,
            declares: None,
            searchable: true,
        });
    }
    items
}

fn chunks(text: &str, markdown: bool) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let (mut start, mut at, mut lines) = (0, 0, 0);
    for line in text.split_inclusive('\n') {
        let bytes = at - start;
        let full = lines >= MAX_CHUNK_LINES || bytes + line.len() > MAX_CHUNK_BYTES;
        if bytes > 0 && (full || (markdown && line.starts_with('#'))) {
            found.push(start..at);
            (start, lines) = (at, 0);
        }
        // A single line may be a whole file, such as a bundle.
        let mut rest = line;
        while rest.len() > MAX_CHUNK_BYTES {
            let piece = cut_bytes(rest, MAX_CHUNK_BYTES).len();
            found.push(at..at + piece);
            at += piece;
            start = at;
            rest = rest.get(piece..).unwrap_or_default();
        }
        at += rest.len();
        lines += 1;
        if lines >= CHUNK_LINES && line.trim().is_empty() {
            found.push(start..at);
            (start, lines) = (at, 0);
        }
    }
    if at > start {
        found.push(start..at);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(text: &str, markdown: bool) -> Vec<&str> {
        chunks(text, markdown)
            .into_iter()
            .filter_map(|range| text.get(range))
            .collect()
    }

    #[test]
    fn chunks_are_the_text_and_end_at_blank_lines() {
        let block = format!("{}\n", "line\n".repeat(45));
        let text = block.repeat(4);
        let found = joined(&text, false);
        assert_eq!(
            (found.len(), found[0], found.concat()),
            (4, block.as_str(), text.clone())
        );
    }

    #[test]
    fn a_line_that_is_a_file_is_cut_between_characters() {
        let text = "ß".repeat(MAX_CHUNK_BYTES);
        let found = joined(&text, false);
        assert_eq!(found.concat(), text);
        assert!(found.iter().all(|chunk| chunk.len() <= MAX_CHUNK_BYTES));
    }

    #[test]
    fn sections_of_markdown_are_chunks() {
        assert_eq!(
            joined("a\n# b\nc\n## d\n", true),
            ["a\n", "# b\nc\n", "## d\n"]
        );
    }
}
