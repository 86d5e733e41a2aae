// Looks at whatever the language goes through by itself: iterators, which may have no end, and what is as long as its maker says.
//
// An iterator need not pass a guard: that of a list is the language's own, and any of its functions may be a `next`. So whoever takes one gets it
// with steps that count. Constructors are replaced for that, and because a buffer has as many bytes as one asks for.

import { copying, eachCounted, isLong, isObject, measure, replace, replaceAll, sized } from "./builtins.js";
import { copied, counted, countedSteps, iterable, iterableLater, step } from "./guard.js";
import { checkBytes, elements } from "./lists.js";

const { apply: applyNative, construct, ownKeys: keysOfConstructor } = Reflect;
const { defineProperty: putOne, getOwnPropertyDescriptor: ownOf, getPrototypeOf: ancestorOf, setPrototypeOf: setAncestor } = Object;
const { isArray: isOrdinaryList } = Array;
const { isView: hasBytes } = ArrayBuffer;
const PlainBuffer = ArrayBuffer;
const PlainSet = Set;
const TooMany = RangeError;

/** Promises that are awaited together: what follows when they have settled is one step of the platform. */
const MOST_TOGETHER = 2 ** 14;
/** Arguments of a call: the stack has room for fewer. */
const MOST_ARGUMENTS = 2 ** 18;
/** Elements of a list in which long texts are looked for. */
const FEW_TEXTS = 64;

/** @type {PropertyDescriptor} */
const placed = { value: undefined, configurable: true, writable: true, enumerable: false };
const replacements = new WeakSet();
const { has: isAmong, add: addTo } = WeakSet.prototype;

/** Whether a constructor stands in the place of one of the language. */
export const isReplacement = (made) => applyNative(isAmong, replacements, [made]);

/** Puts a constructor in the place of one: `prepare` changes the arguments. */
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
  setAncestor(Made, ancestorOf(Native));
  placed.value = Made;
  putOne(Native.prototype, "constructor", placed);
  putOne(owner, name, placed);
}

// ---- Collections

/** Long texts of a list: each may be compared with each that has the same hash, so that they count one by one. */
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

/** A call that goes through its first argument. */
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

/** What takes the place of a set: its keys may have no end. */
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

/** All of them, also those that the language learns later. */
replaceAll(Iterator.prototype, Object.getOwnPropertyNames(Iterator.prototype).filter((name) => name !== "constructor"), (original) => ({
  method(...values) {
    return applyNative(original, counted(this), values);
  },
}).method);

replaceAll(Iterator, ["zip"], ofElements);
replaceAll(Iterator, ["zipKeyed"], (original) => ({
  zipKeyed: (iterables, ...options) => original(copied(iterables), ...options),
}).zipKeyed);
replaceAll(Math, ["sumPrecise"], ofElements);

replace(Array, "fromAsync", (original) => ({
  fromAsync(items, ...values) {
    const listed = isObject(items) && (items[Symbol.asyncIterator] ?? items[Symbol.iterator] ?? undefined) === undefined;
    if (isOrdinaryList(items)) sized(items);
    return applyNative(original, this, [listed ? sized(items) : iterableLater(items), ...values]);
  },
}).fromAsync);

// ---- Promises

/** The values as a list that is no longer than what can be awaited together: where something fails amid many, the platform takes long. */
function together(items) {
  const values = isOrdinaryList(items) ? sized(items, MOST_TOGETHER) : iterable(items);
  if (isOrdinaryList(values) || !isObject(values)) return values;
  const list = [];
  for (const value of values) {
    if (list.length >= MOST_TOGETHER) tooMany();
    list[list.length] = value;
  }
  return list;
}

function tooMany() {
  throw new TooMany(`Invalid array length: ${MOST_TOGETHER} promises at most are awaited together: take them in slices`);
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

/** A promise that follows itself passes no guard but this. */
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

for (const kind of ["Int8", "Uint8", "Uint8Clamped", "Int16", "Uint16", "Int32", "Uint32", "BigInt64", "BigUint64", "Float16", "Float32", "Float64"]) {
  replaceConstructor(globalThis, `${kind}Array`, (values, Native) => {
    const [given] = values;
    if (!isObject(given)) checkBytes(Number(given) * Native.BYTES_PER_ELEMENT);
    else if (!hasBytes(given) && !(given instanceof PlainBuffer)) values[0] = elements(given);
  });
}
replace(ancestorOf(Uint8Array), "from", (original) => ({
  from(items, ...values) {
    if (typeof values[0] === "function") values[0] = eachCounted(values[0]);
    return applyNative(original, this, [elements(items), ...values]);
  },
}).from);

for (const [owner, names] of [[TextEncoder.prototype, ["encode", "encodeInto"]], [TextDecoder.prototype, ["decode"]]]) {
  replaceAll(owner, names, (original) => ({
    method(...values) {
      if (typeof values[0] === "string") measure(values[0]);
      const made = applyNative(original, this, values);
      if (typeof made === "string") measure(made);
      return made;
    },
  }).method);
}

// ---- Arguments

/** Arguments as a list: as many as a call takes. */
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
