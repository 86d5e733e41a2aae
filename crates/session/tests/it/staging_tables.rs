//! Staged tables: identity, replacement, names, limits, and the operations that read them.

use serde_json::{Value, json};
use session::staging::ResultOrigin;

use super::staging::{SEARCH, stage_with, staged};
use super::{call, database, fail, with};
use test_support::HostDatabase;

fn names(receipt: &Value) -> Vec<&str> {
    let tables = receipt["tables"].as_array().unwrap();
    tables
        .iter()
        .map(|table| table["name"].as_str().unwrap())
        .collect()
}

fn user_tables(db: &HostDatabase) -> Vec<String> {
    db.dump_rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_codemode%' ESCAPE '\\' AND name NOT LIKE 'sqlite%' AND name NOT IN ('session_state', 'execution_logs') ORDER BY name")
}

fn again<'a>(arguments: &'a str, name: Option<&'a str>) -> ResultOrigin<'a> {
    ResultOrigin {
        arguments,
        name,
        ..SEARCH
    }
}

#[test]
fn the_same_answer_again_takes_the_place_of_the_first() {
    let db = database();
    let first = staged(&db, r#"[{"id":1,"authors":[{"n":1}]},{"id":2}]"#);
    assert_eq!(user_tables(&db), ["'pubs_search'", "'pubs_search_authors'"]);
    let same = ResultOrigin {
        arguments: " { \"term\" : \"TP\\u00353\" } ",
        ..SEARCH
    };
    let second = stage_with(&db, &[], &same, r#"[{"id":3,"new":"x"}]"#).unwrap();
    assert_eq!(first["dataAccessId"], second["dataAccessId"]);
    assert_eq!(user_tables(&db), ["'pubs_search'"]);
    assert_eq!(db.dump_rows("SELECT * FROM pubs_search"), ["1|3|'x'"]);
    assert_eq!(db.dump_rows("SELECT count(*) FROM _codemode_staged"), ["1"]);
    assert_eq!(
        db.dump_rows("SELECT name FROM _codemode_staged_tables"),
        ["'pubs_search'"]
    );
}

#[test]
fn other_arguments_are_another_answer() {
    let db = database();
    let first = staged(&db, r#"[{"id":1}]"#);
    let second = stage_with(
        &db,
        &[],
        &again(r#"{"term":"EGFR"}"#, None),
        r#"[{"id":2}]"#,
    )
    .unwrap();
    assert_ne!(first["dataAccessId"], second["dataAccessId"]);
    assert_eq!(names(&second), ["pubs_search_2"]);
    // It keeps its own name, also after the first table was dropped.
    db.script("DROP TABLE pubs_search");
    let third = stage_with(
        &db,
        &[],
        &again(r#"{"term":"EGFR"}"#, None),
        r#"[{"id":3}]"#,
    )
    .unwrap();
    assert_eq!(names(&third), ["pubs_search_2"]);
    assert_eq!(db.dump_rows("SELECT id FROM pubs_search_2"), ["3"]);
}

#[test]
fn a_name_is_an_identity_of_its_own() {
    let db = database();
    let first = stage_with(&db, &[], &again("{}", Some("My papers")), r#"[{"id":1}]"#).unwrap();
    assert_eq!(first["dataAccessId"], "my_papers");
    assert_eq!(names(&first), ["my_papers"]);
    let second = stage_with(
        &db,
        &[],
        &again("[1]", Some("My papers")),
        r#"{"total":1,"results":[{"id":2}]}"#,
    )
    .unwrap();
    assert_eq!(names(&second), ["my_papers", "my_papers_info"]);
    assert_eq!(db.dump_rows("SELECT id FROM my_papers"), ["2"]);
    let replaced = json!({ "server": "pubs", "tool": "search", "rows": 1 });
    assert_eq!(
        second["replaced"], replaced,
        "another call's rows are not lost in silence"
    );
    let hint = second["hint"].as_str().unwrap();
    assert!(
        hint.contains("1 rows of another call, of pubs.search, had this name and were replaced"),
        "{hint}"
    );
    let same = stage_with(&db, &[], &again("[1]", Some("My papers")), "[]").unwrap();
    assert_eq!(
        same["replaced"],
        Value::Null,
        "the same call is expected to replace itself"
    );
    for name in ["", "???", &"x".repeat(129)] {
        let error = stage_with(&db, &[], &again("{}", Some(name)), "[]").unwrap_err();
        assert_eq!(error.code(), "INVALID_ARGUMENT", "{name}");
    }
}

#[test]
fn names_that_make_the_same_table_name_replace_nothing_of_each_other() {
    let db = database();
    let mut ids = Vec::new();
    for (number, name) in ["pa-pers", "pa pers", "PA_PERS"].iter().enumerate() {
        let data = format!(r#"[{{"id":{number}}}]"#);
        for _ in 0..2 {
            let receipt = stage_with(&db, &[], &again("{}", Some(name)), &data).unwrap();
            assert_eq!(receipt["replaced"], Value::Null, "{name}");
            ids.push(receipt["dataAccessId"].as_str().unwrap().to_owned());
        }
    }
    ids.dedup();
    assert_eq!(ids.len(), 3, "{ids:?}");
    assert_eq!(
        user_tables(&db),
        ["'pa_pers'", "'pa_pers_2'", "'pa_pers_3'"]
    );
    assert_eq!(db.dump_rows("SELECT id FROM pa_pers_2"), ["1"]);
}

#[test]
fn a_table_that_staging_did_not_make_is_never_touched() {
    let db = with(
        "CREATE TABLE Pubs_Search_authors (mine TEXT); INSERT INTO Pubs_Search_authors VALUES ('kept'); CREATE VIEW pubs_search_2 AS SELECT 1",
    );
    let data = r#"[{"id":1,"authors":[{"n":1}]}]"#;
    let receipt = staged(&db, data);
    assert_eq!(names(&receipt), ["pubs_search_3", "pubs_search_3_authors"]);
    assert_eq!(
        names(&staged(&db, data)),
        ["pubs_search_3", "pubs_search_3_authors"]
    );
    assert_eq!(
        db.dump_rows("SELECT mine FROM pubs_search_authors"),
        ["'kept'"]
    );
}

#[test]
fn a_table_that_was_altered_or_made_anew_is_its_owners() {
    for change in [
        "ALTER TABLE pubs_search ADD COLUMN note TEXT",
        "DROP TABLE pubs_search; CREATE TABLE pubs_search (mine TEXT)",
    ] {
        let db = database();
        staged(&db, r#"[{"id":1}]"#);
        db.script(change);
        let receipt = staged(&db, r#"[{"id":2}]"#);
        assert_eq!(names(&receipt), ["pubs_search_2"], "{change}");
        assert_eq!(
            user_tables(&db),
            ["'pubs_search'", "'pubs_search_2'"],
            "{change}"
        );
    }
}

#[test]
fn columns_that_are_added_leave_an_answer_readable_and_its_server_known() {
    let db = database();
    let entrez = ResultOrigin {
        mappings: Some("entrez"),
        ..SEARCH
    };
    let receipt = stage_with(&db, &[], &entrez, r#"[{"pmid":1,"year":2020}]"#).unwrap();
    let find =
        r#"{"operation":"findColumn","table":"pubs_search","semanticName":"publication_date"}"#;
    let found = call(&db, find)["column"].clone();
    db.script("ALTER TABLE pubs_search ADD COLUMN decade INTEGER; UPDATE pubs_search SET decade = year / 10");
    let query = json!({ "operation": "queryStagedData", "id": receipt["dataAccessId"], "sql": "SELECT decade FROM pubs_search" });
    let rows = call(&db, &query.to_string());
    assert_eq!(rows["results"], json!([{ "decade": 202 }]));
    assert_eq!(call(&db, find)["column"], found);
    // It is still not replaced.
    let again = stage_with(&db, &[], &entrez, r#"[{"pmid":2,"year":2021}]"#).unwrap();
    assert_eq!(names(&again), ["pubs_search_2"]);
    assert_eq!(db.dump_rows("SELECT decade FROM pubs_search"), ["202"]);
}

#[test]
fn rows_that_a_key_of_the_users_refers_to_keep_an_answer_from_being_replaced() {
    let db = database();
    staged(&db, r#"[{"id":1}]"#);
    db.script("PRAGMA foreign_keys = ON; CREATE TABLE notes (about INTEGER REFERENCES pubs_search (row_id)); INSERT INTO notes VALUES (1)");
    let error = stage_with(&db, &[], &SEARCH, r#"[{"id":2}]"#).unwrap_err();
    assert_eq!(error.code(), "CONSTRAINT_FAILED", "{error}");
    assert!(
        error.to_string().contains("pubs_search cannot be replaced"),
        "{error}"
    );
    assert_eq!(error.details()["table"], "pubs_search");
    assert_eq!(db.dump_rows("SELECT id FROM pubs_search"), ["1"]);
}

#[test]
fn too_many_rows_are_refused_and_nothing_changes() {
    let db = database();
    staged(&db, r#"[{"id":1}]"#);
    let before = db.dump_rows("SELECT * FROM sqlite_schema");
    let settings = [("MAX_STAGED_ROWS", "3")];
    let data = r#"[{"id":2,"l":[{"x":1},{"x":2}]},{"id":3}]"#;
    let error = stage_with(&db, &settings, &SEARCH, data).unwrap_err();
    assert_eq!(error.code(), "STAGED_TOO_LARGE");
    assert_eq!(
        error.to_string(),
        "the result has 4 rows; the limit for staging is 3"
    );
    assert!(error.hint().unwrap().contains("MAX_STAGED_ROWS"));
    assert_eq!(db.dump_rows("SELECT * FROM sqlite_schema"), before);
    assert_eq!(db.dump_rows("SELECT id FROM pubs_search"), ["1"]);
    stage_with(&db, &[("MAX_STAGED_ROWS", "4")], &SEARCH, data).unwrap();
}

#[test]
fn pieces_of_long_values_count_as_rows() {
    let db = database();
    let data = json!([{ "text": "x".repeat(3_500_000) }]).to_string();
    let error = stage_with(&db, &[("MAX_STAGED_ROWS", "4")], &SEARCH, &data).unwrap_err();
    assert_eq!(error.code(), "STAGED_TOO_LARGE");
    assert!(user_tables(&db).is_empty());
    stage_with(&db, &[("MAX_STAGED_ROWS", "5")], &SEARCH, &data).unwrap();
}

#[test]
fn too_many_tables_are_refused_unless_they_take_the_place_of_others() {
    let db = database();
    let settings = [("MAX_STAGED_TABLES", "3")];
    let two = r#"[{"l":[{"x":1}]}]"#;
    let stage = |arguments: &str| stage_with(&db, &settings, &again(arguments, None), two);
    stage("1").unwrap();
    let error = stage("2").unwrap_err();
    assert_eq!(error.code(), "STAGED_TOO_LARGE");
    assert!(error.to_string().contains("2 tables"), "{error}");
    assert!(error.hint().unwrap().contains("MAX_STAGED_TABLES"));
    stage("1").unwrap();
    // A dropped table is not counted.
    db.script("DROP TABLE pubs_search");
    stage("2").unwrap();
    assert_eq!(
        db.dump_rows("SELECT count(*) FROM _codemode_staged_tables"),
        ["3"]
    );
}

#[test]
fn query_staged_data_reads_the_tables_of_an_answer() {
    let db = database();
    let receipt = staged(&db, r#"[{"id":1},{"id":2}]"#);
    let id = receipt["dataAccessId"].as_str().unwrap();
    let query = |fields: Value| {
        let mut body = json!({ "operation": "queryStagedData", "id": id });
        body.as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        body.to_string()
    };
    let answer = call(
        &db,
        &query(json!({ "sql": "SELECT id FROM pubs_search WHERE id > ?", "params": [1] })),
    );
    assert_eq!(answer["results"], json!([{ "id": 2 }]));
    let answer = call(
        &db,
        &query(json!({ "sql": "SELECT id FROM pubs_search", "limit": 1, "rowFormat": "array" })),
    );
    assert_eq!(
        (&answer["results"], &answer["truncated"]),
        (&json!([[1]]), &json!(true))
    );
    let nested = r#"[{"id":1,"l":[{"x":1},{"x":2}]},{"id":2}]"#;
    stage_with(&db, &[], &again("{}", Some("nested")), nested).unwrap();
    let join = "SELECT id, group_concat(x) AS xs FROM nested LEFT JOIN nested_l ON parent_row_id = nested.row_id GROUP BY id";
    let answer = call(&db, &query(json!({ "sql": join })));
    assert_eq!(
        answer["results"],
        json!([{ "id": 1, "xs": "1,2" }, { "id": 2, "xs": null }])
    );
    let error = fail(&db, &query(json!({ "sql": "DELETE FROM pubs_search" })));
    assert_eq!(error.code(), "SQL_BLOCKED");
    let error = fail(&db, &query(json!({ "sql": "SELECT * FROM staged_data" })));
    assert_eq!(error.details()["suggestions"], json!(["pubs_search"]));
}

#[test]
fn an_id_that_is_not_staged_gets_the_nearest_ones() {
    let db = database();
    let ask = |id: &str| {
        fail(
            &db,
            &json!({ "operation": "queryStagedData", "id": id, "sql": "SELECT 1" }).to_string(),
        )
    };
    assert_eq!(ask("x").code(), "STAGED_NOT_FOUND");
    let receipt = staged(&db, r#"[{"id":1}]"#);
    let id = receipt["dataAccessId"].as_str().unwrap();
    for wanted in ["pubs_search", "pubs_serch_1", &id.to_uppercase()] {
        let error = ask(wanted);
        assert_eq!(error.code(), "STAGED_NOT_FOUND");
        assert_eq!(error.details()["suggestions"], json!([id]), "{wanted}");
    }
    db.script("DROP TABLE pubs_search");
    let error = ask(id);
    assert_eq!(
        (error.code(), &error.details()["suggestions"]),
        ("STAGED_NOT_FOUND", &json!([]))
    );
}

#[test]
fn find_column_knows_the_server_that_a_table_came_from() {
    let db = database();
    let find = |table: &str, more: Value| {
        let mut body = json!({ "operation": "findColumn", "table": table, "semanticName": "publication_date" });
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        call(&db, &body.to_string())["column"].clone()
    };
    let data = r#"[{"pdb_id":"1TUP","deposition_date":"1995-07-11","release_date":"1995-07-11"}]"#;
    stage_with(
        &db,
        &[],
        &ResultOrigin {
            server: "library",
            mappings: Some("rcsb"),
            ..SEARCH
        },
        data,
    )
    .unwrap();
    let plain = ResultOrigin {
        server: "plain",
        ..SEARCH
    };
    stage_with(&db, &[], &plain, data).unwrap();
    let by_name = ResultOrigin {
        server: "rcsb",
        tool: "fetch",
        ..SEARCH
    };
    stage_with(&db, &[], &by_name, data).unwrap();
    let known = find("plain_search", json!({ "server": "rcsb" }));
    assert_ne!(
        known,
        find("plain_search", json!({})),
        "the mapping makes a difference"
    );
    assert_eq!(find("library_search", json!({})), known);
    assert_eq!(find("LIBRARY_search", json!({})), known);
    assert_eq!(find("rcsb_fetch", json!({})), known);
    assert_ne!(find("library_search", json!({ "server": "plain" })), known);
}

#[test]
fn a_table_that_was_made_anew_is_not_read_by_the_servers_words() {
    let find = |db: &HostDatabase| {
        let body = json!({ "operation": "findColumn", "table": "rcsb_search", "semanticName": "publication_date" });
        call(db, &body.to_string())["column"].clone()
    };
    let table =
        "CREATE TABLE rcsb_search (row_id INTEGER PRIMARY KEY, year INTEGER, published TEXT)";
    let never_staged = with(table);
    let db = database();
    let entrez = ResultOrigin {
        server: "rcsb",
        mappings: Some("entrez"),
        ..SEARCH
    };
    stage_with(&db, &[], &entrez, r#"[{"year":2020,"published":"x"}]"#).unwrap();
    let staged = find(&db);
    db.script(&format!("DROP TABLE rcsb_search; {table};"));
    assert_eq!(find(&db), find(&never_staged));
    assert_ne!(find(&db), staged, "the mapping makes a difference");
}

#[test]
fn staged_tables_are_ordinary_tables_for_everything_else() {
    let db = database();
    staged(&db, r#"[{"id":1,"l":[{"x":"a"}]}]"#);
    let tables = call(&db, r#"{"operation":"getTables"}"#);
    assert_eq!(tables["tables"], json!(["pubs_search", "pubs_search_l"]));
    let described = call(
        &db,
        r#"{"operation":"describeTable","table":"pubs_search_l"}"#,
    );
    assert_eq!(described["rowCount"], 1);
    call(
        &db,
        r#"{"operation":"exec","sql":"UPDATE pubs_search_l SET x = 'b'"}"#,
    );
    let error = fail(
        &db,
        r#"{"operation":"query","sql":"SELECT * FROM _codemode_staged"}"#,
    );
    assert_eq!(error.code(), "SQL_BLOCKED");
    let logs = db.dump_rows("SELECT message FROM execution_logs");
    assert!(
        logs[0].starts_with("'staged 2 rows of pubs.search as pubs_search_"),
        "{logs:?}"
    );
    // The index on the parents is used.
    let plan =
        db.dump_rows("EXPLAIN QUERY PLAN SELECT 1 FROM pubs_search_l WHERE parent_row_id = 1");
    assert!(plan[0].contains("pubs_search_l$parent"), "{plan:?}");
}
