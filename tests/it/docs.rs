//! Comparisons of the documents with the code. Each test fails if one side has an entry that the
//! other lacks.
//!
//! Documents are read as Markdown ([`markdown`]) and sources as Rust ([`rust`]). This file compares
//! links, make targets, and the version of Node. The examples run in workerd, by
//! `tests/worker/documents.test.mjs` and `tutorials.test.mjs`.

mod agent;
mod api;
mod errors;
mod hints;
mod layers;
mod markdown;
mod mcp_tools;
mod policy;
mod rust;
mod settings;

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::{Path, PathBuf};

use regex_lite::Regex;

/// The page that lists the routes, and the folder of its pages by object.
const HTTP_API: &str = "docs/http-api.md";
const HTTP_API_PAGES: &str = "docs/http-api/";

/// Returns the absolute path of a file of the repository.
fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn read(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Returns the files below a folder with this ending, by their paths in the repository.
fn files(folder: &str, ending: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path(folder)).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(&name, ending));
        } else if name.ends_with(ending) {
            found.push(name);
        }
    }
    found.sort_unstable();
    found
}

/// Fails with the entries that only one side has.
#[track_caller]
fn assert_same<T: Debug + Ord>(mut documented: Vec<T>, mut in_code: Vec<T>) {
    documented.sort();
    in_code.sort();
    let only = |one: &[T], other: &[T]| -> String {
        let lacking = one.iter().filter(|entry| !other.contains(entry));
        lacking.map(|entry| format!("\n  {entry:?}")).collect()
    };
    if documented != in_code {
        let (documents, code) = (only(&documented, &in_code), only(&in_code, &documented));
        panic!("only in the documents:{documents}\nonly in the code:{code}");
    }
}

fn documents() -> Vec<String> {
    let mut found = files("docs", ".md");
    for entry in std::fs::read_dir(path("")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        found.extend(Some(name).filter(|name| name.ends_with(".md")));
    }
    found
}

/// Returns the file of the repository that a link of a document leads to.
fn target(document: &str, link: &str) -> Option<PathBuf> {
    match link.split('#').next()? {
        "" => path(document).canonicalize().ok(),
        file => path(document).parent()?.join(file).canonicalize().ok(),
    }
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    for name in documents() {
        for link in markdown::links(&read(&name)) {
            if link.contains("://") {
                continue;
            }
            let file = target(&name, &link).unwrap_or_else(|| panic!("{name} links {link}"));
            if let Some((_, anchor)) = link.split_once('#') {
                let headings = markdown::headings(&std::fs::read_to_string(file).unwrap());
                let mut anchors = headings.iter().map(|(_, title)| markdown::anchor(title));
                assert!(anchors.any(|known| known == anchor), "{name} links {link}");
            }
        }
    }
}

#[test]
fn every_document_is_reached_from_the_readme_or_from_a_page_that_it_names() {
    let linked = |page: &Path| -> BTreeSet<PathBuf> {
        let name = page.to_str().unwrap();
        let links = markdown::links(&read(name));
        links.iter().filter_map(|link| target(name, link)).collect()
    };
    let named = linked(Path::new("README.md"));
    let mut reached = named.clone();
    for page in named
        .iter()
        .filter(|page| page.extension() == Some("md".as_ref()))
    {
        reached.extend(linked(page));
    }
    for name in documents() {
        let is_reached = reached.contains(&path(&name).canonicalize().unwrap());
        assert!(is_reached || name == "README.md", "no page leads to {name}");
    }
}

#[test]
fn every_make_target_that_a_document_names_exists() {
    let makefile = read("Makefile");
    let command = Regex::new("(?m)(?:`|^|^\\$ )make ([a-z-]+)").unwrap();
    let mut named = 0;
    for name in documents() {
        for found in command.captures_iter(&read(&name)) {
            let target = format!("\n{}:", &found[1]);
            assert!(makefile.contains(&target), "{name}: {}", &found[0]);
            named += 1;
        }
    }
    assert!(named > 5, "{named} targets are named");
}

#[test]
fn the_version_of_node_is_the_one_that_the_scripts_install() {
    let versions = read("scripts/versions.sh");
    let version = read(".nvmrc");
    let line = format!("NODE_VERSION={}", version.trim());
    assert!(versions.lines().any(|known| known == line), "{line}");
    let named = format!("Node {} ", version.split('.').next().unwrap());
    assert!(read("README.md").contains(&named), "README.md has {named}");
}
