// The requests of this page with the shapes of their responses (docs/http-api.md).

import { requestJson } from "../shared/api";
import type { Page } from "../shared/loading";
import type { Row } from "../sql/values";

export interface SessionEntry {
  name: string;
  databaseSize: number;
  lastActivity: string;
  expiresAt: string;
}

export interface Column {
  name: string;
  type: string;
  notNull: boolean;
  defaultValue: string | null;
  primaryKey: boolean;
}

export interface Metrics {
  databaseSize: number;
  lastActivity: string;
  expiresAt: string;
  /** Rows by table. */
  tables: Record<string, number>;
  tablesWithMoreRows?: string[];
}

/** What a statement did. One that returns rows has `columns` and what follows. */
export interface Outcome {
  rowsRead: number;
  rowsWritten: number;
  changes: number;
  columns?: string[];
  results?: Row[];
  rowCount?: number;
  truncated?: boolean;
  notice?: string;
}

export interface LogEntry {
  id: number;
  atMs: number;
  message: string;
  /** Only of programs. */
  run: { executionId: string; durationMs: number; calls: number; outcome: string } | null;
}

/** What is kept of a run beside its line in the list. */
export interface RunDetails {
  error?: { code: string; name?: string; message?: string; hint?: string; line?: number; column?: number };
  logs?: readonly { level: string; text: string; atMs: number }[];
  /** Lines before the kept ones. */
  logsLeftOut?: number;
}

const SESSIONS = "/api/codemode/sessions";
/** Sessions, graphs and log entries of one request. */
export const PAGE_ROWS = 100;
/** The most that one response has (`MAX_RESULT_ROWS`). */
export const MOST_ROWS = 10_000;

export function sessionPath(session: string): string {
  return `${SESSIONS}/${encodeURIComponent(session)}`;
}

export function tablePath(session: string, table: string): string {
  return `${sessionPath(session)}/tables/${encodeURIComponent(table)}`;
}

export async function version(): Promise<string> {
  return (await requestJson<{ version: string }>("/health")).version;
}

/** A page of a list: `limit` and `cursor` are the same everywhere. */
function pagePath(path: string, cursor: string | null): string {
  return `${path}?limit=${PAGE_ROWS}${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
}

export async function listSessions(cursor: string | null): Promise<Page<SessionEntry>> {
  const { sessions, nextCursor } = await requestJson<{ sessions: SessionEntry[]; nextCursor: string | null }>(pagePath(SESSIONS, cursor));
  return { items: sessions, nextCursor };
}

export async function deleteSession(session: string): Promise<void> {
  await requestJson(sessionPath(session), { method: "DELETE" });
}

function operate<T>(session: string, operation: string, fields: Record<string, unknown> = {}, signal?: AbortSignal): Promise<T> {
  return requestJson<T>(sessionPath(session), { method: "POST", body: { operation, ...fields }, signal });
}

export function metrics(session: string): Promise<Metrics> {
  return requestJson(sessionPath(session));
}

/** Tables and views. */
export async function tables(session: string): Promise<string[]> {
  return (await operate<{ tables: string[] }>(session, "getTables")).tables;
}

export async function columns(session: string, table: string): Promise<Column[]> {
  return (await operate<{ columns: Column[] }>(session, "getColumns", { table })).columns;
}

export async function dropTable(session: string, table: string): Promise<void> {
  await operate(session, "dropTable", { table });
}

/** Runs one statement of any kind. */
export function run(session: string, sql: string, signal: AbortSignal): Promise<Outcome> {
  return operate(session, "exec", { sql, rowFormat: "array" }, signal);
}

/** Without what a run wrote, which is read when its line is opened. */
const LOG = "SELECT id, timestamp, message, json_remove(execution, '$.logs', '$.error') FROM execution_logs ORDER BY id DESC";
const RUN = "SELECT execution FROM execution_logs WHERE id = ?";

/** What happened in a session, newest first, from the entry `offset` on. */
export async function log(session: string, offset: number): Promise<{ entries: LogEntry[]; more: boolean }> {
  const { results, truncated } = await operate<{ results: Row[]; truncated: boolean }>(session, "query", { sql: LOG, rowFormat: "array", limit: PAGE_ROWS, offset });
  const entries = results.map(([id, timestamp, message, execution]) => ({
    id: Number(id),
    atMs: Number(timestamp),
    message: String(message),
    run: typeof execution === "string" ? (JSON.parse(execution) as LogEntry["run"]) : null,
  }));
  return { entries, more: truncated };
}

/** Failure and console of the run with this entry. Nothing where the entry was deleted meanwhile. */
export async function runDetails(session: string, id: number): Promise<RunDetails> {
  const { results } = await operate<{ results: Row[] }>(session, "query", { sql: RUN, params: [id], rowFormat: "array" });
  const execution = results[0]?.[0];
  return typeof execution === "string" ? (JSON.parse(execution) as RunDetails) : {};
}

export interface ThreadEntry {
  threadId: string;
  /** The first question. A thread of an older version has none. */
  title?: string;
  question: string;
  /** What comes next; empty where nothing does. */
  next: readonly string[];
  outcome: string | null;
  businessId: string | null;
  lastActivity: string;
}

/** A page of threads, with the settings for a new one. */
export interface Threads extends Page<ThreadEntry> {
  model: string | null;
  businessRequired: boolean;
}

/** The threads of questions of the tenant: those that wait for a decision first, then by their last use. */
export async function listThreads(cursor: string | null): Promise<Threads> {
  const { threads, ...rest } = await requestJson<Omit<Threads, "items"> & { threads: ThreadEntry[] }>(pagePath("/api/agent/threads", cursor));
  return { items: threads, ...rest };
}

export interface GraphEntry {
  conversationId: string;
  name: string;
  nodeCount: number;
  edgeCount: number;
  updatedAt: string;
}

/** The knowledge graphs of the tenant. */
export async function listGraphs(cursor: string | null): Promise<Page<GraphEntry>> {
  const { data, nextCursor } = await requestJson<{ data: GraphEntry[]; nextCursor: string | null }>(pagePath("/api/graph/projects", cursor));
  return { items: data, nextCursor };
}

export interface WorkspaceEntry {
  workspace: string;
  files: number;
  items: number;
  version: number;
  databaseSize: number;
  lastActivity: string;
}

/** The code workspaces of the tenant. */
export async function listWorkspaces(cursor: string | null): Promise<Page<WorkspaceEntry>> {
  const { workspaces, nextCursor } = await requestJson<{ workspaces: WorkspaceEntry[]; nextCursor: string | null }>(pagePath("/api/code/workspaces", cursor));
  return { items: workspaces, nextCursor };
}
