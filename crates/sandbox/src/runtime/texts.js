// The methods of texts, and BigInts. A call on a long text is charged by the length that it reads
// and makes.

import { TooLong, WrongType, apply, checkLength, contains, define, isLong, isMany, isObject, least, measure, ofValue, primitiveOf, replaceAll, sized, trunc } from "./builtins.js";
import { charge, checkText, mostOfText, step } from "./guard.js";

const NativeBigInt = BigInt;
/** Bits to which a BigInt may be cut. No BigInt is longer. */
const MOST_BITS_CUT = 2 ** 20;
/**
 * Characters that take half a second in the slowest alphabet: to change case, to encode or decode
 * for a URL, to normalize.
 */
const MOST_OF_CASE = 2 ** 24;
const MOST_IN_URLS = 2 ** 23;
const MOST_NORMALIZED = 2 ** 22;
/** Characters of a text that becomes an expression: a tenth of a second. */
const MOST_OF_EXPRESSION = 2 ** 20;
/** Digits of a BigInt, which has 2^20 bits at most. */
const MOST_DIGITS = 320_000;
/**
 * The product of the lengths of a text and of the text that is searched for in it. In the worst
 * case each character is compared with each.
 */
const MOST_COMPARED = 2 ** 31;
/** The same product between two clock checks. */
const COMPARED_AT_ONCE = 2 ** 27;
/**
 * Combining marks in a row. Ordering them compares each with each. Readable text has 30 at most.
 */
const MANY_MARKS = /\p{M}{64,}/u;

function textOfThis(value) {
  const text = typeof value === "string" || value === null || value === undefined ? value : `${value}`;
  if (typeof text === "string" && isLong(text.length)) measure(text);
  return text;
}

/** Wraps a call that reads a text and may make another. */
const ofText = (original, most = mostOfText()) => ({
  method(...values) {
    step();
    const text = textOfThis(this);
    if (typeof text === "string" && text.length > most) checkLength(text.length, most);
    for (let at = 0; at < values.length; at++) if (typeof values[at] === "string" && isLong(values[at].length)) measure(values[at]);
    const result = apply(original, text, values);
    if (typeof result === "string" && isLong(result.length)) measure(result);
    return result;
  },
}).method;

/** Refuses a text whose combining marks would take long to order. */
export function checkMarks(text) {
  if (typeof text !== "string" || !isMany(text.length)) return;
  if (isLong(text.length)) measure(text);
  if (contains(MANY_MARKS, text)) throw new TooLong("Invalid string: more than 64 combining marks in a row cannot be normalized or compared");
}

const TEXTS = ["anchor", "big", "blink", "bold", "concat", "endsWith", "fixed", "fontcolor", "fontsize", "isWellFormed", "italics", "link", "small", "startsWith", "strike", "sub", "sup", "toWellFormed", "trim", "trimEnd", "trimLeft", "trimRight", "trimStart"];
replaceAll(String.prototype, TEXTS, ofText);
/** These make an expression from a text. */
replaceAll(String.prototype, ["match", "matchAll", "search"], (original) => {
  const looked = ofText(original);
  return ({
    method(sought) {
      const isText = !isObject(sought) && sought !== undefined && sought !== null;
      if (isText) checkLength(`${sought}`.length, MOST_OF_EXPRESSION);
      return apply(looked, this, [sought]);
    },
  }).method;
});
replaceAll(String.prototype, ["toLowerCase", "toUpperCase"], (original) => ofText(original, MOST_OF_CASE));
replaceAll(String.prototype, ["normalize"], (original) => {
  const looked = ofText(original, MOST_NORMALIZED);
  return ({
    method(...values) {
      const text = textOfThis(this);
      if (typeof text === "string") checkLength(text.length, MOST_NORMALIZED);
      checkMarks(text);
      return apply(looked, this, values);
    },
  }).method;
});

/** Searches for a text in a long one, one window after the other. */
function seek(original, text, sought, from) {
  const backwards = original.name === "lastIndexOf";
  const window = trunc(COMPARED_AT_ONCE / sought.length);
  const last = text.length - sought.length;
  if (backwards) {
    for (let end = from !== from ? last : least(last, from < 0 ? 0 : trunc(from)); end >= 0; end -= window) {
      charge(window);
      const start = end >= window ? end - window + 1 : 0;
      const found = apply(original, apply(sliceText, text, [start, end + sought.length]), [sought]);
      if (found >= 0) return start + found;
    }
    return -1;
  }
  for (let start = from > 0 ? trunc(from) : 0; start <= last; start += window) {
    charge(window);
    const found = apply(seekForward, apply(sliceText, text, [start, start + window - 1 + sought.length]), [sought]);
    if (found >= 0) return start + found;
  }
  return -1;
}

const sliceText = String.prototype.slice;
const seekForward = String.prototype.indexOf;

replaceAll(String.prototype, ["includes", "indexOf", "lastIndexOf"], (original) => {
  const looked = ofText(original);
  return ({
    method(...values) {
      const sought = values[0];
      if (typeof sought === "string" && sought.length > 1) {
        const text = textOfThis(this);
        if (typeof text === "string" && text.length * sought.length > COMPARED_AT_ONCE) {
          const found = seek(original, text, sought, Number(values[1]));
          return original.name === "includes" ? found >= 0 : found;
        }
      }
      return apply(looked, this, values);
    },
  }).method;
});

replaceAll(String.prototype, ["replace", "replaceAll", "split"], (original) => {
  const looked = ofText(original);
  return ({
    method(...values) {
      const sought = values[0];
      if (typeof sought === "string" && sought.length > 1) {
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
      if (length > 0) checkText(length);
      values[0] = count;
      return apply(looked, text, values);
    },
  }).method;
});

/** Wraps a call that converts a text of limited length. */
const converting = (original, most = mostOfText()) => ({
  method(value) {
    const text = `${value}`;
    checkLength(text.length, most);
    if (isLong(text.length)) measure(text);
    const result = apply(original, undefined, [text]);
    if (isLong(result.length)) measure(result);
    return result;
  },
}).method;
replaceAll(globalThis, ["atob", "btoa"], converting);
const IN_URLS = ["decodeURI", "decodeURIComponent", "encodeURI", "encodeURIComponent", "escape", "unescape"];
replaceAll(globalThis, IN_URLS, (original) => converting(original, MOST_IN_URLS));
replaceAll(RegExp, ["escape"], (original) => ({
  escape(text) {
    if (typeof text === "string") checkLength(text.length, MOST_IN_URLS);
    return original(text);
  },
}).escape);

replaceAll(String, ["raw"], (original) => ({
  method(strings, ...values) {
    const text = apply(original, this, [isObject(strings) ? { raw: sized(strings.raw) } : strings, ...values]);
    if (isLong(text.length)) measure(text);
    return text;
  },
}).method);
replaceAll(Symbol.prototype, ["toString"], ofValue);

// ---- BigInts

function BigIntOfPrograms(value) {
  if (new.target) throw new WrongType("BigInt is not a constructor");
  const given = isObject(value) ? primitiveOf(value) : value;
  return NativeBigInt(shortDigits(given));
}

function shortDigits(value) {
  if (typeof value === "string" && value.length > MOST_DIGITS) throw new TooLong("Maximum BigInt size exceeded");
  return value;
}
define(BigIntOfPrograms, "name", { value: "BigInt", configurable: true });
define(BigIntOfPrograms, "prototype", { value: NativeBigInt.prototype });
for (const name of ["asIntN", "asUintN"]) {
  const native = NativeBigInt[name];
  define(BigIntOfPrograms, name, {
    value: { [name]: (bits, value) => native(narrow(bits), shortDigits(isObject(value) ? primitiveOf(value) : value)) }[name],
    configurable: true,
    writable: true,
  });
}

/** Refuses a number of bits that would make a BigInt longer than allowed. */
function narrow(bits) {
  const wanted = Number(bits);
  if (wanted > MOST_BITS_CUT) throw new TooLong("Maximum BigInt size exceeded");
  return wanted;
}
define(NativeBigInt.prototype, "constructor", { value: BigIntOfPrograms, configurable: true, writable: true });
define(globalThis, "BigInt", { value: BigIntOfPrograms, configurable: true, writable: true });
