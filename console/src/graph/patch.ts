// Nodes and edges as a patch that adds them.

import type { GraphEdge, GraphNode, Patch } from "./model";

export function asPatch({ nodes, edges }: { nodes: GraphNode[]; edges: GraphEdge[] }): Patch {
  return { nodes: { upserted: nodes, deleted: [] }, edges: { upserted: edges, deleted: [] } };
}
