//! Hints for mistakes in the names and arguments of calls.

use super::{refused, slice};
use crate::answered::ToolOutcomes;
use crate::{Position, RuntimeFailure, explain, missing_server};

/// Returns the hint for an error at the first occurrence of `at` in the code, as a run reports it.
fn slip(code: &str, at: &str, name: &str, message: &str) -> String {
    let byte = code.find(at).unwrap();
    let start = slice(code, 0, byte).rfind('\n').map_or(0, |end| end + 1);
    let failure = RuntimeFailure {
        name,
        message,
        position: Some(Position {
            line: u32::try_from(slice(code, 0, byte).matches('\n').count() + 1).unwrap(),
            column: u32::try_from(slice(code, start, byte).chars().count() + 1).unwrap(),
        }),
        answered: &ToolOutcomes::default(),
    };
    let server = missing_server(code, &failure);
    server
        .or_else(|| explain(code, &failure))
        .unwrap_or_default()
}

#[test]
fn a_parameter_that_is_taken_apart_and_was_not_given_is_named() {
    let read = "Cannot read properties of undefined (reading 'limit')";
    let whole = "Cannot destructure property 'a' of 'undefined' as it is undefined.";
    for (code, at, message, wanted) in [
        (
            "async function main({limit = 2}) { return limit }",
            "limit",
            read,
            "`{limit = 2}` destructures its argument, and the request sent no `input`: write `{limit = 2} = {}`, or send `input`.",
        ),
        (
            "function main({a}, b) { return [a, b] }",
            "{a}",
            whole,
            "`{a}` destructures its argument, and the request sent no `input`: write `{a} = {}`, or send `input`.",
        ),
        (
            "const f = async ({ a }) => a;\nreturn await f()",
            "{ a }",
            whole,
            "`{ a }` destructures its argument, and `f` was called without it: write `{ a } = {}`.",
        ),
    ] {
        assert_eq!(slip(code, at, "TypeError", message), wanted, "{code}");
    }
    // Another value within the same function.
    let code = "function main({a = {}}) { return a.b.c }";
    let message = "Cannot read properties of undefined (reading 'c')";
    assert_eq!(
        slip(code, "c }", "TypeError", message),
        "`a.b` is undefined: check it before reading `c`."
    );
}

#[test]
fn names_of_tools_and_of_other_libraries_lead_to_what_a_program_calls() {
    for (code, at, name, message, wanted) in [
        (
            "return await db_query({sql:'SELECT 1'})",
            "db_query",
            "ReferenceError",
            "db_query is not defined",
            "`helpers.db.query`",
        ),
        (
            "return await db_get_tables()",
            "db_get_tables",
            "ReferenceError",
            "db_get_tables is not defined",
            "`dbSchema.getTables`",
        ),
        (
            "return await tools_call({})",
            "tools_call",
            "ReferenceError",
            "tools_call is not defined",
            "`helpers.<server>.<tool>`",
        ),
        (
            "return await helpers.db_batch_insert('t', [])",
            "db_batch_insert",
            "TypeError",
            "helpers.db_batch_insert is not a function",
            "`helpers.db.batchInsert`",
        ),
        (
            "return await helpers.db.import('t','a\\n1')",
            "import",
            "TypeError",
            "helpers.db.import is not a function",
            "did you mean `helpers.db.batchInsert`?",
        ),
        // V8 gives this position for a keyword.
        (
            "return await helpers.db.delete('t')",
            "('t')",
            "TypeError",
            "helpers.db.delete is not a function",
            "did you mean `helpers.db.exec`?",
        ),
        (
            "return await helpers.db.db_exec('x')",
            "db_exec",
            "TypeError",
            "helpers.db.db_exec is not a function",
            "it is `helpers.db.exec`",
        ),
        (
            "return await helpers.db.select('x')",
            "select",
            "TypeError",
            "helpers.db.select is not a function",
            "did you mean `helpers.db.query`?",
        ),
    ] {
        let told = slip(code, at, name, message);
        assert!(told.contains(wanted), "{code}: {told}");
    }
}

#[test]
fn await_in_an_enum_is_told_as_such() {
    let error = refused("enum E { A = await helpers.db.query('SELECT 1') } return 1");
    let hint = error.hint.unwrap();
    assert!(hint.contains("enum"), "{hint}");
    let error = refused("function f() { await g() } return f()");
    let hint = error.hint.unwrap();
    assert!(hint.contains("line 1") && !hint.contains("enum"), "{hint}");
}
