// Tests of every function that a program can reach, with every argument that can make a call long
// (tests/sandbox/matrix.mjs): none exceeds the time of its program by more than two seconds.
// Functions of a later workerd are called as well, because the programs find them by themselves.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { CELLS_OF_PROGRAM, cells, listing, matrix, next } from "../sandbox/matrix.mjs";
import { Worker } from "./harness.mjs";
import { post, result } from "./program-client.mjs";

const TIMEOUT_MS = 150;
const MOST_OVERRUN_MS = 2_000;
/** The time without a response after which the program is blocking the Worker. */
const WEDGED_MS = 60_000;
/**
 * Sequences of programs that run in parallel. Isolates share the thread of their Worker, so two
 * would only delay each other.
 */
const LANES = 1;
/**
 * The functions of the language, of the platform and of the product. With fewer, the walk does not
 * find them.
 */
const FEWEST_FUNCTIONS = 700;

let worker;
before(async () => (worker = await Worker.start()));
after(() => worker.stop());

/**
 * The number of tries of a late program. A busy machine delays one run; a call without a limit
 * delays each.
 */
const TRIES = 4;
/** One in this many values of each function is tried; CODEMODE_MATRIX=all tries all of them. */
const EVERY = process.env.CODEMODE_MATRIX === "all" ? 1 : 3;

/** Returns the response to a program, which must end in time. */
async function run(at, code) {
  const complaints = [];
  while (complaints.length < TRIES) {
    const { answer, complaint } = await once(at, code);
    if (complaint === undefined) return answer;
    complaints.push(complaint);
  }
  assert.fail(complaints.join("\n"));
}

async function once(at, code) {
  const body = { session: randomUUID(), code, timeoutMs: TIMEOUT_MS };
  const response = await post(worker, body, {}, { signal: AbortSignal.timeout(WEDGED_MS) }).catch((error) => {
    throw new Error(`the Worker is taken up from cell ${at.cell}, way ${at.way} on: ${error}`);
  });
  const answer = await response.json();
  const last = answer.logs?.at(-1)?.text;
  const overrunMs = answer.durationMs - TIMEOUT_MS;
  if (overrunMs > MOST_OVERRUN_MS) return { complaint: `cell ${last}, line ${answer.error?.line}: ${overrunMs} ms too long, ${JSON.stringify(answer.error)}` };
  if (answer.success || ["EXECUTION_TIMEOUT", "EXECUTION_LIMIT"].includes(answer.error.code)) return { answer };
  return { complaint: `cell ${last} from ${at.cell} on: ${JSON.stringify(answer.error)}` };
}

/** Runs the cells from one number up to another. */
async function lane(from, to, ends) {
  let at = { cell: from, way: 0 };
  while (at.cell < to) {
    const many = Math.min(CELLS_OF_PROGRAM * EVERY, to - at.cell);
    const code = cells(at.cell, at.way, many, EVERY);
    const answer = await run(at, code);
    const end = answer.error?.code ?? "success";
    ends[end] = (ends[end] ?? 0) + 1;
    if (answer.success) {
      at = { cell: at.cell + many, way: 0 };
      continue;
    }
    // Without a line in its log it had no time to begin, so it is sent again.
    const last = answer.logs.at(-1)?.text;
    if (last !== undefined) at = next(code, Number(last), answer.error.line);
  }
}

test("no function with any value outlives the time of its program by more than two seconds", async (context) => {
  const functions = await result(worker, randomUUID(), listing);
  assert.ok(functions.length >= FEWEST_FUNCTIONS, `${functions.length} functions only`);
  const total = functions.length * Object.keys(matrix.values).length;
  const ends = {};
  const part = Math.ceil(total / LANES);
  await Promise.all(Array.from({ length: LANES }, (_, index) => lane(index * part, Math.min(total, (index + 1) * part), ends)));
  assert.equal(await result(worker, randomUUID(), "return 6 * 7"), 42);
  context.diagnostic(`${functions.length} functions, ${total} cells; ${JSON.stringify(ends)}`);
});
