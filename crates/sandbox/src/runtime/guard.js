// Ends programs that would never end. The prepared program calls these functions from its loops and
// functions, see crates/program/src.
//
// Work is counted in units: about one for an iteration of arithmetic, and four for any other
// iteration or a call. The clock is checked as well, where it advances. Between two checks there
// are at most MOST_ENTRIES iterations and calls, and fewer if the program has long texts, because
// one operation on a text takes time in proportion to its length. After the end of a run, code that
// still executes gets the same error at its next loop, call or timer, so catching the error does
// not help.

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

/** Iterations and calls between two clock checks while all texts are short. */
const MOST_ENTRIES = 256;
/**
 * Iterations and calls between two clock checks, times the characters of the longest text: some 150
 * ms of reading, and five times that if the text is read as a number.
 */
const MOST_CHARACTERS = 1 << 27;
/** The work of a call, or of an iteration that is not arithmetic. */
const ENTRY_UNITS = 4;
/** The work in which a program can make an object whose copy takes as long as one entry may. */
const UNITS_OF_COPY = 8_000;
/** The largest slice of arithmetic: about a millisecond. */
const MOST_UNITS = 1 << 18;
/** The length above which iterating a list is charged in advance. */
const LONG_LIST = 4096;
/** The length up to which texts are short. */
const LONG_TEXT = 1 << 20;
/** The longest text: no call and no result accepts more, and an isolate has 128 MB. */
const MOST_TEXT = 1 << 25;

/** Returns the maximum number of characters of a text. */
export const mostOfText = () => MOST_TEXT;
/** Elements of a list that the language itself may iterate. */
const MOST_ELEMENTS = 1 << 24;
/** Steps of iterators and calls by the language itself between two clock checks. */
const MOST_STEPS = 64;
/** Elements of a list that may become keys of an object. */
const MOST_COPIED = 1 << 18;
/** Elements of a list whose keys may be listed: half a second. */
const MOST_NAMED = 1 << 22;
/** BigInts with more bits than the first number are checked; none may have more than the second. */
const WIDE_BITS = 1 << 16;
const MOST_BITS = 1 << 20;

// It has no prototype, so that nothing that a program adds to one is read as a count.
const count = { __proto__: null, seenTurns: 0, all: 0, left: 0, slice: 0, seenMs: 0, granted: 0, most: 0, lookedMs: 0, longest: 0, startMs: 0, timeoutMs: 0, waitingSinceMs: 0, waitedMs: 0, open: 0, turns: 0, over: /** @type {Halt | null} */ (null) };

/** The reason why a run is over. Its stack has the position. */
export class Halt extends Error {
  name = "Halt";
}

/** Starts the count for a run. */
export function begin(units, timeoutMs) {
  const time = now();
  assign(count, { all: units, left: units, slice: 0, seenMs: time, granted: 0, most: MOST_ENTRIES, lookedMs: time, longest: LONG_TEXT, startMs: time, timeoutMs, waitedMs: 0, open: 0, turns: 1, over: null });
}

/** Ends the run from outside. The first reason stays. */
export function halt(code) {
  count.over ??= new Halt(code);
  return count.over;
}

/** Returns the reason why the run is over, or null. */
export function halted() {
  return count.over;
}

/** Returns the time that the program itself has used, without the host's response times. */
function spentMs(time) {
  return time - count.startMs - count.waitedMs - (count.open > 0 ? time - count.waitingSinceMs : 0);
}

function check(time) {
  if (count.over) throw count.over;
  if (spentMs(time) > count.timeoutMs) throw halt("EXECUTION_TIMEOUT");
}

/**
 * Returns the size of the next slice of arithmetic when one is used up. Slices shrink if the clock
 * shows that a unit takes long.
 */
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

/**
 * Returns the number of iterations and calls until the next check. It is called when they are used
 * up, with the negative rest.
 */
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

/**
 * Returns the number of entries that copying an object counts as. It grows with the work so far,
 * which bounds the size of the object.
 */
export function copyWeight() {
  return 1 + min(MOST_ENTRIES, ((count.all - count.left) / UNITS_OF_COPY) | 0);
}

/**
 * Checks the clock during work that the runtime does for the program. Throws if the program's time
 * is up.
 */
export function spend() {
  check(now());
}

/**
 * Charges for the work of one call of a built-in before it begins, in units of about a nanosecond.
 */
export function charge(units) {
  count.left -= units;
  if (count.left <= 0) halt("EXECUTION_LIMIT");
  check(now());
}

/**
 * Receives a function of the program that takes back its granted entries and returns the number
 * left.
 */
export function connect(cut) {
  connect.cut = cut;
}

/**
 * The program is evaluated before this module, and may have set it already.
 *
 * @type {(() => number) | undefined}
 */
connect.cut = connect.cut ?? undefined;

/** Limits the number of entries until the next clock check, and between all later ones. */
function atMost(entries) {
  if (entries >= count.most) return;
  count.most = entries;
  const left = connect.cut?.() ?? 0;
  count.left -= (count.granted - left) * ENTRY_UNITS;
  count.granted = 0;
}

/**
 * Records that the program has a text of this length. Operations on it take longer, so the clock is
 * checked more often.
 */
export function longest(length) {
  if (length <= count.longest) return;
  count.longest = length;
  steps = 0;
  atMost((MOST_CHARACTERS / length) | 0);
}

/** Checks a text that has become long. */
export function grown(value) {
  checkText(value.length);
  check(now());
  return value;
}

/** Refuses a text that is too long, and checks the clock more often for a long one. */
export function checkText(length) {
  if (length > MOST_TEXT) throw new TooLarge(`Invalid string length: a text of a program has at most ${MOST_TEXT} characters`);
  longest(length);
}

/** Steps of the language until the next clock check. */
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
  throw new TooLarge(`Maximum BigInt size exceeded: a BigInt of a program has at most ${MOST_BITS} bits`);
}

/** Checks a BigInt that an operator made. */
export function wide(value) {
  if (!isWide(value)) return value;
  if (value > mostLimit || value < -mostLimit) tooWide();
  // Writing it as text takes some 70 ms at most.
  atMost(4);
  check(now());
  return value;
}

/** Checks a value that is about to multiply a BigInt in place. */
export function factor(value) {
  if (typeof value === "bigint" && isWide(value)) tooWide();
  return value;
}

/** Checks a value that is about to be the exponent of a BigInt in place. */
export function exponent(value) {
  if (typeof value === "bigint" && value > 64n) tooWide();
  return value;
}

/** Returns base ** by. The size of the result is known in advance from the bits of the base. */
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

// ---- Iteration by the language

/**
 * Counts a step of the language itself. A step that calls no function of the program passes no
 * other guard.
 */
export function step() {
  if (--steps >= 0) return;
  // With a long text, each step may take as long as reading the text.
  steps = min(MOST_STEPS, count.most);
  charge(MOST_STEPS * ENTRY_UNITS);
}

/**
 * The built-in ways to iterate a collection of any size: the method, and the prototype of the
 * iterator that it returns.
 */
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

/**
 * Returns true if the program has not changed this way of iterating, so it gives no more elements
 * than there are.
 */
function isWayOf(way, method) {
  return method === way.method && way.made.next === way.next;
}

/**
 * Returns true if missing elements of a list are not searched for in a long chain of prototypes.
 */
function isPlain(list) {
  return parentOf(list) === OF_LISTS.owner && parentOf(OF_LISTS.owner) === listParent;
}

/**
 * Returns true if iterating a value ends soon: it is in memory, and no code of the program runs.
 */
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

/** Charges for this number of elements. */
function weigh(elements) {
  if (elements > MOST_ELEMENTS) throw new TooLarge(`Invalid array length: the language itself iterates at most ${MOST_ELEMENTS} elements, not ${elements}`);
  if (elements > LONG_LIST) charge(elements);
  return true;
}

/** Returns an iterator whose steps are counted. */
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

/**
 * Returns an iterable for the language to iterate. Its steps are counted, except for a built-in
 * collection in memory, which is charged in advance.
 */
export function iterable(value) {
  if (value === null || value === undefined) return value;
  const method = value[iterates];
  if (typeof method !== "function" || ((typeof value === "object" || typeof value === "string") && isFinite(value, method))) return value;
  return countedSteps(value, method);
}

/** Returns an iterable whose steps are always counted. */
export function countedSteps(value, method = value[iterates]) {
  return { __proto__: null, [iterates]: () => counted(applyTo(method, value, [])) };
}

/** Returns an async iterable whose steps are counted. */
export function iterableLater(value) {
  const method = value?.[iteratesLater];
  if (typeof method !== "function") return iterable(value);
  return { __proto__: null, [iteratesLater]: () => counted(applyTo(method, value, [])) };
}

/**
 * Returns the key under which each value has itself as an iterable with counted steps, for the rest
 * of a pattern. A program does not know the key, and functions that list keys leave it out.
 */
export function restKey() {
  if (restKey.key === undefined) restKey.key = Symbol();
  return restKey.key;
}
/**
 * The program is evaluated before this module, and has asked for it already.
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

/**
 * Receives the variables of a program that can reach no other globals, separated by spaces.
 *
 * @param {string} names
 */
export function limitTo(names) {
  limitTo.names = names;
}
/**
 * The program is evaluated before this module, and may have called it already.
 *
 * @type {string | undefined}
 */
limitTo.names = limitTo.names ?? undefined;

/** Checks a value that is about to be spread. */
export function spread(value) {
  if (!isList(value)) check(now());
  return iterable(value);
}

/**
 * Checks a value that is about to be copied into an object. Each element of a text or a list
 * becomes a key, which takes two microseconds.
 */
export function copied(value) {
  const places = placesOf(value);
  if (places > MOST_COPIED) throw new TooLarge(`Invalid array length: ${places} elements are too many for the keys of an object: copy a list with [...list]`);
  return value;
}

/** Returns the number of elements of a text, also of a String object, of a list, or of bytes. */
function placesOf(value) {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return isList(value) || isViewOfBytes(value) || value instanceof Text ? toPlain(value.length) || 0 : 0;
}

/**
 * Checks a value whose keys, including inherited ones, are about to be listed. A text and bytes
 * have a key for each element.
 */
export function named(value) {
  let depth = 0;
  for (let at = value; at !== null && at !== undefined && depth < MOST_STEPS; depth++, at = parentOf(at)) if (placesOf(at) > MOST_COPIED && !isList(at)) copied(at);
  if (isList(value) && value.length > MOST_NAMED) copied(value);
  return value;
}

/** Yields to timers and results in loops that await, unless one ran since the last time. */
export async function pause() {
  check(now());
  const turns = count.turns;
  if (turns === count.seenTurns) await new Turn((done) => later(done, 0));
  count.turns += 1;
  count.seenTurns = count.turns;
  check(now());
  return 256;
}

/** Records that a call to the host began. */
export function opened() {
  if (count.open++ === 0) count.waitingSinceMs = now();
}

/** Records that the host has responded. */
export function closed() {
  count.turns += 1;
  if (--count.open === 0) count.waitedMs += now() - count.waitingSinceMs;
}

/** Begins the turn of a timer. Returns false if the run is over and the timer must do nothing. */
export function turn() {
  count.turns += 1;
  if (!count.over && spentMs(now()) > count.timeoutMs) halt("EXECUTION_TIMEOUT");
  return count.over === null;
}

/** Returns the number of calls that the host has not answered. */
export function openCalls() {
  return count.open;
}

/** Returns the milliseconds since the start. */
export function atMs() {
  return now() - count.startMs;
}
