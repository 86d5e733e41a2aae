// The short way of an operation of a session: no call into WebAssembly in the front Worker, and one
// in the object.
//
// WebAssembly decides on the first of the requests that are alike: their object, its limits and
// their time (`plan` in src/worker/entry/shortcut.rs). The plan is kept by the text that it was
// made of, so it depends on nothing else. A request without a plan takes the long way, and so does
// each request that is refused.

import { trapped, within } from "./guard.js";

/**
 * @typedef {{ operate(tenant: string, session: string, body: Uint8Array): Promise<Uint8Array | Response>, fetch(url: string, init: RequestInit): Promise<Response> }} Session
 * @typedef {{ binding: string, object: string, tenant: string, session: string, waitMs: number, limitBytes: number }} Decision
 * @typedef {Decision & { url: string, traffic: Traffic }} Plan
 * @typedef {object} Front what js/shortcut.js needs of the class in src/worker/entry/shortcut.rs
 * @property {() => string[]} deciding_headers
 * @property {() => [number, string][]} last_resorts
 * @property {(head: string, env: unknown) => string | undefined} plan
 * @property {(thrown: unknown, waitMs: number) => Response} failure
 */

/** The plans that are kept; the oldest one is dropped for a new one. */
const MOST_PLANS = 1_000;

/** The longest text that a plan is kept by, in UTF-16 units. */
const LONGEST_HEAD = 4_096;

/** The largest body that takes the short way, in bytes: the platform discards the rest of such a
 * body itself (js/body.js). */
const MOST_BYTES = 64 * 1024;

/** A length that is a whole number of at most `MOST_BYTES`, roughly. */
const SHORT_LENGTH = /^\d{1,5}$/;

/** The path of a request that may have a plan. */
const SESSION_PATH = /\/api\/codemode\/sessions\/[^/?#]+$/;

/** The URL of an operation; a header names the session. */
const OBJECT_URL = "https://object/api/codemode/sessions/session";

/** The number of digits of the status before the body of an answer. */
const STATUS_DIGITS = 3;

/** The URL of an operation that is sent as a request; names of tenant and session follow. No request
 * from outside has this host, because the front Worker writes the URLs that objects see. */
const OPERATE_URL = "https://operate/";

/** The time after which requests that have not ended count no more: they may have been cancelled. */
const WINDOW_MS = 1_000;

/** The requests of a crowded object that are sent without asking again. */
const CROWD = 64;

/**
 * Counts the requests of a plan that are under way. One request at a time is cheapest as an RPC
 * call; of several to one object, the platform serves requests faster.
 */
class Traffic {
  #since = 0;
  #window = 0;
  #underWay = 0;
  #crowd = 0;

  /** Counts one more; returns true if it should be sent as a request, and its window. */
  begin() {
    const now = Date.now();
    if (now - this.#since > WINDOW_MS) {
      this.#since = now;
      this.#window += 1;
      this.#underWay = 0;
    }
    if (this.#underWay > 0) this.#crowd = CROWD;
    else if (this.#crowd > 0) this.#crowd -= 1;
    this.#underWay += 1;
    return { isCrowded: this.#crowd > 0, window: this.#window };
  }

  /** @param {number} window in which the request began */
  end(window) {
    if (window === this.#window && this.#underWay > 0) this.#underWay -= 1;
  }
}

/** The headers of a response; the platform adds its length. */
const JSON_HEADERS = new Headers({ "x-content-type-options": "nosniff", "content-type": "application/json; charset=utf-8" });

/** Status and body of an answer of an object, as a response. @param {Uint8Array | Response} answer */
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
    const plan = { ...decision, url: urlOf(decision), traffic: new Traffic() };
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

  /** @param {Request} request @param {any} env @param {Plan} plan @param {boolean} asRequest */
  async function asked(request, env, plan, asRequest) {
    const body = asRequest ? undefined : new Uint8Array(await request.arrayBuffer());
    try {
      const object = /** @type {Session} */ (env[plan.binding].getByName(plan.object));
      if (body === undefined) return await object.fetch(plan.url, { method: "POST", body: request.body });
      return response(await object.operate(plan.tenant, plan.session, body));
    } catch (error) {
      return enter(() => front.failure(error, plan.waitMs));
    }
  }

  /** @param {Request} request @param {unknown} env @param {Plan} plan */
  async function counted(request, env, plan) {
    const { isCrowded, window } = plan.traffic.begin();
    try {
      return await asked(request, env, plan, isCrowded);
    } finally {
      plan.traffic.end(window);
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
    return plan && within(counted(request, env, plan), plan.waitMs, lastResorts, []);
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
