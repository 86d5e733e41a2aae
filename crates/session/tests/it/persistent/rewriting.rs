//! The rewriting of a statement's text.

use sql_gate::{Parameters, Policy};
use sql_scope::tenant::{self, Tenant};

/// Returns the text that runs for the tenant a1, in hexadecimal 6131.
fn runs(text: &str) -> String {
    let tenant = Tenant::new("a1");
    let reviewed = tenant::review(text, &Policy::default(), &tenant)
        .unwrap_or_else(|error| panic!("{text}: {error:?}"));
    let bound = reviewed.bind(&Parameters::None).unwrap();
    tenant::verify(bound.sql(), &tenant)
        .unwrap_or_else(|error| panic!("{}: {error:?}", bound.sql()));
    bound.sql().to_owned()
}

const M: &str = r#""m" AS NOT MATERIALIZED (SELECT * FROM "~6131~m")"#;

#[test]
fn what_is_read_is_defined_in_front_of_the_query() {
    assert_eq!(runs("SELECT * FROM m"), format!("WITH {M} SELECT * FROM m"));
    assert_eq!(runs("SELECT 1"), "SELECT 1");
    assert_eq!(
        runs("VALUES ((SELECT count(*) FROM m))"),
        format!("WITH {M} VALUES ((SELECT count(*) FROM m))")
    );
    assert_eq!(
        runs("EXPLAIN QUERY PLAN SELECT * FROM m"),
        format!("EXPLAIN QUERY PLAN WITH {M} SELECT * FROM m")
    );
    assert_eq!(
        runs("SELECT * FROM m JOIN M USING (id)"),
        format!("WITH {M} SELECT * FROM m JOIN M USING (id)")
    );
    assert_eq!(
        runs("SELECT 1 IN m, 2 IN (SELECT id FROM m)"),
        format!("WITH {M} SELECT 1 IN m, 2 IN (SELECT id FROM m)")
    );
}

#[test]
fn definitions_go_into_a_with_clause_that_is_there() {
    assert_eq!(
        runs("WITH a AS (SELECT * FROM m) SELECT * FROM a"),
        format!("WITH {M}, a AS (SELECT * FROM m) SELECT * FROM a")
    );
    let recursive =
        "WITH RECURSIVE a(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM a, m LIMIT 5) SELECT * FROM a";
    assert_eq!(
        runs(recursive),
        recursive.replace("RECURSIVE ", &format!("RECURSIVE {M}, "))
    );
    assert_eq!(
        runs("WITH a AS (SELECT 1 AS id) INSERT INTO m SELECT * FROM a"),
        r#"WITH a AS (SELECT 1 AS id) INSERT INTO "~6131~m" AS "m" SELECT * FROM a"#
    );
}

#[test]
fn a_common_table_expression_of_the_callers_own_shadows_a_table() {
    let text = "WITH m AS (SELECT 1 AS id) SELECT * FROM m";
    assert_eq!(runs(text), text);
    let inner = "SELECT * FROM (WITH m AS (SELECT 1 AS id) SELECT * FROM m), m";
    assert_eq!(runs(inner), format!("WITH {M} {inner}"));
}

#[test]
fn names_that_are_written_are_replaced_where_they_stand() {
    for (text, expected) in [
        (
            "INSERT INTO m VALUES (1)",
            r#"INSERT INTO "~6131~m" AS "m" VALUES (1)"#,
        ),
        (
            "INSERT INTO m AS x VALUES (1)",
            r#"INSERT INTO "~6131~m" AS x VALUES (1)"#,
        ),
        (
            "REPLACE INTO [m](id) VALUES (1)",
            r#"REPLACE INTO "~6131~m" AS "m"(id) VALUES (1)"#,
        ),
        (
            "INSERT OR IGNORE INTO `m` DEFAULT VALUES",
            r#"INSERT OR IGNORE INTO "~6131~m" AS "m" DEFAULT VALUES"#,
        ),
        (
            "UPDATE OR REPLACE 'm' SET id = 1",
            r#"UPDATE OR REPLACE "~6131~m" AS "m" SET id = 1"#,
        ),
        (
            "DELETE FROM m WHERE m.id = 1",
            r#"DELETE FROM "~6131~m" AS "m" WHERE m.id = 1"#,
        ),
        (
            "CREATE TABLE IF NOT EXISTS m(id)",
            r#"CREATE TABLE IF NOT EXISTS "~6131~m"(id)"#,
        ),
        (
            "CREATE TABLE m(id REFERENCES m(id), FOREIGN KEY (id) REFERENCES \"m\")",
            r#"CREATE TABLE "~6131~m"(id REFERENCES "~6131~m"(id), FOREIGN KEY (id) REFERENCES "~6131~m")"#,
        ),
        (
            "CREATE UNIQUE INDEX IF NOT EXISTS i ON m(id)",
            r#"CREATE UNIQUE INDEX IF NOT EXISTS "~6131~i" ON "~6131~m"(id)"#,
        ),
        (
            "CREATE TABLE \"a\"\"b\"(id)",
            r#"CREATE TABLE "~6131~a""b"(id)"#,
        ),
    ] {
        assert_eq!(runs(text), expected);
    }
    assert_eq!(
        runs("CREATE VIEW v(a) AS SELECT id FROM m"),
        format!(r#"CREATE VIEW "~6131~v"(a) AS WITH {M} SELECT id FROM m"#)
    );
    assert_eq!(
        runs("CREATE TABLE t AS SELECT id AS \"as\" FROM m"),
        format!(r#"CREATE TABLE "~6131~t" AS WITH {M} SELECT id AS "as" FROM m"#)
    );
    assert_eq!(
        runs("UPDATE m SET id = (SELECT max(id) FROM m) RETURNING *"),
        format!(r#"WITH {M} UPDATE "~6131~m" AS "m" SET id = (SELECT max(id) FROM m) RETURNING *"#)
    );
}

#[test]
fn the_last_check_refuses_every_name_without_the_prefix() {
    let tenant = Tenant::new("a1");
    for text in [
        "SELECT * FROM m",
        r#"SELECT * FROM "~6132~m""#,
        r#"SELECT * FROM main."~6131~m""#,
        r#"WITH m AS (SELECT * FROM "~6131~m") SELECT * FROM m, n"#,
        r#"INSERT INTO m SELECT * FROM "~6131~m""#,
        r#"CREATE INDEX "~6131~i" ON m(a)"#,
        r#"CREATE TABLE "~6131~t"(a REFERENCES m)"#,
        r#"CREATE VIRTUAL TABLE "~6131~t" USING fts5(a)"#,
        r#"DROP TABLE "~6131~t""#,
        r#"ALTER TABLE "~6131~t" RENAME TO x"#,
        r#"SELECT * FROM pragma_table_info('~6131~m')"#,
        r#"SELECT 1; SELECT 2"#,
        "SELECT * FROM sqlite_schema",
    ] {
        assert!(tenant::verify(text, &tenant).is_err(), "{text}");
    }
    assert_eq!(
        tenant::verify(r#"SELECT * FROM "~6131~m", json_each('[1]')"#, &tenant),
        Ok(())
    );
}

#[test]
fn prefixes_of_different_tenants_never_begin_each_other() {
    let names = ["a", "aa", "a1", "A", "a~", "", "6131", "1"];
    for one in names {
        for other in names {
            if one != other {
                assert!(
                    !Tenant::new(one)
                        .physical("x")
                        .starts_with(Tenant::new(other).prefix()),
                    "{one} {other}"
                );
            }
        }
    }
}

#[test]
fn no_text_that_holds_a_prefix_is_read() {
    let tenant = Tenant::new("a1");
    let own = tenant.physical("m");
    for written in [
        format!("\"{own}\""),
        format!("[{own}]"),
        format!("`{own}`"),
        format!("'{own}'"),
        format!("/* {own} */ m"),
        "\"~6132^1\"".to_owned(),
        "\"~FF~X\"".to_owned(),
    ] {
        let text = format!("SELECT * FROM {written}");
        let refused = tenant::review(&text, &Policy::default(), &tenant);
        assert!(
            refused.is_err_and(|error| error.details()["reason"] == "reserved_name"),
            "{text}"
        );
    }
    // The bitwise complement is not a prefix.
    for text in [
        "SELECT ~1, ~2",
        "SELECT ~0xff",
        "SELECT 1 WHERE ~5 != -6",
        "SELECT '~a b~'",
        "SELECT ~~1",
    ] {
        runs(text);
    }
}
