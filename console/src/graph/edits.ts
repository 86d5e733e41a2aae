// A person's edits of the graph. Each is one request, and one step of the history.

import { counted } from "../shared/format";
import type { Selected } from "./canvas-elements";
import type { EdgeFields, NodeFields } from "./client";
import { NUDGE_DISTANCE, NUDGE_WAIT_MS } from "./limits";
import type { Dataset, LayoutAlgorithm, Position, Written } from "./model";
import { vector, type Direction } from "./navigation";
import { NOTHING, sizeOf, type Workbench } from "./workbench";

/** Waits for the events of a step, so that the code after it sees the step. */
async function stored<T extends Written>(bench: Workbench, written: T): Promise<T> {
  await bench.live.reached(written.version);
  return written;
}

/** Adds a node; returns true if it succeeded. */
export async function addNode(bench: Workbench, fields: NodeFields): Promise<boolean> {
  const written = await bench.run(async () => stored(bench, await bench.client.addNode(fields)));
  if (written !== undefined) {
    bench.select({ nodes: [written.data.id], edges: [] });
    bench.focused.set(written.data.id);
  }
  return written !== undefined;
}

export async function updateNode(bench: Workbench, id: string, fields: NodeFields): Promise<boolean> {
  return (await bench.run(async () => stored(bench, await bench.client.updateNode(id, fields)))) !== undefined;
}

export async function addEdge(bench: Workbench, fields: EdgeFields & { source: string; target: string }): Promise<boolean> {
  const written = await bench.run(async () => stored(bench, await bench.client.addEdge(fields)));
  if (written === undefined) return false;
  if (written.created === false) bench.say("This edge is there already.");
  bench.select({ nodes: [], edges: [written.data.id] });
  return true;
}

export async function updateEdge(bench: Workbench, id: string, fields: EdgeFields): Promise<boolean> {
  return (await bench.run(async () => stored(bench, await bench.client.updateEdge(id, fields)))) !== undefined;
}

export async function remove(bench: Workbench, { nodes, edges }: Selected = bench.selected.get()): Promise<void> {
  if (!bench.isEditable || sizeOf({ nodes, edges }) === 0) return;
  await bench.run(async () => stored(bench, await bench.client.remove(nodes, edges)));
}

/**
 * Stores the positions of nodes after a drag, all in one request. They move back if the request
 * fails.
 */
export async function move(bench: Workbench, positions: ReadonlyMap<string, Position>): Promise<void> {
  const moved = [...positions].filter(([id, { x, y }]) => {
    const node = bench.live.data.nodes.get(id);
    return node !== undefined && (node.position.x !== x || node.position.y !== y);
  });
  const [first, second] = moved;
  if (first === undefined || !bench.isEditable) return;
  const done = await bench.run(async () => {
    if (second === undefined) return stored(bench, await bench.client.updateNode(first[0], { position: first[1], pinned: true }));
    return stored(bench, await bench.client.updateNodes(moved.map(([id, position]) => ({ id, position, pinned: true }))));
  });
  if (done === undefined) bench.canvas?.resetPositions(positions.keys());
}

/** Moves the selected nodes with the keyboard; they are stored when the keys rest. */
export class Nudge {
  private readonly positions = new Map<string, Position>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly bench: Workbench) {}

  move(direction: Direction): void {
    const { x, y } = vector(direction);
    const moved = this.bench.canvas?.moveBy(this.bench.selected.get().nodes, { x: x * NUDGE_DISTANCE, y: y * NUDGE_DISTANCE });
    for (const [id, position] of moved ?? []) this.positions.set(id, position);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.store(), NUDGE_WAIT_MS);
  }

  private store(): void {
    const positions = new Map(this.positions);
    this.positions.clear();
    void move(this.bench, positions);
  }
}

export async function unpin(bench: Workbench, ids: readonly string[]): Promise<void> {
  await bench.run(async () => stored(bench, await bench.client.updateNodes(ids.map((id) => ({ id, pinned: false })))));
}

export async function undo(bench: Workbench): Promise<void> {
  if (bench.isEditable && bench.live.metadata.get().canUndo) await bench.run(async () => stored(bench, await bench.client.undo()));
}

export async function redo(bench: Workbench): Promise<void> {
  if (bench.isEditable && bench.live.metadata.get().canRedo) await bench.run(async () => stored(bench, await bench.client.redo()));
}

/**
 * Lays the graph out. Nodes move visibly to their new positions, and all of them come into view.
 */
export async function layOut(bench: Workbench, algorithm: LayoutAlgorithm): Promise<void> {
  const written = await bench.run(async () => stored(bench, await bench.client.layout(algorithm)), "Computing positions…");
  if (written === undefined) return;
  const { moved, crossingsBefore, crossingsAfter } = written.data;
  const crossings = crossingsBefore === undefined || crossingsAfter === undefined ? "" : ` Crossings: ${crossingsBefore} before, ${crossingsAfter} now.`;
  bench.say(`Moved ${counted(moved, "node")}.${crossings}`);
  bench.canvas?.fitToTargets();
}

export async function addMockData(bench: Workbench, dataset: Dataset): Promise<void> {
  const done = await bench.run(async () => stored(bench, await bench.client.addMockData(dataset)), "Adding the example…");
  if (done !== undefined) bench.canvas?.fit();
}

/** Uses the selection, or the focused node, as the start of an edge. */
export function startConnecting(bench: Workbench): void {
  const source = bench.selected.get().nodes[0] ?? bench.focused.get();
  if (!bench.isEditable || source === null || source === undefined) return;
  bench.selected.set(NOTHING);
  bench.connecting.set(source);
}
