// Tests of results page by page, in workerd and in D1.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Worker } from "./harness.mjs";

const ROWS = 500;
const FILL = `WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT ${ROWS}) INSERT INTO n SELECT i, printf('%.*c é', i % 40, 'x'), zeroblob(i % 7) FROM r`;
const SQL = "SELECT i, t, b FROM n ORDER BY i";

describe("pages", () => {
  let worker;
  before(async () => (worker = await Worker.start({ persistent: true })));
  after(() => worker.stop());

  for (const target of ["session", "persistent"]) {
    test(`of a ${target} table join to the whole result`, async () => {
      const session = worker.session();
      await session.ok("exec", { sql: "CREATE TABLE n (i INTEGER PRIMARY KEY, t TEXT, b BLOB)", target });
      await session.ok("exec", { sql: FILL, target });
      const all = (await session.ok("query", { sql: SQL, target })).results;
      assert.equal(all.length, ROWS);
      for (const more of [{ maxBytes: 2_000 }, { limit: 77 }, { maxBytes: 3_000, limit: 20 }, { maxBytes: 5_000, rowFormat: "array" }]) {
        const rows = [];
        for (let truncated = true; truncated; ) {
          const text = await session.text(rows.length % 2 ? "exec" : "query", { sql: SQL, target, offset: rows.length, ...more });
          const page = JSON.parse(text);
          const list = text.slice(text.indexOf('"results":') + '"results":'.length, text.indexOf(',"rowCount"'));
          assert.ok(Buffer.byteLength(list) <= (more.maxBytes ?? Infinity), list);
          assert.ok(page.rowCount > 0 && page.rowCount <= (more.limit ?? ROWS));
          assert.equal(page.rowCount, page.results.length);
          rows.push(...page.results);
          truncated = page.truncated;
        }
        assert.deepEqual(rows, more.rowFormat ? all.map(Object.values) : all);
      }
      const behind = await session.ok("query", { sql: SQL, target, offset: ROWS, maxBytes: 1 });
      assert.deepEqual([behind.results, behind.truncated], [[], false]);
      const far = await session.ok("query", { sql: SQL, target, offset: Number.MAX_SAFE_INTEGER });
      assert.deepEqual([far.results, far.truncated], [[], false]);
      const refused = await session.error("exec", { sql: "DELETE FROM n RETURNING i", offset: 1, target });
      assert.equal(refused.code, "INVALID_ARGUMENT");
      const written = await session.ok("exec", { sql: "DELETE FROM n WHERE i <= 100 RETURNING i", maxBytes: 100, target });
      assert.deepEqual([written.changes, written.truncated, written.rowCount < 100], [100, true, true]);
    });
  }

  test("of large rows stop at the limit of the engine's text and not before", async () => {
    const session = worker.session();
    await session.exec("CREATE TABLE large (i INTEGER PRIMARY KEY, t TEXT)");
    await session.exec("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 12) INSERT INTO large SELECT i, hex(zeroblob(450000)) FROM r");
    const one = await session.query("SELECT * FROM large ORDER BY i", [], { maxBytes: 10, offset: 3 });
    assert.deepEqual([one.rowCount, one.results[0].i, one.truncated], [1, 4, true]);
    const some = await session.query("SELECT * FROM large ORDER BY i", [], { maxBytes: 5_000_000 });
    assert.deepEqual([some.rowCount, some.truncated], [5, true]);
    const rest = await session.query("SELECT * FROM large ORDER BY i", [], { offset: 10 });
    assert.deepEqual([rest.results.map(({ i }) => i), rest.truncated], [[11, 12], false]);
  });

  test("are CSV where that is wanted, and a stream has none", async () => {
    const session = worker.session();
    const sql = "VALUES (1), (2), (3)";
    const csv = await session.fetch("?format=csv", { method: "POST", body: JSON.stringify({ operation: "query", sql, offset: 1, limit: 1 }) });
    assert.equal(csv.headers.get("x-codemode-truncated"), "true");
    assert.equal(await csv.text(), "column1\r\n2\r\n");
    const stream = await session.fetch("/stream", { method: "POST", body: JSON.stringify({ sql, offset: 1 }) });
    assert.equal((await stream.json()).error.code, "INVALID_ARGUMENT");
    const misspelt = await session.error("query", { sql, ofset: 1 });
    assert.match(misspelt.hint, /`offset`/);
  });
});
