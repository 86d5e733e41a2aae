// The card of a node or an edge beside the canvas: while the pointer is over it, and with actions
// while it is selected. Everything is text.

import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { counted } from "../shared/format";
import { CloseIcon, TrashIcon } from "../shared/icons";
import { useStore } from "../shared/store";
import { findPath } from "./analysis";
import type { Ref } from "./canvas-elements";
import { DataOf, Heading, labelOf } from "./card-parts";
import { remove, startConnecting, unpin } from "./edits";
import type { GraphData } from "./graph-data";
import { ConnectIcon, EditIcon, EyeOffIcon, PinIcon } from "./icons";
import { CARD_NEIGHBOURS, CARD_REACH_PX, CARD_ROWS } from "./limits";
import { NOTHING, sizeOf, type Workbench } from "./workbench";

/** Shows the card under the pointer. */
export function HoverCard({ bench, colourOf }: { bench: Workbench; colourOf(type: string): string }) {
  const hovered = useStore(bench.hovered);
  const { nodes } = useStore(bench.selected);
  useStore(bench.revision);
  if (hovered === null || (hovered.ref.kind === "node" && nodes.length === 1 && nodes[0] === hovered.ref.id)) return null;
  const { data } = bench.shown.get();
  // Without room to the right or below, it opens to the other side.
  const { width, height } = bench.stageSize();
  const { x, y } = hovered.at;
  const left = x > width - 300 ? undefined : `${x + 16}px`;
  const right = left === undefined ? `${width - x + 16}px` : undefined;
  const top = y > height / 2 ? undefined : `${y + 12}px`;
  const bottom = top === undefined ? `${height - y + 12}px` : undefined;
  return (
    <div class="card card-hover" aria-hidden="true" style={{ left, right, top, bottom }}>
      <Heading item={hovered.ref} data={data} colourOf={colourOf} />
      <DataOf item={hovered.ref} data={data} rows={6} />
    </div>
  );
}

/** Shows the card of the selection. */
export function SelectionCard({ bench, colourOf }: { bench: Workbench; colourOf(type: string): string }) {
  const selected = useStore(bench.selected);
  const { data, version } = useStore(bench.shown);
  useStore(bench.revision);
  const [node] = selected.nodes;
  // On the other side if it would cover the selected node. It stays there until something else is
  // selected.
  const covers = useMemo(() => node !== undefined && (bench.canvas?.pixelsOf(node)?.x ?? Infinity) < CARD_REACH_PX && bench.stageSize().width > 2 * CARD_REACH_PX, [bench, node]);
  if (sizeOf(selected) === 0) return null;
  const [edge] = selected.edges;
  const single: Ref | null = sizeOf(selected) > 1 ? null : node !== undefined ? { kind: "node", id: node } : edge !== undefined ? { kind: "edge", id: edge } : null;
  return (
    <section class={covers ? "card card-pinned card-right" : "card card-pinned"} aria-label="Selection">
      <button type="button" class="quiet icon-only small card-close" aria-label="Clear the selection" title="Clear the selection (Escape)" onClick={() => bench.select(NOTHING)}>
        <CloseIcon />
      </button>
      {single === null ? <SeveralSelected bench={bench} data={data} /> : <Heading item={single} data={data} colourOf={colourOf} />}
      <Actions bench={bench} single={single} data={data} isOld={version !== null} />
      {single !== null && <DataOf item={single} data={data} rows={CARD_ROWS} />}
      {single?.kind === "node" && <Neighbours bench={bench} data={data} id={single.id} />}
    </section>
  );
}

function SeveralSelected({ bench, data }: { bench: Workbench; data: GraphData }) {
  const { nodes, edges } = useStore(bench.selected);
  const parts = [nodes.length > 0 ? counted(nodes.length, "node") : "", edges.length > 0 ? counted(edges.length, "edge") : ""];
  const names = nodes.slice(0, 6).map((id) => labelOf(data, id));
  return (
    <header>
      <h3>{parts.filter((part) => part !== "").join(", ")} selected</h3>
      <p class="note">{names.join(", ")}{nodes.length > names.length && ", …"}</p>
    </header>
  );
}

function Actions({ bench, single, data, isOld }: { bench: Workbench; single: Ref | null; data: GraphData; isOld: boolean }) {
  const { nodes, edges } = useStore(bench.selected);
  const pinned = nodes.filter((id) => data.nodes.get(id)?.pinned === true);
  const [from, to] = nodes;
  return (
    <div class="card-actions">
      {single !== null && !isOld && (
        <Action text="Edit" icon={<EditIcon />} act={() => bench.form.set(single.kind === "node" ? { kind: "edit-node", id: single.id } : { kind: "edit-edge", id: single.id })} />
      )}
      {single?.kind === "node" && !isOld && <Action text="Connect" icon={<ConnectIcon />} act={() => startConnecting(bench)} />}
      {nodes.length === 2 && edges.length === 0 && from !== undefined && to !== undefined && !isOld && (
        <Action text="Find path" icon={<ConnectIcon />} act={() => void findPath(bench, from, to)} />
      )}
      {nodes.length > 0 && (
        <Action
          text="Hide"
          icon={<EyeOffIcon />}
          act={() => {
            bench.setFilter("nodes", [...bench.filters.get().nodes, ...nodes]);
            bench.select(NOTHING);
          }}
        />
      )}
      {pinned.length > 0 && !isOld && <Action text="Unpin" icon={<PinIcon />} act={() => void unpin(bench, pinned)} />}
      {!isOld && <Action text="Delete" icon={<TrashIcon />} act={() => void remove(bench)} />}
    </div>
  );
}

function Action({ text, icon, act }: { text: string; icon: ComponentChildren; act(): void }) {
  return <button type="button" class="small" onClick={act}>{icon} {text}</button>;
}

function Neighbours({ bench, data, id }: { bench: Workbench; data: GraphData; id: string }) {
  const edges = [...data.edgesOf(id)].flatMap((edge) => data.edges.get(edge) ?? []);
  if (edges.length === 0) return null;
  return (
    <details class="card-neighbours" open={edges.length <= 12}>
      <summary>{counted(edges.length, "edge")}</summary>
      <ul>
        {edges.slice(0, CARD_NEIGHBOURS).map((edge) => {
          const other = edge.source === id ? edge.target : edge.source;
          return (
            <li key={edge.id}>
              <button type="button" class="quiet small" onClick={() => bench.goTo({ kind: "node", id: other })}>
                <span class="muted">{edge.source === id ? "→" : "←"} {edge.label}</span> {labelOf(data, other)}
              </button>
            </li>
          );
        })}
      </ul>
      {edges.length > CARD_NEIGHBOURS && <p class="note">{edges.length - CARD_NEIGHBOURS} more in the list view</p>}
    </details>
  );
}
