//! One rule for the names of tables, however a table is made.

use base::Error;
use rusqlite::Connection;
use serde_json::json;
use session::bulk::{Destination, Format};
use session::staging::ResultOrigin;
use sql_gate::SqlError;

use super::staging::{SEARCH, stage_with};
use super::{call, database, fail, load, operation, request};
use test_support::HostDatabase;

/// Names that no table may have, with the reason.
const RESERVED: [(&str, &str); 22] = [
    ("json_each", "reserved_name"),
    ("JSON_Tree", "reserved_name"),
    ("jsonb_each", "reserved_name"),
    ("jsonb_tree", "reserved_name"),
    ("pragma_table_info", "reserved_name"),
    ("Pragma_anything", "reserved_name"),
    ("pragma", "reserved_name"),
    ("fts5vocab", "reserved_name"),
    ("bytecode", "reserved_name"),
    ("tables_used", "reserved_name"),
    ("DBSTAT", "reserved_name"),
    ("generate_series", "reserved_name"),
    ("sqlite_stat1", "internal_name"),
    ("SQLite_x", "internal_name"),
    ("sqlite", "internal_name"),
    ("_cf_KV", "internal_name"),
    ("_CF", "internal_name"),
    ("_codemode_meta", "internal_name"),
    ("_CodeMode", "internal_name"),
    ("_codemodex", "internal_name"),
    ("session_state", "internal_table"),
    ("Execution_Logs", "internal_table"),
];

fn names(db: &HostDatabase) -> Vec<String> {
    db.dump_rows("SELECT name FROM sqlite_schema ORDER BY name")
}

fn exec(db: &HostDatabase, sql: &str) -> Result<(), Error> {
    operation(db, &json!({ "operation": "exec", "sql": sql }).to_string()).map(|_| ())
}

#[test]
fn no_way_makes_a_table_of_a_reserved_name() {
    let db = database();
    db.script("CREATE TABLE t (a); CREATE VIRTUAL TABLE f USING fts5(a); INSERT INTO t VALUES (1)");
    let before = names(&db);
    for (name, expected) in RESERVED {
        let statements = [
            format!("CREATE TABLE \"{name}\" (a)"),
            format!("CREATE TABLE IF NOT EXISTS main.\"{name}\" (a)"),
            format!("CREATE TABLE [{name}] AS SELECT 1 AS a"),
            format!("CREATE VIEW `{name}` AS SELECT 1 AS a"),
            format!("CREATE VIRTUAL TABLE '{name}' USING fts5(a)"),
            format!("CREATE INDEX \"{name}\" ON t (a)"),
            format!("ALTER TABLE t RENAME TO \"{name}\""),
            format!("ALTER TABLE f RENAME TO {name}"),
        ];
        let made = fail(
            &db,
            &json!({ "operation": "createTable", "name": name, "schema": "a" }).to_string(),
        );
        let loaded = [
            (Format::Csv, &b"a\n1\n"[..]),
            (Format::Json, br#"[{"a":1}]"#),
        ]
        .map(|(format, body)| {
            load(&db, request(name, format, Destination::Create), body).expect_err(name)
        });
        let by_sql = statements
            .iter()
            .map(|sql| (sql.as_str(), exec(&db, sql).expect_err(sql)));
        for (way, error) in by_sql
            .chain([("createTable", made)])
            .chain(loaded.map(|error| ("load", error)))
        {
            match error.into_problem() {
                Ok(SqlError::SqlBlocked { reason, .. }) => {
                    assert_eq!(reason, expected, "{name}: {way}")
                }
                other => panic!("{name}: {way}: {other:?}"),
            }
        }
    }
    assert_eq!(names(&db), before);
}

#[test]
fn names_that_only_resemble_them_are_free() {
    let db = database();
    for name in [
        "json",
        "each",
        "json_each_",
        "my_json_each",
        "series",
        "pragmatic",
        "codemode",
        "sqlites",
        "_cfx",
        "fts5",
        "stat",
    ] {
        call(
            &db,
            &json!({ "operation": "createTable", "name": name, "schema": "a" }).to_string(),
        );
        exec(&db, &format!("DROP TABLE \"{name}\"")).unwrap();
    }
}

/// Earlier versions made such tables by loads and staging.
#[test]
fn a_table_of_a_reserved_name_that_is_there_can_be_renamed_and_dropped() {
    for name in [
        "json_each",
        "JSON_TREE",
        "pragma_table_info",
        "pragma_mine",
        "dbstat",
        "generate_series",
        "_codemode",
    ] {
        let db = database();
        let before = names(&db);
        db.script(&format!(
            "CREATE TABLE \"{name}\" (a); INSERT INTO \"{name}\" VALUES (1)"
        ));
        exec(&db, &format!("DROP TABLE \"{name}\""))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(names(&db), before, "{name}");

        db.script(&format!("CREATE VIEW \"{name}\" AS SELECT 1 AS a"));
        exec(&db, &format!("DROP VIEW {name}")).unwrap_or_else(|error| panic!("{name}: {error}"));

        db.script(&format!(
            "CREATE TABLE \"{name}\" (a); INSERT INTO \"{name}\" VALUES (7)"
        ));
        exec(&db, &format!("ALTER TABLE \"{name}\" RENAME TO mine")).unwrap();
        assert_eq!(db.dump_rows("SELECT a FROM mine"), ["7"], "{name}");
    }
}

#[test]
fn what_is_the_engines_and_ours_cannot_be_dropped() {
    let db = database();
    for name in [
        "session_state",
        "_codemode_meta",
        "sqlite_schema",
        "json_each",
    ] {
        exec(&db, &format!("DROP TABLE {name}")).expect_err(name);
    }
    // Nor can rows be inserted into the engine's own table-valued functions.
    for name in ["json_each", "pragma_table_info", "pragma_table_list"] {
        let request = request(name, Format::Csv, Destination::Existing);
        let error = load(&db, request, b"key\n1\n").expect_err(name);
        assert_eq!(error.code(), "NO_SUCH_TABLE", "{name}: {error}");
        exec(&db, &format!("INSERT INTO {name} VALUES (1)")).expect_err(name);
    }
}

#[test]
fn staged_tables_get_names_that_may_be_given() {
    let data = r#"{"each":[{"a":1},{"a":2}],"tree":[{"b":1}],"vocab":[{"c":1}]}"#;
    for (name, allowed) in [
        ("json_tree", "staged_json_tree"),
        ("json", "json_2"),
        ("pragma", "staged_pragma"),
        ("sqlite", "staged_sqlite"),
        ("dbstat", "staged_dbstat"),
        ("jsonb", "jsonb_2"),
    ] {
        let db = database();
        let source = ResultOrigin {
            name: Some(name),
            ..SEARCH
        };
        let receipt = stage_with(&db, &[], &source, data).unwrap();
        for table in receipt["tables"].as_array().unwrap() {
            let table = table["name"].as_str().unwrap();
            assert!(table.starts_with(allowed), "{name}: {table}");
            exec(&db, &format!("DROP TABLE {table}")).unwrap();
        }
    }
}

/// Compares the list of the policy with the engine's own: it must contain every module whose name
/// can be queried without creating a table.
#[test]
fn every_table_that_the_engine_has_by_itself_is_a_reserved_name() {
    let connection = Connection::open_in_memory().unwrap();
    let mut statement = connection
        .prepare("SELECT name FROM pragma_module_list UNION SELECT 'pragma_' || name FROM pragma_pragma_list")
        .unwrap();
    let modules: Vec<String> = statement
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let db = database();
    let mut eponymous = 0;
    for module in modules {
        let asked = connection.prepare(&format!("SELECT * FROM \"{module}\""));
        if asked.is_err_and(|error| error.to_string().contains("no such table")) {
            continue;
        }
        eponymous += 1;
        exec(&db, &format!("CREATE TABLE \"{module}\" (a)")).expect_err(&module);
    }
    // json_each, json_tree and some pragmas are always there, however the engine was built.
    assert!(eponymous > 10, "{eponymous}");
}
