// The product as a library of a Worker: its handler, its classes of Durable Objects, and an entrypoint for code and for other Workers.

import { WorkerEntrypoint } from "cloudflare:workers";
import Product from "../worker/index.js";

export { AgentThread, CodeModeDatabase, CodeWorkspace, KnowledgeGraph, McpSession, TenantIndex } from "../worker/index.js";

/** Requests of this Worker to itself are local ones: where there are no tokens, they come from the tenant `local`. */
const ORIGIN = "http://127.0.0.1";

export default {
  /** Responds to a request as the product does. */
  fetch(request, env, ctx) {
    return new Product(ctx, env).fetch(request);
  },
};

/** The product as an entrypoint with RPC: `ctx.exports.CodeMode`, or a service binding with `entrypoint: "CodeMode"`. */
export class CodeMode extends WorkerEntrypoint {
  /** Responds to a request as the product does, which asks it for a token where there are tokens. */
  fetch(request) {
    return new Product(this.ctx, this.env).fetch(request);
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

  /** Puts rows into a table, which is made if it does not exist. Rows are objects, or a text or stream with its type. */
  async load(session, table, rows, { tenant, contentType, ...options } = {}) {
    const url = new URL(`${addressOf(session)}/tables/${encodeURIComponent(table)}/rows`);
    for (const [name, value] of Object.entries({ create: true, ...options })) url.searchParams.set(name, String(value));
    const isRows = Array.isArray(rows);
    const body = isRows ? rows.map((row) => `${JSON.stringify(row)}\n`).join("") : rows;
    const type = contentType ?? (isRows ? "application/x-ndjson" : "text/csv");
    const response = await this.#send(new Request(url, { method: "PUT", body, headers: { "content-type": type, ...this.#authorization(tenant) } }));
    return contentOf(response);
  }

  /** Runs a program beside the data, which may call the functions `tools`. Resolves with its result; rejects where it fails. */
  async execute(session, code, { tenant, tools, ...options } = {}) {
    const body = { ...options, session, code };
    if (tools === undefined) return this.#json(`${ORIGIN}/api/codemode/execute`, tenant, body);
    const described = Object.entries(tools).map(([name, tool]) => {
      // A function of another Worker has any property that it is asked for.
      const { description, inputSchema, outputSchema } = typeof tool === "function" ? {} : tool;
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
      // A call whose response is not wanted any more is the program's business.
      call.catch(() => {});
      calls.add(call);
    }
    throw new Error("RESULT_LOST: the response ended before the program did");
  }

  async #respond(session, tenant, tools, { executionId, call, tool, args }) {
    let end;
    try {
      const lent = tools[tool];
      const run = typeof lent === "function" ? lent : lent.execute;
      end = { result: (await run(args)) ?? null };
    } catch (error) {
      end = { error: { message: String(error?.message ?? error) } };
    }
    await this.#json(`${addressOf(session)}/host-calls`, tenant, { executionId, call, ...end });
  }

  async #json(address, tenant, body) {
    const headers = { "content-type": "application/json", ...this.#authorization(tenant) };
    return contentOf(await this.#send(new Request(address, { method: "POST", body: JSON.stringify(body), headers })));
  }

  #send(request) {
    return new Product(this.ctx, this.env).fetch(request);
  }

  /** The header of a caller that the tokens name: a binding is trust enough, and the product knows tenants by tokens. */
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

/** The response of the product; an error of it is thrown with its code and its hint. */
async function contentOf(response) {
  const body = await response.json();
  if (body.success) return body;
  throw failureOf(body.error);
}

function failureOf({ code, message, hint }) {
  return new Error(`${code}: ${message}${hint === undefined ? "" : ` (${hint})`}`);
}

/** The events of a stream, whose data is one line of JSON each. */
async function* eventsOf(stream) {
  let rest = "";
  for await (const piece of stream.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + piece).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const event = /^event: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) };
    }
  }
}
