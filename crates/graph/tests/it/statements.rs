//! The statements that a change of a single node or edge runs, and the memory between requests.

use graph::{Graph, Head, Memory, Settings};
use serde_json::{Value, json};
use test_support::{Fault, FaultyDatabase, HostDatabase};

use crate::dice::Dice;
use crate::world::NOW_MS;

/// The steps of the history, few enough that its oldest ones are soon deleted.
const HISTORY_STEPS: u64 = 320;

/// A graph on a database that counts statements, and fails if asked to.
struct Counted {
    db: FaultyDatabase,
    settings: Settings,
    memory: Memory,
}

impl Counted {
    fn new() -> Self {
        let inner = HostDatabase::new();
        database::migrations::apply(&inner, graph::MIGRATIONS, NOW_MS).unwrap();
        Self {
            db: FaultyDatabase::new(inner),
            settings: Settings {
                history_steps: HISTORY_STEPS,
            },
            memory: Memory::default(),
        }
    }

    fn graph(&self) -> Graph<'_, FaultyDatabase> {
        Graph {
            db: &self.db,
            settings: &self.settings,
            now_ms: NOW_MS,
            conversation: "talk",
            actor: "api",
            memory: &self.memory,
        }
    }

    fn reply(&self, operation: &str, arguments: &Value) -> base::Result<graph::Reply> {
        crate::world::run(&self.graph(), operation, &arguments.to_string())
    }

    /// Deletes the graph, as its object does.
    fn delete(&mut self) {
        *self = Self {
            memory: std::mem::take(&mut self.memory),
            ..Self::new()
        };
        self.memory.forget();
    }

    /// Runs a request that succeeds. Returns the number of its statements.
    fn statements(&self, operation: &str, arguments: &Value) -> u64 {
        let before = self.db.opened();
        if let Err(error) = self.reply(operation, arguments) {
            panic!("{operation} {arguments}: {}", error.to_json());
        }
        self.db.opened() - before
    }
}

/// The most statements of a request, beside its transaction.
///
/// Each table that a request changes takes one: the item, its past, its words, the count of its
/// type, the step, and the row about the graph.
const MOST: &[(u64, &str, &str)] = &[
    (5, "addNode", r#"{"id":"a","label":"A","type":"gene"}"#),
    (5, "addNode", r#"{"id":"b","label":"B","type":"drug"}"#),
    (
        5,
        "addNode",
        r#"{"label":"generated","data":{"text":"a\nb"}}"#,
    ),
    (
        5,
        "addNode",
        r#"{"id":"a","label":"A2","upsert":true,"data":{"k":1}}"#,
    ),
    (6, "addNode", r#"{"id":"c","label":"C","upsert":true}"#),
    (4, "updateNode", r#"{"id":"a","position":{"x":1,"y":2}}"#),
    (4, "updateNode", r#"{"id":"a","pinned":true}"#),
    (
        5,
        "updateNode",
        r#"{"id":"a","label":"A3","data":{"k":null,"l":2}}"#,
    ),
    (4, "updateNode", r#"{"id":"a","label":"A3"}"#),
    (3, "addEdge", r#"{"source":"a","target":"b"}"#),
    (
        3,
        "addEdge",
        r#"{"id":"e","source":"a","target":"b","data":{"k":1}}"#,
    ),
    (5, "addEdge", r#"{"source":"a","target":"b"}"#),
    (4, "updateEdge", r#"{"id":"e","label":"treats"}"#),
    (5, "updateEdge", r#"{"id":"e","source":"b","data":{"l":2}}"#),
    (4, "removeEdge", r#"{"id":"e"}"#),
    // These change six tables, and eight with the edges of the node.
    (6, "updateNode", r#"{"id":"a","type":"drug"}"#),
    (6, "updateNode", r#"{"id":"c","type":"protein"}"#),
    (8, "removeNode", r#"{"id":"a"}"#),
    (6, "removeNode", r#"{"id":"c"}"#),
];

#[test]
fn a_change_of_one_item_takes_few_statements() {
    let graph = Counted::new();
    graph.statements("initGraph", &json!({"name": "first"}));
    graph.statements("addNode", &json!({"label": "first"}));
    for (most, operation, arguments) in MOST {
        let arguments: Value = serde_json::from_str(arguments).unwrap();
        let statements = graph.statements(operation, &arguments);
        assert!(
            statements <= *most,
            "{operation} {arguments} takes {statements} statements, not {most}"
        );
    }
}

#[test]
fn a_full_history_is_cut_for_many_steps_at_a_time() {
    let graph = Counted::new();
    graph.statements("addNode", &json!({"id": "a", "label": "a"}));
    for step in 0..HISTORY_STEPS {
        graph.statements(
            "updateNode",
            &json!({"id": "a", "position": {"x": step, "y": 1}}),
        );
    }
    let mut cuts = 0;
    for step in 0..HISTORY_STEPS {
        let move_it = json!({"id": "a", "position": {"x": step, "y": 2}});
        let statements = graph.statements("updateNode", &move_it);
        cuts += u64::from(statements > 4);
        let history = graph.reply("getHistory", &json!({"limit": 1_000})).unwrap();
        let history = crate::world::read(&history);
        assert_eq!(
            history["data"].as_array().unwrap().len() as u64,
            HISTORY_STEPS
        );
        let oldest = history["oldestVersion"].as_u64().unwrap();
        let current = history["version"].as_u64().unwrap();
        assert_eq!(oldest, current - HISTORY_STEPS);
        let kept = &graph.db.inner.dump_rows(
            "SELECT count(*), (SELECT count(*) FROM _codemode_past_nodes), \
             (SELECT past_rows FROM _codemode_graph) FROM _codemode_steps",
        )[0];
        let kept: Vec<u64> = kept
            .split('|')
            .map(|count| count.parse().unwrap())
            .collect();
        assert!(
            kept[0] <= HISTORY_STEPS + HISTORY_STEPS / 32 + 1,
            "{kept:?}"
        );
        assert_eq!(kept[1], kept[2]);
        assert!(
            graph
                .reply("getVersion", &json!({"version": oldest}))
                .is_ok()
        );
        let lost = graph.reply("getVersion", &json!({"version": oldest - 1}));
        assert_eq!(lost.unwrap_err().code(), "VERSION_NOT_FOUND");
    }
    assert_eq!(cuts, 32);
}

/// Returns a request, most of which name a node or an edge that exists.
fn request(dice: &mut Dice) -> (&'static str, Value) {
    const IDS: &[&str] = &["a", "b", "c", "d"];
    const TYPES: &[&str] = &["gene", "drug", "disease"];
    let id = *dice.one(IDS);
    match dice.below(15) {
        0..=2 => {
            let node =
                json!({"id": id, "label": id, "type": dice.one(TYPES), "upsert": dice.chance(2)});
            ("addNode", node)
        }
        3 => ("updateNode", json!({"id": id, "type": dice.one(TYPES)})),
        4 => (
            "updateNode",
            json!({"id": id, "label": dice.one(TYPES), "data": {"k": dice.below(3)}}),
        ),
        5 => ("removeNode", json!({"id": id})),
        6 | 7 => (
            "addEdge",
            json!({"id": dice.one(&["e", "f"]), "source": id, "target": dice.one(IDS)}),
        ),
        8 => (
            "updateEdge",
            json!({"id": "e", "source": id, "label": dice.one(TYPES)}),
        ),
        9 => ("removeEdge", json!({"id": "f"})),
        10 => ("initGraph", json!({"name": id})),
        11 => ("undo", json!({})),
        12 => ("redo", json!({})),
        13 => ("restore", json!({"version": dice.below(9)})),
        _ => (
            "addMultipleNodes",
            json!({"nodes": [{"id": id, "label": id}], "ifVersion": dice.below(20)}),
        ),
    }
}

/// Runs random requests, some of which fail in the middle, in an instance that keeps its memory and
/// in one that has none, and compares the databases and the responses. Sometimes both graphs are
/// deleted.
#[test]
fn the_memory_is_what_is_stored() {
    for seed in 0..80 {
        let mut dice = Dice(seed);
        let (mut kept, mut other) = (Counted::new(), Counted::new());
        for _ in 0..60 {
            if dice.chance(40) {
                kept.delete();
                other.delete();
            }
            let (operation, arguments) = request(&mut dice);
            let what = format!("seed {seed}: {operation} {arguments}");
            if dice.chance(4) {
                let fault = match dice.below(2) {
                    0 => Fault::BeforeApplying,
                    _ => Fault::AfterApplying,
                };
                let before = dump(&kept);
                kept.db.fail_after(dice.below(5), fault);
                let outcome = kept.reply(operation, &arguments);
                let has_failed = kept.db.is_spent();
                kept.db.fail_after(u64::MAX, Fault::BeforeApplying);
                if has_failed {
                    assert!(outcome.is_err(), "{what}");
                    assert_eq!(dump(&kept), before, "{what}");
                    continue;
                }
                // The request ended before the fault.
                check(
                    &kept,
                    outcome,
                    &other,
                    other.reply(operation, &arguments),
                    &what,
                );
                continue;
            }
            let outcome = kept.reply(operation, &arguments);
            check(
                &kept,
                outcome,
                &other,
                other.reply(operation, &arguments),
                &what,
            );
        }
    }
}

fn check(
    kept: &Counted,
    outcome: base::Result<graph::Reply>,
    other: &Counted,
    expected: base::Result<graph::Reply>,
    what: &str,
) {
    other.memory.forget();
    if let Ok(reply) = &outcome {
        let stored = Head::load(&kept.db).unwrap();
        let told = crate::world::read(reply);
        assert_eq!(told["metadata"], stored.metadata(), "{what}");
    }
    let outcome = outcome.map(json_of).map_err(|error| error.to_json());
    let expected = expected.map(json_of).map_err(|error| error.to_json());
    assert_eq!(outcome, expected, "{what}");
    assert_eq!(dump(kept), dump(other), "{what}");
}

fn json_of(reply: graph::Reply) -> String {
    reply.json
}

fn dump(graph: &Counted) -> Vec<String> {
    crate::faults::dump(&graph.db)
}
