//! Trees of the greatest height that is parsed fit into a stack.

use crate::rust::parsed;

/// What a Worker's stack holds; the frames of this build are larger than those of one that is optimised.
const STACK_BYTES: usize = 1_048_576;

/// The most repeats of a form that are parsed.
fn most(form: &dyn Fn(usize) -> String) -> usize {
    let deep =
        |count: usize| parsed_reason(&form(count)).is_some_and(|reason| reason.contains("deep"));
    let (mut low, mut high) = (1, 5_000);
    while low + 1 < high {
        let middle = (low + high) / 2;
        if deep(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    low
}

fn parsed_reason(text: &str) -> Option<String> {
    parsed(text).reason
}

#[test]
fn the_highest_trees_that_are_parsed_fit_into_the_stack() {
    type Form = (&'static str, fn(usize) -> String);
    let forms: [Form; 14] = [
        ("parentheses", |n| {
            format!("fn f() {{ {}x{} }}", "(".repeat(n), ")".repeat(n))
        }),
        ("blocks", |n| {
            format!("fn f() {{ {}{} }}", "{ ".repeat(n), " }".repeat(n))
        }),
        ("calls", |n| {
            format!("fn f() {{ {}x{} }}", "f(".repeat(n), ")".repeat(n))
        }),
        ("closures", |n| {
            format!("fn f() {{ {}x }}", "|a| ".repeat(n))
        }),
        ("not", |n| format!("fn f() {{ {}x }}", "!".repeat(n))),
        ("sums", |n| format!("fn f() {{ x{} }}", " + x".repeat(n))),
        ("methods", |n| format!("fn f() {{ x{} }}", ".a()".repeat(n))),
        ("else", |n| {
            format!("fn f() {{ if a {{}}{} }}", " else if b {}".repeat(n))
        }),
        ("match", |n| {
            format!(
                "fn f() {{ {}x{} }}",
                "match a { b => ".repeat(n),
                " }".repeat(n)
            )
        }),
        ("types", |n| {
            format!("type A = {}u8{};", "V<".repeat(n), ">".repeat(n))
        }),
        ("references", |n| format!("type A = {}u8;", "&".repeat(n))),
        ("modules", |n| {
            format!("{}{}", "mod a { ".repeat(n), " }".repeat(n))
        }),
        ("macros", |n| {
            format!("{}{}", "m! { ".repeat(n), " }".repeat(n))
        }),
        ("imports", |n| {
            format!("use {}b{};", "a::{".repeat(n), "}".repeat(n))
        }),
    ];
    // Each is looked for where there is room for all of it.
    let finder = std::thread::Builder::new().stack_size(512 * 1024 * 1024);
    let texts = finder
        .spawn(move || forms.map(|(name, form)| (name, form(most(&form)))))
        .unwrap()
        .join()
        .unwrap();
    for (name, text) in texts {
        let builder = std::thread::Builder::new()
            .stack_size(STACK_BYTES)
            .name(name.to_owned());
        let reason = builder
            .spawn(move || parsed_reason(&text))
            .unwrap()
            .join()
            .unwrap();
        assert!(reason.is_none(), "{name}: {reason:?}");
    }
}
