// Tests of make run: a Worker that one request has blocked is started again, and it serves
// everything that the Worker serves.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { until } from "../until.mjs";
import { isRunning } from "./processes.mjs";
import { Supervised } from "./supervised.mjs";

const ENDLESS = "?fault=wedge";
/**
 * A regular expression that backtracks for longer than anybody waits: local workerd cannot end it.
 */
const BACKTRACKS = `return /^(a|aa|aaa)+$/.test("a".repeat(200) + "!");`;

/**
 * Returns the outcome for a client that waits while the Worker is ended: 504, or a connection that
 * breaks.
 */
async function outcome(sent) {
  try {
    const response = await sent;
    const { error } = await response.json();
    return { status: response.status, code: error?.code, sniffed: response.headers.get("x-content-type-options") };
  } catch {
    return { broken: true };
  }
}

/**
 * A client that has received data on its connection could not distinguish a response from the rest
 * of another, so that connection breaks.
 */
function assertLost(outcome) {
  if (!outcome.broken) assert.deepEqual(outcome, { status: 504, code: "QUERY_TIMEOUT", sniffed: "nosniff" });
}

describe("a Worker that has stopped", () => {
  let worker;
  before(async () => (worker = await Supervised.start()));
  after(() => worker.stop());

  test("by a request that computes without end is started again, the request is named, and what was committed is there", async () => {
    const session = worker.session("kept");
    await session.exec("CREATE TABLE t(a)");
    await session.exec("INSERT INTO t VALUES (1), (2)");
    const wedged = outcome(session.fetch(ENDLESS, { method: "POST", body: '{"operation":"query","sql":"SELECT 1 /* the guilty one */"}' }));
    await until(() => worker.text.includes("the Worker has not responded for"));
    assertLost(await wedged);
    assert.deepEqual((await session.query("SELECT a FROM t")).results, [{ a: 1 }, { a: 2 }]);
    await until(() => worker.restarts > 0);
    assert.match(worker.text, /this request was in progress:\n +POST \/api\/codemode\/sessions\/kept\?fault=wedge for \d+\.\d s .*the guilty one/);
  });

  test("by a program is named, although its client has left, and a request that came later is served", async () => {
    const before = worker.restarts;
    const leave = new AbortController();
    const body = JSON.stringify({ session: "program", code: BACKTRACKS });
    const left = worker.fetch("/api/codemode/execute", { method: "POST", body, signal: leave.signal }).catch(() => "left");
    // The Worker does not respond any more, because the program is running.
    await until(async () => !(await isServed(worker)));
    leave.abort();
    assert.equal(await left, "left");
    const later = outcome(worker.session("later").fetch("", { method: "POST", body: '{"operation":"getTables"}' }));
    await until(() => worker.restarts > before);
    assert.match(worker.text, /POST \/api\/codemode\/execute for \d+\.\d s, its client has left .*"session":"program"/);
    // It waited in the relay, or was lost with the Worker; in both cases the next one is served.
    const { status, broken } = await later;
    assert.ok(broken || [200, 504].includes(status), `${status}`);
    assert.equal((await worker.session("later").call("getTables")).status, 200);
  });

  test("because workerd ended is there again", async () => {
    const session = worker.session("ended");
    await session.exec("CREATE TABLE t(a)");
    for (const pid of await worker.descendants("workerd")) process.kill(pid, "SIGKILL");
    const { results } = await until(() => session.query("SELECT count(*) AS n FROM t").catch(() => undefined));
    assert.deepEqual(results, [{ n: 0 }]);
  });

});

/** Returns true if /health responds at once. */
async function isServed(worker) {
  try {
    return (await worker.fetch("/health", { signal: AbortSignal.timeout(500) })).ok;
  } catch {
    return false;
  }
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  test(`${signal} ends it and all that it started, whether the Worker answers or not`, async () => {
    for (const wedge of [false, true]) {
      const worker = await Supervised.start({ patienceMs: 600_000 });
      const pids = await worker.descendants();
      assert.equal(pids.length, 2, "workerd, and what ends it with the supervisor");
      const open = wedge ? outcome(worker.session().fetch(ENDLESS)) : undefined;
      if (wedge) await until(async () => !(await isServed(worker)));
      const code = await worker.stop(signal);
      assert.equal(code, { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[signal]);
      await until(async () => (await Promise.all(pids.map(isRunning))).every((runs) => !runs));
      if (open) assertLost(await open);
    }
  });
}

test("workerd ends with a supervisor that is killed", async () => {
  const worker = await Supervised.start();
  const pids = await worker.descendants();
  await worker.stop("SIGKILL");
  await until(async () => (await Promise.all(pids.map(isRunning))).every((runs) => !runs));
});

test("a setting that cannot be used is said at once, and a change in .dev.vars is taken over", async () => {
  const worker = await Supervised.start({ secrets: "MAX_RESULT_ROWS=many\n" });
  const folderFile = join(worker.folder, ".dev.vars");
  try {
    assert.match(worker.text, /an environment variable is invalid, so every request fails: .*MAX_RESULT_ROWS/);
    const { error } = await (await worker.fetch("/health")).json();
    assert.equal(error.code, "MISCONFIGURED");
    await writeFile(folderFile, "MAX_RESULT_ROWS=2\n");
    await until(() => worker.text.includes("the environment variables are valid now"));
    assert.match(worker.text, /\.dev\.vars or wrangler\.toml have changed; the Worker is started again with them/);
    const three = "SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3";
    const answer = await until(() => worker.session().query(three).catch(() => undefined));
    assert.deepEqual([answer.results.length, answer.truncated], [2, true]);
    await writeFile(folderFile, "QUERY_TIMEOUT_MS=soon\n");
    await until(() => /every request fails: .*QUERY_TIMEOUT_MS/.test(worker.text));
    await rm(folderFile);
    await until(async () => (await worker.fetch("/health").catch(() => ({ ok: false }))).ok);
  } finally {
    await worker.stop();
  }
});

test("a port that is in use and a patience that is no number are errors", async () => {
  const worker = await Supervised.start();
  try {
    for (const [environment, code, message] of [
      [{ PORT: String(worker.port) }, 1, /is in use; choose another/],
      [{ CODEMODE_PATIENCE_MS: "soon" }, 2, /CODEMODE_PATIENCE_MS is 'soon'; it must be a whole number/],
    ]) {
      const child = spawn(process.execPath, [worker.child.spawnargs[1]], { env: { ...process.env, ...environment }, cwd: worker.folder });
      let text = "";
      child.stderr.setEncoding("utf8").on("data", (piece) => (text += piece));
      assert.equal(await new Promise((ended) => child.once("close", ended)), code);
      assert.match(text, message);
    }
  } finally {
    await worker.stop();
  }
});

describe("the relay", () => {
  let worker;
  // A limit that no busy machine reaches.
  before(async () => (worker = await Supervised.start({ patienceMs: 120_000 })));
  after(() => worker.stop());

  test("passes a large body on as it comes, and the rows of an export back", async () => {
    const session = worker.session();
    const row = JSON.stringify({ text: "x".repeat(1_000) });
    const rows = 60_000;
    async function* body() {
      for (let sent = 0; sent < rows; sent += 1_000) yield Buffer.from(`${row}\n`.repeat(1_000));
    }
    const response = await session.load("t", ReadableStream.from(body()), { query: "?create=true" });
    assert.deepEqual([response.status, (await response.json()).rowsWritten], [200, rows]);
    const exported = await session.fetch("/tables/t/rows?format=ndjson");
    let bytes = 0;
    for await (const piece of exported.body) bytes += piece.length;
    assert.equal(bytes, rows * (row.length + 1));
  });

  test("brings the refusal of a body to a client that is still sending it", async () => {
    const piece = Buffer.from(`${JSON.stringify({ text: "x".repeat(1_000) })}\n`.repeat(1_000));
    async function* body() {
      for (let sent = 0; sent < 80; sent += 1) yield piece;
    }
    const response = await worker.session().load("json_each", ReadableStream.from(body()), { query: "?create=true" });
    assert.deepEqual([response.status, (await response.json()).error.reason], [403, "reserved_name"]);
  });

  test("keeps the bytes of a body", async () => {
    const session = worker.session();
    const blob = randomBytes(500_000);
    await session.exec("CREATE TABLE t(a)");
    await session.exec("INSERT INTO t VALUES (?)", [{ $blob: blob.toString("base64") }]);
    const { results } = await session.query("SELECT a FROM t");
    const back = Buffer.from(results[0].a.$blob, "base64");
    assert.equal(createHash("sha256").update(back).digest("hex"), createHash("sha256").update(blob).digest("hex"));
  });

  test("hands events on one by one", async () => {
    const body = JSON.stringify({
      session: "events",
      code: `console.log("first"); while ((await helpers.db.getState("go")) === null); return 1;`,
    });
    const response = await worker.fetch("/api/codemode/execute", { method: "POST", body, headers: { accept: "text/event-stream" } });
    assert.equal(response.headers.get("x-content-type-options"), "nosniff");
    let text = "";
    for await (const piece of response.body) {
      text += Buffer.from(piece).toString();
      // The program continues once its first event has arrived.
      if (text.includes("first") && !text.includes("event: result")) await worker.session("events").ok("saveState", { key: "go", value: true });
    }
    assert.match(text, /event: done/);
  });

  test("asks the Worker before it lets a client send, which may get its answer without", async () => {
    for (const [table, status] of [["t", 200], ["json_each", 403]]) {
      const session = worker.session();
      const outgoing = httpRequest({
        host: "127.0.0.1", port: worker.port, method: "PUT", path: `${session.path}/tables/${table}/rows?create=true`,
        headers: { expect: "100-continue", "content-type": "text/csv", "content-length": 4 },
      });
      let isContinued = false;
      outgoing.on("continue", () => {
        isContinued = true;
        outgoing.end("a\n1\n");
      });
      const response = await new Promise((answered, failed) => {
        outgoing.on("response", answered);
        outgoing.on("error", failed);
        outgoing.flushHeaders();
      });
      response.resume();
      await new Promise((ended) => response.once("end", ended));
      assert.equal(response.statusCode, status);
      if (status === 200) assert.ok(isContinued);
      outgoing.destroy();
    }
  });

  test("tells the Worker that a client has left", async () => {
    const session = worker.session("left");
    await session.exec("CREATE TABLE t(a)");
    await session.exec("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM r LIMIT 300000) INSERT INTO t SELECT hex(randomblob(50)) FROM r");
    const leave = new AbortController();
    const response = await session.fetch("/stream", { method: "POST", body: JSON.stringify({ sql: "SELECT a FROM t" }), signal: leave.signal });
    await response.body.getReader().read();
    leave.abort();
    await until(() => worker.lines.some((line) => line.includes('"operation":"stream"') && line.includes("CANCELLED")));
  });

  test("serves no host but those of this machine, whatever the headers say", async () => {
    const path = "/api/codemode/sessions/rebound/dump";
    for (const head of [
      "Host: evil.com\r\nMF-Original-URL: http://127.0.0.1:8787/api/codemode/sessions/rebound/dump",
      "Host: evil.com\r\nmf-original-url: http://localhost/api/codemode/sessions/rebound/dump\r\nMF-Proxy-Shared-Secret: x",
      "Host: evil.com\r\nX-Forwarded-Host: 127.0.0.1",
      "Host: evil.com\r\nX-Forwarded-Proto: https",
      "Host: 127.0.0.1\r\nX-Forwarded-Host: evil.com",
      "Host: 127.0.0.1\r\nForwarded: for=192.0.2.1;host=evil.com",
      "Host: localhost.evil.com", "Host: 127.0.0.1.nip.io", "Host: localhost.", "Host: 0.0.0.0", "Host: [::ffff:127.0.0.1]",
      "Host: 127.0.0.1\r\nSec-Fetch-Site: cross-site", "Host: 127.0.0.1\r\nSec-Fetch-Site: same-site",
    ]) {
      const { status, body, headers } = await worker.raw(`GET ${path} HTTP/1.1\r\n${head}\r\nConnection: close\r\n\r\n`);
      assert.deepEqual([status, headers.get("x-content-type-options")], [401, "nosniff"], `${head}: ${body}`);
    }
    for (const head of ["Host: 127.0.0.1", "Host: LOCALHOST:1", "Host: [::1]:8787", "Host: 127.9.9.9\r\nSec-Fetch-Site: none", "Host: localhost\r\nSec-Fetch-Site: same-origin"]) {
      assert.equal((await worker.raw(`GET ${path} HTTP/1.1\r\n${head}\r\nConnection: close\r\n\r\n`)).status, 200, head);
    }
  });
});
