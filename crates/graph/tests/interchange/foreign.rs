//! Files written by NetworkX, igraph, Cytoscape.js, Cytoscape and yEd.

use graph::interchange::{Format, read, read_file};

use crate::support::{check, edge_line, file, lines, node_line};

#[test]
fn the_karate_club_of_networkx_is_the_same_in_three_formats() {
    for (name, format) in [
        ("networkx-karate.node-link.json", Format::NodeLink),
        ("networkx-karate.cyjs", Format::Cytoscape),
        ("networkx-karate.graphml", Format::GraphMl),
    ] {
        let drafts = read(format, &file(name)).unwrap();
        assert_eq!((drafts.nodes.len(), drafts.edges.len()), (34, 78), "{name}");
        let node = node_line(&drafts.nodes[33]);
        assert_eq!(
            node, r#"33 | 33 | other | {"club":"Officer"} | - | -"#,
            "{name}"
        );
        let edge = edge_line(&drafts.edges[77]);
        assert_eq!(edge, r#"- | 32 | 33 |  |  | {"weight":5}"#, "{name}");
    }
}

#[test]
fn attributes_of_networkx_become_labels_types_positions_and_typed_data() {
    let expected = [
        r#"NCBIGene:7157 | TP53 | gene | {"score":0.5,"hits":12,"essential":true} | - | -"#,
        "MONDO:0005148 | Type 2 Diabetes | disease | - | -100.5,100 | -",
        r#"naïve 😀 & <b> | naïve 😀 & <b> | other | {"category":"other"} | - | -"#,
        r#"- | NCBIGene:7157 | MONDO:0005148 | associated_with |  | {"weight":0.25}"#,
        r#"- | MONDO:0005148 | naïve 😀 & <b> |  |  | {"weight":3.0}"#,
    ];
    for (name, format) in [
        ("networkx-links.node-link.json", Format::NodeLink),
        ("networkx-sample.cyjs", Format::Cytoscape),
        ("networkx-sample.graphml", Format::GraphMl),
    ] {
        check(format, &file(name), &expected);
    }
}

#[test]
fn keys_of_parallel_edges_are_data_and_no_ids() {
    for (name, format, quote) in [
        ("networkx-multigraph.node-link.json", Format::NodeLink, ""),
        ("networkx-multigraph.graphml", Format::GraphMl, "\""),
    ] {
        let drafts = read(format, &file(name)).unwrap();
        let mut data: Vec<String> = drafts
            .edges
            .iter()
            .map(|edge| {
                assert_eq!(edge.id, None, "{name}");
                let fields: serde_json::Value =
                    serde_json::from_str(edge.data.as_ref().unwrap().text()).unwrap();
                format!(
                    "{} {} {} {}",
                    edge.source, edge.target, fields["key"], fields["weight"]
                )
            })
            .collect();
        data.sort();
        let expected = ["a b 0 1", "a b 1 2", "b c 0 3", "c c 0 4"].map(|line| {
            let parts: Vec<&str> = line.split(' ').collect();
            format!(
                "{} {} {quote}{}{quote} {}",
                parts[0], parts[1], parts[2], parts[3]
            )
        });
        assert_eq!(data, expected, "{name}");
    }
}

#[test]
fn graphml_of_igraph_has_names_as_labels() {
    let drafts = read(Format::GraphMl, &file("igraph-florentine.graphml")).unwrap();
    assert_eq!((drafts.nodes.len(), drafts.edges.len()), (15, 20));
    assert_eq!(
        node_line(&drafts.nodes[1]),
        "n1 | Medici | other | - | - | -"
    );
    let last = edge_line(&drafts.edges[19]);
    assert_eq!(last, r#"- | n12 | n14 |  |  | {"weight":4.75}"#);
}

#[test]
fn cytoscape_js_writes_a_document_or_a_list() {
    let expected = [
        r#"a | TP53 | gene | {"score":0.5,"classes":"hub seen"} | -1.25,2 | -"#,
        r#"b | Obesity | other | {"tags":["x",null]} | 3,4 | true"#,
        r#"ab | a | b | associated_with |  | {"weight":2}"#,
        "aa | a | a |  |  | -",
    ];
    for name in ["cytoscape-document.cyjs", "cytoscape-elements.cyjs"] {
        let drafts = read(Format::Cytoscape, &file(name)).unwrap();
        let found: Vec<String> = lines(&drafts)
            .iter()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .map(|line| line.replace(": ", ":"))
            .collect();
        let expected = expected.map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            words.join(" ")
        });
        let without_blanks = |line: &String| line.replace(' ', "");
        assert_eq!(
            found.iter().map(without_blanks).collect::<Vec<_>>(),
            expected.iter().map(without_blanks).collect::<Vec<_>>(),
            "{name}"
        );
    }
}

#[test]
fn cytoscape_names_nodes_and_the_interactions_of_edges() {
    check(
        Format::Cytoscape,
        &file("cytoscape-desktop.cyjs"),
        &[
            r#"62 | TP53 | other | {"shared_name":"TP53","SUID":62,"degree":1,"selected":false} | -140.5,10.25 | -"#,
            r#"64 | MDM2 | other | {"shared_name":"MDM2","SUID":64,"degree":1,"selected":false} | 30,-7 | -"#,
            r#"66 | 62 | 64 | pp |  | {"shared_name":"TP53 (pp) MDM2","shared_interaction":"pp","name":"TP53 (pp) MDM2","SUID":66,"selected":false}"#,
        ],
    );
}

#[test]
fn drawings_of_yed_give_labels_and_positions() {
    check(
        Format::GraphMl,
        &file("yed.graphml"),
        &[
            r#"n0 | TP53 | other | {"description":"guardian of the <genome>"} | 130,215 | -"#,
            "n1 | MDM2 | other | - | 15,15 | -",
            "e0 | n0 | n1 | inhibits |  | -",
        ],
    );
}

#[test]
fn groups_of_yed_become_nodes_that_their_members_name() {
    let text = file("yed-groups.graphml");
    check(
        Format::GraphMl,
        &text,
        &[
            r#"n0 | Nucleus | other | {"description":"holds the chromosomes"} | 150,100 | -"#,
            r#"n0::n0 | TP53 | other | {"parent":"n0"} | 50,50 | -"#,
            r#"n0::n1 | Telomere | other | {"parent":"n0"} | 105,115 | -"#,
            r#"n0::n1::n0 | n0::n1::n0 | other | {"parent":"n0::n1"} | - | -"#,
            "n1 | MDM2 | other | - | 415,15 | -",
            "n0::e0 | n0::n0 | n0::n1::n0 |  |  | -",
            "e0 | n1 | n0 |  |  | -",
        ],
    );
    assert_eq!(
        read_file(Format::GraphMl, &text).unwrap().notices,
        [
            "the nodes of 2 graphs within nodes have the id of the node around them, their group, in the field parent"
        ]
    );
}

#[test]
fn parallel_edges_of_networkx_and_their_defaults_are_read_from_every_format() {
    for (name, format) in [
        ("networkx-parallel.graphml", Format::GraphMl),
        ("networkx-parallel-xml.graphml", Format::GraphMl),
        ("networkx-parallel.cyjs", Format::Cytoscape),
        ("networkx-parallel.node-link.json", Format::NodeLink),
    ] {
        let drafts = read(format, &file(name)).unwrap();
        let mut found: Vec<String> = drafts
            .edges
            .iter()
            .map(|edge| {
                let data = edge.data.as_ref().unwrap().text();
                let data: serde_json::Value = serde_json::from_str(data).unwrap();
                let weight = match format {
                    // The other formats have no defaults.
                    Format::GraphMl => data["weight"].to_string(),
                    _ => data["weight"].as_i64().unwrap_or(7).to_string(),
                };
                let key = data["key"].to_string().replace('"', "");
                format!(
                    "{}{} {key} {weight} {}",
                    edge.source, edge.target, edge.label
                )
            })
            .collect();
        found.sort();
        assert_eq!(found, ["ab 0 7 ", "ab second 1 ", "bc 0 7 cites"], "{name}");
    }
}

#[test]
fn igraph_names_keys_of_nodes_and_edges_alike() {
    let expected = [
        r#"n0 | a | other | {"weight":1,"ok":true} | - | -"#,
        r#"n1 | b | other | {"ok":false} | - | -"#,
        r#"n2 | c | other | {"weight":"Inf","ok":true} | - | -"#,
        r#"- | n0 | n1 | x |  | {"weight":0.5}"#,
        r#"- | n0 | n1 | x |  | {"weight":0.5}"#,
        r#"- | n1 | n2 | y |  | {"weight":2}"#,
    ];
    for name in ["igraph-shared-ids.graphml", "igraph-parallel.graphml"] {
        check(Format::GraphMl, &file(name), &expected);
    }
}

#[test]
fn gephi_names_labels_of_edges_and_lists() {
    check(
        Format::GraphMl,
        &file("gephi.graphml"),
        &[
            r#"1 | TP53 | other | {"Modularity Class":2,"Years":"[1979, 1989]","size":10.0,"r":192} | -12.5,0.425 | -"#,
            r#"2 | 2 | other | {"size":10.0,"r":0} | 1,2 | -"#,
            r#"0 | 1 | 2 | inhibits |  | {"weight":2.0,"Class of the edge":"strong"}"#,
            r#"1 | 1 | 2 | inhibits |  | {"weight":2.0}"#,
        ],
    );
}

#[test]
fn graphml_of_cytoscape_names_the_interactions_of_edges() {
    let edge = r#"- | 62 | 64 | pp |  | {"shared name":"TP53 (pp) MDM2","name":"TP53 (pp) MDM2","selected":false}"#;
    check(
        Format::GraphMl,
        &file("cytoscape-desktop.graphml"),
        &[
            r#"62 | TP53 | other | {"shared name":"TP53","selected":false,"degree":2} | - | -"#,
            r#"64 | MDM2 | other | {"shared name":"MDM2","selected":true} | - | -"#,
            edge,
            edge,
        ],
    );
}

#[test]
fn drawings_of_yfiles_for_html_are_left_out_with_notices() {
    let content = read_file(Format::GraphMl, &file("yfiles-html.graphml")).unwrap();
    assert_eq!(
        lines(&content.drafts),
        [
            r#"n0 | n0 | other | {"zOrder":1,"gene":"TP53","Expanded":true} | - | -"#,
            r#"n1 | n1 | other | {"gene":"MDM2","Expanded":true} | - | -"#,
            "e0 | n0 | n1 |  |  | -",
        ]
    );
    assert_eq!(
        content.notices,
        [
            "the default of the attribute \"NodeStyle\" contains XML, which was left out",
            "the attribute \"NodeLabels\" of 1 node contains XML, which was left out",
            "4 ports were left out: edges lead to the nodes themselves",
            "the attribute \"NodeStyle\" of 1 node contains XML, which was left out",
            "the attribute \"EdgeStyle\" of 1 edge contains XML, which was left out",
        ]
    );
}
