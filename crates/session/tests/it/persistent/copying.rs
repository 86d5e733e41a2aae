//! persist: tables of a session copied to the persistent database.

use base::Error;
use serde_json::json;
use sql_gate::SqlError;
use sql_scope::tenant::Tenant;

use super::{HostRemote, copy, exec, operation, rows};
use test_support::{NOW_MS, with};

const PAPERS: &str = "CREATE TABLE papers(id INTEGER PRIMARY KEY, title VARCHAR(20) NOT NULL DEFAULT 'none', score REAL DEFAULT (1 + 1), \
     big INTEGER, raw BLOB, at TEXT DEFAULT CURRENT_TIMESTAMP, word DEFAULT bare, odd \"my-type\", twice INTEGER GENERATED ALWAYS AS (id * 2)); \
     INSERT INTO papers(id, title, score, big, raw, odd) VALUES (1, 'a \"b\" \u{1F600}', 1.5, 9223372036854775807, x'7b2262', 'x'), (2, '{\"$blob\":\"00\"}', -9e999, -9223372036854775808, NULL, x'ff');";

fn tables(remote: &HostRemote) -> Vec<String> {
    remote.db.dump_rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
}

#[test]
fn a_copy_has_the_values_the_types_and_the_key() {
    let remote = HostRemote::new();
    let session = with(PAPERS);
    assert_eq!(
        copy(&remote, "acme", &session, &json!({"table": "Papers"})).unwrap(),
        json!({"success": true, "table": "Papers", "rowsWritten": 2})
    );
    let all = "SELECT id, title, score, big, raw, word, odd, twice FROM ";
    assert_eq!(
        remote.db.dump_rows(&format!("{all} \"~61636d65~papers\"")),
        session.dump_rows(&format!("{all} papers"))
    );
    let columns = "SELECT name, type, \"notnull\", pk FROM pragma_table_info";
    assert_eq!(
        remote
            .db
            .dump_rows(&format!("{columns}('~61636d65~papers')")),
        [
            "'id'|'INTEGER'|0|1",
            "'title'|'VARCHAR(20)'|1|0",
            "'score'|'REAL'|0|0",
            "'big'|'INTEGER'|0|0",
            "'raw'|'BLOB'|0|0",
            "'at'|'TEXT'|0|0",
            "'word'|''|0|0",
            "'odd'|'my-type'|0|0",
            "'twice'|'INTEGER'|0|0"
        ]
    );
    exec(&remote, "acme", "INSERT INTO papers(id) VALUES (3)");
    assert_eq!(
        rows(
            &remote,
            "acme",
            "SELECT title, score, word, length(at) FROM papers WHERE id = 3"
        ),
        json!([["none", 2.0, "bare", 19]])
    );
    assert_eq!(tables(&remote).len(), 1, "no stage is left");
}

#[test]
fn modes_say_what_becomes_of_a_table_that_is_there() {
    let remote = HostRemote::new();
    let session =
        with("CREATE TABLE t(a INTEGER PRIMARY KEY, b); INSERT INTO t VALUES (1, 'x'), (2, 'y')");
    copy(
        &remote,
        "acme",
        &session,
        &json!({"table": "t", "as": "kept", "mode": "create"}),
    )
    .unwrap();
    assert_eq!(
        copy(
            &remote,
            "acme",
            &session,
            &json!({"table": "t", "as": "KEPT"})
        )
        .unwrap_err(),
        Error::from(SqlError::AlreadyExists {
            table: "kept".to_owned(),
            by: sql_gate::TableOrigin::Copy,
        })
    );
    session.script("DELETE FROM t; INSERT INTO t VALUES (3, 'z')");
    assert_eq!(
        copy(
            &remote,
            "acme",
            &session,
            &json!({"table": "t", "as": "Kept", "mode": "append"})
        )
        .unwrap()["table"],
        "kept"
    );
    assert_eq!(
        rows(&remote, "acme", "SELECT * FROM kept"),
        json!([[1, "x"], [2, "y"], [3, "z"]])
    );
    session.script("ALTER TABLE t ADD COLUMN c DEFAULT 7");
    copy(
        &remote,
        "acme",
        &session,
        &json!({"table": "t", "as": "kept", "mode": "replace"}),
    )
    .unwrap();
    assert_eq!(
        rows(&remote, "acme", "SELECT * FROM kept"),
        json!([[3, "z", 7]])
    );
    copy(
        &remote,
        "acme",
        &session,
        &json!({"table": "t", "as": "fresh", "mode": "replace"}),
    )
    .unwrap();
    assert_eq!(tables(&remote).len(), 2);
}

#[test]
fn appending_goes_by_names_and_leaves_the_rest_to_defaults() {
    let remote = HostRemote::new();
    exec(
        &remote,
        "acme",
        "CREATE TABLE t(extra DEFAULT 'd', b, a, g AS (a + 1))",
    );
    let session = with("CREATE TABLE t(a, B, g); INSERT INTO t VALUES (1, 2, 3)");
    copy(
        &remote,
        "acme",
        &session,
        &json!({"table": "t", "mode": "append"}),
    )
    .unwrap();
    assert_eq!(
        rows(&remote, "acme", "SELECT * FROM t"),
        json!([["d", 2, 1, 2]])
    );
    session.script("ALTER TABLE t ADD COLUMN extr");
    let Ok(SqlError::NoSuchColumn {
        column,
        suggestions,
        ..
    }) = copy(
        &remote,
        "acme",
        &session,
        &json!({"table": "t", "mode": "append"}),
    )
    .unwrap_err()
    .into_problem()
    else {
        panic!()
    };
    assert_eq!(
        (column.as_str(), suggestions),
        ("extr", vec!["extra".to_owned()])
    );
    assert_eq!(
        copy(
            &remote,
            "acme",
            &session,
            &json!({"table": "t", "as": "tt", "mode": "append"})
        )
        .unwrap_err()
        .code(),
        "NO_SUCH_TABLE"
    );
}

#[test]
fn a_copy_that_fails_leaves_everything_as_it_was() {
    let remote = HostRemote::new();
    exec(
        &remote,
        "acme",
        "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT CHECK (b <> 'bad'))",
    );
    exec(&remote, "acme", "INSERT INTO t VALUES (5000, 'mine')");
    let rows_of_session = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000) INSERT INTO t SELECT i, 'x' FROM n";
    let session = with(&format!(
        "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT); {rows_of_session}"
    ));
    let Ok(SqlError::ConstraintFailed { kind, table, .. }) = copy(
        &remote,
        "acme",
        &session,
        &json!({"table": "t", "mode": "append"}),
    )
    .unwrap_err()
    .into_problem() else {
        panic!()
    };
    assert_eq!((kind, table.as_deref()), ("PRIMARY KEY", Some("t")));
    assert_eq!(
        rows(&remote, "acme", "SELECT * FROM t"),
        json!([[5000, "mine"]])
    );
    assert_eq!(tables(&remote), ["'~61636d65~t'"]);
    // The network fails at each step of a replacement. The transfer table is dropped, or if that
    // fails too, left to the next copy.
    for step in 0..12 {
        remote.fail_after(step);
        let outcome = copy(
            &remote,
            "acme",
            &session,
            &json!({"table": "t", "mode": "replace"}),
        );
        remote.fails_at.set(None);
        match outcome {
            Err(error) => {
                assert_eq!(error.code(), "BUSY", "{step}");
                assert_eq!(
                    rows(&remote, "acme", "SELECT * FROM t"),
                    json!([[5000, "mine"]])
                );
                assert_eq!(tables(&remote), ["'~61636d65~t'"], "{step}");
            }
            Ok(_) => {
                assert!(step > 8, "{step}");
                assert_eq!(
                    rows(&remote, "acme", "SELECT count(*), sum(a) FROM t"),
                    json!([[6000, 18_003_000]])
                );
                return;
            }
        }
    }
    panic!("it never came through");
}

#[test]
fn stages_that_were_left_are_dropped_when_they_are_old() {
    let remote = HostRemote::new();
    let (acme, zeta) = (
        Tenant::new("acme").transfer_prefix(),
        Tenant::new("zeta").transfer_prefix(),
    );
    let old = NOW_MS - 2 * 60 * 60 * 1000;
    for name in [
        format!("{acme}{old}^1"),
        format!("{acme}{NOW_MS}^2"),
        format!("{zeta}{old}^3"),
        "~61636d65~t".to_owned(),
    ] {
        remote.db.script(&format!("CREATE TABLE \"{name}\"(a)"));
    }
    let session = with("CREATE TABLE t(a)");
    assert_eq!(
        copy(&remote, "acme", &session, &json!({"table": "t"}))
            .unwrap_err()
            .code(),
        "ALREADY_EXISTS"
    );
    assert_eq!(
        tables(&remote),
        [
            format!("'{acme}{NOW_MS}^2'"),
            "'~61636d65~t'".to_owned(),
            format!("'{zeta}{old}^3'")
        ]
    );
    assert_eq!(
        operation(&remote, "acme", &json!({"operation": "getTables"})).unwrap()["tables"],
        json!(["t"])
    );
}

#[test]
fn a_long_table_waits_in_the_sessions_stage_and_leaves_nothing_there() {
    let remote = HostRemote::new();
    let session = with(
        "CREATE TABLE t(i INTEGER PRIMARY KEY, text, raw); \
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000) INSERT INTO t SELECT i, hex(randomblob(500)), randomblob(20) FROM n",
    );
    assert_eq!(
        copy(&remote, "acme", &session, &json!({"table": "t"})).unwrap()["rowsWritten"],
        12_000
    );
    assert_eq!(
        remote.db.dump_rows("SELECT * FROM \"~61636d65~t\""),
        session.dump_rows("SELECT * FROM t")
    );
    assert_eq!(
        session.dump_rows("SELECT count(*) FROM _codemode_stage"),
        ["0"]
    );
    assert_eq!(tables(&remote), ["'~61636d65~t'"]);
}

#[test]
fn rows_up_to_the_size_of_a_bound_value_are_carried() {
    let remote = HostRemote::new();
    let session = with(
        "CREATE TABLE t(i, z); INSERT INTO t VALUES (1, 'a'), (2, hex(zeroblob(900000))), (3, 'b'), (4, zeroblob(900000))",
    );
    assert_eq!(
        copy(&remote, "acme", &session, &json!({"table": "t"})).unwrap()["rowsWritten"],
        4
    );
    assert_eq!(
        rows(&remote, "acme", "SELECT i, length(z), typeof(z) FROM t"),
        json!([
            [1, 1, "text"],
            [2, 1_800_000, "text"],
            [3, 1, "text"],
            [4, 900_000, "blob"]
        ])
    );
    session.script("INSERT INTO t VALUES (5, zeroblob(990000))");
    assert_eq!(
        copy(&remote, "acme", &session, &json!({"table": "t", "as": "u"}))
            .unwrap_err()
            .code(),
        "TOO_BIG"
    );
    assert_eq!(tables(&remote), ["'~61636d65~t'"]);
}

#[test]
fn views_tables_without_rowid_and_empty_tables_can_be_copied() {
    let remote = HostRemote::new();
    let session = with(
        "CREATE TABLE k(b TEXT, a TEXT, n, PRIMARY KEY (a, b)) WITHOUT ROWID; INSERT INTO k VALUES ('1', '2', 3); \
         CREATE VIEW v AS SELECT a || b AS ab, json_array(n, '{\"$blob\":1}') AS j FROM k; CREATE TABLE empty(x)",
    );
    for table in ["k", "v", "empty"] {
        copy(&remote, "acme", &session, &json!({"table": table})).unwrap();
    }
    assert_eq!(
        rows(&remote, "acme", "SELECT * FROM v"),
        json!([["21", "[3,\"{\\\"$blob\\\":1}\"]"]])
    );
    assert_eq!(
        rows(&remote, "acme", "SELECT count(*) FROM empty"),
        json!([[0]])
    );
    assert_eq!(
        remote
            .db
            .dump_rows("SELECT wr FROM pragma_table_list WHERE name = '~61636d65~k'"),
        ["1"]
    );
    exec(&remote, "acme", "CREATE VIEW mine AS SELECT 1 AS one");
    for mode in ["create", "replace", "append"] {
        let refused = copy(
            &remote,
            "acme",
            &session,
            &json!({"table": "k", "as": "mine", "mode": mode}),
        )
        .unwrap_err();
        assert_eq!(refused.code(), "INVALID_ARGUMENT", "{mode}");
    }
}

#[test]
fn a_request_that_makes_no_sense_is_refused() {
    let remote = HostRemote::new();
    let session = with("CREATE TABLE t(a)");
    for (body, code) in [
        (json!({}), "INVALID_ARGUMENT"),
        (json!({"table": "t", "mode": "merge"}), "INVALID_ARGUMENT"),
        (json!({"table": "t", "as": ""}), "INVALID_ARGUMENT"),
        (json!({"table": "t", "as": 5}), "INVALID_ARGUMENT"),
        (json!({"table": "tt"}), "NO_SUCH_TABLE"),
        (json!({"table": "_codemode_stage"}), "SQL_BLOCKED"),
        (json!({"table": "t", "as": "sqlite_schema"}), "SQL_BLOCKED"),
        (json!({"table": "t", "as": "json_each"}), "SQL_BLOCKED"),
        (
            json!({"table": "t", "as": "JSONB_Tree", "mode": "replace"}),
            "SQL_BLOCKED",
        ),
        (
            json!({"table": "t", "as": "pragma_x", "mode": "create"}),
            "SQL_BLOCKED",
        ),
        (json!({"table": "t", "as": "_codemodex"}), "SQL_BLOCKED"),
        (json!({"table": "t", "as": "~7a657461~t"}), "SQL_BLOCKED"),
    ] {
        assert_eq!(
            copy(&remote, "acme", &session, &body).unwrap_err().code(),
            code,
            "{body}"
        );
    }
    assert!(tables(&remote).is_empty());
}
