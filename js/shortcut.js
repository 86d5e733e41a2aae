// Serves operations of sessions the short way: without a call into WebAssembly in the front Worker,
// and with a single one in the object.
//
// For the first of several requests with the same head (method, URL and the headers that decide),
// WebAssembly makes a plan: the object, its limits, and the time that it may take (`plan` in
// src/worker/entry/shortcut.rs). The plan is cached under the text of that head. It depends on
// nothing else except the settings, so it is valid for the following requests. A request without a
// plan takes the long way, and so does each request that must be refused: the error response is
// made there.

import { trapped, within } from "./guard.js";

/**
 * @typedef {object} Decision
 * @property {string} binding
 * @property {string} object
 * @property {string} tenant
 * @property {string} session
 * @property {number} waitMs
 * @property {number} limitBytes
 *
 * @typedef {Decision & { url: string }} Plan
 *
 * @typedef {object} Front the class in src/worker/entry/shortcut.rs
 * @property {() => string[]} deciding_headers
 * @property {() => [number, string][]} last_resorts
 * @property {(head: string, env: unknown) => string | undefined} plan
 * @property {(thrown: unknown, waitMs: number) => Response} failure
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

/** The path of a request that may have a plan. */
const SESSION_PATH = /\/api\/codemode\/sessions\/[^/?#]+$/;

/** The URL of an operation on the long way; a header names the session. */
const OBJECT_URL = "https://object/api/codemode/sessions/session";

/** The number of digits of the status before the body of an answer. */
const STATUS_DIGITS = 3;

/**
 * The URL of an operation on the short way; names of tenant and session follow. No request from
 * outside has this host, because the front Worker writes the URLs that objects see.
 */
const OPERATE_URL = "https://operate/";

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
 * Opens the short way.
 *
 * @param {Front} front
 * @param {<T>(call: () => T) => T} enter calls into the instance of WebAssembly
 */
function open(front, enter) {
  const names = front.deciding_headers();
  const lastResorts = front.last_resorts();
  /** @type {Map<string, Plan>} */
  const plans = new Map();

  /** @param {string} head @param {unknown} env */
  function decided(head, env) {
    const text = enter(() => front.plan(head, env));
    if (text === undefined) return undefined;
    const decision = /** @type {Decision} */ (JSON.parse(text));
    const plan = { ...decision, url: urlOf(decision) };
    if (plans.size >= MOST_PLANS) {
      for (const oldest of plans.keys()) {
        plans.delete(oldest);
        break;
      }
    }
    plans.set(head, plan);
    return plan;
  }

  /** @param {Request} request @param {unknown} env */
  function planOf(request, env) {
    const { method, url, headers } = request;
    if (method !== "POST" || !SESSION_PATH.test(url)) return undefined;
    const length = headers.get("content-length");
    if (length === null || !SHORT_LENGTH.test(length) || headers.has("origin")) return undefined;
    let head = `${method}\n${url}`;
    for (const name of names) head += `\n${headers.get(name) ?? "\0"}`;
    if (head.length > LONGEST_HEAD) return undefined;
    const plan = plans.get(head) ?? decided(head, env);
    return plan !== undefined && Number(length) <= Math.min(plan.limitBytes, MOST_BYTES) ? plan : undefined;
  }

  /** @param {Request} request @param {any} env @param {Plan} plan */
  async function asked(request, env, plan) {
    try {
      const object = /** @type {Fetcher} */ (env[plan.binding].getByName(plan.object));
      return await object.fetch(plan.url, { method: "POST", body: request.body });
    } catch (error) {
      return enter(() => front.failure(error, plan.waitMs));
    }
  }

  /**
   * Serves a request, or returns nothing if it takes the long way.
   *
   * @param {Request} request
   * @param {unknown} env
   * @returns {Promise<Response> | undefined}
   */
  return (request, env) => {
    const plan = planOf(request, env);
    return plan && within(asked(request, env, plan), plan.waitMs, lastResorts, []);
  };
}

/**
 * Returns the request that the front Worker would send for an operation.
 *
 * @param {string} tenant
 * @param {string} session
 * @param {Uint8Array} body
 * @returns {Request}
 */
function longWay(tenant, session, body) {
  return new Request(OBJECT_URL, {
    method: "POST",
    headers: { "x-codemode-tenant": tenant, "x-codemode-session": session, "content-length": String(body.length) },
    body,
  });
}

/** @param {Decision} decision */
function urlOf({ tenant, session }) {
  return `${OPERATE_URL}${encodeURIComponent(tenant)}/${encodeURIComponent(session)}`;
}

/**
 * Returns the names of tenant and session in the URL of an operation; nothing for another URL.
 *
 * @param {string} url
 * @returns {[string, string] | undefined}
 */
function namesIn(url) {
  if (!url.startsWith(OPERATE_URL)) return undefined;
  const [tenant, session] = url.slice(OPERATE_URL.length).split("/").map(decodeURIComponent);
  return [tenant, session];
}

export const shortcut = { open, longWay, namesIn, response, trapped };
