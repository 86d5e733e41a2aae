// Tests of `codemode-database dev --wrangler`: the product under `wrangler dev`, on the data that
// `dev` and `mcp` use.

import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { until } from "../until.mjs";
import { isRunning } from "../worker/processes.mjs";
import { Dev, ROOT, folderOf, run } from "./installed.mjs";

const ENV = { PATH: `${dirname(process.execPath)}:${join(ROOT, "node_modules/.bin")}:/usr/bin:/bin` };
const PORT = "28762";
const TOKEN = "a-token-of-sixteen-characters";
const PERSISTENT = { target: "persistent" };

async function started(context, data, { words = [], ...options } = {}) {
  const dev = await Dev.start(data, { words: ["--wrangler", ...words], env: ENV, ...options });
  context.after(() => dev.stop("SIGKILL"));
  return dev;
}

test("it serves everything that dev does, on the same data, and the end leaves nothing behind", async (context) => {
  const folder = await folderOf(context);
  const data = join(folder, "data");
  const first = await Dev.start(data, { words: ["--port", PORT] });
  context.after(() => first.stop("SIGKILL"));
  await first.ok("s", { operation: "exec", sql: "CREATE TABLE t(a)" });
  await first.ok("s", { operation: "exec", sql: "CREATE TABLE kept(a)", ...PERSISTENT });
  await first.stop();

  const dev = await started(context, data, { words: ["--port", PORT], cwd: folder });
  assert.equal(dev.origin, `http://127.0.0.1:${PORT}`);
  assert.deepEqual((await dev.ok("s", { operation: "getTables" })).tables, ["t"]);
  assert.deepEqual((await dev.ok("s", { operation: "getTables", ...PERSISTENT })).tables, ["kept"]);
  await dev.ok("s", { operation: "exec", sql: "INSERT INTO t VALUES (7)" });
  const ran = await dev.fetch("/api/codemode/execute", { method: "POST", body: JSON.stringify({ session: "s", code: "return (await helpers.db.query('SELECT a FROM t'))[0].a" }) });
  assert.equal((await ran.json()).result, 7);
  assert.equal((await dev.fetch("/api/graph/g/history?limit=1")).status, 200);
  const page = await (await dev.fetch("/")).text();
  assert.match((await dev.fetch(/<script type="module" src="([^"]+)"/.exec(page)[1])).headers.get("content-type"), /javascript/);
  // wrangler's page of the local data needs no token, so it must not be reachable.
  assert.notEqual((await dev.fetch("/cdn-cgi/explorer/api/d1/database")).status, 200);

  // A host uses this server, and another dev waits for it.
  const line = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "db_get_tables", arguments: { session: "s" }, _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" }, "io.modelcontextprotocol/clientCapabilities": {} } } })}\n`;
  const called = await run(["mcp", "--data", data], { input: line });
  assert.deepEqual(JSON.parse(called.stdout).result.structuredContent.tables, ["t"], called.stderr);
  const waiting = await Dev.start(data, { state: "waits" });
  context.after(() => waiting.stop("SIGKILL"));
  assert.ok(waiting.text.includes(`the process ${dev.child.pid} at ${dev.origin} serves ${data}`));

  const below = await dev.descendants();
  assert.ok(below.length >= 3, "a shell, wrangler and workerd");
  assert.equal(await dev.stop(), 130);
  for (const pid of below) assert.equal(await isRunning(pid), false);
  await until(() => waiting.origin);
  assert.deepEqual((await waiting.ok("s", { operation: "query", sql: "SELECT a FROM t" })).results, [{ a: 7 }]);
});

test("wrangler.jsonc of the folder and the environment variables of the data are in it, and tokens are not printed", async (context) => {
  const folder = await folderOf(context);
  const data = join(folder, "data");
  await mkdir(data);
  await writeFile(join(data, "settings.env"), `API_TOKENS={"${TOKEN}":"acme"}\n`);
  await writeFile(join(folder, "wrangler.jsonc"), '{ "name": "mine", "vars": { "MAX_RESULT_ROWS": "2" }, /* of mine */ "d1_databases": [{ "binding": "CODEMODE_D1", "database_id": "4c36c0f1-0000-4000-8000-000000000000" }] }');
  const before = await readFile(join(folder, "wrangler.jsonc"), "utf8");
  const dev = await started(context, data, { words: ["--port", "28763"], cwd: folder });
  const ask = (headers) => dev.fetch("/api/codemode/sessions/s", { method: "POST", body: '{"operation":"query","sql":"VALUES (1), (2), (3)"}', headers });
  assert.equal((await ask({})).status, 401);
  assert.equal((await (await ask({ authorization: `Bearer ${TOKEN}` })).json()).rowCount, 2);
  assert.ok(!dev.text.includes(TOKEN));
  assert.equal(await readFile(join(folder, "wrangler.jsonc"), "utf8"), before);
});

test("a dev --wrangler that is killed takes wrangler and workerd with it, and so does the next server where the guard was killed, too", async (context) => {
  const folder = await folderOf(context);
  const data = join(folder, "data");
  const dev = await started(context, data, { words: ["--port", "28764"], cwd: folder });
  await dev.ok("s", { operation: "exec", sql: "CREATE TABLE t(a)" });
  const below = await dev.descendants();
  await dev.stop("SIGKILL");
  await until(async () => !(await Promise.all(below.map(isRunning))).includes(true));

  const again = await started(context, data, { words: ["--port", "28764"], cwd: folder });
  const all = await again.descendants();
  // Guards that are stopped cannot end anything.
  const shells = (await Promise.all(all.map(async (pid) => [pid, (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).includes("read -r word")]))).filter(([, is]) => is).map(([pid]) => pid);
  for (const pid of shells) process.kill(pid, "SIGSTOP");
  await again.stop("SIGKILL");
  const next = await Dev.start(data, { words: ["--port", "28765"] });
  context.after(() => next.stop("SIGKILL"));
  for (const pid of all) assert.equal(await isRunning(pid), false);
  assert.deepEqual((await next.ok("s", { operation: "getTables" })).tables, ["t"]);
});

test("what it cannot serve is an error with a way out", async (context) => {
  const folder = await folderOf(context);
  const data = join(folder, "data");
  await writeFile(join(folder, "wrangler.jsonc"), '{"main": "src/index.ts"}');
  const own = await run(["dev", "--wrangler", "--data", data], { cwd: folder, env: ENV });
  assert.deepEqual([own.code, own.stderr], [1, `error: ${join(folder, "wrangler.jsonc")} has a Worker of its own in "main"\n       serve it with npx wrangler dev\n`]);
  const open = await run(["dev", "--wrangler", "--data", data, "--host", "0.0.0.0"], { cwd: folder, env: ENV });
  assert.match(open.stderr, /^error: 0\.0\.0\.0 is reached by other machines, and there are no tokens\n/);
  const patient = await run(["dev", "--wrangler", "--patience", "2000"], { cwd: folder, env: ENV });
  assert.match(patient.stderr, /cannot be used with/);
  const dev = await Dev.start(data, { words: ["--port", "28766"] });
  context.after(() => dev.stop("SIGKILL"));
  await writeFile(join(folder, "wrangler.jsonc"), "{}");
  const taken = await run(["dev", "--wrangler", "--data", join(folder, "other"), "--port", "28766"], { cwd: folder, env: ENV });
  assert.deepEqual([taken.code, taken.stderr], [1, "error: port 28766 is in use\n       choose another: --port 28767\n"]);
});
