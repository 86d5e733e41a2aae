//! Collects the items of a file: computes their ids and hashes, and cuts long texts.

use std::collections::HashMap;
use std::ops::Range;

use uuid::Uuid;

use super::text::{collapsed, cut_bytes};
use crate::hash::{item_id, tracking_hash};
use crate::limits::{
    MAX_DOCSTRING_BYTES, MAX_FILE_ITEMS, MAX_ITEM_NAME_BYTES, MAX_SIGNATURE_CHARACTERS,
};
use crate::model::{Item, ItemKind, ModuleFile, Placement};

/// An item before it is added.
pub(crate) struct Found {
    pub parent: Option<usize>,
    pub kind: ItemKind,
    pub name: String,
    pub canon: String,
    pub module_path: String,
    pub visibility: String,
    pub docstring: String,
    pub cfgs: Vec<String>,
    pub span: Range<usize>,
    /// The first byte after documentation and attributes.
    pub head: usize,
    /// The byte before its body.
    pub head_end: usize,
    pub tracking_hash: Uuid,
    pub declares: Option<ModuleFile>,
    pub searchable: bool,
}

impl Found {
    /// Returns the module of a file: its first item, with the whole text.
    pub fn module(name: &str, canon: &str, module_path: &str, text: &str, hash: Uuid) -> Self {
        Self {
            parent: None,
            kind: ItemKind::Module,
            name: name.to_owned(),
            canon: canon.to_owned(),
            module_path: module_path.to_owned(),
            visibility: String::new(),
            docstring: String::new(),
            cfgs: Vec::new(),
            span: 0..text.len(),
            head: 0,
            head_end: 0,
            tracking_hash: hash,
            declares: None,
            searchable: true,
        }
    }
}

/// The items of a file so far.
pub(crate) struct Builder<'a> {
    text: &'a str,
    placement: &'a Placement,
    pub items: Vec<Item>,
    /// The number of items so far with each name.
    ordinals: HashMap<Uuid, usize>,
}

impl<'a> Builder<'a> {
    pub fn new(text: &'a str, placement: &'a Placement) -> Self {
        Self {
            text,
            placement,
            items: Vec::new(),
            ordinals: HashMap::new(),
        }
    }

    /// Adds an item. Returns its index, or `None` if the file has too many items.
    pub fn push(&mut self, found: Found) -> Option<usize> {
        if self.items.len() >= MAX_FILE_ITEMS {
            return None;
        }
        let parent = found.parent.and_then(|parent| self.items.get(parent));
        let parent_id = parent
            .map(|parent| parent.id.to_string())
            .unwrap_or_default();
        let name = cut_bytes(&found.name, MAX_ITEM_NAME_BYTES).to_owned();
        let cfgs = found.cfgs.join("\n");
        let parts = [
            self.placement.path.as_str(),
            &found.module_path,
            &parent_id,
            found.kind.word(),
            &name,
            &cfgs,
        ];
        let first = item_id(self.placement.namespace, &parts);
        let ordinal = self.ordinals.entry(first).or_default();
        let id = match *ordinal {
            0 => first,
            more => item_id(first, &[&more.to_string()]),
        };
        *ordinal += 1;
        let head_end = found.head_end.max(found.head);
        let head = self.text.get(found.head..head_end).unwrap_or_default();
        self.items.push(Item {
            id,
            kind: found.kind,
            name,
            module_path: found.module_path,
            canon: found.canon,
            parent: found.parent,
            visibility: found.visibility,
            docstring: cut_bytes(&found.docstring, MAX_DOCSTRING_BYTES).to_owned(),
            signature: collapsed(head, MAX_SIGNATURE_CHARACTERS),
            cfgs: found.cfgs,
            head: found.head,
            span: found.span,
            tracking_hash: found.tracking_hash,
            own_hash: found.tracking_hash,
            declares: found.declares,
            searchable: found.searchable,
        });
        Some(self.items.len() - 1)
    }

    /// Returns the hash of tokens in this file.
    pub fn hash(&self, tokens: &str) -> Uuid {
        tracking_hash(
            self.placement.namespace,
            &self.placement.absolute_path,
            tokens,
        )
    }

    /// Sets the hash of an item's own tokens, if it contains other items.
    pub fn seal(&mut self, index: Option<usize>, own: &str) {
        let hash = self.hash(own);
        if let Some(item) = index.and_then(|index| self.items.get_mut(index)) {
            item.own_hash = hash;
        }
    }
}
