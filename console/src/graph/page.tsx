// The page of one graph: tools, canvas or list, and the panels beside it.

import type { ComponentChild } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Dialog } from "../shared/dialog";
import { Failure } from "../shared/failure";
import { count, counted } from "../shared/format";
import { CloseIcon } from "../shared/icons";
import { useStore } from "../shared/store";
import { AnalysisPanel } from "./analysis-panel";
import { Explore } from "./explore";
import { linkedPlace } from "./files";
import { HistoryPanel } from "./history-panel";
import { ChartIcon, FilterIcon, HistoryIcon } from "./icons";
import { ImportDialog } from "./import-form";
import { ItemDialog } from "./item-form";
import { KEYS, pageKey } from "./keys";
import { ListView } from "./list-view";
import { Stage } from "./stage";
import { Toolbar } from "./toolbar";
import { openVersion } from "./versions";
import type { Panel, Workbench } from "./workbench";

const PANELS: readonly { panel: Panel; text: string; icon: ComponentChild }[] = [
  { panel: "explore", text: "Explore", icon: <FilterIcon /> },
  { panel: "analysis", text: "Analysis", icon: <ChartIcon /> },
  { panel: "history", text: "History", icon: <HistoryIcon /> },
];

/**
 * Wider windows have the panel beside the canvas. Narrower ones have it over the canvas, so it
 * opens only on request.
 */
const BESIDE = "(min-width: 860px)";

export function GraphPage({ bench }: { bench: Workbench }) {
  const view = useStore(bench.view);
  const panel = useStore(bench.panel);
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    if (matchMedia(BESIDE).matches) bench.panel.set("explore");
    void bench.live.load().then(() => {
      const { version } = linkedPlace();
      if (version !== null) void openVersion(bench, version);
    });
    const onKey = (event: KeyboardEvent) => pageKey(bench, event);
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("keydown", onKey);
      bench.live.close();
    };
  }, [bench]);
  const drop = (event: DragEvent) => {
    const file = event.dataTransfer?.files[0];
    setOver(false);
    if (file === undefined) return;
    event.preventDefault();
    if (bench.isEditable) bench.form.set({ kind: "import", file });
  };
  const over = (event: DragEvent) => {
    if (event.dataTransfer?.types.includes("Files") !== true) return;
    event.preventDefault();
    setOver(true);
  };
  return (
    <div class="graph-page" onDragOver={over} onDragLeave={(event) => event.currentTarget === event.target && setOver(false)} onDrop={drop}>
      <h1 class="visually-hidden">Knowledge graph {bench.conversation}</h1>
      <Toolbar bench={bench} />
      <div class="graph-body">
        <div class={view === "graph" ? "view" : "view is-away"} inert={view !== "graph"}><Stage bench={bench} /></div>
        {view === "list" && <div class="view view-list"><ListView bench={bench} /></div>}
        {panel !== null && <SidePanel bench={bench} panel={panel} />}
        <Loading bench={bench} />
      </div>
      <Footer bench={bench} />
      {isOver && <div class="drop" aria-hidden="true"><p>Drop the file to import it</p></div>}
      <Forms bench={bench} />
    </div>
  );
}

function SidePanel({ bench, panel }: { bench: Workbench; panel: Panel }) {
  return (
    <aside
      class="sheet"
      aria-label={PANELS.find((one) => one.panel === panel)?.text}
      onKeyDown={(event) => {
        if (event.key === "Escape" && !matchMedia(BESIDE).matches) bench.panel.set(null);
      }}
    >
      <div class="sheet-head">
        <h2>{PANELS.find((one) => one.panel === panel)?.text}</h2>
        <button type="button" class="quiet icon-only small" aria-label="Close the panel" onClick={() => bench.panel.set(null)}><CloseIcon /></button>
      </div>
      <div class="sheet-body">
        {panel === "explore" && <Explore bench={bench} />}
        {panel === "analysis" && <AnalysisPanel bench={bench} />}
        {panel === "history" && <HistoryPanel bench={bench} />}
      </div>
    </aside>
  );
}

/** Shows the size of the graph, the state of the stream, and the open panel. */
function Footer({ bench }: { bench: Workbench }) {
  const { nodeCount, edgeCount, version } = useStore(bench.live.metadata);
  const stream = useStore(bench.live.stream);
  const busy = useStore(bench.busy);
  const panel = useStore(bench.panel);
  const isLive = stream.kind === "open";
  return (
    <footer class="graph-foot">
      <div class="panels" role="group" aria-label="Panels">
        {PANELS.map(({ panel: one, text, icon }) => (
          <button key={one} type="button" class="quiet small" aria-pressed={panel === one} onClick={() => bench.panel.set(panel === one ? null : one)}>{icon} {text}</button>
        ))}
      </div>
      <p class="foot-state">
        <span role="status">{busy ?? ""}</span>
        <span class="foot-counts">{counted(nodeCount, "node")} · {counted(edgeCount, "edge")} · version {version}</span>
        <span class={isLive ? "live is-live" : "live"} role="status">{isLive ? "Live" : stream.kind === "failed" ? "Not live" : "Connecting…"}</span>
      </p>
    </footer>
  );
}

function Loading({ bench }: { bench: Workbench }) {
  const state = useStore(bench.live.state);
  if (state.kind === "ready") return null;
  return (
    <div class="loading" role="status">
      {state.kind === "loading" && <p>{state.items === 0 ? "Loading the graph…" : `Loading the graph: ${count(state.items)} nodes and edges…`}</p>}
      {state.kind === "deleted" && <p>This graph was deleted.</p>}
      {state.kind === "failed" && <Failure error={state.error} />}
      {state.kind !== "loading" && <button type="button" onClick={() => void bench.live.load()}>Load again</button>}
    </div>
  );
}

function Forms({ bench }: { bench: Workbench }) {
  const form = useStore(bench.form);
  if (form === null) return null;
  const close = () => bench.form.set(null);
  if (form.kind === "import") return <ImportDialog bench={bench} first={form.file} onClose={close} />;
  if (form.kind === "keys") return <Keys onClose={close} />;
  return <ItemDialog bench={bench} form={form} onClose={close} />;
}

function Keys({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {KEYS.map(({ keys, does }) => (
          <div key={keys}>
            <dt><kbd>{keys}</kbd></dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <div class="dialog-actions">
        <button type="button" class="primary" autofocus onClick={onClose}>Close</button>
      </div>
    </Dialog>
  );
}
