// The methods of texts, and BigInts: a call on a long text is charged for by what it reads and makes.

import { TooLong, WrongType, apply, contains, define, descriptorOf, eachCounted, isLong, isMany, isObject, isOfLanguage, least, measure, replaceAll, sized, trunc } from "./builtins.js";
import { charge, step } from "./guard.js";

const NativeBigInt = BigInt;
/** Bits that a BigInt is cut to: none is longer. */
const MOST_BITS_CUT = 2 ** 20;
const MOST_CHARACTERS_OF_TEXT = 2 ** 27;
/** Digits of a BigInt, which has 2^20 bits at most. */
const MOST_DIGITS = 320_000;
/** Characters of a text and of one that is looked for in it, multiplied: in the worst case each is compared with each. */
const MOST_COMPARED = 2 ** 31;
/** The same between two looks at the clock. */
const COMPARED_AT_ONCE = 2 ** 27;
/** Combining marks in a row: what orders them compares each with each. Text that is meant to be read has 30 at most. */
const MANY_MARKS = /\p{M}{64,}/u;

function textOfThis(value) {
  const text = typeof value === "string" || value === null || value === undefined ? value : `${value}`;
  if (typeof text === "string" && isLong(text.length)) measure(text);
  return text;
}

/** A call that reads a text and may make another. */
const ofText = (original) => ({
  method(...values) {
    step();
    const text = textOfThis(this);
    for (let at = 0; at < values.length; at++) if (typeof values[at] === "string" && isLong(values[at].length)) measure(values[at]);
    const result = apply(original, text, values);
    if (typeof result === "string" && isLong(result.length)) measure(result);
    return result;
  },
}).method;

/** Refuses a text whose combining marks would take long to be ordered. */
export function checkMarks(text) {
  if (typeof text !== "string" || !isMany(text.length)) return;
  if (isLong(text.length)) measure(text);
  if (contains(MANY_MARKS, text)) throw new TooLong("Invalid string: more than 64 combining marks in a row cannot be normalized or compared");
}

const TEXTS = ["anchor", "big", "blink", "bold", "concat", "endsWith", "fixed", "fontcolor", "fontsize", "isWellFormed", "italics", "link", "match", "matchAll", "search", "small", "startsWith", "strike", "sub", "sup", "toLowerCase", "toUpperCase", "toWellFormed", "trim", "trimEnd", "trimLeft", "trimRight", "trimStart"];
replaceAll(String.prototype, TEXTS, ofText);
replaceAll(String.prototype, ["normalize"], (original) => {
  const looked = ofText(original);
  return ({
    method(...values) {
      checkMarks(textOfThis(this));
      return apply(looked, this, values);
    },
  }).method;
});

/** A text that is looked for in a long one is looked for in one part after the other. */
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
      if (typeof values[1] === "function") values[1] = eachCounted(values[1]);
      return apply(looked, this, values);
    },
  }).method;
});

/** What goes on as long as there is a match: it must be looked for by the language itself, or by a function of the program. */
const { exec: ownExec } = RegExp.prototype;
replaceAll(RegExp.prototype, [Symbol.match, Symbol.replace], (original) => ({
  method(text, ...values) {
    const exec = this?.exec;
    if (exec !== ownExec && isOfLanguage(exec)) throw new WrongType("`exec` of a regular expression must be its own, or a function of the program");
    if (typeof values[0] === "function") values[0] = eachCounted(values[0]);
    return apply(original, this, [text, ...values]);
  },
}).method);

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
    if (isLong(text.length)) measure(text);
    const result = apply(original, undefined, [text]);
    if (isLong(result.length)) measure(result);
    return result;
  },
}).method);

replaceAll(String, ["raw"], (original) => ({
  method(strings, ...values) {
    const text = apply(original, this, [isObject(strings) ? { raw: sized(strings.raw) } : strings, ...values]);
    if (isLong(text.length)) measure(text);
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
      if (isLong(text.length)) measure(text);
      return text;
    },
  }).method;
}
// ---- BigInts

/** What BigInt makes of an object first. */
function primitiveOf(value) {
  const convert = value[Symbol.toPrimitive];
  if (convert !== undefined && convert !== null) return apply(convert, value, ["number"]);
  const number = typeof value.valueOf === "function" ? value.valueOf() : value;
  return isObject(number) ? value.toString() : number;
}

function BigIntOfPrograms(value) {
  if (new.target) throw new WrongType("BigInt is not a constructor");
  const given = isObject(value) ? primitiveOf(value) : value;
  if (typeof given === "string" && given.length > MOST_DIGITS) throw new TooLong("Maximum BigInt size exceeded");
  return NativeBigInt(given);
}
define(BigIntOfPrograms, "name", { value: "BigInt", configurable: true });
define(BigIntOfPrograms, "prototype", { value: NativeBigInt.prototype });
for (const name of ["asIntN", "asUintN"]) {
  const native = NativeBigInt[name];
  define(BigIntOfPrograms, name, {
    value: { [name]: (bits, value) => native(narrow(bits), value) }[name],
    configurable: true,
    writable: true,
  });
}

/** So many bits make a BigInt that is longer than one may be. */
function narrow(bits) {
  const wanted = Number(bits);
  if (wanted > MOST_BITS_CUT) throw new TooLong("Maximum BigInt size exceeded");
  return wanted;
}
define(NativeBigInt.prototype, "constructor", { value: BigIntOfPrograms, configurable: true, writable: true });
define(globalThis, "BigInt", { value: BigIntOfPrograms, configurable: true, writable: true });
