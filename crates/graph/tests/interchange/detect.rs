//! Detection of the format of a text.

use graph::interchange::{Format, detect};

use crate::support::file;

#[test]
fn a_media_type_decides_where_it_says_enough() {
    for (media_type, text, format) in [
        ("application/graphml+xml", "x", Format::GraphMl),
        ("text/xml; charset=utf-8", "x", Format::GraphMl),
        ("text/csv", "{", Format::Csv),
        ("text/tab-separated-values", "source\ttarget", Format::Csv),
        ("application/json", r#"{"nodes":[]}"#, Format::Json),
        ("Application/JSON", r#"{"elements":[]}"#, Format::Cytoscape),
        ("text/plain", "<graphml/>", Format::GraphMl),
        ("application/x-www-form-urlencoded", "a,b", Format::Csv),
    ] {
        assert_eq!(
            detect(Some(media_type), text).unwrap(),
            format,
            "{media_type}"
        );
    }
    let error = detect(Some("application/pdf"), "x").unwrap_err();
    assert_eq!(error.code(), "UNSUPPORTED_MEDIA_TYPE");
    assert!(error.hint().unwrap().contains("graphml"), "{error:?}");
}

#[test]
fn without_a_media_type_the_text_decides() {
    for (text, format) in [
        ("\u{feff}\n <graphml/>", Format::GraphMl),
        ("source,target\n", Format::Csv),
        (r#"{"nodes":[],"edges":[]}"#, Format::Json),
        (r#"{"success":true,"data":{"nodes":[]}}"#, Format::Json),
        (
            r#"{"nodes":[{"id":"a","label":"a","data":{}}]}"#,
            Format::Json,
        ),
        (r#"{"nodes":[{"label":"a","data":{}}]}"#, Format::Json),
        (
            r#"{"nodes":[{"data":{"id":"a"}}],"edges":[]}"#,
            Format::Cytoscape,
        ),
        (r#"[{"data":{"id":"a"}}]"#, Format::Cytoscape),
        (r#"{"nodes":[],"links":[]}"#, Format::NodeLink),
        (
            r#"{"directed":true,"nodes":[],"edges":[]}"#,
            Format::NodeLink,
        ),
        ("{ broken", Format::Json),
    ] {
        assert_eq!(detect(None, text).unwrap(), format, "{text}");
    }
    assert_eq!(detect(None, " \n").unwrap_err().code(), "INVALID_BODY");
}

#[test]
fn every_committed_file_is_recognised() {
    for (name, format) in [
        ("networkx-karate.node-link.json", Format::NodeLink),
        ("networkx-links.node-link.json", Format::NodeLink),
        ("networkx-karate.cyjs", Format::Cytoscape),
        ("networkx-karate.graphml", Format::GraphMl),
        ("igraph-florentine.graphml", Format::GraphMl),
        ("yed.graphml", Format::GraphMl),
        ("cytoscape-document.cyjs", Format::Cytoscape),
        ("cytoscape-elements.cyjs", Format::Cytoscape),
        ("cytoscape-desktop.cyjs", Format::Cytoscape),
        ("ours.json", Format::Json),
        ("ours.node-link.json", Format::NodeLink),
        ("ours.cyjs", Format::Cytoscape),
        ("ours.graphml", Format::GraphMl),
        ("ours.csv", Format::Csv),
    ] {
        assert_eq!(detect(None, &file(name)).unwrap(), format, "{name}");
    }
}

#[test]
fn a_format_is_named_and_a_misspelt_name_gets_the_nearest() {
    for format in Format::ALL {
        assert_eq!(Format::from_name(format.name()).unwrap(), format);
    }
    assert_eq!(Format::from_name("GraphML").unwrap(), Format::GraphMl);
    let error = Format::from_name("nodelink").unwrap_err();
    assert_eq!(error.code(), "INVALID_ARGUMENT");
    assert_eq!(error.hint().as_deref(), Some("did you mean `node-link`?"));
    let error = Format::from_name("xlsx").unwrap_err();
    assert!(
        error
            .hint()
            .unwrap()
            .ends_with("json, node-link, cytoscape, graphml, csv")
    );
}
