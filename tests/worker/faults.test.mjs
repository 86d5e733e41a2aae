// Tests of the effect of a fault on the client, on the data and on the next request.

import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { until } from "../until.mjs";
import { Worker } from "./harness.mjs";

/** Yields NDJSON of `rows` rows, piece by piece. */
function* ndjson(rows, perPiece = 500) {
  for (let first = 0; first < rows; first += perPiece) {
    let text = "";
    for (let id = first; id < Math.min(first + perPiece, rows); id++) text += `{"id":${id},"name":"row number ${id}${FILLER}","score":${id * 0.5}}\n`;
    yield Buffer.from(text);
  }
}

const FILLER = ", of which there is more to say".repeat(4);
/** More pieces than an object keeps in memory, so that some of them wait in one of its tables. */
const MIDDLE = 150;

/**
 * Returns the number of chunks of unfinished loads in the object, which no SQL of a caller can see.
 */
async function stagedChunks(session) {
  return Number(await (await session.fetch("?fault=staged")).text());
}

describe("faults", () => {
  let worker;
  before(async () => (worker = await Worker.start()));
  after(() => worker.stop());

  for (const [name, path] of [
    ["in the front Worker", "/__test/panic"],
    ["in the object", "/api/codemode/sessions/panics?fault=panic"],
    ["of the stack in the front Worker", "/__test/overflow"],
    ["of the stack in the object", "/api/codemode/sessions/panics?fault=overflow"],
  ]) {
    test(`a panic ${name} answers 500 and the next request works`, async () => {
      await worker.session("panics").ok("saveState", { key: "before", value: name });
      const response = await worker.fetch(path);
      assert.equal(response.status, 500);
      assert.equal((await response.json()).error.code, "INTERNAL");
      assert.equal((await worker.session("panics").ok("getState", { key: "before" })).value, name);
    });
  }

  test("a panic answers the requests of others too, which would wait for ever", async () => {
    let status;
    const waiting = worker.session("others").fetch("?fault=hang").then((response) => (status = response.status));
    // The first panic may precede the other request, which would then get 504.
    await until(async () => {
      await worker.fetch("/__test/panic");
      return status;
    });
    await waiting;
    assert.equal(status, 500);
  });

  test("an object that does not answer is 504 in time", async () => {
    const hasty = await Worker.start({ settings: { QUERY_TIMEOUT_MS: "2000" } });
    try {
      const response = await hasty.session().fetch("?fault=hang");
      assert.equal(response.status, 504);
      const { error } = await response.json();
      assert.deepEqual([error.code, error.timeoutMs], ["QUERY_TIMEOUT", 2000]);
    } finally {
      await hasty.stop();
    }
  });

  test("an alarm that fires during a request disturbs neither", async () => {
    const session = worker.session();
    await session.exec("CREATE TABLE t(a)");
    assert.equal((await session.fetch("?fault=alarm")).status, 200);
    assert.deepEqual((await session.ok("getTables")).tables, ["t"]);
  });

  test("50 clients on one session at once lose nothing", async () => {
    const session = worker.session();
    await session.exec("CREATE TABLE t(client INTEGER, n INTEGER)");
    await Promise.all(
      Array.from({ length: 50 }, async (_, client) => {
        for (let n = 0; n < 4; n++) await session.exec("INSERT INTO t VALUES (?, ?)", [client, n]);
        await session.ok("batchInsert", { table: "t", records: Array.from({ length: 10 }, (_, n) => ({ client, n: 100 + n })) });
      }),
    );
    const { results } = await session.query("SELECT count(*) AS rows, count(DISTINCT client || '-' || n) AS different FROM t");
    assert.deepEqual(results, [{ rows: 700, different: 700 }]);
  });

  test("a client that goes away in the middle of a load leaves nothing", async () => {
    const session = worker.session();
    const leave = new AbortController();
    async function* body() {
      let pieces = 0;
      for (const piece of ndjson(100_000)) {
        if (++pieces === MIDDLE) {
          await until(() => stagedChunks(session));
          leave.abort();
        }
        yield piece;
      }
    }
    await assert.rejects(
      worker.fetch(`${session.path}/tables/t/rows?create=true`, {
        method: "PUT", body: ReadableStream.from(body()), duplex: "half", signal: leave.signal, headers: { "content-type": "application/x-ndjson" },
      }),
    );
    await until(() => worker.operations().some((line) => line.session === session.name && line.operation === "load"));
    assert.deepEqual((await session.ok("getTables")).tables, []);
    assert.equal(await stagedChunks(session), 0);
    assert.equal((await session.load("t", Buffer.concat([...ndjson(1000)]), { query: "?create=true" })).status, 200);
  });

  test("a client that goes away in the middle of a stream ends its statement", async () => {
    const session = worker.session();
    await session.exec("CREATE TABLE t(a)");
    await session.exec("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM r LIMIT 300000) INSERT INTO t SELECT hex(randomblob(50)) FROM r");
    const leave = new AbortController();
    const response = await session.fetch("/stream", { method: "POST", body: JSON.stringify({ sql: "SELECT a FROM t" }), signal: leave.signal });
    await response.body.getReader().read();
    leave.abort();
    const line = await until(() => worker.operations().find((line) => line.session === session.name && line.operation === "stream"));
    assert.equal(line.code, "CANCELLED");
    // Some megabytes are in the buffers of the connection; the table has 30.
    assert.ok(line.rowsRead < 250_000, `${line.rowsRead} rows were read for a client that had gone`);
    await session.exec("DROP TABLE t");
  });

  test("a row that breaks a deferred foreign key is refused, and earlier rows are kept", async () => {
    const session = worker.session();
    const insert = (parent) => session.call("exec", { sql: "INSERT INTO children VALUES (?)", params: [parent] });
    await session.exec("CREATE TABLE parents (id INTEGER PRIMARY KEY)");
    await session.exec("CREATE TABLE children (parent REFERENCES parents DEFERRABLE INITIALLY DEFERRED)");
    await session.exec("INSERT INTO parents VALUES (1)");
    const turns = 3;
    for (let turn = 0; turn < turns; turn++) {
      // A request that meets the failed commit of another one fails with it.
      await until(async () => (await insert(1)).status === 200);
      const { status, body } = await insert(2);
      assert.deepEqual([status, body.error.code, body.error.kind], [409, "CONSTRAINT_FAILED", "FOREIGN KEY"]);
    }
    assert.equal((await until(async () => (await session.call("query", { sql: "SELECT count(*) AS n FROM children" })).body.results))[0].n, turns);
  });

  test("a full 2 MB value goes in and out, and a larger one is refused", async () => {
    const session = worker.session();
    await session.exec("CREATE TABLE t(a)");
    const value = "x".repeat(1_999_000);
    await session.exec("INSERT INTO t VALUES (?)", [value]);
    assert.equal((await session.query("SELECT a FROM t")).results[0].a, value);
    const error = await session.error("exec", { sql: "INSERT INTO t VALUES (?)", params: ["x".repeat(2_200_000)] });
    assert.equal(error.code, "TOO_BIG");
  });

  test("a table of 101 columns is refused with the limit", async () => {
    const columns = Array.from({ length: 101 }, (_, n) => `c${n}`).join(", ");
    const error = await worker.session().error("exec", { sql: `CREATE TABLE wide(${columns})` });
    assert.equal(error.code, "TOO_BIG");
    assert.match(error.message + error.hint, /100/);
  });

  test("a body of 101 MB is 413", async () => {
    const response = await worker.session().fetch("", { method: "POST", body: Buffer.alloc(101 * 1024 * 1024, 32) });
    assert.equal(response.status, 413);
    assert.equal((await response.json()).error.code, "PAYLOAD_TOO_LARGE");
  });

  test("a quote of a CSV that never closes is refused with its line, however the body is cut, and leaves nothing", async () => {
    const session = worker.session();
    await session.exec("CREATE TABLE kept(a, b)");
    const rows = "1,\"a row, of some length\"\n".repeat(20_000);
    async function* cut(text, bytes) {
      const body = Buffer.from(text);
      for (let at = 0; at < body.length; at += bytes) yield body.subarray(at, at + bytes);
    }
    for (const [text, message] of [
      [`a,b\n${rows}1,"open\n${rows}`, /^line 20003 has text between a closing quote \(opened at line 20002\)/],
      [`a,b\n${rows}1,"open\n2,x\n3,y\n`, /^the quote that opens at line 20002 is never closed$/],
      [`a,"b\n${rows.replaceAll('"', "")}`, /^the quote that opens at line 1 is never closed$/],
    ]) {
      for (const [table, query] of [["made", "?create=true"], ["kept", ""]]) {
        const response = await session.load(table, ReadableStream.from(cut(text, 9_973)), { type: "text/csv", query });
        const { error } = await response.json();
        assert.deepEqual([response.status, error.code], [400, "INVALID_BODY"]);
        assert.match(error.message, message);
      }
    }
    assert.deepEqual((await session.ok("getTables")).tables, ["kept"]);
    assert.deepEqual((await session.query("SELECT count(*) AS n FROM kept")).results, [{ n: 0 }]);
  });

  test("invalid UTF-8 in a load is refused and leaves nothing", async () => {
    const session = worker.session();
    const body = Buffer.concat([...ndjson(5000), Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d, 0x0a])]);
    // If the encoding were not named, the byte would be one of Windows-1252.
    const response = await session.load("t", body, { query: "?create=true&encoding=utf-8" });
    assert.equal(response.status, 400);
    const { error } = await response.json();
    assert.equal(error.code, "INVALID_BODY");
    assert.match(error.hint, /encoding/);
    assert.deepEqual((await session.ok("getTables")).tables, []);
  });
});

/** Older versions made such tables, whose names could not be written in a DROP. */
test("a table of a reserved name that lies in a database can be dropped", async () => {
  let worker = await Worker.start();
  try {
    await worker.session("old").exec("CREATE TABLE mine(a)");
    await worker.stop({ keep: true });
    const files = (await readdir(worker.folder, { recursive: true })).filter((name) => name.endsWith(".sqlite"));
    const holds = (database) => database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'mine'").get() !== undefined;
    let changed = 0;
    for (const file of files) {
      const database = new DatabaseSync(join(worker.folder, file));
      if (holds(database)) {
        database.exec("CREATE TABLE json_each(a); CREATE TABLE json_tree(a); INSERT INTO json_each VALUES (1)");
        changed += 1;
      }
      database.close();
    }
    assert.equal(changed, 1);
    worker = await Worker.start({ folder: worker.folder });
    const session = worker.session("old");
    assert.deepEqual((await session.ok("getTables")).tables, ["json_each", "json_tree", "mine"]);
    await session.exec("DROP TABLE json_each");
    await session.exec("ALTER TABLE json_tree RENAME TO tree");
    assert.deepEqual((await session.ok("getTables")).tables, ["mine", "tree"]);
    assert.equal((await session.error("exec", { sql: "CREATE TABLE json_each(a)" })).reason, "reserved_name");
  } finally {
    await worker.stop();
  }
});

test("killed in the middle of a load of 100,000 rows, the Worker comes back with nothing of it or all of it", async () => {
  const worker = await Worker.start();
  try {
    const session = worker.session("killed");
    await session.exec("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, score REAL)");
    await session.exec("INSERT INTO t VALUES (-1, 'there before', 0)");
    let reached;
    const middle = new Promise((resolve) => (reached = resolve));
    async function* body() {
      let pieces = 0;
      for (const piece of ndjson(100_000)) {
        if (++pieces === MIDDLE) {
          reached();
          await new Promise((done) => setTimeout(done, 600_000).unref());
        }
        yield piece;
      }
    }
    const load = session.load("t", ReadableStream.from(body())).catch(() => "broken off");
    await middle;
    await until(() => stagedChunks(session));
    await worker.kill();
    assert.equal(await load, "broken off");
    assert.deepEqual((await session.query("SELECT id, name FROM t")).results, [{ id: -1, name: "there before" }]);
    assert.equal(await stagedChunks(session), 0);
    const response = await session.load("t", Buffer.concat([...ndjson(100_000)]));
    assert.deepEqual([response.status, (await response.json()).rowsWritten], [200, 100_000]);
    await worker.kill();
    assert.equal((await session.query("SELECT count(*) AS n FROM t")).results[0].n, 100_001);
  } finally {
    await worker.stop();
  }
});
