// Runs the test files of tests/worker, tests/browser and tests/package, several at a time, the
// longest first, and prints the time of each. The product is workerd alone; then some of the files
// run in the other ways that tests/worker/hosts/ways.mjs lists.
// Usage: node scripts/worker-tests.mjs FILES_AT_A_TIME TIMES_FILE FILE…

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { finished } from "node:stream/promises";
import { run } from "node:test";
import { spec as Spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";
import { WAYS } from "../tests/worker/hosts/ways.mjs";

/** The limit of a file: a Worker that hangs fails its file, and not the whole run. */
const MOST_MS = 600_000;
const WORKER_TESTS = fileURLToPath(new URL("../tests/worker", import.meta.url));
/** The files that are named at the end. */
const SLOWEST = 10;

const [atATime, timesFile, ...paths] = process.argv.slice(2);
const files = paths.map((path) => resolve(path));

/** Returns the time of each file in the last run, in milliseconds; empty the first time. */
function lastTimes() {
  try {
    return JSON.parse(readFileSync(timesFile, "utf8"));
  } catch {
    return {};
  }
}

const times = lastTimes();
const nameIn = (way, file) => (way === "workerd" ? basename(file) : `${basename(file)} (${way})`);

function longestFirst(way, chosen) {
  const lastTime = (file) => times[nameIn(way, file)] ?? Infinity;
  return chosen.toSorted((one, other) => (lastTime(one) === lastTime(other) ? 0 : lastTime(other) - lastTime(one)));
}

/** Runs files in one way. A test that fails ends nothing, but the exit code is 1. */
async function runIn(way, chosen) {
  if (chosen.length === 0) return;
  console.log(`\n===== ${way} =====`);
  // The process of each file inherits this environment.
  process.env.CODEMODE_HOST = way;
  const tests = run({ files: chosen, concurrency: Number(atATime), timeout: MOST_MS });
  tests.on("test:fail", () => (process.exitCode = 1));
  // A file is itself a test, whose name is its path.
  tests.on("test:complete", ({ name, details }) => {
    if (chosen.includes(name)) times[nameIn(way, name)] = Math.round(details.duration_ms);
  });
  const shown = tests.compose(new Spec());
  shown.pipe(process.stdout, { end: false });
  await finished(shown);
}

const beganMs = performance.now();
await runIn("workerd", longestFirst("workerd", files));
for (const [way, list] of Object.entries(WAYS)) {
  const named = list.map(([name]) => join(WORKER_TESTS, name));
  for (const file of named) if (!existsSync(file)) throw new Error(`tests/worker/hosts/ways.mjs names ${file}, which is absent`);
  await runIn(way, longestFirst(way, files.filter((file) => named.includes(file))));
}
writeFileSync(timesFile, JSON.stringify(times));
const slowest = Object.entries(times).sort(([, one], [, other]) => other - one);
console.log(`the slowest files: ${slowest.slice(0, SLOWEST).map(([file, ms]) => `${file} ${Math.round(ms / 1000)} s`).join(", ")}`);
console.log(`all files took ${Math.round((performance.now() - beganMs) / 1000)} s`);
