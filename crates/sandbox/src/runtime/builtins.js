// Bounds single calls of built-in functions by the size of their input, because no guard of a
// program runs while a built-in does.
//
// A call on a long text or list is charged by its length, so that the clock is checked before it. A
// size that no honest program can have is refused: an isolate has 128 MB, so a list of 2^25
// elements or a text of 2^27 characters has only an invented length. A short input costs one
// comparison. A program may replace the functions here, but it cannot reach the originals behind
// them.
//
// This part is in every isolate. It has what the other parts use, and it bounds the functions that
// the language calls by itself: `join`, which makes a text of a list, and `toString` of an error.

import { charge, checkText, copyWeight, longest, mostOfText, spend, step } from "./guard.js";

export const { apply } = Reflect;
export const { isArray: isPlainList } = Array;
export const { defineProperty: define, getOwnPropertyDescriptor: descriptorOf, getPrototypeOf: prototypeOf } = Object;
export const { min: least, trunc } = Math;
export const isTypedOrView = ArrayBuffer.isView;
/** Taken before `texts.js` replaces it. */
export const { lastIndexOf: findBack } = String.prototype;
const knows = WeakSet.prototype.has;
const remember = WeakSet.prototype.add;
const sourceText = Function.prototype.toString;
const matchOf = RegExp.prototype.exec;
/** Calls on structures of unknown size between two clock checks. */
const COPIES = 64;
export const TooLong = RangeError;
export const WrongType = TypeError;

/** The length above which a call is charged. */
const LONG = 4096;
const MOST_PLACES = 2 ** 25;
/** Elements of an object that is not an array: each is looked up by its name. */
const MOST_PLACES_OF_OTHERS = 2 ** 23;
/** Prototypes that are searched for an element that a list lacks. */
const MOST_PARENTS = 16;
/** The number of elements above which a call checks if its callback is a built-in function. */
const FEW = 64;
/** Elements of a list that a built-in handles in the time of one unit of work. */
const PLACES_OF_UNIT = 8;

const proxies = new WeakSet();
let hasProxies = false;

/** Replaces a function with the one that `make` returns for it, under the same name. */
export function replace(owner, name, make) {
  const original = owner[name];
  if (typeof original !== "function") return;
  const made = make(original);
  define(made, "name", { value: original.name, configurable: true });
  define(made, "length", { value: original.length, configurable: true });
  owner[name] = made;
}

export function replaceAll(owner, names, make) {
  for (let at = 0; at < names.length; at++) replace(owner, names[at], make);
}

export const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

/**
 * Returns true if one of our expressions matches a text, even if the program has changed RegExp.
 */
export const contains = (expression, text) => apply(matchOf, expression, [text]) !== null;

/** Converts an object to a primitive value as the language does for a number. */
export function primitiveOf(value) {
  const convert = value[Symbol.toPrimitive];
  if (convert !== undefined && convert !== null) return apply(convert, value, ["number"]);
  const number = typeof value.valueOf === "function" ? value.valueOf() : value;
  return isObject(number) ? value.toString() : number;
}

// ---- Long inputs

export function places(length, most = MOST_PLACES) {
  if (length <= LONG) return;
  if (length > most) throw new TooLong(`Invalid array length: a built-in function takes at most ${most} elements, not ${length}`);
  longest(length);
  charge(trunc(length / PLACES_OF_UNIT));
}

/** Returns true if a call on an input of this length is charged. */
export const isLong = (length) => length > LONG;

/** Returns true if a call on this number of elements needs to count its callbacks. */
export const isMany = (elements) => elements > FEW;

/** Returns the length of a list as the language reads it: a whole number. */
export function lengthOf(list) {
  const length = trunc(Number(list.length));
  return length > 0 ? length : 0;
}

export const isProxied = (list) => hasProxies && apply(knows, proxies, [list]);

/** Records that a value is a proxy, and returns it. */
export function proxied(proxy) {
  hasProxies = true;
  apply(remember, proxies, [proxy]);
  return proxy;
}

/** Returns true if a function is a built-in or bound to one: it passes no guard of the program. */
export const isOfLanguage = (value) => typeof value === "function" && contains(/ \[native code\] \}$/, apply(sourceText, value, []));

/** Wraps a built-in callback so that each call counts as a step. */
export function eachCounted(callback) {
  if (!isOfLanguage(callback)) return callback;
  return function (...values) {
    step();
    return apply(callback, this, values);
  };
}

/**
 * Refuses a list with too many prototypes: an element that it lacks is searched for in each of
 * them.
 */
function checkParents(list, length) {
  if (length <= FEW) return;
  let parent = prototypeOf(list);
  for (let depth = 0; parent !== null; parent = prototypeOf(parent)) {
    if (++depth > MOST_PARENTS) throw new TooLong(`Invalid array length: a list with more than ${MOST_PARENTS} prototypes has ${FEW} elements at most`);
  }
}

/**
 * Charges for a list and returns it with a fixed length. A proxy or a getter could give another
 * length later.
 */
export function sized(list, most) {
  step();
  if (isPlainList(list) && !isProxied(list)) {
    if (list.length > LONG) places(list.length, most);
    if (list.length > FEW) checkParents(list, list.length);
    return list;
  }
  if (typeof list === "string") checkLength(list.length, MOST_PLACES_OF_OTHERS);
  if (typeof list !== "object" && typeof list !== "function") return list;
  if (list === null) return list;
  const length = lengthOf(list);
  places(length, least(most ?? MOST_PLACES_OF_OTHERS, MOST_PLACES_OF_OTHERS));
  checkParents(list, length);
  if (!isProxied(list) && descriptorOf(list, "length")?.value === length) return list;
  // A second read could give another length.
  return { __proto__: list, length };
}

/** Charges for a text that a call reads or has made. */
export function measure(text) {
  if (text.length <= LONG) return;
  checkText(text.length);
  charge(text.length >> 3);
}

/** Refuses an input that would take a call too long. */
export function checkLength(length, most, what = "characters") {
  if (length > most) throw new TooLong(`Invalid string length: this built-in function accepts ${most} ${what} at most, not ${length}`);
}

// ---- Texts that the language makes by itself

/** Elements that become one text: half a second if each is a number. */
const MOST_JOINED = 2 ** 22;
/** Bytes of a buffer: more than an isolate has. */
const MOST_BYTES = 2 ** 28;

/** Returns the maximum number of bytes of a buffer. */
export const mostOfBytes = () => MOST_BYTES;
export const typedPrototype = prototypeOf(Uint8Array.prototype);
/** @type {any} */
export const typedLength = descriptorOf(typedPrototype, "length")?.get;

/** Checks the separator of a join, which may be longer than the elements. */
function checkSeparator(length, separator) {
  if (length > MOST_JOINED) throw new TooLong(`Invalid array length: at most ${MOST_JOINED} elements can become one text, not ${length}`);
  if (typeof separator === "string" && separator.length * length > mostOfText()) throw new TooLong(`Invalid string length: a text of ${separator.length} characters between ${length} elements`);
}

/** A nested list is joined by the language itself, and may be longer than its parent shows. */
const joining = (original) => ({
  method(...values) {
    const list = isTypedOrView(this) ? sizedBytes(this) : sized(this);
    checkSeparator(list?.length, values[0]);
    const text = apply(original, list, values);
    if (isLong(text.length)) measure(text);
    return text;
  },
}).method;
for (const owner of [Array.prototype, typedPrototype]) replaceAll(owner, ["join", "toLocaleString"], joining);

/** Charges for the elements of a typed array, and returns it. */
function sizedBytes(list) {
  if (!(list instanceof DataView)) places(apply(typedLength, list, []), MOST_BYTES);
  return list;
}

/** Wraps a call that makes a text from another value. */
export const ofValue = (original) => ({
  method() {
    const text = apply(original, this, []);
    if (isLong(text.length)) measure(text);
    return text;
  },
}).method;
replaceAll(Error.prototype, ["toString"], ofValue);

let copies = COPIES;

/** Counts a pass over a structure with an unknown number of parts. */
export function copying() {
  if ((copies -= copyWeight()) >= 0) return;
  copies = COPIES;
  spend();
}
