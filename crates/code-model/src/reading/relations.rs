//! The edges of an item. The targets are looked up in the requested version, along re-exports.

use std::collections::BTreeSet;

use base::Result;
use database::Database;
use operation::arguments::Text;
use operation::declaration::Effect;
use serde_json::{Value, json};

use super::lookup::{Named, find};
use crate::kinds::{AsOfArgument, KindName, Path};
use crate::limits::MAX_REEXPORTS;
use crate::model::{EdgeKind, ItemKind, TargetForm};
use crate::store::edges::{self, EdgeRow};
use crate::store::items;
use crate::{Head, ItemRow, Operation, Reply, Workspace};

operation::operation! {
    /// The edges of an item: the items that it contains, uses, calls, re-exports and implements,
    /// and those from which such an edge leads to it.
    pub struct CodeItemEdges {
        /// Its name.
        "item_name" => item_name: Option<Text<1, 512>>,
        /// The file that it is in.
        "file_path" => file_path: Option<Path>,
        /// Its kind.
        "node_kind" => node_kind: Option<KindName>,
        /// The module that it is in: `crate::gate`.
        "module_path" => module_path: Option<Text<1, 512>>,
        /// Its canonical path: `crate::gate::review`.
        "canon" => canon: Option<Text<1, 512>>,
        /// Its id.
        "id" => id: Option<Text<1, 64>>,
        /// The version, or the time in ISO 8601, whose state is read. Without it the present state.
        "asOf" => as_of: Option<AsOfArgument>,
    }
    name: "code_item_edges",
    title: "Relations of an item",
    effect: Effect::READS,
    output: "EdgesAnswer",
    example: r##"{"item_name":"total"}"##,
}

impl CodeItemEdges {
    fn named(&self) -> Named<'_> {
        Named {
            id: self.id.as_deref(),
            name: self.item_name.as_deref(),
            canon: self.canon.as_deref(),
            file: self.file_path.as_deref(),
            kind: self.node_kind,
            module: self.module_path.as_deref(),
        }
    }
}

impl Operation<'_> for CodeItemEdges {
    fn run<D: Database>(self, workspace: &Workspace<'_, D>) -> Result<Reply> {
        let version = Head::load(workspace.db)?.at(workspace.db, self.as_of.unwrap_or_default())?;
        let item = find(workspace, &self.named(), version)?;
        let db = workspace.db;
        let mut outgoing = Vec::new();
        for child in items::by_parent(db, version, &item.id)? {
            outgoing.push(edge_value(EdgeKind::Contains, &child.canon, Some(&child)));
        }
        if item.kind == ItemKind::Module && item.declares.is_some() {
            let narrow = items::Narrow {
                kinds: &[ItemKind::Module],
                path: None,
                crates: &[&item.crate_name],
            };
            let files = items::by_canon(db, version, &item.canon, narrow)?;
            for file in files.iter().filter(|file| file.parent_id.is_none()) {
                outgoing.push(edge_value(EdgeKind::Contains, &file.canon, Some(file)));
            }
        }
        for edge in edges::of_source(db, version, &item.path, item.item)? {
            let target = target(db, version, &edge)?;
            // A bare name that several items have says nothing about any of them.
            if edge.form == TargetForm::Path || target.is_some() {
                outgoing.push(edge_value(edge.kind, &edge.target, target.as_ref()));
            }
        }
        let incoming = incoming(db, version, &item)?;
        let owner = match &item.parent_id {
            Some(id) => items::by_id(db, version, id)?,
            None => None,
        };
        Ok(Reply::read(json!({
            "ok": true,
            "version": version,
            "item": named(&item),
            "owner": owner.as_ref().map(named),
            "outgoing": outgoing,
            "incoming": incoming,
        })))
    }
}

fn incoming<D: Database>(db: &D, version: u64, item: &ItemRow) -> Result<Vec<Value>> {
    let mut found = BTreeSet::new();
    let mut paths = vec![qualified(item)];
    // An item that an import re-exports may be named by the path of the import.
    let mut at = 0;
    while let Some(path) = paths.get(at).cloned() {
        at += 1;
        for edge in edges::to_target(db, version, &path, TargetForm::Path)? {
            if !edge.alias.is_empty()
                && !edge.alias.ends_with('*')
                && paths.len() < MAX_REEXPORTS
                && !paths.contains(&edge.alias)
            {
                paths.push(edge.alias.clone());
            }
            found.insert((edge.kind, edge.source));
        }
    }
    if by_name(db, version, &item.name)?.is_some_and(|only| only.id == item.id) {
        for edge in edges::to_target(db, version, &item.name, TargetForm::Name)? {
            found.insert((edge.kind, edge.source));
        }
    }
    let numbers: Vec<u64> = found.iter().map(|(_, source)| *source).collect();
    let sources = items::by_number(db, version, &numbers)?;
    let values = found.into_iter().filter_map(|(kind, number)| {
        let source = sources.iter().find(|source| source.item == number)?;
        Some(json!({ "kind": kind.word(), "item": named(source) }))
    });
    Ok(values.collect())
}

/// Returns the target of an edge.
fn target<D: Database>(db: &D, version: u64, edge: &EdgeRow) -> Result<Option<ItemRow>> {
    match edge.form {
        TargetForm::Name => by_name(db, version, &edge.target),
        TargetForm::Path => by_path(db, version, &edge.target),
    }
}

/// Returns the item with this name, if there is only one.
fn by_name<D: Database>(db: &D, version: u64, name: &str) -> Result<Option<ItemRow>> {
    let kinds: Vec<ItemKind> = ItemKind::ALL
        .iter()
        .copied()
        .filter(|kind| {
            !matches!(
                kind,
                ItemKind::Import
                    | ItemKind::Export
                    | ItemKind::Chunk
                    | ItemKind::Impl
                    | ItemKind::Module
            )
        })
        .collect();
    let narrow = items::Narrow {
        kinds: &kinds,
        ..items::Narrow::default()
    };
    let mut found = items::by_name(db, version, name, narrow)?;
    let only = if found.len() == 1 { found.pop() } else { None };
    Ok(only)
}

/// Returns the item of a path that begins with its crate, following re-exports.
fn by_path<D: Database>(db: &D, version: u64, path: &str) -> Result<Option<ItemRow>> {
    let mut path = path.to_owned();
    for _ in 0..MAX_REEXPORTS {
        if let Some(item) = standing(db, version, &path)? {
            return Ok(Some(item));
        }
        let Some(next) = handed_on(db, version, &path)? else {
            return Ok(None);
        };
        if next == path {
            return Ok(None);
        }
        path = next;
    }
    Ok(None)
}

fn standing<D: Database>(db: &D, version: u64, path: &str) -> Result<Option<ItemRow>> {
    let (crate_name, rest) = path.split_once("::").unwrap_or((path, ""));
    let canon = if rest.is_empty() {
        "crate".to_owned()
    } else {
        format!("crate::{rest}")
    };
    // Outside of crates, files refer to each other from `crate` on.
    let crates: &[&str] = match crate_name {
        "crate" => &["crate", ""],
        named => &[named],
    };
    let narrow = items::Narrow {
        crates,
        ..items::Narrow::default()
    };
    let found = items::by_canon(db, version, &canon, narrow)?;
    Ok(found.into_iter().next())
}

/// Returns the path to which a re-export of this path, or of a prefix of it, leads:
/// `a::prelude::Type::new` by `a::prelude::Type`, or by `a::prelude::*`.
fn handed_on<D: Database>(db: &D, version: u64, path: &str) -> Result<Option<String>> {
    let mut front = path;
    for _ in 0..MAX_REEXPORTS {
        let rest = path.strip_prefix(front).unwrap_or_default();
        if let Some(target) = edges::of_alias(db, version, front)? {
            return Ok(Some(format!("{target}{rest}")));
        }
        let Some((module, name)) = front.rsplit_once("::") else {
            return Ok(None);
        };
        if let Some(target) = edges::of_alias(db, version, &format!("{module}::*"))? {
            let through = format!("{target}::{name}{rest}");
            if standing(db, version, &through)?.is_some() {
                return Ok(Some(through));
            }
        }
        front = module;
    }
    Ok(None)
}

/// Returns the path of an item with the name of its crate.
fn qualified(item: &ItemRow) -> String {
    match item.canon.strip_prefix("crate") {
        Some(rest) if !item.crate_name.is_empty() => format!("{}{rest}", item.crate_name),
        _ => item.canon.clone(),
    }
}

fn named(item: &ItemRow) -> Value {
    json!({ "id": item.id, "canon": item.canon, "node_type": item.kind.word(), "file_path": item.path, "lines": [item.lines.0, item.lines.1] })
}

fn edge_value(kind: EdgeKind, target: &str, item: Option<&ItemRow>) -> Value {
    json!({ "kind": kind.word(), "target": target, "item": item.map(named) })
}
