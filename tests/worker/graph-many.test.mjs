// Tests of a knowledge graph with many clients, many nodes, and a Worker that is killed: nothing is
// lost, nothing half done, no edge without its nodes.

import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import { after, before, describe, test } from "node:test";
import { Graph, patched, ring } from "./graph-client.mjs";
import { Worker } from "./harness.mjs";

const CLIENTS = 50;
const NODES_EACH = 20;

/** Checks that every edge has both of its nodes, and that the counters are right. */
async function assertWhole(one) {
  const { nodes, edges, metadata } = await one.state({ limit: 10_000 });
  const ids = new Set(nodes.map(({ id }) => id));
  assert.equal(ids.size, nodes.length, "each node once");
  assert.equal(new Set(edges.map(({ id }) => id)).size, edges.length, "each edge once");
  assert.deepEqual(edges.filter(({ source, target }) => !ids.has(source) || !ids.has(target)), [], "no edge without its nodes");
  assert.deepEqual([metadata.nodeCount, metadata.edgeCount], [nodes.length, edges.length]);
  return { nodes, edges, metadata };
}

describe("many clients", () => {
  let worker;
  before(async () => (worker = await Worker.start()));
  after(() => worker.stop());

  test("add nodes at once: none is lost, and the history has each once, without gaps", async () => {
    const one = new Graph(worker);
    const readers = await Promise.all([one.events({ after: 0 }), one.events()]);
    const client = async (number) => {
      const versions = [];
      for (let index = 0; index < NODES_EACH; index += 1) {
        const { version, data } = await one.ok("POST", "/nodes", { id: `c${number}-${index}`, label: `node ${index} of client ${number}` }, { status: 201, headers: { "x-codemode-actor": `client ${number}` } });
        assert.equal(data.id, `c${number}-${index}`);
        versions.push(version);
      }
      return versions;
    };
    const versions = (await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)))).flat();
    const all = CLIENTS * NODES_EACH;
    assert.deepEqual(versions.toSorted((a, b) => a - b), Array.from({ length: all }, (_, index) => index + 1));
    const { nodes, metadata } = await assertWhole(one);
    assert.deepEqual([nodes.length, metadata.version], [all, all]);
    const steps = await one.history();
    assert.deepEqual(steps.map(({ version }) => version), Array.from({ length: all }, (_, index) => all - index));
    // The step of each version belongs to the client that got this version.
    const perClient = new Map();
    for (const { actor } of steps) perClient.set(actor, (perClient.get(actor) ?? 0) + 1);
    assert.deepEqual([...perClient.values()], Array(CLIENTS).fill(NODES_EACH));
    const changes = await readers[0].first(all);
    assert.deepEqual(changes.map(({ id }) => Number(id)), Array.from({ length: all }, (_, index) => index + 1));
    const seen = patched({ nodes: new Map(), edges: new Map() }, changes.map(({ data }) => data));
    assert.deepEqual([...seen.nodes.values()], nodes);
    assert.equal((await readers[1].first(all + 1)).at(-1).data.version, all);
    await Promise.all(readers.map((reader) => reader.close()));
  });

  test("change one node at once: the last version has what the last step wrote", async () => {
    const one = new Graph(worker);
    await one.node({ id: "a", label: "a", data: {} });
    await Promise.all(Array.from({ length: 40 }, (_, index) => one.ok("PUT", "/nodes/a", { data: { [`k${index}`]: index } })));
    const { data } = await one.ok("GET", "/nodes/a");
    assert.deepEqual(Object.keys(data.data).length, 40);
    assert.equal(await one.version(), 41);
  });

  test("delete a node while others add edges to it: never an edge without its node", async () => {
    const one = new Graph(worker);
    for (let round = 0; round < 8; round += 1) {
      const hub = `hub${round}`;
      await one.ok("POST", "/nodes/bulk", { nodes: [hub, ...Array.from({ length: 20 }, (_, index) => `${hub}-${index}`)].map((id) => ({ id, label: id })) });
      const adding = Array.from({ length: 20 }, (_, index) => () => one.send("POST", "/edges", index % 2 === 0 ? { source: hub, target: `${hub}-${index}` } : { source: `${hub}-${index}`, target: hub }));
      const bulk = () => one.send("POST", "/edges/bulk", { edges: Array.from({ length: 5 }, (_, index) => ({ source: hub, target: `${hub}-${index}`, label: "bulk" })) });
      const requests = [...adding, bulk];
      const at = Math.floor((round / 8) * requests.length);
      requests.splice(at, 0, () => one.send("DELETE", `/nodes/${hub}`));
      const answers = await Promise.all(requests.map((request) => request()));
      const deleted = answers.splice(at, 1)[0];
      assert.equal(deleted.status, 200, deleted.text);
      for (const { status, body, text } of answers) {
        assert.ok(status === 200 || status === 201 || (status === 404 && body.error.code === "NODE_NOT_FOUND"), text);
      }
      const { edges } = await assertWhole(one);
      assert.deepEqual(edges, [], "the edges went with the node, or never came");
      const made = answers.filter(({ status }) => status !== 404).length;
      const before = await one.version();
      assert.equal(before, (await one.history())[0].version);
      // Undoing the steps leads through consistent graphs as well.
      for (let back = 0; back <= made; back += 1) {
        await one.undo();
        await assertWhole(one);
      }
      for (let forth = 0; forth <= made; forth += 1) await one.redo();
      assert.deepEqual((await assertWhole(one)).edges, []);
    }
  });

  test("edit, undo and redo at once: the history stays one line", async () => {
    const one = new Graph(worker);
    const acts = [
      (index) => one.send("POST", "/nodes", { label: `n${index}` }),
      () => one.send("POST", "/undo"),
      () => one.send("POST", "/redo"),
      (index) => one.send("POST", "/nodes/bulk", { nodes: [{ label: `b${index}` }, { label: `c${index}` }] }),
      () => one.send("DELETE", "/nodes/by-type", { nodeTypes: ["gene"] }),
      (index) => one.send("POST", "/restore", { version: index % 3 }),
    ];
    const answers = await Promise.all(Array.from({ length: 240 }, (_, index) => acts[(index * 7) % acts.length](index)));
    for (const { status, text } of answers) assert.ok([200, 201, 404, 409].includes(status), text);
    const { metadata } = await assertWhole(one);
    const steps = await one.history();
    assert.deepEqual(steps.map(({ version }) => version), Array.from({ length: metadata.version }, (_, index) => metadata.version - index));
    for (const version of [0, 1, Math.floor(metadata.version / 2), metadata.version]) {
      const then = await one.state({ path: `/history/${version}`, limit: 10_000 });
      assert.deepEqual([then.metadata.nodeCount, then.metadata.edgeCount], [then.nodes.length, then.edges.length]);
    }
  });

  test("have their graphs to themselves", async () => {
    const graphs = Array.from({ length: 10 }, () => new Graph(worker));
    await Promise.all(graphs.map((one, index) => Promise.all(Array.from({ length: 10 }, () => one.node({ label: `of ${index}` })))));
    for (const [index, one] of graphs.entries()) {
      const { nodes } = await assertWhole(one);
      assert.deepEqual(nodes.map(({ label }) => label), Array(10).fill(`of ${index}`));
    }
  });
});

describe("a graph of 100,000 nodes", () => {
  const COUNT = 100_000;
  let worker;
  before(async () => (worker = await Worker.start()));
  after(() => worker.stop());

  test("is imported in one step, paged through with every node once, changed and undone", async () => {
    const one = new Graph(worker);
    const { nodes: imported } = await one.ok("POST", "/import", ring(COUNT, 20_000));
    assert.equal(imported.created, COUNT);
    const { nodes, edges, metadata, pages } = await one.state({ limit: 10_000 });
    assert.deepEqual([nodes.length, edges.length, metadata.nodeCount, metadata.version], [COUNT, 20_000, COUNT, 1]);
    assert.ok(pages >= 12, `${pages} pages`);
    for (const [index, { id }] of nodes.entries()) assert.equal(id, `n${index}`);
    assert.deepEqual((await one.ok("GET", "/search?q=99999")).data.map(({ id }) => id), ["n99999"]);
    assert.equal((await one.ok("GET", "/nodes/n5/neighbors")).data.nodes.length, 2);
    assert.equal((await one.ok("POST", "/query", { sql: "SELECT count(*) AS n FROM nodes WHERE type = 'gene'" })).results[0].n, COUNT / 2);
    const removed = await one.ok("DELETE", "/nodes/by-type", { nodeTypes: ["drug"] });
    assert.deepEqual([removed.nodes, removed.edges], [COUNT / 2, 20_000]);
    await one.undo();
    const again = await one.state({ limit: 10_000 });
    assert.deepEqual([again.nodes, again.edges], [nodes, edges]);
    const then = await one.state({ path: "/history/2", limit: 10_000 });
    assert.deepEqual([then.nodes.length, then.edges.length], [COUNT / 2, 0]);
  });
});

describe("a Worker that is killed", () => {
  /** The kills are spread over the time that an undisturbed import takes on this machine. */
  const KILLS = 20;
  const FILE = JSON.stringify(ring(30_000, 60_000));

  test("during an import has imported all of it or nothing", async () => {
    const worker = await Worker.start();
    try {
      let finished = 0;
      let interrupted = 0;
      const begin = performance.now();
      await new Graph(worker, "measured").ok("POST", "/import", FILE);
      const later_ms = (performance.now() - begin) / KILLS;
      for (let round = 0; finished < 2; round += 1) {
        const one = new Graph(worker, `killed-${round}`);
        await one.node("before");
        const before = await one.bytes();
        let answer;
        const sending = one.send("POST", "/import", FILE).then((come) => (answer = come), () => {});
        await wait(round * later_ms);
        const known = answer;
        await worker.kill();
        await sending;
        const { nodes, edges, metadata } = await assertWhole(one);
        assert.ok([1, 2].includes(metadata.version), `version ${metadata.version}`);
        assert.deepEqual([nodes.length, edges.length], metadata.version === 1 ? [1, 0] : [30_001, 60_000]);
        if (known !== undefined) assert.deepEqual([known.status, metadata.version], [200, 2], known.text);
        const steps = await one.history();
        assert.equal(steps.length, metadata.version);
        assert.equal((await one.ok("GET", "/search?q=29999")).data.length, metadata.version - 1);
        if (metadata.version === 2) {
          await one.undo();
          finished += 1;
        } else {
          interrupted += 1;
        }
        assert.equal(await one.bytes(), before);
        await one.node("after");
      }
      assert.ok(interrupted > 0, "the first kill comes with the request");
    } finally {
      await worker.stop();
    }
  });

  test("while many write has everything that it confirmed", async () => {
    const worker = await Worker.start();
    try {
      const one = new Graph(worker, "confirmed");
      const confirmed = new Set();
      let open = true;
      const client = async (number) => {
        for (let index = 0; open; index += 1) {
          const id = `c${number}-${index}`;
          const answer = await one.send("POST", "/nodes", { id, label: id }).catch(() => undefined);
          if (answer?.status === 201) confirmed.add(id);
          else open = false;
        }
      };
      const writing = Promise.all(Array.from({ length: 10 }, (_, number) => client(number)));
      while (confirmed.size < 100) await wait(5);
      await worker.kill();
      await writing;
      const { nodes, metadata } = await assertWhole(one);
      const ids = new Set(nodes.map(({ id }) => id));
      assert.deepEqual([...confirmed].filter((id) => !ids.has(id)), []);
      assert.equal(metadata.version, nodes.length);
      assert.equal((await one.history()).length, Math.min(nodes.length, 1_000));
    } finally {
      await worker.stop();
    }
  });
});
