// Carries the messages of an MCP host on stdio to /mcp and back.
//
// Messages are passed on unchanged. The bridge adds the parts of Streamable HTTP: headers, the
// session, streams. It also hides events that a host cannot know of: a server that ends and starts
// again, another process that takes over, a session that the server has forgotten. A tool call with
// an unknown outcome is not repeated; its response is an error that says so.

import type { IncomingMessage } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { createParser } from "eventsource-parser";
import { messageOf } from "../failure.ts";
import { Broken, Unreached, isEvents, send, textOf } from "./http.ts";
import { type Line, MAX_MESSAGE_BYTES } from "./lines.ts";
import { INTERNAL_ERROR, INVALID_REQUEST, type Id, type Message, PARSE_ERROR, errorLine, isObject, isRead, modernHeaders, onOneLine, parseJson, parseMessage } from "./message.ts";
import { Session } from "./session.ts";

/**
 * The requests of a host at the same time. Each has a connection, and a local server takes 4,096 of
 * all its clients.
 */
const MAX_IN_PROGRESS = 1_000;
/**
 * The pause between two attempts to reach a server, and before resuming a stream if the server
 * names no time.
 */
const RETRY_MS = 250;
const TYPES = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const INITIALIZED = Buffer.from('{"jsonrpc":"2.0","method":"notifications/initialized"}');
const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";

export interface BridgeOptions {
  /** Finds the server; with `again`, because the earlier address does not respond. */
  locate: (again: boolean) => Promise<URL>;
  /** The headers of every request. */
  headers: Record<string, string>;
  /** Writes one message to the host. */
  write: (line: string) => void;
  /** Resolves once the host has read what was written. */
  drained: () => Promise<void>;
  /** Reports a lost message to a person. */
  report: (text: string) => void;
  /** The longest wait of a message for a server that starts again or another that takes over. */
  patienceMs: number;
}

/** A request that waits for its response. */
interface Pending {
  modern: boolean;
  stop: AbortController;
  sent: Promise<void>;
  onSent: () => void;
}

export class Bridge {
  readonly #options: BridgeOptions;
  readonly #session = new Session();
  readonly #pending = new Map<Id, Pending>();
  readonly #closing = new AbortController();
  #url: Promise<URL> | undefined;
  /** A promise that settles once the session that is being opened exists. */
  #opening: Promise<unknown> | undefined;
  #renewal: Promise<void> | undefined;
  #isListening = false;
  readonly #work = new Set<Promise<unknown>>();

  constructor(options: BridgeOptions) {
    this.#options = options;
  }

  /** Takes a line of the host. Never rejects: a failure is sent to the host. */
  accept(line: Line): void {
    if ("tooLongBytes" in line) return this.#options.write(errorLine(null, INVALID_REQUEST, `a message of ${line.tooLongBytes} bytes is longer than ${MAX_MESSAGE_BYTES} bytes`));
    const { bytes } = line;
    const value = parseJson(bytes.toString("utf8"));
    if (value === undefined) return this.#options.write(errorLine(null, PARSE_ERROR, "the line is not JSON"));
    const message = parseMessage(value);
    if (message === undefined) return this.#options.write(errorLine(null, INVALID_REQUEST, "the line is not a message of JSON-RPC 2.0"));
    if (message.kind === "request" && this.#pending.size >= MAX_IN_PROGRESS) {
      return this.#options.write(errorLine(message.id, INTERNAL_ERROR, `more than ${MAX_IN_PROGRESS} requests are in progress`));
    }
    const work = this.#carry(message, value, bytes).catch((error: unknown) => this.#closing.signal.aborted || this.#options.report(messageOf(error)));
    // A subscription never ends by itself, and nobody waits for its response.
    const isAwaited = !(message.kind === "request" && message.method === "subscriptions/listen");
    if (isAwaited) this.#work.add(work);
    void work.finally(() => this.#work.delete(work));
    if (message.kind === "request" && message.method === "initialize") this.#opening = work;
  }

  /**
   * Resolves once every response that the host waits for has arrived. Streams of notifications do
   * not count.
   */
  async settle(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  /** Ends the streams, and the session. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const { stop } of this.#pending.values()) stop.abort();
    if (this.#session.id === undefined || this.#url === undefined) return;
    const within = AbortSignal.timeout(1_000);
    await this.#url.then((url) => send(url, { method: "DELETE", headers: { ...this.#options.headers, ...this.#session.headers }, signal: within })).then((response) => response.resume()).catch(() => {});
  }

  async #carry(message: Message, value: unknown, bytes: Buffer): Promise<void> {
    const opening = this.#opening;
    switch (message.kind) {
      case "request":
        if (message.modern === undefined && message.method !== "initialize") await opening;
        return this.#request(message, value, bytes);
      case "notification":
        if (message.cancels !== undefined) return this.#cancel(message.cancels, bytes);
        await opening;
        await this.#tell(bytes, message.modern === undefined ? this.#session.headers : modernHeaders(message.modern, message.method, undefined));
        if (message.method === "notifications/initialized") void this.#listen();
        return;
      case "response":
        await opening;
        return this.#tell(bytes, this.#session.headers);
      case "batch":
        await opening;
        return this.#batch(message.ids, bytes);
    }
  }

  async #request(message: Message & { kind: "request" }, value: unknown, bytes: Buffer): Promise<void> {
    const { id, method, modern } = message;
    const { promise: sent, resolve: onSent } = Promise.withResolvers<void>();
    const pending: Pending = { modern: modern !== undefined, stop: new AbortController(), sent, onSent };
    this.#pending.set(id, pending);
    if (method === "initialize") this.#session.opening = bytes;
    try {
      await this.#exchange(message, bytes, pending);
      if (modern === undefined) this.#session.remember(method, value, bytes);
    } catch (error) {
      if (!pending.stop.signal.aborted) this.#options.write(failureLine(id, error));
    } finally {
      // A cancellation may wait for it.
      onSent();
      this.#pending.delete(id);
    }
  }

  /** Sends a request, until its response has arrived. */
  async #exchange(message: Message & { kind: "request" }, bytes: Buffer, { stop, onSent }: Pending): Promise<void> {
    const { id, method, modern, name } = message;
    const endMs = performance.now() + this.#options.patienceMs;
    let hasListened = false;
    for (let renewals = 0; ; ) {
      const url = await this.#locate();
      const own = modern === undefined ? (method === "initialize" ? {} : this.#session.headers) : modernHeaders(modern, method, name);
      let lastEventId: string | undefined;
      try {
        const response = await send(url, { method: "POST", headers: { ...TYPES, ...this.#options.headers, ...own }, body: bytes, signal: stop.signal, onSent });
        if (isEvents(response)) {
          const outcome = await this.#stream(response, id, stop.signal, (text) => this.#pass(text, method, response, hasListened));
          if (outcome.isDone) return;
          hasListened = true;
          lastEventId = outcome.lastEventId;
          throw new Broken("the stream of the response ended before the response");
        }
        const text = await textOf(response);
        if (response.statusCode === 404 && modern === undefined && this.#session.id !== undefined && method !== "initialize" && renewals++ === 0) {
          await this.#renew();
          continue;
        }
        if (response.statusCode === 504) throw new Broken(hintOf(text));
        return this.#pass(responseTo(id, response, text), method, response, false);
      } catch (error) {
        if (stop.signal.aborted || this.#closing.signal.aborted) throw error;
        if (lastEventId !== undefined && modern === undefined) return this.#resume(lastEventId, id, stop.signal);
        const isAgain = error instanceof Unreached || (error instanceof Broken && isRead(method));
        if (!isAgain || performance.now() > endMs) throw error;
        await this.#missed();
      }
    }
  }

  /** Passes a message of the server on, and updates the session from it. */
  #pass(text: string, method: string, response: IncomingMessage, hasListened: boolean): void {
    if (method === "initialize") {
      const id = response.headers["mcp-session-id"];
      this.#session.begin(typeof id === "string" ? id : undefined, parseJson(text));
    }
    // The host was notified when its subscription began; it has begun again with another server.
    if (hasListened && text.includes(ACKNOWLEDGED)) return;
    this.#options.write(onOneLine(text));
  }

  /** Resumes the stream of a call in a session, and passes on the rest of it. */
  async #resume(from: string, id: Id, signal: AbortSignal): Promise<void> {
    let lastEventId = from;
    const endMs = performance.now() + this.#options.patienceMs;
    while (performance.now() < endMs) {
      try {
        const response = await send(await this.#locate(), { method: "GET", headers: this.#listening(lastEventId), signal });
        if (!isEvents(response)) throw new Error(hintOf(await textOf(response)));
        const outcome = await this.#stream(response, id, signal, (text) => this.#options.write(onOneLine(text)));
        if (outcome.isDone) return;
        lastEventId = outcome.lastEventId ?? lastEventId;
      } catch (error) {
        if (signal.aborted || !(error instanceof Unreached || error instanceof Broken)) throw error;
      }
      await this.#missed();
    }
    throw new Broken("the stream of the response could not be resumed");
  }

  /**
   * Passes the messages of a stream on until the response to a request is among them, or the stream
   * ends.
   */
  async #stream(response: IncomingMessage, id: Id | undefined, signal: AbortSignal, pass: (text: string) => void): Promise<{ isDone: boolean; lastEventId: string | undefined; retryMs: number }> {
    const outcome = { isDone: false, lastEventId: undefined as string | undefined, retryMs: RETRY_MS };
    const parser = createParser({
      onRetry: (ms) => (outcome.retryMs = ms),
      onEvent: ({ id: eventId, data }) => {
        if (eventId !== undefined) outcome.lastEventId = eventId;
        if (data === "") return;
        pass(data);
        if (id !== undefined && isResponseTo(id, data)) outcome.isDone = true;
      },
    });
    const decoder = new TextDecoder();
    try {
      for await (const piece of response as AsyncIterable<Buffer>) {
        if (signal.aborted) break;
        parser.feed(decoder.decode(piece, { stream: true }));
        await this.#options.drained();
        if (outcome.isDone) break;
      }
    } catch {
      // The stream was cut; its reader resumes it.
    }
    return outcome;
  }

  /** Passes on the server's own messages in a session, for as long as the bridge lives. */
  async #listen(): Promise<void> {
    if (this.#isListening || this.#session.id === undefined) return;
    this.#isListening = true;
    const { signal } = this.#closing;
    let lastEventId: string | undefined;
    let session = this.#session.id;
    while (!signal.aborted) {
      let waitMs = RETRY_MS;
      // Each session numbers its own events.
      if (session !== this.#session.id) lastEventId = undefined;
      session = this.#session.id;
      try {
        const response = await send(await this.#locate(), { method: "GET", headers: this.#listening(lastEventId), signal });
        if (isEvents(response)) {
          const outcome = await this.#stream(response, undefined, signal, (text) => this.#options.write(onOneLine(text)));
          lastEventId = outcome.lastEventId ?? lastEventId;
          waitMs = outcome.retryMs;
        } else {
          await textOf(response);
          const isOfOldSession = session !== this.#session.id;
          if (response.statusCode === 404 && !isOfOldSession) await this.#renew();
          else if (response.statusCode !== 504 && !isOfOldSession) break;
        }
      } catch (error) {
        if (signal.aborted) break;
        if (error instanceof Unreached) this.#forget();
      }
      await pause(waitMs, undefined, { signal }).catch(() => {});
    }
    this.#isListening = false;
  }

  #listening(lastEventId: string | undefined): Record<string, string> {
    return { accept: "text/event-stream", ...this.#options.headers, ...this.#session.headers, ...(lastEventId !== undefined && { "last-event-id": lastEventId }) };
  }

  /** Begins a new session for the client, because the server has ended the earlier one. */
  #renew(): Promise<void> {
    this.#renewal ??= this.#begin().finally(() => (this.#renewal = undefined));
    return this.#renewal;
  }

  async #begin(): Promise<void> {
    const { opening } = this.#session;
    if (opening === undefined) return;
    const url = await this.#locate();
    const response = await send(url, { method: "POST", headers: { ...TYPES, ...this.#options.headers }, body: opening });
    const text = await textOf(response);
    const id = response.headers["mcp-session-id"];
    if (response.statusCode !== 200 || typeof id !== "string") throw new Error(`the server began no session: ${hintOf(text)}`);
    this.#session.begin(id, parseJson(text));
    await this.#tell(INITIALIZED, this.#session.headers);
    for (const bytes of this.#session.remembered) await this.#tell(bytes, this.#session.headers);
  }

  /** Sends a message that has no response. */
  async #tell(bytes: Buffer, own: Record<string, string>): Promise<void> {
    const endMs = performance.now() + this.#options.patienceMs;
    for (;;) {
      try {
        const response = await send(await this.#locate(), { method: "POST", headers: { ...TYPES, ...this.#options.headers, ...own }, body: bytes, signal: this.#closing.signal });
        await textOf(response);
        return;
      } catch (error) {
        if (!(error instanceof Unreached) || this.#closing.signal.aborted || performance.now() > endMs) throw error;
        await this.#missed();
      }
    }
  }

  /**
   * Cancels a request: by its connection in a stateless version, by the notification in a session.
   */
  async #cancel(id: Id, bytes: Buffer): Promise<void> {
    const pending = this.#pending.get(id);
    if (pending?.modern) return pending.stop.abort();
    // The server must know the request before it gets the cancellation.
    await pending?.sent;
    await this.#tell(bytes, this.#session.headers);
    // The host does not wait for further messages about the request.
    pending?.stop.abort();
  }

  async #batch(ids: Id[], bytes: Buffer): Promise<void> {
    try {
      const response = await send(await this.#locate(), { method: "POST", headers: { ...TYPES, ...this.#options.headers, ...this.#session.headers }, body: bytes, signal: this.#closing.signal });
      const waiting = new Set(ids);
      if (isEvents(response)) {
        await this.#stream(response, undefined, this.#closing.signal, (text) => {
          for (const id of waiting) if (isResponseTo(id, text)) waiting.delete(id);
          this.#options.write(onOneLine(text));
        });
        for (const id of waiting) this.#options.write(failureLine(id, new Broken("the stream of the response ended before the response")));
        return;
      }
      const text = await textOf(response);
      if (parseJson(text) !== undefined) this.#options.write(onOneLine(text));
      else for (const id of waiting) this.#options.write(responseTo(id, response, text));
    } catch (error) {
      for (const id of ids) this.#options.write(failureLine(id, error));
    }
  }

  #locate(): Promise<URL> {
    if (this.#url === undefined) this.#seek(false);
    return this.#url as Promise<URL>;
  }

  /** Looks for the server again, because it did not respond at its address. */
  #forget(): void {
    this.#seek(true);
  }

  #seek(again: boolean): void {
    const found = this.#options.locate(again);
    this.#url = found;
    // The next message tries again.
    found.catch(() => this.#url === found && (this.#url = undefined));
  }

  async #missed(): Promise<void> {
    await pause(RETRY_MS, undefined, { signal: this.#closing.signal }).catch(() => {});
    this.#forget();
  }
}

/** Returns true if a text is the response to a request. */
function isResponseTo(id: Id, text: string): boolean {
  const value = parseJson(text);
  return [value].flat().some((one) => isObject(one) && one["id"] === id && !("method" in one));
}

/**
 * Returns the response to a request for the host: a message of the server, or an error with the
 * text that was received instead.
 */
function responseTo(id: Id, response: IncomingMessage, text: string): string {
  const value = parseJson(text);
  if (isObject(value) && (("result" in value && value["id"] === id) || "error" in value)) {
    // An error about the request as a whole has no id.
    return value["id"] === id ? text : isObject(value["error"]) && typeof value["error"]["code"] === "number" ? JSON.stringify({ jsonrpc: "2.0", id, error: value["error"] }) : errorLine(id, INTERNAL_ERROR, hintOf(text));
  }
  return errorLine(id, INTERNAL_ERROR, `the server responded with status ${response.statusCode}: ${hintOf(text)}`);
}

/** Returns the response to a request that failed on its way. */
function failureLine(id: Id, error: unknown): string {
  if (error instanceof Broken) {
    return errorLine(id, INTERNAL_ERROR, "the server ended while this request was in progress", {
      code: "QUERY_TIMEOUT",
      hint: "what was committed is kept: look up whether this request was done before you repeat it",
    });
  }
  return errorLine(id, INTERNAL_ERROR, messageOf(error));
}

/** Returns the message in a response of the product that is not JSON-RPC. */
function hintOf(text: string): string {
  const value = parseJson(text);
  const error = isObject(value) && isObject(value["error"]) ? value["error"] : undefined;
  return error === undefined ? text.slice(0, 300) : [error["message"], error["hint"]].filter((part) => typeof part === "string").join("; ");
}
