// Ends what would never end. The prepared program calls these from its loops and functions, see crates/program/src.
//
// Work is counted in units, about one for an iteration of arithmetic and four for any other or a call; the clock is looked at besides, where it
// moves. Between two looks are at most MOST_ENTRIES iterations and calls, and fewer the longer the texts are that the program has: one
// operation on a text takes as long as the text is. Once a run is over, whatever still executes gets the same error at its next loop, call or
// timer, so that catching it helps nobody.

const now = Date.now;
export const later = globalThis.setTimeout;

const { clz32, min, max } = Math;
const { BigInt: toWide, Number: toPlain } = globalThis;
const { assign, getPrototypeOf: parentOf } = Object;
const { isArray: isList } = Array;
/** @type {{isView(value: unknown): boolean}} */
const { isView: isViewOfBytes } = ArrayBuffer;
const { apply: applyTo } = Reflect;
const { iterator: iterates, asyncIterator: iteratesLater } = Symbol;
const Turn = Promise;
const Text = String;
const TooLarge = RangeError;

/** Iterations and calls between two looks at the clock, while all texts are short. */
const MOST_ENTRIES = 256;
/** Iterations and calls between two looks, times the characters of the longest text: some 150 ms of reading, and five times that where it is read as a number. */
const MOST_CHARACTERS = 1 << 27;
/** The work of an iteration that is no arithmetic, or of a call. */
const ENTRY_UNITS = 4;
/** So much work makes an object whose copy takes as long as an entry may. */
const UNITS_OF_COPY = 8_000;
/** The largest slice of arithmetic: about a millisecond. */
const MOST_UNITS = 1 << 18;
/** From here on a list is looked at before it is copied. */
const LONG_LIST = 4096;
/** Texts up to here are short. */
const LONG_TEXT = 1 << 20;
/** No call and no result takes a longer text, and an isolate has 128 MB. */
const MOST_TEXT = 1 << 25;

/** The characters that a text has at most. */
export const mostOfText = () => MOST_TEXT;
/** Elements that a list gives at most, where it is gone through by the language. */
const MOST_ELEMENTS = 1 << 24;
/** Steps of iterators, and calls of the language by itself, between two looks. */
const MOST_STEPS = 64;
/** Places of a list that become keys of an object. */
const MOST_COPIED = 1 << 18;
/** Places of a list whose keys are asked for: half a second. */
const MOST_NAMED = 1 << 22;
/** BigInts beyond so many bits are looked at, and none has more than the second. */
const WIDE_BITS = 1 << 16;
const MOST_BITS = 1 << 20;

// Without a prototype: what a program hangs there must not be asked for the count.
const count = { __proto__: null, seenTurns: 0, all: 0, left: 0, slice: 0, seenMs: 0, granted: 0, most: 0, lookedMs: 0, longest: 0, startMs: 0, timeoutMs: 0, waitingSinceMs: 0, waitedMs: 0, open: 0, turns: 0, over: /** @type {Halt | null} */ (null) };

/** Why a run is over. Its stack says where. */
export class Halt extends Error {
  name = "Halt";
}

/** Starts the count for a run. */
export function begin(units, timeoutMs) {
  const time = now();
  assign(count, { all: units, left: units, slice: 0, seenMs: time, granted: 0, most: MOST_ENTRIES, lookedMs: time, longest: LONG_TEXT, startMs: time, timeoutMs, waitedMs: 0, open: 0, turns: 1, over: null });
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

/** Time that the program itself has used: what the host took to respond does not count. */
function spentMs(time) {
  return time - count.startMs - count.waitedMs - (count.open > 0 ? time - count.waitingSinceMs : 0);
}

function check(time) {
  if (count.over) throw count.over;
  if (spentMs(time) > count.timeoutMs) throw halt("EXECUTION_TIMEOUT");
}

/** Called when a slice of arithmetic is used up: the size of the next. Slices shrink where the clock shows that a unit takes long. */
export function refill() {
  const time = now();
  count.left -= count.slice;
  if (count.left <= 0) halt("EXECUTION_LIMIT");
  check(time);
  const tookMs = time - count.seenMs;
  count.seenMs = time;
  count.slice = count.slice === 0 ? 256 : tookMs > 20 ? max(64, count.slice >> 2) : tookMs < 10 ? min(MOST_UNITS, count.slice << 1) : count.slice;
  return count.slice;
}

/** Called when iterations and calls are used up, with what is left of them, which is less than nothing: how many may follow until the next look. */
export function look(left) {
  const time = now();
  count.left -= (count.granted - left) * ENTRY_UNITS;
  if (count.left <= 0) halt("EXECUTION_LIMIT");
  check(time);
  const tookMs = time - count.lookedMs;
  count.lookedMs = time;
  count.granted = tookMs > 10 ? count.granted >> 2 : min(count.most, (count.granted << 1) | 1);
  return count.granted;
}

/** How many entries copying an object counts as: the more the longer it may be, which is no longer than the work so far. */
export function copyWeight() {
  return 1 + min(MOST_ENTRIES, ((count.all - count.left) / UNITS_OF_COPY) | 0);
}

/** Work of ours on behalf of the program: throws when its time is up. */
export function spend() {
  check(now());
}

/** Work that one call of the language does, in units of about a nanosecond each, before it begins. */
export function charge(units) {
  count.left -= units;
  if (count.left <= 0) halt("EXECUTION_LIMIT");
  check(now());
}

/** The program gives what takes back the entries that it was granted, and says how many of them are left. */
export function connect(cut) {
  connect.cut = cut;
}

/**
 * The program is evaluated before this module, and may have given it already.
 *
 * @type {(() => number) | undefined}
 */
connect.cut = connect.cut ?? undefined;

/** From now on the clock is looked at after so many entries, and after the next. */
function atMost(entries) {
  if (entries >= count.most) return;
  count.most = entries;
  const left = connect.cut?.() ?? 0;
  count.left -= (count.granted - left) * ENTRY_UNITS;
  count.granted = 0;
}

/** The program has a text of that length: what it does with it takes longer, so the clock is looked at more often. */
export function longest(length) {
  if (length <= count.longest) return;
  count.longest = length;
  steps = 0;
  atMost((MOST_CHARACTERS / length) | 0);
}

/** A text that has become long. */
export function grown(value) {
  checkText(value.length);
  check(now());
  return value;
}

/** Refuses a text that is longer than one may be, and looks at the clock more often for one that is long. */
export function checkText(length) {
  if (length > MOST_TEXT) throw new TooLarge(`Invalid string length: a text of a program has ${MOST_TEXT} characters at most`);
  longest(length);
}

/** Steps of the language until the next look at the clock. */
let steps = MOST_STEPS;

let wideLimit = 0n;
let mostLimit = 0n;

function isWide(value) {
  if (wideLimit === 0n) {
    wideLimit = 1n << toWide(WIDE_BITS);
    mostLimit = 1n << toWide(MOST_BITS);
  }
  return value > wideLimit || value < -wideLimit;
}

function tooWide() {
  throw new TooLarge(`Maximum BigInt size exceeded: a BigInt of a program has ${MOST_BITS} bits at most`);
}

/** A BigInt that an operator made. */
export function wide(value) {
  if (!isWide(value)) return value;
  if (value > mostLimit || value < -mostLimit) tooWide();
  // Writing it as text takes some 70 ms at most.
  atMost(4);
  check(now());
  return value;
}

/** What a BigInt is about to be multiplied with in place. */
export function factor(value) {
  if (typeof value === "bigint" && isWide(value)) tooWide();
  return value;
}

/** What a BigInt is about to be raised to in place. */
export function exponent(value) {
  if (typeof value === "bigint" && value > 64n) tooWide();
  return value;
}

/** base ** by, whose size is known before: a BigInt has four bits more for each hexadecimal digit. */
export function power(base, by) {
  if (typeof base !== "bigint" || typeof by !== "bigint" || by <= 1n) return base ** by;
  if (isWide(base)) tooWide();
  let bits = 1n;
  for (let magnitude = base < 0n ? -base : base; magnitude > 0xffff_ffffn; magnitude >>= 32n) bits += 32n;
  if (base > 1n || base < -1n) {
    if (bits === 1n) bits = toWide(32 - clz32(toPlain(base < 0n ? -base : base)));
    if ((bits - 1n) * by > MOST_BITS) tooWide();
  }
  return wide(base ** by);
}

// ---- What gives its elements by itself

/** The language has done a step by itself: one that calls no function of the program passes no other guard. */
export function step() {
  if (--steps >= 0) return;
  // With a long text each step may take as long as reading it.
  steps = min(MOST_STEPS, count.most);
  charge(MOST_STEPS * ENTRY_UNITS);
}

/** The ways of the language through what has as many elements as there is memory for: the method, and the iterator that it makes. */
const WAYS = [Array.prototype, prototypeAbove(Uint8Array), Map.prototype, Set.prototype, Text.prototype].map((owner) => {
  const method = owner[iterates];
  const made = parentOf(applyTo(method, owner === Text.prototype ? "" : owner === Map.prototype ? new Map() : owner === Set.prototype ? new Set() : new Uint8Array(), []));
  return { owner, method, made, next: made.next };
});
const [OF_LISTS, OF_TYPED, , , OF_TEXTS] = WAYS;
const listParent = Object.prototype;
const ownName = Object.prototype.hasOwnProperty;

function prototypeAbove(constructor) {
  return parentOf(constructor.prototype);
}

/** Nothing that the program did makes it longer than it is. */
function isWayOf(way, method) {
  return method === way.method && way.made.next === way.next;
}

/** A list that has its elements itself: what it lacks is not looked for in a long chain of prototypes. */
function isPlain(list) {
  return parentOf(list) === OF_LISTS.owner && parentOf(OF_LISTS.owner) === listParent;
}

/** Whether going through it ends soon: it is in memory, and nothing of the program is asked. */
function isFinite(value, method) {
  if (typeof value === "string") return isWayOf(OF_TEXTS, method) && weigh(value.length);
  if (isList(value)) return isWayOf(OF_LISTS, method) && (value.length <= MOST_STEPS || isPlain(value)) && weigh(value.length);
  if (isViewOfBytes(value)) return isWayOf(OF_TYPED, method) && weigh(value.length);
  const parent = parentOf(value);
  for (let at = 2; at < 4; at++) {
    const way = WAYS[at];
    if (way.made.next !== way.next) continue;
    if (parent === way.owner ? method === way.method : parent === way.made && !applyTo(ownName, value, ["next"]) && !applyTo(ownName, value, [iterates])) return true;
  }
  return false;
}

/** Charges for so many elements. */
function weigh(elements) {
  if (elements > MOST_ELEMENTS) throw new TooLarge(`Invalid array length: the language goes through ${MOST_ELEMENTS} elements at most by itself, not ${elements}`);
  if (elements > LONG_LIST) charge(elements);
  return true;
}

/** An iterator whose steps count. */
export function counted(inner) {
  if ((typeof inner !== "object" && typeof inner !== "function") || inner === null) return inner;
  const { next } = inner;
  return {
    __proto__: null,
    [iterates]() {
      return this;
    },
    next(...values) {
      step();
      return applyTo(next, inner, values);
    },
    get return() {
      const close = inner.return;
      return close === undefined || close === null ? undefined : (...values) => applyTo(close, inner, values);
    },
  };
}

/** What the language goes through by itself, with steps that count unless it is known how many there are. */
export function iterable(value) {
  if (value === null || value === undefined) return value;
  const method = value[iterates];
  if (typeof method !== "function" || ((typeof value === "object" || typeof value === "string") && isFinite(value, method))) return value;
  return countedSteps(value, method);
}

/** The same, where each step counts in any case. */
export function countedSteps(value, method = value[iterates]) {
  return { __proto__: null, [iterates]: () => counted(applyTo(method, value, [])) };
}

/** What the language goes through later and by itself. */
export function iterableLater(value) {
  const method = value?.[iteratesLater];
  if (typeof method !== "function") return iterable(value);
  return { __proto__: null, [iteratesLater]: () => counted(applyTo(method, value, [])) };
}

/**
 * The key of each value under which it is the same with steps that count, for the rest of a pattern: a program does not know the key, and what
 * lists keys leaves it out.
 */
export function restKey() {
  if (restKey.key === undefined) restKey.key = Symbol();
  return restKey.key;
}
/**
 * The program is evaluated before this module, and has asked already.
 *
 * @type {symbol | undefined}
 */
restKey.key = restKey.key ?? undefined;

Object.defineProperty(listParent, restKey(), {
  get() {
    return iterable(this);
  },
  enumerable: false,
  configurable: true,
});

/** What is about to be spread. */
export function spread(value) {
  if (!isList(value)) check(now());
  return iterable(value);
}

/** What is about to be copied into an object: each place of a text or a list becomes a key, which takes two microseconds. */
export function copied(value) {
  const places = placesOf(value);
  if (places > MOST_COPIED) throw new TooLarge(`Invalid array length: ${places} elements are too many for the keys of an object: copy a list with [...list]`);
  return value;
}

/** The places of a text, also of one that is an object, of a list, or of bytes. */
function placesOf(value) {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return isList(value) || isViewOfBytes(value) || value instanceof Text ? toPlain(value.length) || 0 : 0;
}

/** What is about to give its keys, some of which it may inherit: a text and bytes have one for each place. */
export function named(value) {
  let depth = 0;
  for (let at = value; at !== null && at !== undefined && depth < MOST_STEPS; depth++, at = parentOf(at)) if (placesOf(at) > MOST_COPIED && !isList(at)) copied(at);
  if (isList(value) && value.length > MOST_NAMED) copied(value);
  return value;
}

/** For loops that await: lets timers and results through, unless one came since the last time. */
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

/** The host has responded. */
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
