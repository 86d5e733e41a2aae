// The methods of lists and typed arrays. Each gets a list with a fixed length, and charges for it.

import { TooLong, WrongType, apply, contains, define, eachCounted, isLong, isMany, isObject, isPlainList, isProxied, isTypedOrView, least, lengthOf, measure, mostOfBytes, places, primitiveOf, replace, replaceAll, sized, trunc, typedLength, typedPrototype } from "./builtins.js";
import { charge, iterable, spend, step } from "./guard.js";

const { isConcatSpreadable } = Symbol;
/** Elements that may be sorted: with a built-in comparison, 2^22 values take about two seconds. */
const MOST_SORTED = 2 ** 22;
/** Comparisons of texts between two clock checks. */
const MOST_COMPARISONS = 64;
/** Characters of all texts that one call compares with a long one: half a second. */
const MOST_COMPARED_OF_LIST = 2 ** 32;
/** Characters that are compared in the time of one unit. */
const CHARACTERS_OF_UNIT = 8;

const READING = ["entries", "every", "filter", "find", "findIndex", "findLast", "findLastIndex", "forEach", "keys", "map", "reduce", "reduceRight", "slice", "some", "toReversed", "toSpliced", "with"];
/** Methods that compare each element with a value. */
const COMPARING = ["includes", "indexOf", "lastIndexOf"];
/**
 * Methods that change a list. MOVING are those that only shift elements; the others visit the whole
 * list.
 */
const WRITING = ["copyWithin", "fill", "reverse", "splice", "unshift", "shift"];
const MOVING = ["splice", "unshift", "shift"];
const MOST_MOVED = 2 ** 25;

replaceAll(Array.prototype, READING, (original) => ({
  method(...values) {
    const list = sized(this);
    if (typeof values[0] === "function" && isMany(list?.length)) values[0] = eachCounted(values[0]);
    return apply(original, list, values);
  },
}).method);

/**
 * Returns the characters that are read to compare a value with a text. Texts of different lengths
 * differ at once.
 */
const charactersLike = (value, text) => (typeof value === "string" && value.length === text.length ? text.length : 1);

/** Charges for comparing a long text with each element of a list. */
function checkCompared(list, text) {
  if (typeof text !== "string" || !isLong(text.length)) return;
  let compared = 0;
  for (let at = list.length - 1; at >= 0; at--) compared += charactersLike(list[at], text);
  if (compared > MOST_COMPARED_OF_LIST) throw new TooLong(`Invalid string length: a text of ${text.length} characters is too long to be compared with so many others`);
  charge(trunc(compared / CHARACTERS_OF_UNIT));
}

replaceAll(Array.prototype, COMPARING, (original) => ({
  method(...values) {
    const list = sized(this);
    if (typeof values[0] === "string" && isLong(values[0].length) && list?.length > 0) checkCompared(list, values[0]);
    return apply(original, list, values);
  },
}).method);

replaceAll(Array.prototype, WRITING, (original) => {
  const moves = MOVING.includes(original.name);
  return ({
  method(...values) {
    if (!isPlainList(this) && this !== null && typeof this === "object" && sized(this) !== this) {
      throw new WrongType(`Array.prototype.${original.name} takes an array, or an object with a length of its own`);
    }
    if (isPlainList(this) && isLong(this.length) && !(moves && this.length <= MOST_MOVED)) places(this.length);
    return apply(original, this, values);
  },
  }).method;
});

/** Returns a value for `concat`, with a fixed length if `concat` spreads it. */
function joined(value) {
  if (isPlainList(value) && !isProxied(value) && !isLong(value.length)) return value;
  if (!isObject(value) || !(value[isConcatSpreadable] ?? isPlainList(value))) return value;
  const list = sized(value);
  if (list !== value) list[isConcatSpreadable] = true;
  return list;
}

replace(Array.prototype, "concat", (original) => ({
  concat(...values) {
    for (let at = 0; at < values.length; at++) values[at] = joined(values[at]);
    return apply(original, joined(this), values);
  },
}).concat);

/** Flattens in JavaScript, because the sizes of nested lists are not known in advance. */
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

/**
 * Returns the order of a sort without a comparison function. The language handles undefined values
 * itself.
 */
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
    return apply(original, list, [compare === undefined && list?.length > MOST_COMPARISONS ? byText() : eachCounted(compare)]);
  },
}).method);

/**
 * Returns a value that is converted to a list: a counted iterable, or a list with a fixed length.
 */
export function elements(items) {
  if (isPlainList(items)) sized(items);
  const listed = items === null || items === undefined || (items[Symbol.iterator] ?? undefined) !== undefined;
  return listed ? iterable(items) : sized(items);
}

replace(Array, "from", (original) => ({
  from(items, ...rest) {
    if (typeof rest[0] === "function") rest[0] = eachCounted(rest[0]);
    return apply(original, this, [elements(items), ...rest]);
  },
}).from);

/**
 * Converts elements that become numbers to primitive values, and refuses long texts. The language
 * would read each by itself, however long its text is.
 */
export function numbers(list) {
  if (isTypedOrView(list)) return list;
  let made = isPlainList(list) ? list : undefined;
  for (let at = 0; at < lengthOf(list); at++) {
    const value = list[at];
    const number = typeof value === "string" || isObject(value) ? numberLike(value) : value;
    if (number === value && made !== undefined) continue;
    if (made === list || made === undefined) made = apply(copyOf, list, []);
    made[at] = number;
  }
  return made ?? list;
}
const { slice: copyOf } = Array.prototype;

/** Returns the primitive value of an element, and refuses a long text. */
export function numberLike(value) {
  step();
  const plain = isObject(value) ? primitiveOf(value) : value;
  if (typeof plain === "string" && isLong(plain.length)) throw new TooLong("Invalid string length: a text that is read as one of many numbers has 4096 characters at most");
  return plain;
}

const TYPED = ["copyWithin", "every", "fill", "filter", "find", "findIndex", "findLast", "findLastIndex", "forEach", "includes", "indexOf", "lastIndexOf", "map", "reduce", "reduceRight", "reverse", "set", "slice", "some", "sort", "toReversed", "toSorted", "with"];

/** Checks the number of bytes that a program asks for. */
export function checkBytes(wanted) {
  const bytes = Number(wanted);
  if (bytes > mostOfBytes()) throw new TooLong(`Invalid typed array length: ${bytes} bytes are more than the ${mostOfBytes()} that a program may have`);
}

replaceAll(typedPrototype, TYPED, (original) => ({
  method(...values) {
    if (isTypedOrView(this) && !(this instanceof DataView)) {
      const length = apply(typedLength, this, []);
      if (isLong(length)) places(length, values[0] !== undefined && contains(/ort/, original.name) ? MOST_SORTED : mostOfBytes());
      if (isMany(length) && typeof values[0] === "function") values[0] = eachCounted(values[0]);
    }
    if (original.name === "set" && isObject(values[0]) && !isTypedOrView(values[0])) values[0] = numbers(sized(values[0]));
    if (original.name === "fill") values[0] = numberLike(values[0]);
    if (original.name === "with") values[1] = numberLike(values[1]);
    const result = apply(original, this, values);
    if (typeof result === "string") measure(result);
    return result;
  },
}).method);
