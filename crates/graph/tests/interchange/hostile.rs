//! Broken and malicious files: each gives one error of 4xx, in time and memory that the size of the
//! file bounds.

use base::Kind;
use graph::interchange::Format::{self, Csv, Cytoscape, GraphMl, Json, NodeLink};
use graph::interchange::read;
use graph::limits::{MAX_ATTRIBUTES, MAX_DATA_DEPTH, MAX_IMPORT_BYTES, MAX_ITEMS, MAX_XML_DEPTH};

use crate::support::{check, fails, file, issues};

/// Returns the same node in each format that has nodes; `attribute` is a text attribute.
fn with_label(format: Format, label: &str) -> String {
    match format {
        Json => format!(r#"{{"nodes":[{{"id":"a","label":"{label}"}}]}}"#),
        NodeLink => format!(r#"{{"nodes":[{{"id":"a","label":"{label}"}}],"links":[]}}"#),
        Cytoscape => format!(r#"{{"elements":[{{"data":{{"id":"a","label":"{label}"}}}}]}}"#),
        GraphMl => format!(
            r#"<graphml><key id="l" attr.name="label"/><graph><node id="a"><data key="l">{label}</data></node></graph></graphml>"#
        ),
        Csv => format!("source,target,label\na,b,{label}\n"),
    }
}

#[test]
fn a_label_of_ten_megabytes_is_an_issue_of_its_item() {
    let label = "x".repeat(10_000_000);
    for format in Format::ALL {
        let error = fails(format, &with_label(format, &label));
        let list = if format == Csv { "edges" } else { "nodes" };
        let least = u8::from(format != Csv);
        assert_eq!(
            issues(&error),
            [format!(
                "{list}[0] INVALID_ARGUMENT label must have {least} to 4096 bytes"
            )],
            "{format:?}"
        );
        assert!(error.to_json().to_string().len() < 1_000);
    }
}

#[test]
fn a_text_beyond_the_limit_is_not_parsed() {
    let text = " ".repeat(MAX_IMPORT_BYTES + 1);
    for format in Format::ALL {
        assert_eq!(fails(format, &text).code(), "PAYLOAD_TOO_LARGE");
    }
}

#[test]
fn data_of_a_hundred_levels_is_read_and_of_one_more_is_an_issue() {
    // The object itself is the first level.
    let nested = |depth: usize| {
        format!(
            r#"{{"a":{}{}}}"#,
            "[".repeat(depth - 1),
            "]".repeat(depth - 1)
        )
    };
    for format in [Json, NodeLink, Cytoscape, GraphMl, Csv] {
        let text = |data: &str| match format {
            Json => format!(r#"{{"nodes":[{{"label":"a","data":{data}}}]}}"#),
            NodeLink => format!(r#"{{"nodes":[{{"id":"a","data":{data}}}]}}"#),
            Cytoscape => format!(r#"[{{"data":{{"id":"a","data":{data}}}}}]"#),
            GraphMl => format!(
                r#"<graphml><key id="d" attr.name="data"/><graph><node id="a"><data key="d">{}</data></node></graph></graphml>"#,
                data.replace('"', "&quot;")
            ),
            Csv => format!(
                "source,target,data\na,b,\"{}\"\n",
                data.replace('"', "\"\"")
            ),
        };
        assert!(
            read(format, &text(&nested(MAX_DATA_DEPTH))).is_ok(),
            "{format:?}"
        );
        let error = fails(format, &text(&nested(MAX_DATA_DEPTH + 1)));
        assert!(
            issues(&error)[0].ends_with("data nests deeper than 100 levels"),
            "{format:?}: {error}"
        );
        // Deep enough to overflow the stack of any recursive reader.
        let error = fails(format, &text(&nested(1_000_000)));
        assert!(error.kind() == Kind::Invalid, "{format:?}: {error}");
    }
}

#[test]
fn attributes_count_as_a_level_of_data() {
    let nested = |depth: usize| {
        format!(
            r#"{{"nodes":[{{"id":"a","b":{}{}}}]}}"#,
            "[".repeat(depth),
            "]".repeat(depth)
        )
    };
    assert!(read(NodeLink, &nested(MAX_DATA_DEPTH - 1)).is_ok());
    assert_eq!(
        fails(NodeLink, &nested(MAX_DATA_DEPTH)).code(),
        "INVALID_ARGUMENT"
    );
}

#[test]
fn entities_of_a_document_are_neither_expanded_nor_fetched() {
    let laughs: String = (1..20)
        .map(|number| {
            format!(
                "<!ENTITY l{number} \"{}\">",
                format!("&l{};", number - 1).repeat(10)
            )
        })
        .collect();
    for declarations in [
        format!("<!ENTITY l0 \"ha\">{laughs}"),
        "<!ENTITY l19 SYSTEM \"file:///etc/passwd\">".to_owned(),
        "<!ENTITY % remote SYSTEM \"http://127.0.0.1/x.dtd\"> %remote;".to_owned(),
    ] {
        let text = format!(
            "<!DOCTYPE graphml [{declarations}]>{}",
            with_label(GraphMl, "&l19;")
        );
        let error = fails(GraphMl, &text);
        assert_eq!(error.code(), "INVALID_BODY");
        assert!(
            error.to_string().contains("the DOCTYPE declares"),
            "{error}"
        );
    }
    let error = fails(
        GraphMl,
        &format!(
            "<!DOCTYPE graphml SYSTEM \"x.dtd\">{}",
            with_label(GraphMl, "&l19;")
        ),
    );
    assert!(
        error
            .to_string()
            .contains("the entity \"l19\" is not known"),
        "{error}"
    );
}

#[test]
fn every_beginning_of_a_file_is_an_error_or_a_graph_and_never_a_panic() {
    for (name, format) in [
        ("networkx-sample.graphml", GraphMl),
        ("yed.graphml", GraphMl),
        ("networkx-links.node-link.json", NodeLink),
        ("cytoscape-document.cyjs", Cytoscape),
        ("ours.json", Json),
    ] {
        let text = file(name);
        let text = text.trim_end();
        for (end, _) in text.char_indices() {
            let error = fails(format, text.get(..end).unwrap());
            assert_eq!(error.kind(), Kind::Invalid, "{name} {end}: {error}");
        }
        assert!(read(format, text).is_ok(), "{name}");
    }
}

#[test]
fn elements_nest_and_attributes_stand_only_so_often() {
    let deep = format!(
        "<graphml><key id=\"k\" yfiles.type=\"x\"/><graph><node id=\"a\"><data key=\"k\">{}",
        "<y>".repeat(1_000_000)
    );
    let error = fails(GraphMl, &deep);
    assert!(
        error
            .to_string()
            .contains(&format!("nest deeper than {MAX_XML_DEPTH}")),
        "{error}"
    );
    let attributes: String = (0..500_000)
        .map(|number| format!(" a{number}=\"\""))
        .collect();
    let error = fails(GraphMl, &format!("<graphml{attributes}>"));
    assert!(
        error.to_string().contains("more than 64 attributes"),
        "{error}"
    );
    let many: String = (0..=MAX_ATTRIBUTES)
        .map(|number| format!("\"a{number}\":0,"))
        .collect();
    let error = fails(NodeLink, &format!(r#"{{"nodes":[{{{many}"id":"a"}}]}}"#));
    assert!(
        error.to_string().contains("more than 1000 attributes"),
        "{error}"
    );
    let keys: String = (0..=MAX_ATTRIBUTES)
        .map(|number| format!("<key id=\"k{number}\"/>"))
        .collect();
    let error = fails(GraphMl, &format!("<graphml>{keys}<graph/></graphml>"));
    assert!(error.to_string().contains("more than 1000 keys"), "{error}");
    let columns = "x,".repeat(MAX_ATTRIBUTES);
    let error = fails(Csv, &format!("{columns}source,target\n"));
    assert!(
        error.to_string().contains("more than 1000 fields"),
        "{error}"
    );
}

#[test]
fn a_default_is_not_repeated_into_more_than_the_limit() {
    let default = "x".repeat(100_000);
    let text = format!(
        "<graphml><key id=\"k\" for=\"node\" attr.name=\"k\"><default>{default}</default></key><graph>{}</graph></graphml>",
        (0..1_000)
            .map(|number| format!("<node id=\"{number}\"/>"))
            .collect::<String>()
    );
    assert_eq!(fails(GraphMl, &text).code(), "TOO_BIG");
}

#[test]
fn more_items_than_the_limit_are_refused() {
    let count = MAX_ITEMS + 1;
    for (format, text) in [
        (Json, format!("{{\"nodes\":[{}0]}}", "0,".repeat(count))),
        (NodeLink, format!("{{\"nodes\":[{}0]}}", "0,".repeat(count))),
        (Cytoscape, format!("[{}0]", "0,".repeat(count))),
        (
            GraphMl,
            format!(
                "<graphml><graph>{}</graph></graphml>",
                "<node/>".repeat(count)
            ),
        ),
        (Csv, format!("source,target\n{}", "a,b\n".repeat(count))),
    ] {
        let error = fails(format, &text);
        assert_eq!(error.code(), "TOO_BIG", "{format:?}: {error}");
    }
}

#[test]
fn ids_that_stand_twice_are_issues() {
    let expected = r#"nodes[2] INVALID_ARGUMENT nodes[0] has the same id "a""#;
    for (format, text) in [
        (
            Json,
            r#"{"nodes":[{"id":"a","label":"x"},{"label":"y"},{"id":"a","label":"z"}]}"#,
        ),
        (NodeLink, r#"{"nodes":[{"id":"a"},{"id":"b"},{"id":"a"}]}"#),
        (
            Cytoscape,
            r#"[{"data":{"id":"a"}},{"data":{"id":"b"}},{"data":{"id":"a"}}]"#,
        ),
        (
            GraphMl,
            r#"<graphml><graph><node id="a"/><node id="b"/><node id="a"/></graph></graphml>"#,
        ),
    ] {
        assert_eq!(issues(&fails(format, text)), [expected], "{format:?}");
    }
    let error = fails(Csv, "source,target,id\na,b,e\nb,c,e\n");
    assert_eq!(
        issues(&error),
        [r#"edges[1] INVALID_ARGUMENT edges[0] has the same id "e""#]
    );
}

#[test]
fn numbers_that_json_does_not_have_are_named() {
    for (text, word) in [
        (r#"{"nodes":[{"id":"a","x":NaN}]}"#, "NaN"),
        (r#"{"nodes":[{"id":"a","x":Infinity}]}"#, "Infinity"),
        ("{\"nodes\":[\n{\"id\":\"a\",\"x\":-Infinity}]}", "Infinity"),
    ] {
        let error = fails(NodeLink, text);
        assert_eq!(error.code(), "INVALID_BODY");
        let hint = format!("JSON has no {word}: write null");
        assert_eq!(error.hint(), Some(hint), "{text}");
    }
    let error = fails(NodeLink, r#"{"nodes":[{"id":"a","x":1e400,"y":0}]}"#);
    assert!(
        issues(&error)[0].contains("x and y of a position"),
        "{error}"
    );
    let keys = r#"<key id="x" attr.name="x" attr.type="double"/><key id="y" attr.name="y" attr.type="double"/>"#;
    let text = format!(
        r#"<graphml>{keys}<graph><node id="a"><data key="x">NaN</data><data key="y">INF</data></node></graph></graphml>"#
    );
    check(
        GraphMl,
        &text,
        &[r#"a | a | other | {"x":"NaN","y":"INF"} | - | -"#],
    );
}

#[test]
fn all_faulty_items_are_listed_in_one_error() {
    let error = fails(
        NodeLink,
        r#"{"nodes":[{"id":[0,1]},{"id":"ok"},{"label":"x"},7,{"id":"a","id":"b"},{"id":""}],"links":[{"source":"a"},{"source":true,"target":"a"},{"source":"a\u0001","target":"a"}]}"#,
    );
    let found = issues(&error);
    let places: Vec<&str> = found
        .iter()
        .map(|issue| issue.split(' ').next().unwrap())
        .collect();
    assert_eq!(
        places,
        [
            "nodes[0]", "nodes[2]", "nodes[3]", "nodes[4]", "nodes[5]", "edges[0]", "edges[1]",
            "edges[2]"
        ]
    );
    assert_eq!(error.details()["issueCount"], 8);
    let many = "{\"label\":1},".repeat(1_000);
    let error = fails(Json, &format!("{{\"nodes\":[{many}0]}}"));
    assert_eq!(
        (issues(&error).len(), &error.details()["issueCount"]),
        (100, &1_001.into())
    );
}

#[test]
fn documents_of_wrong_types_are_errors_of_the_caller() {
    for (format, text) in [
        (Json, "[]"),
        (Json, "null"),
        (Json, "{}"),
        (Json, r#"{"nodes":{}}"#),
        (Json, r#"{"nodes":[],"edgs":[]}"#),
        (Json, r#"{"nodes":[],"nodes":[]}"#),
        (Json, r#"{"data":7}"#),
        (NodeLink, r#"{"links":[]}"#),
        (NodeLink, r#"{"nodes":[],"links":[],"edges":[]}"#),
        (NodeLink, r#"{"nodes":7}"#),
        (Cytoscape, r#"{"elements":7}"#),
        (Cytoscape, r#"{"elements":{"node":[]}}"#),
        (Cytoscape, r#"[{"group":"nodes"}]"#),
        (Cytoscape, r#"[{"data":{"id":"a"},"locked":"yes"}]"#),
        (Cytoscape, r#"[{"data":{"id":"a"},"position":[1,2]}]"#),
        (GraphMl, ""),
        (GraphMl, "<html/>"),
        (GraphMl, "<graphml/>"),
        (GraphMl, "<graphml><graph></graphml>"),
        (GraphMl, "<graphml><graph/></graphml><graphml/>"),
        (GraphMl, "<graphml><graph>text</graph></graphml>"),
        (GraphMl, "<graphml><graph><thing/></graph></graphml>"),
        (GraphMl, "<graphml><key/><graph/></graphml>"),
        (
            GraphMl,
            "<graphml><key id='a'/><key id='a'/><graph/></graphml>",
        ),
        (
            GraphMl,
            "<graphml><key id='a' attr.type='int'><default>x</default></key><graph/></graphml>",
        ),
        (
            GraphMl,
            "<graphml><graph><node id='&#0;'/></graph></graphml>",
        ),
        (
            GraphMl,
            "<graphml><graph><node id='&nbsp;'/></graph></graphml>",
        ),
        (Csv, "\n\n"),
    ] {
        let error = fails(format, text);
        assert_eq!(error.kind(), Kind::Invalid, "{text}: {error}");
    }
}
