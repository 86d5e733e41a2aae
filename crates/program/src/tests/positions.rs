//! The map from positions in the module back to the text that was sent.

use super::{Guards, prepare, slice};

/// Finds the last `needle` of the user's part in the module, as V8 would report it, and maps it
/// back.
#[track_caller]
fn maps(code: &str, needle: &str) {
    for guards in [Guards::On, Guards::Off] {
        let prepared = prepare(code, guards).unwrap();
        let place = |text: &str| {
            let at = text
                .rfind(needle)
                .unwrap_or_else(|| panic!("{needle} in {text}"));
            let line = slice(text, 0, at).matches('\n').count() + 1;
            let start = slice(text, 0, at).rfind('\n').map_or(0, |end| end + 1);
            (line, start, at)
        };
        let (line, start, at) = place(&prepared.module);
        let column = slice(&prepared.module, start, at).encode_utf16().count() + 1;
        let found = prepared
            .position(line.try_into().unwrap(), column.try_into().unwrap())
            .unwrap();
        let (line, start, at) = place(code);
        let expected = (line, slice(code, start, at).chars().count() + 1);
        assert_eq!(
            (found.line as usize, found.column as usize),
            expected,
            "{code} {guards:?}"
        );
    }
}

#[test]
fn columns_are_found_behind_everything_that_is_spliced_in() {
    maps("foo()", "foo");
    maps("if (a) for (const b of c) for (;;) bad(b)", "bad");
    maps("const f = async x => x.map(y => y.bad)\nf(1)", "bad");
    maps(
        "class A { constructor(private a: B) { this.bad() } }",
        "bad",
    );
    maps("enum A { B, C = bad() }\n1", "bad");
    maps("const é: string = '😀', a = f('😀' as any, bad)", "bad");
    maps(
        "Text:\n\n```ts\n\tconst a: A = 1\n\treturn bad(a)\n```",
        "bad",
    );
    maps("const f = (a): {\n  b: C } => bad(a)", "bad");
    maps("do x(); while (bad)", "bad");
}

#[test]
fn what_was_not_sent_has_no_place() {
    let prepared = prepare("a", Guards::On).unwrap();
    assert_eq!(prepared.position(1, 5), None);
    assert_eq!(prepared.position(2, 1), None);
    assert_eq!(prepared.position(9, 9), None);
}
