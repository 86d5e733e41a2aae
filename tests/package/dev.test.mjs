// Tests of `codemode-database dev`: serving, settings, and the safety of the data when processes
// are killed or others start.

import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../until.mjs";
import { isRunning, listeningPorts } from "../worker/processes.mjs";
import { Dev, MANIFEST, folderOf, run } from "./installed.mjs";

async function started(context, data, options) {
  const dev = await Dev.start(data, options);
  context.after(() => dev.stop("SIGKILL"));
  return dev;
}

let next = 28_787;
/** Each server has its own port, so that tests in other processes may use the usual one. */
const ownPort = () => ["--port", String((next += 1))];

test("it serves console, statements, programs, persistent tables and objects of the second module", async (context) => {
  const data = join(await folderOf(context), "data");
  const dev = await started(context, data, { words: ownPort() });
  assert.equal((await (await dev.fetch("/health")).json()).success, true);
  const page = await (await dev.fetch("/")).text();
  const script = /<script type="module" src="([^"]+)"/.exec(page)[1];
  const loaded = await dev.fetch(script);
  assert.match(loaded.headers.get("content-type"), /javascript/);
  await dev.ok("s", { operation: "exec", sql: "CREATE TABLE t(a)" });
  await dev.ok("s", { operation: "exec", sql: "INSERT INTO t VALUES (9007199254740993)" });
  const ran = await dev.fetch("/api/codemode/execute", { method: "POST", body: JSON.stringify({ session: "s", code: "return (await helpers.db.query('SELECT count(*) AS n FROM t'))[0].n" }) });
  assert.equal((await ran.json()).result, 1);
  await dev.ok("s", { operation: "query", sql: "SELECT 1 AS one", target: "persistent" });
  const graph = await dev.fetch("/api/graph/talk/history?limit=1");
  assert.equal(graph.status, 200, await graph.text());
});

test("only this machine reaches it, unless there are tokens", async (context) => {
  const data = join(await folderOf(context), "data");
  const dev = await started(context, data, { words: ownPort() });
  const pids = [dev.child.pid, ...(await dev.descendants())];
  assert.deepEqual(await listeningPorts(pids), [Number(new URL(dev.origin).port)], "one port in all");
  for (const address of Object.values(networkInterfaces()).flat().filter(({ internal, family }) => !internal && family === "IPv4")) {
    await assert.rejects(new Promise((settled, failed) => connect({ host: address.address, port: new URL(dev.origin).port }, settled).once("error", failed)), /ECONNREFUSED/);
  }
  const refused = await run(["dev", "--data", join(data, "other"), "--host", "0.0.0.0"]);
  assert.deepEqual([refused.code, refused.stdout], [1, ""]);
  assert.match(refused.stderr, /^error: 0\.0\.0\.0 is reached by other machines, and there are no tokens\n +write API_TOKENS=/);
  const guarded = await started(context, join(data, "guarded"), { words: [...ownPort(), "--host", "0.0.0.0"], env: { API_TOKENS: '{"a-token-of-sixteen-characters":"acme"}' } });
  assert.equal((await guarded.fetch("/api/codemode/sessions/s", { method: "POST", body: '{"operation":"getTables"}' })).status, 401);
  const named = { authorization: "Bearer a-token-of-sixteen-characters" };
  assert.equal((await guarded.fetch("/api/codemode/sessions/s", { method: "POST", body: '{"operation":"getTables"}', headers: named })).status, 200);
});

test("tokens that go while others reach it keep it as it is", async (context) => {
  const data = join(await folderOf(context), "data");
  await mkdir(data);
  const file = join(data, "settings.env");
  await writeFile(file, 'API_TOKENS={"a-token-of-sixteen-characters":"acme"}\n');
  const dev = await started(context, data, { words: [...ownPort(), "--host", "0.0.0.0"] });
  await writeFile(file, "MAX_RESULT_ROWS=5\n");
  await until(() => dev.text.includes("0.0.0.0 is reached by other machines, so API_TOKENS or OAUTH_ISSUER must be set"));
  const ask = (headers) => dev.fetch("/api/codemode/sessions/s", { method: "POST", body: '{"operation":"getTables"}', headers });
  assert.deepEqual([(await ask({})).status, (await ask({ authorization: "Bearer a-token-of-sixteen-characters" })).status], [401, 200]);
});

test("a change of its settings is taken over, a wrong one named at once, and a line that is none keeps the last ones", async (context) => {
  const data = join(await folderOf(context), "data");
  await mkdir(data);
  const file = join(data, "settings.env");
  await writeFile(file, "# rows\nMAX_RESULT_ROWS=many\n");
  const dev = await started(context, data, { words: ownPort() });
  assert.match(dev.text, /an environment variable is invalid, so every request fails: .*MAX_RESULT_ROWS/);
  assert.ok(dev.text.includes(`correct it in ${file}`));
  await writeFile(file, "MAX_RESULT_ROWS=2\n");
  await until(() => dev.text.includes("the environment variables are valid now"));
  const rows = async () => (await dev.ok("s", { operation: "query", sql: "VALUES (1), (2), (3)" })).rowCount;
  assert.equal(await rows(), 2);
  await writeFile(file, "MAX_RESULT_ROWS=2\nMAX_RESULT_BYTES 5\n");
  await until(() => dev.text.includes(`line 2 of ${file} is not a setting: write NAME=value`));
  assert.equal(await rows(), 2);
});

test("a second one waits behind the first, and takes over its data and its address when that ends", async (context) => {
  const data = join(await folderOf(context), "data");
  const first = await started(context, data, { words: ownPort() });
  await first.ok("s", { operation: "exec", sql: "CREATE TABLE t(a)" });
  const second = await started(context, data, { state: "waits" });
  assert.ok(second.text.includes(`the process ${first.child.pid} at ${first.origin} serves ${data}`));
  assert.deepEqual(await second.descendants("workerd"), []);
  assert.equal(await first.stop(), 130);
  await until(() => second.origin);
  assert.equal(second.origin, first.origin);
  assert.deepEqual((await second.ok("s", { operation: "getTables" })).tables, ["t"]);
  // A server that waits ends without a trace.
  const third = await started(context, data, { state: "waits" });
  assert.equal(await third.stop(), 130);
  assert.equal((await second.fetch("/health")).status, 200);
});

test("a workerd that is killed is there again, and so is what ends workerd with its server", async (context) => {
  const data = join(await folderOf(context), "data");
  const dev = await started(context, data, { words: ownPort() });
  await dev.ok("s", { operation: "exec", sql: "CREATE TABLE t(a)" });
  const [workerd] = await dev.descendants("workerd");
  process.kill(workerd, "SIGKILL");
  await until(() => dev.text.includes("the Worker responds again"));
  assert.deepEqual((await dev.ok("s", { operation: "getTables" })).tables, ["t"]);
  // The guard of workerd is first a shell below workerd, and then one below the server.
  const [again] = await dev.descendants("workerd");
  const guards = async () => (await dev.descendants()).filter((pid) => pid !== again);
  const [guard] = await guards();
  process.kill(guard, "SIGKILL");
  await until(async () => (await guards()).some((pid) => pid !== guard));
  await dev.stop("SIGKILL");
  await until(async () => !(await isRunning(again)));
});

test("data of a killed server is served by the next one, after the workerd of the killed one has ended", async (context) => {
  const data = join(await folderOf(context), "data");
  const first = await started(context, data, { words: ownPort() });
  await first.ok("s", { operation: "exec", sql: "CREATE TABLE t(a)" });
  const [workerd] = await first.descendants("workerd");
  // Only the next server can end this workerd.
  process.kill(workerd, "SIGSTOP");
  const guards = async () => (await first.descendants()).filter((pid) => pid !== workerd);
  const [guard] = await guards();
  process.kill(guard, "SIGKILL");
  const [next] = await until(async () => {
    const others = (await guards()).filter((pid) => pid !== guard);
    return others.length > 0 && others;
  });
  process.kill(next, "SIGSTOP");
  context.after(() => Promise.all([workerd, next].map(async (pid) => (await isRunning(pid)) && process.kill(pid, "SIGKILL"))));
  await first.stop("SIGKILL");
  assert.ok(await isRunning(workerd));
  const second = await started(context, data, {});
  assert.equal(await isRunning(workerd), false);
  assert.equal(second.origin, first.origin);
  assert.deepEqual((await second.ok("s", { operation: "getTables" })).tables, ["t"]);
});

test("data of a newer minor version is refused with a sentence, of an older or a patch version served", async (context) => {
  const data = join(await folderOf(context), "data");
  await mkdir(data);
  const [major, minor] = MANIFEST.version.split(".").map(Number);
  await writeFile(join(data, "data.json"), JSON.stringify({ version: `${major}.${minor + 1}.0` }));
  const refused = await run(["dev", "--data", data]);
  assert.equal(refused.code, 1);
  assert.ok(refused.stderr.startsWith(`error: the data in ${data} was written by version ${major}.${minor + 1}.0, which is newer than this one`), refused.stderr);
  assert.ok(refused.stderr.includes(`npx codemode-database@${major}.${minor + 1}.0`));
  await writeFile(join(data, "data.json"), JSON.stringify({ version: `${major}.${minor}.999` }));
  const dev = await started(context, data, { words: ownPort() });
  assert.equal((await dev.fetch("/health")).status, 200);
});

test("a port in use, and a folder that cannot be used, are errors with a way out", async (context) => {
  const folder = await folderOf(context);
  const words = ownPort();
  const dev = await started(context, join(folder, "one"), { words });
  const taken = await run(["dev", "--data", join(folder, "two"), ...words]);
  assert.deepEqual([taken.code, taken.stderr], [1, `error: port ${words[1]} is in use\n       choose another: --port ${Number(words[1]) + 1}\n`]);
  assert.equal((await dev.fetch("/health")).status, 200);
  await writeFile(join(folder, "file"), "");
  const unusable = await run(["dev", "--data", join(folder, "file", "data")]);
  assert.equal(unusable.code, 1);
  assert.match(unusable.stderr, /^error: the folder .*cannot be used: .*\n +choose another with --data DIR\n$/);
});
