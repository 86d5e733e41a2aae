// Serves a list of tools over Streamable HTTP with the official SDKs, in either version of the protocol.
//
// A tool is a plain object: {name, title?, description, inputSchema, outputSchema?, annotations?, run(args, context)}. `run` gives the result of
// tools/call as the protocol has it. What the SDKs check by themselves (headers, sessions, versions, envelopes) they check; what they would check
// from a tool's schemas they do not, so that a tool may also be served that breaks its own word.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { Server as OldServer } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from "@modelcontextprotocol/sdk/types.js";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { McpServer, ProtocolError, createMcpHandler } from "@modelcontextprotocol/server";

const VERSION = "1.0.0";
const CAPABILITIES = { tools: {} };
// More than any list of tools here; only peers with many tools set it lower.
const ALL_TOOLS = 1_000;
// As long as a client will remember a list at most, so that nothing here depends on how long it takes.
const LIST_TTL_MS = 3_600_000;
// A request larger than this is nothing that these servers are asked.
const MAX_REQUEST_BYTES = 8_000_000;

/** A result whose value is both structured and text, as the protocol asks of a tool with an output schema. */
export const structured = (value) => ({ content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value });

/** A result that is text, or JSON inside text. */
export const text = (value) => ({ content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }] });

/** The tool's own failure. */
export const failed = (message) => ({ ...text(message), isError: true });

/**
 * Starts a server on 127.0.0.1, on a free port.
 *
 * @param {object} options
 * @param {string} options.name
 * @param {object[]} options.tools
 * @param {"legacy"|"modern"} [options.era] 2025-11-25 and before, or 2026-07-28
 * @param {boolean} [options.sessions] of the legacy protocol version: with session ids, as unless it says false
 * @param {"auto"|"sse"|"json"} [options.answer] the type of a result; auto is what the SDK does by itself
 * @param {number} [options.pageSize] tools on a page of tools/list
 * @param {number} [options.ttl_ms] of the modern protocol version: how long a client may remember the list
 * @param {(call: object, request: object, response: object) => boolean} [options.interfere] answers in the server's place where it returns true
 * @returns {Promise<{url: string, calls: object[], close: () => Promise<void>, forgetSessions: () => void}>} `calls` has every request that came in
 */
export async function serve({ interfere = () => false, ...options }) {
  const calls = [];
  const { handle, forgetSessions } = options.era === "legacy" ? legacy(options) : modern(options);
  const { url, close } = await listen(async (request, response) => {
    const body = await readJson(request);
    const call = { http: request.method, headers: request.headers, method: body?.method, tool: body?.params?.name, params: body?.params, closed: false };
    calls.push(call);
    const { socket } = request;
    response.once("close", () => {
      // A result that has been taken leaves its connection open for the next request.
      call.closed = socket.destroyed;
      call.status = response.statusCode;
      call.ended = true;
    });
    if (!interfere(call, request, response)) await handle(request, response, body);
  });
  return { url: `${url}/mcp`, calls, close, forgetSessions };
}

/** An HTTP server on a free port of 127.0.0.1. What the handler throws becomes a 500. */
export async function listen(handler, options = {}) {
  const server = createServer(options, (request, response) => {
    Promise.resolve(handler(request, response)).catch((error) => {
      if (!response.headersSent) response.writeHead(500, { "content-type": "text/plain" });
      response.end(error.message);
    });
  });
  await new Promise((ready, failure) => {
    server.once("error", failure);
    server.listen(0, "127.0.0.1", ready);
  });
  // Clients close connections that nobody uses. A server that did so after as many seconds would sometimes close one just as a request comes.
  server.keepAliveTimeout = 0;
  // A server that nobody has closed does not keep a process alive that has nothing else to do.
  server.unref();
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    server,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** The body of a request as JSON; undefined where it has none. */
export async function readJson(request) {
  const pieces = [];
  let bytes = 0;
  for await (const piece of request) {
    bytes += piece.length;
    if (bytes > MAX_REQUEST_BYTES) throw new Error("the request is too large");
    pieces.push(piece);
  }
  return bytes === 0 ? undefined : JSON.parse(Buffer.concat(pieces).toString("utf8"));
}

// ---- 2026-07-28: each request by itself

function modern({ name, tools, answer = "auto", pageSize = ALL_TOOLS, ttl_ms = LIST_TTL_MS }) {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const create = ({ requestInfo }) => {
    const mcp = new McpServer({ name, version: VERSION }, { capabilities: CAPABILITIES, cacheHints: { "tools/list": { ttlMs: ttl_ms, cacheScope: "private" } } });
    // From here the SDK takes the schema by which it checks the headers `Mcp-Param-*`.
    mcp.toolInputSchemaJson = (tool) => byName.get(tool)?.inputSchema;
    mcp.server.setRequestHandler("tools/list", ({ params }) => page(tools, pageSize, params?.cursor, (message) => new ProtocolError(ErrorCode.InvalidParams, message)));
    mcp.server.setRequestHandler("tools/call", ({ params }, { mcpReq }) => {
      const tool = byName.get(params.name);
      if (tool === undefined) throw new ProtocolError(ErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
      const token = mcpReq._meta?.progressToken;
      return tool.run(params.arguments ?? {}, {
        signal: mcpReq.signal,
        headers: Object.fromEntries(requestInfo?.headers ?? []),
        notify: (method, fields) => mcpReq.notify({ method, params: fields }),
        progress: async (fields) => {
          if (token !== undefined) await mcpReq.notify({ method: "notifications/progress", params: { progressToken: token, ...fields } });
        },
        inputResponses: mcpReq.inputResponses,
      });
    });
    return mcp;
  };
  // Its errors reach the client as results; there is nobody else to tell.
  return { handle: toNodeHandler(createMcpHandler(create, { legacy: "reject", responseMode: answer, onerror: () => {} })), forgetSessions: () => {} };
}

// ---- 2025-11-25 and before: initialize, and a session where the server wants one

function legacy({ name, tools, sessions = true, answer = "sse", pageSize = ALL_TOOLS }) {
  const open = new Map();
  const connect = async (more) => {
    const server = oldServer(name, tools, pageSize);
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: answer === "json", sessionIdGenerator: undefined, ...more });
    await server.connect(transport);
    return transport;
  };
  const handle = async (request, response, body) => {
    if (!sessions) return (await connect()).handleRequest(request, response, body);
    const id = request.headers["mcp-session-id"];
    if (id === undefined && body?.method === "initialize") {
      const transport = await connect({ sessionIdGenerator: randomUUID, onsessioninitialized: (session) => void open.set(session, transport), onsessionclosed: (session) => void open.delete(session) });
      return transport.handleRequest(request, response, body);
    }
    const transport = open.get(id);
    if (transport !== undefined) return transport.handleRequest(request, response, body);
    const [status, message] = id === undefined ? [400, "Bad Request: Mcp-Session-Id header is required"] : [404, "Session not found"];
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", error: { code: -32001, message }, id: body?.id ?? null }));
  };
  return { handle, forgetSessions: () => open.clear() };
}

function oldServer(name, tools, pageSize) {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const server = new OldServer({ name, version: VERSION }, { capabilities: CAPABILITIES });
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => page(tools, pageSize, params?.cursor, (message) => new McpError(ErrorCode.InvalidParams, message)));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal, requestInfo, sendNotification }) => {
    const tool = byName.get(params.name);
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
    const token = params._meta?.progressToken;
    return tool.run(params.arguments ?? {}, {
      signal,
      headers: requestInfo?.headers ?? {},
      notify: (method, fields) => sendNotification({ method, params: fields }),
      progress: async (fields) => {
        if (token !== undefined) await sendNotification({ method: "notifications/progress", params: { progressToken: token, ...fields } });
      },
      elicit: (params) => server.elicitInput(params),
    });
  });
  return server;
}

/** A page of tools/list; a cursor is the number of tools before it. */
function page(tools, size, cursor, refuse) {
  const start = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isInteger(start) || start < 0 || start > tools.length) throw refuse(`Invalid cursor: ${cursor}`);
  const end = start + size;
  const shown = tools.slice(start, end).map(({ run, ...tool }) => tool);
  return { tools: shown, ...(end < tools.length ? { nextCursor: String(end) } : {}) };
}
