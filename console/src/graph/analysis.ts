// Analysis of the graph, shown on its nodes: sizes by centrality, colours by community, paths.

import { SIZE_RANGE } from "./limits";
import type { Measure } from "./model";
import type { Workbench } from "./workbench";

/** The nodes in the list of the most central ones. */
const TOP_NODES = 10;

export async function sizeByCentrality(bench: Workbench, measure: Measure | null): Promise<void> {
  if (measure === null) return bench.sizes.set(null);
  const version = bench.live.metadata.get().version;
  const result = await bench.run(() => bench.client.centrality(measure), "Computing centrality…");
  if (result === undefined) return;
  const { scores, sampledSources } = result.data;
  const values = scores.map(({ score }) => score);
  const least = values.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
  const most = values.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
  const [small, big] = SIZE_RANGE;
  // The area shows the score, so the diameter grows with its root.
  const sizeOf = (score: number) => (most > least ? small + (big - small) * Math.sqrt((score - least) / (most - least)) : (small + big) / 2);
  bench.sizes.set({
    measure,
    version,
    sizes: new Map(scores.map(({ id, score }) => [id, sizeOf(score)])),
    top: [...scores].sort((one, other) => other.score - one.score).slice(0, TOP_NODES),
    sampled: sampledSources !== undefined && sampledSources !== null,
  });
}

export async function colourByCommunity(bench: Workbench, wanted: boolean): Promise<void> {
  if (!wanted) return bench.groups.set(null);
  const version = bench.live.metadata.get().version;
  const result = await bench.run(() => bench.client.communities(), "Looking for communities…");
  if (result === undefined) return;
  const { communities, modularity } = result.data;
  const largestFirst = [...communities].sort((one, other) => other.size - one.size || one.index - other.index);
  const of = new Map(largestFirst.flatMap(({ members }, index) => members.map(({ id }): [string, number] => [id, index])));
  bench.groups.set({ version, modularity, of, groups: largestFirst.map(({ size, members }) => ({ size, first: members[0]?.label ?? "" })) });
}

/** Marks the shortest path between two nodes. */
export async function findPath(bench: Workbench, from: string, to: string): Promise<void> {
  const result = await bench.run(() => bench.client.paths(from, to), "Looking for a path…");
  if (result === undefined) return;
  const path = result.data.paths[0];
  if (path === undefined) {
    bench.path.set(null);
    return bench.say("There is no path between these nodes.");
  }
  const nodes = path.nodes.map(({ id }) => id);
  const edges = path.edges.map((edge) => (typeof edge === "string" ? edge : edge.id));
  bench.path.set({ from, to, labels: path.nodes.map(({ label }) => label), length: path.length, elements: { nodes, edges } });
}
