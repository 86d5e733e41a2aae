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

  /** Runs a program beside the data. Resolves with its result; rejects where it fails. */
  async execute(session, code, { tenant, ...options } = {}) {
    return this.#json(`${ORIGIN}/api/codemode/execute`, tenant, { ...options, session, code });
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
  const { code, message, hint } = body.error;
  throw new Error(`${code}: ${message}${hint === undefined ? "" : ` (${hint})`}`);
}
