// The list of the threads of questions, and the button that begins one.

import { Failure } from "../shared/failure";
import { counted, dateTime, relative } from "../shared/format";
import { PlusIcon } from "../shared/icons";
import type { Pages } from "../shared/loading";
import { OpenByName } from "./list";
import type { ThreadEntry } from "./requests";
import { freshThreadAddress, threadAddress } from "./route";

export function Threads({ list: { items, error, busy, hasMore, showMore } }: { list: Pages<ThreadEntry> }) {
  // A deployment without the agent has no such route.
  if (error?.status === 404 || (items === null && error === null)) return null;
  return (
    <section aria-labelledby="threads">
      <div class="section-head">
        <h2 id="threads">Questions</h2>
        <button type="button" class="small" onClick={() => location.assign(freshThreadAddress())}><PlusIcon /> New thread</button>
        <OpenByName label="Thread" action="Open" hint="A thread in which nothing was asked begins with its first question." addressOf={threadAddress} />
      </div>
      {error !== null && <Failure error={error} />}
      {items?.length === 0 && <p class="empty">No threads yet. Begin one to ask your tables in plain words.</p>}
      {items !== null && items.length > 0 && <ThreadTable threads={items} />}
      {hasMore && <button type="button" class="more" disabled={busy} onClick={showMore}>Show more</button>}
    </section>
  );
}

const waits = ({ next }: ThreadEntry) => next[0] === "humanApproval";

/** The statements that wait for a decision, at the top of the first view. */
export function Waiting({ threads }: { threads: readonly ThreadEntry[] }) {
  const waiting = threads.filter(waits);
  if (waiting.length === 0) return null;
  return (
    <section class="waiting" aria-labelledby="waiting">
      <h2 id="waiting">{counted(waiting.length, "statement")} {waiting.length === 1 ? "waits" : "wait"} for a decision</h2>
      <ul>{waiting.map((thread) => <li key={thread.threadId}><a href={threadAddress(thread.threadId)}>{titleOf(thread)}</a><span class="muted">{thread.question !== titleOf(thread) && ` · ${thread.question}`}</span></li>)}</ul>
    </section>
  );
}

function titleOf({ title, question, threadId }: ThreadEntry): string {
  return title || question || threadId;
}

const OUTCOMES: Readonly<Record<string, string>> = {
  answered: "answered",
  noQuery: "answered",
  cannotAnswer: "cannot be answered",
  askedBack: "asks back",
  rejected: "rejected",
  expired: "expired",
  failed: "failed",
};

function stateOf(thread: ThreadEntry): string {
  const { next, outcome } = thread;
  if (waits(thread)) return "waits for a decision";
  return next.length > 0 ? "working" : (OUTCOMES[outcome ?? ""] ?? "");
}

function ThreadTable({ threads }: { threads: readonly ThreadEntry[] }) {
  const hasBusiness = threads.some(({ businessId }) => businessId != null);
  return (
    <table class="list">
      <thead>
        <tr><th scope="col">Question</th><th scope="col" class="wide-only">Last question</th><th scope="col">State</th>{hasBusiness && <th scope="col" class="wide-only">Business</th>}<th scope="col" class="wide-only">Last use</th></tr>
      </thead>
      <tbody>
        {threads.map((thread) => (
          <tr key={thread.threadId}>
            <th scope="row" class="anywhere"><a href={threadAddress(thread.threadId)} title={thread.threadId}>{titleOf(thread)}</a></th>
            <td class="wide-only anywhere">{thread.question === titleOf(thread) ? "" : thread.question}</td>
            <td>{stateOf(thread)}</td>
            {hasBusiness && <td class="wide-only anywhere">{thread.businessId}</td>}
            <td class="wide-only"><time dateTime={thread.lastActivity} title={dateTime(thread.lastActivity)}>{relative(thread.lastActivity)}</time></td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
