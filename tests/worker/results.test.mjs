// Tests of the rows of a query as CSV and NDJSON, files to save, HEAD, and the order of the fields,
// over HTTP in workerd.

import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { after, before, describe, test } from "node:test";
import { TOKENS, Worker } from "./harness.mjs";

const settings = { API_TOKENS: JSON.stringify({ [TOKENS.acme]: "acme" }) };
const authorization = `Bearer ${TOKENS.acme}`;

describe("responses", () => {
  let worker;
  before(async () => (worker = await Worker.start({ settings, persistent: true })));
  after(() => worker.stop());
  const open = (name) => worker.session(name, { authorization });

  /** Makes a session with a table of values of all kinds. */
  async function filled() {
    const session = open();
    await session.exec('CREATE TABLE "größe ; x" (id INTEGER PRIMARY KEY, "a,b" TEXT, v)');
    await session.exec(`INSERT INTO "größe ; x" VALUES (1, 'x "y", z', NULL), (2, '', x'0001'), (9223372036854775807, 'é', 9e999)`);
    return session;
  }
  const SQL = 'SELECT * FROM "größe ; x" ORDER BY id';
  const CSV = 'id,"a,b",v\r\n1,"x ""y"", z",\r\n2,"",AAE=\r\n9223372036854775807,é,Infinity\r\n';
  const post = (session, path, fields, headers = {}) => session.fetch(path, { method: "POST", body: JSON.stringify(fields), headers });

  test("of a query are CSV or NDJSON where they are asked for", async () => {
    const session = await filled();
    const query = { operation: "query", sql: SQL };
    for (const [path, headers] of [["?format=csv", {}], ["", { accept: "text/csv" }], ["?format=csv", { accept: "application/json" }], ["", { accept: "application/json;q=0.1, text/csv" }]]) {
      const response = await post(session, path, query, headers);
      assert.equal(response.status, 200);
      assert.match(response.headers.get("content-type"), /^text\/csv/);
      assert.equal(response.headers.get("x-codemode-truncated"), "false");
      assert.equal(response.headers.get("x-codemode-row-count"), "3");
      assert.equal(response.headers.get("x-codemode-notice"), null);
      assert.equal(response.headers.get("x-content-type-options"), "nosniff");
      assert.equal(response.headers.get("content-disposition"), 'attachment; filename="query.csv"');
      assert.equal(await response.text(), CSV);
    }
    const lines = await post(session, "?format=ndjson", { ...query, limit: 2, sql: "```sql\n" + SQL + "\n```" });
    assert.match(lines.headers.get("content-type"), /^application\/x-ndjson/);
    assert.equal(lines.headers.get("x-codemode-truncated"), "true");
    assert.match(lines.headers.get("x-codemode-notice"), /code fence/);
    assert.equal(await lines.text(), '{"id":1,"a,b":"x \\"y\\", z","v":null}\n{"id":2,"a,b":"","v":{"$blob":"AAE="}}\n');
    const persistent = await post(session, "?format=csv", { operation: "query", sql: "SELECT 1 AS one", target: "persistent" });
    assert.equal(await persistent.text(), "one\r\n1\r\n");
    for (const headers of [{}, { accept: "*/*" }, { accept: "application/json, text/plain, */*" }, { accept: "text/html" }]) {
      const response = await post(session, "", query, headers);
      assert.equal((await response.json()).rowCount, 3);
    }
  });

  test("that are errors stay JSON, and another operation has no other form", async () => {
    const session = await filled();
    for (const [path, fields, headers, status] of [
      ["?format=csv", { operation: "query", sql: "SELECT x" }, {}, 400],
      ["", { operation: "query", sql: "SELECT * FROM nowhere" }, { accept: "text/csv" }, 404],
      ["?format=xml", { operation: "query", sql: "SELECT 1" }, {}, 400],
      ["?format=csv", { operation: "exec", sql: 'DROP TABLE "größe ; x"' }, {}, 400],
      ["/stream?format=json", { sql: "SELECT 1" }, {}, 400],
      ["/stream?format=csv", { sql: "SELECT x" }, {}, 400],
    ]) {
      const response = await post(session, path, fields, headers);
      assert.equal(response.status, status, JSON.stringify(fields));
      assert.match(response.headers.get("content-type"), /^application\/json/);
      assert.equal((await response.json()).success, false);
    }
    assert.deepEqual((await session.ok("getTables")).tables, ["größe ; x"]);
    const tables = await post(session, "", { operation: "getTables" }, { accept: "text/csv" });
    assert.equal((await tables.json()).success, true);
  });

  test("of any length are streamed as CSV", async () => {
    const session = await filled();
    for (const [path, headers] of [["/stream?format=csv", {}], ["/stream", { accept: "text/csv" }]]) {
      const response = await post(session, path, { sql: SQL }, headers);
      assert.equal(await response.text(), CSV);
    }
    const long = await post(session, "/stream?format=csv", { sql: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50000) SELECT i, 'row' AS t FROM n" });
    const text = await long.text();
    assert.equal(text.split("\r\n").length, 50_002);
    assert.ok(text.endsWith("50000,row\r\n"));
    const lines = await post(session, "/stream", { sql: SQL });
    assert.match(await lines.text(), /^\{"columns"/);
  });

  test("have formulas escaped where the caller wants that", async () => {
    const session = open("formulas");
    await session.exec('CREATE TABLE f ("=n" TEXT, n)');
    await session.exec("INSERT INTO f VALUES ('=1+1', -1), ('-5', 2)");
    const sql = "SELECT * FROM f";
    const escaped = `"'=n",n\r\n"'=1+1",-1\r\n-5,2\r\n`;
    const texts = (query) => Promise.all([
      post(session, `?format=csv${query}`, { operation: "query", sql }),
      post(session, `/stream?format=csv${query}`, { sql }),
      session.fetch(`/tables/f/rows?format=csv${query}`),
    ].map(async (sent) => (await sent).text()));
    assert.deepEqual(await texts("&formulas=escape"), [escaped, escaped, escaped]);
    for (const text of await texts("&formulas=keep")) assert.equal(text, "=n,n\r\n=1+1,-1\r\n-5,2\r\n");
    for (const query of ["?format=csv&formulas=yes", "?formulas=escape", "?format=json&formulas=escape"]) {
      for (const sent of [post(session, query, { operation: "query", sql }), session.fetch(`/tables/f/rows${query}`)]) {
        const response = await sent;
        assert.deepEqual([response.status, (await response.json()).error.code], [400, "INVALID_ARGUMENT"], query);
      }
    }
  });

  test("that are kept as files have a safe name", async () => {
    const session = open("my:session");
    await session.exec('CREATE TABLE IF NOT EXISTS "größe ; x" (a)');
    for (const [format, accept, extension] of [["?format=csv", "*/*", "csv"], ["", "*/*", "ndjson"], ["", "text/csv", "csv"], ["?format=json", "text/csv", "json"]]) {
      const response = await session.fetch(`/tables/${encodeURIComponent("größe ; x")}/rows${format}`, { headers: { accept } });
      await response.text();
      assert.equal(response.headers.get("content-disposition"), `attachment; filename="gr__e _ x.${extension}"; filename*=UTF-8''gr%C3%B6%C3%9Fe%20_%20x.${extension}`);
    }
    const dump = await session.fetch("/dump");
    await dump.text();
    assert.equal(dump.headers.get("content-disposition"), 'attachment; filename="my_session.sql"');
  });

  /** Returns status, headers and length of the body of a request, without decoding. */
  function raw(method, path, headers = {}) {
    return new Promise((done, fail) => {
      const sent = httpRequest(worker.url + path, { method, headers: { authorization, ...headers } }, (response) => {
        let bytes = 0;
        response.on("data", (piece) => (bytes += piece.length));
        response.on("end", () => done({ status: response.statusCode, headers: response.headers, bytes }));
      });
      sent.on("error", fail).end();
    });
  }

  test("to HEAD have the status and the headers of GET, and no body", async () => {
    const session = open();
    await session.exec("CREATE TABLE t (a)");
    await session.exec("INSERT INTO t VALUES (1), (2)");
    const paths = Object.entries((await (await worker.fetch("/api/openapi.json")).json()).paths).filter(([, item]) => item.get);
    const filledIn = paths.map(([path]) => path.replace("{session}", session.name).replace("{table}", "t"));
    assert.ok(filledIn.length >= 9);
    for (const path of [...filledIn, `${session.path}/tables/none/rows`, `${session.path}/tables/t/rows?format=xml`, "/nowhere", "/api/codemode/proxy?server=db", "/api/codemode/prompt?session=x%20y"]) {
      const [get, head] = [await raw("GET", path), await raw("HEAD", path)];
      assert.equal(head.status, get.status, path);
      assert.equal(head.bytes, 0, path);
      assert.ok(get.bytes > 0, path);
      // The length of a stream is unknown, and the numbers in getMetrics and the list of runs
      // change.
      if (!get.headers["transfer-encoding"] && path !== session.path) assert.equal(head.headers["content-length"], get.headers["content-length"], `length of ${path}`);
      for (const name of ["content-type", "content-disposition", "x-content-type-options"]) assert.equal(head.headers[name], get.headers[name], `${name} of ${path}`);
    }
    assert.equal((await raw("HEAD", session.path, { authorization: "Bearer wrong" })).status, 401);
    assert.equal((await raw("HEAD", `${session.path}/stream`)).status, 405);
    // HEAD does not make a long export, and the session continues to work.
    assert.equal((await session.query("SELECT count(*) AS n FROM t")).results[0].n, 2);
  });

  test("begin with success, and each kind has its fields in one order", async () => {
    const session = open();
    const orders = new Map();
    const keep = (kind, body) => {
      assert.equal(Object.keys(body)[0], "success", `${kind}: ${JSON.stringify(body)}`);
      const known = orders.get(kind) ?? [];
      orders.set(kind, [...known, Object.keys(body)]);
      const first = body.executionId ? ["name", "message", "code", "category"] : ["code", "message"];
      if (body.error) assert.deepEqual(Object.keys(body.error).slice(0, first.length), first, JSON.stringify(body.error));
      if (body.error?.hint && !body.executionId) assert.equal(Object.keys(body.error)[2], "hint", JSON.stringify(body.error));
    };
    const call = async (kind, fields) => keep(kind, (await session.call(fields.operation, fields)).body);
    const fetched = async (kind, path, init) => keep(kind, await (await session.fetch(path, init)).json());
    const anywhere = async (kind, path, init = {}) => keep(kind, await (await worker.fetch(path, { ...init, headers: { authorization, ...init.headers } })).json());
    for (const fields of [
      { operation: "createTable", name: "t", schema: "id INTEGER PRIMARY KEY, a TEXT" },
      { operation: "batchInsert", table: "t", records: [{ a: "x" }] },
      { operation: "exec", sql: "UPDATE t SET a = 'y'" },
      { operation: "exec", sql: "INSERT INTO t (a) VALUES ('z') RETURNING id" },
      { operation: "query", sql: "```sql\nSELECT * FROM t\n```" },
      { operation: "saveState", key: "k", value: 1 },
      { operation: "getState", key: "k" },
      { operation: "getMetrics" },
      { operation: "getColumns", table: "t" },
      { operation: "hasColumn", table: "t", column: "a" },
      { operation: "getTables" },
      { operation: "describeTable", table: "t" },
      { operation: "findColumn", table: "t", semanticName: "a" },
      { operation: "dropTable", table: "none", ifExists: true },
      { operation: "queryStagedData", id: "none", sql: "SELECT 1" },
      { operation: "query", sql: "SELECT nothing" },
      { operation: "query", sql: "SELEC" },
      { operation: "exec", sql: "PRAGMA x" },
      { operation: "qery" },
      { operation: "query", sql: "SELECT 1", limt: 1 },
      { operation: "createTable", name: "p", schema: "a", target: "persistent" },
      { operation: "query", sql: "SELECT * FROM p", target: "persistent" },
      { operation: "dropTable", table: "p", target: "persistent" },
      { operation: "getTables", target: "persistent" },
    ]) {
      await call(fields.operation, fields);
    }
    const json = { "content-type": "application/json" };
    await fetched("load", "/tables/t/rows", { method: "PUT", headers: json, body: '[{"a":"l"}]' });
    await fetched("load", "/tables/fresh/rows?create=true", { method: "PUT", headers: { "content-type": "text/csv" }, body: "a;b\n1;2\n" });
    await fetched("load", "/tables/staged/rows?stage=true", { method: "PUT", headers: json, body: '[{"a":1}]' });
    await fetched("load", "/tables/t/rows", { method: "PUT", headers: { "content-type": "text/html" }, body: "x" });
    await fetched("getMetrics", "");
    await fetched("executions", "/executions");
    await fetched("persist", "/persist", { method: "POST", body: '{"table":"t","mode":"replace"}' });
    await fetched("persist", "/persist", { method: "POST", body: '{"table":"none"}' });
    await fetched("dropTable", "/persist/t", { method: "DELETE" });
    await fetched("dropTable", "/persist/t", { method: "DELETE" });
    await fetched("dropTable", "/tables/fresh?ifExists=true", { method: "DELETE" });
    await fetched("stream", "/stream", { method: "POST", body: '{"sql":"SELECT x"}' });
    const post = (fields) => ({ method: "POST", headers: json, body: JSON.stringify(fields) });
    await anywhere("execute", "/api/codemode/execute", post({ session: session.name, code: "console.log(1); return (await helpers.db.query('SELECT 1 AS one'))" }));
    await anywhere("execute", "/api/codemode/execute", post({ session: session.name, code: "throw new Error('no')" }));
    await anywhere("execute", "/api/codemode/execute", post({ session: session.name, code: "return (" }));
    await anywhere("execute", "/api/codemode/execute", post({ session: session.name }));
    await anywhere("proxy", "/api/codemode/proxy", post({ server: "db", tool: "query", args: { sql: "SELECT 1" }, session: session.name }));
    await anywhere("proxy", "/api/codemode/proxy", post({ server: "none", tool: "x", args: {} }));
    await anywhere("proxyTools", "/api/codemode/proxy?server=db");
    await anywhere("tools", "/api/codemode/tools?query=x");
    await anywhere("graphql", "/api/codemode/graphql/check", post({ response: { data: { a: null } } }));
    await anywhere("graphql", "/api/codemode/graphql/check", post([]));
    await anywhere("health", "/health");
    await anywhere("nowhere", "/nowhere");
    await anywhere("method", "/health", { method: "PATCH" });
    await anywhere("unauthorized", session.path, { headers: { authorization: "Bearer wrong" } });
    await fetched("forget", "", { method: "DELETE" });
    // Fields that two responses of a kind share have the same order in both.
    for (const [kind, lists] of orders) {
      for (const one of lists) {
        for (const other of lists) {
          const shared = one.filter((name) => other.includes(name));
          assert.deepEqual(other.filter((name) => one.includes(name)), shared, kind);
        }
      }
    }
    // The responses of batchInsert and of a load have the same fields in the same order.
    assert.deepEqual(orders.get("load")[0], orders.get("batchInsert")[0]);
    assert.deepEqual(orders.get("batchInsert")[0], ["success", "rowsWritten", "inserted", "chunks"]);
  });
});
