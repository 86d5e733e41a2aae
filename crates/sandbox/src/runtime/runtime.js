// The main module of the isolate in which a program runs: runs it once, catches all its errors, and
// reports.
//
// The host trusts nothing that comes from here, because a program shares this realm and may forge
// any message. For programs that do not attack, the report is complete: it has every error that was
// thrown, each rejection, and calls left open.

import { WorkerEntrypoint } from "cloudflare:workers";
import "./prelude.js";
import { beginsWith, createConsole, defineProperty, eachEntry, holdsText, inspect, isClass, keys, onFailure, parse, readable, setPrototypeOf, stringify } from "./console.js";
import "./builtins.js";
import "./proxies.js";
import "./matches.js";
import "./lists.js";
import "./texts.js";
import "./structures.js";
import "./iteration.js";
import "./international.js";
import { listen } from "./globals.js";
import { Halt, atMs, begin, closed, halt, halted, later, longest, openCalls, opened, spend, turn } from "./guard.js";
import { headOf, setPlaces } from "./places.js";
import { ResultError, toJson } from "./result.js";
import "./tools.js";
import program from "./program.js";

/** @type {Wire} */
const wire = globalThis.__wire;
const ownHelpers = globalThis.helpers;
const ownMappings = globalThis.SERVER_COLUMN_MAPPINGS;
const every = globalThis.setInterval;
const clearLater = globalThis.clearTimeout;
const microtask = globalThis.queueMicrotask;
const NativePromise = Promise;
const NativeError = Error;
/** Without the prelude, no program has an error of this class. */
const DatabaseError = wire.DatabaseError ?? class extends NativeError {};
wire.readProgram?.(Function.prototype.toString.call(program));
delete globalThis.__wire;
// The places of helper calls, for errors whose own stack does not lead back to the program.
wire.site = () => new NativeError();
wire.spend = spend;
wire.sites = new WeakMap();

/** Calls to the host at a time. More wait in order. */
const MAX_OPEN_CALLS = 32;
/** Characters of calls that are sent in one message. */
const MAX_JOINT_CHARACTERS = 4_000_000;
/** Operations that wait for other servers. Calls in the same message would wait too. */
const ASKS_OTHERS = ["callTool", "listTools", "searchTools", "describeTool", "persist"];
/** The beginning of the host's reply to a call beyond the limit of a run. */
const EXHAUSTED = '{"exhausted":true';
/** The time that calls which nobody awaited may still take after the program has returned. */
const UNAWAITED_MS = 1000;
/** The interval of checks for the end of those calls. */
const TURN_MS = 5;

/** Returns an object or array whose JSON a polluted prototype cannot change. */
const bare = (value) => setPrototypeOf(value, null);

function set(name, value) {
  defineProperty(globalThis, name, { value, enumerable: false, configurable: true, writable: true });
}

// ---- Globals that stop working after the end of the run

function noNetwork(name) {
  return function () {
    const error = new wire.DatabaseError(
      {
        code: "NETWORK_UNAVAILABLE",
        message: `${name} is not available: a program has no network`,
        hint: "reach data through helpers: helpers.db holds the session's tables",
      },
      name,
    );
    if (new.target) throw error;
    return Promise.reject(error);
  };
}

for (const name of ["fetch", "WebSocket", "EventSource"]) set(name, noNetwork(name));
/**
 * The run of this isolate.
 *
 * @type {ReturnType<typeof createRun> | null}
 */
let current = null;

function timer(start, repeat) {
  return (callback, delay, ...args) => {
    if (typeof callback !== "function") throw new TypeError("a timer needs a function");
    const run = current;
    const id = start(
      () => {
        if (run !== current || !turn()) {
          clearLater(id);
          if (run === current) run?.fail(halted());
          return;
        }
        try {
          callback(...args);
        } catch (error) {
          run?.fail(error);
        }
      },
      repeat ? Math.max(1, Number(delay) || 0) : delay,
    );
    return id;
  };
}

set("setTimeout", timer(later, false));
set("setInterval", timer(every, true));
set("queueMicrotask", (callback) => {
  const run = current;
  microtask(() => {
    try {
      spend();
      callback();
    } catch (error) {
      run?.fail(error);
    }
  });
});
set("reportError", (error) => current?.fail(error));

const rejections = new Map();
listen("unhandledrejection", (event) => {
  event.preventDefault();
  if (rejections.size < 100) rejections.set(event.promise, event.reason);
});
listen("rejectionhandled", (event) => rejections.delete(event.promise));

// ---- Calls to the host

/** A call that waits for its turn or its result. */
class Waiting {
  constructor(text, alone) {
    this.text = text;
    this.alone = alone;
    /** @type {Waiting | null} */
    this.next = null;
    this.promise = new NativePromise((answer, fail) => {
      this.answer = answer;
      this.fail = fail;
    });
  }
}

/**
 * Returns the error of a call that the platform did not deliver, as an error of the HTTP contract
 * if it has one.
 */
function notCarried(error) {
  if (!/32 ?MiB/.test(`${error?.message}`)) return error;
  return new wire.DatabaseError(
    { code: "TOO_BIG", message: "the call or its result is larger than 32 MiB", hint: "insert in slices, select fewer rows or columns, or use helpers.db.stream" },
    "call",
  );
}

/**
 * Creates the function that sends calls to the host, a limited number at a time. Calls that are
 * made together are sent in one message, which costs one round trip instead of many.
 *
 * @returns {InvokeDatabase}
 */
function createDoor(host, run) {
  /** @type {Waiting | null} */
  let first = null;
  /** @type {Waiting | null} */
  let last = null;
  let open = 0;
  let planned = false;
  /**
   * The host's refusal, once the run has made all the calls that it may. Later calls are refused
   * here with the same text.
   *
   * @type {string | null}
   */
  let exhausted = null;

  function line(call) {
    if (last === null) first = call;
    else last.next = call;
    last = call;
    if (planned) return;
    planned = true;
    microtask(depart);
  }

  function depart() {
    planned = false;
    if (halted()) return;
    run.tell();
    while (first !== null && open < MAX_OPEN_CALLS) {
      const calls = [];
      const texts = [];
      let size = 0;
      while (first !== null && open < MAX_OPEN_CALLS && (size === 0 || (!first.alone && size + first.text.length <= MAX_JOINT_CHARACTERS))) {
        const call = first;
        first = call.next;
        if (first === null) last = null;
        call.next = null;
        size += call.text.length;
        texts[calls.length] = call.text;
        calls[calls.length] = call;
        open += 1;
        if (call.alone) break;
      }
      travel(calls, texts);
    }
  }

  async function travel(calls, texts) {
    /** @type {any[]} */
    let answers = [];
    let failure = null;
    try {
      answers = await host.call(texts);
    } catch (error) {
      failure = notCarried(error);
    }
    for (let at = 0; at < calls.length; at++) {
      open -= 1;
      if (failure === null && typeof answers[at] !== "string") {
        // The results before it left no room, so the host has not executed it.
        line(calls[at]);
        continue;
      }
      closed();
      if (failure === null) longest(answers[at].length);
      if (failure !== null) calls[at].fail(failure);
      else {
        if (beginsWith.call(answers[at], EXHAUSTED)) exhausted = answers[at];
        calls[at].answer(answers[at]);
      }
    }
    if (first !== null) depart();
  }

  return (operation, args, text) => {
    if (typeof text !== "string") throw new TypeError("__invokeDB(operation, args, text) takes the JSON text of the call");
    if (halted()) throw halted();
    if (exhausted !== null && operation !== "readStream" && operation !== "closeStream") return exhausted;
    const call = new Waiting(text, ASKS_OTHERS.includes(operation) || args?.target === "persistent");
    opened();
    line(call);
    return call.promise;
  };
}

// ---- The report

/** Converts a value of the report to a form that every reader of JSON accepts. */
function reportValue(_key, value) {
  return typeof value === "string" ? readable(value) : typeof value === "bigint" ? `${value}` : value;
}

/** Returns the description of a thrown value for the host. */
function describe(error, kind) {
  const report = { __proto__: null, kind };
  if (error instanceof Halt) return { __proto__: null, kind: "halt", code: error.message, stack: stackOf(error) };
  try {
    if (error instanceof Error) {
      report.name = text(error.name);
      report.message = text(error.message);
      report.stack = stackOf(error);
      if (!holdsText.call(report.stack, "program:")) report.stack += siteOf(error);
      if (error instanceof DatabaseError || error instanceof ResultError) {
        report.kind = error instanceof ResultError ? "result" : "tool";
        report.details = details(error);
      } else if (error.cause instanceof DatabaseError) {
        report.cause = details(error.cause);
      }
    } else {
      report.name = error === null ? "null" : typeof error;
      report.message = typeof error === "object" && error !== null && typeof error.message === "string" ? text(error.message) : text(error);
      report.thrown = text(error);
    }
  } catch {
    if (halted()) return describe(halted());
    report.name = "Error";
    report.message = "a value that cannot be read was thrown";
  }
  return report;
}

const text = (value) => readable((typeof value === "string" ? value : inspect(value, 2000)).slice(0, 4000));

/** Returns the frames of the helper call that failed with this error. */
function siteOf(error) {
  const site = wire.sites.get(error);
  return site === undefined ? "" : stackOf(site);
}

/** Returns the frames without the message before them, which may look like a frame. */
function stackOf(error) {
  const stack = error.stack;
  if (typeof stack !== "string") return "";
  const head = headOf(error);
  return readable((beginsWith.call(stack, head) ? stack.slice(head.length) : stack).slice(-8000));
}

/**
 * Returns the fields of a DatabaseError. Values that a program added and that JSON cannot hold
 * become text.
 */
function details(error) {
  const fields = { __proto__: null, message: text(error.message) };
  const names = keys(error);
  for (let at = 0; at < names.length && at < 20; at++) {
    const name = names[at];
    if (name === "stack" || name === "message") continue;
    fields[name] = detail(error[name]);
  }
  return fields;
}

function detail(value) {
  if (typeof value === "string") return text(value);
  if (typeof value !== "object" || value === null) return inspect(value, 200) === `${value}` ? value : inspect(value, 200);
  try {
    return parse(toJson(value, wire, 4000).text);
  } catch {
    return text(value);
  }
}

export default class extends WorkerEntrypoint {
  /**
   * Runs the program.
   *
   * @param {{call(texts: string[]): Promise<(string | null)[]>, note(kind: string, text: string): Promise<void>}} host
   * @param {{units: number, timeoutMs: number, input: string, servers: string, places: Uint32Array, flushMs: number, entries: number, each: number, total: number, progress: number, maxResult: number}} options
   * @returns {Promise<[string, string | null]>} a report as JSON, and the result as JSON
   */
  async run(host, options) {
    const run = createRun(host, options);
    current = run;
    const report = { __proto__: null };
    /** @type {string | null} */
    let result = null;
    try {
      begin(options.units, options.timeoutMs);
      run.note("started", "");
      prepareGlobals(host, options, run);
      const value = await run.outcome(async () => {
        const value = await program(globalThis.input);
        // Without an input, the defaults of its parameters apply.
        return typeof value === "function" && !isClass(value) ? await value(globalThis.input ?? undefined) : value;
      });
      await run.settle();
      const rejected = firstRejection();
      if (halted()) report.error = describe(halted());
      else if (run.failed) report.error = describe(run.failed.error, "runtime");
      else if (rejected) report.error = describe(rejected.reason, "rejection");
      else {
        const json = toJson(value, wire, options.maxResult);
        for (let at = 0; at < json.notes.length; at++) run.console.warn(json.notes[at]);
        result = json.text;
      }
    } catch (error) {
      report.error = describe(halted() ?? error, "runtime");
    }
    // Work that is still open must not continue after the result is returned.
    halt("EXECUTION_ENDED");
    report.logs = run.take();
    report.dropped = run.dropped();
    return bare([stringify(report, reportValue), result]);
  }

  /** Ends the run, which reports at once what it has. */
  async stop(code) {
    current?.fail(halt(code));
  }
}

/** Defines the globals of this run. */
function prepareGlobals(host, options, run) {
  setPlaces(options.places);
  rejections.clear();
  set("console", run.console);
  set("progress", run.progress);
  // Without the prelude, the program names no helper and gets no input.
  set("input", null);
  if (ownHelpers === undefined) return;
  const door = createDoor(host, run);
  door.pieces = true;
  set("__invokeDB", door);
  set("helpers", wire.withServers(ownHelpers, serversOf(options), wire, () => globalThis.__invokeDB, (level, line) => current?.console[level](line)));
  try {
    longest(options.input.length);
    set("input", wire.decode(options.input));
  } catch (error) {
    throw new wire.DatabaseError({ code: "INVALID_ARGUMENT", message: `input cannot be read: ${error?.message}`, hint: "a $blob must be base64, and values may be nested a few thousand levels deep" }, "input");
  }
}

/**
 * Returns the names of the servers. Their column mappings become available under these names too.
 */
function serversOf(options) {
  const servers = parse(options.servers);
  const names = [];
  for (let at = 0; at < servers.length; at++) {
    const [name, mappings] = servers[at];
    names[at] = name;
    const known = ownMappings[mappings.toLowerCase()];
    if (known === undefined) continue;
    ownMappings[name.toLowerCase()] ??= known;
    ownMappings[name] ??= known;
  }
  return names;
}

/**
 * Returns a promise that was rejected and that nothing has awaited since.
 *
 * @returns {{reason: unknown} | null}
 */
function firstRejection() {
  /** @type {{reason: unknown} | null} */
  let found = null;
  eachEntry.call(rejections, (reason) => {
    found ??= { reason };
  });
  return found;
}

function createRun(host, options) {
  let pending = bare([]);
  let size = 0;
  let flushing = false;
  let progress = 0;
  let succeed;
  let fail;
  const ended = new NativePromise((resolve, reject) => {
    succeed = resolve;
    fail = reject;
  });
  onFailure.call(ended, () => {});
  defineProperty(ended, "constructor", { value: NativePromise });

  function take() {
    const taken = pending;
    pending = bare([]);
    size = 0;
    return taken;
  }

  function note(kind, text) {
    host.note(kind, text).catch(() => {});
  }

  function emit(level, text) {
    pending[size++] = bare([level, atMs(), text]);
    if (flushing) return;
    flushing = true;
    later(flush, options.flushMs);
  }

  function flush() {
    flushing = false;
    if (size > 0) note("logs", stringify(take()));
  }

  /**
   * Sends pending log entries if the client reads a stream, so that they precede the next event.
   */
  function tell() {
    if (options.flushMs === 0) flush();
  }

  const log = createConsole(options, emit);
  const run = {
    console: log.console,
    dropped: log.dropped,
    /** @type {{error: unknown} | null} */
    failed: null,
    note,
    take,
    tell,
    /**
     * Returns the result of the work, or throws the error that ends the run first. It uses only
     * `await`, which a program cannot change by replacing methods of promises.
     */
    async outcome(work) {
      (async () => {
        try {
          succeed(bare([await work()]));
        } catch (error) {
          fail(error);
        }
      })();
      return (await ended)[0];
    },
    /**
     * Fails the run because of an error outside of the program's own call chain: in a timer, or
     * when the host ends the run.
     */
    fail(error) {
      run.failed ??= { error };
      fail(error);
    },
    progress(text, fraction) {
      if (progress++ >= options.progress) return;
      const part = typeof fraction === "number" && fraction >= 0 ? Math.min(1, fraction) : null;
      tell();
      note("progress", stringify(bare([readable(inspect(text, 500)), part])));
    },
    /** Waits a moment for calls that nobody awaited. */
    async settle() {
      if (openCalls() > 0) {
        const open = openCalls();
        // The program's own time does not advance while a call is open, so turns are counted.
        for (let turns = 0; openCalls() > 0 && turns < UNAWAITED_MS / TURN_MS && !halted(); turns++) {
          await new NativePromise((done) => later(done, TURN_MS));
        }
        const left = openCalls();
        log.console.warn(
          `${open} ${open === 1 ? "call was" : "calls were"} still open when the program returned${left > 0 ? `, ${left} did not finish` : ""}: await every helper call`,
        );
      }
      // Rejections are known after one turn of the event loop.
      await new NativePromise((done) => later(done, 0));
    },
  };
  return run;
}
