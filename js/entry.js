// The Worker for the platform: the front Worker and the classes of objects. It consists of two
// WebAssembly modules (the features in Cargo.toml), which scripts/build puts beside this file.
//
// worker-build wraps each class in a Proxy, and each method in another, to replace an instance of
// WebAssembly that has trapped. Here each call instead checks whether the instance has trapped or
// been replaced, because a Proxy costs more than the call itself.

import { DurableObject } from "cloudflare:workers";
// @ts-expect-error: scripts/build makes it.
import * as main from "./main.js";

/**
 * @typedef {object} Served an object of WebAssembly; only a session has more than the first two
 * @property {(request: Request) => Promise<Response>} fetch
 * @property {() => Promise<void>} alarm
 * @property {() => boolean} may_run_shortly
 * @property {(tenant: string, body: string) => any} prepare_body
 * @property {(tenant: string, code: string, input?: string, timeoutMs?: number, maxResultBytes?: number) => any} prepare_program
 * @property {() => void} reserve_place
 * @property {(tenant: string, session: string, ended: string) => void} programs_ended
 * @property {() => number | undefined} quiet_generation
 * @property {() => boolean} is_watched
 * @property {(tenant: string, session: string, body: string) => any} repetition
 * @property {(tenant: string, session: string, ended: string) => void} statements_ended
 * @property {(tenant: string, session: string, body: Uint8Array) => Uint8Array | undefined} operate
 * @property {(tenant: string, session: string, kind: string, thrown: unknown) => Uint8Array} interrupted
 */

/**
 * The state of an instance of WebAssembly: true after a trap, and the number of replacements.
 *
 * @typedef {{ criticalError: boolean, instanceId: number }} Instance
 */

/** The instance of main.js; objects.js sets the same variable to its own when it is loaded. */
const mainInstance = globalThis.__worker_init_state;

const shortcut = main.Front.shortcut();
const Programs = main.Front.programs();
const Statements = main.Front.statements();

/** The least size in bytes of an answer that is sent in pieces. */
const LONG_BYTES = 256 * 1024;

/**
 * Returns true if an error has ended an instance. If it was the main one, all promises that wait
 * for it are rejected.
 *
 * @param {Instance} instance
 * @param {unknown} error
 */
function ended(instance, error) {
  if (instance === mainInstance) return shortcut.trapped(error);
  const isOver = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
  // The guard of the other module listens to this event.
  if (isOver) reportError(error);
  return isOver;
}

/**
 * Calls into WebAssembly. After a trap, the next call replaces the instance.
 *
 * @template T
 * @param {Instance} instance
 * @param {() => T} call
 * @returns {T}
 */
function noting(instance, call) {
  try {
    return call();
  } catch (error) {
    if (ended(instance, error)) {
      console.error("Critical", error);
      instance.criticalError = true;
    }
    throw error;
  }
}

/** The object of a class of WebAssembly, made again for each instance. */
class Held {
  /** @type {Served | undefined} */
  #object;
  #number = -1;

  /**
   * @param {any} wrapped the class in the Proxy of worker-build
   * @param {Instance} instance
   * @param {DurableObjectState} state
   * @param {unknown} env
   */
  constructor(wrapped, instance, state, env) {
    this.wrapped = wrapped;
    this.instance = instance;
    this.state = state;
    this.env = env;
    this.#made();
  }

  #made() {
    const { wrapped, instance, state, env } = this;
    // The Proxy replaces the instance before it makes an object.
    if (instance.criticalError) new wrapped(state, env);
    if (this.#object === undefined || this.#number !== instance.instanceId) {
      this.#object = noting(instance, () => new wrapped.prototype.constructor(state, env));
      this.#number = instance.instanceId;
    }
    return /** @type {Served} */ (this.#object);
  }

  /**
   * @template T
   * @param {(object: Served) => T} call
   * @returns {T}
   */
  use(call) {
    const object = this.#made();
    return noting(this.instance, () => call(object));
  }
}

/**
 * Calls into the main module, whose instance is replaced if it has trapped.
 *
 * @template T
 * @param {() => T} call
 * @returns {T}
 */
function enter(call) {
  if (mainInstance.criticalError) new main.Front();
  return noting(mainInstance, call);
}

/** @type {(request: Request, env: unknown, context: ExecutionContext) => Promise<Response> | undefined} */
const serveShortly = shortcut.open(main.Front, enter);

export default {
  /**
   * @param {Request} request
   * @param {unknown} env
   * @param {ExecutionContext} context
   * @returns {Promise<Response>}
   */
  fetch(request, env, context) {
    return serveShortly(request, env, context) ?? enter(() => main.Front.fetch(request, env, context));
  },
};

/**
 * Makes a class of the main module.
 *
 * @param {string} name of the class
 */
function atOnce(name) {
  return class extends DurableObject {
    /** @type {Held} */
    held;

    /**
     * @param {DurableObjectState} state
     * @param {unknown} env
     */
    constructor(state, env) {
      super(state, env);
      this.held = new Held(main[name], mainInstance, state, env);
    }

    /** @param {Request} request */
    fetch(request) {
      return this.held.use((object) => object.fetch(request));
    }

    alarm() {
      return this.held.use((object) => object.alarm());
    }
  };
}

/** A session, which also serves operations and programs without a request. */
export class CodeModeDatabase extends atOnce("CodeModeDatabase") {
  #programs;
  #statements;

  /**
   * @param {DurableObjectState} state
   * @param {any} env
   */
  constructor(state, env) {
    super(state, env);
    const use = (/** @type {any} */ call) => this.held.use(call);
    this.#statements = new Statements(use, state.storage.sql, mainInstance);
    /** @param {[string, string]} names @param {Uint8Array} body @param {Record<string, string>} more */
    const longWay = (names, body, more) => this.held.use((object) => object.fetch(shortcut.longProgram(names, body, more)));
    /** @param {Uint8Array} body */
    const response = (body) => new Response(body, { headers: shortcut.headers });
    this.#programs = new Programs(use, env.LOADER, longWay, response, () => this.#statements.record());
  }

  /**
   * Serves an operation. Returns the digits of the status and the body of the response, or the
   * response itself if it is long or had to wait.
   *
   * @param {string} tenant
   * @param {string} session
   * @param {Uint8Array} body
   * @returns {Uint8Array | Response | Promise<Response>}
   */
  operate(tenant, session, body) {
    const names = /** @type {[string, string]} */ ([tenant, session]);
    const wanted = this.#programs.isQuiet ? this.#statements.serve(names, body) : undefined;
    if (wanted instanceof Uint8Array) return wanted;
    this.#programs.writeDown();
    this.#statements.record();
    const answer = this.held.use((object) => object.operate(tenant, session, body));
    if (answer === undefined) return this.#programs.beside(() => super.fetch(shortcut.longOperation(names, body)));
    this.#statements.served(names, body, wanted, answer);
    return answer.length < LONG_BYTES ? answer : shortcut.response(answer);
  }

  /** @param {Request} request */
  fetch(request) {
    const named = shortcut.namesIn(request.url);
    return named === undefined ? this.#programs.beside(() => super.fetch(request)) : this.#serveShortly(request, named);
  }

  alarm() {
    return this.#programs.beside(() => super.alarm());
  }

  /**
   * Serves an operation or a program that came as a request.
   *
   * @param {Request} request
   * @param {["operate" | "execute", [string, string]]} named with the names of tenant and session
   */
  async #serveShortly(request, [kind, names]) {
    let body;
    try {
      body = new Uint8Array(await request.arrayBuffer());
    } catch (error) {
      return shortcut.response(this.held.use((object) => object.interrupted(...names, kind, error)));
    }
    return kind === "execute" ? await this.#programs.execute(names, body) : shortcut.response(await this.operate(...names, body));
  }
}

/**
 * Makes a class of the second module, which is compiled when its first object is requested, so that
 * no session waits for graphs or for parsers of code.
 *
 * @param {string} name of the class
 */
function lazily(name) {
  return class extends DurableObject {
    /** @type {Held | undefined} */
    #loaded;

    /**
     * @param {DurableObjectState} state
     * @param {unknown} env
     */
    constructor(state, env) {
      super(state, env);
      // If this fails, the platform makes the object again for the next request.
      state.blockConcurrencyWhile(async () => {
        // @ts-expect-error: scripts/build makes it.
        const module = await import("./objects.js");
        this.#loaded = new Held(module[name], globalThis.__worker_init_state, state, env);
      });
    }

    /** @param {Request} request */
    fetch(request) {
      return this.held.use((object) => object.fetch(request));
    }

    alarm() {
      return this.held.use((object) => object.alarm());
    }

    get held() {
      if (this.#loaded === undefined) throw new Error(`the module of ${name} is not loaded`);
      return this.#loaded;
    }
  };
}

/** A graph, which also serves operations without a request. */
export class KnowledgeGraph extends lazily("KnowledgeGraph") {
  /** @param {Request} request */
  fetch(request) {
    const parts = shortcut.graphPartsIn(request.url);
    return parts === undefined ? super.fetch(request) : this.#operate(request, parts);
  }

  /**
   * Serves an operation that came as a request.
   *
   * @param {Request} request
   * @param {string[]} parts of its URL
   */
  async #operate(request, parts) {
    let body;
    try {
      body = new Uint8Array(await request.arrayBuffer());
    } catch (error) {
      const unread = new ReadableStream({ type: "bytes", start: (controller) => controller.error(error) });
      return await super.fetch(shortcut.longGraphOperation(parts, unread));
    }
    const [tenant, conversation, method, path, actor] = parts;
    const answer = this.held.use((/** @type {any} */ object) => object.operate(tenant, conversation, method, path, actor, body));
    return answer === undefined ? await super.fetch(shortcut.longGraphOperation(parts, body)) : shortcut.response(answer);
  }
}

export const McpSession = atOnce("McpSession");
export const TenantIndex = atOnce("TenantIndex");
export const AgentThread = lazily("AgentThread");
export const CodeWorkspace = lazily("CodeWorkspace");
