// Event streams (text/event-stream) with the token header, which EventSource cannot send. After a
// break the stream resumes after the last event received (`Last-Event-ID`), at growing intervals.

import { createParser } from "eventsource-parser";
import { ApiError, isAbort, request, toApiError } from "./api";

/** The first wait after a break; each further one is twice as long. */
const FIRST_WAIT_MS = 500;
/** The longest wait: a server that is back is found within this time. */
const LONGEST_WAIT_MS = 30_000;
/** The share by which waits differ, so that many pages do not reconnect at once. */
const SPREAD = 0.3;

/** One event. */
export interface ServerEvent {
  /** `message` if the server names none. */
  event: string;
  data: string;
  id: string | undefined;
}

export type StreamState = { kind: "connecting" } | { kind: "open" } | { kind: "waiting"; retryAtMs: number } | { kind: "failed"; error: ApiError };

export interface StreamOptions {
  onEvent(event: ServerEvent): void;
  onState?(state: StreamState): void;
  /** The id of the event after which the stream begins. */
  lastEventId?: string;
}

/** Reads events until the returned function is called, or the server refuses (state `failed`). */
export function openEvents(path: string, options: StreamOptions): () => void {
  const closing = new AbortController();
  void follow(path, options, closing.signal);
  return () => closing.abort();
}

async function follow(path: string, { onEvent, onState = () => {}, lastEventId: known }: StreamOptions, signal: AbortSignal): Promise<void> {
  const position: { id: string | undefined; waitMs: number } = { id: known, waitMs: FIRST_WAIT_MS };
  let firstWaitMs = FIRST_WAIT_MS;
  while (!signal.aborted) {
    onState({ kind: "connecting" });
    try {
      const headers: Record<string, string> = { accept: "text/event-stream" };
      if (position.id !== undefined) headers["last-event-id"] = position.id;
      const response = await request(path, { headers, signal });
      // The server has no more events (WHATWG HTML, server-sent events).
      if (response.status === 204 || response.body === null) return;
      onState({ kind: "open" });
      await readEvents(response.body, {
        onEvent(received) {
          if (received.id !== undefined) position.id = received.id;
          position.waitMs = firstWaitMs;
          onEvent(received);
        },
        onRetry(ms) {
          firstWaitMs = Math.min(Math.max(ms, FIRST_WAIT_MS), LONGEST_WAIT_MS);
        },
      });
    } catch (thrown) {
      if (signal.aborted || isAbort(thrown)) return;
      const error = toApiError(thrown);
      if (isFinal(error)) return onState({ kind: "failed", error });
    }
    if (signal.aborted) return;
    const waitMs = position.waitMs * (1 + SPREAD * Math.random());
    position.waitMs = Math.min(position.waitMs * 2, LONGEST_WAIT_MS);
    onState({ kind: "waiting", retryAtMs: Date.now() + waitMs });
    await pause(waitMs, signal);
  }
}

/** Reads the events of one response to its end. @throws if the connection breaks. */
export async function readEvents(body: ReadableStream<Uint8Array>, { onEvent, onRetry }: { onEvent(event: ServerEvent): void; onRetry?(ms: number): void }): Promise<void> {
  const parser = createParser({
    onEvent: ({ event, data, id }) => onEvent({ event: event ?? "message", data, id }),
    onRetry: (ms) => onRetry?.(ms),
  });
  const reader = body.pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>).getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) parser.feed(piece.value);
}

/** Returns true if the same request would be refused again. */
export function isFinal({ status }: ApiError): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
  });
}
