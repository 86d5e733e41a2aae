//! Items of Rust files: spans, names, hashes, and references.

use code_model::hash::crate_namespace;
use code_model::model::{Item, ItemKind, ParsedFile, Placement};
use code_model::parse::parse;

pub fn placement(path: &str, module_path: &str) -> Placement {
    Placement {
        path: path.to_owned(),
        absolute_path: format!("/ws/{path}"),
        crate_name: "fixture_nodes".to_owned(),
        namespace: crate_namespace("fixture_nodes", "0.1.0"),
        module_path: module_path.to_owned(),
    }
}

pub fn parsed(text: &str) -> ParsedFile {
    parse(text.as_bytes(), &placement("src/main.rs", "crate"))
}

fn texts<'a>(text: &'a str, file: &ParsedFile) -> Vec<(ItemKind, String, &'a str)> {
    let items = file.items.iter().skip(1);
    items
        .map(|item| (item.kind, item.canon.clone(), &text[item.span.clone()]))
        .collect()
}

fn item<'a>(file: &'a ParsedFile, canon: &str) -> &'a Item {
    file.items
        .iter()
        .find(|item| item.canon == canon)
        .unwrap_or_else(|| panic!("no {canon} in {:#?}", file.items))
}

#[test]
fn items_in_the_branches_of_macros_are_found_with_their_conditions() {
    let text = "cfg_if::cfg_if! {
    if #[cfg(unix)] {
        /// Of unix.
        pub fn open() {}
        impl A { fn m(&self) {} }
    } else if #[cfg(windows)] {
        pub fn open() {}
    } else {
        pub mod none { pub fn open() {} }
    }
}
cfg_select! {
    target_os = \"wasi\" => { pub fn select() {} }
    _ => { pub fn select() {} pub struct Rest; }
}
lazy_static! {
    /// Words.
    pub static ref WORDS: Vec<u8> = vec![1];
    static ref OTHER: u8 = 2;
}
cfg_if! { if #[cfg(a)] { let x = 1; } }
cfg_if! { }
";
    let file = parsed(text);
    let found: Vec<String> = file
        .items
        .iter()
        .skip(1)
        .map(|item| {
            format!(
                "{} {} {}",
                item.canon,
                item.cfgs.join(" & "),
                text[item.span.clone()].lines().next().unwrap()
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            "crate::open cfg_if! & unix /// Of unix.",
            "crate::impl A cfg_if! & unix impl A { fn m(&self) {} }",
            "crate::A::m cfg_if! & unix fn m(&self) {}",
            "crate::open cfg_if! & not(unix) & windows pub fn open() {}",
            "crate::none cfg_if! & not(unix) & not(windows) pub mod none { pub fn open() {} }",
            "crate::none::open cfg_if! & not(unix) & not(windows) pub fn open() {}",
            "crate::select cfg_select! & target_os=\"wasi\" pub fn select() {}",
            "crate::select cfg_select! & _ pub fn select() {}",
            "crate::Rest cfg_select! & _ pub struct Rest;",
            "crate::WORDS lazy_static! /// Words.",
            "crate::OTHER lazy_static! static ref OTHER: u8 = 2;",
        ]
    );
    let ids: std::collections::HashSet<_> = file.items.iter().map(|item| item.id).collect();
    assert_eq!(ids.len(), file.items.len());
}

#[test]
fn the_tracking_hash_of_a_file_is_that_of_the_facts() {
    let file = parsed("fn main() { println!(\"Hello, world!\"); }");
    assert_eq!(
        file.tracking_hash.to_string(),
        "3cec41ae-645a-5c1c-a11a-a884f8488a7c"
    );
}

#[test]
fn spans_are_exact_behind_marks_line_ends_and_characters_of_several_bytes() {
    for before in [
        "",
        "\u{feff}",
        "#!/usr/bin/env run\n",
        "\u{feff}#!x\r\n",
        "// äöü 🦀\r\n\r\n",
        "//! ß\n",
    ] {
        let text = format!(
            "{before}/// größe\r\n#[inline]\r\npub fn a() {{ \"🦀\" }}\r\n// plain\r\nstruct B;"
        );
        let file = parsed(&text);
        assert!(file.parsed, "{:?}", file.reason);
        assert_eq!(
            texts(&text, &file),
            [
                (
                    ItemKind::Function,
                    "crate::a".to_owned(),
                    "/// größe\r\n#[inline]\r\npub fn a() { \"🦀\" }"
                ),
                (ItemKind::Struct, "crate::B".to_owned(), "struct B;"),
            ],
            "{before:?}"
        );
        let function = item(&file, "crate::a");
        assert_eq!(
            (function.docstring.as_str(), function.signature.as_str()),
            ("größe", "pub fn a()")
        );
        assert_eq!(&text[function.head..function.head + 6], "pub fn");
    }
}

#[test]
fn every_kind_has_its_canonical_path() {
    let text = "use std::{fmt, io as inout};\npub use self::inner::Deep;\nextern crate alloc;\nconst A: u8 = 1;\nstatic B: u8 = 1;\n\
        enum C { X }\nstruct D { x: u8 }\nunion E { x: u8 }\ntrait F { const G: u8; type H; fn i(); }\ntype J = u8;\n\
        macro_rules! k { () => {} }\nmod l;\nmod inner { pub struct Deep; fn same() {} }\nfn same() {}\n\
        impl D { fn m(&self) {} }\nimpl F for D { const G: u8 = 1; type H = u8; fn i() {} }\nimpl<T> From<Vec<T>> for E { fn from(_: T) -> Self {} }\n\
        extern \"C\" { fn n(); }\ncfg_rt! { pub fn o() {} }\n";
    let file = parsed(text);
    let found: Vec<String> = file
        .items
        .iter()
        .map(|item| format!("{} {}", item.kind.word(), item.canon))
        .collect();
    assert_eq!(
        found,
        [
            "module crate",
            "import crate::std::{fmt, io as inout}",
            "import crate::self::inner::Deep",
            "import crate::alloc",
            "const crate::A",
            "static crate::B",
            "enum crate::C",
            "struct crate::D",
            "union crate::E",
            "trait crate::F",
            "const crate::F::G",
            "type_alias crate::F::H",
            "method crate::F::i",
            "type_alias crate::J",
            "macro crate::k",
            "module crate::l",
            "module crate::inner",
            "struct crate::inner::Deep",
            "function crate::inner::same",
            "function crate::same",
            "impl crate::impl D",
            "method crate::D::m",
            "impl crate::impl F for D",
            "const crate::<D as F>::G",
            "type_alias crate::<D as F>::H",
            "method crate::<D as F>::i",
            "impl crate::impl From<Vec<T>> for E",
            "method crate::<E as From<Vec<T>>>::from",
            "function crate::n",
            "function crate::o",
        ]
    );
    assert_eq!(item(&file, "crate::o").cfgs, ["cfg_rt!"]);
    assert!(item(&file, "crate::l").declares.is_some());
    assert!(item(&file, "crate::self::inner::Deep").searchable);
    assert!(!item(&file, "crate::std::{fmt, io as inout}").searchable);
}

#[test]
fn an_id_is_of_what_an_item_is_and_not_of_where_it_stands() {
    let before = parsed(
        "fn a() {}\n#[cfg(unix)]\nfn b() {}\n#[cfg(windows)]\nfn b() {}\nimpl X { fn c() {} }\nimpl X { fn d() {} }\n",
    );
    let after = parsed(
        "// moved\nfn a() { 1 }\n#[cfg(unix)]\nfn b() {}\n#[cfg(windows)]\nfn b() {}\nimpl X { fn c() {} }\nimpl X { fn d() {} }\n",
    );
    let ids = |file: &ParsedFile| file.items.iter().map(|item| item.id).collect::<Vec<_>>();
    assert_eq!(ids(&before), ids(&after));
    let mut all = ids(&before);
    all.sort();
    all.dedup();
    assert_eq!(all.len(), before.items.len(), "twins have ids of their own");
}

#[test]
fn what_has_items_in_it_does_not_change_with_them() {
    let before = parsed("mod a { fn b() {} }\nimpl X { fn c() {} }\n");
    let after = parsed("mod a { fn b() { 1 } }\nimpl X { fn c() { 2 } }\n");
    for canon in ["crate", "crate::a", "crate::impl X"] {
        assert_eq!(
            item(&before, canon).own_hash,
            item(&after, canon).own_hash,
            "{canon}"
        );
        assert_ne!(
            item(&before, canon).tracking_hash,
            item(&after, canon).tracking_hash,
            "{canon}"
        );
    }
    let other = parsed("mod a { fn b() {} }\nimpl<T> X { fn c() {} }\n");
    assert_ne!(
        item(&before, "crate::impl X").own_hash,
        item(&other, "crate::impl X").own_hash
    );
}

#[test]
fn what_an_item_names_has_the_path_from_its_crate_on() {
    let text = "use crate::store::Store as Shelf;\nuse tokio::sync::Mutex;\nuse self::a::*;\npub use a::Thing;\nmod a { pub struct Thing; use super::helper; fn x() { helper(); super::helper() } }\n\
        fn helper() {}\nstruct S;\nimpl S { fn new() -> Self { Self::other() } fn other() {} }\nimpl Clone2 for S {}\ntrait Clone2 {}\n\
        fn go(s: Shelf, m: Mutex<u8>) { helper(); a::Thing; s.frobnicate(); println!(\"{}\", a::more(1)); unknown(); String::new(); std::mem::drop(s) }\n";
    let file = parsed(text);
    let found: Vec<String> = file
        .references
        .iter()
        .map(|reference| {
            let source = &file.items[reference.source].canon;
            format!(
                "{source} {} {} {} {}",
                reference.kind.word(),
                reference.form.word(),
                reference.target,
                reference.alias
            )
        })
        .collect();
    let has = |line: &str| {
        assert!(
            found.iter().any(|found| found.trim_end() == line),
            "{line}\n{found:#?}"
        )
    };
    has(
        "crate::crate::store::Store as Shelf uses path fixture_nodes::store::Store fixture_nodes::Shelf",
    );
    has("crate::tokio::sync::Mutex uses path tokio::sync::Mutex fixture_nodes::Mutex");
    has("crate::self::a::* uses path fixture_nodes::a fixture_nodes::*");
    has("crate::a::Thing re_exports path fixture_nodes::a::Thing fixture_nodes::Thing");
    has("crate::a::x calls path fixture_nodes::helper");
    has("crate::<S as Clone2>::x calls path x"
        .replace(
            "crate::<S as Clone2>::x calls path x",
            "crate::impl Clone2 for S implements path fixture_nodes::Clone2",
        )
        .as_str());
    has("crate::impl Clone2 for S impl_for path fixture_nodes::S");
    has("crate::S::new calls path fixture_nodes::S::other");
    has("crate::go uses path fixture_nodes::store::Store");
    has("crate::go uses path tokio::sync::Mutex");
    has("crate::go calls path fixture_nodes::helper");
    has("crate::go calls name frobnicate");
    has("crate::go calls path fixture_nodes::a::more");
    has("crate::go calls name unknown");
    assert!(
        !found
            .iter()
            .any(|line| line.contains("String") || line.contains("std::")),
        "{found:#?}"
    );
}

/// Trap 13: a file that cannot be parsed, twins that differ in their `cfg`, and code that nests too
/// deeply.
#[test]
fn trap_13_a_file_that_cannot_be_parsed_is_read_by_its_lines_and_says_why() {
    let deep = format!(
        "fn f() {{ {}x{} }}",
        "(".repeat(100_000),
        ")".repeat(100_000)
    );
    let file = parsed(&deep);
    assert!(!file.parsed && file.reason.is_some());
    let file = parse(&[0xff, 0xfe], &placement("src/main.rs", "crate"));
    assert_eq!(file.reason.as_deref(), Some("the file is not UTF-8"));
}

/// Returns the bytes of the references of a file.
fn held(file: &ParsedFile) -> usize {
    let references = file.references.iter();
    references
        .map(|reference| reference.target.len() + reference.alias.len())
        .sum()
}

#[test]
fn what_an_import_brings_has_a_bound() {
    let path = |segments: usize| "a::".repeat(segments);
    let file = parsed(&format!("use {}{{{}}};", path(30), "b,".repeat(25_000)));
    assert!(file.parsed, "{:?}", file.reason);
    assert!(held(&file) < 1_000_000, "{}", held(&file));
    // Distinct names in many imports.
    let names: Vec<String> = (0..400).map(|name| format!("b{name}")).collect();
    let import = format!("use {}{{{}}};", path(30), names.join(","));
    let file = parsed(&import.repeat(400));
    assert!(file.parsed, "{:?}", file.reason);
    assert!(held(&file) < 5_000_000, "{}", held(&file));
    let few = parsed(&import);
    assert_eq!(few.references.len(), names.len());
}

#[test]
fn what_stands_around_an_item_is_not_copied_without_an_end() {
    let long = "a".repeat(100_000);
    let functions = "fn f() {} ".repeat(10_000);
    for text in [
        format!("mod {long} {{ {functions} }}"),
        format!("impl {long} {{ {functions} }}"),
        format!("impl A<{long}> for {long} {{ {functions} }}"),
        format!("trait {long} {{ {functions} }}"),
        format!("#[cfg({long})] mod a {{ {functions} }}"),
        format!("{} mod a {{ {functions} }}", "#[cfg(a)]".repeat(10_000)),
        format!("{long}! {{ {functions} }}"),
    ] {
        for end in ["", " fn ("] {
            let file = parsed(&format!("{text}{end}"));
            let held: usize = file
                .items
                .iter()
                .map(|item| {
                    let cfgs: usize = item.cfgs.iter().map(String::len).sum();
                    item.canon.len() + item.module_path.len() + cfgs
                })
                .sum();
            assert!(held < 40_000_000, "{} {held}", &text[..20]);
        }
    }
}
