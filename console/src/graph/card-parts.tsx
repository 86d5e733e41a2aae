// The parts of a card about a node or an edge. Everything is text.

import { counted } from "../shared/format";
import { formatJson, type Json } from "../shared/json";
import type { Ref } from "./canvas-elements";
import type { GraphData } from "./graph-data";
import { VALUE_CHARACTERS } from "./limits";
import type { Data, GraphEdge, GraphNode } from "./model";
import { TypeMark } from "./type-mark";

export function Heading({ item, data, colourOf }: { item: Ref; data: GraphData; colourOf(type: string): string }) {
  if (item.kind === "node") {
    const node = data.nodes.get(item.id);
    if (node === undefined) return null;
    const edges = data.edgesOf(node.id).size;
    return (
      <header>
        <h3>{node.label}</h3>
        <p class="card-type"><TypeMark colour={colourOf(node.type)} /> {node.type} · {counted(edges, "edge")}{node.pinned === true && " · pinned"}</p>
        <p class="note card-id">{node.id}</p>
      </header>
    );
  }
  const edge = data.edges.get(item.id);
  if (edge === undefined) return null;
  return (
    <header>
      <h3>{labelOf(data, edge.source)} → {labelOf(data, edge.target)}</h3>
      <p class="card-type">{edge.label === "" ? "no label" : edge.label} · {edge.type === "" ? "no type" : edge.type}</p>
      <p class="note card-id">{edge.id}</p>
    </header>
  );
}

export function DataOf({ item, data, rows }: { item: Ref; data: GraphData; rows: number }) {
  const of: GraphNode | GraphEdge | undefined = item.kind === "node" ? data.nodes.get(item.id) : data.edges.get(item.id);
  const fields = Object.entries(of?.data ?? ({} as Data));
  if (fields.length === 0) return null;
  return (
    <>
      <dl class="card-data">
        {fields.slice(0, rows).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{asText(value)}</dd>
          </div>
        ))}
      </dl>
      {fields.length > rows && <p class="note">{fields.length - rows} more fields</p>}
    </>
  );
}

function asText(value: Json): string {
  const text = typeof value === "string" ? value : formatJson(value);
  return text.length <= VALUE_CHARACTERS ? text : `${text.slice(0, VALUE_CHARACTERS)}…`;
}

export function labelOf(data: GraphData, id: string): string {
  return data.nodes.get(id)?.label ?? id;
}
