// The API's data about threads (docs/agent.md), as far as the page uses them.

import type { Value } from "../sql/values";

export type Step = "writeQuery" | "humanApproval" | "executeQuery" | "generateAnswer";
export type Status = "pending" | "approved" | "autoApproved" | "rejected" | "edited" | "superseded" | "expired";
export type Target = "persistent" | { session: string };

export interface Message {
  id: string;
  type: "human" | "ai" | "system";
  content: string;
  createdAt?: string;
}

/** A row that a statement would change; the two sides of one change have the same number. */
export interface SampleRow {
  table: string;
  change?: number;
  row: Record<string, Value>;
  cut?: readonly string[];
}

/** A table that a statement uses; the counts are those of a dry run. */
export interface TableUse {
  name: string;
  access: "read" | "write";
  inserted?: number;
  updated?: number;
  deleted?: number;
}

export interface Approval {
  approvalId: string;
  status: Status;
  sql: string;
  finalSql?: string;
  explanation: string;
  kind: string;
  destructive?: boolean;
  tables?: readonly TableUse[] | null;
  plan?: readonly string[] | null;
  /** The rows that a read returns. */
  estimatedRows?: number | null;
  estimatedRowsIsMinimum?: boolean;
  affectedRows?: number | null;
  changes?: number | null;
  sample?: { before: readonly SampleRow[]; after: readonly SampleRow[] } | null;
  dryRun?: string;
  dryRunReason?: string | null;
  undoable?: boolean;
  undoReason?: string | null;
  sha256: string;
  createdAt: string;
  expiresAt: string;
  requiredApprovers: number;
  approvers: readonly string[];
  undoOf: string | null;
}

export interface SqlResult {
  columns?: readonly string[];
  rows?: readonly Record<string, Value>[];
  rowCount?: number;
  truncated?: boolean;
  changes?: number;
  /** The table with all rows, or as many as it could take. */
  resultTable?: { name: string; rows: number; complete: boolean } | null;
  undo?: { available: boolean; rows?: number; reason?: string | null };
}

export interface Told {
  code: string;
  message: string;
  hint?: string;
}

export interface Values {
  question: string;
  inputId: string;
  userId: string;
  /** The business; null if the thread asks about all rows. */
  businessId: string | null;
  title?: string;
  target: Target;
  askedBack?: { question: string; choices: readonly string[]; chosen: readonly string[] } | null;
  writtenQuery: string | null;
  explanation: string | null;
  attempts: readonly { sql: string; error: Told }[];
  approval: Approval | null;
  sqlResult: SqlResult | null;
  answer: string | null;
  chart: VegaChart | null;
  outcome: string | null;
  error: Told | null;
  messages: readonly Message[];
}

export interface Snapshot {
  values: Values;
  next: readonly Step[];
  pending: Approval | null;
  checkpoint: number;
  createdAt?: string;
  source?: string;
}

export interface State extends Snapshot {
  checkpoints: readonly Checkpoint[];
  lastEventId: number;
}

export interface Checkpoint {
  checkpoint: number;
  branch: number;
  parent: number | null;
  source: string;
  next: readonly Step[];
  createdAt: string;
}

export interface AuditRecord {
  sequence: number;
  at: string;
  atMs: number;
  kind: string;
  actor: string;
  body: string;
  previousHash: string;
  hash: string;
}

export interface Pair {
  id: string;
  businessId: string | null;
  session: string | null;
  target: "persistent" | null;
  question: string;
  sql: string;
  explanation: string;
  uses: number;
  pinned: boolean;
  usedAt: string;
}

/**
 * A column of a chart. Its name has a backslash before each character that Vega-Lite would take for
 * a step into an object.
 */
export interface Channel {
  field: string;
  type?: string;
}

export interface VegaChart {
  mark: string;
  encoding: { x: Channel; y: Channel; color?: Channel };
}

/** The prefix of messages that are not shown: `HIDDEN_PREFIX`. */
export const HIDDEN = "do-not-render-";

/** Names the tables of a target in words. */
export function targetInWords(target: Target): string {
  return target === "persistent" ? "persistent tables" : `session ${target.session}`;
}
