// The list Proposals: edits that wait for a person, and decided ones.

import { useState } from "preact/hooks";
import { confirm } from "../shared/dialog";
import { Failure } from "../shared/failure";
import { counted, dateTime, relative } from "../shared/format";
import { usePages } from "../shared/loading";
import { useStore } from "../shared/store";
import type { Bench } from "./bench";
import { Preview } from "./diff-view";
import type { Proposal, Status } from "./model";
import { fileAddress } from "./place";

const SHOWN: readonly { status: Status | ""; text: string }[] = [
  { status: "pending", text: "Waiting" },
  { status: "applied", text: "Applied" },
  { status: "denied", text: "Denied" },
  { status: "stale", text: "Stale" },
  { status: "failed", text: "Failed" },
  { status: "", text: "All" },
];

export function Proposals({ bench }: { bench: Bench }) {
  const turn = useStore(bench.turn);
  const [status, setStatus] = useState<Status | "">("pending");
  const { items, error, busy, hasMore, showMore } = usePages((cursor) => bench.client.proposals(status, cursor), `${status} ${turn}`);
  return (
    <>
      <select aria-label="Which proposals" value={status} onChange={(event) => setStatus(event.currentTarget.value as Status | "")}>
        {SHOWN.map(({ status: one, text }) => <option key={one} value={one}>{text}</option>)}
      </select>
      {error !== null && <Failure error={error} />}
      {items?.length === 0 && <p class="note" role="status">{status === "pending" ? "No proposal waits for a decision." : "There is none."}</p>}
      <ul class="proposals">
        {items?.map((proposal) => <li key={proposal.requestId}><Card bench={bench} proposal={proposal} /></li>)}
      </ul>
      {hasMore && <button type="button" class="small" disabled={busy} onClick={showMore}>Show more</button>}
    </>
  );
}

function Card({ bench, proposal }: { bench: Bench; proposal: Proposal }) {
  const { requestId, status, actor, created_ms, staged, files, warnings, reason, preview, preview_mode, confidence, base_version } = proposal;
  return (
    <article class={status === "pending" ? "proposal is-pending" : "proposal"} aria-label={`Proposal ${requestId}`}>
      <header>
        <h3 class="path">{requestId}</h3>
        <span class="badge">{stateOf(proposal)}</span>
      </header>
      <p class="note">
        {counted(staged, "edit")} on version {base_version} · {actor} · <time dateTime={new Date(created_ms).toISOString()} title={dateTime(created_ms)}>{relative(created_ms)}</time>
        {confidence !== null && ` · confidence ${confidence}`}
      </p>
      <ul class="proposal-files">
        {files.map(({ file_path }) => <li key={file_path}><a href={fileAddress(file_path)}>{file_path}</a></li>)}
      </ul>
      {reason !== null && <p class="reason">{reason}</p>}
      {warnings.length > 0 && <ul class="warnings" aria-label="Warnings">{warnings.map((warning) => <li key={warning}>{warning}</li>)}</ul>}
      {preview !== "" && <Preview text={preview} mode={preview_mode} label={`Changes of ${requestId}`} />}
      <Decisions bench={bench} proposal={proposal} />
    </article>
  );
}

const STATES: Readonly<Record<Status, string>> = { pending: "waits", applied: "applied", denied: "denied", failed: "failed", stale: "stale" };

function stateOf({ status, applied_version, reverted_version, auto_confirmed }: Proposal): string {
  if (reverted_version !== null) return `reverted by version ${reverted_version}`;
  if (status === "applied" && applied_version !== null) return `applied as version ${applied_version}${auto_confirmed ? ", by its confidence" : ""}`;
  return STATES[status];
}

function Decisions({ bench, proposal }: { bench: Bench; proposal: Proposal }) {
  const isBusy = useStore(bench.deciding) !== null;
  const { requestId, status, reverted_version } = proposal;
  const revert = async () => {
    const text = `Restore the files of ${requestId} to their state before it was applied? This makes a new version.`;
    if (await confirm({ title: "Revert the proposal", text, action: "Revert" })) await bench.decide("revert_proposal", proposal);
  };
  if (status === "applied" && reverted_version === null) {
    return <div class="row"><button type="button" disabled={isBusy} onClick={() => void revert()}>Revert</button></div>;
  }
  if (status !== "pending") return null;
  return (
    <div class="row">
      <button type="button" class="primary" disabled={isBusy} onClick={() => void bench.decide("approve_proposal", proposal)}>Approve</button>
      <button type="button" disabled={isBusy} onClick={() => void bench.decide("deny_proposal", proposal)}>Deny</button>
    </div>
  );
}
