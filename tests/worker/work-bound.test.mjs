// Tests of the limit of work over tables large enough to matter: statements that would run for
// minutes are refused at once, and the honest join runs.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Worker } from "./harness.mjs";

const ROWS = 200_000;

/**
 * The rows that a refusal reads at most, because it only counts the keys of tables. Each of these
 * statements would read hundreds of times as many. Rows are counted, because the time of a
 * refusal depends on what else runs on the machine.
 */
const MOST_READ = 100 * ROWS;

const SERIES = `WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT ${ROWS})`;

const TABLES = [
  `CREATE TABLE events AS ${SERIES} SELECT i AS id, i * 7919 % 1000003 AS user_id, i % 3 AS flag, 'p' || (i % 40) AS page FROM r`,
  "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, active INTEGER)",
  `${SERIES} INSERT INTO users SELECT i * 7919 % 1000003, 'u' || i, i % 2 FROM r`,
  `CREATE TABLE "CONSTANT ROW" AS ${SERIES} SELECT i AS "a=?", i % 2 AS rowid FROM r`,
  'CREATE INDEX "SEARCH x USING INDEX (rowid=?)" ON "CONSTANT ROW" ("a=?")',
];

const REFUSED = {
  "a join on a flag": "SELECT count(*) FROM events a JOIN events b ON a.flag = b.flag",
  "a join on a flag of the other table": "SELECT count(*) FROM events e JOIN users u ON u.active = e.flag",
  "an alias that looks like a constant row": 'SELECT count(*) FROM events "CONSTANT ROW a" JOIN events b ON b.id < "CONSTANT ROW a".id',
  "an alias behind a sub-select of one row": 'SELECT count(*) FROM (SELECT 1 AS x) r, events "r USING x", users "r USING x (a=?)" WHERE "r USING x".id + r.x > "r USING x (a=?)".id',
  "an indexed column that looks like a look-up": 'SELECT count(*) FROM "CONSTANT ROW" x JOIN "CONSTANT ROW" y ON y."a=?" > x."a=?"',
  "a column of its own called rowid": 'SELECT count(*) FROM "CONSTANT ROW" x JOIN "CONSTANT ROW" y ON y.rowid = x.rowid',
  "a sub-query that scans for each row": "SELECT sum((SELECT count(*) FROM events b WHERE b.id > a.id)) FROM events a",
  "a frame without the row itself": "SELECT max(x) FROM (SELECT sum(user_id) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW) AS x FROM events)",
  "rows of a product written": "CREATE TABLE pairs AS SELECT a.id AS a, b.id AS b FROM events a, users b",
};

const HONEST = {
  "a join on a primary key": ["SELECT count(*) AS n FROM events e JOIN users u ON u.id = e.user_id", ROWS],
  "a join on a key without an index": ["SELECT count(*) AS n FROM events a JOIN events b ON a.user_id = b.user_id", ROWS],
  "an outer join on a primary key": ["SELECT count(u.id) AS n FROM events e LEFT JOIN users u ON u.id = e.user_id", ROWS],
  "a join with names of plans": ['SELECT count(*) AS n FROM "CONSTANT ROW" "SCAN x" JOIN "CONSTANT ROW" "r USING x" ON "SCAN x"."a=?" = "r USING x"."a=?"', ROWS],
  "groups joined to their rows": ["WITH g AS (SELECT flag, count(*) AS n FROM events GROUP BY flag) SELECT count(*) AS n FROM events e JOIN g ON g.flag = e.flag", ROWS],
  "a running sum": ["SELECT count(x) AS n FROM (SELECT sum(user_id) OVER (PARTITION BY flag ORDER BY id) AS x FROM events)", ROWS],
};

describe("the work bound", () => {
  let session;
  let worker;
  before(async () => {
    worker = await Worker.start({ settings: { OPERATION_LOG: "off" } });
    session = worker.session();
    for (const sql of TABLES) await session.exec(sql);
  });
  after(() => worker.stop());

  const rowsRead = async () => (await session.ok("getMetrics")).operations.rowsRead;

  for (const [name, sql] of Object.entries(REFUSED)) {
    test(`${name} is refused at once`, async (context) => {
      const before = await rowsRead();
      const error = await session.error("exec", { sql });
      const read = (await rowsRead()) - before;
      context.diagnostic(`${name}: ${read} rows`);
      assert.equal(error.status, 422, JSON.stringify(error));
      assert.equal(error.code, "QUERY_TOO_EXPENSIVE", JSON.stringify(error));
      assert.ok(error.estimatedWork > error.limit && error.hint && error.loops.length > 0, JSON.stringify(error));
      assert.ok(read < MOST_READ, `${read} rows`);
    });
  }

  for (const [name, [sql, rows]] of Object.entries(HONEST)) {
    test(`${name} passes`, async () => assert.equal((await session.query(sql)).results[0].n, rows));
  }

  test("what was refused names the index that makes it pass", async () => {
    const sql = "SELECT sum((SELECT count(*) FROM events b WHERE b.user_id = a.user_id)) AS n FROM events a";
    const error = await session.error("query", { sql });
    const advice = /CREATE INDEX [^;]+/.exec(error.hint)?.[0];
    assert.equal(advice, 'CREATE INDEX "events_user_id" ON "events" ("user_id")', error.hint);
    await session.exec(advice);
    assert.equal((await session.query(sql)).results[0].n, ROWS);
  });

  test("a table that has grown since it was counted is counted again", async () => {
    const grown = worker.session();
    await grown.exec("CREATE TABLE t (k INTEGER, flag INTEGER)");
    await grown.exec("INSERT INTO t VALUES (1, 1), (2, 1)");
    const sql = "SELECT count(*) AS n FROM t a JOIN t b ON a.flag = b.flag";
    assert.equal((await grown.query(sql)).results[0].n, 4);
    await grown.exec(`${SERIES} INSERT INTO t SELECT i, i % 2 FROM r`);
    assert.equal((await grown.error("query", { sql })).code, "QUERY_TOO_EXPENSIVE");
    await grown.exec("UPDATE t SET flag = rowid");
    assert.equal((await grown.query(sql)).results[0].n, ROWS + 2);
  });
});
