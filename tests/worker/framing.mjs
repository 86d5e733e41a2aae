// Requests whose framing decides their way: a body without a length takes the long way.

import { request } from "node:http";

/**
 * Sends a body on one of the two ways.
 *
 * @param {string} path
 * @param {Buffer | string} body
 * @param {{ way?: "short" | "long", method?: string, headers?: Record<string, string> }} [options]
 * @returns {Promise<{ status: number, headers: Record<string, string>, text: string }>}
 */
export function sendFramed(worker, path, body, { way = "short", method = "POST", headers = {} } = {}) {
  const { hostname, port } = new URL(worker.url);
  const bytes = Buffer.from(body);
  const framing = way === "short" ? { "content-length": bytes.length } : { "transfer-encoding": "chunked" };
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers: { "content-type": "application/json", ...framing, ...headers } }, (response) => {
      const pieces = [];
      response.on("data", (piece) => pieces.push(piece));
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, text: Buffer.concat(pieces).toString() }));
    });
    sent.on("error", reject);
    sent.end(bytes);
  });
}
