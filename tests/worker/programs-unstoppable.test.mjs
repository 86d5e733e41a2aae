// Tests of programs that only the platform's own limits stop: while a builtin runs, none of our
// code does, and local workerd limits neither CPU time nor memory.
//
// Each program gets its own Worker, which is killed. In production the limits of the platform end
// the isolate, see docs/programs.md. If one of these programs is stopped here some day, the page
// has to change. The Workers of this file are killed by process, so it starts no other.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { Worker } from "./harness.mjs";
import { post, result } from "./program-client.mjs";

const programs = JSON.parse(await readFile(new URL("../sandbox/hostile/unstoppable.json", import.meta.url), "utf8"));
/**
 * The time without a response after which a builtin is blocking the Worker; the program had a tenth
 * of it.
 */
const WEDGED_MS = 3_000;

describe("what only the platform's own limits stop", { concurrency: 1 }, () => {
  for (const { name, code } of programs) {
    test(`${name} takes the local process with it, and what was stored survives`, async () => {
      const worker = await Worker.start();
      try {
        const session = worker.session();
        await session.ok("saveState", { key: "before", value: 1 });
        const answer = post(worker, { session: session.name, code, timeoutMs: WEDGED_MS / 10 }, {}, { signal: AbortSignal.timeout(WEDGED_MS) });
        await assert.rejects(answer, "it answered: docs/programs.md says that it does not");
        await assert.rejects(worker.fetch("/health", { signal: AbortSignal.timeout(500) }), "the process should be taken up");
        await worker.kill();
        assert.equal((await session.ok("getState", { key: "before" })).value, 1);
        assert.equal(await result(worker, session.name, "return 1"), 1);
      } finally {
        await worker.stop();
      }
    });
  }
});
