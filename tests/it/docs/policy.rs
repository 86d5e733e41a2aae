//! `docs/sql-policy.md` against the gate: refusals with their examples and hints, and functions.

use std::collections::BTreeSet;

use codemode_database::base::Error;
use codemode_database::config::Config;
use codemode_database::session::{self, dispatch};
use codemode_database::sql::dialect::function_hints;
use codemode_database::sql::{Policy, REASONS, TABLE_FUNCTIONS, allowed_functions, review};
use serde_json::json;

use super::markdown::{block, code_spans, plain, rows};
use super::read;
use test_support::HostDatabase;

const PAGE: &str = "docs/sql-policy.md";

fn refusal(sql: &str, reason: &str) -> Error {
    let db = HostDatabase::new();
    session::start(&db, 0).unwrap();
    db.script(&block(&read(PAGE), "sql"));
    let strict = reason
        .ends_with("_in_strict_profile")
        .then(|| "strict".to_owned());
    let config = Config::parse(|name| strict.clone().filter(|_| name == "SQL_PROFILE")).unwrap();
    let operation = if reason == "read_only_operation" {
        "query"
    } else {
        "exec"
    };
    let scope = reason
        .starts_with("scope_")
        .then(|| json!({ "value": "acme" }));
    let stand = test_support::Stand::new(&config.session)
        .at(0)
        .named("docs");
    let request = json!({ "operation": operation, "sql": sql, "scope": scope }).to_string();
    let outcome = dispatch(&stand.session(&db), &request);
    outcome
        .err()
        .unwrap_or_else(|| panic!("{sql} is not refused"))
}

#[test]
fn sql_policy_md_has_every_refusal_with_an_example_and_its_hint() {
    let document = rows(&read(PAGE), "reason");
    let documented: Vec<&str> = document.iter().map(|row| plain(&row[0])).collect();
    assert_eq!(documented, REASONS);
    for row in &document {
        let (reason, sql) = (plain(&row[0]), plain(&row[1]));
        if code_spans(&row[1]).is_empty() {
            assert_eq!(reason, "parsers_disagree", "only this one has no example");
            continue;
        }
        let error = refusal(sql, reason);
        assert_eq!(
            error.details().get("reason"),
            Some(&reason.into()),
            "{sql}: {error}"
        );
        assert_eq!(error.hint().as_deref(), Some(row[3].as_str()), "{sql}");
    }
}

#[test]
fn sql_policy_md_has_every_function() {
    let words = |language: &str| -> Vec<String> {
        block(&read(PAGE), language)
            .split_whitespace()
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(words("functions"), allowed_functions().collect::<Vec<_>>());
    let mut tables = TABLE_FUNCTIONS.to_vec();
    tables.sort_unstable();
    assert_eq!(words("table-functions"), tables);
    for name in tables {
        review(&format!("SELECT * FROM {name}('x')"), &Policy::default()).unwrap();
    }
}

#[test]
fn sql_policy_md_has_the_hint_for_every_function_that_others_have() {
    let mut documented = BTreeSet::new();
    for row in rows(&read(PAGE), "function") {
        for name in code_spans(&row[0]) {
            let error = review(&format!("SELECT \"{name}\"(1)"), &Policy::default()).unwrap_err();
            assert!(
                ["NO_SUCH_FUNCTION", "SQL_BLOCKED"].contains(&error.code()),
                "{name}: {error}"
            );
            assert_eq!(error.hint().as_deref(), Some(row[1].as_str()), "{name}");
            documented.insert(name);
        }
    }
    let names = function_hints()
        .iter()
        .flat_map(|(names, _)| names.split(' '));
    assert_eq!(documented, names.map(str::to_owned).collect());
}
