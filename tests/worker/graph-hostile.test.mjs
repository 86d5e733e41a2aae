// Tests of a hostile caller's requests to all routes of a knowledge graph: each gets a 4xx with a
// code, never a 5xx, and the graph does not change.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Graph } from "./graph-client.mjs";
import { Worker } from "./harness.mjs";
import { operationsOf } from "./operations.mjs";

const OPERATIONS = operationsOf("GraphOperation");
const schemaOf = (operation) => OPERATIONS.find(({ name }) => name === operation).input;

/** A valid body for each route that takes one, with its operation. */
const BODIES = {
  "POST /init": ["initGraph", { name: "x", description: "y" }],
  "POST /nodes": ["addNode", { id: "z", label: "x", type: "t", data: {}, position: { x: 1, y: 2 }, pinned: true }],
  "POST /nodes/bulk": ["addMultipleNodes", { nodes: [{ label: "x" }], onConflict: "ignore" }],
  "PUT /nodes/bulk-update": ["updateMultipleNodes", { nodes: [{ id: "a", label: "x" }] }],
  "DELETE /nodes/by-type": ["deleteNodesByType", { nodeTypes: ["x"], excludeTypes: ["y"], preview: true }],
  "POST /nodes/merge": ["mergeNodes", { into: "a", from: "b" }],
  "PUT /nodes/{id}": ["updateNode", { label: "x", type: "t", data: {}, position: { x: 1, y: 2 }, pinned: true }],
  "POST /edges": ["addEdge", { id: "f", source: "a", target: "b", label: "x", type: "t", data: {} }],
  "POST /edges/bulk": ["addMultipleEdges", { edges: [{ source: "a", target: "b" }] }],
  "PUT /edges/bulk-update": ["updateMultipleEdges", { edges: [{ id: "e", label: "x" }] }],
  "PUT /edges/{id}": ["updateEdge", { source: "a", target: "b", label: "x", type: "t", data: {} }],
  "POST /remove": ["removeMultiple", { nodes: ["a"], edges: ["e"] }],
  "POST /import-from-query": ["importFromQuery", { session: "s", sql: "SELECT 1 AS a", params: [], nodes: { label: "a" }, edges: { source: "a", target: "a" }, onConflict: "ignore" }],
  "POST /export-to-session": ["exportToSession", { session: "s", nodesTable: "n", edgesTable: "e", mode: "create" }],
  "POST /query": ["query", { sql: "SELECT 1", params: [], limit: 5, rowFormat: "array" }],
  "POST /restore": ["restore", { version: 0 }],
  "POST /mock-data": ["addMockData", { dataset: "cancer" }],
  "POST /layout": ["applyForceLayout", { algorithm: "force", iterations: 1, seed: 1, preview: true }],
  "POST ": [undefined, { operation: "addNode", label: "x" }],
};

const deep = (levels) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

/** Bodies that no route takes. */
const MALFORMED = {
  "no JSON": "label=x",
  "half of JSON": '{"label":"x"',
  "two values": "{}{}",
  "a comment": '{/* x */"label":"x"}',
  "a list": "[]",
  "a text": '"label"',
  "a number": "7",
  "truth": "true",
  "nothing as JSON": "null",
  "not UTF-8": Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  "NaN": '{"label":NaN}',
  "a lone surrogate": '{"label":"\\ud800"}',
  "a key twice": '{"label":"x","label":"y","sql":"SELECT 1","sql":"SELECT 2"}',
  "100,000 open brackets": "[".repeat(100_000),
  "100,000 open braces": '{"a":'.repeat(100_000),
  "an unknown field": '{"zzzz":1}',
  "__proto__": '{"__proto__":{"label":"x"}}',
};

/** Returns values of a wrong type for a schema. */
function wrongOf({ type, enum: choices, $ref: reference, anyOf }) {
  const kind = Array.isArray(type) ? type[0] : type;
  if (choices) return ["zzzz", 5, {}];
  if (reference?.endsWith("Position")) return [5, "x", [], { x: 1 }, { x: "1", y: 2 }, { x: 1e10, y: 0 }, { x: 1, y: 2, z: 3 }];
  if (reference?.endsWith("Parameters")) return ["x", 5];
  if (anyOf) return [5, "x", true, [5], { zzzz: 1 }];
  switch (kind) {
    case "string":
      return [5, true, {}, [], ["x"]];
    case "integer":
      return ["five", 1.5, {}, [], -1, 1e30];
    case "number":
      return ["five", {}, []];
    case "boolean":
      return ["yes", 1, {}, []];
    case "object":
      return [5, "x", [], true];
    case "array":
      return [5, "x", {}, [5], [{ zzzz: 1 }], [null]];
    default:
      return [];
  }
}

let worker;
let routes;
before(async () => {
  worker = await Worker.start();
  const { paths } = await (await worker.fetch("/api/openapi.json")).json();
  routes = Object.entries(paths)
    .filter(([path]) => path.startsWith("/api/graph/{conversationId}"))
    .flatMap(([path, methods]) => Object.keys(methods).filter((method) => method !== "parameters").map((method) => [method.toUpperCase(), path.slice("/api/graph/{conversationId}".length)]));
});
after(() => worker.stop());

async function filled() {
  const one = new Graph(worker);
  await one.ok("POST", "/nodes/bulk", { nodes: ["a", "b"].map((id) => ({ id, label: id })) });
  await one.edge("a", "b", { id: "e" });
  return one;
}

const concrete = (path) => path.replace("/nodes/{id}", "/nodes/a").replace("/edges/{id}", "/edges/e").replace("{version}", "1");

/** Checks that a refusal is a 4xx with a code and a message. */
async function refused(one, method, path, body, context, headers) {
  const answer = await one.send(method, path, body, headers);
  const told = `${method} ${path} ${context}: ${answer.status} ${answer.text.slice(0, 600)}`;
  assert.ok(answer.status >= 400 && answer.status < 500, told);
  assert.match(answer.body?.error?.code ?? "", /^[A-Z_]+$/, told);
  assert.ok(answer.body.error.message.length > 0, told);
  return answer.body.error;
}

test("the table of bodies has every route that takes one", () => {
  const known = new Set([...Object.keys(BODIES), "POST /import", "POST /undo", "POST /redo"]);
  const taking = routes.filter(([method, path]) => method !== "GET" && !(method === "DELETE" && path !== "/nodes/by-type")).map(([method, path]) => `${method} ${path}`);
  assert.deepEqual(taking.filter((route) => !known.has(route)), []);
  assert.deepEqual([...known].filter((route) => !taking.includes(route)), []);
  assert.ok(routes.length > 35, `${routes.length} routes`);
});

test("an unknown parameter is told on every route, with those that there are", async () => {
  const one = await filled();
  const before = await one.bytes();
  for (const [method, path] of routes) {
    const body = method === "GET" || method === "DELETE" ? undefined : "{}";
    const error = await refused(one, method, `${concrete(path)}?zzzz=1`, body, "");
    assert.deepEqual([error.code, error.message], ["INVALID_ARGUMENT", 'there is no parameter "zzzz"'], `${method} ${path}`);
    assert.ok(error.hint.length > 0);
  }
  assert.equal(await one.bytes(), before);
});

test("a malformed body is told on every route that takes one", async () => {
  const one = await filled();
  const before = await one.bytes();
  for (const route of [...Object.keys(BODIES), "POST /import", "POST /undo", "POST /redo"]) {
    const [method, path] = route.split(" ");
    for (const [name, body] of Object.entries(MALFORMED)) {
      // A list is a form of a graph that Cytoscape writes.
      if (route === "POST /import" && name === "a list") continue;
      const error = await refused(one, method, concrete(path), body, name);
      assert.ok(["INVALID_BODY", "INVALID_ARGUMENT", "INVALID_ITEMS", "UNSUPPORTED_MEDIA_TYPE"].includes(error.code), `${route} ${name}: ${JSON.stringify(error)}`);
      assert.ok(JSON.stringify(error).length < 20_000, `${route} ${name}: the error is not as long as what it is about`);
    }
  }
  assert.equal(await one.bytes(), before);
  assert.equal(await one.version(), 2);
});

test("a missing body is told where something must be said", async () => {
  const one = await filled();
  const before = await one.bytes();
  for (const route of ["POST /nodes", "POST /nodes/bulk", "PUT /nodes/bulk-update", "DELETE /nodes/by-type", "POST /edges", "POST /edges/bulk", "PUT /edges/bulk-update", "POST /import", "POST /import-from-query", "POST /export-to-session", "POST /query", "POST /restore", "POST /mock-data", "POST /layout", "POST "]) {
    const [method, path] = route.split(" ");
    const error = await refused(one, method, path, undefined, "without a body");
    assert.ok(["INVALID_BODY", "INVALID_ARGUMENT", "UNSUPPORTED_MEDIA_TYPE"].includes(error.code), `${route}: ${JSON.stringify(error)}`);
  }
  assert.equal(await one.bytes(), before);
});

test("an unknown field is told on every route, with the nearest known one", async () => {
  const one = await filled();
  const before = await one.bytes();
  for (const [route, [operation, valid]] of Object.entries(BODIES)) {
    const [method, path] = route.split(" ");
    // The field with the name of the operation has been removed by then.
    const field = Object.keys(valid).find((name) => name.length > 3 && name !== "operation");
    // Two letters are swapped.
    const misspelt = `${field.slice(0, 1)}${field[2]}${field[1]}${field.slice(3)}`;
    const body = { ...valid, [misspelt]: valid[field] };
    const error = await refused(one, method, concrete(path), body, misspelt);
    assert.equal(error.code, "INVALID_ARGUMENT", `${route}: ${JSON.stringify(error)}`);
    assert.ok(error.hint.includes(`\`${field}\``), `${route} ${operation}: ${JSON.stringify(error)}`);
  }
  for (const [path, body] of [["/nodes/bulk", { nodes: [{ lable: "x" }] }], ["/edges/bulk", { edges: [{ source: "a", traget: "b" }] }], ["/nodes", { label: "x", position: { x: 1, z: 2 } }]]) {
    const error = await refused(one, "POST", path, body, "nested");
    assert.match(JSON.stringify(error), /did you mean|parameters|fields/);
  }
  assert.equal(await one.bytes(), before);
});

test("every operation by name refuses a field that it does not have", async () => {
  const one = await filled();
  const before = await one.bytes();
  for (const { name } of OPERATIONS) {
    const error = await refused(one, "POST", "", { operation: name, zzzz: 1 }, name);
    assert.equal(error.code, "INVALID_ARGUMENT", name);
    assert.match(error.message, /zzzz/, name);
    assert.ok(error.hint.length > 0, name);
  }
  assert.equal(await one.bytes(), before);
  const unknown = await refused(one, "POST", "", { operation: "addNodes" }, "");
  assert.match(unknown.hint, /addNode/);
});

test("a value of a wrong type is told for every field of every route", async () => {
  const one = await filled();
  const before = await one.bytes();
  let count = 0;
  for (const [route, [operation, valid]] of Object.entries(BODIES)) {
    if (operation === undefined) continue;
    const [method, path] = route.split(" ");
    const { properties } = schemaOf(operation);
    for (const [field, schema] of Object.entries(properties)) {
      // These fields are in the path, the query string or a header.
      if (["ifVersion", "upsert"].includes(field) || (field === "id" && path.includes("{id}"))) continue;
      for (const value of wrongOf(schema)) {
        // In a list of ids, an object without a known field has no wrong type.
        const error = await refused(one, method, concrete(path), { ...valid, [field]: value }, `${field}=${JSON.stringify(value)}`);
        assert.ok(error.code !== "INTERNAL");
        count += 1;
      }
    }
  }
  assert.ok(count > 150, `${count} values`);
  assert.equal(await one.bytes(), before);
});

test("a parameter of a wrong type is told on every route", async () => {
  const one = await filled();
  for (const [path, parameters] of [
    ["/state", ["limit=x", "limit=0", "limit=1e3", "limit=99999999999999999999", "limit=", "cursor=%F0%9F%A7%AC", "type=%ff"]],
    ["/nodes/a/neighbors", ["depth=x", "depth=99", "direction=up", "limit=-1"]],
    ["/history", ["limit=x", "limit=0", "cursor=x"]],
    ["/history/1", ["limit=x", "cursor=x"]],
    ["/diff", ["from=x", "from=-1", "from=0&to=x", "from=0&cursor=x"]],
    ["/search", ["limit=x", "limit=0", "q=a&cursor=x", "value=x"]],
    ["/centrality", ["measure=zzzz", "limit=0", "directed=maybe", "weight="]],
    ["/communities", ["resolution=x", "resolution=0", "resolution=-1", "seed=x", "limit=0"]],
    ["/path", ["from=a", "to=b", "from=a&to=b&k=0", "from=a&to=b&k=101", "from=a&to=b&all=maybe", ""]],
    ["/analysis", ["directed=1"]],
    ["/export", ["format=zzzz"]],
    ["/events", ["after=x"]],
  ]) {
    for (const parameter of parameters) {
      const error = await refused(one, "GET", `${path}?${parameter}`, undefined, "");
      assert.equal(error.code, "INVALID_ARGUMENT", `${path}?${parameter}: ${JSON.stringify(error)}`);
    }
  }
  assert.equal((await refused(one, "GET", "/path?from=a&to=nobody", undefined, "")).code, "NODE_NOT_FOUND");
});

describe("sizes", () => {
  test("labels, types, ids and data have their limits", async () => {
    const one = await filled();
    const before = await one.bytes();
    for (const [name, fields] of Object.entries({
      "label of 4,097 bytes": { label: "x".repeat(4_097) },
      "label of 4,098 bytes in two-byte letters": { label: "é".repeat(2_049) },
      "label of nothing": { label: "" },
      "label of spaces": { label: "  " },
      "label with NUL": { label: "a\u0000b" },
      "type of 129 bytes": { label: "x", type: "x".repeat(129) },
      "type of nothing": { label: "x", type: "" },
      "data over a megabyte": { label: "x", data: { text: "x".repeat(1_100_000) } },
      "data that is a list": { label: "x", data: [] },
      "position that is no number": { label: "x", position: { x: null, y: 0 } },
    })) {
      const error = await refused(one, "POST", "/nodes", { id: "z", ...fields }, name);
      assert.equal(error.code, "INVALID_ARGUMENT", name);
      if (name !== "label of 4,097 bytes") continue;
      assert.match(error.message, /4096|4,096/);
    }
    for (const levels of [101, 500, 5_000]) {
      const error = await refused(one, "POST", "/nodes", `{"label":"x","data":${deep(levels)}}`, `${levels} levels`);
      assert.match(error.message, /100|deep|recursion/, `${levels} levels`);
    }
    assert.equal(await one.bytes(), before);
    await one.node({ label: "x".repeat(4_096), type: "t".repeat(128), data: { text: "x".repeat(1_000_000) } });
    assert.equal((await one.send("POST", "/nodes", `{"id":"hundred","label":"x","data":${deep(100)}}`)).status, 201);
    assert.equal((await one.send("PUT", "/nodes/hundred", `{"data":${deep(101)}}`)).status, 400);
    assert.match((await one.send("GET", "/nodes/hundred")).text, /\{"a":1\}/);
    // The same for edges, lists of items and files, where the error names the wrong item.
    const whole = await one.bytes();
    const at = (levels) => `"data":${deep(levels)}`;
    const bodies = {
      "POST /edges": (levels) => `{"source":"a","target":"b","label":"deep",${at(levels)}}`,
      "PUT /edges/e": (levels) => `{${at(levels)}}`,
      "POST /nodes/bulk": (levels) => `{"nodes":[{"label":"x"},{"label":"y",${at(levels)}}]}`,
      "PUT /nodes/bulk-update": (levels) => `{"nodes":[{"id":"a",${at(levels)}}]}`,
      "POST /edges/bulk": (levels) => `{"edges":[{"source":"a","target":"a",${at(levels)}}]}`,
      "PUT /edges/bulk-update": (levels) => `{"edges":[{"id":"e",${at(levels)}}]}`,
      "POST /import": (levels) => `{"nodes":[{"id":"i","label":"x",${at(levels)}}],"edges":[]}`,
      "POST ": (levels) => `{"operation":"addNode","label":"x",${at(levels)}}`,
    };
    for (const [route, body] of Object.entries(bodies)) {
      const [method, path] = route.split(" ");
      for (const levels of [101, 5_000]) {
        const error = await refused(one, method, path, body(levels), `${levels} levels`);
        assert.match(JSON.stringify(error), /100|deep|recursion/, `${route}, ${levels} levels`);
      }
      assert.equal(await one.bytes(), whole, route);
    }
    for (const [route, body] of Object.entries(bodies)) {
      const answer = await one.send(...route.split(" "), body(100));
      assert.ok(answer.status < 300, `${route}: ${answer.text.slice(0, 500)}`);
    }
    // The sum of two patches must stay within the limit of one.
    await one.node({ id: "half", label: "x", data: { one: "x".repeat(900_000) } });
    assert.equal((await one.send("PUT", "/nodes/half", { data: { two: "x".repeat(900_000) } })).status, 400);
  });

  test("a label of 10 MB has its 4xx, alone and among others", async () => {
    const one = await filled();
    const before = await one.bytes();
    const label = "x".repeat(10_000_000);
    for (const [method, path, body] of [["POST", "/nodes", { label }], ["PUT", "/nodes/a", { label }], ["POST", "/edges", { source: "a", target: "b", label }], ["POST", "/nodes/bulk", { nodes: [{ label: "fine" }, { label }] }], ["POST", "/import", { nodes: [{ id: "x", label }], edges: [] }], ["POST", "", { operation: "addNode", label }], ["POST", "/init", { name: label }]]) {
      const error = await refused(one, method, path, body, "10 MB");
      assert.ok(["INVALID_ARGUMENT", "PAYLOAD_TOO_LARGE"].includes(error.code), `${path}: ${error.code}`);
      assert.ok(JSON.stringify(error).length < 5_000, path);
    }
    assert.equal(await one.bytes(), before);
  });

  test("a request with too many items is refused before it is worked on", async () => {
    const one = await filled();
    const error = await refused(one, "POST", "/nodes/bulk", `{"nodes":[${Array(500_001).fill("{}").join(",")}]}`, "500,001 nodes");
    assert.ok(["TOO_BIG", "PAYLOAD_TOO_LARGE", "INVALID_ARGUMENT"].includes(error.code), error.code);
    const many = await refused(one, "POST", "/nodes/bulk", `{"nodes":[${Array(100_000).fill("{}").join(",")}]}`, "100,000 bad nodes");
    assert.deepEqual([many.issues.length, many.issueCount], [100, 100_000]);
  });
});

test("a body that claims another encoding or length is told", async () => {
  const one = await filled();
  const error = await refused(one, "POST", "/nodes", Buffer.from("not gzip at all"), "gzip", { "content-encoding": "gzip" });
  assert.ok(error.code.length > 0);
  assert.equal(await one.version(), 2);
});

test("a wrong method on each path is 405 with the right ones", async () => {
  const one = await filled();
  const paths = Map.groupBy(routes, ([, path]) => path);
  for (const [path, entries] of paths) {
    const response = await one.fetch(concrete(path), { method: "PATCH", body: "{}" });
    const body = await response.json();
    assert.deepEqual([response.status, body.success], [405, false], path);
    for (const [method] of entries) assert.ok(body.error.allowed.includes(method), `${path}: ${body.error.allowed}`);
  }
  for (const path of ["/nothing", "/nodes/a/nothing", "/history/1/2", "/edges/e/neighbors"]) {
    const response = await one.fetch(path);
    assert.deepEqual([response.status, (await response.json()).error.code], [404, "NOT_FOUND"], path);
  }
});

test("the graph still works after all that", async () => {
  const one = new Graph(worker);
  await one.ok("POST", "/mock-data", { dataset: "cancer" });
  const { nodes, edges } = await one.state();
  assert.deepEqual([nodes.length, edges.length], [8, 9]);
  assert.ok(edges.some(({ label }) => label === "subtype_of"));
});
