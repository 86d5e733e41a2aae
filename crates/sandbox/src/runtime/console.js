// The program's console: text entries, limited in number and size, with a count of dropped ones.
//
// The host checks the same limits again. Here they keep a program that logs without end from
// filling its own memory.

import { spend } from "./guard.js";

// Taken before a program can replace them.
export const { parse, stringify } = JSON;
export const { keys, getPrototypeOf, getOwnPropertyDescriptor, defineProperty, setPrototypeOf } = Object;
export const { isArray } = Array;
/**
 * Programs get replacements of these that throw after the end of a run, but the report is written
 * after that end.
 */
export const { includes: holdsText, startsWith: beginsWith } = String.prototype;
export const { catch: onFailure } = Promise.prototype;
export const { forEach: eachEntry } = Map.prototype;
const toDate = Date.prototype.toISOString;
const BoxedString = String;
const BoxedNumber = Number;
const BoxedBoolean = Boolean;
const BoxedBigInt = BigInt;
const textOf = String.prototype.valueOf;
const objectToString = Object.prototype.toString;
const wellFormed = String.prototype.toWellFormed;
/**
 * The value behind a proxy of safeGraphQLAccess. The proxy would report each null that is merely
 * shown.
 */
export const plainly = globalThis.__wire?.plain ?? ((value) => value);

/** Replaces halves of surrogate pairs, which cutting may leave: readers of JSON refuse them. */
export const readable = (text) => wellFormed.call(text);

const MAX_DEPTH = 6;
const MAX_ITEMS = 100;
/** Values of one console call. An entry has room for fewer. */
const MAX_VALUES = 2000;
/**
 * Characters of the mark `… (2000000 characters)` and of the group indent before a cut text. The
 * host allows the same number.
 */
const MARK_ROOM = 40;

/**
 * Returns the enumerable keys of an object, at most MAX_ITEMS, and their number. Listing them takes
 * time in proportion to the size of the object.
 */
function keysOf(value) {
  spend();
  const all = keys(value);
  return { shown: all.length > MAX_ITEMS ? all.slice(0, MAX_ITEMS) : all, size: all.length };
}

/**
 * Returns JSON-like text of any value, with at most `room` characters and a little more. Never
 * throws.
 */
export function inspect(value, room = 2000) {
  const seen = new Set();
  let left = room;

  function write(value, depth) {
    if (left <= 0) return "…";
    const text = cut(writeAny(plainly(value), depth), room * 2);
    left -= text.length > 40 ? 40 : text.length;
    return text;
  }

  function writeAny(value, depth) {
    switch (typeof value) {
      case "string": return depth === 0 ? cut(value, room) : stringify(value.length > left ? `${value.slice(0, left)}…` : value);
      case "bigint": return `${value}n`;
      case "symbol": return value.toString();
      case "function": return `[${isClass(value) ? "class" : "function"} ${nameOf(value) || "anonymous"}]`;
      case "object": return value === null ? "null" : writeObject(value, depth);
      default: return Object.is(value, -0) ? "-0" : `${value}`;
    }
  }

  function writeObject(value, depth) {
    if (seen.has(value)) return "[Circular]";
    seen.add(value);
    try {
      return writeKnown(value, depth) ?? writeFields(value, depth);
    } catch {
      return "[unreadable]";
    } finally {
      seen.delete(value);
    }
  }

  function writeKnown(value, depth) {
    // The text of a tool's result is a String object, so that it can carry metadata.
    if (value instanceof BoxedString) return writeAny(textOf.call(value), depth);
    if (value instanceof BoxedNumber || value instanceof BoxedBoolean || value instanceof BoxedBigInt) return write(value.valueOf(), depth);
    if (value instanceof Error) return writeError(value, depth);
    if (value instanceof Date) return isNaN(value.valueOf()) ? "Invalid Date" : toDate.call(value);
    if (value instanceof RegExp) return RegExp.prototype.toString.call(value);
    if (value instanceof Promise) return "[Promise: await it]";
    if (value instanceof ArrayBuffer) return `ArrayBuffer(${value.byteLength})`;
    if (ArrayBuffer.isView(value)) {
      const shown = value instanceof DataView ? "" : ` [${Array.prototype.slice.call(value, 0, 16).join(",")}${/** @type {any} */ (value).length > 16 ? ",…" : ""}]`;
      return `${nameOf(value.constructor)}(${value.byteLength})${shown}`;
    }
    if (depth >= MAX_DEPTH) return isArray(value) ? `[… ${value.length} items]` : "{…}";
    if (value instanceof Map) return `Map(${value.size}) ${list(value, value.size, "{", "}", ([key, item]) => `${write(key, depth + 1)}=>${write(item, depth + 1)}`)}`;
    if (value instanceof Set) return `Set(${value.size}) ${list(value, value.size, "{", "}", (item) => write(item, depth + 1))}`;
    if (isArray(value)) return list(value, value.length, "[", "]", (item) => write(item, depth + 1));
    return undefined;
  }

  function writeError(error, depth) {
    const parts = [];
    if (depth < 2) for (const key of keysOf(error).shown) if (key !== "stack" && left > 0) parts.push(`${nameOfField(key)}:${write(error[key], depth + 1)}`);
    const cause = error.cause === undefined || depth >= 2 ? "" : ` caused by ${write(error.cause, depth + 1)}`;
    return `${cut(`${error.name}`, room)}: ${cut(`${error.message}`, room)}${parts.length > 0 ? ` {${parts.join(",")}}` : ""}${cause}`;
  }

  function writeFields(value, depth) {
    const prototype = getPrototypeOf(value);
    const name = prototype === null || prototype === Object.prototype ? "" : nameOf(prototype.constructor);
    const { shown, size } = keysOf(value);
    const body = list(shown, size, "{", "}", (key) => {
      const getter = getOwnPropertyDescriptor(value, key)?.get;
      return `${nameOfField(key)}:${getter ? "[getter]" : write(value[key], depth + 1)}`;
    });
    const tag = name === "" || name === "Object" ? "" : `${name} `;
    return size === 0 && tag !== "" ? `${tag}${ownWords(value, depth)}` : tag + body;
  }

  /**
   * Returns the text of an object without fields: the address of a URL, the text of
   * URLSearchParams, the value that toJSON of an instance returns.
   */
  function ownWords(value, depth) {
    if (typeof value.toJSON === "function") return write(value.toJSON(), depth + 1);
    if (value.toString === objectToString || typeof value.toString !== "function") return "{}";
    const words = value.toString();
    return typeof words === "string" && words !== `[object ${value[Symbol.toStringTag]}]` ? stringify(cut(words, left)) : "{}";
  }

  /** Returns the name of a field. Names use up room, as values do. */
  function nameOfField(key) {
    left -= 1;
    return stringify(cut(key, room));
  }

  function list(items, size, start, end, one) {
    const parts = [];
    for (const item of items) {
      if (parts.length >= MAX_ITEMS || left <= 0) break;
      parts.push(one(item));
    }
    if (parts.length < size) parts.push(`… ${size - parts.length} more`);
    return start + parts.join(",") + end;
  }

  return write(value, 0);
}

/** Cuts a text to `room` characters and adds a mark with its full length. */
function cut(text, room) {
  return text.length > room ? `${text.slice(0, room)}… (${text.length} characters)` : text;
}

const sourceOf = Function.prototype.toString;

/** Returns true if a function is a class, which cannot be called. */
export function isClass(value) {
  return sourceOf.call(value).startsWith("class");
}

function nameOf(constructor) {
  try {
    return typeof constructor?.name === "string" ? constructor.name : "";
  } catch {
    return "";
  }
}

/**
 * Returns the text of a console call: %s, %d, %i, %f, %j, %o, %O and %c are replaced as in
 * browsers.
 */
function message(values, room) {
  const rest = values.slice(0, MAX_VALUES).map((value) => (value instanceof BoxedString ? textOf.call(value) : value));
  let text = "";
  if (typeof rest[0] === "string" && rest.length > 1 && /%[sdifjoOc%]/.test(rest[0])) {
    const format = cut(rest.shift(), room);
    text = format.replace(/%[sdifjoOc%]/g, (mark) => {
      if (mark === "%%") return "%";
      if (rest.length === 0) return mark;
      const value = rest.shift();
      if (mark === "%c") return "";
      if (mark === "%s" || mark === "%j" || mark === "%o" || mark === "%O") return inspect(value, room);
      const number = typeof value === "symbol" ? NaN : Number(value);
      return `${mark === "%f" ? number : Math.trunc(number)}`;
    });
    if (rest.length > 0) text += " ";
  }
  for (let at = 0; at < rest.length && text.length <= room; at++) text += `${at === 0 ? "" : " "}${inspect(rest[at], room)}`;
  return text;
}

/**
 * Creates a console whose entries are passed to `emit(level, text)`. `limits` bounds the number of
 * entries, and the characters of one entry and of all. `dropped()` returns the number of entries
 * that had no room.
 */
export function createConsole(limits, emit) {
  let entries = 0;
  let characters = 0;
  let dropped = 0;
  let indent = "";
  const counts = new Map();
  const timers = new Map();
  const clock = Date.now;

  function log(level, values) {
    if (entries >= limits.entries || characters >= limits.total) {
      dropped += 1;
      return;
    }
    let text = indent + message(values.slice(0, MAX_VALUES).map((value) => plainly(value)), limits.each);
    // A part of it may have been cut already, with a mark at its end.
    if (text.length > limits.each + MARK_ROOM) text = cut(text, limits.each);
    entries += 1;
    characters += text.length;
    emit(level, readable(text));
  }

  const label = (name) => (name === undefined ? "default" : `${name}`).slice(0, 100);
  const methods = {
    log: (...values) => log("log", values),
    info: (...values) => log("info", values),
    warn: (...values) => log("warn", values),
    error: (...values) => log("error", values),
    debug: (...values) => log("debug", values),
    trace: (...values) => log("debug", ["Trace:", ...values]),
    dir: (value) => log("log", [value]),
    dirxml: (...values) => log("log", values),
    table: (rows, columns) => log("log", [table(rows, columns, limits.each)]),
    assert: (holds, ...values) => {
      if (!holds) log("error", ["Assertion failed:", ...values]);
    },
    count: (name) => {
      if (counts.size < 1000) counts.set(label(name), (counts.get(label(name)) ?? 0) + 1);
      log("log", [`${label(name)}: ${counts.get(label(name))}`]);
    },
    countReset: (name) => counts.delete(label(name)),
    group: (...values) => {
      if (values.length > 0) log("log", values);
      indent = (indent + "  ").slice(0, 20);
    },
    groupEnd: () => {
      indent = indent.slice(2);
    },
    time: (name) => {
      if (timers.size < 1000) timers.set(label(name), clock());
    },
    timeLog: (name, ...values) => log("log", [`${label(name)}: ${clock() - (timers.get(label(name)) ?? clock())} ms`, ...values]),
    timeEnd: (name) => {
      methods.timeLog(name);
      timers.delete(label(name));
    },
    clear: () => {},
  };
  methods.groupCollapsed = methods.group;
  return { console: methods, dropped: () => dropped };
}

/** Returns rows as lines of columns. */
function table(given, columns, room) {
  const rows = plainly(given);
  // Bytes and texts would have a key for each element.
  if (typeof rows !== "object" || rows === null || ArrayBuffer.isView(rows) || rows instanceof BoxedString) return rows;
  const list = (isArray(rows) ? rows.slice(0, MAX_ITEMS) : keysOf(rows).shown.map((key) => rows[key])).map((row) => plainly(row));
  const isObject = (row) => typeof row === "object" && row !== null;
  const names = (isArray(columns) ? columns : [...new Set(list.flatMap((row) => (isObject(row) ? keysOf(row).shown : [])))]).slice(0, MAX_ITEMS).map((name) => cut(`${name}`, room));
  if (names.length === 0) return inspect(rows, room);
  const lines = [names.join(" | "), ...list.map((row) => names.map((name) => inspect(row?.[name], 100)).join(" | "))];
  return lines.join("\n");
}
