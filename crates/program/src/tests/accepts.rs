//! Accepted programs, and the value that each returns.

use super::{Guards, body, check, prepare, refused};

#[test]
fn the_value_of_the_last_expression_is_returned() {
    check("1 + 2", "return(1 + 2)");
    check("a()\n;(b)", "a()\n;return((b))");
    check("x = 5;;", "return(x = 5);;");
    check("await f() // done", "return(await f()) // done");
    check("'text'", "return('text')");
    check("'use strict'; 3", "'use strict'; return(3)");
    check("({a: 1})", "return(({a: 1}))");
    check("f(2)\nfunction f() {}", "return(f(2))\nfunction f() {}");
}

#[test]
fn the_value_is_looked_for_inside_of_the_last_statement() {
    check("if (a) b; else c", "if (a) return(b); else return(c)");
    check(
        "if (a) { b } else if (c) d",
        "if (a) { return(b) } else if (c) return(d)",
    );
    check(
        "try { a() } catch { b } finally { c }",
        "try { return(a()) } catch { return(b) } finally { c }",
    );
    check("{ const a = 1; a }", "{ const a = 1; return(a) }");
    check("for (;;) a", "for (;;) a");
    check("const a = f()", "const a = f()");
}

#[test]
fn a_program_that_returns_is_left_alone() {
    check("if (a) return 1;\nb", "if (a) return 1;\nb");
    check(
        "const f = () => { return 1 }\nf()",
        "const f = () => { return 1 }\nreturn(f())",
    );
}

#[test]
fn a_function_is_returned_for_the_runtime_to_call() {
    check("async () => 1", "return(async () => 1)");
    check(
        "(async () => { await a })",
        "return((async () => { await a }))",
    );
    check("(async () => {})();", "return((async () => {})());");
    check(
        "async function main() {}",
        "async function main() {}\n;return main",
    );
    check(
        "function run() {}\nfunction other() {}",
        "function run() {}\nfunction other() {}\n;return run",
    );
    check(
        "const a = () => 1\nconst b = () => 2",
        "const a = () => 1\nconst b = () => 2\n;return b",
    );
    check(
        "const c = new Map()\nasync function go() {}",
        "const c = new Map()\nasync function go() {}\n;return go",
    );
}

#[test]
fn a_function_is_not_returned_where_the_program_has_begun_its_work() {
    check(
        "const r = await q()\nfunction unused() {}",
        "const r = await q()\nfunction unused() {}",
    );
    check(
        "start(1).x\nfunction f() {}",
        "return(start(1).x)\nfunction f() {}",
    );
}

#[test]
fn exports_are_taken_out_and_the_default_is_returned() {
    check("export default 5", "const $0_d=(5);\n;return $0_d");
    check(
        "export default async () => 1;",
        "const $0_d=(async () => 1);;\n;return $0_d",
    );
    check(
        "export default function main() {}",
        "function main() {}\n;return main",
    );
    check(
        "export default function () {}\n[1]",
        "const $0_d=(function () {});\n[1]\n;return $0_d",
    );
    check("export const a = 1; a", "const a = 1; return(a)");
    check(
        "function f() {}\nexport { f as default }",
        "function f() {}\n; \n;return f",
    );
}

#[test]
fn a_program_may_declare_input_itself() {
    let module = prepare("const input = 5; input", Guards::Off)
        .unwrap()
        .module;
    assert!(
        module.starts_with("export default async($0_i)=>{const input"),
        "{module}"
    );
}

#[test]
fn names_of_the_program_never_begin_with_the_stem() {
    let prepared = prepare("const $0_b = 1, \\u00241_ = 2", Guards::On).unwrap();
    assert!(
        prepared.module.contains("let $2_b=0,"),
        "{}",
        prepared.module
    );
}

#[test]
fn the_code_of_a_fence_is_taken_and_lines_are_kept() {
    check(
        "Look:\n```js\na()\n```\nDone.",
        "\n\nreturn(a())\n\n".trim(),
    );
    check("```ts\nconst a: number = 1\n```", "const a = 1");
    check(
        "```js\n1\n```\nor\n```js\nlonger()\n```",
        "return(longer())",
    );
    check(
        "```bash\nnpm install a-long-name\n```\n```javascript\n2\n```",
        "return(2)",
    );
    check("~~~\n3\n~~~", "return(3)");
    check("```js\n4", "return(4)");
    let prepared = prepare("Text\n```js\n\nthrow 1\n```", Guards::Off).unwrap();
    assert_eq!(prepared.module.lines().nth(3), Some("throw 1"));
}

#[test]
fn a_label_of_a_fence_is_found_in_every_notation() {
    for label in [
        "js",
        " ts",
        "{.js}",
        "{js}",
        "JavaScript title=\"a\"",
        "ts:a.ts",
        "cjs",
        "\tmjs",
    ] {
        check(&format!("Look:\n```{label}\n1\n```"), "return(1)");
    }
}

#[test]
fn a_fence_of_another_language_is_no_program() {
    for (code, line, hint) in [
        ("```json\n{\"a\": 1}\n```", 1, "as `input`"),
        ("```python\nprint(1)\n```", 1, "JavaScript or TypeScript"),
        ("```PostgreSQL\nSELECT 1\n```", 1, "helpers.db.query"),
        ("``` sql\nSELECT 1\n```", 1, "helpers.db.query"),
        ("```{.python}\n1\n```", 1, "JavaScript or TypeScript"),
        ("~~~bash\n1\n~~~", 1, "JavaScript or TypeScript"),
        ("```yaml\na: 1", 1, "as `input`"),
        ("Result:\n```json\n{}\n```", 2, "as `input`"),
        ("Here you are.\n\n~~~csv\na,b\n~~~", 3, "as `input`"),
        (
            "1\n```text\n2\n```\n```sql\n3\n```",
            2,
            "JavaScript or TypeScript",
        ),
        ("```js\n```\n```rust\n1\n```", 3, "JavaScript or TypeScript"),
    ] {
        let error = refused(code);
        assert!(
            error.message.starts_with("the code fence is labelled `"),
            "{code}: {error:?}"
        );
        assert_eq!(error.line, line, "{code}");
        assert!(
            error
                .hint
                .as_deref()
                .is_some_and(|text| text.contains(hint)),
            "{code}: {error:?}"
        );
    }
    assert_eq!(refused("```js\n```").message, "the program is empty");
}

#[test]
fn what_looks_like_a_fence_inside_of_a_program_is_part_of_it() {
    for code in [
        "/*\n```json\n{}\n```\n*/\nreturn 1",
        "const a = `\n~~~python\n1\n~~~`; return a",
    ] {
        check(code, code);
    }
}

#[test]
fn damage_of_copied_code_is_mended_outside_of_texts() {
    check("f(“a”, ‘b’)", "return(f(\"a\", 'b'))");
    check("f(“it’s”, “b”)", "return(f(\"it’s\", \"b\"))");
    check("const a = [1，2]； a", "const a = [1,2]; return(a)");
    check("5 – 2", "return(5 - 2)");
    check("a\u{200b} = 1", "return(a = 1)");
    check("'“x”'", "return('“x”')");
    check("`${“a”}`", "return(`${\"a\"}`)");
    check("#!/usr/bin/env node\n1", "return(1)");
}

#[test]
fn what_is_no_program_is_refused() {
    assert_eq!(refused(" \n").message, "the program is empty");
    assert_eq!(
        refused(&"a;".repeat(200_000)).message,
        "the program is longer than 262144 bytes"
    );
}

#[test]
fn every_line_stays_where_it_was() {
    let code = "const a: {\n  b: 1\r\n} = f(\r  1)\u{2028}for (const x of a)\n  g(x)\nenum E {\n  A,\n  B = 2\n}\nE.A";
    for guards in [Guards::On, Guards::Off] {
        let text = body(code, guards);
        assert_eq!(
            text.matches('\n').count(),
            code.matches('\n').count(),
            "{text}"
        );
        assert!(
            text.lines().last().unwrap().contains("return(E.A)"),
            "{text}"
        );
    }
}
