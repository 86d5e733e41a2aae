//! Random sequences of all operations, from seeds: every step can be undone and redone, and no
//! version ever changes.

use std::collections::BTreeMap;

use graph::Reply;
use graph::changes::{Changes, changes_since};
use graph::from_rows::RowsRequest;
use serde_json::{Value, json};

use crate::dice::Dice;
use crate::world::World;

/// The number of sequences of a test run.
const SEQUENCES: u64 = 200;
/// The number of requests of a sequence.
const REQUESTS: u64 = 30;

const IDS: &[&str] = &[
    "a",
    "NCBIGene:7157",
    "50%/x",
    "🧬",
    "é",
    "q?#",
    "b",
    "c",
    "d",
    "e",
];
const LABELS: &[&str] = &["TP53", "Obesity", "糖尿病", "a \"quoted\" label", "naïve"];
const TYPES: &[&str] = &["gene", "Gene", "disease", "drug"];
const EDGE_LABELS: &[&str] = &["", "treats", "inhibits"];
const EDGE_IDS: &[&str] = &["e1", "e2", "e3", "e4", "e5", "e6"];

fn data(dice: &mut Dice) -> Value {
    match dice.below(4) {
        0 => json!({}),
        1 => json!({"n": dice.next(), "text": "a\nb"}),
        2 => json!({"deep": {"list": [1, {"x": null}]}}),
        _ => json!({"category": dice.one(TYPES), "score": dice.below(9)}),
    }
}

fn position(dice: &mut Dice) -> Value {
    json!({"x": dice.below(5) as f64 / 10.0, "y": dice.below(1000) as f64 - 500.0})
}

fn node(dice: &mut Dice) -> Value {
    let mut node = json!({"id": dice.one(IDS), "label": dice.one(LABELS)});
    for (field, value) in [
        ("type", json!(dice.one(TYPES))),
        ("data", data(dice)),
        ("position", position(dice)),
        ("pinned", json!(dice.chance(2))),
    ] {
        if dice.chance(2) {
            node[field] = value;
        }
    }
    node
}

fn edge(dice: &mut Dice) -> Value {
    let mut edge =
        json!({"source": dice.one(IDS), "target": dice.one(IDS), "label": dice.one(EDGE_LABELS)});
    if dice.chance(2) {
        edge["id"] = json!(dice.one(EDGE_IDS));
    }
    if dice.chance(2) {
        edge["data"] = data(dice);
    }
    edge
}

fn list(dice: &mut Dice, one: fn(&mut Dice) -> Value) -> Value {
    (0..dice.below(6)).map(|_| one(dice)).collect()
}

fn node_change(dice: &mut Dice) -> Value {
    let mut change = node(dice);
    if dice.chance(2) {
        change.as_object_mut().unwrap().remove("label");
    }
    change
}

fn edge_change(dice: &mut Dice) -> Value {
    let mut change = edge(dice);
    change["id"] = json!(dice.one(EDGE_IDS));
    for field in ["source", "target", "label"] {
        if dice.chance(2) {
            change.as_object_mut().unwrap().remove(field);
        }
    }
    change
}

/// The ids of the existing nodes and edges, which most requests name.
struct Known {
    nodes: Vec<String>,
    edges: Vec<String>,
}

impl Known {
    fn of(world: &World) -> Self {
        let (nodes, edges) = world.ids();
        Self { nodes, edges }
    }

    fn node(&self, dice: &mut Dice) -> Value {
        aimed(dice, &self.nodes, IDS)
    }

    fn edge(&self, dice: &mut Dice) -> Value {
        aimed(dice, &self.edges, EDGE_IDS)
    }

    /// Returns the item changed to name an existing edge and existing nodes.
    fn aim(&self, dice: &mut Dice, mut edge: Value, is_change: bool) -> Value {
        for field in ["source", "target"] {
            if edge.get(field).is_some() {
                edge[field] = self.node(dice);
            }
        }
        if is_change {
            edge["id"] = self.edge(dice);
        }
        edge
    }

    fn edges(&self, dice: &mut Dice, one: fn(&mut Dice) -> Value, is_change: bool) -> Value {
        (0..dice.below(4))
            .map(|_| {
                let edge = one(dice);
                self.aim(dice, edge, is_change)
            })
            .collect()
    }
}

/// Returns one of the known values or, sometimes, any value.
fn aimed(dice: &mut Dice, known: &[String], any: &[&str]) -> Value {
    if known.is_empty() || dice.chance(8) {
        json!(dice.one(any))
    } else {
        json!(dice.one(known))
    }
}

fn request(dice: &mut Dice, world: &World) -> (&'static str, Value) {
    let conflict = *dice.one(&["ignore", "error", "replace"]);
    let known = Known::of(world);
    match dice.below(24) {
        0..=2 => {
            let mut node = node(dice);
            node["upsert"] = json!(dice.chance(2));
            ("addNode", node)
        }
        3..=5 => {
            let edge = edge(dice);
            ("addEdge", known.aim(dice, edge, false))
        }
        6 => {
            let mut change = node_change(dice);
            change["id"] = known.node(dice);
            ("updateNode", change)
        }
        7 => {
            let change = edge_change(dice);
            ("updateEdge", known.aim(dice, change, true))
        }
        8 => ("removeNode", json!({"id": known.node(dice)})),
        9 => ("removeEdge", json!({"id": known.edge(dice)})),
        10 => (
            "addMultipleNodes",
            json!({"nodes": list(dice, node), "onConflict": conflict}),
        ),
        11 => (
            "addMultipleEdges",
            json!({"edges": known.edges(dice, edge, false)}),
        ),
        12 => (
            "updateMultipleNodes",
            json!({"nodes": list(dice, node_change)}),
        ),
        13 => (
            "updateMultipleEdges",
            json!({"edges": known.edges(dice, edge_change, true)}),
        ),
        14 => ("deleteNodesByType", json!({"nodeTypes": [dice.one(TYPES)]})),
        15 => (
            "removeMultiple",
            json!({"nodes": [known.node(dice)], "edges": [known.edge(dice)]}),
        ),
        16 => (
            "addMockData",
            json!({"dataset": dice.one(&["diabetes", "cancer"])}),
        ),
        17 => ("undo", json!({})),
        18 => ("redo", json!({})),
        19 => layout(dice),
        20 => (
            "initGraph",
            json!({"name": dice.one(LABELS), "description": dice.one(LABELS)}),
        ),
        21 | 22 => {
            let mode = *dice.one(&["merge", "replace"]);
            let content = fitting(dice, world, mode);
            (
                "importGraph",
                json!({"content": content, "onConflict": conflict, "mode": mode}),
            )
        }
        _ => (
            "restore",
            json!({"version": dice.below(world.version() + 1)}),
        ),
    }
}

fn layout(dice: &mut Dice) -> (&'static str, Value) {
    let preview = dice.chance(4);
    match dice.below(5) {
        0 => (
            "applyForceLayout",
            json!({"iterations": 5, "seed": dice.below(9), "preview": preview}),
        ),
        1 => (
            "applyHierarchicalLayout",
            json!({"direction": dice.one(&["TB", "BT", "LR", "RL"]), "preview": preview}),
        ),
        2 => ("applyCircularLayout", json!({ "preview": preview })),
        3 => ("applyGridLayout", json!({ "preview": preview })),
        _ => (
            "optimizePositions",
            json!({"seed": dice.below(9), "preview": preview}),
        ),
    }
}

/// Returns a file whose nodes have distinct ids, and whose edges end at existing nodes.
fn fitting(dice: &mut Dice, world: &World, mode: &str) -> Value {
    let mut ids: Vec<&str> = IDS.iter().copied().filter(|_| dice.chance(3)).collect();
    let nodes: Vec<Value> = ids
        .iter()
        .map(|id| {
            let mut node = node(dice);
            node["id"] = json!(id);
            node
        })
        .collect();
    let known = Known::of(world).nodes;
    if mode == "merge" {
        ids.extend(known.iter().map(String::as_str));
    }
    let edges: Vec<Value> = (0..if ids.is_empty() { 0 } else { dice.below(5) })
        .map(|_| json!({"source": dice.one(&ids), "target": dice.one(&ids), "label": dice.one(EDGE_LABELS)}))
        .collect();
    json!({"nodes": nodes, "edges": edges})
}

/// Runs an import from rows, which the Worker would fetch for `importFromQuery`.
fn import_rows(dice: &mut Dice, world: &World) -> base::Result<Reply> {
    let nodes = [
        json!({"id": "gene", "label": "gene", "type": {"value": "gene"}, "data": ["score"]}),
        json!([{"label": "gene"}, {"id": "disease", "label": "disease", "type": {"value": "disease"}}]),
        json!({"id": "gene", "label": "name", "x": "score", "y": {"value": 1}}),
    ];
    let edges = json!({"source": "gene", "target": "disease", "label": {"value": dice.one(EDGE_LABELS)}, "data": {"p": "score"}});
    let arguments = json!({
        "session": "s", "sql": "SELECT 1", "nodes": dice.one(&nodes), "edges": edges,
        "onConflict": dice.one(&["ignore", "replace", "error"]),
    });
    let request = RowsRequest::parse(&arguments.to_string())?;
    let mut lines = json!({"columns": ["gene", "disease", "name", "score"]}).to_string();
    for _ in 0..dice.below(6) {
        let disease = if dice.chance(5) {
            Value::Null
        } else {
            json!(dice.one(IDS))
        };
        let row = json!([dice.one(IDS), disease, dice.one(LABELS), dice.below(9)]);
        lines.push_str(&format!("\n{row}"));
    }
    lines.push_str("\n{\"done\":true}\n");
    let mut reader = request.reader();
    // A piece may end at any byte.
    for piece in lines.as_bytes().chunks(1 + dice.below(80) as usize) {
        reader.feed(piece)?;
    }
    let mapped = reader.finish()?.unwrap();
    request.import(&world.graph(), mapped)
}

/// Runs an import of drafts, for which this crate has no operation.
fn import(dice: &mut Dice, world: &World) -> base::Result<Reply> {
    use graph::drafts::{Issues, edges, nodes};
    use graph::{Mode, OnConflict, import, model::Drafts};
    let (node_list, edge_list) = (list(dice, node).to_string(), list(dice, edge).to_string());
    let mut issues = Issues::default();
    let drafts = Drafts {
        nodes: nodes(
            &serde_json::from_str::<Vec<&_>>(&node_list).unwrap(),
            &mut issues,
        ),
        edges: edges(
            &serde_json::from_str::<Vec<&_>>(&edge_list).unwrap(),
            &mut issues,
        ),
    };
    let conflict = *dice.one(&[OnConflict::Error, OnConflict::Ignore, OnConflict::Replace]);
    let mode = *dice.one(&[Mode::Merge, Mode::Replace]);
    // Most of these files have an edge with a missing end. Those of `fitting` succeed.
    import(&world.graph(), &drafts, conflict, mode, None, None)
}

/// Checks the invariants that hold after every request.
fn check(world: &World) {
    let count = |sql: &str| world.db.dump_rows(sql)[0].clone();
    let head = "SELECT node_count, edge_count, past_rows FROM _codemode_graph";
    let real = "SELECT (SELECT count(*) FROM nodes), (SELECT count(*) FROM edges), \
                (SELECT count(*) FROM _codemode_past_nodes) + (SELECT count(*) FROM _codemode_past_edges)";
    assert_eq!(count(head), count(real));
    let types = "SELECT type, count(*) FROM nodes GROUP BY type ORDER BY type";
    assert_eq!(
        world
            .db
            .dump_rows("SELECT type, nodes FROM _codemode_types ORDER BY type"),
        world.db.dump_rows(types)
    );
    assert_eq!(
        world
            .db
            .dump_rows("SELECT rowid FROM _codemode_node_words ORDER BY 1"),
        world.db.dump_rows("SELECT seq FROM nodes ORDER BY 1")
    );
    assert_eq!(
        count(
            "SELECT count(*) FROM edges WHERE source NOT IN (SELECT id FROM nodes) OR target NOT IN (SELECT id FROM nodes)"
        ),
        "0"
    );
    let twice = "SELECT count(*) FROM (SELECT 1 FROM _codemode_past_nodes GROUP BY seq, until HAVING count(*) > 1 UNION ALL \
                 SELECT 1 FROM _codemode_past_edges GROUP BY seq, until HAVING count(*) > 1)";
    assert_eq!(count(twice), "0", "a row goes to the past once in a step");
    let told = "SELECT nodes_created, nodes_updated, nodes_deleted, edges_created, edges_updated, edges_deleted, \
                node_count, edge_count FROM _codemode_steps ORDER BY version DESC LIMIT 1";
    let touched = |now: &str, past: &str| {
        let step = "(SELECT version FROM _codemode_graph)";
        let both = format!(
            "(SELECT count(*) FROM {past} AS p JOIN {now} AS n ON n.seq = p.seq WHERE p.until = {step} AND n.version = {step})"
        );
        format!(
            "(SELECT count(*) FROM {now} WHERE version = {step}) - {both}, {both}, \
             (SELECT count(*) FROM {past} WHERE until = {step}) - {both}"
        )
    };
    let real = format!(
        "SELECT {}, {}, (SELECT count(*) FROM nodes), (SELECT count(*) FROM edges) FROM _codemode_steps LIMIT 1",
        touched("nodes", "_codemode_past_nodes"),
        touched("edges", "_codemode_past_edges")
    );
    assert_eq!(world.db.dump_rows(told), world.db.dump_rows(&real));
}

/// Checks that the response of a change has the counts and flags of the changed graph.
fn check_reply(world: &World, reply: &Reply) {
    let told = crate::world::read(reply);
    if reply.version.is_some() {
        let state = world.run("getGraphState", json!({"limit": 1}));
        for (name, value) in told["metadata"].as_object().unwrap() {
            assert_eq!(value, &state["data"]["metadata"][name], "{name}: {told}");
        }
    }
}

/// Checks that each word in the index leads to the nodes that have it now.
fn check_words(world: &World) {
    for word in [
        "tp53", "obesity", "quoted", "gene", "disease", "drug", "score", "b",
    ] {
        let found = world.db.dump_rows(&format!(
            "SELECT rowid FROM _codemode_node_words WHERE _codemode_node_words MATCH '\"{word}\"' ORDER BY 1"
        ));
        world.db.script(
            "DROP TABLE IF EXISTS check_words; \
             CREATE VIRTUAL TABLE check_words USING fts5 (label, type, data, tokenize = \"unicode61 remove_diacritics 2 categories 'L* N* Co So'\"); \
             INSERT INTO check_words (rowid, label, type, data) SELECT seq, label, type, replace(data, '\\n', ' ') FROM nodes",
        );
        let wanted = world.db.dump_rows(&format!(
            "SELECT rowid FROM check_words WHERE check_words MATCH '\"{word}\"' ORDER BY 1"
        ));
        assert_eq!(found, wanted, "{word}");
    }
}

/// Returns the graph of a reader that has applied every change from version 0 on.
fn replay(world: &World) -> Value {
    let mut lists = [("nodes", BTreeMap::new()), ("edges", BTreeMap::new())];
    let mut version = 0;
    loop {
        let Changes::Steps(steps) = changes_since(&world.db, version, 10_000).unwrap() else {
            panic!("version {version} is there");
        };
        let Some(last) = steps.last() else {
            break;
        };
        for (step, expected) in steps.iter().zip(version + 1..) {
            assert_eq!(step.version, expected);
            let change: Value = serde_json::from_str(&step.json).unwrap();
            assert_eq!(change["version"], expected);
            for (name, list) in &mut lists {
                let patch = &change["patch"][*name];
                for id in patch["deleted"].as_array().unwrap() {
                    assert!(
                        list.remove(id.as_str().unwrap()).is_some(),
                        "{id} was there"
                    );
                }
                for item in patch["upserted"].as_array().unwrap() {
                    list.insert(item["id"].as_str().unwrap().to_owned(), item.clone());
                }
            }
        }
        version = last.version;
    }
    by_id(lists.map(|(_, list)| list.into_values().collect()))
}

fn by_id([nodes, edges]: [Vec<Value>; 2]) -> Value {
    let sorted = |mut list: Vec<Value>| {
        list.sort_by_key(|item| item["id"].as_str().unwrap().to_owned());
        list
    };
    json!({"nodes": sorted(nodes), "edges": sorted(edges)})
}

/// The numbers of requests of each kind that succeeded and that failed.
type Tallies = BTreeMap<&'static str, (u64, u64)>;

fn sequence(seed: u64) -> Tallies {
    let mut tallies = Tallies::new();
    let mut dice = Dice(seed);
    let world = World::new();
    let mut versions = vec![world.state()];
    for _ in 0..REQUESTS {
        let before = (world.version(), world.state());
        let (operation, arguments, done) = match dice.below(24) {
            0 => ("import", Value::Null, import(&mut dice, &world)),
            1 | 2 => (
                "importFromQuery",
                Value::Null,
                import_rows(&mut dice, &world),
            ),
            _ => {
                let (operation, arguments) = request(&mut dice, &world);
                let done = world.reply(operation, &arguments);
                (operation, arguments, done)
            }
        };
        let tally = tallies.entry(operation).or_default();
        match done {
            Ok(reply) => {
                tally.0 += 1;
                check_reply(&world, &reply);
            }
            Err(error) => {
                tally.1 += 1;
                assert_ne!(error.code(), "INTERNAL", "{operation} {arguments}: {error}");
                assert_eq!(
                    (world.version(), world.state()),
                    before,
                    "{operation} {arguments}"
                );
            }
        }
        check(&world);
        let state = world.state();
        match world.version() - before.0 {
            0 => assert_eq!(state, before.1),
            1 => {
                assert_ne!(state, before.1, "a step changes something");
                versions.push(state);
            }
            steps => panic!("one request made {steps} steps"),
        }
    }
    for (version, state) in versions.iter().enumerate() {
        assert_eq!(&world.at(version as u64), state, "version {version}");
    }
    check_words(&world);
    let state: Value = serde_json::from_str(&world.state()).unwrap();
    let lists = ["nodes", "edges"].map(|list| state[list].as_array().unwrap().clone());
    assert_eq!(replay(&world), by_id(lists));
    undo_all(&world);
    tallies
}

/// Undoes all steps that can be undone, and redoes all of them.
fn undo_all(world: &World) {
    while world.reply("redo", &json!({})).is_ok() {}
    let mut states = vec![world.state()];
    while world.reply("undo", &json!({})).is_ok() {
        check(world);
        states.push(world.state());
    }
    assert_eq!(states.last().unwrap(), r#"{"nodes":[],"edges":[]}"#);
    for state in states.iter().rev().skip(1) {
        world.run("redo", json!({}));
        check(world);
        assert_eq!(&world.state(), state);
    }
    assert_eq!(world.code("redo", json!({})), "NOTHING_TO_REDO");
    check_words(world);
}

#[test]
fn whatever_was_done_can_be_undone_and_every_version_stays_what_it_was() {
    let mut all = Tallies::new();
    for seed in 0..SEQUENCES {
        let done = std::panic::catch_unwind(|| sequence(seed));
        for (operation, (succeeded, failed)) in done.unwrap_or_else(|_| panic!("seed {seed}")) {
            let tally = all.entry(operation).or_default();
            *tally = (tally.0 + succeeded, tally.1 + failed);
        }
    }
    // Every kind of request had an effect, and most of those that should succeed did.
    assert_eq!(all.len(), 25, "{all:?}");
    assert!(
        all.values().all(|(succeeded, _)| *succeeded >= 10),
        "{all:?}"
    );
    for made in ["importGraph", "importFromQuery"] {
        let (succeeded, failed) = all[made];
        assert!(succeeded > failed, "{made}: {all:?}");
    }
}

/// With a history of a few steps, undo reaches its end, and the remaining history is still correct.
#[test]
fn a_short_history_stays_consistent() {
    for seed in 0..SEQUENCES / 5 {
        let mut dice = Dice(seed);
        let world = World::with_history(8);
        let mut versions = BTreeMap::from([(0, world.state())]);
        // The states that undo and redo must restore, the nearest one last.
        let (mut undoable, mut redoable) = (Vec::new(), Vec::new());
        let mut kind = 2;
        for _ in 0..2 * REQUESTS {
            // Runs of the same kind undo whole histories.
            if dice.chance(6) {
                kind = dice.below(3);
            }
            let (operation, arguments) = match kind {
                0 => ("undo", json!({})),
                1 => ("redo", json!({})),
                _ => request(&mut dice, &world),
            };
            let metadata = &world.run("getGraphState", json!({}))["data"]["metadata"];
            let (version, before) = (world.version(), world.state());
            let reply = world.reply(operation, &arguments);
            if let Ok(reply) = &reply {
                check_reply(&world, reply);
            }
            let done = reply.is_ok();
            match operation {
                "undo" => {
                    assert_eq!(metadata["canUndo"], done);
                    if done {
                        assert_eq!(world.state(), undoable.pop().unwrap());
                        redoable.push(before);
                    }
                }
                "redo" => {
                    assert_eq!(metadata["canRedo"], done);
                    if done {
                        assert_eq!(world.state(), redoable.pop().unwrap());
                        undoable.push(before);
                    }
                }
                _ if world.version() > version => {
                    undoable.push(before);
                    redoable.clear();
                }
                _ => {}
            }
            check(&world);
            versions.insert(world.version(), world.state());
            let history = world.run("getHistory", json!({"limit": 1000}));
            assert!(history["data"].as_array().unwrap().len() <= 8);
            let oldest = history["oldestVersion"].as_u64().unwrap();
            versions = versions.split_off(&oldest);
            for (version, state) in &versions {
                assert_eq!(&world.at(*version), state, "seed {seed}, version {version}");
            }
        }
    }
}
