// Tests that no text can overflow the stack of WebAssembly or keep the gate busy: the limits hold
// inside WebAssembly, not only on the host.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Worker } from "./harness.mjs";

const BYTES = 99_000;

/** Repeats `before`, then writes `middle`, then repeats `after` as often. */
function nested([head, before, middle, after = "", tail = ""], times) {
  return head + before.repeat(times) + middle + after.repeat(times) + tail;
}

/** Repeats a shape as often as the length of a text allows. */
function longest(shape) {
  const [head, before, middle, after = "", tail = ""] = shape;
  return nested(shape, Math.floor((BYTES - Buffer.byteLength(head + middle + tail)) / Buffer.byteLength(before + after)));
}

/** Depths below, at and above the limits on depth and height. */
const DEPTHS = [10, 20, 30, 40, 48, 49, 50, 51, 90, 99, 100, 150, 298, 299, 300, 1000];

const SHAPES = {
  brackets: ["SELECT ", "(", "1", ")"],
  "open brackets": ["SELECT ", "(", ""],
  "closing brackets": ["SELECT ", ")", ""],
  "sub-selects": ["SELECT ", "(SELECT ", "1", ")"],
  "sub-selects in FROM": ["SELECT * FROM ", "(SELECT * FROM ", "t", ")"],
  additions: ["SELECT 1", "+1", ""],
  concatenations: ["SELECT 'a'", "||'a'", ""],
  conjunctions: ["SELECT 1 WHERE 1", " AND 1", ""],
  disjunctions: ["SELECT 1 WHERE 1", " OR 1", ""],
  comparisons: ["SELECT 1", "=1", ""],
  negations: ["SELECT ", "NOT ", "1"],
  minuses: ["SELECT ", "- ", "1"],
  tildes: ["SELECT ", "~", "1"],
  cases: ["SELECT ", "CASE WHEN 1 THEN ", "1", " END"],
  "open cases": ["SELECT ", "CASE ", "1"],
  calls: ["SELECT ", "abs(", "1", ")"],
  casts: ["SELECT ", "CAST(", "1", " AS TEXT)"],
  collations: ["SELECT 'a'", " COLLATE NOCASE", ""],
  "is null": ["SELECT 1", " IS NULL", ""],
  arrows: ["SELECT '{}'", "->'a'", ""],
  betweens: ["SELECT 1", " BETWEEN 1 AND 1", ""],
  likes: ["SELECT 'a'", " LIKE 'a'", ""],
  lists: ["SELECT 1 IN (1", ",1", "", "", ")"],
  "nested lists": ["SELECT 1 IN ", "(1 IN ", "(1)", ")"],
  exists: ["SELECT ", "EXISTS(SELECT ", "1", ")"],
  unions: ["SELECT 1", " UNION SELECT 1", ""],
  values: ["VALUES (1)", ",(1)", ""],
  joins: ["SELECT * FROM t", " JOIN t", ""],
  commas: ["SELECT * FROM t", ",t", ""],
  columns: ["SELECT a", ",a", ""],
  "common table expressions": ["WITH a AS (SELECT 1)", ",a AS (SELECT 1)", "", "", " SELECT 1"],
  "nested common table expressions": ["", "WITH a AS (", "SELECT 1", ") SELECT 1"],
  windows: ["SELECT ", "sum(", "1", ") OVER ()"],
  "row values": ["SELECT ", "(1,", "1", ")"],
  "column definitions": ["CREATE TABLE t(a", ",a", "", "", ")"],
  checks: ["CREATE TABLE t(a CHECK (", "(", "1", ")", "))"],
  parameters: ["SELECT ?", ",?", ""],
  semicolons: ["SELECT 1", ";", ""],
  comments: ["SELECT 1", "/**/", ""],
  "line comments": ["SELECT 1", "--\n", ""],
  quotes: ["SELECT '", "''", "", "", "'"],
  fences: ["", "```sql\n", "SELECT 1", "\n```"],
  backticks: ["", "`", "SELECT 1"],
  dots: ["SELECT a", ".a", ""],
  spaces: ["SELECT", " ", "1"],
  nul: ["SELECT ", "\u0000", "1"],
  "wide characters": ["SELECT '", "😀", "", "", "'"],
};

const refusedOrDone = (status) => status === 200 || (status >= 400 && status < 500);

describe("depth", () => {
  let worker;
  before(async () => (worker = await Worker.start({ settings: { QUERY_TIMEOUT_MS: "20000", OPERATION_LOG: "off" } })));
  after(() => worker.stop());

  const review = async (text) => {
    const response = await worker.fetch("/__test/review", { method: "POST", body: text });
    return [response.status, await response.text()];
  };

  for (const [name, shape] of Object.entries(SHAPES)) {
    test(`${name} of any depth are reviewed or refused`, async () => {
      for (const text of [longest(shape), ...DEPTHS.map((times) => nested(shape, times))]) {
        const [status, answer] = await review(text);
        assert.ok(refusedOrDone(status), `${text.length} characters: ${status} ${answer}`);
      }
    });
  }

  test("the shapes go through the whole object too, and it goes on working", async () => {
    const session = worker.session();
    await session.exec("CREATE TABLE t(a)");
    for (const [name, shape] of Object.entries(SHAPES)) {
      for (const sql of [longest(shape), nested(shape, 30), nested(shape, 49), nested(shape, 98)]) {
        const { status, body } = await session.call("exec", { sql });
        assert.ok(refusedOrDone(status), `${name}: ${status} ${JSON.stringify(body).slice(0, 300)}`);
      }
    }
    assert.equal((await session.query("SELECT 1 AS one")).results[0].one, 1);
  });

  test("deep JSON in a body is refused", async () => {
    const session = worker.session();
    for (const shape of [["", "[", "1", "]"], ["", '{"a":', "1", "}"]]) {
      const value = nested(shape, 100_000);
      const asParameter = await session.fetch("", { method: "POST", body: `{"operation":"query","sql":"SELECT ?","params":[${value}]}` });
      assert.equal(asParameter.status, 400);
      const asRecord = await session.fetch("", { method: "POST", body: `{"operation":"batchInsert","table":"t","records":[{"a":${value}}]}` });
      assert.ok(refusedOrDone(asRecord.status) && asRecord.status !== 200, `${asRecord.status}`);
    }
  });
});
