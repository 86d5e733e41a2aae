// The product as a library of a Worker: its handler, its classes of Durable Objects, and an
// entrypoint for code and for other Workers.

import { WorkerEntrypoint } from "cloudflare:workers";
import Product from "../worker/index.js";

export { AgentThread, CodeModeDatabase, CodeWorkspace, KnowledgeGraph, McpSession, TenantIndex } from "../worker/index.js";

/**
 * Requests of this Worker to itself are local. Without tokens, they belong to the tenant `local`.
 */
const ORIGIN = "http://127.0.0.1";

export default {
  /** Responds to a request as the product does. */
  fetch(request, env, ctx) {
    return Product.fetch(request, env, ctx);
  },
};

/**
 * The product as an entrypoint with RPC: `ctx.exports.CodeMode`, or a service binding with
 * `entrypoint: "CodeMode"`.
 */
export class CodeMode extends WorkerEntrypoint {
  /** Responds to a request as the product does, which requires a token if there are tokens. */
  fetch(request) {
    return Product.fetch(request, this.env, this.ctx);
  }

  /** Runs one statement that reads. Resolves with the response of the operation `query`. */
  query(session, sql, params = [], options = {}) {
    return this.operation(session, "query", { ...options, sql, params });
  }

  /** Runs one statement that writes. Resolves with the response of the operation `exec`. */
  exec(session, sql, params = [], options = {}) {
    return this.operation(session, "exec", { ...options, sql, params });
  }

  /** Runs an operation of a session by its name. */
  async operation(session, operation, { tenant, ...fields } = {}) {
    return this.#json(`${addressOf(session)}`, tenant, { operation, ...fields });
  }

  /**
   * Loads rows into a table, which is made if it does not exist. Rows are objects, or a text or
   * stream with its type.
   */
  async load(session, table, rows, { tenant, contentType, ...options } = {}) {
    const url = new URL(`${addressOf(session)}/tables/${encodeURIComponent(table)}/rows`);
    for (const [name, value] of Object.entries({ create: true, ...options })) url.searchParams.set(name, String(value));
    const isRows = Array.isArray(rows);
    const body = isRows ? rows.map((row) => `${JSON.stringify(row)}\n`).join("") : rows;
    const type = contentType ?? (isRows ? "application/x-ndjson" : "text/csv");
    const response = await this.#send(new Request(url, { method: "PUT", body, headers: { "content-type": type, ...this.#authorization(tenant) } }));
    return contentOf(response);
  }

  /**
   * Runs a program beside the data, which may call the functions `tools`. Resolves with its result;
   * rejects if it fails.
   */
  async execute(session, code, { tenant, tools, ...options } = {}) {
    const body = { ...options, session, code };
    if (tools === undefined || tools === null) return this.#json(`${ORIGIN}/api/codemode/execute`, tenant, body);
    const described = Object.entries(tools).map(([name, tool]) => {
      // A function of another Worker has every property that is read.
      if (typeof tool === "function") return { name };
      if (typeof tool?.execute !== "function") throw new TypeError(`the tool ${name} is neither a function nor an object with a function execute`);
      const { description, inputSchema, outputSchema } = tool;
      return { name, description, inputSchema, outputSchema };
    });
    const headers = { "content-type": "application/json", accept: "text/event-stream", ...this.#authorization(tenant) };
    const request = new Request(`${ORIGIN}/api/codemode/execute`, { method: "POST", body: JSON.stringify({ ...body, hostTools: described }), headers });
    const response = await this.#send(request);
    if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return contentOf(response);
    return this.#lend(session, tenant, tools, response.body);
  }

  /** Runs the functions that a program calls, until it has ended. */
  async #lend(session, tenant, tools, stream) {
    const calls = new Set();
    for await (const { event, data } of eventsOf(stream)) {
      if (event === "result") return data;
      if (event === "error") throw failureOf(data.error ?? data);
      if (event !== "host_call") continue;
      const call = this.#respond(session, tenant, tools, data).finally(() => calls.delete(call));
      // If a call's response is no longer needed, its failure does not matter here.
      call.catch(() => {});
      calls.add(call);
    }
    throw new Error("RESULT_LOST: the response ended before the program did");
  }

  /** Runs one function. Any failure, even one of its result, is returned to the program. */
  async #respond(session, tenant, tools, { executionId, call, tool, args }) {
    const end = (fields) => this.#post(`${addressOf(session)}/host-calls`, tenant, written({ executionId, call, ...fields }));
    try {
      const lent = tools[tool];
      const result = typeof lent === "function" ? await lent(args) : await lent.execute(args);
      await end({ result: result ?? null });
    } catch (error) {
      await end({ error: { message: wordsOf(error) } });
    }
  }

  #json(address, tenant, body) {
    return this.#post(address, tenant, JSON.stringify(body));
  }

  async #post(address, tenant, body) {
    const headers = { "content-type": "application/json", ...this.#authorization(tenant) };
    return contentOf(await this.#send(new Request(address, { method: "POST", body, headers })));
  }

  #send(request) {
    return Product.fetch(request, this.env, this.ctx);
  }

  /**
   * Returns the authorization header of a caller. A binding is trusted, but the product identifies
   * tenants by tokens.
   */
  #authorization(tenant) {
    const tokens = Object.entries(JSON.parse(this.env.API_TOKENS || "{}"));
    if (tokens.length === 0) {
      if (tenant !== undefined && tenant !== "local") throw new Error(`there is no tenant ${tenant}: API_TOKENS names none`);
      return {};
    }
    const tenants = [...new Set(tokens.map(([, name]) => name))];
    if (tenant === undefined && tenants.length > 1) throw new Error(`name the tenant, one of ${tenants.join(", ")}`);
    const found = tokens.find(([, name]) => tenant === undefined || name === tenant);
    if (found === undefined) throw new Error(`there is no tenant ${tenant}: API_TOKENS names ${tenants.join(", ")}`);
    return { authorization: `Bearer ${found[0]}` };
  }
}

function addressOf(session) {
  return `${ORIGIN}/api/codemode/sessions/${encodeURIComponent(session)}`;
}

/** Returns the response of the product; throws its error with code and hint. */
async function contentOf(response) {
  const body = await response.json();
  if (body.success) return body;
  throw failureOf(body.error);
}

function failureOf({ code, message, hint }) {
  return new Error(`${code}: ${message}${hint === undefined ? "" : ` (${hint})`}`);
}

/** The characters of a failure, which a program reads. */
const MAX_WORDS = 4_000;

function wordsOf(error) {
  try {
    return String(error?.message ?? error).slice(0, MAX_WORDS);
  } catch {
    return "the tool failed without a message";
  }
}

/**
 * Renders JSON text in which a BigInt is a number with all its digits. A result that has no JSON is
 * a failure.
 */
function written(fields) {
  const text = JSON.stringify(fields, (_name, value) => (typeof value === "bigint" ? JSON.rawJSON(String(value)) : value));
  if ("result" in fields && !("result" in JSON.parse(text))) throw new TypeError(`the result is a ${typeof fields.result}, which JSON cannot represent`);
  return text;
}

/** Parses JSON text; whole numbers that a number cannot hold are BigInt, as in programs. */
function read(text) {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_name, value, { source } = {}) => (typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source ?? "") ? BigInt(source) : value));
}

/**
 * Yields the events of a stream, whose data is one line of JSON each. A line ends with a line feed
 * and nothing else, because JSON may contain other line ends.
 */
async function* eventsOf(stream) {
  let rest = "";
  for await (const piece of stream.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + piece).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const lines = block.split("\n");
      const field = (name) => lines.find((line) => line.startsWith(name))?.slice(name.length);
      const [event, data] = [field("event: "), field("data: ")];
      if (event !== undefined && data !== undefined) yield { event, data: event === "host_call" ? read(data) : JSON.parse(data) };
    }
  }
}
