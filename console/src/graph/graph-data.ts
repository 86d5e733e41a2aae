// A state of the graph in memory, with indices that are used often: edges by node, parallel edges,
// counts by type and by label.
//
// Patches apply to any state: the part of a patch that names a missing item has no effect.

import { typeKey } from "./colours";
import type { GraphEdge, GraphNode, Patch } from "./model";

const NOTHING: ReadonlySet<string> = new Set();

/** Something with a number of items. */
export interface Count {
  /** The key for comparison. */
  key: string;
  /** The name as it was first written. */
  name: string;
  count: number;
}

export class GraphData {
  readonly nodes = new Map<string, GraphNode>();
  readonly edges = new Map<string, GraphEdge>();
  private readonly incident = new Map<string, Set<string>>();
  private readonly between = new Map<string, Set<string>>();

  clear(): void {
    for (const part of [this.nodes, this.edges, this.incident, this.between]) part.clear();
  }

  apply({ nodes, edges }: Patch): void {
    for (const id of edges.deleted) this.removeEdge(id);
    for (const id of nodes.deleted) {
      for (const edge of [...this.edgesOf(id)]) this.removeEdge(edge);
      this.nodes.delete(id);
    }
    for (const node of nodes.upserted) this.nodes.set(node.id, node);
    for (const edge of edges.upserted) {
      this.removeEdge(edge.id);
      this.edges.set(edge.id, edge);
      for (const end of [edge.source, edge.target]) setOf(this.incident, end).add(edge.id);
      setOf(this.between, pair(edge)).add(edge.id);
    }
  }

  private removeEdge(id: string): void {
    const edge = this.edges.get(id);
    if (edge === undefined) return;
    this.edges.delete(id);
    for (const end of [edge.source, edge.target]) without(this.incident, end, id);
    without(this.between, pair(edge), id);
  }

  /** Returns the ids of the edges that touch a node. */
  edgesOf(node: string): ReadonlySet<string> {
    return this.incident.get(node) ?? NOTHING;
  }

  /**
   * Returns the ids of the edges with the same ends, in either direction, including the edge
   * itself.
   */
  parallelTo(edge: GraphEdge): ReadonlySet<string> {
    return this.between.get(pair(edge)) ?? NOTHING;
  }

  /**
   * Yields the nodes at the other ends of a node's edges, including the node itself if an edge is a
   * loop.
   */
  *neighboursOf(node: string): Generator<GraphNode> {
    for (const id of this.edgesOf(node)) {
      const edge = this.edges.get(id);
      const other = this.nodes.get(edge?.source === node ? edge.target : (edge?.source ?? ""));
      if (other !== undefined) yield other;
    }
  }

  /** Returns the counts of nodes by type, largest first. */
  typeCounts(): Count[] {
    return counted(this.nodes.values(), ({ type }) => type, typeKey);
  }

  /** Returns the counts of edges by label, largest first. */
  labelCounts(): Count[] {
    return counted(this.edges.values(), ({ label }) => label, (label) => label);
  }
}

function counted<T>(items: Iterable<T>, nameOf: (item: T) => string, keyOf: (name: string) => string): Count[] {
  const counts = new Map<string, Count>();
  for (const item of items) {
    const name = nameOf(item);
    const key = keyOf(name);
    const count = counts.get(key);
    if (count === undefined) counts.set(key, { key, name, count: 1 });
    else count.count += 1;
  }
  return [...counts.values()].sort((one, other) => other.count - one.count || one.key.localeCompare(other.key));
}

/** Returns a key of the two ends, the same for both directions. Ids have no line breaks. */
function pair({ source, target }: GraphEdge): string {
  return source < target ? `${source}\n${target}` : `${target}\n${source}`;
}

function setOf(sets: Map<string, Set<string>>, key: string): Set<string> {
  const known = sets.get(key);
  if (known !== undefined) return known;
  const made = new Set<string>();
  sets.set(key, made);
  return made;
}

function without(sets: Map<string, Set<string>>, key: string, value: string): void {
  const values = sets.get(key);
  values?.delete(value);
  if (values?.size === 0) sets.delete(key);
}
