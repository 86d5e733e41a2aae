// Tests of the hostile statements that workerd's SQLite would run without the gate, sent through
// the Worker: none changes data that are not the user's.
//
// The host runs the whole corpus (crates/sql-gate/tests/it/corpus/); this test sends it to the
// engine that is deployed.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { Worker } from "./harness.mjs";

const corpus = new URL("../corpus/", import.meta.url);
const lines = (await readFile(new URL("hostile.jsonl", corpus), "utf8")).split("\n").filter(Boolean).map((line) => JSON.parse(line));
const setup = (await readFile(new URL("setup.sql", corpus), "utf8")).replace(/^--.*$/gm, "").split(/;\s*$/m).map((sql) => sql.trim()).filter(Boolean);

/** With fewer statements, the corpus is not the one that this test was written for. */
const FEWEST_STATEMENTS = 300;

/** The targets of the statements, as rows. */
const VICTIMS = [
  "SELECT key, value FROM session_state ORDER BY key",
  "SELECT id, message FROM execution_logs ORDER BY id",
  "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name",
  "SELECT count(*) AS c FROM docs WHERE docs MATCH 'database'",
];

const textOf = ({ sql, build }) => sql ?? build.map((piece) => (typeof piece === "string" ? piece : piece.repeat[0].repeat(piece.repeat[1]))).join("");

let worker;
before(async () => (worker = await Worker.start()));
after(() => worker.stop());

test("no statement that the engine would run changes what is not the user's", async () => {
  const session = worker.session();
  for (const sql of setup) await session.exec(sql);
  await session.ok("saveState", { key: "k", value: { secret: 1 } });
  await session.ok("batchInsert", { table: "kv", records: [{ key: "logged" }] });
  const print = async () => JSON.stringify(await Promise.all(VICTIMS.map((sql) => session.query(sql).then(({ results }) => results))));
  const unharmed = await print();
  assert.ok(unharmed.includes("secret"), unharmed);

  const run = lines.filter((line) => line.engine_executes);
  assert.ok(run.length >= FEWEST_STATEMENTS, `${run.length} statements`);
  let refused = 0;
  for (const line of run) {
    for (const sql of line.setup ?? []) await session.call("exec", { sql });
    const { status, body } = await session.call("exec", { sql: textOf(line) });
    assert.ok(status < 500, `${status} for ${textOf(line).slice(0, 200)}: ${JSON.stringify(body)}`);
    if (!body.success) refused += 1;
    if (line.harms || refused % 50 === 0) assert.equal(await print(), unharmed, `harmed by ${textOf(line).slice(0, 300)}`);
  }
  assert.equal(await print(), unharmed);
  assert.ok(refused >= FEWEST_STATEMENTS - 60, `${refused} of ${run.length} refused`);
});

test("the alarm, the migrations and the state are there for the next request", async () => {
  const session = worker.session();
  await session.ok("saveState", { key: "after", value: [1] });
  for (const { harms, ...line } of lines.filter((candidate) => candidate.harms)) await session.call("exec", { sql: textOf(line) });
  assert.deepEqual((await session.ok("getState", { key: "after" })).value, [1]);
  assert.deepEqual((await session.ok("getTables")).tables, []);
});
