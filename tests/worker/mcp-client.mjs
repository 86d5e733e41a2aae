// A client of the Model Context Protocol that works with bytes: it can send messages that no real
// client would, and it validates every response with the published schema of its version.

import assert from "node:assert/strict";
import { request } from "node:http";
import { until } from "../until.mjs";
import { MODERN, validateNotification, validateResponse, validateServerRequest } from "./mcp-schema.mjs";

export { MODERN };
/** The newest version with sessions. */
export const LEGACY = "2025-11-25";

/** The headers that a POST needs in every version. */
export const TYPES = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** The time after which a response counts as missing: the call hangs, or its stream stays open. */
const RESPONSE_LIMIT_MS = 30_000;

/** The field of the parameters that the header Mcp-Name repeats. */
const NAMED_BY = { "tools/call": "name", "prompts/get": "name", "resources/read": "uri" };

/** Encodes a value for a header. */
/** Returns the value for `confirm` in an error, wherever its hint is. */
export function confirmOf(text) {
  const told = /\\?"confirm\\?": \\?"([^"\\]+)/.exec(text);
  assert.ok(told !== null, text);
  return told[1];
}

export function headerValue(text) {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}

/** Makes the `_meta` of a request of the stateless version. */
export function meta(capabilities = {}, more = {}) {
  return {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": { name: "hostile", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    ...more,
  };
}

/** Makes the headers of a request of the stateless version. */
export function modernHeaders(method, params = {}) {
  const name = params[NAMED_BY[method]];
  return {
    ...TYPES,
    "mcp-protocol-version": MODERN,
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": headerValue(name) } : {}),
  };
}

/** Parses an event stream into id and data of its events. */
export function eventsOf(text) {
  const events = [];
  for (const block of text.split("\n\n").slice(0, -1)) {
    const lines = block.split("\n");
    const field = (name) => lines.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2)).join("\n");
    if (lines.every((line) => line.startsWith(":"))) continue;
    events.push({ id: field("id") || undefined, data: field("data") });
  }
  return events;
}

/** Returns the messages of a response, in their order. */
export function messagesOf(type, text) {
  if (text === "") return [];
  if (!type?.startsWith("text/event-stream")) return [JSON.parse(text)].flat();
  return eventsOf(text).filter(({ data }) => data !== "").map(({ data }) => JSON.parse(data));
}

/** Validates every message of a server; responses count as those of this method. */
export function validate(version, method, messages) {
  for (const message of messages) {
    // The text of every version allows errors without an id, but the schemas of the older ones do
    // not.
    const isNameless = message.error !== undefined && !("id" in message);
    if (message.method === undefined) validateResponse(isNameless && version !== MODERN ? LEGACY : version, method, message);
    else if ("id" in message) validateServerRequest(version, message);
    else validateNotification(version, message);
  }
}

/**
 * Sends bytes by POST and reads the whole response. `headers` may be a list of pairs, in which a
 * name may occur twice, and `host`.
 *
 * @returns {Promise<{status: number, headers: Record<string, any>, text: string, messages: any[],
 * message: any}>}
 */
export function send(worker, path, body, headers = TYPES, method = "POST") {
  const { hostname, port } = new URL(worker.url);
  const flat = (Array.isArray(headers) ? headers : Object.entries(headers)).flatMap(([name, value]) => [name, value]);
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  if (!flat.some((name, at) => at % 2 === 0 && name.toLowerCase() === "host")) flat.push("host", `${hostname}:${port}`);
  if (method === "POST") flat.push("content-length", String(bytes.length));
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers: flat, agent: false, signal: AbortSignal.timeout(RESPONSE_LIMIT_MS) }, (response) => {
      const pieces = [];
      response.on("data", (piece) => pieces.push(piece));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(pieces).toString("utf8");
        const { statusCode: status, headers: came } = response;
        try {
          const messages = messagesOf(came["content-type"], text);
          resolve({ status, headers: came, text, messages, message: messages.at(-1) });
        } catch (error) {
          reject(new Error(`status ${status}, no messages: ${text.slice(0, 500)}`, { cause: error }));
        }
      });
    });
    sent.on("error", reject);
    sent.end(method === "POST" ? bytes : undefined);
  });
}

/** The methods that both kinds of clients share. */
class Client {
  nextId = 1;

  /** Returns the result of a request that must have one. */
  async result(method, params, more) {
    const { message, text } = await this.request(method, params, more);
    assert.ok(message?.result !== undefined, `${method} ${JSON.stringify(params)?.slice(0, 300)}: ${text.slice(0, 1000)}`);
    return message.result;
  }

  /** Returns the error of a request that must have one. */
  async error(method, params, more) {
    const { message, text, status } = await this.request(method, params, more);
    assert.ok(message?.error !== undefined, `${method} should have failed: ${text.slice(0, 1000)}`);
    return { status, ...message.error };
  }

  /** Returns the result of a tool, which may be an error. */
  call(name, args = {}, more = {}) {
    return this.result("tools/call", { name, arguments: args, ...more.params }, more);
  }

  /** Returns the structured content of a tool that must succeed. */
  async ok(name, args, more) {
    const result = await this.call(name, args, more);
    assert.ok(!result.isError && result.structuredContent, `${name}: ${JSON.stringify(result).slice(0, 1000)}`);
    return result.structuredContent;
  }

  /** Returns the error of a tool that must fail. */
  /**
   * Makes a call that deletes something, by a client without forms: it passes the value in the
   * error of the first call as `confirm`.
   */
  async confirmed(name, args, more) {
    const confirm = confirmOf((await this.failed(name, args, more)).hint);
    return await this.ok(name, { ...args, confirm }, more);
  }

  async failed(name, args, more) {
    const result = await this.call(name, args, more);
    assert.equal(result.isError, true, `${name} should have failed: ${JSON.stringify(result).slice(0, 1000)}`);
    return result.structuredContent.error;
  }
}

/** A client of the stateless version. */
export class Modern extends Client {
  version = MODERN;

  constructor(worker, { path = "/mcp", headers = {}, capabilities = {} } = {}) {
    super();
    Object.assign(this, { worker, path, headers, capabilities });
  }

  /** Returns body and headers of a request. */
  compose(method, params = {}, { capabilities = this.capabilities, headers = {}, id = this.nextId++, extra = {} } = {}) {
    const body = { jsonrpc: "2.0", id, method, params: { ...params, _meta: meta(capabilities, extra) } };
    return { body, headers: { ...modernHeaders(method, params), ...this.headers, ...headers } };
  }

  async request(method, params, more = {}) {
    const { body, headers } = this.compose(method, params, more);
    const came = await send(this.worker, more.path ?? this.path, body, headers);
    validate(MODERN, method, came.messages);
    return came;
  }

  /** Opens a stream that stays open. */
  open(method, params, more = {}) {
    const { body, headers } = this.compose(method, params, more);
    return Stream.open(this.worker, more.path ?? this.path, { method: "POST", body: JSON.stringify(body), headers }, MODERN, method);
  }
}

/** A client with a session. */
export class Legacy extends Client {
  /** Begins a session. */
  static async begin(worker, { path = "/mcp", headers = {}, capabilities = {}, version = LEGACY } = {}) {
    const client = new Legacy();
    Object.assign(client, { worker, path, headers, capabilities, version });
    const params = { protocolVersion: version, capabilities, clientInfo: { name: "hostile", version: "1" } };
    const came = await send(worker, path, { jsonrpc: "2.0", id: 0, method: "initialize", params }, { ...TYPES, ...headers });
    assert.equal(came.status, 200, came.text);
    validate(version, "initialize", came.messages);
    assert.equal(came.message.result.protocolVersion, version);
    client.instructions = came.message.result.instructions;
    client.id = came.headers["mcp-session-id"];
    assert.match(client.id, /^[\x21-\x7e]{16,}$/);
    const told = await client.notify("notifications/initialized");
    assert.deepEqual([told.status, told.text], [202, ""]);
    return client;
  }

  /** The headers of every request in the session. */
  get own() {
    return { ...TYPES, "mcp-session-id": this.id, "mcp-protocol-version": this.version, ...this.headers };
  }

  async request(method, params, { id = this.nextId++, headers = {}, path = this.path } = {}) {
    const came = await send(this.worker, path, { jsonrpc: "2.0", id, method, ...(params && { params }) }, { ...this.own, ...headers });
    validate(this.version, method, came.messages);
    return came;
  }

  notify(method, params) {
    return send(this.worker, this.path, { jsonrpc: "2.0", method, ...(params && { params }) }, this.own);
  }

  respond(id, outcome) {
    return send(this.worker, this.path, { jsonrpc: "2.0", id, ...outcome }, this.own);
  }

  end() {
    return send(this.worker, this.path, "", this.own, "DELETE");
  }

  /** Opens the stream of the session, or resumes one. */
  listen(lastEventId) {
    const headers = { ...this.own, accept: "text/event-stream", ...(lastEventId && { "last-event-id": lastEventId }) };
    return Stream.open(this.worker, this.path, { headers }, this.version, "tools/call");
  }

  /** Opens the stream of a request. */
  open(method, params, { id = this.nextId++ } = {}) {
    const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
    return Stream.open(this.worker, this.path, { method: "POST", body, headers: this.own }, this.version, method);
  }
}

/** A response that is read while it arrives. */
export class Stream {
  text = "";
  ended = false;
  controller = new AbortController();

  static async open(worker, path, init, version, method) {
    const stream = new Stream();
    Object.assign(stream, { version, method });
    const response = await worker.fetch(path, { ...init, signal: stream.controller.signal });
    stream.status = response.status;
    stream.type = response.headers.get("content-type");
    stream.reading = stream.read(response.body);
    return stream;
  }

  async read(body) {
    const decoder = new TextDecoder();
    try {
      for await (const piece of body) this.text += decoder.decode(piece, { stream: true });
    } catch {
      // The test has closed the stream.
    }
    this.ended = true;
  }

  get messages() {
    if (!this.type?.startsWith("text/event-stream") && !this.ended) return [];
    return messagesOf(this.type, this.text);
  }

  get ids() {
    return eventsOf(this.text).map(({ id }) => id);
  }

  /** Returns the first message that fits, once it has arrived. */
  async message(fits) {
    const found = await until(() => this.messages.find(fits));
    validate(this.version, this.method, this.messages);
    return found;
  }

  /** Returns the response, once it has arrived. */
  response() {
    return this.message(({ method }) => method === undefined);
  }

  /** Returns the response, after the stream was read to its end. */
  async whole() {
    await this.reading;
    validate(this.version, this.method, this.messages);
    return this.messages.at(-1);
  }

  async close() {
    this.controller.abort();
    await this.reading;
  }
}
