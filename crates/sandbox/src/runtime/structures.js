// Bounds calls that visit a whole structure: its keys, its parts, or all that JSON.stringify writes
// of it.
//
// JSON.stringify writes a shared part each time it is referred to, and also reads parts that add
// nothing to the text. So a value is first visited up to a number of parts, which is quick. A value
// with more parts is written with a replacer that counts. Values that have `toJSON` or contain a
// proxy are not visited first, and none is if the program has getters, because these would be
// called twice.

import { TooLong, apply, contains, copying, descriptorOf, eachCounted, findBack, isLong, isPlainList, isProxied, isTypedOrView, measure, replace, replaceAll, sized } from "./builtins.js";
import { plainly } from "./console.js";
import { charge, copied, mostOfText, named, restKey } from "./guard.js";

const HIDDEN = restKey();
const { indexOf: placeOf, splice: cutOut } = Array.prototype;
const { toISOString, toJSON: dateToJson } = Date.prototype;

/** Parts of a value that the language writes without counting: some 50 ms. */
const MOST_PARTS = 2 ** 20;
const MOST_WRITTEN = mostOfText();
/** The length of a text up to which JSON.parse takes a second at most. */
const PARSED_AT_ONCE = 2 ** 21;
/**
 * Lists and objects, and different keys, in a text that JSON.parse reads: half a second and a
 * second.
 */
const MOST_PARSED = 2 ** 21;
const MOST_KEYS = 2 ** 18;
/** Values that are written between two clock checks. */
const WRITTEN_BETWEEN_LOOKS = 1024;
/** Matches a getter in the text of a program, or a call that may define one. */
const GETTER = /\bget\s+[^(){};]{1,80}\(\s*\)\s*\{|definePropert|__defineGetter__|Object\.create/;

let hasGetters = true;
let parts = 0;
let characters = 0;

/** Examines the text of the program. */
globalThis.__wire.readProgram = (source) => {
  hasGetters = contains(GETTER, source);
};

/** Returns true if a nested value has few parts. */
function isPartSmall(value) {
  if (typeof value === "string") return (characters -= value.length) >= 0;
  return typeof value === "object" && value !== null ? isSmall(value) : typeof value !== "bigint";
}

function isSmall(value) {
  if (isProxied(value)) return false;
  const { toJSON } = value;
  if (toJSON !== undefined) return toJSON === dateToJson && value.toISOString === toISOString;
  if (isPlainList(value)) {
    if ((parts -= value.length + 1) < 0) return false;
    for (let at = 0; at < value.length; at++) if (!isPartSmall(value[at])) return false;
    return true;
  }
  if (isTypedOrView(value)) copied(value);
  for (const key in value) if (--parts < 0 || (characters -= key.length) < 0 || !isPartSmall(value[key])) return false;
  return --parts >= 0;
}

function isQuick(value) {
  if (hasGetters) return false;
  parts = MOST_PARTS;
  characters = MOST_WRITTEN;
  try {
    if (!isSmall(value)) return false;
  } catch (error) {
    // It is nested too deep for the recursion here.
    if (error instanceof TooLong) return false;
    throw error;
  }
  if (isLong(MOST_PARTS - parts)) charge(MOST_PARTS - parts);
  return true;
}

/** Returns a replacer that counts the text that is written. */
function counting(replacer) {
  const chosen = typeof replacer === "function" ? eachCounted(replacer) : undefined;
  let left = MOST_WRITTEN;
  let written = 0;
  return function (key, item) {
    const kept = chosen === undefined ? item : apply(chosen, this, [key, item]);
    left -= (typeof kept === "string" ? kept.length + 2 : 1) + (isPlainList(this) ? 1 : key.length + 4);
    if (typeof kept === "string" && isLong(kept.length)) measure(kept);
    if (left < 0) throw new TooLong("Invalid string length: a part that is referred to many times is written each time");
    if (++written % WRITTEN_BETWEEN_LOOKS === 0) charge(WRITTEN_BETWEEN_LOOKS);
    if (isTypedOrView(kept)) copied(kept);
    return kept;
  };
}

replace(JSON, "stringify", (original) => ({
  stringify(value, replacer, space) {
    let chosen = replacer;
    if (typeof value === "object" && value !== null && (typeof replacer === "function" || !isQuick(value))) {
      if (isPlainList(value)) sized(value);
      const count = counting(replacer);
      // A replacer function cannot choose keys as a list does. So the value is first written with
      // the counter alone, which bounds also the parts that the list leaves out.
      if (isPlainList(replacer)) original(value, count);
      else chosen = count;
    }
    const text = original(value, isPlainList(chosen) ? sized(chosen) : chosen, space);
    if (typeof text === "string" && isLong(text.length)) measure(text);
    return text;
  },
}).stringify);

/**
 * Refuses a text from which JSON.parse would make more than an isolate can hold. Making a list
 * takes many times as long as reading its bracket, and a new key takes even longer.
 */
function checkParsed(text) {
  const signs = /"\s*:|[[{]/g;
  const known = new SetOfPrograms();
  let made = 0;
  let left = MOST_PARSED;
  for (let found = apply(findSign, signs, [text]); found !== null; found = apply(findSign, signs, [text])) {
    if (++made % WRITTEN_BETWEEN_LOOKS === 0) charge(WRITTEN_BETWEEN_LOOKS);
    if (found[0] === "[" || found[0] === "{") {
      if (--left < 0) throw new TooLong(`Invalid string length: JSON.parse makes ${MOST_PARSED} lists and objects at most`);
      continue;
    }
    const from = apply(findBack, text, ['"', found.index - 1]) + 1;
    apply(see, known, [apply(keyIn, text, [from, found.index])]);
    if (apply(countOf, known, []) > MOST_KEYS) throw new TooLong(`Invalid string length: JSON.parse makes ${MOST_KEYS} different keys at most`);
  }
}
const { exec: findSign } = RegExp.prototype;
const { slice: keyIn } = String.prototype;

replace(JSON, "parse", (original) => ({
  parse(value, reviver) {
    const text = typeof value === "string" ? value : `${value}`;
    if (isLong(text.length)) measure(text);
    if (text.length > PARSED_AT_ONCE) checkParsed(text);
    return typeof reviver === "function" ? original(text, eachCounted(reviver)) : original(text);
  },
}).parse);

// ---- Keys and parts

const ofParts = (original) => ({
  method(...values) {
    if (isPlainList(values[0]) && isLong(values[0].length)) sized(values[0]);
    copying();
    return apply(original, this, values);
  },
}).method;

/** Wraps a call that lists the keys of its first argument. */
const ofKeys = (original) => {
  const looked = ofParts(original);
  return ({
    method(...values) {
      named(values[0]);
      // The second argument of `defineProperties` and `create` holds descriptors.
      if (values.length > 1 && typeof values[1] !== "function") named(values[1]);
      return apply(looked, this, values);
    },
  }).method;
};

replaceAll(Object, ["create", "defineProperties", "freeze", "getOwnPropertyNames", "isFrozen", "isSealed", "keys", "seal", "values"], ofKeys);
replaceAll(Object, ["assign", "entries", "getOwnPropertyDescriptors"], (original) => {
  const looked = ofParts(original);
  return ({
    method(...values) {
      for (let at = 0; at < values.length; at++) copied(values[at]);
      return apply(looked, this, values);
    },
  }).method;
});
/** Wraps a call so that it leaves out our hidden key. */
const ofSymbols = (original) => {
  const looked = ofKeys(original);
  return ({
    method(value) {
      const found = apply(looked, this, [value]);
      const at = apply(placeOf, found, [HIDDEN]);
      if (at >= 0) apply(cutOut, found, [at, 1]);
      return found;
    },
  }).method;
};
replaceAll(Object, ["getOwnPropertySymbols"], ofSymbols);
replaceAll(Reflect, ["ownKeys"], ofSymbols);
replaceAll(Object, ["getOwnPropertyDescriptors"], (original) => ({
  getOwnPropertyDescriptors(value) {
    const found = apply(original, this, [value]);
    delete found[HIDDEN];
    return found;
  },
}).getOwnPropertyDescriptors);
const { has: isSeen, add: see } = Set.prototype;
/** @type {any} */
const countOf = descriptorOf(Set.prototype, "size")?.get;
const { forEach: eachOfMap } = Map.prototype;
const { forEach: eachOfSet } = Set.prototype;
const [MapOfPrograms, SetOfPrograms] = [Map, Set];

/**
 * Refuses a value whose texts are too long in total. An object is cloned once, but a text each time
 * it occurs.
 */
function checkCloned(root) {
  const seen = new SetOfPrograms();
  const open = [];
  let left = MOST_WRITTEN;
  let met = 0;
  const meet = (given) => {
    const value = plainly(given);
    if (++met % WRITTEN_BETWEEN_LOOKS === 0) charge(WRITTEN_BETWEEN_LOOKS);
    if (typeof value === "string") left -= value.length;
    if (left < 0) throw new TooLong("Invalid string length: a text that is referred to many times is cloned each time");
    if (typeof value !== "object" || value === null || isProxied(value) || isTypedOrView(value) || apply(isSeen, seen, [value])) return;
    apply(see, seen, [value]);
    open[open.length] = value;
  };
  meet(root);
  while (open.length > 0) {
    const value = open[open.length - 1];
    open.length -= 1;
    if (isPlainList(value)) named(sized(value));
    else copied(value);
    if (value instanceof MapOfPrograms) apply(eachOfMap, value, [(item, key) => (meet(key), meet(item))]);
    else if (value instanceof SetOfPrograms) apply(eachOfSet, value, [meet]);
    else for (const key in value) meet(hasGetters ? descriptorOf(value, key)?.value : value[key]);
  }
}

replaceAll(globalThis, ["structuredClone"], (original) => ({
  structuredClone(value, ...options) {
    copying();
    checkCloned(value);
    return original(value, ...options);
  },
}).structuredClone);
