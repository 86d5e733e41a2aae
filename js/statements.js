// Runs statements that are repeated, without a call into WebAssembly.
//
// WebAssembly serves a statement first, and the second time it also says how to repeat it: the text
// that runs, which comes from the SQL gate alone, and the parts of the response
// (crates/session/src/repeated.rs). A request repeats a statement if its body differs only in the
// values of the parameters, not in their kinds, and nothing has happened that could change the
// checks. Everything that is not quite usual, such as a large result, is served by WebAssembly, and
// so is each statement that fails, because WebAssembly makes the error.

import { onlyRow, write } from "./rows.js";

/**
 * @typedef {object} Repeated
 * @property {string} sql
 * @property {boolean} writes
 * @property {string[]} parts of the response, around the values that each run has
 * @property {string[]} unfinished texts in rows that are not JSON yet
 * @property {number} maxRows
 * @property {number} maxListBytes
 * @property {number} maxParameterBytes
 * @property {number} maxDatabaseBytes
 *
 * @typedef {object} Ended a statement that is not recorded yet
 * @property {string} operation
 * @property {number} rowsRead
 * @property {number} rowsWritten
 * @property {number} bytesIn
 * @property {number} bytesOut
 *
 * @typedef {object} Wanted a body that is written as JSON.stringify does, apart from spaces
 * @property {string} key the body with the kinds of the parameters instead of their values
 * @property {string} operation
 * @property {unknown[]} binds
 * @property {number} longest the most UTF-16 units of a parameter
 *
 * @typedef {object} Object the session in WebAssembly
 * @property {() => number | undefined} quiet_generation
 * @property {() => boolean} is_watched
 * @property {(tenant: string, session: string, body: string) => Repeated | null | undefined} repetition
 * @property {(tenant: string, session: string, ended: string) => void} statements_ended
 */

/** The number of statements that are known. */
const MOST_STATEMENTS = 256;

/** The longest body of a statement, in bytes. It is below the limit of every deployment. */
const MOST_BYTES = 4 * 1024;

/** The most parameters of a statement. The engine takes 100. */
const MOST_PARAMETERS = 64;

/** The number of statements, and the wait, until they are recorded. */
const MOST_UNRECORDED = 64;
const RECORD_MS = 1_000;

/** The beginning of a body that can be repeated, and of its text without spaces. */
const BEGINNING = '{"operation":';
const BEGINNING_OF_TEXT = `${BEGINNING}"`;

/** A text of JSON, which stays, or spaces between the texts. */
const TEXT_OR_SPACES = /("(?:[^"\\]|\\.)*")|[ \t\r\n]+/g;

/** The status of a success, before a body. */
const SUCCESS = "200";
const SUCCESS_BYTES = new TextEncoder().encode(SUCCESS);

/** A UTF-16 unit has at most three bytes in UTF-8. */
const BYTES_OF_UNIT = 3;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const numbers = new Float64Array(5);
const noRoom = new Uint8Array(0);

/** The statements of one object. */
export class Statements {
  #use;
  #sql;
  #instance;
  /** By key: statements that may be repeated, were served once, or are never repeated. @type {Map<string, Repeated | "once" | "never">} */
  #known = new Map();
  /** The instance of WebAssembly and the generation of the schema that the statements belong to. */
  #generation = "";
  /** True if WebAssembly may have changed something since it was asked last. */
  #isUnsure = true;
  #isWatched = true;
  /** The size of the database, until the next write. @type {number | undefined} */
  #size;
  /** @type {Ended[]} */
  #ended = [];
  /** @type {[string, string]} */
  #names = ["", ""];

  /**
   * @param {<T>(call: (object: Object) => T) => T} use calls into WebAssembly
   * @param {SqlStorage} sql
   * @param {{ instanceId: number }} instance
   */
  constructor(use, sql, instance) {
    this.#use = use;
    this.#sql = sql;
    this.#instance = instance;
  }

  /**
   * Serves an operation. Returns the answer; or what was understood of the body, for `served`,
   * after WebAssembly has served it.
   *
   * @param {[string, string]} names of tenant and session
   * @param {Uint8Array} body
   * @returns {Uint8Array | Wanted | undefined}
   */
  serve(names, body) {
    const wanted = wantedBy(body);
    if (wanted === undefined) return undefined;
    if (typeof this.#known.get(wanted.key) !== "object" || !this.#isQuiet()) return wanted;
    // It is gone if the schema has changed.
    const known = this.#known.get(wanted.key);
    if (typeof known !== "object") return wanted;
    this.#names = names;
    return this.#run(known, wanted, body.length) ?? wanted;
  }

  /**
   * Notes that WebAssembly has served an operation.
   *
   * @param {[string, string]} names of tenant and session
   * @param {Uint8Array} body
   * @param {Wanted | undefined} wanted
   * @param {Uint8Array} answer
   */
  served(names, body, wanted, answer) {
    this.#isUnsure = true;
    if (wanted === undefined || !SUCCESS_BYTES.every((digit, at) => answer[at] === digit)) return;
    const { key } = wanted;
    const known = this.#known.get(key);
    if (known === undefined) {
      if (this.#known.size >= MOST_STATEMENTS) this.#known.clear();
      this.#known.set(key, "once");
    } else if (known === "once" && this.#isQuiet()) {
      const repeated = this.#use((object) => object.repetition(...names, decoder.decode(body)));
      if (repeated !== undefined) this.#known.set(key, repeated ?? "never");
    }
  }

  /** Records the statements that are not yet, before WebAssembly does anything else. */
  record() {
    this.#isUnsure = true;
    if (this.#ended.length === 0) return;
    const ended = JSON.stringify(this.#ended.splice(0));
    try {
      this.#use((object) => object.statements_ended(...this.#names, ended));
    } catch (error) {
      console.error("statements could not be recorded:", String(error));
    }
  }

  /**
   * Returns true if nothing else goes on in the object. Forgets the statements if the schema has
   * changed.
   */
  #isQuiet() {
    if (!this.#isUnsure) return true;
    const generation = this.#use((object) => {
      this.#isWatched = object.is_watched();
      return object.quiet_generation();
    });
    if (generation === undefined) return false;
    const current = `${this.#instance.instanceId} ${generation}`;
    this.#isUnsure = false;
    this.#size = undefined;
    if (current !== this.#generation) this.#known.clear();
    this.#generation = current;
    return true;
  }

  /**
   * @param {Repeated} repeated
   * @param {Wanted} wanted
   * @param {number} bytesIn
   */
  #run(repeated, { key, operation, binds, longest }, bytesIn) {
    if (longest * BYTES_OF_UNIT > repeated.maxParameterBytes) return undefined;
    const text = repeated.writes ? this.#written(repeated, binds) : this.#read(repeated, key, binds);
    if (text === undefined) return undefined;
    const answer = encoder.encode(SUCCESS + text);
    const [rowsRead, rowsWritten] = numbers;
    const ended = this.#ended.push({ operation, rowsRead, rowsWritten, bytesIn, bytesOut: answer.length - SUCCESS.length });
    if (ended === 1) setTimeout(() => this.record(), RECORD_MS);
    else if (ended >= MOST_UNRECORDED) this.record();
    return answer;
  }

  /**
   * Returns the response to a read; nothing if it is not a small list of finished rows. Such a
   * statement is not repeated again.
   *
   * @param {Repeated} repeated
   * @param {string} key
   * @param {unknown[]} binds
   */
  #read({ sql, parts, unfinished, maxRows, maxListBytes, maxDatabaseBytes }, key, binds) {
    this.#size ??= this.#sql.databaseSize;
    if (this.#size > maxDatabaseBytes) return undefined;
    numbers.fill(0);
    const bytes = onlyRow(this.#sql, sql, binds, numbers, noRoom);
    const [rowsRead, , isThere, count] = numbers;
    if (isThere === 1 && bytes instanceof Uint8Array && count <= maxRows && bytes.length <= maxListBytes) {
      const list = textOf(bytes);
      if (list !== undefined && !unfinished.some((mark) => list.includes(mark))) {
        return parts[0] + list + parts[1] + count + parts[2] + rowsRead + parts[3];
      }
    }
    this.#known.set(key, "never");
    return undefined;
  }

  /**
   * Returns the response to a write; nothing if it failed, which has no effect.
   *
   * @param {Repeated} repeated
   * @param {unknown[]} binds
   */
  #written({ sql, parts }, binds) {
    if (this.#isWatched) return undefined;
    this.#size = undefined;
    numbers.fill(0);
    if (write(this.#sql, sql, binds, numbers) !== undefined) return undefined;
    const [rowsRead, rowsWritten, changes] = numbers;
    return parts[0] + rowsRead + parts[1] + rowsWritten + parts[2] + changes + parts[3];
  }
}

/** @param {Uint8Array} bytes */
function textOf(bytes) {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Reads a body. Returns nothing if it is not written as JSON.stringify does, apart from spaces,
 * because then it may have a field twice or a number that JavaScript does not have, or if it has
 * unusual parameters.
 *
 * @param {Uint8Array} body
 * @returns {Wanted | undefined}
 */
function wantedBy(body) {
  if (body.length > MOST_BYTES) return undefined;
  const text = textOf(body);
  // WebAssembly has no halves of surrogate pairs, and refuses them.
  if (text === undefined || !text.startsWith(BEGINNING) || text.includes("\\ud")) return undefined;
  let fields;
  try {
    fields = JSON.parse(text);
  } catch {
    return undefined;
  }
  const written = JSON.stringify(fields);
  if (written !== text && written !== text.replaceAll(TEXT_OR_SPACES, "$1")) return undefined;
  if (!written.startsWith(BEGINNING_OF_TEXT)) return undefined;
  const { params, ...rest } = fields;
  const { operation } = rest;
  let kinds = "";
  let longest = 0;
  const binds = [];
  if (params !== undefined) {
    if (!Array.isArray(params) || params.length > MOST_PARAMETERS) return undefined;
    for (const value of params) {
      const kind = kindOf(value);
      if (kind === undefined) return undefined;
      kinds += kind;
      // workerd binds a number as REAL, so WebAssembly has an integer bound as text.
      const bind = kind === INTEGER ? String(Number(value)) : value;
      if (kind === TEXT) longest = Math.max(longest, bind.length);
      binds.push(bind);
    }
  }
  return { key: `${kinds}${JSON.stringify(rest)}`, operation, binds, longest };
}

const [INTEGER, TEXT, REAL, NULL] = ["i", "t", "r", "n"];

/**
 * Returns the kind of a parameter; nothing for a list, an object, or a number that is no exact
 * integer and no fraction.
 *
 * @param {unknown} value
 */
function kindOf(value) {
  if (value === null) return NULL;
  if (typeof value === "string") return TEXT;
  if (typeof value === "boolean" || Number.isSafeInteger(value)) return INTEGER;
  return typeof value === "number" && !Number.isInteger(value) ? REAL : undefined;
}
