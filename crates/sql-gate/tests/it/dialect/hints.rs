//! Every piece of SQL that a hint proposes runs on SQLite, through the gate.

use serde_json::{Value, json};
use sql_gate::dialect::{function_hints, other_hints};

use super::{code, database, send};

/// Returns the parameters of the statement: one value if it has a `?`.
fn parameters(sql: &str) -> Value {
    if sql.contains('?') {
        json!(["[1,2]"])
    } else {
        json!([])
    }
}

/// Returns the statement itself, or an expression as the only column of a statement.
fn statement(sql: &str) -> String {
    const VERBS: [&str; 9] = [
        "SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "CREATE", "ALTER", "DROP", "EXPLAIN",
    ];
    if VERBS.iter().any(|verb| sql.starts_with(verb)) {
        sql.to_owned()
    } else {
        format!("SELECT {sql} AS result FROM t")
    }
}

#[test]
fn every_sql_of_a_hint_runs() {
    let functions = function_hints().iter().map(|(_, hint)| *hint);
    let (mut ran, mut failures) = (0, Vec::new());
    for hint in functions.chain(other_hints()) {
        assert_eq!(hint.matches('`').count() % 2, 0, "{hint}");
        for sql in code(hint) {
            let sql = statement(sql);
            match send(&database(), &sql, &parameters(&sql)) {
                Ok(_) => ran += 1,
                Err(error) => failures.push(format!("{} {error}: {sql}", error.code())),
            }
        }
    }
    failures.sort();
    failures.dedup();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(ran >= 300, "{ran}");
}

#[test]
fn a_name_has_one_hint_and_no_function_that_is_there_has_one() {
    let mut names: Vec<&str> = function_hints()
        .iter()
        .flat_map(|(names, _)| names.split(' '))
        .collect();
    let all = names.len();
    assert!(all >= 400, "{all}");
    names.sort_unstable();
    let twice: Vec<_> = names.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert!(twice.is_empty(), "{twice:?}");
    let allowed: Vec<_> = names
        .iter()
        .filter(|name| sql_gate::allowed_functions().any(|allowed| allowed == **name))
        .collect();
    assert!(allowed.is_empty(), "{allowed:?}");
}

#[test]
fn a_function_of_another_database_is_not_there_and_has_its_hint() {
    let db = database();
    for (names, hint) in function_hints() {
        for name in names.split(' ') {
            let error = send(&db, &format!("SELECT \"{name}\"(x) FROM t"), &json!([])).unwrap_err();
            assert!(
                ["NO_SUCH_FUNCTION", "SQL_BLOCKED"].contains(&error.code()),
                "{name}: {error}"
            );
            assert_eq!(error.hint().as_deref(), Some(*hint), "{name}");
        }
    }
}
