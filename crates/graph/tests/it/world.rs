//! A graph in memory, with helpers to read it.

use base::{Error, Result};
use database::{Database, migrations};
use graph::{Graph, Memory, Reply, Settings};
use serde_json::{Value, json};

use test_support::HostDatabase;

/// 2026-11-21T22:10:00Z.
pub const NOW_MS: u64 = 1_795_299_000_000;

/// A graph with a clock that advances with each request.
pub struct World {
    pub db: HostDatabase,
    pub settings: Settings,
    pub memory: Memory,
    now_ms: std::cell::Cell<u64>,
}

impl World {
    pub fn new() -> Self {
        Self::with_history(1_000)
    }

    pub fn with_history(history_steps: u64) -> Self {
        let db = HostDatabase::new();
        migrations::apply(&db, graph::MIGRATIONS, NOW_MS).unwrap();
        Self {
            db,
            settings: Settings { history_steps },
            memory: Memory::default(),
            now_ms: NOW_MS.into(),
        }
    }

    pub fn graph(&self) -> Graph<'_, HostDatabase> {
        self.now_ms.set(self.now_ms.get() + 1);
        Graph {
            db: &self.db,
            settings: &self.settings,
            now_ms: self.now_ms.get(),
            conversation: "talk",
            actor: "api",
            memory: &self.memory,
        }
    }

    pub fn reply(&self, operation: &str, arguments: &Value) -> Result<Reply> {
        run(&self.graph(), operation, &arguments.to_string())
    }

    pub fn raw(&self, operation: &str, arguments: &str) -> Result<Value> {
        run(&self.graph(), operation, arguments).map(|reply| read(&reply))
    }

    /// Returns the fields of the response.
    pub fn run(&self, operation: &str, arguments: Value) -> Value {
        match self.reply(operation, &arguments) {
            Ok(reply) => read(&reply),
            Err(error) => panic!("{operation} {arguments}: {}", error.to_json()),
        }
    }

    pub fn error(&self, operation: &str, arguments: Value) -> Error {
        match self.reply(operation, &arguments) {
            Err(error) => error,
            Ok(reply) => panic!("{operation} {arguments}: {}", reply.json),
        }
    }

    /// Returns the code of the error.
    pub fn code(&self, operation: &str, arguments: Value) -> &'static str {
        self.error(operation, arguments).code()
    }

    /// Adds a node with this id and label.
    pub fn node(&self, id: &str) {
        self.run("addNode", json!({"id": id, "label": id}));
    }

    /// Adds an edge with this id.
    pub fn edge(&self, id: &str, source: &str, target: &str) {
        self.run(
            "addEdge",
            json!({"id": id, "source": source, "target": target, "label": id}),
        );
    }

    pub fn version(&self) -> u64 {
        self.run("getGraph", json!({}))["data"]["version"]
            .as_u64()
            .unwrap()
    }

    /// Returns all pages of the present graph: the exact texts of its nodes and edges.
    pub fn state(&self) -> String {
        self.pages("getGraphState", json!({}))
    }

    pub fn at(&self, version: u64) -> String {
        self.pages("getVersion", json!({"version": version}))
    }

    pub fn pages(&self, operation: &str, mut arguments: Value) -> String {
        let (mut nodes, mut edges) = (Vec::new(), Vec::new());
        loop {
            let reply = self.reply(operation, &arguments).unwrap();
            let page = read(&reply);
            // The text is compared and not a parsed value, because different texts may have equal
            // values.
            nodes.push(list(&reply.json, "\"nodes\":", ",\"edges\":"));
            edges.push(list(&reply.json, ",\"edges\":", ",\"metadata\":"));
            let Some(cursor) = page["nextCursor"].as_str() else {
                break;
            };
            arguments["cursor"] = cursor.into();
        }
        let join = |lists: Vec<String>| {
            let lists: Vec<String> = lists.into_iter().filter(|list| !list.is_empty()).collect();
            lists.join(",")
        };
        format!(
            "{{\"nodes\":[{}],\"edges\":[{}]}}",
            join(nodes),
            join(edges)
        )
    }

    /// Returns the ids of the nodes and of the edges.
    pub fn ids(&self) -> (Vec<String>, Vec<String>) {
        let state: Value = serde_json::from_str(&self.state()).unwrap();
        let ids = |list: &str| {
            let items = state[list].as_array().unwrap().iter();
            items
                .map(|item| item["id"].as_str().unwrap().to_owned())
                .collect()
        };
        (ids("nodes"), ids("edges"))
    }

    pub fn words(&self) -> Vec<String> {
        let history = self.run("getHistory", json!({}));
        let steps = history["data"].as_array().unwrap().iter();
        steps
            .map(|step| step["description"].as_str().unwrap().to_owned())
            .collect()
    }
}

fn list(text: &str, before: &str, behind: &str) -> String {
    let start = text.find(before).unwrap() + before.len();
    let end = text.rfind(behind).unwrap();
    text.get(start + 1..end - 1).unwrap().to_owned()
}

pub fn read(reply: &Reply) -> Value {
    serde_json::from_str(&reply.json).unwrap_or_else(|error| panic!("{error}: {}", reply.json))
}

/// Runs the operation with this name.
pub fn run<D: Database>(graph: &Graph<'_, D>, operation: &str, arguments: &str) -> Result<Reply> {
    let found = graph::find(operation);
    let (id, _) = found.unwrap_or_else(|| panic!("there is no operation {operation}"));
    let handler = graph::handler(id);
    let handler = handler.unwrap_or_else(|beyond| panic!("{beyond:?} needs more than the graph"));
    handler(graph, arguments)
}
