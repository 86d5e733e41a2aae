// Bounds iteration by the language itself: iterators may have no end, and some collections report
// any length.
//
// An iterator may never pass a guard: that of a list is built in, and any built-in function can
// serve as `next`. So each function that accepts an iterator gets it with counted steps. For that,
// constructors are replaced; those of buffers also because the caller chooses the number of bytes.

import { checkLength, copying, eachCounted, isLong, isObject, measure, replace, replaceAll, sized } from "./builtins.js";
import { copied, counted, countedSteps, iterable, iterableLater, step } from "./guard.js";
import { checkBytes, elements, numberLike, numbers } from "./lists.js";

const { apply: applyNative, construct, ownKeys: keysOfConstructor } = Reflect;
const { defineProperty: putOne, getOwnPropertyDescriptor: ownOf, getPrototypeOf: ancestorOf, setPrototypeOf: setAncestor } = Object;
const { isArray: isOrdinaryList } = Array;
const { isView: hasBytes } = ArrayBuffer;
const PlainBuffer = ArrayBuffer;
const PlainBytes = Uint8Array;
const { subarray: partOfBytes } = ancestorOf(PlainBytes.prototype);
const PlainSet = Set;
const TooMany = RangeError;

/** Promises that are awaited together. The work after they settle is one step of the platform. */
const MOST_TOGETHER = 2 ** 14;
/** Arguments of a call. The stack has room for fewer. */
const MOST_ARGUMENTS = 2 ** 18;
/** The length of a list up to which it is not searched for long texts. */
const FEW_TEXTS = 64;

/** @type {PropertyDescriptor} */
const placed = { value: undefined, configurable: true, writable: true, enumerable: false };
const replacements = new WeakSet();
const { has: isAmong, add: addTo } = WeakSet.prototype;

/** Returns true if a constructor is one of our replacements. */
globalThis.__wire.isOfLanguage = (made) => applyNative(isAmong, replacements, [made]);

/** Replaces a constructor with one whose arguments `prepare` changes first. */
export function replaceConstructor(owner, name, prepare) {
  const Native = owner[name];
  if (typeof Native !== "function") return;
  const Made = function (...values) {
    prepare(values, Native);
    if (new.target === undefined) return applyNative(Native, this, values);
    return construct(Native, values, new.target === Made ? Native : new.target);
  };
  applyNative(addTo, replacements, [Made]);
  const keys = keysOfConstructor(Native);
  for (let at = 0; at < keys.length; at++) {
    /** @type {any} */
    const found = ownOf(Native, keys[at]);
    if (keys[at] === "prototype") putOne(Made, "prototype", { value: Native.prototype, writable: false });
    else putOne(Made, keys[at], found);
  }
  if (ancestorOf(Made) !== ancestorOf(Native)) setAncestor(Made, ancestorOf(Native));
  placed.value = Made;
  putOne(Native.prototype, "constructor", placed);
  putOne(owner, name, placed);
}

// ---- Collections

/**
 * Returns true for a list with long texts. Each text may be compared with all that have the same
 * hash, so such elements are counted one by one.
 */
function hasLongTexts(list) {
  if (list.length <= FEW_TEXTS) return false;
  for (let at = 0; at < list.length; at++) {
    const item = isOrdinaryList(list[at]) ? list[at][0] : list[at];
    if (typeof item === "string" && isLong(item.length)) return true;
  }
  return false;
}

function elementsOf(values) {
  if (values.length === 0) return;
  const [items] = values;
  values[0] = isOrdinaryList(items) && hasLongTexts(sized(items)) ? countedSteps(items) : iterable(items);
}

for (const name of ["AggregateError", "Map", "Set", "WeakMap", "WeakSet", "URLSearchParams"]) replaceConstructor(globalThis, name, elementsOf);

/** Wraps a call that iterates its first argument. */
const ofElements = (original) => ({
  method(items, ...values) {
    copying();
    if (isOrdinaryList(items)) sized(items);
    if (typeof values[0] === "function") values[0] = eachCounted(values[0]);
    return applyNative(original, this, [iterable(items), ...values]);
  },
}).method;

replaceAll(Object, ["fromEntries", "groupBy"], ofElements);
replaceAll(Map, ["groupBy"], (original) => ({
  groupBy(items, callback) {
    const list = isOrdinaryList(items) && hasLongTexts(sized(items)) ? countedSteps(items) : iterable(items);
    return original(list, eachCounted(callback));
  },
}).groupBy);

for (const owner of [Map.prototype, Set.prototype, URLSearchParams.prototype]) {
  replace(owner, "forEach", (original) => ({
    forEach(callback, ...values) {
      copying();
      return applyNative(original, this, [eachCounted(callback), ...values]);
    },
  }).forEach);
}

/** Wraps an object that is used like a set: its keys may have no end. */
function setLike(other) {
  if (!isObject(other)) return other;
  if (ancestorOf(other) === PlainSet.prototype && other.keys === keysOfSet && other.has === hasOfSet) return other;
  return {
    __proto__: null,
    get size() {
      return other.size;
    },
    get has() {
      const { has } = other;
      return typeof has === "function" ? (value) => (step(), applyNative(has, other, [value])) : has;
    },
    get keys() {
      const { keys } = other;
      return typeof keys === "function" ? () => counted(applyNative(keys, other, [])) : keys;
    },
  };
}
const { keys: keysOfSet, has: hasOfSet } = PlainSet.prototype;

replaceAll(Set.prototype, ["difference", "intersection", "isDisjointFrom", "isSubsetOf", "isSupersetOf", "symmetricDifference", "union"], (original) => ({
  method(other) {
    copying();
    return applyNative(original, this, [setLike(other)]);
  },
}).method);

// ---- Iterators

replaceAll(Iterator.prototype, ["drop", "every", "filter", "find", "flatMap", "forEach", "includes", "join", "map", "reduce", "some", "take", "toArray"], (original) => ({
  method(...values) {
    return applyNative(original, counted(this), values);
  },
}).method);

replaceAll(Iterator, ["zip"], ofElements);
replaceAll(Iterator, ["zipKeyed"], (original) => ({
  zipKeyed: (iterables, ...options) => original(copied(iterables), ...options),
}).zipKeyed);
replaceAll(Math, ["sumPrecise"], ofElements);

const { values: valuesOfList } = Array.prototype;
replace(Array, "fromAsync", (original) => ({
  fromAsync(items, ...values) {
    // Each element is a turn of the promise queue, which passes no guard of the program.
    const isLater = items === null || items === undefined || (items[Symbol.asyncIterator] ?? undefined) !== undefined;
    if (isLater) return applyNative(original, this, [iterableLater(items), ...values]);
    const list = isOrdinaryList(items) || (items[Symbol.iterator] ?? undefined) === undefined ? sized(items) : items;
    return applyNative(original, this, [countedSteps(list, list[Symbol.iterator] ?? valuesOfList), ...values]);
  },
}).fromAsync);

// ---- Promises

/**
 * Returns the values as a list that is not too long to be awaited together. If one of many promises
 * fails, the platform takes long.
 */
function together(items) {
  const values = isOrdinaryList(items) ? sized(items, MOST_TOGETHER) : iterable(items);
  if (isOrdinaryList(values) || (!isObject(values) && typeof values !== "string")) return values;
  const list = [];
  for (const value of values) {
    if (list.length >= MOST_TOGETHER) tooMany();
    list[list.length] = value;
  }
  return list;
}

function tooMany() {
  throw new TooMany(`Invalid array length: at most ${MOST_TOGETHER} promises can be awaited together: await them in slices`);
}

replaceAll(Promise, ["all", "allSettled", "any", "race"], (original) => ({
  method(items) {
    copying();
    let values;
    try {
      values = together(items);
    } catch (error) {
      return Promise.reject(error);
    }
    return applyNative(original, this, [values]);
  },
}).method);

/** A chain of promises that continues itself passes no other guard. */
replaceAll(Promise.prototype, ["then", "catch", "finally"], (original) => ({
  method(...values) {
    step();
    return applyNative(original, this, values);
  },
}).method);

// ---- Bytes

replaceConstructor(globalThis, "ArrayBuffer", (values) => {
  checkBytes(values[0]);
  const most = values[1]?.maxByteLength;
  if (most === undefined) return;
  checkBytes(most);
  values[1] = { maxByteLength: most };
});
replaceAll(ArrayBuffer.prototype, ["transfer", "transferToFixedLength"], (original) => ({
  method(...values) {
    if (values.length > 0) checkBytes(values[0]);
    return applyNative(original, this, values);
  },
}).method);

/**
 * Converts the elements of a typed array in advance, because the language would read the numbers
 * itself.
 */
function numbersOf(items) {
  const list = elements(items);
  if (isOrdinaryList(list) || !isObject(list) || hasBytes(list)) return isObject(list) ? numbers(list) : list;
  if (typeof list[Symbol.iterator] !== "function") return numbers(list);
  const made = [];
  for (const value of list) made[made.length] = numberLike(value);
  return made;
}

/**
 * Replaces a constructor when it is first read, because each start of an isolate would pay for all
 * of them.
 */
function replaceLater(name, prepare) {
  const Native = globalThis[name];
  if (Native === undefined) return;
  const replaced = () => {
    const owner = { [name]: Native };
    replaceConstructor(owner, name, prepare);
    setLater.call(globalThis, owner[name]);
    return owner[name];
  };
  function setLater(value) {
    putOne(this, this === globalThis ? name : "constructor", { value, configurable: true, writable: true, enumerable: false });
  }
  putOne(globalThis, name, { get: replaced, set: setLater, configurable: true, enumerable: false });
  putOne(Native.prototype, "constructor", { get: replaced, set: setLater, configurable: true, enumerable: false });
}

for (const name of ["Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array", "BigInt64Array", "BigUint64Array", "Float16Array", "Float32Array", "Float64Array"]) {
  replaceLater(name, (values, Native) => {
    const [given] = values;
    if (!isObject(given)) checkBytes(Number(given) * Native.BYTES_PER_ELEMENT);
    else if (!hasBytes(given) && !(given instanceof PlainBuffer)) values[0] = numbersOf(given);
  });
}
replaceAll(ancestorOf(PlainBytes), ["from", "of"], (original) => ({
  method(...values) {
    if (original.name === "of") return applyNative(original, this, numbers(values));
    if (typeof values[1] === "function") values[1] = eachCounted(values[1]);
    // The results of the callback are not known in advance.
    values[0] = values[1] === undefined ? numbersOf(values[0]) : elements(values[0]);
    return applyNative(original, this, values);
  },
}).method);
replaceAll(DataView.prototype, ["setBigInt64", "setBigUint64"], (original) => ({
  method(at, value, ...rest) {
    return applyNative(original, this, [at, numberLike(value), ...rest]);
  },
}).method);

// ---- Texts and bytes

replaceAll(TextEncoder.prototype, ["encode", "encodeInto"], (original) => ({
  method(...values) {
    if (typeof values[0] === "string") measure(values[0]);
    return applyNative(original, this, values);
  },
}).method);

/** Bytes that are decoded between two clock checks: a tenth of a second in the slowest encoding. */
const DECODED_AT_ONCE = 2 ** 20;

replaceAll(TextDecoder.prototype, ["decode"], (original) => ({
  decode(bytes, options) {
    const size = bytes?.byteLength;
    if (!(size > DECODED_AT_ONCE)) return applyNative(original, this, [bytes, options]);
    const whole = hasBytes(bytes) ? new PlainBytes(bytes.buffer, bytes.byteOffset, size) : new PlainBytes(bytes);
    const streams = options?.stream === true;
    let text = "";
    for (let at = 0; at < size; at += DECODED_AT_ONCE) {
      const isLast = at + DECODED_AT_ONCE >= size;
      text += applyNative(original, this, [applyNative(partOfBytes, whole, [at, at + DECODED_AT_ONCE]), { stream: streams || !isLast }]);
      measure(text);
    }
    return text;
  },
}).decode);

/** Characters of an address: a quarter of a second. */
const MOST_OF_ADDRESS = 2 ** 22;

function checkAddress(values) {
  for (let at = 0; at < values.length && at < 2; at++) {
    if (isObject(values[at])) values[at] = `${values[at]}`;
    if (typeof values[at] === "string") checkLength(values[at].length, MOST_OF_ADDRESS);
  }
}

replaceConstructor(globalThis, "URL", checkAddress);
replaceAll(URL, ["canParse", "parse"], (original) => ({
  method(...values) {
    checkAddress(values);
    return applyNative(original, URL, values);
  },
}).method);
for (const name of ["href", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"]) {
  const found = ownOf(URL.prototype, name);
  const put = found?.set;
  if (put === undefined) continue;
  putOne(URL.prototype, name, {
    ...found,
    set(value) {
      const values = [value];
      checkAddress(values);
      applyNative(put, this, values);
    },
  });
}

// ---- Numbers

/** Wraps calls that read any number of texts as numbers. */
const numbered = (original) => ({
  method(one, other) {
    if (arguments.length === 2) return original(one, other);
    const values = [];
    for (let at = 0; at < arguments.length; at++) values[at] = arguments[at];
    return applyNative(original, undefined, arguments.length > FEW_NUMBERS ? numbers(values) : values);
  },
}).method;
const FEW_NUMBERS = 8;
replaceAll(Math, ["hypot", "max", "min"], numbered);
replaceAll(String, ["fromCharCode", "fromCodePoint"], numbered);

// ---- Arguments

/** Returns arguments as a list that is no longer than a call accepts. */
function argumentsOf(list) {
  return isOrdinaryList(list) && list.length <= FEW_TEXTS ? list : sized(list, MOST_ARGUMENTS);
}

replace(Function.prototype, "apply", (original) => ({
  apply(self, list) {
    return applyNative(original, this, [self, argumentsOf(list)]);
  },
}).apply);
replace(Reflect, "apply", (original) => ({ apply: (target, self, list) => original(target, self, argumentsOf(list)) }).apply);
replace(Reflect, "construct", (original) => ({
  construct: (target, list, ...rest) => original(target, argumentsOf(list), ...rest),
}).construct);
