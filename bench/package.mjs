// Measures the npm package: sizes, and the time from one line in a shell to the first response,
// with an empty and with a warm npm cache. Then it splits the time of `npx … mcp` into parts.
// Usage: make package-times, or node bench/package.mjs [--runs 5] after `scripts/package`.
// CODEMODE_PACKAGE names the folder of another tarball.
//
// npm runs as a person's npm does, with its own cache and no compiler on the path. A registry here
// has the package and redirects for all others, workerd above all, to the one that npm is set to;
// so the time with an empty cache depends on the network.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { serveTarball } from "../scripts/local-registry.mjs";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const MADE = resolve(process.env.CODEMODE_PACKAGE ?? join(ROOT, "build-package"));
const { runs } = parseArgs({ options: { runs: { type: "string", default: "5" } } }).values;
const LIMIT_MS = 120_000;
const PORT = 28_699;
const INITIALIZE = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } } };

const tarball = join(MADE, readdirSync(MADE).find((name) => name.endsWith(".tgz")) ?? "nothing");
const folder = mkdtempSync(join(tmpdir(), "codemode-bench-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

const path = [dirname(process.execPath), "/usr/bin", "/bin"].filter((one) => !["cargo", "rustc"].some((name) => spawnSync("test", ["-e", join(one, name)]).status === 0)).join(delimiter);
const { version } = JSON.parse(readFileSync(join(MADE, "codemode-database/package.json"), "utf8"));
const registry = await serveTarball(tarball);
// npm without a configuration: a lock file without URLs would make npx install again on each run.
const cache = (name) => ({ ...process.env, PATH: path, npm_config_cache: join(folder, name), npm_config_registry: registry.origin, npm_config_update_notifier: "false", npm_config_omit_lockfile_registry_resolved: "false" });

/**
 * Starts a command, waits until `isThere` accepts its output, and ends it; resolves with the
 * milliseconds.
 */
async function timed(words, env, isThere, input) {
  const beganMs = performance.now();
  const [program, ...rest] = words;
  const child = spawn(program, rest, { cwd: folder, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (output += piece));
  child.stdin.on("error", () => {});
  if (input !== undefined) child.stdin.write(input);
  const ended = new Promise((settled) => child.once("close", settled));
  try {
    while (!(await isThere(output))) {
      if (child.exitCode !== null) throw new Error(`${words.join(" ")} ended: ${output}`);
      if (performance.now() - beganMs > LIMIT_MS) throw new Error(`${words.join(" ")} took too long: ${output}`);
      await new Promise((passed) => setTimeout(passed, 10));
    }
    return performance.now() - beganMs;
  } finally {
    try {
      process.kill(-child.pid, "SIGINT");
    } catch {
      // The process has ended.
    }
    await ended;
  }
}

async function isAnswered() {
  try {
    const response = await fetch(`http://127.0.0.1:${PORT}/api/codemode/sessions/bench`, { method: "POST", body: '{"operation":"query","sql":"SELECT 6 * 7 AS product"}' });
    return (await response.json()).results?.[0]?.product === 42;
  } catch {
    return false;
  }
}

const isVersion = (output) => output.includes(version);
const isConnected = (output) => output.includes('"protocolVersion":"2025-11-25"');
const npx = (...words) => ["npx", "-y", "codemode-database", ...words];
let next = 0;
const data = () => join(folder, `data-${(next += 1)}`);
const dev = (env) => timed(npx("dev", "--data", data(), "--port", String(PORT)), env, isAnswered);
const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
async function several(measure) {
  const values = [];
  for (let run = 0; run < Number(runs); run += 1) values.push(await measure());
  return { median: median(values), most: Math.max(...values) };
}

const seconds = ({ median: middle, most }) => `${(middle / 1_000).toFixed(2)} s (most ${(most / 1_000).toFixed(2)})`;
const rows = [["", "measured", "target"]];
const mb = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;
rows.push(["tarball", mb(statSync(tarball).size), "7 MB"]);

const cold = await dev(cache("cold"));
rows.push(["npx … dev, empty npm cache, to the first answer", seconds({ median: cold, most: cold }), "15 s"]);
rows.push(["npx … dev, warm, to the first answer", seconds(await several(() => dev(cache("cold")))), "3 s"]);
const connected = await several(() => timed(npx("mcp", "--data", data()), cache("cold"), isConnected, `${JSON.stringify(INITIALIZE)}\n`));
rows.push(["npx … mcp, warm, connected", seconds(connected), "1 s"]);
const viaNpx = await several(() => timed(npx("--version"), cache("cold"), isVersion));

// Not spawnSync, because the registry runs in this process.
await timed(["npm", "install", "--prefix", join(folder, "installed"), "--no-audit", "--no-fund", "codemode-database"], cache("cold"), (output) => /added \d+ packages/.test(output));
const cli = join(folder, "installed/node_modules/.bin/codemode-database");
const env = cache("cold");
rows.push(["installed: dev, to the first answer", seconds(await several(() => timed([cli, "dev", "--data", data(), "--port", String(PORT)], env, isAnswered))), "3 s"]);
const command = await several(() => timed([cli, "--version"], env, isVersion));
const alone = await several(() => timed([cli, "mcp", "--data", data()], env, isConnected, `${JSON.stringify(INITIALIZE)}\n`));
rows.push(["installed: mcp, connected, with a server of its own", seconds(alone), "1 s"]);
const shared = data();
let beside;
await timed([cli, "dev", "--data", shared, "--port", String(PORT)], env, async () => {
  if (!(await isAnswered())) return false;
  beside = await several(() => timed([cli, "mcp", "--data", shared], env, isConnected, `${JSON.stringify(INITIALIZE)}\n`));
  rows.push(["installed: mcp, connected, beside a server", seconds(beside), "1 s"]);
  return true;
});
console.log(`codemode-database ${version}, Node ${process.versions.node}, ${runs} runs of each warm row\n`);
for (const [what, measured, target] of rows) console.log(`${what.padEnd(56)} ${measured.padEnd(26)} ${target}`);

// Each part is the difference of two medians, so their sum is the whole except for chance.
const parts = [
  ["npx: npm starts, asks the registry, and reads its cache", viaNpx.median - command.median],
  ["Node starts and loads the command", command.median],
  ["the server is found, and responds to initialize", beside.median - command.median],
  ["workerd starts, and the Worker responds", alone.median - beside.median],
];
console.log(`\nwhere the ${(connected.median / 1_000).toFixed(2)} s of npx … mcp go`);
for (const [what, ms] of parts) console.log(`${what.padEnd(56)} ${(ms / 1_000).toFixed(2)} s`);
await registry.stop();
