// Tests of the way make run treats a wrangler.toml: bindings, data that wrangler dev has left,
// edits.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test } from "node:test";
import { until } from "../until.mjs";
import { Worker } from "./harness.mjs";
import { Supervised } from "./supervised.mjs";

const D1 = `
[[d1_databases]]
binding = "CODEMODE_D1"
database_name = "codemode-test"
database_id = "codemode-test"
`;

/** A Worker that reports its bindings, in place of the built one. */
const PLAIN = `export class CodeModeDatabase {}
export class TenantIndex {}
export class AgentThread {}
export class CodeWorkspace {}
export class KnowledgeGraph {}
export class McpSession {}
export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (pathname === "/health") return Response.json({ success: true });
    if (pathname === "/variables") return Response.json({ TEXT: env.TEXT, JSON: env.JSON, SECRET: env.SECRET, LOADER: typeof env.LOADER });
    const stream = pathname === "/stream";
    try {
      const result = await env.AI.run("@cf/some/model", { prompt: "hello", stream });
      return stream ? new Response(result) : Response.json(result);
    } catch (error) {
      return new Response(error.message, { status: 502 });
    }
  },
};
`;

/** Makes a folder with a Worker; returns the change of a configuration that uses it. */
async function plain(t, source = PLAIN) {
  const folder = await mkdtemp(join(tmpdir(), "codemode-plain-"));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "index.js"), source);
  return { folder, main: (text) => text.replace(/^main = .*$/m, `main = ${JSON.stringify(join(folder, "index.js"))}`) };
}

async function supervised(t, options) {
  const worker = await Supervised.start(options);
  t.after(() => worker.stop());
  return worker;
}

test("data that wrangler dev has left is found again, sessions and persistent tables alike, and the other way round", async (t) => {
  const storage = await mkdtemp(join(tmpdir(), "codemode-storage-"));
  t.after(() => rm(storage, { recursive: true, force: true, maxRetries: 10 }));
  const left = { way: "wrangler", folder: storage, persistent: true };
  const copy = async (worker, table) => {
    const session = worker.session("kept");
    await session.exec(`CREATE TABLE ${table}(a)`);
    await session.exec(`INSERT INTO ${table} VALUES (1), (2)`);
    const response = await session.fetch("/persist", { method: "POST", body: JSON.stringify({ table }) });
    assert.deepEqual([response.status, (await response.json()).rowsWritten], [200, 2]);
  };
  const sees = async (worker, table) => {
    assert.equal((await worker.session("kept").query(`SELECT a FROM ${table}`)).results.length, 2);
    assert.equal((await worker.session("other").query(`SELECT a FROM ${table}`, [], { target: "persistent" })).results.length, 2);
  };
  const before = await Worker.start(left);
  await copy(before, "one");
  await before.stop({ keep: true });
  const now = await Supervised.start({ storage, configuration: (text) => text + D1 });
  try {
    await sees(now, "one");
    await copy(now, "two");
  } finally {
    await now.stop();
  }
  const later = await Worker.start(left);
  try {
    await sees(later, "two");
  } finally {
    await later.stop({ keep: true });
  }
});

test("variables, secrets and the loader arrive, and what there is not is said", async (t) => {
  const { main } = await plain(t);
  const more = `[[kv_namespaces]]\nbinding = "STORE"\nid = "x"\n[[analytics_engine_datasets]]\nbinding = "TELEMETRY"\ndataset = "d"\n[vars]\nTEXT = "a \\"quoted\\" \\\\ text\\n\\u0001é"\nJSON = { a = [1, 2] }\n`;
  const worker = await supervised(t, { secrets: 'SECRET="{\\"a\\":\\"b\\"}"\nTEXT_2=$x\n', configuration: (text) => main(text) + more });
  const { TEXT, JSON: json, SECRET, LOADER } = await (await worker.fetch("/variables")).json();
  assert.deepEqual([TEXT, json, SECRET, LOADER], ['a "quoted" \\ text\n\u0001é', { a: [1, 2] }, '{\\"a\\":\\"b\\"}', "object"]);
  assert.match(worker.text, /STORE: make run has no bindings of the kind kv_namespace/);
  assert.match(worker.text, /TELEMETRY: data points/);
});

test("Workers AI is called over its REST API", async (t) => {
  const asked = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    asked.push([request.method, request.url, request.headers.authorization, JSON.parse(body)]);
    if (JSON.parse(body).stream) return response.writeHead(200, { "content-type": "text/event-stream" }).end('data: {"response":"hi"}\n\n');
    response.writeHead(asked.length > 2 ? 429 : 200, { "content-type": "application/json" }).end(JSON.stringify({ success: true, result: { response: "hi" } }));
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  t.after(() => server.close());
  const { main } = await plain(t);
  const environment = { CLOUDFLARE_API_TOKEN: "token-of-ours", CLOUDFLARE_ACCOUNT_ID: "account", CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${server.address().port}/client/v4` };
  const worker = await supervised(t, { environment, configuration: (text) => `${main(text)}\n[ai]\nbinding = "AI"\n` });
  assert.deepEqual(await (await worker.fetch("/whole")).json(), { response: "hi" });
  assert.equal(await (await worker.fetch("/stream")).text(), 'data: {"response":"hi"}\n\n');
  const failed = await worker.fetch("/whole");
  assert.deepEqual([failed.status, /Workers AI returned 429/.test(await failed.text())], [502, true]);
  assert.deepEqual(asked[0], ["POST", "/client/v4/accounts/account/ai/run/@cf/some/model", "Bearer token-of-ours", { prompt: "hello", stream: false }]);
});

test("an edit is built and served, and a build that fails changes nothing", async (t) => {
  const { folder, main } = await plain(t);
  await mkdir(join(folder, "source"));
  const edit = async (source) => {
    // In one step, so that no half of it is built.
    await writeFile(join(folder, "next.js"), source);
    await rename(join(folder, "next.js"), join(folder, "source", "worker.js"));
  };
  const says = (word) => PLAIN.replace('success: true', `success: true, word: "${word}"`);
  await edit(says("first"));
  const command = `cd ${folder} && ! grep -q "syntax error" source/worker.js && cp source/worker.js made && mv made index.js`;
  // wrangler interprets it relative to the folder of the configuration, which is a temporary one as
  // well.
  const watched = join("..", basename(folder), "source");
  const worker = await supervised(t, { configuration: (text) => `${main(text)}\n[build]\ncommand = ${JSON.stringify(command)}\nwatch_dir = ${JSON.stringify(watched)}\n` });
  const word = async () => (await (await worker.fetch("/health")).json()).word;
  await edit(says("second"));
  await until(async () => (await word().catch(() => undefined)) === "second");
  assert.match(worker.text, /the Worker was built again, and is started again/);
  await edit("syntax error");
  await until(() => worker.text.includes("NOT built"));
  assert.equal(await word(), "second");
  await edit(says("third"));
  await until(async () => (await word().catch(() => undefined)) === "third");
});

test("a wrangler.toml that cannot be read is said, and the Worker goes on with what it has", async (t) => {
  const { main } = await plain(t);
  const worker = await supervised(t, { configuration: main });
  const file = join(worker.folder, "wrangler.toml");
  await writeFile(file, "name = ");
  await until(() => worker.text.includes("cannot be read, so the Worker keeps its present settings"));
  await rm(file);
  await until(() => worker.text.match(/cannot be read/g).length > 1);
  assert.equal((await worker.fetch("/health")).status, 200);
  assert.equal(worker.restarts, 0);
  // It is started again with the same settings, not given up.
  for (const pid of await worker.descendants("workerd")) process.kill(pid, "SIGKILL");
  await until(() => worker.restarts > 0);
  assert.equal((await worker.fetch("/health")).status, 200);
});
