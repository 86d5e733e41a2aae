// A server of the official SDK that stores its events, so that a client can resume a stream whose
// connection ended.

import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { listen, readJson, structured } from "../../demo/servers/mcp.mjs";

/** The time that clients are asked to wait before they resume a stream. */
const RETRY_MS = 150;
/** The time in which the first event of a stream is sent, whose id allows to resume it. */
const BEGUN_MS = 100;
/**
 * The time for which the tools work without a connection, so that a client that reconnects at once
 * finds no result yet.
 */
const WORK_MS = 400;

/** The stored events of a session's streams, in order. */
class Said {
  #events = [];

  storeEvent(stream, message) {
    this.#events.push({ id: `${stream}/${this.#events.length}`, stream, message });
    return Promise.resolve(this.#events.at(-1).id);
  }

  getStreamIdForEventId(id) {
    return Promise.resolve(this.#events.find((event) => event.id === id)?.stream);
  }

  async replayEventsAfter(id, { send }) {
    const after = this.#events.findIndex((event) => event.id === id);
    const { stream } = this.#events[after];
    for (const event of this.#events.slice(after + 1)) {
      // The first event of a stream is empty; it only carries an id.
      if (event.stream === stream && Object.keys(event.message).length > 0) await send(event.id, event.message);
    }
    return stream;
  }
}

const TOOLS = [
  { name: "polled", description: "Closes its stream while it works, to be asked later", inputSchema: { type: "object" } },
  { name: "cut", description: "Loses its connection while it works", inputSchema: { type: "object" } },
];

/**
 * Starts a server.
 *
 * @returns {Promise<{url: string, runs: string[], asked: string[], close: () => Promise<void>}>}
 * `runs` has the tools that ran, `asked` the ids of events after which a stream was resumed
 */
export async function startResuming() {
  const sessions = new Map();
  const runs = [];
  const asked = [];
  const connect = async (sockets) => {
    const server = new Server({ name: "resuming", version: "1.0.0" }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: TOOLS }));
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, { requestId, closeSSEStream }) => {
      runs.push(params.name);
      await wait(BEGUN_MS);
      if (params.name === "polled") closeSSEStream();
      else sockets.get(requestId).destroy();
      await wait(WORK_MS);
      return structured({ done: params.name });
    });
    const session = { sockets };
    session.transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: new Said(),
      retryInterval: RETRY_MS,
      onsessioninitialized: (id) => void sessions.set(id, session),
    });
    await server.connect(session.transport);
    return session;
  };
  const { url, close } = await listen(async (request, response) => {
    const body = await readJson(request);
    const after = request.headers["last-event-id"];
    if (after !== undefined) asked.push(after);
    const session = sessions.get(request.headers["mcp-session-id"]) ?? (body?.method === "initialize" ? await connect(new Map()) : undefined);
    if (session === undefined) {
      response.writeHead(400, { "content-type": "application/json" });
      return response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32000, message: "Bad Request: Mcp-Session-Id header is required" } }));
    }
    if (body?.id !== undefined) session.sockets.set(body.id, request.socket);
    return session.transport.handleRequest(request, response, body);
  });
  return { url: `${url}/mcp`, runs, asked, close };
}
