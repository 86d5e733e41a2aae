// The operations of one graph over HTTP. Writing ones say that a person made them.

import { request, requestJson, upload, type RequestOptions } from "../shared/api";
import { MEMBERS, PAGE_ITEMS, SCORES, SEARCH_RESULTS } from "./limits";
import type {
  Centrality, Communities, Data, Dataset, EdgeWritten, ExportFormat, GraphNode, HistoryPage, LayoutAlgorithm, Measure, NodeWritten, Paths, Position, StatePage, Written,
} from "./model";
import type { Json } from "../shared/json";

/** The history names the author of a step. */
const BY_PERSON = { "x-codemode-actor": "person" };

type Query = Record<string, string | number | undefined | null>;

export interface NodeFields {
  label?: string;
  type?: string;
  /** For a change: a JSON merge patch. */
  data?: Data;
  position?: Position;
  pinned?: boolean;
}

export interface EdgeFields {
  label?: string;
  type?: string;
  data?: Data;
}

export interface ImportOptions {
  onConflict: "error" | "ignore" | "replace";
  mode: "merge" | "replace";
  onProgress(sent: number, total: number): void;
}

export interface Imported extends Written {
  format: string;
  nodes: { created: number; updated: number; skipped: number };
  edges: { created: number; updated: number; skipped: number };
  /** Messages about parts of the file that are not in the graph. */
  notices: readonly string[];
}

export class GraphClient {
  private readonly base: string;

  constructor(conversation: string) {
    this.base = `/api/graph/${encodeURIComponent(conversation)}`;
  }

  /** Returns the path of the event stream after a version. */
  eventsPath(after: number): string {
    return this.path("/events", { after });
  }

  // Reading. `signal` cancels.

  /** Reads one page of the present graph, or of a version. */
  state(cursor: string | null, version: number | undefined, signal?: AbortSignal): Promise<StatePage> {
    return this.get(version === undefined ? "/state" : `/history/${version}`, { limit: PAGE_ITEMS, cursor }, signal);
  }

  history(limit: number, cursor?: string): Promise<HistoryPage> {
    return this.get("/history", { limit, cursor });
  }

  search(q: string, signal: AbortSignal): Promise<{ data: GraphNode[]; nextCursor: string | null }> {
    return this.get("/search", { q, limit: SEARCH_RESULTS }, signal);
  }

  structure(): Promise<{ data: Record<string, Json> }> {
    return this.get("/analysis", {});
  }

  centrality(measure: Measure): Promise<Centrality> {
    return this.get("/centrality", { measure, limit: SCORES });
  }

  communities(): Promise<Communities> {
    return this.get("/communities", { limit: MEMBERS });
  }

  paths(from: string, to: string): Promise<Paths> {
    return this.get("/path", { from, to });
  }

  /** Returns a file of the whole graph. */
  async exported(format: ExportFormat): Promise<Blob> {
    return (await request(this.path("/export", { format }))).blob();
  }

  // Writing: each is one step of the history.

  addNode(fields: NodeFields): Promise<NodeWritten> {
    return this.send("POST", "/nodes", fields);
  }

  updateNode(id: string, fields: NodeFields): Promise<NodeWritten> {
    return this.send("PUT", `/nodes/${encodeURIComponent(id)}`, fields);
  }

  updateNodes(nodes: readonly (NodeFields & { id: string })[]): Promise<Written> {
    return this.send("PUT", "/nodes/bulk-update", { nodes });
  }

  addEdge(fields: EdgeFields & { source: string; target: string }): Promise<EdgeWritten> {
    return this.send("POST", "/edges", fields);
  }

  updateEdge(id: string, fields: EdgeFields): Promise<EdgeWritten> {
    return this.send("PUT", `/edges/${encodeURIComponent(id)}`, fields);
  }

  remove(nodes: readonly string[], edges: readonly string[]): Promise<Written & { nodes: number; edges: number }> {
    return this.send("POST", "/remove", { nodes, edges });
  }

  undo(): Promise<Written> {
    return this.send("POST", "/undo", {});
  }

  redo(): Promise<Written> {
    return this.send("POST", "/redo", {});
  }

  restore(version: number): Promise<Written> {
    return this.send("POST", "/restore", { version });
  }

  layout(algorithm: LayoutAlgorithm): Promise<Written & { data: { moved: number; crossingsBefore?: number; crossingsAfter?: number } }> {
    return this.send("POST", "/layout", { algorithm });
  }

  addMockData(dataset: Dataset): Promise<Written> {
    return this.send("POST", "/mock-data", { dataset });
  }

  /** Imports a file. The content type sets the format, or the content of the file does. */
  importFile(file: File, { onConflict, mode, onProgress }: ImportOptions): Promise<Imported> {
    const headers: Record<string, string> = { ...BY_PERSON };
    const type = contentType(file.name);
    if (type !== undefined) headers["content-type"] = type;
    return upload(this.path("/import", { onConflict, mode }), file, { method: "POST", headers, onProgress });
  }

  private get<T>(path: string, query: Query, signal?: AbortSignal): Promise<T> {
    return requestJson(this.path(path, query), { signal });
  }

  private send<T>(method: string, path: string, body: unknown): Promise<T> {
    const options: RequestOptions = { method, body, headers: BY_PERSON };
    return requestJson(this.base + path, options);
  }

  private path(path: string, query: Query): string {
    const fields = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== null) fields.set(name, String(value));
    return fields.size === 0 ? this.base + path : `${this.base}${path}?${fields}`;
  }
}

const CONTENT_TYPES: Readonly<Record<string, string>> = { json: "application/json", graphml: "application/graphml+xml", xml: "application/graphml+xml", csv: "text/csv" };

function contentType(name: string): string | undefined {
  return CONTENT_TYPES[name.slice(name.lastIndexOf(".") + 1).toLowerCase()];
}
