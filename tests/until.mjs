// Waiting for conditions in tests.

import { setTimeout as wait } from "node:timers/promises";

const ASK_EVERY_MS = 20;
/**
 * The limit of a wait, which only a failing test reaches: a busy machine takes some seconds for
 * work that usually takes a moment.
 */
const PATIENCE_MS = 60_000;

/** Returns the first value of `condition` that is truthy; throws after `limitMs`. */
export async function until(condition, limitMs = PATIENCE_MS) {
  const end = performance.now() + limitMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > end) throw new Error(`it did not come about in ${limitMs} ms: ${condition}`);
    await wait(ASK_EVERY_MS);
  }
}
