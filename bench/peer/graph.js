// The peer for knowledge graphs: a Durable Object as a skilled developer writes it by hand in plain
// JavaScript, with batched VALUES, and graphology for the analysis.
//
// It does the same work as ours for the same request: ids and ends are checked, the words are added
// to an FTS5 table, and a step of the history has the data for an undo. It leaves out old versions,
// parameters, and the checks of every field.

import { DurableObject } from "cloudflare:workers";
import { UndirectedGraph } from "graphology";
import louvain from "graphology-communities-louvain";
import forceAtlas2 from "graphology-layout-forceatlas2";
import betweenness from "graphology-metrics/centrality/betweenness.js";
import modularity from "graphology-metrics/graph/modularity.js";

// A Durable Object binds at most 100 parameters in one statement.
const MAX_PARAMETERS = 100;
const NODE = ["id", "label", "type", "data", "x", "y", "created_at", "updated_at"];
const EDGE = ["id", "source", "target", "label", "type", "data", "created_at", "updated_at"];
const GRAPH_PATH = /^\/api\/graph\/([^/]+)\/(.+)$/;

export class PeerGraph extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env);
    this.sql = ctx.storage.sql;
    this.sql.exec("CREATE TABLE IF NOT EXISTS nodes (seq INTEGER PRIMARY KEY, id TEXT UNIQUE, label TEXT, type TEXT, data TEXT, x REAL, y REAL, created_at TEXT, updated_at TEXT)");
    this.sql.exec("CREATE TABLE IF NOT EXISTS edges (seq INTEGER PRIMARY KEY, id TEXT UNIQUE, source TEXT, target TEXT, label TEXT, type TEXT, data TEXT, created_at TEXT, updated_at TEXT, UNIQUE (source, target, label, type))");
    this.sql.exec("CREATE INDEX IF NOT EXISTS edges_by_target ON edges (target)");
    this.sql.exec("CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (label, type, data)");
    this.sql.exec("CREATE TABLE IF NOT EXISTS steps (version INTEGER PRIMARY KEY, description TEXT, nodes TEXT, edges TEXT, created_at TEXT)");
  }

  async fetch(request) {
    try {
      const { pathname, searchParams } = new URL(request.url);
      const [, , action] = GRAPH_PATH.exec(pathname);
      const body = request.method === "POST" && Number(request.headers.get("content-length")) > 0 ? await request.json() : {};
      return Response.json({ success: true, ...this.ctx.storage.transactionSync(() => this.act(action, body, searchParams)) });
    } catch (error) {
      return Response.json({ success: false, error: { message: error.message } }, { status: 400 });
    }
  }

  act(action, body, parameters) {
    switch (action) {
      case "init":
        return {};
      case "import":
        return this.import(body.nodes, body.edges);
      case "nodes":
        return this.import([body], []);
      case "undo":
        return this.undo();
      case "state":
        return this.state(Number(parameters.get("limit") ?? 1_000));
      case "centrality":
        return this.centrality(Number(parameters.get("limit") ?? 20));
      case "communities":
        return this.communities();
      case "layout":
        return this.layout(body.iterations);
      default:
        throw new Error(`no such action: ${action}`);
    }
  }

  import(nodes, edges) {
    const now = new Date().toISOString();
    const known = new Set();
    for (const ids of chunks(nodes.map(({ id }) => id), MAX_PARAMETERS)) {
      for (const { id } of this.sql.exec(`SELECT id FROM nodes WHERE id IN (${ids.map(() => "?").join(", ")})`, ...ids)) throw new Error(`there is a node ${id}`);
      for (const id of ids) known.add(id);
    }
    for (const { source, target } of edges) {
      for (const end of [source, target]) if (!known.has(end) && this.sql.exec("SELECT 1 FROM nodes WHERE id = ?", end).toArray().length === 0) throw new Error(`there is no node ${end}`);
    }
    const first = (this.sql.exec("SELECT max(seq) AS seq FROM nodes").one().seq ?? 0) + 1;
    const rows = nodes.map(({ id, label, type = "other", data = { category: type }, position = { x: 0, y: 0 } }) => [id, label, type, JSON.stringify(data), position.x, position.y, now, now]);
    this.insert("nodes", ["seq", ...NODE], rows.map((row, index) => [first + index, ...row]));
    this.insert("words", ["rowid", "label", "type", "data"], rows.map(([, label, type, data], index) => [first + index, label, type, data]));
    const edgeRows = edges.map(({ id = `edge_${crypto.randomUUID()}`, source, target, label = "", type = "", data = {} }) => [id, source, target, label, type, JSON.stringify(data), now, now]);
    this.insert("edges", EDGE, edgeRows);
    const ids = (list) => JSON.stringify(list.map(([id]) => id));
    this.sql.exec("INSERT INTO steps (description, nodes, edges, created_at) VALUES (?, ?, ?, ?)", `Imported ${nodes.length} nodes`, ids(rows), ids(edgeRows), now);
    return { nodes: { created: rows.length }, edges: { created: edgeRows.length }, ...this.counts() };
  }

  insert(table, columns, rows) {
    const rowsPerStatement = Math.floor(MAX_PARAMETERS / columns.length);
    const tuple = `(${columns.map(() => "?").join(", ")})`;
    for (const batch of chunks(rows, rowsPerStatement)) {
      this.sql.exec(`INSERT INTO ${table} (${columns.join(", ")}) VALUES ${Array(batch.length).fill(tuple).join(", ")}`, ...batch.flat());
    }
  }

  undo() {
    const step = this.sql.exec("SELECT version, nodes, edges FROM steps ORDER BY version DESC LIMIT 1").one();
    this.sql.exec("DELETE FROM edges WHERE id IN (SELECT value FROM json_each(?))", step.edges);
    this.sql.exec("DELETE FROM words WHERE rowid IN (SELECT seq FROM nodes WHERE id IN (SELECT value FROM json_each(?)))", step.nodes);
    this.sql.exec("DELETE FROM nodes WHERE id IN (SELECT value FROM json_each(?))", step.nodes);
    this.sql.exec("DELETE FROM steps WHERE version = ?", step.version);
    return this.counts();
  }

  counts() {
    return { metadata: this.sql.exec("SELECT (SELECT count(*) FROM nodes) AS nodeCount, (SELECT count(*) FROM edges) AS edgeCount").one() };
  }

  state(limit) {
    const nodes = this.sql.exec("SELECT * FROM nodes ORDER BY seq LIMIT ?", limit).toArray();
    const shown = nodes.map(({ id, label, type, data, x, y, created_at: createdAt, updated_at: updatedAt }) => ({ id, label, type, data: JSON.parse(data), position: { x, y }, createdAt, updatedAt }));
    return { data: { nodes: shown, edges: [], ...this.counts() }, nextCursor: nodes.at(-1)?.id ?? null };
  }

  graph() {
    const graph = new UndirectedGraph();
    for (const { id, x, y } of this.sql.exec("SELECT id, x, y FROM nodes ORDER BY seq")) graph.addNode(id, { x, y });
    for (const { source, target } of this.sql.exec("SELECT source, target FROM edges ORDER BY seq")) graph.addEdge(source, target);
    return graph;
  }

  centrality(limit) {
    const scores = Object.entries(betweenness(this.graph(), { getEdgeWeight: null })).sort(([, one], [, other]) => other - one);
    const label = (id) => this.sql.exec("SELECT label, type FROM nodes WHERE id = ?", id).one();
    return { data: { scores: scores.slice(0, limit).map(([id, score]) => ({ id, ...label(id), score })) } };
  }

  communities() {
    const graph = this.graph();
    const found = louvain.detailed(graph, { getEdgeWeight: null });
    return { data: { count: found.count, modularity: modularity(graph, { communities: found.communities, getNodeCommunity: (node) => found.communities[node], getEdgeWeight: null }), communities: found.communities } };
  }

  layout(iterations) {
    const graph = this.graph();
    const settings = { ...forceAtlas2.inferSettings(graph), barnesHutOptimize: true };
    const places = forceAtlas2(graph, { iterations, settings, getEdgeWeight: null });
    return { data: { positions: Object.entries(places).map(([id, { x, y }]) => ({ id, x, y })) } };
  }
}

function* chunks(list, length) {
  for (let start = 0; start < list.length; start += length) yield list.slice(start, start + length);
}

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (pathname === "/health") return Response.json({ success: true, version: "peer" });
    return env.GRAPHS.get(env.GRAPHS.idFromName(GRAPH_PATH.exec(pathname)[1])).fetch(request);
  },
};
