// The requests of this page with the shapes of their responses (docs/http-api.md).

import { requestJson, toApiError } from "../shared/api";
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

/** The outcome of a statement. One that returns rows has `columns` and the later fields. */
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
  /** Present for programs only. */
  run: { executionId: string; durationMs: number; calls: number; outcome: string } | null;
}

/** The stored data of a run besides its line in the list. */
export interface RunDetails {
  error?: { code: string; name?: string; message?: string; hint?: string; line?: number; column?: number };
  logs?: readonly { level: string; text: string; atMs: number }[];
  /** The number of lines before the stored ones. */
  logsLeftOut?: number;
}

const SESSIONS = "/api/codemode/sessions";
/** The sessions, graphs and log entries of one request. */
export const PAGE_ROWS = 100;
/** The most rows of one response (`MAX_RESULT_ROWS`). */
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

/** Returns the path of a page of a list; `limit` and `cursor` are the same everywhere. */
function pagePath(path: string, cursor: string | null): string {
  return `${path}?limit=${PAGE_ROWS}${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
}

export async function listSessions(cursor: string | null): Promise<Page<SessionEntry>> {
  const { sessions, nextCursor } = await requestJson<{ sessions: SessionEntry[]; nextCursor: string | null }>(pagePath(SESSIONS, cursor));
  return { items: sessions, nextCursor };
}

/** The pages of a list that are read to find the newest entries. */
const RECENT_PAGES = 10;

/**
 * Returns the sessions of the tenant, last used first. If there are more than a thousand, it has
 * the first ones by name.
 */
export async function recentSessions(): Promise<readonly SessionEntry[]> {
  const found: SessionEntry[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < RECENT_PAGES; pages += 1) {
    const page: Page<SessionEntry> = await listSessions(cursor);
    found.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === null) break;
  }
  return found.sort((one, other) => Date.parse(other.lastActivity) - Date.parse(one.lastActivity));
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

/** Returns the names of tables and views. */
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

/** Returns the first row of a query; under a row scope if `scope` is not null. */
export async function firstRow(session: string, sql: string, scope: string | null): Promise<Row> {
  const fields = { sql, rowFormat: "array", limit: 1, ...(scope === null ? {} : { scope: { value: scope } }) };
  return (await operate<{ results: Row[] }>(session, "query", fields)).results[0] ?? [];
}

/** Without the output of a run, which is read when its line is opened. */
const LOG = "SELECT id, timestamp, message, json_remove(execution, '$.logs', '$.error') FROM execution_logs ORDER BY id DESC";
const RUN = "SELECT execution FROM execution_logs WHERE id = ?";

/** Returns the log of a session, newest first, from the entry `offset` on. */
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

/**
 * Returns failure and console of the run with this entry; nothing if the entry was deleted
 * meanwhile.
 */
export async function runDetails(session: string, id: number): Promise<RunDetails> {
  const { results } = await operate<{ results: Row[] }>(session, "query", { sql: RUN, params: [id], rowFormat: "array" });
  const execution = results[0]?.[0];
  return typeof execution === "string" ? (JSON.parse(execution) as RunDetails) : {};
}

/** True if this deployment runs programs. Its bindings do not change while a page is open. */
let programs: boolean | undefined;

/**
 * Finds out if the deployment runs programs. It sends an empty one to a session that exists, which
 * is refused before anything runs: by a deployment without a Worker Loader for that reason, and by
 * any other because it is empty. Any other outcome, such as no connection, is no answer.
 */
export async function runsPrograms(session: string): Promise<boolean> {
  if (programs !== undefined) return programs;
  try {
    await requestJson("/api/codemode/execute", { method: "POST", body: { session, code: "" } });
  } catch (thrown) {
    const { code } = toApiError(thrown);
    if (code === "SANDBOX_UNAVAILABLE") programs = false;
    else if (code === "INVALID_ARGUMENT") programs = true;
  }
  return programs !== false;
}

export interface ThreadEntry {
  threadId: string;
  /** The first question. A thread of an older version has none. */
  title?: string;
  question: string;
  /** The next steps; empty if there are none. */
  next: readonly string[];
  outcome: string | null;
  businessId: string | null;
  lastActivity: string;
}

const THREADS = "/api/agent/threads";

/**
 * Returns the threads of questions of the tenant: those that wait for a decision first, then by
 * their last use.
 */
export async function listThreads(cursor: string | null): Promise<Page<ThreadEntry>> {
  const { threads, nextCursor } = await requestJson<{ threads: ThreadEntry[]; nextCursor: string | null }>(pagePath(THREADS, cursor));
  return { items: threads, nextCursor };
}

/** Returns the settings for a new thread, which are in the list of threads. */
export async function deploymentSettings(): Promise<{ model: string | null; businessRequired: boolean }> {
  const { model, businessRequired } = await requestJson<{ model: string | null; businessRequired: boolean }>(`${THREADS}?limit=1`);
  return { model, businessRequired };
}

export interface GraphEntry {
  conversationId: string;
  name: string;
  nodeCount: number;
  edgeCount: number;
  updatedAt: string;
}

/** Returns the knowledge graphs of the tenant. */
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

/** Returns the code workspaces of the tenant. */
export async function listWorkspaces(cursor: string | null): Promise<Page<WorkspaceEntry>> {
  const { workspaces, nextCursor } = await requestJson<{ workspaces: WorkspaceEntry[]; nextCursor: string | null }>(pagePath("/api/code/workspaces", cursor));
  return { items: workspaces, nextCursor };
}
