//! Published sources: every file is read, and an independent parser finds the same item in every
//! span.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use code_model::hash::{crate_namespace, tracking_hash};
use code_model::model::{Item, ItemKind, ParsedFile, Placement};
use code_model::parse::parse;
use code_model::{Changes, FileWrite, write_files};
use quote::ToTokens;
use serde_json::{Value, json};

use crate::world::{NOW_MS, World};

/// The number of crates whose sources are read, from the lock file.
const CRATES: usize = 48;
/// The bytes of one crate that are read, because some crates are larger than all others together.
const CRATE_BYTES: usize = 60_000;

struct Source {
    name: String,
    version: String,
    files: Vec<(String, Vec<u8>)>,
}

/// Returns the sources that cargo has for the dependencies of this workspace.
fn sources() -> Vec<Source> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--format-version", "1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter();
    let mut found: Vec<Source> = packages
        .filter(|package| package["source"].is_string())
        .map(|package| {
            let manifest = PathBuf::from(package["manifest_path"].as_str().unwrap());
            let folder = manifest.parent().unwrap();
            let mut files = Vec::new();
            gather(folder, &folder.join("src"), &mut files);
            Source {
                name: package["name"].as_str().unwrap().to_owned(),
                version: package["version"].as_str().unwrap().to_owned(),
                files,
            }
        })
        .filter(|source| !source.files.is_empty())
        .collect();
    // The crates with the most files, and the same ones in each run.
    found.sort_by_key(|source| {
        (
            std::cmp::Reverse(source.files.len()),
            source.name.clone(),
            source.version.clone(),
        )
    });
    found.truncate(CRATES);
    found
}

fn gather(root: &Path, folder: &Path, files: &mut Vec<(String, Vec<u8>)>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            gather(root, &path, files);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let name = path
                .strip_prefix(root)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            let bytes = fs::read(&path).unwrap();
            let before: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
            if before + bytes.len() <= CRATE_BYTES {
                files.push((name, bytes));
            }
        }
    }
}

/// Returns the name that an independent parser reads from an item's bytes; `None` if they are not
/// such an item.
fn named(kind: ItemKind, text: &str) -> Option<String> {
    let item = syn::parse_str::<syn::Item>(text).ok();
    let member = || syn::parse_str::<syn::ImplItem>(text).ok();
    let of_trait = || syn::parse_str::<syn::TraitItem>(text).ok();
    let foreign = || syn::parse_str::<syn::ForeignItem>(text).ok();
    let ident = match (kind, item) {
        (ItemKind::Function, Some(syn::Item::Fn(it))) => it.sig.ident,
        (ItemKind::Function, _) => match foreign()? {
            syn::ForeignItem::Fn(it) => it.sig.ident,
            _ => return None,
        },
        (ItemKind::Method, _) => match (member(), of_trait()) {
            (Some(syn::ImplItem::Fn(it)), _) => it.sig.ident,
            (_, Some(syn::TraitItem::Fn(it))) => it.sig.ident,
            _ => return None,
        },
        (ItemKind::Const, Some(syn::Item::Const(it))) => it.ident,
        (ItemKind::Const, _) => match (member(), of_trait()) {
            (Some(syn::ImplItem::Const(it)), _) => it.ident,
            (_, Some(syn::TraitItem::Const(it))) => it.ident,
            _ => return None,
        },
        (ItemKind::TypeAlias, Some(syn::Item::Type(it))) => it.ident,
        (ItemKind::TypeAlias, _) => match (member(), of_trait(), foreign()) {
            (Some(syn::ImplItem::Type(it)), ..) => it.ident,
            (_, Some(syn::TraitItem::Type(it)), _) => it.ident,
            (_, _, Some(syn::ForeignItem::Type(it))) => it.ident,
            _ => return None,
        },
        (ItemKind::Enum, Some(syn::Item::Enum(it))) => it.ident,
        (ItemKind::Struct, Some(syn::Item::Struct(it))) => it.ident,
        (ItemKind::Union, Some(syn::Item::Union(it))) => it.ident,
        (ItemKind::Trait, Some(syn::Item::Trait(it))) => it.ident,
        (ItemKind::Trait, Some(syn::Item::TraitAlias(it))) => it.ident,
        (ItemKind::Static, Some(syn::Item::Static(it))) => it.ident,
        (ItemKind::Static, _) => match foreign()? {
            syn::ForeignItem::Static(it) => it.ident,
            _ => return None,
        },
        (ItemKind::Module, Some(syn::Item::Mod(it))) => it.ident,
        (ItemKind::Macro, Some(syn::Item::Macro(it))) => it.ident?,
        (ItemKind::Impl, Some(syn::Item::Impl(_)))
        | (ItemKind::Import, Some(syn::Item::Use(_) | syn::Item::ExternCrate(_))) => {
            return Some(String::new());
        }
        _ => return None,
    };
    Some(ident.to_string())
}

fn check_item(file: &str, text: &str, item: &Item, placement: &Placement) {
    let slice = text
        .get(item.span.clone())
        .unwrap_or_else(|| panic!("{file}: the span of {} is no text", item.canon));
    let name = named(item.kind, slice)
        .unwrap_or_else(|| panic!("{file}: {} is not {:?}: {slice}", item.canon, item.kind));
    if !matches!(item.kind, ItemKind::Impl | ItemKind::Import) {
        assert_eq!(name, item.name, "{file}");
    }
    // The text in the form of each place where it may be, because the parser drops parts without
    // meaning, such as an empty `where`.
    let readings = [
        slice.parse::<proc_macro2::TokenStream>().ok(),
        syn::parse_str::<syn::Item>(slice)
            .ok()
            .map(ToTokens::into_token_stream),
        syn::parse_str::<syn::ImplItem>(slice)
            .ok()
            .map(ToTokens::into_token_stream),
        syn::parse_str::<syn::TraitItem>(slice)
            .ok()
            .map(ToTokens::into_token_stream),
        syn::parse_str::<syn::ForeignItem>(slice)
            .ok()
            .map(ToTokens::into_token_stream),
    ];
    let mut hashes = readings.iter().flatten().map(|tokens| {
        tracking_hash(
            placement.namespace,
            &placement.absolute_path,
            &tokens.to_string(),
        )
    });
    assert!(
        hashes.any(|hash| hash == item.tracking_hash),
        "{file}: {}: {slice}",
        item.canon
    );
    assert!(
        item.head >= item.span.start && item.head < item.span.end,
        "{file}: {}",
        item.canon
    );
}

fn check_file(
    source: &Source,
    path: &str,
    bytes: &[u8],
    counts: &mut HashMap<ItemKind, usize>,
) -> ParsedFile {
    let placement = Placement {
        path: path.to_owned(),
        absolute_path: format!("/ws/{path}"),
        crate_name: source.name.replace('-', "_"),
        namespace: crate_namespace(&source.name, &source.version),
        module_path: "crate".to_owned(),
    };
    let file = format!("{} {path}", source.name);
    let parsed = parse(bytes, &placement);
    let Ok(text) = std::str::from_utf8(bytes) else {
        assert!(!parsed.parsed);
        return parsed;
    };
    if !parsed.parsed {
        assert!(
            syn::parse_file(text).is_err() || parsed.reason.as_ref().unwrap().contains("deep"),
            "{file}: {:?}",
            parsed.reason
        );
        return parsed;
    }
    let mut ids = std::collections::HashSet::new();
    for (index, item) in parsed.items.iter().enumerate() {
        assert!(
            ids.insert(item.id),
            "{file}: {} has the id of another",
            item.canon
        );
        *counts.entry(item.kind).or_default() += 1;
        let Some(parent) = item.parent else {
            assert_eq!((index, item.span.clone()), (0, 0..text.len()), "{file}");
            continue;
        };
        let around = &parsed.items[parent].span;
        assert!(
            parent < index && around.start <= item.span.start && item.span.end <= around.end,
            "{file}: {}",
            item.canon
        );
        check_item(&file, text, item, &placement);
    }
    // A comment above everything moves each item and changes none.
    let shift = "// moved\n";
    let start = text.len() - text.trim_start_matches('\u{feff}').len();
    if !text[start..].starts_with("#!/") {
        let moved = format!("{}{shift}{}", &text[..start], &text[start..]);
        let again = parse(moved.as_bytes(), &placement);
        assert_eq!(again.tracking_hash, parsed.tracking_hash, "{file}");
        for (one, other) in parsed.items.iter().zip(&again.items).skip(1) {
            assert_eq!(
                (one.id, one.tracking_hash),
                (other.id, other.tracking_hash),
                "{file}: {}",
                one.canon
            );
            assert_eq!(
                one.span.start + shift.len(),
                other.span.start,
                "{file}: {}",
                one.canon
            );
        }
    }
    parsed
}

#[test]
fn every_file_of_many_crates_is_read_and_every_span_is_its_item() {
    let sources = sources();
    assert!(sources.len() >= 40, "{}", sources.len());
    let mut counts = HashMap::new();
    let (mut files, mut whole, mut bytes) = (0, 0, 0);
    for source in &sources {
        for (path, content) in &source.files {
            let parsed = check_file(source, path, content, &mut counts);
            files += 1;
            whole += usize::from(parsed.parsed);
            bytes += content.len();
        }
    }
    println!(
        "{} crates, {files} files, {whole} parsed, {bytes} bytes, {counts:?}",
        sources.len()
    );
    assert!(
        whole * 100 >= files * 99,
        "{whole} of {files} files were parsed"
    );
    for kind in [
        ItemKind::Function,
        ItemKind::Method,
        ItemKind::Impl,
        ItemKind::Import,
        ItemKind::Macro,
        ItemKind::Module,
        ItemKind::Trait,
    ] {
        assert!(
            counts.get(&kind).is_some_and(|count| *count > 50),
            "{kind:?} {counts:?}"
        );
    }
}

/// Each edit is approved and reverted, and the file is the same as before, byte by byte.
#[test]
fn edits_of_foreign_sources_come_back_exactly() {
    let mut edited = 0;
    for source in sources().iter().step_by(6) {
        let world = World::new();
        let mut changes = Changes::default();
        let manifest = format!(
            "[package]\nname = \"{}\"\nversion = \"{}\"\n",
            source.name, source.version
        );
        let files = std::iter::once(("Cargo.toml".to_owned(), manifest.into_bytes()))
            .chain(source.files.iter().take(12).cloned());
        for (path, bytes) in files {
            changes.writes.push(FileWrite {
                path: code_model::project::FilePath::parse(&path).unwrap(),
                bytes,
                modified_ms: NOW_MS,
            });
        }
        let committed = write_files(&world.workspace(), "sources", &changes).unwrap();
        for file in committed
            .files
            .iter()
            .filter(|file| file.parsed && file.path.ends_with(".rs"))
            .take(4)
        {
            let inspected = world.run("inspect", json!({ "file_path": file.path }));
            let before = world.text(&file.path);
            for item in inspected["spans"]
                .as_array()
                .unwrap()
                .iter()
                .skip(1)
                .step_by(7)
                .take(4)
            {
                let span = item["span"][0].as_u64().unwrap() as usize
                    ..item["span"][1].as_u64().unwrap() as usize;
                let code = format!("{}/* edited */", &before[span.clone()]);
                let edit = json!({"edits": [{"mode": "canonical", "file": file.path, "canon": item["canon"], "node_type": item["node_type"], "code": code}]});
                let staged = match world.reply("apply_code_edit", &edit) {
                    Ok(reply) => reply.fields,
                    Err(error) => {
                        // Twins that differ in their `cfg`.
                        assert_eq!(
                            error.code(),
                            "AMBIGUOUS_ITEM",
                            "{edit}: {}",
                            error.to_json()
                        );
                        continue;
                    }
                };
                assert_eq!(world.approve(&staged)["ok"], true, "{edit}");
                let mut expected = before.clone();
                expected.replace_range(span, &code);
                assert_eq!(world.text(&file.path), expected, "{edit}");
                world.run(
                    "revert_proposal",
                    json!({ "requestId": staged["requestId"] }),
                );
                assert_eq!(world.text(&file.path), before);
                edited += 1;
            }
        }
    }
    assert!(edited > 50, "{edited}");
}
