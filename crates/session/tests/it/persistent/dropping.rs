//! dropTable on persistent tables, and on those of a session.

use base::Error;
use futures::FutureExt as _;
use serde_json::{Value, json};
use session::Settings;
use session::persistent::dispatch;

use super::{HostRemote, NOW_MS, Persistent, copy, error, exec, operation, rows};
use test_support::{call, fail, with};

fn drop_table(remote: &HostRemote, tenant: &str, table: &str) -> Result<Value, Error> {
    operation(
        remote,
        tenant,
        &json!({"operation": "dropTable", "table": table}),
    )
}

fn tables(remote: &HostRemote, tenant: &str) -> Value {
    operation(remote, tenant, &json!({"operation": "getTables"})).unwrap()["tables"].take()
}

fn schema_rows(remote: &HostRemote) -> Vec<String> {
    remote
        .db
        .dump_rows("SELECT name FROM sqlite_schema WHERE name LIKE '~%'")
}

#[test]
fn a_table_goes_with_its_rows_and_indexes_and_its_name_is_free() {
    let remote = HostRemote::new();
    exec(
        &remote,
        "acme",
        "CREATE TABLE movies(id INTEGER PRIMARY KEY, title TEXT)",
    );
    exec(
        &remote,
        "acme",
        "INSERT INTO movies(title) VALUES ('Alien'), ('Heat')",
    );
    exec(&remote, "acme", "CREATE INDEX by_title ON movies(title)");
    assert_eq!(
        drop_table(&remote, "acme", "Movies").unwrap(),
        json!({"success": true, "table": "movies", "dropped": true})
    );
    assert_eq!(tables(&remote, "acme"), json!([]));
    assert_eq!(schema_rows(&remote), [""; 0]);
    let session = with("CREATE TABLE movies(title TEXT); INSERT INTO movies VALUES ('Up')");
    copy(&remote, "acme", &session, &json!({"table": "movies"})).unwrap();
    assert_eq!(
        rows(&remote, "acme", "SELECT * FROM movies"),
        json!([["Up"]])
    );
}

#[test]
fn a_table_that_is_not_there_is_named_with_the_nearest_unless_that_will_do() {
    let remote = HostRemote::new();
    exec(&remote, "acme", "CREATE TABLE movies(a)");
    drop_table(&remote, "acme", "movies").unwrap();
    exec(&remote, "acme", "CREATE TABLE movies(a)");
    let missing = drop_table(&remote, "acme", "movie").unwrap_err();
    assert_eq!(missing.code(), "NO_SUCH_TABLE");
    assert_eq!(missing.to_json()["suggestions"], json!(["movies"]));
    let body = json!({"operation": "dropTable", "table": "movie", "ifExists": true});
    for _ in 0..2 {
        assert_eq!(
            operation(&remote, "acme", &body).unwrap(),
            json!({"success": true, "table": "movie", "dropped": false})
        );
    }
    assert_eq!(tables(&remote, "acme"), json!(["movies"]));
    let body = json!({"operation": "dropTable", "table": "movies", "ifExists": "yes"});
    assert_eq!(
        operation(&remote, "acme", &body).unwrap_err().code(),
        "INVALID_ARGUMENT"
    );
    let body = json!({"operation": "dropTable", "table": "movies", "cascade": true});
    assert_eq!(
        operation(&remote, "acme", &body).unwrap_err().code(),
        "INVALID_ARGUMENT"
    );
}

#[test]
fn tables_of_other_tenants_stay() {
    let remote = HostRemote::new();
    exec(&remote, "zeta", "CREATE TABLE movies(a)");
    exec(&remote, "zeta", "CREATE VIEW seen AS SELECT a FROM movies");
    exec(&remote, "acme", "CREATE TABLE movies(a)");
    for name in ["~7a657461~movies", "seen", "sqlite_schema", "_cf_KV", ""] {
        let error = drop_table(&remote, "acme", name).unwrap_err();
        assert!(
            matches!(error.code(), "NO_SUCH_TABLE" | "SQL_BLOCKED"),
            "{name}: {error}"
        );
    }
    // A view of another tenant does not prevent a drop.
    drop_table(&remote, "acme", "movies").unwrap();
    assert_eq!(tables(&remote, "zeta"), json!(["movies", "seen"]));
    assert_eq!(rows(&remote, "zeta", "SELECT * FROM seen"), json!([]));
}

#[test]
fn what_views_or_rows_need_stays_until_they_are_gone() {
    let remote = HostRemote::new();
    exec(
        &remote,
        "acme",
        "CREATE TABLE movies(id INTEGER PRIMARY KEY, title TEXT)",
    );
    exec(&remote, "acme", "CREATE TABLE movies_old(id)");
    exec(
        &remote,
        "acme",
        "CREATE VIEW titles AS SELECT title FROM MOVIES",
    );
    exec(
        &remote,
        "acme",
        "CREATE VIEW long AS SELECT title FROM titles WHERE length(title) > 9",
    );
    for (table, reader) in [("movies", "titles"), ("titles", "long")] {
        let needed = drop_table(&remote, "acme", table).unwrap_err();
        assert_eq!(needed.code(), "CONSTRAINT_FAILED");
        assert_eq!(needed.to_json()["kind"], "VIEW");
        assert_eq!(
            needed.to_string(),
            format!("{table} is read by views: {reader}")
        );
    }
    // A view that is made between the check and the drop is found in the transaction.
    for name in ["movies_old", "long", "titles", "movies"] {
        drop_table(&remote, "acme", name).unwrap();
    }
    assert_eq!(schema_rows(&remote), [""; 0]);

    exec(
        &remote,
        "acme",
        "CREATE TABLE parent(id INTEGER PRIMARY KEY)",
    );
    exec(
        &remote,
        "acme",
        "CREATE TABLE child(id INTEGER REFERENCES parent(id))",
    );
    exec(&remote, "acme", "INSERT INTO parent VALUES (1)");
    exec(&remote, "acme", "INSERT INTO child VALUES (1)");
    remote.db.script("PRAGMA foreign_keys = ON");
    let needed = drop_table(&remote, "acme", "parent").unwrap_err();
    assert_eq!(needed.code(), "CONSTRAINT_FAILED");
    assert!(!needed.to_string().contains('~'), "{needed}");
    drop_table(&remote, "acme", "child").unwrap();
    drop_table(&remote, "acme", "parent").unwrap();
}

#[test]
fn a_failure_of_the_service_drops_nothing() {
    for batch in 0..3 {
        let remote = HostRemote::new();
        exec(&remote, "acme", "CREATE TABLE movies(a)");
        remote.fail_after(batch);
        let failed = drop_table(&remote, "acme", "movies").unwrap_err();
        assert!(!failed.to_string().contains('~'), "{failed}");
        remote.fails_at.set(None);
        assert_eq!(tables(&remote, "acme"), json!(["movies"]));
    }
}

#[test]
fn a_drop_in_sql_says_which_operation_drops() {
    let remote = HostRemote::new();
    exec(&remote, "acme", "CREATE TABLE movies(a)");
    for sql in ["DROP TABLE movies", "DROP VIEW IF EXISTS movies"] {
        let blocked = error(&remote, "acme", sql);
        assert_eq!(blocked.code(), "SQL_BLOCKED");
        assert!(blocked.hint().unwrap().contains("dropTable"), "{blocked}");
    }
}

#[test]
fn a_session_drops_its_tables_and_views_alike() {
    let db = with(
        "CREATE TABLE t (a); CREATE VIEW v AS SELECT 1 AS one; CREATE VIRTUAL TABLE f USING fts5(a)",
    );
    for table in ["v", "T", "f"] {
        let dropped = call(
            &db,
            &json!({"operation": "dropTable", "table": table}).to_string(),
        );
        assert_eq!(dropped["dropped"], true, "{dropped}");
    }
    assert!(
        db.dump_rows("SELECT name FROM sqlite_schema WHERE name IN ('t', 'v', 'f')")
            .is_empty()
    );
    let again = json!({"operation": "dropTable", "table": "t", "ifExists": true});
    assert_eq!(call(&db, &again.to_string())["dropped"], false);
    for (table, code) in [
        ("t", "NO_SUCH_TABLE"),
        ("session_state", "SQL_BLOCKED"),
        ("_codemode_stage", "SQL_BLOCKED"),
        ("sqlite_schema", "SQL_BLOCKED"),
    ] {
        let body = json!({"operation": "dropTable", "table": table}).to_string();
        assert_eq!(fail(&db, &body).code(), code, "{table}");
    }
}

#[test]
fn a_confirmed_removal_is_of_the_table_that_was_shown() {
    const FILMS: &str = "\"~61636d65~films\"";
    for (change, is_refused) in [
        (format!("ALTER TABLE {FILMS} ADD COLUMN year"), true),
        (
            format!("DROP TABLE {FILMS}; CREATE TABLE {FILMS} (title TEXT NOT NULL)"),
            true,
        ),
        (format!("CREATE INDEX late ON {FILMS} (title)"), true),
        (
            format!("CREATE TABLE \"~61636d65~kept\" (f REFERENCES {FILMS} ON DELETE CASCADE)"),
            true,
        ),
        ("CREATE TABLE \"~61636d65~unrelated\" (a)".to_owned(), false),
        (format!("INSERT INTO {FILMS} VALUES ('Ran')"), false),
    ] {
        // Before the operation, and before each of its batches.
        for batch in 0..6 {
            let remote = HostRemote::new();
            exec(&remote, "acme", "CREATE TABLE films (title TEXT)");
            exec(&remote, "acme", "INSERT INTO films VALUES ('Heat')");
            let settings = Settings::default();
            let tables = || Persistent::new(&remote, "acme", &settings, NOW_MS);
            let basis = tables()
                .basis_of_removal("films")
                .now_or_never()
                .unwrap()
                .unwrap();
            remote.meanwhile_after(batch, &change);
            let drop = json!({"operation": "dropTable", "table": "films"}).to_string();
            let confirmed = tables().confirmed(Some(basis.as_str()));
            let done = dispatch(&confirmed, &drop).now_or_never().unwrap();
            let happened = remote.meanwhile.borrow().is_none();
            let code = done.as_ref().err().map(Error::code);
            let wanted = (happened && is_refused).then_some("CONFIRMATION_INVALID");
            assert_eq!(code, wanted, "{change}, {batch}: {done:?}");
        }
    }
}
