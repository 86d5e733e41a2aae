// HTTP servers that follow a protocol version with sessions with one deviation each, as real
// servers do.

import { listen, readJson } from "../../demo/servers/mcp.mjs";

const JSON_TYPE = { "content-type": "application/json" };
const READ = { name: "read", annotations: { readOnlyHint: true }, inputSchema: { type: "object" } };
const WRITE = { name: "write", inputSchema: { type: "object" } };

const result = (id, value) => ({ jsonrpc: "2.0", id, result: value });
const error = (id, code, message, data) => ({ jsonrpc: "2.0", id, error: { code, message, ...(data === undefined ? {} : { data }) } });

/**
 * A server's deviating response, `[status, body]`, or nothing for a correct one. `state` belongs to
 * the server, `message` is the request, `session` its session id.
 *
 * @type {Record<string, (message: any, state: any, session: string | undefined) => [number, any] |
 * undefined>}
 */
const ODDITIES = {
  // Deviations in the version of the handshake.
  "refuses the version with data": ({ id, method, params }) =>
    method === "initialize" && params.protocolVersion !== "2025-03-26" ? [200, error(id, -32602, "Unsupported protocol version", { supported: ["2025-03-26", "2024-11-05"], requested: params.protocolVersion })] : undefined,
  "refuses the version in words": ({ id, method, params }) =>
    method === "initialize" && params.protocolVersion !== "2025-06-18" ? [400, error(id, -32000, `Bad Request: Unsupported protocol version: ${params.protocolVersion} (supported versions: 2025-06-18, 2024-11-05)`)] : undefined,
  "refuses the version as a text": ({ method, params }) => (method === "initialize" && params.protocolVersion !== "2024-11-05" ? [400, "this server speaks 2024-11-05"] : undefined),
  "refuses every version": ({ id, method }) => (method === "initialize" ? [400, error(id, -32000, "Unsupported protocol version, use 2025-06-18")] : undefined),
  "names no version": ({ id, method }) => (method === "initialize" ? [400, error(id, -32000, "Unsupported protocol version")] : undefined),
  // A session that is lost at the second call.
  "loses the session, 404": lost((id) => [404, error(id, -32001, "Session not found")]),
  "loses the session, -32600": lost((id) => [200, error(id, -32600, "Session not found")]),
  "loses the session, -32001": lost((id) => [200, error(id, -32001, "Session expired")]),
  "loses the session, -32000": lost((id) => [200, error(id, -32000, "No valid session ID provided")]),
  "loses the session, 400": lost((id) => [400, error(id, -32000, "Bad Request: No valid session ID provided")]),
  "loses the session, 410": lost(() => [410, ""]),
  "loses the session, 401": lost(() => [401, '{"error":"unknown session"}']),
  "loses the session, 500": lost((id) => [500, error(id, -32603, "session abc no longer exists")]),
  // Deviations in the list of tools.
  "an empty cursor at the end": ({ id, method, params }) => (method === "tools/list" ? [200, result(id, { tools: [READ, WRITE], nextCursor: "" })] : undefined),
  "an empty cursor that is refused": ({ id, method, params }) =>
    method !== "tools/list" ? undefined : params?.cursor === undefined ? [200, result(id, { tools: [READ, WRITE], nextCursor: "" })] : [200, error(id, -32602, "invalid cursor")],
  "an empty cursor that is a page": ({ id, method, params }) => (method === "tools/list" ? [200, result(id, params?.cursor === undefined ? { tools: [READ], nextCursor: "" } : { tools: [WRITE] })] : undefined),
  "a cursor of null": ({ id, method }) => (method === "tools/list" ? [200, result(id, { tools: [READ, WRITE], nextCursor: null })] : undefined),
  "tools of null": ({ id, method }) => (method === "tools/list" ? [200, result(id, { tools: null })] : undefined),
  "no tools at all": ({ id, method }) =>
    method === "initialize" ? [200, initialized(id, "2025-11-25", { prompts: {} })] : method === "tools/list" ? [200, error(id, -32601, "Method not found")] : undefined,
  // Handshakes that fail.
  "a handshake that is refused": ({ id, method }) => (method === "initialize" ? [200, error(id, -32000, "this licence has ended", { licence: "L-1" })] : method === "tools/list" ? [400, error(id, -32000, "Server not initialized")] : undefined),
  "a handshake that is refused with a status": ({ method }) => (method === "initialize" ? [400, "the tenant header is missing"] : method === "tools/list" ? [404, "not here"] : undefined),
  // Deviations in errors.
  "an error with data": ({ id, method }) => (method === "tools/call" ? [200, error(id, -32602, "out of range", { field: "page", max: 9007199254740993n.toString(), hint: ["1", "2"] })] : undefined),
  "an error with data that is a text": ({ id, method }) => (method === "tools/call" ? [400, error(id, -32602, "no", "because")] : undefined),
};

/** Makes a server whose second call does not know the session of the first. */
function lost(news) {
  return ({ id, method }, state, session) => {
    if (method !== "tools/call") return undefined;
    state.gone ??= undefined;
    if (state.calls++ === 1) state.gone = session;
    return state.gone !== undefined && session === state.gone ? news(id) : undefined;
  };
}

function initialized(id, protocolVersion, capabilities = { tools: {} }) {
  return result(id, { protocolVersion, capabilities, serverInfo: { name: "odd", version: "1.0.0" } });
}

/** The names of the oddities. */
export const ODD = Object.keys(ODDITIES);

/**
 * Starts a server with one oddity.
 *
 * @returns {Promise<{url: string, seen: {method: string, version?: string, session?: string}[],
 * close: () => Promise<void>}>} `seen` has the requests
 */
export async function startOdd(name) {
  const odd = ODDITIES[name];
  const state = { calls: 0, sessions: 0 };
  const seen = [];
  const server = await listen(async (request, response) => {
    const message = (await readJson(request)) ?? {};
    const session = request.headers["mcp-session-id"];
    seen.push({ method: message.method ?? request.method, version: message.params?.protocolVersion, session });
    const [status, body] = answer(odd, message, state, session, request);
    const headers = { ...JSON_TYPE, ...(message.method === "initialize" && body?.result ? { "mcp-session-id": `s${++state.sessions}` } : {}) };
    response.writeHead(status, headers);
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  return { url: `${server.url}/mcp`, seen, close: server.close };
}

function answer(odd, message, state, session, request) {
  const { id, method, params } = message;
  const odder = odd(message, state, session);
  if (odder !== undefined) return odder;
  if (method === "initialize") return [200, initialized(id, params.protocolVersion)];
  if (method === undefined) return [405, ""];
  if (id === undefined) return [202, ""];
  if (session === undefined || request.headers["mcp-protocol-version"] === "2026-07-28") return [400, error(id, -32000, "Bad Request: Server not initialized")];
  if (method === "tools/list") return [200, result(id, { tools: [READ, WRITE] })];
  if (method === "tools/call") return [200, result(id, { content: [{ type: "text", text: JSON.stringify({ session, tool: params.name }) }] })];
  return [200, error(id, -32601, "Method not found")];
}
