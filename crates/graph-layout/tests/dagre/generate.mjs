// Writes reference.json: graphs with the positions computed by the JavaScript original.
//
//     npm install @dagrejs/dagre@3.1.3 && node generate.mjs > reference.json
//
// Random graphs come from a generator with a fixed seed. Nodes are 40 pixels wide and high. All
// other options have their defaults, except for the ranker.

import dagre from '@dagrejs/dagre';

let state = 20261123;
/** Returns an integer from 0 to below `count` (the generator mulberry32). */
function below(count) {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
}

const range = (count) => Array.from({ length: count }, (_, index) => index);

/** Returns edges from a lower to a higher number, which form no cycle. */
function acyclic(nodes, edges) {
    const found = new Map();
    while (found.size < edges) {
        const [one, other] = [below(nodes), below(nodes)];
        if (one !== other) found.set(`${Math.min(one, other)} ${Math.max(one, other)}`, [Math.min(one, other), Math.max(one, other)]);
    }
    return [...found.values()];
}

/** Returns edges in any direction, with cycles. Each pair occurs at most once. */
function directed(nodes, edges) {
    return acyclic(nodes, edges).map(([one, other]) => (below(2) === 0 ? [one, other] : [other, one]));
}

const graphs = [
    ['path', 6, range(5).map((node) => [node, node + 1])],
    ['binary tree', 15, range(14).map((node) => [node >> 1, node + 1])],
    ['star', 9, range(8).map((node) => [0, node + 1])],
    ['diamonds', 7, [[0, 1], [0, 2], [1, 3], [2, 3], [3, 4], [3, 5], [4, 6], [5, 6]]],
    ['cycle', 6, range(6).map((node) => [node, (node + 1) % 6])],
    ['short cut', 6, [[0, 1], [1, 2], [2, 3], [3, 4], [0, 4], [5, 4], [0, 2]]],
    ['two components', 9, [[0, 1], [1, 2], [0, 3], [4, 5], [5, 6], [4, 7], [7, 8], [6, 8]]],
    ['complete bipartite', 8, range(16).map((edge) => [edge >> 2, 4 + (edge & 3)])],
    ['diabetes', 8, [[2, 6], [3, 7], [0, 4], [1, 4], [2, 4], [1, 5], [3, 5], [6, 4], [7, 5], [4, 5]]],
    ['acyclic 20', 20, acyclic(20, 28)],
    ['acyclic 40', 40, acyclic(40, 55)],
    ['directed 30', 30, directed(30, 40)],
];

const drawn = graphs.map(([name, nodes, edges]) => {
    const graph = new dagre.graphlib.Graph();
    graph.setGraph({ ranker: 'tight-tree' });
    for (const node of range(nodes)) graph.setNode(String(node), { width: 40, height: 40 });
    for (const [source, target] of edges) graph.setEdge(String(source), String(target), {});
    dagre.layout(graph);
    const positions = range(nodes).map((node) => {
        const { x, y } = graph.node(String(node));
        return [x, y];
    });
    return JSON.stringify({ name, nodes, edges, positions });
});
process.stdout.write(`[\n${drawn.join(',\n')}\n]\n`);
