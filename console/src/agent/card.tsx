// The card of a statement: its text, its effect, and the decision.

import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Failure } from "../shared/failure";
import { dateTime } from "../shared/format";
import { useStore } from "../shared/store";
import { hasHidden } from "../shared/visible";
import { SqlView } from "../sql/sql-view";
import { Facts, HashLine, Plan } from "./card-facts";
import { Countdown, useTimeLeft } from "./countdown";
import type { Desk } from "./desk";
import { DiffView } from "./diff-view";
import { Edit } from "./edit";
import { forPerson } from "./for-person";
import { CheckIcon, PencilIcon } from "./icons";
import type { Approval, Status } from "./model";
import type { Card } from "./record";
import { Reject } from "./reject";
import { Sample } from "./sample";

const KINDS: Readonly<Record<string, string>> = { read: "Reads", insert: "Inserts", update: "Updates", delete: "Deletes", schema: "Changes the schema", undo: "Undo" };
const AUTHORS: Readonly<Record<string, string>> = { model: "Written by a language model", planner: "Written by the planner", person: "Edited by a person" };

const STATUS_WORDS: Readonly<Record<Status, string>> = {
  pending: "Waited for a decision",
  approved: "Approved",
  autoApproved: "Ran without a decision: it only reads",
  rejected: "Rejected",
  edited: "Replaced by an edit",
  superseded: "Superseded: another question came first",
  expired: "Expired: nobody decided in time",
};

/** Returns the status of an approval in words, for a person whose decision came too late. */
export function statusInWords(status: string): string {
  return Object.hasOwn(STATUS_WORDS, status) ? STATUS_WORDS[status as Status] : status;
}

interface CardProps {
  desk: Desk;
  card: Card;
  /** True if it waits for a decision on this page. */
  isPending: boolean;
}

export function StatementCard({ desk, card, isPending }: CardProps) {
  return isPending ? <PendingCard desk={desk} card={card} /> : <PastCard desk={desk} card={card} />;
}

function Head({ card, id, title }: { card: Card; id: string; title: string }) {
  const { kind, destructive, undoOf } = card.approval;
  return (
    <header class="card-head">
      <h3 id={id}>{title}</h3>
      <span class={destructive === true ? "badge badge-danger" : "badge"}>{undoOf === null ? (KINDS[kind] ?? kind) : "Undo"}{destructive === true && kind !== "undo" ? ", destructive" : ""}</span>
    </header>
  );
}

/** Shows the statement and all facts about it. */
function Content({ card }: { card: Card }) {
  const { approval, author, before } = card;
  return (
    <>
      <p class="card-words">{approval.explanation}</p>
      {approval.sql !== "" && (before === null ? <SqlView sql={approval.sql} /> : <DiffView before={before} after={approval.sql} />)}
      {hasHidden(approval.sql + approval.explanation) && <p class="warnings" role="note">The text has invisible characters. They are shown by their numbers, such as ⟨U+202E⟩.</p>}
      <Facts approval={approval} />
      <Sample approval={approval} />
      <details class="card-details">
        <summary>Details</summary>
        <div class="past-body">
          {author !== null && <p class="note">{AUTHORS[author] ?? author}</p>}
          <FinalStatement approval={approval} />
          <Plan approval={approval} />
          <HashLine sha256={approval.sha256} />
        </div>
      </details>
    </>
  );
}

/** Shows the text with the conditions of the tenant, if it has any. */
function FinalStatement({ approval: { sql, finalSql } }: { approval: Approval }) {
  if (finalSql === undefined || finalSql === "" || finalSql.trim() === sql.trim()) return null;
  return (
    <details>
      <summary>The statement as it runs, kept to the rows of the business</summary>
      <SqlView sql={finalSql} />
    </details>
  );
}

function PendingCard({ desk, card }: { desk: Desk; card: Card }) {
  const { approval } = card;
  const id = useId();
  const element = useRef<HTMLElement>(null);
  const [mode, setMode] = useState<"look" | "edit" | "reject">("look");
  const busy = useStore(desk.busy);
  const refused = useStore(desk.refused);
  const isOver = useTimeLeft(approval.expiresAt) <= 0;
  useEffect(() => {
    // A person who is writing must not be interrupted.
    if (desk.draft.get().trim() === "" && document.querySelector("dialog[open]") === null) element.current?.focus();
    showTop(element.current);
  }, [approval.approvalId]);
  useLayoutEffect(
    () => () => {
      // When the card disappears, the focus moves to the conversation.
      if (element.current?.contains(document.activeElement) === true) element.current.closest<HTMLElement>(".talk")?.focus({ preventScroll: true });
    },
    [],
  );
  const back = () => {
    setMode("look");
    element.current?.focus();
  };
  const decided = { approvalId: approval.approvalId, sha256: approval.sha256 };
  const cannot = busy !== null || isOver;
  // A form may be opened while the request that led to this card still waits for its response.
  const canOpen = busy !== approval.approvalId && !isOver;
  const canEdit = approval.undoOf === null;
  const onKeyDown = (event: KeyboardEvent) => {
    // The editor takes Escape for its completion.
    if (event.defaultPrevented) return;
    if (event.key === "Escape" && mode !== "look") back();
    // Letters are shortcuts on the card itself only, not in its fields.
    else if (event.target !== element.current || event.ctrlKey || event.metaKey || event.altKey || !canOpen) return;
    else if (event.key === "e" && canEdit) setMode("edit");
    else if (event.key === "r") setMode("reject");
    else return;
    event.preventDefault();
  };
  return (
    <section ref={element} class="statement is-pending" aria-labelledby={id} tabIndex={-1} onKeyDown={onKeyDown}>
      <Head card={card} id={id} title={approval.undoOf === null ? "May this statement run?" : "May this change be taken back?"} />
      <Content card={card} />
      <Approvers approval={approval} />
      <div class="card-foot">
        <Countdown expiresAt={approval.expiresAt} />
      </div>
      {refused !== null && refused.approvalId === approval.approvalId && <Failure error={forPerson(refused.error)} />}
      {mode === "look" && (
        <div class="row wrap card-actions">
          <button type="button" class={approval.destructive === true ? "danger" : "primary"} disabled={cannot} onClick={() => void desk.decide(decided, { action: "approved" })}><CheckIcon /> Approve</button>
          {canEdit && <button type="button" disabled={!canOpen} onClick={() => setMode("edit")}><PencilIcon /> Edit</button>}
          <button type="button" disabled={!canOpen} onClick={() => setMode("reject")}>Reject</button>
        </div>
      )}
      {mode === "edit" && <Edit approval={approval} isBusy={cannot} onCancel={back} onSend={(sql) => void desk.decide(decided, { action: "edited", sql })} />}
      {mode === "reject" && <Reject canRevise={canEdit} isBusy={cannot} onCancel={back} onSend={(reason, revise) => void desk.decide(decided, { action: "rejected", reason, revise })} />}
    </section>
  );
}

/** Scrolls to a card. If it is higher than the conversation, its beginning is shown. */
function showTop(element: HTMLElement | null): void {
  const height = element?.closest(".talk")?.clientHeight ?? 0;
  if (element !== null) element.scrollIntoView({ block: element.offsetHeight > height ? "start" : "nearest" });
}

function Approvers({ approval: { approvers, requiredApprovers } }: { approval: Approval }) {
  if (requiredApprovers < 2) return null;
  return <p>{approvers.length} of {requiredApprovers} approvals{approvers.length > 0 && <>: {approvers.join(", ")}</>}</p>;
}

/** Shows a card that is decided, or can no longer be decided. */
function PastCard({ desk, card }: { desk: Desk; card: Card }) {
  const { approval, reason } = card;
  const id = useId();
  const refused = useStore(desk.refused);
  const isRefused = refused !== null && refused.approvalId === approval.approvalId && refused.error.status === 409;
  return (
    <section class={`statement is-${approval.status}`} aria-labelledby={id}>
      {isRefused && <Failure error={forPerson(refused.error)} />}
      <details>
        <summary>
          <span id={id} class="past-title">{statusInWords(approval.status)}{approval.status === "approved" && approval.approvers.length > 0 && <> by {approval.approvers.join(", ")}</>}</span>
          {reason !== null && <span class="past-reason">: {reason}</span>}
          <span class="past-words">{approval.explanation}</span>
        </summary>
        <div class="past-body">
          <Content card={card} />
          <div class="card-foot">
            <span class="note"><time dateTime={approval.createdAt}>{dateTime(approval.createdAt)}</time></span>
          </div>
        </div>
      </details>
    </section>
  );
}
