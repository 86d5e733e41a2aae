// Tests of random hostile programs (tests/sandbox/mutate.mjs): none exceeds the time of its request
// by more than two seconds.
//
// The seeds are fixed, so that a failure is repeatable; CODEMODE_SEEDS=1000-2000 runs others, and
// CODEMODE_MUTATION_MS limits the duration of the test. The time is the response's own
// `durationMs`, which excludes the queue, and the Worker has to serve an honest program afterwards.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { mutated } from "../sandbox/mutate.mjs";
import { Worker } from "./harness.mjs";
import { post, result } from "./program-client.mjs";

const read = async (name) => JSON.parse(await readFile(new URL(`../sandbox/hostile/${name}.json`, import.meta.url), "utf8"));
const programs = (await Promise.all(["grammar", "endless"].map(read))).flat();

const TIMEOUT_MS = 200;
const MOST_OVERRUN_MS = 2_000;
/** The time without a response after which the program is blocking the Worker. */
const WEDGED_MS = 30_000;
const [FIRST, LAST] = (process.env.CODEMODE_SEEDS ?? "1-150").split("-").map(Number);
const BUDGET_MS = Number(process.env.CODEMODE_MUTATION_MS ?? 120_000);

let worker;
before(async () => (worker = await Worker.start()));
after(() => worker.stop());

test("no mutated program outlives its time by more than two seconds", async (context) => {
  const began = Date.now();
  const ends = {};
  let ran = 0;
  let worst = { overrunMs: -Infinity };
  for (let seed = FIRST; seed <= LAST && Date.now() - began < BUDGET_MS; seed++) {
    const code = mutated(seed, programs);
    const body = { session: randomUUID(), code, timeoutMs: TIMEOUT_MS };
    const response = await post(worker, body, {}, { signal: AbortSignal.timeout(WEDGED_MS) }).catch((error) => {
      throw new Error(`seed ${seed} took the Worker with it: ${error}\n${code}`);
    });
    const answer = await response.json();
    const end = answer.error?.code ?? "success";
    ends[end] = (ends[end] ?? 0) + 1;
    ran += 1;
    const overrunMs = answer.durationMs - TIMEOUT_MS;
    if (overrunMs > worst.overrunMs) worst = { overrunMs, seed };
    assert.ok(overrunMs <= MOST_OVERRUN_MS, `seed ${seed} ran ${overrunMs} ms too long and ended with ${end}:\n${code}`);
    assert.notEqual(end, "RESULT_LOST", `seed ${seed} had to be given up:\n${code}`);
  }
  assert.equal(await result(worker, randomUUID(), "return 6 * 7"), 42);
  context.diagnostic(`${ran} programs, the worst ${worst.overrunMs} ms over its ${TIMEOUT_MS} ms (seed ${worst.seed}); ${JSON.stringify(ends)}`);
  assert.ok(ran >= 20, `${ran} programs only`);
});
