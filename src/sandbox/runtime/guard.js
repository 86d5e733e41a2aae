// Ends what would never end. The prepared program calls these from its loops and functions, see src/sandbox/prepare.
//
// Work is counted in units, about one for an iteration or call; the clock is looked at besides, where it moves. Once a run is over, whatever
// still executes gets the same error at its next loop, call or timer, so that catching it helps nobody.

const now = Date.now;
export const later = globalThis.setTimeout;

const { min, max } = Math;
const { assign } = Object;
const Turn = Promise;

// Without a prototype: what a program hangs there must not be asked for the count.
const count = { __proto__: null, seenTurns: 0, left: 0, slice: 0, seenMs: 0, startMs: 0, timeoutMs: 0, waitingSinceMs: 0, waitedMs: 0, open: 0, turns: 0, over: null };

/** Why a run is over. Its stack says where. */
export class Halt extends Error {
  name = "Halt";
}

/** Starts the count for a run. */
export function begin(units, timeoutMs) {
  const time = now();
  assign(count, { left: units, slice: 0, seenMs: time, startMs: time, timeoutMs, waitedMs: 0, open: 0, turns: 1, over: null });
}

/** Ends the run from outside: the first reason stays. */
export function halt(code) {
  count.over ??= new Halt(code);
  return count.over;
}

/** Why the run is over, or null. */
export function halted() {
  return count.over;
}

/** Time that the program itself has used: what the host took to answer does not count. */
function spentMs(time) {
  return time - count.startMs - count.waitedMs - (count.open > 0 ? time - count.waitingSinceMs : 0);
}

function check(time) {
  if (count.over) throw count.over;
  if (spentMs(time) > count.timeoutMs) throw halt("EXECUTION_TIMEOUT");
}

/** Called when a slice of the work is used up: the size of the next. Slices shrink where the clock shows that a unit takes long. */
export function refill() {
  const time = now();
  count.left -= count.slice;
  if (count.left <= 0) halt("EXECUTION_LIMIT");
  check(time);
  const tookMs = time - count.seenMs;
  count.seenMs = time;
  count.slice = count.slice === 0 ? 256 : tookMs > 100 ? max(64, count.slice >> 2) : tookMs < 20 ? min(1 << 22, count.slice << 1) : count.slice;
  return count.slice;
}

/** Work of ours on behalf of the program: throws when its time is up. */
export function spend() {
  check(now());
}

/** For loops that await: lets timers and answers through, unless one came since the last time. */
export async function pause() {
  check(now());
  const turns = count.turns;
  if (turns === count.seenTurns) await new Turn((done) => later(done, 0));
  count.turns += 1;
  count.seenTurns = count.turns;
  check(now());
  return 256;
}

/** The host was asked something. */
export function opened() {
  if (count.open++ === 0) count.waitingSinceMs = now();
}

/** The host has answered. */
export function closed() {
  count.turns += 1;
  if (--count.open === 0) count.waitedMs += now() - count.waitingSinceMs;
}

/** A timer's turn has come: false when the run is over and it must do nothing. */
export function turn() {
  count.turns += 1;
  if (!count.over && spentMs(now()) > count.timeoutMs) halt("EXECUTION_TIMEOUT");
  return count.over === null;
}

/** Calls that the host has not answered. */
export function openCalls() {
  return count.open;
}

/** Milliseconds since the start. */
export function atMs() {
  return now() - count.startMs;
}
