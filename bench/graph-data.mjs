// The graphs that every competitor gets: groups of 50 nodes, four of five edges within a group,
// four edges for each node, always the same.

const GROUP = 50;
const WITHIN = 0.8;
const EDGES_PER_NODE = 4;
const EXTENT = 1_000;

/**
 * Makes a generator of numbers from 0 to 1 that are the same on every machine (Marsaglia's
 * xorshift).
 */
function random(seed) {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Makes a simple undirected graph, in the form of our import. */
export function makeGraph(count) {
  const next = random(2_463_534_242);
  const below = (limit) => Math.floor(next() * limit);
  const seen = new Set();
  const edges = [];
  while (edges.length < count * EDGES_PER_NODE) {
    const source = below(count);
    const first = source - (source % GROUP);
    const target = next() < WITHIN ? first + below(GROUP) : below(count);
    const key = source < target ? `${source} ${target}` : `${target} ${source}`;
    if (source === target || seen.has(key)) continue;
    seen.add(key);
    edges.push({ source: `n${source}`, target: `n${target}`, label: "linked_to", type: "bench" });
  }
  const nodes = Array.from({ length: count }, (_, index) => ({
    id: `n${index}`,
    label: `node ${index}`,
    type: index % 2 === 0 ? "gene" : "drug",
    data: { group: Math.floor(index / GROUP), note: "some words about this node" },
    position: { x: next() * EXTENT, y: next() * EXTENT },
  }));
  return { nodes, edges };
}
