// HTTP servers that violate the protocol, each in one way.
//
// They respond correctly to initialize, server/discover and tools/list, so that a client gets as
// far as the call, unless their violation concerns all of it.

import { listen, readJson } from "../../demo/servers/mcp.mjs";

const JSON_TYPE = { "content-type": "application/json" };
const SSE_TYPE = { "content-type": "text/event-stream" };
/**
 * The pause between pieces of the endless stream. A client that reads until its time limit gets a
 * few hundred pieces.
 */
const BEAT_MS = 5;
const HEADER_BYTES = 200_000;
const NO_LENGTH_PIECE = Buffer.alloc(65_536, 0x20);

const TOOL = { name: "call", description: "Answers as badly as this server can", annotations: { readOnlyHint: true }, inputSchema: { type: "object" } };

const event = (message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`;
const result = (id, value) => ({ jsonrpc: "2.0", id, result: value });

/** The response of each server to tools/call: (response, body, server) => void. */
const CALLS = {
  "invalid JSON": (response) => respond(response, 200, JSON_TYPE, '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"te'),
  "no JSON-RPC": (response) => respond(response, 200, JSON_TYPE, '{"hello":"world"}'),
  "an empty answer": (response) => respond(response, 200, JSON_TYPE, ""),
  "accepted without an answer": (response) => respond(response, 202, {}, ""),
  "another type": (response, { id }) => respond(response, 200, { "content-type": "application/octet-stream" }, JSON.stringify(result(id, { content: [] }))),
  "an answer to another question": (response) => respond(response, 200, JSON_TYPE, JSON.stringify(result("not-yours", { content: [] }))),
  "a result without content": (response, { id }) => respond(response, 200, JSON_TYPE, JSON.stringify(result(id, "surprise"))),
  "no UTF-8": (response, { id }) => respond(response, 200, JSON_TYPE, Buffer.concat([Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"`), Buffer.from([0xff, 0xfe]), Buffer.from('"}]}}')])),
  "deep nesting": (response, { id }) => respond(response, 200, JSON_TYPE, `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[],"structuredContent":{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}}}`),
  "a stream of comments without an end": (response) => stream(response, () => ": still here\n\n"),
  "a stream of notifications without an end": (response) =>
    stream(response, () => event({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "still busy" } })),
  "a stream that ends without the answer": (response) => respond(response, 200, SSE_TYPE, event({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "bye" } })),
  "a stream with an event that is no JSON": (response) => respond(response, 200, SSE_TYPE, "event: message\ndata: {oh no\n\n"),
  "a stream that is one line without an end": (response) => stream(response, () => "data: ".padEnd(10_000, "x"), "data: {"),
  "a redirect to another host": (response, _body, server) => respond(response, 307, { location: `${server.target}/mcp` }, ""),
  "a redirect to itself": (response) => respond(response, 302, { location: "/mcp" }, ""),
  "no access": (response) => respond(response, 401, { ...JSON_TYPE, "www-authenticate": "Bearer" }, '{"error":"invalid_token"}'),
  "no access, with the header in its words": (response, _body, _server, request) => respond(response, 403, { "content-type": "text/plain" }, `you sent ${request.headers.authorization}`),
  "a page about an error": (response) => respond(response, 500, { "content-type": "text/html" }, `<!doctype html><html><body><h1>Internal Server Error</h1>${"<p>sorry</p>".repeat(2_000)}</body></html>`),
  "an answer without length and end": (response) => {
    response.writeHead(200, JSON_TYPE);
    response.write('{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"');
    const more = () => {
      if (!response.destroyed && response.write(NO_LENGTH_PIECE)) setImmediate(more);
    };
    response.on("drain", more);
    more();
  },
  "an answer that stops in the middle": (response) => {
    response.writeHead(200, { ...JSON_TYPE, "content-length": "1000" });
    response.write('{"jsonrpc":"2.0",', () => response.socket?.destroy());
  },
  "headers without a body": (response) => {
    response.writeHead(200, JSON_TYPE);
    response.flushHeaders();
  },
  "a connection that is closed at once": (_response, _body, _server, request) => request.socket.destroy(),
  "headers without an end": (response, { id }) => respond(response, 200, { ...JSON_TYPE, "x-large": "h".repeat(HEADER_BYTES) }, JSON.stringify(result(id, { content: [] }))),
  "silence": () => {},
};

/** The names of the violations. */
export const WAYS = Object.keys(CALLS);

/**
 * Starts a server that violates the protocol in one way.
 *
 * @returns {Promise<{url: string, calls: object[], targetCalls: object[], close: () =>
 * Promise<void>}>} `targetCalls` has the requests at the host that a redirect leads to
 */
export async function startBroken(way) {
  const answer = CALLS[way];
  if (answer === undefined) throw new Error(`no such way: ${way}`);
  const calls = [];
  const targetCalls = [];
  const target = await listen((request, response) => {
    targetCalls.push({ http: request.method, headers: request.headers });
    respond(response, 200, JSON_TYPE, "{}");
  });
  const server = await listen(async (request, response) => {
    const body = await readJson(request);
    const call = { http: request.method, method: body?.method, tool: body?.params?.name, headers: request.headers, closed: false };
    calls.push(call);
    const { socket } = request;
    response.once("close", () => (call.closed = socket.destroyed));
    if (body?.method === "tools/call") answer(response, body, { target: target.url }, request);
    else inOrder(response, body);
  }, { maxHeaderSize: 2 * HEADER_BYTES });
  return { url: `${server.url}/mcp`, calls, targetCalls, close: async () => void (await Promise.all([server.close(), target.close()])) };
}

/**
 * Responds correctly to everything but the call, in the older protocol version and without a
 * session.
 */
function inOrder(response, body) {
  if (body?.method === "initialize") {
    const serverInfo = { name: "broken", version: "1.0.0" };
    return respond(response, 200, JSON_TYPE, JSON.stringify(result(body.id, { protocolVersion: body.params.protocolVersion, capabilities: { tools: {} }, serverInfo })));
  }
  if (body?.method === "tools/list") return respond(response, 200, JSON_TYPE, JSON.stringify(result(body.id, { tools: [TOOL] })));
  if (body !== undefined && body.id === undefined) return respond(response, 202, {}, "");
  if (body === undefined) return respond(response, 405, {}, "");
  return respond(response, 400, JSON_TYPE, JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32000, message: "Bad Request: Server not initialized" } }));
}

function respond(response, status, headers, body) {
  response.writeHead(status, headers);
  response.end(body);
}

function stream(response, next, first = "") {
  response.writeHead(200, SSE_TYPE);
  response.write(first);
  const timer = setInterval(() => response.write(next()), BEAT_MS);
  response.once("close", () => clearInterval(timer));
}
