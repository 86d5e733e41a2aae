// Tests of the stream of a graph's changes: each of many readers gets every commit in order, and
// resumes after a break.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "../until.mjs";
import { Graph, patched, ring } from "./graph-client.mjs";
import { Worker } from "./harness.mjs";

const READERS = 20;

let worker;
before(async () => (worker = await Worker.start()));
after(() => worker.stop());

const graph = () => new Graph(worker);
const empty = () => ({ nodes: new Map(), edges: new Map() });

/** Returns the state of the graph in the form that patches make. */
async function asMaps(one) {
  const { nodes, edges } = await one.state({ limit: 10_000 });
  return { nodes: new Map(nodes.map((node) => [node.id, node])), edges: new Map(edges.map((edge) => [edge.id, edge])) };
}

/** Makes changes of many kinds, including undo and redo. */
async function edit(one) {
  await one.ok("POST", "/mock-data", { dataset: "diabetes" });
  await one.node({ id: "a", label: "Alpha", data: { n: 1 } });
  await one.edge("a", "MONDO:0005148", { id: "e", label: "x" });
  await one.ok("PUT", "/nodes/a", { label: "ALPHA" });
  await one.ok("DELETE", "/nodes/MONDO:0005148");
  await one.undo();
  await one.ok("POST", "/layout", { algorithm: "circular" });
  await one.undo();
  await one.redo();
  await one.ok("POST", "/restore", { version: 1 });
  return one.version();
}

describe("a stream of changes", () => {
  test("begins with the present version, and then has each change with its patch", async () => {
    const one = graph();
    await one.node("first");
    const stream = await one.events();
    const [ready] = await stream.first(1);
    assert.equal(ready.event, "ready");
    assert.equal(ready.data.version, 1);
    assert.equal(ready.data.metadata.nodeCount, 1);
    const made = await one.ok("POST", "/nodes", { id: "a", label: "Alpha" }, { status: 201, headers: { "x-codemode-actor": "person" } });
    const edge = await one.edge("a", "first", { id: "e" });
    await one.ok("PUT", "/nodes/a", { label: "Beta" });
    await one.ok("DELETE", "/nodes/first");
    const [, added, connected, renamed, removed] = await stream.first(5);
    assert.deepEqual([added.event, added.id], ["change", "2"]);
    const { createdAt, metadata, ...rest } = added.data;
    assert.deepEqual(rest, { version: 2, kind: "edit", description: "Added node: Alpha", actor: "person", patch: { nodes: { upserted: [made.data], deleted: [] }, edges: { upserted: [], deleted: [] } } });
    assert.equal(createdAt, (await one.history()).find(({ version }) => version === 2).createdAt);
    assert.deepEqual(metadata, made.metadata);
    assert.deepEqual(connected.data.patch.edges.upserted, [edge]);
    assert.equal(renamed.data.patch.nodes.upserted[0].label, "Beta");
    assert.deepEqual([removed.data.patch.nodes.deleted, removed.data.patch.edges.deleted], [["first"], ["e"]]);
    await stream.close();
  });

  test("patches make of an empty graph what the tables have", async () => {
    const one = graph();
    const stream = await one.events({ after: 0 });
    const version = await edit(one);
    const changes = await stream.first(version);
    assert.deepEqual(changes.map(({ id, event }) => [id, event]), Array.from({ length: version }, (_, index) => [`${index + 1}`, "change"]));
    assert.deepEqual(patched(empty(), changes.map(({ data }) => data)), await asMaps(one));
    const kinds = (await one.history()).toReversed().map(({ kind, description }) => [kind, description]);
    assert.deepEqual(changes.map(({ data }) => [data.kind, data.description]), kinds);
    await stream.close();
  });

  test("is the same for many readers, wherever each began", async () => {
    const one = graph();
    await one.node("before");
    const readers = await Promise.all(Array.from({ length: READERS }, (_, index) => one.events({ after: index % 2 })));
    const version = await edit(one);
    for (const [index, reader] of readers.entries()) {
      const changes = await reader.first(version - (index % 2));
      assert.deepEqual(changes.map(({ id }) => Number(id)), Array.from({ length: version - (index % 2) }, (_, at) => at + 1 + (index % 2)));
    }
    await Promise.all(readers.map((reader) => reader.close()));
    await one.node("after");
  });

  test("goes on after a break where Last-Event-ID says", async () => {
    const one = graph();
    const state = empty();
    let last = 0;
    const end = 30;
    const writing = (async () => {
      for (let index = 0; index < end; index += 1) await one.node(`n${index}`);
    })();
    while (last < end) {
      const stream = await one.events({ lastEventId: last });
      const wanted = Math.min(4, end - last);
      const changes = await stream.first(wanted);
      await stream.close();
      assert.deepEqual(changes.slice(0, wanted).map(({ id }) => Number(id)), Array.from({ length: wanted }, (_, index) => last + 1 + index));
      patched(state, changes.slice(0, wanted).map(({ data }) => data));
      last += wanted;
    }
    await writing;
    assert.deepEqual(state, await asMaps(one));
  });

  test("has everything in its order for a connected reader that did not read while 20 MB were committed", async () => {
    const one = graph();
    const [steps, bytes] = [40, 500_000];
    const stream = await one.events({ after: 0, paused: true });
    const reading = await one.events({ after: 0 });
    for (let index = 0; index < steps; index += 1) await one.node({ id: `n${index}`, label: `node ${index}`, data: { text: "x".repeat(bytes) } });
    await reading.first(steps);
    assert.equal(stream.come.length, 0);
    stream.resume();
    const changes = await stream.first(steps);
    assert.deepEqual(changes.map(({ id, event }) => [id, event]), Array.from({ length: steps }, (_, index) => [`${index + 1}`, "change"]));
    assert.deepEqual(patched(empty(), changes.map(({ data }) => data)), await asMaps(one));
    await one.node("last");
    assert.equal((await stream.first(steps + 1)).at(-1).data.description, "Added node: last");
    await Promise.all([stream.close(), reading.close()]);
  });

  test("tells of a change over a megabyte without its patch", async () => {
    const one = graph();
    const stream = await one.events({ after: 0 });
    await one.ok("POST", "/import", ring(5_000, 20_000, (index) => ({ text: `text of node ${index}` })));
    await one.node("small");
    const [large, small] = await stream.first(2);
    assert.deepEqual([large.event, large.data.version, large.data.patch, large.data.reload], ["change", 1, null, true]);
    assert.equal(large.data.metadata.nodeCount, 5_000);
    assert.equal(small.data.patch.nodes.upserted[0].id, "small");
    await stream.close();
  });

  test("says that the graph was deleted, and ends", async () => {
    const one = graph();
    await one.node("a");
    const readers = await Promise.all([one.events(), one.events({ after: 0 })]);
    await Promise.all(readers.map((reader) => reader.first(1)));
    await one.ok("DELETE", "");
    for (const reader of readers) {
      await until(() => reader.ended);
      assert.equal(reader.come.at(-1).event, "deleted");
    }
    const again = await one.events();
    assert.deepEqual((await again.first(1)).map(({ event, data }) => [event, data.version]), [["ready", 0]]);
    await one.node("b");
    assert.equal((await again.first(2))[1].data.version, 1);
    await again.close();
  });

  test("from a version that is not there yet is told to begin again", async () => {
    const one = graph();
    await one.node("a");
    const stream = await one.events({ lastEventId: 99 });
    const [first] = await stream.first(1);
    assert.deepEqual([first.event, first.data.version], ["reset", 1]);
    await stream.close();
  });

  test("with a version that is none is 400", async () => {
    const one = graph();
    for (const query of ["?after=x", "?after=-1", "?after=1.5", "?aftre=1"]) await one.error("GET", `/events${query}`, undefined, 400, "INVALID_ARGUMENT");
    await one.error("GET", "/events", undefined, 400, "INVALID_ARGUMENT", { "last-event-id": "none" });
  });

  test("is not disturbed by requests that change nothing or fail", async () => {
    const one = graph();
    await one.node("a");
    const stream = await one.events();
    await stream.first(1);
    await one.ok("PUT", "/nodes/a", { label: "a" });
    await one.send("POST", "/nodes", { id: "a", label: "again" });
    await one.send("POST", "/nodes/bulk", { nodes: [{ id: "b", label: "b" }, {}] });
    await one.send("DELETE", "/nodes/nobody");
    await one.node("b");
    const [, change] = await stream.first(2);
    assert.deepEqual([change.data.version, change.data.description], [2, "Added node: b"]);
    assert.equal(stream.come.length, 2);
    await stream.close();
  });

  test("has a comment in silence", async () => {
    const one = graph();
    const stream = await one.events();
    await until(() => stream.comments.length >= 2);
    await stream.close();
  });

  test("survives the end of the Worker by its last event", async () => {
    const alone = await Worker.start();
    try {
      const one = new Graph(alone, "kept");
      const stream = await one.events();
      for (const id of ["a", "b"]) await one.node(id);
      const seen = await stream.first(3);
      await alone.kill();
      await stream.close();
      await one.node("c");
      const again = await one.events({ lastEventId: seen.at(-1).id });
      assert.deepEqual((await again.first(1)).map(({ id, data }) => [id, data.description]), [["3", "Added node: c"]]);
      await again.close();
    } finally {
      await alone.stop();
    }
  });
});
