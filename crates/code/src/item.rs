//! Converts items of the store to items as ranking and packing use them.

use code_model::ItemRow;
use code_model::model::ItemKind;
use code_model::retrieval::FirstInside;
use code_search::{Item, PartKind, Role};

/// The file name endings of prose.
const PROSE: [&str; 4] = [".md", ".txt", ".rst", ".adoc"];

/// Converts an item's number to that of its row, which is signed like all integers of SQLite.
pub(crate) fn row(item: u64) -> i64 {
    i64::try_from(item).unwrap_or(i64::MAX)
}

/// Converts the number of a row to that of its item.
pub(crate) fn number(row: i64) -> u64 {
    u64::try_from(row).unwrap_or_default()
}

/// Returns the type, trait or class that an item belongs to; empty for other items.
pub(crate) fn owner(item: &ItemRow) -> String {
    let within = item.canon.strip_prefix(&item.module_path);
    let within = within.unwrap_or(&item.canon).trim_start_matches([':', '.']);
    let owner = within.strip_suffix(item.name.as_str());
    owner
        .unwrap_or_default()
        .trim_end_matches("::")
        .trim_end_matches('.')
        .to_owned()
}

/// Returns true if, of an item of this kind, only the text before the first inner item is shown,
/// because the inner items are found on their own. A trait is shown as a whole, because its methods
/// are its meaning.
pub(crate) fn is_shown_by_its_head(kind: ItemKind) -> bool {
    matches!(kind, ItemKind::Module | ItemKind::Impl | ItemKind::Class)
}

/// Returns an item as ranking and packing use it. `first` is the start of its first inner item, if
/// only the text before that is shown.
pub(crate) fn of(item: &ItemRow, first: Option<FirstInside>) -> Item {
    let (start, end) = (item.span.start as u64, item.span.end as u64);
    let (range, lines) = match first {
        Some(first) => (
            (start, first.start.clamp(start, end)),
            (item.lines.0, first.line.max(item.lines.0)),
        ),
        None => ((start, end), item.lines),
    };
    Item {
        row: row(item.item),
        id: item.id.clone(),
        file_path: item.path.clone(),
        canon_path: item.canon.clone(),
        name: item.name.clone(),
        summary: summary(&item.docstring).to_owned(),
        node_kind: item.kind.word().to_owned(),
        package: item.crate_name.clone(),
        role: role(item),
        part: if item.kind == ItemKind::Chunk && PROSE.iter().any(|end| item.path.ends_with(end)) {
            PartKind::Doc
        } else {
            PartKind::Code
        },
        range,
        lines,
    }
}

/// Returns the first sentence of a documentation comment.
fn summary(docstring: &str) -> &str {
    let docstring = docstring.trim_start();
    let paragraph = docstring.split("\n\n").next().unwrap_or_default();
    paragraph
        .split_once(". ")
        .map_or(paragraph, |(sentence, _)| sentence)
}

fn role(item: &ItemRow) -> Role {
    match item.kind {
        ItemKind::Impl => Role::Extension,
        ItemKind::Export => Role::Reexport,
        ItemKind::Import if item.visibility.is_empty() => Role::Text,
        ItemKind::Import => Role::Reexport,
        ItemKind::Chunk => Role::Text,
        ItemKind::Function
        | ItemKind::Method
        | ItemKind::Const
        | ItemKind::Enum
        | ItemKind::Struct
        | ItemKind::Union
        | ItemKind::Trait
        | ItemKind::TypeAlias
        | ItemKind::Static
        | ItemKind::Module
        | ItemKind::Macro
        | ItemKind::Class
        | ItemKind::Interface => Role::Definition,
    }
}
