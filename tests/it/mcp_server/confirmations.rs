//! Deletions, each of which needs a confirmation of exactly that deletion.

use std::collections::BTreeMap;
use std::rc::Rc;

use mcp::server::{Inputs, Outcome};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::world::{Client, Sessions, complete};

const FORMS: &str = r#"{"elicitation":{}}"#;

fn sessions() -> Rc<Sessions> {
    let sessions: Rc<Sessions> = Rc::default();
    let client = Client::new(&sessions, "{}");
    client.ok(
        "db_create_table",
        json!({"name": "films", "schema": "title TEXT"}),
    );
    client.ok(
        "db_exec",
        json!({"sql": "INSERT INTO films VALUES ('Heat')"}),
    );
    client.ok(
        "db_exec",
        json!({"sql": "CREATE VIEW shown AS SELECT * FROM films"}),
    );
    sessions
}

fn params(tool: &str, arguments: &Value) -> Value {
    json!({"name": tool, "arguments": arguments})
}

/// Returns the question of a call, and its state.
fn question(client: &Client, tool: &str, arguments: &Value) -> (String, String) {
    let asked = client
        .ask("tools/call", &params(tool, arguments), Inputs::default())
        .unwrap();
    let Outcome::InputRequired { requests, state } = asked else {
        panic!("{tool} does not ask: {}", complete(asked));
    };
    let (_, request) = requests.first().unwrap();
    let message = request.params.as_ref().unwrap()["message"]
        .as_str()
        .unwrap();
    (message.to_owned(), state.unwrap())
}

fn given(state: &str, response: &Value) -> Inputs {
    let response = RawValue::from_string(response.to_string()).unwrap();
    Inputs {
        responses: BTreeMap::from([("confirm".to_owned(), response)]),
        state: Some(state.to_owned()),
    }
}

fn agreed() -> Value {
    json!({"action": "accept", "content": {"confirm": true}})
}

#[test]
fn a_user_who_agrees_lets_it_happen_once() {
    let sessions = sessions();
    let client = Client::new(&sessions, FORMS);
    let arguments = json!({"table": "films"});
    let (message, state) = question(&client, "db_drop_table", &arguments);
    assert_eq!(
        message,
        "Delete this table?\n\nChecked by the database:\n- Table: “films”\n- Rows: 1\n- Session of the call: “own”\n- It cannot be undone."
    );
    let ask = |inputs| client.ask("tools/call", &params("db_drop_table", &arguments), inputs);
    let done = complete(ask(given(&state, &agreed())).unwrap());
    assert_eq!(done["structuredContent"]["dropped"], true);
    client.ok(
        "db_create_table",
        json!({"name": "films", "schema": "title TEXT"}),
    );
    let fault = ask(given(&state, &agreed())).unwrap_err();
    assert_eq!(fault.data.unwrap()["code"], "CONFIRMATION_INVALID");
    assert_eq!(
        client.ok("db_get_tables", json!({}))["tables"],
        json!(["films", "shown"])
    );
}

#[test]
fn a_state_is_good_for_its_call_alone() {
    let sessions = sessions();
    let client = Client::new(&sessions, FORMS);
    let films = json!({"table": "films"});
    let state = || question(&client, "db_drop_table", &films).1;
    let of_other = question(&client, "db_exec", &json!({"sql": "DROP TABLE films"})).1;
    let of_session = question(&client, "db_delete_session", &json!({})).1;
    let mut tampered = state();
    let last = tampered.pop().unwrap();
    tampered.push(if last == '0' { '1' } else { '0' });
    for wrong in [
        of_other,
        of_session,
        tampered,
        "v1.9999999999999.00.00".to_owned(),
        String::new(),
    ] {
        let outcome = client.ask(
            "tools/call",
            &params("db_drop_table", &films),
            given(&wrong, &agreed()),
        );
        assert_eq!(
            outcome.unwrap_err().data.unwrap()["code"],
            "CONFIRMATION_INVALID",
            "{wrong}"
        );
    }
    let elsewhere = json!({"table": "films", "session": "own"});
    let outcome = client.ask(
        "tools/call",
        &params("db_drop_table", &elsewhere),
        given(&state(), &agreed()),
    );
    assert!(outcome.is_err());
    let late = state();
    sessions.now_ms.set(sessions.now_ms.get() + 60 * 60 * 1000);
    let outcome = client.ask(
        "tools/call",
        &params("db_drop_table", &films),
        given(&late, &agreed()),
    );
    assert_eq!(
        outcome.unwrap_err().data.unwrap()["code"],
        "CONFIRMATION_INVALID"
    );
    assert_eq!(
        client.ok("db_get_tables", json!({}))["tables"],
        json!(["films", "shown"])
    );
}

#[test]
fn who_does_not_agree_keeps_the_table() {
    let sessions = sessions();
    let client = Client::new(&sessions, FORMS);
    let arguments = json!({"sql": "/* x */ drop TABLE if exists \"films\";"});
    for response in [
        json!({"action": "decline"}),
        json!({"action": "cancel"}),
        json!({"action": "accept"}),
        json!({"action": "accept", "content": {"confirm": false}}),
        json!({"action": "reject", "content": {"confirm": true}}),
    ] {
        let (_, state) = question(&client, "db_exec", &arguments);
        let outcome = client.ask(
            "tools/call",
            &params("db_exec", &arguments),
            given(&state, &response),
        );
        let result = complete(outcome.unwrap());
        assert_eq!(
            result["structuredContent"]["error"]["code"], "CONFIRMATION_DECLINED",
            "{response}"
        );
    }
    assert_eq!(
        client.ok("db_get_tables", json!({}))["tables"],
        json!(["films", "shown"])
    );
}

#[test]
fn a_response_is_an_object() {
    let client = Client::new(&sessions(), FORMS);
    let arguments = json!({"table": "films"});
    for response in [
        json!(["accept", {"confirm": true}]),
        json!({"action": "accept", "content": [true]}),
        json!({"action": "accept", "content": {"confirm": "true"}}),
    ] {
        let (_, state) = question(&client, "db_drop_table", &arguments);
        let call = params("db_drop_table", &arguments);
        let outcome = client.ask("tools/call", &call, given(&state, &response));
        assert_eq!(outcome.unwrap_err().code, -32602, "{response}");
    }
    assert_eq!(
        client.ok("db_get_tables", json!({}))["tables"],
        json!(["films", "shown"])
    );
}

#[test]
fn a_first_response_that_nobody_asked_for_asks() {
    let client = Client::new(&sessions(), FORMS);
    let arguments = json!({"table": "films", "confirm": "films"});
    let forged = Inputs {
        state: None,
        ..given("", &agreed())
    };
    let outcome = client.ask("tools/call", &params("db_drop_table", &arguments), forged);
    assert!(matches!(outcome.unwrap(), Outcome::InputRequired { .. }));
}

#[test]
fn a_client_without_forms_names_what_goes() {
    for capabilities in ["{}", r#"{"elicitation":{"url":{}}}"#] {
        let sessions = sessions();
        let client = Client::new(&sessions, capabilities);
        let films = told(&client, "db_drop_table", json!({"table": "films"}));
        assert!(films.starts_with("films "), "{films}");
        for wrong in ["films", "other", "films 0000000000000000", ""] {
            let call = json!({"table": "films", "confirm": wrong});
            let error = client.fails("db_drop_table", call);
            assert_eq!(error["code"], "CONFIRMATION_REQUIRED", "{wrong:?}");
        }
        client.fails(
            "db_exec",
            json!({"sql": "DROP VIEW shown", "confirm": films}),
        );
        let shown = told(&client, "db_exec", json!({"sql": "DROP VIEW shown"}));
        client.ok(
            "db_exec",
            json!({"sql": "DROP VIEW shown", "confirm": shown}),
        );
        // The view that read the table is gone, so the earlier confirmation of the table is no
        // longer valid.
        let call = json!({"table": "films", "confirm": films});
        client.fails("db_drop_table", call);
        let films = told(&client, "db_drop_table", json!({"table": "films"}));
        client.ok("db_drop_table", json!({"table": "films", "confirm": films}));
        let own = told(&client, "db_delete_session", json!({}));
        client.ok("db_delete_session", json!({"confirm": own}));
        let again = client.fails("db_delete_session", json!({"confirm": own}));
        assert_eq!(again["code"], "CONFIRMATION_REQUIRED");
    }
}

/// Returns the value for `confirm` in the error of an unconfirmed call.
fn told(client: &Client, tool: &str, arguments: Value) -> String {
    let error = client.fails(tool, arguments);
    assert_eq!(error["code"], "CONFIRMATION_REQUIRED");
    let hint = error["hint"].as_str().unwrap();
    let (_, argument) = hint.split_once("\"confirm\": ").unwrap();
    serde_json::from_str(argument).unwrap()
}

/// Changes between a question and its answer that make the table another one.
const CHANGES: &[&str] = &[
    "ALTER TABLE films ADD COLUMN year",
    "DROP VIEW shown; DROP TABLE films; CREATE TABLE films (title TEXT NOT NULL)",
    "CREATE INDEX by_title ON films (title)",
    "CREATE TABLE kept (f REFERENCES films ON DELETE CASCADE)",
    "CREATE VIEW also AS SELECT * FROM films",
];

/// Changes that do not.
const HARMLESS: &[&str] = &[
    "INSERT INTO films VALUES ('Ran')",
    "CREATE TABLE unrelated (a)",
];

#[test]
fn a_confirmation_is_for_the_table_that_was_shown() {
    let films = json!({"table": "films"});
    let sql = json!({"sql": "DROP TABLE films"});
    let own = json!({"server": "db", "tool": "dropTable", "args": films});
    for (tool, arguments) in [
        ("db_drop_table", films),
        ("db_exec", sql),
        ("tools_call", own),
    ] {
        for (changes, is_refused) in [(CHANGES, true), (HARMLESS, false)] {
            for change in changes {
                // Confirmed by a form.
                let sessions = sessions();
                let client = Client::new(&sessions, FORMS);
                let (_, state) = question(&client, tool, &arguments);
                sessions.database("own").script(change);
                let call = params(tool, &arguments);
                let outcome = client.ask("tools/call", &call, given(&state, &agreed()));
                let code = outcome.err().and_then(|fault| fault.data);
                let code = code.map_or(Value::Null, |data| data["code"].clone());
                let wanted = if is_refused {
                    json!("CONFIRMATION_INVALID")
                } else {
                    Value::Null
                };
                assert_eq!(code, wanted, "{tool} {change}");
                // Confirmed by the argument.
                let sessions = self::sessions();
                let client = Client::new(&sessions, "{}");
                let mut call = arguments.clone();
                call["confirm"] = told(&client, tool, arguments.clone()).into();
                sessions.database("own").script(change);
                if is_refused {
                    let error = client.fails(tool, call);
                    assert_eq!(error["code"], "CONFIRMATION_REQUIRED", "{tool} {change}");
                } else {
                    client.ok(tool, call);
                }
            }
        }
    }
}

#[test]
fn what_changes_right_before_the_operation_is_refused_by_the_session() {
    let films = json!({"table": "films"});
    let sql = json!({"sql": "DROP TABLE films"});
    for (tool, arguments) in [
        ("db_drop_table", films),
        ("db_exec", sql),
        ("db_delete_session", json!({})),
    ] {
        let sessions = sessions();
        let client = Client::new(&sessions, "{}");
        let mut call = arguments.clone();
        call["confirm"] = told(&client, tool, arguments).into();
        sessions.late.set(Some("ALTER TABLE films ADD COLUMN year"));
        let error = client.fails(tool, call);
        assert_eq!(error["code"], "CONFIRMATION_INVALID", "{tool}");
        let columns = client.ok("db_describe_table", json!({"table": "films"}));
        assert!(columns.to_string().contains("year"), "{columns}");
    }
}

#[test]
fn a_session_that_was_made_again_is_not_the_confirmed_one() {
    let sessions = sessions();
    let client = Client::new(&sessions, "{}");
    let films = told(&client, "db_drop_table", json!({"table": "films"}));
    let own = told(&client, "db_delete_session", json!({}));
    client.ok("db_delete_session", json!({"confirm": own}));
    let again = json!({"name": "films", "schema": "title TEXT"});
    client.ok("db_create_table", again);
    let call = json!({"table": "films", "confirm": films});
    assert_eq!(
        client.fails("db_drop_table", call)["code"],
        "CONFIRMATION_REQUIRED"
    );
}

#[test]
fn the_own_server_of_call_tool_asks_as_well() {
    let client = Client::new(&sessions(), FORMS);
    for args in [
        json!({"server": "db", "tool": "dropTable", "args": {"table": "films"}}),
        json!({"server": "db", "tool": "exec", "args": {"sql": "DROP TABLE films"}}),
    ] {
        let (message, _) = question(&client, "tools_call", &args);
        assert!(
            message.contains("\n- Table: “films”\n- Rows: 1\n"),
            "{message}"
        );
    }
    let without = Client::new(&sessions(), "{}");
    let call = json!({"server": "db", "tool": "dropTable", "args": {"table": "films"}});
    assert_eq!(
        without.fails("tools_call", call.clone())["code"],
        "CONFIRMATION_REQUIRED"
    );
    let mut confirmed = call;
    confirmed["confirm"] = told(&without, "tools_call", confirmed.clone()).into();
    without.ok("tools_call", confirmed);
}

#[test]
fn a_name_stands_where_no_fact_does() {
    let sessions = sessions();
    let client = Client::new(&sessions, FORMS);
    for name in [
        "x\n- Rows: 0",
        "x” with 0 rows\r\nChecked by the database:",
        "\u{202e}smlif\u{2066}",
        "a\u{2028}- Rows: 0\u{85}",
        "a\u{200b}\u{feff}\u{e0041}",
        "**films** <b>[a](http://evil.example) &#10;",
    ] {
        let quoted = format!("\"{name}\"");
        let created = json!({"sql": format!("CREATE TABLE {quoted} (a)")});
        client.ok("db_exec", created);
        client.ok(
            "db_exec",
            json!({"sql": format!("INSERT INTO {quoted} VALUES (1)")}),
        );
        let dropped = json!({"sql": format!("DROP TABLE {quoted}")});
        let (message, state) = question(&client, "db_exec", &dropped);
        let lines: Vec<&str> = message.split('\n').collect();
        assert_eq!(lines.len(), 7, "{message}");
        assert_eq!(lines[2], "Checked by the database:", "{message}");
        assert!(lines[3].starts_with("- Table: “") && lines[3].ends_with('”'));
        assert_eq!(lines[4], "- Rows: 1", "{message}");
        let is_hidden = |letter: char| {
            (letter.is_control() && letter != '\n')
                || matches!(
                    letter,
                    '\u{200b}' | '\u{2028}' | '\u{202e}' | '\u{2066}' | '\u{feff}' | '\u{e0041}'
                )
        };
        assert!(!message.contains(is_hidden), "{message:?}");
        let without = Client::new(&sessions, "{}");
        let error = without.fails("db_exec", dropped.clone());
        let hint = error["hint"].as_str().unwrap();
        assert!(
            !hint.contains(is_hidden) && !hint.contains('\n'),
            "{hint:?}"
        );
        // The hint has the exact name as JSON, with the digits behind it.
        let confirm = hint.split_once("\"confirm\": ").unwrap().1;
        let confirm: String = serde_json::from_str(confirm).unwrap();
        assert_eq!(confirm.rsplit_once(' ').unwrap().0, name);
        let call = params("db_exec", &dropped);
        complete(
            client
                .ask("tools/call", &call, given(&state, &agreed()))
                .unwrap(),
        );
    }
}

#[test]
fn what_is_not_there_is_not_asked_about() {
    let client = Client::new(&sessions(), FORMS);
    assert_eq!(
        client.fails("db_drop_table", json!({"table": "none"}))["code"],
        "NO_SUCH_TABLE"
    );
    assert_eq!(
        client.ok("db_drop_table", json!({"table": "none", "ifExists": true}))["dropped"],
        false
    );
    client.ok(
        "db_exec",
        json!({"sql": "DELETE FROM films WHERE title = 'drop table films'"}),
    );
}

#[test]
fn a_deployment_may_want_no_questions() {
    let client = Client::new(&sessions(), FORMS).unasked();
    assert_eq!(
        client.ok("db_drop_table", json!({"table": "films"}))["dropped"],
        true
    );
}
