// The graph inside a chat: display, search and filters, with undo and redo. Changes by tools are
// shown as soon as the host reports them.

import type { ComponentChild } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { count, counted } from "../../shared/format";
import { PlusIcon, RefreshIcon } from "../../shared/icons";
import { createStore, useStore } from "../../shared/store";
import { applyTheme } from "../../shared/theme-choice";
import { darkness } from "../../shared/theme";
import { Canvas } from "../canvas";
import type { Ref } from "../canvas-elements";
import { DEFAULT_SIZE } from "../canvas-style";
import { DataOf, Heading } from "../card-parts";
import { TypeColours, typeKey } from "../colours";
import { FilterList } from "../filter-list";
import { GraphData } from "../graph-data";
import { FilterIcon, FitIcon, LayoutIcon, MinusIcon, RedoIcon, UndoIcon } from "../icons";
import { CARD_ROWS, ZOOM_STEP } from "../limits";
import type { Metadata } from "../model";
import { Host, textOf, type HostContext, type HostInfo, type ToolResult } from "./host";
import { pageOf, readAll, readingOf, type Reading } from "./state";

/**
 * The height if the host leaves it to the page: a picture of some dozens of nodes, with room for
 * the chat around it.
 */
const HEIGHT_PX = 520;

const NO_FILTERS: { types: ReadonlySet<string>; labels: ReadonlySet<string> } = { types: new Set(), labels: new Set() };

/** The connection to the host, and the graph read through it. */
class Connection {
  readonly reading = createStore<Reading>({ data: new GraphData(), metadata: undefined, isWhole: true });
  readonly message = createStore("Waiting for the host…");
  readonly canCall = createStore(false);
  private readonly host: Host;
  private asked = 0;

  constructor(private readonly version: string) {
    this.host = new Host(window.parent, (method, params) => this.receive(method, params));
  }

  async open(): Promise<void> {
    try {
      const info: HostInfo = await this.host.connect(this.version);
      this.adapt(info.hostContext ?? {}, true);
      this.canCall.set(info.hostCapabilities?.serverTools !== undefined);
      this.message.set("");
      await this.refresh();
    } catch (thrown) {
      this.fail(thrown);
    }
  }

  /** Calls a tool that changes the graph, then reads the graph. */
  async call(tool: string): Promise<void> {
    try {
      this.message.set(textOf(await this.host.callTool(tool, {})));
    } catch (thrown) {
      this.fail(thrown);
    }
    await this.refresh();
  }

  /** Reads the graph again. The reading that was started last is shown. */
  async refresh(): Promise<void> {
    if (!this.canCall.get()) return;
    this.asked += 1;
    const asked = this.asked;
    try {
      const reading = await readAll(this.host);
      if (asked === this.asked) this.reading.set(reading);
    } catch (thrown) {
      if (asked === this.asked) this.fail(thrown);
    }
  }

  private receive(method: string, params: Record<string, unknown>): void {
    if (method === "ui/notifications/tool-result") this.result(params as ToolResult);
    else if (method === "ui/notifications/host-context-changed") this.adapt(params as HostContext, false);
  }

  private result(result: ToolResult): void {
    if (result.isError === true) return this.message.set(textOf(result));
    const page = pageOf(result.structuredContent);
    if (page !== null && (page.nextCursor === null || !this.canCall.get())) {
      this.asked += 1;
      this.reading.set(readingOf(page));
    } else void this.refresh();
  }

  private adapt({ theme, containerDimensions }: HostContext, isFirst: boolean): void {
    if (theme !== undefined) {
      applyTheme(theme);
      darkness.set(theme === "dark");
    }
    if (!isFirst && containerDimensions === undefined) return;
    if (containerDimensions?.height !== undefined) {
      document.body.style.removeProperty("height");
      return;
    }
    const height = Math.min(HEIGHT_PX, containerDimensions?.maxHeight ?? HEIGHT_PX);
    document.body.style.height = `${height}px`;
    this.host.notify("ui/notifications/size-changed", { width: document.documentElement.clientWidth, height });
  }

  private fail(thrown: unknown): void {
    this.message.set(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

export function Viewer({ version }: { version: string }) {
  const connection = useMemo(() => new Connection(version), [version]);
  const colours = useMemo(() => new TypeColours(), []);
  const { data, metadata, isWhole } = useStore(connection.reading);
  const canCall = useStore(connection.canCall);
  const message = useStore(connection.message);
  const [filters, setFilters] = useState(NO_FILTERS);
  const [isFiltering, setFiltering] = useState(false);
  const [shown, setShown] = useState<Ref | null>(null);
  const [text, setText] = useState("");
  const canvas = useRef<Canvas | null>(null);
  const place = useCanvas(canvas, connection, colours, setShown);
  useEffect(() => {
    canvas.current?.setLook(lookOf(colours, filters));
  }, [filters]);
  const matches = useMemo(() => matching(data, text), [data, text]);
  useEffect(() => canvas.current?.mark("match", { nodes: matches, edges: [] }), [matches]);
  const tool = (name: string) => void connection.call(name);
  return (
    <main class="viewer">
      <h1 class="visually-hidden">Knowledge graph</h1>
      <div class="toolbar" role="group" aria-label="Tools">
        <Tool text={metadata === undefined ? "Undo" : "Undo the last step"} icon={<UndoIcon />} disabled={!canCall || metadata?.canUndo === false} act={() => tool("undo")} />
        <Tool text="Redo" icon={<RedoIcon />} disabled={!canCall || metadata?.canRedo === false} act={() => tool("redo")} />
        <Tool text="Arrange the nodes" icon={<LayoutIcon />} disabled={!canCall || data.nodes.size === 0} act={() => tool("applyForceLayout")} />
        <Tool text="Refresh" icon={<RefreshIcon />} disabled={!canCall} act={() => void connection.refresh()} />
        <form
          class="viewer-search"
          role="search"
          onSubmit={(event) => {
            event.preventDefault();
            const [first] = matches;
            if (first !== undefined) canvas.current?.reveal({ kind: "node", id: first });
          }}
        >
          <input type="search" aria-label="Search nodes" placeholder="Search nodes" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </form>
        <Tool text="Types and labels" icon={<FilterIcon />} isPressed={isFiltering} act={() => setFiltering(!isFiltering)} />
      </div>
      <div class="viewer-body">
        <div ref={place} class="canvas" role="img" aria-label={`Graph with ${counted(data.nodes.size, "node")} and ${counted(data.edges.size, "edge")}`} />
        {data.nodes.size === 0 && <p class="empty muted">The graph is empty.</p>}
        {shown !== null && (
          <section class="card card-pinned" aria-label="Details">
            <Heading item={shown} data={data} colourOf={(type) => colours.of(type)} />
            <DataOf item={shown} data={data} rows={CARD_ROWS} />
          </section>
        )}
        {isFiltering && (
          <aside class="viewer-filters sheet-body" aria-label="Types and labels">
            <FilterList title="Types" counts={data.typeCounts()} hidden={filters.types} set={(keys) => setFilters({ ...filters, types: new Set(keys) })} colourOf={(name) => colours.of(name)} />
            <FilterList title="Edges by label" counts={data.labelCounts()} hidden={filters.labels} set={(keys) => setFilters({ ...filters, labels: new Set(keys) })} />
          </aside>
        )}
        <div class="zoom" role="group" aria-label="Zoom">
          <Tool text="Zoom in" icon={<PlusIcon />} act={() => canvas.current?.zoomBy(ZOOM_STEP)} />
          <Tool text="Zoom out" icon={<MinusIcon />} act={() => canvas.current?.zoomBy(1 / ZOOM_STEP)} />
          <Tool text="Show the whole graph" icon={<FitIcon />} act={() => canvas.current?.fit()} />
        </div>
      </div>
      <footer class="graph-foot">
        <p role="status">{text.trim() === "" ? message : `${counted(matches.length, "node")} found`}</p>
        <p class="foot-state">{countsOf(data, metadata, isWhole)}</p>
      </footer>
    </main>
  );
}

/** Makes a canvas that shows each reading; the first nodes are all in view. */
function useCanvas(canvas: { current: Canvas | null }, connection: Connection, colours: TypeColours, show: (ref: Ref | null) => void) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (place.current === null) return;
    const made = new Canvas(
      place.current,
      {
        onSelect: ({ nodes: [node], edges: [edge] }) => show(node !== undefined ? { kind: "node", id: node } : edge !== undefined ? { kind: "edge", id: edge } : null),
        onTap() {},
        onDoubleTap() {},
        onHover: (ref) => show(ref),
        onViewport() {},
        onMoved() {},
      },
      { data: connection.reading.get().data, look: lookOf(colours, NO_FILTERS), dark: darkness.get(), readOnly: true },
    );
    canvas.current = made;
    let isFirst = true;
    const stops = [
      darkness.subscribe((dark) => made.setDark(dark)),
      connection.reading.subscribe(({ data }) => {
        made.show(data);
        if (isFirst && data.nodes.size > 0) {
          made.fit();
          isFirst = false;
        }
      }),
    ];
    const watcher = new ResizeObserver(() => made.resize());
    watcher.observe(place.current);
    void connection.open();
    return () => {
      for (const stop of stops) stop();
      watcher.disconnect();
      made.destroy();
      canvas.current = null;
    };
  }, [connection]);
  return place;
}

function lookOf(colours: TypeColours, { types, labels }: typeof NO_FILTERS) {
  return {
    colourOf: ({ type }: { type: string }) => colours.of(type),
    sizeOf: () => DEFAULT_SIZE,
    isShown: ({ type }: { type: string }) => !types.has(typeKey(type)),
    isEdgeShown: ({ label }: { label: string }) => !labels.has(label),
  };
}

function matching(data: GraphData, text: string): string[] {
  const words = text.trim().toLowerCase();
  return words === "" ? [] : [...data.nodes.values()].filter(({ label, type, id }) => `${label}\n${type}\n${id}`.toLowerCase().includes(words)).map(({ id }) => id);
}

function countsOf(data: GraphData, metadata: Metadata | undefined, isWhole: boolean): string {
  const counts = `${counted(data.nodes.size, "node")} · ${counted(data.edges.size, "edge")}`;
  if (metadata === undefined) return counts;
  return isWhole ? `${counts} · version ${metadata.version}` : `${counts} of ${count(metadata.nodeCount)} and ${count(metadata.edgeCount)}`;
}

function Tool({ text, icon, disabled = false, isPressed, act }: { text: string; icon: ComponentChild; disabled?: boolean; isPressed?: boolean; act(): void }) {
  return <button type="button" class="quiet icon-only" aria-label={text} title={text} disabled={disabled} aria-pressed={isPressed} onClick={act}>{icon}</button>;
}
