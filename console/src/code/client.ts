// The requests of this page (docs/http-api/code.md). Those that read take the version to read, or
// null for the present one.

import { requestJson } from "../shared/api";
import type { Page } from "../shared/loading";
import { CONTEXT_TOKENS, PAGE_FILES, PAGE_MATCHES, PAGE_PROPOSALS } from "./limits";
import type { About, Context, Decided, Edges, FileEntry, FileText, Item, Matches, Outlined, Proposal } from "./model";

/** The names of an item in a request. */
export type ItemName = { id: string } | { canon: string; file_path: string; node_kind: string };

export type Decision = "approve_proposal" | "deny_proposal" | "revert_proposal";

/** Escapes the special characters of a pattern of paths. */
function literal(text: string): string {
  return text.replace(/[[*?]/g, "[$&]");
}

export class Client {
  readonly path: string;

  constructor(readonly workspace: string) {
    this.path = `/api/code/${encodeURIComponent(workspace)}`;
  }

  about(): Promise<About> {
    return requestJson(this.path);
  }

  /** Returns files whose path contains this text, sorted by path. */
  async files(filter: string, asOf: number | null, cursor: string | null): Promise<Page<FileEntry>> {
    const path = filter === "" ? {} : { path: `*${literal(filter)}*` };
    const { files, nextCursor } = await this.read<{ files: FileEntry[]; nextCursor: string | null }>("list_files", { ...path, limit: PAGE_FILES, ...from(cursor) }, asOf);
    return { items: files, nextCursor };
  }

  metadata(file_path: string, asOf: number | null): Promise<FileEntry & { exists: boolean }> {
    return this.read("get_file_metadata", { file_path }, asOf);
  }

  /** Returns the text of a file from a byte on, as much as one response has. */
  text(file_path: string, start_byte: number, asOf: number | null): Promise<FileText> {
    return this.read("read_file", { file_path, start_byte }, asOf);
  }

  async outline(file_path: string, asOf: number | null): Promise<readonly Outlined[]> {
    return (await this.read<{ spans: Outlined[] }>("inspect", { file_path }, asOf)).spans;
  }

  async item(name: ItemName, asOf: number | null): Promise<Item> {
    return (await this.read<{ item: Item }>("code_item_lookup", name, asOf)).item;
  }

  edges(name: ItemName, asOf: number | null): Promise<Edges> {
    return this.read("code_item_edges", name, asOf);
  }

  context(hint: string, asOf: number | null): Promise<Context> {
    return this.read("request_code_context", { hint, token_budget: CONTEXT_TOKENS, explain: true }, asOf);
  }

  search(pattern: string, how: { regex: boolean; ignoreCase: boolean }, asOf: number | null, cursor: string | null): Promise<Matches> {
    return this.read("search_code", { pattern, ...how, limit: PAGE_MATCHES, ...from(cursor) }, asOf);
  }

  /** Returns proposals, newest first, each with its preview. */
  async proposals(status: string, cursor: string | null): Promise<Page<Proposal>> {
    const fields = { preview: true, limit: PAGE_PROPOSALS, ...(status === "" ? {} : { status }), ...(cursor === null ? {} : { cursor: Number(cursor) }) };
    const { proposals, nextCursor } = await this.call<{ proposals: Proposal[]; nextCursor: number | null }>("list_proposals", fields);
    return { items: proposals, nextCursor: nextCursor === null ? null : String(nextCursor) };
  }

  decide(decision: Decision, requestId: string): Promise<Decided> {
    return this.call(decision, { requestId });
  }

  private read<T>(operation: string, fields: Record<string, unknown>, asOf: number | null): Promise<T> {
    return this.call(operation, asOf === null ? fields : { ...fields, asOf });
  }

  private call<T>(operation: string, fields: Record<string, unknown>): Promise<T> {
    return requestJson(this.path, { method: "POST", body: { operation, ...fields } });
  }
}

function from(cursor: string | null): { cursor?: string } {
  return cursor === null ? {} : { cursor };
}
