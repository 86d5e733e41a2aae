// Runs programs that need nothing from their object, without a call into WebAssembly.
//
// V8 discards the compiled code of WebAssembly when an isolate is created, so a program that is
// started from WebAssembly has the code of its whole way compiled again. Here WebAssembly only
// prepares a text (`prepare_program` in src/worker/session/shortly.rs); the next program with the
// same text is started at once. If the program ends soon with a result and nothing else, the
// response is made here as well. Otherwise it is handed over: a request on the long way takes the
// program that runs already, and from then on it is served as any other.
//
// While a program runs here, no other program of the object runs. One that arrives has this one
// handed over first, so that WebAssembly counts all of them.

import { launch, offer, taken } from "./sandbox.js";

/**
 * @typedef {object} Prepared
 * @property {WorkerLoaderWorkerCode} code
 * @property {object} options see crates/sandbox/src/runtime/runtime.js
 * @property {number} timeoutMs
 * @property {number} maxResultBytes
 * @property {number} maxRecords
 * @property {string[]} reply the parts of a response around result, duration and number of the run
 *
 * @typedef {object} Ended a run that is not written down yet
 * @property {string} id
 * @property {number} endedMs
 * @property {number} durationMs
 * @property {number} bytesIn
 * @property {number} bytesOut
 *
 * @typedef {object} Object the session in WebAssembly
 * @property {() => boolean} may_run_shortly
 * @property {(tenant: string, body: string) => Prepared | undefined} prepare_body
 * @property {(tenant: string, code: string, input?: string, timeoutMs?: number, maxResultBytes?: number) => Prepared | undefined} prepare_program
 * @property {() => void} reserve_place
 * @property {(tenant: string, session: string, ended: string) => void} programs_ended
 */

/** The number of texts whose preparation is kept, and their longest one in UTF-16 units. */
const MOST_PREPARED = 32;
const LONGEST_PREPARED = 16 * 1024;

/** The time after which a program is handed over. */
const HAND_OVER_MS = 250;

/** The wait until runs are written down. */
const WRITE_DOWN_MS = 1_000;

/** The longest result of which a response is made here, in UTF-16 units. */
const LONGEST_RESULT = 64 * 1024;

/** The report of a program that succeeded and logged nothing. */
const PLAIN_REPORT = '{"logs":[],"dropped":0}';

/** The header with the number of a program that runs already. */
const ADOPTED_HEADER = "x-codemode-adopted";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The programs of one object. */
export class Programs {
  #use;
  #loader;
  #longWay;
  #response;
  #before;
  /** @type {Map<string, Prepared>} */
  #prepared = new Map();
  /** Hands the running program over. @type {(() => void) | null} */
  #handOver = null;
  /** Requests on the long way that have no response yet. */
  #long = 0;
  /** True if WebAssembly may have begun something since it was asked last. */
  #isUnsure = true;
  /** @type {Ended[]} */
  #ended = [];
  /** @type {[string, string]} */
  #names = ["", ""];

  /**
   * @param {<T>(call: (object: Object) => T) => T} use calls into WebAssembly
   * @param {WorkerLoader | undefined} loader
   * @param {(names: [string, string], body: Uint8Array, more: Record<string, string>) => Promise<Response>} longWay
   * @param {(body: Uint8Array) => Response} response
   * @param {() => void} before called before WebAssembly serves anything else than an operation
   */
  constructor(use, loader, longWay, response, before) {
    this.#use = use;
    this.#loader = loader;
    this.#longWay = longWay;
    this.#response = response;
    this.#before = before;
  }

  /**
   * Makes sure that WebAssembly knows of all programs, before `serve` calls into it for something
   * else than an operation.
   *
   * @template T
   * @param {() => Promise<T>} serve
   * @returns {Promise<T>}
   */
  async beside(serve) {
    this.#handOver?.();
    this.writeDown();
    this.#before();
    this.#isUnsure = true;
    this.#long += 1;
    try {
      return await serve();
    } finally {
      this.#long -= 1;
    }
  }

  /** True if no program runs here, no request is on the long way, and all runs are written down. */
  get isQuiet() {
    return this.#handOver === null && this.#long === 0 && this.#ended.length === 0;
  }

  /** Writes down the runs that are not yet, for a request that may read them. */
  writeDown() {
    if (this.#ended.length === 0) return;
    const ended = JSON.stringify(this.#ended.splice(0));
    try {
      this.#use((object) => object.programs_ended(...this.#names, ended));
    } catch (error) {
      console.error("programs could not be written down:", String(error));
    }
  }

  /**
   * Runs the program of a request.
   *
   * @param {[string, string]} names of tenant and session
   * @param {Uint8Array} body
   * @returns {Promise<Response>}
   */
  execute(names, body) {
    this.#names = names;
    const prepared = this.#isFree() ? this.#preparedFor(body) : undefined;
    return prepared === undefined ? this.beside(() => this.#longWay(names, body, {})) : this.#run(prepared, body);
  }

  #isFree() {
    if (this.#handOver !== null || this.#long > 0 || this.#loader === undefined) return false;
    if (this.#isUnsure) this.#isUnsure = !this.#use((object) => object.may_run_shortly());
    return !this.#isUnsure;
  }

  /** @param {Uint8Array} body */
  #preparedFor(body) {
    let text;
    try {
      text = decoder.decode(body);
    } catch {
      return undefined;
    }
    const known = this.#prepared.get(text);
    if (known !== undefined) return known;
    const [tenant] = this.#names;
    const fields = fieldsOf(text);
    const prepared = this.#use((object) => (fields === undefined ? object.prepare_body(tenant, text) : object.prepare_program(tenant, ...fields)));
    if (prepared !== undefined && text.length <= LONGEST_PREPARED) {
      if (this.#prepared.size >= MOST_PREPARED) this.#prepared.clear();
      this.#prepared.set(text, prepared);
    }
    return prepared;
  }

  /**
   * @param {Prepared} prepared
   * @param {Uint8Array} body
   * @returns {Promise<Response>}
   */
  #run(prepared, body) {
    return new Promise((resolve, reject) => {
      const handOver = () => {
        if (this.#handOver !== handOver) return;
        end();
        const number = offer(launched);
        const served = this.beside(async () => {
          // Before any other program asks for a place.
          this.#use((object) => object.reserve_place());
          return await this.#longWay(this.#names, body, { [ADOPTED_HEADER]: String(number) });
        });
        // A program that nobody took would run on.
        served.finally(() => taken(number)?.close()).then(resolve, reject);
      };
      const launched = launch(/** @type {WorkerLoader} */ (this.#loader), undefined, prepared.code, prepared.options, handOver);
      const timer = setTimeout(handOver, Math.min(HAND_OVER_MS, prepared.timeoutMs));
      const end = () => {
        this.#handOver = null;
        clearTimeout(timer);
      };
      this.#handOver = handOver;
      launched.outcome.then(([report, result]) => {
        if (this.#handOver !== handOver) return;
        if (report !== PLAIN_REPORT || typeof result !== "string" || !isPlain(result, prepared)) return handOver();
        end();
        launched.close();
        resolve(this.#response(this.#reply(prepared, body, launched.began_ms, result)));
      }, handOver);
    });
  }

  /**
   * Makes the body of a response, and notes the run.
   *
   * @param {Prepared} prepared
   * @param {Uint8Array} body
   * @param {number} began_ms
   * @param {string} result
   */
  #reply({ reply: [before, between, behind, last] }, body, began_ms, result) {
    const endedMs = Date.now();
    const durationMs = Math.max(0, endedMs - began_ms);
    const id = crypto.randomUUID();
    const made = encoder.encode(`${before}${result}${between}${durationMs}${behind}${id}${last}`);
    if (this.#ended.push({ id, endedMs, durationMs, bytesIn: body.length, bytesOut: made.length }) === 1) setTimeout(() => this.writeDown(), WRITE_DOWN_MS);
    return made;
  }
}

/**
 * Returns the fields of a body that is written as `JSON.stringify` does, so that no field is there
 * twice and no number loses digits: code, JSON of the input, time, and size of the result. Returns
 * nothing for another body, which WebAssembly reads by itself.
 *
 * @param {string} text
 * @returns {[string, string | undefined, number | undefined, number | undefined] | undefined}
 */
function fieldsOf(text) {
  // WebAssembly has no halves of surrogate pairs, and refuses them.
  if (text.includes("\\ud")) return undefined;
  let fields;
  try {
    fields = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (JSON.stringify(fields) !== text) return undefined;
  const { session, code, input, timeoutMs, maxResultBytes, ...others } = fields;
  const isNumber = (/** @type {unknown} */ value) => value === undefined || typeof value === "number";
  if (typeof session !== "string" || typeof code !== "string" || !isNumber(timeoutMs) || !isNumber(maxResultBytes)) return undefined;
  for (const _ in others) return undefined;
  return [code, input === undefined ? undefined : JSON.stringify(input), timeoutMs, maxResultBytes];
}

/**
 * Returns true if a result is JSON that the response holds as it is. A program may have forged it.
 *
 * @param {string} result
 * @param {Prepared} prepared
 */
function isPlain(result, { maxResultBytes, maxRecords }) {
  // A character has three bytes at most.
  if (result.length > LONGEST_RESULT || result.length * 3 > maxResultBytes) return false;
  try {
    const value = JSON.parse(result);
    return !Array.isArray(value) || value.length <= maxRecords;
  } catch {
    return false;
  }
}
