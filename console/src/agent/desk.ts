// The state that the parts of the page share: the thread, a person's actions on it, and the open
// panel.

import { isAbort, toApiError, type ApiError } from "../shared/api";
import { freshId } from "../shared/fresh-id";
import { createStore } from "../shared/store";
import { Client, type Decided, type Decision } from "./client";
import { Live } from "./live";
import type { Snapshot } from "./model";
import { effective, setup, type Setup } from "./setup";

export type Panel = "history" | "audit" | "memory";

/**
 * A question that was not accepted. It is sent again with the same id, so that it is asked once.
 */
export interface Unsent {
  input: string;
  inputId: string;
  error: ApiError;
}

export class Desk {
  readonly client: Client;
  readonly live: Live;
  readonly panel = createStore<Panel | null>(null);
  readonly unsent = createStore<Unsent | null>(null);
  /**
   * The request without a response yet: the question, or the id of the approval that it decides.
   */
  readonly busy = createStore<string | null>(null);
  /** The error of a decision that did not count, with its approval. */
  readonly refused = createStore<{ approvalId: string; error: ApiError } | null>(null);
  /** The earlier state that is shown. */
  readonly shown = createStore<Snapshot | null>(null);
  /** The text in the field of the question. */
  readonly draft = createStore("");

  constructor(readonly thread: string) {
    this.client = new Client(thread);
    this.live = new Live(this.client);
  }

  get setup(): Setup {
    return effective(setup.get(), this.thread, this.live.thread.get());
  }

  /** Asks a question; returns false if it was not accepted. */
  async ask(input: string): Promise<boolean> {
    const { target, businessId, userId } = this.setup;
    if (target === null) return false;
    const before = this.unsent.get();
    const inputId = before?.input === input ? before.inputId : freshId();
    this.unsent.set(null);
    this.busy.set("question");
    try {
      await this.live.act((signal) => this.client.ask({ input, inputId, target, businessId, userId }, signal));
      this.refused.set(null);
      await this.caughtUp();
      return true;
    } catch (thrown) {
      if (!isAbort(thrown)) this.unsent.set({ input, inputId, error: toApiError(thrown) });
      return false;
    } finally {
      this.busy.set(null);
    }
  }

  /** Decides an approval; returns false if the decision did not count. */
  decide(decided: Decided, decision: Decision): Promise<boolean> {
    return this.act(decided.approvalId, (signal) => this.client.decide(decided, decision, this.setup.userId, signal));
  }

  /** Requests the undo of a write. */
  undo(approvalId: string): Promise<boolean> {
    return this.act(approvalId, (signal) => this.client.undo(approvalId, this.setup.userId, signal));
  }

  /**
   * Waits until the page shows the effect of a request, so that nobody presses an outdated button.
   */
  private async caughtUp(): Promise<void> {
    // If it cannot be read, the events update it.
    await this.live.refresh().catch(() => {});
  }

  private async act(approvalId: string, send: (signal: AbortSignal) => Promise<Response>): Promise<boolean> {
    this.refused.set(null);
    this.busy.set(approvalId);
    try {
      await this.live.act(send);
      await this.caughtUp();
      return true;
    } catch (thrown) {
      if (isAbort(thrown)) return false;
      const error = toApiError(thrown);
      this.refused.set({ approvalId, error });
      // A conflict means that the page is outdated.
      if (error.status === 409) await this.caughtUp();
      return false;
    } finally {
      this.busy.set(null);
    }
  }
}
