// The panel Audit: who did what, the check of the hash chain, and its export.

import { useEffect, useState } from "preact/hooks";
import { Failure } from "../shared/failure";
import { counted, dateTime } from "../shared/format";
import { DownloadIcon } from "../shared/icons";
import { formatJson, parseJson } from "../shared/json";
import { useLoaded } from "../shared/loading";
import { save } from "../shared/save";
import { useStore } from "../shared/store";
import { verify, type Verdict } from "./audit";
import type { Desk } from "./desk";
import { SHORT_HASH_DIGITS } from "./limits";
import type { AuditRecord } from "./model";

const KINDS: Readonly<Record<string, string>> = {
  question: "asked",
  statement: "wrote a statement",
  refused: "a statement was refused",
  approvalAsked: "asked for a decision",
  autoApproved: "ran without a decision",
  decision: "decided",
  execution: "ran the statement",
  answer: "replied",
  reply: "replied",
  failed: "failed",
  expired: "let a statement expire",
  superseded: "superseded a statement",
  fork: "continued from a checkpoint",
};

export function AuditPanel({ desk }: { desk: Desk }) {
  const state = useStore(desk.live.thread);
  const { data, error, reload } = useLoaded(() => desk.client.audit(), String(state?.lastEventId ?? 0));
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  useEffect(() => {
    let isCurrent = true;
    if (data !== null) void verify(data).then((found) => isCurrent && setVerdict(found));
    return () => {
      isCurrent = false;
    };
  }, [data]);
  if (state === null) return <p class="note">Nothing was asked yet.</p>;
  if (error !== null && data === null) return <Failure error={error} />;
  if (data === null) return <p class="note" role="status">Loading the audit…</p>;
  const exported = () => save(new Blob(data.map((record) => `${formatJson(record)}\n`), { type: "application/x-ndjson" }), `${desk.thread.replaceAll(/[^\w.-]+/g, "_")}-audit.ndjson`);
  return (
    <>
      <VerdictLine verdict={verdict} />
      <div class="row wrap">
        <button type="button" class="small" onClick={exported}><DownloadIcon /> Export as JSON lines</button>
        <button type="button" class="small quiet" onClick={reload}>Read again</button>
      </div>
      <ol class="audit">{[...data].reverse().map((record) => <Record key={record.sequence} record={record} />)}</ol>
    </>
  );
}

function VerdictLine({ verdict }: { verdict: Verdict | null }) {
  if (verdict === null) return <p class="note" role="status">Computing the hashes…</p>;
  if (verdict.kind === "verified") return <p class="verdict is-good" role="status"><strong>Verified.</strong> {counted(verdict.records, "record")}, and each has the hash of its content and of the one before.</p>;
  if (verdict.kind === "broken") return <p class="verdict is-bad" role="alert"><strong>Not verified.</strong> The chain breaks at record {verdict.sequence}: it, or one before it, is not what was written.</p>;
  return <p class="note" role="status">Not verified: browsers compute hashes on secure connections (https) only.</p>;
}

function Record({ record: { sequence, at, kind, actor, body, hash } }: { record: AuditRecord }) {
  return (
    <li>
      <details>
        <summary>
          <span class="checkpoint-number">{sequence}</span>
          <span><strong>{actor}</strong> {KINDS[kind] ?? kind}{kind === "decision" && <>: {actionOf(body)}</>}<span class="note"><time dateTime={at}>{dateTime(at)}</time> · <code title={hash}>{hash.slice(0, SHORT_HASH_DIGITS)}</code></span></span>
        </summary>
        <pre class="sql"><code>{readable(body)}</code></pre>
      </details>
    </li>
  );
}

function actionOf(body: string): string {
  const found = parseJson(body);
  return typeof found === "object" && found !== null && "action" in found ? String(found["action"]) : "";
}

function readable(body: string): string {
  return formatJson(parseJson(body), 2);
}
