//! The table of layers in `ARCHITECTURE.md` against cargo's metadata.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

use super::markdown::{code_spans, plain, read, rows};

/// The package at the root, which uses all others.
const ROOT: &str = "codemode-database";
/// What the packages of the other crates are called, before the name of the crate.
const PREFIX: &str = "cmdb-";

/// Crates that the root does not use, each with the reason.
const APART: &[(&str, &str)] = &[
    (
        "command",
        "a program for people's machines, with a network and a file system of its own; the Worker would link what it cannot use",
    ),
    ("test_support", "for tests alone"),
];

/// The crates of the workspace with what each uses of the others.
fn layers() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let crate_name = |package: &Value| {
        let name = package["name"].as_str().unwrap();
        // A folder is named as Rust names the crate.
        name.strip_prefix(PREFIX)
            .map_or_else(|| name.to_owned(), |name| name.replace('-', "_"))
    };
    let packages = metadata["packages"].as_array().unwrap();
    packages
        .iter()
        // patches/ stands in for crates of others.
        .filter(|package| {
            let name = package["name"].as_str().unwrap();
            name == ROOT || name.starts_with(PREFIX)
        })
        .map(|package| {
            let dependencies = package["dependencies"].as_array().unwrap();
            let own = dependencies
                .iter()
                .filter(|dependency| dependency["path"].is_string() && dependency["kind"] != "dev")
                .map(crate_name)
                .collect();
            (crate_name(package), own)
        })
        .collect()
}

/// The folders below `crates/`, which are named as the crates are.
pub fn crate_names() -> impl Iterator<Item = String> {
    layers().into_keys().filter(|name| name != ROOT)
}

#[test]
fn architecture_md_has_the_layers_of_the_workspace() {
    let mut layers = layers();
    let mut used = layers.remove(ROOT).unwrap();
    for (name, reason) in APART {
        assert!(
            used.insert((*name).to_owned()),
            "the root uses {name}, which is {reason}"
        );
    }
    assert_eq!(
        used,
        layers.keys().cloned().collect(),
        "the root uses all of them but those apart"
    );
    let documented: Vec<(String, BTreeSet<String>)> = rows(&read("ARCHITECTURE.md"), "crate")
        .iter()
        .filter(|row| plain(&row[0]) != ROOT)
        .map(|row| {
            (
                plain(&row[0]).to_owned(),
                code_spans(&row[2]).into_iter().collect(),
            )
        })
        .collect();
    let in_code: BTreeMap<String, BTreeSet<String>> = documented.iter().cloned().collect();
    assert_eq!(in_code, layers);
    // From the lowest to the highest: nobody uses what stands below it.
    for (index, (name, uses)) in documented.iter().enumerate() {
        let above: BTreeSet<&str> = documented[..index]
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        for used in uses {
            assert!(
                above.contains(used.as_str()),
                "{name} uses {used}, which stands below it"
            );
        }
    }
}

#[test]
fn only_the_root_knows_the_platform() {
    for name in layers().keys().filter(|name| *name != ROOT) {
        let manifest = read(&format!("crates/{name}/Cargo.toml"));
        for platform in ["worker", "js-sys", "web-sys", "wasm-bindgen"] {
            let named = manifest.lines().any(|line| {
                line.starts_with(&format!("{platform}."))
                    || line.starts_with(&format!("{platform} "))
            });
            assert!(!named, "{name} names {platform}");
        }
    }
}
