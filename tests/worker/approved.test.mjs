// Tests of previews, and of approved statements that run once, on the engine itself, where triggers
// exist in a transaction that is rolled back.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Worker } from "./harness.mjs";

const SHOP = [
  "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT UNIQUE)",
  'CREATE TABLE "or""ders" (id INTEGER PRIMARY KEY AUTOINCREMENT, customer INTEGER REFERENCES customers ON DELETE CASCADE ON UPDATE CASCADE, total REAL)',
  'CREATE TABLE items ("order" INTEGER REFERENCES "or""ders" ON DELETE SET NULL, part TEXT, n, PRIMARY KEY (part)) WITHOUT ROWID',
  "CREATE VIRTUAL TABLE found USING fts5(text)",
  "INSERT INTO found VALUES ('a word')",
  "INSERT INTO customers VALUES (1, 'Ada'), (2, 'Bo')",
  'INSERT INTO "or""ders" (customer, total) VALUES (1, 5.0), (1, 0.1), (2, 9e999)',
  "INSERT INTO items VALUES (1, 'x', 9223372036854775807), (2, 'y', x'00ff'), (3, 'z', NULL)",
];

/** Returns the response of an operation. */
const call = async (session, { operation, ...fields }) => (await session.call(operation, fields)).body;

describe("previews", () => {
  let worker;
  before(async () => (worker = await Worker.start()));
  after(() => worker.stop());

  async function shop() {
    const session = worker.session();
    for (const sql of SHOP) assert.ok((await call(session, { operation: "exec", sql })).success, sql);
    return session;
  }

  const preview = (session, sql, params) => call(session, { operation: "preview", sql, ...(params && { params }) });

  /**
   * Returns everything that the session has: its dump without the times of use, and the text of its
   * schema.
   */
  async function everything(session) {
    const dump = await (await worker.fetch(`/api/codemode/sessions/${session.name}/dump`)).text();
    const { results } = await call(session, { operation: "query", sql: "SELECT type, name, rootpage, sql FROM sqlite_schema ORDER BY rowid" });
    return `${dump.replaceAll(/^--.*$/gm, "")}\n${JSON.stringify(results)}`;
  }

  test("rows before and after are shown, with those that foreign keys change, and nothing is changed", async () => {
    const session = await shop();
    const earlier = await everything(session);
    const deleted = await preview(session, "DELETE FROM customers WHERE id = ?", [1]);
    assert.equal(deleted.dryRun, "done", JSON.stringify(deleted));
    assert.deepEqual(
      Object.fromEntries(deleted.tables.map((table) => [table.name, [table.inserted, table.updated, table.deleted]])),
      { customers: [0, 0, 1], 'or"ders': [0, 0, 2], items: [0, 2, 0] },
    );
    assert.deepEqual(deleted.sample.before[0], { table: "customers", change: 1, row: { id: 1, name: "Ada" } });
    assert.equal(deleted.undoable, true);
    assert.deepEqual(deleted.plan, ["looks up customers by its row id", 'scans all 3 rows of or"ders, because of foreign keys']);
    const moved = await preview(session, "UPDATE customers SET id = id + 10 WHERE id = 2");
    assert.equal(moved.affectedRows, 1);
    assert.deepEqual(
      moved.sample.after.map(({ table, row }) => [table, row]),
      [
        ["customers", { id: 12, name: "Bo" }],
        ['or"ders', { id: 3, customer: 12, total: { $real: "Infinity" } }],
      ],
    );
    assert.equal(await everything(session), earlier);
  });

  test("REPLACE tells of the rows that it deletes", async () => {
    const session = await shop();
    const earlier = await everything(session);
    const replaced = await preview(session, "REPLACE INTO customers VALUES (1, 'Bo')");
    assert.deepEqual(replaced.tables[0], { name: "customers", access: "write", inserted: 1, updated: 0, deleted: 2 });
    assert.equal(replaced.destructive, true);
    // The connection is unchanged: a plain REPLACE fires no trigger, and the session has none.
    assert.equal(await everything(session), earlier);
  });

  test("every kind of statement is run dry and leaves nothing behind", async () => {
    const session = await shop();
    const earlier = await everything(session);
    for (const [sql, kind, affected] of [
      ["DROP TABLE customers", "schema", 2],
      ["CREATE TABLE made AS SELECT * FROM customers", "schema", null],
      ["ALTER TABLE items ADD COLUMN more", "schema", null],
      ["INSERT INTO found VALUES ('more')", "insert", 1],
      ['INSERT INTO "or""ders" (customer) VALUES (2) RETURNING id', "insert", 1],
      ["DELETE FROM items", "delete", 3],
      ["SELECT * FROM customers", "read", null],
    ]) {
      const shown = await preview(session, sql);
      assert.deepEqual([shown.kind, shown.affectedRows], [kind, affected], `${sql}: ${JSON.stringify(shown)}`);
      assert.equal(await everything(session), earlier, sql);
    }
    const failed = await preview(session, "INSERT INTO customers VALUES (1, 'x')");
    assert.equal(failed.error.code, "CONSTRAINT_FAILED");
    assert.equal(await everything(session), earlier);
  });

  test("a dry run of too many rows ends itself", async () => {
    const session = worker.session();
    await call(session, { operation: "exec", sql: "CREATE TABLE n (i)" });
    const fill = "INSERT INTO n WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 25000) SELECT i FROM c";
    await call(session, { operation: "exec", sql: fill });
    const shown = await preview(session, "UPDATE OR IGNORE n SET i = 0");
    assert.equal(shown.dryRun, "unavailable");
    assert.match(shown.dryRunReason, /more than 20000 rows/);
    const { results } = await call(session, { operation: "query", sql: "SELECT count(*) AS n, sum(i = 0) AS zero FROM n" });
    assert.deepEqual(results, [{ n: 25_000, zero: 0 }]);
  });

  test("a stream that is open is read to its end", async () => {
    const session = worker.session();
    await call(session, { operation: "exec", sql: "CREATE TABLE n (i, text)" });
    const fill = "INSERT INTO n WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 20000) SELECT i, printf('%.*c', 500, 'x') FROM c";
    await call(session, { operation: "exec", sql: fill });
    const response = await worker.fetch(`/api/codemode/sessions/${session.name}/stream`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ sql: "SELECT i, text FROM n" }),
    });
    const reader = response.body.getReader();
    let { value } = await reader.read();
    let text = new TextDecoder().decode(value);
    const during = await preview(session, "DELETE FROM n WHERE i = 1");
    assert.equal(during.dryRun, "unavailable", JSON.stringify(during));
    assert.match(during.dryRunReason, /a stream is reading the session/);
    for (let done = false; !done; ) {
      ({ value, done } = await reader.read());
      if (value) text += new TextDecoder().decode(value);
    }
    const last = JSON.parse(text.trim().split("\n").at(-1));
    assert.deepEqual(last, { done: true, rowCount: 20_000 });
    const behind = await preview(session, "DELETE FROM n WHERE i = 1");
    assert.equal(behind.dryRun, "done");
  });

  test("a program previews too", async () => {
    const session = await shop();
    const response = await worker.fetch("/api/codemode/execute", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ session: session.name, code: "const p = await helpers.db.preview('DELETE FROM items WHERE n = ?', [9223372036854775807n]); return [p.affectedRows, p.sample.before[0].row.part];" }),
    });
    const answer = await response.json();
    assert.deepEqual(answer.result, [1, "x"], JSON.stringify(answer));
  });
});

describe("approved statements", () => {
  let worker;
  before(async () => (worker = await Worker.start()));
  after(() => worker.stop());

  const ask = async (session, body) => {
    const path = `/__test/session/approved?session=${session.name}`;
    const response = await worker.fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    return { status: response.status, ...(await response.json()) };
  };
  const dump = async (session) => (await (await worker.fetch(`/api/codemode/sessions/${session.name}/dump`)).text()).replaceAll(/^--.*$/gm, "");

  async function shop() {
    const session = worker.session();
    for (const sql of SHOP) assert.ok((await call(session, { operation: "exec", sql })).success, sql);
    return session;
  }

  async function run(session, approvalId, sql, more = {}) {
    const { sha256 } = await ask(session, { do: "preview", sql });
    const request = { do: "run", approvalId, sha256, sql, maxRows: 10, keepUndoBytes: 1_000_000, ...more };
    return [request, await ask(session, request)];
  }

  test("a statement runs once, and its undo restores every value", async () => {
    for (const sql of [
      "DELETE FROM customers WHERE id = 1",
      "UPDATE customers SET id = id + 10",
      "REPLACE INTO customers VALUES (1, 'Bo')",
      "UPDATE items SET n = n + 1, part = part || 'x'",
      "DELETE FROM items",
      "INSERT INTO customers VALUES (1, 'x'), (9, 'y') ON CONFLICT (id) DO UPDATE SET name = excluded.name",
    ]) {
      const session = await shop();
      const earlier = await dump(session);
      const [request, outcome] = await run(session, "a", sql);
      assert.equal(outcome.undo?.available, true, `${sql}: ${JSON.stringify(outcome)}`);
      const later = await dump(session);
      assert.notEqual(later, earlier);
      assert.equal((await ask(session, request)).ranBefore, true);
      assert.equal(await dump(session), later);
      const { sha256, possible } = await ask(session, { do: "undoPreview", approvalId: "a" });
      assert.equal(possible, true);
      const undo = { do: "undo", approvalId: "a", undoApprovalId: "u", sha256 };
      const undone = await ask(session, undo);
      assert.equal(undone.undone, true, `${sql}: ${JSON.stringify(undone)}`);
      assert.equal(await dump(session), earlier, sql);
      assert.equal((await ask(session, undo)).ranBefore, true);
    }
  });

  test("another statement, another row and a broken key are conflicts that change nothing", async () => {
    const session = await shop();
    const [request] = await run(session, "a", "INSERT INTO customers VALUES (5, 'Eve')");
    const other = await ask(session, { ...request, approvalId: "b", sql: "DELETE FROM customers" });
    assert.deepEqual([other.status, other.error.code], [409, "STATEMENT_CHANGED"]);
    const { sha256 } = await ask(session, { do: "undoPreview", approvalId: "a" });
    await call(session, { operation: "exec", sql: 'INSERT INTO "or""ders" (customer) VALUES (5)' });
    const earlier = await dump(session);
    const undo = { do: "undo", approvalId: "a", undoApprovalId: "u", sha256 };
    const refused = await ask(session, undo);
    assert.deepEqual([refused.status, refused.error.code], [409, "UNDO_CONFLICT"], JSON.stringify(refused));
    await call(session, { operation: "exec", sql: "UPDATE customers SET name = 'Eva' WHERE id = 5" });
    const changed = await ask(session, undo);
    assert.deepEqual(changed.error.rows, [{ table: "customers", left: { id: 5, name: "Eve" }, found: { id: 5, name: "Eva" } }]);
    assert.equal((await dump(session)).replace("'Eva'", "'Eve'"), earlier);
  });

  test("an approval is for the definitions and the database that were shown", async () => {
    const DELETE = "DELETE FROM customers WHERE id = 2";
    const previewed = async (session) => {
      const { sha256 } = await ask(session, { do: "preview", sql: DELETE });
      return { do: "run", approvalId: "a", sha256, sql: DELETE, maxRows: 10, keepUndoBytes: 1_000_000 };
    };
    for (const [change, isRefused] of [
      ["CREATE TABLE kept (c REFERENCES customers ON DELETE CASCADE)", true],
      ["ALTER TABLE customers ADD COLUMN extra DEFAULT 1", true],
      ["CREATE INDEX late ON items (n)", true],
      ["CREATE TABLE unrelated (a)", false],
      ["INSERT INTO customers VALUES (9, 'Kim')", false],
      ["CREATE INDEX late ON customers (name)", true],
    ]) {
      const session = await shop();
      const request = await previewed(session);
      assert.ok((await call(session, { operation: "exec", sql: change })).success, change);
      const done = await ask(session, request);
      if (isRefused) assert.deepEqual([done.status, done.error?.code], [409, "STATEMENT_CHANGED"], change);
      else assert.equal(done.ranBefore, false, `${change}: ${JSON.stringify(done)}`);
    }
    const session = await shop();
    const request = await previewed(session);
    assert.equal((await session.fetch("", { method: "DELETE" })).status, 200);
    for (const sql of SHOP) assert.ok((await call(session, { operation: "exec", sql })).success, sql);
    const again = await ask(session, request);
    assert.deepEqual([again.status, again.error?.code], [409, "STATEMENT_CHANGED"]);
  });

  test("a long result is kept once, as a table", async () => {
    const session = await shop();
    const sql = 'SELECT id, total FROM "or""ders" ORDER BY id DESC';
    const [request, outcome] = await run(session, "a", sql, { maxRows: 1 });
    assert.deepEqual([outcome.rowCount, outcome.truncated, outcome.rows], [3, true, [{ id: 3, total: { $real: "Infinity" } }]]);
    const again = await ask(session, request);
    assert.deepEqual([again.ranBefore, again.resultTable], [true, outcome.resultTable]);
    const { results } = await call(session, { operation: "query", sql: `SELECT id FROM ${outcome.resultTable.name}` });
    assert.deepEqual(results, [{ id: 3 }, { id: 2 }, { id: 1 }]);
  });

  test("the schema has tables, keys and values", async () => {
    const session = await shop();
    const { tables, more } = await ask(session, { do: "schema", maxTables: 2, maxBytes: 10_000 });
    assert.deepEqual([tables.map((table) => [table.name, table.rowCount]), more], [[["customers", 2], ["found", 1]], 2]);
    assert.deepEqual(tables[0].columns[1].distinct, ["Ada", "Bo"]);
  });

  test("no request from outside reaches these addresses", async () => {
    for (const path of ["/approved", "/api/codemode/sessions/approved/approved", "//session/approved"]) {
      const response = await worker.fetch(path, { method: "POST", body: '{"do":"schema","maxTables":1,"maxBytes":1}' });
      assert.equal(response.status >= 400, true, path);
    }
  });
});
