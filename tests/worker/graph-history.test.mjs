// Tests of the history of a knowledge graph: undo and redo, old versions, differences, restore, and
// how long all of these are kept.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Graph, inPath } from "./graph-client.mjs";
import { Worker } from "./harness.mjs";

let worker;
before(async () => (worker = await Worker.start()));
after(() => worker.stop());

const graph = () => new Graph(worker);

/** One change of each kind, in an order in which each has an effect. */
const CHANGES = [
  ["POST", "/mock-data", { dataset: "diabetes" }, "Added mock data"],
  ["POST", "/nodes", { id: "a", label: "Alpha", type: "drug" }, "Added node: Alpha"],
  ["POST", "/nodes", { id: "b", label: "Beta" }, "Added node: Beta"],
  ["POST", "/edges", { id: "ab", source: "a", target: "b", label: "binds" }, "Added edge: Alpha → Beta"],
  ["PUT", "/nodes/a", { label: "ALPHA" }, "Updated node: ALPHA"],
  ["PUT", "/nodes/a", { position: { x: 9, y: 9 } }, "Moved node: ALPHA"],
  ["PUT", "/edges/ab", { label: "blocks" }, "Updated edge: ALPHA → Beta"],
  ["POST", "/nodes/bulk", { nodes: [{ id: "c", label: "c" }, { id: "d", label: "d" }] }, "Bulk added 2 nodes"],
  ["POST", "/edges/bulk", { edges: [{ source: "c", target: "d" }, { source: "d", target: "d" }] }, "Bulk added 2 edges"],
  ["PUT", "/nodes/bulk-update", { nodes: [{ id: "c", label: "C" }, { id: "d", label: "D" }] }, "Updated 2 nodes"],
  ["PUT", "/nodes/bulk-update", { nodes: [{ id: "c", position: { x: 1, y: 1 } }, { id: "d", position: { x: 2, y: 2 } }] }, "Moved 2 nodes"],
  ["POST", "/import", { nodes: [{ id: "i", label: "i" }], edges: [{ source: "i", target: "a" }] }, "Imported 1 node and 1 edge"],
  ["POST", "/layout", { algorithm: "circular" }, "Applied circular layout"],
  ["POST", "/remove", { nodes: ["c", "d"], edges: [] }, "Removed 2 nodes and 2 edges"],
  ["DELETE", "/edges/ab", undefined, "Removed edge: ALPHA → Beta"],
  ["DELETE", "/nodes/MONDO:0005148", undefined, "Removed node: Type 2 Diabetes and 5 edges"],
  ["DELETE", "/nodes/by-type", { nodeTypes: ["gene", "drug"] }, "Removed nodes by type: drug, gene"],
];

/** Makes the graph of all changes; returns its bytes at each version. */
async function changed() {
  const one = graph();
  const bytes = [await one.bytes()];
  for (const [method, path, body] of CHANGES) {
    const answer = await one.send(method, path, body);
    assert.ok(answer.status === 200 || answer.status === 201, `${method} ${path}: ${answer.text}`);
    bytes.push(await one.bytes());
  }
  return { one, bytes };
}

describe("history", () => {
  test("has a step for each request, in words, newest first", async () => {
    const { one } = await changed();
    const steps = await one.history();
    // "Removed node: X and N edges" may have a sign between its parts.
    const plain = (words) => words.replace(" + ", " and ");
    assert.deepEqual(steps.map(({ description }) => plain(description)), CHANGES.map(([, , , words]) => words).toReversed());
    assert.deepEqual(steps.map(({ version }) => version), CHANGES.map((_, index) => CHANGES.length - index));
    for (const step of steps) {
      assert.deepEqual([step.kind, step.actor, step.undone], ["edit", "api", false]);
      assert.match(step.createdAt, /^\d{4}-\d\d-\d\dT.*Z$/);
      const touched = [step.nodes, step.edges].flatMap(({ created, updated, deleted }) => [created, updated, deleted]);
      assert.ok(touched.reduce((sum, count) => sum + count, 0) > 0, JSON.stringify(step));
    }
  });

  test("comes in pages", async () => {
    const { one } = await changed();
    const whole = await one.ok("GET", "/history?limit=1000");
    assert.deepEqual([whole.version, whole.oldestVersion, whole.nextCursor], [CHANGES.length, 0, null]);
    const seen = [];
    for (let cursor = null; ; ) {
      const page = await one.ok("GET", `/history?limit=4${cursor === null ? "" : `&cursor=${inPath(cursor)}`}`);
      seen.push(...page.data);
      cursor = page.nextCursor;
      if (cursor === null) break;
    }
    assert.deepEqual(seen, whole.data);
    for (const query of ["?limit=0", "?limit=1001", "?cursor=x", "?limits=1"]) await one.error("GET", `/history${query}`, undefined, 400, "INVALID_ARGUMENT");
  });

  test("names the actor that the caller names", async () => {
    const one = graph();
    for (const [header, actor] of [["person", "person"], ["J%C3%BCrgen", "Jürgen"]]) {
      await one.ok("POST", "/nodes", { label: "x" }, { status: 201, headers: { "x-codemode-actor": header } });
      assert.equal((await one.history())[0].actor, actor);
    }
    for (const header of ["x".repeat(65), "%0A"]) await one.error("POST", "/nodes", { label: "x" }, 400, "INVALID_ARGUMENT", { "x-codemode-actor": header });
  });
});

describe("undo and redo", () => {
  test("bring the same bytes back, for every kind of change", async () => {
    const { one, bytes } = await changed();
    for (let at = CHANGES.length - 1; at >= 0; at -= 1) {
      const { data, metadata } = await one.undo();
      assert.equal(await one.bytes(), bytes[at], CHANGES[at].join(" "));
      assert.equal(data.description.replace(" + ", " and "), CHANGES[at][3]);
      assert.deepEqual([metadata.canUndo, metadata.canRedo], [at > 0, true]);
    }
    await one.error("POST", "/undo", undefined, 409, "NOTHING_TO_UNDO");
    for (let at = 1; at <= CHANGES.length; at += 1) {
      const { metadata } = await one.redo();
      assert.equal(await one.bytes(), bytes[at], CHANGES[at - 1].join(" "));
      assert.deepEqual([metadata.canUndo, metadata.canRedo], [true, at < CHANGES.length]);
    }
    await one.error("POST", "/redo", undefined, 409, "NOTHING_TO_REDO");
    assert.equal(await one.version(), 3 * CHANGES.length);
  });

  test("are steps themselves, and say what they did", async () => {
    const one = graph();
    await one.node("a");
    await one.undo();
    await one.redo();
    const steps = await one.history();
    assert.deepEqual(steps.map(({ version, kind, description }) => [version, kind, description]), [[3, "redo", "Redid: Added node: a"], [2, "undo", "Undid: Added node: a"], [1, "edit", "Added node: a"]]);
    await one.undo();
    assert.equal((await one.history()).at(-1).undone, true);
  });

  test("after an edit cannot redo what was undone before it", async () => {
    const one = graph();
    for (const id of ["a", "b", "c"]) await one.node(id);
    await one.undo();
    await one.undo();
    await one.node("d");
    await one.error("POST", "/redo", undefined, 409, "NOTHING_TO_REDO");
    assert.deepEqual((await one.ids()).nodes, ["a", "d"]);
    await one.undo();
    await one.undo();
    assert.deepEqual((await one.ids()).nodes, []);
    await one.redo();
    await one.redo();
    assert.deepEqual((await one.ids()).nodes, ["a", "d"]);
    await one.error("POST", "/redo", undefined, 409, "NOTHING_TO_REDO");
  });
});

describe("versions", () => {
  test("are the graph as it was, in pages like today's", async () => {
    const { one } = await changed();
    const states = [];
    const replay = graph();
    states.push(await replay.state());
    for (const [method, path, body] of CHANGES) {
      await replay.send(method, path, body);
      states.push(await replay.state());
    }
    const timeless = ({ nodes, edges }) => JSON.stringify([nodes, edges].map((list) => list.map(({ createdAt, updatedAt, id, ...rest }) => (id.startsWith("edge_") ? rest : { id, ...rest }))));
    for (const [version, state] of states.entries()) {
      for (const limit of [3, 1_000]) {
        const then = await one.state({ path: `/history/${version}`, limit });
        assert.equal(timeless(then), timeless(state), `version ${version}`);
        assert.deepEqual([then.metadata.nodeCount, then.metadata.edgeCount, then.metadata.version], [state.nodes.length, state.edges.length, version]);
      }
    }
    const genes = await one.state({ path: "/history/1", more: "&type=gene" });
    assert.equal(genes.nodes.length, 4);
  });

  test("that there are not are 404, or 400 if they are none", async () => {
    const one = graph();
    await one.node("a");
    for (const [version, status, code] of [["2", 404, "VERSION_NOT_FOUND"], ["999999999999", 404, "VERSION_NOT_FOUND"], ["-1", 400, "INVALID_ARGUMENT"], ["x", 400, "INVALID_ARGUMENT"], ["1.5", 400, "INVALID_ARGUMENT"], ["18446744073709551616", 400, "INVALID_ARGUMENT"]]) {
      const error = await one.error("GET", `/history/${version}`, undefined, status, code);
      if (status === 404) assert.deepEqual([error.oldest, error.newest], [0, 1]);
    }
    await one.error("POST", "/restore", { version: 2 }, 404, "VERSION_NOT_FOUND");
    await one.error("GET", "/diff?from=0&to=2", undefined, 404, "VERSION_NOT_FOUND");
    await one.error("GET", "/diff", undefined, 400, "INVALID_ARGUMENT");
  });

  test("differ by what was added, removed and changed between them", async () => {
    const one = graph();
    await one.node({ id: "a", label: "a" });
    await one.node({ id: "b", label: "b" });
    await one.edge("a", "b", { id: "e" });
    await one.ok("PUT", "/nodes/a", { label: "A" });
    await one.ok("DELETE", "/nodes/b");
    await one.node({ id: "c", label: "c" });
    const { data } = await one.ok("GET", "/diff?from=3&to=6");
    assert.deepEqual([data.from, data.to], [3, 6]);
    assert.deepEqual([data.nodes.added.map(({ id }) => id), data.nodes.removed.map(({ id }) => id)], [["c"], ["b"]]);
    assert.deepEqual(data.nodes.changed.map(({ before, after }) => [before.label, after.label]), [["a", "A"]]);
    assert.deepEqual([data.edges.added, data.edges.removed.map(({ id }) => id), data.edges.changed], [[], ["e"], []]);
    const back = (await one.ok("GET", "/diff?from=6&to=3")).data;
    assert.deepEqual([back.nodes.added.map(({ id }) => id), back.nodes.removed.map(({ id }) => id)], [["b"], ["c"]]);
    const none = (await one.ok("GET", "/diff?from=6")).data;
    assert.deepEqual([none.to, none.nodes, none.edges], [6, { added: [], removed: [], changed: [] }, { added: [], removed: [], changed: [] }]);
  });

  test("can be restored, as a step that can be undone", async () => {
    const { one, bytes } = await changed();
    const last = bytes.length - 1;
    for (const version of [0, 5, 1, last]) {
      const before = await one.bytes();
      await one.ok("POST", "/restore", { version });
      assert.equal(await one.bytes(), bytes[version], `version ${version}`);
      assert.deepEqual([(await one.words())[0], (await one.history())[0].kind], [`Restored version ${version}`, "restore"]);
      await one.undo();
      assert.equal(await one.bytes(), before);
      await one.redo();
      assert.equal(await one.bytes(), bytes[version]);
    }
    const version = await one.version();
    await one.ok("POST", "/restore", { version });
    assert.equal(await one.version(), version, "the graph as it is was no step");
  });
});

describe("a history of five steps", () => {
  let short;
  before(async () => (short = await Worker.start({ settings: { GRAPH_HISTORY_STEPS: "5" } })));
  after(() => short.stop());

  test("keeps the last five, and reads and undoes what they reach", async () => {
    const one = new Graph(short);
    const bytes = [await one.bytes()];
    for (let index = 1; index <= 12; index += 1) {
      await (index === 9 ? one.ok("DELETE", "/nodes/n2") : one.node(`n${index}`));
      bytes.push(await one.bytes());
    }
    const { data, oldestVersion, version } = await one.ok("GET", "/history");
    assert.deepEqual([data.length, oldestVersion, version], [5, 7, 12]);
    assert.deepEqual(data.map((step) => step.version), [12, 11, 10, 9, 8]);
    const then = await one.state({ path: "/history/7" });
    assert.deepEqual(then.nodes.map(({ id }) => id), ["n1", "n2", "n3", "n4", "n5", "n6", "n7"]);
    for (const path of ["/history/6", "/diff?from=6"]) {
      const error = await one.error("GET", path, undefined, 404, "VERSION_NOT_FOUND");
      assert.deepEqual([error.oldest, error.newest], [7, 12]);
    }
    await one.error("POST", "/restore", { version: 6 }, 404, "VERSION_NOT_FOUND");
    // Each undo is a step as well, and displaces an older one; only the remaining edits can be
    // undone.
    let undone = 0;
    while ((await one.state()).metadata.canUndo) {
      await one.undo();
      undone += 1;
      assert.equal(await one.bytes(), bytes[12 - undone], `${undone} undone`);
    }
    assert.ok(undone >= 2 && undone <= 5, `${undone} steps undone`);
    await one.error("POST", "/undo", undefined, 409, "NOTHING_TO_UNDO");
    let redone = 0;
    while ((await one.state()).metadata.canRedo) {
      await one.redo();
      redone += 1;
      assert.equal(await one.bytes(), bytes[12 - undone + redone], `${redone} redone`);
    }
    assert.ok((await one.history()).length <= 5);
  });

  test("says that a reader who is too far behind must begin again", async () => {
    const one = new Graph(short);
    for (let index = 1; index <= 12; index += 1) await one.node(`n${index}`);
    const late = await one.events({ after: 3 });
    const [first] = await late.first(1);
    assert.deepEqual([first.event, first.data.version, first.data.oldestVersion], ["reset", 12, 7]);
    await one.node("more");
    assert.deepEqual((await late.first(2))[1].data.version, 13);
    await late.close();
    const inTime = await one.events({ lastEventId: 9 });
    assert.deepEqual((await inTime.first(4)).map(({ id, event }) => [id, event]), [["10", "change"], ["11", "change"], ["12", "change"], ["13", "change"]]);
    await inTime.close();
  });
});
