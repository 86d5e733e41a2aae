// Tests of the short way of an operation of a graph (js/shortcut.js): it is served like any other
// request, and the plan of one request serves no request that differs in anything that decides.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { until } from "../until.mjs";
import { sendFramed } from "./framing.mjs";
import { Graph } from "./graph-client.mjs";
import { TOKENS, Worker } from "./harness.mjs";

/** A comment by which a test build panics in the middle of an operation on the short way. */
const PANIC = "/*fault=panic*/";

const MAX_REQUEST_BYTES = 20_000;

/** Sends a request to a graph on the short way, or on the long one. */
function send(worker, graph, path, body, { method = "POST", ...more } = {}) {
  const text = Buffer.isBuffer(body) || typeof body === "string" ? body : JSON.stringify(body);
  return sendFramed(worker, `/api/graph/${graph}${path}`, text, { method, ...more });
}

/** Returns true if a request takes the short way. */
async function isShort(worker, graph, { path = "/nodes", ...more } = {}) {
  const { status } = await send(worker, graph, path, { label: PANIC }, more);
  return status === 500;
}

/** Replaces generated ids and times, which differ from graph to graph. */
const fixed = (text) => text.replace(/(node|edge)_[0-9a-z]{12}/g, "ID").replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME");

/** Returns the log lines of a graph without times, once `count` of them are of this operation. */
function logged(worker, graph, wanted, count) {
  return until(() => {
    const lines = worker.operations().filter(({ session }) => session === graph.name);
    const shown = lines.map(({ kind, operation, rowsRead, rowsWritten, bytesIn, bytesOut, code }) => ({ kind, operation, rowsRead, rowsWritten, bytesIn, bytesOut, code }));
    return shown.filter(({ operation }) => operation === wanted).length === count && shown;
  });
}

const codeOf = ({ status, text }) => [status, JSON.parse(text).error?.code];

const NODE = { id: "a", label: "TP53", type: "gene", data: { n: 1 }, position: { x: 1, y: 2 } };

const REQUESTS = [
  ["/init", { name: "one" }],
  ["/nodes", NODE],
  ["/nodes", { id: "b", label: "b ü\u2028\u{1F600}" }],
  ["/nodes", { id: "c d/e", label: "c", pinned: true }],
  ["/nodes", '{"id":"d","label":"d","data":{"a":1.0,"b":1e3,"c":9007199254740993}}'],
  ["/nodes", { label: "without an id" }],
  ["/nodes", NODE],
  ["/nodes", { label: "" }],
  ["/nodes", { label: 7 }],
  ["/nodes", { label: "x", zzz: 1 }],
  ["/nodes", { label: "x", ifVersion: 0 }],
  ["/nodes", '{"label":"x","label":"y"}'],
  ["/nodes", "no JSON"],
  ["/nodes", "[]"],
  ["/nodes", ""],
  ["/nodes", '\ufeff{"label":"x"}'],
  ["/nodes", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
  ["/edges", { id: "e", source: "a", target: "b", label: "binds" }],
  ["/edges", { source: "a", target: "c d/e" }],
  ["/edges", { source: "a", target: "nobody" }],
  ["/nodes/a", { label: "TP53 again", ifVersion: 3 }, "PUT"],
  ["/nodes/a", { label: "TP53 again", data: { n: 2 } }, "PUT"],
  ["/nodes/c%20d%2Fe", { label: "other" }, "PUT"],
  ["/nodes/%2e%2e%2fx", { label: "other" }, "PUT"],
  ["/nodes/nobody", { label: "other" }, "PUT"],
  ["/nodes", { id: "a\\..\\b", label: "dots" }],
  ["/nodes/a\\..\\b", { label: "of b" }, "PUT"],
  ["/nodes/a%5C..%5Cb", { label: "of dots" }, "PUT"],
  ["/nodes/x\\..\\bulk-update", { nodes: [{ id: "b", label: "several" }] }, "PUT"],
  ...["..", ".", "%2e%2e", "%2E.", "..\\a", "a/../b"].map((id) => [`/nodes/${id}`, { label: "other" }, "PUT"]),
  ["/nodes/%FF", { label: "other" }, "PUT"],
  ["/edges/e", { label: "inhibits" }, "PUT"],
  ["/nodes/bulk", { nodes: [{ id: "f", label: "f" }, { id: "g", label: "g" }] }],
  ["/nodes/bulk-update", { nodes: [{ id: "f", label: "F" }] }, "PUT"],
  ["/nodes/merge", { into: "f", from: "g" }],
  ["/remove", { nodes: ["d"] }],
  ["/nodes/by-type", { nodeTypes: ["nothing"] }, "DELETE"],
  ["/nodes/b", "", "DELETE"],
  ["/undo", ""],
  ["/undo", ""],
  ["/redo", ""],
  ["/layout", { algorithm: "grid" }],
  ["/restore", { version: 2 }],
  ["/query", { sql: "SELECT id, label FROM nodes ORDER BY id" }],
  ["/query", { sql: "DELETE FROM nodes" }],
  ["/export-to-session", { session: "no such name", nodesTable: "n" }],
  ["/import-from-query", { session: "nothing-here", sql: "SELECT nothing", nodes: { label: "a" } }],
  ["", { operation: "addNode", id: "h", label: "by name" }],
  ["", { operation: "addEdge", id: "k", source: "TP53", target: "b", names: "labels" }],
  ["", { operation: "nothing" }],
  ["", { operation: "deleteGraph", ifVersion: 0 }],
  ["/import", { nodes: [{ id: "i", label: "imported" }], edges: [] }],
  ["/nothing", { label: "x" }],
  ["/nodes", Buffer.alloc(MAX_REQUEST_BYTES + 1, 32)],
];

describe("a Worker without tokens", () => {
  let worker;
  before(async () => {
    const limit = String(MAX_REQUEST_BYTES);
    worker = await Worker.start({ settings: { QUERY_TIMEOUT_MS: "4000", MAX_REQUEST_BYTES: limit, MAX_BATCH_BYTES: limit } });
  });
  after(() => worker.stop());

  test("both ways give the same responses, history, events and log lines", async () => {
    const [short, long] = [new Graph(worker), new Graph(worker)];
    const events = [];
    for (const graph of [short, long]) {
      await graph.version();
      events.push(await graph.events());
    }
    const same = (text) => fixed(text.replaceAll(short.name, "GRAPH").replaceAll(long.name, "GRAPH"));
    for (const [path, body, method = "POST"] of REQUESTS) {
      const shown = `${method} ${path} ${String(JSON.stringify(body)).slice(0, 80)}`;
      const one = await send(worker, short.name, path, body, { method });
      const other = await send(worker, long.name, path, body, { method, way: "long" });
      assert.deepEqual([one.status, same(one.text)], [other.status, same(other.text)], shown);
      for (const { headers } of [one, other]) for (const name of ["date", "content-length"]) delete headers[name];
      assert.deepEqual(one.headers, other.headers, shown);
      if (body === NODE) assert.ok([201, 409].includes(one.status), shown);
    }
    assert.equal(same(await short.bytes()), same(await long.bytes()));
    assert.equal(same(JSON.stringify(await short.history())), same(JSON.stringify(await long.history())));
    const [version, versionToo] = [await short.version(), await long.version()];
    assert.equal(version, versionToo);
    assert.ok(version > 20);
    for (const stream of events) await until(() => Number(stream.come.at(-1)?.id) === version);
    const [told, toldToo] = events.map(({ come }) => come.map((event) => same(JSON.stringify(event))));
    assert.deepEqual(told, toldToo);
    for (const stream of events) await stream.close();
    const lines = await Promise.all([short, long].map((graph) => logged(worker, graph, "getgraph", 2)));
    // Of the last one, which is too long, the object knows only if its length was not announced.
    const known = lines.map((list) => list.filter(({ code }) => code !== "PAYLOAD_TOO_LARGE"));
    assert.deepEqual(known[0], known[1]);
    assert.ok(await isShort(worker, short.name), "they took the short way");
    const { data } = await worker.fetch("/api/graph/projects").then((response) => response.json());
    const entries = [short, long].map(({ name }) => data.find((entry) => JSON.stringify(entry).includes(name)));
    assert.equal(same(JSON.stringify(entries[0])), same(JSON.stringify(entries[1])));
  });

  test("each operation with a body is short, and nothing else", async () => {
    const graph = new Graph(worker);
    await graph.node("a");
    for (const [path, method] of [["/nodes"], ["/edges"], [""], ["/nodes/a", "PUT"], ["/nodes/bulk"], ["/remove"], ["/query"]]) {
      assert.equal(await isShort(worker, graph.name, { path, method }), true, path);
      await graph.version();
    }
    for (const more of [{ path: "/import" }, { path: "/nodes?" }, { path: "/nodes?limit=1" }, { way: "long" }]) {
      assert.equal(await isShort(worker, graph.name, more), false, JSON.stringify(more));
    }
    for (const headers of [{ "if-match": "7" }, { origin: worker.url }, { "content-encoding": "gzip" }]) {
      assert.equal(await isShort(worker, graph.name, { headers }), false, JSON.stringify(headers));
    }
  });

  test("If-Match is compared, whatever was planned before", async () => {
    const graph = new Graph(worker);
    await graph.node("a");
    const put = (label, version) => send(worker, graph.name, "/nodes/a", { label }, { method: "PUT", headers: version === undefined ? {} : { "if-match": version } });
    assert.equal((await put("one")).status, 200);
    const version = await graph.version();
    assert.deepEqual(codeOf(await put("two", "0")), [412, "VERSION_CONFLICT"]);
    assert.deepEqual(codeOf(await put("two", "x")), [400, "INVALID_ARGUMENT"]);
    assert.equal((await put("two", `"${version}"`)).status, 200);
    assert.equal((await put("three")).status, 200);
    assert.equal(await graph.version(), version + 2);
  });

  test("the history names the actor of each request", async () => {
    const [short, long] = [new Graph(worker), new Graph(worker)];
    const actors = [undefined, "person", "J%C3%BCrgen", "", " ", ".", "..", "a,b", "a/b?c#d", "%2e%2e", "%", "a%0Ab", "x".repeat(64), "x".repeat(65), "POST", undefined];
    for (const actor of actors) {
      const headers = actor === undefined ? {} : { "x-codemode-actor": actor };
      const [one, other] = [await send(worker, short.name, "/nodes", { label: "x" }, { headers }), await send(worker, long.name, "/nodes", { label: "x" }, { headers, way: "long" })];
      assert.deepEqual([one.status, fixed(one.text)], [other.status, fixed(other.text)], actor);
    }
    const [told, toldToo] = await Promise.all([short, long].map(async (graph) => (await graph.history()).map(({ actor }) => actor)));
    assert.deepEqual(told, toldToo);
    assert.deepEqual(told.slice(-3), ["Jürgen", "person", "api"]);
    assert.ok(told.includes(".."));
    assert.ok(await isShort(worker, short.name, { headers: { "x-codemode-actor": ".." } }));
  });

  test("headers and names of a client forge no other graph", async () => {
    const [graph, victim] = [randomUUID(), randomUUID()];
    await send(worker, graph, "/nodes", { id: "a", label: "a" });
    const headers = { "x-codemode-conversation": victim, "x-codemode-tenant": "other", "x-codemode-session": victim };
    assert.equal((await send(worker, graph, "/nodes", { id: "b", label: "b" }, { headers })).status, 201);
    assert.deepEqual((await new Graph(worker, graph).ids()).nodes, ["a", "b"]);
    for (const host of ["operate", "execute", "object"]) {
      const forged = await sendFramed(worker, `/local,${victim},POST,%2Fapi%2Fgraph%2Fx%2Fnodes`, "{}", { headers: { host } });
      assert.ok(forged.status >= 400 && forged.status < 500, forged.text);
      assert.deepEqual(codeOf(await send(worker, graph, "/nodes", { label: "c" }, { headers: { host } })), [401, "UNAUTHORIZED"]);
    }
    for (const name of [`local,${victim}`, `${graph},POST`, "a%2Cb", "a%2F..%2Fb", "%2e%2e", "x".repeat(300)]) {
      const [one, other] = [await send(worker, name, "/nodes", { label: "x" }), await send(worker, name, "/nodes", { label: "x" }, { way: "long" })];
      assert.deepEqual([one.status, one.text], [other.status, other.text], name);
      assert.ok(one.status >= 400 && one.status < 500, name);
    }
    assert.deepEqual((await new Graph(worker, victim).ids()).nodes, []);
  });

  test("a deleted graph begins anew", async () => {
    const graph = new Graph(worker);
    for (let turn = 0; turn < 3; turn++) {
      for (const id of ["a", "b"]) assert.equal((await send(worker, graph.name, "/nodes", { id, label: id })).status, 201);
      assert.deepEqual((await graph.history()).length, 2);
      await graph.ok("DELETE", "");
    }
    assert.deepEqual((await graph.ids()).nodes, []);
  });

  for (const [name, comment] of [["panic", PANIC], ["overflow of the stack", "/*fault=overflow*/"]]) {
    test(`a ${name} in the middle of an operation answers 500 and the next request works`, async () => {
      const graph = new Graph(worker);
      await graph.node("kept");
      for (let turn = 0; turn < 3; turn++) {
        assert.deepEqual(codeOf(await send(worker, graph.name, "/nodes", { label: comment })), [500, "INTERNAL"]);
        assert.equal((await send(worker, graph.name, "/nodes", { id: `n${turn}`, label: "x" })).status, 201);
      }
      assert.deepEqual((await graph.ids()).nodes, ["kept", "n0", "n1", "n2"]);
    });
  }

  test("a client that leaves in the middle of its body leaves a line in the log", async () => {
    const graph = new Graph(worker);
    await graph.node("a");
    const { hostname, port } = new URL(worker.url);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    const head = `POST ${graph.path}/nodes HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-type: application/json\r\ncontent-length: 40\r\n\r\n{`;
    await new Promise((resolve) => socket.write(head, resolve));
    socket.destroy();
    const lines = await worker.operationsOf(graph, 2);
    assert.deepEqual([lines[1].operation, lines[1].code], ["addnode", "INVALID_BODY"]);
  });

  test("many clients of one graph lose nothing", async () => {
    const graph = new Graph(worker);
    await Promise.all(
      Array.from({ length: 30 }, async (_, client) => {
        for (let n = 0; n < 10; n++) assert.equal((await send(worker, graph.name, "/nodes", { id: `${client}-${n}`, label: "x" })).status, 201);
      }),
    );
    assert.equal((await graph.ids()).nodes.length, 300);
    assert.equal(await graph.version(), 300);
  });
});

test("tokens keep their tenants apart, whatever was planned before", async () => {
  const settings = { API_TOKENS: JSON.stringify({ [TOKENS.acme]: "acme", [TOKENS.zeta]: "zeta" }) };
  const worker = await Worker.start({ settings });
  try {
    const by = (token) => ({ authorization: `Bearer ${token}` });
    for (let turn = 0; turn < 3; turn++) {
      for (const [headers, tenant] of [
        [by(TOKENS.acme), "acme"],
        [by(TOKENS.zeta), "zeta"],
        [{ "x-codemode-token": TOKENS.zeta }, "zeta"],
        [{ ...by(TOKENS.zeta), "x-codemode-tenant": "acme" }, "zeta"],
      ]) {
        const made = await send(worker, "same", "/nodes", { label: tenant }, { headers });
        assert.equal(made.status, 201, JSON.stringify(headers));
      }
      for (const headers of [{}, by("wrong"), { "x-codemode-tenant": "acme" }]) {
        assert.deepEqual(codeOf(await send(worker, "same", "/nodes", { label: "x" }, { headers })), [401, "UNAUTHORIZED"]);
      }
    }
    for (const [tenant, count] of [["acme", 3], ["zeta", 9]]) {
      const { nodes } = await new Graph(worker, "same", by(TOKENS[tenant])).state();
      assert.deepEqual(nodes.map(({ label }) => label), Array(count).fill(tenant));
    }
  } finally {
    await worker.stop();
  }
});
