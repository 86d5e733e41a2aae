// Tests of every operation in the object's contract, docs/http-api.md.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Worker } from "./harness.mjs";

describe("operations", () => {
  let worker;
  before(async () => (worker = await Worker.start()));
  after(() => worker.stop());

  async function papers() {
    const session = worker.session();
    await session.exec("CREATE TABLE papers(id INTEGER PRIMARY KEY, title TEXT NOT NULL, pub_year INTEGER DEFAULT 2000, score REAL)");
    await session.ok("batchInsert", {
      table: "papers",
      records: [
        { id: 1, title: "one", pub_year: 2021, score: 0.5 },
        { id: 2, title: "two", score: null },
        { id: 3, title: "three", pub_year: 2023, score: 1.5 },
        { id: 4, title: "four", pub_year: 2024, score: 2.5 },
      ],
    });
    return session;
  }

  test("exec answers the engine's counters and the rows affected", async () => {
    const session = await papers();
    const { success, rowsRead, rowsWritten, changes } = await session.exec("UPDATE papers SET score = 9 WHERE id IN (1, 2)");
    assert.equal(success, true);
    assert.deepEqual([changes, rowsWritten], [2, 2]);
    assert.ok(rowsRead >= 2);
  });

  test("exec with RETURNING answers columns and results too", async () => {
    const session = await papers();
    const answer = await session.exec("DELETE FROM papers WHERE id > 2 RETURNING id, title AS name");
    assert.deepEqual(answer.columns, ["id", "name"]);
    assert.deepEqual(answer.results, [{ id: 3, name: "three" }, { id: 4, name: "four" }]);
    assert.equal(answer.changes, 2);
  });

  test("query answers rows as objects or arrays", async () => {
    const session = await papers();
    const answer = await session.query("SELECT id, title FROM papers WHERE id < ? ORDER BY id", [3]);
    assert.deepEqual(answer.columns, ["id", "title"]);
    assert.deepEqual(answer.results, [{ id: 1, title: "one" }, { id: 2, title: "two" }]);
    assert.deepEqual([answer.rowCount, answer.truncated], [2, false]);
    const arrays = await session.query("SELECT id, title FROM papers WHERE id = :id", { ":id": 1 }, { rowFormat: "array" }).catch(() => null);
    const named = arrays ?? (await session.query("SELECT id, title FROM papers WHERE id = :id", { id: 1 }, { rowFormat: "array" }));
    assert.deepEqual(named.results, [[1, "one"]]);
  });

  test("duplicate column names are kept apart", async () => {
    const answer = await worker.session().query("SELECT 1 AS a, 2 AS a, 3 AS b, 4 AS a");
    assert.deepEqual(answer.columns, ["a", "a_2", "b", "a_3"]);
    assert.deepEqual(answer.results, [{ a: 1, a_2: 2, b: 3, a_3: 4 }]);
  });

  test("a query stops at its limit and at 10,000 rows, and says so", async () => {
    const session = worker.session();
    const endless = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT i FROM r";
    const limited = await session.query(endless, [], { limit: 3 });
    assert.deepEqual([limited.rowCount, limited.truncated, limited.results.length], [3, true, 3]);
    const capped = await session.query(endless);
    assert.deepEqual([capped.rowCount, capped.truncated, capped.results.at(-1).i], [10_000, true, 10_000]);
    const exact = await session.query("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 10000) SELECT i FROM r");
    assert.deepEqual([exact.rowCount, exact.truncated], [10_000, false]);
  });

  test("a query stops at 16 MiB with the rows so far", async () => {
    const session = worker.session();
    const answer = await session.query("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 400) SELECT i, hex(zeroblob(50000)) AS z FROM r");
    assert.equal(answer.truncated, true);
    assert.ok(answer.rowCount > 100 && answer.rowCount < 400, `${answer.rowCount} rows`);
    assert.equal(answer.results.length, answer.rowCount);
  });

  test("batchInsert is all or nothing, and keys that are missing take the default", async () => {
    const session = await papers();
    assert.equal((await session.query("SELECT pub_year FROM papers WHERE id = 2")).results[0].pub_year, 2000);
    const error = await session.error("batchInsert", { table: "papers", records: [{ id: 10, title: "ten" }, { id: 1, title: "again" }] });
    assert.deepEqual([error.status, error.code], [409, "CONSTRAINT_FAILED"]);
    assert.equal((await session.query("SELECT count(*) AS n FROM papers")).results[0].n, 4);
  });

  test("batchInsert ignores or replaces what conflicts when told so", async () => {
    const session = await papers();
    const records = [{ id: 1, title: "again" }, { id: 10, title: "ten" }];
    assert.equal((await session.ok("batchInsert", { table: "papers", records, onConflict: "ignore" })).rowsWritten, 2);
    assert.equal((await session.query("SELECT title FROM papers WHERE id = 1")).results[0].title, "one");
    await session.ok("batchInsert", { table: "papers", records, onConflict: "replace" });
    assert.equal((await session.query("SELECT title FROM papers WHERE id = 1")).results[0].title, "again");
    assert.equal((await session.query("SELECT count(*) AS n FROM papers")).results[0].n, 5);
  });

  test("batchInsert takes many rows in chunks", async () => {
    const session = worker.session();
    await session.ok("createTable", { name: "many", schema: "id INTEGER PRIMARY KEY, name TEXT" });
    const records = Array.from({ length: 5_500 }, (_, id) => ({ id, name: `name ${id}` }));
    const answer = await session.ok("batchInsert", { table: "many", records });
    assert.equal(answer.rowsWritten, 5_500);
    assert.ok(answer.chunks >= 6);
    assert.equal((await session.query("SELECT count(DISTINCT name) AS n FROM many")).results[0].n, 5_500);
  });

  test("createTable makes the table", async () => {
    const session = worker.session();
    assert.ok("rowsWritten" in (await session.ok("createTable", { name: "two words", schema: "id INTEGER PRIMARY KEY, note TEXT" })));
    assert.deepEqual((await session.ok("getTables")).tables, ["two words"]);
  });

  test("state is kept as JSON, and an unknown key is null", async () => {
    const session = worker.session();
    for (const value of [{ a: [1, "x", null] }, "text", 12.5, true, null]) {
      await session.ok("saveState", { key: "k", value });
      assert.deepEqual((await session.ok("getState", { key: "k" })).value, value);
    }
    assert.equal((await session.ok("getState", { key: "unknown" })).value, null);
    assert.equal((await session.query("SELECT value FROM session_state WHERE key = 'k'")).rowCount, 1);
  });

  test("metrics tell size, tables, times and log, by operation and by GET", async () => {
    const session = await papers();
    const metrics = await session.ok("getMetrics");
    assert.equal(metrics.sessionId, session.name);
    assert.ok(metrics.databaseSize > 0);
    assert.equal(metrics.tables.papers, 4);
    assert.match(metrics.lastActivity, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    const ttl = new Date(metrics.expiresAt) - new Date(metrics.lastActivity);
    assert.ok(ttl >= 86_400_000 && ttl <= 86_400_000 + 300_000, `${ttl} ms`);
    assert.ok(Array.isArray(metrics.executionLogs) && metrics.executionLogs.length > 0);
    const shown = await (await session.fetch()).json();
    assert.deepEqual(shown.tables, metrics.tables);
  });

  test("columns, tables and a table's description", async () => {
    const session = await papers();
    const { columns } = await session.ok("getColumns", { table: "papers" });
    assert.deepEqual(columns[0], { name: "id", type: "INTEGER", notNull: false, defaultValue: null, primaryKey: true });
    assert.deepEqual(columns[2], { name: "pub_year", type: "INTEGER", notNull: false, defaultValue: "2000", primaryKey: false });
    assert.equal((await session.ok("hasColumn", { table: "papers", column: "TITLE" })).exists, true);
    assert.equal((await session.ok("hasColumn", { table: "papers", column: "missing" })).exists, false);
    const described = await session.ok("describeTable", { table: "papers" });
    assert.equal(described.table, "papers");
    assert.equal(described.rowCount, 4);
    assert.equal(described.sampleRows.length, 3);
    assert.equal((await session.error("describeTable", { table: "paper" })).code, "NO_SUCH_TABLE");
  });

  test("findColumn finds by meaning, or says null with alternatives", async () => {
    const session = await papers();
    const found = await session.ok("findColumn", { table: "papers", semanticName: "publication_year" });
    assert.equal(found.column, "pub_year");
    assert.ok(found.score > 0);
    const missing = await session.ok("findColumn", { table: "papers", semanticName: "zebra_habitat" });
    assert.equal(missing.column, null);
    assert.ok(Array.isArray(missing.alternatives));
  });

  test("an unknown operation is told the nearest", async () => {
    const error = await worker.session().error("qeury", { sql: "SELECT 1" });
    assert.deepEqual([error.status, error.code], [400, "UNKNOWN_OPERATION"]);
    assert.ok(error.suggestions.includes("query"));
  });

  test("a blocked statement says why and what to do instead, and changes nothing", async () => {
    const session = await papers();
    for (const sql of ["PRAGMA foreign_keys = off", "ATTACH 'x' AS y", "BEGIN", "DROP TABLE papers; DROP TABLE papers", "DELETE FROM session_state", "CREATE TABLE _cf_x(a)"]) {
      const error = await session.error("exec", { sql });
      assert.deepEqual([error.status, error.code], [403, "SQL_BLOCKED"], sql);
      assert.ok(error.reason && error.hint, sql);
    }
    assert.deepEqual((await session.ok("getTables")).tables, ["papers"]);
  });

  test("a misspelt column is told the nearest", async () => {
    const session = await papers();
    const error = await session.error("query", { sql: "SELECT titel FROM papers" });
    assert.deepEqual([error.status, error.code], [400, "NO_SUCH_COLUMN"]);
    assert.ok(error.suggestions.includes("title"));
  });

  test("a statement inside a code fence runs, with a notice", async () => {
    const session = await papers();
    const answer = await session.query("Here is the query:\n```sql\nSELECT count(*) AS n FROM papers;\n```");
    assert.equal(answer.results[0].n, 4);
    assert.match(answer.notice, /fence/);
  });

  test("without a D1 binding, persistence says how to add it", async () => {
    const session = await papers();
    const response = await session.fetch("/persist", { method: "POST", body: JSON.stringify({ table: "papers" }) });
    assert.equal(response.status, 404);
    const { error } = await response.json();
    assert.equal(error.code, "PERSISTENT_UNAVAILABLE");
    assert.match(error.hint, /CODEMODE_D1/);
  });
});

test("the strict profile also refuses DROP and ALTER", async () => {
  const worker = await Worker.start({ settings: { SQL_PROFILE: "strict" } });
  try {
    const session = worker.session();
    await session.exec("CREATE TABLE t(a)");
    for (const sql of ["DROP TABLE t", "ALTER TABLE t ADD COLUMN b"]) {
      assert.equal((await session.error("exec", { sql })).code, "SQL_BLOCKED");
    }
  } finally {
    await worker.stop();
  }
});
