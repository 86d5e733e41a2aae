//! The table of layers in `ARCHITECTURE.md` against the metadata of cargo.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

use super::markdown::{code_spans, plain, rows};
use super::{assert_same, path, read};

/// The package at the root, which uses all others. It alone depends on the platform.
const ROOT: &str = "codemode-database";
const PLATFORM: [&str; 4] = ["worker", "js-sys", "web-sys", "wasm-bindgen"];

/// Returns each crate of `crates/` with its dependencies, except those of its tests. A crate has
/// the name of its folder.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args("metadata --no-deps --offline --format-version 1".split(' '));
    let output = cargo.current_dir(path("")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let crate_name = |package: &Value| package["name"].as_str().unwrap().to_owned();
    let mut found = BTreeMap::new();
    for package in metadata["packages"].as_array().unwrap() {
        let manifest = package["manifest_path"].as_str().unwrap();
        let folder = manifest.trim_end_matches("/Cargo.toml");
        if folder.contains("/crates/") {
            assert_eq!(
                folder.rsplit('/').next(),
                package["name"].as_str(),
                "a crate has the name of its folder"
            );
            let used = package["dependencies"].as_array().unwrap();
            let used = used.iter().filter(|used| used["kind"] != "dev");
            found.insert(crate_name(package), used.map(crate_name).collect());
        }
    }
    found
}

#[test]
fn architecture_md_has_the_layers_of_the_workspace() {
    let dependencies = dependencies();
    let mut in_code = dependencies.clone();
    for used in in_code.values_mut() {
        used.retain(|name| dependencies.contains_key(name));
    }
    let document = rows(&read("ARCHITECTURE.md"), "crate");
    let mut documented = BTreeMap::new();
    for row in document.iter().filter(|row| plain(&row[0]) != ROOT) {
        let name = plain(&row[0]).to_owned();
        let used: BTreeSet<String> = code_spans(&row[2]).into_iter().collect();
        // The layers are listed from the lowest to the highest, so the dependencies of a crate have
        // rows above its own.
        for used in &used {
            let is_above = documented.contains_key(used);
            assert!(is_above, "{name} uses {used}, which stands below it");
        }
        documented.insert(name, used);
    }
    let (documented, in_code) = (documented.into_iter(), in_code.into_iter());
    assert_same(documented.collect(), in_code.collect());
}

#[test]
fn only_the_root_knows_the_platform() {
    for (name, used) in dependencies() {
        let known = PLATFORM.iter().find(|platform| used.contains(**platform));
        assert_eq!(known, None, "{name} depends on the platform");
    }
}
