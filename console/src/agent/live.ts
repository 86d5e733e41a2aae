// The page's copy of a thread, equal to the one on the server. Events tell what happened; the state
// has the present values. The server ends a stream when the thread is at rest, so the page reads
// again after a while, and a break of the connection counts as such an end.

import { isAbort, toApiError, type ApiError } from "../shared/api";
import { parseJson } from "../shared/json";
import { isFinal, readEvents, type ServerEvent } from "../shared/sse";
import { createStore } from "../shared/store";
import type { Client } from "./client";
import { BREAK_MS, LONGEST_REST_MS, REST_GROWTH, REST_MS } from "./limits";
import type { Message, State } from "./model";
import { recordsOf, withValues, type Happened, type Records } from "./record";

export type LoadState = { kind: "loading" } | { kind: "new" } | { kind: "ready" } | { kind: "failed"; error: ApiError } | { kind: "deleted" };
export type Link = "connecting" | "live" | "broken" | "failed";

/** A message that is being written. */
export interface Draft {
  id: string;
  text: string;
  /** The characters of the message so far. The page has fewer if it was opened late. */
  end: number;
}

/** Events are missing between the last one and this. */
class Gap extends Error {}

export class Live {
  readonly state = createStore<LoadState>({ kind: "loading" });
  readonly link = createStore<Link>("connecting");
  readonly thread = createStore<State | null>(null);
  readonly records = createStore<Records>(new Map());
  readonly draft = createStore<Draft | null>(null);
  private readonly events: Happened[] = [];
  private following = new AbortController();
  private refreshing: Promise<void> | null = null;
  private isStale = false;
  /** The checkpoints that lead to the newest one; null while there is no other line. */
  private line: { head: number; checkpoints: ReadonlySet<number> } | null = null;

  constructor(private readonly client: Client) {}

  /** Reads the thread and follows it. */
  async open(): Promise<void> {
    const following = this.restart();
    try {
      await this.read();
    } catch (thrown) {
      if (following.signal.aborted) return;
      const error = toApiError(thrown);
      this.state.set(error.status === 404 ? { kind: "new" } : { kind: "failed", error });
      return;
    }
    void this.follow(following);
  }

  close(): void {
    this.following.abort();
  }

  /**
   * Sends a request that changes the thread, and first follows its stream. Resolves when the
   * request was accepted. @throws its refusal.
   */
  async act(send: (signal: AbortSignal) => Promise<Response>): Promise<void> {
    const following = this.restart();
    let response: Response;
    try {
      response = await send(following.signal);
    } catch (thrown) {
      if (this.state.get().kind === "ready") void this.follow(following);
      throw thrown;
    }
    if (this.state.get().kind !== "ready") this.state.set({ kind: "ready" });
    void this.follow(following, response);
  }

  /** Reads the state again. @throws if it cannot be read. */
  refresh(): Promise<void> {
    this.isStale = true;
    this.refreshing ??= this.readWhileStale().finally(() => {
      this.refreshing = null;
    });
    return this.refreshing;
  }

  /** Handles the deletion of the thread by this page. */
  deleted(): void {
    this.close();
    this.state.set({ kind: "deleted" });
  }

  private restart(): AbortController {
    this.following.abort();
    this.following = new AbortController();
    return this.following;
  }

  private async readWhileStale(): Promise<void> {
    while (this.isStale) {
      this.isStale = false;
      await this.read();
    }
  }

  private async read(): Promise<void> {
    const state = await this.client.state();
    await this.readLine(state);
    this.thread.set(state);
    this.records.set(withValues(recordsOf(this.events, this.line?.checkpoints ?? null), state.values));
    const { id } = this.draft.get() ?? {};
    const isStored = state.values.messages.some((message) => message.id === id);
    if (isStored || state.next.length === 0 || state.pending !== null) this.draft.set(null);
    this.state.set({ kind: "ready" });
  }

  private async readLine(state: State): Promise<void> {
    const head = state.checkpoints[0];
    if (head === undefined || head.branch === 1) {
      this.line = null;
      return;
    }
    const known = this.line;
    if (known !== null && head.parent === known.head) {
      this.line = { head: head.checkpoint, checkpoints: new Set(known.checkpoints).add(head.checkpoint) };
    } else if (known?.head !== head.checkpoint) {
      const parents = new Map((await this.client.history()).map(({ checkpoint, parent }) => [checkpoint, parent]));
      const line = new Set<number>();
      for (let at: number | null = head.checkpoint; at !== null && !line.has(at); at = parents.get(at) ?? null) line.add(at);
      this.line = { head: head.checkpoint, checkpoints: line };
    }
  }

  private async follow({ signal }: AbortController, first?: Response): Promise<void> {
    let response = first;
    let [restMs, breakMs] = [REST_MS, BREAK_MS];
    while (!signal.aborted) {
      let waitMs = 0;
      const before = this.lastEvent;
      try {
        response ??= await this.client.events(before, signal);
        this.link.set("live");
        if (response.body !== null) await readEvents(response.body, { onEvent: (event) => this.receive(event) });
        breakMs = BREAK_MS;
        restMs = this.lastEvent > before ? REST_MS : Math.min(restMs * REST_GROWTH, LONGEST_REST_MS);
        waitMs = restMs;
      } catch (thrown) {
        if (signal.aborted || isAbort(thrown)) return;
        if (!(thrown instanceof Gap)) {
          const error = toApiError(thrown);
          if (error.status === 404) return this.deleted();
          if (isFinal(error)) return this.fail(error);
          this.link.set("broken");
          waitMs = breakMs;
          breakMs = Math.min(breakMs * 2, LONGEST_REST_MS);
        }
      }
      response = undefined;
      if (this.state.get().kind === "deleted") return;
      await pause(waitMs, signal);
    }
  }

  private fail(error: ApiError): void {
    this.link.set("failed");
    this.state.set({ kind: "failed", error });
  }

  private get lastEvent(): number {
    return this.events.at(-1)?.id ?? 0;
  }

  private receive({ event, data, id }: ServerEvent): void {
    if (event === "deleted") return this.deleted();
    if (event === "messages") return this.write(data);
    const number = Number(id);
    const last = this.lastEvent;
    if (!Number.isSafeInteger(number) || number <= last) return;
    if (last > 0 && number > last + 1) throw new Gap();
    this.events.push({ id: number, event, data: parseJson(data) as Record<string, unknown> });
    // Events that the state includes are shown already.
    if (number >= (this.thread.get()?.lastEventId ?? 0)) this.refresh().catch(() => this.link.set("broken"));
  }

  /**
   * Adds a piece after the one before. If pieces are missing, dots replace them until the whole
   * message arrives.
   */
  private write(data: string): void {
    const [{ id, content, offset }] = parseJson(data) as unknown as [Message & { offset: number }];
    const draft = this.draft.get();
    const { text, end } = draft?.id === id && offset > 0 ? draft : { text: "", end: 0 };
    if (offset < end) return;
    this.draft.set({ id, text: `${text}${offset > end ? "… " : ""}${content}`, end: offset + [...content].length });
  }
}

/** Waits; a hidden page waits until it is visible. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const done = () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", changed);
      removeEventListener("online", done);
      resolve();
    };
    const changed = () => {
      if (!document.hidden) done();
    };
    document.addEventListener("visibilitychange", changed);
    addEventListener("online", done);
    signal.addEventListener("abort", done, { once: true });
    if (!document.hidden) timer = setTimeout(done, ms);
  });
}
