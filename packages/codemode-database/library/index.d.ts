// The types of the platform come from `wrangler types`, or from the package
// @cloudflare/workers-types.

import { DurableObject, WorkerEntrypoint } from "cloudflare:workers";

/** The handler of the product, for `fetch` of a Worker of your own. */
declare const handler: {
  fetch(request: Request, env: unknown, ctx: ExecutionContext): Promise<Response>;
};
export default handler;

/** A value of SQLite as JSON: integers beyond 2^53 and blobs are objects (docs/values.md). */
export type Value = null | boolean | number | string | { [key: string]: unknown };

/** The result of a statement that reads. */
export interface QueryResult {
  success: true;
  columns: string[];
  results: Record<string, Value>[];
  rowCount: number;
  truncated: boolean;
  rowsRead: number;
  notice?: string;
}

/** The result of a load. */
export interface LoadResult {
  success: true;
  rowsWritten: number;
  inserted: number;
  chunks: number;
  columns: { name: string; type: string }[];
}

/** The result of a program. */
export interface ExecuteResult<Result = unknown> {
  success: true;
  result: Result;
  [field: string]: unknown;
}

/**
 * A function that a program may call as `helpers.host.NAME(args)`: it takes one object, and its
 * result becomes JSON.
 */
export type HostFunction = (args: any) => unknown;

/** A function with its description for the program. */
export interface HostTool {
  execute: HostFunction;
  description?: string;
  /** The JSON Schema of its arguments, which are checked before a call. */
  inputSchema?: Record<string, unknown>;
  outputSchema?: Record<string, unknown>;
}

/** The tenant, which is needed if `API_TOKENS` names more than one. */
export interface TenantOptions {
  tenant?: string;
}

/**
 * The product for code of your own: `ctx.exports.CodeMode` in the same Worker, or a service binding
 * with `entrypoint: "CodeMode"` from another one. Every method rejects with `CODE: message (hint)`
 * if the product refuses.
 */
export class CodeMode<Env = unknown> extends WorkerEntrypoint<Env> {
  fetch(request: Request): Promise<Response>;
  query(session: string, sql: string, params?: Value[], options?: TenantOptions & Record<string, unknown>): Promise<QueryResult>;
  exec(session: string, sql: string, params?: Value[], options?: TenantOptions & Record<string, unknown>): Promise<{ success: true; [field: string]: unknown }>;
  operation(session: string, operation: string, fields?: TenantOptions & Record<string, unknown>): Promise<{ success: true; [field: string]: unknown }>;
  load(
    session: string,
    table: string,
    rows: Record<string, unknown>[] | string | ReadableStream | ArrayBuffer,
    options?: TenantOptions & { contentType?: string } & Record<string, unknown>,
  ): Promise<LoadResult>;
  execute<Result = unknown>(
    session: string,
    code: string,
    options?: TenantOptions & { tools?: Record<string, HostFunction | HostTool>; input?: unknown } & Record<string, unknown>,
  ): Promise<ExecuteResult<Result>>;
}

export class CodeModeDatabase extends DurableObject {}
export class TenantIndex extends DurableObject {}
export class AgentThread extends DurableObject {}
export class CodeWorkspace extends DurableObject {}
export class KnowledgeGraph extends DurableObject {}
export class McpSession extends DurableObject {}
