// Elements of the canvas and the nodes or edges they represent, and positions.

import { visible } from "../shared/visible";
import { LABEL_CHARACTERS, LARGE_GRAPH, POSITION_DECIMALS } from "./limits";
import type { GraphData } from "./graph-data";
import type { Position } from "./model";

/** A node or an edge of the graph. */
export interface Ref {
  kind: "node" | "edge";
  id: string;
}

export interface Selected {
  nodes: readonly string[];
  edges: readonly string[];
}

export const nodeKey = (id: string) => `n:${id}`;
export const edgeKey = (id: string) => `e:${id}`;

export function isLarge({ nodes, edges }: GraphData): boolean {
  return nodes.size + edges.size >= LARGE_GRAPH;
}

export function refOf(element: { id(): string }): Ref {
  const key = element.id();
  return { kind: key.startsWith("n:") ? "node" : "edge", id: key.slice(2) };
}

export function rounded({ x, y }: Position): Position {
  const round = (value: number) => Number(value.toFixed(POSITION_DECIMALS));
  return { x: round(x), y: round(y) };
}

export function nearest(positions: ReadonlyMap<string, Position>, to: Position): string | null {
  let found: { id: string; distance: number } | null = null;
  for (const [id, { x, y }] of positions) {
    const distance = Math.hypot(x - to.x, y - to.y);
    if (found === null || distance < found.distance) found = { id, distance };
  }
  return found?.id ?? null;
}

/**
 * Shortens a label to one line, cut between characters. The canvas draws it, so hidden characters
 * are made visible here.
 */
export function shortened(label: string): string {
  const line = visible(label.replace(/[ \t\r\n]+/g, " "));
  return line.length <= LABEL_CHARACTERS ? line : `${[...line.slice(0, LABEL_CHARACTERS)].slice(0, -1).join("")}…`;
}
