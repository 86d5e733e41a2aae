// The tools of the page: undo and redo, edits, layouts, files.

import type { ComponentChild } from "preact";
import { DownloadIcon, TrashIcon, UploadIcon } from "../shared/icons";
import { useStore } from "../shared/store";
import { layOut, redo, remove, startConnecting, undo } from "./edits";
import { exportFile, exportPicture, shareLink } from "./files";
import { redoable, undoable } from "./history";
import { ConnectIcon, GraphIcon, KeysIcon, LayoutIcon, LinkIcon, ListIcon, NodeIcon, RedoIcon, UndoIcon } from "./icons";
import { Menu } from "./menu";
import type { LayoutAlgorithm } from "./model";
import { sizeOf, type Workbench } from "./workbench";

const LAYOUTS: readonly { algorithm: LayoutAlgorithm; text: string; note: string }[] = [
  { algorithm: "force", text: "Force", note: "connected nodes close together" },
  { algorithm: "hierarchical", text: "Hierarchical", note: "in layers along the edges" },
  { algorithm: "circular", text: "Circular", note: "on a circle" },
  { algorithm: "grid", text: "Grid", note: "in rows" },
  { algorithm: "optimize", text: "Fewer crossings", note: "small moves only" },
];

export function Toolbar({ bench }: { bench: Workbench }) {
  const { canUndo, canRedo, nodeCount } = useStore(bench.live.metadata);
  const steps = useStore(bench.live.steps);
  const selected = useStore(bench.selected);
  const { version } = useStore(bench.shown);
  const { kind } = useStore(bench.live.state);
  const view = useStore(bench.view);
  const connecting = useStore(bench.connecting);
  const isEditable = version === null && kind === "ready";
  const isEmpty = nodeCount === 0;
  return (
    <div class="toolbar" role="group" aria-label="Tools">
      <div class="tools">
        <StepTool text="Undo" words={canUndo ? undoable(steps)?.description : undefined} disabled={!isEditable || !canUndo} icon={<UndoIcon />} act={() => void undo(bench)} />
        <StepTool text="Redo" words={canRedo ? redoable(steps)?.description : undefined} disabled={!isEditable || !canRedo} icon={<RedoIcon />} act={() => void redo(bench)} />
      </div>
      <div class="tools">
        <Tool text="Add node" hint="N" disabled={!isEditable} icon={<NodeIcon />} act={() => bench.form.set({ kind: "add-node", position: null })} />
        <Tool text="Connect" hint="E" disabled={!isEditable || (selected.nodes.length !== 1 && connecting === null)} isPressed={connecting !== null} icon={<ConnectIcon />} act={() => (connecting === null ? startConnecting(bench) : bench.connecting.set(null))} />
        <Tool text="Delete" hint="Delete" disabled={!isEditable || sizeOf(selected) === 0} icon={<TrashIcon />} act={() => void remove(bench)} />
      </div>
      <div class="tools">
        <Menu label="Layout" icon={<LayoutIcon />} disabled={!isEditable || isEmpty} items={LAYOUTS.map(({ algorithm, text, note }) => ({ text, note, act: () => void layOut(bench, algorithm) }))} />
        <Tool text={view === "graph" ? "List" : "Graph"} hint="L" icon={view === "graph" ? <ListIcon /> : <GraphIcon />} act={() => bench.view.set(view === "graph" ? "list" : "graph")} />
      </div>
      <div class="tools tools-end">
        <Tool text="Import" disabled={!isEditable} icon={<UploadIcon />} act={() => bench.form.set({ kind: "import", file: null })} />
        <Menu
          label="Export"
          align="right"
          icon={<DownloadIcon />}
          disabled={kind !== "ready"}
          items={[
            { text: "Picture", note: "PNG", act: () => void exportPicture(bench) },
            { text: "JSON", note: "all nodes and edges", act: () => void exportFile(bench, "json") },
            { text: "GraphML", note: "for other tools", disabled: version !== null, act: () => void exportFile(bench, "graphml") },
          ]}
        />
        <Tool text="Copy link" icon={<LinkIcon />} act={() => void shareLink(bench)} />
        <Tool text="Keys" hint="?" icon={<KeysIcon />} act={() => bench.form.set({ kind: "keys" })} />
      </div>
    </div>
  );
}

interface ToolProps {
  text: string;
  hint?: string;
  disabled?: boolean;
  isPressed?: boolean;
  icon: ComponentChild;
  act(): void;
}

function Tool({ text, hint, disabled = false, isPressed, icon, act }: ToolProps) {
  return (
    <button type="button" class="tool" disabled={disabled} aria-pressed={isPressed} title={hint === undefined ? text : `${text} (${hint})`} onClick={act}>
      {icon}
      <span class="tool-text">{text}</span>
    </button>
  );
}

/** The button for undo or redo, which names the step. */
function StepTool({ text, words, disabled, icon, act }: { text: string; words: string | undefined; disabled: boolean; icon: ComponentChild; act(): void }) {
  return (
    <button type="button" class="tool" disabled={disabled} title={words === undefined ? text : `${text}: ${words}`} onClick={act}>
      {icon}
      <span class="tool-text">{text}</span>
      {words !== undefined && <span class="tool-words">{words}</span>}
    </button>
  );
}
