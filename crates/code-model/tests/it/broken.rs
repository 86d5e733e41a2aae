//! Rust files that the parser rejects.

use code_model::limits::MAX_PARSED_BYTES;

use crate::rust::parsed;

fn found(text: &str) -> Vec<(String, String)> {
    let file = parsed(text);
    assert!(!file.parsed);
    let items = file.items.iter().skip(1);
    items
        .map(|item| {
            (
                format!("{} {}", item.kind.word(), item.canon),
                text[item.span.clone()].to_owned(),
            )
        })
        .collect()
}

#[test]
fn trap_13_a_broken_file_is_read_as_far_as_it_goes() {
    let text = "//! File.\nuse a::{b, c};\n/// Docs.\n#[inline]\npub fn one(a: [u8; { 1 }]) -> u8 { a[0 }\n\nimpl<T: A> Tr<T> for Foo<T>\nwhere T: B {\n    fn m(&self) { x( }\n    const C: u8 = 1;\n}\n\
        pub(crate) struct S { x: u8 }\nstruct U(u8);\nmod inner { fn deep() {} }\nmod file;\nmacro_rules! mac { () => { fn no() {} } }\nconst fn two() {}\nextern crate alloc;\nstatic mut ST: u8 = 1;\n";
    let names: Vec<String> = found(text).into_iter().map(|(name, _)| name).collect();
    assert_eq!(
        names,
        [
            "import crate::a::{b, c}",
            "function crate::one",
            "impl crate::impl Tr<T> for Foo<T>",
            "method crate::<Foo as Tr<T>>::m",
            "const crate::<Foo as Tr<T>>::C",
            "struct crate::S",
            "struct crate::U",
            "module crate::inner",
            "function crate::inner::deep",
            "module crate::file",
            "macro crate::mac",
            "function crate::two",
            "import crate::alloc",
            "static crate::ST",
        ]
    );
    let texts = found(text);
    assert_eq!(
        texts[1].1,
        "/// Docs.\n#[inline]\npub fn one(a: [u8; { 1 }]) -> u8 { a[0 }"
    );
    assert_eq!(texts[6].1, "struct U(u8);");
}

#[test]
fn a_brace_that_is_missing_does_not_swallow_what_follows() {
    let text = "fn one() {\n    if x {\n}\n\npub fn two() {}\n\nstruct S;\n";
    assert_eq!(
        found(text),
        [
            (
                "function crate::one".to_owned(),
                "fn one() {\n    if x {\n}".to_owned()
            ),
            (
                "function crate::two".to_owned(),
                "pub fn two() {}".to_owned()
            ),
            ("struct crate::S".to_owned(), "struct S;".to_owned()),
        ]
    );
    let text = "impl X {\n    fn one() {\n        a(;\n    fn two() {}\n}\nfn three() {}\n";
    let names: Vec<String> = found(text).into_iter().map(|(name, _)| name).collect();
    assert_eq!(
        names,
        [
            "impl crate::impl X",
            "method crate::X::one",
            "method crate::X::two",
            "function crate::three"
        ]
    );
}

#[test]
fn a_file_that_is_repaired_keeps_the_ids_of_its_items() {
    let broken = parsed("/// A.\nfn a() {}\nimpl X { fn b() {} }\nfn broken( {}\n");
    let whole = parsed("/// A.\nfn a() {}\nimpl X { fn b() {} }\nfn broken() {}\n");
    assert!(whole.parsed && !broken.parsed);
    let ids = |file: &code_model::model::ParsedFile| {
        file.items
            .iter()
            .take(4)
            .map(|item| (item.id, item.docstring.clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(&broken), ids(&whole));
    assert_eq!(broken.items[1].tracking_hash, whole.items[1].tracking_hash);
}

#[test]
fn no_text_is_read_without_an_end() {
    for text in [
        "",
        "fn",
        "pub",
        "fn (",
        "impl",
        "impl {",
        "mod",
        "use",
        "#[",
        "#[cfg",
        "/// x",
        "{",
        "}",
        "fn a",
        "trait T {",
        "const",
        "extern",
        "pub(",
        "macro_rules!",
        "fn \u{feff}",
        "((((]]]]",
        "'",
        "r#\"",
        "\"x",
    ] {
        for more in ["", "\n", " {", " }", "(", ";"] {
            parsed(&format!("{text}{more}fn broken( {{"));
        }
    }
    let brackets = "(]".repeat(50_000);
    parsed(&format!("fn broken( {{ {brackets}"));
}

/// The time limit for a text that is one long line. With quadratic time it would take minutes.
const LONG_LINE: std::time::Duration = std::time::Duration::from_secs(60);

#[test]
fn a_long_line_is_read_in_linear_time() {
    for piece in [
        "mod ",
        "fn a ",
        "pub ",
        "#[a",
        "impl {",
        "use a ",
        "/// a ",
        "const fn ",
    ] {
        let text = piece.repeat(MAX_PARSED_BYTES / piece.len());
        let start = std::time::Instant::now();
        let file = parsed(&text);
        let took = start.elapsed();
        assert!(!file.parsed || piece == "/// a ", "{piece}");
        assert!(took < LONG_LINE, "{piece}: {took:?}");
    }
}
