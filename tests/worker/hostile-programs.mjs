// A Worker that runs hostile programs, with a check that no response contains a secret.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { parseExact } from "../sandbox/table.mjs";
import { TOKENS, Worker } from "./harness.mjs";
import { post } from "./program-client.mjs";

/**
 * Long enough to see that a program ends when its time is up; the limit of work ends most of them
 * earlier.
 */
const ENDLESS_MS = 250;
/** The longest time by which a program may exceed its limit. */
const MOST_OVERRUN_MS = 2_000;
/** The time after which a program counts as late, on a busy machine. */
const PATIENCE_MS = 60_000;
/** The token of another tenant. */
export const SECRET = "a-secret-that-no-answer-may-hold-4711";
const INTERNAL = /\b(?:runtime|prelude|guard|console|result|program)\.js\b|RpcTarget|WorkerEntrypoint/;

/** Headers of the tenant that the programs run for. */
export const HONEST = { authorization: `Bearer ${TOKENS.acme}` };

/** Reads the programs of a list in tests/sandbox/hostile/. */
export const programs = async (list) => JSON.parse(await readFile(new URL(`../sandbox/hostile/${list}.json`, import.meta.url), "utf8"));

export class Hostile {
  /** The sessions that were used before. */
  begun = new Set();

  static async start() {
    const hostile = new Hostile();
    hostile.worker = await Worker.start({ settings: { API_TOKENS: JSON.stringify({ [TOKENS.acme]: "acme", [SECRET]: "zeta" }) } });
    return hostile;
  }

  stop() {
    return this.worker.stop();
  }

  /**
   * Returns the response to a program, which contains no token and names no module of the sandbox.
   */
  async run(session, code, more = {}) {
    // The first request of a session takes the long way, and later ones the short one.
    if (!this.begun.has(session)) {
      this.begun.add(session);
      await (await post(this.worker, { session, code: "return 0" }, HONEST)).arrayBuffer();
    }
    const response = await post(this.worker, { session, code, ...more }, HONEST, { signal: AbortSignal.timeout(PATIENCE_MS) });
    const text = await response.text();
    assert.equal(response.status, 200, text.slice(0, 500));
    assert.ok(!text.includes(SECRET) && !text.includes(TOKENS.acme), "a token in the answer");
    const internal = INTERNAL.exec(text)?.[0];
    assert.ok(internal === undefined || code.includes(internal), `${internal} in the answer: ${text.slice(0, 1000)}`);
    return parseExact(text);
  }

  /** Checks that the Worker still runs an honest program. */
  async serves() {
    assert.equal((await this.run("honest", "return 6 * 7")).result, 42, "the next program");
  }

  /** Checks that a program ends with one of the codes, within two seconds of its time. */
  async ends({ code, codes = ["EXECUTION_LIMIT", "EXECUTION_TIMEOUT"] }) {
    const answer = await this.run(randomUUID(), code, { timeoutMs: ENDLESS_MS });
    assert.equal(answer.success, false, JSON.stringify(answer).slice(0, 500));
    assert.ok(codes.includes(answer.error.code), JSON.stringify(answer.error));
    assert.ok(answer.durationMs <= ENDLESS_MS + MOST_OVERRUN_MS, `it ran for ${answer.durationMs} ms`);
    await this.serves();
  }
}
