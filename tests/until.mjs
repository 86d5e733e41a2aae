// Waiting for what must come about, in tests.

import { setTimeout as wait } from "node:timers/promises";

const ASK_EVERY_MS = 20;
/** Nothing waits as long as this but a test that fails: a busy machine takes some seconds for what usually takes a moment. */
const PATIENCE_MS = 60_000;

/** The first value of `condition` that holds; an error after `limitMs`. */
export async function until(condition, limitMs = PATIENCE_MS) {
  const end = performance.now() + limitMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > end) throw new Error(`it did not come about in ${limitMs} ms: ${condition}`);
    await wait(ASK_EVERY_MS);
  }
}
