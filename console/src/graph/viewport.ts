// The viewport that shows all of some positions. Cytoscape's own function measures each label
// first, which takes seconds in a large graph.

import { CORE_DISTANCE, DOT_ZOOM, FAR_TIMES, FIT_PADDING, FIT_ZOOM_MOST, ZOOM_LEAST } from "./limits";
import type { Position } from "./model";

export interface Viewport {
  zoom: number;
  /** The position of the origin, in pixels. */
  pan: Position;
}

interface Size {
  width: number;
  height: number;
}

/**
 * Returns the viewport; null if there is nothing to show. If all nodes would be dots, nodes far
 * from all others are left out.
 */
export function viewportOf(positions: readonly Position[], size: Size): Viewport | null {
  const whole = fitting(positions, size);
  return whole === null || whole.zoom >= DOT_ZOOM ? whole : fitting(coreOf(positions), size);
}

function fitting(positions: readonly Position[], { width, height }: Size): Viewport | null {
  if (positions.length === 0) return null;
  const box = positions.reduce(
    ({ x1, x2, y1, y2 }, { x, y }) => ({ x1: Math.min(x1, x), x2: Math.max(x2, x), y1: Math.min(y1, y), y2: Math.max(y2, y) }),
    { x1: Number.POSITIVE_INFINITY, x2: Number.NEGATIVE_INFINITY, y1: Number.POSITIVE_INFINITY, y2: Number.NEGATIVE_INFINITY },
  );
  const roomOf = (pixels: number) => Math.max(pixels - 2 * FIT_PADDING, 1);
  const wanted = Math.min(roomOf(width) / Math.max(box.x2 - box.x1, 1), roomOf(height) / Math.max(box.y2 - box.y1, 1), FIT_ZOOM_MOST);
  const zoom = Math.max(wanted, ZOOM_LEAST);
  return { zoom, pan: { x: width / 2 - (zoom * (box.x1 + box.x2)) / 2, y: height / 2 - (zoom * (box.y1 + box.y2)) / 2 } };
}

/** Returns the positions without those far from all others. */
export function coreOf(positions: readonly Position[]): readonly Position[] {
  const inOrder = (values: readonly number[]) => [...values].sort((one, other) => one - other);
  const at = (values: readonly number[], share: number) => values[Math.floor((values.length - 1) * share)] ?? 0;
  const middle = { x: at(inOrder(positions.map(({ x }) => x)), 0.5), y: at(inOrder(positions.map(({ y }) => y)), 0.5) };
  const distances = positions.map(({ x, y }) => Math.hypot(x - middle.x, y - middle.y));
  const farthest = FAR_TIMES * Math.max(at(inOrder(distances), 0.75), CORE_DISTANCE);
  return positions.filter((_, index) => (distances[index] ?? 0) <= farthest);
}
