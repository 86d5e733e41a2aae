//! `docs/sql-policy.md` against the gate: refusals with their examples and hints, and functions.

use base::Error;
use codemode_database::config::Config;
use serde_json::json;
use session::{self, dispatch};
use sql_gate::dialect::function_hints;
use sql_gate::{Policy, REASONS, TABLE_FUNCTIONS, allowed_functions, review};

use super::markdown::{block, code_spans, names, plain, rows};
use super::{assert_same, read};
use test_support::{HostDatabase, Stand};

const PAGE: &str = "docs/sql-policy.md";

fn refusal(sql: &str, reason: &str) -> Error {
    let db = HostDatabase::new();
    session::start(&db, 0).unwrap();
    db.script(&block(&read(PAGE), "sql"));
    let is_strict = reason.ends_with("_in_strict_profile");
    let strict = |name: &str| (is_strict && name == "SQL_PROFILE").then(|| "strict".to_owned());
    let config = Config::parse(strict).unwrap();
    let request = match reason {
        "read_only_operation" => json!({ "operation": "query", "sql": sql }),
        _ if reason.starts_with("scope_") => {
            json!({ "operation": "exec", "sql": sql, "scope": { "value": "acme" } })
        }
        _ => json!({ "operation": "exec", "sql": sql }),
    };
    let stand = Stand::new(&config.session).at(0).named("docs");
    dispatch(&stand.session(&db), &request.to_string()).expect_err(sql)
}

#[test]
fn sql_policy_md_has_every_refusal_with_an_example_and_its_hint() {
    assert_eq!(names(&read(PAGE), "reason"), REASONS);
    for row in rows(&read(PAGE), "reason") {
        let (reason, sql) = (plain(&row[0]), plain(&row[1]));
        if code_spans(&row[1]).is_empty() {
            assert_eq!(reason, "parsers_disagree", "only this one has no example");
            continue;
        }
        let error = refusal(sql, reason);
        assert_eq!(error.details()["reason"], reason, "{sql}: {error}");
        assert_eq!(error.hint().as_deref(), Some(row[3].as_str()), "{sql}");
    }
}

#[test]
fn sql_policy_md_has_every_function() {
    let page = read(PAGE);
    let (functions, tables) = (block(&page, "functions"), block(&page, "table-functions"));
    let in_code: Vec<&str> = allowed_functions().collect();
    assert_eq!(functions.split_whitespace().collect::<Vec<_>>(), in_code);
    assert_same(
        tables.split_whitespace().collect(),
        TABLE_FUNCTIONS.to_vec(),
    );
    for name in TABLE_FUNCTIONS {
        review(&format!("SELECT * FROM {name}('x')"), &Policy::default()).unwrap();
    }
}

#[test]
fn sql_policy_md_has_the_hint_for_every_function_that_others_have() {
    let mut documented = Vec::new();
    for row in rows(&read(PAGE), "function") {
        for name in code_spans(&row[0]) {
            let error = review(&format!("SELECT \"{name}\"(1)"), &Policy::default()).unwrap_err();
            let code = error.code();
            assert!(
                matches!(code, "NO_SUCH_FUNCTION" | "SQL_BLOCKED"),
                "{name}: {error}"
            );
            assert_eq!(error.hint().as_deref(), Some(row[1].as_str()), "{name}");
            documented.push(name);
        }
    }
    let hints = function_hints().iter();
    let in_code = hints.flat_map(|(names, _)| names.split(' ').map(str::to_owned));
    assert_same(documented, in_code.collect());
}
