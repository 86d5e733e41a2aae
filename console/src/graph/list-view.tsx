// The graph as tables: every function of the canvas, for the keyboard and for screen readers. A
// table is split into pages, so that it stays small.

import type { ComponentChild } from "preact";
import { useState } from "preact/hooks";
import { count } from "../shared/format";
import { TrashIcon } from "../shared/icons";
import { useStore } from "../shared/store";
import { labelOf } from "./card-parts";
import { remove } from "./edits";
import type { GraphData } from "./graph-data";
import { ConnectIcon, EditIcon, GraphIcon } from "./icons";
import { LIST_ROWS } from "./limits";
import type { GraphEdge, GraphNode } from "./model";
import { TypeMark } from "./type-mark";
import type { Workbench } from "./workbench";

interface Column<T> {
  name: string;
  /** The value to sort by. */
  key(item: T): string | number;
  cell(item: T): ComponentChild;
  isNumber?: boolean;
}

export function ListView({ bench }: { bench: Workbench }) {
  const [kind, setKind] = useState<"node" | "edge">("node");
  const { data } = useStore(bench.shown);
  useStore(bench.revision);
  useStore(bench.filters);
  const nodes = [...data.nodes.values()].filter((node) => bench.isShown(node));
  const { labels } = bench.filters.get();
  const ids = new Set(nodes.map(({ id }) => id));
  const edges = [...data.edges.values()].filter(({ label, source, target }) => !labels.has(label) && ids.has(source) && ids.has(target));
  return (
    <div class="list">
      <div class="list-kinds" role="group" aria-label="What the list shows">
        <button type="button" class="quiet" aria-pressed={kind === "node"} onClick={() => setKind("node")}>Nodes <span class="filter-count">{count(nodes.length)}</span></button>
        <button type="button" class="quiet" aria-pressed={kind === "edge"} onClick={() => setKind("edge")}>Edges <span class="filter-count">{count(edges.length)}</span></button>
      </div>
      {kind === "node" ? <Nodes bench={bench} data={data} nodes={nodes} /> : <Edges bench={bench} data={data} edges={edges} />}
    </div>
  );
}

function Nodes({ bench, data, nodes }: { bench: Workbench; data: GraphData; nodes: readonly GraphNode[] }) {
  const { version } = useStore(bench.shown);
  const connecting = useStore(bench.connecting);
  const columns: Column<GraphNode>[] = [
    { name: "Label", key: ({ label }) => label, cell: ({ label }) => label },
    { name: "Type", key: ({ type }) => type, cell: ({ type }) => <><TypeMark colour={bench.colours.of(type)} /> {type}</> },
    { name: "Edges", key: ({ id }) => data.edgesOf(id).size, cell: ({ id }) => data.edgesOf(id).size, isNumber: true },
    { name: "Id", key: ({ id }) => id, cell: ({ id }) => <span class="muted">{id}</span> },
  ];
  return (
    <Table
      bench={bench}
      kind="node"
      items={nodes}
      columns={columns}
      nameOf={({ label }) => label}
      textOf={({ label, type, id }) => `${label} ${type} ${id}`}
      actions={(node) => (
        <>
          <RowAction text="Show" name={node.label} icon={<GraphIcon />} act={() => show(bench, "node", node.id)} />
          {version === null && connecting !== null && <RowAction text="Connect to this" name={node.label} icon={<ConnectIcon />} act={() => bench.connectTo(node.id)} />}
          {version === null && connecting === null && <RowAction text="Connect" name={node.label} icon={<ConnectIcon />} act={() => bench.connecting.set(node.id)} />}
          {version === null && <RowAction text="Edit" name={node.label} icon={<EditIcon />} act={() => bench.form.set({ kind: "edit-node", id: node.id })} />}
          {version === null && <RowAction text="Delete" name={node.label} icon={<TrashIcon />} act={() => void remove(bench, { nodes: [node.id], edges: [] })} />}
        </>
      )}
    />
  );
}

function Edges({ bench, data, edges }: { bench: Workbench; data: GraphData; edges: readonly GraphEdge[] }) {
  const { version } = useStore(bench.shown);
  const columns: Column<GraphEdge>[] = [
    { name: "From", key: ({ source }) => labelOf(data, source), cell: ({ source }) => labelOf(data, source) },
    { name: "Label", key: ({ label }) => label, cell: ({ label }) => label },
    { name: "To", key: ({ target }) => labelOf(data, target), cell: ({ target }) => labelOf(data, target) },
    { name: "Type", key: ({ type }) => type, cell: ({ type }) => <span class="muted">{type}</span> },
  ];
  const nameOf = ({ source, target }: GraphEdge) => `${labelOf(data, source)} to ${labelOf(data, target)}`;
  return (
    <Table
      bench={bench}
      kind="edge"
      items={edges}
      columns={columns}
      nameOf={nameOf}
      textOf={(edge) => `${nameOf(edge)} ${edge.label} ${edge.type}`}
      actions={(edge) => (
        <>
          <RowAction text="Show" name={nameOf(edge)} icon={<GraphIcon />} act={() => show(bench, "edge", edge.id)} />
          {version === null && <RowAction text="Edit" name={nameOf(edge)} icon={<EditIcon />} act={() => bench.form.set({ kind: "edit-edge", id: edge.id })} />}
          {version === null && <RowAction text="Delete" name={nameOf(edge)} icon={<TrashIcon />} act={() => void remove(bench, { nodes: [], edges: [edge.id] })} />}
        </>
      )}
    />
  );
}

function show(bench: Workbench, kind: "node" | "edge", id: string): void {
  bench.view.set("graph");
  // The canvas has its size again in the next frame.
  requestAnimationFrame(() => bench.goTo({ kind, id }));
}

function RowAction({ text, name, icon, act }: { text: string; name: string; icon: ComponentChild; act(): void }) {
  return <button type="button" class="quiet icon-only small" aria-label={`${text}: ${name}`} title={text} onClick={act}>{icon}</button>;
}

interface TableProps<T extends { id: string }> {
  bench: Workbench;
  kind: "node" | "edge";
  items: readonly T[];
  columns: readonly Column<T>[];
  nameOf(item: T): string;
  /** The text that the filter searches. */
  textOf(item: T): string;
  actions(item: T): ComponentChild;
}

function Table<T extends { id: string }>({ bench, kind, items, columns, nameOf, textOf, actions }: TableProps<T>) {
  const [filter, setFilter] = useState("");
  const [sort, setSort] = useState<{ column: number; down: boolean } | null>(null);
  const [page, setPage] = useState(0);
  const selected = useStore(bench.selected);
  const chosen = new Set(kind === "node" ? selected.nodes : selected.edges);
  const words = filter.trim().toLowerCase();
  const found = words === "" ? [...items] : items.filter((item) => textOf(item).toLowerCase().includes(words));
  const column = sort === null ? undefined : columns[sort.column];
  if (column !== undefined) found.sort((one, other) => compare(column.key(one), column.key(other)) * (sort?.down === true ? -1 : 1));
  const pages = Math.max(1, Math.ceil(found.length / LIST_ROWS));
  const at = Math.min(page, pages - 1);
  const toggle = (id: string) => {
    const ids = chosen.has(id) ? [...chosen].filter((one) => one !== id) : [...chosen, id];
    bench.select(kind === "node" ? { nodes: ids, edges: selected.edges } : { nodes: selected.nodes, edges: ids });
  };
  return (
    <>
      <div class="list-tools">
        <label class="grow">
          <span class="visually-hidden">Filter the list</span>
          <input type="search" placeholder="Filter" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
        </label>
        <Pages page={at} pages={pages} go={setPage} />
      </div>
      <div class="list-scroll" tabIndex={0} role="region" aria-label={kind === "node" ? "Nodes" : "Edges"}>
        <table class={`list-${kind}`}>
          <thead>
            <tr>
              <th scope="col"><span class="visually-hidden">Selected</span></th>
              {columns.map(({ name, isNumber }, index) => (
                <th key={name} scope="col" class={isNumber === true ? "number" : undefined} aria-sort={sort?.column === index ? (sort.down ? "descending" : "ascending") : undefined}>
                  <button type="button" class="quiet small" onClick={() => setSort({ column: index, down: sort?.column === index && !sort.down })}>
                    {name}{sort?.column === index && <span aria-hidden="true"> {sort.down ? "↓" : "↑"}</span>}
                  </button>
                </th>
              ))}
              <th scope="col"><span class="visually-hidden">Actions</span></th>
            </tr>
          </thead>
          <tbody>
            {found.slice(at * LIST_ROWS, (at + 1) * LIST_ROWS).map((item) => (
              <tr key={item.id} class={chosen.has(item.id) ? "is-selected" : undefined}>
                <td><input type="checkbox" aria-label={`Select ${nameOf(item)}`} checked={chosen.has(item.id)} onChange={() => toggle(item.id)} /></td>
                {columns.map(({ name, cell, isNumber }) => <td key={name} class={isNumber === true ? "number" : undefined}>{cell(item)}</td>)}
                <td class="list-actions">{actions(item)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {found.length === 0 && <p class="note panel-line">Nothing to list.</p>}
      </div>
    </>
  );
}

function Pages({ page, pages, go }: { page: number; pages: number; go(page: number): void }) {
  if (pages === 1) return null;
  return (
    <div class="row" role="group" aria-label="Pages">
      <button type="button" class="small" disabled={page === 0} onClick={() => go(page - 1)}>Previous</button>
      <span class="note" role="status">Page {page + 1} of {pages}</span>
      <button type="button" class="small" disabled={page === pages - 1} onClick={() => go(page + 1)}>Next</button>
    </div>
  );
}

function compare(one: string | number, other: string | number): number {
  return typeof one === "number" && typeof other === "number" ? one - other : String(one).localeCompare(String(other));
}
