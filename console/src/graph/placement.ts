// Where nodes without a position are shown: near their neighbours, on no other node. Nothing of it is stored.
//
// The API gives a node that nobody placed the position 0,0, which may also be meant. It is meant where a single node of a batch has it, and
// others of the batch are elsewhere.

import { PLACE_DISTANCE, PLACE_TRIES } from "./limits";
import type { GraphData } from "./graph-data";
import type { GraphNode, Position } from "./model";

/** The angle between two points of a sunflower, pi (3 - sqrt 5): points of the spiral keep their distance (H. Vogel, 1979). */
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

/** Nodes of a batch that have no position. */
export function withoutPosition(batch: readonly GraphNode[]): GraphNode[] {
  const atOrigin = batch.filter(({ position, pinned }) => position.x === 0 && position.y === 0 && pinned !== true);
  return atOrigin.length === 1 && batch.length > 1 ? [] : atOrigin;
}

/** Finds positions. `taken` are those of nodes that are shown; nodes of `data` that are in neither are ignored. */
export function place(wanted: readonly GraphNode[], taken: ReadonlyMap<string, Position>, data: GraphData): Map<string, Position> {
  const space = new Space(taken.values());
  const found = new Map<string, Position>();
  const positionOf = (id: string) => found.get(id) ?? taken.get(id);
  const waiting = new Set(wanted.map(({ id }) => id));
  // From node to neighbour, those with most edges first, so that most nodes have a neighbour that has its place.
  const order = [...wanted].sort((one, other) => data.edgesOf(other.id).size - data.edgesOf(one.id).size);
  const anchored = order.filter(({ id }) => [...data.neighboursOf(id)].some((node) => taken.has(node.id)));
  const queue = [...anchored, ...order];
  for (let at = 0; at < queue.length; at += 1) {
    const node = queue[at];
    if (node === undefined) break;
    for (const { id } of breadthFirst(node, waiting, data)) {
      const around = [...data.neighboursOf(id)].flatMap((neighbour) => positionOf(neighbour.id) ?? []);
      const position = space.near(around.length === 0 ? space.middle() : mean(around));
      found.set(id, position);
    }
  }
  return found;
}

/** A node and those reached from it, as far as they wait; they wait no longer. */
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

/** Which cells of the plane have a node. */
class Space {
  private readonly cells = new Set<string>();
  /** Points tried around each cell, so that many nodes around one point do not try the same ones. */
  private readonly tried = new Map<string, number>();
  private sum = { x: 0, y: 0, count: 0 };

  constructor(taken: Iterable<Position>) {
    for (const position of taken) this.take(position);
  }

  middle(): Position {
    const { x, y, count } = this.sum;
    return count === 0 ? { x: 0, y: 0 } : { x: x / count, y: y / count };
  }

  /** The first free point of a spiral. */
  near(centre: Position): Position {
    const key = cell(centre);
    const first = this.tried.get(key) ?? 0;
    for (let number = first; ; number += 1) {
      const radius = PLACE_DISTANCE * Math.sqrt(number);
      const position = { x: centre.x + radius * Math.cos(number * GOLDEN_ANGLE), y: centre.y + radius * Math.sin(number * GOLDEN_ANGLE) };
      if (number - first < PLACE_TRIES && this.cells.has(cell(position))) continue;
      this.tried.set(key, number + 1);
      this.take(position);
      return position;
    }
  }

  private take(position: Position): void {
    this.cells.add(cell(position));
    this.sum = { x: this.sum.x + position.x, y: this.sum.y + position.y, count: this.sum.count + 1 };
  }
}

function cell({ x, y }: Position): string {
  return `${Math.round(x / PLACE_DISTANCE)},${Math.round(y / PLACE_DISTANCE)}`;
}
