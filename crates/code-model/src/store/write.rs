//! Writes the rows of one file for a new version. An item with the same content as before keeps its
//! row.

use std::collections::HashMap;

use base::{CommonError, Error, Result};
use database::{Bind, Database, DatabaseExt};
use serde_json::{Value, json};

use super::edges;
use super::files::{FileRow, insert_content};
use super::head::Head;
use super::rows::{OPEN, Pieces, list, optional, rows};
use super::words::Words;
use crate::Workspace;
use crate::hash::{file_hash, text_hash};
use crate::limits::{MAX_REQUEST_ITEMS, MAX_REWRITTEN_BYTES};
use crate::model::{Item, ParsedFile, Placement};
use crate::parse::parse;
use crate::parse::text::without;
use crate::project::folded;

const END_FILE: &str = "UPDATE code_files SET valid_to = ?2 WHERE file = ?1";
const INSERT_FILE: &str = "INSERT INTO code_files (file, path, folded, content, language, byte_len, line_count, modified_ms, file_hash, \
     tracking_hash, parsed, reason, crate_name, namespace, module_path, valid_from, valid_to) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const PRESENT_ITEMS: &str = "SELECT i.item, i.id, i.own_hash, p.text_hash FROM code_items AS i \
     LEFT JOIN code_places AS p ON p.file = ?3 AND p.item = i.item WHERE i.path = ?1 AND i.valid_to = ?2";
const END_ITEMS: &str =
    "UPDATE code_items SET valid_to = ?2 WHERE item IN (SELECT value FROM json_each(?1))";
const END_FILE_ITEMS: &str =
    "UPDATE code_items SET valid_to = ?3 WHERE path = ?1 AND valid_to = ?2";
const END_FILE_EDGES: &str =
    "UPDATE code_edges SET valid_to = ?3 WHERE path = ?1 AND valid_to = ?2";
const INSERT_ITEMS: &str = "INSERT INTO code_items (item, id, path, kind, name, module_path, canon, parent_id, visibility, docstring, signature, \
     cfgs, declares, searchable, own_hash, valid_from, valid_to) SELECT value->>'$[0]', value->>'$[1]', ?2, value->>'$[2]', value->>'$[3]', \
     value->>'$[4]', value->>'$[5]', value->>'$[6]', value->>'$[7]', value->>'$[8]', value->>'$[9]', value->>'$[10]', value->>'$[11]', \
     value->>'$[12]', value->>'$[13]', ?3, ?4 FROM json_each(?1)";
const INSERT_PLACES: &str = "INSERT INTO code_places (file, item, position, start_byte, end_byte, first_line, last_line, tracking_hash, text_hash) \
     SELECT ?2, value->>'$[0]', value->>'$[1]', value->>'$[2]', value->>'$[3]', value->>'$[4]', value->>'$[5]', value->>'$[6]', value->>'$[7]' \
     FROM json_each(?1)";

/// A file to write.
pub(super) struct Incoming<'a> {
    pub placement: Placement,
    pub bytes: &'a [u8],
    pub modified_ms: u64,
    /// The present row.
    pub present: Option<FileRow>,
}

/// The state while the rows of a version are written.
pub(super) struct Writer<'a, D: Database> {
    pub workspace: &'a Workspace<'a, D>,
    pub head: Head,
    pub items_added: u64,
    pub items_ended: u64,
    pub ended_bytes: u64,
    /// The total bytes of the parsed files, and the number of their items.
    pub read_bytes: usize,
    pub read_items: usize,
}

/// Checks the total size of a request's writes, including files that move to another module.
fn check(what: &str, size: usize, limit: usize) -> Result<()> {
    if size <= limit {
        return Ok(());
    }
    Err(Error::from(CommonError::TooBig {
        message: format!("the request writes or moves more than {limit} {what}"),
        hint: "write the files in several requests, each Cargo.toml before the files of its crate"
            .to_owned(),
    }))
}

impl<D: Database> Writer<'_, D> {
    /// Writes a file. Returns the result of parsing it.
    pub fn put(&mut self, incoming: &Incoming<'_>) -> Result<ParsedFile> {
        let hash = file_hash(incoming.bytes).to_string();
        self.read_bytes = self.read_bytes.saturating_add(incoming.bytes.len());
        check("bytes of files", self.read_bytes, MAX_REWRITTEN_BYTES)?;
        let mut parsed = parse(incoming.bytes, &incoming.placement);
        self.read_items = self.read_items.saturating_add(parsed.items.len());
        check("items", self.read_items, MAX_REQUEST_ITEMS)?;
        let kept = incoming
            .present
            .as_ref()
            .filter(|present| present.file_hash == hash)
            .map(|present| present.content);
        let content = match kept {
            Some(content) => content,
            None => {
                let content = self.head.next_content;
                self.head.next_content += 1;
                insert_content(self.workspace.db, content, incoming.bytes)?;
                content
            }
        };
        if let Some(present) = &incoming.present {
            self.end_file(present, kept.is_some())?;
        }
        let file = self.insert_file(incoming, &parsed, content, &hash)?;
        let numbers = self.write_items(incoming, &parsed, file)?;
        edges::write(
            self.workspace.db,
            &incoming.placement.path,
            std::mem::take(&mut parsed.references),
            &numbers,
            self.head.version,
        )?;
        Ok(parsed)
    }

    /// Ends the rows of a file and of everything in it.
    pub fn delete(&mut self, present: &FileRow) -> Result<()> {
        self.end_file(present, false)?;
        let bound = |number: u64| {
            [
                Bind::text(&*present.path),
                Bind::number(OPEN),
                Bind::number(number),
            ]
        };
        let ended = rows(
            self.workspace.db,
            PRESENT_ITEMS,
            &bound(present.file),
            |_| (),
        )?;
        let binds = bound(self.head.version);
        self.count_ended(ended.len());
        self.workspace.db.run(END_FILE_ITEMS, &binds)?;
        self.workspace.db.run(END_FILE_EDGES, &binds).map(drop)
    }

    fn end_file(&mut self, present: &FileRow, keeps_content: bool) -> Result<()> {
        let head = &mut self.head;
        head.files = head.files.saturating_sub(1);
        head.bytes = head.bytes.saturating_sub(present.byte_len);
        if !keeps_content {
            self.ended_bytes += present.byte_len;
        }
        let binds = [Bind::number(present.file), Bind::number(head.version)];
        self.workspace.db.run(END_FILE, &binds).map(drop)
    }

    fn insert_file(
        &mut self,
        incoming: &Incoming<'_>,
        parsed: &ParsedFile,
        content: u64,
        hash: &str,
    ) -> Result<u64> {
        let placement = &incoming.placement;
        let head = &mut self.head;
        let file = head.next_file;
        let bytes = count(incoming.bytes.len());
        head.next_file += 1;
        head.files += 1;
        head.bytes += bytes;
        let binds = [
            Bind::number(file),
            Bind::text(&*placement.path),
            Bind::Text(folded(&placement.path)),
            Bind::number(content),
            Bind::text(parsed.language.word()),
            Bind::number(bytes),
            Bind::number(count(parsed.line_count)),
            Bind::number(incoming.modified_ms),
            Bind::text(hash),
            Bind::Text(parsed.tracking_hash.to_string()),
            Bind::number(u64::from(parsed.parsed)),
            optional(parsed.reason.as_deref()),
            Bind::text(&*placement.crate_name),
            Bind::Text(placement.namespace.to_string()),
            Bind::text(&*placement.module_path),
            Bind::number(head.version),
            Bind::number(OPEN),
        ];
        self.workspace.db.run(INSERT_FILE, &binds)?;
        Ok(file)
    }

    /// Writes the items of a file with their positions. Returns the numbers of their rows.
    fn write_items(
        &mut self,
        incoming: &Incoming<'_>,
        parsed: &ParsedFile,
        file: u64,
    ) -> Result<Vec<u64>> {
        let db = self.workspace.db;
        let path = incoming.placement.path.as_str();
        let before = incoming.present.as_ref().map_or(0, |present| present.file);
        let binds = [Bind::text(path), Bind::number(OPEN), Bind::number(before)];
        let present = rows(db, PRESENT_ITEMS, &binds, |row| {
            (row.number(), row.text(), row.text(), row.number())
        })?;
        let mut present: HashMap<String, (u64, String, u64)> = present
            .into_iter()
            .map(|(item, id, hash, text)| (id, (item, hash, text)))
            .collect();
        let text = std::str::from_utf8(incoming.bytes).unwrap_or_default();
        let lines = Lines::of(text);
        let mut ended = Vec::new();
        let mut numbers = Vec::with_capacity(parsed.items.len());
        let version = Bind::number(self.head.version);
        let mut added = Pieces::new(
            db,
            INSERT_ITEMS,
            vec![Bind::text(path), version.clone(), Bind::number(OPEN)],
        );
        let mut places = Pieces::new(db, INSERT_PLACES, vec![Bind::number(file)]);
        let mut words = Words::new(db, self.workspace.words, path);
        let mut added_count = 0;
        for ((position, item), own) in parsed
            .items
            .iter()
            .enumerate()
            .zip(own_texts(text, &parsed.items))
        {
            let own_text_hash = text_hash(own.as_bytes());
            let kept = present.remove(&item.id.to_string());
            let same = kept
                .as_ref()
                .filter(|(_, hash, _)| *hash == item.own_hash.to_string());
            let number = same.map_or(self.head.next_item, |(number, ..)| *number);
            match (same, kept.as_ref()) {
                // The words of comments changed, which does not change a hash of tokens.
                (Some((_, _, text)), _) if *text != own_text_hash && item.searchable => {
                    words.replace(number, item, &own)?;
                }
                (Some(_), _) => {}
                (None, before) => {
                    ended.extend(before.map(|(number, ..)| *number));
                    self.head.next_item += 1;
                    added_count += 1;
                    added.push(&item_value(number, item, &parsed.items))?;
                    if item.searchable {
                        words.add(number, item, &own)?;
                    }
                }
            }
            let (first, last) = lines.of_span(&item.span);
            places.push(&json!([
                number,
                position,
                item.span.start,
                item.span.end,
                first,
                last,
                item.tracking_hash.to_string(),
                own_text_hash
            ]))?;
            numbers.push(number);
        }
        added.finish()?;
        places.finish()?;
        words.finish()?;
        ended.extend(present.into_values().map(|(number, ..)| number));
        self.count_ended(ended.len());
        self.items_added += added_count;
        self.head.items += added_count;
        if !ended.is_empty() {
            db.run(END_ITEMS, &[list(&ended), version])?;
        }
        Ok(numbers)
    }

    fn count_ended(&mut self, items: usize) {
        self.items_ended += count(items);
        self.head.items = self.head.items.saturating_sub(count(items));
    }
}

fn item_value(number: u64, item: &Item, items: &[Item]) -> Value {
    let parent = item.parent.and_then(|parent| items.get(parent));
    json!([
        number,
        item.id.to_string(),
        item.kind.word(),
        item.name,
        item.module_path,
        item.canon,
        parent.map(|parent| parent.id.to_string()),
        item.visibility,
        item.docstring,
        item.signature,
        item.cfgs.join("\n"),
        item.declares
            .as_ref()
            .map(|declared| declared.path.clone().unwrap_or_default()),
        u64::from(item.searchable),
        item.own_hash.to_string(),
    ])
}

/// Returns the text of each item without that of inner items.
fn own_texts<'t>(text: &'t str, items: &'t [Item]) -> impl Iterator<Item = String> + 't {
    let mut inside: Vec<Vec<std::ops::Range<usize>>> = vec![Vec::new(); items.len()];
    for item in items {
        if let Some(list) = item.parent.and_then(|parent| inside.get_mut(parent)) {
            list.push(item.span.clone());
        }
    }
    let own = move |(item, inside): (&Item, Vec<std::ops::Range<usize>>)| {
        without(text, &item.span, inside.into_iter())
    };
    items.iter().zip(inside).map(own)
}

/// The starts of the lines of a text.
pub(crate) struct Lines(Vec<usize>);

impl Lines {
    pub fn of(text: &str) -> Self {
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        Self(std::iter::once(0).chain(breaks).collect())
    }

    /// Returns the line of a byte, from 1.
    pub fn line(&self, byte: usize) -> usize {
        self.0.partition_point(|start| *start <= byte)
    }

    /// Returns the first and the last line of a span.
    pub fn of_span(&self, span: &std::ops::Range<usize>) -> (usize, usize) {
        let first = self.line(span.start);
        (first, self.line(span.end.saturating_sub(1)).max(first))
    }
}

pub(super) fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
