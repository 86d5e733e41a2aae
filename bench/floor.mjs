// The floor: SQLite inside Node, with no HTTP, no second process, no isolation and no gate around
// it.
//
// It includes the work that any service must do as well: reading the JSON text of the request
// (bytes in memory), binding or json_each, one transaction committed to a database file with one
// fsync (workerd does the same, as strace shows), the checkpoint that SQLite makes after 1,000
// pages, and for a query the rows as the bytes of a JSON text. It leaves out the network, HTTP, the
// front Worker and the review of the statement. Each case is written in two or three forms; the
// fastest one in the same run is the floor, so that no competitor looks better than it is.
//
// `node bench/floor.mjs` prints all forms.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { DatabaseSync } from "node:sqlite";
import { COLUMNS, CREATE_COLUMNS, makeRecords } from "./data.mjs";

// The largest chunk that an object in workerd can bind as one value.
const CHUNK_BYTES = 1_000_000;

const INSERT_PREPARED = "INSERT INTO t (id, name, score, note) VALUES (?, ?, ?, ?)";
const INSERT_JSON =
  "INSERT INTO t (id, name, score, note) SELECT value->>'$.id', value->>'$.name', value->>'$.score', value->>'$.note' FROM json_each(?)";
// The same with SQLite's binary form, which saves writing and parsing the text of every row again;
// from SQLite 3.51 on.
const INSERT_JSONB = INSERT_JSON.replace("json_each", "jsonb_each");
const SELECT_ROWS = "SELECT id, name, score, note FROM q ORDER BY id LIMIT 10001";
const SELECT_JSON =
  `SELECT json_group_array(json_object('id', id, 'name', name, 'score', score, 'note', note)) AS rows FROM (${SELECT_ROWS})`;

export function openFloor() {
  const folder = mkdtempSync(join(tmpdir(), "codemode-floor-"));
  const database = new DatabaseSync(join(folder, "floor.sqlite"));
  // The mode and durability of workerd.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");

  const inTransaction = (work) => {
    database.exec("BEGIN");
    work();
    database.exec("COMMIT");
  };
  const insertPrepared = (records) => {
    const statement = database.prepare(INSERT_PREPARED);
    inTransaction(() => {
      for (const { id, name, score, note } of records) {
        statement.run(id, name, score, note);
      }
    });
  };

  const loadText = (insert) => (body) => {
    const statement = database.prepare(insert.replace("(?)", "(?, '$.records')"));
    inTransaction(() => statement.run(body.toString("utf8")));
  };
  const loadChunks = (insert) => (body) => {
    const statement = database.prepare(insert);
    inTransaction(() => {
      for (const chunk of chunksOf(body)) {
        statement.run(`[${chunk.toString("utf8").trimEnd().replaceAll("\n", ",")}]`);
      }
    });
  };
  const binaryForms = (title, load) => (hasBinaryForm(database) ? { [title]: load(INSERT_JSONB) } : {});

  return {
    freshTable: () => database.exec(`DROP TABLE IF EXISTS t; CREATE TABLE t ${CREATE_COLUMNS}`),
    rowsLoaded: () => database.prepare("SELECT count(*) AS rows FROM t").get().rows,
    fillQueryTable: (records) => {
      database.exec(`CREATE TABLE q ${CREATE_COLUMNS}`);
      const statement = database.prepare(INSERT_PREPARED.replace("INTO t", "INTO q"));
      inTransaction(() => records.forEach((record) => statement.run(...COLUMNS.map((column) => record[column]))));
    },
    loadForms: {
      "JSON.parse and a prepared INSERT": (body) => insertPrepared(JSON.parse(body.toString("utf8")).records),
      "json_each over the request's own text": loadText(INSERT_JSON),
      ...binaryForms("jsonb_each over the request's own text", loadText),
    },
    streamForms: {
      "JSON.parse a line and a prepared INSERT": (body) => insertPrepared(linesOf(body).map((line) => JSON.parse(line))),
      "json_each over chunks of 1 MB": loadChunks(INSERT_JSON),
      ...binaryForms("jsonb_each over chunks of 1 MB", loadChunks),
    },
    queryForms: {
      "all() and JSON.stringify": () => {
        const results = database.prepare(SELECT_ROWS).all();
        return Buffer.from(JSON.stringify({ success: true, results, rowCount: results.length }));
      },
      "json_group_array": () => Buffer.from(`{"success":true,"results":${database.prepare(SELECT_JSON).get().rows}}`),
    },
    pointQuery: (id) => {
      const results = database.prepare("SELECT id, name, score, note FROM q WHERE id = ?").all(id);
      return Buffer.from(JSON.stringify({ success: true, results, rowCount: results.length }));
    },
    close: () => {
      database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function hasBinaryForm(database) {
  try {
    return database.prepare("SELECT count(*) AS rows FROM jsonb_each('[1]')").get().rows === 1;
  } catch {
    return false;
  }
}

function linesOf(body) {
  return body.toString("utf8").trimEnd().split("\n");
}

function* chunksOf(body) {
  for (let start = 0; start < body.length; ) {
    const cut = start + CHUNK_BYTES >= body.length ? body.length : body.lastIndexOf("\n", start + CHUNK_BYTES) + 1;
    yield body.subarray(start, cut);
    start = cut;
  }
}

function printForms() {
  const records = makeRecords(100_000);
  const batch = Buffer.from(JSON.stringify({ operation: "batchInsert", table: "t", records: records.slice(0, 10_000) }));
  const stream = Buffer.from(records.map((record) => JSON.stringify(record)).join("\n"));
  const floor = openFloor();
  floor.fillQueryTable(records.slice(0, 10_000));
  const cases = [
    ["load of 10,000 rows", floor.loadForms, batch],
    ["load of 100,000 rows", floor.streamForms, stream],
    ["query of 10,000 rows", floor.queryForms, undefined],
  ];
  for (const [title, forms, body] of cases) {
    for (const [form, run] of Object.entries(forms)) {
      const times_ms = [];
      for (let round = 0; round < 10; round += 1) {
        floor.freshTable();
        const start = performance.now();
        run(body);
        times_ms.push(performance.now() - start);
      }
      times_ms.sort((a, b) => a - b);
      console.log(`${title}, ${form}: median ${times_ms[5].toFixed(1)} ms, fastest ${times_ms[0].toFixed(1)} ms`);
    }
  }
  floor.close();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  printForms();
}
