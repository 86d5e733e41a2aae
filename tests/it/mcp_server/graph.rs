//! The endpoint of a graph, over a graph on real SQLite.

mod listed;

use std::cell::Cell;
use std::rc::Rc;

use base::{Error, Result};
use codemode_database::api::{envelope, graph_request};
use codemode_database::config::Config;
use futures::executor::block_on;
use futures::stream::LocalBoxStream;
use graph::Id;
use graph::{self, Settings};
use mcp::server::{
    Caller, Capabilities, ClientChannel, Fault, Filter, Inputs, Outcome, Request, Service,
    ServiceRequest, Version,
};
use mcp_product::graph::backend::GraphBackend;
use mcp_product::graph::table::tools;
use mcp_product::graph::{ACTOR, Access};
use mcp_product::results::tokens::estimate;
use mcp_product::{GraphProduct, GraphTerms};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use session::query;

use super::world::complete;
use test_support::{HostDatabase, NOW_MS, Stand};

const CONVERSATION: &str = "chat:1";

/// The object of one graph.
struct Object {
    database: HostDatabase,
    asked: Cell<usize>,
    has_viewer: bool,
}

impl Object {
    fn perform(&self, body: &str) -> Result<String> {
        let request = graph_request::by_name(body, None)?;
        if request.id == Id::Query {
            let config = Config::parse(|_| None)?;
            let stand = Stand::new(&config.session);
            let request = query::Request::parse_graph(&request.arguments)?;
            let answer = stand.session(&self.database).query(&request)?;
            return Ok(envelope::answered(&answer));
        }
        let graph = graph::Graph {
            db: &self.database,
            settings: &Settings::default(),
            now_ms: NOW_MS,
            conversation: CONVERSATION,
            actor: ACTOR,
            memory: &graph::Memory::default(),
        };
        let arguments = request.with_ids(&self.database)?;
        let handler = graph::handler(request.id);
        let handler = handler.unwrap_or_else(|beyond| panic!("{beyond:?} needs more"));
        let reply = handler(&graph, &arguments)?;
        Ok(envelope::with_members(&reply.json))
    }
}

/// A backend with this object.
struct Host(Rc<Object>);

impl GraphBackend for Host {
    async fn operate_graph(&self, conversation: &str, body: String) -> Result<String> {
        assert_eq!(conversation, CONVERSATION);
        self.0.asked.set(self.0.asked.get() + 1);
        let done = self.0.perform(&body);
        Ok(done.unwrap_or_else(|error| envelope::failure(&error)))
    }

    async fn watch_graph(&self, _conversation: &str) -> Result<LocalBoxStream<'static, ()>> {
        Err(Error::internal("watching needs the Worker"))
    }

    fn has_viewer(&self) -> bool {
        self.0.has_viewer
    }

    async fn viewer(&self) -> Result<Option<String>> {
        Ok(None)
    }
}

struct Client {
    product: GraphProduct<Host>,
    object: Rc<Object>,
}

impl Client {
    fn new(max_tokens: usize) -> Self {
        let database = HostDatabase::new();
        database::migrations::apply(&database, graph::MIGRATIONS, NOW_MS).unwrap();
        let object = Rc::new(Object {
            database,
            asked: Cell::new(0),
            has_viewer: false,
        });
        Self {
            product: GraphProduct {
                backend: Host(Rc::clone(&object)),
                terms: GraphTerms {
                    conversation: CONVERSATION.to_owned(),
                    access: Access::Full,
                    max_tokens,
                },
            },
            object,
        }
    }

    fn ask(&self, method: &str, params: &Value) -> std::result::Result<Outcome, Fault> {
        let params = RawValue::from_string(params.to_string()).unwrap();
        let talk = ClientChannel::silent();
        let caller = Caller {
            version: Version::V20260728,
            capabilities: Capabilities::parse("{}").unwrap(),
        };
        let request = Request {
            ask: ServiceRequest::read(method, Some(&params))?,
            caller: &caller,
            inputs: Inputs::default(),
            talk: &talk,
        };
        block_on(self.product.serve(&request))
    }

    fn call(&self, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        complete(self.ask("tools/call", &params).unwrap())
    }

    /// Returns the text of a call that succeeds.
    fn said(&self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result.get("isError"), None, "{tool}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Returns the code and the text of a call that fails.
    fn fails(&self, tool: &str, arguments: Value) -> (String, String) {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool}: {result}");
        let code = &result["structuredContent"]["error"]["code"];
        assert_eq!(result["structuredContent"]["graph"], "graph://chat%3A1");
        let text = &result["content"][0]["text"];
        (
            code.as_str().unwrap().to_owned(),
            text.as_str().unwrap().to_owned(),
        )
    }

    fn with_diabetes() -> Self {
        let client = Self::new(25_000);
        let nodes = json!([{"id": "NCBIGene:7157", "label": "TP53", "type": "gene"}, {"id": "d", "label": "Type 2 Diabetes", "type": "disease"}]);
        client.call("addMultipleNodes", json!({ "nodes": nodes }));
        client.call(
            "addEdge",
            json!({"source": "TP53", "target": "d", "label": "associated_with"}),
        );
        client
    }
}

#[test]
fn nodes_are_named_by_id_or_by_a_label_that_one_node_has() {
    let client = Client::with_diabetes();
    for (source, target) in [
        ("NCBIGene:7157", "d"),
        ("TP53", "Type 2 Diabetes"),
        ("tp53", "type 2 diabetes"),
    ] {
        assert_eq!(
            client.said(
                "addEdge",
                json!({"source": source, "target": target, "label": "associated_with"})
            ),
            "The edge from 'TP53' to 'Type 2 Diabetes' with label 'associated_with' exists already."
        );
    }
    assert_eq!(
        client.said(
            "addNode",
            json!({"label": "TP53", "type": "protein", "canonicalId": "P04637"})
        ),
        "Added node 'TP53' (protein) to the graph.\nNote: 1 other node has this label, too. Name this one by its id, P04637."
    );
    let (code, text) = client.fails("removeNode", json!({"nodeId": "TP53"}));
    assert_eq!(code, "AMBIGUOUS_NODE");
    assert!(
        text.contains("\n- TP53 (gene) NCBIGene:7157\n- TP53 (protein) P04637"),
        "{text}"
    );
    assert_eq!(
        client.said("removeNode", json!({"nodeId": "P04637"})),
        "Removed node 'TP53' and its connected edges from the graph."
    );
    let (code, text) = client.fails("updateNode", json!({"nodeId": "XYZ", "type": "gene"}));
    assert_eq!(
        (code.as_str(), text.lines().next().unwrap()),
        (
            "NODE_NOT_FOUND",
            "Error: Node 'XYZ' not found in the graph."
        )
    );
    let (code, text) = client.fails("removeNode", json!({"nodeId": "TP35"}));
    assert_eq!(code, "NODE_NOT_FOUND");
    assert!(text.contains("Did you mean"), "{text}");
    let (code, _) = client.fails(
        "addMultipleEdges",
        json!({"edges": [{"source": "TP53", "target": "nobody"}]}),
    );
    assert_eq!(code, "NODE_NOT_FOUND");
}

#[test]
fn a_result_has_the_fields_of_the_operation_and_names_the_graph() {
    let client = Client::with_diabetes();
    let result = client.call("addNode", json!({"label": "INS", "type": "gene", "data": {"n": 9_007_199_254_740_993_i64}, "position": null}));
    let structured = &result["structuredContent"];
    assert_eq!(
        (
            &structured["graph"],
            &structured["version"],
            &structured["created"]
        ),
        (&json!("graph://chat%3A1"), &json!(3), &json!(true))
    );
    assert_eq!(
        structured["data"]["data"],
        json!({"n": 9_007_199_254_740_993_i64})
    );
    let params = json!({"name": "undo", "arguments": {}});
    let Outcome::Complete { meta, .. } = client.ask("tools/call", &params).unwrap() else {
        panic!("it asks nobody");
    };
    assert_eq!(
        meta,
        r#""codemode-database/graph":{"uri":"graph://chat%3A1","version":4}"#
    );
    let state = client.call("getGraphState", json!({}));
    assert_eq!(
        state["content"][0]["text"],
        "Current graph has 2 nodes and 1 edge.\n\nNodes:\n- TP53 (gene)\n- Type 2 Diabetes (disease)\n\nEdges:\n- TP53 -> Type 2 Diabetes (associated_with)"
    );
    assert_eq!(
        (
            &state["structuredContent"]["version"],
            &state["structuredContent"]["nextCursor"]
        ),
        (&json!(4), &Value::Null)
    );
    assert_eq!(
        state["structuredContent"]["data"]["edges"][0]["source"],
        "NCBIGene:7157"
    );
}

/// Returns arguments with which a tool succeeds in the graph of [`Client::with_diabetes`]; `None`
/// for the one that needs a session.
fn usable(tool: &str) -> Option<Value> {
    Some(match tool {
        "addNode" => json!({"label": "INS", "type": "gene", "canonicalId": "ins"}),
        "addEdge" => json!({"source": "INS", "target": "d", "label": "of"}),
        "updateNode" => json!({"nodeId": "INS", "type": "drug"}),
        "updateEdge" => json!({"edgeId": "e", "label": "with"}),
        "addMultipleNodes" => json!({"nodes": [{"id": "b", "label": "B"}]}),
        "addMultipleEdges" => json!({"edges": [{"id": "e", "source": "b", "target": "d"}]}),
        "importFromJSON" => json!({"nodes": [{"id": "c", "label": "C"}]}),
        "searchNodes" => json!({"query": "TP53"}),
        "filterByType" => json!({"type": "gene"}),
        "findPath" => json!({"from": "TP53", "to": "d"}),
        "removeEdge" => json!({"edgeId": "e"}),
        "removeNode" => json!({"nodeId": "b"}),
        "mergeNodes" => json!({"into": "INS", "from": "c"}),
        "importFromQuery" => return None,
        _ => json!({}),
    })
}

/// The tools in an order in which each finds the nodes that it needs.
const FIRST: &[&str] = &[
    "addNode",
    "addEdge",
    "addMultipleNodes",
    "addMultipleEdges",
    "updateNode",
    "updateEdge",
    "removeEdge",
    "removeNode",
    "importFromJSON",
    "undo",
    "redo",
];

#[test]
fn each_result_and_each_failure_of_each_tool_names_the_graph_and_its_version() {
    let client = Client::with_diabetes();
    let names = |tool: &str, arguments: &Value| {
        let params = json!({ "name": tool, "arguments": arguments });
        let Outcome::Complete { members, meta, .. } = client.ask("tools/call", &params).unwrap()
        else {
            panic!("{tool} asks somebody");
        };
        let result: Value = serde_json::from_str(&format!("{{{members}}}")).unwrap();
        let meta: Value = serde_json::from_str(&format!("{{{meta}}}")).unwrap();
        let version = graph::Head::load(&client.object.database).map(|head| json!(head.version));
        let uri = "graph://chat%3A1";
        let version = version.unwrap();
        let said = &result["structuredContent"];
        assert_eq!(
            (&said["graph"], &said["version"]),
            (&json!(uri), &version),
            "{tool} {arguments}: {result}"
        );
        assert_eq!(
            meta["codemode-database/graph"],
            json!({ "uri": uri, "version": version }),
            "{tool} {arguments}"
        );
        result.get("isError").is_some()
    };
    let rest = tools().map(|tool| tool.name);
    let all: Vec<&str> = FIRST
        .iter()
        .copied()
        .chain(rest.filter(|name| !FIRST.contains(name)))
        .collect();
    assert_eq!(all.len(), tools().count());
    for tool in all {
        if let Some(arguments) = usable(tool) {
            assert!(!names(tool, &arguments), "{tool} {arguments}");
        }
        // An argument that no tool has, and a value that no argument accepts.
        assert!(names(tool, &json!({ "nonsense": 1 })), "{tool}");
        let first = tools().find(|known| known.name == tool).unwrap();
        if let Some(argument) = first.shown().keys().next() {
            assert!(names(tool, &json!({ argument: { "no": true } })), "{tool}");
        }
    }
}

#[test]
fn what_a_host_of_an_older_version_adds_is_accepted_for_this_conversation() {
    let client = Client::new(25_000);
    let context = |conversation: Value| json!({"conversationId": conversation, "apiBaseUrl": "http://127.0.0.1:1", "accessToken": "secret"});
    let node = |context: Value| json!({"label": "A", "type": "gene", "databaseContext": context});
    client.said("addNode", node(context(json!(CONVERSATION))));
    client.said("addNode", node(context(Value::Null)));
    client.said("addNode", node(Value::Null));
    for wrong in [
        context(json!("another")),
        context(json!(5)),
        json!("secret"),
        json!({"secrets": 1}),
        json!({"conversationId": ""}),
    ] {
        let asked = client.object.asked.get();
        let (code, text) = client.fails("addNode", node(wrong.clone()));
        assert_eq!(code, "INVALID_ARGUMENT", "{wrong}");
        assert!(
            !text.contains("\"secret\"") && !text.contains("secret "),
            "{text}"
        );
        assert_eq!(
            client.object.asked.get(),
            asked + 1,
            "only the version was asked for"
        );
    }
    assert!(
        client
            .said("getGraphState", json!({}))
            .starts_with("Current graph has 3 nodes")
    );
}

#[test]
fn an_import_is_given_in_one_of_two_ways() {
    let client = Client::new(25_000);
    let nodes = json!([{"id": "a", "label": "A", "type": "gene"}, {"id": "b", "label": "B"}]);
    let edges = json!([{"source": "a", "target": "b"}]);
    assert_eq!(
        client.said("importFromJSON", json!({"nodes": nodes, "edges": edges})),
        "Imported 2 nodes and 1 edge."
    );
    assert_eq!(
        client.said(
            "importFromJSON",
            json!({"graph": {"nodes": nodes, "edges": []}, "onConflict": "ignore"})
        ),
        "Imported 0 nodes and 0 edges, 2 nodes already there."
    );
    assert_eq!(
        client.said(
            "importFromJSON",
            json!({"graph": "source,target\nx,y\n", "format": "csv", "mode": "replace"})
        ),
        "Imported 2 nodes and 1 edge."
    );
    assert_eq!(
        client.said("undo", json!({})).split(':').next().unwrap(),
        "Undid"
    );
    for wrong in [json!({}), json!({"graph": {}, "nodes": []})] {
        assert_eq!(client.fails("importFromJSON", wrong).0, "INVALID_ARGUMENT");
    }
    let (code, text) = client.fails(
        "importFromJSON",
        json!({"nodes": [{"id": "z"}, {"label": 5}]}),
    );
    assert!(
        text.contains("\n- nodes[0]:") && text.contains("\n- nodes[1]:"),
        "{code} {text}"
    );
}

#[test]
fn pages_fit_and_follow_each_other_without_gap_and_repeat() {
    let client = Client::new(3_000);
    let nodes: Vec<Value> = (0..150)
        .map(|at| json!({"id": format!("n{at}"), "label": format!("node {at}"), "type": "gene", "data": {"words": "word ".repeat(at * 10)}}))
        .collect();
    let edges: Vec<Value> = (1..150)
        .map(|at| json!({"source": format!("n{}", at - 1), "target": format!("n{at}")}))
        .collect();
    client.said("importFromJSON", json!({"nodes": nodes, "edges": edges}));
    let (mut seen, mut arguments) = (Vec::new(), json!({"limit": 1_000}));
    loop {
        let page = client.call("getGraphState", arguments.clone());
        assert!(
            estimate(&page["structuredContent"].to_string())
                + estimate(page["content"][0]["text"].as_str().unwrap())
                <= 3_000
        );
        let data = &page["structuredContent"]["data"];
        let items = data["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .chain(data["edges"].as_array().unwrap());
        seen.extend(items.map(|item| {
            item.get("source")
                .unwrap_or(&item["id"])
                .as_str()
                .unwrap()
                .to_owned()
        }));
        match &page["structuredContent"]["nextCursor"] {
            Value::Null => break,
            cursor => arguments["cursor"] = cursor.clone(),
        }
    }
    let wanted: Vec<String> = (0..150).chain(0..149).map(|at| format!("n{at}")).collect();
    assert_eq!(seen, wanted);
    let long = client.call("searchNodes", json!({"query": "node 149"}));
    assert_eq!(
        (
            &long["structuredContent"]["data"][0]["truncated"],
            &long["structuredContent"]["data"][0]["data"]
        ),
        (&json!(true), &Value::Null)
    );
    let updated = client.call(
        "updateNode",
        json!({"nodeId": "n149", "data": {"more": "words ".repeat(9_000)}}),
    );
    assert_eq!(
        (
            &updated.get("isError"),
            &updated["structuredContent"]["truncated"]
        ),
        (&None, &json!(true))
    );
    assert!(estimate(&updated.to_string()) <= 3_000);
    let all = client.call("addMultipleNodes", json!({ "nodes": nodes }));
    assert!(estimate(&all.to_string()) <= 3_000);
}
