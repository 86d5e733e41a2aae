// Tests of statements that are short as text and long as work, in the engine that runs them: they
// are refused soon, and the session continues.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Worker } from "./harness.mjs";

/**
 * The time within which a statement must be refused. A refusal takes a few milliseconds; a bomb
 * that compiles takes a minute and more.
 */
const SOON_MS = 5_000;

const chain = (levels, first, step) =>
  `WITH a0 AS (${first}), ` +
  Array.from({ length: levels }, (_, level) => `a${level + 1} AS (${step.replaceAll("PREV", `a${level}`)})`).join(", ");
const DOUBLE = "SELECT p.x FROM PREV p, PREV q";

describe("statements that are long work", () => {
  let worker;
  before(async () => (worker = await Worker.start()));
  after(() => worker.stop());

  async function refused(session, operation, fields) {
    const began = performance.now();
    const error = await session.error(operation, fields);
    assert.equal(error.code, "QUERY_TOO_EXPENSIVE", JSON.stringify(error).slice(0, 400));
    assert.ok(error.hint.length > 20, error.hint);
    const took = performance.now() - began;
    assert.ok(took < SOON_MS, `${took} ms: ${fields.sql.slice(0, 200)}`);
  }

  test("names that multiply are refused in a query, a view and a table", async () => {
    const session = worker.session();
    await session.exec("CREATE TABLE t (i)");
    const bomb = chain(20, "SELECT 1 AS x", DOUBLE);
    await refused(session, "query", { sql: `${bomb} SELECT count(*) FROM a20` });
    await refused(session, "query", { sql: `EXPLAIN QUERY PLAN ${bomb} SELECT count(*) FROM a20` });
    await refused(session, "exec", { sql: `CREATE VIEW v AS ${bomb} SELECT x FROM a20` });
    await refused(session, "exec", { sql: `INSERT INTO t ${bomb} SELECT x FROM a20` });
    await refused(session, "query", { sql: `${chain(20, "SELECT i AS x FROM t", "SELECT x + x AS x FROM PREV")} SELECT x FROM a20` });
    await session.exec("CREATE VIEW v0 AS SELECT i AS x FROM t");
    for (let level = 1; level <= 7; level += 1) {
      await session.exec(`CREATE VIEW v${level} AS SELECT p.x FROM v${level - 1} p, v${level - 1} q`);
    }
    await refused(session, "exec", { sql: "CREATE VIEW v8 AS SELECT p.x FROM v7 p, v7 q, v7 r" });
    await refused(session, "query", { sql: "SELECT count(*) FROM v7 a, v7 b, v7 c" });
    assert.equal((await session.ok("getTables", {})).tables.length, 9);
    await session.exec("DROP VIEW v7");
  });

  test("a recursion that hands on long rows ends with an error, an honest one gives what it gave", async () => {
    const session = worker.session();
    await session.exec("CREATE TABLE nodes (id INTEGER PRIMARY KEY, parent INTEGER, name TEXT)");
    await session.exec("INSERT INTO nodes VALUES (1, NULL, 'root'), (2, 1, 'branch'), (3, 2, 'leaf')");
    for (const sql of [
      "WITH RECURSIVE r(n, s) AS (SELECT 1, zeroblob(1000000) UNION ALL SELECT n + 1, s FROM r WHERE n < 100000) SELECT count(*) FROM r",
      "WITH RECURSIVE r(n, s) AS (SELECT 1, '' UNION ALL SELECT n + 1, s || 'a' FROM r) SELECT count(*) FROM r",
      "WITH RECURSIVE r(s) AS (SELECT 'a' UNION ALL SELECT s || s FROM r) SELECT count(*) FROM r",
    ]) {
      await refused(session, "query", { sql });
    }
    const paths = await session.query(
      "WITH RECURSIVE p(id, path) AS (SELECT id, name FROM nodes WHERE parent IS NULL UNION ALL " +
        "SELECT nodes.id, path || '/' || name FROM nodes JOIN p ON parent = p.id) SELECT path FROM p",
    );
    assert.deepEqual(paths.results.map(({ path }) => path), ["root", "root/branch", "root/branch/leaf"]);
    const words = await session.query(
      "WITH RECURSIVE s(word, rest) AS (SELECT '', ? || ',' UNION ALL " +
        "SELECT substr(rest, 1, instr(rest, ',') - 1), substr(rest, instr(rest, ',') + 1) FROM s WHERE rest <> '') SELECT count(*) AS words FROM s WHERE word <> ''",
      [Array.from({ length: 2_000 }, (_, word) => `word${word}`).join(",")],
    );
    assert.deepEqual(words.results, [{ words: 2_000 }]);
  });

  test("functions of two long values are refused, of long and short ones they run", async () => {
    const session = worker.session();
    const long = "a".repeat(1_000_000);
    const needle = `${"a".repeat(500_000)}b`;
    for (const call of ["instr(?, ?)", "replace(?, ?, '')", "trim(?, ?)"]) {
      await refused(session, "query", { sql: `SELECT ${call}`, params: [long, needle] });
    }
    const { results } = await session.query("SELECT instr(?, 'b') AS place, length(replace(?, 'a', 'b')) AS length", [`${long}b`, long]);
    assert.deepEqual(results, [{ place: 1_000_001, length: 1_000_000 }]);
  });
});
