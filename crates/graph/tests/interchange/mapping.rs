//! Rows of a query as nodes and edges.

use base::{Error, Result};
use graph::mapping::{MappedRows, Mapping};
use serde_json::value::RawValue;

use crate::support::{issues, lines};

const COLUMNS: &[&str] = &["drug", "disease", "phase", "year", "x", "y"];

fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).unwrap()
}

/// Returns a mapping `{"nodes", "edges"}`.
fn parse(mapping: &str) -> Result<Mapping> {
    let mapping: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(mapping).unwrap();
    let part = |name: &str| mapping.get(name).map(|part| raw(&part.to_string()));
    Mapping::parse(part("nodes").as_deref(), part("edges").as_deref())
}

fn import(mapping: &str, rows: &[&str]) -> Result<MappedRows> {
    let mut taken = parse(mapping)?.bind(COLUMNS)?;
    for row in rows {
        taken.row(row)?;
    }
    taken.finish()
}

#[track_caller]
fn check(mapping: &str, rows: &[&str], expected: &[&str], skipped: (usize, usize)) {
    let mapped = import(mapping, rows).unwrap();
    assert_eq!(lines(&mapped.drafts), expected);
    assert_eq!((mapped.skipped_nodes, mapped.skipped_edges), skipped);
    assert_eq!(mapped.rows, rows.len());
}

#[track_caller]
fn refused(error: Error, message: &str, hint: Option<&str>) {
    assert_eq!(
        (error.code(), error.to_string().as_str()),
        ("INVALID_ARGUMENT", message)
    );
    assert_eq!(error.hint().as_deref(), hint);
}

#[test]
fn a_joined_table_becomes_a_graph() {
    check(
        r#"{"nodes":[{"label":"drug","type":{"value":"drug"},"x":"x","y":"y"},
                     {"id":"disease","label":"disease","type":{"value":"disease"}}],
            "edges":{"source":"drug","target":"disease","label":{"value":"treats"},"type":"phase","data":["year"]}}"#,
        &[
            r#"["Metformin","T2D","III",2001,1.5,-2]"#,
            r#"["Metformin","Obesity",null,null,7,7]"#,
            r#"["Sorafenib","T2D","I",2010,null,null]"#,
        ],
        &[
            "Metformin | Metformin | drug | - | 1.5,-2 | -",
            "T2D | T2D | disease | - | - | -",
            "Obesity | Obesity | disease | - | - | -",
            "Sorafenib | Sorafenib | drug | - | - | -",
            r#"- | Metformin | T2D | treats | III | {"year":2001}"#,
            "- | Metformin | Obesity | treats |  | -",
            r#"- | Sorafenib | T2D | treats | I | {"year":2010}"#,
        ],
        (0, 0),
    );
}

#[test]
fn the_first_row_decides_and_later_ones_fill_in_data() {
    check(
        r#"{"nodes":{"id":"drug","label":"disease","type":"phase","data":{"y":"year","of":{"value":[1,"a"]},"x":"x"}}}"#,
        &[
            r#"["d1","First","a",null,null,0]"#,
            r#"["d1","Second","b",2001,null,0]"#,
            r#"["d1","Third","c",2002,9223372036854775807,0]"#,
        ],
        &[r#"d1 | First | a | {"of":[1,"a"],"y":2001,"x":9223372036854775807} | - | -"#],
        (0, 0),
    );
    check(
        r#"{"edges":{"source":"drug","target":"disease","data":["phase","year"]}}"#,
        &[
            r#"["a","b","I",null,0,0]"#,
            r#"["a","b","II",7,0,0]"#,
            r#"["b","a",null,null,0,0]"#,
        ],
        &[
            r#"- | a | b |  |  | {"phase":"I","year":7}"#,
            "- | b | a |  |  | -",
        ],
        (0, 0),
    );
}

#[test]
fn rows_without_label_id_or_end_are_counted() {
    check(
        r#"{"nodes":[{"label":"drug"},{"id":"year","label":"disease"}],"edges":{"source":"drug","target":"disease"}}"#,
        &[
            r#"[null,"b",null,null,0,0]"#,
            r#"["a",null,null,3,0,0]"#,
            r#"[" ","",null,3,0,0]"#,
        ],
        &["a | a | other | - | - | -"],
        (5, 3),
    );
}

#[test]
fn numbers_become_texts_and_other_values_stay_as_they_are() {
    check(
        r#"{"nodes":{"label":"drug","type":"disease","data":["phase","year"]},"edges":{"source":"drug","target":{"value":7},"label":"year"}}"#,
        &[r#"[9007199254740993,2.0,{"$blob":"AAH/"},-1,0,0]"#],
        &[
            r#"9007199254740993 | 9007199254740993 | 2.0 | {"phase":{"$blob":"AAH/"},"year":-1} | - | -"#,
            "- | 9007199254740993 | 7 | -1 |  | -",
        ],
        (0, 0),
    );
    let error = import(
        r#"{"nodes":{"label":"drug","x":"x","y":"y"},"edges":{"source":"drug","target":"disease"}}"#,
        &[
            r#"["a","b",null,null,0,0]"#,
            r#"[{"$blob":""},"b",null,null,0,0]"#,
            r#"["c",{"$real":"Infinity"},null,null,"7",0]"#,
            r#"["d","e\u0001",null,null,1e300,0]"#,
        ],
    )
    .unwrap_err();
    assert_eq!(
        issues(&error),
        [
            "nodes[1] INVALID_ARGUMENT label is neither a text nor a number",
            "edges[1] INVALID_ARGUMENT source is neither a text nor a number",
            "nodes[2] INVALID_ARGUMENT x and y must be numbers",
            "edges[2] INVALID_ARGUMENT target is neither a text nor a number",
            "nodes[3] INVALID_ARGUMENT x and y of a position must be numbers from -1000000000 to 1000000000",
            "edges[3] INVALID_ARGUMENT target must not contain control characters",
        ]
    );
}

#[test]
fn columns_that_the_result_does_not_have_are_named_with_the_nearest() {
    for mapping in [
        r#"{"nodes":{"label":"drugs"}}"#,
        r#"{"nodes":{"id":"drugs","label":"drug"}}"#,
        r#"{"nodes":{"label":"drug","data":["drugs"]}}"#,
        r#"{"edges":[{"source":"drug","target":"drugs"}]}"#,
        r#"{"edges":{"source":"drug","target":"drug","data":{"a":"drugs"}}}"#,
    ] {
        let error = import(mapping, &[]).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("the result has no column \"drugs\""),
            "{error}"
        );
        assert_eq!(
            error.hint().as_deref(),
            Some("did you mean `drug`?"),
            "{mapping}"
        );
    }
    let error = import(r#"{"nodes":{"label":"drug","type":"gene"}}"#, &[]).unwrap_err();
    refused(
        error,
        "type: the result has no column \"gene\"",
        Some(
            "the columns are drug, disease, phase, year, x, y; a constant is written {\"value\": …}",
        ),
    );
}

#[test]
fn what_is_no_mapping_is_refused_with_its_field() {
    for (mapping, message) in [
        ("{}", "the request maps no columns to nodes or edges"),
        (
            r#"{"nodes":[]}"#,
            "the request maps no columns to nodes or edges",
        ),
        (
            r#"{"nodes":{"id":"drug"}}"#,
            "the field nodes.label is missing",
        ),
        (
            r#"{"edges":[{"source":"a","target":"b"},{"source":"a"}]}"#,
            "the field edges[1].target is missing",
        ),
        (
            r#"{"nodes":{"label":"drug","lable":"x"}}"#,
            "there is no field \"lable\"",
        ),
        (
            r#"{"nodes":{"label":7}}"#,
            "nodes.label must be the name of a column, or a constant",
        ),
        (
            r#"{"nodes":{"label":{"valu":7}}}"#,
            "nodes.label must be the name of a column, or a constant",
        ),
        (
            r#"{"nodes":{"label":"drug","x":"x"}}"#,
            "nodes needs both x and y, or neither",
        ),
        (
            r#"{"nodes":{"label":"drug","data":"year"}}"#,
            "nodes.data must be a list of columns or an object",
        ),
        (
            r#"{"nodes":{"label":"drug","data":["year","year"]}}"#,
            "nodes.data names the column \"year\" twice",
        ),
        (
            r#"{"nodes":{"label":"drug","data":{"a":1}}}"#,
            "nodes.data.a must be the name of a column, or a constant",
        ),
    ] {
        let error = parse(mapping).unwrap_err();
        assert_eq!(
            (error.code(), error.to_string().as_str()),
            ("INVALID_ARGUMENT", message),
            "{mapping}"
        );
    }
    let many = vec![r#"{"label":"drug"}"#; 21].join(",");
    let error = parse(&format!(r#"{{"nodes":[{many}]}}"#)).unwrap_err();
    assert_eq!(error.code(), "TOO_BIG");
}

#[test]
fn constants_are_not_repeated_into_more_than_the_limit() {
    let constant = "x".repeat(900_000);
    let mapping =
        format!(r#"{{"nodes":{{"label":"drug","data":{{"a":{{"value":"{constant}"}}}}}}}}"#);
    let mut rows = parse(&mapping).unwrap().bind(COLUMNS).unwrap();
    let failed = (0..100).find_map(|number| rows.row(&format!("[{number},0,0,0,0,0]")).err());
    assert_eq!(failed.unwrap().code(), "TOO_BIG");
}

#[test]
fn data_beyond_its_limits_is_an_issue_of_the_row_that_made_the_item() {
    let long = "x".repeat(600_000);
    let error = import(
        r#"{"nodes":{"label":"drug","data":["disease","phase"]}}"#,
        &[
            r#"["a",1,1,0,0,0]"#,
            &format!(r#"["b","{long}",null,0,0,0]"#),
            &format!(r#"["b","y","{long}",0,0,0]"#),
        ],
    )
    .unwrap_err();
    assert!(
        issues(&error)[0].starts_with("nodes[1] INVALID_ARGUMENT data has"),
        "{error}"
    );
}

#[test]
fn rows_with_ids_of_edges_make_an_edge_for_each() {
    let mapping = r#"{"edges":{"id":"phase","source":"drug","target":"disease","data":["year"]}}"#;
    let rows = [
        r#"["a","b",1,2001,null,null]"#,
        r#"["a","b",2,2001,null,null]"#,
        r#"["a","b",1,null,null,null]"#,
        r#"["a","b",1,1999,null,null]"#,
        r#"["a","b",null,1998,null,null]"#,
    ];
    let mapped = import(mapping, &rows).unwrap();
    let ids: Vec<Option<&str>> = mapped
        .drafts
        .edges
        .iter()
        .map(|edge| edge.id.as_deref())
        .collect();
    assert_eq!(ids, [Some("1"), Some("2"), None]);
    assert_eq!(mapped.differing_rows, 0);
}

#[test]
fn rows_with_other_data_of_one_edge_are_counted() {
    let mapping = r#"{"edges":{"source":"drug","target":"disease","data":["phase","year"]}}"#;
    let rows = [
        r#"["a","b",1,null,null,null]"#,
        r#"["a","b",1,2001,null,null]"#,
        r#"["a","b",2,2001,null,null]"#,
        r#"["a","c",2,2001,null,null]"#,
    ];
    let mapped = import(mapping, &rows).unwrap();
    assert_eq!((mapped.drafts.edges.len(), mapped.differing_rows), (2, 1));
}
