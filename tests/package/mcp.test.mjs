// Tests of `codemode-database mcp` on local data, line by line: every protocol version, long
// messages, servers that end, and sessions that are lost.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { until } from "../until.mjs";
import { meta } from "../worker/mcp-client.mjs";
import { MODERN, validateResponse } from "../worker/mcp-schema.mjs";
import { processes } from "../worker/processes.mjs";
import { CLI, Dev, environment, folderOf, run } from "./installed.mjs";

const OLDER_VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const VERSIONS = [...OLDER_VERSIONS, MODERN];
const LONG_BYTES = 10_000_000;
/** A program that runs until the state `go` is set. */
const WAITING = `await helpers.db.saveState("runs", true); while ((await helpers.db.getState("go")) === null) await new Promise((done) => setTimeout(done, 50)); return 1;`;

/** A host, which starts the command, writes lines and reads lines. */
class Host {
  #id = 0;
  #waiting = new Map();
  /** The server's messages that are no responses. */
  told = [];
  errors = "";

  constructor(context, data, version, { words = [], capabilities = {}, env = {} } = {}) {
    Object.assign(this, { version, capabilities });
    this.child = spawn(process.execPath, [CLI, "mcp", "--data", data, ...words], { env: environment(env), stdio: ["pipe", "pipe", "pipe"] });
    context.after(() => this.child.kill("SIGKILL"));
    this.child.stdin.on("error", () => {});
    this.child.stderr.setEncoding("utf8").on("data", (piece) => (this.errors += piece));
    this.ended = new Promise((ended) => this.child.once("close", (code, signal) => ended(code ?? signal)));
    createInterface({ input: this.child.stdout }).on("line", (line) => {
      for (const message of [JSON.parse(line)].flat()) {
        if (message.method !== undefined) this.told.push(message);
        else this.#waiting.get(message.id)?.({ ...message, line });
      }
    });
  }

  write(message) {
    this.child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
  }

  send(method, params = {}, id = (this.#id += 1)) {
    const own = this.version === MODERN ? { _meta: meta(this.capabilities) } : {};
    const response = new Promise((settled) => this.#waiting.set(id, settled));
    this.write({ jsonrpc: "2.0", id, method, params: { ...params, ...own } });
    return response;
  }

  async result(method, params) {
    const { result, error } = await this.send(method, params);
    assert.ok(result !== undefined, JSON.stringify(error));
    return result;
  }

  /** Returns the structured content of a tool that must succeed. */
  async ok(name, args) {
    const result = await this.result("tools/call", { name, arguments: args });
    assert.ok(!result.isError, JSON.stringify(result));
    return result.structuredContent;
  }

  async open() {
    if (this.version === MODERN) return this.result("server/discover");
    const { protocolVersion } = await this.result("initialize", { protocolVersion: this.version, capabilities: this.capabilities, clientInfo: { name: "lines", version: "1" } });
    assert.equal(protocolVersion, this.version);
    this.write({ jsonrpc: "2.0", method: "notifications/initialized" });
    return undefined;
  }

  async close() {
    this.child.stdin.end();
    return this.ended;
  }
}

async function opened(context, data, version = "2025-11-25", options = {}) {
  const host = new Host(context, data, version, options);
  await host.open();
  return host;
}

const pidsOf = (host, name) => processes(host.child.pid, name);

test("every protocol version of /mcp works, with integers beyond 2^53, and the end leaves nothing behind", async (context) => {
  const data = join(await folderOf(context), "data");
  for (const version of VERSIONS) {
    const host = await opened(context, data, version);
    const { tools } = await host.result("tools/list");
    assert.ok(tools.some(({ name }) => name === "db_query"));
    const response = await host.send("tools/call", { name: "db_query", arguments: { sql: "SELECT 9007199254740993 AS big" } });
    assert.ok(response.line.includes("[[9007199254740993]]"), response.line);
    const { line: _line, ...message } = response;
    // The test data has no published schema of the oldest version.
    if (version !== OLDER_VERSIONS[0]) validateResponse(version, "tools/call", message);
    const pids = await pidsOf(host, "");
    assert.equal(pids.length, 2, "workerd and its guard");
    assert.equal(await host.close(), 0, host.errors);
    assert.deepEqual(await pidsOf(host, ""), []);
  }
});

test("a batch of the version that has batches gets a response for each request", async (context) => {
  const host = await opened(context, join(await folderOf(context), "data"), "2025-03-26");
  const seen = Promise.all([1001, 1002].map((id) => new Promise((settled) => host.child.stdout.on("data", (piece) => String(piece).includes(`"id":${id}`) && settled(id)))));
  host.write([{ jsonrpc: "2.0", id: 1001, method: "ping" }, { jsonrpc: "2.0", id: 1002, method: "ping" }]);
  assert.deepEqual(await seen, [1001, 1002]);
});

test("messages of 10 MB of a host reach the program", async (context) => {
  const data = join(await folderOf(context), "data");
  for (const version of ["2025-11-25", MODERN]) {
    const host = await opened(context, data, version, { env: { MCP_MAX_RESULT_TOKENS: "1000000" } });
    const { result } = await host.ok("program_run", { session: "long", code: "return input.length;", input: "é".repeat(LONG_BYTES / 2) });
    assert.equal(result, LONG_BYTES / 2);
    await host.close();
  }
});

test("messages of 10 MB of a server reach the host, as JSON and as events that come in pieces", async () => {
  // The Worker has no results that long, so the test uses its own server.
  const text = `${"é".repeat(LONG_BYTES / 2)} 9007199254740993`;
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const { id } = JSON.parse(body);
    const message = `{"jsonrpc":"2.0","id":${id},\n"result":{"content":[{"type":"text","text":${JSON.stringify(text)}}],"big":9007199254740993}}`;
    if (id === 1) return response.setHeader("content-type", "application/json").end(message);
    response.setHeader("content-type", "text/event-stream");
    const bytes = Buffer.from(`: first\n\nid: 7\n${message.split("\n").map((line) => `data: ${line}\n`).join("")}\n`);
    // No piece ends at the end of a character.
    for (let from = 0; from < bytes.length; from += 65_537) response.write(bytes.subarray(from, from + 65_537));
    return response.end();
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  try {
    const input = [1, 2].map((id) => `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "long", _meta: meta() } })}\n`).join("");
    const { code, stdout, stderr } = await run(["mcp", "--url", `http://127.0.0.1:${server.address().port}`], { input });
    assert.equal(code, 0, stderr);
    const lines = stdout.trim().split("\n");
    assert.equal(lines.length, 2);
    for (const line of lines) assert.ok(line.includes('"big":9007199254740993') && JSON.parse(line).result.content[0].text === text);
  } finally {
    server.close();
  }
});

test("more than 1,000 requests at once are refused, and the others get their responses", async (context) => {
  const host = await opened(context, join(await folderOf(context), "data"));
  const outcomes = await Promise.all(Array.from({ length: 1_200 }, () => host.send("ping")));
  const refused = outcomes.filter(({ error }) => error?.message === "more than 1000 requests are in progress");
  assert.equal(outcomes.filter(({ result }) => result !== undefined).length, 1_200 - refused.length);
  assert.ok(refused.length <= 200, `${refused.length} refused`);
  await host.result("ping");
});

test("a line that is no message is an error, and the next one is served", async (context) => {
  const host = await opened(context, join(await folderOf(context), "data"));
  const lines = [];
  createInterface({ input: host.child.stdout }).on("line", (line) => lines.push(JSON.parse(line)));
  for (const line of ["{", "7", '{"jsonrpc":"2.0","id":{},"method":"ping"}', "", "   "]) host.write(line);
  await host.result("ping");
  const errors = lines.filter(({ error }) => error);
  assert.deepEqual(errors.map(({ id, error }) => [id, error.code]), [[null, -32700], [null, -32600], [null, -32600]]);
});

test("two hosts share a server, and the second goes on with the data and its session when the first is killed", async (context) => {
  const data = join(await folderOf(context), "data");
  const first = await opened(context, data);
  const second = await opened(context, data);
  assert.deepEqual(await pidsOf(second, "workerd"), []);
  await first.ok("db_create_table", { session: "shared", name: "t", schema: "id INTEGER" });
  await second.ok("db_create_table", { name: "own", schema: "id INTEGER" });
  first.child.kill("SIGKILL");
  await first.ended;
  assert.deepEqual((await second.ok("db_get_tables", { session: "shared" })).tables, ["t"]);
  assert.deepEqual((await second.ok("db_get_tables", {})).tables, ["own"]);
  await until(async () => (await pidsOf(second, "workerd")).length === 1);
});

test("a call whose server ends is an error that says so, and the next call is served", async (context) => {
  const data = join(await folderOf(context), "data");
  for (const version of ["2025-11-25", MODERN]) {
    const host = await opened(context, data, version);
    const call = host.send("tools/call", { name: "program_run", arguments: { session: "w", code: WAITING, timeoutMs: 60_000 } });
    await until(async () => (await host.ok("db_query", { session: "w", sql: "SELECT 1" }), true));
    await until(async () => (await host.result("tools/call", { name: "program_run", arguments: { session: "w", code: "return await helpers.db.getState('runs')" } })).structuredContent?.result === true);
    for (const pid of await pidsOf(host, "workerd")) process.kill(pid, "SIGKILL");
    const { error, result } = await call;
    const text = JSON.stringify(error ?? result);
    assert.match(text, /ended while|was stopped|stopped during|interrupted|lost/i, text);
    await host.ok("program_run", { session: "w", code: "await helpers.db.clearState?.(); return 1" }).catch(() => {});
    assert.deepEqual((await host.ok("db_query", { session: "w", sql: "SELECT 1 AS one" })).rows, [[1]]);
    await host.close();
  }
});

test("a cancelled call ends, and nothing is said of it", async (context) => {
  const data = join(await folderOf(context), "data");
  for (const version of ["2025-11-25", MODERN]) {
    const host = await opened(context, data, version);
    const session = `cancel-${version}`;
    let isAnswered = false;
    void host.send("tools/call", { name: "program_run", arguments: { session, code: WAITING, timeoutMs: 60_000 } }, "slow").then(() => (isAnswered = true));
    await until(async () => (await host.result("tools/call", { name: "program_run", arguments: { session, code: "return await helpers.db.getState('runs')" } })).structuredContent?.result === true);
    host.write({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "slow" } });
    const origin = JSON.parse(readFileSync(join(data, "server.json"), "utf8")).origin;
    await until(async () => (await (await fetch(`${origin}/api/codemode/sessions/${session}/executions`)).json()).executions.some(({ outcome }) => outcome === "EXECUTION_ABORTED"));
    await host.result("ping").catch(() => {});
    assert.equal(isAnswered, false);
    await host.close();
  }
});

test("a session that the server has forgotten is begun again, with its subscriptions", async (context) => {
  const data = join(await folderOf(context), "data");
  const dev = await Dev.start(data, { words: ["--port", "28887"] });
  context.after(() => dev.stop("SIGKILL"));
  const host = await opened(context, data, "2025-11-25", { words: ["--session", "kept"] });
  await host.ok("db_create_table", { name: "t", schema: "id INTEGER" });
  await host.result("resources/subscribe", { uri: "db://kept/tables/t" });
  // Only the server knows the id, so all objects of the class are deleted.
  await dev.stop();
  const folders = (await readdir(join(data, "v3", "do"))).filter((name) => name.includes("McpSession"));
  assert.equal(folders.length, 1);
  await rm(join(data, "v3", "do", folders[0]), { recursive: true });
  assert.deepEqual((await host.ok("db_get_tables", {})).tables, ["t"]);
  // A write is not reported if the stream is not open again, so the test writes until one is.
  const write = () => host.ok("db_exec", { sql: "INSERT INTO t VALUES (1)" });
  await until(async () => (await write()) && host.told.some(({ method, params }) => method === "notifications/resources/updated" && params.uri === "db://kept/tables/t"));
});

test("lines of a pipe get their responses before the command ends", async (context) => {
  const data = join(await folderOf(context), "data");
  const params = { _meta: meta() };
  const input = [{ id: 1, method: "server/discover", params }, { id: 2, method: "tools/call", params: { name: "db_query", arguments: { sql: "SELECT 6 * 7" }, ...params } }];
  const { code, stdout, stderr } = await run(["mcp", "--data", data], { input: input.map((one) => JSON.stringify({ jsonrpc: "2.0", ...one })).join("\n") });
  assert.equal(code, 0, stderr);
  const responses = stdout.trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(responses.map(({ id }) => id).sort(), [1, 2]);
  assert.ok(stdout.includes("[[42]]"));
});

test("tokens of the settings are used, and of a server elsewhere the one that is named", async (context) => {
  const data = join(await folderOf(context), "data");
  const tokens = { API_TOKENS: '{"a-token-of-sixteen-characters":"acme"}' };
  const host = await opened(context, data, MODERN, { env: tokens });
  assert.deepEqual((await host.ok("db_query", { sql: "SELECT 1" })).rows, [[1]]);
  const origin = JSON.parse(readFileSync(join(data, "server.json"), "utf8")).origin;
  const line = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "server/discover", params: { _meta: meta() } });
  const refused = await run(["mcp", "--url", origin], { input: line });
  assert.match(JSON.parse(refused.stdout).error.message, /token/i);
  const served = await run(["mcp", "--url", origin], { input: line, env: { CODEMODE_TOKEN: "a-token-of-sixteen-characters" } });
  assert.ok(JSON.parse(served.stdout).result);
});
