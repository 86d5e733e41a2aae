//! The mapping of each format's content to nodes and edges.

use graph::interchange::Format::{Csv, Cytoscape, GraphMl, Json, NodeLink};

use graph::interchange::read_file;
use graph::limits::MAX_IMPORT_NOTICES;

use crate::support::{check, fails, issues};

fn graphml(keys: &str, graph: &str) -> String {
    format!("<graphml>{keys}<graph edgedefault=\"directed\">{graph}</graph></graphml>")
}

#[test]
fn json_is_read_bare_and_as_the_response_of_a_route() {
    let graph = r#"{"nodes":[{"id":"a","label":"A","type":"gene","data":{"n":9223372036854775807},"position":{"x":1,"y":2.5},"pinned":true,"createdAt":"2026-01-01T00:00:00Z"}],"edges":[{"source":"a","target":"a"}],"metadata":{"version":3}}"#;
    let expected = [
        r#"a | A | gene | {"n":9223372036854775807} | 1,2.5 | true"#,
        "- | a | a |  |  | -",
    ];
    check(Json, graph, &expected);
    check(
        Json,
        &format!(r#"{{"success":true,"data":{graph},"nextCursor":null}}"#),
        &expected,
    );
    check(Json, &format!("\u{feff}{graph}"), &expected);
    check(Json, r#"{"nodes":[]}"#, &[]);
}

#[test]
fn a_page_of_a_graph_is_not_taken_for_the_whole() {
    let error = fails(
        Json,
        r#"{"success":true,"data":{"nodes":[]},"nextCursor":"abc"}"#,
    );
    assert_eq!(error.code(), "INVALID_ARGUMENT");
    assert!(error.to_string().contains("one page"), "{error}");
}

#[test]
fn numbers_as_ids_become_texts() {
    check(
        NodeLink,
        r#"{"nodes":[{"id":1},{"id":1.5},{"id":-2,"name":7}],"links":[{"source":1,"target":-2,"key":0}]}"#,
        &[
            "1 | 1 | other | - | - | -",
            "1.5 | 1.5 | other | - | - | -",
            "-2 | 7 | other | - | - | -",
            r#"- | 1 | -2 |  |  | {"key":0}"#,
        ],
    );
}

#[test]
fn nodes_without_ids_are_named_by_their_index_as_d3_did() {
    check(
        NodeLink,
        r#"{"nodes":[{"name":"Myriel","group":1},{"name":"Napoleon","group":1}],"links":[{"source":1,"target":0,"value":1}]}"#,
        &[
            r#"0 | Myriel | other | {"group":1} | - | -"#,
            r#"1 | Napoleon | other | {"group":1} | - | -"#,
            r#"- | 1 | 0 |  |  | {"value":1}"#,
        ],
    );
}

#[test]
fn attributes_that_are_no_words_stay_in_data() {
    check(
        NodeLink,
        r#"{"nodes":[{"id":"a","label":["x"],"name":" ","type":true,"x":"1","y":2,"pinned":"no","position":{"x":1}}],"links":[]}"#,
        &[
            r#"a | a | other | {"label":["x"],"name":" ","type":true,"x":"1","y":2,"pinned":"no","position":{"x":1}} | - | -"#,
        ],
    );
}

#[test]
fn an_object_data_gives_its_fields_beside_the_other_attributes() {
    let node = |attributes: &str| format!(r#"{{"nodes":[{{"id":"a",{attributes}}}],"links":[]}}"#);
    check(
        NodeLink,
        &node(r#""data":{ "b" : [1, 2] }"#),
        &[r#"a | a | other | { "b" : [1, 2] } | - | -"#],
    );
    check(
        NodeLink,
        &node(r#""data":{"b":1},"c":2"#),
        &[r#"a | a | other | {"c":2,"b":1} | - | -"#],
    );
    check(
        NodeLink,
        &node(r#""data":{},"c":2"#),
        &[r#"a | a | other | {"c":2} | - | -"#],
    );
    check(
        NodeLink,
        &node(r#""data":{}"#),
        &["a | a | other | {} | - | -"],
    );
    check(
        NodeLink,
        &node(r#""data":7"#),
        &[r#"a | a | other | {"data":7} | - | -"#],
    );
    let error = fails(NodeLink, &node(r#""data":{"c":1},"c":2"#));
    assert_eq!(
        issues(&error),
        [r#"nodes[0] INVALID_ARGUMENT "c" is an attribute and also a field of data"#]
    );
}

#[test]
fn types_of_nodes_come_from_type_or_category() {
    check(
        NodeLink,
        r#"{"nodes":[{"id":"a","type":"gene","category":"x"},{"id":"b","category":"drug"},{"id":"c"}],"links":[]}"#,
        &[
            r#"a | a | gene | {"category":"x"} | - | -"#,
            r#"b | b | drug | {"category":"drug"} | - | -"#,
            "c | c | other | - | - | -",
        ],
    );
}

#[test]
fn cytoscape_elements_need_no_group_and_no_ids_of_edges() {
    check(
        Cytoscape,
        r#"{"elements":[{"data":{"id":"a"}},{"data":{"source":"a","target":"b"}},{"group":"nodes","data":{"id":"b","source":"x"}}]}"#,
        &[
            "a | a | other | - | - | -",
            r#"b | b | other | {"source":"x"} | - | -"#,
            "- | a | b |  |  | -",
        ],
    );
}

#[test]
fn values_of_graphml_have_the_types_of_their_keys() {
    let keys = concat!(
        r#"<key id="b" for="node" attr.name="b" attr.type="boolean"/>"#,
        r#"<key id="i" for="node" attr.name="i" attr.type="int"/>"#,
        r#"<key id="d" for="node" attr.name="d" attr.type="double"/>"#,
        r#"<key id="s" for="node" attr.name="s" attr.type="string"/>"#,
        r#"<key id="u" for="node"/>"#,
    );
    let node = |data: &str| graphml(keys, &format!("<node id=\"a\">{data}</node>"));
    let data = |data: &str, json: &str| {
        check(
            GraphMl,
            &node(data),
            &[&format!("a | a | other | {json} | - | -")],
        )
    };
    data(
        r#"<data key="b">True</data><data key="i"> +007 </data>"#,
        r#"{"b":true,"i":7}"#,
    );
    data(
        r#"<data key="b">0</data><data key="i">-0</data>"#,
        r#"{"b":false,"i":0}"#,
    );
    data(
        r#"<data key="i">9223372036854775807</data>"#,
        r#"{"i":9223372036854775807}"#,
    );
    data(r#"<data key="d">1E5</data>"#, r#"{"d":1E5}"#);
    data(r#"<data key="d">.5</data>"#, r#"{"d":0.5}"#);
    data(r#"<data key="d">NaN</data>"#, r#"{"d":"NaN"}"#);
    data(r#"<data key="d">-INF</data>"#, r#"{"d":"-INF"}"#);
    data(r#"<data key="d"/><data key="s"/>"#, r#"{"s":""}"#);
    data(
        r#"<data key="s"> 1 &lt;&#x41;<![CDATA[<b>]]></data>"#,
        r#"{"s":" 1 <A<b>"}"#,
    );
    data(
        r#"<data key="u">7</data><desc>why</desc>"#,
        r#"{"u":"7","desc":"why"}"#,
    );
    for (bad, message) in [
        (
            r#"<data key="b">maybe</data>"#,
            r#"the attribute "b": "maybe" is not true or false"#,
        ),
        (
            r#"<data key="i">1.5</data>"#,
            r#"the attribute "i": "1.5" is not a whole number"#,
        ),
        (
            r#"<data key="d">x</data>"#,
            r#"the attribute "d": "x" is not a number"#,
        ),
        (
            r#"<data key="z">x</data>"#,
            r#"its data refers to the key "z", which is not declared"#,
        ),
        (
            r#"<data key="s">x</data><data key="s">y</data>"#,
            r#"duplicate attribute "s""#,
        ),
    ] {
        let error = fails(GraphMl, &node(bad));
        assert_eq!(
            issues(&error),
            [format!("nodes[0] INVALID_ARGUMENT {message}")]
        );
    }
}

#[test]
fn defaults_of_graphml_are_for_whoever_says_nothing() {
    let keys = concat!(
        r#"<key id="k" for="node" attr.name="type"><default>gene</default></key>"#,
        r#"<key id="w" for="edge" attr.name="weight" attr.type="double"><default>1.0</default></key>"#,
    );
    check(
        GraphMl,
        &graphml(
            keys,
            r#"<node id="a"/><node id="b"><data key="k">drug</data></node><edge source="a" target="b"/><edge source="b" target="a"><data key="w">2</data></edge>"#,
        ),
        &[
            "a | a | gene | - | - | -",
            "b | b | drug | - | - | -",
            r#"- | a | b |  |  | {"weight":1.0}"#,
            r#"- | b | a |  |  | {"weight":2}"#,
        ],
    );
}

#[test]
fn prefixes_of_graphml_are_read_over() {
    check(
        GraphMl,
        "<?xml version=\"1.0\"?><!DOCTYPE graphml SYSTEM \"graphml.dtd\"><g:graphml xmlns:g=\"http://graphml.graphdrawing.org/xmlns\"><g:graph><g:node id=\"a\"/><!-- x --></g:graph></g:graphml>\n",
        &["a | a | other | - | - | -"],
    );
}

#[test]
fn what_graphml_has_beyond_nodes_and_edges_is_an_issue() {
    let error = fails(
        GraphMl,
        &graphml(
            "",
            r#"<node id="a"/><node id="b"/><hyperedge><endpoint node="a"/></hyperedge><edge source="b" target="b"><locator/></edge><edge source="a" target="b"><graph/></edge>"#,
        ),
    );
    assert_eq!(
        issues(&error),
        [
            "edges[0] INVALID_ARGUMENT a hyperedge connects more than two nodes",
            "edges[1] INVALID_ARGUMENT it refers to another file, which is not read",
            "edges[2] INVALID_ARGUMENT an edge contains a graph",
        ]
    );
    let two = "<graphml><graph/><graph/></graphml>";
    assert!(fails(GraphMl, two).to_string().contains("several graphs"));
}

#[test]
fn graphs_within_nodes_keep_the_order_of_the_file_and_their_own_attributes() {
    let keys = r#"<key id="p" for="node" attr.name="parent" attr.type="string"/>"#;
    let text = graphml(
        keys,
        r#"<node id="a"><graph><node id="b"><data key="p">Ann</data><graph><node id="c"/></graph></node></graph><graph><node id="d"/></graph></node><edge source="c" target="a"/>"#,
    );
    check(
        GraphMl,
        &text,
        &[
            "a | a | other | - | - | -",
            r#"b | b | other | {"parent":"Ann"} | - | -"#,
            r#"c | c | other | {"parent":"b"} | - | -"#,
            r#"d | d | other | {"parent":"a"} | - | -"#,
            "- | c | a |  |  | -",
        ],
    );
    assert_eq!(
        notices(&text),
        [
            "the nodes of 3 graphs within nodes have the id of the node around them, their group, in the field parent",
            "1 node of a group kept the attribute parent from the file, so the id of the group was left out",
        ]
    );
    let faulty = r#"<node id="a"><graph><node id="b"/><node/></graph></node><node id="b"/>"#;
    assert_eq!(
        issues(&fails(GraphMl, &graphml("", faulty))),
        [
            "nodes[2] INVALID_ARGUMENT the node has no id",
            "nodes[3] INVALID_ARGUMENT nodes[1] has the same id \"b\"",
        ]
    );
    let deep = format!(
        "{}{}",
        "<node id='x'><graph>".repeat(40),
        "</graph></node>".repeat(40)
    );
    let error = fails(GraphMl, &graphml("", &deep));
    assert!(error.to_string().contains("deeper than 64"), "{error}");
}

/// Returns the notices about the parts of a file that are not imported.
#[track_caller]
fn notices(text: &str) -> Vec<String> {
    read_file(GraphMl, text).unwrap().notices
}

#[test]
fn what_a_graph_can_do_without_is_a_notice() {
    let keys = concat!(
        r#"<key id="k" for="node" attr.name="style"/><key id="k" for="port" yfiles.type="x"/><key id="n" for="edge" attr.name="note" attr.type="string"/>"#,
        r#"<key id="d" for="all" attr.name="both"><default><b/></default></key>"#,
    );
    let text = graphml(
        keys,
        r#"<node id="a" weight="3">stray<data key="k"><x:List><x:Static/>t</x:List> more </data><port name="p"><data key="k">1</data><port name="q"/></port></node>
           <node id="b" weight="4" yfiles.foldertype="group" xml:space="preserve"><data key="k"><y/></data><data key="n">text</data></node>
           <edge source="a" target="b" sourceport="p" targetport="q" speed="1"><desc><i>x</i></desc></edge> again"#,
    );
    check(
        GraphMl,
        &text,
        &[
            "a | a | other | - | - | -",
            r#"b | b | other | {"note":"text"} | - | -"#,
            "- | a | b |  |  | -",
        ],
    );
    assert_eq!(
        notices(&text),
        [
            "the default of the attribute \"both\" contains XML, which was left out",
            "the attribute \"style\" of 2 nodes contains XML, which was left out",
            "3 ports were left out: edges lead to the nodes themselves",
            "the XML attribute \"weight\" of 2 nodes was left out: declare a key and write it as data to keep it",
            "the key \"n\" is not declared for nodes, but its value at 1 node was kept",
            "the attribute \"desc\" of 1 edge contains XML, which was left out",
            "the XML attribute \"speed\" of 1 edge was left out: declare a key and write it as data to keep it",
            "2 texts between elements were left out, the first of them \"stray\" in line 1",
        ]
    );
    assert_eq!(notices(&graphml("", r#"<node id="a"/>"#)), [""; 0]);
    let stray = graphml("", "<node id=\"a\"/>\n x ");
    assert_eq!(
        notices(&stray),
        ["the text \"x\" between elements, in line 2, was left out"]
    );
}

#[test]
fn as_many_kinds_of_notices_as_a_file_has_are_bounded() {
    let nodes: Vec<String> = (0..5_000)
        .map(|at| format!(r#"<node id="{at}" a{at}="1"/>"#))
        .collect();
    let found = notices(&graphml("", &nodes.concat()));
    assert_eq!(found.len(), MAX_IMPORT_NOTICES + 1);
    assert_eq!(
        found[MAX_IMPORT_NOTICES],
        "4950 other things of the file could not be kept either"
    );
}

#[test]
fn one_id_is_a_key_of_nodes_another_of_edges_and_one_of_all() {
    let keys = concat!(
        r#"<key id="w" for="node" attr.name="weight" attr.type="double"><default>1</default></key>"#,
        r#"<key id="w" for="edge" attr.name="width" attr.type="string"/>"#,
        r#"<key id="w" for="graph" attr.name="none" attr.type="int"/>"#,
        r#"<key id="w" for="all" attr.name="all" attr.type="string"/>"#,
        r#"<key id="v" for="all" attr.name="all" attr.type="int"/><key id="v" for="edge" attr.name="own"/>"#,
    );
    check(
        GraphMl,
        &graphml(
            keys,
            r#"<node id="a"><data key="w">2.5</data><data key="v">1</data></node><node id="b"/><edge source="a" target="b"><data key="w">thick</data><data key="v">x</data></edge>"#,
        ),
        &[
            r#"a | a | other | {"weight":2.5,"all":1} | - | -"#,
            r#"b | b | other | {"weight":1} | - | -"#,
            r#"- | a | b |  |  | {"width":"thick","own":"x"}"#,
        ],
    );
    let twice = r#"<key id="w" for="node"/><key id="w" for="node"/>"#;
    assert!(
        fails(GraphMl, &graphml(twice, ""))
            .to_string()
            .contains("the key \"w\" is declared twice")
    );
}

#[test]
fn a_label_may_be_an_attribute_of_the_element() {
    let text = graphml(
        r#"<key id="l" for="all" attr.name="label"/><key id="m" for="all" attr.name="name"/>"#,
        r#"<node id="a" label="A &amp; B"/><node id="b" label="x"><data key="l">B</data></node><node id="c" label="C"><data key="m">named</data></node>
           <edge id="e" source="a" target="b" label="cites"/><edge source="a" target="b" label="l"><data key="l">l</data></edge>"#,
    );
    check(
        GraphMl,
        &text,
        &[
            "a | A & B | other | - | - | -",
            "b | B | other | - | - | -",
            r#"c | C | other | {"name":"named"} | - | -"#,
            "e | a | b | cites |  | -",
            "- | a | b | l |  | -",
        ],
    );
    assert_eq!(
        notices(&text),
        [
            "the XML attribute \"label\" of 1 node was left out: declare a key and write it as data to keep it"
        ]
    );
}

#[test]
fn columns_of_csv_have_roles_and_types() {
    check(
        Csv,
        "From;To;Predicate;weight;ok;code;note\r\na;b;treats;1.5;true;007;\"x; \"\"y\"\"\nz\"\r\nb;c;;2;false;12;\r\n",
        &[
            r#"a | a | other | - | - | -"#,
            r#"b | b | other | - | - | -"#,
            r#"c | c | other | - | - | -"#,
            r#"- | a | b | treats |  | {"weight":1.5,"ok":true,"code":"007","note":"x; \"y\"\nz"}"#,
            r#"- | b | c |  |  | {"weight":2,"ok":false,"code":"12"}"#,
        ],
    );
}

#[test]
fn delimiters_of_csv_are_found_in_the_header() {
    for (text, edge) in [
        ("source,target\na,b", "- | a | b |  |  | -"),
        ("source\ttarget\na,b\tc\n", "- | a,b | c |  |  | -"),
        (
            "\u{feff}subject;object;type;id\na;b;t;e1\n",
            "e1 | a | b |  | t | -",
        ),
        (
            "\"source\"|\"target\"|data\na|b|{\"k\":1}",
            r#"- | a | b |  |  | {"k":1}"#,
        ),
        ("label,source,to\rx,a,b\r", "- | a | b | x |  | -"),
    ] {
        let drafts = graph::interchange::read(Csv, text).unwrap();
        let lines: Vec<String> = drafts.edges.iter().map(crate::support::edge_line).collect();
        assert_eq!(lines, [edge], "{text}");
    }
}

#[test]
fn faulty_rows_of_csv_name_their_lines() {
    let error = fails(Csv, "source,target\na,b\na\n,b\n\"x\ny\",\na,b,c\n");
    assert_eq!(
        issues(&error),
        [
            "edges[1] INVALID_ARGUMENT line 3 has 1 fields, the header has 2",
            "edges[2] INVALID_ARGUMENT line 4 has no source",
            "edges[3] INVALID_ARGUMENT source must not contain control characters",
            "edges[4] INVALID_ARGUMENT line 7 has 3 fields, the header has 2",
        ]
    );
    for (text, message) in [
        ("", "the CSV is empty"),
        ("source,target,\na,b,c", "column 3 of the CSV has no name"),
        (
            "source,target,x,x\n",
            "two columns of the CSV are called \"x\"",
        ),
        (
            "source,target\na,\"b\n",
            "a quote in the row at line 2 is never closed",
        ),
        (
            "a,b\n1,2\n",
            "the CSV has no columns source and target; its first row is \"a,b\"",
        ),
    ] {
        let error = fails(Csv, text);
        assert_eq!(
            (error.code(), error.to_string().as_str()),
            ("INVALID_BODY", message),
            "{text}"
        );
    }
    let error = fails(Csv, "sources,targets\n1,2\n");
    assert_eq!(
        error.hint().as_deref(),
        Some("rename the column sources to source or target")
    );
}
