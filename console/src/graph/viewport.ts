// The viewport that shows all of some positions. Cytoscape has one of its own, which measures each label first: seconds in a large graph.

import { FIT_PADDING, FIT_ZOOM_MOST, ZOOM_LEAST } from "./limits";
import type { Position } from "./model";

export interface Viewport {
  zoom: number;
  /** Where the origin is, in pixels. */
  pan: Position;
}

/** Null where there is nothing to show. */
export function viewportOf(positions: readonly Position[], { width, height }: { width: number; height: number }): Viewport | null {
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
