// The keys of the page and of the canvas.

import { redo, remove, startConnecting, undo, type Nudge } from "./edits";
import { ZOOM_STEP } from "./limits";
import type { Direction } from "./navigation";
import { NOTHING, sizeOf, type Workbench } from "./workbench";

/** The list of keys for the dialog. */
export const KEYS: readonly { keys: string; does: string }[] = [
  { keys: "N", does: "Add a node" },
  { keys: "E", does: "Connect the selected node to another one" },
  { keys: "Enter", does: "Select the node in focus; once more, or with one edge selected: edit it" },
  { keys: "Space", does: "Add the node in focus to the selection, or take it out" },
  { keys: "Delete", does: "Delete the selection" },
  { keys: "Arrow keys", does: "Go to the next node in that direction" },
  { keys: "Alt + arrow keys", does: "Move the selected nodes" },
  { keys: "Ctrl + A", does: "Select all nodes" },
  { keys: "Ctrl + Z", does: "Undo" },
  { keys: "Ctrl + Shift + Z, Ctrl + Y", does: "Redo" },
  { keys: "+ and -", does: "Zoom" },
  { keys: "F", does: "Show the whole graph" },
  { keys: "/", does: "Search" },
  { keys: "L", does: "Change between graph and list" },
  { keys: "Escape", does: "Stop connecting, or clear the selection" },
  { keys: "?", does: "This list" },
  { keys: "Shift + drag", does: "Select with a box" },
  { keys: "Shift + click", does: "Add to the selection" },
];

const ARROWS: Readonly<Record<string, Direction>> = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" };

/** Returns true if a key belongs to the focused field or dialog. */
function isTaken({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && (target.closest("input, textarea, select, dialog, [contenteditable]") !== null || document.querySelector("dialog[open]") !== null);
}

/** Handles keys of the whole page. */
export function pageKey(bench: Workbench, event: KeyboardEvent): void {
  if (event.defaultPrevented || isTaken(event)) return;
  const command = event.ctrlKey || event.metaKey;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const act = command ? commandOf(bench, key, event.shiftKey) : event.altKey ? undefined : actionOf(bench, key, event);
  if (act === undefined) return;
  event.preventDefault();
  act();
}

function commandOf(bench: Workbench, key: string, shift: boolean): (() => void) | undefined {
  if (key === "z") return () => void (shift ? redo(bench) : undo(bench));
  if (key === "y") return () => void redo(bench);
  if (key === "a") return () => bench.select({ nodes: [...bench.shown.get().data.nodes.values()].filter((node) => bench.isShown(node)).map(({ id }) => id), edges: [] });
  return undefined;
}

function actionOf(bench: Workbench, key: string, { target }: KeyboardEvent): (() => void) | undefined {
  switch (key) {
    case "n":
      return bench.isEditable ? () => bench.form.set({ kind: "add-node", position: null }) : undefined;
    case "e":
      return () => startConnecting(bench);
    case "Delete":
    case "Backspace":
      return sizeOf(bench.selected.get()) > 0 ? () => void remove(bench) : undefined;
    case "+":
    case "=":
      return () => bench.canvas?.zoomBy(ZOOM_STEP);
    case "-":
      return () => bench.canvas?.zoomBy(1 / ZOOM_STEP);
    case "f":
      return () => bench.canvas?.fit();
    case "l":
      return () => bench.view.set(bench.view.get() === "graph" ? "list" : "graph");
    case "/":
      return () => bench.openSearch();
    case "?":
      return () => bench.form.set({ kind: "keys" });
    case "Escape":
      return target instanceof HTMLElement && target.closest(".sheet") !== null ? undefined : () => escape(bench);
    default:
      return undefined;
  }
}

function escape(bench: Workbench): void {
  if (bench.connecting.get() !== null) bench.connecting.set(null);
  else if (sizeOf(bench.selected.get()) > 0) bench.select(NOTHING);
  else bench.path.set(null);
}

/** Handles keys while the canvas has the focus. */
export function canvasKey(bench: Workbench, nudge: Nudge, event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey) return;
  const direction = ARROWS[event.key];
  if (direction !== undefined) {
    if (event.altKey) {
      if (bench.isEditable) nudge.move(direction);
    } else focusNext(bench, direction);
  } else if (event.key === "Enter") enter(bench);
  else if (event.key === " ") toggleSelected(bench);
  else return;
  event.preventDefault();
}

function focusNext(bench: Workbench, direction: Direction): void {
  const next = bench.canvas?.neighbourInDirection(bench.focused.get(), direction) ?? null;
  if (next === null) return;
  bench.focused.set(next);
  bench.canvas?.keepInView(next);
}

function enter(bench: Workbench): void {
  const focused = bench.focused.get();
  const { nodes, edges } = bench.selected.get();
  const [edge] = edges;
  // A clicked edge took the focus from the nodes.
  if (focused === null) {
    if (bench.isEditable && nodes.length === 0 && edges.length === 1 && edge !== undefined) bench.form.set({ kind: "edit-edge", id: edge });
    return;
  }
  if (bench.connecting.get() !== null) bench.connectTo(focused);
  else if (nodes.length === 1 && edges.length === 0 && nodes[0] === focused) {
    if (bench.isEditable) bench.form.set({ kind: "edit-node", id: focused });
  } else bench.select({ nodes: [focused], edges: [] });
}

function toggleSelected(bench: Workbench): void {
  const focused = bench.focused.get();
  if (focused === null) return;
  const { nodes, edges } = bench.selected.get();
  bench.select({ nodes: nodes.includes(focused) ? nodes.filter((id) => id !== focused) : [...nodes, focused], edges });
}
