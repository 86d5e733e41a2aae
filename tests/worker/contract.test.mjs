// Tests of the cases of tests/contract/ against the built Worker in workerd. The host runs the same
// files (tests/it/contract.rs).

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { Worker } from "./harness.mjs";

const folder = new URL("../contract/", import.meta.url);
const files = await Promise.all(
  (await readdir(folder)).map(async (name) => [name.replace(".json", ""), JSON.parse(await readFile(new URL(name, folder), "utf8"))]),
);

let worker;
before(async () => (worker = await Worker.start()));
after(() => worker.stop());

/** Checks that every field of `wanted` is in `found` with an equal value. */
function assertFields(found, wanted, context) {
  for (const [field, value] of Object.entries(wanted ?? {})) assert.deepEqual(found?.[field], value, `${field}: ${context}`);
}

for (const [file, cases] of files) {
  describe(file, () => {
    for (const { name, steps } of cases) {
      test(name, async () => {
        const session = worker.session();
        for (const step of steps) {
          const body = step.sendText ?? JSON.stringify(step.send);
          const response = await session.fetch("", { method: "POST", body });
          const text = await response.text();
          const context = `sent ${body.slice(0, 300)}\ngot ${text.slice(0, 700)}`;
          assert.equal(response.status, step.status ?? 200, context);
          const answer = JSON.parse(text);
          if (step.code) assert.equal(answer.error?.code, step.code, context);
          assertFields(answer, step.expect, context);
          assertFields(answer, step.expectWorkerd, context);
          assertFields(answer.error, step.error, context);
          if (step.hint) assert.ok(answer.error?.hint?.includes(step.hint), `hint ${step.hint}: ${context}`);
          if (step.contains) assert.ok(text.includes(step.contains), `${step.contains}: ${context}`);
        }
      });
    }
  });
}
