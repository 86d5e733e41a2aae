//! The results of tools, resources and prompts.

use std::rc::Rc;

use mcp::server::Inputs;
use mcp_product::Profile;
use mcp_product::results::tokens::estimate;
use serde_json::{Value, json};

use super::world::{Client, Sessions};

fn client() -> Client {
    Client::new(&Rc::default(), "{}")
}

fn with_films() -> Client {
    let client = client();
    client.ok(
        "db_create_table",
        json!({"name": "films", "schema": "title TEXT, year INTEGER"}),
    );
    let records = json!([{"title": "Heat", "year": 1995}, {"title": "Up | down", "year": 9_007_199_254_740_993_i64}]);
    client.ok(
        "db_batch_insert",
        json!({"table": "films", "records": records}),
    );
    client
}

#[test]
fn rows_are_a_text_and_structured_content_with_the_session() {
    let result = with_films().call(
        "db_query",
        json!({"sql": "SELECT * FROM films ORDER BY year"}),
    );
    assert_eq!(
        result["content"][0]["text"],
        "Session own: 2 rows\ntitle | year\nHeat | 1995\n\"Up | down\" | 9007199254740993"
    );
    assert_eq!(
        result["structuredContent"],
        json!({"session": "own", "columns": ["title", "year"], "rows": [["Heat", 1995], ["Up | down", 9_007_199_254_740_993_i64]],
            "rowCount": 2, "truncated": false})
    );
}

#[test]
fn sessions_are_apart() {
    let client = with_films();
    assert_eq!(
        client.ok("db_get_tables", json!({"session": "other"}))["tables"],
        json!([])
    );
    assert_eq!(
        client.ok("db_get_tables", json!({}))["tables"],
        json!(["films"])
    );
    let error = client.fails("db_get_tables", json!({"session": "a b"}));
    assert_eq!(error["code"], "INVALID_ARGUMENT");
}

const NUMBERS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i, 'row number ' || i AS words FROM n";

#[test]
fn pages_follow_each_other_without_gap_and_repeat() {
    let client = client();
    let mut seen = Vec::new();
    let mut arguments = json!({"sql": NUMBERS, "limit": 1500});
    loop {
        let page = client.ok("db_query", arguments.clone());
        let rows = page["rows"].as_array().unwrap();
        seen.extend(rows.iter().map(|row| row[0].as_u64().unwrap()));
        match page.get("nextCursor") {
            Some(cursor) => arguments["cursor"] = cursor.clone(),
            None => break,
        }
    }
    assert_eq!(seen, (1..=5000).collect::<Vec<u64>>());
}

#[test]
fn a_cursor_belongs_to_its_statement() {
    let client = client();
    let page = client.ok("db_query", json!({"sql": NUMBERS, "limit": 5}));
    let cursor = page["nextCursor"].clone();
    for arguments in [
        json!({"sql": "SELECT 1", "cursor": cursor}),
        json!({"sql": NUMBERS, "params": [1], "cursor": cursor}),
        json!({"sql": NUMBERS, "cursor": "5"}),
        json!({"sql": NUMBERS, "cursor": "x.y"}),
    ] {
        let error = client.fails("db_query", arguments);
        assert_eq!(error["code"], "INVALID_CURSOR");
    }
    // The limit of a page is not part of the statement.
    let page = client.ok(
        "db_query",
        json!({"sql": NUMBERS, "limit": 1, "cursor": cursor}),
    );
    assert_eq!(page["rows"], json!([[6, "row number 6"]]));
}

#[test]
fn a_result_fits_into_its_tokens() {
    let client = client().with_tokens(4_000);
    let result = client.call("db_query", json!({"sql": NUMBERS, "limit": 5000}));
    let tokens = estimate(&result.to_string());
    assert!(tokens <= 4_000, "{tokens}");
    assert_eq!(result["structuredContent"]["truncated"], true);
    let error = client.fails(
        "db_query",
        json!({"sql": "SELECT hex(zeroblob(20000)) AS long"}),
    );
    assert_eq!(error["code"], "RESULT_TOO_LARGE");
    let page = client.ok("tools_search", json!({"query": "words"}));
    assert!(estimate(&page.to_string()) * 2 <= 4_000);
    assert_eq!(page["nextOffset"], page["tools"].as_array().unwrap().len());
}

#[test]
fn what_is_too_large_to_show_becomes_a_table() {
    let client = client().with_tokens(2_000);
    let call = || client.ok("tools_call", json!({"server": "pubs", "tool": "get"}));
    let staged = call();
    assert_eq!(staged["staged"], true);
    let table = staged["table"].as_str().unwrap();
    let sql = format!(
        "SELECT length(json_extract(string_agg(text, '' ORDER BY part), '$.result.text')) FROM {table}"
    );
    assert_eq!(
        client.ok("db_query", json!({ "sql": sql }))["rows"],
        json!([[24_000]])
    );
    // The same result is staged in the same table.
    assert_eq!(call()["table"], staged["table"]);
}

#[test]
fn a_tool_that_reads_makes_no_table() {
    let client = client().with_tokens(2_000);
    client.ok(
        "db_save_state",
        json!({"key": "k", "value": "lorem ipsum ".repeat(2_000)}),
    );
    assert_eq!(
        client.fails("db_get_state", json!({"key": "k"}))["code"],
        "RESULT_TOO_LARGE"
    );
    assert_eq!(client.ok("db_get_tables", json!({}))["tables"], json!([]));
}

#[test]
fn a_statement_that_ran_is_no_error_where_its_rows_cannot_be_shown() {
    let client = client();
    client.ok("db_create_table", json!({"name": "t", "schema": "a TEXT"}));
    let sql = "INSERT INTO t VALUES (hex(zeroblob(200000))) RETURNING a";
    let done = client.ok("db_exec", json!({ "sql": sql }));
    assert_eq!(
        (&done["changes"], &done["truncated"]),
        (&1.into(), &true.into())
    );
    let names = format!("SELECT 1 AS \"{}\" WHERE 0", "x".repeat(60_000));
    assert_eq!(
        client.fails("db_query", json!({ "sql": names }))["code"],
        "RESULT_TOO_LARGE"
    );
}

#[test]
fn a_read_only_endpoint_stages_nothing_and_knows_no_tool_that_writes() {
    let sessions: Rc<Sessions> = Rc::default();
    let writer = Client::new(&sessions, "{}").with_tokens(2_000);
    writer.ok(
        "db_save_state",
        json!({"key": "k", "value": "lorem ipsum ".repeat(2_000)}),
    );
    let reader = Client::at(&sessions, "{}", Profile::ReadOnly).with_tokens(2_000);
    assert_eq!(
        reader.fails("db_get_state", json!({"key": "k"}))["code"],
        "RESULT_TOO_LARGE"
    );
    for tool in [
        "db_exec",
        "program_run",
        "tools_call",
        "db_drop_table",
        "db_import",
    ] {
        let params = json!({"name": tool, "arguments": {}});
        let fault = reader
            .ask("tools/call", &params, Inputs::default())
            .unwrap_err();
        assert_eq!(fault.code, -32602);
        assert_eq!(fault.data.unwrap()["code"], "TOOL_NOT_IN_PROFILE");
    }
    let error = reader.fails("db_query", json!({"sql": "DELETE FROM session_state"}));
    assert_eq!(error["code"], "SQL_BLOCKED");
}

#[test]
fn an_unknown_tool_is_a_fault_with_the_nearest_name() {
    let params = json!({"name": "db_qurey"});
    let fault = client()
        .ask("tools/call", &params, Inputs::default())
        .unwrap_err();
    assert_eq!(
        (fault.code, fault.message.as_str()),
        (-32602, "Unknown tool: db_qurey; did you mean `db_query`?")
    );
}

#[test]
fn rows_are_imported_from_text_and_from_tables() {
    let client = client();
    assert_eq!(
        client.ok("db_import", json!({"table": "t", "text": "a,b\n1,x\n2,y"}))["rowsWritten"],
        2
    );
    assert_eq!(
        client.ok("db_import", json!({"table": "copy", "from": "t"}))["rowsWritten"],
        2
    );
    assert_eq!(
        client.ok("db_import", json!({"table": "copy", "from": "t"}))["rowsWritten"],
        2
    );
    let rows = client.ok(
        "db_query",
        json!({"sql": "SELECT count(*), sum(a) FROM copy"}),
    );
    assert_eq!(rows["rows"], json!([[4, 6]]));
    // A second text is added to the existing table.
    assert_eq!(
        client.ok("db_import", json!({"table": "t", "text": "a,b\n3,z"}))["rowsWritten"],
        1
    );
    for arguments in [
        json!({"table": "t"}),
        json!({"table": "t", "from": "copy", "decimal": ","}),
        json!({"table": "u", "text": "a\n1", "null": 5}),
        json!({"table": "u", "text": "a\n1", "dates": "ymd"}),
        json!({"table": "u", "text": "a\n1", "delimiter": "words"}),
        json!({"table": "t", "text": "a\n1", "from": "t"}),
        json!({"table": "t", "text": "a\n1", "format": "xml"}),
        json!({"table": "t", "from": "t", "onConflict": "merge"}),
    ] {
        assert_eq!(
            client.fails("db_import", arguments)["code"],
            "INVALID_ARGUMENT"
        );
    }
    let error = client.fails(
        "db_import",
        json!({"table": "t", "from": "\"; DROP TABLE t; --"}),
    );
    assert_eq!(error["code"], "NO_SUCH_TABLE");
}

#[test]
fn a_load_is_read_as_the_arguments_say_and_notices_name_them() {
    let client = client();
    let text = "n;d;m\n1,234;01/02/2025;5\n2,345;03/04/2025;-999\n";
    let said = client.ok("db_import", json!({"table": "a", "text": text}));
    let notice = said["notice"].as_str().unwrap();
    assert!(
        notice.contains("choose with decimal=. or decimal=,")
            && notice.contains("choose with dates=dmy or dates=mdy")
            && !notice.contains('?'),
        "{notice}"
    );
    let said = client.ok("db_query", json!({"sql": "SELECT sum(n) FROM a"}));
    let notice = said["notice"].as_str().unwrap();
    assert!(
        notice.contains("Drop the table with db_drop_table and load the file again as a new one with decimal=. or decimal=,."),
        "{notice}"
    );
    let arguments = json!({"table": "b", "text": text, "decimal": ",", "dates": "mdy", "null": ["-999"], "delimiter": "semicolon"});
    client.ok("db_import", arguments);
    let rows = client.ok("db_query", json!({"sql": "SELECT * FROM b"}));
    assert_eq!(
        rows["rows"],
        json!([[1.234, "2025-01-02", 5], [2.345, "2025-03-04", null]])
    );
    // An empty list names no word, and a text is read as a list.
    for (words, wanted) in [
        (json!([]), json!([["NA"], ["x"], ["5"]])),
        (json!("NA,x"), json!([[null], [null], [5]])),
        (json!("[\"NA\",\"x\"]"), json!([[null], [null], [5]])),
    ] {
        let table = format!("c{}", words.to_string().len());
        let arguments = json!({"table": table, "text": "a\nNA\nx\n5\n", "null": words});
        client.ok("db_import", arguments);
        let rows = client.ok("db_query", json!({"sql": format!("SELECT * FROM {table}")}));
        assert_eq!(rows["rows"], wanted, "{words}");
    }
}

#[test]
fn resources_are_listed_and_read_in_pages() {
    let client = with_films();
    let listed = client.get("resources/list", &json!({}));
    let uris: Vec<&str> = listed["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|resource| resource["uri"].as_str().unwrap())
        .collect();
    assert_eq!(uris, ["db://own/schema", "db://own/tables/films"]);
    let text = |uri: &str| -> Value {
        let read = client.get("resources/read", &json!({ "uri": uri }));
        assert_eq!(read["contents"][0]["uri"], uri);
        serde_json::from_str(read["contents"][0]["text"].as_str().unwrap()).unwrap()
    };
    let schema = text("db://own/schema");
    assert_eq!(schema["tables"][0]["rows"], 2);
    assert_eq!(schema["tables"][0]["columns"][1]["name"], "year");
    let first = text("db://own/tables/films?offset=0&limit=1");
    assert_eq!(first["rows"], json!([["Heat", 1995]]));
    assert_eq!(first["next"], "db://own/tables/films?offset=1&limit=1");
    let second = text("db://own/tables/films?offset=1&limit=1");
    assert_eq!(
        (&second["rowCount"], &second["next"]),
        (&1.into(), &Value::Null)
    );
    for uri in [
        "db://own/tables/none",
        "db://own/other",
        "https://example.com/",
    ] {
        let fault = client
            .ask("resources/read", &json!({ "uri": uri }), Inputs::default())
            .unwrap_err();
        assert_eq!(
            (fault.code, &fault.data.unwrap()["uri"]),
            (-32602, &uri.into())
        );
    }
}

#[test]
fn prompts_and_completions_know_the_session() {
    let client = with_films();
    let params = json!({"name": "analyse_data_set", "arguments": {"table": "films", "question": "how many?"}});
    let prompt = client.get("prompts/get", &params);
    let text = prompt["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(
        text.contains("how many?") && text.contains("\"rowCount\":2"),
        "{text}"
    );
    let wrong = json!({"name": "analyse_data_set", "arguments": {"table": "films"}});
    assert!(
        client
            .ask("prompts/get", &wrong, Inputs::default())
            .is_err()
    );
    let template = "db://{session}/tables/{table}{?offset,limit}";
    let params = json!({"ref": {"type": "ref/resource", "uri": template}, "argument": {"name": "table", "value": "FI"}});
    assert_eq!(
        client.get("completion/complete", &params)["completion"]["values"],
        json!(["films"])
    );
    let params = json!({"ref": {"type": "ref/prompt", "name": "analyse_data_set"}, "argument": {"name": "column", "value": "y"},
        "context": {"arguments": {"table": "films"}}});
    assert_eq!(
        client.get("completion/complete", &params)["completion"]["values"],
        json!(["year"])
    );
    let params = json!({"ref": {"type": "ref/prompt", "name": "analyse_data_set"}, "argument": {"name": "session", "value": ""}});
    assert_eq!(
        client.get("completion/complete", &params)["completion"]["values"],
        json!(["own"])
    );
}

#[test]
fn the_list_of_resources_has_every_table_once() {
    let client = with_films().with_tokens(2_000);
    for number in 0..60 {
        let name = format!("table_{number:02}");
        client.ok("db_create_table", json!({"name": name, "schema": "a"}));
    }
    client.ok("db_get_tables", json!({"session": "zebra"}));
    let mut uris = Vec::new();
    let mut params = json!({});
    loop {
        let page = client.get("resources/list", &params);
        assert!(estimate(&page.to_string()) <= 2_000);
        let listed = page["resources"].as_array().unwrap().iter();
        uris.extend(listed.map(|resource| resource["uri"].as_str().unwrap().to_owned()));
        match page.get("nextCursor") {
            Some(next) => params["cursor"] = next.clone(),
            None => break,
        }
    }
    assert_eq!(
        (uris.len(), uris.first().map(String::as_str)),
        (63, Some("db://own/schema"))
    );
    assert_eq!(uris.last().map(String::as_str), Some("db://zebra/schema"));
    uris.sort_unstable();
    uris.dedup();
    assert_eq!(uris.len(), 63);
    for cursor in ["own+x", "a b+1", "+1"] {
        let asked = client.ask(
            "resources/list",
            &json!({ "cursor": cursor }),
            Inputs::default(),
        );
        assert_eq!(asked.unwrap_err().code, -32602, "{cursor}");
    }
}
