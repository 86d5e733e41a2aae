// The state of the graph in results of tools, and reading the whole graph through the host.

import { GraphData } from "../graph-data";
import { asPatch } from "../patch";
import type { GraphEdge, GraphNode, Metadata } from "../model";
import type { Host } from "./host";

/**
 * The nodes and edges of a page; the server returns fewer if a page would be too long for a model.
 */
const PAGE_ITEMS = 1_000;
/**
 * The pages of one reading. Each is one tool call, which a host may show, so there must be a limit.
 */
const MOST_PAGES = 100;

export interface Page {
  nodes: GraphNode[];
  edges: GraphEdge[];
  metadata: Metadata | undefined;
  nextCursor: string | null;
}

export interface Reading {
  data: GraphData;
  metadata: Metadata | undefined;
  /** False if the graph has more than was read. */
  isWhole: boolean;
}

/** Returns the page of the state in a result, if it has one. */
export function pageOf(structured: Record<string, unknown> | undefined): Page | null {
  if (structured === undefined) return null;
  const data = isObject(structured["data"]) ? structured["data"] : structured;
  if (!Array.isArray(data["nodes"]) || !Array.isArray(data["edges"])) return null;
  const metadata = isObject(data["metadata"]) ? data["metadata"] : structured["metadata"];
  const cursor = structured["nextCursor"] ?? data["nextCursor"];
  return {
    nodes: data["nodes"].filter(isNode).map(complete),
    edges: data["edges"].filter(isEdge),
    metadata: isObject(metadata) ? (metadata as unknown as Metadata) : undefined,
    nextCursor: typeof cursor === "string" ? cursor : null,
  };
}

/** Makes a reading of one page. */
export function readingOf(page: Page): Reading {
  const data = new GraphData();
  data.apply(asPatch(page));
  return { data, metadata: page.metadata, isWhole: page.nextCursor === null };
}

/** Reads the graph page by page. */
export async function readAll(host: Host): Promise<Reading> {
  const data = new GraphData();
  let metadata: Metadata | undefined;
  let cursor: string | null = null;
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const result = await host.callTool("getGraphState", cursor === null ? { limit: PAGE_ITEMS } : { limit: PAGE_ITEMS, cursor });
    const page = pageOf(result.structuredContent);
    if (page === null) throw new Error("getGraphState returned no state");
    data.apply(asPatch(page));
    metadata ??= page.metadata;
    cursor = page.nextCursor;
    if (cursor === null) break;
  }
  return { data, metadata, isWhole: cursor === null };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNode(value: unknown): value is GraphNode {
  return isObject(value) && typeof value["id"] === "string" && typeof value["label"] === "string" && typeof value["type"] === "string";
}

function isEdge(value: unknown): value is GraphEdge {
  return isObject(value) && ["id", "source", "target", "label"].every((name) => typeof value[name] === "string");
}

/**
 * Completes a node, because a result for a model may leave out fields that a model does not need.
 */
function complete(node: GraphNode): GraphNode {
  const { position } = node as { position?: GraphNode["position"] };
  const isPlace = typeof position?.x === "number" && typeof position.y === "number";
  return { ...node, position: isPlace ? position : { x: 0, y: 0 }, data: isObject(node.data) ? node.data : {} };
}
