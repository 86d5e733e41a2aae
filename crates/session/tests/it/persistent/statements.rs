//! exec, query and the schema operations on persistent tables.

use base::Error;
use serde_json::{Value, json};
use session::persistent::{Addressed, addressed};
use sql_gate::SqlError;

use super::{HostRemote, error, exec, operation, rows};
use test_support::corpus::lines;
use test_support::with;

fn movies() -> HostRemote {
    let remote = HostRemote::new();
    exec(
        &remote,
        "acme",
        "CREATE TABLE movies(id INTEGER PRIMARY KEY, title TEXT NOT NULL, year INTEGER, poster BLOB)",
    );
    exec(
        &remote,
        "acme",
        "INSERT INTO movies(title, year, poster) VALUES ('Alien', 1979, x'00ff'), ('Heat', 1995, NULL), ('Up', 2009, NULL)",
    );
    remote
}

#[test]
fn rows_come_back_as_from_a_session() {
    let remote = movies();
    let answer = operation(&remote, "acme", &json!({"operation": "query", "sql": "SELECT m.title, m.title, poster FROM movies AS m WHERE year < ?", "params": [1990]})).unwrap();
    assert_eq!(
        answer,
        json!({"success": true, "columns": ["title", "title_2", "poster"], "results": [{"title": "Alien", "title_2": "Alien", "poster": {"$blob": "AP8="}}],
               "rowCount": 1, "truncated": false, "rowsRead": answer["rowsRead"]})
    );
}

#[test]
fn writes_say_what_they_changed() {
    let remote = movies();
    assert_eq!(
        exec(
            &remote,
            "acme",
            "UPDATE movies SET year = movies.year + 1 WHERE movies.id > 1"
        )["changes"],
        2
    );
    let answer = exec(
        &remote,
        "acme",
        "DELETE FROM movies WHERE id = 1 RETURNING *",
    );
    assert_eq!(
        (&answer["changes"], &answer["results"][0]["title"]),
        (&json!(1), &json!("Alien"))
    );
    let upsert = "INSERT INTO movies(id, title) VALUES (2, 'x') ON CONFLICT (id) DO UPDATE SET title = movies.title || '+' || excluded.title RETURNING title AS t";
    assert_eq!(
        exec(&remote, "acme", upsert)["results"],
        json!([{"t": "Heat+x"}])
    );
    assert_eq!(
        rows(&remote, "acme", "SELECT count(*), max(year) FROM movies"),
        json!([[2, 2010]])
    );
}

#[test]
fn integers_of_64_bits_and_blobs_pass_as_parameters() {
    let remote = movies();
    let body = r#"{"operation":"exec","sql":"INSERT INTO movies(title, year, poster) VALUES (?, ?, ?)","params":["Big",9223372036854775807,{"$blob":"AQID"}]}"#;
    operation(&remote, "acme", &serde_json::from_str(body).unwrap()).unwrap();
    assert_eq!(
        remote
            .db
            .dump_rows("SELECT title, year, poster FROM \"~61636d65~movies\" WHERE title = 'Big'"),
        ["'Big'|9223372036854775807|x010203"]
    );
    let infinite = operation(
        &remote,
        "acme",
        &json!({"operation": "query", "sql": "SELECT ?", "params": [{"$real": "Infinity"}]}),
    );
    assert_eq!(infinite.unwrap_err().code(), "INVALID_ARGUMENT");
    assert_eq!(
        rows(&remote, "acme", "SELECT 9e999"),
        json!([[{"$real": "Infinity"}]])
    );
}

#[test]
fn wide_rows_stay_within_the_arguments_that_d1_takes() {
    let remote = HostRemote::new();
    let columns: Vec<String> = (1..=100).map(|number| format!("c{number}")).collect();
    exec(
        &remote,
        "acme",
        &format!("CREATE TABLE wide({})", columns.join(",")),
    );
    exec(
        &remote,
        "acme",
        &format!("INSERT INTO wide(c1, c100) VALUES ('a,\"b', {})", 1),
    );
    let answer = operation(
        &remote,
        "acme",
        &json!({"operation": "query", "sql": "SELECT * FROM wide"}),
    )
    .unwrap();
    assert_eq!(
        (
            &answer["results"][0]["c1"],
            &answer["results"][0]["c2"],
            &answer["results"][0]["c100"]
        ),
        (&json!("a,\"b"), &Value::Null, &json!(1))
    );
    assert_eq!(
        rows(&remote, "acme", "SELECT * FROM wide")[0]
            .as_array()
            .unwrap()
            .len(),
        100
    );
    assert_eq!(
        operation(
            &remote,
            "acme",
            &json!({"operation": "describeTable", "table": "wide"})
        )
        .unwrap()["sampleRows"][0]["c100"],
        1
    );
}

#[test]
fn results_end_at_their_limits() {
    let remote = HostRemote::new();
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000) SELECT i FROM n";
    let answer = operation(
        &remote,
        "acme",
        &json!({"operation": "query", "sql": numbers}),
    )
    .unwrap();
    assert_eq!(
        (&answer["rowCount"], &answer["truncated"]),
        (&json!(10_000), &json!(true))
    );
    let two = operation(
        &remote,
        "acme",
        &json!({"operation": "query", "sql": "VALUES (1), (2)", "limit": 2}),
    )
    .unwrap();
    assert_eq!(
        (&two["rowCount"], &two["truncated"]),
        (&json!(2), &json!(false))
    );
    // More than one value can hold, so the engine stops row by row at 16 MiB.
    let long = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 40) SELECT i, hex(zeroblob(500000)) AS z FROM n";
    let answer = operation(&remote, "acme", &json!({"operation": "query", "sql": long})).unwrap();
    assert_eq!(
        (&answer["rowCount"], &answer["truncated"]),
        (&json!(17), &json!(true))
    );
    assert_eq!(answer["results"][16]["i"], 17);
}

#[test]
fn mistakes_are_explained_without_the_stored_names() {
    let remote = movies();
    let missing = error(&remote, "acme", "SELECT * FROM movie");
    assert_eq!(
        missing,
        Error::from(SqlError::NoSuchTable {
            table: "movie".to_owned(),
            suggestions: vec!["movies".to_owned()],
            hint: None,
        })
    );
    let Ok(SqlError::NoSuchColumn { suggestions, .. }) =
        error(&remote, "acme", "SELECT titel FROM movies").into_problem()
    else {
        panic!()
    };
    assert_eq!(suggestions, ["title"]);
    let Ok(SqlError::NoSuchColumn { double_quoted, .. }) = error(
        &remote,
        "acme",
        "SELECT * FROM movies WHERE title = \"Alien\"",
    )
    .into_problem() else {
        panic!()
    };
    assert!(double_quoted);
    assert_eq!(
        error(&remote, "acme", "CREATE TABLE movies(a)"),
        Error::from(SqlError::AlreadyExists {
            table: "movies".to_owned(),
            by: sql_gate::TableOrigin::Statement,
        })
    );
    let Ok(SqlError::ConstraintFailed {
        table,
        columns,
        message,
        ..
    }) = error(&remote, "acme", "INSERT INTO movies(id) VALUES (9)").into_problem()
    else {
        panic!()
    };
    assert_eq!(
        (table.as_deref(), columns, message.as_str()),
        (
            Some("movies"),
            vec!["title".to_owned()],
            "NOT NULL constraint failed: movies.title"
        )
    );
    let plan = exec(
        &remote,
        "acme",
        "EXPLAIN QUERY PLAN SELECT * FROM movies WHERE id = 1",
    );
    assert_eq!(
        plan["results"][0]["detail"],
        "SEARCH movies USING INTEGER PRIMARY KEY (rowid=?)"
    );
    let Ok(SqlError::SyntaxError { line, column, .. }) =
        error(&remote, "acme", "SELECT *\nFROM movies WHERE").into_problem()
    else {
        panic!()
    };
    assert_eq!((line, column), (2, 18));
}

#[test]
fn a_rowid_is_refused_where_it_would_mean_another_tables() {
    let remote = movies();
    exec(&remote, "acme", "CREATE TABLE noted(oid TEXT, n)");
    exec(&remote, "acme", "INSERT INTO noted VALUES ('x', 1)");
    for sql in [
        "DELETE FROM movies WHERE rowid NOT IN (SELECT min(rowid) FROM movies GROUP BY year)",
        "SELECT ROWID FROM movies",
        "SELECT \"_rowid_\" FROM movies",
        "SELECT oid FROM noted, movies",
    ] {
        assert_eq!(
            error(&remote, "acme", sql).code(),
            "NO_SUCH_COLUMN",
            "{sql}"
        );
    }
    assert_eq!(
        rows(&remote, "acme", "SELECT oid FROM noted"),
        json!([["x"]])
    );
    assert_eq!(
        exec(
            &remote,
            "acme",
            "DELETE FROM movies WHERE rowid = 1 RETURNING rowid"
        )["results"],
        json!([{"rowid": 1}])
    );
}

#[test]
fn what_the_stored_name_takes_away_is_refused_and_not_misread() {
    let remote = movies();
    exec(&remote, "acme", "CREATE INDEX by_year ON movies(year)");
    for (sql, code) in [
        (
            "UPDATE movies SET year = 1 RETURNING movies.title",
            "NO_SUCH_COLUMN",
        ),
        (
            "SELECT * FROM movies INDEXED BY by_year WHERE year = 1",
            "SQL_ERROR",
        ),
        (
            "DELETE FROM movies INDEXED BY by_year WHERE year = 1",
            "SQL_ERROR",
        ),
        (
            "CREATE TABLE checked(a CHECK (checked.a > 1))",
            "NO_SUCH_COLUMN",
        ),
    ] {
        assert_eq!(error(&remote, "acme", sql).code(), code, "{sql}");
    }
    assert_eq!(
        rows(
            &remote,
            "acme",
            "SELECT count(*) FROM movies WHERE year = 1"
        ),
        json!([[0]])
    );
}

/// Returns `v0 c0, v0 c1, …`.
fn join_of(level: usize, copies: usize) -> String {
    let names: Vec<String> = (0..copies)
        .map(|copy| format!("v{level} c{copy}"))
        .collect();
    names.join(", ")
}

#[test]
fn views_of_views_that_multiply_are_refused_when_they_are_made() {
    let remote = movies();
    exec(
        &remote,
        "acme",
        "CREATE VIEW v0 AS SELECT title FROM movies",
    );
    for (level, copies) in [(1, 4), (2, 4)] {
        let names = join_of(level - 1, copies);
        exec(
            &remote,
            "acme",
            &format!("CREATE VIEW v{level} AS SELECT c0.title FROM {names}"),
        );
    }
    let text = format!("CREATE VIEW v3 AS SELECT c0.title FROM {}", join_of(2, 16));
    let refused = error(&remote, "acme", &text);
    assert_eq!(refused.code(), "QUERY_TOO_EXPENSIVE", "{refused}");
    exec(&remote, "acme", "CREATE VIEW other AS SELECT title FROM v1");
}

#[test]
fn a_view_that_cannot_be_read_is_not_created() {
    let remote = movies();
    assert_eq!(
        error(&remote, "acme", "CREATE VIEW v AS SELECT titel FROM movies").code(),
        "NO_SUCH_COLUMN"
    );
    assert_eq!(
        error(&remote, "acme", "CREATE VIEW v AS SELECT * FROM nowhere").code(),
        "NO_SUCH_TABLE"
    );
    exec(
        &remote,
        "acme",
        "CREATE VIEW v(t) AS WITH x AS (SELECT title FROM movies) SELECT title FROM x",
    );
    exec(
        &remote,
        "acme",
        "CREATE VIEW w AS SELECT t FROM v WHERE t > 'B'",
    );
    assert_eq!(
        rows(&remote, "acme", "SELECT * FROM w"),
        json!([["Heat"], ["Up"]])
    );
}

#[test]
fn a_definition_does_not_tell_how_many_tables_there_are() {
    let answer = exec(&movies(), "acme", "CREATE TABLE other(a)");
    assert_eq!(answer["rowsRead"], 0);
}

#[test]
fn schema_operations_know_the_tenants_names_only() {
    let remote = movies();
    exec(&remote, "zeta", "CREATE TABLE other(a)");
    exec(
        &remote,
        "acme",
        "CREATE TABLE made(a DEFAULT 5, PRIMARY KEY (a))",
    );
    let call = |body: Value| operation(&remote, "acme", &body).unwrap();
    assert_eq!(
        call(json!({"operation": "getTables"}))["tables"],
        json!(["made", "movies"])
    );
    assert_eq!(
        call(json!({"operation": "getColumns", "table": "MADE"}))["columns"],
        json!([{"name": "a", "type": "", "notNull": false, "defaultValue": "5", "primaryKey": true}])
    );
    assert_eq!(
        call(json!({"operation": "hasColumn", "table": "movies", "column": "YEAR"}))["exists"],
        true
    );
    assert_eq!(
        call(json!({"operation": "findColumn", "table": "movies", "semanticName": "release year"}))
            ["column"],
        "year"
    );
    let described = call(json!({"operation": "describeTable", "table": "movies"}));
    assert_eq!(
        (
            &described["table"],
            &described["rowCount"],
            &described["sampleRows"][0]["poster"]
        ),
        (&json!("movies"), &json!(3), &json!({"$blob": "AP8="}))
    );
    let created = call(
        json!({"operation": "createTable", "name": "papers", "schema": "id INTEGER PRIMARY KEY, movie REFERENCES movies(id)"}),
    );
    assert_eq!(created["success"], true);
    assert_eq!(
        error(&remote, "acme", "INSERT INTO papers VALUES (1, 99)").code(),
        "CONSTRAINT_FAILED"
    );
    exec(&remote, "acme", "INSERT INTO papers VALUES (1, 2)");
}

#[test]
fn operations_of_sessions_only_are_refused() {
    let remote = movies();
    for name in ["batchInsert", "saveState", "getState", "getMetrics"] {
        assert_eq!(
            operation(&remote, "acme", &json!({"operation": name}))
                .unwrap_err()
                .code(),
            "INVALID_ARGUMENT",
            "{name}"
        );
    }
    assert_eq!(
        operation(&remote, "acme", &json!({"operation": "truncateTable"}))
            .unwrap_err()
            .code(),
        "UNKNOWN_OPERATION"
    );
    assert_eq!(
        operation(
            &remote,
            "acme",
            &json!({"operation": "query", "sql": "DELETE FROM movies"})
        )
        .unwrap_err()
        .code(),
        "SQL_BLOCKED"
    );
}

#[test]
fn the_target_of_an_operation_is_a_known_word() {
    assert_eq!(
        addressed(r#"{"operation":"query","sql":"SELECT 'target'"}"#),
        Ok(Addressed::Session)
    );
    assert_eq!(addressed(r#"{"target":"session"}"#), Ok(Addressed::Session));
    assert_eq!(addressed(r#"{"target":null}"#), Ok(Addressed::Session));
    assert_eq!(
        addressed(r#"{"target" : "persistent"}"#),
        Ok(Addressed::Persistent)
    );
    assert_eq!(
        addressed(r#"{"t\u0061rget":"persistent"}"#),
        Ok(Addressed::Persistent)
    );
    assert_eq!(addressed("not json \"target\""), Ok(Addressed::Session));
    for wrong in [r#"{"target":"d1"}"#, r#"{"target":1}"#, r#"{"target":""}"#] {
        assert_eq!(
            addressed(wrong).unwrap_err().code(),
            "INVALID_ARGUMENT",
            "{wrong}"
        );
    }
}

/// Every statement that a session runs has the same result on persistent tables, or is refused for
/// a reason that the documents list.
#[test]
fn the_corpus_of_allowed_statements_means_the_same_as_in_a_session() {
    let (mut same, mut refused) = (0, 0);
    let session_only = [
        "internal_name",
        "pragma",
        "virtual_table",
        "drop_in_strict_profile",
        "alter_in_strict_profile",
        "schema_name",
        "function",
    ];
    for line in lines::corpus("allowed.jsonl")
        .iter()
        .filter(|line| line.setup.is_empty() && line.needs.is_none() && !line.work)
    {
        let session = with(lines::SETUP);
        let remote = HostRemote::new();
        // Full-text tables are for sessions only.
        for statement in lines::SETUP.split_inclusive(";\n").filter(|statement| {
            !statement.contains("TABLE docs") && !statement.contains("INTO docs")
        }) {
            exec(&remote, "acme", statement);
        }
        let body = json!({"operation": "exec", "sql": line.text(), "params": line.params, "rowFormat": "array"});
        let here = test_support::operation(&session, &body.to_string());
        let there = operation(&remote, "acme", &body);
        match (here, there) {
            (_, Err(error)) if matches!(error.of(), Some(SqlError::SqlBlocked { reason, .. }) if session_only.contains(reason)) =>
            {
                refused += 1;
            }
            (Ok(mut here), Ok(mut there)) => {
                for counter in ["rowsRead", "rowsWritten"] {
                    here[counter].take();
                    there[counter].take();
                }
                if !line.text().to_lowercase().contains("random")
                    && !line.text().contains("now")
                    && !line.text().to_uppercase().contains("EXPLAIN")
                {
                    assert_eq!(there, here, "{}", line.text());
                }
                same += 1;
            }
            (_, Err(_))
                if line.text().contains("docs")
                    || line.text().contains("rowid")
                    || line.text().contains("INDEXED") =>
            {
                refused += 1
            }
            (here, there) => panic!(
                "{}\nin the session: {here:?}\nin D1: {there:?}",
                line.text()
            ),
        }
    }
    assert!(same > 250, "{same} meant the same, {refused} were refused");
}

#[test]
fn a_tenant_has_as_much_room_for_definitions_as_a_session() {
    let remote = movies();
    let view = |number: u32| {
        let comment = "x".repeat(79_000);
        format!("CREATE VIEW v{number} AS SELECT title /* {comment} */ FROM movies")
    };
    for number in 0..25 {
        exec(&remote, "acme", &view(number));
    }
    let comment = "x".repeat(30_000);
    for sql in [
        view(25),
        format!("CREATE TABLE u (a DEFAULT '{comment}')"),
        format!("CREATE INDEX u ON movies (title) WHERE title <> '{comment}'"),
    ] {
        let error = error(&remote, "acme", &sql);
        assert_eq!(error.code(), "TOO_BIG", "{sql:.40}");
        assert!(error.to_string().contains("the tenant's persistent tables"));
    }
    // Each tenant has its own room, and dropping makes room.
    exec(&remote, "zeta", "CREATE TABLE movies (title)");
    exec(&remote, "zeta", &view(0));
    operation(
        &remote,
        "acme",
        &json!({"operation": "dropTable", "table": "v0"}),
    )
    .unwrap();
    exec(
        &remote,
        "acme",
        &format!("CREATE TABLE u (a DEFAULT '{comment}')"),
    );
}
