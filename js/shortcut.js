// Serves operations of sessions and graphs, and programs, the short way: without a call into
// WebAssembly in the front Worker, and in the object with a single one for an operation, or none
// for a program whose text is known (js/programs.js).
//
// For the first of several requests with the same head (method, URL and the headers that decide),
// WebAssembly makes a plan: the object, its limits, and the time that it may take (`plan` in
// src/worker/entry/shortcut.rs). The plan is cached under the text of that head. It depends on
// nothing else except the settings, so it is valid for the following requests. The body of a program
// names its session; the object of that session is cached too. A request without a plan takes the
// long way, and so does each request that must be refused: the error response is made there.

import { trapped, within } from "./guard.js";
import { UNRESOLVED } from "./messages.js";

/**
 * @typedef {object} Place
 * @property {string} object
 * @property {string} url
 *
 * @typedef {object} Plan
 * @property {string} tenant
 * @property {string} binding
 * @property {Place | null} place nothing if the body names the session
 * @property {number} waitMs
 * @property {number} limitBytes
 *
 * @typedef {object} Front the class in src/worker/entry/shortcut.rs
 * @property {() => string[]} deciding_headers
 * @property {() => [number, string][]} last_resorts
 * @property {() => string} passed_prefix
 * @property {(head: string, env: unknown) => string | undefined} plan
 * @property {(tenant: string, body: string) => string | undefined} place_of_program
 * @property {(thrown: unknown) => Response} interrupted
 * @property {(request: Request, env: unknown, context: ExecutionContext) => Promise<Response>} fetch
 * @property {(thrown: unknown, binding: string, waitMs: number) => Response} failure
 */

/** The maximum number of cached plans; a new plan then replaces the oldest one. */
const MOST_PLANS = 1_000;

/** The longest text under which a plan is cached, in UTF-16 units. */
const LONGEST_HEAD = 4_096;

/**
 * The largest body that takes the short way, in bytes: the platform discards the rest of such a
 * body itself (js/body.js).
 */
const MOST_BYTES = 64 * 1024;

/** A length that is a whole number of at most `MOST_BYTES`, roughly. */
const SHORT_LENGTH = /^\d{1,5}$/;

/** The URLs of requests that may have a plan: operations of sessions, programs, and graphs. */
const PLANNED_URL = /\/api\/(?:codemode\/(?:sessions\/[^/?#]+|execute)|graph\/[^?#]+)$/;

/** The URLs of an operation and of a program on the long way; a header names the session. */
const LONG_OPERATION_URL = "https://object/api/codemode/sessions/session";
const LONG_PROGRAM_URL = "https://object/api/codemode/execute";

/** The number of digits of the status before the body of an answer. */
const STATUS_DIGITS = 3;

/**
 * The hosts of the URLs of an operation and of a program on the short way, which have the same
 * length; the parts follow: the names of tenant and object, and for a graph the method, the path,
 * and the actor if the request names one. No request from outside has these hosts, because the
 * front Worker writes the URLs that objects see.
 */
const OPERATE_URL = "https://operate/";
const EXECUTE_URL = "https://execute/";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The headers of a response; the platform adds its length. */
const JSON_HEADERS = new Headers({ "x-content-type-options": "nosniff", "content-type": "application/json; charset=utf-8" });

/**
 * Makes a response of the answer of an object.
 *
 * @param {Uint8Array | Response} answer
 */
function response(answer) {
  if (answer instanceof Response) return answer;
  const [hundreds, tens, ones] = answer;
  const status = (hundreds - 48) * 100 + (tens - 48) * 10 + (ones - 48);
  return new Response(answer.subarray(STATUS_DIGITS), { status, headers: JSON_HEADERS });
}

/**
 * A map with at most `MOST_PLANS` entries, of which the oldest goes.
 *
 * @template T
 * @param {Map<string, T>} map
 * @param {string} key
 * @param {T} value
 */
function keep(map, key, value) {
  if (map.size >= MOST_PLANS) {
    for (const oldest of map.keys()) {
      map.delete(oldest);
      break;
    }
  }
  map.set(key, value);
}

/**
 * Returns the text that decides which session a body names, behind a letter for its kind: the
 * session itself if the body is written as `JSON.stringify` does, so that it names no field twice;
 * otherwise the body.
 *
 * @param {string} body
 */
function decidingPart(body) {
  try {
    const value = JSON.parse(body);
    if (typeof value.session === "string" && JSON.stringify(value) === body) return `s${value.session}`;
  } catch {
    // The long way says what is wrong.
  }
  return `b${body}`;
}

/**
 * Opens the short way.
 *
 * @param {Front} front
 * @param {<T>(call: () => T) => T} enter calls into the instance of WebAssembly
 */
function open(front, enter) {
  const names = front.deciding_headers();
  const prefix = front.passed_prefix();
  const lastResorts = front.last_resorts();
  /** @type {Map<string, Plan>} */
  const plans = new Map();
  /** The places of programs, by tenant and deciding part. @type {Map<string, Place>} */
  const places = new Map();

  /** @param {Request} request @param {unknown} env */
  function planOf(request, env) {
    const { method, url, headers } = request;
    const length = headers.get("content-length");
    if (length === null || !SHORT_LENGTH.test(length) || !PLANNED_URL.test(url) || UNRESOLVED.test(url)) return undefined;
    // The version in If-Match is hardly ever the same again.
    if (headers.has("origin") || headers.has("if-match")) return undefined;
    let head = `${method}\n${url}`;
    for (const name of names) head += `\n${headers.get(name) ?? "\0"}`;
    if (head.length > LONGEST_HEAD) return undefined;
    let plan = plans.get(head);
    if (plan === undefined) {
      const text = enter(() => front.plan(head, env));
      if (text === undefined) return undefined;
      plan = /** @type {Plan} */ (JSON.parse(text));
      keep(plans, head, plan);
    }
    return Number(length) <= Math.min(plan.limitBytes, MOST_BYTES) ? plan : undefined;
  }

  /** @param {Headers} headers */
  function passesHeaders(headers) {
    for (const [name] of headers) if (name.startsWith(prefix)) return true;
    return false;
  }

  /** @param {string} tenant @param {string} body */
  function placeOf(tenant, body) {
    const key = `${tenant}\n${decidingPart(body)}`;
    const known = places.get(key);
    if (known !== undefined) return known;
    const text = enter(() => front.place_of_program(tenant, body));
    if (text === undefined) return undefined;
    const place = /** @type {Place} */ (JSON.parse(text));
    if (key.length <= LONGEST_HEAD) keep(places, key, place);
    return place;
  }

  /**
   * @param {any} env
   * @param {Plan} plan
   * @param {Place} place
   * @param {BodyInit | null} body
   */
  async function ask(env, plan, place, body) {
    try {
      const object = /** @type {Fetcher} */ (env[plan.binding].getByName(place.object));
      return await object.fetch(place.url, { method: "POST", body });
    } catch (error) {
      return enter(() => front.failure(error, plan.binding, plan.waitMs));
    }
  }

  /**
   * Sends a program to the session that its body names.
   *
   * @param {Request} request
   * @param {any} env
   * @param {ExecutionContext} context
   * @param {Plan} plan
   */
  async function execute(request, env, context, plan) {
    /** @param {BodyInit | null} body */
    const longWay = (body) => enter(() => front.fetch(new Request(request.url, { method: "POST", headers: request.headers, body }), env, context));
    let text;
    let body;
    try {
      body = await request.arrayBuffer();
    } catch (error) {
      return enter(() => front.interrupted(error));
    }
    try {
      text = decoder.decode(body);
    } catch {
      return await longWay(body);
    }
    const place = placeOf(plan.tenant, text);
    return await (place === undefined ? longWay(body) : ask(env, plan, place, body));
  }

  /**
   * Serves a request, or returns nothing if it takes the long way.
   *
   * @param {Request} request
   * @param {unknown} env
   * @param {ExecutionContext} context
   * @returns {Promise<Response> | undefined}
   */
  return (request, env, context) => {
    const plan = planOf(request, env);
    if (plan === undefined) return undefined;
    const { place } = plan;
    if (place !== null) return within(ask(env, plan, place, request.body), plan.waitMs, lastResorts, []);
    if (passesHeaders(request.headers)) return undefined;
    return within(execute(request, env, context, plan), plan.waitMs, lastResorts, []);
  };
}

/**
 * Returns the request that the front Worker would send to an object.
 *
 * @param {string} url
 * @param {[string, string]} names of tenant and session
 * @param {Uint8Array} body
 * @param {Record<string, string>} [more] headers
 * @returns {Request}
 */
function longRequest(url, [tenant, session], body, more = {}) {
  return new Request(url, {
    method: "POST",
    headers: { "x-codemode-tenant": tenant, "x-codemode-session": session, "content-length": String(body.length), ...more },
    body,
  });
}

/** Returns the long way of an operation. */
const longOperation = longRequest.bind(null, LONG_OPERATION_URL);
/** Returns the long way of a program. */
const longProgram = longRequest.bind(null, LONG_PROGRAM_URL);

/**
 * Returns the long way of an operation of a graph. A stream is a body that cannot be read.
 *
 * @param {string[]} parts of the URL on the short way
 * @param {Uint8Array | ReadableStream} body
 * @returns {Request}
 */
function longGraphOperation([tenant, conversation, method, path, actor], body) {
  const headers = new Headers({ "x-codemode-tenant": tenant, "x-codemode-conversation": conversation });
  if (body instanceof Uint8Array) headers.set("content-length", String(body.length));
  if (actor !== undefined) headers.set("x-codemode-actor", actor);
  return new Request(`https://object${path}`, { method, headers, body });
}

/**
 * Returns the parts of a URL on the short way.
 *
 * @param {string} url
 */
const partsOf = (url) => url.slice(OPERATE_URL.length).split(",").map(decodeURIComponent);

/**
 * Returns the names of tenant and session in the URL of an operation or a program, which comes
 * first; nothing for another URL.
 *
 * @param {string} url
 * @returns {["operate" | "execute", [string, string]] | undefined}
 */
function namesIn(url) {
  const kind = url.startsWith(OPERATE_URL) ? "operate" : url.startsWith(EXECUTE_URL) ? "execute" : undefined;
  if (kind === undefined) return undefined;
  const [tenant, session] = partsOf(url);
  return [kind, [tenant, session]];
}

/**
 * Returns the parts of the URL of an operation of a graph; nothing for another URL.
 *
 * @param {string} url
 */
const graphPartsIn = (url) => (url.startsWith(OPERATE_URL) ? partsOf(url) : undefined);

export const shortcut = { open, longOperation, longProgram, longGraphOperation, namesIn, graphPartsIn, response, trapped, headers: JSON_HEADERS };
