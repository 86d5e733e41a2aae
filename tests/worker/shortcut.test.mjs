// Tests of the short way of an operation (js/shortcut.js): it is served like any other request, and
// the plan of one request serves no request that differs in anything that decides.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { until } from "../until.mjs";
import { sendFramed } from "./framing.mjs";
import { TOKENS, Worker } from "./harness.mjs";

/** More plans than are kept. */
const MANY_PLANS = 1_200;

const ORIGIN = "https://app.example.com";

/** A comment by which a test build panics in the middle of an operation on the short way. */
const PANIC = "/*fault=panic*/";

/**
 * Sends an operation with these headers. A body without a length takes the long way.
 *
 * @returns {Promise<{ status: number, headers: Record<string, string>, text: string }>}
 */
function send(worker, session, body, headers = {}, { query = "", ...more } = {}) {
  const text = Buffer.isBuffer(body) || typeof body === "string" ? body : JSON.stringify(body);
  return sendFramed(worker, `/api/codemode/sessions/${session}${query}`, text, { headers, ...more });
}

const query = (sql, params) => ({ operation: "query", sql, params });

/** Returns true if a request takes the short way. */
async function isShort(worker, session, headers, more) {
  const answer = await send(worker, session, query(`SELECT 1 ${PANIC}`), headers, more);
  return answer.status === 500;
}

describe("a Worker without tokens", () => {
  let worker;
  before(async () => (worker = await Worker.start({ settings: { ALLOWED_ORIGINS: ORIGIN, QUERY_TIMEOUT_MS: "4000", MAX_REQUEST_BYTES: "20000", MAX_BATCH_BYTES: "20000" } })));
  after(() => worker.stop());

  test("both ways give the same response", async () => {
    const [short, long] = [randomUUID(), randomUUID()];
    const bodies = [
      { operation: "exec", sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b TEXT)" },
      ...Array.from({ length: 4 }, (_, n) => ({ operation: "exec", sql: "INSERT INTO t (a, b) VALUES (?, ?)", params: [n, `text ${n}`] })),
      { operation: "exec", sql: "INSERT INTO t (a) VALUES (?)", params: [{ $blob: "AAEC" }] },
      { operation: "exec", sql: "INSERT INTO t (a) VALUES (1e999), (9007199254740993), (?)", params: [0.1] },
      { operation: "exec", sql: "UPDATE t SET a = 7 WHERE id = 1" },
      { operation: "exec", sql: "UPDATE t SET a = 7 WHERE id = 1 RETURNING id, a" },
      query("SELECT * FROM t ORDER BY id"),
      query("SELECT * FROM t WHERE id = ?", [2]),
      query("SELECT * FROM t WHERE id = ?", [-1]),
      query("SELECT 'ü\\u0000\u2028' AS text, ? AS given", ["\u{1F600}\u0000"]),
      query("SELECT a FROM t", []),
      { ...query("SELECT id FROM t ORDER BY id"), maxRows: 2 },
      query("SELECT hex(zeroblob(9000)) AS long"),
      query("SELECT hex(zeroblob(200000)) AS longer"),
      query("INSERT INTO t (a) VALUES (1)"),
      query("SELECT nothing FROM t"),
      query("SELECT * FROM sqlite_schema; SELECT 1"),
      { operation: "exec", sql: "INSERT INTO t (id) VALUES (1)" },
      { operation: "getTables" },
      { operation: "batchInsert", table: "t", records: [{ a: 1 }, { a: 2 }] },
      { operation: "saveState", key: "k", value: { a: 1 } },
      { operation: "getState", key: "k" },
      { operation: "query", target: "persistent", sql: "SELECT 1" },
      { operation: "query", target: "nowhere", sql: "SELECT 1" },
      { operation: "nothing" },
      {},
      "",
      "[]",
      "no JSON",
      '{"operation":"query","sql":"SELECT 1","sql":"SELECT 2"}',
      '\ufeff{"operation":"getTables"}',
      Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]),
      Buffer.alloc(20_001, 32),
    ];
    for (const body of bodies) {
      const shown = String(typeof body === "object" && !Buffer.isBuffer(body) ? JSON.stringify(body) : body).slice(0, 80);
      const [one, other] = [await send(worker, short, body), await send(worker, long, body, {}, { way: "long" })];
      assert.equal(one.text, other.text.replaceAll(long, short), shown);
      assert.equal(one.status, other.status, shown);
      const { date: _one, ...headers } = one.headers;
      const { date: _other, ...others } = other.headers;
      assert.deepEqual(headers, others, shown);
    }
    assert.ok(await isShort(worker, short, {}), "the first of them took the short way");
    const lines = [await worker.operationsOf({ name: short }, bodies.length - 1), await worker.operationsOf({ name: long }, bodies.length - 1)];
    // An object logs the last one, which is too long, only if the front Worker could not know.
    const told = lines.map((list) => list.slice(0, bodies.length - 1).map(({ operation, rowsRead, rowsWritten, bytesIn, bytesOut, code }) => ({ operation, rowsRead, rowsWritten, bytesIn, bytesOut, code })));
    // The panic leaves no line.
    assert.deepEqual(told[0], told[1]);
  });

  test("a host that is not loopback is refused after one that is", async () => {
    const session = randomUUID();
    const here = { host: "127.0.0.1:1" };
    assert.equal((await send(worker, session, { operation: "getTables" }, here)).status, 200);
    for (const headers of [
      { host: "evil.com" },
      { ...here, "x-forwarded-host": "evil.com" },
      { ...here, forwarded: "host=evil.com" },
      { ...here, "sec-fetch-site": "cross-site" },
    ]) {
      for (let turn = 0; turn < 2; turn++) {
        const [one, other] = [await send(worker, session, { operation: "getTables" }, headers), await send(worker, session, { operation: "getTables" }, headers, { way: "long" })];
        assert.deepEqual([one.status, one.text], [other.status, other.text], JSON.stringify(headers));
        assert.notEqual(one.status, 200, JSON.stringify(headers));
        assert.equal((await send(worker, session, { operation: "getTables" }, here)).status, 200);
      }
    }
  });

  test("a page gets the headers of its origin, or nothing", async () => {
    const session = randomUUID();
    assert.equal((await send(worker, session, { operation: "getTables" })).headers["access-control-allow-origin"], undefined);
    const allowed = await send(worker, session, { operation: "getTables" }, { origin: ORIGIN });
    assert.deepEqual([allowed.status, allowed.headers["access-control-allow-origin"]], [200, ORIGIN]);
    assert.equal((await send(worker, session, { operation: "getTables" }, { origin: "https://evil.com" })).status, 403);
    const preflight = await send(worker, session, "", { origin: ORIGIN, "access-control-request-method": "POST" }, { method: "OPTIONS" });
    assert.deepEqual([preflight.status, preflight.headers["access-control-allow-origin"]], [204, ORIGIN]);
    assert.equal(await isShort(worker, session, { origin: ORIGIN }), false);
  });

  test("a request with another form, coding or query takes the long way", async () => {
    const session = randomUUID();
    assert.equal((await send(worker, session, { operation: "getTables" })).status, 200);
    for (const [headers, more] of [
      [{ accept: "text/csv" }, {}],
      [{ accept: "application/x-ndjson" }, {}],
      [{ "content-encoding": "gzip" }, {}],
      [{}, { query: "?format=csv" }],
      [{}, { query: "?" }],
      [{}, { way: "long" }],
    ]) {
      assert.equal(await isShort(worker, session, headers, more), false, JSON.stringify([headers, more]));
    }
    const rows = await send(worker, session, query("SELECT 1 AS a"), { accept: "text/csv" });
    assert.match(rows.headers["content-type"], /^text\/csv/);
    assert.equal((await send(worker, session, query("SELECT 1"), { "content-encoding": "br" })).status, 415);
    for (const path of ["..", "%2e%2e", ".", "a%2Fb", "a%00b", "", "x".repeat(300)]) {
      const [one, other] = [await send(worker, path, { operation: "getTables" }), await send(worker, path, { operation: "getTables" }, {}, { way: "long" })];
      assert.deepEqual([one.status, one.text], [other.status, other.text], path);
    }
  });

  for (const [name, comment] of [["panic", PANIC], ["overflow of the stack", "/*fault=overflow*/"]]) {
    test(`a ${name} in the middle of an operation answers 500 and the next request works`, async () => {
      const session = randomUUID();
      assert.equal((await send(worker, session, { operation: "exec", sql: "CREATE TABLE kept(a)" })).status, 200);
      for (let turn = 0; turn < 3; turn++) {
        const broken = await send(worker, session, query(`SELECT 1 ${comment}`));
        assert.deepEqual([broken.status, JSON.parse(broken.text).error.code], [500, "INTERNAL"]);
        const tables = await send(worker, session, { operation: "getTables" });
        assert.deepEqual(JSON.parse(tables.text).tables, ["kept"]);
      }
    });
  }

  test("a panic answers the requests of others too", async () => {
    const waiting = worker.session("others-wait").fetch("?fault=hang").then((response) => response.status);
    const session = randomUUID();
    assert.equal((await send(worker, session, { operation: "getTables" })).status, 200);
    let status;
    waiting.then((answer) => (status = answer));
    await until(async () => {
      await send(worker, session, query(`SELECT 1 ${PANIC}`));
      return status;
    });
    assert.equal(status, 500);
  });

  test("a body that does not arrive is 504 in time", async () => {
    const session = randomUUID();
    assert.equal((await send(worker, session, { operation: "getTables" })).status, 200);
    const { hostname, port } = new URL(worker.url);
    const socket = connect(Number(port), hostname);
    let received = "";
    socket.setEncoding("utf8").on("data", (piece) => (received += piece));
    socket.on("error", () => {});
    socket.write(`POST /api/codemode/sessions/${session} HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-type: application/json\r\ncontent-length: 40\r\n\r\n{`);
    await until(() => received.includes("QUERY_TIMEOUT"));
    assert.match(received, /^HTTP\/1.1 504 [^]*"timeoutMs":4000/);
    socket.destroy();
    assert.equal((await send(worker, session, { operation: "getTables" })).status, 200);
  });

  test("a client that leaves in the middle of its body leaves a line in the log", async () => {
    const session = randomUUID();
    assert.equal((await send(worker, session, { operation: "getTables" })).status, 200);
    const { hostname, port } = new URL(worker.url);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    const head = `POST /api/codemode/sessions/${session} HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-type: application/json\r\ncontent-length: 40\r\n\r\n{`;
    await new Promise((resolve) => socket.write(head, resolve));
    socket.destroy();
    const lines = await worker.operationsOf({ name: session }, 2);
    assert.equal(lines[1].code, "INVALID_BODY");
  });

  test("a deleted session begins anew", async () => {
    const session = worker.session();
    for (let turn = 0; turn < 3; turn++) {
      await session.exec("CREATE TABLE t(a)");
      await session.exec("INSERT INTO t VALUES (1)");
      assert.equal((await session.fetch("", { method: "DELETE" })).status, 200);
      assert.deepEqual((await session.ok("getTables")).tables, []);
    }
  });

  test("many clients of one session lose nothing", async () => {
    const session = worker.session();
    await session.exec("CREATE TABLE t(client, n)");
    await Promise.all(
      Array.from({ length: 30 }, async (_, client) => {
        for (let n = 0; n < 10; n++) {
          await session.exec("INSERT INTO t VALUES (?, ?)", [client, n]);
          const { results } = await session.query("SELECT count(*) AS rows FROM t WHERE client = ?", [client]);
          assert.equal(results[0].rows, n + 1);
        }
      }),
    );
    assert.equal((await session.query("SELECT count(*) AS rows FROM t")).results[0].rows, 300);
  });

  test("more plans than are kept serve their own session", async () => {
    const sessions = [randomUUID(), randomUUID()];
    for (const session of sessions) await send(worker, session, { operation: "exec", sql: `CREATE TABLE "${session}"(a)` });
    for (let n = 0; n < MANY_PLANS; n++) {
      const session = sessions[n % 2];
      const { text } = await send(worker, session, { operation: "getTables" }, { host: `127.0.0.1:${n + 1}` });
      assert.deepEqual(JSON.parse(text).tables, [session]);
    }
    assert.ok(await isShort(worker, sessions[0], { host: "127.0.0.1:1" }));
  });
});

test("tokens keep their tenants apart, whatever was planned before", async () => {
  const settings = { API_TOKENS: JSON.stringify({ [TOKENS.acme]: "acme", [TOKENS.zeta]: "zeta" }) };
  const worker = await Worker.start({ settings });
  try {
    const by = (token) => ({ authorization: `Bearer ${token}` });
    for (const [tenant, token] of Object.entries(TOKENS)) {
      const made = await send(worker, "same", { operation: "exec", sql: `CREATE TABLE of_${tenant}(a)` }, by(token));
      assert.equal(made.status, 200);
    }
    for (let turn = 0; turn < 3; turn++) {
      for (const [headers, expected] of [
        [by(TOKENS.acme), ["of_acme"]],
        [by(TOKENS.zeta), ["of_zeta"]],
        [{ "x-codemode-token": TOKENS.zeta }, ["of_zeta"]],
        [{ "x-codemode-token": TOKENS.acme }, ["of_acme"]],
        // The header Authorization counts more.
        [{ ...by(TOKENS.acme), "x-codemode-token": TOKENS.zeta }, ["of_acme"]],
        [{ ...by(TOKENS.zeta), "x-codemode-tenant": "acme" }, ["of_zeta"]],
      ]) {
        const { status, text } = await send(worker, "same", { operation: "getTables" }, headers);
        assert.deepEqual([status, JSON.parse(text).tables], [200, expected], JSON.stringify(headers));
      }
      for (const headers of [{}, by(`${TOKENS.acme}x`), by(TOKENS.acme.slice(0, -1)), { authorization: TOKENS.acme }, { ...by("wrong"), "x-codemode-token": TOKENS.acme }]) {
        const refused = await send(worker, "same", { operation: "getTables" }, headers);
        assert.deepEqual([refused.status, JSON.parse(refused.text).error.code], [401, "UNAUTHORIZED"], JSON.stringify(headers));
      }
    }
    // A client cannot give the headers by which the front Worker names tenants and sessions.
    const forged = await send(worker, "other", { operation: "getTables" }, { ...by(TOKENS.zeta), "x-codemode-session": "same", "x-codemode-tenant": "acme" });
    assert.deepEqual(JSON.parse(forged.text).tables, []);
  } finally {
    await worker.stop();
  }
});
