// Tests of GET /api/codemode/helpers.js: the prelude in a sandbox of others, here plain Node
// processes.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { Worker } from "./harness.mjs";

const run = promisify(execFile);

let worker;
let script;
before(async () => {
  worker = await Worker.start();
  const response = await worker.fetch("/api/codemode/helpers.js");
  assert.equal(response.status, 200);
  assert.match(response.headers.get("content-type"), /^text\/javascript/);
  script = await response.text();
});
after(() => worker.stop());

/**
 * Returns the result of a program in a new Node process that evaluated the script; BigInts as "5n",
 * bytes as "bytes 1,2".
 */
async function inNode(program, first = "") {
  const text = `${first}
(0, eval)(${JSON.stringify(script)});
const shown = (key, value) => typeof value === "bigint" ? value + "n" : value instanceof Uint8Array ? "bytes " + value.join() : value;
const outcome = await (async () => { ${program} })();
process.stdout.write(JSON.stringify(outcome ?? null, shown));`;
  const { stdout } = await run(process.execPath, ["--no-warnings", "--input-type=module", "--eval", text], { maxBuffer: 64 * 1024 * 1024 });
  return JSON.parse(stdout);
}

const TABLE = 'await helpers.db.createTable("t", "id INTEGER PRIMARY KEY, name TEXT"); await helpers.db.batchInsert("t", [{ id: 1, name: "one" }, { id: 2, name: "two" }]);';
const CAUGHT = "const caught = async (f) => { try { await f(); return 'nothing' } catch (e) { return [e instanceof DatabaseError, e.name, e.code, e.message] } };";

describe("in Node with SQLite of its own", () => {
  test("rows go in and come out, and every answer says that it is memory", async () => {
    const [modes, rows, carried, metrics, state] = await inNode(`
      const made = await helpers.db.createTable("t", "id INTEGER PRIMARY KEY, name TEXT");
      const inserted = await helpers.db.batchInsert("t", [{ id: 1, name: "one" }, { id: 2 }]);
      const changed = await helpers.db.exec("UPDATE t SET name = ? WHERE name IS NULL", ["two"]);
      const rows = await helpers.db.query("SELECT * FROM t WHERE id > ? ORDER BY id", [0]);
      await helpers.db.saveState("k", { a: [1] });
      const m = await helpers.db.getMetrics();
      return [
        [made.mode, inserted.mode, inserted.rowsWritten, changed.mode, changed.changes, m.mode],
        rows, [rows.columns, rows.rowCount, rows.truncated, rows.results === rows, (await helpers.db.query("SELECT id FROM t ORDER BY id", [], { offset: 1 }))[0].id],
        [m.tables, m.result.tables], [await helpers.db.getState("k"), await helpers.db.getState("nothing")],
      ];`);
    assert.deepEqual(modes, ["memory", "memory", 2, "memory", 1, "memory"]);
    assert.deepEqual(rows, [{ id: 1, name: "one" }, { id: 2, name: "two" }]);
    assert.deepEqual(carried, [["id", "name"], 2, false, true, 2]);
    assert.deepEqual(metrics, [{ t: 2 }, { t: 2 }]);
    assert.deepEqual(state, [{ a: [1] }, null]);
  });

  test("values of every kind", async () => {
    const [row, types] = await inNode(`
      const [row] = await helpers.db.query("SELECT ? AS big, ? AS bytes, ? AS date, ? AS yes, ? AS none, ? AS list, ? AS small", [2n ** 62n, new Uint8Array([1, 2]), new Date(0), true, undefined, [1], 5]);
      return [row, [typeof row.big, row.bytes instanceof Uint8Array, typeof row.small]];`);
    assert.deepEqual(row, { big: "4611686018427387904n", bytes: "bytes 1,2", date: "1970-01-01T00:00:00.000Z", yes: 1, none: null, list: "[1]", small: 5 });
    assert.deepEqual(types, ["bigint", true, "number"]);
  });

  test("the schema helpers, named parameters, RETURNING and onConflict", async () => {
    const all = await inNode(`${TABLE}
      await helpers.db.batchInsert("t", [{ id: 1, name: "again" }, { id: 3, name: "three" }], { onConflict: "ignore" });
      await helpers.db.batchInsert("t", [{ id: 2, name: "new" }], { onConflict: "replace" });
      return [
        await dbSchema.getTables(), (await dbSchema.getColumns("t")).map((c) => [c.name, c.type, c.primaryKey]), await dbSchema.hasColumn("t", "NAME"), await dbSchema.hasColumn("t", "x"),
        await dbSchema.describeTable("t").then((d) => [d.rowCount, d.sampleRows.length]), await dbSchema.findColumn("t", "Name"), helpers.schema === dbSchema,
        (await helpers.db.exec("INSERT INTO t (name) VALUES ('x') RETURNING id")).results,
        await helpers.db.query("SELECT name FROM t WHERE id = :id", { id: 2 }), getSafeColumnName("entrez", "publication_date"),
      ];`);
    assert.deepEqual(all, [["t"], [["id", "INTEGER", true], ["name", "TEXT", false]], true, false, [3, 3], "name", true, [{ id: 4 }], [{ name: "new" }], "year"]);
  });

  test("a stream, all or nothing, and errors as DatabaseError", async () => {
    const all = await inNode(`${TABLE} ${CAUGHT}
      const seen = [];
      for await (const { id } of helpers.db.stream("SELECT id FROM t ORDER BY id")) seen.push(id);
      const failed = await caught(() => helpers.db.batchInsert("t", [{ id: 9 }, { id: 1 }]));
      return [seen, failed.slice(0, 3), (await helpers.db.query("SELECT count(*) AS n FROM t"))[0].n, (await caught(() => helpers.db.query("SELECT nope FROM t"))).slice(0, 3),
        (await caught(() => helpers.db.query("SELECT ?", [NaN]))).slice(0, 3), (await caught(() => helpers.db.persist("t"))).slice(0, 3)];`);
    const [seen, failed, count, ...errors] = all;
    assert.deepEqual([seen, count], [[1, 2], 2]);
    for (const error of [failed, ...errors]) assert.deepEqual(error.slice(0, 2), [true, "DatabaseError"]);
    assert.equal(errors[1][2], "INVALID_ARGUMENT");
  });
});

describe("in a Node without SQL", () => {
  const WITHOUT = "process.getBuiltinModule = undefined;";

  test("state works and SQL says that there is no database", async () => {
    const [state, mode, ...errors] = await inNode(`${CAUGHT}
      const saved = await helpers.db.saveState("k", [1]);
      return [await helpers.db.getState("k"), saved.mode,
        await caught(() => helpers.db.query("SELECT 1")), await caught(() => helpers.db.exec("CREATE TABLE t (a)")), await caught(() => helpers.db.batchInsert("t", [{ a: 1 }])),
        await caught(() => helpers.db.createTable("t", "a")), await caught(() => dbSchema.getTables()), await caught(() => helpers.db.persist("t")),
        await caught(async () => { for await (const row of helpers.db.stream("SELECT 1")) return row; })];`, WITHOUT);
    assert.deepEqual([state, mode], [[1], "memory"]);
    assert.equal(errors.length, 7);
    for (const error of errors) assert.deepEqual(error, [true, "DatabaseError", "DATABASE_UNAVAILABLE", "Database not available in this environment"]);
  });
});

describe("with a host that speaks HTTP to the Worker", () => {
  const host = (session) => `globalThis.__invokeDB = async (operation, args, text) => (await fetch(${JSON.stringify(`${worker.url}${session.path}`)}, { method: "POST", headers: { "content-type": "application/json" }, body: text })).text();`;

  test("integers and bytes come through exactly", async () => {
    const session = worker.session();
    const all = await inNode(`
      await helpers.db.createTable("v", "big INTEGER, bytes BLOB, real REAL");
      await helpers.db.batchInsert("v", [{ big: 2n ** 63n - 1n, bytes: new Uint8Array([0, 255]), real: -Infinity }, { big: -(2n ** 63n), bytes: null, real: 0.1 }]);
      const rows = await helpers.db.query("SELECT * FROM v ORDER BY big DESC");
      return [rows.map((r) => [r.big, r.bytes]), rows[0].real === -Infinity, rows[1].real, rows.columns];`, host(session));
    assert.deepEqual(all, [[["9223372036854775807n", "bytes 0,255"], ["-9223372036854775808n", null]], true, 0.1, ["big", "bytes", "real"]]);
    assert.match(await session.text("query", { sql: "SELECT max(big) AS m, hex(max(bytes)) AS h FROM v" }), /9223372036854775807.*00FF/);
  });

  test("state, metrics, schema and errors are those of the session", async () => {
    const session = worker.session();
    await session.exec("CREATE TABLE t (pmid TEXT, year INTEGER)");
    const [state, tables, column, failed] = await inNode(`
      await helpers.db.saveState("k", { big: 9007199254740993n });
      const failed = await helpers.db.query("SELECT yeer FROM t").catch((e) => [e.code, e.suggestions, e.available, typeof e.hint]);
      return [await helpers.db.getState("k"), (await helpers.db.getMetrics()).tables, await dbSchema.findColumn("t", "publication date", "entrez"), failed];`, host(session));
    assert.deepEqual(state, { big: "9007199254740993n" });
    assert.deepEqual(tables, { t: 0 });
    assert.equal(column, "year");
    assert.deepEqual(failed, ["NO_SUCH_COLUMN", ["year"], ["pmid", "year"], "string"]);
  });

  test("a stream falls back to a query, and says so where there are more rows than one gives", async () => {
    const session = worker.session();
    const all = await inNode(`
      const count = async (limit) => { let n = 0; for await (const row of helpers.db.stream("WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < ?) SELECT i FROM c", [limit])) n += 1; return n; };
      return [await count(10000), await count(10001).catch((e) => [e.code, e.name])];`, host(session));
    assert.deepEqual(all, [10000, ["TOO_BIG", "DatabaseError"]]);
  });
});

describe("with hosts of other kinds", () => {
  test("an answer may be an object, at once or later", async () => {
    const all = await inNode(`return [await helpers.db.getState("a"), await helpers.db.getState("b")];`, `globalThis.__invokeDB = (operation, { key }) => (key === "a" ? { success: true, value: [operation, key] } : Promise.resolve({ success: true, value: 2 }));`);
    assert.deepEqual(all, [["getState", "a"], 2]);
  });

  test("a host that answers nothing, fails, or throws is never a success", async () => {
    const first = `globalThis.__invokeDB = (operation, { key }) => { if (key === "throws") throw new Error("no host"); return { nothing: undefined, fails: { success: false }, text: "oops", error: { error: { code: "X", message: "why" } } }[key]; };`;
    const all = await inNode(`const all = []; for (const key of ["nothing", "fails", "text", "error", "throws"]) all.push(await helpers.db.getState(key).then(() => "success", (e) => e.message)); return all;`, first);
    assert.ok(!all.includes("success"), JSON.stringify(all));
    assert.deepEqual(all.slice(3), ["why", "no host"]);
  });

  test("a host may be defined after the script, and keeps what it put on helpers", async () => {
    const all = await inNode(`globalThis.__invokeDB = () => ({ success: true, value: "late" }); return [await helpers.db.getState("x"), helpers.own];`, "globalThis.helpers = { own: 5 };");
    assert.deepEqual(all, ["late", 5]);
  });
});
