//! Refusals with the names that the endpoint uses, and arguments in the forms that hosts write.

use std::rc::Rc;

use mcp::server::Inputs;
use mcp_product::Profile;
use mcp_product::table::listed;
use serde_json::{Value, json};

use super::world::{Client, Sessions};

/// Statements whose hint recommends something else than a query.
const STATEMENTS: &[&str] = &[
    "INSERT INTO t VALUES (1, 2)",
    "UPDATE t SET a = 1",
    "SELECT row_count()",
    "SELECT * FROM no_such_table_at_all",
    "SHOW TABLES",
    "DESCRIBE t",
    "PRAGMA table_list",
    "BEGIN",
    "LOAD DATA INFILE 'x' INTO TABLE t",
];

/// Words that have a meaning over HTTP only.
const HTTP_WORDS: &[&str] = &[
    "{\"operation\"",
    "…/",
    "content-type",
    "curl",
    "percent-encoded",
    "create=true",
    "GET ",
    "PUT ",
    "POST ",
    "the body",
    "?delimiter",
    "?null",
    "?decimal",
    "?dates",
    "no such route",
];

fn full() -> Client {
    let client = Client::new(&Rc::default(), "{}");
    client.ok("db_create_table", json!({"name": "t", "schema": "a, b"}));
    client
}

/// Returns the names of tools in a text, each with true if another endpoint is named behind it.
fn tools_in(text: &str) -> Vec<(&str, bool)> {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = ["db_", "tools_", "agent_", "program_", "graphql_"]
        .iter()
        .filter_map(|prefix| rest.find(prefix))
        .min()
    {
        let (_, from) = rest.split_at(at);
        let end = from.find(|letter| !is_name(letter)).unwrap_or(from.len());
        let (name, behind) = from.split_at(end);
        found.push((name, behind.starts_with(" of the endpoint /mcp")));
        rest = behind;
    }
    found
}

#[track_caller]
fn in_words_of(profile: Profile, error: &Value) {
    let text = format!(
        "{} {}",
        error["message"].as_str().unwrap(),
        error["hint"].as_str().unwrap_or("")
    );
    for word in HTTP_WORDS {
        assert!(!text.contains(word), "{word} at {profile:?}: {text}");
    }
    for (name, is_elsewhere) in tools_in(&text) {
        let is_here = listed(profile).any(|tool| tool.name == name);
        let exists = listed(Profile::Full).any(|tool| tool.name == name);
        assert!(
            is_here || (is_elsewhere && exists),
            "{name} at {profile:?}: {text}"
        );
    }
    let runs = listed(profile).any(|tool| tool.name == "program_run");
    assert!(runs || !text.contains("helpers."), "at {profile:?}: {text}");
}

#[test]
fn refusals_of_statements_name_what_the_endpoint_has() {
    let sessions: Rc<Sessions> = Rc::default();
    Client::new(&sessions, "{}").ok("db_create_table", json!({"name": "t", "schema": "a, b"}));
    for profile in [
        Profile::Full,
        Profile::ReadOnly,
        Profile::Database,
        Profile::Code,
    ] {
        let client = Client::at(&sessions, "{}", profile);
        for sql in STATEMENTS {
            let error = client.fails("db_query", json!({"sql": sql}));
            assert!(error["hint"].is_string(), "{sql} has no hint");
            in_words_of(profile, &error);
        }
        let error = client.fails("db_query", json!({"sql": STATEMENTS[0]}));
        let hint = error["hint"].as_str().unwrap();
        let words = match profile {
            Profile::ReadOnly => "use db_exec of the endpoint /mcp for",
            Profile::Code => "use helpers.db.exec in program_run for",
            _ => "use db_exec for",
        };
        assert!(hint.starts_with(words), "{hint}");
    }
}

#[test]
fn what_is_wrong_with_a_load_is_told_in_the_words_of_the_arguments() {
    let client = full();
    for (arguments, message, hint) in [
        (
            json!({"table": "", "text": "a\n1\n"}),
            "the argument table is empty",
            "name the table",
        ),
        (
            json!({"table": " ", "text": "a\n1\n"}),
            "the argument table is empty",
            "name the table",
        ),
        (
            json!({"table": ".", "text": "a\n1\n"}),
            "a table cannot be named \".\"",
            "choose a name",
        ),
        (
            json!({"table": "..", "text": "a\n1\n"}),
            "a table cannot be named \"..\"",
            "choose a name",
        ),
        (
            json!({"table": "n", "text": "a;b\n1;2\n", "delimiter": "%3B"}),
            "delimiter must be one character",
            "or the character itself;",
        ),
        (
            json!({"table": "n", "text": "a,b\\n1,2\\n3,4"}),
            "the text is a single line",
            "write each line end once",
        ),
        (
            json!({"table": "n", "text": "[[1]]", "format": "json"}),
            "record 1 is no",
            "format=csv",
        ),
        (
            json!({"table": "n", "text": "a\n1\n", "decimal": "x"}),
            "decimal must be",
            "send decimal=,",
        ),
        (
            json!({"table": "n", "text": "{}", "format": "csv"}),
            "the text is JSON",
            "send format=json",
        ),
        (
            json!({"table": "n", "text": ""}),
            "either text or from",
            "text contains the rows",
        ),
    ] {
        let error = client.fails("db_import", arguments.clone());
        in_words_of(Profile::Full, &error);
        let (told, cure) = (
            error["message"].as_str().unwrap(),
            error["hint"].as_str().unwrap_or(""),
        );
        assert!(
            told.contains(message) && cure.contains(hint),
            "{arguments}: {told} / {cure}"
        );
    }
}

#[test]
fn other_refusals_name_no_forms_that_the_tool_does_not_have() {
    let client = full();
    for (tool, arguments, hint) in [
        (
            "db_batch_insert",
            json!({"table": "t", "records": [["1"]]}),
            "its keys are the columns",
        ),
        (
            "db_batch_insert",
            json!({"table": "t", "records": ["{}"]}),
            "its keys are the columns",
        ),
        (
            "db_batch_insert",
            json!({"table": "t", "records": {"a": 1}}),
            "[{\"column\":\"value\"}",
        ),
        (
            "db_exec",
            json!({"sql": "CREATE TABLE t (x)"}),
            "choose another name, drop it first with db_drop_table, or write IF NOT EXISTS",
        ),
        (
            "db_exec",
            json!({"sql": "CREATE VIEW t AS SELECT 1"}),
            "choose another name",
        ),
    ] {
        let error = client.fails(tool, arguments);
        in_words_of(Profile::Full, &error);
        let told = error["hint"].as_str().unwrap_or("");
        assert!(
            told.contains(hint) && !told.contains("format="),
            "{tool}: {told}"
        );
    }
}

#[test]
fn hosts_write_arguments_in_several_ways() {
    let client = full();
    client.ok(
        "db_create_table",
        json!({"name": "k", "schema": "id INTEGER PRIMARY KEY, x"}),
    );
    for conflict in ["replace", "REPLACE", " Replace "] {
        let row =
            json!({"table": "k", "records": [{"id": 1, "x": conflict}], "onConflict": conflict});
        client.ok("db_batch_insert", row);
    }
    client.ok(
        "db_import",
        json!({"table": "k", "text": "id,x\n1,2\n", "format": "CSV", "onConflict": "REPLACE"}),
    );
    for arguments in [json!("{}"), json!(""), json!([]), json!(null), json!({})] {
        let result = client.get(
            "tools/call",
            &json!({"name": "db_get_tables", "arguments": arguments}),
        );
        assert_eq!(
            result["structuredContent"]["tables"],
            json!(["k", "t"]),
            "{arguments}"
        );
    }
    let text = json!({"name": "db_query", "arguments": "{\"sql\":\"SELECT 1\"}"});
    assert_eq!(
        client.get("tools/call", &text)["structuredContent"]["rows"],
        json!([[1]])
    );
    for method in [
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "prompts/list",
    ] {
        let params = json!({"cursor": ""});
        assert!(
            client.ask(method, &params, Inputs::default()).is_ok(),
            "{method}"
        );
    }
}
