// Tests of rows in and out without a limit, in limited memory.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { Worker } from "./harness.mjs";

const MEGABYTE = 1024 * 1024;

describe("streams", () => {
  let worker;
  before(async () => (worker = await Worker.start()));
  after(() => worker.stop());

  async function lines(response) {
    assert.equal(response.status, 200);
    const text = await response.text();
    assert.ok(text.endsWith("\n"));
    return text.trimEnd().split("\n").map((line) => JSON.parse(line));
  }

  test("a stream begins with the columns, has one array a row, and ends with the count", async () => {
    const response = await worker.session().fetch("/stream", {
      method: "POST",
      body: JSON.stringify({ sql: "SELECT value AS v, value * 2 AS v FROM json_each(?)", params: ["[1,2,3]"] }),
    });
    assert.match(response.headers.get("content-type"), /x-ndjson/);
    assert.deepEqual(await lines(response), [{ columns: ["v", "v_2"] }, [1, 2], [2, 4], [3, 6], { done: true, rowCount: 3 }]);
  });

  test("a stream has no row cap", async () => {
    const sql = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 150000) SELECT i FROM r";
    const all = await lines(await worker.session().fetch("/stream", { method: "POST", body: JSON.stringify({ sql }) }));
    assert.equal(all.length, 150_002);
    assert.deepEqual(all.at(-1), { done: true, rowCount: 150_000 });
  });

  test("a recursion that ends at its limit is told, as rows, as a stream and to a program", async () => {
    const session = worker.session();
    const endless = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r)";
    const sql = `${endless} SELECT count(*) AS n FROM r`;
    const told = /^a recursion stops after 1000000 rows, so its result may be incomplete: /;
    const operate = async (body) => (await session.fetch("", { method: "POST", body: JSON.stringify(body) })).json();
    assert.match((await operate({ operation: "query", sql })).notice, told);
    assert.equal((await operate({ operation: "query", sql: `${endless.slice(0, -1)} WHERE i < 1000) SELECT count(*) AS n FROM r` })).notice, undefined);
    await operate({ operation: "exec", sql: "CREATE TABLE counted (n)" });
    assert.match((await operate({ operation: "exec", sql: `INSERT INTO counted ${sql}` })).notice, told);
    const all = await lines(await session.fetch("/stream", { method: "POST", body: JSON.stringify({ sql }) }));
    assert.match(all.at(-1).notice, told);
    const program = await worker.fetch("/api/codemode/execute", {
      method: "POST",
      body: JSON.stringify({ session: session.name, code: `const sql = ${JSON.stringify(sql)}; for await (const row of helpers.db.stream(sql)) console.log(row.n); return (await helpers.db.query(sql)).notice` }),
    });
    const { result, logs } = await program.json();
    assert.match(result, told);
    assert.equal(JSON.stringify(logs).split("a recursion stops after 1000000 rows").length, 3, JSON.stringify(logs));
  });

  test("what is wrong from the start has a status, what goes wrong on the way a last line", async () => {
    const session = worker.session();
    const wrong = await session.fetch("/stream", { method: "POST", body: JSON.stringify({ sql: "SELECT * FROM missing" }) });
    assert.equal(wrong.status, 404);
    const sql = "SELECT CASE WHEN value = 5000 THEN abs(-9223372036854775807 - 1) ELSE value END AS v FROM (WITH RECURSIVE r(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM r LIMIT 9000) SELECT value FROM r)";
    const all = await lines(await session.fetch("/stream", { method: "POST", body: JSON.stringify({ sql }) }));
    assert.ok(all.at(-1).error?.code, JSON.stringify(all.at(-1)));
    assert.ok(all.length < 9000);
  });

  test("NDJSON, CSV and a JSON array load, and the schema can be inferred", async () => {
    const session = worker.session();
    const bodies = [
      ["ndjson", "application/x-ndjson", '{"id":1,"name":"one","score":1.5}\n{"id":2,"name":"zwei ü","score":null}\n'],
      ["csv", "text/csv", 'id,name,score\r\n1,one,1.5\r\n2,"zwei ü",\r\n'],
      ["array", "application/json", '[{"id":1,"name":"one","score":1.5},{"id":2,"name":"zwei ü","score":null}]'],
    ];
    for (const [table, type, body] of bodies) {
      const response = await session.load(table, body, { type, query: "?create=true" });
      assert.deepEqual([response.status, (await response.json()).rowsWritten], [200, 2], table);
      const { results } = await session.query(`SELECT id, name, score, typeof(id) AS type FROM ${table} ORDER BY id`);
      assert.deepEqual(results, [{ id: 1, name: "one", score: 1.5, type: "integer" }, { id: 2, name: "zwei ü", score: null, type: "integer" }], table);
    }
  });

  test("a load is all or nothing", async () => {
    const session = worker.session();
    await session.exec("CREATE TABLE t(id INTEGER PRIMARY KEY)");
    const good = Array.from({ length: 5000 }, (_, id) => `{"id":${id}}\n`).join("");
    for (const [bad, status] of [['{"id":1}\n', 409], ["{broken\n", 400]]) {
      const response = await session.load("t", good + bad);
      assert.equal(response.status, status, await response.text());
      assert.equal((await session.query("SELECT count(*) AS n FROM t")).results[0].n, 0);
    }
    assert.equal((await session.load("t", good + '{"id":1}\n', { query: "?onConflict=ignore" })).status, 200);
    assert.equal((await session.query("SELECT count(*) AS n FROM t")).results[0].n, 5000);
  });

  test("a load of a type nobody reads is 415, into no table 404", async () => {
    const session = worker.session();
    assert.equal((await session.load("t", "x", { type: "application/pdf", query: "?create=true" })).status, 415);
    assert.equal((await session.load("t", '{"a":1}\n')).status, 404);
    assert.equal((await session.load("t", '{"a":1}\n', { query: "?create=perhaps" })).status, 400);
  });

  test("an export comes in three forms and loads back", async () => {
    const session = worker.session();
    await session.exec("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, big INTEGER, b BLOB)");
    await session.exec("INSERT INTO t VALUES (1, 'a \"quoted\", text', 9007199254740993, x'00ff'), (2, NULL, -1, NULL)");
    const get = async (format) => (await session.fetch(`/tables/t/rows?format=${format}`)).text();
    const ndjson = await get("ndjson");
    assert.match(ndjson, /"big":9007199254740993/);
    assert.equal(ndjson.trimEnd().split("\n").length, 2);
    assert.equal(JSON.parse(await get("json")).length, 2);
    assert.match(await get("csv"), /^id,name,big,b\r\n1,"a ""quoted"", text",9007199254740993,/);
    await session.exec("CREATE TABLE copy(id INTEGER PRIMARY KEY, name TEXT, big INTEGER, b BLOB)");
    assert.equal((await session.load("copy", ndjson)).status, 200);
    const { results } = await session.query("SELECT count(*) AS n FROM (SELECT * FROM t EXCEPT SELECT * FROM copy)");
    assert.equal(results[0].n, 0);
    assert.equal((await session.fetch("/tables/t/rows?format=xml")).status, 400);
    assert.equal((await session.fetch("/tables/missing/rows")).status, 404);
  });

  test("a dump is SQL that SQLite reads back", async () => {
    const session = worker.session();
    await session.exec("CREATE TABLE \"two words\"(id INTEGER PRIMARY KEY, t TEXT, r REAL, b BLOB)");
    await session.exec("INSERT INTO \"two words\" VALUES (1, 'it''s', 0.1, x'00ff'), (9223372036854775807, 'ü', NULL, NULL)");
    await session.exec("CREATE INDEX by_t ON \"two words\"(t)");
    await session.exec("CREATE VIEW v AS SELECT t FROM \"two words\"");
    const dump = await (await session.fetch("/dump")).text();
    const script = `
      const { DatabaseSync } = require("node:sqlite");
      const db = new DatabaseSync(":memory:");
      db.exec(require("node:fs").readFileSync(0, "utf8"));
      process.stdout.write(JSON.stringify([
        db.prepare("SELECT CAST(id AS TEXT) AS id, t, r, hex(b) AS b FROM \\"two words\\" ORDER BY 1").all(),
        db.prepare("SELECT count(*) AS n FROM v").get(),
        db.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'by_t'").get(),
      ]));`;
    const read = JSON.parse(execFileSync(process.execPath, ["--no-warnings", "-e", script], { input: dump }));
    assert.deepEqual(read, [
      [{ id: "1", t: "it's", r: 0.1, b: "00FF" }, { id: "9223372036854775807", t: "ü", r: null, b: "" }],
      { n: 2 },
      { n: 1 },
    ]);
  });

  test("200 MB in and 200 MB out leave the memory of WebAssembly under 64 MB", async () => {
    const session = worker.session();
    const note = "n".repeat(960);
    const rowsPerPiece = 256;
    let rows = 0;
    let sent = 0;
    async function* body() {
      while (sent < 200 * MEGABYTE) {
        let text = "";
        for (let n = 0; n < rowsPerPiece; n++) text += `{"id":${rows++},"note":"${note}"}\n`;
        const piece = Buffer.from(text);
        sent += piece.length;
        yield piece;
      }
    }
    const loaded = await session.load("t", ReadableStream.from(body()), { query: "?create=true" });
    assert.deepEqual([loaded.status, (await loaded.json()).rowsWritten], [200, rows]);
    let received = 0;
    const response = await session.fetch("/tables/t/rows?format=ndjson", { headers: { "accept-encoding": "identity" } });
    for await (const piece of response.body) received += piece.length;
    assert.equal(received, sent);
    const memory = Number(await (await worker.fetch("/__test/memory")).text());
    assert.ok(memory < 64 * MEGABYTE, `${memory} bytes of WebAssembly memory`);
  });
});
