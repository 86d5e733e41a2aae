// Requests of the bridge. Each has a connection of its own: on one that was used before nobody could tell a request that was never read from one
// that was done.

import type { ClientRequest, IncomingMessage } from "node:http";

/** A request that surely did not reach the server. */
export class Unreached extends Error {}

/** A request whose connection ended before its response. The server may have done what it asks. */
export class Broken extends Error {}

export interface Sending {
  method: "POST" | "GET" | "DELETE";
  headers: Record<string, string>;
  body?: Buffer | undefined;
  signal?: AbortSignal | undefined;
  /** Called once the whole request is sent. */
  onSent?: (() => void) | undefined;
}

/** Sends a request and resolves with the head of its response. */
export async function send(url: URL, { method, headers, body, signal, onSent }: Sending): Promise<IncomingMessage> {
  const { request } = url.protocol === "https:" ? await import("node:https") : await import("node:http");
  return new Promise((settled, failed) => {
    let isConnected = false;
    const length = body === undefined ? {} : { "content-length": String(body.length) };
    const sending: ClientRequest = request(url, { method, headers: { ...headers, ...length }, agent: false, ...(signal && { signal }) });
    sending.once("socket", (socket) => socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => (isConnected = true)));
    sending.once("finish", () => onSent?.());
    sending.once("response", settled);
    sending.on("error", (error) => failed(isConnected ? new Broken(error.message) : new Unreached(error.message)));
    sending.end(body);
  });
}

/** Reads a body as text. A response of the Worker to one request has a bound of its own, which its settings may raise. */
export async function textOf(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of response as AsyncIterable<Buffer>) pieces.push(piece);
  } catch (error) {
    throw new Broken((error as Error).message);
  }
  return Buffer.concat(pieces).toString("utf8");
}

/** Whether a response is a stream of events. */
export function isEvents(response: IncomingMessage): boolean {
  return /^text\/event-stream\b/i.test(response.headers["content-type"] ?? "");
}
