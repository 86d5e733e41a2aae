// The state that the parts of the page share: the workspace, the shown version, the open file or
// item, and the shown list.

import { type ApiError, toApiError } from "../shared/api";
import { createStore } from "../shared/store";
import { news, showError } from "../shared/toast";
import { Client, type Decision } from "./client";
import type { About, Proposal } from "./model";
import { type Place, placeOf } from "./place";

export type List = "files" | "search" | "proposals";

const DONE: Readonly<Record<Decision, string>> = { approve_proposal: "Applied", deny_proposal: "Denied", revert_proposal: "Reverted" };

export class Bench {
  readonly client: Client;
  readonly about = createStore<About | null>(null);
  /** The error of reading the workspace. */
  readonly failed = createStore<ApiError | null>(null);
  /** The earlier version that is shown; null for the present one. */
  readonly asOf = createStore<number | null>(null);
  readonly list = createStore<List>("files");
  readonly place = createStore<Place | null>(placeOf(location.hash));
  /** The proposal whose decision has no response yet. */
  readonly deciding = createStore<string | null>(null);
  /** A number that grows with each reload, so that lists of the present version load again. */
  readonly turn = createStore(0);

  constructor(readonly workspace: string) {
    this.client = new Client(workspace);
  }

  /** Follows the address; the returned function stops it. */
  follow(): () => void {
    const onHash = () => this.place.set(placeOf(location.hash));
    window.addEventListener("hashchange", onHash);
    return () => window.removeEventListener("hashchange", onHash);
  }

  async reload(): Promise<void> {
    try {
      this.about.set(await this.client.about());
      this.failed.set(null);
      this.turn.set(this.turn.get() + 1);
    } catch (thrown) {
      this.failed.set(toApiError(thrown));
    }
  }

  /** Shows a version; the newest is the present one. */
  look(version: number): void {
    this.asOf.set(version === this.about.get()?.version ? null : version);
  }

  async decide(decision: Decision, { requestId }: Proposal): Promise<void> {
    if (this.deciding.get() !== null) return;
    this.deciding.set(requestId);
    try {
      const { ok, status, version, reason, stale } = await this.client.decide(decision, requestId);
      const others = stale === undefined || stale.length === 0 ? "" : ` These cannot be applied any more: ${stale.join(", ")}.`;
      if (ok) news(`${DONE[decision]} ${requestId}${version === undefined ? "" : ` as version ${version}`}.${others}`);
      else news(`${requestId} was not applied and is ${status ?? "failed"} now: ${reason ?? "no reason is given"}.`);
    } catch (thrown) {
      showError(thrown);
    } finally {
      this.deciding.set(null);
    }
    // Also after an error: another person may have decided.
    await this.reload();
  }
}
