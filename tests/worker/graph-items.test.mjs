// Tests of single nodes and edges of a knowledge graph: create, read, update, delete, with every id
// that a URL can carry.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "../until.mjs";
import { Graph, inPath } from "./graph-client.mjs";
import { Worker } from "./harness.mjs";

/** Ids with special characters of URLs, JSON and SQL, and in other scripts. */
const IDS = [
  "NCBIGene:7157",
  "a/b",
  "/",
  "100%",
  "%2F",
  "%zz",
  "what?q=1&r=2",
  "part#2",
  "🧬",
  "タンパク質",
  "Ünïcödé é",
  "a b",
  " leading and trailing ",
  "a+b",
  "quote\"'`",
  "back\\slash",
  "'; DROP TABLE nodes; --",
  "...",
  ".hidden",
  "\u200b",
  "\u{10ffff}",
  "null",
  "0",
  "n".repeat(512),
  "é".repeat(256),
];

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

let worker;
before(async () => (worker = await Worker.start()));
after(() => worker.stop());

const graph = () => new Graph(worker);

describe("a node", () => {
  test("gets what it does not name, and 201", async () => {
    const one = graph();
    const { data, created, version, metadata } = await one.ok("POST", "/nodes", { label: "TP53", type: "gene" }, { status: 201 });
    const { id, createdAt, updatedAt, ...rest } = data;
    assert.match(id, /^node_[a-z2-7]{12}$/);
    assert.match(createdAt, TIME);
    assert.equal(createdAt, updatedAt);
    assert.deepEqual(rest, { label: "TP53", type: "gene", data: { category: "gene" }, position: { x: 0, y: 0 } });
    assert.deepEqual([created, version], [true, 1]);
    assert.deepEqual(metadata, { nodeCount: 1, edgeCount: 0, version: 1, canUndo: true, canRedo: false });
    const plain = (await one.ok("POST", "/nodes", { label: "x" }, { status: 201 })).data;
    assert.deepEqual([plain.type, plain.data], ["other", { category: "other" }]);
  });

  test("that changes is when the graph was last updated, in its state, its project and its history", async () => {
    const one = graph();
    await one.node("a");
    const first = await one.ok("GET", "");
    const times = async () => {
      const { data: state } = await one.ok("GET", "/state");
      const { data: project } = await one.ok("GET", "");
      const [step] = (await one.ok("GET", "/history?limit=1")).data;
      return { state: state.metadata.lastUpdated, project: project.updatedAt, step: step.createdAt, created: project.createdAt };
    };
    let before = first.data.updatedAt;
    for (const change of [() => one.ok("PUT", "/nodes/a", { label: "A" }), () => one.undo(), () => one.redo(), () => one.edge("a", "a")]) {
      // The clock may not have advanced since the last change.
      await until(async () => Date.now() > Date.parse(before));
      await change();
      const { state, project, step, created } = await times();
      assert.deepEqual([state, project], [step, step]);
      assert.equal(created, first.data.createdAt);
      assert.ok(Date.parse(project) > Date.parse(before), `${project} is later than ${before}`);
      before = project;
    }
    // A change without effect is no update, and neither is reading.
    await one.ok("PUT", "/nodes/a", { label: "A" });
    assert.equal((await times()).project, before);
  });

  test("keeps all that it names", async () => {
    const one = graph();
    const fields = { id: "a", label: "é 🧬", type: "Gène", data: { deep: { list: [1, null, "x"] } }, position: { x: -1.5, y: 1e9 }, pinned: true };
    const made = await one.node(fields);
    assert.deepEqual({ ...made, createdAt: undefined, updatedAt: undefined }, { ...fields, createdAt: undefined, updatedAt: undefined });
    assert.deepEqual((await one.ok("GET", "/nodes/a")).data, made);
  });

  test("has an id of its own as id, customId or canonicalId", async () => {
    const one = graph();
    for (const name of ["id", "customId", "canonicalId"]) {
      assert.equal((await one.node({ [name]: `by ${name}`, label: "x" })).id, `by ${name}`);
    }
    assert.equal((await one.node({ id: "same", customId: "same", label: "x" })).id, "same");
    await one.error("POST", "/nodes", { id: "a", canonicalId: "b", label: "x" }, 400, "INVALID_ARGUMENT");
  });

  test("is reached by any id in a URL", async () => {
    const one = graph();
    for (const id of IDS) {
      assert.equal((await one.node({ id, label: "first" })).id, id);
      const at = `/nodes/${inPath(id)}`;
      assert.equal((await one.ok("GET", at)).data.id, id);
      assert.equal((await one.ok("PUT", at, { label: "second" })).data.label, "second");
      assert.equal((await one.ok("GET", `${at}/neighbors`)).data.nodes.length, 0, id);
    }
    for (const id of IDS) await one.edge(id, IDS[0], { id });
    for (const id of IDS) {
      assert.equal((await one.ok("GET", `/edges/${inPath(id)}`)).data.source, id);
      assert.equal((await one.ok("DELETE", `/edges/${inPath(id)}`)).data.id, id);
    }
    for (const id of IDS) assert.equal((await one.ok("DELETE", `/nodes/${inPath(id)}`)).data.label, "second");
    assert.deepEqual(await one.ids(), { nodes: [], edges: [] });
  });

  test("whose id is the last part of another route is reached with a letter of it percent-encoded", async () => {
    const one = graph();
    for (const id of ["bulk-update", "by-type"]) {
      await one.node(id);
      const at = `/nodes/%62${id.slice(1)}`;
      assert.equal((await one.ok("PUT", at, { label: "second" })).data.id, id);
      assert.equal((await one.ok("DELETE", at)).data.label, "second");
    }
  });

  test("cannot have an id that a URL cannot carry", async () => {
    const one = graph();
    for (const id of ["", ".", "..", "a\nb", "\u0000", "\u007f", "n".repeat(513), "é".repeat(257), 7, null, {}]) {
      const answer = await one.send("POST", "/nodes", { id, label: "x" });
      // Null counts as absent, so an id is generated.
      if (id === null) assert.equal(answer.status, 201);
      else assert.deepEqual([answer.status, answer.body.error.code], [400, "INVALID_ARGUMENT"], JSON.stringify(id));
    }
    await one.error("GET", "/nodes/%zz", undefined, 400, "INVALID_ARGUMENT");
    await one.error("GET", "/nodes/%ff", undefined, 400, "INVALID_ARGUMENT");
  });

  test("of an id that exists is 409, unless it is an upsert", async () => {
    const one = graph();
    const made = await one.node({ id: "a", label: "one", type: "gene", data: { k: 1 } });
    await one.error("POST", "/nodes", { id: "a", label: "two" }, 409, "ALREADY_EXISTS");
    assert.deepEqual((await one.ok("GET", "/nodes/a")).data, made);
    const { data, created, version } = await one.ok("POST", "/nodes?upsert=true", { id: "a", label: "two" }, { status: 200 });
    assert.deepEqual([data.label, data.createdAt, created, version], ["two", made.createdAt, false, 2]);
    const fresh = await one.ok("POST", "/nodes?upsert=true", { id: "b", label: "b" }, { status: 201 });
    assert.equal(fresh.created, true);
  });

  test("is updated in part, its data by merge patch", async () => {
    const one = graph();
    await one.node({ id: "a", label: "one", type: "gene", data: { keep: 1, drop: 2, inner: { x: 1, y: 2 }, list: [1, 2] } });
    const first = await one.ok("PUT", "/nodes/a", { data: { drop: null, inner: { y: 3, z: { w: null, v: 1 } }, list: [3], "new": true } });
    assert.deepEqual(first.data.data, { keep: 1, inner: { x: 1, y: 3, z: { v: 1 } }, list: [3], new: true });
    assert.deepEqual([first.data.label, first.data.type, first.changed, first.version], ["one", "gene", true, 2]);
    const moved = await one.ok("PUT", "/nodes/a", { position: { x: 5, y: 6 }, pinned: true, label: "two", type: "drug" });
    assert.deepEqual([moved.data.position, moved.data.pinned, moved.data.label, moved.data.type], [{ x: 5, y: 6 }, true, "two", "drug"]);
    const unpinned = await one.ok("PUT", "/nodes/a", { pinned: false });
    assert.equal("pinned" in unpinned.data, false);
    const reset = await one.ok("PUT", "/nodes/a", { data: null });
    assert.deepEqual(reset.data.data, {});
    const same = await one.ok("PUT", "/nodes/a", { label: "two", position: { x: 5, y: 6 }, data: {} });
    assert.deepEqual([same.changed, same.version ?? same.metadata.version], [false, reset.version]);
    assert.equal(await one.version(), reset.version);
    await one.error("PUT", "/nodes/a", { id: "b" }, 400, "INVALID_ARGUMENT");
  });

  test("keeps integers of 64 bits and the text of its data", async () => {
    const one = graph();
    const data = '{"z":9007199254740993,"a":-9223372036854775808,"f":1.10,"dup":"\\u0041"}';
    const answer = await one.send("POST", "/nodes", `{"id":"a","label":"x","data":${data}}`);
    assert.equal(answer.status, 201, answer.text);
    for (const text of [answer.text, (await one.send("GET", "/nodes/a")).text, (await one.send("GET", "/state")).text, await one.bytes()]) {
      assert.match(text, /"z":\s*9007199254740993/);
      assert.match(text, /"a":\s*-9223372036854775808/);
    }
    const infinite = await one.send("PUT", "/nodes/a", '{"data":{"e":[-1e400]}}');
    assert.equal(infinite.status, 400, infinite.text);
    assert.match(infinite.text, /INVALID_ARGUMENT.*1e400/);
    await one.ok("PUT", "/nodes/a", { data: { more: 1 } });
    assert.match((await one.send("GET", "/nodes/a")).text, /"z":\s*9007199254740993/);
  });

  test("that is removed takes its edges along, and undo brings the same bytes back", async () => {
    const one = graph();
    for (const id of ["a", "b", "c"]) await one.node(id);
    for (const [source, target] of [["a", "b"], ["b", "c"], ["c", "a"], ["b", "b"]]) await one.edge(source, target, { label: "knows", data: { n: 1 } });
    const before = await one.bytes();
    const { data, removedEdges, version, metadata } = await one.ok("DELETE", "/nodes/b");
    assert.deepEqual([data.id, removedEdges, version, metadata.nodeCount, metadata.edgeCount], ["b", 3, 8, 2, 1]);
    await one.undo();
    assert.equal(await one.bytes(), before);
    await one.redo();
    assert.deepEqual((await one.ids()).nodes, ["a", "c"]);
    await one.undo();
    assert.equal(await one.bytes(), before);
  });

  test("that is missing is 404 with what was meant", async () => {
    const one = graph();
    await one.node({ id: "NCBIGene:7157", label: "TP53" });
    for (const [method, path, body] of [["GET", "", undefined], ["PUT", "", { label: "x" }], ["DELETE", "", undefined], ["GET", "/neighbors", undefined]]) {
      const error = await one.error(method, `/nodes/NCBIGene:7158${path}`, body, 404, "NODE_NOT_FOUND");
      assert.deepEqual([error.id, error.suggestions], ["NCBIGene:7158", ["NCBIGene:7157"]], method);
      assert.match(error.hint, /NCBIGene:7157/);
    }
    assert.equal(await one.version(), 1);
  });
});

describe("an edge", () => {
  async function three() {
    const one = graph();
    for (const id of ["a", "b", "c"]) await one.node(id);
    return one;
  }

  test("gets what it does not name, and 201", async () => {
    const one = await three();
    const { data, created, version } = await one.ok("POST", "/edges", { source: "a", target: "b" }, { status: 201 });
    const { id, createdAt, updatedAt, ...rest } = data;
    assert.match(id, /^edge_[a-z2-7]{12}$/);
    assert.match(createdAt, TIME);
    assert.equal(updatedAt, createdAt);
    assert.deepEqual(rest, { source: "a", target: "b", label: "", type: "", data: {} });
    assert.deepEqual([created, version], [true, 4]);
    assert.deepEqual((await one.ok("GET", `/edges/${id}`)).data, data);
  });

  test("that says nothing but ends, label and type is the one that exists", async () => {
    const one = await three();
    const first = await one.edge("a", "b", { label: "inhibits", type: "t" });
    const again = await one.ok("POST", "/edges", { source: "a", target: "b", label: "inhibits", type: "t" }, { status: 200 });
    assert.deepEqual([again.created, again.data], [false, first]);
    assert.equal(await one.version(), 4);
    await one.edge("a", "b", { label: "activates", type: "t" });
    await one.edge("a", "b", { label: "inhibits", type: "u" });
    await one.edge("b", "a", { label: "inhibits", type: "t" });
    await one.edge("a", "a", { label: "inhibits", type: "t" });
    assert.equal((await one.ok("GET", "")).data.edgeCount, 5);
  });

  test("with data or an id of its own is one of its own", async () => {
    const one = await three();
    const same = { label: "inhibits", type: "t" };
    const ids = new Set([(await one.edge("a", "b", same)).id]);
    for (const more of [{ data: { n: 1 } }, { data: { n: 1 } }, { id: "e1" }, { id: "e2", data: { n: 1 } }]) {
      const added = await one.ok("POST", "/edges", { source: "a", target: "b", ...same, ...more }, { status: 201 });
      assert.equal(added.created, true);
      if (more.id !== undefined) assert.equal(added.data.id, more.id);
      ids.add(added.data.id);
    }
    assert.equal(ids.size, 5);
    const bulk = await one.ok("POST", "/edges/bulk", { edges: [{ source: "a", target: "b", ...same }, { source: "a", target: "b", ...same, data: { n: 2 } }] });
    assert.deepEqual([bulk.created, bulk.skipped, bulk.existing], [1, 1, [{ index: 0, id: [...ids][0] }]]);
    await one.undo();
    assert.equal((await one.ok("GET", "")).data.edgeCount, 5);
  });

  test("to a node that does not exist is 404 and names it", async () => {
    const one = await three();
    for (const [source, target, missing] of [["a", "nobody", "nobody"], ["nobody", "a", "nobody"]]) {
      const error = await one.error("POST", "/edges", { source, target }, 404, "NODE_NOT_FOUND");
      assert.ok(JSON.stringify(error).includes(missing), JSON.stringify(error));
    }
    const edge = await one.edge("a", "b");
    await one.error("PUT", `/edges/${edge.id}`, { target: "nobody" }, 404, "NODE_NOT_FOUND");
    assert.deepEqual((await one.ok("GET", `/edges/${edge.id}`)).data, edge);
    assert.equal(await one.version(), 4);
  });

  test("of an id that exists is 409", async () => {
    const one = await three();
    await one.edge("a", "b", { id: "e" });
    await one.error("POST", "/edges", { id: "e", source: "b", target: "c" }, 409, "ALREADY_EXISTS");
    assert.equal(await one.version(), 4);
  });

  test("is updated in part, and may become parallel to another", async () => {
    const one = await three();
    const edge = await one.edge("a", "b", { id: "e", label: "one", data: { x: 1, y: 2 } });
    const moved = await one.ok("PUT", "/edges/e", { target: "c", data: { y: null, z: 3 } });
    assert.deepEqual([moved.data.source, moved.data.target, moved.data.label, moved.data.data, moved.data.createdAt], ["a", "c", "one", { x: 1, z: 3 }, edge.createdAt]);
    assert.equal((await one.ok("PUT", "/edges/e", { label: "one" })).changed, false);
    assert.deepEqual((await one.ok("PUT", "/edges/e", { data: null })).data.data, {});
    await one.edge("a", "b", { id: "other", label: "one" });
    assert.deepEqual((await one.ok("PUT", "/edges/e", { target: "b" })).data.target, "b");
    assert.equal((await one.ok("PUT", "/edges/e", { label: "", type: "t" })).data.label, "");
  });

  test("is removed once, and is then missing", async () => {
    const one = await three();
    const edge = await one.edge("a", "b", { id: "a-b" });
    const before = await one.bytes();
    assert.deepEqual((await one.ok("DELETE", "/edges/a-b")).data, edge);
    for (const [method, body] of [["GET", undefined], ["PUT", { label: "x" }], ["DELETE", undefined]]) {
      const error = await one.error(method, "/edges/a-b", body, 404, "EDGE_NOT_FOUND");
      assert.equal(error.id, "a-b");
    }
    await one.undo();
    assert.equal(await one.bytes(), before);
  });
});
