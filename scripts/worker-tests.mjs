// Runs the test files of tests/worker, tests/browser and tests/package, several at a time, the longest first, and prints what each of them took.
// Usage: node scripts/worker-tests.mjs FILES_AT_A_TIME TIMES_FILE FILE…

import { readFileSync, writeFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { run } from "node:test";
import { spec as Spec } from "node:test/reporters";

/** A Worker that hangs fails its file, not the whole run after the patience of whoever waits. */
const MOST_MS = 600_000;
/** Files named at the end. */
const SLOWEST = 10;

const [atATime, timesFile, ...paths] = process.argv.slice(2);
const files = paths.map((path) => resolve(path));

/** What each file took the last time, in milliseconds. The first time nobody knows. */
function lastTimes() {
  try {
    return JSON.parse(readFileSync(timesFile, "utf8"));
  } catch {
    return {};
  }
}

const times = lastTimes();
const lastTime = (file) => times[basename(file)] ?? Infinity;
files.sort((one, other) => (lastTime(one) === lastTime(other) ? 0 : lastTime(other) - lastTime(one)));

const tests = run({ files, concurrency: Number(atATime), timeout: MOST_MS });
tests.on("test:fail", () => (process.exitCode = 1));
// A file is itself a test, whose name is its path.
tests.on("test:complete", ({ name, details }) => {
  if (files.includes(name)) times[basename(name)] = Math.round(details.duration_ms);
});
tests.once("end", () => {
  writeFileSync(timesFile, JSON.stringify(times));
  const slowest = Object.entries(times).sort(([, one], [, other]) => other - one);
  const shown = slowest.slice(0, SLOWEST).map(([file, ms]) => `${file} ${Math.round(ms / 1000)} s`);
  console.log(`the slowest files: ${shown.join(", ")}`);
});
tests.compose(new Spec()).pipe(process.stdout);
