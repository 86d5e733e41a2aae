// Tests of the row scope in workerd: the lines of tests/corpus/scope.jsonl, programs, streams,
// and tables in D1.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { Worker } from "./harness.mjs";

const read = (name) => readFileSync(new URL(`../corpus/${name}`, import.meta.url), "utf8");
const SETUP = read("scope.sql")
  .split(";\n")
  .filter((statement) => statement.trim());
const LINES = read("scope.jsonl")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));
const SCOPED = ["customers", "orders", "items", '"odd ""name"', "Straße", "replacing", "parents", "children", "computed"];
const SCOPE = { value: "acme", readable: ["countries"] };

let worker;
before(async () => (worker = await Worker.start({ persistent: true })));
after(() => worker.stop());

const sorted = (rows) => rows.map((row) => JSON.stringify(row)).sort();

/** Returns all rows that are not the tenant's. */
async function strangers(session) {
  const found = [];
  for (const table of SCOPED) {
    found.push((await session.ok("query", { sql: `SELECT * FROM ${table} WHERE business_id IS NOT 'acme' ORDER BY 1, 2, 3`, rowFormat: "array" })).results);
  }
  return found;
}

async function made() {
  const session = worker.session();
  for (const sql of SETUP) await session.ok("exec", { sql });
  return session;
}

describe("statements under a scope", () => {
  test("that are refused leave everything as it is, each with its reason", async () => {
    const session = await made();
    const before = await strangers(session);
    for (const { sql, reason } of LINES.filter((line) => line.reason)) {
      const error = await session.error("exec", { sql, scope: SCOPE });
      assert.deepEqual([error.code, error.reason], ["SQL_BLOCKED", reason], sql);
    }
    assert.deepEqual(await strangers(session), before);
  });

  test("that read give the rows of the tenant", async () => {
    const session = await made();
    for (const { sql, params, rows, unordered, error } of LINES.filter((line) => !line.reason && !line.table)) {
      if (error) {
        assert.equal((await session.error("query", { sql, params, scope: SCOPE })).code, error, sql);
        continue;
      }
      const answer = await session.ok("query", { sql, params, scope: SCOPE, rowFormat: "array" });
      assert.equal(answer.rowsRead, 0);
      if (unordered) assert.deepEqual(sorted(answer.results), sorted(rows), sql);
      else assert.deepEqual(answer.results, rows, sql);
    }
  });

  test("that write change rows of the tenant and no others", async () => {
    const before = await strangers(await made());
    await Promise.all(
      LINES.filter((line) => line.table).map(async ({ sql, params, rows, table, after: left }) => {
        const session = await made();
        const answer = await session.ok("exec", { sql, params, scope: SCOPE, rowFormat: "array" });
        if (rows) assert.deepEqual(sorted(answer.results), sorted(rows), sql);
        const own = await session.ok("query", { sql: `SELECT * FROM ${table} WHERE business_id = 'acme' ORDER BY 1, 2, 3`, rowFormat: "array" });
        assert.deepEqual(own.results, left, sql);
        assert.deepEqual(await strangers(session), before, sql);
      }),
    );
  });

  test("stream the rows of the tenant", async () => {
    const session = await made();
    const response = await worker.fetch(`/api/codemode/sessions/${session.name}/stream`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ sql: "SELECT id FROM orders ORDER BY id", scope: SCOPE }),
    });
    const lines = (await response.text()).trim().split("\n").map(JSON.parse);
    assert.deepEqual(lines.slice(1, -1), [[1], [2], [3], [4]]);
  });

  test("see each change of the schema", async () => {
    const session = await made();
    const rows = async (table) => (await session.call("query", { sql: `SELECT * FROM ${table}`, scope: SCOPE })).body;
    const [countries, orders] = [await rows("countries"), await rows("orders")];
    assert.ok(countries.rowCount > 0 && orders.rowCount > 0);
    // A table that everybody could read now has a tenant's column: its rows belong to nobody.
    await session.exec("ALTER TABLE countries ADD COLUMN business_id TEXT");
    assert.deepEqual((await rows("countries")).results, []);
    await session.exec("ALTER TABLE countries DROP COLUMN business_id");
    assert.equal((await rows("countries")).rowCount, countries.rowCount);
    await session.exec("ALTER TABLE orders RENAME COLUMN business_id TO owner");
    assert.equal((await rows("orders")).error.reason, "scope_table");
    await session.exec("ALTER TABLE orders RENAME COLUMN owner TO business_id");
    assert.deepEqual((await rows("orders")).results, orders.results);
    await session.exec("DROP TABLE countries");
    await session.exec("CREATE VIEW countries AS SELECT * FROM secrets");
    assert.equal((await rows("countries")).error.reason, "scope_view");
  });

  test("are judged by the rows that are there, however often they are sent", async () => {
    const session = worker.session();
    for (const sql of [
      "CREATE TABLE firms (id INTEGER PRIMARY KEY, business_id TEXT)",
      "CREATE TABLE bills (id INTEGER PRIMARY KEY, business_id TEXT, firm INTEGER REFERENCES firms (id) ON DELETE CASCADE)",
      "INSERT INTO firms VALUES (1, 'acme'), (2, 'acme'), (3, 'acme')",
      "INSERT INTO bills VALUES (1, 'acme', 1), (2, 'acme', 2)",
    ]) await session.ok("exec", { sql });
    const sql = "DELETE FROM firms WHERE id = (SELECT min(id) FROM firms)";
    assert.equal((await session.ok("exec", { sql, scope: SCOPE })).changes, 1);
    assert.equal((await session.ok("exec", { sql, scope: SCOPE })).changes, 1);
    // The statement would now also delete a row of another tenant.
    await session.ok("exec", { sql: "INSERT INTO bills VALUES (3, 'zeta', 3)" });
    assert.equal((await session.error("exec", { sql, scope: SCOPE })).code, "SQL_BLOCKED");
    // The cache of statements is separate for each scope.
    const read = "SELECT count(*) AS n FROM bills";
    const count = async (scope) => (await session.ok("query", { sql: read, scope })).results[0].n;
    for (let again = 0; again < 2; again += 1) {
      assert.equal(await count(SCOPE), 0);
      assert.equal(await count({ value: "zeta" }), 1);
      assert.equal(await count({ value: "zeta", column: "business_id", readable: ["firms"] }), 1);
      assert.equal((await session.ok("query", { sql: read })).results[0].n, 1);
    }
  });

  test("say what a scope is", async () => {
    const session = await made();
    const wrong = async (scope) => (await session.error("query", { sql: "SELECT 1", scope })).hint ?? "";
    assert.match(await wrong({ valu: "acme" }), /value/);
    for (const scope of ["acme", {}, { value: null }, { value: 1.5 }, { value: "" }, { value: "a", column: 1 }, { value: "a", readable: "t" }]) {
      assert.equal((await session.error("query", { sql: "SELECT 1", scope })).code, "INVALID_ARGUMENT", JSON.stringify(scope));
    }
    const missing = await session.error("query", { sql: "SELECT * FROM secrets", scope: SCOPE });
    assert.match(missing.hint, /readable/);
    const counted = await session.error("query", { sql: "SELECT id FROM orders WHERE id = ? AND total = ?", params: [1], scope: SCOPE });
    assert.deepEqual([counted.code, counted.expected, counted.given], ["PARAMETER_COUNT", 2, 1]);
  });
});

describe("programs under a scope", () => {
  const execute = async (session, code, scope = SCOPE) => {
    const response = await worker.fetch("/api/codemode/execute", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ session: session.name, code, scope }),
    });
    return response.json();
  };

  test("see and change the tenant's rows in every call", async () => {
    const session = await made();
    const before = await strangers(session);
    const { result, error } = await execute(
      session,
      `const rows = await helpers.db.query("SELECT id FROM orders ORDER BY id");
       await helpers.db.exec("DELETE FROM orders WHERE id > 2 OR 1");
       const inserted = await helpers.db.batchInsert("orders", [{ id: 7, total: 70, business_id: "acme" }, { id: 8, total: 80, status: "x" }]);
       const streamed = [];
       for await (const row of helpers.db.stream("SELECT id FROM orders ORDER BY id")) streamed.push(row.id);
       const described = await dbSchema.describeTable("orders");
       return [rows.map((r) => r.id), inserted.rowsWritten, streamed, described.rowCount, described.sampleRows.map((r) => r.business_id), await dbSchema.getTables()];`,
    );
    assert.equal(error, undefined, JSON.stringify(error));
    assert.deepEqual(result.slice(0, 5), [[1, 2, 3, 4], 2, [7, 8], 2, ["acme", "acme"]]);
    const tables = result[5].tables ?? result[5];
    assert.deepEqual([...tables].sort(), ["Straße", "children", "computed", "countries", "customers", "items", 'odd "name', "orders", "parents", "replacing"].sort());
    assert.deepEqual(await strangers(session), before);
  });

  test("are refused what cannot be kept within it", async () => {
    const session = await made();
    const before = await strangers(session);
    for (const call of [
      'helpers.db.createTable("t", "a")',
      'helpers.db.dropTable("orders")',
      'helpers.db.saveState("k", 1)',
      'helpers.db.getState("k")',
      "helpers.db.getMetrics()",
      'helpers.db.persist("orders")',
      'dbSchema.describeTable("secrets")',
      'dbSchema.getColumns("docs")',
      'helpers.db.query("SELECT * FROM secrets")',
      'helpers.db.batchInsert("orders", [{ id: 9, business_id: "other" }])',
      'helpers.db.batchInsert("orders", [{ id: 101, total: 1 }], { onConflict: "replace" })',
      'helpers.db.batchInsert("secrets", [{ word: "x" }])',
      'helpers.db.batchInsert("countries", [{ code: "x" }])',
      'helpers.graph("g").addNode({ label: "a", type: "b" })',
    ]) {
      const { result } = await execute(session, `try { return ["done", await ${call}]; } catch (error) { return [error.code ?? error.message]; }`);
      assert.ok(["SQL_BLOCKED", "NO_SUCH_TABLE"].includes(result?.[0]), `${call}: ${JSON.stringify(result)}`);
    }
    assert.deepEqual(await strangers(session), before);
  });

  test("cannot go past it with texts of their own", async () => {
    const session = await made();
    const before = await strangers(session);
    const texts = [
      '{"operation":"callTool","server":"db","tool":"query","args":{"sql":"SELECT * FROM secrets"}}',
      '{"operation":"graph","conversation":"g","call":{"operation":"getState"}}',
      '{"operation":"persist","table":"orders"}',
      '{"operation":"query","sql":"SELECT * FROM orders","scope":{"value":"other"}}',
      '{"operation":"query","sql":"SELECT * FROM orders","scope":null,"scope":{"value":"other"}}',
      '{"operation":"query","sql":"SELECT * FROM orders","target":"persistent"}',
      '{"operation":"createTable","target":"persistent","name":"t","schema":"a"}',
      '{"operation":"describeTable","target":"persistent","table":"t"}',
      '{"operation":"query","operation":"getState","sql":"SELECT 1","key":"k"}',
      '{"oper\\u0061tion":"getMetrics"}',
      '{"operation":"insertPieces","table":"orders","columns":["id","business_id"],"counts":[1]}\n[[500,"other"]]',
      '{"operation":"insertPieces","table":"orders","columns":["id","BUSINESS_ID"],"counts":[1]}\n[[500,"other"]]',
      '{"operation":"openStream","sql":"SELECT * FROM secrets"}',
      '{"operation":"openStream","sql":"SELECT * FROM orders","scope":{"value":"other"}}',
    ];
    const { result, error } = await execute(
      session,
      `const answers = [];
       for (const text of ${JSON.stringify(texts)}) {
         const answer = JSON.parse(await __invokeDB("query", {}, text));
         answers.push(answer.success ? ["done", text, answer] : [answer.error.code]);
       }
       return answers;`,
    );
    assert.equal(error, undefined, JSON.stringify(error));
    assert.deepEqual(
      result.filter(([code]) => code === "done"),
      [],
    );
    assert.deepEqual(await strangers(session), before);
  });

  test("leave nothing to a run of another tenant in a warm isolate", async () => {
    const session = await made();
    const code = `globalThis.kept = [...(globalThis.kept ?? []), ...(await helpers.db.query("SELECT name FROM customers")).map((row) => row.name)]; return kept.length`;
    const run = async (value) => {
      const response = await worker.fetch("/api/codemode/execute", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ session: session.name, code, reuse: true, scope: { value } }),
      });
      return (await response.json()).result;
    };
    assert.deepEqual([await run("acme"), await run("other"), await run("acme")], [3, 2, 3]);
  });

  test("have no table for a large result", async () => {
    const session = await made();
    const { success, error } = await execute(session, "return 'x'.repeat(2_000_000)");
    assert.deepEqual([success, error.code], [false, "RESULT_TOO_LARGE"]);
  });
});

describe("persistent tables under a scope", () => {
  test("have both walls", async () => {
    const session = worker.session();
    const target = "persistent";
    await session.ok("exec", { sql: "CREATE TABLE wares (id INTEGER PRIMARY KEY, business_id TEXT, name TEXT)", target });
    await session.ok("exec", { sql: "CREATE TABLE plain (id INTEGER PRIMARY KEY, word TEXT)", target });
    await session.ok("exec", { sql: "INSERT INTO wares VALUES (1, 'acme', 'a'), (2, 'other', 'b')", target });
    const scope = { value: "acme" };
    assert.deepEqual((await session.ok("query", { sql: "SELECT id FROM wares WHERE id < ?", params: [9], target, scope })).results, [{ id: 1 }]);
    await session.ok("exec", { sql: "INSERT INTO wares (id, name) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name", params: [3, "c"], target, scope });
    await session.ok("exec", { sql: "INSERT INTO wares (id, name) VALUES (2, 'mine') ON CONFLICT (id) DO UPDATE SET name = excluded.name", target, scope });
    await session.ok("exec", { sql: "UPDATE wares SET business_id = ? WHERE id = 3", params: ["acme"], target, scope });
    await session.ok("exec", { sql: "INSERT INTO wares (business_id, id, name) SELECT 'acme', 3, 'x' WHERE true ON CONFLICT (id) DO UPDATE SET business_id = excluded.business_id", target, scope });
    await session.ok("exec", { sql: "UPDATE wares SET name = name || '!' WHERE wares.id > 0 OR 1", target, scope });
    await session.ok("exec", { sql: "DELETE FROM wares AS w WHERE w.id = 1 OR w.id = 2", target, scope });
    const all = await session.ok("query", { sql: "SELECT * FROM wares ORDER BY id", target, rowFormat: "array" });
    assert.deepEqual(all.results, [
      [2, "other", "b"],
      [3, "acme", "c!"],
    ]);
    for (const [sql, reason] of [
      ["SELECT * FROM plain", "scope_table"],
      ["UPDATE wares SET business_id = 'other'", "scope_column"],
      ["SELECT rowid FROM wares", "scope_rowid"],
      ["REPLACE INTO wares (id) VALUES (2)", "scope_conflict"],
      ["CREATE TABLE t (a)", "scope_statement"],
    ]) {
      assert.equal((await session.error("exec", { sql, target, scope })).reason, reason, sql);
    }
    assert.deepEqual((await session.ok("query", { sql: "SELECT count(*) AS n FROM plain JOIN wares", target, scope: { value: "acme", readable: ["plain"] } })).results, [{ n: 0 }]);
  });
});
