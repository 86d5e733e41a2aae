// Helpers for tests of tools: a Worker with servers, and calls through it.

import assert from "node:assert/strict";
import { Worker } from "./harness.mjs";

export const PROXY = "/api/codemode/proxy";

/**
 * Starts a Worker with servers: `{pubs: peer}` or `{pubs: {url, kind: "graphql", …}}`. Fields of a
 * peer that are no settings are left out.
 */
export function startWorker(servers, { settings = {}, ...options } = {}) {
  const entries = Object.entries(servers).map(([name, { url, headers, auth, passThrough, kind, mappings, timeoutMs, tenants }]) => ({ name, url, headers, auth, passThrough, kind, mappings, timeoutMs, tenants }));
  return Worker.start({ settings: { MCP_SERVERS: JSON.stringify(entries), ...settings }, ...options });
}

/** Makes a call through the proxy; returns status and body. */
export async function send(worker, body, headers = {}, init = {}) {
  const response = await worker.fetch(PROXY, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...init,
  });
  const text = await response.text();
  return { status: response.status, text, body: JSON.parse(text) };
}

/** Returns the whole response of a call that must succeed. */
export async function answer(worker, server, tool, args = {}, more = {}, headers = {}) {
  const { status, text, body } = await send(worker, { server, tool, args, ...more }, headers);
  assert.equal(status, 200, `${server}.${tool} answered ${status} ${text.slice(0, 2_000)}`);
  assert.equal(body.success, true, text.slice(0, 2_000));
  return body;
}

/** Returns the result of a call that must succeed. */
export const call = async (...given) => (await answer(...given)).result;

/**
 * Returns the error of a call that must fail, with its HTTP status; the other server's status in
 * the error is `upstreamStatus`.
 */
export async function refusal(worker, server, tool, args = {}, more = {}, headers = {}) {
  const { status, text, body } = await send(worker, { server, tool, args, ...more }, headers);
  assert.notEqual(status, 200, `${server}.${tool} should have failed: ${text.slice(0, 2_000)}`);
  assert.equal(body.success, false, text.slice(0, 2_000));
  return { ...body.error, upstreamStatus: body.error.status, status, text };
}

/** Returns the body of a GET that must succeed. */
export async function get(worker, path, headers = {}) {
  const response = await worker.fetch(path, { headers });
  const text = await response.text();
  assert.equal(response.status, 200, `${path} answered ${response.status} ${text.slice(0, 2_000)}`);
  return JSON.parse(text);
}

/** Returns the text of a GET that must succeed. */
export async function getText(worker, path, headers = {}) {
  const response = await worker.fetch(path, { headers });
  const text = await response.text();
  assert.equal(response.status, 200, `${path} answered ${response.status} ${text.slice(0, 2_000)}`);
  return text;
}
