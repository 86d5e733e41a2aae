//! The order of the decisions of `find_column`, and its invariants.

use base::limits::{MAX_COLUMNS, MAX_SUGGESTIONS};
use base::nearest;
use columns::{ColumnInfo, Found, Mappings, find_column};

use super::corpus::column;

fn find(columns: &[&str], wanted: &str, server: Option<&str>) -> Found {
    let columns: Vec<ColumnInfo> = columns.iter().map(|text| column(text)).collect();
    find_column(&columns, wanted, server, &Mappings::default())
}

#[track_caller]
fn check(columns: &[&str], wanted: &str, server: Option<&str>, expected: Option<&str>) {
    assert_eq!(
        find(columns, wanted, server).column.as_deref(),
        expected,
        "{wanted}"
    );
}

#[test]
fn each_way_of_matching_beats_the_next() {
    let ways = [
        "pub_date",
        "PUB_DATE",
        "pubDate",
        "pubDates",
        "year",
        "date_published",
    ];
    let mut columns: Vec<String> = ways.iter().map(|name| format!("{name} TEXT")).collect();
    let mut last = f64::INFINITY;
    for expected in ways {
        let table: Vec<&str> = columns.iter().map(String::as_str).collect();
        let found = find(&table, "pub_date", Some("entrez"));
        assert_eq!(found.column.as_deref(), Some(expected));
        assert!(
            found.score < last && found.score > 0.0,
            "{expected} scores {}",
            found.score
        );
        last = found.score;
        columns.remove(0);
    }
}

#[test]
fn a_mapping_to_a_column_that_the_table_lacks_is_passed_over() {
    check(
        &["title TEXT", "publication_date TEXT"],
        "pub_date",
        Some("entrez"),
        Some("publication_date"),
    );
    check(&["title TEXT"], "pub_date", Some("entrez"), None);
}

#[test]
fn a_type_that_cannot_hold_the_thing_rules_a_column_out() {
    check(&["rating REAL"], "score", None, Some("rating"));
    check(&["rating TEXT"], "score", None, None);
    check(
        &["citations INTEGER"],
        "citation_count",
        None,
        Some("citations"),
    );
    check(&["citations TEXT"], "citation_count", None, None);
    check(
        &["disease_name TEXT"],
        "disease",
        None,
        Some("disease_name"),
    );
    check(&["disease_name INTEGER"], "disease", None, None);
}

#[test]
fn a_tie_gives_no_column_and_names_both() {
    let found = find(
        &["start_date TEXT", "end_date TEXT", "title TEXT"],
        "date",
        None,
    );
    assert_eq!((found.column, found.score), (None, 0.0));
    let names: Vec<&str> = found
        .alternatives
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert!(
        names.contains(&"start_date") && names.contains(&"end_date"),
        "{names:?}"
    );
}

#[test]
fn a_hidden_column_answers_to_its_own_name_only() {
    let hidden = ColumnInfo {
        name: "pubdate".to_owned(),
        hidden: true,
        ..ColumnInfo::default()
    };
    let found = |wanted| {
        find_column(
            std::slice::from_ref(&hidden),
            wanted,
            None,
            &Mappings::default(),
        )
        .column
    };
    assert_eq!(found("PubDate").as_deref(), Some("pubdate"));
    assert_eq!(found("pub_date"), None);
}

/// Returns names that a hostile or confused caller may send, and combinations of their parts.
fn awkward_names() -> Vec<String> {
    let pieces = [
        "",
        " ",
        "_",
        "id",
        "date",
        "of",
        "total",
        "number",
        "is",
        "at",
        "min",
        "ÄÖ",
        "ß",
        "İ",
        "ﬁ",
        "日期",
        "🙂",
        "\u{0}",
        "\u{301}",
        "\u{202e}",
        "%",
        "1",
        "'",
        "s",
        "ies",
        "CamelCase",
    ];
    let mut names: Vec<String> = Vec::new();
    for left in pieces {
        for right in pieces {
            names.extend([
                format!("{left}{right}"),
                format!("{left}_{right}"),
                format!("{right} {left} {right}"),
            ]);
        }
    }
    names.extend(
        ["a", "_", "date ", "é", "🙂", "aB"].map(|piece| piece.repeat(100_000 / piece.len())),
    );
    names
}

#[test]
fn the_answer_is_always_a_column_of_the_table() {
    let names = awkward_names();
    for table in [&[][..], &names[..40], &names[names.len() - 40..]] {
        let columns: Vec<ColumnInfo> = table
            .iter()
            .map(|name| ColumnInfo {
                name: name.clone(),
                ..ColumnInfo::default()
            })
            .collect();
        let is_column = |name: &String| table.contains(name);
        for wanted in names.iter().step_by(3).chain(names.iter().rev().take(6)) {
            let found = find_column(&columns, wanted, Some("entrez"), &Mappings::default());
            assert!(
                found.column.as_ref().is_none_or(is_column)
                    && found.alternatives.iter().all(|(name, _)| is_column(name))
            );
            assert!(
                found.alternatives.len() <= MAX_SUGGESTIONS && (0.0..=1.0).contains(&found.score)
            );
            assert_eq!(found.column.is_some(), found.score > 0.0);
            let suggested = nearest(wanted, table.iter().map(String::as_str));
            assert!(suggested.len() <= MAX_SUGGESTIONS && suggested.iter().all(is_column));
        }
    }
}

#[test]
fn every_column_is_found_by_its_own_name_however_awkward() {
    let mut names = awkward_names();
    names.sort();
    names.dedup_by(|one, other| one.eq_ignore_ascii_case(other));
    for table in names.chunks(MAX_COLUMNS) {
        let columns: Vec<ColumnInfo> = table
            .iter()
            .map(|name| ColumnInfo {
                name: name.clone(),
                ..ColumnInfo::default()
            })
            .collect();
        for name in table.iter().step_by(7) {
            assert_eq!(
                find_column(&columns, name, None, &Mappings::default())
                    .column
                    .as_ref(),
                Some(name)
            );
        }
    }
}
