// Cold start: from the start of the workerd process to the first response of an object. Ours, the
// peer (bench/peer/) and an empty Worker, in turn.
//
//   node bench/start.mjs [--rounds 9] [--build build-bench] [--other DIR | --blank objects_bg.wasm]
//
// --other takes a second build of ours, such as that of another commit, which starts in turn with
// the first. --blank makes the second from the first: one of its modules is replaced by as many
// random bytes. If that starts as fast, workerd only copies the module.
//
// workerd starts from a binary configuration. From text it would first parse the text and copy the
// modules, which a deployed Worker does not. The row "cold start" of bench/run.mjs includes that
// and ends at /health, to which no object responds; it stays for comparison with earlier figures.
//
// A stored session has a row on disk, which the first query reads. A new session has no database
// yet: it is created first.

import { randomFillSync } from "node:crypto";
import { performance } from "node:perf_hooks";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { CREATE_COLUMNS, makeRecords } from "./data.mjs";
import { atMost, printCase, ratioOf } from "./report.mjs";
import { modulesIn, prepareWorker } from "./workerd.mjs";

const TARGET = 2.3;
const WARM_UP_ROUNDS = 2;
// A start is short and its time varies, so a round has several.
const STARTS_A_ROUND = 3;
const SESSIONS = "/api/codemode/sessions";
const OURS = { binding: "CODEMODE_DB", className: "CodeModeDatabase" };
const PEER = { binding: "SESSIONS", className: "SessionDatabase", modules: modulesIn(fileURLToPath(new URL("peer", import.meta.url))) };
const EMPTY = { modules: [{ name: "index.js", content: 'export default { fetch: () => new Response("{}") };' }] };

const operation = (request) => Buffer.from(JSON.stringify(request));
const records = makeRecords(1);
const FORMS = [
  { name: "new session", body: operation({ operation: "query", sql: "SELECT 1 AS one" }), rows: [{ one: 1 }], path: (start) => `${SESSIONS}/new-${start}` },
  { name: "stored session", body: operation({ operation: "query", sql: "SELECT id, name, score, note FROM q WHERE id = 1" }), rows: records, path: () => `${SESSIONS}/stored` },
];

async function storeSession(worker) {
  const process = await worker.start();
  try {
    await process.send("POST", `${SESSIONS}/stored`, operation({ operation: "exec", sql: `CREATE TABLE q ${CREATE_COLUMNS}` }));
    await process.send("POST", `${SESSIONS}/stored`, operation({ operation: "batchInsert", table: "q", records }));
  } finally {
    await process.stop();
  }
}

/** Returns the milliseconds from the start of the process to the response to its first request. */
async function timeStart(worker, path, body, rows) {
  const process = await worker.start();
  try {
    const answer = await process.send("POST", path, body);
    const elapsed_ms = performance.now() - process.started;
    const { results } = JSON.parse(answer);
    if (JSON.stringify(results) !== JSON.stringify(rows)) throw new Error(`the first response has other rows: ${answer.toString("utf8", 0, 500)}`);
    return elapsed_ms;
  } finally {
    await process.stop();
  }
}

function blanked(modules, name) {
  if (!modules.some((module) => module.name === name)) throw new Error(`the build has no module ${name}`);
  return modules.map((module) => (module.name === name ? { name, content: randomFillSync(Buffer.alloc(module.content.length)) } : module));
}

/** Returns the milliseconds of each start, by name. */
export async function benchStart({ folder, other, blank, rounds }) {
  console.error("measuring: cold start of an object");
  const workers = { ours: { ...OURS, modules: modulesIn(folder) }, peer: PEER };
  if (other !== undefined) workers.other = { ...OURS, modules: modulesIn(other) };
  if (blank !== undefined) workers.other = { ...OURS, modules: blanked(workers.ours.modules, blank) };
  const prepared = {};
  try {
    for (const [name, worker] of Object.entries(workers)) {
      prepared[name] = prepareWorker(worker, { binary: true });
      await storeSession(prepared[name]);
    }
    prepared.empty = prepareWorker(EMPTY, { binary: true });
    const forms = [
      ...FORMS.flatMap((form) => Object.keys(workers).map((name) => ({ ...form, name: `${name}, ${form.name}`, worker: prepared[name] }))),
      { ...FORMS[0], name: "empty Worker", worker: prepared.empty, rows: undefined },
    ];
    const times_ms = Object.fromEntries(forms.map(({ name }) => [name, []]));
    for (let start = -WARM_UP_ROUNDS; start < rounds * STARTS_A_ROUND; start += 1) {
      for (const { name, worker, path, body, rows } of forms) {
        const elapsed_ms = await timeStart(worker, path(start), body, rows);
        if (start >= 0) times_ms[name].push(elapsed_ms);
      }
    }
    return { times_ms, verdicts: print(times_ms) };
  } finally {
    Object.values(prepared).forEach((worker) => worker.remove());
  }
}

function print(times_ms) {
  printCase({ title: "cold start, from the start of the process to the first response of an object", times_ms });
  for (const { name } of FORMS) {
    const other = times_ms[`other, ${name}`];
    if (other !== undefined) console.log(`  cold start of a ${name}, time of the other build: ${ratioOf(times_ms[`ours, ${name}`], other).toFixed(3)}x`);
  }
  return FORMS.map(({ name }) => atMost(`cold start of a ${name}, time of the peer`, ratioOf(times_ms[`ours, ${name}`], times_ms[`peer, ${name}`]), TARGET, "x"));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { values: options } = parseArgs({
    options: { other: { type: "string" }, blank: { type: "string" }, rounds: { type: "string", default: "9" }, build: { type: "string", default: fileURLToPath(new URL("../build-bench", import.meta.url)) } },
  });
  await benchStart({ folder: options.build, other: options.other, blank: options.blank, rounds: Number(options.rounds) });
}
