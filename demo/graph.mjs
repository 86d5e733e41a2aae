// A knowledge graph of what two servers know: the joined rows of a session become nodes and edges, the hubs are found, and an edit is undone.
//
// Plain JavaScript makes the same graph from the servers' own records and counts its edges.

import assert from "node:assert/strict";
import { performance } from "node:perf_hooks";
import { by } from "./data.mjs";
import * as print from "./print.mjs";
import { trials } from "./servers/trials.mjs";

const REQUEST_TIMEOUT_MS = 60_000;
const HUBS = 4;

/** The graph of a conversation, in the Worker of a session. */
export class Graph {
  #session;
  #path;

  constructor(session, name) {
    this.#session = session;
    this.name = name;
    this.#path = `/api/graph/${name}`;
  }

  /** The text of a response, which must be a success. */
  async text(method, path = "") {
    print.call(method, this.#path + path, "");
    const started = performance.now();
    const response = await fetch(this.#session.origin + this.#path + path, { method, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
    const text = await response.text();
    assert.equal(response.status, 200, `${method} ${path} returned ${text.slice(0, 1_000)}`);
    print.answer(200, `${print.count(Buffer.byteLength(text))} bytes`, performance.now() - started);
    return text;
  }

  async ok(method, path) {
    return JSON.parse(await this.text(method, path));
  }
}

/** The edges that the rows of both servers have: of a trial to its publications, and to what it studies. */
function expectedEdges() {
  const completed = trials.filter(({ status, phase, related_pmids }) => status === "COMPLETED" && phase === "PHASE3" && related_pmids.length > 0);
  const pairs = completed.flatMap(({ nct_id, conditions, related_pmids }) => [[nct_id, conditions[0]], ...related_pmids.map((pmid) => [nct_id, pmid])]);
  return new Map(pairs.map((pair) => [pair.join(" "), pair]));
}

/** How many edges each node has. */
function expectedDegrees() {
  const degrees = new Map();
  for (const ends of expectedEdges().values()) for (const end of ends) degrees.set(end, (degrees.get(end) ?? 0) + 1);
  return degrees;
}

/** The joined rows become a graph, in one call and one step. */
export async function importJoined(session, graph) {
  await graph.ok("DELETE");
  const { rows, nodes, edges, version } = await session.run("graph.js", { session: session.name, conversation: graph.name });
  assert.deepEqual([nodes.created, edges.created, version], [expectedDegrees().size, expectedEdges().size, 1], "nodes and edges of the graph, and its version");
  print.finding(`${print.plural(rows, "row")} become ${print.plural(nodes.created, "node")} and ${print.plural(edges.created, "edge")}, one step`);
  print.checked("the nodes and edges are those that JavaScript makes of the servers' records");
}

/** The nodes that most edges meet in. */
export async function findHubs(graph) {
  const degrees = expectedDegrees();
  const { data } = await graph.ok("GET", `/centrality?measure=degree&limit=${HUBS}`);
  const hubs = data.scores.map(({ id, label, type, score }) => ({ label, type, edges: Math.round(score * (degrees.size - 1)), id }));
  const expected = [...degrees].sort(by(([, degree]) => [-degree])).slice(0, HUBS);
  assert.deepEqual(hubs.map(({ edges }) => edges), expected.map(([, degree]) => degree), "degrees of the hubs");
  for (const { id, edges } of hubs) assert.equal(edges, degrees.get(id), `edges of ${id}`);
  print.table(["label", "type", "edges"], hubs);
  print.finding(`${hubs[0].label} has ${print.plural(hubs[0].edges, "edge")}`);
  print.checked("they have as many edges as JavaScript counts");
  return hubs[0];
}

/** The first hub is removed with all its edges, and is back after an undo. */
export async function undoEdit(graph, hub) {
  const before = await graph.text("GET", "/export?format=json");
  const { removedEdges } = await graph.ok("DELETE", `/nodes/${encodeURIComponent(hub.id)}`);
  assert.equal(removedEdges, hub.edges, "removed edges");
  const { data } = await graph.ok("POST", "/undo");
  assert.equal(await graph.text("GET", "/export?format=json"), before, "the graph after the undo");
  const { data: steps } = await graph.ok("GET", "/history");
  assert.deepEqual(steps.map(({ kind }) => kind), ["undo", "edit", "edit"], "steps of the history");
  print.table(["version", "description", "createdAt"], steps);
  print.finding(`${data.description}; undo brings every byte back`);
  print.checked("the export is the same, byte for byte, and the history has all three steps");
}

