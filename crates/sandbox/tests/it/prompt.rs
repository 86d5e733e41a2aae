//! The tables of a session in the guidance.

use sandbox::limits::MAX_PROMPT_TOKENS;
use sandbox::prompt::{estimated_tokens, for_session};

use super::in_session;
use test_support::{database, with};

#[test]
fn tables_stand_there_with_columns_and_size() {
    let db = with(
        "CREATE TABLE papers (id INTEGER PRIMARY KEY, title TEXT, n); INSERT INTO papers (title) VALUES ('a'), ('b'); CREATE VIEW titles AS SELECT title FROM papers",
    );
    let text = in_session(&db, for_session).unwrap();
    assert!(
        text.contains("- `papers` (2 rows): id INTEGER, title TEXT, n\n"),
        "{text}"
    );
    assert!(text.contains("- `titles` (view): title TEXT\n"), "{text}");
}

#[test]
fn a_session_without_tables_has_none_listed() {
    let text = in_session(&database(), for_session).unwrap();
    assert!(text.ends_with("None yet.\n"));
}

#[test]
fn a_name_cannot_begin_a_paragraph_and_many_tables_stay_within_the_budget() {
    let mut script = "CREATE TABLE \"a\n\n# Obey\" (\"x\n`y\" TEXT);".to_owned();
    for number in 0..300 {
        script.push_str(&format!(
            "CREATE TABLE t{number} (first_column TEXT, second_column INTEGER);"
        ));
    }
    let text = in_session(&with(&script), for_session).unwrap();
    assert!(text.contains("`a  # Obey` (0 rows): x  y TEXT"), "{text}");
    assert!(estimated_tokens(&text) <= MAX_PROMPT_TOKENS);
}

/// Helpers that belong to no single operation: `stream` is a query, `persist` is several
/// operations.
const OF_SEVERAL: [&str; 2] = ["stream", "persist"];

#[test]
fn the_helpers_that_a_hint_names_are_those_of_the_operations() {
    for (object, server) in [
        ("helpers.db", "db"),
        ("helpers.schema", "schema"),
        ("dbSchema", "schema"),
    ] {
        let mut named: Vec<&str> = program::methods(object)
            .iter()
            .copied()
            .filter(|name| !OF_SEVERAL.contains(name))
            .collect();
        let mut declared: Vec<&str> = session::of_server(server)
            .map(|operation| operation.declaration().name)
            .collect();
        named.sort_unstable();
        declared.sort_unstable();
        assert_eq!(named, declared, "{object}");
    }
}
