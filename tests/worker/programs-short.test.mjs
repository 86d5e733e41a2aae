// Tests of programs that start without WebAssembly (js/programs.js) and with the parts of the
// runtime that they can reach (crates/program/src/reach.rs): they are served like any other program.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { sendFramed } from "./framing.mjs";
import { TOKENS, Worker } from "./harness.mjs";
import { EXECUTE, execute, executions, post, result } from "./program-client.mjs";

/** Programs of an object that run at a time. */
const MOST_TOGETHER = 10;

/** Sends a program on one of the two ways. */
const send = (worker, body, way) => sendFramed(worker, EXECUTE, body, { way });

/** Replaces numbers and durations, which differ from run to run. */
const settled = (text) =>
  text
    .replaceAll(/"executionId":"[0-9a-f-]{36}"/g, '"executionId":""')
    .replaceAll(/"(durationMs|atMs)":\d+/g, '"$1":0')
    .replaceAll(/result_[0-9a-f]{8}/g, "result_");

const PROGRAMS = [
  "return 1",
  "return",
  "",
  "return { a: [1, 'ü\u2028', null, true], b: 2n ** 70n, c: new Date(0) }",
  "return NaN",
  "return () => 1",
  "return new Map()",
  "return Array.from({ length: 1500 }, (_, n) => ({ n }))",
  "return Array.from({ length: 1500 }, (_, n) => n)",
  "return 'x'.repeat(70_000)",
  "return 'x'.repeat(2_000_000)",
  "return '\\ud800'",
  "console.log('a line', { a: 1 }); return 2",
  "progress('half', 0.5); return 3",
  "throw new Error('ended')",
  "throw { a: 1 }",
  "return nothing.at.all",
  "return typeof caches + typeof Request + typeof WebSocketPair + typeof navigator",
  "return new Response('x')",
  "return await fetch('https://example.com')",
  "return crypto.randomUUID().length + performance.now() * 0",
  "return structuredClone({ a: new Date(0) })",
  "return await helpers.db.query('SELECT 1 AS one')",
  "await helpers.db.exec('CREATE TABLE IF NOT EXISTS t(a)'); await helpers.db.exec('INSERT INTO t VALUES (1)'); return await helpers.db.query('SELECT DISTINCT a FROM t')",
  "return (await dbSchema.getTables()).includes('t')",
  "return await helpers.db.query('SELEC 1')",
  "return helpers.nowhere",
  "const a = helpers.db.query('SELECT 1'); return 1",
  "await new Promise((done) => setTimeout(done, 400)); return 4",
  "await new Promise(() => {})",
  "let s = 'x'; while (true) s += s",
  "Promise.reject(new Error('nobody waits')); return 5",
  "return (async (given) => given)",
  "return [3, 1, 2].sort().map((n) => n * 2).join()",
  "return `${[1, [2, 3]]}` + [4]",
  "return 'a-b'.split('-').concat(['c']).at(-1)",
  "return Object.entries({ a: 1 })",
  "let",
  "return 1 +",
  "import x from 'y'; return x",
  "```js\nreturn 6\n```",
  "```js\nreturn 7\n```\n```js\nreturn 8\n```",
  "return 1 // \u00e9\ud83d\ude00",
];

describe("a Worker without tokens", () => {
  let worker;
  before(async () => (worker = await Worker.start()));
  after(() => worker.stop());

  test("both ways give the same response, for a new text and for a known one", async () => {
    const [short, long] = [randomUUID(), randomUUID()];
    const bodies = [
      ...PROGRAMS.map((code) => ({ code })),
      { code: "return input", input: { a: [1, { $blob: "AAEC" }], n: 5 } },
      { code: "async (given) => given", input: [1] },
      { code: "async (given = 9) => given" },
      { code: "return input", input: null },
      { code: "return 'x'.repeat(100)", maxResultBytes: 50 },
      { code: "while (true);", timeoutMs: 60 },
      { code: "globalThis.n = (globalThis.n ?? 0) + 1; return 1", reuse: true },
      { code: "return 1", timeoutMs: 0 },
      { code: "return 1", nothing: 1 },
      { code: "return 'a\ud800b'.length" },
      { code: "return input.length", input: "\udc00" },
      { code: 1 },
      {},
    ];
    for (const body of bodies) {
      // A body that is written otherwise is read by WebAssembly; its program runs in the same way.
      const spaced = (value) => JSON.stringify(value, null, 1);
      for (const write of Object.keys(body).length === 1 ? [JSON.stringify] : [JSON.stringify, spaced]) {
        const of = (session) => write({ session, ...body, ...(body.timeoutMs === undefined && { timeoutMs: 1_000 }) });
        const shown = of("").slice(0, 200);
        const other = await send(worker, of(long), "long");
        for (const turn of ["new", "known"]) {
          const one = await send(worker, of(short), "short");
          assert.equal(settled(one.text), settled(other.text).replaceAll(long, short), `${turn}: ${shown}`);
          assert.equal(one.status, other.status, shown);
          const { date: _one, "content-length": _length, ...headers } = one.headers;
          const { date: _other, "content-length": _others, ...others } = other.headers;
          assert.deepEqual(headers, others, shown);
        }
      }
    }
  });

  test("what cannot be read is refused with the same words", async () => {
    for (const body of ["", "[]", "null", "7", "no JSON", '{"session":"a","session":"b","code":"return 1"}', '\ufeff{"session":"a","code":"return 1"}', Buffer.from([0x7b, 0xff]), '{"session":"../x","code":"return 1"}', '{"session":"","code":"return 1"}', '{"code":"return 1"}', '{"session":5,"code":"return 1"}']) {
      const [one, other] = [await send(worker, body, "short"), await send(worker, body, "long")];
      assert.deepEqual([one.status, one.text], [other.status, other.text], String(body));
      assert.notEqual(one.status, 200, String(body));
    }
  });

  test("runs are listed, counted and logged at once", async () => {
    const session = randomUUID();
    for (let turn = 0; turn < 4; turn++) assert.equal(await result(worker, session, "return 1"), 1);
    const metrics = await worker.session(session).ok("getMetrics");
    assert.equal(metrics.executionLogs.filter(({ message }) => /^program OK in \d+ ms with 0 calls$/.test(message)).length, 4);
    const listed = await executions(worker, session);
    assert.deepEqual(listed.map(({ outcome, calls }) => [outcome, calls]), Array(4).fill(["OK", 0]));
    const lines = await worker.operationsOf({ name: session }, 4);
    assert.deepEqual(lines.slice(0, 4).map(({ operation, code }) => [operation, code]), Array(4).fill(["execute", "OK"]));
    assert.ok(lines[0].bytesIn > 0 && lines[0].bytesOut > 0);
  });

  test("a program and the requests beside it see the same session", async () => {
    const session = randomUUID();
    await execute(worker, session, "return 0");
    const waits = "await new Promise((done) => setTimeout(done, 600)); return await helpers.db.query('SELECT a FROM beside')";
    await execute(worker, session, waits);
    const answer = execute(worker, session, waits);
    await worker.session(session).exec("CREATE TABLE beside(a)");
    await worker.session(session).exec("INSERT INTO beside VALUES (7)");
    assert.deepEqual((await answer).result, [{ a: 7 }]);
  });

  test("a session that is deleted while a program runs is lost to it", async () => {
    const session = randomUUID();
    await execute(worker, session, "return 0");
    const code = "await new Promise((done) => setTimeout(done, 200)); await helpers.db.exec('CREATE TABLE IF NOT EXISTS t(a)'); return 1";
    assert.equal(await result(worker, session, code), 1);
    const answer = execute(worker, session, code);
    await new Promise((done) => setTimeout(done, 50));
    assert.equal((await worker.session(session).fetch("", { method: "DELETE" })).status, 200);
    assert.equal((await answer).error?.code, "SESSION_DELETED");
    // The next one begins the session again.
    assert.equal(await result(worker, session, "return 1"), 1);
    assert.deepEqual((await worker.session(session).ok("getTables")).tables, []);
  });

  test("a session that is deleted while a program waits is lost to it, too", async () => {
    for (const [at, code] of [[5, "await new Promise((done) => setTimeout(done, 300)); return 1"], [50, "await new Promise((done) => setTimeout(done, 300)); await helpers.db.exec('CREATE TABLE IF NOT EXISTS old(a)'); return 1"]]) {
      const session = randomUUID();
      await execute(worker, session, "return 0");
      assert.equal(await result(worker, session, code), 1);
      const answer = execute(worker, session, code);
      await new Promise((done) => setTimeout(done, at));
      assert.equal((await worker.session(session).fetch("", { method: "DELETE" })).status, 200);
      await worker.session(session).exec("CREATE TABLE new(a)");
      assert.equal((await answer).error?.code, "SESSION_DELETED", code);
      assert.deepEqual((await worker.session(session).ok("getTables")).tables, ["new"]);
    }
  });

  test("a program that waits ends when its time is up", async () => {
    const session = randomUUID();
    await execute(worker, session, "return 0");
    for (const timeoutMs of [100, 240, 400]) {
      // Only the shortest is compared, because a busy machine makes single runs longer.
      let shortestMs = Infinity;
      for (let turn = 0; turn < 2 || (turn < 10 && shortestMs >= timeoutMs + 200); turn++) {
        const { error, durationMs } = await execute(worker, session, "await new Promise((done) => setTimeout(done, 5000))", { timeoutMs });
        assert.equal(error.code, "EXECUTION_TIMEOUT");
        shortestMs = Math.min(shortestMs, durationMs);
      }
      assert.ok(shortestMs < timeoutMs + 200, `${shortestMs} ms of ${timeoutMs}`);
    }
  });

  test("a name that is no name of a session leads to none", async () => {
    const body = `{"session": "${randomUUID()}", "code":"return 1"}`;
    assert.equal((await send(worker, body, "short")).status, 200);
    assert.equal((await send(worker, JSON.stringify({ session: body, code: "return 1" }), "short")).status, 400);
  });

  test("functions that are reached without their parts' names end in time", async () => {
    const session = randomUUID();
    await execute(worker, session, "return 0");
    for (const code of [
      "return ''.match(new (class extends RegExp { exec = Array })(/x/g))",
      "return 'x'.repeat(3e7).match(/x/g).length",
      "class E extends Iterator { next = Object }; return await crypto.subtle.digest('SHA-256', new E())",
      "return await crypto.subtle.digest('SHA-256', { length: 2 ** 31 })",
      "class E extends Iterator { next = Object }; return new E().includes(1)",
      "class E extends Iterator { next = Object }; return new E().join(1)",
      "let long = 'aaaaaaaaaaaaaaaa'; for (let i = 0; i < 18; i++) long += long; return await Promise.all(long)",
      "declare const input = 0; const o = { length: 2 ** 53 - 1, f: [][input] }; return o.f(1)",
      "let s = 'ab' + -1; for (let i = 0; i < 26; i++) s = s + s; let t = 'ab' + -1; for (let i = 0; i < 26; i++) t = t + t; let n = 0; while (s == t & s == t & s == t & s == t) n++; return n",
    ]) {
      const { success, durationMs } = await execute(worker, session, code, { timeoutMs: 250, input: "indexOf" });
      assert.equal(success, false, code);
      assert.ok(durationMs < 2_250, `${code} took ${durationMs} ms`);
    }
  });

  test("no more programs run together than on the long way", async () => {
    const session = randomUUID();
    await execute(worker, session, "return 0");
    const code = "await new Promise((done) => setTimeout(done, 300)); return 1";
    await execute(worker, session, code);
    const began = performance.now();
    const answers = await Promise.all(Array.from({ length: MOST_TOGETHER + 1 }, () => execute(worker, session, code)));
    assert.ok(answers.every(({ result }) => result === 1));
    // The last one had to wait for a place.
    assert.ok(performance.now() - began >= 580, `${performance.now() - began} ms`);
  });
});

test("a token decides whose session a known text runs in", async () => {
  const worker = await Worker.start({ settings: { API_TOKENS: JSON.stringify({ [TOKENS.acme]: "acme", [TOKENS.zeta]: "zeta" }) } });
  try {
    const session = randomUUID();
    const write = "await helpers.db.exec('CREATE TABLE IF NOT EXISTS mine(a)'); return (await dbSchema.getTables()).length";
    const read = "return await dbSchema.getTables()";
    const as = (token) => ({ authorization: `Bearer ${token}` });
    const other = TOKENS.zeta;
    for (let turn = 0; turn < 2; turn++) assert.equal(await result(worker, session, write, {}, as(TOKENS.acme)), 1);
    for (let turn = 0; turn < 2; turn++) assert.deepEqual(await result(worker, session, read, {}, as(other)), []);
    assert.deepEqual(await result(worker, session, read, {}, as(TOKENS.acme)), ["mine"]);
    for (let turn = 0; turn < 2; turn++) assert.equal((await post(worker, { session, code: read }, as("no-token"))).status, 401);
    assert.equal((await post(worker, { session, code: read })).status, 401);
  } finally {
    await worker.stop();
  }
});

test("each function that the runtime replaces is named in the part that replaces it", async () => {
  const worker = await Worker.start();
  try {
    // The functions of Intl are reached through this name alone.
    const replaced = await result(
      worker,
      randomUUID(),
      `const found = new Set();
      const isOurs = (value) => typeof value === "function" && !/\\[native code\\] \\}$/.test(Function.prototype.toString.call(value));
      const look = (owner) => {
        for (const name of Object.getOwnPropertyNames(owner)) {
          const { value, get, set } = Object.getOwnPropertyDescriptor(owner, name);
          if ([value, get, set].some(isOurs)) found.add(name);
        }
        for (const symbol of Object.getOwnPropertySymbols(owner)) {
          if (isOurs(Object.getOwnPropertyDescriptor(owner, symbol).value)) found.add(symbol.description.split(".")[1]);
        }
      };
      const names = Object.getOwnPropertyNames(globalThis).filter((name) => /^[A-Z]/.test(name) && name !== "Intl");
      for (const name of names) {
        const value = globalThis[name];
        if (value === null || (typeof value !== "object" && typeof value !== "function")) continue;
        if (isOurs(value)) found.add(name);
        look(value);
        if (value.prototype) look(value.prototype);
      }
      look(Object.getPrototypeOf(Uint8Array)); look(Object.getPrototypeOf(Uint8Array.prototype)); look(globalThis);
      return [...found];`,
    );
    const parts = ["matches", "lists", "texts", "structures", "iteration", "international"];
    const sources = await Promise.all(parts.map((part) => readFile(new URL(`../../crates/sandbox/src/runtime/${part}.js`, import.meta.url), "utf8")));
    const written = new Set(sources.flatMap((source) => source.match(/"\w+"/g).map((word) => word.slice(1, -1))));
    // Those of the part that is in each isolate, of the runtime itself, and those through which a
    // program reaches everything.
    const always = ["BigInt", "DatabaseError", "Proxy", "SERVER_COLUMN_MAPPINGS", "__invokeDB", "console", "constructor", "dbSchema", "fetch", "getSafeColumnName", "helpers", "join", "progress", "prepareStackTrace", "queueMicrotask", "reportError", "revocable", "setInterval", "setTimeout", "safeGraphQLAccess", "toString", "validateGraphQLData", "EventSource", "WebSocket"];
    const missing = replaced.filter((name) => !written.has(name) && !always.includes(name));
    assert.ok(replaced.length > 150, `${replaced.length} functions were found`);
    assert.deepEqual(missing, []);
  } finally {
    await worker.stop();
  }
});
