//! The files that the build scripts refuse to embed.

#[path = "../../../../buildscript/mappings.rs"]
mod mapping_rules;
#[path = "../../../../buildscript/migrations.rs"]
mod migration_rules;

use std::collections::BTreeMap;

fn mappings(entries: &[(&str, &[(&str, &str)])]) -> Result<String, String> {
    let own = |pairs: &[(&str, &str)]| {
        pairs
            .iter()
            .map(|(from, to)| ((*from).to_owned(), (*to).to_owned()))
            .collect()
    };
    let servers: BTreeMap<String, BTreeMap<String, String>> = entries
        .iter()
        .map(|(server, pairs)| ((*server).to_owned(), own(pairs)))
        .collect();
    mapping_rules::render_mappings(&servers)
}

fn migrations(files: &[(&str, &str)]) -> Result<String, String> {
    migration_rules::render_migrations(
        files
            .iter()
            .map(|(name, sql)| ((*name).to_owned(), (*sql).to_owned()))
            .collect(),
    )
}

#[track_caller]
fn refused(outcome: Result<String, String>, part: &str) {
    let complaint = outcome.expect_err(part);
    assert!(complaint.contains(part), "{complaint}");
}

#[test]
fn well_formed_mappings_become_a_table() {
    let source = mappings(&[("pharos", &[]), ("rcsb", &[("pdb", "pdb_id")])]).expect("well formed");
    assert!(
        source.contains("(\"pharos\", &[\n    ]),") && source.contains("(\"pdb\", \"pdb_id\"),"),
        "{source}"
    );
}

#[test]
fn mappings_with_repeats_or_names_that_are_no_identifiers_are_refused() {
    refused(
        mappings(&[("a", &[("pub_date", "x"), ("pubDate", "y")])]),
        "twice",
    );
    refused(mappings(&[("a_b", &[]), ("AB", &[])]), "in two spellings");
    for bad in ["", "1a", "a b", "a\"b", "é"] {
        refused(mappings(&[(bad, &[])]), "server");
        refused(mappings(&[("a", &[(bad, "x")])]), "semantic name");
        refused(mappings(&[("a", &[("x", bad)])]), "column");
    }
}

#[test]
fn migrations_are_embedded_in_the_order_of_their_numbers() {
    let source = migrations(&[
        ("0002_more.sql", "SELECT 2"),
        ("0001_start.sql", "-- \"first\"\nSELECT 1;"),
    ])
    .expect("well formed");
    let first = source
        .find("(1, \"start\", \"-- \\\"first\\\"\\nSELECT 1;\")")
        .expect("the first migration");
    assert!(
        source
            .find("(2, \"more\", \"SELECT 2\")")
            .expect("the second migration")
            > first
    );
    assert!(migrations(&[]).is_ok());
}

#[test]
fn malformed_migrations_are_refused() {
    refused(migrations(&[("0002_a.sql", "SELECT 1")]), "0001 is missing");
    refused(
        migrations(&[("0001_a.sql", "SELECT 1"), ("0003_b.sql", "SELECT 1")]),
        "0002 is missing",
    );
    refused(
        migrations(&[("0001_a.sql", "SELECT 1"), ("0001_b.sql", "SELECT 1")]),
        "taken twice",
    );
    refused(migrations(&[("0000_a.sql", "SELECT 1")]), "taken twice");
    refused(
        migrations(&[("0001_a.sql", "-- nothing\n\n")]),
        "no SQL statement",
    );
    for name in [
        "1_a.sql",
        "0001.sql",
        "0001_.sql",
        "0001_A.sql",
        "0001_a.SQL",
        "0001_a.sql~",
        "README.md",
        "+001_a.sql",
    ] {
        refused(migrations(&[(name, "SELECT 1")]), "is not named like");
    }
}
