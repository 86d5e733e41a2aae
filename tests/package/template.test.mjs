// Tests of the template of a Worker that contains the product, as `npm create cloudflare` and the
// Deploy button would use it: a copy of its folder, installed from its lock file by a registry that
// has the tarball.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { cpSync, existsSync, readFileSync, readdirSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { parseJsonc } from "../../packages/codemode-database/src/commands/jsonc.ts";
import { serveTarball } from "../../scripts/local-registry.mjs";
import { until } from "../until.mjs";
import { processes } from "../worker/processes.mjs";
import { MANIFEST, PACKAGE, ROOT, TARBALL, environment, run } from "./installed.mjs";

const TEMPLATE = join(ROOT, "template");
const ENV = environment({ WRANGLER_SEND_METRICS: "false", WRANGLER_SEND_ERROR_REPORTS: "false", X_LOCAL_EXPLORER: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false" });
const json = (path) => JSON.parse(readFileSync(path, "utf8"));
const text = (path) => readFileSync(join(TEMPLATE, path), "utf8");

let folder;
let project;
let installed;

/** Runs a program in the project; returns its output if it succeeds. */
function command(program, ...words) {
  return new Promise((done, failed) => {
    execFile(program, words, { cwd: project, env: ENV, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => (error ? failed(new Error(`${program} ${words.join(" ")}: ${stdout}${stderr}`)) : done(stdout + stderr)));
  });
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "codemode-template-"));
  project = join(folder, "template");
  // The folder may contain files of a person who tried it.
  const ignored = new Set(["node_modules", ".wrangler", "worker-configuration.d.ts"]);
  cpSync(TEMPLATE, project, { recursive: true, filter: (path) => !ignored.has(path.slice(TEMPLATE.length + 1)) });
  const registry = await serveTarball(TARBALL);
  try {
    await command("npm", "ci", "--no-audit", "--no-fund", `--registry=${registry.origin}`);
    installed = registry.requested;
  } finally {
    await registry.stop();
  }
});

after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

test("the lock file installs this version, and pins every other package by its hash", () => {
  const { packages } = json(join(TEMPLATE, "package-lock.json"));
  const manifest = json(join(TEMPLATE, "package.json"));
  const { "": root, "node_modules/codemode-database": product, ...others } = packages;
  assert.deepEqual([root.dependencies, root.devDependencies], [manifest.dependencies, manifest.devDependencies]);
  assert.equal(manifest.dependencies["codemode-database"], `~${MANIFEST.version}`);
  // The product has no hash before it is published, and the URL of one machine would be of no use
  // on another.
  assert.deepEqual([product.version, product.dependencies, product.integrity], [MANIFEST.version, MANIFEST.dependencies, undefined]);
  assert.ok(Object.keys(others).length > 20);
  for (const [name, entry] of Object.entries(others)) assert.ok(/^sha512-/.test(entry.integrity) && entry.resolved === undefined, name);
  const { devDependencies } = json(join(ROOT, "package.json"));
  assert.deepEqual(manifest.devDependencies, { typescript: devDependencies.typescript, wrangler: devDependencies.wrangler });
  assert.ok(installed.some((path) => path.endsWith(`codemode-database-${MANIFEST.version}.tgz`)));
  assert.equal(json(join(project, "node_modules/codemode-database/package.json")).version, MANIFEST.version);
});

test("its settings are those of the package, without what the Free plan rejects, and one block switches that on", () => {
  const own = parseJsonc(text("wrangler.jsonc"));
  const { limits, worker_loaders, ...wanted } = json(join(PACKAGE, "wrangler.json"));
  assert.ok(limits.cpu_ms > 0 && worker_loaders.length === 1);
  for (const key of ["compatibility_date", "compatibility_flags", "durable_objects", "migrations", "observability"]) assert.deepEqual(own[key], wanted[key], key);
  assert.deepEqual(own.assets, { ...wanted.assets, directory: "node_modules/codemode-database/console" });
  assert.ok(!("limits" in own) && !("worker_loaders" in own) && existsSync(join(project, own.main)));
  const paid = parseJsonc(text("wrangler.jsonc").replace(/^( +)\/\/ (?="(?:worker_loaders|limits)")/gm, "$1"));
  assert.deepEqual([paid.limits, paid.worker_loaders], [limits, worker_loaders]);
  // Every token is empty in the template, because a token that all deployments share would protect
  // nothing.
  const asked = text(".dev.vars.example").split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  assert.deepEqual(asked, ["API_TOKENS="]);
  assert.deepEqual(Object.keys(json(join(TEMPLATE, "package.json")).cloudflare.bindings), ["API_TOKENS"]);
});

test("init --library makes the same project under a name of its own", async () => {
  const made = join(folder, "My Own");
  const { code, stderr } = await run(["init", made, "--library"]);
  assert.equal(code, 0, stderr);
  const files = readdirSync(made, { recursive: true }).filter((name) => name !== "src").toSorted();
  assert.deepEqual(files, [".gitignore", "AGENTS.md", "README.md", "package.json", "src/index.ts", "tsconfig.json", "wrangler.jsonc"]);
  for (const name of files.filter((one) => !["package.json", "wrangler.jsonc"].includes(one))) assert.equal(readFileSync(join(made, name), "utf8"), text(name), name);
  assert.deepEqual(json(join(made, "package.json")), { ...json(join(TEMPLATE, "package.json")), name: "my-own" });
  assert.equal(readFileSync(join(made, "wrangler.jsonc"), "utf8"), text("wrangler.jsonc").replace('"name": "my-database"', '"name": "my-own"'));
});

test("its types fit and it is uploaded without the loader, or with it", async () => {
  await command("npm", "run", "check");
  const free = await command("npm", "run", "deploy", "--", "--dry-run");
  assert.ok(free.includes("env.CODEMODE_DB") && free.includes("env.ASSETS") && !free.includes("env.LOADER"), free);
  const settings = await readFile(join(project, "wrangler.jsonc"), "utf8");
  await writeFile(join(project, "wrangler.paid.jsonc"), settings.replace(/^( +)\/\/ (?="(?:worker_loaders|limits)")/gm, "$1"));
  const paid = await command("npm", "run", "deploy", "--", "--dry-run", "--config", "wrangler.paid.jsonc");
  assert.ok(paid.includes("env.LOADER"), paid);
  const doctor = await command("npm", "run", "doctor", "--", "--data", join(folder, "none"));
  assert.match(doctor, /^ok {4}settings of wrangler: .* has the bindings and migrations of this version$/m);
  assert.match(doctor, /^note {2}plan: .* has no worker_loaders, so execute returns 501 SANDBOX_UNAVAILABLE; with the Workers Paid plan add "worker_loaders": \[\{"binding":"LOADER"\}\]$/m);
  assert.match(doctor, /^note {2}plan: .* has no limits, .*; with the Workers Paid plan add "limits": \{"cpu_ms":30000\}$/m);
});

test("npm run dev serves its own route, the console, MCP and SQL, and says what programs need", async (context) => {
  const words = ["dev", "--port", "0", "--ip", "127.0.0.1", "--persist-to", join(folder, "state"), "--show-interactive-dev-session=false"];
  const wrangler = spawn(join(project, "node_modules/.bin/wrangler"), words, { cwd: project, env: ENV, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [wrangler.stdout, wrangler.stderr]) stream.on("data", (piece) => (output += piece));
  context.after(async () => {
    const below = await processes(wrangler.pid, "");
    wrangler.kill("SIGTERM");
    await until(() => wrangler.exitCode !== null || wrangler.signalCode !== null);
    for (const pid of below) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // The process has ended by itself.
      }
    }
  });
  const origin = await until(() => {
    if (wrangler.exitCode !== null) throw new Error(`wrangler dev ended: ${output}`);
    return /Ready on (http:\/\/[\d.]+:\d+)/.exec(output)?.[1];
  });
  assert.deepEqual(await (await fetch(`${origin}/hello`)).json(), [{ product: 42 }], output);
  assert.match(await (await fetch(`${origin}/`, { headers: { accept: "text/html" } })).text(), /<title>/);
  const post = (path, body) => fetch(origin + path, { method: "POST", headers: { "content-type": "application/json", accept: "application/json, text/event-stream" }, body: JSON.stringify(body) });
  const query = await post("/api/codemode/sessions/films", { operation: "query", sql: "SELECT 1 AS one" });
  assert.deepEqual((await query.json()).results, [{ one: 1 }]);
  const tools = await post("/mcp", { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } } });
  assert.equal(tools.status, 200);
  const program = await post("/api/codemode/execute", { session: "films", code: "return 1" });
  const { error } = await program.json();
  assert.deepEqual([program.status, error.code], [501, "SANDBOX_UNAVAILABLE"]);
  const doctor = await run(["doctor", "--data", join(folder, "none"), "--url", origin], { cwd: folder });
  assert.match(doctor.stdout, /^note {2}programs at .*: SANDBOX_UNAVAILABLE: .*Workers Paid plan: codemode-database deploy without --free adds it/m);
});
