//! Hints for errors that programs throw.

use super::slice;
use crate::answered::{Shape, ToolOutcomes};
use crate::{Position, RuntimeFailure, explain};

/// Returns the hint for an error at the first occurrence of `at` in the code, in a run that called
/// no tool.
fn hint(code: &str, name: &str, message: &str, at: &str) -> String {
    hint_after(&ToolOutcomes::default(), code, name, message, at)
}

fn hint_after(answered: &ToolOutcomes, code: &str, name: &str, message: &str, at: &str) -> String {
    let byte = code.find(at).unwrap();
    let start = slice(code, 0, byte).rfind('\n').map_or(0, |end| end + 1);
    let position = Position {
        line: u32::try_from(slice(code, 0, byte).matches('\n').count() + 1).unwrap(),
        column: u32::try_from(slice(code, start, byte).chars().count() + 1).unwrap(),
    };
    let failure = RuntimeFailure {
        name,
        message,
        position: Some(position),
        answered,
    };
    explain(code, &failure).unwrap_or_default()
}

#[track_caller]
fn read(code: &str, value: &str, property: &str, at: &str, expected: &str) {
    let message = format!("Cannot read properties of {value} (reading '{property}')");
    assert_eq!(hint(code, "TypeError", &message, at), expected, "{code}");
}

#[track_caller]
fn type_error(code: &str, message: &str, at: &str, expected: &str) {
    assert_eq!(hint(code, "TypeError", message, at), expected, "{code}");
}

const EMPTY: &str = "which may have returned no rows: check `rows.length` first.";

#[test]
fn a_value_that_is_missing_is_named_with_the_call_it_came_from() {
    let from = |line: u32| {
        format!("`rows[0]` is undefined; `rows` came from helpers.db.query on line {line}, {EMPTY}")
    };
    read(
        "\n\nconst rows = await helpers.db.query('a');\nrows[0].name",
        "undefined",
        "name",
        "name",
        &from(3),
    );
    read(
        "let rows;\nrows = await helpers.db.query('a') as any[];\nrows[0]!.name",
        "undefined",
        "name",
        "name",
        &from(2).replace("rows[0]`", "rows[0]!`"),
    );
    read(
        "Hi\n```ts\nconst rows: any[] = await helpers.db.query('a')\nrows[0].name\n```",
        "undefined",
        "name",
        "name",
        &from(3),
    );
    read(
        "const [first] = await helpers.db.query('a')\nfirst.name",
        "undefined",
        "name",
        "name",
        "`first` is undefined; `first` came from helpers.db.query on line 1, which may have returned no rows: check for that first.",
    );
}

#[test]
fn rows_are_followed_into_loops_and_callbacks() {
    let columns =
        "came from helpers.db.query on line 1: check the names of the columns that it returns.";
    read(
        "const a = await helpers.db.query('x')\nfor (const b of a) b.c.zz",
        "undefined",
        "zz",
        "zz",
        &format!("`b.c` is undefined; `a` {columns}"),
    );
    read(
        "const a = await helpers.db.query('x')\na.map(b => b.c.zz)",
        "undefined",
        "zz",
        "zz",
        &format!("`b.c` is undefined; `a` {columns}"),
    );
    read(
        "const a = await helpers.db.query('x')\nconst d = a.rows\nd.reduce((s, b) => s + b.c.zz, 0)",
        "undefined",
        "zz",
        "zz",
        &format!("`b.c` is undefined; `a` {columns}"),
    );
}

#[test]
fn other_helpers_say_what_nothing_means() {
    read(
        "const s = await helpers.db.getState('k')\ns.zz",
        "null",
        "zz",
        "zz",
        "`s` is null; `s` came from helpers.db.getState on line 1, which returns null if nothing was saved under that key.",
    );
    type_error(
        "const { a } = await dbSchema.findColumn('t', 'x')",
        "Cannot destructure property 'a' of '(intermediate value)' as it is null.",
        "a }",
        "`await dbSchema.findColumn('t', 'x')` is null; it came from dbSchema.findColumn on line 1, which returns null if no column matches.",
    );
    read(
        "const o = {}\no.a.zz",
        "undefined",
        "zz",
        "zz",
        "`o.a` is undefined: check it before reading `zz`.",
    );
}

#[test]
fn a_forgotten_await_is_said() {
    let missing = "`await` is missing before helpers.db.query on line 1.";
    type_error(
        "const rows = helpers.db.query('a')\nrows.map(r => r)",
        "rows.map is not a function",
        "map",
        missing,
    );
    type_error(
        "for (const r of helpers.db.query('a')) {}",
        "helpers.db.query is not a function or its return value is not iterable",
        "query",
        missing,
    );
    type_error(
        "const [a] = helpers.db.query('a')",
        "helpers.db.query is not a function or its return value is not iterable",
        "helpers",
        missing,
    );
    read(
        "const rows = helpers.db.query('a')\nrows[0].zz",
        "undefined",
        "zz",
        "zz",
        missing,
    );
}

#[test]
fn helpers_that_do_not_exist_are_corrected() {
    let hint = hint(
        "helpers.db.qery('a')",
        "TypeError",
        "helpers.db.qery is not a function",
        "qery",
    );
    assert!(
        hint.starts_with("`helpers.db.qery` does not exist; did you mean `helpers.db.query`?"),
        "{hint}"
    );
    type_error(
        "helpers.db.getTables()",
        "helpers.db.getTables is not a function",
        "getTables",
        "`helpers.db.getTables` does not exist; it is `dbSchema.getTables`.",
    );
}

#[test]
fn names_that_do_not_exist_are_corrected() {
    let unknown = |code: &str, name: &str| {
        hint(
            code,
            "ReferenceError",
            &format!("{name} is not defined"),
            name,
        )
    };
    assert_eq!(
        unknown("totall; const total = 1", "totall"),
        "Did you mean `total`?"
    );
    assert_eq!(unknown("helper.db", "helper"), "Did you mean `helpers`?");
    assert_eq!(
        unknown("count = 1", "count"),
        "Declare it first: `let count = …`."
    );
    assert_eq!(unknown("query('a')", "query"), "It is `helpers.db.query`.");
    assert!(unknown("fetch('a')", "fetch").contains("no network"));
    assert!(unknown("process.env", "process").contains("no environment"));
    assert!(unknown("module.exports = 1", "module").contains("no modules"));
    assert_eq!(unknown("zzzzqqqq", "zzzzqqqq"), "");
    let early = hint(
        "a; let a",
        "ReferenceError",
        "Cannot access 'a' before initialization",
        "a",
    );
    assert!(early.contains("move the declaration up"), "{early}");
}

#[test]
fn an_answer_that_is_not_what_was_expected_is_told_by_its_form() {
    let after = |shape: Option<Shape>, failed: bool| {
        let mut answered = ToolOutcomes::default();
        if let Some(shape) = shape {
            answered.with("pubs", "ask", shape);
        }
        if failed {
            answered.failed("pubs", "ask", "UPSTREAM_TIMEOUT");
        }
        answered
    };
    let code = "const r = await helpers.pubs.ask({});\nreturn r.map((x) => x)";
    for (answered, expected) in [
        (after(Some(Shape::Text), false), "its result was a text"),
        (
            after(Some(Shape::of(r#"{"papers":[],"total":1}"#)), false),
            "its result was an object with the keys papers, total",
        ),
        (
            after(Some(Shape::Value), false),
            "its result was a plain value, which is returned as {ok, data, error, meta}",
        ),
        (
            after(Some(Shape::Receipt), false),
            "its result was large and is in tables, so the call returned {staged: true, tables}; {stage: false} returns the data",
        ),
        (
            after(None, true),
            "it failed with UPSTREAM_TIMEOUT and returned {ok: false, error}, see the log: test `ok` first",
        ),
        (
            after(None, false),
            "a failed call returns {ok: false, error}, and the log gives the reason",
        ),
    ] {
        let hint = hint_after(
            &answered,
            code,
            "TypeError",
            "r.map is not a function",
            "r.map",
        );
        assert_eq!(
            hint,
            format!(
                "`r` has no function map; `r` came from helpers.pubs.ask on line 1: {expected}."
            )
        );
    }
}

#[test]
fn the_result_of_the_protocol_is_told_from_the_data() {
    let mut answered = ToolOutcomes::default();
    answered.with("pubs", "ask", Shape::Text);
    for (code, message, at, shown) in [
        (
            "const r = await helpers.pubs.ask({});\nJSON.parse(r.content[0].text)",
            "Cannot read properties of undefined (reading '0')",
            "[0]",
            "`r.content` is undefined; `r`",
        ),
        (
            "const { content } = await helpers.pubs.ask({});\ncontent[0].text",
            "Cannot read properties of undefined (reading '0')",
            "[0]",
            "`content` is undefined; `content`",
        ),
        (
            "const r = await helpers.pubs.ask({});\nr.structuredContent.papers",
            "Cannot read properties of undefined (reading 'papers')",
            "papers",
            "`r.structuredContent` is undefined; `r`",
        ),
    ] {
        assert_eq!(
            hint_after(&answered, code, "TypeError", message, at),
            format!(
                "{shown} came from helpers.pubs.ask on line 1, which returns the data itself and not the MCP result: its result was a text. {{returnFormat: \"raw\"}} returns that result."
            ),
            "{code}"
        );
    }
    let rows = hint_after(
        &answered,
        "const rows = await helpers.db.query('a');\nrows[0].content.x",
        "TypeError",
        "Cannot read properties of undefined (reading 'x')",
        "x",
    );
    assert!(rows.contains("names of the columns"), "{rows}");
}

#[test]
fn errors_that_say_enough_need_no_place() {
    for (name, message, part) in [
        (
            "EvalError",
            "Code generation from strings disallowed for this context",
            "`eval`",
        ),
        (
            "SyntaxError",
            "Unexpected token '<', \"<html>\" is not valid JSON",
            "not JSON",
        ),
        (
            "SyntaxError",
            "\"[object Object]\" is not valid JSON",
            "already an object",
        ),
        (
            "SyntaxError",
            "Unexpected token 'o', \"[object Obj\"... is not valid JSON",
            "already an object",
        ),
        (
            "RangeError",
            "Maximum call stack size exceeded",
            "calls itself",
        ),
        (
            "TypeError",
            "Do not know how to serialize a BigInt",
            "BigInt",
        ),
        (
            "TypeError",
            "Class constructor A cannot be invoked without 'new'",
            "`new A(…)`",
        ),
    ] {
        let failure = RuntimeFailure {
            name,
            message,
            position: None,
            answered: &ToolOutcomes::default(),
        };
        let hint = explain("a", &failure).unwrap_or_default();
        assert!(hint.contains(part), "{message}: {hint}");
    }
}
