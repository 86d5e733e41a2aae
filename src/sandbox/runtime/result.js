// Turns what a program returned into JSON text, or says at which path it is no JSON.
//
// JSON.stringify by itself loses without a word: a Map becomes {}, a function disappears, a Promise is {}. Here they are errors that name their
// place. NaN and the infinities become null, as in JSON, and are reported. BigInt keeps its digits, Uint8Array becomes {"$blob": …}.

import { defineProperty, getPrototypeOf, isArray, keys, stringify } from "./console.js";
import { spend } from "./guard.js";

const Encoder = TextEncoder;

/** JSON text that is nested deeper is refused by readers, serde_json among them. */
const MAX_RESULT_DEPTH = 100;
const MAX_SHOWN_STEPS = 33;
const tagOf = Object.prototype.toString;

/** A result that cannot be answered. */
export class ResultError extends Error {
  name = "ResultError";

  constructor(code, message, hint) {
    super(message);
    defineProperty(this, "code", { value: code, enumerable: true });
    defineProperty(this, "hint", { value: hint, enumerable: true });
  }
}

/** What JSON writes as what it holds, and instances of classes. */
const BOXED = new Set(["[object Object]", "[object Number]", "[object String]", "[object Boolean]", "[object BigInt]"]);

const CURES = {
  "[object Map]": "return Object.fromEntries(map) or [...map]",
  "[object Set]": "return [...set]",
  "[object Promise]": "await it before returning",
  "[object RegExp]": "return its text, `${expression}`",
  "[object Generator]": "spread it into an array: [...generator]",
  "[object AsyncGenerator]": "collect it first: for await (const item of generator) list.push(item)",
  "[object WeakMap]": "return plain objects and arrays",
  "[object WeakSet]": "return plain objects and arrays",
  "[object WeakRef]": "return plain objects and arrays",
};

/**
 * @param {unknown} value
 * @param {typeof globalThis.__wire} wire
 * @param {number} maxBytes
 * @returns {{text: string, notes: string[]}}
 */
export function toJson(value, wire, maxBytes) {
  if (value === undefined) return { text: "null", notes: [] };
  const notes = [];
  let visits = 0;
  const path = [];
  const holders = [];

  const place = (key) => {
    const steps = [...path, key].slice(1);
    const cut = steps.length > MAX_SHOWN_STEPS ? "…" : "";
    return steps.slice(0, MAX_SHOWN_STEPS).reduce((text, step) => text + (/^\d+$/.test(step) ? `[${step}]` : /^[A-Za-z_$][\w$]*$/.test(step) ? `.${step}` : `[${stringify(step)}]`), "result") + cut;
  };
  const refuse = (key, what, cure) => {
    throw new ResultError("RESULT_NOT_JSON", `${place(key)} is ${what}`, cure);
  };
  const tooLarge = (size) => {
    throw new ResultError("RESULT_TOO_LARGE", `the result has ${size} bytes of JSON and more, ${maxBytes} are the limit`, "store it with helpers.db.batchInsert and return a summary");
  };

  // JSON.stringify walks depth first and calls this with the holder as `this`, so the holders so far are the path.
  function visit(key, item) {
    while (holders.length > 0 && holders[holders.length - 1] !== this) {
      holders.pop();
      path.pop();
    }
    // Each value is two characters at least. Shared parts of a value are written as often as they are met.
    if (++visits * 2 > maxBytes) tooLarge(visits * 2);
    if (visits % 65_536 === 0) spend();
    switch (typeof item) {
      case "number":
        if (item - item !== 0 && notes.length < 5) notes.push(`${place(key)} is ${item}, which JSON cannot hold: it was written as null`);
        return item;
      case "function":
        return refuse(key, `a function${item.name ? ` (${item.name})` : ""}, which JSON cannot hold`, "call it, or leave it out");
      case "symbol":
        return refuse(key, "a symbol, which JSON cannot hold", "return its description as text");
      case "bigint":
        return wire.encodeValue(key, item);
      case "object":
        break;
      default:
        return item;
    }
    if (item === null) {
      if (this[key] instanceof Date && notes.length < 5) notes.push(`${place(key)} is an invalid Date: it was written as null`);
      return item;
    }
    if (holders.includes(item)) refuse(key, "a reference to what contains it", "return a copy without the cycle");
    if (holders.length >= MAX_RESULT_DEPTH) refuse(key, `nested more than ${MAX_RESULT_DEPTH} deep`, "return a flatter value");
    const kept = known(key, item);
    if (typeof kept === "object") {
      holders.push(kept);
      path.push(key);
    }
    return kept;
  }

  function known(key, item) {
    if (isArray(item)) return item;
    if (item instanceof Error) return { name: item.name, message: item.message, ...item };
    if (item instanceof Uint8Array || item instanceof ArrayBuffer || ArrayBuffer.isView(item)) {
      return item instanceof Uint8Array || !ArrayBuffer.isView(item) || item instanceof DataView ? wire.encodeValue(key, item) : Array.from(item, (number) => (typeof number === "bigint" ? JSON.rawJSON(`${number}`) : number));
    }
    const prototype = getPrototypeOf(item);
    if (prototype === null || prototype === Object.prototype) return item;
    const tag = tagOf.call(item);
    const cure = CURES[tag] ?? (/Iterator\]$/.test(tag) ? "spread it into an array: [...iterator]" : undefined);
    if (cure) refuse(key, `a ${tag.slice(8, -1)}, which JSON cannot hold`, cure);
    // Such as Headers or URLSearchParams, whose contents no key shows.
    if (!BOXED.has(tag) && keys(item).length === 0 && typeof item.toJSON !== "function") {
      refuse(key, `a ${tag.slice(8, -1)}, which JSON cannot hold`, "return its contents as plain objects and arrays");
    }
    return item;
  }

  try {
    const text = stringify(value, visit) ?? "null";
    const bytes = text.length * 3 <= maxBytes ? 0 : new Encoder().encode(text).length;
    if (bytes > maxBytes) tooLarge(bytes);
    return { text, notes };
  } catch (error) {
    if (error instanceof RangeError && /string length/i.test(error.message)) tooLarge(maxBytes);
    throw error;
  }
}
