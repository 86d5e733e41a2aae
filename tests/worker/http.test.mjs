// Tests of routes, authentication, tenants, origins, names and limits.

import assert from "node:assert/strict";
import { request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { until } from "../until.mjs";
import { TOKENS, Worker } from "./harness.mjs";

const ORIGIN = "https://app.example.com";

/** Sends a request with headers that fetch does not let a caller set. */
function raw(worker, path, headers, method = "GET") {
  const { hostname, port } = new URL(worker.url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (piece) => (text += piece));
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    sent.on("error", reject);
    sent.end();
  });
}

/**
 * Returns the status and JSON for a client that sends its whole body before it reads anything, as
 * most do. The body is longer than the buffers of a loopback connection, so a server that hangs up
 * early makes the writing fail.
 */
async function patient(worker, path, headers, method, body, { chunked = false } = {}) {
  const { hostname, port } = new URL(worker.url);
  const socket = connect(Number(port), hostname);
  try {
    const length = chunked ? "transfer-encoding: chunked" : `content-length: ${body.length}`;
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const pieces = chunked ? [`${body.length.toString(16)}\r\n`, body, "\r\n0\r\n\r\n"] : [body];
    for (const piece of [`${method} ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nconnection: close\r\n${length}\r\n${lines.join("")}\r\n`, ...pieces]) {
      await new Promise((resolve, reject) => socket.on("error", reject).write(piece, (error) => (error ? reject(error) : resolve())));
    }
    const said = await text(socket);
    // The response follows a 100 Continue that the server may have sent.
    const answer = said.slice(said.lastIndexOf("HTTP/1.1 "));
    return { status: Number(answer.split(" ")[1]), error: JSON.parse(answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1)).error };
  } finally {
    socket.destroy();
  }
}

describe("a Worker without tokens", () => {
  let worker;
  before(async () => (worker = await Worker.start({ settings: { ALLOWED_ORIGINS: ORIGIN, MAX_REQUEST_BYTES: "100000", MAX_BATCH_BYTES: "200000", MAX_LOAD_BYTES: "300000" } })));
  after(() => worker.stop());

  test("health answers the version without authentication", async () => {
    const response = await worker.fetch("/health");
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type"), /^application\/json/);
    const body = await response.json();
    assert.equal(body.success, true);
    assert.match(body.version, /^\d+\.\d+\.\d+/);
  });

  test("an unknown path is 404 and a wrong method 405 with the right ones", async () => {
    const missing = await worker.fetch("/nowhere");
    assert.equal(missing.status, 404);
    assert.equal((await missing.json()).error.code, "NOT_FOUND");
    const wrong = await worker.fetch("/api/codemode/sessions/s", { method: "PATCH" });
    assert.equal(wrong.status, 405);
    assert.equal(wrong.headers.get("allow"), "POST, GET, DELETE");
    assert.deepEqual((await wrong.json()).error.allowed, ["POST", "GET", "DELETE"]);
  });

  test("names of sessions are checked", async () => {
    for (const name of ["a%20b", "a%2Fb", "%C3%BC", "n".repeat(129), "%zz"]) {
      const response = await worker.fetch(`/api/codemode/sessions/${name}`);
      assert.equal(response.status, 400, name);
      assert.equal((await response.json()).error.code, "INVALID_ARGUMENT", name);
    }
    for (const name of ["A-z.0_9:x", "n".repeat(128)]) {
      assert.equal((await worker.session(name).fetch()).status, 200, name);
    }
  });

  test("a host that is not loopback is 401 and told how to set tokens", async () => {
    for (const host of ["db.example.com", "localhost.example.com", "127.0.0.1.example.com"]) {
      const answer = await raw(worker, "/api/codemode/sessions/s", { host });
      assert.equal(answer.status, 401, host);
      const { error } = JSON.parse(answer.text);
      assert.equal(error.code, "UNAUTHORIZED");
      assert.match(error.hint, /API_TOKENS/);
    }
    for (const host of ["localhost", "127.0.0.1:1234", "[::1]:8787", "127.1.2.3"]) {
      assert.equal((await raw(worker, "/api/codemode/sessions/s", { host })).status, 200, host);
    }
  });

  test("a request cannot choose its tenant by header", async () => {
    const name = "tenant-by-header";
    await worker.session(name).exec("CREATE TABLE mine(a)");
    const forged = worker.session(name, { "x-codemode-tenant": "someone-else" });
    assert.deepEqual((await forged.ok("getTables")).tables, ["mine"]);
  });

  test("pages of listed, same and loopback origins may call and read, others may not", async () => {
    for (const origin of [ORIGIN, worker.url, "http://localhost:5173"]) {
      const response = await worker.session().fetch("", { headers: { origin } });
      assert.equal(response.status, 200, origin);
      assert.equal(response.headers.get("access-control-allow-origin"), origin);
      assert.equal(response.headers.get("vary"), "Origin");
      assert.equal((await response.json()).success, true);
    }
    for (const origin of ["https://evil.example.com", "null", "http://[::1].evil.com"]) {
      const response = await worker.fetch("/health", { headers: { origin } });
      assert.equal(response.status, 403, origin);
      assert.equal(response.headers.get("access-control-allow-origin"), null);
      assert.equal((await response.json()).error.code, "ORIGIN_NOT_ALLOWED");
    }
  });

  test("errors carry the headers that let a page read them", async () => {
    const response = await worker.fetch("/nowhere", { headers: { origin: ORIGIN } });
    assert.equal(response.status, 404);
    assert.equal(response.headers.get("access-control-allow-origin"), ORIGIN);
  });

  test("a preflight learns methods and headers", async () => {
    const response = await worker.fetch("/api/codemode/sessions/s/tables/t/rows", {
      method: "OPTIONS",
      headers: { origin: ORIGIN, "access-control-request-method": "PUT" },
    });
    assert.equal(response.status, 204);
    assert.equal(response.headers.get("access-control-allow-methods"), "PUT, GET");
    assert.match(response.headers.get("access-control-allow-headers"), /authorization.*x-codemode-token/);
    const refused = await worker.fetch("/health", { method: "OPTIONS", headers: { origin: "https://evil.example.com" } });
    assert.equal(refused.status, 403);
    assert.equal((await worker.fetch("/nowhere", { method: "OPTIONS" })).status, 404);
  });

  test("a body over the limit of its route is 413, announced or not", async () => {
    const session = worker.session();
    const cases = [
      ["", "POST", 200_001],
      ["/stream", "POST", 100_001],
      ["/tables/t/rows?create=true", "PUT", 300_001],
    ];
    for (const [path, method, bytes] of cases) {
      for (const body of [Buffer.alloc(bytes, 32), new Blob([Buffer.alloc(bytes, 32)]).stream()]) {
        const response = await session.fetch(path, { method, body, duplex: "half", headers: { "content-type": "application/x-ndjson" } });
        assert.equal(response.status, 413, path);
        const { error } = await response.json();
        assert.equal(error.code, "PAYLOAD_TOO_LARGE");
        assert.equal(error.limitBytes, bytes - 1);
      }
    }
  });

  test("a body that is no JSON object or no UTF-8 is 400", async () => {
    const session = worker.session();
    for (const body of ["", "x", "[]", "1", "{", "null", Buffer.from([0x7b, 0xff, 0x7d])]) {
      const response = await session.fetch("", { method: "POST", body });
      assert.equal(response.status, 400, String(body));
      assert.match((await response.json()).error.code, /^INVALID_(BODY|ARGUMENT)$/);
    }
  });

  test("the description of the routes is served", async () => {
    const response = await worker.fetch("/api/openapi.json");
    assert.equal(response.status, 200);
    const document = await response.json();
    assert.equal(document.openapi, "3.1.0");
    assert.ok(document.paths["/api/codemode/sessions/{session}"].post);
  });

  test("each operation leaves one line in the log, without SQL or values", async () => {
    const session = worker.session();
    await session.exec("CREATE TABLE logged(secret)");
    await session.exec("INSERT INTO logged VALUES (?)", ["swordfish"]);
    await session.call("query", { sql: "SELECT * FROM missing" });
    const lines = await worker.operationsOf(session, 3);
    assert.deepEqual(lines.map((line) => [line.tenant, line.operation, line.code]), [
      ["local", "exec", "OK"],
      ["local", "exec", "OK"],
      ["local", "query", "NO_SUCH_TABLE"],
    ]);
    assert.ok(lines[1].rowsWritten >= 1 && lines[1].bytesIn > 10 && lines[1].bytesOut > 10 && lines[1].durationMs >= 0);
    assert.ok(!worker.logs.join().includes("swordfish") && !worker.logs.join().includes("CREATE TABLE logged"));
  });
});

describe("a Worker with tokens", () => {
  let worker;
  const settings = { API_TOKENS: JSON.stringify({ [TOKENS.acme]: "acme", [TOKENS.zeta]: "zeta" }) };
  before(async () => (worker = await Worker.start({ settings })));
  after(() => worker.stop());

  test("a client that is still sending 64 MB is answered, whoever refuses it", async () => {
    const spaces = Buffer.alloc(64_000_000, 32);
    const rows = Buffer.from(`{"a":1}\nno row\n${'{"a":1}\n'.repeat(8_000_000)}`);
    const own = { authorization: `Bearer ${TOKENS.acme}` };
    const session = "/api/codemode/sessions/still-sending";
    const load = `${session}/tables/t/rows?create=true`;
    const cases = [
      ["nobody's token", session, {}, "POST", spaces, 401, "UNAUTHORIZED"],
      ["no route", "/nowhere", own, "POST", spaces, 404, "NOT_FOUND"],
      ["longer than the limit, as announced", session, own, "POST", spaces, 413, "PAYLOAD_TOO_LARGE"],
      ["a type that loads do not know", load, { ...own, "content-type": "text/html" }, "PUT", spaces, 415, "UNSUPPORTED_MEDIA_TYPE"],
      ["a bad second row", load, { ...own, "content-type": "application/x-ndjson" }, "PUT", rows, 400, "INVALID_BODY"],
    ];
    for (const [name, path, headers, method, body, status, code] of cases) {
      const answer = await patient(worker, path, headers, method, body);
      assert.deepEqual([answer.status, answer.error.code], [status, code], name);
    }
    // Like curl with bodies of more than a megabyte; it continues to send once the front Worker has
    // begun to pass the body on.
    const asking = await patient(worker, load, { ...own, "content-type": "text/html", expect: "100-continue" }, "PUT", spaces);
    assert.deepEqual([asking.status, asking.error.code], [415, "UNSUPPORTED_MEDIA_TYPE"], "a client that asks before it sends");
    const unannounced = await patient(worker, session, own, "POST", spaces, { chunked: true });
    assert.deepEqual([unannounced.status, unannounced.error.code], [413, "PAYLOAD_TOO_LARGE"], "longer than the limit, found out on the way");
  });

  test("either header lets a tenant in", async () => {
    assert.equal((await worker.session("s", { authorization: `Bearer ${TOKENS.acme}` }).fetch()).status, 200);
    assert.equal((await worker.session("s", { "x-codemode-token": TOKENS.acme }).fetch()).status, 200);
  });

  test("no token, a wrong one or a piece of one is 401, on loopback too", async () => {
    for (const headers of [{}, { authorization: "Bearer wrong" }, { authorization: `Bearer ${TOKENS.acme.slice(0, -1)}` }, { authorization: TOKENS.acme }]) {
      const response = await worker.session("s", headers).fetch();
      assert.equal(response.status, 401);
      assert.equal(response.headers.get("www-authenticate"), "Bearer");
      assert.equal((await response.json()).error.code, "UNAUTHORIZED");
    }
    assert.equal((await worker.fetch("/health")).status, 200);
    assert.equal((await worker.fetch("/api/openapi.json")).status, 200);
  });

  test("two tenants with the same session name share nothing", async () => {
    const acme = worker.session("shared", { authorization: `Bearer ${TOKENS.acme}` });
    const zeta = worker.session("shared", { authorization: `Bearer ${TOKENS.zeta}` });
    await acme.exec("CREATE TABLE secrets(a)");
    await acme.ok("saveState", { key: "k", value: 1 });
    assert.deepEqual((await zeta.ok("getTables")).tables, []);
    assert.equal((await zeta.ok("getState", { key: "k" })).value, null);
    await zeta.fetch("", { method: "DELETE" });
    assert.deepEqual((await acme.ok("getTables")).tables, ["secrets"]);
  });
});

test("a setting that cannot be used is said, not guessed", async () => {
  const worker = await Worker.start({ settings: { API_TOKENS: "not json" } });
  try {
    const response = await worker.session().fetch();
    assert.equal(response.status, 500);
    const { error } = await response.json();
    assert.equal(error.code, "MISCONFIGURED");
    assert.match(error.message, /API_TOKENS/);
  } finally {
    await worker.stop();
  }
});

test("each operation is a data point where the deployment has a data set, with the log off too", async () => {
  const worker = await Worker.start({ telemetry: true, settings: { OPERATION_LOG: "off" } });
  try {
    const session = worker.session("counted");
    await session.exec("CREATE TABLE t(a)");
    await session.exec("INSERT INTO t VALUES (1), (2)");
    await session.call("query", { sql: "SELECT * FROM missing" });
    const points = await until(() => {
      const lines = worker.logs.filter((line) => line.startsWith('{"point"')).map((line) => JSON.parse(line).point);
      return lines.length === 3 && lines;
    });
    assert.deepEqual(points.map((point) => [point.indexes, point.blobs]), [
      [["local"], ["counted", "exec", "OK", "session"]],
      [["local"], ["counted", "exec", "OK", "session"]],
      [["local"], ["counted", "query", "NO_SUCH_TABLE", "session"]],
    ]);
    const [rowsRead, rowsWritten, bytesIn, bytesOut, durationMs] = points[1].doubles;
    assert.ok(rowsRead >= 0 && rowsWritten >= 2 && bytesIn > 10 && bytesOut > 10 && durationMs >= 0, String(points[1].doubles));
    assert.deepEqual(worker.operations(), []);
  } finally {
    await worker.stop();
  }
});
