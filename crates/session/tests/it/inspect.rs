//! The schema operations.

use super::{call, database, fail, with};
use session::Settings;

#[test]
fn listings_leave_out_what_is_not_the_callers() {
    let db = with(
        "CREATE TABLE b (x); CREATE TABLE A (x); CREATE VIEW v AS SELECT 1; CREATE VIRTUAL TABLE f USING fts5(t); CREATE TABLE s (x INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO s VALUES (1)",
    );
    assert_eq!(
        call(&db, r#"{"operation":"getTables"}"#)["tables"].to_string(),
        r#"["A","b","f","s","v"]"#
    );
}

#[test]
fn a_broken_view_does_not_break_the_listing() {
    let db = with("CREATE TABLE a (x); CREATE VIEW v AS SELECT x FROM a; DROP TABLE a");
    assert_eq!(
        call(&db, r#"{"operation":"getTables"}"#)["tables"].to_string(),
        r#"["v"]"#
    );
    call(&db, r#"{"operation":"getMetrics"}"#);
}

#[test]
fn columns_are_described_as_declared() {
    let db = with(
        r#"CREATE TABLE t (id INTEGER PRIMARY KEY, "we ird" TEXT NOT NULL DEFAULT 'a b', n, g AS (id * 2))"#,
    );
    let columns = call(&db, r#"{"operation":"getColumns","table":"T"}"#)["columns"].to_string();
    assert_eq!(
        columns,
        concat!(
            r#"[{"name":"id","type":"INTEGER","notNull":false,"defaultValue":null,"primaryKey":true},"#,
            r#"{"name":"we ird","type":"TEXT","notNull":true,"defaultValue":"'a b'","primaryKey":false},"#,
            r#"{"name":"n","type":"","notNull":false,"defaultValue":null,"primaryKey":false},"#,
            r#"{"name":"g","type":"","notNull":false,"defaultValue":null,"primaryKey":false}]"#,
        )
    );
}

#[test]
fn a_full_text_table_shows_its_own_columns() {
    let db = with("CREATE VIRTUAL TABLE f USING fts5(title, body)");
    let columns = call(&db, r#"{"operation":"getColumns","table":"f"}"#);
    let names: Vec<&str> = columns["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|column| column["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["title", "body"]);
}

#[test]
fn has_column_folds_ascii_case() {
    let db = with("CREATE TABLE t (Name, \"Größe\")");
    for (column, exists) in [
        ("name", true),
        ("NAME", true),
        ("Größe", true),
        ("GRÖSSE", false),
        ("nam", false),
        ("rowid", false),
    ] {
        let answer = call(
            &db,
            &format!(r#"{{"operation":"hasColumn","table":"t","column":"{column}"}}"#),
        );
        assert_eq!(answer["exists"], exists, "{column}");
    }
}

#[test]
fn a_missing_table_is_told_with_the_nearest_names() {
    let db = with("CREATE TABLE papers (x)");
    for (operation, more) in [
        ("getColumns", ""),
        ("hasColumn", r#","column":"x""#),
        ("describeTable", ""),
        ("findColumn", r#","semanticName":"x""#),
    ] {
        let body = format!(r#"{{"operation":"{operation}","table":"paper"{more}}}"#);
        let error = fail(&db, &body);
        assert_eq!(error.code(), "NO_SUCH_TABLE", "{operation}");
        assert_eq!(error.to_json()["suggestions"][0], "papers", "{operation}");
    }
}

#[test]
fn the_products_own_tables_are_hidden_or_read_only() {
    let db = database();
    assert_eq!(
        fail(
            &db,
            r#"{"operation":"getColumns","table":"_codemode_stage"}"#
        )
        .code(),
        "SQL_BLOCKED"
    );
    call(&db, r#"{"operation":"getColumns","table":"session_state"}"#);
    assert_eq!(
        fail(
            &db,
            r#"{"operation":"batchInsert","table":"session_state","records":[{"key":"k"}]}"#
        )
        .code(),
        "SQL_BLOCKED"
    );
}

#[test]
fn describe_table_shows_three_rows_with_exact_values() {
    let db = with(
        "CREATE TABLE t (i, b, r); INSERT INTO t VALUES (9223372036854775807, x'00ff', 9e999), (NULL, '{\"$blob\":\"x\"}', -1.5), (3, 3, 3), (4, 4, 4)",
    );
    let settings = Settings::default();
    let stand = test_support::Stand::new(&settings).at(0).named("n");
    let session = stand.session(&db);
    let answer =
        session::dispatch(&session, r#"{"operation":"describeTable","table":"t"}"#).unwrap();
    let body = format!("{{{}}}", answer.members());
    let expected = r#""sampleRows":[{"i":9223372036854775807,"b":{"$blob":"AP8="},"r":{"$real":"Infinity"}},{"i":null,"b":"{\"$blob\":\"x\"}","r":-1.5},{"i":3,"b":3,"r":3}],"rowCount":4}"#;
    assert!(body.ends_with(expected), "{body}");
}

#[test]
fn a_table_of_a_hundred_columns_is_described() {
    let names: Vec<String> = (0..100).map(|number| format!("\"c {number}\"")).collect();
    let db = with(&format!(
        "CREATE TABLE wide ({0}); INSERT INTO wide VALUES ({1})",
        names.join(","),
        (0..100)
            .map(|n| n.to_string())
            .collect::<Vec<_>>()
            .join(",")
    ));
    let answer = call(&db, r#"{"operation":"describeTable","table":"wide"}"#);
    assert_eq!(answer["columns"].as_array().unwrap().len(), 100);
    assert_eq!(answer["sampleRows"][0]["c 99"], 99);
    assert_eq!(answer["sampleRows"][0].as_object().unwrap().len(), 100);
}

#[test]
fn find_column_goes_by_meaning_and_server() {
    let db = with("CREATE TABLE articles (pmid, title, year INTEGER)");
    let answer = call(
        &db,
        r#"{"operation":"findColumn","table":"articles","semanticName":"publication_date","server":"entrez"}"#,
    );
    assert_eq!(answer["column"], "year");
    let answer = call(
        &db,
        r#"{"operation":"findColumn","table":"articles","semanticName":"zzz"}"#,
    );
    assert!(answer["column"].is_null());
}

#[test]
fn find_column_reads_abbreviations_with_the_name_of_the_table() {
    let db = with(
        "CREATE TABLE Student (StuID INTEGER PRIMARY KEY, LName TEXT, acc_bal REAL, Bdate TEXT);
         CREATE TABLE customers (id INTEGER PRIMARY KEY, c_nm TEXT)",
    );
    let find = |table: &str, name: &str| {
        let body =
            serde_json::json!({ "operation": "findColumn", "table": table, "semanticName": name });
        call(&db, &body.to_string())["column"].clone()
    };
    assert_eq!(find("student", "student id"), "StuID");
    assert_eq!(find("student", "account balance"), "acc_bal");
    assert_eq!(find("student", "birth date"), "Bdate");
    assert_eq!(find("student", "last name"), "LName");
    assert_eq!(find("customers", "customer id"), "id");
    assert_eq!(find("customers", "name"), "c_nm");
    assert!(find("customers", "student id").is_null());
    assert!(find("customers", "city name").is_null());
}

#[test]
fn create_table_makes_what_the_gate_allows() {
    let db = database();
    call(
        &db,
        r#"{"operation":"createTable","name":"a \"b\"","schema":"id INTEGER PRIMARY KEY, name TEXT"}"#,
    );
    assert_eq!(
        call(&db, r#"{"operation":"getTables"}"#)["tables"][0],
        "a \"b\""
    );
    for schema in [
        "x); DROP TABLE t; --",
        "x) AS SELECT * FROM session_state --",
        "",
    ] {
        let body = serde_json::json!({ "operation": "createTable", "name": "t", "schema": schema });
        assert!(
            super::operation(&db, &body.to_string()).is_err(),
            "{schema}"
        );
    }
    assert_eq!(
        db.dump_rows("SELECT count(*) FROM sqlite_schema WHERE name = 't'"),
        ["0"]
    );
}
