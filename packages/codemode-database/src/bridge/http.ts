// Requests of the bridge. Each has its own connection: on a reused one, a request that was never
// read could not be distinguished from one that was served.

import type { ClientRequest, IncomingMessage } from "node:http";

/** A request that certainly did not reach the server. */
export class Unreached extends Error {}

/** A request whose connection ended before its response. The server may have carried it out. */
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

/**
 * Reads a body as text. The Worker limits the size of a response itself, and its settings may raise
 * that limit.
 */
export async function textOf(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of response as AsyncIterable<Buffer>) pieces.push(piece);
  } catch (error) {
    throw new Broken((error as Error).message);
  }
  return Buffer.concat(pieces).toString("utf8");
}

/** Returns true if a response is a stream of events. */
export function isEvents(response: IncomingMessage): boolean {
  return /^text\/event-stream\b/i.test(response.headers["content-type"] ?? "");
}
