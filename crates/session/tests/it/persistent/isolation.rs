//! Two tenants with tables of the same names: neither can read, change or learn anything about the
//! other's, whatever it sends.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use session::Settings;

use super::{HostRemote, copy, exec, operation, operation_under, reason, rows};
use test_support::corpus::lines;
use test_support::with;

/// Texts that no response to acme may contain: zeta's values, tables, indexes, and the prefix of
/// its names (hex of "zeta").
const SECRETS: [&str; 4] = ["zetas-own", "vault", "7a657461", "zeta_index"];

/// Makes two tenants with tables movies, and zeta with one more table.
fn tenants() -> HostRemote {
    let remote = HostRemote::new();
    for (tenant, value) in [("acme", "acmes-own"), ("zeta", "zetas-own")] {
        exec(
            &remote,
            tenant,
            "CREATE TABLE movies(id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE, year INTEGER)",
        );
        exec(
            &remote,
            tenant,
            &format!("INSERT INTO movies VALUES (1, '{value}', 2001), (2, '{value}-2', 2002)"),
        );
        exec(
            &remote,
            tenant,
            "CREATE VIEW recent AS SELECT * FROM movies WHERE year > 2001",
        );
    }
    exec(&remote, "zeta", "CREATE TABLE vault(secret)");
    exec(&remote, "zeta", "INSERT INTO vault VALUES ('zetas-own')");
    exec(&remote, "zeta", "CREATE INDEX zeta_index ON movies(year)");
    remote
}

/// Returns everything that belongs to zeta.
fn zetas(remote: &HostRemote) -> Vec<String> {
    let mut found = remote.db.dump_rows("SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE tbl_name LIKE '~7a657461~%' ORDER BY name");
    for table in ["movies", "vault", "recent"] {
        found.extend(
            remote.db.dump_rows(
                &format!("SELECT rowid, * FROM (SELECT * FROM \"~7a657461~{table}\")")
                    .replace("rowid, ", ""),
            ),
        );
    }
    found
}

/// Runs a statement as acme, and checks the response and that zeta is unharmed. Returns true if the
/// statement ran.
fn attack(remote: &HostRemote, sql: &str, parameters: &Value, before: &[String]) -> bool {
    remote.sent.borrow_mut().clear();
    // Many hostile statements are recursive.
    let settings = Settings {
        max_recursive_rows: 1_000,
        ..Settings::default()
    };
    let answer = operation_under(
        &settings,
        remote,
        "acme",
        &json!({"operation": "exec", "sql": sql, "params": parameters}),
    );
    let text = match &answer {
        Ok(answer) => answer.to_string(),
        Err(error) => error.to_json().to_string(),
    };
    // Texts that the attacker sent may be returned to it.
    for secret in SECRETS
        .iter()
        .filter(|secret| !sql.to_lowercase().contains(*secret))
    {
        assert!(
            !text.to_lowercase().contains(secret),
            "{sql}\nanswered {text}"
        );
    }
    assert_eq!(zetas(remote), before, "{sql}");
    touches_only_acmes(remote, sql);
    answer.is_ok()
}

/// Checks SQLite's own bytecode of all statements that were sent: each b-tree that it opens is
/// acme's, or the schema.
fn touches_only_acmes(remote: &HostRemote, sql: &str) {
    let foreign: BTreeSet<String> = remote
        .db
        .dump_rows("SELECT rootpage FROM sqlite_schema WHERE rootpage > 1 AND tbl_name NOT LIKE '~61636d65~%' AND tbl_name NOT LIKE 'sqlite_%'")
        .into_iter()
        .collect();
    for sent in remote
        .sent
        .borrow()
        .iter()
        .filter(|sent| !sent.contains("pragma_table_xinfo"))
    {
        let Ok(mut explained) = remote.db.connection().prepare(&format!("EXPLAIN {sent}")) else {
            continue;
        };
        let opened = explained
            .raw_query()
            .mapped(|row| {
                Ok((
                    row.get::<_, String>(1)?,
                    row.get::<_, i64>(3)?,
                    row.get::<_, i64>(4)?,
                ))
            })
            .collect::<Result<Vec<_>, _>>();
        for (opcode, page, database) in opened.unwrap_or_default() {
            if ["OpenRead", "OpenWrite", "ReopenIdx"].contains(&opcode.as_str()) && database == 0 {
                assert!(
                    !foreign.contains(&page.to_string()),
                    "{sql}\nopens page {page} by {sent}"
                );
            }
        }
    }
}

/// Statements that try to reach zeta's tables.
const ATTACKS: &[&str] = &[
    // Names as they are stored.
    r#"SELECT * FROM "~7a657461~movies""#,
    "SELECT * FROM [~7a657461~movies]",
    "SELECT * FROM `~7a657461~movies`",
    "SELECT * FROM '~7a657461~movies'",
    r#"SELECT * FROM main."~7a657461~movies""#,
    r#"SELECT * FROM "~7A657461~vault""#,
    r#"SELECT "~7a657461~movies".* FROM movies"#,
    r#"SELECT * FROM movies AS "~7a657461~movies""#,
    r#"SELECT 1 IN "~7a657461~vault""#,
    r#"SELECT * FROM movies JOIN "~7a657461~vault""#,
    r#"INSERT INTO "~7a657461~movies" VALUES (9,'x',1)"#,
    r#"UPDATE "~7a657461~movies" SET title = 'x'"#,
    r#"DELETE FROM "~7a657461~movies""#,
    r#"REPLACE INTO "~7a657461~vault" VALUES (1)"#,
    r#"CREATE INDEX i ON "~7a657461~movies"(title)"#,
    r#"CREATE VIEW v AS SELECT * FROM "~7a657461~vault""#,
    r#"CREATE TABLE t AS SELECT * FROM "~7a657461~vault""#,
    r#"CREATE TABLE t(a REFERENCES "~7a657461~movies")"#,
    r#"CREATE TABLE "~7a657461~mine"(a)"#,
    r#"WITH "~7a657461~vault" AS (SELECT 1) SELECT * FROM "~7a657461~vault""#,
    r#"WITH x AS (SELECT * FROM "~7a657461~vault") SELECT * FROM x"#,
    r#"SELECT (SELECT secret FROM "~7a657461~vault")"#,
    r#"SELECT * FROM movies ORDER BY (SELECT secret FROM "~7a657461~vault")"#,
    r#"SELECT * FROM movies INDEXED BY "~7a657461~zeta_index""#,
    "SELECT * FROM movies INDEXED BY zeta_index",
    "UPDATE movies INDEXED BY zeta_index SET year = 1 WHERE year = 2",
    "SELECT * FROM \"~7a657461\u{7e}vault\"",
    "SELECT * FROM \"\u{ff5e}7a657461\u{ff5e}vault\"",
    "SELECT * FROM \"~7a65\"\"7461~vault\"",
    "SELECT * FROM ~7a657461~vault",
    // Names that only zeta has, in every place of a statement.
    "SELECT * FROM vault",
    "SELECT * FROM movies, vault",
    "SELECT 1 IN vault",
    "SELECT (SELECT secret FROM vault)",
    "SELECT * FROM movies WHERE EXISTS (SELECT 1 FROM vault)",
    "SELECT * FROM movies GROUP BY (SELECT secret FROM vault)",
    "SELECT * FROM movies GROUP BY id HAVING (SELECT secret FROM vault)",
    "SELECT * FROM movies ORDER BY (SELECT secret FROM vault)",
    "SELECT * FROM movies LIMIT (SELECT count(*) FROM vault)",
    "SELECT * FROM movies LIMIT 1 OFFSET (SELECT count(*) FROM vault)",
    "SELECT sum(id) OVER (PARTITION BY (SELECT secret FROM vault)) FROM movies",
    "SELECT sum(id) FILTER (WHERE 1 IN vault) FROM movies",
    "SELECT CASE WHEN 1 IN vault THEN (SELECT secret FROM vault) END",
    "SELECT * FROM movies a JOIN movies b ON a.id IN vault",
    "VALUES ((SELECT secret FROM vault))",
    "SELECT 1 UNION SELECT secret FROM vault",
    "SELECT json_group_array(secret) FROM vault",
    "SELECT * FROM json_each((SELECT secret FROM vault))",
    "WITH v AS (SELECT * FROM vault) SELECT * FROM v",
    "WITH RECURSIVE v(a) AS (SELECT secret FROM vault UNION ALL SELECT a FROM v, vault LIMIT 3) SELECT * FROM v",
    "WITH a AS (WITH vault AS (SELECT 1) SELECT * FROM vault) SELECT * FROM vault",
    "SELECT * FROM (WITH vault AS (SELECT 2 AS secret) SELECT * FROM vault) JOIN vault",
    "INSERT INTO movies SELECT 9, secret, 1 FROM vault",
    "INSERT INTO movies VALUES (9, (SELECT secret FROM vault), 1)",
    "INSERT INTO movies VALUES (1,'x',1) ON CONFLICT(id) DO UPDATE SET title = (SELECT secret FROM vault)",
    "INSERT INTO movies VALUES (8,'x',1) RETURNING (SELECT secret FROM vault)",
    "UPDATE movies SET title = secret FROM vault",
    "UPDATE movies SET title = (SELECT secret FROM vault)",
    "UPDATE movies SET year = 1 WHERE 1 IN vault",
    "DELETE FROM movies WHERE (SELECT secret FROM vault) = 'x'",
    "DELETE FROM vault",
    "UPDATE vault SET secret = 1",
    "INSERT INTO vault VALUES (1)",
    "REPLACE INTO vault VALUES (1)",
    "CREATE VIEW stolen AS SELECT * FROM vault",
    "CREATE TABLE stolen2 AS SELECT * FROM vault",
    "CREATE INDEX i9 ON vault(secret)",
    "CREATE TABLE child(a REFERENCES vault(secret)); ",
    "CREATE TABLE t7(a CHECK (a IN (SELECT secret FROM vault)))",
    "CREATE TABLE t8(a DEFAULT (SELECT secret FROM vault))",
    "CREATE INDEX i8 ON movies(year) WHERE year IN (SELECT secret FROM vault)",
    "EXPLAIN QUERY PLAN SELECT * FROM vault",
    "SELECT title FROM movies NATURAL JOIN vault",
    // The schema, and the engine's own tables.
    "SELECT * FROM sqlite_schema",
    "SELECT * FROM sqlite_master",
    "SELECT * FROM main.sqlite_master",
    "SELECT * FROM \"SQLITE_SCHEMA\"",
    "SELECT * FROM sqlite_temp_schema",
    "SELECT * FROM sqlite_sequence",
    "SELECT * FROM sqlite_stat1",
    "SELECT * FROM pragma_table_list",
    "SELECT * FROM pragma_table_list()",
    "SELECT * FROM pragma_table_info('movies')",
    "SELECT * FROM pragma_table_info('~7a6574' || '61~vault')",
    "SELECT * FROM pragma_table_xinfo(?)",
    "SELECT * FROM pragma_index_list('movies')",
    "SELECT * FROM pragma_foreign_key_list('x')",
    "SELECT * FROM dbstat",
    "SELECT * FROM sqlite_dbpage",
    "SELECT * FROM bytecode('SELECT 1')",
    "SELECT * FROM _cf_KV",
    "SELECT * FROM d1_migrations",
    "SELECT * FROM session_state",
    "WITH sqlite_schema AS (SELECT 1) SELECT * FROM sqlite_schema",
    "WITH a AS (SELECT 1) SELECT * FROM a, sqlite_master",
    "SELECT 1 IN sqlite_master",
    "SELECT 1 IN pragma_table_list",
    "SELECT * FROM movies WHERE title IN (SELECT name FROM sqlite_schema)",
    "INSERT INTO movies SELECT 7, group_concat(sql), 1 FROM sqlite_schema",
    "UPDATE sqlite_schema SET sql = ''",
    "DELETE FROM sqlite_sequence",
    "PRAGMA table_list",
    "PRAGMA writable_schema = 1",
    "ATTACH 'x' AS y",
    "SELECT * FROM temp.movies",
    // Other kinds of statements.
    "DROP TABLE movies",
    "DROP VIEW recent",
    "DROP INDEX zeta_index",
    "ALTER TABLE movies RENAME TO x",
    "ALTER TABLE movies ADD COLUMN z",
    "VACUUM",
    "REINDEX",
    "ANALYZE",
    "CREATE TRIGGER tr AFTER INSERT ON movies BEGIN DELETE FROM movies; END",
    "CREATE TRIGGER tr AFTER INSERT ON \"~7a657461~movies\" BEGIN DELETE FROM movies; END",
    "CREATE TEMP TABLE movies(a)",
    "CREATE TEMP VIEW recent AS SELECT 1",
    "CREATE VIRTUAL TABLE f USING fts5(a, content='~7a6574')",
    "CREATE VIRTUAL TABLE f USING fts5vocab('x', 'row')",
    "SELECT 1; DELETE FROM movies",
    "SELECT changes()",
    "SELECT last_insert_rowid()",
    "SELECT total_changes()",
    "SELECT \"changes\"()",
    "INSERT INTO movies(title) VALUES (total_changes())",
    "SELECT \"zetas-own\"",
    "SELECT * FROM movies WHERE title = \"vault\"",
    "SELECT * FROM movies -- ~x\n",
    "SELECT * FROM movies/*",
    "SELECT movies.* FROM movies, recent",
    "SELECT * FROM \"\"",
    "SELECT * FROM movies WHERE rowid = 1",
    "SELECT * FROM movies('x')",
    "SELECT * FROM vault(1)",
    // Names that end where a prefix could begin.
    "SELECT * FROM \"movies\" \"~\"",
    "CREATE TABLE \"~\"(a)",
    "CREATE TABLE \"~7a657461\"(a)",
    "CREATE TABLE \"7a657461~x\"(a)",
    "CREATE TABLE \"\"(a)",
    "CREATE TABLE \"^1\"(a)",
    "INSERT INTO \"~\" VALUES (1)",
    "SELECT * FROM \"~\"",
    "SELECT * FROM \"~7a657461\"",
    "CREATE TABLE \"movies\"\"x\"(a)",
    "CREATE TABLE [movies \"x](a)",
];

#[test]
fn no_attack_reaches_another_tenants_tables() {
    let remote = tenants();
    let before = zetas(&remote);
    let ran = ATTACKS
        .iter()
        .filter(|sql| attack(&remote, sql, &Value::Null, &before))
        .count();
    // Some are harmless statements on acme's own tables.
    assert!((5..40).contains(&ran), "{ran} ran");
    assert_eq!(
        rows(&remote, "zeta", "SELECT title FROM movies ORDER BY id"),
        json!([["zetas-own"], ["zetas-own-2"]])
    );
}

#[test]
fn a_missing_name_is_answered_alike_whether_another_tenant_has_it() {
    let remote = tenants();
    for statement in [
        "SELECT * FROM {}",
        "DELETE FROM {}",
        "INSERT INTO {} VALUES (1)",
        "CREATE VIEW w AS SELECT * FROM {}",
        "SELECT 1 IN {}",
        "CREATE INDEX j ON {}(secret)",
    ] {
        let answers = ["vault", "xault"].map(|name| {
            let error = operation(
                &remote,
                "acme",
                &json!({"operation": "exec", "sql": statement.replace("{}", name)}),
            )
            .unwrap_err();
            assert_eq!(error.code(), "NO_SUCH_TABLE", "{statement}");
            error.to_json().to_string().replace("xault", "vault")
        });
        assert_eq!(answers[0], answers[1], "{statement}");
    }
    for (operation_name, field) in [("getColumns", "table"), ("describeTable", "table")] {
        let error = operation(
            &remote,
            "acme",
            &json!({"operation": operation_name, field: "vault"}),
        )
        .unwrap_err();
        assert_eq!(error.to_json()["suggestions"], json!([]));
    }
    assert_eq!(
        operation(&remote, "acme", &json!({"operation": "getTables"})).unwrap()["tables"],
        json!(["movies", "recent"])
    );
}

#[test]
fn the_hostile_corpus_does_nothing_to_another_tenant() {
    let remote = tenants();
    let before = zetas(&remote);
    for line in lines::corpus("hostile.jsonl")
        .iter()
        .filter(|line| !line.work)
    {
        attack(&remote, &line.text(), &line.params, &before);
        // The corpus names tables that acme does not have; here they are replaced by zeta's.
        let aimed = line
            .text()
            .replace("users", "vault")
            .replace("session_state", "vault");
        if aimed != line.text() {
            attack(&remote, &aimed, &line.params, &before);
        }
    }
}

#[test]
fn refusals_name_their_rule() {
    let remote = tenants();
    for (sql, rule) in [
        ("SELECT * FROM main.movies", "schema_name"),
        ("SELECT * FROM sqlite_schema", "internal_name"),
        ("SELECT * FROM session_state", "internal_name"),
        ("SELECT * FROM pragma_table_info('movies')", "pragma"),
        ("SELECT last_insert_rowid()", "function"),
        ("CREATE VIRTUAL TABLE f USING fts5(a)", "virtual_table"),
        ("DROP TABLE movies", "drop_in_strict_profile"),
        ("ALTER TABLE movies ADD COLUMN a", "alter_in_strict_profile"),
        (
            "CREATE TRIGGER t AFTER INSERT ON movies BEGIN SELECT 1; END",
            "trigger",
        ),
        ("SELECT * FROM movies('x')", "table_function"),
        (r#"SELECT * FROM "~61636d65~movies""#, "reserved_name"),
    ] {
        assert_eq!(reason(&remote, "acme", sql), rule, "{sql}");
    }
}

#[test]
fn a_broken_view_of_one_tenant_stops_nobody_else() {
    let remote = tenants();
    let session = with("CREATE TABLE movies(other); INSERT INTO movies VALUES (1)");
    copy(
        &remote,
        "zeta",
        &session,
        &json!({"table": "movies", "mode": "replace"}),
    )
    .unwrap();
    // zeta's view `recent` now reads a dropped column.
    assert_eq!(
        operation(&remote, "zeta", &json!({"operation": "getTables"})).unwrap()["tables"],
        json!(["movies", "vault", "recent"])
    );
    copy(
        &remote,
        "acme",
        &session,
        &json!({"table": "movies", "mode": "replace"}),
    )
    .unwrap();
    exec(&remote, "acme", "CREATE TABLE more(a)");
    exec(&remote, "acme", "CREATE INDEX i ON movies(other)");
    assert_eq!(
        rows(&remote, "acme", "SELECT other FROM movies"),
        json!([[1]])
    );
}

#[test]
fn tenants_whose_names_look_like_prefixes_stay_apart() {
    let remote = HostRemote::new();
    for tenant in ["a", "aa", "61", "6161", "a.b", "A"] {
        exec(&remote, tenant, "CREATE TABLE t(owner TEXT)");
        exec(
            &remote,
            tenant,
            &format!("INSERT INTO t VALUES ('{tenant}')"),
        );
    }
    for tenant in ["a", "aa", "61", "6161", "a.b", "A"] {
        assert_eq!(rows(&remote, tenant, "SELECT * FROM t"), json!([[tenant]]));
        assert_eq!(
            operation(&remote, tenant, &json!({"operation": "getTables"})).unwrap()["tables"],
            json!(["t"])
        );
    }
}
