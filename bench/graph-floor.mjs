// The floor for knowledge graphs: SQLite inside Node, without HTTP, checks, history and search. The
// tables and indices of nodes and edges are those of the competitors, and each change is one
// transaction on disk.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const SCHEMA = `
  PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE nodes (seq INTEGER PRIMARY KEY, id TEXT UNIQUE, label TEXT, type TEXT, data TEXT, x REAL, y REAL, created_at TEXT, updated_at TEXT);
  CREATE TABLE edges (seq INTEGER PRIMARY KEY, id TEXT UNIQUE, source TEXT, target TEXT, label TEXT, type TEXT, data TEXT, created_at TEXT, updated_at TEXT,
    UNIQUE (source, target, label, type));
  CREATE INDEX edges_by_target ON edges (target)`;
const INSERT_NODE = "INSERT INTO nodes (id, label, type, data, x, y, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
const INSERT_EDGE = "INSERT INTO edges (id, source, target, label, type, data, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
const PAGE =
  "SELECT json_group_array(json_object('id', id, 'label', label, 'type', type, 'data', json(data), 'position', json_object('x', x, 'y', y), " +
  "'createdAt', created_at, 'updatedAt', updated_at)) AS page FROM (SELECT * FROM nodes ORDER BY seq LIMIT ?)";

export function openGraphFloor() {
  const folder = mkdtempSync(join(tmpdir(), "codemode-graph-floor-"));
  const database = new DatabaseSync(join(folder, "floor.sqlite"));
  database.exec(SCHEMA);
  const [insertNode, insertEdge, page] = [INSERT_NODE, INSERT_EDGE, PAGE].map((sql) => database.prepare(sql));
  let generated = 0;
  let imported = { nodes: "[]", edges: "[]" };

  const importGraph = (body) => {
    const { nodes, edges } = JSON.parse(body.toString("utf8"));
    const now = new Date().toISOString();
    database.exec("BEGIN");
    for (const { id, label, type, data, position } of nodes) insertNode.run(id, label, type, JSON.stringify(data), position.x, position.y, now, now);
    const first = generated + 1;
    for (const { source, target, label, type } of edges) insertEdge.run(`edge_${(generated += 1)}`, source, target, label, type, "{}", now, now);
    database.exec("COMMIT");
    imported = { nodes: JSON.stringify(nodes.map(({ id }) => id)), edges: JSON.stringify(edges.map((_, index) => `edge_${first + index}`)) };
  };
  return {
    fresh: () => database.exec("DELETE FROM edges; DELETE FROM nodes"),
    import: importGraph,
    undo: () => {
      database.exec("BEGIN");
      for (const table of ["edges", "nodes"]) database.prepare(`DELETE FROM ${table} WHERE id IN (SELECT value FROM json_each(?))`).run(imported[table]);
      database.exec("COMMIT");
    },
    page: (limit) => Buffer.from(page.get(limit).page),
    addNode: (body) => {
      const { id, label, type } = JSON.parse(body.toString("utf8"));
      const now = new Date().toISOString();
      insertNode.run(id, label, type, JSON.stringify({ category: type }), 0, 0, now, now);
    },
    close: () => {
      database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
