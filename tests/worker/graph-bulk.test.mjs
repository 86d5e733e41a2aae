// Tests of many nodes and edges in one request: all or nothing, one step, one error that lists each
// bad item; and of changes to one version only.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Graph, ring } from "./graph-client.mjs";
import { Worker } from "./harness.mjs";

let worker;
before(async () => (worker = await Worker.start()));
after(() => worker.stop());

const graph = () => new Graph(worker);
const node = (id, more = {}) => ({ id, label: id, ...more });
/** Returns the places of the bad items in an error, with their codes. */
const places = (error) => error.issues.map(({ list, index, code }) => `${list}[${index}] ${code}`);

describe("nodes in bulk", () => {
  test("are one step, and say what became of each", async () => {
    const one = graph();
    const first = await one.ok("POST", "/nodes/bulk", { nodes: [node("a"), node("b"), { label: "no id" }] }, { status: 200 });
    assert.deepEqual([first.created, first.updated, first.skipped, first.total, first.version], [3, 0, 0, 3, 1]);
    assert.deepEqual(first.ids.slice(0, 2), ["a", "b"]);
    assert.match(first.ids[2], /^node_[a-z2-7]{12}$/);
    const again = await one.ok("POST", "/nodes/bulk", { nodes: [node("b", { label: "other" }), node("c")] });
    assert.deepEqual([again.created, again.updated, again.skipped, again.total, again.ids], [1, 0, 1, 2, ["b", "c"]]);
    assert.equal((await one.ok("GET", "/nodes/b")).data.label, "b");
    const replaced = await one.ok("POST", "/nodes/bulk", { nodes: [node("b", { label: "other" })], onConflict: "replace" }, { status: 200 });
    assert.deepEqual([replaced.created, replaced.updated, replaced.version], [0, 1, 3]);
    assert.equal((await one.ok("GET", "/nodes/b")).data.label, "other");
    assert.deepEqual((await one.words()).slice(1), ["Bulk added 1 node", "Bulk added 3 nodes"]);
  });

  test("that change nothing are no step", async () => {
    const one = graph();
    await one.ok("POST", "/nodes/bulk", { nodes: [node("a")] });
    assert.equal((await one.ok("POST", "/nodes/bulk", { nodes: [node("a")] }, { status: 200 })).metadata.version, 1);
    assert.equal((await one.ok("POST", "/nodes/bulk", { nodes: [] })).total, 0);
    assert.equal(await one.version(), 1);
  });

  test("list each bad one and change nothing", async () => {
    const one = graph();
    await one.node("there");
    const nodes = [node("fine"), { id: "x" }, node("y", { label: 5 }), node("z", { data: [] }), node("w", { colour: "red" }), node("..")];
    const error = await one.error("POST", "/nodes/bulk", { nodes }, 400, "INVALID_ARGUMENT");
    assert.deepEqual(places(error), [1, 2, 3, 4, 5].map((index) => `nodes[${index}] INVALID_ARGUMENT`));
    assert.equal(error.issueCount, 5);
    const conflict = await one.error("POST", "/nodes/bulk", { nodes: [node("fine"), node("there")], onConflict: "error" }, 409, "ALREADY_EXISTS");
    assert.deepEqual(places(conflict), ["nodes[1] ALREADY_EXISTS"]);
    const twice = await one.send("POST", "/nodes/bulk", { nodes: [node("a"), node("a", { label: "b" })], onConflict: "error" });
    assert.ok(twice.status === 400 || twice.status === 409, twice.text);
    assert.deepEqual(places(twice.body.error).map((place) => place.split(" ")[0]), ["nodes[1]"]);
    assert.deepEqual((await one.ids()).nodes, ["there"]);
    assert.equal(await one.version(), 1);
  });

  test("list the first hundred bad ones and count all", async () => {
    const one = graph();
    const error = await one.error("POST", "/nodes/bulk", { nodes: Array.from({ length: 250 }, () => ({})) }, 400, "INVALID_ARGUMENT");
    assert.deepEqual([error.issues.length, error.issueCount], [100, 250]);
  });

  test("are updated in one step, or none is", async () => {
    const one = graph();
    await one.ok("POST", "/nodes/bulk", { nodes: [node("a", { data: { k: 1 } }), node("b")] });
    const done = await one.ok("PUT", "/nodes/bulk-update", { nodes: [{ id: "a", data: { k: null, l: 2 } }, { id: "b", position: { x: 1, y: 2 } }] });
    assert.deepEqual([done.updated, done.total, done.version], [2, 2, 2]);
    assert.deepEqual((await one.ok("GET", "/nodes/a")).data.data, { l: 2 });
    const before = await one.bytes();
    const error = await one.error("PUT", "/nodes/bulk-update", { nodes: [{ id: "a", label: "A" }, { id: "nobody", label: "x" }, { id: "none" }] }, 404, "NODE_NOT_FOUND");
    assert.deepEqual(places(error), ["nodes[1] NODE_NOT_FOUND", "nodes[2] NODE_NOT_FOUND"]);
    assert.equal(await one.bytes(), before);
    await one.ok("PUT", "/nodes/bulk-update", { nodes: [{ id: "a", position: { x: 7, y: 7 } }, { id: "b", position: { x: 8, y: 8 } }] });
    assert.equal((await one.words())[0], "Moved 2 nodes");
  });

  test("are removed by type, first as a preview", async () => {
    const one = graph();
    await one.ok("POST", "/nodes/bulk", { nodes: [node("g", { type: "Gene" }), node("h", { type: "gene" }), node("d", { type: "drug" }), node("o")] });
    await one.edge("g", "d");
    await one.edge("d", "o");
    const before = await one.bytes();
    const seen = await one.ok("DELETE", "/nodes/by-type", { nodeTypes: ["GENE"], preview: true });
    assert.deepEqual([seen.preview, seen.nodes, seen.edges], [true, 2, 1]);
    assert.equal(Object.values(seen.types).reduce((sum, count) => sum + count, 0), 2);
    assert.equal(await one.bytes(), before);
    const done = await one.ok("DELETE", "/nodes/by-type", { nodeTypes: ["GENE"] });
    assert.deepEqual([done.preview, done.nodes, done.edges], [false, 2, 1]);
    assert.deepEqual((await one.ids()).nodes, ["d", "o"]);
    assert.equal((await one.words())[0], "Removed nodes by type: Gene, gene");
    await one.undo();
    assert.equal(await one.bytes(), before);
    assert.equal((await one.ok("DELETE", "/nodes/by-type", { excludeTypes: ["gene", "OTHER"] })).nodes, 1);
    assert.deepEqual((await one.ids()).nodes, ["g", "h", "o"]);
    await one.error("DELETE", "/nodes/by-type", {}, 400, "INVALID_ARGUMENT");
    await one.error("DELETE", "/nodes/by-type", { nodeTypes: "gene" }, 400, "INVALID_ARGUMENT");
    const version = await one.version();
    assert.equal((await one.ok("DELETE", "/nodes/by-type", { nodeTypes: ["pathway"] })).nodes, 0);
    assert.equal(await one.version(), version);
  });
});

describe("edges in bulk", () => {
  async function three() {
    const one = graph();
    await one.ok("POST", "/nodes/bulk", { nodes: ["a", "b", "c"].map((id) => node(id)) });
    return one;
  }

  test("are one step; those that exist are skipped", async () => {
    const one = await three();
    const edges = [{ source: "a", target: "b" }, { source: "b", target: "c", id: "bc" }, { source: "a", target: "b" }];
    const first = await one.ok("POST", "/edges/bulk", { edges });
    assert.deepEqual([first.created, first.skipped, first.total, first.version], [2, 1, 3, 2]);
    assert.deepEqual([first.ids[1], first.ids[2]], ["bc", first.ids[0]]);
    const again = await one.ok("POST", "/edges/bulk", { edges: edges.slice(0, 1) });
    assert.deepEqual([again.created, again.skipped, again.ids], [0, 1, [first.ids[0]]]);
    assert.deepEqual(await one.words(), ["Bulk added 2 edges", "Bulk added 3 nodes"]);
  });

  test("with ends that do not exist list each and change nothing", async () => {
    const one = await three();
    const error = await one.error("POST", "/edges/bulk", { edges: [{ source: "a", target: "b" }, { source: "a", target: "x" }, { source: "y", target: "b" }] }, 404, "NODE_NOT_FOUND");
    assert.deepEqual(places(error), ["edges[1] NODE_NOT_FOUND", "edges[2] NODE_NOT_FOUND"]);
    const mixed = await one.send("POST", "/edges/bulk", { edges: [{ source: "a" }, { source: "a", target: "x" }] });
    assert.equal(mixed.status, 400, mixed.text);
    assert.equal(places(mixed.body.error)[0], "edges[0] INVALID_ARGUMENT");
    assert.deepEqual((await one.ids()).edges, []);
  });

  test("are updated in one step, or none is", async () => {
    const one = await three();
    await one.ok("POST", "/edges/bulk", { edges: [{ id: "1", source: "a", target: "b" }, { id: "2", source: "b", target: "c" }] });
    const done = await one.ok("PUT", "/edges/bulk-update", { edges: [{ id: "1", label: "x" }, { id: "2", source: "a" }] });
    assert.deepEqual([done.updated, done.total, done.version], [2, 2, 3]);
    const before = await one.bytes();
    const error = await one.error("PUT", "/edges/bulk-update", { edges: [{ id: "1", label: "y" }, { id: "3", label: "y" }] }, 404, "EDGE_NOT_FOUND");
    assert.deepEqual(places(error), ["edges[1] EDGE_NOT_FOUND"]);
    await one.error("PUT", "/edges/bulk-update", { edges: [{ id: "1", target: "nobody" }] }, 404, "NODE_NOT_FOUND");
    assert.equal(await one.bytes(), before);
  });

  test("and nodes are removed together, in one step, or none is", async () => {
    const one = await three();
    await one.ok("POST", "/edges/bulk", { edges: [{ id: "1", source: "a", target: "b" }, { id: "2", source: "b", target: "c" }, { id: "3", source: "c", target: "c" }] });
    const before = await one.bytes();
    const missing = await one.error("POST", "/remove", { nodes: ["a", "nobody"], edges: ["3"] }, 404, "NODE_NOT_FOUND");
    assert.ok(JSON.stringify(missing).includes("nobody"));
    assert.equal(await one.bytes(), before);
    const done = await one.ok("POST", "/remove", { nodes: ["a"], edges: ["3"] });
    assert.deepEqual([done.nodes, done.edges, done.version], [1, 2, 3]);
    assert.deepEqual(await one.ids(), { nodes: ["b", "c"], edges: ["2"] });
    await one.undo();
    assert.equal(await one.bytes(), before);
  });
});

describe("If-Match", () => {
  /** Each writing route with a body that would change the graph. */
  const WRITES = [
    ["POST", "/nodes", node("z")],
    ["PUT", "/nodes/a", { label: "A" }],
    ["DELETE", "/nodes/a"],
    ["POST", "/nodes/bulk", { nodes: [node("z")] }],
    ["PUT", "/nodes/bulk-update", { nodes: [{ id: "a", label: "A" }] }],
    ["DELETE", "/nodes/by-type", { nodeTypes: ["other"] }],
    ["POST", "/edges", { source: "a", target: "a" }],
    ["PUT", "/edges/e", { label: "A" }],
    ["DELETE", "/edges/e"],
    ["POST", "/edges/bulk", { edges: [{ source: "a", target: "a" }] }],
    ["PUT", "/edges/bulk-update", { edges: [{ id: "e", label: "A" }] }],
    ["POST", "/remove", { nodes: ["a"] }],
    ["POST", "/import", { nodes: [node("z")], edges: [] }],
    ["POST", "/undo"],
    ["POST", "/restore", { version: 1 }],
    ["POST", "/mock-data", { dataset: "cancer" }],
    ["POST", "/layout", { algorithm: "circular" }],
    ["POST", "/init", { name: "other" }],
  ];
  let session;
  before(async () => {
    session = worker.session();
    await session.exec("CREATE TABLE films (title TEXT)");
    await session.exec("INSERT INTO films VALUES ('Heat')");
    WRITES.push(["POST", "/import-from-query", { session: session.name, sql: "SELECT title FROM films", nodes: { label: "title" } }]);
  });

  test("of another version is 412 on every writing route, and changes nothing", async () => {
    const one = graph();
    await one.ok("POST", "/nodes/bulk", { nodes: ["a", "b"].map((id) => node(id)) });
    await one.edge("a", "b", { id: "e" });
    const before = await one.bytes();
    for (const [method, path, body] of WRITES) {
      for (const tag of ["1", '"1"', "99"]) {
        const error = await one.error(method, path, body, 412, "VERSION_CONFLICT", { "if-match": tag });
        assert.equal(error.version, 2, `${method} ${path}`);
      }
      await one.error(method, path, body, 400, "INVALID_ARGUMENT", { "if-match": "abc" });
    }
    assert.equal(await one.bytes(), before);
    assert.equal(await one.version(), 2);
  });

  test("of the present version lets the change through", async () => {
    for (const [method, path, body] of WRITES) {
      const one = graph();
      await one.ok("POST", "/nodes/bulk", { nodes: ["a", "b"].map((id) => node(id)) });
      await one.edge("a", "b", { id: "e" });
      const answer = await one.send(method, path, body, { "if-match": '"2"' });
      assert.ok(answer.status === 200 || answer.status === 201, `${method} ${path}: ${answer.text}`);
      if (path !== "/init") assert.equal(await one.version(), 3, `${method} ${path}`);
    }
  });

  test("guards a redo, and the deletion of the graph", async () => {
    const one = graph();
    await one.node("a");
    await one.node("b");
    await one.undo();
    const before = await one.bytes();
    for (const [method, path] of [["POST", "/redo"], ["DELETE", ""]]) {
      const error = await one.error(method, path, undefined, 412, "VERSION_CONFLICT", { "if-match": "2" });
      assert.equal(error.version, 3, `${method} ${path}`);
      await one.error(method, path, undefined, 400, "INVALID_ARGUMENT", { "if-match": "abc" });
      assert.equal(await one.bytes(), before);
    }
    assert.equal((await one.send("POST", "/redo", undefined, { "if-match": '"3"' })).status, 200);
    assert.deepEqual((await one.ids()).nodes, ["a", "b"]);
    await one.error("POST", "", { operation: "deleteGraph", ifVersion: 3 }, 412, "VERSION_CONFLICT");
    assert.equal((await one.send("DELETE", "", undefined, { "if-match": "4" })).status, 200);
    assert.equal(await one.version(), 0);
  });

  test("is refused where nothing is changed", async () => {
    const one = graph();
    await one.node("a");
    for (const [path, body] of [["/query", { sql: "SELECT 1" }], ["/export-to-session", { session: session.name }]]) {
      const error = await one.error("POST", path, body, 400, "INVALID_ARGUMENT", { "if-match": "1" });
      assert.match(error.message, /If-Match/);
    }
    await one.error("GET", "/state", undefined, 400, "INVALID_ARGUMENT", { "if-match": "1" });
  });

  test("lets one of many clients through", async () => {
    const one = graph();
    await one.node("a");
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => one.send("PUT", "/nodes/a", { label: `label ${index}` }, { "if-match": "1" })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(19).fill(412)]);
    assert.equal(await one.version(), 2);
  });
});

test("5,000 nodes and 20,000 edges are one step, and one undo", async () => {
  const one = graph();
  await one.node("before");
  const before = await one.bytes();
  const { nodes, edges } = await one.ok("POST", "/import?onConflict=error", ring(5_000, 20_000));
  assert.deepEqual([nodes.created, edges.created], [5_000, 20_000]);
  const whole = await one.bytes();
  assert.equal(await one.version(), 2);
  const { data } = await one.undo();
  assert.deepEqual([data.nodes.deleted, data.edges.deleted], [5_000, 20_000]);
  assert.equal(await one.bytes(), before);
  await one.redo();
  assert.equal(await one.bytes(), whole);
});
