// Tests of the ways in which values leave a program: every class of its isolate, on every way. A
// value arrives whole or is refused with its path; none is lost.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { startPeer } from "../peers/peer.mjs";
import { execute, result } from "./program-client.mjs";
import { startWorker } from "./tools-client.mjs";

/**
 * The code that makes a value of each class, and the JSON of it; `cell` is the form as a parameter,
 * if it differs. A value without `json` is refused.
 */
const VALUES = {
  AggregateError: { make: "new AggregateError([new Error('a')], 'b')", json: { name: "AggregateError", message: "b", errors: [{ name: "Error", message: "a" }] } },
  Array: { make: "[1, 'a', null]", json: [1, "a", null] },
  ArrayBuffer: { make: "new ArrayBuffer(2)", json: { $blob: "AAA=" }, cell: "blob", tool: false },
  AsyncDisposableStack: { make: "new AsyncDisposableStack()" },
  BigInt: { make: "Object(5n)", json: 5, cell: 5 },
  BigInt64Array: { make: "new BigInt64Array([1n])", json: [1], cell: "blob" },
  BigUint64Array: { make: "new BigUint64Array([1n])", json: [1], cell: "blob" },
  Boolean: { make: "new Boolean(true)", json: true, cell: 1 },
  DOMException: { make: "new DOMException('a', 'AbortError')", json: { name: "AbortError", message: "a", code: 20 } },
  DataView: { make: "new DataView(new ArrayBuffer(2))", json: { $blob: "AAA=" }, cell: "blob", tool: false },
  DatabaseError: { make: "new DatabaseError({ message: 'a', code: 'B', hint: 'c' }, 'query')", json: { name: "DatabaseError", message: "a", code: "B", hint: "c" } },
  Date: { make: "new Date(0)", json: "1970-01-01T00:00:00.000Z", cell: "1970-01-01T00:00:00.000Z" },
  DisposableStack: { make: "new DisposableStack()" },
  Error: { make: "Object.assign(new Error('a', { cause: new TypeError('b') }), { more: 1 })", json: { name: "Error", message: "a", cause: { name: "TypeError", message: "b" }, more: 1 } },
  EvalError: { make: "new EvalError('a')", json: { name: "EvalError", message: "a" } },
  EventSource: { make: "EventSource" },
  FinalizationRegistry: { make: "new FinalizationRegistry(() => {})" },
  Float16Array: { make: "new Float16Array([1.5])", json: [1.5], cell: "blob" },
  Float32Array: { make: "new Float32Array([1.5])", json: [1.5], cell: "blob" },
  Float64Array: { make: "new Float64Array([1.5])", json: [1.5], cell: "blob" },
  Function: { make: "function named() {}" },
  Int16Array: { make: "new Int16Array([1])", json: [1], cell: "blob" },
  Int32Array: { make: "new Int32Array([1])", json: [1], cell: "blob" },
  Int8Array: { make: "new Int8Array([1])", json: [1], cell: "blob" },
  Iterator: { make: "Iterator.from([1]).map((one) => one)" },
  Map: { make: "new Map([[1, 2]])" },
  Number: { make: "new Number(5)", json: 5, cell: 5 },
  Object: { make: "({ a: { b: 1 } })", json: { a: { b: 1 } } },
  Promise: { make: "Promise.resolve(1)" },
  Proxy: { make: "new Proxy({ a: 1 }, {})", json: { a: 1 } },
  RangeError: { make: "new RangeError('a')", json: { name: "RangeError", message: "a" } },
  ReferenceError: { make: "new ReferenceError('a')", json: { name: "ReferenceError", message: "a" } },
  RegExp: { make: "/a/g" },
  Set: { make: "new Set([1])" },
  String: { make: "new String('a')", json: "a", cell: "a" },
  SuppressedError: { make: "new SuppressedError(new Error('a'), new Error('b'), 'c')", json: { name: "SuppressedError", message: "c", error: { name: "Error", message: "a" }, suppressed: { name: "Error", message: "b" } } },
  Symbol: { make: "Object(Symbol('a'))" },
  SyntaxError: { make: "new SyntaxError('a')", json: { name: "SyntaxError", message: "a" } },
  TextDecoder: { make: "new TextDecoder()" },
  TextEncoder: { make: "new TextEncoder()" },
  TypeError: { make: "new TypeError('a')", json: { name: "TypeError", message: "a" } },
  URIError: { make: "new URIError('a')", json: { name: "URIError", message: "a" } },
  URL: { make: "new URL('http://a/b?c')", json: "http://a/b?c", cell: "http://a/b?c" },
  URLSearchParams: { make: "new URLSearchParams('a=1')" },
  Uint16Array: { make: "new Uint16Array([1])", json: [1], cell: "blob" },
  Uint32Array: { make: "new Uint32Array([1])", json: [1], cell: "blob" },
  Uint8Array: { make: "new Uint8Array([1, 2])", json: { $blob: "AQI=" }, cell: "blob", tool: false },
  Uint8ClampedArray: { make: "new Uint8ClampedArray([1])", json: [1], cell: "blob" },
  WeakMap: { make: "new WeakMap()" },
  WeakRef: { make: "new WeakRef({})" },
  WeakSet: { make: "new WeakSet()" },
  WebSocket: { make: "WebSocket" },
  // Objects without a class of their own.
  Intl: { make: "Intl" },
  JSON: { make: "JSON" },
  Math: { make: "Math" },
  Reflect: { make: "Reflect" },
  "Intl.NumberFormat": { make: "new Intl.NumberFormat('en')" },
  "a generator": { make: "(function* () { yield 1 })()" },
  "an async generator": { make: "(async function* () {})()" },
  "an iterator": { make: "[1].values()" },
  "rows that come one by one": { make: "helpers.db.stream('SELECT 1')" },
  "a symbol": { make: "Symbol('a')" },
  "an instance": { make: "new (class A { x = 1; get y() { return 2 } m() {} #go() {} })()", json: { x: 1 } },
  "an instance with private fields": { make: "new (class A { #x = 1; get x() { return this.#x } })()" },
  "an instance with private and public fields": { make: "new (class A { y = 2;\n  #x;\n  constructor() { this.#x = 1 } })()" },
  "an instance of a class below one with private fields": { make: "new (class extends class { #x = 1; x() { return this.#x } } { y = 2 })()" },
  "an instance without fields": { make: "new (class A { constructor() { hidden.set(this, 1) } })()" },
  "an instance with toJSON": { make: "new (class A { #x = 1; toJSON() { return { x: this.#x } } })()", json: { x: 1 } },
  "an instance of a class below a class of the language": { make: "new (class extends Map {})()" },
  "an object that inherits data": { make: "Object.assign(Object.create({ a: 1 }), { b: 2 })" },
  "an object without a prototype": { make: "Object.assign(Object.create(null), { a: 1 })", json: { a: 1 } },
  "an object with a cycle": { make: "(() => { const a = { b: {} }; a.b.c = a; return a })()" },
  "toJSON that gives a Map": { make: "({ toJSON() { return new Map() } })" },
  "text in a boxed number": { make: "Object(Symbol.iterator)" },
};
/** The names of globals that are functions and no classes. */
const FUNCTIONS = ["atob", "btoa", "clearInterval", "clearTimeout", "decodeURI", "decodeURIComponent", "encodeURI", "encodeURIComponent", "escape", "eval", "fetch", "getSafeColumnName", "isFinite", "isNaN", "parseFloat", "parseInt", "progress", "queueMicrotask", "reportError", "safeGraphQLAccess", "setInterval", "setTimeout", "structuredClone", "unescape", "validateGraphQLData", "__invokeDB"];

/**
 * Makes a program that sends a value on every way to the database and to a tool, and returns the
 * values that arrived, or the refusals.
 */
const PROGRAM = (make) => `
  const hidden = new WeakMap();
  const value = ${make};
  if (typeof value?.then === "function") value.then(() => {}, () => {});
  const tried = async (work) => { try { return { arrived: await work() } } catch (error) { return { code: error.code, message: error.message, hint: error.hint } } };
  await helpers.db.createTable("t", "cell, inside");
  const query = async (sql, params) => (await helpers.db.query(sql, params))[0];
  const outcome = {
    cell: await tried(async () => { const { v, kind } = await query("SELECT ? AS v, typeof(?1) AS kind", [value]); return kind === "blob" ? "blob" : v }),
    named: await tried(async () => { const { v, kind } = await query("SELECT :v AS v, typeof(:v) AS kind", { v: value }); return kind === "blob" ? "blob" : v }),
    inside: await tried(async () => JSON.parse((await query("SELECT ? AS v", [{ inside: [value] }])).v).inside[0]),
    record: await tried(async () => {
      await helpers.db.batchInsert("t", [{ cell: 1, inside: 1 }, { cell: value, inside: { at: [value] } }]);
      return JSON.parse((await query("SELECT inside FROM t WHERE rowid = 2")).inside).at[0];
    }),
    rows: await tried(async () => (await query("SELECT count(*) AS n FROM t")).n),
    state: await tried(async () => { await helpers.db.saveState("k", { at: [value] }); const { at: [back] } = await helpers.db.getState("k"); return back instanceof Uint8Array ? { $blob: back.toBase64() } : back }),
    tool: await tried(() => helpers.peer.invoke("echo", { message: "x", more: [value] }, { throwOnError: true }).then(({ more }) => more[0])),
  };
  console.log(value);
  return outcome;`;

describe("values", { concurrency: 4 }, () => {
  let peer, worker;
  before(async () => {
    peer = await startPeer();
    worker = await startWorker({ peer });
  });
  after(() => Promise.all([worker?.stop(), peer?.close()]));

  test("the table has every class of the isolate", async () => {
    const names = await result(worker, randomUUID(), "return Object.getOwnPropertyNames(globalThis).filter((name) => typeof globalThis[name] === 'function').sort()");
    assert.deepEqual(names.filter((name) => !FUNCTIONS.includes(name) && !VALUES[name]), []);
    assert.ok(names.length > 60, `${names.length} names`);
  });

  for (const [name, { make, json, cell, tool = true }] of Object.entries(VALUES)) {
    test(name, async () => {
      const outcome = await result(worker, randomUUID(), PROGRAM(make));
      const returned = await execute(worker, randomUUID(), `const hidden = new WeakMap(); return { at: [${make}] }`);
      if (json === undefined) {
        const refused = (way, { code, message, hint, arrived }, path) => {
          assert.equal(arrived, undefined, `${way} let it pass as ${JSON.stringify(arrived)}`);
          assert.ok(message.startsWith(`${path} is `) || message.startsWith(`${path}.`), `${way}: ${message}`);
          assert.ok(hint.length > 5 && !message.includes("undefined"), `${way}: ${message}, ${hint}`);
          assert.match(code, /^(?:INVALID_ARGUMENT|RESULT_NOT_JSON)$/);
        };
        refused("cell", outcome.cell, "params[0]");
        refused("named", outcome.named, "params.v");
        refused("inside", outcome.inside, "params[0].inside[0]");
        refused("record", outcome.record, "records[1].cell");
        assert.deepEqual(outcome.rows, { arrived: 0 }, "nothing of a refused list is inserted");
        refused("state", outcome.state, "value.at[0]");
        refused("tool", outcome.tool, "more[0]");
        refused("result", returned.error, "result.at[0]");
        return;
      }
      assert.deepEqual(outcome.cell, { arrived: cell ?? JSON.stringify(json) });
      assert.deepEqual(outcome.named, outcome.cell);
      for (const way of ["inside", "record", "state"]) assert.deepEqual(outcome[way], { arrived: json }, way);
      assert.deepEqual(returned.result, { at: [json] });
      if (tool) assert.deepEqual(outcome.tool, { arrived: json });
      else assert.match(outcome.tool.message, /^more\[0\] is bytes/);
    });
  }

  test("the path and the fix of a class that the platform has elsewhere", async () => {
    const { error } = await execute(worker, randomUUID(), `
      class Blob { #bytes = [1] }
      await helpers.db.createTable("t", "file");
      return await helpers.db.batchInsert("t", [{ file: 1 }, { file: 2 }, { file: 3 }, { file: new Blob() }]);`);
    assert.equal(error.message, "records[3].file is a Blob with private fields");
    assert.match(error.hint, /toJSON/);
    assert.equal(error.line, 4);
  });

  test("the log shows what there is of a value", async () => {
    const { logs } = await execute(worker, randomUUID(), `
      console.log(new URL("http://a/b"), new URLSearchParams("a=1"), new Number(5), new Boolean(false), Object(5n));
      console.log(new (class A { #x = 1; toJSON() { return { x: this.#x } } })(), new (class B { #x = 1; toString() { return "B of 1" } })(), new (class C {})());`);
    assert.deepEqual(logs.map(({ text }) => text), ['URL "http://a/b" URLSearchParams "a=1" 5 false 5n', 'A {"x":1} B "B of 1" C {}']);
  });
});
