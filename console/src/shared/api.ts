// Requests to the API of this deployment: the token, errors as `ApiError`, JSON that keeps its
// digits.
//
// After a 401 the person is asked for a token, once for all requests that wait, and the request is
// sent again. If the person cancels, the caller gets the 401.

import { askForToken } from "./token-dialog";
import { formatJson, parseJson, type Json } from "./json";
import { token, tokenHeaders } from "./token";

/**
 * A failure in the form of docs/errors.md, or a request that reached no server (`NO_CONNECTION`).
 */
export class ApiError extends Error {
  override name = "ApiError";

  constructor(
    /** The status of the response; 0 without one. */
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint: string | undefined,
    /** Further fields of the code, such as `line` or `suggestions`. */
    readonly details: Readonly<Record<string, Json>>,
  ) {
    super(message);
  }
}

export interface RequestOptions {
  method?: string;
  /** The body, sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/**
 * Sends a request. @throws ApiError for a status that is no success, and `AbortError` if the signal
 * aborted it.
 */
export async function request(path: string, options: RequestOptions = {}): Promise<Response> {
  for (;;) {
    const used = token.get();
    const response = await send(path, options);
    if (response.ok || response.status === 304) return response;
    const error = failureOf(response.status, await response.text());
    if (response.status !== 401) throw error;
    // Another request may have got a token while this one was in flight.
    if (token.get() === used && !(await askForToken(error))) throw error;
  }
}

async function send(path: string, options: RequestOptions): Promise<Response> {
  const headers: Record<string, string> = { ...tokenHeaders(), ...options.headers };
  const init: RequestInit = { method: options.method ?? "GET", headers, credentials: "omit", signal: options.signal ?? null };
  if (options.body !== undefined) {
    headers["content-type"] ??= "application/json";
    init.body = formatJson(options.body);
  }
  try {
    return await fetch(path, init);
  } catch (thrown) {
    if (options.signal?.aborted === true) throw thrown;
    throw noConnection();
  }
}

/** Sends a request and reads its JSON. @throws as `request`. */
export async function requestJson<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const response = await request(path, options);
  try {
    return parseJson(await response.text()) as T;
  } catch (thrown) {
    if (options.signal?.aborted === true) throw thrown;
    throw thrown instanceof SyntaxError ? new ApiError(response.status, "INVALID_RESPONSE", "the response is not JSON", undefined, {}) : noConnection();
  }
}

export interface UploadOptions {
  method: string;
  headers: Record<string, string>;
  signal?: AbortSignal;
  /** Reports the bytes sent so far, and all. */
  onProgress(sent: number, total: number): void;
}

/** Sends a file. Only XMLHttpRequest reports progress. @throws as `request`. */
export async function upload<T>(path: string, file: Blob, options: UploadOptions): Promise<T> {
  for (;;) {
    const used = token.get();
    const { status, text } = await sendFile(path, file, options);
    if (status >= 200 && status < 300) return parseJson(text) as T;
    const error = failureOf(status, text);
    if (status !== 401) throw error;
    if (token.get() === used && !(await askForToken(error))) throw error;
  }
}

function sendFile(path: string, file: Blob, { method, headers, signal, onProgress }: UploadOptions): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sender = new XMLHttpRequest();
    sender.open(method, path);
    for (const [name, value] of Object.entries({ ...tokenHeaders(), ...headers })) sender.setRequestHeader(name, value);
    sender.upload.addEventListener("progress", ({ loaded, total }) => onProgress(loaded, total));
    sender.addEventListener("load", () => resolve({ status: sender.status, text: sender.responseText }));
    sender.addEventListener("error", () => reject(noConnection()));
    sender.addEventListener("abort", () => reject(new DOMException("the upload was cancelled", "AbortError")));
    signal?.addEventListener("abort", () => sender.abort(), { once: true });
    if (signal?.aborted === true) reject(new DOMException("the upload was cancelled", "AbortError"));
    else sender.send(file);
  });
}

/** Makes the error of a response that is no success. */
function failureOf(status: number, text: string): ApiError {
  try {
    const body = parseJson(text) as { error: Record<string, Json> };
    const { code, message, hint, ...details } = body.error;
    if (typeof code === "string" && typeof message === "string") return new ApiError(status, code, message, typeof hint === "string" ? hint : undefined, details);
  } catch {
    // Not a response of the product, but of a server on the way.
  }
  return new ApiError(status, `HTTP_${status}`, `the response has status ${status}`, undefined, {});
}

function noConnection(): ApiError {
  return new ApiError(0, "NO_CONNECTION", "the server could not be reached", "check the connection, then try again", {});
}

/** Makes an error to show of any thrown value. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new ApiError(0, "PAGE_ERROR", message, undefined, {});
}

/** Returns true if a request was cancelled on purpose. */
export function isAbort(thrown: unknown): boolean {
  return thrown instanceof DOMException && thrown.name === "AbortError";
}
