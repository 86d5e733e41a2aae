// The record of each question besides its messages, read from the events of a thread: the
// statements, the decisions, and their results.

import type { Approval, Message, Snapshot, SqlResult, Status, Told, Values, VegaChart } from "./model";

/** A statement for a decision, with its outcome. */
export interface Card {
  approval: Approval;
  author: string | null;
  /** The reason of its rejection. */
  reason: string | null;
  /** The statement before an edit. */
  before: string | null;
  result: SqlResult | null;
  chart: VegaChart | null;
  /** The error of its run. */
  error: Told | null;
}

/** A statement that was refused before anybody saw it. */
export interface Refused {
  sql: string;
  error: Told;
}

export interface TurnRecord {
  cards: Card[];
  refused: Refused[];
  /** The author of the next statement. */
  author: string | null;
}

/** The records by the id of the question. */
export type Records = ReadonlyMap<string, TurnRecord>;

/** A stored event: `updates` or `end`. */
export interface Happened {
  id: number;
  event: string;
  data: Record<string, unknown>;
}

const emptyTurn = (): TurnRecord => ({ cards: [], refused: [], author: null });

const cardOf = (approval: Approval, author: string | null, before: string | null): Card => ({ approval, author, reason: null, before, result: null, chart: null, error: null });

/** A change of an approval, by a decision or without one. */
interface Decided {
  approvalId: string;
  status?: Status;
  approvers?: readonly string[];
  reason?: string | null;
}

class Reading {
  readonly turns = new Map<string, TurnRecord>();
  private readonly cards = new Map<string, Card>();
  private turn = emptyTurn();

  tell(data: Record<string, unknown>): void {
    for (const [node, update] of Object.entries(data)) this.update(node, update as never);
  }

  private update(node: string, update: never): void {
    if (node === "__start__") this.start(update);
    else if (node === "writeQuery") this.wrote(update);
    else if (node === "__interrupt__") for (const { value } of update as { value: Approval }[]) this.ask(value);
    else if (node === "humanApproval") this.decided(update);
    else if (node === "executeQuery") this.ran(update);
    else if (node === "generateAnswer") this.answered(update);
  }

  private start({ messages }: { messages: readonly Message[] }): void {
    this.turn = emptyTurn();
    const [question] = messages;
    if (question !== undefined) this.turns.set(question.id, this.turn);
  }

  private wrote({ refused, author }: { refused?: Refused; author?: string }): void {
    if (refused !== undefined) this.turn.refused.push(refused);
    if (author !== undefined) this.turn.author = author;
  }

  private ask(approval: Approval): void {
    const last = this.turn.cards.at(-1);
    const isEdit = last?.approval.status === "edited";
    const author = isEdit ? "person" : approval.undoOf === null ? this.turn.author : null;
    const card = cardOf(approval, author, isEdit ? last.approval.sql : null);
    this.turn.cards.push(card);
    this.cards.set(approval.approvalId, card);
  }

  private decided(told: Decided | Approval): void {
    // A statement that runs without a person is one whole event.
    if ("sql" in told) return this.ask(told);
    const card = this.cards.get(told.approvalId);
    if (card === undefined) return;
    card.approval = { ...card.approval, ...(told.status === undefined ? {} : { status: told.status }), ...(told.approvers === undefined ? {} : { approvers: told.approvers }) };
    card.reason = told.reason ?? card.reason;
  }

  private ran({ sqlResult, error }: { sqlResult?: SqlResult; error?: Told }): void {
    const card = this.turn.cards.at(-1);
    if (card === undefined) return;
    card.result = sqlResult ?? null;
    card.error = error ?? null;
  }

  private answered({ chart }: { chart?: VegaChart | null }): void {
    const card = this.turn.cards.at(-1);
    if (card !== undefined) card.chart = chart ?? null;
  }
}

/**
 * Reads events. Those up to an `end` belong to the checkpoint in it; with a line, only those of its
 * checkpoints count. The last events may have no end yet.
 */
export function recordsOf(events: readonly Happened[], line: ReadonlySet<number> | null): Records {
  const reading = new Reading();
  let waiting: Happened[] = [];
  for (const happened of events) {
    if (happened.event !== "end") {
      waiting.push(happened);
      continue;
    }
    if (line === null || line.has(Number(happened.data["checkpoint"]))) for (const { data } of waiting) reading.tell(data);
    waiting = [];
  }
  for (const { data } of waiting) reading.tell(data);
  return reading.turns;
}

/** Adds the values of a state, which take precedence, because old events are dropped. */
export function withValues(records: Records, values: Values): Records {
  const known = records.get(values.inputId) ?? emptyTurn();
  const turn: TurnRecord = { ...known, cards: [...known.cards] };
  if (turn.refused.length === 0) turn.refused = values.attempts.map(({ sql, error }) => ({ sql, error }));
  const { approval } = values;
  if (approval !== null) {
    const at = turn.cards.findIndex((card) => card.approval.approvalId === approval.approvalId);
    const card = turn.cards[at] ?? cardOf(approval, turn.author, null);
    const merged = { ...card, approval, result: values.sqlResult ?? card.result, chart: values.chart ?? card.chart };
    if (at === -1) turn.cards.push(merged);
    else turn.cards[at] = merged;
  }
  return new Map(records).set(values.inputId, turn);
}

/** Returns the records of an earlier state, which nothing follows. */
export function recordsAt({ values }: Snapshot): Records {
  return withValues(new Map(), values);
}
