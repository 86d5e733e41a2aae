// The conversation: questions, statements, replies, and the message that is being written.

import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Failure } from "../shared/failure";
import { dateTime } from "../shared/format";
import { useStore } from "../shared/store";
import { SqlView } from "../sql/sql-view";
import { StatementCard } from "./card";
import { turnsOf, type Entry, type Turn } from "./conversation";
import type { Desk } from "./desk";
import { forPerson } from "./for-person";
import { UndoIcon } from "./icons";
import { STICKY_PX } from "./limits";
import { Blocks, blocksOf, withoutRows } from "./markdown";
import type { Message, Snapshot, State } from "./model";
import { recordsAt, type Card, type Records, type Refused } from "./record";
import { NewThread } from "./new-thread";
import { columnsOf, ResultView } from "./result";
import { effective, setup } from "./setup";
import { SetupForm } from "./setup-form";

export function Talk({ desk }: { desk: Desk }) {
  const state = useStore(desk.live.thread);
  const liveRecords = useStore(desk.live.records);
  const shown = useStore(desk.shown);
  const snapshot: Snapshot | null = shown ?? state;
  const records = useMemo(() => (shown === null ? liveRecords : recordsAt(shown)), [shown, liveRecords]);
  const turns = useMemo(() => (snapshot === null ? [] : turnsOf(snapshot.values.messages, records)), [snapshot, records]);
  const scroller = useRef<HTMLDivElement>(null);
  useSticky(scroller, desk);
  return (
    <div class="talk" ref={scroller} role="region" aria-label="Conversation" tabIndex={0}>
      <div class="talk-inner">
        {shown === null && <SetupForm desk={desk} />}
        {turns.length === 0 && <Welcome desk={desk} />}
        {turns.map((turn, at) => <TurnView key={turn.question?.id ?? at} desk={desk} turn={turn} records={records} pending={shown === null ? (state?.pending?.approvalId ?? null) : null} isLive={shown === null} />)}
        {shown === null && <Choices desk={desk} state={state} />}
        {shown === null && <Working desk={desk} state={state} />}
      </div>
    </div>
  );
}

/** Keeps the conversation at its end while the person is there. */
function useSticky(scroller: { readonly current: HTMLDivElement | null }, desk: Desk): void {
  const isAtEnd = useRef(true);
  const wasAway = useRef(false);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const look = () => {
      isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < STICKY_PX;
    };
    element.addEventListener("scroll", look, { passive: true });
    return () => element.removeEventListener("scroll", look);
  }, []);
  const thread = useStore(desk.live.thread);
  const records = useStore(desk.live.records);
  const draft = useStore(desk.live.draft);
  const busy = useStore(desk.busy);
  const shown = useStore(desk.shown);
  useLayoutEffect(() => {
    const element = scroller.current;
    // A person who asks, or returns from an earlier state, wants to see the next entries.
    if (busy === "question" || (shown === null && wasAway.current)) isAtEnd.current = true;
    wasAway.current = shown !== null;
    if (element === null || !isAtEnd.current) return;
    element.scrollTop = element.scrollHeight;
  }, [thread, records, draft, busy, shown]);
}

function Welcome({ desk }: { desk: Desk }) {
  const state = useStore(desk.live.state);
  const current = effective(useStore(setup), desk.thread, useStore(desk.live.thread));
  if (state.kind !== "new" && state.kind !== "ready") return null;
  return <NewThread desk={desk} setup={current} />;
}

/** Shows the meanings of a question back, one to a button. */
function Choices({ desk, state }: { desk: Desk; state: State | null }) {
  const busy = useStore(desk.busy);
  const choices = state?.values.askedBack?.choices ?? [];
  if (state?.values.outcome !== "askedBack" || choices.length === 0) return null;
  return (
    <div class="examples" role="group" aria-label="Meanings to choose from">
      {choices.map((choice) => <button key={choice} type="button" disabled={busy !== null} onClick={() => void desk.ask(choice)}>{choice}</button>)}
    </div>
  );
}

interface TurnProps {
  desk: Desk;
  turn: Turn;
  records: Records;
  /** The approval that waits for a decision. */
  pending: string | null;
  /** True if this is the present thread, and no earlier state. */
  isLive: boolean;
}

function TurnView({ desk, turn: { question, refused, entries }, records, pending, isLive }: TurnProps) {
  return (
    <article class="turn">
      {question !== null && <div class="question"><p>{question.content}</p></div>}
      {refused.map((one, at) => <RefusedView key={at} refused={one} />)}
      {entries.map((entry) => <EntryView key={entry.kind === "card" ? entry.card.approval.approvalId : entry.message.id} desk={desk} entry={entry} records={records} pending={pending} isLive={isLive} />)}
    </article>
  );
}

function RefusedView({ refused: { sql, error } }: { refused: Refused }) {
  return (
    <details class="refused">
      <summary>A statement was refused before anybody saw it: <code class="error-code">{error.code}</code></summary>
      <SqlView sql={sql} />
      <p class="note">{error.message}{error.hint !== undefined && <>. {error.hint}</>}</p>
    </details>
  );
}

interface EntryProps {
  desk: Desk;
  entry: Entry;
  records: Records;
  pending: string | null;
  isLive: boolean;
}

function EntryView({ desk, entry, records, pending, isLive }: EntryProps) {
  if (entry.kind === "card") return <StatementCard desk={desk} card={entry.card} isPending={entry.card.approval.approvalId === pending} />;
  const { message, card } = entry;
  return (
    <Reply message={message} card={card}>
      {isLive && card !== null && <UndoButton desk={desk} card={card} records={records} />}
    </Reply>
  );
}

interface ReplyProps {
  message: Message;
  card: Card | null;
  children?: preact.ComponentChildren;
}

function Reply({ message, card, children }: ReplyProps) {
  const result = card?.result ?? null;
  const hasRows = (result?.rows?.length ?? 0) > 0;
  // A single value is in the text already.
  const isTable = hasRows && (result?.rows?.length !== 1 || columnsOf(result).length !== 1);
  const blocks = useMemo(() => {
    const all = blocksOf(message.content);
    return isTable ? withoutRows(all, columnsOf(result)) : all;
  }, [message.content, result, isTable]);
  return (
    <div class={message.type === "ai" ? "reply" : "reply reply-system"}>
      <Blocks blocks={blocks} />
      {isTable && result !== null && <ResultView result={result} chart={card?.chart ?? null} />}
      {children}
      {message.createdAt !== undefined && <p class="note reply-time"><time dateTime={message.createdAt}>{dateTime(message.createdAt)}</time></p>}
    </div>
  );
}

function UndoButton({ desk, card: { approval, result }, records }: { desk: Desk; card: Card; records: Records }) {
  const state = useStore(desk.live.thread);
  const busy = useStore(desk.busy);
  const refused = useStore(desk.refused);
  if (result?.undo?.available !== true) return null;
  const isUndone = [...records.values()].some(({ cards }) => cards.some((card) => card.approval.undoOf === approval.approvalId && card.result !== null));
  if (isUndone) return <p class="note">This change was taken back.</p>;
  return (
    <>
      {refused !== null && refused.approvalId === approval.approvalId && <Failure error={forPerson(refused.error)} />}
      <button type="button" class="small" disabled={busy !== null || state === null || state.next.length > 0} onClick={() => void desk.undo(approval.approvalId)}><UndoIcon /> Undo this change</button>
    </>
  );
}

/** Shows the thread's present activity, with the message that it is writing. */
function Working({ desk, state }: { desk: Desk; state: State | null }) {
  const draft = useStore(desk.live.draft);
  const busy = useStore(desk.busy);
  const [step] = state?.next ?? [];
  const words = busy === "question" ? "Sending the question…" : step === undefined || step === "humanApproval" ? null : stepInWords(step, state?.values.writtenQuery ?? null);
  return (
    <>
      {draft !== null && <div class="reply is-draft"><Blocks blocks={blocksOf(draft.text)} /></div>}
      {words !== null && <p class="working"><span class="dots" aria-hidden="true" />{words}</p>}
    </>
  );
}

function stepInWords(step: string, written: string | null): string {
  if (step === "writeQuery") return written === null ? "Writing a statement…" : "Finding out what the statement would do…";
  return step === "executeQuery" ? "Running the statement…" : "Writing the reply…";
}

/** Announces to people who do not see the page each statement to decide, and each reply. */
export function Announcements({ desk }: { desk: Desk }) {
  const state = useStore(desk.live.thread);
  const last = useRef<string | null>(null);
  const { pending, values } = state ?? {};
  const reply = values?.messages.at(-1);
  const key = pending?.approvalId ?? (reply?.type === "ai" ? reply.id : null);
  const isFirst = last.current === null;
  last.current = key ?? last.current ?? "";
  const text = pending != null ? `A statement waits for your decision: ${pending.explanation}` : reply?.type === "ai" && !isFirst ? `Reply: ${reply.content.split("\n", 1)[0] ?? ""}` : "";
  return <p class="visually-hidden" role="status" aria-live="polite">{text}</p>;
}
