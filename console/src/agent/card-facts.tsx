// The facts about a statement before it runs: tables, rows, how the engine finds them, the hash.

import { useState } from "preact/hooks";
import { count, counted } from "../shared/format";
import { CopyIcon } from "../shared/icons";
import { showError } from "../shared/toast";
import { SHORT_HASH_DIGITS } from "./limits";
import type { Approval, TableUse } from "./model";

export function Facts({ approval }: { approval: Approval }) {
  const { kind, tables, estimatedRows, estimatedRowsIsMinimum, affectedRows, changes, dryRun, dryRunReason, undoable, undoReason } = approval;
  const isRead = kind === "read";
  const written = isRead ? null : (affectedRows ?? changes ?? null);
  const more = written === null ? 0 : Math.max(0, rowsIn(tables) - written);
  return (
    <dl class="card-facts">
      {Array.isArray(tables) && tables.length > 0 && (
        <div>
          <dt>Tables</dt>
          <dd>{tables.map((table, at) => <span key={at}>{at > 0 && ", "}<code>{table.name}</code>{useInWords(table)}</span>)}</dd>
        </div>
      )}
      {isRead && typeof estimatedRows === "number" && <div><dt>Returns</dt><dd>{estimatedRowsIsMinimum === true && "more than "}{counted(Math.round(estimatedRows), "row")}</dd></div>}
      {written !== null && <div><dt>Changes</dt><dd><strong>{counted(written, "row")}</strong>{more > 0 && <>, and <strong>{count(more)} more</strong> by foreign keys, triggers or replacement</>}{dryRun === "done" && " in a dry run that was rolled back"}</dd></div>}
      {written === null && !isRead && dryRun === "unavailable" && <div><dt>Changes</dt><dd>not known: {dryRunReason ?? "no dry run"}</dd></div>}
      {undoable !== undefined && !isRead && kind !== "undo" && <div><dt>Undo</dt><dd>{undoable ? "possible" : `not possible${undoReason ? `: ${undoReason}` : ""}`}</dd></div>}
    </dl>
  );
}

/** Counts the rows that are changed in all tables, those that follow from it among them. */
function rowsIn(tables: readonly TableUse[] | null | undefined): number {
  return (tables ?? []).reduce((rows, { inserted = 0, updated = 0, deleted = 0 }) => rows + inserted + updated + deleted, 0);
}

function useInWords({ access, inserted = 0, updated = 0, deleted = 0 }: TableUse): string {
  if (access === "read") return "";
  const parts = [[inserted, "inserted"], [updated, "updated"], [deleted, "deleted"]] as const;
  const found = parts.flatMap(([rows, word]) => (rows > 0 ? [`${count(rows)} ${word}`] : []));
  return ` (${found.length === 0 ? "written" : found.join(", ")})`;
}

export function Plan({ approval: { plan } }: { approval: Approval }) {
  if (!Array.isArray(plan) || plan.length === 0) return null;
  return (
    <details open={plan.length <= 3}>
      <summary>How the engine does it ({count(plan.length)} {plan.length === 1 ? "step" : "steps"})</summary>
      <ol class="plan">{plan.map((sentence, at) => <li key={at}>{String(sentence)}</li>)}</ol>
    </details>
  );
}

/** Shows the beginning of the hash that a decision names. */
export function HashLine({ sha256 }: { sha256: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <span class="note hash">
      SHA-256 <code title={sha256}>{sha256.slice(0, SHORT_HASH_DIGITS)}…</code>
      <button type="button" class="quiet icon-only small" aria-label={copied ? "Copied" : "Copy the SHA-256 of the statement"} title="Copy" onClick={() => navigator.clipboard.writeText(sha256).then(() => setCopied(true), showError)}><CopyIcon /></button>
    </span>
  );
}
