// Tests of the row scope in workerd with random statements, in a session with the rows of
// several tenants and in one with those of the tenant alone.
//
// tests/corpus/scope-random.jsonl has the worlds and statements of the generator that the host runs
// (crates/sql-scope/tests/it/scope/). For a long run CODEMODE_SCOPE_CASES names another file:
//
//   CODEMODE_SCOPE_SEEDS=100-160 CODEMODE_SCOPE_CASES=/tmp/cases.jsonl scripts/with-env cargo test -p sql-scope scope::cases
//   CODEMODE_SCOPE_CASES=/tmp/cases.jsonl scripts/with-env node --test tests/worker/scope-random.test.mjs

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { Worker } from "./harness.mjs";

const file = process.env.CODEMODE_SCOPE_CASES ?? new URL("../corpus/scope-random.jsonl", import.meta.url);
const worlds = readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line));
/**
 * The codes of the gate's own refusals. Any other failure is the engine's, and the tenant alone
 * gets it, too.
 */
const REFUSALS = ["SQL_BLOCKED", "TOO_BIG", "QUERY_TOO_EXPENSIVE", "PARAMETER_COUNT"];
const COPY = "copy_of_";

let worker;
before(async () => (worker = await Worker.start()));
after(() => worker.stop());

const quoted = (name) => `"${name.replaceAll('"', '""')}"`;
/** 1 for a row of the tenant, 0 for a row of another or of no tenant. */
const isOwnRow = (own) => `coalesce(business_id = ${own} COLLATE BINARY, 0)`;
const sorted = (rows) => rows.map((row) => JSON.stringify(row)).sort();

/** A session with the tables, which it restores after a statement. */
class Stage {
  static async make(statements, tables, own) {
    const stage = new Stage();
    stage.session = worker.session();
    for (const sql of statements) await stage.session.exec(sql);
    [stage.restoring, stage.texts] = [[], []];
    for (const table of tables) {
      const { results } = await stage.session.query("SELECT name, hidden FROM pragma_table_xinfo(?)", [table]);
      const columnsOf = (rows) => rows.map(({ name }) => quoted(name));
      stage.texts.push(`SELECT '${table}' AS name, ${columnsOf(results).map((column) => `quote(${column})`).join(" || ',' || ")} AS row, ${isOwnRow(own)} AS own FROM ${quoted(table)}`);
      const columns = columnsOf(results.filter(({ hidden }) => hidden === 0)).join(", ");
      const copy = quoted(COPY + table);
      await stage.session.exec(`CREATE TABLE ${copy} AS SELECT ${columns} FROM ${quoted(table)}`);
      stage.restoring.push(`DELETE FROM ${quoted(table)}`, `INSERT INTO ${quoted(table)} (${columns}) SELECT ${columns} FROM ${copy}`);
    }
    stage.first = await stage.rows();
    return stage;
  }

  /** Returns rows, or the code of an error. */
  async run(sql, scope) {
    const { status, body } = await this.session.call("exec", { sql, rowFormat: "array", ...(scope && { scope }) });
    // A statement that writes returns rows if it has RETURNING.
    return status === 200 ? { rows: sorted(body.results ?? []) } : { code: body.error.code };
  }

  /** Returns all rows: the tenant's, and those of others. */
  async rows() {
    const { results } = await this.session.query(this.texts.join(" UNION ALL "), undefined, { rowFormat: "array" });
    const of = (wanted) => sorted(results.filter(([, , own]) => own === wanted));
    return { own: of(1), others: of(0) };
  }

  async restore() {
    for (const sql of this.restoring) await this.session.exec(sql);
  }
}

/** Compares the outcomes of one statement, which leaves both sessions unchanged. */
async function compare({ mixed, alone, scope }, sql) {
  const outcome = await mixed.run(sql, scope);
  const later = await mixed.rows();
  assert.deepEqual(later.others, mixed.first.others, `rows of others changed: ${sql}`);
  if (REFUSALS.includes(outcome.code)) {
    assert.deepEqual(later.own, mixed.first.own, `it was refused and yet changed rows: ${sql}`);
    return "refused";
  }
  const wanted = await alone.run(sql);
  const { own } = await alone.rows();
  const isChanged = [later.own, own].some((rows) => JSON.stringify(rows) !== JSON.stringify(mixed.first.own));
  if (isChanged) await Promise.all([mixed.restore(), alone.restore()]);
  // The estimate of the work depends on all rows.
  if (wanted.code === "QUERY_TOO_EXPENSIVE") return "refused";
  assert.deepEqual(outcome.rows, wanted.rows, `responses differ: ${sql}: ${outcome.code} ${wanted.code}`);
  assert.deepEqual(later.own, own, `the tenant's rows differ: ${sql}`);
  return outcome.rows === undefined ? "failed" : outcome.rows.length > 0 ? "rows" : "ran";
}

describe("statements at random under a scope", () => {
  const counts = { refused: 0, failed: 0, ran: 0, rows: 0 };

  for (const { seed, scope, own, tables, mixed, alone, statements } of worlds) {
    test(`give the same with the rows of others present and without them, seed ${seed}`, async () => {
      const stages = { mixed: await Stage.make(mixed, tables, own), alone: await Stage.make(alone, tables, own), scope };
      assert.deepEqual(stages.mixed.first.own, stages.alone.first.own);
      for (const sql of statements) counts[await compare(stages, sql)] += 1;
    });
  }

  test("most of them run, and many have rows", (context) => {
    context.diagnostic(JSON.stringify(counts));
    const all = worlds.reduce((sum, { statements }) => sum + statements.length, 0);
    assert.ok(counts.ran + counts.rows > all / 2, JSON.stringify(counts));
    assert.ok(counts.rows > all / 4, JSON.stringify(counts));
  });
});
