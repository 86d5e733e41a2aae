// Keeps a `GraphData` equal to the graph on the server: reads the state page by page, then follows
// later events.
//
// The pages of one reading may be of different versions; the events after the version of the first
// page bring all of them to the newest. Each event is applied once, in the order of versions.

import { toApiError, type ApiError } from "../shared/api";
import { parseJson } from "../shared/json";
import { openEvents, type ServerEvent, type StreamState } from "../shared/sse";
import { createStore } from "../shared/store";
import type { GraphClient } from "./client";
import { GraphData } from "./graph-data";
import { withEvent } from "./history";
import { HISTORY_STEPS } from "./limits";
import type { ChangeEvent, Metadata, Patch, Step } from "./model";
import { asPatch } from "./patch";

export type LoadState = { kind: "loading"; items: number } | { kind: "ready" } | { kind: "failed"; error: ApiError } | { kind: "deleted" };

const EMPTY: Metadata = { nodeCount: 0, edgeCount: 0, version: 0, canUndo: false, canRedo: false };

export class LiveGraph {
  readonly data = new GraphData();
  readonly state = createStore<LoadState>({ kind: "loading", items: 0 });
  readonly stream = createStore<StreamState>({ kind: "connecting" });
  readonly metadata = createStore<Metadata>(EMPTY);
  /** The steps, newest first. */
  readonly steps = createStore<readonly Step[]>([]);
  /** The cursor to older steps than these; null if there are none. */
  readonly olderSteps = createStore<string | null>(null);
  /** The oldest version that the history can show. */
  readonly oldestVersion = createStore(0);
  private closeStream = () => {};
  private loading = new AbortController();
  private readonly waiting = new Set<{ version: number; done(): void }>();

  /** `onPatch` is called after each patch, `onReset` when everything may have changed. */
  constructor(
    private readonly client: GraphClient,
    private readonly onPatch: (patch: Patch) => void,
    private readonly onReset: () => void,
  ) {}

  /**
   * Reads everything again and follows the changes. The present data stay until the first page has
   * arrived.
   */
  async load(): Promise<void> {
    this.close();
    const loading = new AbortController();
    this.loading = loading;
    if (this.state.get().kind !== "ready") this.state.set({ kind: "loading", items: 0 });
    try {
      const first = await this.readPages(loading.signal);
      // After the pages, so that no step is missing between both.
      const history = await this.client.history(HISTORY_STEPS);
      if (loading.signal.aborted) return;
      this.steps.set(history.data);
      this.olderSteps.set(history.nextCursor);
      this.oldestVersion.set(history.oldestVersion);
      this.metadata.set(first);
      this.state.set({ kind: "ready" });
      this.onReset();
      this.settle();
      this.follow(first.version);
    } catch (thrown) {
      if (loading.signal.aborted) return;
      this.state.set({ kind: "failed", error: toApiError(thrown) });
    }
  }

  /** Adds the steps before the known ones. @throws ApiError. */
  async loadOlderSteps(): Promise<void> {
    const cursor = this.olderSteps.get();
    if (cursor === null) return;
    const history = await this.client.history(HISTORY_STEPS, cursor);
    // Meanwhile everything may have been read again.
    if (this.olderSteps.get() !== cursor) return;
    this.steps.set([...this.steps.get(), ...history.data]);
    this.olderSteps.set(history.nextCursor);
    this.oldestVersion.set(history.oldestVersion);
  }

  close(): void {
    this.loading.abort();
    this.closeStream();
  }

  /** Waits until the data has a version. Without an event stream, it reads everything again. */
  async reached(version: number): Promise<void> {
    if (this.metadata.get().version >= version) return;
    const arrived = new Promise<void>((done) => this.waiting.add({ version, done }));
    if (this.stream.get().kind !== "open") await this.load();
    await arrived;
  }

  /** Reads the pages; returns the metadata of the first. */
  private async readPages(signal: AbortSignal): Promise<Metadata> {
    let cursor: string | null = null;
    let first: Metadata | undefined;
    const read = new GraphData();
    do {
      const page: Awaited<ReturnType<GraphClient["state"]>> = await this.client.state(cursor, undefined, signal);
      first ??= page.data.metadata;
      read.apply(asPatch(page.data));
      if (this.state.get().kind === "loading") this.state.set({ kind: "loading", items: read.nodes.size + read.edges.size });
      cursor = page.nextCursor;
    } while (cursor !== null);
    this.data.clear();
    this.data.apply(asPatch({ nodes: [...read.nodes.values()], edges: [...read.edges.values()] }));
    return first;
  }

  private follow(version: number): void {
    this.closeStream = openEvents(this.client.eventsPath(version), {
      lastEventId: String(version),
      onState: (state) => this.stream.set(state),
      onEvent: (event) => this.receive(event),
    });
  }

  private receive({ event, data }: ServerEvent): void {
    if (event === "change") this.change(parseJson(data) as unknown as ChangeEvent);
    else if (event === "reset") void this.load();
    else if (event === "deleted") {
      this.close();
      this.state.set({ kind: "deleted" });
    }
  }

  private change(event: ChangeEvent): void {
    if (event.patch === null) return void this.load();
    // Patches set values, so it does no harm to apply one again that a page already contains.
    this.data.apply(event.patch);
    this.steps.set(withEvent(this.steps.get(), event));
    if (event.version >= this.metadata.get().version) this.metadata.set(event.metadata);
    this.onPatch(event.patch);
    this.settle();
  }

  private settle(): void {
    const { version } = this.metadata.get();
    for (const one of [...this.waiting]) {
      if (one.version > version) continue;
      this.waiting.delete(one);
      one.done();
    }
  }
}
