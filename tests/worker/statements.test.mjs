// Tests of statements that are repeated without WebAssembly (js/statements.js): they are served like
// any other. A body without a length takes the long way, where nothing is repeated, so each step is
// sent to two sessions, once on each way.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { random } from "../random.mjs";
import { until } from "../until.mjs";
import { sendFramed } from "./framing.mjs";
import { Worker } from "./harness.mjs";

/** A parameter at which a test build panics if WebAssembly serves the statement. */
const PANIC = "/*fault=panic*/";

/** The requests until a statement is repeated: the first of an object takes the long way, one is noted, and one tells how to repeat it. */
const UNTIL_REPEATED = 3;

const SEEDS = [1, 2, 5, 6, 9, 10, 17, 24];
const STEPS = 220;

const path = (session) => `/api/codemode/sessions/${session}`;
const sql = (operation) => (text, params, more = {}) => ({ operation, sql: text, ...(params === undefined ? {} : { params }), ...more });
const [query, exec] = [sql("query"), sql("exec")];

const send = (worker, session, body, way = "short") => sendFramed(worker, path(session), JSON.stringify(body), { way });

/** Writes a body as Python does. */
const asPython = (body) => `{${Object.entries(body).map(([name, value]) => `"${name}": ${Array.isArray(value) ? `[${value.map((one) => JSON.stringify(one)).join(", ")}]` : JSON.stringify(value)}`).join(", ")}}`;

/** Makes steps at random: mostly statements that may be repeated, between others that change what they depend on. */
class Steps {
  constructor(seed) {
    Object.assign(this, random(seed));
  }

  value() {
    return this.one([
      () => this.below(20),
      () => -this.below(3),
      () => this.below(9) / 8,
      () => 0.1 + this.below(3) / 10,
      () => 1e-320 * this.below(9),
      () => `text ${this.below(5)}`,
      () => this.one(["", "ü\u{1F600}\u2028\u0000", "2026-01-02", "12", "'; DROP TABLE t; --", "[1]", '{"$blob":"AA=="}', "x".repeat(1_400)]),
      () => null,
      () => this.below(2) === 1,
      () => this.one([2 ** 53, 1e21, 1e300, [1, 2], { $blob: "AAEC" }, { $real: "Infinity" }]),
    ])();
  }

  read() {
    const [id, value] = [this.below(12), this.value()];
    return this.one([
      () => query("SELECT * FROM t WHERE id = ?", [id]),
      () => query("SELECT a, b FROM t WHERE id = ?", [id], { rowFormat: "array" }),
      () => query("SELECT id FROM t WHERE a = ? ORDER BY id LIMIT 3", [value]),
      () => query("SELECT count(*) AS n FROM t"),
      () => query("SELECT id FROM t ORDER BY id", [], { limit: 1 + this.below(3) }),
      () => query("SELECT ? AS given, typeof(?) AS type", [value, value]),
      () => query("SELECT ?2 AS two, ?1 AS one", [value, id]),
      () => query("SELECT a FROM t WHERE b LIKE ? ORDER BY id", [`%${this.below(3)}%`]),
      () => query("SELECT upper(b) AS up, a + ? AS sum FROM t WHERE id < 3", [value]),
      () => query("SELECT json_object('a', ?) AS made", [value]),
      () => query("SELECT 1 AS \"4294967295\", ? AS x", [id]),
      () => query("SELECT * FROM v WHERE id = ?", [id]),
      () => query("SELECT t.id FROM t JOIN t AS u ON u.id = t.id WHERE t.id = ?", [id]),
      () => query("SELECT name FROM sqlite_schema WHERE type = ?", ["table"]),
      () => query("SELECT total_changes() - total_changes() AS none"),
      () => query("SELECT * FROM nowhere WHERE id = ?", [id]),
      () => query("SELECT * FROM loaded WHERE n > ?", [this.below(9)]),
      () => query("SELECT key, value FROM session_state WHERE key = ?", ["k"]),
      () => query("SELECT printf('%d', ?) AS p", [id]),
      () => query("SELECT value FROM json_each(?)", [`[${id},2]`]),
      () => query("WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT * FROM r LIMIT ?", [id]),
      () => exec("SELECT * FROM t WHERE id = ?", [id]),
      () => query("INSERT INTO t (a) VALUES (?)", [value]),
      () => query("SELECT * FROM t WHERE id = ?", []),
    ])();
  }

  write() {
    const [id, value] = [this.below(12), this.value()];
    return this.one([
      () => exec("INSERT INTO t (a, b) VALUES (?, ?)", [value, `b${this.below(4)}`]),
      () => exec("INSERT INTO t (id, a) VALUES (?, ?)", [id, value]),
      () => exec("INSERT OR REPLACE INTO t (id, a) VALUES (?, ?)", [id, value]),
      () => exec("INSERT OR IGNORE INTO t (id, a) VALUES (?, ?)", [id, value]),
      () => exec("INSERT OR FAIL INTO t (id, a) VALUES (?, 1), (3, 2), (?, 3)", [id, id + 1]),
      () => exec("INSERT INTO t (id, b) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET b = excluded.b", [id, value]),
      () => exec("UPDATE t SET a = ? WHERE id = ?", [value, id]),
      () => exec("UPDATE t SET a = a + 1 WHERE id = ?", [id]),
      () => exec("DELETE FROM t WHERE id = ?", [id]),
      () => exec("DELETE FROM t WHERE a = ?", [value]),
      () => exec("INSERT INTO checked (a) VALUES (?)", [this.below(6)]),
      () => exec("INSERT INTO t (a) SELECT a FROM t WHERE id = ?", [id]),
      () => exec("INSERT INTO t (a) VALUES (?) RETURNING a", [value]),
      () => exec("INSERT INTO audit (a) VALUES (?)", [value]),
    ])();
  }

  other() {
    return this.one([
      () => exec(this.one(["CREATE TABLE IF NOT EXISTS audit(a)", "DROP TABLE IF EXISTS audit"])),
      () => exec(this.one(["CREATE INDEX IF NOT EXISTS by_a ON t(a)", "DROP INDEX IF EXISTS by_a"])),
      () => exec(this.one(["CREATE VIEW IF NOT EXISTS v AS SELECT id, a FROM t", "DROP VIEW IF EXISTS v"])),
      () => exec(this.one(["CREATE TRIGGER IF NOT EXISTS watching AFTER INSERT ON t BEGIN INSERT INTO checked (a) VALUES (5); END", "DROP TRIGGER IF EXISTS watching"])),
      () => exec(this.one(["DROP TABLE t", "ALTER TABLE t ADD COLUMN more DEFAULT 7", "ALTER TABLE t DROP COLUMN more", "ALTER TABLE t RENAME COLUMN b TO b2"])),
      () => exec("CREATE TABLE IF NOT EXISTS t(id INTEGER PRIMARY KEY, a, b TEXT)"),
      () => exec("CREATE TABLE IF NOT EXISTS checked(a INTEGER UNIQUE CHECK (a < 5))"),
      () => ({ operation: "saveState", key: "k", value: this.value() }),
      () => ({ operation: "getState", key: "k" }),
      () => ({ operation: "getColumns", table: "t" }),
      () => ({ operation: "batchInsert", table: "t", records: [{ a: this.below(5) }, { a: null }] }),
      () => ({ operation: "dropTable", table: "loaded" }),
      () => ({ load: `n,m\n${this.below(9)},1\nx,2\n` }),
      () => ({ program: `await helpers.db.exec(${JSON.stringify(this.one(["INSERT INTO t (a) VALUES (8)", "CREATE TABLE audit(a, b)", "DROP TABLE audit"]))}); return 1` }),
      () => ({ deletes: true }),
    ])();
  }

  next() {
    const kind = this.below(20);
    return kind < 11 ? this.read() : kind < 18 ? this.write() : this.other();
  }
}

/** Takes a step in a session. */
async function take(worker, session, step, way) {
  if (step.load !== undefined) return sendFramed(worker, `${path(session)}/tables/loaded/rows`, step.load, { method: "PUT", headers: { "content-type": "text/csv" } });
  if (step.program !== undefined) return sendFramed(worker, "/api/codemode/execute", JSON.stringify({ session, code: step.program }));
  if (step.deletes !== undefined) return sendFramed(worker, path(session), "", { method: "DELETE" });
  return send(worker, session, step, way);
}

/** Replaces names, times and durations, which differ from session to session. */
const settled = (text, session) =>
  text
    .replaceAll(session, "session")
    .replaceAll(/"executionId":"[^"]*"/g, '"executionId":""')
    .replaceAll(/"(durationMs|atMs)":\d+/g, '"$1":0')
    .replaceAll(/\b\d{13}\b/g, "time")
    .replaceAll(/in \d+ ms/g, "in some time");

/** Returns the sums of a session's operations, without the time of the first, and the tables with their rows. */
async function stateOf(worker, session) {
  const metrics = await send(worker, session, { operation: "getMetrics" });
  const { operations, tables } = JSON.parse(metrics.text);
  const { since: _since, ...sums } = operations;
  const dump = await worker.fetch(`${path(session)}/dump`);
  return { sums, tables, dump: settled(await dump.text(), session) };
}

describe("a Worker", () => {
  let worker;
  before(async () => (worker = await Worker.start()));
  after(() => worker.stop());

  /** Returns true if the second run of a statement with these parameters, one of which is a text, reaches WebAssembly. */
  async function isRepeated(statement, panicking) {
    const session = randomUUID();
    await send(worker, session, exec("CREATE TABLE t(id INTEGER PRIMARY KEY, a, b TEXT)"));
    for (let turn = 0; turn < UNTIL_REPEATED; turn++) {
      const served = await send(worker, session, statement);
      assert.equal(served.status, 200, served.text);
    }
    return (await send(worker, session, panicking)).status === 200;
  }

  test("a statement is repeated if its checks cannot depend on the values", async () => {
    for (const [operation, text, more] of [
      [query, "SELECT ? AS given"],
      [query, "SELECT * FROM t WHERE b = ?"],
      [query, "SELECT count(*) AS n FROM t WHERE b = ? LIMIT 5", { limit: 3, rowFormat: "array" }],
      [exec, "INSERT INTO t (b) VALUES (?)"],
      [exec, "UPDATE t SET a = 1 WHERE id = 3 AND b = ?"],
    ]) {
      assert.equal(await isRepeated(operation(text, ["a"], more), operation(text, [PANIC], more)), true, text);
    }
    for (const [operation, text, more] of [
      [query, "SELECT t.id FROM t JOIN t AS u WHERE t.b = ?"],
      [query, "SELECT replace('a', ?, 'b') AS replaced"],
      [query, "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n, ? FROM r"],
      [query, "SELECT x'00' AS bytes, ? AS given"],
      [query, "SELECT 9e999 AS up, ? AS given"],
      [query, "SELECT ? AS given", { offset: 0 + 1 }],
      [query, "SELECT ? AS given", { maxBytes: 100 }],
      [exec, "SELECT ? AS given"],
      [exec, "INSERT INTO t (b) VALUES (?) RETURNING id"],
      [exec, "INSERT OR FAIL INTO t (b) VALUES (?)"],
      [exec, "INSERT INTO t (b) SELECT b FROM t WHERE b = ?"],
    ]) {
      assert.equal(await isRepeated(operation(text, ["a"], more), operation(text, [PANIC], more)), false, text);
    }
    const text = "SELECT ? AS one, ? AS other";
    assert.equal(await isRepeated(query(text, ["a", 1]), query(text, [PANIC, 2])), true);
    for (const other of ["a", null, 0.5, [1], 2 ** 60]) assert.equal(await isRepeated(query(text, ["a", 1]), query(text, [PANIC, other])), false, JSON.stringify(other));
    assert.equal(await isRepeated(query(text, ["a", 1]), query(text, [PANIC + "x".repeat(1_400), 1])), false, "a long text");
  });

  for (const seed of SEEDS) {
    test(`random steps have the same responses, records and state (seed ${seed})`, async () => {
      const steps = new Steps(seed);
      const [one, other] = [randomUUID(), randomUUID()];
      const begin = [exec("CREATE TABLE t(id INTEGER PRIMARY KEY, a, b TEXT)"), exec("CREATE TABLE checked(a INTEGER UNIQUE CHECK (a < 5))")];
      let lines = 0;
      /** The difference in bytes of the responses of programs, which have their duration. */
      let longer = 0;
      for (let at = 0; at < STEPS; at++) {
        const step = begin[at] ?? steps.next();
        const [repeated, checked] = [await take(worker, one, step, "short"), await take(worker, other, step, "long")];
        const shown = `step ${at}: ${JSON.stringify(step).slice(0, 200)}`;
        assert.equal(settled(repeated.text, one), settled(checked.text, other), shown);
        assert.equal(repeated.status, checked.status, shown);
        lines += 1;
        if (step.program !== undefined) longer += repeated.text.length - checked.text.length;
      }
      const linesOf = async (name) => (await worker.operationsOf({ name }, lines)).slice(0, lines).map(({ operation, rowsRead, rowsWritten, bytesOut, code }) => ({ operation, rowsRead, rowsWritten, bytesOut: operation === "execute" || bytesOut, code }));
      assert.deepEqual(await linesOf(one), await linesOf(other));
      const [first, second] = [await stateOf(worker, one), await stateOf(worker, other)];
      second.sums.bytesOut += longer;
      assert.deepEqual(first, second);
    });
  }

  test("a body with spaces is repeated, and a body that means something else is not", async () => {
    const session = randomUUID();
    const text = (body) => sendFramed(worker, path(session), body);
    const statement = (value) => query("SELECT ? AS given, 'a  \\\" b' AS text", [value]);
    const written = JSON.stringify(statement(PANIC));
    for (const body of [
      written.replace('"sql"', '"sql":"SELECT 1","sql"'),
      written.replace("'a  ", "'a "),
      written.replace("a  ", "a \\u0020"),
      written.replace(/\]}$/, ",1]}"),
      written.replace(/}$/, ',"scope":{"column":"a","value":1}}'),
      written.replace(/}$/, ',"params":[]}'),
    ]) {
      // A panic ends the repetition.
      for (let turn = 0; turn < UNTIL_REPEATED; turn++) await send(worker, session, statement("a"));
      const repeated = await text(asPython(statement(PANIC)));
      assert.deepEqual([repeated.status, JSON.parse(repeated.text).results], [200, [{ given: PANIC, text: 'a  \\" b' }]]);
      assert.notEqual(body, written);
      assert.notEqual((await text(body)).status, 200, body);
    }
  });

  test("two clients at once lose nothing", async () => {
    const session = randomUUID();
    await send(worker, session, exec("CREATE TABLE t(id INTEGER PRIMARY KEY, a, b TEXT)"));
    const client = async (name) => {
      for (let turn = 0; turn < 60; turn++) {
        assert.equal((await send(worker, session, exec("INSERT INTO t (a, b) VALUES (?, ?)", [turn, name]))).status, 200);
        const counted = await send(worker, session, query("SELECT count(*) AS n FROM t WHERE b = ?", [name]));
        assert.equal(JSON.parse(counted.text).results[0].n, turn + 1);
      }
    };
    const program = () => sendFramed(worker, "/api/codemode/execute", JSON.stringify({ session, code: "for (let n = 0; n < 20; n++) await helpers.db.exec(\"INSERT INTO t (a, b) VALUES (1, 'program')\"); return 1" }));
    const [, , ran] = await Promise.all([client("one"), client("two"), program()]);
    assert.equal(ran.status, 200, ran.text);
    const counted = await send(worker, session, query("SELECT b, count(*) AS n FROM t GROUP BY b ORDER BY b"));
    assert.deepEqual(JSON.parse(counted.text).results, [{ b: "one", n: 60 }, { b: "program", n: 20 }, { b: "two", n: 60 }]);
    const metrics = JSON.parse((await send(worker, session, { operation: "getMetrics" })).text);
    assert.equal(metrics.operations.codes.OK, 1 + 2 * 60 * 2 + 1 + 1);
  });

  test("a trap of WebAssembly ends the repetition", async () => {
    const [session, other] = [randomUUID(), randomUUID()];
    const read = (value) => query("SELECT count(*) AS n FROM t WHERE b = ?", [value]);
    await send(worker, session, exec("CREATE TABLE t(id INTEGER PRIMARY KEY, a, b TEXT)"));
    for (let turn = 0; turn < UNTIL_REPEATED; turn++) await send(worker, session, read("a"));
    assert.equal((await send(worker, session, read(PANIC))).status, 200);
    // The instance of WebAssembly is replaced after a trap, and its memory with it.
    await send(worker, other, { operation: "getTables" });
    assert.equal((await send(worker, other, query("SELECT ?", [PANIC]))).status, 500);
    await send(worker, session, { operation: "getTables" });
    assert.equal((await send(worker, session, read(PANIC))).status, 500);
    await until(async () => (await send(worker, session, read("a"))).status === 200);
  });
});
