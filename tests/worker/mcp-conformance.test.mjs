// Tests that run the official conformance suites of the Model Context Protocol against the fixtures
// at /mcp-conformance (tests/mcp-conformance).
//
// There are two releases of the suite: 0.1.16 checks sessions; 0.2.0-alpha.12 checks the
// requirements of each version, and validates every message that it sends and receives with the
// schema of the version. A check that fails, or warns of something that a server should do, fails
// the test of its scenario.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Worker } from "./harness.mjs";

const MODULES = resolve(fileURLToPath(import.meta.url), "../../../node_modules/@modelcontextprotocol");
const OLDER = join(MODULES, "conformance-2025/dist/index.js");
const CURRENT = join(MODULES, "conformance/dist/index.js");

/** A whole run takes seconds; a suite that hangs is ended. */
const RUN_LIMIT_MS = 5 * 60_000;
/** The characters of a check's details besides its message. */
const SHOWN_CHARACTERS = 1_500;

/**
 * This scenario waits only 500 ms, so a busy machine fails it; it then runs again, up to this
 * often.
 */
const HASTY = "server-stateless";
const HASTY_RUNS = 3;

/**
 * The name of each run, its options, and the number of scenarios in the pinned release, because a
 * list that was cut short would pass.
 */
const RUNS = [
  { name: "0.1.16, every scenario", suite: OLDER, options: ["--suite", "all"], scenarios: 32 },
  { name: "0.2, what 2025-11-25 requires", suite: CURRENT, revision: "2025-11-25", options: ["--requirements", "2025-11-25"], scenarios: 33 },
  { name: "0.2, every scenario of 2025-06-18", suite: CURRENT, revision: "2025-06-18", options: ["--suite", "all", "--spec-version", "2025-06-18"], scenarios: 27 },
  { name: "0.2, what 2026-07-28 requires", suite: CURRENT, revision: "2026-07-28", options: ["--requirements", "2026-07-28"], scenarios: 40 },
];

/**
 * Scenarios that no list of requirements scores, but that must run and pass, because the fixtures
 * support them.
 */
const UNSCORED = {
  "2025-11-25": ["json-schema-2020-12", "server-session-lifecycle", "server-sse-polling"],
  "2026-07-28": ["json-schema-2020-12", "http-header-validation", "http-custom-header-server-validation"],
};

let worker;
let address;
before(async () => {
  worker = await Worker.start();
  address = `${worker.url}/mcp-conformance`;
});
after(() => worker?.stop());

/**
 * Runs a suite; returns its output, and the checks of each scenario. Its exit code is 1 if a check
 * failed, which adds no information.
 */
async function run(suite, options) {
  const folder = await mkdtemp(join(tmpdir(), "mcp-conformance-"));
  try {
    const parameters = [suite, "server", "--url", address, ...options, "--output-dir", folder];
    const { stdout } = await promisify(execFile)(process.execPath, parameters, { cwd: folder, timeout: RUN_LIMIT_MS, maxBuffer: 64 << 20 }).catch((error) => {
      if (error.code !== 1) throw error;
      return error;
    });
    const checks = new Map();
    for (const name of await readdir(folder)) {
      // A folder is named `server-<scenario>-<time>`.
      const [, scenario] = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name) ?? assert.fail(`a folder of results is called ${name}`);
      checks.set(scenario, JSON.parse(await readFile(join(folder, name, "checks.json"), "utf8")));
    }
    return { stdout, checks };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Returns the scenarios of extensions, which a server may lack (SEP-1730); the fixtures declare
 * none.
 */
async function extensions(suite, revision) {
  const file = join(dirname(suite), "../requirements", `${revision}.yaml`);
  const text = await readFile(file, "utf8").catch(() => "");
  return [...text.matchAll(/- scenario: (\S+)\s+leg: server\s+reason: extension\b/g)].map(([, scenario]) => scenario);
}

/** Returns the problems in the checks of a scenario, a paragraph for each. */
function problems(checks) {
  return checks
    .filter(({ status }) => status === "FAILURE" || status === "WARNING")
    .map(({ status, id, description, errorMessage, details }) => {
      const more = JSON.stringify(details ?? {}).slice(0, SHOWN_CHARACTERS);
      return `${status} ${id}: ${description}\n  ${errorMessage ?? ""}\n  ${more}`;
    });
}

async function passes(suite, scenario, revision, checks) {
  let wrong = problems(checks);
  for (let runs = 1; scenario === HASTY && wrong.length > 0 && runs < HASTY_RUNS; runs++) {
    const again = await run(suite, ["--scenario", scenario, "--spec-version", revision]);
    checks = again.checks.get(scenario);
    wrong = problems(checks);
  }
  assert.equal(wrong.length, 0, `\n${wrong.join("\n")}`);
  assert(checks.some(({ status }) => status === "SUCCESS"), `nothing was checked: ${JSON.stringify(checks)}`);
}

for (const { name, suite, revision, options, scenarios } of RUNS) {
  test(name, async (t) => {
    const { stdout, checks } = await run(suite, options);
    const optional = new Set(await extensions(suite, revision));
    const ran = [...stdout.matchAll(/^=== Running scenario: (\S+) ===$/gm)].map(([, scenario]) => scenario);
    const counted = ran.filter((scenario) => !optional.has(scenario));
    assert.equal(counted.length, scenarios, counted.join(", "));
    for (const scenario of UNSCORED[revision] ?? []) assert(counted.includes(scenario), scenario);
    for (const scenario of counted) {
      await t.test(scenario, () => {
        assert(checks.has(scenario), `${scenario} did not come to its end:\n${stdout.slice(-SHOWN_CHARACTERS)}`);
        return passes(suite, scenario, revision, checks.get(scenario));
      });
    }
  });
}
