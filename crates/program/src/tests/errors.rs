//! Syntax errors and refused features, with their hints.

use super::refused;

/// Checks the position of an error and a part of its hint.
#[track_caller]
fn fails(code: &str, line: u32, column: u32, hint: &str) {
    let error = refused(code);
    assert_eq!(
        (error.line, error.column),
        (line, column),
        "{code}: {error:?}"
    );
    let given = error.hint.unwrap_or_default();
    assert!(given.contains(hint), "{code}: {} | {given}", error.message);
}

#[test]
fn what_is_not_closed_is_said_with_where_it_was_opened() {
    fails(
        "foo(1, 2\nbar()",
        2,
        1,
        "The `(` on line 1 is not closed: add `)`",
    );
    fails(
        "function f() {\n  if (x) {\n    y()\n}\n",
        4,
        2,
        "The `{` on line 2",
    );
    fails(
        "const a = 'abc;\nb",
        1,
        11,
        "The string that begins on line 1",
    );
    fails(
        "const a = `abc\nb",
        1,
        11,
        "The template that begins on line 1",
    );
    fails("`${a", 1, 5, "The `${` on line 1");
    fails("/* abc", 1, 1, "add `*/`");
    fails("foo();\n}", 2, 1, "line 2 closes nothing");
}

#[test]
fn other_languages_are_recognised() {
    fails("def main():\n  return 1", 1, 4, "Python");
    fails("if x > 1:\n  y()", 1, 4, "Python");
    fails("if (a) {\n}\nelif (b) {}", 3, 9, "else if");
    fails("print(f'a {b}')", 1, 8, "console.log");
    fails("const a = None or True", 1, 15, "`||`");
    fails("# note\nfoo()", 1, 2, "// …");
    fails("SELECT * FROM t", 1, 14, "helpers.db.query");
    fails("{\"a\": 1, \"b\": [2]}", 1, 5, "This is JSON");
    fails("const a = <div>hi</div>", 1, 11, "markup");
}

#[test]
fn slips_of_models_get_a_cure() {
    fails(
        "function f() {\n  const x = await g()\n}",
        2,
        13,
        "before the function on line 1",
    );
    fails(
        "a.map(x => {\n  return await f(x)\n})",
        2,
        10,
        "before the function on line 1",
    );
    fails("const o = { a: 1\n  b: 2 }", 2, 3, "comma is missing");
    fails("const f = () =&gt; 1", 1, 11, "HTML-escaped");
    fails("+ const a = 1\n- const b = 2", 1, 3, "diff");
    fails("function f() {\n  ...\n}", 2, 3, "left out");
    fails("Sure, I will help you with that", 1, 8, "prose");
    fails(
        "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> c",
        1,
        1,
        "merge conflict",
    );
    fails("const o = { a = 1 }", 1, 13, "name: value");
    fails("const f = (a) = > a", 1, 17, "`=>` without a space");
}

#[test]
fn what_the_sandbox_does_not_have_is_refused_with_a_cure() {
    fails("1\nimport fs from 'fs'", 2, 1, "no modules");
    fails("const a = require('a')", 1, 11, "no modules");
    fails("await import('a')", 1, 7, "no modules");
    fails("export * from 'a'", 1, 1, "no modules");
    fails("import a = require('a')", 1, 1, "no modules");
    fails("@a class B {}", 1, 1, "decorator");
    fails("namespace A { export const b = 1 }", 1, 1, "top level");
    fails("a <!-- b\nc", 1, 3, "Write comments");
}

#[test]
fn a_program_may_have_a_function_named_require() {
    super::check(
        "const require = a => a\nrequire(1)",
        "const require = a => a\nreturn(require(1))",
    );
}

#[test]
fn places_in_a_fence_are_places_in_what_was_sent() {
    fails(
        "Try this:\n```js\nconst a = 1\nconst b = (a\n```\n",
        4,
        13,
        "The `(` on line 4",
    );
}

#[test]
fn the_pointer_stands_below_the_place() {
    let error = refused("let é = 1\n\tlet 😀 = 2");
    assert_eq!(error.pointer, "\tlet 😀 = 2\n\t    ^");
    let error = refused(&format!("{}let = = 1", "a();".repeat(90)));
    let (line, caret) = error.pointer.split_once('\n').unwrap();
    assert!(
        line.starts_with('…') && line.chars().count() <= 102,
        "{line}"
    );
    assert_eq!(
        line.chars().nth(caret.chars().count() - 1),
        Some('='),
        "{}",
        error.pointer
    );
}
