// Tests of the table of programs (tests/sandbox/cases/), each in its own session, run as a client
// would run it.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { complaints, parseExact, readCases, requestOf } from "../sandbox/table.mjs";
import { Worker } from "./harness.mjs";

/** With fewer cases, a file of the table was not read. */
const FEWEST_CASES = 300;
/** The programs that run at the same time. */
const SIDE_BY_SIDE = 4;

const cases = await readCases();

test("the table is complete and no two cases have a name", () => {
  assert.ok(cases.length >= FEWEST_CASES, `${cases.length} cases`);
  assert.equal(new Set(cases.map(({ name }) => name)).size, cases.length);
});

describe("programs", { concurrency: SIDE_BY_SIDE }, () => {
  let worker;
  before(async () => (worker = await Worker.start()));
  after(() => worker.stop());

  async function execute(session, program) {
    const response = await worker.fetch("/api/codemode/execute", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: requestOf(session, program),
    });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return text;
  }

  for (const one of cases) {
    test(`${one.group}: ${one.name}`, async () => {
      const session = randomUUID();
      for (const code of one.setup) {
        const answer = await execute(session, { code });
        assert.equal(JSON.parse(answer).success, true, `the setup failed: ${answer}`);
      }
      const answer = await execute(session, one);
      const wrong = complaints(one.expect, answer);
      assert.deepEqual(wrong, [], `${wrong.join("\n")}\nanswer: ${answer.slice(0, 4000)}`);
      if (!one.then) return;
      const { table } = parseExact(answer).result ?? {};
      const followUp = await execute(session, { code: one.then.code.replaceAll("$table", table) });
      assert.deepEqual(complaints({ success: true, result: one.then.result }, followUp), [], followUp.slice(0, 4000));
    });
  }
});
