// The cost of each kind of work in workerd and on the host's SQLite, side by side, and the time of
// a unit of estimated work. The limit on work is derived from that.
//
//   node bench/work.mjs [--rows 200000] [--build build-bench] [--only NAME] [--host FILE]
//
// The cases are in bench/work.json. The host's side is `cargo run --profile measure -p sql-cost
// --example work -- speed`, which also counts the instructions of a case and has the estimate of
// the gate; --host takes the file that it wrote (--json) instead of running it. The clock of a
// Worker does not advance while it computes, so requests are timed from outside; they transfer next
// to nothing.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { modulesIn, prepareWorker } from "./workerd.mjs";

const root = resolve(fileURLToPath(import.meta.url), "../..");
const { values: options } = parseArgs({
  options: {
    rows: { type: "string", default: "200000" },
    build: { type: "string", default: join(root, "build-bench") },
    only: { type: "string" },
    host: { type: "string" },
  },
});
const ROWS = Number(options.rows);
const READ_ROUNDS = 2;
const OBJECT_PATH = "/api/codemode/sessions/work";
// A request has 30 s before its client gets 504. The limit keeps work within that.
const REQUEST_S = 30;
const MIN_S = 0.02;
// No statement is refused or abandoned here, because the limit is derived from these measurements.
const SETTINGS = { MAX_QUERY_WORK: "18446744073709551615", QUERY_TIMEOUT_MS: "600000" };

const { setup, cases } = JSON.parse(readFileSync(join(root, "bench/work.json"), "utf8"));
const fill = (sql) => sql.replaceAll("{rows}", String(ROWS));
const wanted = ({ name, host_only }) => !host_only && (options.only === undefined || name.includes(options.only));

/**
 * Runs the host's side and reads its results: seconds, opcodes and estimate by the name of the
 * case.
 */
function measureHost() {
  if (options.host !== undefined) {
    return JSON.parse(readFileSync(options.host, "utf8"));
  }
  const folder = mkdtempSync(join(tmpdir(), "codemode-work-"));
  try {
    const file = join(folder, "host.json");
    const only = options.only === undefined ? [] : ["--only", options.only];
    const command = ["run", "--quiet", "--profile", "measure", "--example", "work", "--", "speed", "--rows", String(ROWS), "--json", file, ...only];
    execFileSync("cargo", command, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
    return JSON.parse(readFileSync(file, "utf8"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureWorkerd() {
  const worker = prepareWorker({ modules: modulesIn(options.build), binding: "CODEMODE_DB", className: "CodeModeDatabase", settings: SETTINGS });
  const process = await worker.start();
  const isRead = (sql) => /^(SELECT|WITH)\b/.test(sql);
  const run = async (sql) => {
    const body = Buffer.from(JSON.stringify({ operation: isRead(sql) ? "query" : "exec", sql: fill(sql) }));
    const start = performance.now();
    await process.send("POST", OBJECT_PATH, body);
    return (performance.now() - start) / 1_000;
  };
  const seconds = {};
  try {
    for (const sql of setup) {
      await run(sql);
    }
    for (const { name, sql, before = [] } of cases.filter(wanted)) {
      for (let round = 0; round < (before.length > 0 ? 1 : READ_ROUNDS); round += 1) {
        for (const preparation of before) {
          await run(preparation);
        }
        seconds[name] = Math.min(seconds[name] ?? Infinity, await run(sql));
      }
    }
    return seconds;
  } finally {
    await process.stop();
    worker.remove();
  }
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

const host = measureHost();
const workerd = await measureWorkerd();
const ratios = [];
const worstOfUnit = { ns: 0, name: "" };
console.log(`${ROWS} rows; ns for each instruction, for each row, and for each unit of estimated work`);
console.log(`${"".padEnd(62)} host: ns/op    ns/row  workerd: ns/op   ns/row   ratio  ns/work`);
for (const { name } of cases.filter(wanted)) {
  const { seconds, opcodes, units, work } = host[name];
  const ns = workerd[name] * 1e9;
  const ratio = workerd[name] / seconds;
  const nsOfUnit = work === null ? undefined : ns / work;
  // Shorter cases mostly measure the request itself.
  if (seconds >= MIN_S) {
    ratios.push(ratio);
    if (nsOfUnit > worstOfUnit.ns) {
      Object.assign(worstOfUnit, { ns: nsOfUnit, name });
    }
  }
  const columns = [(seconds * 1e9) / opcodes, (seconds * 1e9) / units, ns / opcodes, ns / units].map((value) => value.toFixed(1).padStart(11));
  console.log(`${name.padEnd(62)}${columns.join("")} ${ratio.toFixed(2).padStart(8)} ${(nsOfUnit?.toFixed(2) ?? "-").padStart(8)}`);
}
console.log(`\nworkerd takes ${median(ratios).toFixed(2)} times as long as the host (median; ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`);
if (worstOfUnit.ns > 0) {
  const limit = Math.floor((REQUEST_S * 1e9) / worstOfUnit.ns);
  console.log(`a unit of work takes at most ${worstOfUnit.ns.toFixed(2)} ns (${worstOfUnit.name}): ${REQUEST_S} s are ${limit.toExponential(2)} units`);
}
