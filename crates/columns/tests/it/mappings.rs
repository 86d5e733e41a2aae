//! The embedded mappings, those of a deployment, and the page that documents both.

use base::CommonError;
use std::collections::BTreeSet;

use base::Error;
use columns::Mappings;

const PAGE: &str = include_str!("../../../../docs/extending-mappings.md");
const DATA: &str = include_str!("../../../../data/column_mappings.toml");

/// Returns the rows with three cells after a heading, without the header of the table.
fn rows(heading: &str) -> Vec<[&'static str; 3]> {
    let section = PAGE
        .split("\n## ")
        .find(|section| section.starts_with(heading))
        .expect("the section exists");
    let cells = |line: &'static str| {
        line.trim_matches('|')
            .split('|')
            .map(str::trim)
            .collect::<Vec<_>>()
    };
    let rows: Vec<_> = section
        .lines()
        .filter(|line| line.starts_with('|'))
        .skip(2)
        .map(cells)
        .collect();
    rows.into_iter()
        .map(|row| row.try_into().expect("three cells"))
        .collect()
}

#[test]
fn the_documented_mappings_are_the_embedded_ones() {
    let mut documented = BTreeSet::new();
    for [server, name, column] in rows("Mappings that are built in") {
        assert_eq!(
            Mappings::default().column(server, name),
            Some(column),
            "{server} {name}"
        );
        documented.insert(format!("{server} {name} {column}"));
    }
    let mut server = "";
    let mut embedded = BTreeSet::new();
    for line in DATA.lines().filter(|line| !line.starts_with('#')) {
        if let Some(name) = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            server = name;
        } else if let Some((name, column)) = line.split_once(" = ") {
            embedded.insert(format!("{server} {name} {}", column.trim_matches('"')));
        }
    }
    assert_eq!(documented, embedded);
    assert_eq!(
        Mappings::default().servers(),
        [
            "civic",
            "clinicaltrials",
            "entrez",
            "opentargets",
            "pharos",
            "rcsb"
        ]
    );
    assert_eq!(Mappings::default().column("pharos", "name"), None);
}

#[test]
fn the_example_of_the_page_does_what_the_page_says() {
    let line = PAGE
        .lines()
        .find(|line| line.starts_with("COLUMN_MAPPINGS = "))
        .expect("the example");
    let setting = line
        .trim_start_matches("COLUMN_MAPPINGS = ")
        .trim_matches('\'');
    let mappings = Mappings::parse(Some(setting)).expect("the example is valid");
    let promised = rows("Adding your own servers");
    assert!(promised.len() >= 6);
    for [server, name, column] in promised {
        assert_eq!(
            mappings.get_safe_column_name(server, name),
            column,
            "{server} {name}"
        );
    }
}

#[test]
fn a_name_without_a_mapping_is_returned_as_it_is() {
    let mappings = Mappings::default();
    for name in ["unknown", "", "ünïcode", "'; DROP TABLE x"] {
        for server in ["entrez", "nowhere", ""] {
            assert_eq!(mappings.get_safe_column_name(server, name), name);
        }
    }
}

#[test]
fn nothing_is_added_by_no_setting_or_a_blank_one() {
    for setting in [None, Some(""), Some(" \n"), Some("{}")] {
        assert_eq!(
            Mappings::parse(setting).expect("valid"),
            Mappings::default()
        );
    }
}

#[track_caller]
fn refused(setting: &str, part: &str) {
    match Mappings::parse(Some(setting)).map_err(Error::into_problem) {
        Err(Ok(CommonError::Misconfigured { message })) => {
            assert!(
                message.starts_with("COLUMN_MAPPINGS: ") && message.contains(part),
                "{message}"
            );
            assert!(message.len() < 600, "{} bytes", message.len());
        }
        other => panic!("{setting} gives {other:?}"),
    }
}

#[test]
fn a_setting_that_breaks_a_rule_is_refused_with_the_place() {
    refused("[]", "must be a JSON object");
    refused("{", "must be a JSON object");
    refused(r#"{"a":1}"#, "must be a JSON object");
    refused(r#"{"a":{"b":null}}"#, "must be a JSON object");
    refused(r#"{"a b":{}}"#, "server name \"a b\"");
    refused(r#"{"":{}}"#, "server name");
    refused(r#"{"a":{},"A":{}}"#, "duplicate server \"A\"");
    refused(
        r#"{"warehouse":{"order date":"x","orderDate":"y"}}"#,
        "server \"warehouse\": duplicate semantic name \"orderDate\", ignoring case and separators",
    );
    refused(r#"{"a":{"b":"x","b":"y"}}"#, "duplicate semantic name");
    refused(r#"{"a":{"--":"x"}}"#, "semantic name");
    refused(r#"{"a":{"b":""}}"#, "the column must have");
    refused(r#"{"a":{"b":" x"}}"#, "the column must have");
    refused(r#"{"a":{"b":"x\u0000"}}"#, "the column must have");
    refused(
        &format!(r#"{{"{}":{{}}}}"#, "a".repeat(100_000)),
        "server name",
    );
    let many: Vec<String> = (0..1001)
        .map(|number| format!("\"n{number}\":\"c\""))
        .collect();
    refused(
        &format!("{{\"a\":{{{}}}}}", many.join(",")),
        "more than 1000 entries",
    );
}
