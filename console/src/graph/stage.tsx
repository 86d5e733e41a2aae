// The canvas with the elements over it: cards, zoom, hints. Banners are below it: they cover no
// node, and no node moves on the screen when one appears.

import { useEffect, useMemo, useRef } from "preact/hooks";
import { counted } from "../shared/format";
import { PlusIcon } from "../shared/icons";
import { useStore } from "../shared/store";
import { HoverCard, SelectionCard } from "./card";
import { labelOf } from "./card-parts";
import { addMockData, layOut, move, Nudge } from "./edits";
import { linkedPlace } from "./files";
import { VersionBanner } from "./history-panel";
import { FitIcon, MinusIcon } from "./icons";
import { canvasKey } from "./keys";
import { Legend } from "./legend";
import { ZOOM_STEP } from "./limits";
import type { Workbench } from "./workbench";

export function Stage({ bench }: { bench: Workbench }) {
  const { kind } = useStore(bench.live.state);
  const { data, version } = useStore(bench.shown);
  const { nodeCount } = useStore(bench.live.metadata);
  const colourOf = (type: string) => bench.colours.of(type);
  useStore(bench.revision);
  return (
    <div class="stage">
      <div class="stage-main">
        {kind === "ready" && <CanvasPlace bench={bench} />}
        <HoverCard bench={bench} colourOf={colourOf} />
        <SelectionCard bench={bench} colourOf={colourOf} />
        {kind === "ready" && version === null && nodeCount === 0 && data.nodes.size === 0 && <Empty bench={bench} />}
        <Legend bench={bench} />
        <ZoomTools bench={bench} />
      </div>
      <div class="banners">
        <VersionBanner bench={bench} />
        <ConnectBanner bench={bench} />
        <UnplacedBanner bench={bench} />
      </div>
    </div>
  );
}

function CanvasPlace({ bench }: { bench: Workbench }) {
  const place = useRef<HTMLDivElement>(null);
  const nudge = useMemo(() => new Nudge(bench), [bench]);
  const { data } = useStore(bench.shown);
  useStore(bench.revision);
  const focused = useStore(bench.focused);
  const selected = useStore(bench.selected);
  const connecting = useStore(bench.connecting);
  const view = useStore(bench.view);
  // A graph that has grown large is drawn in another way.
  const suits = bench.canvas?.suits(data) ?? true;
  const made = useRef(0);
  if (!suits) made.current += 1;
  useEffect(() => {
    if (place.current === null) return;
    const viewport = bench.takeViewport();
    const detach = bench.attach(
      place.current,
      (ref, position) => {
        if (!bench.isEditable) return;
        bench.form.set(ref === null ? { kind: "add-node", position } : ref.kind === "node" ? { kind: "edit-node", id: ref.id } : { kind: "edit-edge", id: ref.id });
      },
      (positions) => void move(bench, positions),
    );
    if (viewport !== null) bench.canvas?.setViewport(viewport);
    const { node } = linkedPlace();
    if (viewport === null && node !== null && bench.shown.get().data.nodes.has(node)) bench.goTo({ kind: "node", id: node });
    // A banner may have appeared with the graph, so it is fitted once the canvas has its size.
    let fits = viewport === null && node === null;
    const watcher = new ResizeObserver(() => {
      if (fits) bench.canvas?.fit();
      else bench.canvas?.resize();
      fits = false;
    });
    watcher.observe(place.current);
    return () => {
      watcher.disconnect();
      detach();
    };
  }, [bench, made.current]);
  useEffect(() => {
    if (view === "graph") bench.canvas?.resize();
  }, [view]);
  const node = focused === null ? undefined : data.nodes.get(focused);
  return (
    <>
      <div
        ref={place}
        class={connecting === null ? "canvas" : "canvas is-connecting"}
        tabIndex={0}
        role="application"
        aria-roledescription="graph"
        aria-label={`Graph with ${counted(data.nodes.size, "node")} and ${counted(data.edges.size, "edge")}. Arrow keys go from node to node; the list has everything as a table.`}
        onKeyDown={(event) => canvasKey(bench, nudge, event)}
      />
      <p class="visually-hidden" role="status">
        {node === undefined ? "" : `${node.label}, ${node.type}, ${counted(data.edgesOf(node.id).size, "edge")}${selected.nodes.includes(node.id) ? ", selected" : ""}`}
      </p>
    </>
  );
}

function ConnectBanner({ bench }: { bench: Workbench }) {
  const connecting = useStore(bench.connecting);
  if (connecting === null) return null;
  return (
    <div class="banner" role="status">
      <p>Choose the node that <strong>{labelOf(bench.shown.get().data, connecting)}</strong> is connected to: click it, or press Enter on it, or search it.</p>
      <button type="button" class="small" onClick={() => bench.connecting.set(null)}>Cancel</button>
    </div>
  );
}

function UnplacedBanner({ bench }: { bench: Workbench }) {
  const count = useStore(bench.unplaced);
  const { version } = useStore(bench.shown);
  const connecting = useStore(bench.connecting);
  if (count === 0 || version !== null || connecting !== null) return null;
  return (
    <div class="banner banner-quiet">
      <p>{counted(count, "node")} without a stored position.</p>
      <button type="button" class="small" onClick={() => void layOut(bench, "force")}>Arrange</button>
    </div>
  );
}

function ZoomTools({ bench }: { bench: Workbench }) {
  return (
    <div class="zoom" role="group" aria-label="Zoom">
      <button type="button" class="icon-only" aria-label="Zoom in" title="Zoom in (+)" onClick={() => bench.canvas?.zoomBy(ZOOM_STEP)}><PlusIcon /></button>
      <button type="button" class="icon-only" aria-label="Zoom out" title="Zoom out (-)" onClick={() => bench.canvas?.zoomBy(1 / ZOOM_STEP)}><MinusIcon /></button>
      <button type="button" class="icon-only" aria-label="Show the whole graph" title="Show the whole graph (F)" onClick={() => bench.canvas?.fit()}><FitIcon /></button>
    </div>
  );
}

function Empty({ bench }: { bench: Workbench }) {
  return (
    <section class="empty" aria-label="The graph is empty">
      <h2>This graph is empty</h2>
      <p class="muted">Add nodes by hand, drop a file here, or begin with an example. Models and programs can add to it too: you see what they do at once.</p>
      <div class="row wrap">
        <button type="button" class="primary" onClick={() => bench.form.set({ kind: "add-node", position: null })}>Add the first node</button>
        <button type="button" onClick={() => void addMockData(bench, "diabetes")}>Diabetes example</button>
        <button type="button" onClick={() => void addMockData(bench, "cancer")}>Cancer example</button>
        <button type="button" onClick={() => bench.form.set({ kind: "import", file: null })}>Import a file</button>
      </div>
    </section>
  );
}
