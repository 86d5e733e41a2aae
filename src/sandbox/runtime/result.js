// Turns what a program returned into JSON text, or says at which path it is no JSON.
//
// JSON.stringify by itself loses without a word: a Map becomes {}, a function disappears, a Promise is {}. Here they are errors that name their
// place. NaN and the infinities become null, as in JSON, and are reported. BigInt keeps its digits, Uint8Array becomes {"$blob": …}.

import { defineProperty, getPrototypeOf, isArray, stringify } from "./console.js";

/** JSON text that is nested deeper is refused by readers, serde_json among them. */
const MAX_RESULT_DEPTH = 100;
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
 * @returns {{text: string, notes: string[]}}
 */
export function toJson(value, wire) {
  if (value === undefined) return { text: "null", notes: [] };
  const notes = [];
  const path = [];
  const holders = [];

  const place = (key) => {
    const steps = [...path, key].slice(1);
    return steps.reduce((text, step) => text + (/^\d+$/.test(step) ? `[${step}]` : /^[A-Za-z_$][\w$]*$/.test(step) ? `.${step}` : `[${stringify(step)}]`), "result");
  };
  const refuse = (key, what, cure) => {
    throw new ResultError("RESULT_NOT_JSON", `${place(key)} is ${what}, which JSON cannot hold`, cure);
  };

  // JSON.stringify walks depth first and calls this with the holder as `this`, so the holders so far are the path.
  function visit(key, item) {
    while (holders.length > 0 && holders[holders.length - 1] !== this) {
      holders.pop();
      path.pop();
    }
    switch (typeof item) {
      case "number":
        if (item - item !== 0 && notes.length < 5) notes.push(`${place(key)} is ${item}, which JSON cannot hold: it was written as null`);
        return item;
      case "function":
        return refuse(key, `a function${item.name ? ` (${item.name})` : ""}`, "call it, or leave it out");
      case "symbol":
        return refuse(key, "a symbol", "return its description as text");
      case "bigint":
        return wire.encodeValue(key, item);
      case "object":
        break;
      default:
        return item;
    }
    if (item === null) return item;
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
    if (cure) refuse(key, `a ${tag.slice(8, -1)}`, cure);
    return item;
  }

  try {
    return { text: stringify(value, visit) ?? "null", notes };
  } catch (error) {
    if (error instanceof RangeError && /string length/i.test(error.message)) {
      throw new ResultError("RESULT_TOO_LARGE", "the result is longer than a string may be", "store it with helpers.db.batchInsert and return a summary");
    }
    throw error;
  }
}
