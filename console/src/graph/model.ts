// Nodes, edges and steps in the API's form (docs/http-api.md, "Knowledge graph").

import type { Json } from "../shared/json";

export interface Position {
  x: number;
  y: number;
}

export type Data = Record<string, Json>;

interface Item {
  id: string;
  label: string;
  type: string;
  data: Data;
  /** ISO 8601, UTC. */
  createdAt: string;
  updatedAt: string;
}

export interface GraphNode extends Item {
  position: Position;
  /** Present if a person placed it, so that layouts do not move it. */
  pinned?: true;
}

export interface GraphEdge extends Item {
  /** Ids of nodes. */
  source: string;
  target: string;
}

export interface Metadata {
  nodeCount: number;
  edgeCount: number;
  version: number;
  canUndo: boolean;
  canRedo: boolean;
}

/** One page of a state. */
export interface StatePage {
  data: { nodes: GraphNode[]; edges: GraphEdge[]; metadata: Metadata };
  nextCursor: string | null;
}

export interface Changes<T> {
  upserted: T[];
  /** Ids. */
  deleted: string[];
}

/** The changes of one step. */
export interface Patch {
  nodes: Changes<GraphNode>;
  edges: Changes<GraphEdge>;
}

export type StepKind = "edit" | "undo" | "redo" | "restore";

/** A step of the history. */
export interface Step {
  version: number;
  kind: StepKind;
  description: string;
  createdAt: string;
  actor: string;
  undone: boolean;
}

export interface HistoryPage {
  data: Step[];
  oldestVersion: number;
  version: number;
  nextCursor: string | null;
}

/** Event `change` of the event stream. */
export interface ChangeEvent extends Omit<Step, "undone"> {
  /** Null if the step is too large to send: the state must be read again. */
  patch: Patch | null;
  metadata: Metadata;
}

/** The result of every writing operation. */
export interface Written {
  version: number;
  metadata?: Metadata;
}

export interface NodeWritten extends Written {
  data: GraphNode;
  created?: boolean;
}

export interface EdgeWritten extends Written {
  data: GraphEdge;
  created?: boolean;
}

export type Dataset = "diabetes" | "cancer";

export type LayoutAlgorithm = "force" | "hierarchical" | "circular" | "grid" | "optimize";

export const MEASURES = ["degree", "betweenness", "closeness", "harmonic", "eigenvector", "pagerank"] as const;
export type Measure = (typeof MEASURES)[number];

interface Named {
  id: string;
  label: string;
  type: string;
}

export interface Centrality {
  data: { measure: Measure; directed: boolean; scores: (Named & { score: number })[]; sampledSources?: number | null };
}

export interface Communities {
  data: { modularity: number; count: number; communities: { index: number; size: number; members: Named[] }[] };
}

export interface Paths {
  data: { paths: { nodes: Named[]; edges: ({ id: string } | string)[]; length: number }[]; truncated: boolean };
}

/** Formats that the page exports. */
export type ExportFormat = "json" | "graphml";

/** An item that an import refused. */
export interface ImportIssue {
  index?: number;
  list?: string;
  path?: string;
  code?: string;
  message: string;
  hint?: string;
}
