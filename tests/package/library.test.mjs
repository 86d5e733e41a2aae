// Tests of the product as a library of another Worker: bundled by wrangler without rules, and used
// through a service binding.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { until } from "../until.mjs";
import { processes } from "../worker/processes.mjs";
import { ROOT, install, run } from "./installed.mjs";

const BIN = join(ROOT, "node_modules/.bin");
const ENV = { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_SEND_ERROR_REPORTS: "false", X_LOCAL_EXPLORER: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false" };

/** Another person's Worker, with a service binding to the entrypoint. */
const OTHER = `
interface Env { DATABASE: Service<import("codemode-database/worker").CodeMode> }
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname } = new URL(request.url);
    try {
      if (pathname === "/load") return Response.json(await env.DATABASE.load("shared", "films", [{ id: 1, title: "Solaris" }, { id: 2, title: "Stalker" }]));
      if (pathname === "/program") return Response.json(await env.DATABASE.execute("shared", "return (await helpers.db.query('SELECT count(*) AS n FROM films'))[0].n + input", { input: 40 }));
      if (pathname === "/tools") {
        const tools = {
          double: ({ n }: { n: number }) => ({ twice: 2 * n }),
          rows: { description: "Many rows", execute: async () => Array.from({ length: 2000 }, (_, i) => ({ i, text: "row " + i })) },
          fails: () => { throw new Error("out of stock"); },
          odd: ({ what }: { what: string }) => (what === "large" ? 2n ** 60n : what === "circle" ? (() => { const circle: any = {}; circle.self = circle; return circle; })() : () => 1),
          counter: { execute({ n }: { n: bigint }) { return n + 1n; } },
        };
        const code = "const { twice } = await helpers.host.double({ n: input }); const { tables } = await helpers.host.rows(); const failed = await helpers.host.fails(); const large = await helpers.host.odd({ what: 'large' }); const circle = await helpers.host.odd({ what: 'circle' }); const next = await helpers.host.counter({ n: 9007199254740993n }); console.log('\\u2028'); return [twice, tables[0].rows, failed.error.message, String(large.data), circle.error.code, String(next.data)];";
        return Response.json(await env.DATABASE.execute("shared", code, { input: 21, tools }));
      }
      if (pathname === "/no-tool") return Response.json(await env.DATABASE.execute("shared", "return helpers.host.dubble({ n: 1 }, { throwOnError: true })", { tools: { double: ({ n }: { n: number }) => 2 * n } }));
      if (pathname === "/fetch") return env.DATABASE.fetch("http://127.0.0.1/health");
      if (pathname === "/exec") return Response.json(await env.DATABASE.exec("shared", "UPDATE films SET title = ? WHERE id = 1", ["Mirror"]));
      return Response.json(await env.DATABASE.query("shared", "SELECT titel FROM films"));
    } catch (error) {
      return new Response(String(error), { status: 500 });
    }
  },
};
`;

let folder;
let mine;
let wrangler;
let origin;
let output = "";

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "codemode-library-"));
  mine = join(folder, "mine");
  const made = await run(["init", mine, "--library"]);
  assert.equal(made.code, 0, made.stderr);
  install(mine, ["@cloudflare/workers-types", "wrangler"]);
  // The settings for programs are a block of comments, which is switched on here.
  const settings = (await readFile(join(mine, "wrangler.jsonc"), "utf8")).replace('// "worker_loaders"', '"worker_loaders"').replace('// "limits"', '"limits"');
  assert.ok(settings.includes('\n  "worker_loaders"'));
  await writeFile(join(mine, "wrangler.jsonc"), settings);
  const other = join(folder, "other");
  await mkdir(join(other, "src"), { recursive: true });
  symlinkSync(join(mine, "node_modules"), join(other, "node_modules"));
  await writeFile(join(other, "src/index.ts"), OTHER);
  await writeFile(join(other, "wrangler.jsonc"), JSON.stringify({ name: "other", main: "src/index.ts", compatibility_date: "2026-11-17", services: [{ binding: "DATABASE", service: "mine", entrypoint: "CodeMode" }] }));
  const words = ["dev", "-c", join(other, "wrangler.jsonc"), "-c", join(mine, "wrangler.jsonc"), "--port", "0", "--ip", "127.0.0.1", "--persist-to", join(folder, "state"), "--show-interactive-dev-session=false"];
  wrangler = spawn(join(BIN, "wrangler"), words, { cwd: other, env: ENV, stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [wrangler.stdout, wrangler.stderr]) stream.on("data", (piece) => (output += piece));
  await until(() => {
    if (wrangler.exitCode !== null) throw new Error(`wrangler dev ended: ${output}`);
    return (origin = /Ready on (http:\/\/[\d.]+:\d+)/.exec(output)?.[1]);
  });
});

after(async () => {
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
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

const ask = async (path) => {
  const response = await fetch(origin + path);
  return { status: response.status, text: await response.text() };
};

test("another Worker calls the entrypoint through a service binding", async () => {
  const loaded = JSON.parse((await ask("/load")).text);
  assert.deepEqual([loaded.rowsWritten, loaded.columns.map(({ name }) => name)], [2, ["id", "title"]], output);
  const program = await ask("/program");
  assert.equal(JSON.parse(program.text).result, 42, program.text);
  assert.equal(JSON.parse((await ask("/exec")).text).success, true);
  assert.equal(JSON.parse((await ask("/fetch")).text).success, true);
  const { status, text } = await ask("/query");
  assert.equal(status, 500);
  assert.match(text, /NO_SUCH_COLUMN: no such column: titel \(did you mean `title`\?\)/);
});

test("a program calls functions of another Worker", async () => {
  const lent = await ask("/tools");
  assert.deepEqual(JSON.parse(lent.text).result, [42, 2000, "host.fails: out of stock", "1152921504606846976", "UPSTREAM_TOOL_ERROR", "9007199254740994"], lent.text);
  const { status, text } = await ask("/no-tool");
  assert.equal(status, 500);
  assert.match(text, /TOOL_NOT_FOUND: .*double/);
});

test("wrangler bundles it without rules, and the second WebAssembly module stays lazy", async () => {
  const out = join(folder, "out");
  const { status, stdout, stderr } = spawnSync(join(BIN, "wrangler"), ["deploy", "--dry-run", "--outdir", out], { cwd: mine, env: ENV, encoding: "utf8" });
  assert.equal(status, 0, stdout + stderr);
  const names = readdirSync(out);
  assert.equal(names.filter((name) => name.endsWith(".wasm")).length, 2, names.join(" "));
  const bundle = readFileSync(join(out, "index.js"), "utf8");
  assert.match(bundle, /await import\("\.\/[\w-]*objects_bg\.wasm"\)/);
  assert.doesNotMatch(bundle, /import \w+ from "\.\/[\w-]*objects_bg\.wasm"/);
});

test("the types fit, and doctor finds all bindings", async () => {
  await writeFile(join(mine, "worker-configuration.d.ts"), `/// <reference types="@cloudflare/workers-types" />
interface Env {}
declare namespace Cloudflare { interface GlobalProps { mainModule: typeof import("./src/index") } }
`);
  const checked = spawnSync(join(BIN, "tsc"), ["-p", mine], { cwd: mine, encoding: "utf8" });
  assert.equal(checked.status, 0, checked.stdout);
  const doctor = await run(["doctor", "--data", join(folder, "none")], { cwd: mine });
  assert.match(doctor.stdout, /^ok {4}settings of wrangler: .* has the bindings and migrations of this version$/m);
});
