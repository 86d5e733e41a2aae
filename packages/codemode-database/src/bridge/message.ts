// Messages of JSON-RPC, as far as the bridge reads them. It passes the original bytes on, because
// numbers beyond 2^53 would lose digits.

export type Id = string | number;

/** A message of the client. */
export type Message =
  | { kind: "request"; id: Id; method: string; name: string | undefined; modern: string | undefined }
  | { kind: "notification"; method: string; cancels: Id | undefined; modern: string | undefined }
  | { kind: "response" }
  | { kind: "batch"; ids: Id[] };

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const INTERNAL_ERROR = -32603;

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
/** The parameter that the header Mcp-Name repeats, by method. */
const NAMED_BY: Record<string, string> = { "tools/call": "name", "prompts/get": "name", "resources/read": "uri" };
/** Methods that change nothing, so that a request with an unknown outcome is sent again. */
const READS = /^(?:initialize|ping|server\/discover|(?:tools|prompts|resources|resources\/templates)\/list|resources\/read|prompts\/get|completion\/complete|logging\/setLevel|resources\/(?:un)?subscribe|subscriptions\/listen)$/;

export function isRead(method: string): boolean {
  return READS.test(method);
}

/** Classifies a message; undefined if the value is none. */
export function parseMessage(value: unknown): Message | undefined {
  if (Array.isArray(value)) return { kind: "batch", ids: value.flatMap((one) => (isObject(one) && isId(one["id"]) && typeof one["method"] === "string" ? [one["id"]] : [])) };
  if (!isObject(value)) return undefined;
  const { id, method } = value;
  if (typeof method !== "string") return "result" in value || "error" in value ? { kind: "response" } : undefined;
  const params = isObject(value["params"]) ? value["params"] : {};
  const meta = isObject(params["_meta"]) ? params["_meta"] : {};
  const modern = typeof meta[VERSION_KEY] === "string" ? meta[VERSION_KEY] : undefined;
  if (id === undefined) {
    const cancelled = method === "notifications/cancelled" ? params["requestId"] : undefined;
    return { kind: "notification", method, cancels: isId(cancelled) ? cancelled : undefined, modern };
  }
  if (!isId(id)) return undefined;
  const name = params[NAMED_BY[method] ?? ""];
  return { kind: "request", id, method, name: typeof name === "string" ? name : undefined, modern };
}

/** Returns the headers that repeat parts of a request of a stateless version. */
export function modernHeaders(version: string, method: string, name: string | undefined): Record<string, string> {
  return { "mcp-protocol-version": version, "mcp-method": method, ...(name === undefined ? {} : { "mcp-name": headerValue(name) }) };
}

/** Encodes a text as the value of a header: base64 if a header cannot contain it. */
function headerValue(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}

/** Renders the error of a request. */
export function errorLine(id: Id | null, code: number, message: string, data?: Record<string, unknown>): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, ...(data && { data }) } });
}

/** Puts a message on one line; line breaks of JSON are only between its values. */
export function onOneLine(text: string): string {
  return text.replace(/[\r\n]+/g, " ").trim();
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isId(value: unknown): value is Id {
  return typeof value === "string" || typeof value === "number";
}

/** Parses JSON; undefined if it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
