// The requests of this page (docs/agent.md).

import { request, requestJson } from "../shared/api";
import type { Page } from "../shared/loading";
import { MOST_PAGES, PAGE_ITEMS } from "./limits";
import type { AuditRecord, Checkpoint, Pair, Snapshot, State, Target } from "./model";

export interface Question {
  input: string;
  inputId: string;
  target: Target;
  businessId: string;
  userId: string;
}

export type Decision =
  | { action: "approved" }
  | { action: "rejected"; reason: string; revise: boolean }
  | { action: "edited"; sql: string };

/** The statement that a decision is about. */
export interface Decided {
  approvalId: string;
  sha256: string;
}

/** Removes empty fields, because the access token may have their values. */
function given(fields: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
}

export class Client {
  readonly path: string;

  constructor(readonly thread: string) {
    this.path = `/api/agent/${encodeURIComponent(thread)}`;
  }

  ask({ input, inputId, target, businessId, userId }: Question, signal: AbortSignal): Promise<Response> {
    const where = target === "persistent" ? { target } : target;
    return request(`${this.path}/messages`, { method: "POST", body: { input, inputId, ...where, ...given({ businessId, userId }) }, signal });
  }

  decide({ approvalId, sha256 }: Decided, decision: Decision, userId: string, signal: AbortSignal): Promise<Response> {
    const fields = decision.action === "rejected" ? { action: decision.action, revise: decision.revise, ...given({ reason: decision.reason }) } : decision;
    return request(`${this.path}/resume`, { method: "POST", body: { approvalId, sha256, ...fields, ...given({ userId }) }, signal });
  }

  undo(approvalId: string, userId: string, signal: AbortSignal): Promise<Response> {
    return request(`${this.path}/resume`, { method: "POST", body: { approvalId, action: "undo", ...given({ userId }) }, signal });
  }

  events(after: number, signal: AbortSignal): Promise<Response> {
    return request(`${this.path}/events`, { headers: { accept: "text/event-stream", "last-event-id": String(after) }, signal });
  }

  state(): Promise<State> {
    return requestJson(`${this.path}/state`);
  }

  snapshot(checkpoint: number): Promise<Snapshot> {
    return requestJson(`${this.path}/history/${checkpoint}`);
  }

  fork(checkpoint: number): Promise<{ checkpoint: number }> {
    return requestJson(`${this.path}/fork`, { method: "POST", body: { checkpoint } });
  }

  async delete(): Promise<void> {
    await requestJson(this.path, { method: "DELETE" });
  }

  /** Returns the checkpoints, newest first. */
  history(): Promise<readonly Checkpoint[]> {
    return this.all("history", ({ checkpoints }: { checkpoints: Checkpoint[] }) => checkpoints);
  }

  /** Returns the records, oldest first. */
  audit(): Promise<readonly AuditRecord[]> {
    return this.all("audit", ({ records }: { records: AuditRecord[] }) => records);
  }

  private async all<P, T>(list: string, items: (page: P) => readonly T[]): Promise<readonly T[]> {
    const found: T[] = [];
    let cursor: string | null = null;
    for (let pages = 0; pages < MOST_PAGES; pages += 1) {
      const query: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const page: P & { nextCursor: string | null } = await requestJson(`${this.path}/${list}?limit=${PAGE_ITEMS}${query}`);
      found.push(...items(page));
      cursor = page.nextCursor;
      if (cursor === null) break;
    }
    return found;
  }
}

const MEMORY = "/api/agent/memory";

export interface Lookup {
  words: string;
  businessId: string;
  /** Null for the pairs of all tables. */
  target: Target | null;
}

export async function pairs({ words, businessId, target }: Lookup, cursor: string | null): Promise<Page<Pair>> {
  const where: Record<string, string> = target === null ? {} : target === "persistent" ? { target } : target;
  const query = new URLSearchParams(given({ q: words, businessId, ...where, limit: "50", cursor: cursor ?? "" }));
  const found = await requestJson<{ pairs: Pair[]; nextCursor: string | null }>(`${MEMORY}?${query}`);
  return { items: found.pairs, nextCursor: found.nextCursor };
}

export async function pin(id: string, pinned: boolean): Promise<void> {
  await requestJson(`${MEMORY}/${encodeURIComponent(id)}`, { method: "PUT", body: { pinned } });
}

export async function deletePair(id: string): Promise<void> {
  await requestJson(`${MEMORY}/${encodeURIComponent(id)}`, { method: "DELETE" });
}
