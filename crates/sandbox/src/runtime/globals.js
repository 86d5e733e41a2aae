// The globals of a program, as an allow list. All others of the platform are deleted, also from the
// prototypes of the global object, so that a later version of the platform cannot add a global that
// runs for long or reaches a network. If a program can only reach globals whose names it writes,
// these alone are looked at, because each global that is touched costs time.
//
// Streams that are piped into each other in a ring never end and never pass a guard; keys of 8192
// bits take seconds; caches, sockets and HTMLRewriter are of no use without a network. The hints in
// crates/program/src/reference.rs name their substitutes.

import { limitTo } from "./guard.js";

/** Globals of the language. */
const OF_LANGUAGE = "AggregateError Array ArrayBuffer AsyncDisposableStack BigInt BigInt64Array BigUint64Array Boolean DataView Date DisposableStack Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String SuppressedError Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval globalThis isFinite isNaN parseFloat parseInt undefined unescape";
/** Globals of the platform. */
const OF_PLATFORM = "DOMException TextDecoder TextEncoder URL URLSearchParams atob btoa clearInterval clearTimeout console queueMicrotask reportError self setInterval setTimeout structuredClone";
/** Globals that the runtime itself defines. */
const OURS = "DatabaseError SERVER_COLUMN_MAPPINGS __invokeDB __memoryDB __wire dbSchema getSafeColumnName helpers input progress safeGraphQLAccess validateGraphQLData";

/** Bytes that one call may digest: about a quarter of a second. */
const MOST_DIGESTED = 32 * 1024 * 1024;

const { defineProperty: put, getOwnPropertyNames: namesOf, getPrototypeOf: above } = Object;
const Buffer = ArrayBuffer;
const { isView: isBytes } = ArrayBuffer;
const Unavailable = TypeError;
const own = (value) => ({ value, enumerable: false, configurable: true, writable: true });

/** For the runtime only. */
export const listen = globalThis.addEventListener.bind(globalThis);

function randomness(platform) {
  const { subtle } = platform;
  const getRandomValues = platform.getRandomValues.bind(platform);
  const randomUUID = platform.randomUUID.bind(platform);
  const digest = subtle.digest.bind(subtle);
  const missing = (name) => () => {
    throw new Unavailable(`crypto.subtle.${name} is not available in a program: crypto has getRandomValues, randomUUID and subtle.digest`);
  };
  const limited = {
    async digest(algorithm, data) {
      // The platform refuses everything else.
      if ((isBytes(data) || data instanceof Buffer) && data.byteLength > MOST_DIGESTED) throw new RangeError(`crypto.subtle.digest takes ${MOST_DIGESTED} bytes at most`);
      return digest(algorithm, data);
    },
  };
  for (const name of namesOf(above(subtle))) if (name !== "digest" && name !== "constructor") limited[name] = missing(name);
  return { getRandomValues: (array) => getRandomValues(array), randomUUID: () => randomUUID(), subtle: limited };
}

function clock(platform) {
  const read = platform.now.bind(platform);
  const { timeOrigin } = platform;
  return { now: () => read(), timeOrigin, toJSON: () => ({ timeOrigin }) };
}

const replacing = { __proto__: null, crypto: () => randomness(crypto), performance: () => clock(performance), self: () => globalThis };
/** The names that the program writes; nothing if it can reach all globals. */
const written = limitTo.names === undefined ? undefined : new Set(limitTo.names.split(" "));
const isOneOf = (names, name) => ` ${names} `.includes(` ${name} `);
const ALL = `${OF_LANGUAGE} ${OF_PLATFORM} ${OURS}`;
// A set costs more than a search for a few names.
const all = new Set(written === undefined ? ALL.split(" ") : []);
const isKept = (name) => all.has(name) || (written !== undefined && isOneOf(ALL, name));

for (const name of written ?? OF_PLATFORM.split(" ")) if (isOneOf(OF_PLATFORM, name) && name in globalThis) put(globalThis, name, own(globalThis[name]));
for (const name in replacing) if (written === undefined || written.has(name)) put(globalThis, name, own(replacing[name]()));
for (let holder = globalThis; holder !== Object.prototype && holder !== null; holder = above(holder)) {
  for (const name of written ?? namesOf(holder)) {
    const kept = holder === globalThis && (isKept(name) || name in replacing);
    if (!kept) delete holder[name];
  }
}
