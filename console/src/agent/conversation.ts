// A conversation for display: each question with its statements and replies, in order of time.

import { HIDDEN, type Message } from "./model";
import type { Card, Records, Refused } from "./record";

export type Entry = { kind: "card"; card: Card } | { kind: "message"; message: Message; card: Card | null };

export interface Turn {
  /** The question; null if the beginning of the conversation is not loaded. */
  question: Message | null;
  refused: readonly Refused[];
  entries: readonly Entry[];
}

export function turnsOf(messages: readonly Message[], records: Records): Turn[] {
  const turns: { question: Message | null; replies: Message[] }[] = [];
  for (const message of messages) {
    if (message.id.startsWith(HIDDEN)) continue;
    if (message.type === "human") turns.push({ question: message, replies: [] });
    else if (turns.length === 0) turns.push({ question: null, replies: [message] });
    else turns.at(-1)?.replies.push(message);
  }
  return turns.map(({ question, replies }) => {
    const record = question === null ? undefined : records.get(question.id);
    return { question, refused: record?.refused ?? [], entries: entriesOf(replies, record?.cards ?? []) };
  });
}

/** Orders cards and replies; a card precedes the replies after it. */
function entriesOf(replies: readonly Message[], cards: readonly Card[]): Entry[] {
  const timed = [
    ...cards.map((card) => ({ at: Date.parse(card.approval.createdAt), entry: { kind: "card", card } as Entry })),
    ...replies.map((message) => ({ at: Date.parse(message.createdAt ?? ""), entry: { kind: "message", message, card: cards.find(({ approval }) => message.id === `answer-${approval.approvalId}`) ?? null } as Entry })),
  ];
  // The sort is stable, so a card stays before a reply of the same moment.
  return timed.sort((one, other) => one.at - other.at).map(({ entry }) => entry);
}
