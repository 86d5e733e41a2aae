//! Looks up one item: by its id, by its canonical path, or by its name.

use base::Result;
use database::Database;
use operation::arguments::{Text, missing};
use operation::declaration::Effect;
use serde_json::{Value, json};

use crate::kinds::{AsOfArgument, KindName, Path};
use crate::model::ItemKind;
use crate::parse::{language, rules};
use crate::project::FilePath;
use crate::resolve::{Wanted, ends_with, normalised, resolve, spellings};
use crate::store::{files, items};
use crate::{CodeError, Head, ItemRow, Operation, Reply, Workspace};

/// The ways in which a request names an item.
pub(super) struct Named<'r> {
    pub id: Option<&'r str>,
    pub name: Option<&'r str>,
    pub canon: Option<&'r str>,
    pub file: Option<&'r str>,
    pub kind: Option<ItemKind>,
    pub module: Option<&'r str>,
}

operation::operation! {
    /// One item by its name, path or id, with its text, span and hashes. If several have the name,
    /// the error lists them.
    pub struct CodeItemLookup {
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
    name: "code_item_lookup",
    title: "Look an item up",
    effect: Effect::READS,
    output: "ItemAnswer",
    example: r##"{"item_name":"total","file_path":"src/lib.rs","node_kind":"function","module_path":"crate"}"##,
}

impl CodeItemLookup {
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

impl Operation<'_> for CodeItemLookup {
    fn run<D: Database>(self, workspace: &Workspace<'_, D>) -> Result<Reply> {
        let version = Head::load(workspace.db)?.at(workspace.db, self.as_of.unwrap_or_default())?;
        let item = find(workspace, &self.named(), version)?;
        let mut fields = item_value(&item);
        if let Some(file) = files::find(workspace.db, version, &item.path)? {
            let bytes = files::content(workspace.db, file.content)?;
            let text = bytes
                .get(item.span.clone())
                .map(String::from_utf8_lossy)
                .unwrap_or_default();
            if let Value::Object(fields) = &mut fields {
                fields.insert("text".to_owned(), text.into());
                fields.insert("file_hash".to_owned(), file.file_hash.into());
            }
        }
        Ok(Reply::read(
            json!({ "ok": true, "version": version, "item": fields }),
        ))
    }
}

/// Returns the item that a request names.
pub(super) fn find<D: Database>(
    workspace: &Workspace<'_, D>,
    named: &Named<'_>,
    version: u64,
) -> Result<ItemRow> {
    if let Some(id) = named.id {
        let found = items::by_id(workspace.db, version, id)?;
        return found.ok_or_else(|| {
            CodeError::ItemNotFound {
                canon: id.to_owned(),
                file: "*".to_owned(),
                candidates: Vec::new(),
            }
            .into()
        });
    }
    let canon = canon(named)?;
    let file = named
        .file
        .map(|path| FilePath::parse_given(path, &workspace.settings.root))
        .transpose()?;
    match (&file, named.kind) {
        (Some(file), Some(kind)) => resolve(
            workspace.db,
            version,
            Wanted {
                file,
                canon: &canon,
                kind,
            },
        ),
        (file, kind) => anywhere(workspace, version, &canon, kind, file.as_ref()),
    }
}

fn canon(named: &Named<'_>) -> Result<String> {
    if let Some(canon) = named.canon {
        return Ok(canon.to_owned());
    }
    let name = named.name.ok_or_else(|| missing("item_name"))?;
    Ok(match named.module {
        Some(module) if !module.is_empty() => format!("{module}::{name}"),
        _ => name.to_owned(),
    })
}

/// Returns an item when the request does not name its file or its kind. There must be only one.
fn anywhere<D: Database>(
    workspace: &Workspace<'_, D>,
    version: u64,
    canon: &str,
    kind: Option<ItemKind>,
    file: Option<&FilePath>,
) -> Result<ItemRow> {
    let db = workspace.db;
    let kinds: Vec<ItemKind> = kind.into_iter().collect();
    let narrow = items::Narrow {
        kinds: &kinds,
        path: file.map(FilePath::as_str),
        crates: &[],
    };
    // The text counts as a name only if no item has it as its path.
    let anywhere = items::Narrow::default();
    let mut all = items::by_canon(db, version, canon, anywhere)?;
    let is_name = all.is_empty() && !canon.contains("::");
    let mut found = if all.is_empty() && canon.contains(['.', ':']) {
        all = by_end(db, version, canon, anywhere)?;
        by_end(db, version, canon, narrow)?
    } else if is_name {
        all = items::by_name(db, version, canon, anywhere)?;
        items::by_name(db, version, canon, narrow)?
    } else {
        items::by_canon(db, version, canon, narrow)?
    };
    let file = file.map_or("*", FilePath::as_str).to_owned();
    let canon = canon.to_owned();
    match found.len() {
        0 => Err(CodeError::ItemNotFound {
            canon,
            file,
            candidates: all.iter().map(ItemRow::candidate).collect(),
        }
        .into()),
        1 => found
            .pop()
            .ok_or_else(|| base::Error::internal("an item is gone")),
        count => Err(CodeError::AmbiguousItem {
            canon,
            file,
            count,
            candidates: found.iter().map(ItemRow::candidate).collect(),
        }
        .into()),
    }
}

/// Returns the items in modules with dotted paths whose path, or its end, is this one:
/// `Response.json`.
fn by_end<D: Database>(
    db: &D,
    version: u64,
    canon: &str,
    narrow: items::Narrow<'_>,
) -> Result<Vec<ItemRow>> {
    let path = normalised(canon).replace("::", ".");
    let names = [1, 2].map(|parts| path.rsplitn(parts + 1, '.').take(parts).collect::<Vec<_>>());
    let mut found = Vec::new();
    for mut name in names {
        name.reverse();
        found.extend(items::by_name(db, version, &name.join("."), narrow)?);
    }
    found.retain(|item| {
        let has_dots = rules(language(&item.path)).separator() == ".";
        has_dots && (spellings(item).contains(&path) || ends_with(item, &path))
    });
    // As in the lookup within a file, an exact path has priority over the end of a path.
    if found.iter().any(|item| spellings(item).contains(&path)) {
        found.retain(|item| spellings(item).contains(&path));
    }
    Ok(found)
}

/// Returns an item in the form of a result.
pub(super) fn item_value(item: &ItemRow) -> Value {
    json!({
        "id": item.id,
        "name": item.name,
        "node_type": item.kind.word(),
        "canon": item.canon,
        "module_path": item.module_path,
        "file_path": item.path,
        "crate": item.crate_name,
        "parent_id": item.parent_id,
        "visibility": item.visibility,
        "docstring": item.docstring,
        "signature": item.signature,
        "cfgs": item.cfgs,
        "span": [item.span.start, item.span.end],
        "lines": [item.lines.0, item.lines.1],
        "tracking_hash": item.tracking_hash,
        "valid_from": item.valid_from,
    })
}
