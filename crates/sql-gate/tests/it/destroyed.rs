//! The tables and views that a statement would drop, in many spellings, compared with what the
//! engine really drops.

use sql_gate::{self, Policy, RelationKind, destroyed};

use test_support::corpus::lines::{SETUP, corpus};
use test_support::{operation, with};

fn names(text: &str) -> Vec<String> {
    destroyed(text)
        .into_iter()
        .map(|dropped| {
            let kind = match dropped.kind {
                RelationKind::Table => "table",
                RelationKind::View => "view",
            };
            format!("{kind} {}", dropped.name)
        })
        .collect()
}

#[test]
fn a_drop_is_found_however_it_is_written() {
    for text in [
        "DROP TABLE t",
        "drop table t",
        "dRoP\tTaBlE\n\rt",
        "DROP TABLE IF EXISTS t",
        "drop table if exists t;",
        ";;DROP TABLE t;;",
        "DROP TABLE main.t",
        "DROP TABLE \"main\".\"t\"",
        "DROP TABLE IF EXISTS MAIN.t",
        "DROP TABLE \"t\"",
        "DROP TABLE [t]",
        "DROP TABLE `t`",
        "DROP TABLE 't'",
        "/* a comment */ DROP /**/ TABLE -- t2\n t -- t3",
        "-- drop view v\nDROP TABLE t",
        "DROP/**/TABLE/**/t",
        "\u{feff}DROP TABLE t",
        "```sql\nDROP TABLE t\n```",
        "```\nDROP TABLE t;\n```",
        "This drops the table:\n```sqlite\nDROP TABLE t\n```\nDone.",
        "  \n DROP TABLE t \n ",
    ] {
        let found = names(text);
        assert_eq!(found, ["table t"], "{text}");
        assert!(sql_gate::review(text, &Policy::default()).is_ok(), "{text}");
    }
}

#[test]
fn names_come_as_the_engine_takes_them() {
    for (text, found) in [
        ("DROP VIEW v", "view v"),
        ("DROP VIEW IF EXISTS main.[a view]", "view a view"),
        ("DROP TABLE \"a \"\"b\"\" c\"", "table a \"b\" c"),
        ("DROP TABLE `a``b`", "table a`b"),
        ("DROP TABLE 'it''s'", "table it's"),
        ("DROP TABLE [drop]", "table drop"),
        ("DROP TABLE \"a;b\"", "table a;b"),
        ("DROP TABLE \"--x\"", "table --x"),
        ("DROP TABLE \"/*x*/\"", "table /*x*/"),
        ("DROP TABLE größe", "table größe"),
        ("DROP TABLE Papers", "table Papers"),
        ("DROP TABLE \"if\"", "table if"),
    ] {
        assert_eq!(names(text), [found], "{text}");
    }
}

#[test]
fn what_drops_no_table_has_none() {
    for text in [
        "",
        "SELECT 1",
        "SELECT 'DROP TABLE t'",
        "SELECT \"drop\" FROM t",
        "INSERT INTO t VALUES ('drop table t')",
        "CREATE TABLE drops (dropped TEXT)",
        "-- DROP TABLE t\nSELECT 1",
        "DELETE FROM t",
        "ALTER TABLE t DROP COLUMN a",
        "DROP INDEX i",
        "EXPLAIN QUERY PLAN DROP TABLE t",
        "UPDATE t SET a = 'drop'",
    ] {
        assert_eq!(names(text), Vec::<String>::new(), "{text}");
    }
}

/// The gate rejects these texts, so nothing in them runs.
#[test]
fn text_that_the_gate_rejects_drops_nothing() {
    for text in [
        "DROP",
        "DROP TABLE",
        "DROP TABLE a, b",
        "DROP TABLE t; DROP TABLE u",
        "SELECT 1; DROP TABLE t",
        "DROP TABLE temp.t",
        "DROP TABLE other.t",
        "DROP TABLE session_state",
        "DROP TABLE _codemode_meta",
        "DROP TABLE sqlite_sequence",
        "DROP TRIGGER r",
        "EXPLAIN DROP TABLE t",
        "please drop table t",
        "```sql\nDROP TABLE t\n```\n```sql\nDROP TABLE u\n```",
        "ＤＲＯＰ TABLE t",
        "DROP TABLE t WHERE 1",
        "DROP TABLE t /* unclosed",
        "BEGIN; DROP TABLE t; COMMIT",
    ] {
        assert!(
            sql_gate::review(text, &Policy::default()).is_err(),
            "{text}"
        );
        assert_eq!(names(text), Vec::<String>::new(), "{text}");
    }
    let long = format!("DROP TABLE t -- {}", "x".repeat(100_000));
    assert_eq!(names(&long), Vec::<String>::new());
}

/// The tables and views that the engine has dropped are exactly those that were announced.
#[test]
fn statements_of_the_corpus_drop_what_is_announced() {
    const RELATIONS: &str = "SELECT type || ' ' || name FROM sqlite_schema WHERE type IN ('table', 'view') \
        AND tbl_name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow') ORDER BY 1";
    let mut dropped = 0;
    for line in corpus("allowed.jsonl") {
        let text = line.text();
        if !text.to_ascii_lowercase().contains("drop") {
            assert!(destroyed(&text).is_empty());
            continue;
        }
        let db = with(SETUP);
        line.setup.iter().for_each(|statement| db.script(statement));
        let before = db.dump_rows(RELATIONS);
        let request = serde_json::json!({"operation": "exec", "sql": text});
        operation(&db, &request.to_string()).unwrap_or_else(|error| panic!("{error}: {text}"));
        let after = db.dump_rows(RELATIONS);
        let gone: Vec<String> = before
            .into_iter()
            .filter(|name| !after.contains(name))
            .collect();
        // IF EXISTS announces tables that may not exist.
        let announced: Vec<String> = names(&text)
            .iter()
            .map(|name| format!("'{name}'"))
            .collect();
        assert!(
            gone.iter().all(|name| announced.contains(name)),
            "{text}: {gone:?}"
        );
        assert!(
            announced.iter().all(|name| !after.contains(name)),
            "{text}: {after:?}"
        );
        dropped += gone.len();
    }
    assert!(dropped >= 3, "{dropped}");
}
