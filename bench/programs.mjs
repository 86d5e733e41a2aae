// Programs in the sandbox against @cloudflare/codemode in real workerd: which of the two is right
// for each program (the table of tests/sandbox/), and how long it takes.
//
//   node bench/programs.mjs [--rounds 9] [--build build-bench] [--only table|times] [--json FILE]
//
// Both are a front Worker, a Durable Object with SQLite on disk and a Worker Loader in one workerd
// process each, without Miniflare's router. The peer's executor runs in its front Worker and its
// tools call a JavaScript object (bench/peer/codemode.js). A ratio is the median of the ratios of
// single rounds, in which all competitors run one after the other.

import { writeFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { complaints, parseExact, readCases, requestOf } from "../tests/sandbox/table.mjs";
import { CREATE_COLUMNS, makeRecords } from "./data.mjs";
import { median } from "./report.mjs";
import { bundled, modulesIn, prepareWorker } from "./workerd.mjs";

const TARGETS = { empty: 1.2, sequential: 1, insert: 3 };
const WARM_UP_ROUNDS = 2;
const EMPTY_RUNS_A_ROUND = 20;
const CALLS = 1_000;
const ROWS = 100_000;
/** The rows that the calls read from. */
const READ_ROWS = 10_000;
/** The time after which a competitor without a response is stopped and started again. */
const HUNG_MS = 8_000;
/** The peer's own time limit for a program of the table that names none. */
const TABLE_TIMEOUT_MS = 4_000;

const OURS = { binding: "CODEMODE_DB", className: "CodeModeDatabase", loader: true };
const PEER = { binding: "PROGRAMS", className: "ProgramDatabase", loader: true };

/** Starts a competitor; `run` sends one program and returns its response as text. */
async function open(worker, path) {
  const prepared = prepareWorker(worker);
  let process = await prepared.start();
  const post = async (body) => {
    const response = await fetch(process.url + path, { method: "POST", body, headers: { "content-type": "application/json" }, signal: AbortSignal.timeout(HUNG_MS) });
    return await response.text();
  };
  return {
    /** Over one kept connection, for timings. */
    send: (body) => process.send("POST", path, body),
    /**
     * Returns the response, or undefined if the process hangs or ends; then it is started again.
     */
    async answer(body) {
      try {
        return await post(body);
      } catch {
        await process.stop("SIGKILL");
        process = await prepared.start();
        return undefined;
      }
    },
    async stop() {
      await process.stop("SIGKILL");
      prepared.remove();
    },
  };
}

// ---- Correctness

/**
 * Programs that need features of ours alone, or depend on the object behind its tools or on design,
 * are no test of the peer.
 */
const ONLY_OURS = /\b(?:stream|persist|getMetrics|findColumn|describeTable|getColumns|hasColumn|getSafeColumnName|SERVER_COLUMN_MAPPINGS|DatabaseError|helpers\.schema|progress|input|process)\b/;
const OUR_CODES = ["CALL_LIMIT", "RESULT_TOO_LARGE"];
/** The cases of helpers that concern the values between a program and its tools. */
const TOOL_CASES = /^(?:blobs|parameters of every kind|NaN|a function is no|a promise is no|a helper that nobody|calls have no order|1,000 calls|state is there|integers beyond)/;

function isForPeer({ name, code, setup, expect, group, input }) {
  if (input !== undefined || code.length > 10_000 || OUR_CODES.includes(expect.error?.code)) return false;
  if (group === "helpers" && !TOOL_CASES.test(name)) return false;
  return ![code, ...setup].some((text) => ONLY_OURS.test(text));
}

/**
 * Returns the mistake in a log. It may have any form, if nothing is lost, no object has become
 * `[object Object]`, and its length is limited.
 */
function logMistake(wanted, found) {
  if (found.length < wanted.length) return `${wanted.length - found.length} log entries lost`;
  if (found.some((line) => line.includes("[object "))) return "[object …] instead of what was logged";
  if (found.join("").length > 70_000 || found.length > 250) return "logs without a cap";
  return undefined;
}

/**
 * Returns why the peer's response differs from the expectation of the case; undefined if it agrees
 * in everything that its form of a response can express.
 */
function peerMistake(expect, text) {
  if (text === undefined) return "no response, the process had to be killed";
  const answer = parseExact(text);
  if (answer.threw) return `execute() itself threw: ${answer.threw.slice(0, 60)}`;
  const failed = answer.error !== undefined;
  if (expect.success && failed) return `failure: ${String(answer.error).slice(0, 60)}`;
  if (!expect.success && !failed) return "success instead of a failure";
  // The peer returns whole the results that ours puts into a table: nothing is lost either way.
  if (expect.success && !expect.truncated && !isDeepStrictEqual(answer.result ?? null, expect.result)) return `another result: ${String(JSON.stringify(answer.result, (_k, v) => (typeof v === "bigint" ? `${v}` : v))).slice(0, 50)}`;
  return logMistake((expect.logs ?? []).filter((line) => !line.startsWith("warn ")), answer.logs ?? []);
}

/** Runs a case with its setup; returns the texts of the responses. */
async function runCase(competitor, one, session, more = {}) {
  for (const code of one.setup) await competitor.answer(requestOf(session, { code, ...more }));
  return await competitor.answer(requestOf(session, { ...one, timeoutMs: one.timeoutMs ?? more.timeoutMs }));
}

export async function compareTable(ours, peer) {
  const cases = await readCases();
  const rows = [];
  for (const [index, one] of cases.entries()) {
    const session = `case-${index}`;
    const own = await runCase(ours, one, session);
    const mistake = own === undefined ? "no response" : complaints(one.expect, own)[0];
    const asked = isForPeer(one);
    const peers = asked ? peerMistake(one.expect, await runCase(peer, one, session, { timeoutMs: TABLE_TIMEOUT_MS })) : undefined;
    const place = one.expect.error?.line === undefined ? undefined : `line ${one.expect.error.line}`;
    rows.push({ name: `${one.group}: ${one.name}`, asked, ours: mistake, peer: peers, place });
  }
  return rows;
}

function printTable(rows) {
  console.log("\nprograms: who is right where (a case that only ours can run is no question to the peer)");
  for (const { name, asked, ours, peer } of rows) {
    const verdict = (mistake) => (mistake === undefined ? "right" : `WRONG (${mistake.replaceAll("\n", " ").slice(0, 90)})`);
    console.log(`  ${name.slice(0, 72).padEnd(72)} ours ${verdict(ours).padEnd(6)} peer ${asked ? verdict(peer) : "-"}`);
  }
  const asked = rows.filter((row) => row.asked);
  const right = (list, who) => list.filter((row) => row[who] === undefined).length;
  console.log(`\n  ours is right in ${right(rows, "ours")} of ${rows.length}; of the ${asked.length} that both can run, ours in ${right(asked, "ours")} and the peer in ${right(asked, "peer")}`);
  const placed = asked.filter((row) => row.place !== undefined);
  console.log(`  of ${placed.length} failures that have a line, ours names it in ${right(placed, "ours")}; the peer's response is a message without name, line or hint`);
}

// ---- Times

const bodyOf = (code, more = {}) => Buffer.from(JSON.stringify({ session: "bench", code, timeoutMs: 120_000, ...more }));
const POINT = '"SELECT id, name, score, note FROM q WHERE id = ?", [(i * 7919) % 10000 + 1]';
const SEQUENTIAL = `let sum = 0;\nfor (let i = 0; i < ${CALLS}; i++) sum += (await helpers.db.query(${POINT}))[0].id;\nreturn sum;`;
const PARALLEL = `const all = await Promise.all(Array.from({ length: ${CALLS} }, (_, i) => helpers.db.query(${POINT})));\nreturn all.reduce((sum, [{ id }]) => sum + id, 0);`;
const NOTHING = `for (let i = 0; i < ${CALLS}; i++) await codemode.nothing({ i });\nreturn ${CALLS};`;
const NOTHING_PARALLEL = `await Promise.all(Array.from({ length: ${CALLS} }, (_, i) => codemode.nothing({ i })));\nreturn ${CALLS};`;
const INSERT = `const notes = ["plain text", 'text with "quotes"', "naïve café — non-ASCII", "a longer note, as people write them when there is something to say"];
const records = [];
for (let i = 0; i < ${ROWS}; i++) records.push({ id: i + 1, name: "name of row " + (i + 1), score: (i * 1.37) % 1000, note: notes[i % 4] });
await helpers.db.batchInsert("t", records);
return records.length;`;
const SUM = Array.from({ length: CALLS }, (_, i) => ((i * 7919) % READ_ROWS) + 1).reduce((sum, id) => sum + id, 0);

async function prepareData(competitor) {
  const send = async (code, input) => checked(await competitor.send(bodyOf(code, { input })));
  await send(`await helpers.db.createTable("q", ${JSON.stringify(CREATE_COLUMNS.slice(1, -1))})`);
  await send('await helpers.db.batchInsert("q", input)', makeRecords(READ_ROWS));
}

const freshTable = (competitor) => async () => {
  const create = `CREATE TABLE t ${CREATE_COLUMNS}`;
  checked(await competitor.send(bodyOf(`await helpers.db.exec("DROP TABLE IF EXISTS t");\nawait helpers.db.exec(${JSON.stringify(create)});`)));
};

function checked(answer, result) {
  const body = JSON.parse(answer);
  if (body.error !== undefined || body.threw !== undefined || body.success === false) throw new Error(`a program failed: ${String(answer).slice(0, 500)}`);
  if (result !== undefined && body.result !== result) throw new Error(`a program returned ${body.result}, not ${result}`);
  return body;
}

/** Returns the milliseconds of each round, by name. */
async function measure(title, forms, rounds) {
  console.error(`measuring: ${title}`);
  const times_ms = Object.fromEntries(forms.map(({ name }) => [name, []]));
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
    for (const { name, competitor, body, runs = 1, result, before } of forms) {
      await before?.();
      const answers = [];
      const start = performance.now();
      for (let run = 0; run < runs; run += 1) answers.push(await competitor.send(body));
      const elapsed_ms = (performance.now() - start) / runs;
      for (const answer of answers) checked(answer, result);
      if (round >= 0) times_ms[name].push(elapsed_ms);
    }
  }
  return { title, times_ms };
}

export async function measureTimes(ours, peer, rounds) {
  for (const competitor of [ours, peer]) await prepareData(competitor);
  const empty = { body: bodyOf("return 1"), runs: EMPTY_RUNS_A_ROUND, result: 1 };
  return [
    await measure("an empty run", [
      { name: "ours, fresh isolate", competitor: ours, ...empty },
      { name: "ours, warm isolate", competitor: ours, ...empty, body: bodyOf("return 1", { reuse: true }) },
      { name: "peer", competitor: peer, ...empty },
    ], rounds),
    await measure(`${CALLS} calls one after the other`, [
      { name: "ours", competitor: ours, body: bodyOf(SEQUENTIAL), result: SUM },
      { name: "peer, a JavaScript object", competitor: peer, body: bodyOf(SEQUENTIAL), result: SUM },
      { name: "peer, a tool that does nothing", competitor: peer, body: bodyOf(NOTHING), result: CALLS },
    ], rounds),
    await measure(`${CALLS} calls at once`, [
      { name: "ours", competitor: ours, body: bodyOf(PARALLEL), result: SUM },
      { name: "peer, a JavaScript object", competitor: peer, body: bodyOf(PARALLEL), result: SUM },
      { name: "peer, a tool that does nothing", competitor: peer, body: bodyOf(NOTHING_PARALLEL), result: CALLS },
    ], rounds),
    await measure(`batchInsert of ${ROWS} rows from the program`, [
      { name: "ours", competitor: ours, body: bodyOf(INSERT), result: ROWS, before: freshTable(ours) },
      { name: "peer, a JavaScript object", competitor: peer, body: bodyOf(INSERT), result: ROWS, before: freshTable(peer) },
    ], rounds),
  ];
}

const ratio = (above, below) => median(above.map((time, round) => time / below[round]));

function printTimes([empty, sequential, parallel, insert]) {
  for (const { title, times_ms } of [empty, sequential, parallel, insert]) {
    console.log(`\n${title}`);
    for (const [name, times] of Object.entries(times_ms)) {
      console.log(`  ${name.padEnd(34)} median ${median(times).toFixed(1).padStart(8)} ms   fastest ${Math.min(...times).toFixed(1).padStart(8)} ms`);
    }
  }
  const peer = "peer, a JavaScript object";
  const verdict = (text, passed) => console.log(`  ${passed ? "pass" : "MISS"}  ${text}`);
  const share = ratio(empty.times_ms["ours, fresh isolate"], empty.times_ms.peer);
  const faster = (one) => ratio(one.times_ms[peer], one.times_ms.ours);
  console.log("\ntargets of programs");
  verdict(`an empty run takes ${share.toFixed(2)}x the peer's time, target at most ${TARGETS.empty}x`, share <= TARGETS.empty);
  verdict(`calls one after the other: ${faster(sequential).toFixed(2)}x as fast as the peer, target more than ${TARGETS.sequential}x`, faster(sequential) > TARGETS.sequential);
  verdict(`calls at once: ${faster(parallel).toFixed(2)}x as fast as the peer, no target`, true);
  verdict(`batchInsert: ${faster(insert).toFixed(2)}x as fast as the peer, target at least ${TARGETS.insert}x`, faster(insert) >= TARGETS.insert);
}

/** Measures and prints everything; returns the figures. */
export async function benchPrograms({ folder, rounds, only }) {
  const ours = await open({ ...OURS, modules: modulesIn(folder) }, "/api/codemode/execute");
  const peer = await open({ ...PEER, modules: await bundled(fileURLToPath(new URL("peer/codemode.js", import.meta.url))) }, "/execute");
  try {
    const times = only === "table" ? undefined : await measureTimes(ours, peer, rounds);
    const table = only === "times" ? undefined : await compareTable(ours, peer);
    if (table) printTable(table);
    // As in all benchmarks, a wrong response of ours is an error, a missed target is not.
    if (table?.some((row) => row.ours !== undefined)) process.exitCode = 1;
    if (times) printTimes(times);
    return { times, table };
  } finally {
    await Promise.all([ours.stop(), peer.stop()]);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { values: options } = parseArgs({
    options: {
      rounds: { type: "string", default: "9" },
      build: { type: "string", default: fileURLToPath(new URL("../build-bench", import.meta.url)) },
      only: { type: "string" },
      json: { type: "string" },
    },
  });
  const report = await benchPrograms({ folder: options.build, rounds: Number(options.rounds), only: options.only });
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
}
