// What the parts of the page share: the thread, what a person does with it, and which panel is open.

import { isAbort, toApiError, type ApiError } from "../shared/api";
import { freshId } from "../shared/fresh-id";
import { createStore } from "../shared/store";
import { Client, type Decided, type Decision } from "./client";
import { Live } from "./live";
import type { Snapshot } from "./model";
import { effective, setup, type Setup } from "./setup";

export type Panel = "history" | "audit" | "memory";

/** A question that was not accepted. The same id goes out again, so that it is asked once. */
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
  /** What of a request has not come back: the question, or the id of the approval that it decides. */
  readonly busy = createStore<string | null>(null);
  /** Why a decision did not count, by the approval that it was about. */
  readonly refused = createStore<{ approvalId: string; error: ApiError } | null>(null);
  /** An earlier state that is looked at. */
  readonly shown = createStore<Snapshot | null>(null);
  /** A text for the field of the question. */
  readonly draft = createStore("");

  constructor(readonly thread: string) {
    this.client = new Client(thread);
    this.live = new Live(this.client);
  }

  get setup(): Setup {
    return effective(setup.get(), this.thread, this.live.thread.get());
  }

  /** Asks; false where the question was not accepted. */
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

  /** Decides; false where the decision did not count. */
  decide(decided: Decided, decision: Decision): Promise<boolean> {
    return this.act(decided.approvalId, (signal) => this.client.decide(decided, decision, this.setup.userId, signal));
  }

  /** Asks for the undo of a write. */
  undo(approvalId: string): Promise<boolean> {
    return this.act(approvalId, (signal) => this.client.undo(approvalId, this.setup.userId, signal));
  }

  /** Waits until the page shows what a request did, so that nobody presses a button of what was before. */
  private async caughtUp(): Promise<void> {
    // Where it cannot be read, the events bring it.
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
      // A conflict says that the page is behind.
      if (error.status === 409) await this.caughtUp();
      return false;
    } finally {
      this.busy.set(null);
    }
  }
}
