//! Rows of items, with their positions in a version.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use base::Result;
use database::{Bind, Database};

use serde_json::Value;

use super::files::file_ends_as;
use super::rows::{Row, list, optional, rows};
use crate::error::Candidate;
use crate::limits::{COMPARED_ITEMS_AT_A_TIME, MAX_LISTED_CANDIDATES};
use crate::model::ItemKind;

/// The columns of an item, in the order of [`ItemRow::read`].
macro_rules! item_columns {
    () => {
        "i.item, i.id, i.path, i.kind, i.name, i.module_path, i.canon, i.parent_id, i.visibility, i.docstring, i.signature, i.cfgs, i.declares, \
         f.crate_name, p.position, p.start_byte, p.end_byte, p.first_line, p.last_line, p.tracking_hash, i.valid_from, i.valid_to"
    };
}

/// The items of version `?1`, each with its file and its position.
macro_rules! standing_items {
    () => {
        "code_items AS i JOIN code_files AS f ON f.path = i.path AND f.valid_from <= ?1 AND f.valid_to > ?1 \
         JOIN code_places AS p ON p.file = f.file AND p.item = i.item WHERE i.valid_from <= ?1 AND i.valid_to > ?1"
    };
}

/// The condition of a [`Narrow`], with order and limit. The condition applies before the limit.
macro_rules! narrowed {
    () => {
        " AND (?4 IS NULL OR i.kind IN (SELECT value FROM json_each(?4))) AND (?5 IS NULL OR i.path = ?5) \
         AND (?6 IS NULL OR f.crate_name IN (SELECT value FROM json_each(?6))) ORDER BY i.path, p.position LIMIT ?3"
    };
}

const BY_CANON: &str = concat!(
    "SELECT ",
    item_columns!(),
    " FROM ",
    standing_items!(),
    " AND i.canon = ?2",
    narrowed!()
);
const BY_NAME: &str = concat!(
    "SELECT ",
    item_columns!(),
    " FROM ",
    standing_items!(),
    " AND i.name = ?2",
    narrowed!()
);
/// A page of the items of files for which `file_ends_as` holds: the common part of both searches
/// for such items.
macro_rules! ending {
    ($from:literal) => {
        concat!(
            "SELECT ",
            item_columns!(),
            $from,
            " WHERE f.valid_from <= ?1 AND f.valid_to > ?1 AND i.valid_from <= ?1 AND i.valid_to > ?1 AND ",
            file_ends_as!(),
            " AND i.kind IN (SELECT value FROM json_each(?3)) AND (?4 IS NULL OR i.name IN (SELECT value FROM json_each(?4))) \
             AND (i.path > ?5 OR (i.path = ?5 AND p.position > ?6)) ORDER BY i.path, p.position LIMIT ?7"
        )
    };
}
/// The items that have one of some names, which an index finds.
const NAMED_ENDING: &str = ending!(
    " FROM json_each(?4) AS n CROSS JOIN code_items AS i ON i.name = n.value \
     CROSS JOIN code_files AS f ON f.path = i.path CROSS JOIN code_places AS p ON p.file = f.file AND p.item = i.item"
);
/// All items, file by file.
const ENDING: &str = ending!(
    " FROM code_files AS f CROSS JOIN code_items AS i ON i.path = f.path CROSS JOIN code_places AS p ON p.file = f.file AND p.item = i.item"
);
const BY_ID: &str = concat!(
    "SELECT ",
    item_columns!(),
    " FROM ",
    standing_items!(),
    " AND i.id = ?2 LIMIT 1"
);
const BY_PARENT: &str = concat!(
    "SELECT ",
    item_columns!(),
    " FROM ",
    standing_items!(),
    " AND i.parent_id = ?2 ORDER BY p.position LIMIT ?3"
);
const SEARCHABLE_INSIDE: &str = concat!(
    "SELECT ",
    item_columns!(),
    " FROM ",
    standing_items!(),
    " AND i.parent_id = ?2 AND i.searchable = 1 ORDER BY p.position LIMIT ?3"
);
const OF_FILE: &str = concat!(
    "SELECT ",
    item_columns!(),
    " FROM ",
    standing_items!(),
    " AND i.path = ?2 ORDER BY p.position"
);
/// Rust modules within the file of another module.
const INLINE_MODULES: &str = concat!(
    "SELECT i.canon, f.crate_name, i.path, f.parsed FROM ",
    standing_items!(),
    " AND i.kind = 'module' AND i.parent_id IS NOT NULL AND i.declares IS NULL AND f.module_path <> '' \
     AND (?2 IS NULL OR i.canon = ?2 OR substr(i.canon, 1, length(?2) + 2) = ?2 || '::') ORDER BY i.path, p.position LIMIT ?3"
);
const BY_NUMBER: &str = concat!(
    "SELECT ",
    item_columns!(),
    " FROM ",
    standing_items!(),
    " AND i.item IN (SELECT value FROM json_each(?2)) ORDER BY i.item"
);
const FIRST_INSIDE: &str = "SELECT i.item, min(p.start_byte), min(p.first_line) FROM code_items AS i JOIN code_files AS f ON f.path = i.path AND f.valid_from <= ?1 \
     AND f.valid_to > ?1 JOIN code_items AS k ON k.parent_id = i.id AND k.valid_from <= ?1 AND k.valid_to > ?1 JOIN code_places AS p ON p.file = f.file \
     AND p.item = k.item WHERE i.item IN (SELECT value FROM json_each(?2)) GROUP BY i.item ORDER BY i.item";
/// The positions and ids of the items of a file, without their content.
const STANDING_IN: &str = "SELECT i.id, i.kind, i.parent_id IS NOT NULL, p.start_byte, p.end_byte, p.tracking_hash FROM code_places AS p \
     JOIN code_items AS i ON i.item = p.item WHERE p.file = ?1";
const SPANS_INSIDE: &str = concat!(
    "SELECT i.parent_id, p.start_byte, p.end_byte FROM ",
    standing_items!(),
    " AND i.parent_id IN (SELECT value FROM json_each(?2)) ORDER BY i.parent_id, p.position"
);
const NAMES: &str = "SELECT DISTINCT name FROM code_items WHERE valid_from <= ?1 AND valid_to > ?1 AND kind = ?2 AND searchable = 1 LIMIT ?3";

/// An item of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemRow {
    /// Its number, which stays the same as long as its content does.
    pub item: u64,
    /// Its id, which survives edits.
    pub id: String,
    /// Its file.
    pub path: String,
    /// Its kind.
    pub kind: ItemKind,
    /// Its name.
    pub name: String,
    /// The module that contains it.
    pub module_path: String,
    /// Its canonical path.
    pub canon: String,
    /// The item that contains it.
    pub parent_id: Option<String>,
    /// Its visibility, as written.
    pub visibility: String,
    /// Its documentation.
    pub docstring: String,
    /// Its head on one line.
    pub signature: String,
    /// The conditions under which it is compiled.
    pub cfgs: Vec<String>,
    /// For a module in another file: the path in `#[path]`, or an empty text.
    pub declares: Option<String>,
    /// The name of its crate in Rust.
    pub crate_name: String,
    /// Its index in the file.
    pub position: u64,
    /// Its bytes in the file.
    pub span: Range<usize>,
    /// Its first and its last line, from 1.
    pub lines: (u64, u64),
    /// The hash of its tokens.
    pub tracking_hash: String,
    /// The version that wrote its row.
    pub valid_from: u64,
    /// The version that ended its row.
    pub valid_to: u64,
}

impl ItemRow {
    fn read(row: &mut Row) -> Self {
        Self {
            item: row.number(),
            id: row.text(),
            path: row.text(),
            kind: ItemKind::of(&row.text()).unwrap_or(ItemKind::Chunk),
            name: row.text(),
            module_path: row.text(),
            canon: row.text(),
            parent_id: row.optional_text(),
            visibility: row.text(),
            docstring: row.text(),
            signature: row.text(),
            cfgs: row
                .text()
                .split('\n')
                .filter(|cfg| !cfg.is_empty())
                .map(str::to_owned)
                .collect(),
            declares: row.optional_text(),
            crate_name: row.text(),
            position: row.number(),
            span: row.index()..row.index(),
            lines: (row.number(), row.number()),
            tracking_hash: row.text(),
            valid_from: row.number(),
            valid_to: row.number(),
        }
    }

    /// Returns the item in the form of lists of candidates.
    pub(crate) fn candidate(&self) -> Candidate {
        Candidate {
            canon: self.canon.clone(),
            node_type: self.kind.word(),
            file_path: self.path.clone(),
            line: self.lines.0,
        }
    }
}

/// Restrictions on the items with a name.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Narrow<'a> {
    /// The accepted kinds; empty for any.
    pub kinds: &'a [ItemKind],
    /// The file; `None` for any.
    pub path: Option<&'a str>,
    /// The accepted crates; empty for any.
    pub crates: &'a [&'a str],
}

/// Returns the first items with a canonical path.
pub(crate) fn by_canon<D: Database>(
    db: &D,
    version: u64,
    canon: &str,
    narrow: Narrow<'_>,
) -> Result<Vec<ItemRow>> {
    narrowed(db, BY_CANON, version, canon, narrow)
}

/// Returns the first items with a name.
pub(crate) fn by_name<D: Database>(
    db: &D,
    version: u64,
    name: &str,
    narrow: Narrow<'_>,
) -> Result<Vec<ItemRow>> {
    narrowed(db, BY_NAME, version, name, narrow)
}

fn narrowed<D: Database>(
    db: &D,
    sql: &'static str,
    version: u64,
    text: &str,
    narrow: Narrow<'_>,
) -> Result<Vec<ItemRow>> {
    let binds = [
        Bind::number(version),
        Bind::text(text),
        Bind::number(MAX_LISTED_CANDIDATES),
        if narrow.kinds.is_empty() {
            Bind::Null
        } else {
            kinds(narrow.kinds)
        },
        optional(narrow.path),
        if narrow.crates.is_empty() {
            Bind::Null
        } else {
            Bind::Text(Value::from(narrow.crates).to_string())
        },
    ];
    rows(db, sql, &binds, ItemRow::read)
}

fn kinds(kinds: &[ItemKind]) -> Bind {
    let words: Vec<&str> = kinds.iter().map(|kind| kind.word()).collect();
    Bind::Text(Value::from(words).to_string())
}

/// The items to search for in files whose paths end alike.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ending<'a> {
    /// The end of the paths.
    pub path: &'a str,
    /// The kinds.
    pub kinds: &'a [ItemKind],
    /// Their names; `None` for any.
    pub names: Option<&'a BTreeSet<&'a str>>,
}

/// Returns a page of such items, after a file and a position in it.
pub(crate) fn ending<D: Database>(
    db: &D,
    version: u64,
    wanted: Ending<'_>,
    behind: (&str, u64),
) -> Result<Vec<ItemRow>> {
    let binds = [
        Bind::number(version),
        Bind::text(wanted.path),
        kinds(wanted.kinds),
        wanted.names.map_or(Bind::Null, |names| {
            let names: Vec<&str> = names.iter().copied().collect();
            Bind::Text(Value::from(names).to_string())
        }),
        Bind::text(behind.0),
        Bind::number(behind.1),
        Bind::number(COMPARED_ITEMS_AT_A_TIME),
    ];
    let sql = wanted.names.map_or(ENDING, |_| NAMED_ENDING);
    rows(db, sql, &binds, ItemRow::read)
}

/// Returns the items inside an item.
pub(crate) fn by_parent<D: Database>(db: &D, version: u64, id: &str) -> Result<Vec<ItemRow>> {
    limited(db, BY_PARENT, version, id)
}

/// Returns the first searchable items inside an item.
pub(crate) fn searchable_inside<D: Database>(
    db: &D,
    version: u64,
    id: &str,
) -> Result<Vec<ItemRow>> {
    limited(db, SEARCHABLE_INSIDE, version, id)
}

fn limited<D: Database>(
    db: &D,
    sql: &'static str,
    version: u64,
    text: &str,
) -> Result<Vec<ItemRow>> {
    let binds = [
        Bind::number(version),
        Bind::text(text),
        Bind::number(MAX_LISTED_CANDIDATES),
    ];
    rows(db, sql, &binds, ItemRow::read)
}

/// Returns the item with an id.
pub(crate) fn by_id<D: Database>(db: &D, version: u64, id: &str) -> Result<Option<ItemRow>> {
    let found = rows(
        db,
        BY_ID,
        &[Bind::number(version), Bind::text(id)],
        ItemRow::read,
    )?;
    Ok(found.into_iter().next())
}

/// Returns the items of a file, in their order.
pub(crate) fn of_file<D: Database>(db: &D, version: u64, path: &str) -> Result<Vec<ItemRow>> {
    rows(
        db,
        OF_FILE,
        &[Bind::number(version), Bind::text(path)],
        ItemRow::read,
    )
}

/// An item of a file without its content: all items of a file with 20,000 of them take some 3 MB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ItemSpan {
    pub id: String,
    pub span: Range<usize>,
    pub tracking_hash: String,
    /// True if it is the file as a whole.
    pub is_file: bool,
}

impl From<&ItemRow> for ItemSpan {
    fn from(item: &ItemRow) -> Self {
        Self {
            id: item.id.clone(),
            span: item.span.clone(),
            tracking_hash: item.tracking_hash.clone(),
            is_file: item.parent_id.is_none() && item.kind == ItemKind::Module,
        }
    }
}

/// Returns the items of a row of a file.
pub(crate) fn standing_in<D: Database>(db: &D, file: u64) -> Result<Vec<ItemSpan>> {
    rows(db, STANDING_IN, &[Bind::number(file)], |row| {
        let id = row.text();
        let kind = row.text();
        let has_parent = row.flag();
        ItemSpan {
            id,
            is_file: !has_parent && kind == ItemKind::Module.word(),
            span: row.index()..row.index(),
            tracking_hash: row.text(),
        }
    })
}

/// Returns the spans of the items inside of each of these, by the ids of the outer ones.
pub(crate) fn spans_inside<D: Database>(
    db: &D,
    version: u64,
    ids: &[&str],
) -> Result<HashMap<String, Vec<Range<usize>>>> {
    let binds = [
        Bind::number(version),
        Bind::Text(Value::from(ids).to_string()),
    ];
    let mut inside: HashMap<String, Vec<Range<usize>>> = HashMap::new();
    rows(db, SPANS_INSIDE, &binds, |row| {
        let parent = row.text();
        let span = row.index()..row.index();
        inside.entry(parent).or_default().push(span);
    })?;
    Ok(inside)
}

/// A Rust module in the form of an inspection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InlineModule {
    /// Its path.
    pub module_path: String,
    /// Its crate.
    pub crate_name: String,
    /// The file that contains it.
    pub path: String,
    /// True if the whole file was parsed.
    pub parsed: bool,
}

/// Returns the modules within the files of other modules: one module and those below it, or all.
pub(crate) fn inline_modules<D: Database>(
    db: &D,
    version: u64,
    wanted: Option<&str>,
    limit: u64,
) -> Result<Vec<InlineModule>> {
    let binds = [Bind::number(version), optional(wanted), Bind::number(limit)];
    rows(db, INLINE_MODULES, &binds, |row| InlineModule {
        module_path: row.text(),
        crate_name: row.text(),
        path: row.text(),
        parsed: row.number() != 0,
    })
}

/// Returns items by their numbers, in this order.
pub(crate) fn by_number<D: Database>(db: &D, version: u64, items: &[u64]) -> Result<Vec<ItemRow>> {
    rows(
        db,
        BY_NUMBER,
        &[Bind::number(version), list(items)],
        ItemRow::read,
    )
}

/// The start of the first item inside an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstInside {
    /// The number of the outer item.
    pub item: u64,
    /// Its first byte in the file.
    pub start: u64,
    /// Its first line, from 1.
    pub line: u64,
}

/// Returns the start of the first item inside each of these, by number. Items without inner items
/// are left out.
pub(crate) fn first_inside<D: Database>(
    db: &D,
    version: u64,
    items: &[u64],
) -> Result<Vec<FirstInside>> {
    rows(
        db,
        FIRST_INSIDE,
        &[Bind::number(version), list(items)],
        |row| FirstInside {
            item: row.number(),
            start: row.number(),
            line: row.number(),
        },
    )
}

/// Returns the names of items of a kind, for "did you mean".
pub(crate) fn names<D: Database>(db: &D, version: u64, kind: ItemKind) -> Result<Vec<String>> {
    let most = u64::try_from(base::limits::MAX_COMPARED_NAMES).unwrap_or(u64::MAX);
    let binds = [
        Bind::number(version),
        Bind::text(kind.word()),
        Bind::number(most),
    ];
    rows(db, NAMES, &binds, Row::text)
}
