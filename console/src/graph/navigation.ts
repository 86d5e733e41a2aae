// Navigation from node to node with the arrow keys.

import type { Position } from "./model";

export type Direction = "left" | "right" | "up" | "down";

const VECTORS: Readonly<Record<Direction, Position>> = { left: { x: -1, y: 0 }, right: { x: 1, y: 0 }, up: { x: 0, y: -1 }, down: { x: 0, y: 1 } };

/**
 * The factor for the distance beside the way: two, so that the next node along the way wins over a
 * nearer one aside.
 */
const ASIDE = 2;

/** Returns the vector of one step. */
export const vector = (direction: Direction): Position => VECTORS[direction];

/** Returns the nearest node in the quarter of the plane that a direction names. */
export function nearestInDirection(from: Position, positions: ReadonlyMap<string, Position>, direction: Direction): string | null {
  const { x: forwardX, y: forwardY } = VECTORS[direction];
  let found: { id: string; cost: number } | null = null;
  for (const [id, { x, y }] of positions) {
    const ahead = (x - from.x) * forwardX + (y - from.y) * forwardY;
    const aside = Math.abs((x - from.x) * forwardY) + Math.abs((y - from.y) * forwardX);
    if (ahead <= 0 || aside > ahead * 1.0001) continue;
    const cost = ahead + ASIDE * aside;
    if (found === null || cost < found.cost) found = { id, cost };
  }
  return found?.id ?? null;
}
