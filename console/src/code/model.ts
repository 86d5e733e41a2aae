// The shapes of responses, as in docs/http-api/code.md.

/** The facts about the workspace. */
export interface About {
  version: number;
  /** The oldest version that can still be read. */
  oldest: number;
  files: number;
  items: number;
  bytes: number;
  updatedAt: string | null;
}

export interface FileEntry {
  file_path: string;
  byte_len: number;
  line_count: number;
  file_hash: string;
  language: string;
  parsed: boolean;
  reason?: string;
  crate?: string;
  module_path?: string;
}

/** A part of the text of a file. */
export interface FileText {
  text: string;
  range: [number, number];
  lines: [number, number];
  byte_len: number;
  line_count: number;
  file_hash: string;
  truncated: boolean;
}

/** An item in the outline of its file. */
export interface Outlined {
  canon: string;
  node_type: string;
  span: [number, number];
}

export interface Item {
  id: string;
  name: string;
  node_type: string;
  canon: string;
  file_path: string;
  crate: string;
  visibility: string;
  docstring: string | null;
  signature: string;
  cfgs: unknown;
  lines: [number, number];
  tracking_hash: string;
  valid_from: number;
  text?: string;
}

/** An item at the end of an edge. */
export interface Named {
  id: string;
  canon: string;
  node_type: string;
  file_path: string;
  lines: [number, number];
}

export interface Edges {
  owner: Named | null;
  outgoing: { kind: string; target: string; item: Named | null }[];
  incoming: { kind: string; item: Named }[];
}

/** A rule that changed a score, by a sum or by a factor. */
export interface Reason {
  rule: string;
  added?: number;
  multiplied?: number;
}

export interface Hit {
  id: string;
  file_path: string;
  canon_path: string;
  node_kind: string;
  lines: [number, number];
  score: number;
  sparseRank: number | null;
  denseRank: number | null;
  reasons: Reason[];
}

export interface Context {
  query: string;
  mode: string;
  notice?: string;
  context: { stats: { total_tokens: number; files: number; parts: number } };
  hits: Hit[];
}

export interface Match {
  file_path: string;
  line: number;
  text: string;
}

export interface Matches {
  matches: Match[];
  searchedFiles: number;
  complete: boolean;
  skippedLines: { file_path: string; line: number; bytes: number }[];
  nextCursor: string | null;
}

export type Status = "pending" | "applied" | "denied" | "failed" | "stale";

export interface Proposal {
  requestId: string;
  status: Status;
  actor: string;
  created_ms: number;
  decided_ms: number | null;
  base_version: number;
  applied_version: number | null;
  reverted_version: number | null;
  confidence: number | null;
  auto_confirmed: boolean;
  staged: number;
  files: { file_path: string; error: unknown }[];
  warnings: string[];
  reason: string | null;
  preview_mode: string;
  preview: string;
}

/** The effect of a decision. If it could not be applied, that is no error, but `ok` is false. */
export interface Decided {
  ok: boolean;
  status?: Status;
  version?: number;
  reason?: string;
  stale?: string[];
}
