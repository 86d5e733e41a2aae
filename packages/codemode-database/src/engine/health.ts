// Requests /health from a Worker.

import type { IncomingMessage, RequestOptions } from "node:http";

/**
 * Loads Node's HTTP module, which takes as long as the rest of the command; it is loaded while
 * workerd starts, so nothing waits for it.
 */
export const loadHttp = (): Promise<typeof import("node:http")> => import("node:http");

/** The response of a Worker to /health, which may be an error. */
export interface Health {
  success: boolean;
  version?: string;
  error?: { code?: string; message?: string };
}

/**
 * Requests /health at a Unix socket or an address; resolves with undefined if no response of the
 * product arrives in time.
 */
export async function askHealth(where: RequestOptions | string, withinMs: number): Promise<Health | undefined> {
  const { request } = await loadHttp();
  return new Promise((settled) => {
    const options: RequestOptions = { path: "/health", agent: false };
    const onResponse = (response: IncomingMessage): void => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (piece: string) => {
        text += piece;
        if (text.length > MOST_CHARACTERS) response.destroy();
      });
      response.on("error", () => settled(undefined));
      response.on("end", () => settled(own(text)));
    };
    const asking = typeof where === "string" ? request(new URL("/health", where), options, onResponse) : request({ ...options, ...where }, onResponse);
    const timer = setTimeout(() => asking.destroy(), Math.max(withinMs, 1));
    asking.on("error", () => settled(undefined));
    asking.on("close", () => {
      clearTimeout(timer);
      settled(undefined);
    });
    asking.end();
  });
}

/** The most characters that are read, because another server may listen on a port and never end. */
const MOST_CHARACTERS = 1_000_000;

/** Parses a response of the product: a JSON object with `success`. */
function own(text: string): Health | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    if (typeof answer !== "object" || answer === null || !("success" in answer)) return undefined;
    return typeof answer.success === "boolean" ? (answer as Health) : undefined;
  } catch {
    return undefined;
  }
}
