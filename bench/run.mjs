// Measures the Worker in build/ against the peer (bench/peer/) and the floor (bench/floor.mjs), in
// one run on one machine; then programs (bench/programs.mjs), the tools of other servers
// (bench/tools.mjs), the MCP server (bench/mcp.mjs), the checks of GraphQL responses
// (bench/graphql.mjs), knowledge graphs (bench/graph.mjs), cold start (bench/start.mjs), load by
// many (bench/many.mjs) and the fixed cost of a request (bench/requests.mjs).
//
//   node bench/run.mjs [--rounds 9] [--json FILE] [--build build-bench] [--test-build build-test] [--only PART]
//
// PART is worker (the measurements of this file), programs, tools, mcp, graphql, graph, start, many
// or requests.
//
// The machine may be noisy, so every round runs all competitors one after the other, and a ratio is
// the median of the ratios of the single rounds: a slow moment affects both sides of it. Warm-up
// rounds are not counted. A missed target is printed, and the exit code stays 0, because a
// benchmark is not a test. It is 1 when a response is wrong, because then nothing was measured.

import { existsSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { checksum, CREATE_COLUMNS, makeRecords } from "./data.mjs";
import { openFloor } from "./floor.mjs";
import { benchGraph } from "./graph.mjs";
import { benchGraphql } from "./graphql.mjs";
import { benchMany } from "./many.mjs";
import { benchMcp } from "./mcp.mjs";
import { benchPrograms } from "./programs.mjs";
import { median, printReport, summary } from "./report.mjs";
import { benchRequests } from "./requests.mjs";
import { benchStart } from "./start.mjs";
import { benchTools } from "./tools.mjs";
import { bundleSize, modulesIn, prepareWorker } from "./workerd.mjs";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "9" },
    json: { type: "string" },
    build: { type: "string", default: fileURLToPath(new URL("../build-bench", import.meta.url)) },
    only: { type: "string" },
    "test-build": { type: "string", default: fileURLToPath(new URL("../build-test", import.meta.url)) },
  },
});
const ROUNDS = Number(options.rounds);
const PARTS = { programs: benchPrograms, tools: benchTools, mcp: benchMcp, graphql: benchGraphql, graph: benchGraph, start: benchStart, many: benchMany, requests: benchRequests };
const WARM_UP_ROUNDS = 2;
const SMALL_ROWS = 10_000;
const LARGE_ROWS = 100_000;
const POINT_QUERIES_A_ROUND = 500;
// The clock of workerd does not advance while code computes, so the gate is timed from outside with
// two counts and the difference.
const GATE_FEW_STATEMENTS = 500;
const GATE_MANY_STATEMENTS = 5_500;
const OBJECT_PATH = "/api/codemode/sessions/bench";
const POINT_SQL = "SELECT id, name, score, note FROM q WHERE id = ?";

const OURS = { binding: "CODEMODE_DB", className: "CodeModeDatabase" };
const PEER = { binding: "SESSIONS", className: "SessionDatabase" };
const EMPTY = { modules: [{ name: "index.js", content: 'export default { fetch: () => new Response("{}") };' }] };

const records = makeRecords(LARGE_ROWS);
const smallRecords = records.slice(0, SMALL_ROWS);
const bodies = {
  small: operation({ operation: "batchInsert", table: "t", records: smallRecords }),
  smallRowByRow: operation({ operation: "insertRowByRow", table: "t", records: smallRecords }),
  large: operation({ operation: "batchInsert", table: "t", records }),
  largeRowByRow: operation({ operation: "insertRowByRow", table: "t", records }),
  largeLines: Buffer.from(records.map((record) => JSON.stringify(record)).join("\n")),
  query: operation({ operation: "query", sql: "SELECT id, name, score, note FROM q ORDER BY id" }),
  pointQueries: Array.from({ length: POINT_QUERIES_A_ROUND }, (_, index) =>
    operation({ operation: "query", sql: POINT_SQL, params: [((index * 7_919) % SMALL_ROWS) + 1] }),
  ),
};

function operation(request) {
  return Buffer.from(JSON.stringify(request));
}

/** Opens a Worker as a competitor: the same calls for ours and the peer. */
async function openWorker(prepared) {
  const process = await prepared.start();
  const call = (body) => process.send("POST", OBJECT_PATH, body);
  await process.send("GET", "/health");
  await call(operation({ operation: "exec", sql: `CREATE TABLE IF NOT EXISTS q ${CREATE_COLUMNS}` }));
  await call(operation({ operation: "batchInsert", table: "q", records: smallRecords }));
  return {
    call,
    send: process.send,
    residentBytes: process.residentBytes,
    stop: process.stop,
    freshTable: async () => {
      await call(operation({ operation: "exec", sql: "DROP TABLE IF EXISTS t" }));
      await call(operation({ operation: "exec", sql: `CREATE TABLE t ${CREATE_COLUMNS}` }));
    },
    rowsLoaded: async () => JSON.parse(await call(operation({ operation: "query", sql: "SELECT count(*) AS rows FROM t" }))).results[0].rows,
  };
}

/** Runs every form once a round, in turn, and returns the times in milliseconds by name. */
async function measure(title, forms, { rounds = ROUNDS, warmUps = WARM_UP_ROUNDS } = {}) {
  console.error(`measuring: ${title}`);
  const times_ms = Object.fromEntries(forms.map(({ name }) => [name, []]));
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const { name, before, run, check, ownTime } of forms) {
      await before?.();
      const start = performance.now();
      const outcome = await run();
      const elapsed_ms = ownTime ? outcome : performance.now() - start;
      await check?.(outcome);
      if (round >= 0) {
        times_ms[name].push(elapsed_ms);
      }
    }
  }
  return { title, times_ms };
}

function loadForm(name, competitor, rows, run) {
  const check = async () => {
    const loaded = await competitor.rowsLoaded();
    if (loaded !== rows) {
      throw new Error(`${name} loaded ${loaded} rows instead of ${rows}`);
    }
  };
  return { name, before: competitor.freshTable, run, check };
}

function floorForms(forms, wrap) {
  return Object.entries(forms).map(([form, run]) => wrap(`floor: ${form}`, run));
}

function measureSmallLoad({ ours, peer, floor }) {
  return measure("load of 10,000 rows", [
    ...(ours ? [loadForm("ours", ours, SMALL_ROWS, () => ours.call(bodies.small))] : []),
    loadForm("peer, batched", peer, SMALL_ROWS, () => peer.call(bodies.small)),
    loadForm("peer, row by row", peer, SMALL_ROWS, () => peer.call(bodies.smallRowByRow)),
    ...floorForms(floor.loadForms, (name, run) => loadForm(name, floor, SMALL_ROWS, () => run(bodies.small))),
  ]);
}

function measureLargeLoad({ ours, peer, floor }) {
  const putRows = () => ours.send("PUT", `${OBJECT_PATH}/tables/t/rows`, bodies.largeLines, "application/x-ndjson");
  return measure("load of 100,000 rows", [
    ...(ours ? [loadForm("ours", ours, LARGE_ROWS, putRows)] : []),
    loadForm("peer, batched", peer, LARGE_ROWS, () => peer.call(bodies.large)),
    loadForm("peer, row by row", peer, LARGE_ROWS, () => peer.call(bodies.largeRowByRow)),
    ...floorForms(floor.streamForms, (name, run) => loadForm(name, floor, LARGE_ROWS, () => run(bodies.largeLines))),
  ], { warmUps: 1 });
}

function measureQuery({ ours, peer, floor }) {
  const expected = checksum(smallRecords);
  const check = (answer) => {
    if (checksum(JSON.parse(answer).results) !== expected) {
      throw new Error("the query returned other rows than were loaded");
    }
  };
  return measure("query of 10,000 rows", [
    ...(ours ? [{ name: "ours", run: () => ours.call(bodies.query), check }] : []),
    { name: "peer", run: () => peer.call(bodies.query), check },
    ...floorForms(floor.queryForms, (name, run) => ({ name, run, check })),
  ], { rounds: 3 * ROUNDS, warmUps: 5 });
}

/** One round is 500 queries one after the other; the median latency of one counts. */
function measurePointQuery({ ours, peer, floor }) {
  const latency = (run) => async () => {
    const times_ms = [];
    for (const body of bodies.pointQueries) {
      const start = performance.now();
      await run(body);
      times_ms.push(performance.now() - start);
    }
    return median(times_ms);
  };
  const ids = new Map(bodies.pointQueries.map((body) => [body, JSON.parse(body).params[0]]));
  return measure("point query", [
    ...(ours ? [{ name: "ours", run: latency(ours.call), ownTime: true }] : []),
    { name: "peer", run: latency(peer.call), ownTime: true },
    { name: "floor: SQLite in Node", run: latency((body) => floor.pointQuery(ids.get(body))), ownTime: true },
  ]);
}

/**
 * The time from the start of the process, which reads the configuration's text, to the response to
 * /health. bench/start.mjs measures the start of an object.
 */
function measureColdStart(prepared) {
  const start = (worker) => async () => {
    const process = await worker.start();
    await process.send("GET", "/health");
    const elapsed_ms = performance.now() - process.started;
    await process.stop();
    return elapsed_ms;
  };
  return measure("cold start", Object.entries(prepared).map(([name, worker]) => ({ name, run: start(worker), ownTime: true })));
}

/**
 * A statement of 500 bytes as a model writes it: an expression, joins, a filter, groups and an
 * order.
 */
const GATE_STATEMENT = `WITH recent AS (SELECT p.pmid, p.title, p.year, p.journal FROM papers AS p WHERE p.year >= 2018 AND p.journal IS NOT NULL)
SELECT r.journal, t.phase, count(DISTINCT r.pmid) AS papers, count(*) AS links, round(avg(t.enrollment), 1) AS enrollment,
       max(r.year) AS latest
FROM recent r JOIN links l ON l.pmid = r.pmid LEFT JOIN trials t ON t.nct_id = l.nct_id
WHERE t.start_date BETWEEN '2019-01-01' AND '2024-12-31'
GROUP BY r.journal, t.phase ORDER BY papers DESC LIMIT 50`.padEnd(500);

/** Returns the microseconds of the gate for one statement of 500 bytes inside WebAssembly. */
async function measureGate(prepared) {
  const process = await prepared.start();
  const gate = (count) => () => process.send("POST", `/__test/gate?n=${count}`, Buffer.from(GATE_STATEMENT));
  try {
    await process.send("GET", "/health");
    const { times_ms } = await measure("gate", [
      { name: "few", run: gate(GATE_FEW_STATEMENTS) },
      { name: "many", run: gate(GATE_MANY_STATEMENTS) },
    ]);
    const each_us = times_ms.many.map((many, round) => ((many - times_ms.few[round]) * 1_000) / (GATE_MANY_STATEMENTS - GATE_FEW_STATEMENTS));
    return summary(each_us);
  } finally {
    await process.stop();
  }
}

function workerFrom(folder, worker) {
  return existsSync(`${folder}/index.js`) ? { ...worker, modules: modulesIn(folder) } : undefined;
}

function mebibytes(bytes) {
  return bytes === undefined ? undefined : bytes / 1024 / 1024;
}

async function runAll() {
  const workers = {
    ours: workerFrom(options.build, OURS),
    peer: workerFrom(fileURLToPath(new URL("peer", import.meta.url)), PEER),
    "empty Worker": EMPTY,
  };
  const testWorker = workerFrom(options["test-build"], OURS);
  const present = Object.entries(workers).filter(([, worker]) => worker !== undefined);
  const prepared = Object.fromEntries(present.map(([name, worker]) => [name, prepareWorker(worker)]));
  const floor = openFloor();
  floor.fillQueryTable(smallRecords);
  const running = { floor };
  const memory_mib = {};
  const sizes = {};
  try {
    const coldStart = await measureColdStart(prepared);
    for (const name of ["ours", "peer"].filter((name) => name in prepared)) {
      sizes[name] = bundleSize(workers[name].modules);
      running[name] = await openWorker(prepared[name]);
      memory_mib[name] = { before: mebibytes(running[name].residentBytes()) };
    }
    const cases = [await measureSmallLoad(running), await measureLargeLoad(running), await measureQuery(running), await measurePointQuery(running)];
    for (const name of Object.keys(memory_mib)) {
      memory_mib[name].after = mebibytes(running[name].residentBytes());
    }
    const testPrepared = testWorker && prepareWorker(testWorker);
    const gate_us = testPrepared && (await measureGate(testPrepared));
    testPrepared?.remove();
    return { cases, coldStart, gate_us, memory_mib, sizes };
  } finally {
    await Promise.all(["ours", "peer"].map((name) => running[name]?.stop()));
    Object.values(prepared).forEach((worker) => worker.remove());
    floor.close();
  }
}

const built = existsSync(`${options.build}/index.js`);
const wanted = (part) => options.only === undefined || options.only === part;
if (!["worker", ...Object.keys(PARTS)].some(wanted)) {
  throw new Error(`--only knows worker, ${Object.keys(PARTS).join(", ")}, not ${options.only}`);
}
if (!built && !wanted("worker")) {
  throw new Error(`there is no build in ${options.build} (make build)`);
}
const report = { machine: { cpu: cpus()[0]?.model, cores: availableParallelism(), node: process.version }, rounds: ROUNDS };
if (wanted("worker")) {
  Object.assign(report, await runAll());
  printReport(report);
}
for (const [part, bench] of Object.entries(PARTS)) {
  if (built && wanted(part)) {
    report[part] = await bench({ folder: options.build, rounds: ROUNDS });
  }
}
if (options.json !== undefined) {
  writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
}
