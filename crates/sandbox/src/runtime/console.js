// The program's console: entries of text, capped in number and size, with a count of what was dropped.
//
// The host checks the same caps again; here they keep a program that logs without end from filling its own memory.

import { spend } from "./guard.js";

// Taken before a program can replace them.
export const { parse, stringify } = JSON;
export const { keys, getPrototypeOf, getOwnPropertyDescriptor, defineProperty, setPrototypeOf } = Object;
export const { isArray } = Array;
/** Of these the program gets others, which end a run that is over: a report is written after that. */
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
/** What is behind a proxy of safeGraphQLAccess, which would tell of each null that is only shown. */
export const plainly = globalThis.__wire?.plain ?? ((value) => value);

/** A text without half a surrogate pair, as cutting leaves it: readers of JSON refuse those. */
export const readable = (text) => wellFormed.call(text);

const MAX_DEPTH = 6;
const MAX_ITEMS = 100;
/** Values of one call of the console: an entry has room for fewer. */
const MAX_VALUES = 2000;
/** Characters of `… (2000000 characters)` and of what stands before a text that was cut. The host allows for as many. */
const MARK_ROOM = 40;

/** The enumerable keys of an object, MAX_ITEMS at most, and how many there are. Listing them takes as long as the object is large. */
function keysOf(value) {
  spend();
  const all = keys(value);
  return { shown: all.length > MAX_ITEMS ? all.slice(0, MAX_ITEMS) : all, size: all.length };
}

/** JSON-like text of any value, at most `room` characters and a little more. Never throws. */
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
    // The text of a tool's result is such an object, to carry what is known of it.
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

  /** What an object without fields says of itself: a URL its address, URLSearchParams their text, an instance what its toJSON gives. */
  function ownWords(value, depth) {
    if (typeof value.toJSON === "function") return write(value.toJSON(), depth + 1);
    if (value.toString === objectToString || typeof value.toString !== "function") return "{}";
    const words = value.toString();
    return typeof words === "string" && words !== `[object ${value[Symbol.toStringTag]}]` ? stringify(cut(words, left)) : "{}";
  }

  /** Names take room, as values do. */
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

/** At most `room` characters of a text, with a mark that tells how many it has. */
function cut(text, room) {
  return text.length > room ? `${text.slice(0, room)}… (${text.length} characters)` : text;
}

const sourceOf = Function.prototype.toString;

/** Whether a function is a class, which cannot be called. */
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

/** The text of a console call: %s, %d, %i, %f, %j, %o, %O and %c are filled in as browsers do. */
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
 * A console whose entries go to `emit(level, text)`; `limits` are entries, characters of one and of all.
 * `dropped()` says how many found no room.
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
    // What is in it may have been cut already, and says so at its end.
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

/** Rows as lines of columns. */
function table(given, columns, room) {
  const rows = plainly(given);
  // Bytes and texts have a key for each place.
  if (typeof rows !== "object" || rows === null || ArrayBuffer.isView(rows) || rows instanceof BoxedString) return rows;
  const list = (isArray(rows) ? rows.slice(0, MAX_ITEMS) : keysOf(rows).shown.map((key) => rows[key])).map((row) => plainly(row));
  const isObject = (row) => typeof row === "object" && row !== null;
  const names = (isArray(columns) ? columns : [...new Set(list.flatMap((row) => (isObject(row) ? keysOf(row).shown : [])))]).slice(0, MAX_ITEMS).map((name) => cut(`${name}`, room));
  if (names.length === 0) return inspect(rows, room);
  const lines = [names.join(" | "), ...list.map((row) => names.map((name) => inspect(row?.[name], 100)).join(" | "))];
  return lines.join("\n");
}
