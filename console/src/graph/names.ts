// Labels in a graph that is shown small: the nodes with room for a readable label.
//
// Labels grow and shrink with the view, and below a certain size they are not drawn. Then the most
// connected nodes come first, and each has a label if that covers no node and no earlier label.

import { NAME_GAP_PX, NAME_PX, NAME_WIDTH_PX, NAMED_NODES } from "./limits";
import type { Position } from "./model";

/** A node in view. */
export interface Seen {
  id: string;
  label: string;
  /** Its middle, in pixels. */
  at: Position;
  /** The radius, in pixels. */
  radius: number;
  /** The priority: nodes with a higher one get labels first. */
  rank: number;
}

interface Box {
  x1: number;
  x2: number;
  y1: number;
  y2: number;
}

/**
 * Returns the ids of the nodes whose labels have room. `widthOf` returns the width of a text in
 * pixels.
 */
export function namesWithRoom(nodes: readonly Seen[], { width, height }: { width: number; height: number }, widthOf: (label: string) => number): Set<string> {
  const taken = new Boxes();
  const inside = nodes.filter(({ at, radius }) => at.x + radius > 0 && at.y + radius > 0 && at.x - radius < width && at.y - radius < height);
  for (const { at, radius } of inside) taken.add({ x1: at.x - radius, x2: at.x + radius, y1: at.y - radius, y2: at.y + radius });
  const named = new Set<string>();
  const ranked = inside.sort((one, other) => other.rank - one.rank || (one.id < other.id ? -1 : 1));
  for (const { id, label, at, radius } of ranked.slice(0, NAMED_NODES)) {
    const half = Math.min(widthOf(label), NAME_WIDTH_PX) / 2 + NAME_GAP_PX;
    const top = at.y + radius + 1;
    const box = { x1: at.x - half, x2: at.x + half, y1: top, y2: top + NAME_PX * 1.3 };
    const isSeen = box.x1 >= 0 && box.x2 <= width && box.y2 <= height;
    if (label === "" || !isSeen || taken.overlaps(box)) continue;
    taken.add(box);
    named.add(id);
  }
  return named;
}

/** Boxes, by the cells of a grid that they touch. */
class Boxes {
  private readonly cells = new Map<string, Box[]>();

  add(box: Box): void {
    for (const cell of cellsOf(box)) {
      const boxes = this.cells.get(cell);
      if (boxes === undefined) this.cells.set(cell, [box]);
      else boxes.push(box);
    }
  }

  overlaps({ x1, x2, y1, y2 }: Box): boolean {
    const near = cellsOf({ x1, x2, y1, y2 }).flatMap((cell) => this.cells.get(cell) ?? []);
    return near.some((other) => other.x1 < x2 && x1 < other.x2 && other.y1 < y2 && y1 < other.y2);
  }
}

/** About as large as a label. */
const CELL_PX = 64;

function cellsOf({ x1, x2, y1, y2 }: Box): string[] {
  const cells = [];
  for (let column = Math.floor(x1 / CELL_PX); column <= Math.floor(x2 / CELL_PX); column += 1) {
    for (let row = Math.floor(y1 / CELL_PX); row <= Math.floor(y2 / CELL_PX); row += 1) cells.push(`${column},${row}`);
  }
  return cells;
}

/** Makes a function that measures texts in the font of the canvas. */
export function measure(): (label: string) => number {
  const context = document.createElement("canvas").getContext("2d");
  const widths = new Map<string, number>();
  if (context !== null) context.font = `${NAME_PX}px system-ui, sans-serif`;
  return (label) => {
    const known = widths.get(label);
    if (known !== undefined) return known;
    const width = context?.measureText(label).width ?? label.length * NAME_PX;
    if (widths.size > MEASURED_LABELS) widths.clear();
    widths.set(label, width);
    return width;
  };
}

/** The labels whose width is cached. */
const MEASURED_LABELS = 20_000;
