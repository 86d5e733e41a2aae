// The state that the parts of the page share: the graph and its shown part, the selection, filters
// and marks, and the canvas.
//
// Edits are in `edits.ts`, old versions in `versions.ts`, analysis in `analysis.ts`; each gets the
// workbench.

import { news, showError } from "../shared/toast";
import { createStore } from "../shared/store";
import { darkness } from "../shared/theme";
import { Canvas, type Look } from "./canvas";
import type { Ref, Selected } from "./canvas-elements";
import { DEFAULT_SIZE } from "./canvas-style";
import { GraphClient } from "./client";
import { communityColour, TypeColours, typeKey } from "./colours";
import type { GraphData } from "./graph-data";
import { LiveGraph } from "./live";
import type { GraphNode, Measure, Patch, Position, Step } from "./model";

export const NOTHING: Selected = { nodes: [], edges: [] };

/** The keys that a person hid. */
export interface Filters {
  types: ReadonlySet<string>;
  /** Labels of edges. */
  labels: ReadonlySet<string>;
  /** Ids of nodes. */
  nodes: ReadonlySet<string>;
}

const NO_FILTERS: Filters = { types: new Set(), labels: new Set(), nodes: new Set() };

/** Sizes of nodes by a measure, as of a version. */
export interface Sizes {
  measure: Measure;
  version: number;
  sizes: ReadonlyMap<string, number>;
  top: readonly { id: string; label: string; score: number }[];
  sampled: boolean;
}

export interface Groups {
  version: number;
  modularity: number;
  /** The communities, largest first. */
  groups: readonly { size: number; first: string }[];
  of: ReadonlyMap<string, number>;
}

/** Paths between two nodes. */
export interface FoundPath {
  from: string;
  to: string;
  /** The labels along the first path. */
  labels: readonly string[];
  length: number;
  elements: Selected;
}

/** A dialog with its own form. */
export type Form =
  | { kind: "add-node"; position: Position | null }
  | { kind: "edit-node"; id: string }
  | { kind: "add-edge"; source: string; target: string }
  | { kind: "edit-edge"; id: string }
  | { kind: "import"; file: File | null }
  | { kind: "keys" };

export type Panel = "explore" | "analysis" | "history";

/** The graph on the screen: the live one, or a version. */
export interface Shown {
  data: GraphData;
  /** Null for the live graph. */
  version: number | null;
  step: Step | undefined;
}

export class Workbench {
  readonly client: GraphClient;
  readonly live: LiveGraph;
  readonly colours = new TypeColours();
  readonly shown;
  /** A count of changes of the shown graph, for components that read `shown` again. */
  readonly revision = createStore(0);
  readonly selected = createStore<Selected>(NOTHING);
  /** The focused node in the canvas, by id. */
  readonly focused = createStore<string | null>(null);
  readonly hovered = createStore<{ ref: Ref; at: Position } | null>(null);
  /** The node from which an edge is drawn. */
  readonly connecting = createStore<string | null>(null);
  readonly filters = createStore<Filters>(NO_FILTERS);
  readonly matches = createStore<readonly GraphNode[]>([]);
  readonly sizes = createStore<Sizes | null>(null);
  readonly groups = createStore<Groups | null>(null);
  readonly path = createStore<FoundPath | null>(null);
  readonly form = createStore<Form | null>(null);
  readonly panel = createStore<Panel | null>(null);
  readonly view = createStore<"graph" | "list">("graph");
  /** The work that takes a while, in words. */
  readonly busy = createStore<string | null>(null);
  /** The number of nodes without a stored position. */
  readonly unplaced = createStore(0);
  /** A number that is raised to move the focus to the search. */
  readonly searchAsked = createStore(0);
  canvas: Canvas | null = null;
  private viewport: { zoom: number; pan: Position } | null = null;
  private queue: Promise<unknown> = Promise.resolve();

  constructor(readonly conversation: string) {
    this.client = new GraphClient(conversation);
    this.live = new LiveGraph(this.client, (patch) => this.patched(patch), () => this.reset());
    this.shown = createStore<Shown>({ data: this.live.data, version: null, step: undefined });
    for (const store of [this.filters, this.sizes, this.groups]) store.subscribe(() => this.canvas?.setLook(this.look()));
    this.selected.subscribe((selected) => {
      this.canvas?.select(selected);
      this.markNeighbours();
    });
    this.focused.subscribe((id) => this.canvas?.mark("focused", { nodes: id === null ? [] : [id], edges: [] }));
    this.connecting.subscribe((id) => this.canvas?.mark("connecting", { nodes: id === null ? [] : [id], edges: [] }));
    this.matches.subscribe((nodes) => this.canvas?.mark("match", { nodes: nodes.map(({ id }) => id), edges: [] }));
    this.path.subscribe(() => this.markPath());
  }

  /** Returns true if the graph can be changed now. */
  get isEditable(): boolean {
    return this.shown.get().version === null && this.live.state.get().kind === "ready";
  }

  // The canvas.

  /** Puts a canvas into an element, until the returned function is called. */
  attach(container: HTMLElement, onDoubleTap: (ref: Ref | null, position: Position) => void, onMoved: (positions: ReadonlyMap<string, Position>) => void): () => void {
    const canvas = new Canvas(
      container,
      {
        onSelect: (selected) => this.selected.set(selected),
        onTap: (ref) => this.tapped(ref),
        onDoubleTap,
        onHover: (ref, at) => this.hovered.set(ref === null ? null : { ref, at }),
        onViewport: () => this.hovered.set(null),
        onMoved,
      },
      { data: this.shown.get().data, look: this.look(), dark: darkness.get() },
    );
    this.canvas = canvas;
    canvas.fit();
    canvas.select(this.selected.get());
    canvas.mark("match", { nodes: this.matches.get().map(({ id }) => id), edges: [] });
    canvas.setEditable(this.isEditable);
    this.markPath();
    this.unplaced.set(canvas.countPlacedHere());
    const stop = darkness.subscribe((dark) => canvas.setDark(dark));
    return () => {
      stop();
      this.viewport = canvas.viewport();
      this.canvas = null;
      canvas.destroy();
    };
  }

  private look(): Look {
    const { types, labels, nodes } = this.filters.get();
    const sizes = this.sizes.get()?.sizes;
    const groups = this.groups.get()?.of;
    return {
      colourOf: ({ id, type }) => {
        const group = groups?.get(id);
        return group === undefined ? this.colours.of(type) : communityColour(group);
      },
      sizeOf: ({ id }) => sizes?.get(id) ?? DEFAULT_SIZE,
      isShown: ({ id, type }) => !types.has(typeKey(type)) && !nodes.has(id),
      isEdgeShown: ({ label }) => !labels.has(label),
    };
  }

  private markPath(): void {
    const elements = this.path.get()?.elements ?? null;
    this.canvas?.mark("path", elements ?? NOTHING);
    this.canvas?.fadeOthers(elements);
    this.markNeighbours();
  }

  /** While a path is shown, only the path stands out. */
  private markNeighbours(): void {
    this.canvas?.markNeighbours(this.path.get() === null ? this.selected.get() : NOTHING);
  }

  /** Returns the viewport of a canvas that another one replaces. */
  takeViewport(): { zoom: number; pan: Position } | null {
    const taken = this.viewport;
    this.viewport = null;
    return taken;
  }

  /** Returns the size of the canvas in pixels. */
  stageSize(): { width: number; height: number } {
    return this.canvas?.size() ?? { width: 0, height: 0 };
  }

  // The shown graph.

  /** Shows the live graph or a version. */
  present(shown: Shown): void {
    this.shown.set(shown);
    this.canvas?.show(shown.data);
    this.canvas?.setEditable(this.isEditable);
    this.changed();
  }

  private patched(patch: Patch): void {
    const shown = this.shown.get();
    if (shown.version !== null) return;
    this.canvas?.apply(patch);
    this.changed();
  }

  private reset(): void {
    if (this.shown.get().version === null) this.present({ data: this.live.data, version: null, step: undefined });
  }

  /** Handles a change: selected, focused or marked items may be gone. */
  private changed(): void {
    const { nodes, edges } = this.shown.get().data;
    for (const type of nodes.values()) this.colours.of(type.type);
    this.revision.set(this.revision.get() + 1);
    const kept = (selected: Selected): Selected => ({ nodes: selected.nodes.filter((id) => nodes.has(id)), edges: selected.edges.filter((id) => edges.has(id)) });
    const selected = kept(this.selected.get());
    if (sizeOf(selected) !== sizeOf(this.selected.get())) this.selected.set(selected);
    for (const store of [this.focused, this.connecting]) if (!nodes.has(store.get() ?? "")) store.set(null);
    const path = this.path.get();
    if (path !== null && sizeOf(kept(path.elements)) !== sizeOf(path.elements)) this.path.set(null);
    else if (path !== null) this.markPath();
    else this.markNeighbours();
    const hovered = this.hovered.get();
    if (hovered !== null && !(hovered.ref.kind === "node" ? nodes : edges).has(hovered.ref.id)) this.hovered.set(null);
    this.unplaced.set(this.canvas?.countPlacedHere() ?? 0);
  }

  // The selection and the pointer.

  private tapped({ kind, id }: Ref): void {
    const source = this.connecting.get();
    if (source !== null && kind === "node") this.connectTo(id);
    this.focused.set(kind === "node" ? id : null);
  }

  /** Ends the choice of a target. */
  connectTo(target: string): void {
    const source = this.connecting.get();
    this.connecting.set(null);
    if (source !== null && this.isEditable) this.form.set({ kind: "add-edge", source, target });
  }

  select(selected: Selected): void {
    this.selected.set(selected);
  }

  /** Selects an item and scrolls to it. */
  goTo(ref: Ref): void {
    this.select(ref.kind === "node" ? { nodes: [ref.id], edges: [] } : { nodes: [], edges: [ref.id] });
    this.focused.set(ref.kind === "node" ? ref.id : null);
    this.canvas?.reveal(ref);
  }

  /** Hides these keys. */
  setFilter(filter: keyof Filters, keys: Iterable<string>): void {
    this.filters.set({ ...this.filters.get(), [filter]: new Set(keys) });
  }

  isShown({ id, type }: GraphNode): boolean {
    const { types, nodes } = this.filters.get();
    return !types.has(typeKey(type)) && !nodes.has(id);
  }

  openSearch(): void {
    this.panel.set("explore");
    this.searchAsked.set(this.searchAsked.get() + 1);
  }

  // Work.

  /**
   * Runs changes of the graph one after the other, and shows failures. Returns undefined for a
   * failure.
   */
  run<T>(work: () => Promise<T>, words?: string): Promise<T | undefined> {
    const done = this.queue.then(async () => {
      if (words !== undefined) this.busy.set(words);
      try {
        return await work();
      } catch (thrown) {
        showError(thrown);
        return undefined;
      } finally {
        if (words !== undefined) this.busy.set(null);
      }
    });
    this.queue = done;
    return done;
  }

  say(text: string): void {
    news(text);
  }
}

export function sizeOf({ nodes, edges }: Selected): number {
  return nodes.length + edges.length;
}
