// Tests that workerd has every function that the gate allows: the list of docs/sql-policy.md, which
// a test on the host compares with the table of the code.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { Worker } from "./harness.mjs";

const page = readFileSync(new URL("../../docs/sql-policy.md", import.meta.url), "utf8");
const names = /```functions\n([^`]*)```/.exec(page)[1].split(/\s+/).filter(Boolean);
/** Words that stand without brackets, and an operator that looks like a call. */
const WORDS = ["current_date", "current_time", "current_timestamp"];
const MOST_ARGUMENTS = 5;

let worker;
before(async () => (worker = await Worker.start()));
after(() => worker.stop());

test("the engine knows every function that a statement may call", async () => {
  assert.ok(names.length > 100, String(names.length));
  const session = worker.session();
  const unknown = [];
  for (const name of names) {
    const codes = new Set();
    for (let count = 0; count <= MOST_ARGUMENTS; count++) {
      const call = WORDS.includes(name) ? name : `${name}(${Array(count).fill("1").join(", ")})`;
      const { body } = await session.call("query", { sql: `SELECT ${call} AS value` });
      codes.add(body.success ? "OK" : body.error.code);
      if (body.success) break;
    }
    if (codes.has("NO_SUCH_FUNCTION") || codes.has("SQL_BLOCKED")) unknown.push(`${name}: ${[...codes].join(" ")}`);
  }
  assert.deepEqual(unknown, []);
});
