// Real MCP servers for tests, built with the official SDKs of both protocol versions.
//
//   const peer = await startPeer({ era: "legacy" });
//   peer.url, peer.calls, peer.state …; await peer.close();

import { listen, serve } from "../../demo/servers/mcp.mjs";
import { until } from "../until.mjs";
import { FLAKY, manyTools, testTools } from "./tools.mjs";

export { until };

/** The name of every kind of peer in tests, with the options that start it. */
export const KINDS = {
  "legacy, sessions, SSE": { era: "legacy" },
  "legacy, sessions, JSON": { era: "legacy", answer: "json" },
  "legacy, stateless, SSE": { era: "legacy", sessions: false },
  "legacy, stateless, JSON": { era: "legacy", sessions: false, answer: "json" },
  "modern, as the SDK does": { era: "modern" },
  "modern, SSE": { era: "modern", answer: "sse" },
};

/**
 * Starts a peer with the test tools.
 *
 * @param {object} [options] those of `serve`, and:
 * @param {number} [options.many] this number of other tools instead
 */
export async function startPeer({ many, name = "peer", ...options } = {}) {
  const state = new State();
  // Takes the place of another host with a schema, and counts the requests for it.
  const elsewhere = await listen((_request, response) => {
    state.elsewhere += 1;
    response.end('{"type":"string"}');
  });
  state.remoteSchema = `${elsewhere.url}/id.json`;
  const tools = many === undefined ? testTools(state) : manyTools(many);
  const peer = await serve({ era: "modern", name, tools, ...options, interfere: (call, request, response) => state.interfere(call, request, response) });
  return {
    ...peer,
    state,
    tools,
    /**
     * Returns the pages of lists that succeeded. A client that detects the protocol version may
     * have been refused one.
     */
    lists: () => peer.calls.filter(({ method, status }) => method === "tools/list" && status === 200).length,
    /** Returns the requests of a method, or of tools/call with a tool. */
    of: (method, tool) => peer.calls.filter((call) => call.method === method && (tool === undefined || call.tool === tool)),
    close: async () => {
      state.releaseAll();
      await Promise.all([peer.close(), elsewhere.close()]);
    },
  };
}

/** The state of a peer, which a test reads and sets. */
class State {
  /** The pairs that were added. */
  added = [];
  /** The calls of `generation`. */
  generation = 0;
  /** The calls of `slow`, and of `progress` with a key: {key, cancelled, released}. */
  slow = [];
  /** The requests to the host that schemas refer to. */
  elsewhere = 0;
  #failed = new Map();
  #orders = [];

  /**
   * Makes the next `times` requests of a method fail: with a status, by "drop", or by "hang" until
   * the client goes away.
   */
  failNext(method, how, times = 1) {
    this.#orders.push({ method, how, times });
  }

  /** Runs one call of `slow`: it waits until it is released, and rejects when it is cancelled. */
  wait(key, signal) {
    return new Promise((released, cancelled) => {
      const call = { key, cancelled: false, released: false };
      this.slow.push(call);
      call.release = () => {
        call.released = true;
        released();
      };
      signal.addEventListener("abort", () => {
        call.cancelled = true;
        cancelled(new Error("cancelled"));
      });
    });
  }

  release(key) {
    for (const call of this.slow) if (call.key === key) call.release();
  }

  releaseAll() {
    for (const call of this.slow) call.release();
  }

  interfere(call, request, response) {
    const order = this.#orders.find(({ method, times }) => method === call.method && times > 0);
    if (order !== undefined) {
      order.times -= 1;
      fail(response, request, order.how);
      return true;
    }
    if (call.method !== "tools/call" || !FLAKY.includes(call.tool)) return false;
    const { key, failures, how, retryAfter } = call.params.arguments;
    const before = this.#failed.get(key) ?? 0;
    if (before >= failures) return false;
    this.#failed.set(key, before + 1);
    fail(response, request, how, retryAfter);
    return true;
  }
}

function fail(response, request, how, retryAfter) {
  if (how === "drop") request.socket.destroy();
  else if (how !== "hang") {
    response.writeHead(Number(how), { "content-type": "text/plain", ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }) });
    response.end("not now");
  }
}
