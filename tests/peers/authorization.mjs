// An authorization server that issues access tokens for client credentials, MCP servers that
// require them, and a server that distinguishes its callers.

import { randomUUID } from "node:crypto";
import { listen, readJson, serve, structured } from "../../demo/servers/mcp.mjs";

const json = (response, status, value, headers = {}) => {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(value));
};

async function readForm(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return new URLSearchParams(Buffer.concat(pieces).toString("utf8"));
}

/** Returns the client of a token request: {id, secret, method}. */
function clientOf(request, form) {
  const basic = /^Basic (.+)$/.exec(request.headers.authorization ?? "")?.[1];
  if (basic === undefined) return { id: form.get("client_id"), secret: form.get("client_secret"), method: "post" };
  const [id, secret] = Buffer.from(basic, "base64").toString("utf8").split(":").map(decodeURIComponent);
  return { id, secret, method: "basic" };
}

/**
 * Starts an authorization server.
 *
 * @param {object} options
 * @param {string} options.secret of the client `us`
 * @param {number} [options.expiresIn] seconds
 * @returns {Promise<object>} `issued` has {token, resource, scope, method} of each token, `asked`
 * every path, `isGood(header)` returns true if a header has a token that is neither expired nor
 * revoked, `revoke()` revokes all of them
 */
export async function startAuthorization({ secret, expiresIn = 3_600 }) {
  const issued = [];
  const asked = [];
  let good = new Map();
  const state = { expiresIn };
  const server = await listen(async (request, response) => {
    asked.push(request.url);
    const issuer = `http://${request.headers.host}`;
    if (request.url === "/.well-known/openid-configuration") {
      return json(response, 200, { issuer, token_endpoint: `${issuer}/token`, token_endpoint_auth_methods_supported: ["client_secret_post"] });
    }
    if (request.url !== "/token") return json(response, 404, {});
    const form = await readForm(request);
    const client = clientOf(request, form);
    if (client.id !== "us" || client.secret !== secret) {
      return json(response, 401, { error: "invalid_client", error_description: `${client.id} has another secret than ${client.secret}` });
    }
    if (form.get("grant_type") !== "client_credentials") return json(response, 400, { error: "unsupported_grant_type" });
    const token = `issued-${randomUUID()}`;
    issued.push({ token, resource: form.get("resource"), scope: form.get("scope"), method: client.method });
    good.set(token, Date.now() + state.expiresIn * 1_000);
    return json(response, 200, { access_token: token, token_type: "Bearer", expires_in: state.expiresIn });
  });
  return {
    url: server.url,
    tokenUrl: `${server.url}/token`,
    issued,
    asked,
    state,
    isGood: (header) => (good.get(/^Bearer (.+)$/.exec(header ?? "")?.[1]) ?? 0) > Date.now(),
    revoke: () => void (good = new Map()),
    close: server.close,
  };
}

/** A tool that changes something, and one that returns the headers it received. */
const TOOLS = (runs) => [
  {
    name: "write",
    inputSchema: { type: "object", properties: { value: { type: "string" } } },
    run: ({ value }) => {
      runs.push(value);
      return structured({ wrote: value });
    },
  },
  {
    name: "said",
    annotations: { readOnlyHint: true },
    inputSchema: { type: "object" },
    run: (_args, { headers }) => structured({ authorization: headers.authorization ?? null }),
  },
];

/**
 * Starts an MCP server of the official libraries that requires tokens of an authorization server.
 *
 * @param {object} authorization
 * @param {object} [options] those of `serve`
 * @returns {Promise<object>} as `serve`, with `runs`: the values that were written
 */
export async function startProtected(authorization, options = {}) {
  const runs = [];
  const state = { refusesAll: false };
  let origin = "";
  const peer = await serve({
    era: "modern",
    name: "protected",
    tools: TOOLS(runs),
    ...options,
    interfere: ({ headers }, request, response) => {
      if (request.url === "/.well-known/oauth-protected-resource/mcp") {
        json(response, 200, { resource: `${origin}/mcp`, authorization_servers: [authorization.url], scopes_supported: ["read", "write"] });
        return true;
      }
      if (!state.refusesAll && authorization.isGood(headers.authorization)) return false;
      const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
      json(response, 401, { error: `not with ${headers.authorization}` }, { "www-authenticate": `Bearer resource_metadata="${metadata}"` });
      return true;
    },
  });
  origin = new URL(peer.url).origin;
  return { ...peer, runs, state };
}

/**
 * Starts a server whose tools and sessions belong to the caller that a header names: `Bearer
 * alice-…`. A session that another caller uses is recorded as a breach.
 *
 * @param {object} options
 * @param {"legacy"|"modern"} options.era
 * @param {string} [options.header]
 * @returns {Promise<object>} `breaches` has events that must never happen, `seen` the callers of
 * each request, `open` the sessions that have not ended
 */
export async function startPersonal({ era, header = "authorization" }) {
  const breaches = [];
  const seen = [];
  const open = new Map();
  const server = await listen(async (request, response) => {
    const body = await readJson(request);
    const value = request.headers[header];
    const caller = /^(?:Bearer )?([a-z]+)-/.exec(value ?? "")?.[1] ?? "nobody";
    seen.push({ caller, method: body?.method ?? request.method });
    const answer = (result, headers) => json(response, 200, { jsonrpc: "2.0", id: body.id, result: { resultType: era === "modern" ? "complete" : undefined, ...result } }, headers);
    if (era === "legacy") {
      if (body?.method === "initialize") {
        const session = randomUUID();
        open.set(session, caller);
        return answer({ protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "personal", version: "1" } }, { "mcp-session-id": session });
      }
      const session = request.headers["mcp-session-id"];
      const owner = open.get(session);
      if (owner === undefined) return json(response, 400, { jsonrpc: "2.0", id: null, error: { code: -32000, message: "no session" } });
      if (owner !== caller) breaches.push(`${caller} uses the session of ${owner}`);
      if (request.method === "DELETE") {
        open.delete(session);
        response.writeHead(204);
        return response.end();
      }
      if (body.id === undefined) {
        response.writeHead(202);
        return response.end();
      }
    }
    if (body.method === "tools/list") {
      const tool = (name) => ({ name, description: `for ${caller}`, inputSchema: { type: "object" } });
      return answer({ tools: [tool("whoami"), tool(`only_${caller}`)], ttlMs: 3_600_000 });
    }
    const { name } = body.params;
    if (name.startsWith("only_") && name !== `only_${caller}`) breaches.push(`${caller} calls ${name}`);
    const data = { caller, value: value ?? null };
    return answer({ content: [{ type: "text", text: JSON.stringify(data) }], structuredContent: data });
  });
  return { url: `${server.url}/mcp`, breaches, seen, open, close: server.close };
}
