// Positions of nodes without a stored one: near their neighbours, on no other node. None of them is
// stored.
//
// The API gives a node without a position 0,0, which may also be intended. It counts as intended
// for the first such node of a batch if others of the batch have other positions.

import { PLACE_DISTANCE, PLACE_TRIES } from "./limits";
import type { GraphData } from "./graph-data";
import type { GraphNode, Position } from "./model";
import { coreOf } from "./viewport";

/**
 * The angle between two points of a sunflower, pi (3 - sqrt 5), with which points of the spiral
 * keep their distance (H. Vogel, 1979).
 */
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

/** Returns the nodes of a batch that have no position. */
export function withoutPosition(batch: readonly GraphNode[]): GraphNode[] {
  const atOrigin = batch.filter(({ position, pinned }) => position.x === 0 && position.y === 0 && pinned !== true);
  return atOrigin.length < batch.length ? atOrigin.slice(1) : atOrigin;
}

/** Finds positions. `taken` are those of shown nodes; nodes of `data` in neither are ignored. */
export function place(wanted: readonly GraphNode[], taken: ReadonlyMap<string, Position>, data: GraphData): Map<string, Position> {
  const space = new Space(taken.values());
  const found = new Map<string, Position>();
  const positionOf = (id: string) => found.get(id) ?? taken.get(id);
  const waiting = new Set(wanted.map(({ id }) => id));
  // From node to neighbour, those with most edges first, so that most nodes have a neighbour with a
  // position.
  const order = [...wanted].sort((one, other) => data.edgesOf(other.id).size - data.edgesOf(one.id).size);
  const anchored = order.filter(({ id }) => [...data.neighboursOf(id)].some((node) => taken.has(node.id)));
  const queue = [...anchored, ...order];
  for (let at = 0; at < queue.length; at += 1) {
    const node = queue[at];
    if (node === undefined) break;
    for (const { id } of breadthFirst(node, waiting, data)) {
      const around = [...data.neighboursOf(id)].flatMap((neighbour) => positionOf(neighbour.id) ?? []);
      const position = space.near(around.length === 0 ? space.below() : mean(around));
      found.set(id, position);
    }
  }
  return found;
}

/**
 * Yields a node and those reached from it, as far as they are in `waiting`; it removes them there.
 */
function* breadthFirst(start: GraphNode, waiting: Set<string>, data: GraphData): Generator<GraphNode> {
  if (!waiting.delete(start.id)) return;
  const reached = [start];
  for (let at = 0; at < reached.length; at += 1) {
    const node = reached[at];
    if (node === undefined) return;
    yield node;
    for (const neighbour of data.neighboursOf(node.id)) if (waiting.delete(neighbour.id)) reached.push(neighbour);
  }
}

function mean(positions: readonly Position[]): Position {
  const sum = positions.reduce((total, { x, y }) => ({ x: total.x + x, y: total.y + y }), { x: 0, y: 0 });
  return { x: sum.x / positions.length, y: sum.y / positions.length };
}

/** The occupied positions of the plane. */
class Space {
  /** Positions by cell; two in one cell or in neighbouring ones may be too close. */
  private readonly cells = new Map<string, Position[]>();
  /**
   * The number of points tried around each cell, so that many nodes around one point do not try the
   * same ones.
   */
  private readonly tried = new Map<string, number>();
  private box: { x1: number; x2: number; y2: number } | null = null;

  constructor(taken: Iterable<Position>) {
    const positions = [...taken];
    for (const position of positions) this.occupy(position);
    // New nodes are placed below the visible ones, and a node far away is not visible.
    for (const position of coreOf(positions)) this.extend(position);
  }

  /** Returns a point below the middle of the graph. */
  below(): Position {
    return this.box === null ? { x: 0, y: 0 } : { x: (this.box.x1 + this.box.x2) / 2, y: this.box.y2 + PLACE_DISTANCE };
  }

  /** Returns the first free point of a spiral. */
  near(centre: Position): Position {
    const key = cell(centre);
    const first = this.tried.get(key) ?? 0;
    for (let number = first; ; number += 1) {
      const radius = PLACE_DISTANCE * Math.sqrt(number);
      const position = { x: centre.x + radius * Math.cos(number * GOLDEN_ANGLE), y: centre.y + radius * Math.sin(number * GOLDEN_ANGLE) };
      if (number - first < PLACE_TRIES && !this.isFree(position)) continue;
      this.tried.set(key, number + 1);
      this.take(position);
      return position;
    }
  }

  private isFree({ x, y }: Position): boolean {
    for (const right of [-1, 0, 1]) {
      for (const down of [-1, 0, 1]) {
        const near = this.cells.get(cell({ x: x + right * PLACE_DISTANCE, y: y + down * PLACE_DISTANCE })) ?? [];
        if (near.some((other) => Math.hypot(other.x - x, other.y - y) < PLACE_DISTANCE)) return false;
      }
    }
    return true;
  }

  private take(position: Position): void {
    this.occupy(position);
    this.extend(position);
  }

  private occupy(position: Position): void {
    const key = cell(position);
    const inCell = this.cells.get(key);
    if (inCell === undefined) this.cells.set(key, [position]);
    else inCell.push(position);
  }

  private extend({ x, y }: Position): void {
    const { x1, x2, y2 } = this.box ?? { x1: x, x2: x, y2: y };
    this.box = { x1: Math.min(x1, x), x2: Math.max(x2, x), y2: Math.max(y2, y) };
  }
}

function cell({ x, y }: Position): string {
  return `${Math.round(x / PLACE_DISTANCE)},${Math.round(y / PLACE_DISTANCE)}`;
}
