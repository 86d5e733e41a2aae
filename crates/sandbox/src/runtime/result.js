// Turns the value that a program returned into JSON text, or reports the path of a part that JSON
// cannot hold.
//
// The rules of values.js decide which values have a form. Two losses are logged and not refused:
// NaN and the infinities, and invalid dates, become null, as in JSON.stringify.

import { defineProperty, stringify } from "./console.js";

const Encoder = TextEncoder;

/** Losses that are logged. */
const MAX_NOTES = 5;

/** The error of a result that cannot be returned. */
export class ResultError extends Error {
  name = "ResultError";

  constructor(code, message, hint) {
    super(message);
    defineProperty(this, "code", { value: code, enumerable: true });
    defineProperty(this, "hint", { value: hint, enumerable: true });
  }
}

/**
 * @param {unknown} value
 * @param {Wire} wire
 * @param {number} maxBytes
 * @returns {{text: string, notes: string[]}}
 */
export function toJson(value, wire, maxBytes) {
  if (value === undefined) return { text: "null", notes: [] };
  const notes = [];

  const tooLarge = (size) => {
    throw new ResultError("RESULT_TOO_LARGE", `the result has at least ${size} bytes of JSON; the limit is ${maxBytes}`, "store it with helpers.db.batchInsert and return a summary");
  };
  const tell = (line) => {
    if (notes.length < MAX_NOTES) notes[notes.length] = line;
  };

  function visit(holder, key, item, place) {
    wire.count(holder, key, item);
    if (typeof item === "number") {
      if (item - item !== 0) tell(`${place(key)} is ${item}, which JSON cannot hold: it was written as null`);
      return item;
    }
    if (item === null) {
      if (holder[key] instanceof Date) tell(`${place(key)} is an invalid Date: it was written as null`);
      return item;
    }
    return wire.formOf(wire.RESULT, holder, key, item);
  }

  try {
    const text = wire.metered(maxBytes, () => stringify(value, wire.tracking("result", visit))) ?? "null";
    const bytes = text.length * 3 <= maxBytes ? 0 : new Encoder().encode(text).length;
    if (bytes > maxBytes) tooLarge(bytes);
    return { text, notes };
  } catch (error) {
    if (error instanceof wire.Refusal) throw new ResultError("RESULT_NOT_JSON", error.message(wire.RESULT), error.fix);
    if (error instanceof wire.TooLong || (error instanceof RangeError && /string length/i.test(error.message))) tooLarge(maxBytes);
    throw error;
  }
}
