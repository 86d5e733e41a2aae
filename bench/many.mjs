// Load by many: 50 clients on one session, and 50 clients with a session each. Ours and the peer
// (bench/peer/), in turn.
//
//   node bench/many.mjs [--rounds 9] [--build build-bench]
//
// Every client has its own connection, and sends its next request when it has the response to its
// last. A round is 2,000 requests of all clients together. The clients are this process, on the
// same machine; an empty Worker shows the cost of clients and HTTP without a database. An insert
// waits for the disk: the slower the disk is, the nearer are the ratios of inserts to 1.

import { performance } from "node:perf_hooks";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { CREATE_COLUMNS, makeRecords } from "./data.mjs";
import { median, ratioOf } from "./report.mjs";
import { modulesIn, prepareWorker } from "./workerd.mjs";

const CLIENTS = 50;
const REQUESTS_A_ROUND = 2_000;
const QUERY_ROWS = 1_000;
const WARM_UP_ROUNDS = 2;
const OURS = { binding: "CODEMODE_DB", className: "CodeModeDatabase" };
const PEER = { binding: "SESSIONS", className: "SessionDatabase", modules: modulesIn(fileURLToPath(new URL("peer", import.meta.url))) };
const EMPTY = { modules: [{ name: "index.js", content: 'export default { fetch: () => new Response("{}") };' }] };

const operation = (request) => Buffer.from(JSON.stringify(request));
const DROP = operation({ operation: "exec", sql: "DROP TABLE IF EXISTS t" });
const CREATE = operation({ operation: "exec", sql: `CREATE TABLE t ${CREATE_COLUMNS}` });
const COUNT = operation({ operation: "query", sql: "SELECT count(*) AS rows, sum(id) AS ids FROM t" });

const records = makeRecords(REQUESTS_A_ROUND);
const path = (session) => `/api/codemode/sessions/${session}`;
// The path of each client.
const SHARED = Array(CLIENTS).fill(path("many"));
const OWN = Array.from({ length: CLIENTS }, (_, client) => path(`many-${client}`));

const rowOf = (request) => (request * 7_919) % QUERY_ROWS;
const QUERIES = records.map((_, request) =>
  operation({ operation: "query", sql: "SELECT id, name, score, note FROM q WHERE id = ?", params: [rowOf(request) + 1] }),
);
const INSERTS = records.map(({ id, name, score, note }) =>
  operation({ operation: "exec", sql: "INSERT INTO t (id, name, score, note) VALUES (?, ?, ?, ?)", params: [id, name, score, note] }),
);

const CASES = [
  { title: "point queries, 50 clients on one session", paths: SHARED, bodies: QUERIES, check: checkQueries },
  { title: "point queries, 50 clients on 50 sessions", paths: OWN, bodies: QUERIES, check: checkQueries },
  { title: "inserts of one row, 50 clients on one session", paths: SHARED, bodies: INSERTS, before: freshTables, check: checkInserts },
  { title: "inserts of one row, 50 clients on 50 sessions", paths: OWN, bodies: INSERTS, before: freshTables, check: checkInserts },
];

/** Fills the table of the queries in every session. */
async function fillQueryTables(send) {
  for (const at of new Set([...SHARED, ...OWN])) {
    await send("POST", at, operation({ operation: "exec", sql: `CREATE TABLE q ${CREATE_COLUMNS}` }));
    await send("POST", at, operation({ operation: "batchInsert", table: "q", records: records.slice(0, QUERY_ROWS) }));
  }
}

async function freshTables(send, paths) {
  for (const at of new Set(paths)) {
    await send("POST", at, DROP);
    await send("POST", at, CREATE);
  }
}

/**
 * Sends all bodies, each once. `sent` has the path and the response of each. A response other than
 * 200 is an error.
 */
async function sendAll(send, paths, bodies) {
  const times_ms = [];
  const sent = [];
  const client = async (at) => {
    while (sent.length < bodies.length) {
      const request = { at };
      const body = bodies[sent.push(request) - 1];
      const start = performance.now();
      request.answer = await send("POST", at, body);
      times_ms.push(performance.now() - start);
    }
  };
  const start = performance.now();
  await Promise.all(paths.map(client));
  return { elapsed_ms: performance.now() - start, times_ms, sent };
}

function checkQueries(_send, sent) {
  sent.forEach(({ answer }, request) => {
    const { results } = JSON.parse(answer);
    if (JSON.stringify(results) !== JSON.stringify([records[rowOf(request)]])) throw new Error(`a query returned another row: ${answer}`);
  });
}

/** Checks that every session has the rows that were sent to it. */
async function checkInserts(send, sent) {
  const expected = new Map();
  sent.forEach(({ at, answer }, request) => {
    if (JSON.parse(answer).success !== true) throw new Error(`an insert failed: ${answer}`);
    const { rows, ids } = expected.get(at) ?? { rows: 0, ids: 0 };
    expected.set(at, { rows: rows + 1, ids: ids + records[request].id });
  });
  for (const [at, { rows, ids }] of expected) {
    const [found] = JSON.parse(await send("POST", at, COUNT)).results;
    if (found.rows !== rows || found.ids !== ids) throw new Error(`${at} has ${found.rows} rows, not the ${rows} that were sent`);
  }
}

const percentile = (values, share) => values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1];

/** Returns the requests a second and percentiles of the latency of each round, by name. */
async function measure({ title, paths, bodies, before, check }, competitors, rounds) {
  console.error(`measuring: ${title}`);
  const figures = Object.fromEntries(Object.keys(competitors).map((name) => [name, { requests_s: [], p50_ms: [], p99_ms: [] }]));
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
    for (const [name, { send, database }] of Object.entries(competitors)) {
      if (database) await before?.(send, paths);
      const { elapsed_ms, times_ms, sent } = await sendAll(send, paths, bodies);
      if (database) await check(send, sent);
      if (round >= 0) {
        figures[name].requests_s.push((bodies.length / elapsed_ms) * 1_000);
        figures[name].p50_ms.push(percentile(times_ms, 0.5));
        figures[name].p99_ms.push(percentile(times_ms, 0.99));
      }
    }
  }
  return { title, figures };
}

function print({ title, figures }) {
  console.log(`\n${title}`);
  for (const [name, { requests_s, p50_ms, p99_ms }] of Object.entries(figures)) {
    const rate = Math.round(median(requests_s)).toLocaleString("en-US");
    console.log(`  ${name.padEnd(14)} ${rate.padStart(8)} requests/s   p50 ${median(p50_ms).toFixed(1).padStart(7)} ms   p99 ${median(p99_ms).toFixed(1).padStart(7)} ms`);
  }
  const { ours, peer } = figures;
  const ratio = (figure) => `${ratioOf(ours[figure], peer[figure]).toFixed(2)}x`;
  console.log(`  ours has ${ratio("requests_s")} the peer's requests a second, ${ratio("p50_ms")} its p50 and ${ratio("p99_ms")} its p99; no target`);
}

/** Measures and prints all cases; returns the figures. */
export async function benchMany({ folder, rounds }) {
  const workers = { ours: { ...OURS, modules: modulesIn(folder) }, peer: PEER, "empty Worker": EMPTY };
  const prepared = [];
  const competitors = {};
  try {
    for (const [name, worker] of Object.entries(workers)) {
      prepared.push(prepareWorker(worker));
      const database = worker.className !== undefined;
      competitors[name] = { ...(await prepared.at(-1).start(CLIENTS)), database };
      if (database) await fillQueryTables(competitors[name].send);
    }
    const cases = [];
    for (const one of CASES) {
      cases.push(await measure(one, competitors, rounds));
      print(cases.at(-1));
    }
    return cases;
  } finally {
    await Promise.all(Object.values(competitors).map(({ stop }) => stop()));
    prepared.forEach((worker) => worker.remove());
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { values: options } = parseArgs({
    options: { rounds: { type: "string", default: "9" }, build: { type: "string", default: fileURLToPath(new URL("../build-bench", import.meta.url)) } },
  });
  await benchMany({ folder: options.build, rounds: Number(options.rounds) });
}
