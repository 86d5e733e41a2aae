// Looks at how much one call of the language has before it, where that can be seen: while a built-in runs, no guard of a program does.
//
// A call on a long text or list is charged by its length, so that the clock is looked at in front of it. What no honest program can have is
// refused: an isolate has 128 MB, so a list of 2^25 places or a text of 2^27 characters is only a made-up length. What is short costs a
// comparison. A program may replace what stands here, but it cannot get at what was there before.

import { charge, copied, copyWeight, longest, named, spend } from "./guard.js";

const { apply } = Reflect;
const { isArray: isPlainList } = Array;
const { defineProperty: define, getOwnPropertyDescriptor: descriptorOf, getPrototypeOf: prototypeOf } = Object;
const { min: least, trunc } = Math;
const isTypedOrView = ArrayBuffer.isView;
const NativeBigInt = BigInt;
const PlainProxy = Proxy;
const knows = WeakSet.prototype.has;
const remember = WeakSet.prototype.add;
const TooLong = RangeError;
const WrongType = TypeError;

/** From here on a call is charged for. */
const LONG = 4096;
const MOST_PLACES = 2 ** 25;
/** With a comparison of the language itself: 2^22 values are sorted in about two seconds. */
const MOST_SORTED = 2 ** 22;
const MOST_CHARACTERS_OF_TEXT = 2 ** 27;
/** Digits of a BigInt, which has 2^20 bits at most. */
const MOST_DIGITS = 320_000;
/** The longest text that is looked for in a long one, and how much of both there may be: in the worst case each is compared with each. */
const MOST_SOUGHT = 1024;
const MOST_COMPARED = 2 ** 31;
/** Comparisons of texts between two looks. */
const MOST_COMPARISONS = 64;
/** What a list costs less than a loop over it. */
const PLACES_OF_UNIT = 8;

const proxies = new WeakSet();
let hasProxies = false;

/** Puts what `make` makes of a function in its place, under its name. */
function replace(owner, name, make) {
  const descriptor = descriptorOf(owner, name);
  if (typeof descriptor?.value !== "function") return;
  const original = descriptor.value;
  const made = make(original);
  define(made, "name", { value: original.name, configurable: true });
  define(made, "length", { value: original.length, configurable: true });
  define(owner, name, { value: made, configurable: true, writable: true, enumerable: descriptor.enumerable });
}

function replaceAll(owner, names, make) {
  for (let at = 0; at < names.length; at++) replace(owner, names[at], make);
}

// ---- Lists

function places(length, most = MOST_PLACES) {
  if (length <= LONG) return;
  if (length > most) throw new TooLong(`Invalid array length: a call of the language takes ${most} elements at most, not ${length}`);
  longest(length);
  charge(trunc(length / PLACES_OF_UNIT));
}

/** A whole number as `length` is read. */
function lengthOf(list) {
  const length = trunc(Number(list.length));
  return length > 0 ? length : 0;
}

const isProxied = (list) => hasProxies && apply(knows, proxies, [list]);

let calls = MOST_COMPARISONS;

/** Functions of the language that call each other pass no guard but this. */
function called() {
  if (--calls >= 0) return;
  calls = MOST_COMPARISONS;
  spend();
}

/** The list that a method works on: one whose length is what it says when it is asked. */
function sized(list, most) {
  called();
  if (isPlainList(list) && !isProxied(list)) {
    if (list.length > LONG) places(list.length, most);
    return list;
  }
  if (typeof list !== "object" && typeof list !== "function") return list;
  if (list === null) return list;
  const length = lengthOf(list);
  places(length, most);
  if (!isProxied(list) && descriptorOf(list, "length")?.value === length) return list;
  // Asked again it might say something else.
  return { __proto__: list, length };
}

const READING = ["at", "entries", "every", "filter", "find", "findIndex", "findLast", "findLastIndex", "forEach", "includes", "indexOf", "join", "keys", "lastIndexOf", "map", "reduce", "reduceRight", "slice", "some", "toLocaleString", "toReversed", "toSpliced", "values", "with"];
/** Of these, the first three go through the whole list; the others only move it. */
const WRITING = ["copyWithin", "fill", "reverse", "splice", "unshift", "shift"];
const MOVING = ["splice", "unshift", "shift"];

replaceAll(Array.prototype, READING.filter((name) => !["at", "join", "values", "toLocaleString"].includes(name)), (original) => ({
  method(...values) {
    return apply(original, sized(this), values);
  },
}).method);

replaceAll(Array.prototype, WRITING, (original) => {
  const moves = MOVING.includes(original.name);
  return ({
  method(...values) {
    if (!isPlainList(this) && this !== null && typeof this === "object" && sized(this) !== this) {
      throw new WrongType(`Array.prototype.${original.name} takes an array, or an object with a length of its own`);
    }
    if (isPlainList(this) && this.length > (moves ? MOST_PLACES : LONG)) places(this.length);
    return apply(original, this, values);
  },
  }).method;
});

/** A list in a list is joined by itself: there may be more of them than anything shows. */
replaceAll(Array.prototype, ["join", "toLocaleString"], (original) => ({
  method(...values) {
    const text = apply(original, sized(this), values);
    if (text.length > LONG) measure(text);
    return text;
  },
}).method);

replace(Array.prototype, "concat", (original) => ({
  concat(...values) {
    for (let at = 0; at < values.length; at++) if (isPlainList(values[at]) && values[at].length > LONG) sized(values[at]);
    sized(this);
    return apply(original, this, values);
  },
}).concat);

/** In JavaScript: what is in the lists of a list is not known before. */
function flatten(list, depth, into) {
  const from = sized(list);
  const length = lengthOf(from);
  for (let at = 0; at < length; at++) {
    if (!(at in from)) continue;
    const value = from[at];
    if (depth > 0 && isPlainList(value)) flatten(value, depth - 1, into);
    else into[into.length] = value;
  }
  return into;
}

replace(Array.prototype, "flat", () => ({
  flat(depth = 1) {
    return flatten(this, trunc(Number(depth)) || 0, []);
  },
}).flat);

const plainMap = Array.prototype.map;
replace(Array.prototype, "flatMap", () => ({
  flatMap(callback, self) {
    return flatten(apply(plainMap, this, [callback, self]), 1, []);
  },
}).flatMap);

/** The order that a sort without a comparison has. The language asks for no more where a value is undefined. */
function byText() {
  let left = MOST_COMPARISONS;
  return (one, other) => {
    if (--left < 0) {
      left = MOST_COMPARISONS;
      spend();
    }
    const a = typeof one === "string" ? one : `${one}`;
    const b = typeof other === "string" ? other : `${other}`;
    return a < b ? -1 : a > b ? 1 : 0;
  };
}

replaceAll(Array.prototype, ["sort", "toSorted"], (original) => ({
  method(compare) {
    const list = sized(this, MOST_SORTED);
    if (list !== this && original.name === "sort") throw new WrongType("Array.prototype.sort takes an array, or an object with a length of its own");
    return apply(original, list, [compare === undefined && list?.length > MOST_COMPARISONS ? byText() : compare]);
  },
}).method);

replace(Array, "from", (original) => ({
  from(items, ...rest) {
    const listed = items === null || items === undefined || items[Symbol.iterator] !== undefined;
    return apply(original, this, [listed && !isPlainList(items) ? items : sized(items), ...rest]);
  },
}).from);

const typedPrototype = prototypeOf(Uint8Array.prototype);
const TYPED = ["copyWithin", "every", "fill", "filter", "find", "findIndex", "findLast", "findLastIndex", "forEach", "includes", "indexOf", "join", "lastIndexOf", "map", "reduce", "reduceRight", "reverse", "set", "slice", "some", "sort", "toLocaleString", "toReversed", "toSorted"];
/** @type {any} */
const typedLength = descriptorOf(typedPrototype, "length")?.get;

replaceAll(typedPrototype, TYPED, (original) => ({
  method(...values) {
    if (isTypedOrView(this) && !(this instanceof DataView)) {
      const length = apply(typedLength, this, []);
      if (length > LONG) places(length, values[0] !== undefined && /ort/.test(original.name) ? MOST_SORTED : 2 ** 28);
    }
    const result = apply(original, this, values);
    if (typeof result === "string") measure(result);
    return result;
  },
}).method);

// ---- Proxies, whose lengths may be anything

const revocable = Proxy.revocable;

function proxied(proxy) {
  hasProxies = true;
  apply(remember, proxies, [proxy]);
  return proxy;
}

function ProxyOfPrograms(target, handler) {
  if (!new.target) throw new WrongType("Constructor Proxy requires 'new'");
  return proxied(new PlainProxy(target, handler));
}
ProxyOfPrograms.prototype = undefined;
define(ProxyOfPrograms, "name", { value: "Proxy", configurable: true });
define(ProxyOfPrograms, "revocable", {
  value: (target, handler) => {
    const made = revocable(target, handler);
    proxied(made.proxy);
    return made;
  },
  configurable: true,
  writable: true,
});
define(globalThis, "Proxy", { value: ProxyOfPrograms, configurable: true, writable: true });

// ---- Texts

/** A text that a call reads or has made. */
function measure(text) {
  if (text.length <= LONG) return;
  longest(text.length);
  charge(text.length >> 3);
}

function textOfThis(value) {
  const text = typeof value === "string" || value === null || value === undefined ? value : `${value}`;
  if (typeof text === "string" && text.length > LONG) measure(text);
  return text;
}

/** A call that reads a text and may make another. */
const ofText = (original) => ({
  method(...values) {
    const text = textOfThis(this);
    for (let at = 0; at < values.length; at++) if (typeof values[at] === "string" && values[at].length > LONG) measure(values[at]);
    const result = apply(original, text, values);
    if (typeof result === "string" && result.length > LONG) measure(result);
    return result;
  },
}).method;

const SEEKING = ["includes", "indexOf", "lastIndexOf", "replace", "replaceAll", "split"];
const TEXTS = ["anchor", "concat", "fontcolor", "fontsize", "isWellFormed", "link", "localeCompare", "match", "matchAll", "normalize", "search", "toLocaleLowerCase", "toLocaleUpperCase", "toLowerCase", "toUpperCase", "toWellFormed", "trim", "trimEnd", "trimStart"];
replaceAll(String.prototype, TEXTS, ofText);

replaceAll(String.prototype, SEEKING, (original) => {
  const looked = ofText(original);
  return ({
    method(...values) {
      const sought = values[0];
      if (typeof sought === "string" && sought.length > MOST_SOUGHT) {
        const text = textOfThis(this);
        if (typeof text === "string" && text.length * sought.length > MOST_COMPARED) {
          throw new TooLong(`Invalid string length: a text of ${sought.length} characters is too long to be looked for in one of ${text.length}`);
        }
      }
      return apply(looked, this, values);
    },
  }).method;
});

replaceAll(String.prototype, ["repeat", "padStart", "padEnd"], (original) => {
  const looked = ofText(original);
  return ({
    method(...values) {
      const text = textOfThis(this);
      const count = Number(values[0]);
      const length = original.name === "repeat" ? count * (text?.length ?? 0) : count;
      if (length > MOST_CHARACTERS_OF_TEXT) throw new TooLong(`Invalid string length: a text of a program has ${MOST_CHARACTERS_OF_TEXT} characters at most`);
      values[0] = count;
      return apply(looked, text, values);
    },
  }).method;
});

replaceAll(globalThis, ["atob", "btoa", "decodeURI", "decodeURIComponent", "encodeURI", "encodeURIComponent", "escape", "unescape"], (original) => ({
  method(value) {
    const text = `${value}`;
    if (text.length > LONG) measure(text);
    const result = apply(original, undefined, [text]);
    if (result.length > LONG) measure(result);
    return result;
  },
}).method);

replaceAll(String, ["raw"], (original) => ({
  method(...values) {
    const text = apply(original, this, values);
    if (text.length > LONG) measure(text);
    return text;
  },
}).method);
replaceAll(Error.prototype, ["toString"], ofError);
replaceAll(Symbol.prototype, ["toString"], ofError);

/** A call that makes a text of something else. */
function ofError(original) {
  return ({
    method() {
      const text = apply(original, this, []);
      if (text.length > LONG) measure(text);
      return text;
    },
  }).method;
}

// ---- Whole structures

replace(JSON, "stringify", (original) => ({
  stringify(...values) {
    if (isPlainList(values[0]) && values[0].length > LONG) sized(values[0]);
    copying();
    const text = apply(original, JSON, values);
    if (typeof text === "string" && text.length > LONG) measure(text);
    return text;
  },
}).stringify);

replace(JSON, "parse", (original) => ({
  parse(value, reviver) {
    const text = typeof value === "string" ? value : `${value}`;
    if (text.length > LONG) measure(text);
    return reviver === undefined ? apply(original, JSON, [text]) : apply(original, JSON, [text, reviver]);
  },
}).parse);

let copies = MOST_COMPARISONS;

/** Something with an unknown number of parts is gone through. */
function copying() {
  if ((copies -= copyWeight()) >= 0) return;
  copies = MOST_COMPARISONS;
  spend();
}

const ofParts = (original) => ({
  method(...values) {
    if (isPlainList(values[0]) && values[0].length > LONG) sized(values[0]);
    copying();
    return apply(original, this, values);
  },
}).method;

/** A call that goes through the keys of something. */
const ofKeys = (original) => {
  const looked = ofParts(original);
  return ({
    method(...values) {
      named(values[0]);
      return apply(looked, this, values);
    },
  }).method;
};

replaceAll(Object, ["defineProperties", "freeze", "fromEntries", "getOwnPropertyNames", "getOwnPropertySymbols", "groupBy", "isFrozen", "isSealed", "keys", "seal", "values"], ofKeys);
replaceAll(Object, ["assign", "entries", "getOwnPropertyDescriptors"], (original) => {
  const looked = ofParts(original);
  return ({
    method(...values) {
      for (let at = 0; at < values.length; at++) copied(values[at]);
      return apply(looked, this, values);
    },
  }).method;
});
replaceAll(Map, ["groupBy"], ofParts);
replaceAll(Reflect, ["ownKeys"], ofKeys);
replaceAll(globalThis, ["structuredClone"], ofParts);
replaceAll(Promise, ["all", "allSettled", "any", "race"], ofParts);
replaceAll(Set.prototype, ["difference", "forEach", "intersection", "isDisjointFrom", "isSubsetOf", "isSupersetOf", "symmetricDifference", "union"], ofParts);
replaceAll(Map.prototype, ["forEach"], ofParts);
replaceAll(Iterator.prototype, ["drop", "every", "find", "forEach", "reduce", "some", "toArray"], ofParts);
// ---- BigInts

/** What BigInt makes of an object first. */
function primitiveOf(value) {
  const convert = value[Symbol.toPrimitive];
  if (convert !== undefined && convert !== null) return apply(convert, value, ["number"]);
  const number = typeof value.valueOf === "function" ? value.valueOf() : value;
  return isObject(number) ? value.toString() : number;
}

const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

function BigIntOfPrograms(value) {
  if (new.target) throw new WrongType("BigInt is not a constructor");
  const given = isObject(value) ? primitiveOf(value) : value;
  if (typeof given === "string" && given.length > MOST_DIGITS) throw new TooLong("Maximum BigInt size exceeded");
  return NativeBigInt(given);
}
define(BigIntOfPrograms, "name", { value: "BigInt", configurable: true });
define(BigIntOfPrograms, "prototype", { value: NativeBigInt.prototype });
for (const name of ["asIntN", "asUintN"]) define(BigIntOfPrograms, name, { value: NativeBigInt[name], configurable: true, writable: true });
define(NativeBigInt.prototype, "constructor", { value: BigIntOfPrograms, configurable: true, writable: true });
define(globalThis, "BigInt", { value: BigIntOfPrograms, configurable: true, writable: true });
